"""Separate the handout's own text and code from the student's, and describe the state in which a notebook was handed
in.

The lab lists the lines of its handout. In texts, a paragraph is removed if all its lines are the handout's; titles and
labels stay, because they name the subject of the student's words. A code cell is the handout's if nothing was added to
it. It is still followed, because the student's code may use it, but earns nothing alone; the output of the student's
run is the student's. In a completed cell, unchanged lines remain the handout's.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeGuard

from grader.claims.answer_cells import AnswerPlaces, answer_cells, answer_places, is_for_answer, own_answer
from grader.claims.code import CodeCell, Command
from grader.claims.code.syntax import gap_lines, tree_of
from grader.claims.printed_handout import less_printed_handout, words_said
from grader.claims.restated import first_sentence
from grader.frozen import Frozen
from grader.lab.definition import AnswerCell, Lab, Template, TemplateCell, Templates, line_hash
from grader.language.shapes import TOKEN
from grader.reading.bytes_in import lines_of
from grader.reading.document import Block, BlockKind, Document, Evidence
from grader.reading.log import Log, Run
from grader.reading.notebook import Cell, CellKind, LibraryVersion, Notebook, VersionSource, normal_name

_MOST_LINES: Final = 5_000
_LABEL_WORDS: Final = 12
_FEW_WORDS: Final = 6
_FEWEST_QUOTED: Final = 8
_FEWEST_OF_HANDOUT: Final = 3
_MARKS_ONLY: Final = re.compile(r"[\s#*_>|:.()\[\]{}\"'`~+=$\\-]*")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s")
_FENCE: Final = re.compile(r"\s{0,3}(```|~~~)")
_DISPLAY: Final = "$$"
_MOST_KEPT: Final = 0.5
"""A code cell was begun with one of the handout's if it contains more than this share of its lines."""


class HandoutShare(Frozen):
    """The handout's share of a notebook: `same` of its `lines` with text are the handout's, and `open` of the handout's
    `gaps` are still open."""

    lines: int
    same: int
    gaps: int
    open: int

    @property
    def share(self) -> float:
        """The share of lines that are the handout's, from 0 to 1."""
        return self.same / self.lines if self.lines else 0.0

    @property
    def own(self) -> int:
        """The number of the student's lines."""
        return self.lines - self.same


def template_of(notebook: Notebook, marked: frozenset[int] = frozenset()) -> Template:
    """Return a notebook of the handout as a lab lists it. The cells in `marked` are for answers."""
    prose = (line for cell in notebook.cells if cell.kind is not CellKind.CODE for line in _telling(cell))
    code = (cell for cell in notebook.cells if cell.kind is CellKind.CODE and cell.source.strip())
    return Template(
        name=notebook.file.rpartition("/")[2],
        prose=tuple(dict.fromkeys(map(line_hash, prose))),
        said=words_said(notebook),
        code=tuple(_template_cell(cell) for cell in code),
        answers=tuple(answer_cells(notebook, marked).values()),
    )


def module_template(name: str, source: str) -> Template:
    """Return a module of the handout as a lab lists it."""
    return Template(name=name, code=(_template_cell(Cell(index=0, kind=CellKind.CODE, source=source)),))


def _template_cell(cell: Cell) -> TemplateCell:
    lines = lines_of(cell.source)
    gaps = gap_lines(cell.source, whole=tree_of(cell.source).whole)
    return TemplateCell(
        lines=tuple(line_hash(line) for line in _telling(cell)),
        gaps=tuple(line_hash(lines[number - 1]) for number in gaps),
        output=line_hash(cell.output) if cell.output.strip() else None,
        count=cell.execution_count,
    )


def own_runs_kept(notebook: Notebook, templates: Templates) -> Notebook:
    """Return the notebook without outputs that the handout already contained."""
    if not templates:
        return notebook
    return notebook.model_copy(update={"cells": tuple(_less_kept(cell, templates) for cell in notebook.cells)})


def own_logs(runs: Sequence[Run], kept: Sequence[Notebook], templates: Templates) -> tuple[Run, ...]:
    """Return the runs without those in outputs that the handout already contained. `kept` are the notebooks without
    these."""
    if not templates:
        return tuple(runs)
    silent = {(notebook.file, cell.index) for notebook in kept for cell in notebook.cells if not cell.output}
    return tuple(run for run in runs if not all(_stands_in(log, silent) for log in run.logs))


def _stands_in(log: Log, silent: set[tuple[str, int]]) -> bool:
    cells = {(log.file, series.cell) for series in log.series if series.cell is not None}
    return bool(cells) and all(cell in silent for cell in cells)


def _less_kept(cell: Cell, templates: Templates) -> Cell:
    given = _given_as(cell, templates) if cell.kind is CellKind.CODE else None
    if given is None:
        return cell
    output = line_hash(cell.output) if cell.output.strip() else None
    if (output, cell.execution_count) != (given.output, given.count):
        return cell
    return cell.model_copy(update={"output": "", "outputs": (), "execution_count": None, "error": None})


def _given_as(cell: Cell | CodeCell, templates: Templates) -> TemplateCell | None:
    """Return the handout's cell to which only comments were added, or None."""
    hashes = [(line_hash(line), line) for line in _telling(cell)]
    kept = [text for text, line in hashes if text in templates.code or not line.lstrip().startswith("#")]
    candidates = templates.cells.get(kept[0], ()) if kept else ()
    return next((given for given in candidates if _is_part(kept, given.lines)), None)


def _is_part(some: Sequence[str], of: Sequence[str]) -> bool:
    """Whether one sequence is the other with lines left out."""
    rest = iter(of)
    return all(line in rest for line in some)


def own_words(notebook: Notebook, lab: Lab) -> Notebook:
    """Return the notebook with the handout's paragraphs and lines of code blanked, to be read as text."""
    if not lab.templates:
        return notebook
    asked = _question(lab)
    places = places_of_answers(notebook, lab)

    def own(cell: Cell) -> Cell:
        given = places.answers.get(cell.index)
        if given is None:
            return _own_source(cell, lab.templates, asked)
        return own_answer(cell, given, dict(_kept(lines_of(cell.source), given, asked)))

    return notebook.model_copy(update={"cells": tuple(map(own, notebook.cells))})


def places_of_answers(notebook: Notebook, lab: Lab) -> AnswerPlaces:
    """Return the places in a notebook that the handout leaves for answers in words."""
    templates, asked = lab.templates, _question(lab)
    code = (cell for cell in notebook.cells if cell.kind is CellKind.CODE and templates.answers)
    begun = (cell.index for cell in code if _given_as(cell, templates) or _begun_as(cell, templates))

    def is_title(line: str) -> bool:
        return bool(_HEADING.match(line) or asked.match(line))

    return answer_places(notebook, templates, frozenset(begun), is_title)


def _question(lab: Lab) -> re.Pattern[str]:
    """Return a pattern for the beginning of a line that names a question: `**Task 3`, or by the lab's text `3. What is
    ...`.

    Further sentences of the question do not name it again.
    """
    words = {label.rstrip("0123456789 ") for question in lab.questions for label in question.labels}
    named = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    titles = {question.title for question in lab.questions if not question.labels}
    titles |= {first_sentence(question.asks) for question in lab.questions if question.asks}
    spelled = [r"[\W_]*".join(TOKEN.findall(title)) for title in sorted(titles, key=len, reverse=True)]
    worded = "".join(rf"|(?:\d{{1,3}}\\?[.):]\s*)?{text}[?.!]?" for text in filter(None, spelled))
    numbered = rf"(?:{named})\.?\s?(?:n[°o]\s?)?\d{{1,3}}(?!\d)" if named else r"(?!)"
    return re.compile(rf"[\s>*_#•-]*(?:{numbered}{worded})", re.IGNORECASE)


def _kept(lines: Sequence[str], given: AnswerCell, asked: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield the handout's lines that stay in an answer's cell, each with its text.

    They are titles and names of questions. If the student wrote something, labels of values and the other parts of the
    student's tables and lists of options stay, too.
    """

    def is_own(line: str) -> bool:
        return not _MARKS_ONLY.fullmatch(line) and line_hash(line) not in given.lines

    is_answered = any(map(is_own, lines))
    for part in _paragraphs(lines):
        is_grid = any(map(is_own, part)) and any(line.lstrip().startswith(_GRID) for line in part)
        for line in part:
            question = asked.match(line)
            name = line if is_grid or _HEADING.match(line) else question.group() if question else ""
            is_label = is_answered and line.rstrip(" *_").endswith(":") and not is_for_answer(line)
            yield line, name or (line if is_label else "")


_GRID: Final = ("|", "- [", "* [")


def _own_source(cell: Cell, templates: Templates, asked: re.Pattern[str]) -> Cell:
    lines = lines_of(cell.source)
    if cell.kind is CellKind.CODE:
        given = _given_code(lines, templates)
        # In a cell that contains lines of the handout, lines of only brackets or quotes are the handout's, too.
        own_lines = [
            "" if is_given or (any(given) and _MARKS_ONLY.fullmatch(line)) else line
            for is_given, line in zip(given, lines, strict=True)
        ]
    else:
        own_lines = [line for part in _paragraphs(lines) for line in _own_lines(part, templates, asked)]
    return cell.model_copy(update={"source": "\n".join(own_lines)})


def _given_code(lines: Sequence[str], templates: Templates) -> list[bool]:
    """Return for each line of code whether the handout gives it.

    A comment of the student's is about the argument below it: `# the rank of the update` above `r=16,`.
    """
    given = [line_hash(line) in templates.code for line in lines]
    return [
        is_given and not (_is_argument(line) and above.lstrip().startswith("#") and not is_above_given)
        for (above, is_above_given), (line, is_given) in pairwise(zip(["", *lines], [True, *given], strict=True))
    ]


def _is_argument(line: str) -> bool:
    return re.match(r"\s*\w+\s*=[^=]", line) is not None


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    """Return the lines in groups that are kept or removed together: a paragraph, a table, a listing, a formula."""
    part: list[str] = []
    closes = ""
    for line in lines:
        fence = _FENCE.match(line)
        opens = fence[1] if fence else _DISPLAY if line.count(_DISPLAY) % 2 else ""
        if not closes and not line.strip() and part:
            yield part
            part = []
        part.append(line)
        if opens and (not closes or opens == closes):
            closes = "" if closes else opens
    yield part


def _own_lines(part: Sequence[str], templates: Templates, asked: re.Pattern[str]) -> Iterator[str]:
    is_given = all(line_hash(line) in templates.prose for line in part if not _MARKS_ONLY.fullmatch(line))
    question = asked.match("\n".join(part))
    named = question.group().split("\n") if question else []  # its first sentence may go on in the next lines
    above = ""
    for number, line in enumerate(part):
        # A short line may end a paragraph.
        is_end = len(above.split()) > _FEW_WORDS and line[:1].isalpha() and not line.rstrip(" *_").endswith(":")
        is_end = is_end and not asked.match(line)
        kept = named[number] if number < len(named) > 1 else "" if is_end else _label(line, asked)
        yield kept if is_given else line
        above = line


def _label(line: str, asked: re.Pattern[str]) -> str:
    """Return the part of the handout's line that stays: a title, or the name of the following text."""
    question = asked.match(line)
    words = line.split()
    if _HEADING.match(line) or not words:
        return line
    if question:
        return question.group()
    if any(character.isdigit() for character in line) or "=" in line:
        return ""
    is_label = len(words) <= _LABEL_WORDS and line.rstrip(" *_").endswith(":")
    is_short = len(words) <= _FEW_WORDS and ":" not in line and not line.rstrip().endswith(".")
    return line if is_label or is_short else ""


def own_blocks(document: Document, lab: Lab) -> Document:
    """Return a report without the handout's longer lines, except those that name a question.

    If it was made from the handout's notebook, sentences, lists and tables are blanked.
    """
    if not lab.templates:
        return document
    document, asked = less_printed_handout(document, lab.templates), _question(lab)
    kept_blocks = tuple(block for block in document.blocks if not _is_given(block, lab.templates, asked))
    return document.model_copy(update={"blocks": kept_blocks})


def _is_given(block: Block, templates: Templates, asked: re.Pattern[str]) -> bool:
    if block.kind not in (BlockKind.LINE, BlockKind.LIST_ITEM) or len(block.text.split()) < _FEWEST_QUOTED:
        return False
    return line_hash(block.text) in templates.prose and not asked.match(block.text)


def own_code(cells: Iterable[CodeCell], templates: Templates, reports: Collection[str] = ()) -> Iterator[CodeCell]:
    """Return code cells without the calls, functions and texts of the handout's lines.

    Commands of a cell that the student ran stay, because running them was the task. In `reports`, files that were not
    begun with the handout, the student chose to show the handout's code.
    """
    for cell in cells:
        if templates.modules and not cell.is_notebook and (module := _begun_as(cell, templates)):
            yield _without_given(cell, module)
        elif not templates or cell.file in reports:
            yield cell
        elif _given_as(cell, templates):
            yield _emptied(cell, templates)
        else:
            begun = _begun_as(cell, templates)
            yield _without_given(cell, begun) if begun else cell


def with_open_gaps(cells: Iterable[CodeCell], templates: Templates) -> Iterator[CodeCell]:
    """Return code cells without completed gaps: comments of the handout with the student's code below.

    A gap within a line of code is open as long as the line is unchanged.
    """
    for cell in cells:
        begun = _begun_as(cell, templates) if cell.gaps and templates else None
        gaps = tuple(gap for gap in cell.gaps if begun is None or not _is_filled(gap.evidence, cell, begun))
        yield cell if len(gaps) == len(cell.gaps) else cell.model_copy(update={"gaps": gaps})


def _is_filled(gap: Evidence, cell: CodeCell, begun: TemplateCell) -> bool:
    lines = lines_of(cell.source)
    at = (gap.line or 1) - 1 - _lines_above(cell, lines)
    remark = "".join(lines[at : at + 1])
    if not (remark.lstrip().startswith("#") and line_hash(remark) in begun.lines):
        return False
    below = list(_below(lines[at + 1 :], begun))
    own_lines = [line for line in below if not (_MARKS_ONLY.fullmatch(line) or line_hash(line) in begun.lines)]
    # A comment of the student may answer a question, but it does not replace code that is still to be written.
    may_be_said = not any(line.strip() in _IDLE for line in below)
    return any(
        len(line.split()) >= _FEW_WORDS and may_be_said if line.lstrip().startswith("#") else line.strip() not in _IDLE
        for line in own_lines
    )


def _below(lines: Sequence[str], begun: TemplateCell) -> Iterator[str]:
    """Return the lines below a comment with a gap, up to the handout's next gap."""
    is_same_remark = True
    for line in lines:
        is_same_remark = is_same_remark and line.lstrip().startswith("#")
        if not is_same_remark and line_hash(line) in begun.gaps:
            return
        yield line


_IDLE: Final = ("pass", "...", "return", "raise NotImplementedError", "raise NotImplementedError()")


def _lines_above(cell: CodeCell, lines: Sequence[str]) -> int:
    """Return the number of lines above a cell in its file, as gaps are numbered."""
    places = [((gap.evidence.line or 1) - 1, gap.evidence.quote) for gap in cell.gaps]
    shown = {number: line.strip()[:_LONGEST] for number, line in enumerate(lines)}
    candidates = range(places[0][0] + 1)
    return next((above for above in candidates if all(shown.get(at - above) == quote for at, quote in places)), 0)


def is_written_on_handout(document: Document, templates: Templates) -> bool:
    """Whether a document contains several lines of the handout's text, like a printed notebook."""
    hashes = {line_hash(block.text) for block in document.blocks if block.kind is not BlockKind.CODE}
    return len(hashes & templates.prose) >= _FEWEST_OF_HANDOUT


def _emptied(cell: CodeCell, templates: Templates) -> CodeCell:
    commands: tuple[Command, ...] = cell.commands if cell.ran else ()
    lines = lines_of(cell.source)
    added = {at for at, line in enumerate(lines, 1) if line.lstrip().startswith("#") and _is_added(line, templates)}
    given = frozenset(range(1, len(lines) + 1)) - added
    remarks = "\n".join(line if at in added else "" for at, line in enumerate(lines, 1)) if added else ""
    less = {"calls": (), "functions": (), "texts": (), "counted": frozenset(), "commands": commands, "given": given}
    return cell.model_copy(update=less if cell.ran else {**less, "source": remarks, "handed": cell.source})


def _is_added(line: str, templates: Templates) -> bool:
    return not _MARKS_ONLY.fullmatch(line) and line_hash(line) not in templates.code


def _begun_as(cell: Cell | CodeCell, templates: Templates) -> TemplateCell | None:
    """Return the handout's cell or module, most of whose fixed lines a cell contains, or None."""
    lines = {line_hash(line) for line in _telling(cell)}
    is_module = not getattr(cell, "is_notebook", True)
    likely = dict.fromkeys(given for line in lines for given in templates.holding(line, is_module=is_module))
    kept = {given: [line for line in given.lines if line not in given.gaps] for given in likely}
    shares = {given: sum(line in lines for line in some) / len(some) for given, some in kept.items() if some}
    best = max(shares, key=lambda given: shares[given], default=None)
    return best if best and shares[best] > _MOST_KEPT else None


def _without_given(cell: CodeCell, begun: TemplateCell) -> CodeCell:
    """Return a completed cell without the calls, functions and texts on the handout's lines alone.

    A call that uses a value from the student's lines stays.
    """
    lines = lines_of(cell.source)
    is_given = [bool(_MARKS_ONLY.fullmatch(line)) or line_hash(line) in begun.lines for line in lines]
    own_lines: set[int] = set()
    spans: list[tuple[ast.AST, int, bool]] = []
    for node in tree_of(cell.source).nodes():
        if isinstance(node, ast.stmt | ast.expr):
            at = slice(node.lineno - 1, node.end_lineno)
            spans.append((node, node.lineno, all(is_given[at])))
    changed = [node for node, _, given in spans if not given and isinstance(node, ast.Assign)]
    names = {
        candidate.id
        for node in changed
        for target in node.targets
        for candidate in ast.walk(target)
        if _is_name(candidate)
    }
    for node, line, given in spans:
        if isinstance(node, ast.Call):
            given = given and not any(_is_name(child) and child.id in names for child in ast.walk(node))
        if not given and isinstance(node, ast.Call | ast.FunctionDef | ast.Assign | ast.Lambda):
            own_lines.add(line)
    update: dict[str, object] = {
        kind: tuple(
            entry for entry in getattr(cell, kind) if entry.evidence.line is None or entry.evidence.line in own_lines
        )
        for kind in ("calls", "functions", "texts")
    }
    update["given"] = frozenset(number for number, given in enumerate(is_given, start=1) if given)
    if not cell.ran:
        update["handed"] = cell.source
        update["source"] = "\n".join("" if given else line for line, given in zip(lines, is_given, strict=True))
    return cell.model_copy(update=update)


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def handout_share(notebook: Notebook, gaps: Iterable[str], templates: Templates) -> HandoutShare | None:
    """Return the handout's share of a notebook, or None if the lab lists no handout. `gaps` are the notebook's open
    lines."""
    if not templates:
        return None
    hashes = [line_hash(line) for cell in notebook.cells for line in _telling(cell)]
    best = max(templates.notebooks, key=lambda template: sum(line in template.lines for line in hashes))
    given = [gap for cell in best.code for gap in cell.gaps]
    still = sum(line_hash(gap) in given for gap in gaps)
    handout_lines = templates.prose | templates.code
    same = sum(line in handout_lines for line in hashes)
    return HandoutShare(lines=len(hashes), same=same, gaps=len(given), open=min(still, len(given)))


def _telling(cell: Cell | CodeCell) -> list[str]:
    """Return the lines of a cell with text."""
    lines = lines_of(cell.source)[:_MOST_LINES]
    return [line for line in lines if not _MARKS_ONLY.fullmatch(line)]


_MOST: Final = 200
_LONGEST: Final = 300


class NotebookState(Frozen):
    """A notebook as it was handed in. Cells are numbered from 0.

    Of the `code_cells`, those in `not_run` show no sign of a run, and those in `out_of_order` ran before the one above
    them. If the file contains no outputs, it is a script, which cannot show a run.
    """

    file: str
    code_cells: int = 0
    not_run: tuple[int, ...] = ()
    out_of_order: tuple[int, ...] = ()
    errors: tuple[Evidence, ...] = ()
    gaps: tuple[Evidence, ...] = ()
    open_cells: int = 0
    versions: tuple[LibraryVersion, ...] = ()
    handout: HandoutShare | None = None
    holds_outputs: bool = True

    @property
    def ran(self) -> int:
        """The number of code cells that show a sign of a run."""
        return self.code_cells - len(self.not_run)


def notebook_state(notebook: Notebook, code: Sequence[CodeCell], templates: Templates) -> NotebookState:
    """Return the state of a notebook, with the contents of its code cells."""
    gaps = [gap.evidence for cell in code for gap in cell.gaps]
    return NotebookState(
        file=notebook.file,
        code_cells=sum(cell.kind is CellKind.CODE and bool(cell.source.strip()) for cell in notebook.cells),
        not_run=notebook.never_run,
        out_of_order=notebook.out_of_order,
        errors=tuple(_errors(notebook)),
        gaps=tuple(gaps[:_MOST]),
        open_cells=sum(bool(cell.gaps) for cell in code),
        versions=notebook.versions,
        handout=handout_share(notebook, [gap.quote for gap in gaps], templates),
        holds_outputs=notebook.holds_outputs,
    )


def _errors(notebook: Notebook) -> Iterable[Evidence]:
    failed = (cell for cell in notebook.cells if cell.error)
    for cell, _ in zip(failed, range(_MOST), strict=False):
        yield Evidence(file=notebook.file, cell=cell.index, quote=(cell.error or "")[:_LONGEST])


def versions_of(library_versions: Iterable[LibraryVersion], library: str) -> tuple[str, ...]:
    """Return the versions of a library that notebooks or other texts show, the latest first.

    A printed version counts before an installed one, then one that was there before, then one that a command requested.
    There are several if notebooks differ or one changed it, and none if nothing shows it.
    """
    name = normal_name(library)
    known_library_versions = [library_version for library_version in library_versions if library_version.name == name]
    for source in VersionSource:
        found = [
            library_version.version
            for library_version in reversed(known_library_versions)
            if library_version.source is source
        ]
        if found:
            return tuple(dict.fromkeys(found))
    return ()
