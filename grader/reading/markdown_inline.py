"""What stands within a line of Markdown besides plain text: tags, links, notes, escapes."""

import html
import re
from collections.abc import Callable
from typing import Final

from grader.reading.maths.formula import marked

_TAGS: Final = (
    "a|abbr|b|big|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|figure|figcaption|font|h[1-6]|hr|i|img|ins"
    "|kbd|li|mark|ol|p|pre|s|samp|section|small|span|strike|strong|sub|summary|sup|tt|u|ul|var|tbody|thead|table|tr|td|th"
)
_TAG: Final = re.compile(rf"</?({_TAGS})(?=[\s/>])[^<>]{{0,500}}>", re.IGNORECASE)
_SCRIPT: Final = re.compile(r"<(sup|sub)>([^<>]{1,60})</\1>", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"\s*(?:st|nd|rd|th|er|ère|re|e|ème|nde?)\s*", re.IGNORECASE)
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,12}\d{0,2});")
_NOTE: Final = re.compile(r"\[\^[^\]\s]{1,40}\](?P<begins>:?)")
_LINK: Final = re.compile(
    r"(?P<image>!?)\[(?P<text>[^\[\]]{0,500})\]\(\s?(?P<target><?[^()\s<>]{1,1000}>?)(?:\s+[\"'][^\"'\n]{0,200}[\"'])?\s?\)"
)
_ADDRESS: Final = re.compile(r"<?(?:https?:|mailto:|www\.|#|/|\.{1,2}/|[\w%-]+[./])")
_ESCAPE: Final = re.compile(r"\\([_*#.+~`&%-])")
_STRUCK: Final = re.compile(
    r"(?<![~\\])~~(?=[^\s~])[^~\n]{1,500}?(?<=[^\s~])~~(?!~)|<(s|del|strike)>[^<>]{1,500}</\1>", re.IGNORECASE
)
"""What its writer has struck out."""
_BOLD: Final = ("b", "strong")
_SPACING: Final = ("br", "p", "div", "li", "hr", "td", "th", "tr")


def without_markup(text: str) -> str:
    """A line without HTML tags, marks of notes, addresses behind links and what is struck out. Raised and lowered
    text becomes `^{…}` and `_{…}`, bold `**…**`; names in angle brackets that are no tags stay."""
    if not any(sign in text for sign in "<&[~"):
        return text
    return _outside(text, _plain)


def unescaped(text: str) -> str:
    """A line with the signs that a backslash protects; formulas and code keep theirs."""
    return _outside(text, lambda part: _ESCAPE.sub(r"\1", part)) if "\\" in text else text


def protected(text: str) -> list[tuple[int, int]]:
    """Where formulas and code stand, with the signs around them."""
    return [(start - len(sign), end + len(sign)) for start, end, sign in marked(text)]


def _outside(text: str, change: Callable[[str], str]) -> str:
    parts, position = [], 0
    for start, end in protected(text):
        parts += [change(text[position:start]), text[start:end]]
        position = end
    return "".join([*parts, change(text[position:])])


def _plain(text: str) -> str:
    text = _LINK.sub(_linked, _NOTE.sub("", _STRUCK.sub("", text)))
    if "<" in text:
        text = _TAG.sub(_untagged, _SCRIPT.sub(_scripted, text))
    return _ENTITY.sub(lambda match: html.unescape(match.group()).replace("\xa0", " "), text)


def _linked(match: re.Match[str]) -> str:
    """The words of a link or picture; brackets that no address follows stay, and so do a notebook's own pictures."""
    attached = match["target"].startswith("attachment:")
    is_link = not attached and (match["image"] or _ADDRESS.match(match["target"]))
    return match["text"] if is_link else match.group()


def _scripted(match: re.Match[str]) -> str:
    sign = "^" if match[1].lower() == "sup" else "_"
    return match[2] if sign == "^" and _ORDINAL.fullmatch(match[2]) else f"{sign}{{{match[2].strip()}}}"


def _untagged(match: re.Match[str]) -> str:
    name = match[1].lower()
    return "**" if name in _BOLD else " " if name in _SPACING else ""
