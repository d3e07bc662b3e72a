"""What a notebook's cells put out: printed text, results in several forms of which one is read, pictures, errors."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Final, NamedTuple

from grader.message import Words, say
from grader.reading.bytes_in import lines_of
from grader.reading.document import Block, BlockKind
from grader.reading.html.file import page_document
from grader.reading.notebook import Output, OutputKind
from grader.reading.notebook_text import joined, printed

MOST_OUTPUT: Final = 1_000_000
"""In characters per cell."""

_MOST_HTML: Final = 1_000_000
"""In characters, of a page in one output; what is larger is mostly script."""

_MOST_PAGES: Final = 2_000_000
_MOST_TEXT: Final = 30_000_000
"""In characters, of the outputs of one notebook."""

_MOST_NODES: Final = 20_000
"""In one output. A table of 100 rows and 10 columns has some three thousand."""

_MOST_ROWS: Final = 2_000
_OLD_NAMES: Final = {
    "text": "text/plain", "html": "text/html", "latex": "text/latex", "json": "application/json", "png": "image/png",
    "jpeg": "image/jpeg", "svg": "image/svg+xml",
}  # fmt: skip
"""Keys of format 3."""

_PICTURES: Final = ("image/", "application/vnd.plotly", "application/vnd.vega", "application/vnd.bokeh")
_OBJECT: Final = re.compile(r"<[^<>\n]{1,300}>")
"""What Python prints for an object that has nothing better, such as `<IPython.core.display.HTML object>`."""


class Shown(NamedTuple):
    """A cell's text outputs joined, what each part is, the exception that ended it, and what could not be read."""

    text: str
    outputs: tuple[Output, ...] = ()
    error: str | None = None
    remarks: tuple[Words, ...] = ()


class _Piece(NamedTuple):
    kind: OutputKind
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


class OutputReader:
    """Reads the outputs of the cells of one notebook; its texts have a common limit, and so have pages within it."""

    def __init__(self) -> None:
        self._left = _MOST_PAGES
        self._text_left = _MOST_TEXT

    def read(self, index: int, outputs: Any) -> Shown:
        """What the cell of an index put out, from the list that the notebook keeps."""
        listed = [output for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else []
        remarks: list[Words] = []
        pieces = [piece for output in listed for piece in self._pieces(output, remarks)]
        text = "".join(_with_newline(piece.text) for piece in pieces)
        most = min(MOST_OUTPUT, self._text_left)
        if len(text) > most:
            remarks.append(say("is long; only its first {most} characters are read", most=most))
            text = text[:most]
        self._text_left -= len(text)
        errors = [output for output in listed if output.get("output_type") in ("error", "pyerr")]
        said = tuple(
            say("the output of cell {cell} {remark}", cell=index, remark=remark) for remark in dict.fromkeys(remarks)
        )
        return Shown(text, tuple(_placed(pieces)), _error(errors[-1]) if errors else None, said)

    def _pieces(self, output: dict[str, Any], remarks: list[Words]) -> Iterator[_Piece]:
        kind = output.get("output_type")
        if kind == "stream":
            name = output.get("name", output.get("stream"))
            yield _Piece(OutputKind.STDERR if name == "stderr" else OutputKind.STDOUT, printed(output.get("text")))
        elif kind in ("error", "pyerr"):
            traceback = output.get("traceback")
            parts = traceback if isinstance(traceback, list) else []
            yield _Piece(OutputKind.ERROR, printed("\n".join(part for part in parts if isinstance(part, str))))
        else:
            data = output.get("data")
            yield from self._result(data if isinstance(data, dict) else _old_forms(output), remarks)

    def _result(self, forms: Mapping[str, Any], remarks: list[Words]) -> Iterator[_Piece]:
        """A result in the form that says most as text; its table if it has one."""
        plain = printed(forms.get("text/plain"))
        says_something = bool(plain.strip()) and not _OBJECT.fullmatch(plain.strip())
        has_picture = any(isinstance(form, str) and form.startswith(_PICTURES) for form in forms)
        source = joined(forms.get("text/html"))
        is_read = self._lets_in(source)
        page = list(_page(source)) if is_read else []
        tables = [piece for piece in page if piece.rows]
        if says_something:
            rows = tables[0].rows if len(tables) == 1 else ()
            yield _Piece(OutputKind.TABLE if rows else OutputKind.RESULT, plain, rows)
        elif page:
            yield from page
        else:
            if source.strip() and not is_read and not has_picture:
                remarks.append(say("is a web page that is too large to be read"))
            yield _Piece(OutputKind.RESULT, _other_form(forms) or plain)
        if has_picture:
            yield _Piece(OutputKind.PICTURE)

    def _lets_in(self, source: str) -> bool:
        if not source.strip() or len(source) > min(_MOST_HTML, self._left):
            return False
        self._left -= len(source)
        return True


def _placed(pieces: list[_Piece]) -> Iterator[Output]:
    line = 1
    for piece in pieces:
        lines = _with_newline(piece.text).count("\n")
        if lines or piece.rows or piece.kind is OutputKind.PICTURE:
            yield Output(kind=piece.kind, line=line, lines=lines, rows=piece.rows)
        line += lines


def _old_forms(output: dict[str, Any]) -> dict[str, Any]:
    return {new: output[old] for old, new in _OLD_NAMES.items() if old in output}


def _page(source: str) -> Iterator[_Piece]:
    """A piece of a web page as lines and tables."""
    document = page_document("", source, _MOST_NODES)
    for is_row, group in groupby(document.blocks, key=lambda block: block.kind is BlockKind.ROW):
        blocks = [block for block in group if block.text]
        if blocks:
            yield _table(blocks) if is_row else _Piece(OutputKind.RESULT, "\n".join(block.text for block in blocks))


def _table(rows: list[Block]) -> _Piece:
    kept = rows[:_MOST_ROWS]
    return _Piece(OutputKind.TABLE, "\n".join(row.text for row in kept), tuple(row.cells for row in kept))


def _other_form(forms: Mapping[str, Any]) -> str:
    text = joined(forms.get("text/markdown")) or joined(forms.get("text/latex"))
    if text or "application/json" not in forms:
        return "\n".join(lines_of(text))
    try:
        return json.dumps(forms["application/json"], ensure_ascii=True)[:MOST_OUTPUT]
    except RecursionError:
        return ""


def _error(output: dict[str, Any]) -> str:
    name, message = printed(output.get("ename")).strip(), printed(output.get("evalue")).strip()
    return ": ".join(part for part in (name, message[:500]) if part) or "error"


def _with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
