"""Pages and pictures are made of elements that escape what they are given."""

from xml.etree import ElementTree

from sparring.core.markup import Html, circle, label, picture, polyline, tag

SVG = "{http://www.w3.org/2000/svg}"
RUDE = "<b>\"'&\x1b[31mred"
TOLD = "<b>\"'&red"


def test_what_a_picture_says_is_text_and_nothing_else() -> None:
    drawn = ElementTree.fromstring(picture(40, 20, RUDE, label(5, 9, RUDE, 12), circle(1.50, 2, 3, tag("title", RUDE))))
    assert drawn.attrib["aria-label"] == TOLD
    assert drawn.attrib["viewBox"] == "0 0 40 20"
    assert [one.text for one in drawn.iter() if one.text] == [TOLD, TOLD]
    assert drawn[1].attrib == {"cx": "1.5", "cy": "2", "r": "3"}


def test_markup_is_not_escaped_again() -> None:
    assert tag("p", tag("b", "a & b"), Html("<br>"), class_="soft", id=None) == (
        '<p class="soft"><b>a &amp; b</b><br></p>'
    )


def test_shapes_close_themselves_and_an_empty_list_does_not_swallow_the_page() -> None:
    assert polyline([(0, 0.5), (1, 2)], stroke_width=2) == '<polyline points="0,0.5 1,2" stroke-width="2"/>'
    assert tag("ol") == "<ol></ol>"
