"""HTML pages as browsers read them."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The tags and texts of a page. Every tag must be closed in its turn."""

    VOID = ("meta", "wbr")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.said: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append((self._open[-1] if self._open else "", data))

    def texts(self, tag: str) -> list[str]:
        return [text for where, text in self.said if where == tag]

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return "".join(text for tag, text in self.said if tag != "style")

    def check_that_it_stands_alone(self) -> None:
        """Check that nothing runs in the page, nothing is loaded, and all links lead to places in it."""
        assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in self.tags}
        ids = {attributes["id"] for _, attributes in self.tags if "id" in attributes}
        for tag, attributes in self.tags:
            assert not [name for name in attributes if name.startswith("on") or name == "src"]
            assert "url(" not in attributes.get("style", "")
            if "href" in attributes:
                assert (tag, attributes["href"][0]) == ("a", "#")
                assert attributes["href"][1:] in ids
        (style,) = self.texts("style")
        assert "@import" not in style
        assert "prefers-color-scheme: dark" in style
