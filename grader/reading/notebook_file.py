"""Notebook files (.ipynb, formats 3 and 4), read as JSON by hand so that half-broken ones still say something."""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import groupby
from typing import Any, Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.message import Message, Words, label_text, say, say_number
from grader.reading.bytes_in import TOO_DEEP, TOO_LONG, invalid_json, lines_of, read_up_to, storable, text_of
from grader.reading.document import Block, BlockKind, Document
from grader.reading.html import Page, read_page
from grader.reading.markdown import render_markdown
from grader.reading.notebook import Cell, CellKind, Notebook, Output, OutputKind, versions_in
from grader.reading.terminal import as_shown, overwrites
from grader.reading.visibility import HIDDEN_TEXT, MOST_HIDDEN

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


def join_lines(value: Any) -> str:
    """A multi-line string: a string or a list of strings."""
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return storable(value).replace("\0", "") if isinstance(value, str) else ""


def uncoloured_text(value: Any) -> str:
    """Text without colours."""
    return "\n".join(lines_of(_ANSI.sub("", join_lines(value))))


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

_DIGEST: Final = 16
"""The length of a picture's digest."""
_WIDGET: Final = "application/vnd.jupyter.widget-view+json"
_PICTURES: Final = ("image/", "application/vnd.plotly", "application/vnd.vega", "application/vnd.bokeh")
_NUMBER: Final = re.compile(r"\d(?:[\d.,]*\d)?")
_OBJECT: Final = re.compile(r"<[^<>\n]{1,300}>")
"""What Python prints for an object that has nothing better, such as `<IPython.core.display.HTML object>`."""


class _Piece(NamedTuple):
    kind: OutputKind
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    digest: str = ""


class OutputReader:
    """Reads the outputs of the cells of one notebook; its texts have a common limit, and so have pages within it.
    `hidden` are texts that pages in outputs do not show, `doubts` the problems with those that they may not show."""

    def __init__(self) -> None:
        self.hidden: list[Block] = []
        self.doubts: list[Words] = []
        self._left = _MOST_PAGES
        self._text_left = _MOST_TEXT

    def read(self, index: int, outputs: Any, problems: list[Words]) -> tuple[str, tuple[Output, ...], str | None]:
        """Return the output of the cell of an index, from the list that the notebook keeps: the texts joined, the kind
        of each part, and the exception that ended the cell. Parts that cannot be read become problems."""
        listed = _as_streams(outputs) if isinstance(outputs, list) else []
        remarks: list[Words] = []
        before = len(self.hidden)
        pieces = [piece for output in listed for piece in self._pieces(output, remarks)]
        self.hidden[before:] = [
            block.model_copy(update={"cell": index, "line": None}) for block in self.hidden[before:]
        ]
        text = "".join(_with_newline(piece.text) for piece in pieces)
        most = min(MOST_OUTPUT, self._text_left)
        if len(text) > most:
            remarks.append(TOO_LONG)
            text = text[:most]
        self._text_left -= len(text)
        errors = [_error(output) for output in listed if output.get("output_type") in ("error", "pyerr")]
        for remark in dict.fromkeys(remarks):
            part = say("the output of cell {cell}", cell=index)
            problems.append(label_text(part, remark))
        return text, tuple(_placed(pieces)), errors[-1] if errors else None

    def _pieces(self, output: dict[str, Any], remarks: list[Words]) -> Iterator[_Piece]:
        kind = output.get("output_type")
        if kind == "stream":
            is_error = _stream(output) == "stderr"
            yield _Piece(OutputKind.STDERR if is_error else OutputKind.STDOUT, as_shown(output["text"]))
        elif kind in ("error", "pyerr"):
            traceback = output.get("traceback")
            parts = traceback if isinstance(traceback, list) else []
            yield _Piece(OutputKind.ERROR, uncoloured_text("\n".join(part for part in parts if isinstance(part, str))))
        else:
            data, old = output.get("data"), {new: output[name] for name, new in _OLD_NAMES.items() if name in output}
            yield from self._result(data if isinstance(data, dict) else old, remarks)

    def _result(self, forms: Mapping[str, Any], remarks: list[Words]) -> Iterator[_Piece]:
        """A result in its most informative text form, with its table if it has one."""
        plain = (
            "" if _WIDGET in forms else uncoloured_text(forms.get("text/plain"))
        )  # a widget's text is that of its start
        says_something = bool(plain.strip()) and not _OBJECT.fullmatch(plain.strip())
        pictures = [form for form in forms if isinstance(form, str) and form.startswith(_PICTURES)]
        source = join_lines(forms.get("text/html"))
        is_read = bool(source.strip()) and len(source) <= min(_MOST_HTML, self._left)
        self._left -= len(source) if is_read else 0
        read = read_page("", source if is_read else "", _MOST_NODES, is_output=says_something)
        self.hidden += read.document.hidden
        self.doubts += read.doubts
        page = list(_page(read.document))
        tables = [piece for piece in page if piece.rows]
        if says_something and _hides(read, plain):
            yield from page
        elif says_something:
            rows = tables[0].rows if len(tables) == 1 else ()
            yield _Piece(OutputKind.TABLE if rows else OutputKind.RESULT, plain, rows)
        elif page:
            yield from page
        else:
            if source.strip() and not is_read and not pictures:
                remarks.append(TOO_LONG)
            yield _Piece(OutputKind.RESULT, _other_form(forms) or plain)
        if pictures:
            content = join_lines(forms[pictures[0]])
            yield _Piece(OutputKind.PICTURE, digest=sha256(content.encode()).hexdigest()[:_DIGEST] if content else "")


def _stream(output: Mapping[str, Any]) -> str | None:
    """The name of the stream that an output is a part of; None for results."""
    return str(output.get("name", output.get("stream"))) if output.get("output_type") == "stream" else None


def _as_streams(outputs: list[Any]) -> list[dict[str, Any]]:
    """The outputs of a cell, with what each stream wrote as the stream wrote it. Hosts cut streams into outputs
    anywhere: neighbours become one, a line that is only interrupted by another stream is put together again, and a line
    that the stream's next part writes over is gone."""
    found: list[dict[str, Any]] = []
    latest: dict[str, int] = {}  # where the last output of each stream stands in `found`
    for output in outputs:
        if not isinstance(output, dict):
            continue
        name = _stream(output)
        if name is None:
            found.append(output)
            continue
        text = join_lines(output.get("text"))
        last = latest.get(name)
        above = found[last]["text"] if last is not None else ""
        if last == len(found) - 1:
            found[last] = {**output, "text": above + text}
            continue
        if last is not None and above[-1:] not in ("", "\n"):
            if overwrites(text):
                found[last] = {**found[last], "text": above[: above.rfind("\n") + 1]}
            elif all(_stream(entry) for entry in found[last:]):
                head, end, text = text.partition("\n")
                found[last] = {**found[last], "text": above + head + end}
        if text:
            latest[name] = len(found)
            found.append({**output, "text": text})
    return found


def _placed(pieces: list[_Piece]) -> Iterator[Output]:
    line = 1
    for piece in pieces:
        lines = _with_newline(piece.text).count("\n")
        if lines or piece.rows or piece.kind is OutputKind.PICTURE:
            yield Output(kind=piece.kind, line=line, lines=lines, rows=piece.rows, digest=piece.digest)
        line += lines


def _hides(page: Page, plain: str) -> bool:
    """Whether the page, which is shown instead of the plain form of a value, hides a number of that form."""
    if not page.unseen:
        return False
    shown = {number for block in page.document.blocks for number in _NUMBER.findall(block.text)}
    hidden = {number for text in page.unseen for number in _NUMBER.findall(text)}
    return any(number in hidden and number not in shown for number in _NUMBER.findall(plain))


def _page(document: Document) -> Iterator[_Piece]:
    """A piece of a web page as lines and tables."""
    for is_row, group in groupby(document.blocks, key=lambda block: block.kind is BlockKind.ROW):
        blocks = [block for block in group if block.text]
        kept = blocks[:_MOST_ROWS] if is_row else blocks
        text, rows = "\n".join(block.text for block in kept), tuple(block.cells for block in kept)
        if kept:
            yield _Piece(OutputKind.TABLE, text, rows) if is_row else _Piece(OutputKind.RESULT, text)


def _other_form(forms: Mapping[str, Any]) -> str:
    text = join_lines(forms.get("text/markdown")) or join_lines(forms.get("text/latex"))
    if text or "application/json" not in forms:
        return "\n".join(lines_of(text))
    try:
        return json.dumps(forms["application/json"], ensure_ascii=True)[:MOST_OUTPUT]
    except RecursionError:
        return ""


def _error(output: dict[str, Any]) -> str:
    name, message = uncoloured_text(output.get("ename")).strip(), uncoloured_text(output.get("evalue")).strip()
    return ": ".join(part for part in (name, message[:500]) if part) or "error"


def _with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


_CELLS: Final = re.compile(r'"cells"\s{0,20}:\s{0,20}\[')
_OPENING: Final = re.compile(r"\{")
_CELL: Final = re.compile(
    r'\{\s{0,40}"(?:attachments|cell_type|collapsed|execution_count|id|input|metadata|source)"\s{0,20}:'
)
_MOST_READ: Final = 400_000_000
"""In characters, over all attempts."""

_MOST_ATTEMPTS: Final = 200


def whole_cells(text: str) -> list[dict[str, Any]]:
    """The cells that can be read on their own, in order: those before the damage, and those behind it that can be found
    again."""
    start = _CELLS.search(text)
    if start is None:
        return []
    found: list[dict[str, Any]] = []
    attempts = max(2, min(_MOST_ATTEMPTS, _MOST_READ // len(text)))
    opening = _OPENING.search(text, start.end())
    while opening is not None and attempts:
        value, end = _object(text, opening.start())
        if value is None:
            attempts -= 1
            opening = _CELL.search(text, opening.start() + 1)
            continue
        if isinstance(value.get("cell_type"), str) and ("source" in value or "input" in value):
            found.append(value)
        rest = re.compile(r"\s*,\s*(?=\{)").match(text, end)
        opening = _OPENING.match(text, rest.end()) if rest else _CELL.search(text, end)
    return found


def _object(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start
    return (value, end) if isinstance(value, dict) else (None, start)


MOST_BYTES: Final = 150_000_000
"""Of a notebook file: pictures are kept inside, as text."""

MOST_CELLS: Final = 20_000
_MOST_DOUBTS: Final = 3
"""Texts that may not show, of which a notebook's problems tell."""

_KINDS: Final = {kind.value: kind for kind in CellKind} | {"heading": CellKind.MARKDOWN}
"""Format 3 has headings as cells of their own."""


def read_notebook(file: SubmittedFile) -> Notebook:
    """The cells of a notebook with their outputs as saved; of a broken one those that are whole. Nothing is run; never
    raises for any content."""
    text, problems = text_of(file.location, MOST_BYTES)
    try:
        content = json.loads(text)
    except RecursionError:
        return Notebook(file=file.path, problems=(*problems, TOO_DEEP))
    except ValueError as error:
        content, problem = _salvaged(text, error)
        problems = (*problems, problem)
        if content is None:
            return Notebook(file=file.path, problems=problems)
    raw, remarks = _raw_cells(content)
    if len(raw) > MOST_CELLS:
        remarks.append(read_up_to(say("cell {cell}", cell=MOST_CELLS - 1)))
    outputs = OutputReader()
    kept = list(enumerate(raw[:MOST_CELLS]))
    cells = [_cell(index, cell, outputs, remarks) for index, cell in kept if isinstance(cell, dict)]
    skipped = [index for index, cell in kept if not isinstance(cell, dict)]
    if skipped:
        remarks.append(
            say_number(
                "cell {first} is no cell and is skipped",
                "{number} cells are no cells and are skipped, the first at place {first}",
                len(skipped),
                first=skipped[0],
            )
        )
    unseen = [_unseen(cell) for cell in cells if cell.kind is CellKind.MARKDOWN]
    hidden = [*(block for blocks, _ in unseen for block in blocks), *outputs.hidden]
    doubts = (
        *outputs.doubts,
        *(problem for _, cell_problems in unseen for problem in cell_problems if problem != HIDDEN_TEXT),
    )
    remarks += list(dict.fromkeys(doubts))[:_MOST_DOUBTS]
    return Notebook(
        file=file.path,
        cells=tuple(cells),
        versions=versions_in(cells),
        hidden=tuple(hidden[:MOST_HIDDEN]),
        problems=(*problems, *remarks, *([HIDDEN_TEXT] if hidden else [])),
    )


def _unseen(cell: Cell) -> tuple[list[Block], tuple[Words, ...]]:
    """Return the hidden text of a cell of words, and the problems with it."""
    found = render_markdown(lines_of(cell.source))
    return [block.model_copy(update={"cell": cell.index}) for block in found.hidden], found.problems


def cells_for_answers(text: str) -> frozenset[int]:
    """The indexes of the cells that a hand-out's metadata says to be for answers: by nbgrader's `solution`, or by the
    tag `answer`. Empty where the text is no notebook."""
    try:
        cells, _ = _raw_cells(json.loads(text))
    except (ValueError, RecursionError):
        return frozenset()
    metadata = ((index, entry.get("metadata")) for index, entry in enumerate(cells) if isinstance(entry, dict))
    return frozenset(
        index for index, cell_metadata in metadata if isinstance(cell_metadata, dict) and _is_for_answer(cell_metadata)
    )


def _is_for_answer(metadata: dict[str, Any]) -> bool:
    nbgrader, tags = metadata.get("nbgrader"), metadata.get("tags")
    is_solution = isinstance(nbgrader, dict) and nbgrader.get("solution") is True
    return is_solution or (isinstance(tags, list) and "answer" in tags)


def _salvaged(text: str, error: ValueError) -> tuple[dict[str, Any] | None, Message]:
    """A notebook of the undamaged cells, or None, and the problem to report."""
    broken = invalid_json(error)
    cells = whole_cells(text)
    if not cells:
        return None, broken
    message = say(
        "{broken}; {count} whole cells are read, and the others are lost: hand it in again",
        broken=broken,
        count=len(cells),
    )
    return {"cells": cells}, message


def _raw_cells(content: Any) -> tuple[list[Any], list[Words]]:
    """The list of cells: at the top in format 4, in the worksheets in format 3."""
    if not isinstance(content, dict):
        return [], [say("it is valid JSON, but not a notebook")]
    cells = content.get("cells")
    if isinstance(cells, list):
        return cells, []
    sheets = content.get("worksheets")
    if isinstance(sheets, list):
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        return [cell for part in lists if isinstance(part, list) for cell in part], []
    return [], [say("it is valid JSON, but not a notebook")]


def _cell(index: int, raw: dict[str, Any], outputs: OutputReader, remarks: list[Words]) -> Cell:
    kind = _KINDS.get(str(raw.get("cell_type")))
    if kind is None:
        remarks.append(say("cell {cell} has no known type and is read as raw text", cell=index))
    output, parts, error = outputs.read(index, raw.get("outputs"), remarks)
    count = raw.get("execution_count", raw.get("prompt_number"))
    attachments = raw.get("attachments")
    return Cell(
        index=index,
        kind=kind or CellKind.RAW,
        source=join_lines(raw.get("source", raw.get("input"))),
        execution_count=count if type(count) is int and 0 <= count < 10**9 else None,
        output=output,
        outputs=parts,
        error=error,
        attachments=min(len(attachments), 1_000) if isinstance(attachments, dict) else 0,
    )
