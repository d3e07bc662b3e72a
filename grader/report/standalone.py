"""What a page needs to stand on its own: one stylesheet with the fonts inside, and leave to load nothing."""

import re
from functools import cache
from pathlib import PurePosixPath

from grader.frozen import Frozen
from grader.report.pictures import data_url
from grader.report.resources import templates_folder

_FACE = re.compile(r'url\("fonts/([A-Za-z-]+)\.[a-z]{3}"\)')
_MATH = re.compile(r'@font-face \{ font-family: "Report Math";[^}]*\}\n')


class Standalone(Frozen):
    """For a page's head: where its styles will go, and a policy that allows no scripts, no network, nothing but what
    the page holds."""

    placeholder: str = "@styles@"
    policy: str = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"


@cache
def stylesheet(name: str, with_mathematics: bool) -> str:
    """The styles of a report, all in one, as text for a `style` element."""
    parts = [(templates_folder() / part).read_text(encoding="utf-8") for part in ("tokens.css", name, "screen.css")]
    text = "\n".join(parts)
    return _FACE.sub(_embedded, text if with_mathematics else _MATH.sub("", text))


def needs_mathematics(page: str) -> bool:
    """Whether a page has characters that only the font for mathematics, the largest, can show."""
    return any("\u2070" <= sign <= "\u22ff" or "\U0001d400" <= sign <= "\U0001d7ff" for sign in set(page))


def _embedded(face: re.Match[str]) -> str:
    path = PurePosixPath("fonts/web") / f"{face[1]}.woff2"
    return f'url("{data_url((templates_folder() / path).read_bytes(), "font/woff2")}") format("woff2")'
