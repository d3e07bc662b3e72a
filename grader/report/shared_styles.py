"""The project's stylesheets and fonts, read once for all reports of a process: WeasyPrint would read them for each."""

import re
import shutil
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from grader.report.resources import templates_folder

if TYPE_CHECKING:
    from weasyprint import CSS
    from weasyprint.text.fonts import FontConfiguration

_LINK: Final = re.compile(r'<link rel="stylesheet" href="([a-z]+\.css)">\n')


class Linked(NamedTuple):
    """A page without its links to stylesheets, and these."""

    html: str
    sheets: "tuple[CSS, ...]"


def linked_styles(html: str) -> Linked:
    """Take the project's stylesheets out of the head of a page of ours."""
    head, title, rest = html.partition("<title>")
    names = _LINK.findall(head)
    return Linked(_LINK.sub("", head) + title + rest, tuple(map(_sheet, names)))


@cache
def fonts() -> "FontConfiguration":
    """The fonts of this process. WeasyPrint copies them to a temporary folder, which goes when the process ends; those
    forked from it use it too."""
    from weasyprint.text.fonts import FontConfiguration

    made = FontConfiguration()
    Finalize(None, _remove, args=[made], exitpriority=1)
    return made


@cache
def _sheet(name: str) -> "CSS":
    from weasyprint import CSS

    return CSS(filename=templates_folder() / name, font_config=fonts())


def _remove(made: "FontConfiguration") -> None:
    folder: Path | None = made._folder
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
        made._folder = None  # WeasyPrint would try again when the interpreter is half gone
