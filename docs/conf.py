"""Settings of the documentation site: `make docs` builds it, and a test builds it with every warning as an error."""

import re
from pathlib import Path

DOCS = Path(__file__).parent
LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)#\s]*)\)")

project = "Sparring"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "Sparring"
default_role = "code"
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
add_module_names = False


def without_folders(app, name, source):
    """Show a link to a folder or a page outside docs/ as its text, because the site does not contain it."""

    def shown(link):
        outside = (DOCS / link[2]).resolve()
        return link[1] if outside.is_dir() or outside.suffix == ".md" else link[0]

    source[0] = LINK.sub(shown, source[0])


def setup(app):
    app.connect("source-read", without_folders)
