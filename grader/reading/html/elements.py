"""The elements of HTML by what they do to the text."""

from typing import Final

VOID: Final = frozenset((
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
))  # fmt: skip
"""Elements without content or end tag."""

LEFT_OUT: Final = frozenset((
    "audio", "button", "canvas", "datalist", "del", "embed", "head", "iframe", "map", "noembed", "noframes", "noscript",
    "object", "option", "s", "script", "select", "strike", "style", "svg", "template", "textarea", "title", "video",
    "xmp",
))  # fmt: skip
"""Elements whose content is no text of the page, or struck out by its writer."""

LISTS: Final = frozenset(("dir", "menu", "ol", "ul"))
LISTINGS: Final = frozenset(("listing", "plaintext", "pre"))
TITLES: Final = {f"h{level}": level for level in range(1, 7)}

BLOCKS: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "dl", "fieldset",
    "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "main", "p", "section", "summary", "tbody",
    "td", "tfoot", "th", "thead", "tr",
))  # fmt: skip
"""Further elements that begin and end a paragraph."""

CLOSING_PARAGRAPHS: Final = (
    (BLOCKS - {"body", "html", "legend", "tbody", "td", "tfoot", "th", "thead", "tr"})
    | LISTS | LISTINGS | {*TITLES, "nav", "table", "li", "dt", "dd", "figcaption"}
)  # fmt: skip
"""Elements that end an open `p`."""

CONTAINERS: Final = frozenset((
    "article", "blockquote", "body", "caption", "dd", "div", "figure", "li", "main", "section", "table", "td", "th",
))  # fmt: skip
"""Elements that keep a `p` around them open."""

ROW_GROUPS: Final = frozenset(("tbody", "tfoot", "thead"))
