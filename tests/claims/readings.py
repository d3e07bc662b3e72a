"""What each part of the claims reads of a short text, a line for each thing that it finds, with all that is said of it.

`python -m tests.claims.readings` writes anew what the files `*_read.txt` keep: look at the difference before you keep
it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from grader.claims.code import CodeCell, notebook_code, shown_values
from grader.claims.counts import counts
from grader.claims.definitions import definitions, unassigned_text
from grader.claims.dialogues import dialogues
from grader.claims.formulas import formulas, meanings_in
from grader.claims.handout import notebook_state, own_blocks, own_code, own_runs_kept, own_words, template_of
from grader.claims.implied_equations import all_equations, in_letters
from grader.claims.likeness import group_key, is_denied, is_word_list, text_print, words
from grader.claims.meaning import choice_tokens, comparison_tokens
from grader.claims.numerals import percentages, quantities
from grader.claims.passage import Passage, normalise
from grader.claims.results.claimed import (
    Claim,
    CoursePoint,
    ResultClaims,
    RunResult,
    claims_of,
    complete_claims,
    result_claims,
)
from grader.claims.results.fact import Fact, Moment, Nearness, Role, Statistic
from grader.claims.results.owners import settle_results
from grader.claims.results.series import SettledResults
from grader.claims.results.vocabulary import mentions
from grader.claims.sections import sections
from grader.claims.statements import all_statements, sayings
from grader.claims.tables import lost_tables, matrices, spaced_tables, tables
from grader.lab.definition import Templates
from grader.lab.experiments import ACCURACY, Better, Measure
from grader.model.sentences import features
from grader.reading.document import Block, BlockKind, Evidence
from grader.reading.notebook import Cell, CellKind, Notebook
from tests.claims.making import document, lab, passage

Reader = Callable[[str], Iterable[str]]
_QUOTED: Final = 24
"""So many characters of both ends of a quote are told."""


def texts_of(file: Path) -> Mapping[str, tuple[str, list[str]]]:
    """The texts of a file by name, each with what is to be read of it."""
    found = {}
    for part in file.read_text(encoding="utf-8").split("=== ")[1:]:
        name, _, rest = part.partition("\n")
        text, _, lines = rest.partition("\n>>>\n")
        found[name] = (text, lines.strip().splitlines())
    return found


def _at(place: Evidence) -> str:
    return f"@{place.cell}:{place.line}"


def _quote(place: Evidence) -> str:
    where = ":".join(str(one) for one in (place.page, place.cell, place.line, place.tag, place.step) if one is not None)
    quote = " ".join(place.quote.split())
    told = quote if len(quote) <= 2 * _QUOTED else f"{quote[:_QUOTED]} ~ {quote[-_QUOTED:]}"
    return f"@{where} {told}".rstrip()


def _marks(**told: object) -> str:
    """The names of what holds."""
    return " ".join(name for name, holds in told.items() if holds)


def _line(*parts: object) -> str:
    return " | ".join(str(part) for part in parts if part not in ("", None))


def of_counts(text: str) -> Iterator[str]:
    """The whole numbers from 100 on, and what is said of kinds of parameters."""
    whole = passage(text)
    for one in counts(whole, 100):
        marks = _marks(
            result=one.is_result,
            total=one.is_total,
            operand=one.is_operand,
            parameters=one.is_of_parameters,
            disowned=one.is_disowned,
            program=one.by_program,
            torn=one.is_torn,
        )
        yield _line(f"{one.value} at {one.start}", one.text, one.rounded_to, marks, _quote(one.evidence))


def of_equations(text: str) -> Iterator[str]:
    """The equations, and the formulas with all values that are met in them."""
    whole = passage(text)
    for one in all_equations(whole):
        marks = _marks(holds=one.holds, inferred=one.is_inferred)
        yield _line(f"{one.left} = {one.right}", marks, one.actual, one.largest, _quote(one.evidence))
    given = meanings_in(whole)
    yield from (f"{name} means {value}" for name, value in given.items())
    for formula in formulas(whole, lab()):
        sides = ["?" if value is None else f"{value}" for value in formula.values]
        written = [f"{side}{'*' if symbolic else ''}" for side, symbolic in zip(sides, formula.symbolic, strict=True)]
        steps = (f"{name} {sorted(own)}" for name in ("steps", "terms", "sums") if (own := getattr(formula, name)))
        yield _line(f"formula at {formula.start}: {' '.join(formula.text.split())}", " = ".join(written), *steps)
        yield from (f"slip: {one.left} = {one.right} is {one.actual}" for one in in_letters(formula))


def of_definitions(text: str) -> Iterator[str]:
    """The definitions, `told` where only their words state the value, `unnamed` where no name stands there; then what
    is left over."""
    whole = passage(text)
    for one in definitions(whole, lab()):
        marks = (" told" if one.in_text else "") + ("" if one.named else " unnamed")
        yield _line(f"{one.parameter} = {one.value}{marks}", one.text, _quote(one.evidence))
    for left in unassigned_text(whole, lab()):
        yield f"left{' near' if left.is_near else ''} | {' '.join(left.text.split())}"


def of_sections(text: str) -> Iterator[str]:
    """The parts of a text with the questions that they answer."""
    for one in sections(document(text), lab()):
        words = " ".join(one.passage.text[one.lead :].split())
        yield _line(one.title, " ".join(one.questions), _marks(closing=one.is_closing), f"from {one.lead}: {words}")


def of_statements(text: str) -> Iterator[str]:
    """The statements, and what is said of seeds and validation."""
    whole = passage(text)
    for one in all_statements(whole):
        yield _line(f"{one.start}-{one.end}", _marks(lead=one.is_lead), one.text)
    for saying in sayings(whole, ("seed", "valid")):
        marks = _marks(plain=saying.is_plain, denied=saying.is_denied)
        yield _line("says", marks, saying.text, _quote(saying.evidence))


def of_tables(text: str) -> Iterator[str]:
    """The cells of all tables with their labels, and the matrices."""
    whole = passage(text)
    for name, found in (("table", tables(whole)), ("spaced", spaced_tables(whole))):
        for table in found:
            yield _line(name, " / ".join(table.caption.split("\n")))
            yield from (_line(cell.text, f"row {cell.row}", f"column {cell.column}") for cell in table.cells)
    for lost in lost_tables(whole, lab()):
        yield _line(f"lost at {lost.first}", ", ".join(lost.names))
        yield from (_line(row.label, " ".join(row.numbers)) for row in lost.rows)
    for matrix in matrices(whole):
        yield _line(f"matrix {matrix.start}-{matrix.end}", " / ".join(" ".join(row) for row in matrix.rows))


def of_quantities(text: str) -> Iterator[str]:
    """The quantities, with their spelling apart where it is read in several ways."""
    for one in quantities(normalise(text).text):
        plain = (
            "" if one.plain == one.readings else "plain " + " or ".join(f"{value.normalize():f}" for value in one.plain)
        )
        place = f"{one.start}-{one.end}"
        told = (f"to {one.resolution.normalize():f}", one.form.value, one.unit, one.firmness.name.lower())
        yield _line(f"{one.text} is {_values(one.readings)}", plain, *told, place)


def _values(values: Iterable[Decimal]) -> str:
    return " or ".join(f"{value.normalize():f}" for value in values)


def of_dialogues(text: str) -> Iterator[str]:
    """The prompts that a text shows."""
    for one in dialogues(passage(text), ("<human>:", "<assistant>:"), ("prompt",)):
        yield _line(one.layout.value, _marks(code=one.is_code), repr(one.text), _quote(one.evidence))


def of_code(text: str) -> Iterator[str]:
    """What cells of code, set apart by lines of `%%%`, do."""
    sources = text.split("\n%%%\n")
    made = (Cell(index=at, kind=CellKind.CODE, source=one, execution_count=at + 1) for at, one in enumerate(sources))
    for cell in notebook_code(Notebook(file="lab.ipynb", cells=tuple(made))):
        yield from _of_cell(cell)


def _of_cell(cell: CodeCell) -> Iterator[str]:
    for call in cell.calls:
        if call.name != "print":
            given = [*call.arguments, *(f"{name}={value}" for name, value in call.keywords.items())]
            marks = _marks(open=call.open, dead=call.dead, own=call.own)
            yield _line(
                f"{call.name}({', '.join(given)})", marks, call.within and f"in {call.within}", _at(call.evidence)
            )
    for one in cell.functions:
        told = {
            "strings": one.strings, "returns": one.returns, "prints": one.prints, "changes": sorted(one.changes),
            "counted": sorted(one.counted),
        }  # fmt: skip
        parts = (f"{name} {list(own)}" for name, own in told.items() if own)
        head = f"def {one.name}({', '.join(one.parameters)})"
        yield _line(head, _marks(empty=one.is_empty, dead=one.dead), *parts, _at(one.evidence))
    yield from (_line("$ " + " ".join(one.words), _at(one.evidence)) for one in cell.commands)
    yield from (_line(f"{one.name or 'print'}: {one.text!r}", _at(one.evidence)) for one in cell.texts)
    yield from (_line("gap", _quote(one.evidence)) for one in cell.gaps)
    if cell.counted or cell.typed:
        yield _line(f"counted {sorted(cell.counted)}", f"typed {sorted(cell.typed)}")
    if not cell.whole:
        yield "not whole"


def of_pages(text: str) -> Iterator[str]:
    """The statements and definitions of a page, given as lines of `left top right bottom | text`, with their boxes."""
    blocks, page = [], 1
    for line in text.split("\n"):
        corners, _, words = line.partition(" | ")
        if line == "next page":
            page += 1
        elif words:
            sign = next((sign for sign in _KINDS if words.startswith(sign)), "")
            left, top, right, bottom = map(float, corners.split())
            place = {"page": page, "box": (left, top, right, bottom)}
            blocks.append(Block(kind=_KINDS.get(sign, BlockKind.LINE), text=words.removeprefix("# "), **place))
    whole = Passage(file="report.pdf", exact=False, blocks=tuple(blocks))
    for said in all_statements(whole):
        place = whole.evidence(said.start, said.end)
        yield _line(_marks(lead=said.is_lead), said.text, f"{place.page}: {place.box}")
    for one in definitions(whole, lab()):
        yield _line(f"{one.parameter} = {one.value}", one.text, one.evidence.box)


_KINDS: Final = {"# ": BlockKind.HEADING, "- ": BlockKind.LIST_ITEM, "Figure ": BlockKind.CAPTION}


def of_sentences(text: str) -> Iterator[str]:
    """What the model of sentences sees of each line: its tokens, and how much its features count."""
    for line in text.split("\n"):
        named = mentions(line, lab())
        chosen = choice_tokens(line, named, lab(), ACCURACY)
        yield " ".join(chosen.words)
        for measure in (ACCURACY, _PERPLEXITY):
            tokens = comparison_tokens(line, named, ("pretrained", "random"), lab(), measure)
            judging = "" if tokens.judging is None else f"judging {' '.join(tokens.judging)}"
            counted = (f"{group} {len(own)}: {sum(own.values()):.3f}" for group, own in features(tokens).items() if own)
            yield _line(tokens.lead, " ".join(tokens.words), judging, ", ".join(counted))


_PERPLEXITY: Final = Measure(id="ppl", title="perplexity", words=("perplexity", "ppl(s)"), better=Better.LOWER)


def of_likeness(text: str) -> Iterator[str]:
    """By what a text is known again."""
    yield " ".join(words(text))
    yield _line(
        group_key("q", text), group_key("q", text, "5"), _marks(list=is_word_list(text), denied=is_denied(text))
    )
    found = text_print(sections(document(text), lab()), lab())
    yield _line(found.runs, found.is_whole, found.sketch[:64]) if found else "no print"


def of_handouts(text: str) -> Iterator[str]:
    """What is a student's own in a notebook: the hand-out's cells, then `@@@`, then the cells that were handed in."""
    given, _, handed = text.partition("\n@@@\n")
    template = template_of(_notebook(given))
    listed = lab().model_copy(update={"templates": Templates(notebooks=(template,))})
    notebook = own_runs_kept(_notebook(handed), listed.templates)
    code = tuple(notebook_code(notebook))
    for cell in own_words(notebook, listed).cells:
        yield _line(f"{cell.index} {cell.kind.value}", repr(cell.source), _marks(ran=bool(cell.output)))
    for own in own_code(code, listed.templates):
        yield _line(f"{own.cell} code", len(own.calls), len(own.source), _marks(ran=own.ran))
    for cell in notebook.cells if "print" in handed else ():
        for value in shown_values(cell.source, cell.output):
            yield _line(f"{cell.index} shows {value.name}", cell.output[value.start : value.end])
    state = notebook_state(notebook, code, listed.templates)
    yield _line(state.code_cells, state.ran, state.not_run, state.out_of_order, state.open_cells)
    yield from (_quote(gap) for gap in state.gaps)
    if share := state.handout:
        yield f"{share.same} of {share.lines} lines are given, {share.open} of {share.gaps} gaps open"
    for block in own_blocks(document(handed), listed).blocks:
        yield _line(block.kind.value, block.text)


def _notebook(text: str) -> Notebook:
    """Cells between lines of `%%%`; those that begin with a line `text` are no code, and `>` begins the output."""
    cells = []
    for index, part in enumerate(text.split("\n%%%\n")):
        lines = part.split("\n")
        kind = CellKind.MARKDOWN if lines[0] == "text" else CellKind.CODE
        output = "\n".join(line.removeprefix("> ") for line in lines if line.startswith("> "))
        source = "\n".join(line for line in lines if line != "text" and not line.startswith("> "))
        cells.append(
            Cell(index=index, kind=kind, source=source, output=output, execution_count=index if output else None)
        )
    return Notebook(file="lab.ipynb", cells=tuple(cells))


def of_results(text: str) -> Iterator[str]:
    """A line for each series of runs, average, course and open figure; then the lines of runs and averages."""
    claims = result_claims(sections(document(text), lab()), lab())
    yield from told(claims)
    runs, means = (one.evidence for one in claims.seeds), (place for one in claims.summaries for place in one.evidence)
    places = [" ".join(str(place.line) for place in own) for own in (runs, means)]
    if any(places):
        yield f"in lines {' | '.join(places)}"


def told(claims: ResultClaims) -> list[str]:
    """What some claims say, a line each."""
    lines = [f"{place}: {', '.join(map(_run, own))}" for place, own in _grouped(claims.seeds).items()]
    lines += [
        f"{_place(one)}: mean {_number(one.mean, one.mean_resolution)} "
        f"std {_number(one.std, one.std_resolution)}{_moment(one.moment)}"
        for one in claims.summaries
    ]
    lines += [f"{place} course: {', '.join(map(_point, own))}" for place, own in _grouped(claims.course).items()]
    return lines + [
        f"open {one.experiment}{' faint' if one.is_faint else ''}: {one.evidence.quote}" for one in claims.loose
    ]


def _grouped(claims: Iterable[Claim]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for one in claims:
        groups.setdefault(_place(one), []).append(one)
    return groups


def _place(one: Claim) -> str:
    return f"{one.experiment} {one.split}"


def _run(one: RunResult) -> str:
    return f"{one.seed}{_moment(one.moment)} {_number(one.value, one.resolution)}"


def _point(one: CoursePoint) -> str:
    run = "" if one.seed is None else f" of {one.seed}"
    return f"{one.statistic}{run}{_moment(one.moment)} {_number(one.value, one.resolution)}"


def _number(value: Decimal | None, digit: Decimal) -> str:
    """A value with its digits; beside it the unit of the last one where that is no power of ten."""
    if value is None:
        return "none"
    own = digit.normalize()
    return f"{value.quantize(own)}" + ("" if own.as_tuple().digits == (1,) else f" to {own}")


def _moment(moment: Moment) -> str:
    said = [f"epoch {moment.epoch}" if moment.epoch is not None else "", f"step {moment.step}" if moment.step else ""]
    said += ["end" if moment.is_end else "", "chosen" if moment.is_chosen else ""]
    return f" ({' '.join(word for word in said if word)})" if any(said) else ""


def of_completed(text: str) -> Iterator[str]:
    """What a report claims, completed by what a notebook shows (behind `@@@`); then, if that differs, by what it
    states."""
    own, shown = (result_claims(sections(document(part), lab()), lab()) for part in text.split("\n@@@\n"))
    lines = told(complete_claims(own, shown, lab()))
    yield from lines
    stated = told(complete_claims(own, shown, lab(), is_written=True))
    if stated != lines:
        yield from (f"stated {one}" for one in stated)


def of_settled(text: str) -> Iterator[str]:
    """Figures with the roles that words gave them, settled together: series, averages, deviations that stand alone, and
    figures of a course; then what is claimed, if it differs. A figure is written as `79.30 value pretrained:5 test:4
    run=1 unit=2`: its value, what it is, its experiment and split, each with how near the word stands (5: a label, 0:
    nowhere), and what else is known; values of the runs from 1 on together, `79.30/78.55 runs pretrained:5 test:5`."""
    lines = (line.partition(" runs ") for line in text.split("\n"))
    written = (
        f"{value} value {rest} run={run}" if rest else value
        for values, _, rest in lines
        for run, value in enumerate(values.split("/") if rest else [values], start=1)
    )
    facts = [_fact(one, line) for line, one in enumerate(written, start=1)]
    lines = list(_settled(settle_results(facts, lab(), ACCURACY)))
    yield from lines
    claimed = told(claims_of(facts, lab()))
    if claimed != [line.removesuffix(" of a series") for line in lines]:
        yield from (f"claims {one}" for one in claimed)


def _settled(found: SettledResults) -> Iterator[str]:
    for one in found.series:
        runs = (f"{run} {'/'.join(str(each.number.value) for each in own)}" for run, own in one.runs.items())
        yield f"{one.experiment.value} {one.split.value}: {', '.join(runs)}"
    for mean, source in found.summaries:
        std = mean.deviation.value if mean.deviation else "none"
        place = f"{mean.experiment.value} {mean.split.value}"
        yield f"{place}: mean {mean.number.value} std {std}{' of a series' if source else ''}"
    yield from (f"std {one.number.value}" for one in found.deviations)
    yield from (f"course {one.number.value}" for one in found.course)


def _fact(written: str, line: int) -> Fact:
    value, statistic, experiment, split, *more = written.split()
    known = dict(one.split("=") for one in more)
    return Fact(
        number=next(percentages(value)),
        statistic=Statistic(statistic),
        experiment=_role(experiment),
        split=_role(split),
        run=int(known["run"]) if "run" in known else None,
        moment=Moment(epoch=int(known["epoch"])) if "epoch" in known else Moment(),
        deviation=next(percentages(known["std"])) if "std" in known else None,
        is_marked="marked" in known,
        is_telling="faint" not in known,
        among=tuple(known["among"].split(",")) if "among" in known else (),
        unit=int(known.get("unit", 1)),
        series=known.get("series", ""),
        evidence=(Evidence(file="r.md", line=int(known.get("line", line)), quote=written),),
    )


def _role(written: str) -> Role:
    value, _, near = written.partition(":")
    return Role() if value == "-" else Role(value=value, nearness=Nearness(int(near or 0)))


def without_double(lines: Iterable[str]) -> Iterator[str]:
    """The lines, each with how often it stands where it is told several times in a row."""
    for line, same in groupby(lines):
        number = sum(1 for _ in same)
        yield line if number == 1 else f"{line} | {number} times"


READERS: Final[Mapping[str, Reader]] = {
    "results": of_results,
    "settled": of_settled,
    "completed": of_completed,
    "counts": of_counts,
    "equations": of_equations,
    "definitions": of_definitions,
    "sections": of_sections,
    "statements": of_statements,
    "tables": of_tables,
    "quantities": of_quantities,
    "dialogues": of_dialogues,
    "code": of_code,
    "pages": of_pages,
    "sentences": of_sentences,
    "likeness": of_likeness,
    "handouts": of_handouts,
}
"""By the name of a file of texts what reads them."""


def file_of(kind: str) -> Path:
    """The texts of a kind, with what is to be read of them."""
    return Path(__file__).with_name(f"{kind}_read.txt")


def read(kind: str, text: str) -> list[str]:
    """What is read of a text, as the files keep it."""
    return list(without_double(" ".join(line.split()) for line in READERS[kind](text)))


def write_anew() -> None:
    """Keep what is read today."""
    for kind in READERS:
        texts = texts_of(file_of(kind)).items()
        parts = ("\n".join((f"=== {name}", text, ">>>", *read(kind, text))) for name, (text, _) in texts)
        file_of(kind).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_anew()
