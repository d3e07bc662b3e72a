"""What a page needs to stand on its own: one stylesheet with the fonts inside, and leave to load nothing."""

import re
from functools import cache, partial
from mimetypes import guess_type
from pathlib import Path

from grader.frozen import Frozen
from grader.report.pictures import data_url
from grader.report.resources import find_template

_FACE = re.compile(r'url\("(fonts/[^":]+)"\)')
_OTHER = re.compile(r'url\("([^":]+)"\)')
_MATH = re.compile(r'@font-face \{ font-family: "Report Math";[^}]*\}\n')
_EMOJI = re.compile(r'@font-face \{ font-family: "Report Emoji";[^}]*\}\n')
"""Left out: browsers have their own, in colour."""


class Standalone(Frozen):
    """For a page's head: where its styles will go, and a policy that allows no scripts, no network, nothing but what
    the page holds."""

    placeholder: str = "@styles@"
    policy: str = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"


@cache
def stylesheet(name: str, with_mathematics: bool, templates: Path | None = None) -> str:
    """The styles of a report, all in one, as text for a `style` element. Fonts and pictures are inside.

    Raises OSError for a file that is not there.
    """
    parts = [find_template(part, templates).read_text(encoding="utf-8") for part in ("tokens.css", name, "screen.css")]
    text = _EMOJI.sub("", "\n".join(parts))
    faced = _FACE.sub(partial(_face, templates), text if with_mathematics else _MATH.sub("", text))
    return _OTHER.sub(lambda named: f'url("{embedded_file(named[1], templates)}")', faced)


@cache
def embedded_file(name: str, templates: Path | None = None) -> str:
    """A picture or font of the templates as a URL that holds it. Raises OSError and ValueError as `find_template`."""
    path = find_template(name, templates)
    return data_url(path.read_bytes(), guess_type(path.name)[0] or "application/octet-stream")


def needs_mathematics(page: str) -> bool:
    """Whether a page has characters that only the font for mathematics, the largest, can show."""
    return any("\u2070" <= sign <= "\u22ff" or "\U0001d400" <= sign <= "\U0001d7ff" for sign in set(page))


def _face(templates: Path | None, named: re.Match[str]) -> str:
    """A font as it is cut down for the web, where it lies in `web/` beside the whole one; else the whole one."""
    whole = find_template(named[1], templates)
    web = whole.parent / "web" / f"{whole.stem}.woff2"
    return f'url("{data_url(web.read_bytes(), "font/woff2")}") format("woff2")' if web.is_file() else named[0]
