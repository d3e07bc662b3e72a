"""The characters of a page, whose encoding it may name itself."""

import re
from typing import Final

from grader.message import say
from grader.reading.bytes_in import Text, decoded

_HEAD: Final = 4096
_NAMED: Final = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s?=\s?["']?\s?([\w-]{2,30})""", re.IGNORECASE
)
_KNOWN: Final = re.compile(
    r"iso-8859-\d{1,2}|latin-?\d|windows-125\d|cp125\d|koi8-[ru]|macintosh|gb2312|gbk|gb18030|big5|shift[_-]jis"
    r"|euc-(?:jp|kr)",
    re.IGNORECASE,
)
_AS_BROWSERS_DO: Final = {"iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "macintosh": "mac_roman"}


def page_text(data: bytes) -> Text:
    """A page as text: UTF-8 or UTF-16 where it is, else the encoding that the page names."""
    named = _NAMED.search(data[:_HEAD])
    name = named[1].decode("ascii", "replace").lower() if named else ""
    if _KNOWN.fullmatch(name) and not _is_utf8(data) and b"\0" not in data:
        text = data.decode(_AS_BROWSERS_DO.get(name, name), errors="replace")
        return Text(
            text, (say("some characters do not fit the encoding that the page names"),) if "\ufffd" in text else ()
        )
    return decoded(data)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
