"""What is read of the invented answers of all corpora, and of the sample class, is as it was.

`python -m tests.kept` keeps it anew.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from grader.claims.answer import Answer, extract
from grader.claims.code import CodeCell
from grader.claims.definitions import definitions
from grader.claims.dialogues import dialogues
from grader.claims.formulas import formulas
from grader.claims.logged import LoggedAccuracy, LoggedRun
from grader.claims.meaning import choice_tokens, comparison_tokens, topics
from grader.claims.results.fact import Moment
from grader.claims.results.fact import Role as FactRole
from grader.claims.results.reported import facts
from grader.claims.results.vocabulary import mentions
from grader.claims.statements import all_statements
from grader.intake.layouts import Layout, find_sources
from grader.intake.opening import open_submission
from grader.intake.submission import Role
from grader.reading.document import Block, BlockKind, Document
from grader.reading.formats import read
from grader.reading.log import FileRecord, FileState, Reading
from scripts.bench.results import sheets
from tests.checks.count_corpus import corpus
from tests.checks.making import answer
from tests.checks.test_shown_in_reports import SHOWN, answer_of
from tests.claims.making import lab
from tests.generated.fresh import FAMILIES, notebooks
from tests.generated.judged import reading_of
from tests.generated.unseen import ITEMS, cases
from tests.kept import kept, place, texts, write

Told = Callable[[], Iterator[str]]
SAMPLES = Path(__file__).parents[2] / "submissions"
NO_HAND_INS = ("README.md", "student-08")
"""The second is an empty folder."""

_LONGEST = 80


def _line(*parts: object) -> str:
    return " | ".join(" ".join(str(part).split())[:_LONGEST] for part in parts if part not in (None, "", (), False))


def _when(moment: Moment) -> str:
    told = {"epoch": moment.epoch, "step": moment.step, "end": moment.is_end, "chosen": moment.is_chosen}
    return " ".join(f"{name} {value}" for name, value in told.items() if value)


def _accuracies(given: Answer) -> Iterator[str]:
    found = given.accuracies
    for seed in found.seeds:
        about = (seed.experiment or "?", seed.split or "?", f"seed {seed.seed}", seed.value, f"± {seed.resolution}")
        yield _line(*about, _when(seed.moment), place(seed.evidence))
    for one in found.summaries:
        figures = (f"mean {one.mean} ± {one.mean_resolution}", f"std {one.std} ± {one.std_resolution}")
        form = one.as_fraction and "as fraction"
        yield _line(
            one.experiment or "?", one.split or "?", *figures, form, _when(one.moment), *map(place, one.evidence)
        )
    for point in found.course:
        about = (point.experiment or "?", point.split or "?", f"seed {point.seed}", point.statistic.value, point.value)
        yield _line("course", *about, _when(point.moment), place(point.evidence))
    for loose in found.loose:
        yield _line("faint" if loose.is_faint else "loose", loose.experiment, place(loose.evidence))


def _counts(given: Answer) -> Iterator[str]:
    for claim in given.counts("q1"):
        told = [name for name, value in claim if name.startswith(("is_", "by_")) and value]
        yield _line(claim.value, claim.rounded_to and f"rounded to {claim.rounded_to}", ", ".join(told), claim.text)
    for equation in given.equations("q1"):
        holds = "holds" if equation.holds else f"is wrong: {equation.actual}"
        yield _line(equation.left, equation.right, holds, equation.is_inferred and "inferred")
    for passage in given.passages("q1"):
        for formula in formulas(passage, lab()):
            sets = (sorted(formula.steps), sorted(formula.terms), sorted(formula.sums))
            yield _line("formula", formula.text, formula.values, formula.symbolic, *sets)


def _definitions(given: Answer) -> Iterator[str]:
    for passage in given.defining:
        for claim in definitions(passage, lab()):
            told = [name for name in ("in_text", "named", "apart") if getattr(claim, name)]
            yield _line(claim.parameter, claim.text, claim.value and f"value {claim.value}", ", ".join(told))


def _code(cells: Iterable[CodeCell]) -> Iterator[str]:
    for cell in cells:
        told = [name for name in ("ran", "whole") if not getattr(cell, name)]
        yield _line(f"cell {cell.cell}", *(f"not {name}" for name in told), cell.error, sorted(cell.counted))
        for call in cell.calls:
            told = [name for name in ("open", "dead", "own") if getattr(call, name)]
            yield _line(call.name, call.arguments, call.keywords or "", call.within, ", ".join(told))
        for one in cell.functions:
            told = [name for name in ("is_empty", "dead") if getattr(one, name)]
            made = (one.returns, one.prints, sorted(one.counted) or "", sorted(one.changes) or "")
            yield _line(f"def {one.name}", one.parameters, *made, ", ".join(told))
        for command in cell.commands:
            yield _line("!", " ".join(command.words))
        for text in cell.texts:
            yield _line("text", text.name, text.text)
        yield from (_line("gap", gap.evidence.quote) for gap in cell.gaps)
        yield from ([_line("prints", cell.prints)] if cell.prints else [])
        yield from ([_line("typed", sorted(cell.typed))] if cell.typed else [])


def _run(run: LoggedRun) -> str:
    def curve(points: Iterable[LoggedAccuracy]) -> str:
        return ", ".join(f"{point.step}: {point.value:g}" for point in points)

    start = run.start and f"from {run.start.value}"
    schedule = run.schedule and f"{run.schedule.total_updates} updates"
    return _line(run.name, run.experiment, f"seed {run.seed}", start, schedule, curve(run.valid), curve(run.test))


def _facts(given: Answer) -> Iterator[str]:
    def role(name: str, given: FactRole) -> str:
        return f"{name} {given.value} by {given.nearness.name.lower()}" if given.value else ""

    for fact in facts(given.sections, lab()):
        told = [name for name in ("is_marked", "is_telling") if getattr(fact, name)]
        roles = (role("of", fact.experiment), role("on", fact.split), _when(fact.moment))
        rest = (fact.deviation and f"± {fact.deviation.value}", fact.hint, fact.among, ", ".join(told))
        run = f"run {fact.run}" if fact.run is not None else ""
        yield _line(fact.number.value, fact.statistic.value, *roles, run, *rest, f"{fact.unit} {fact.series}")


def _meanings(given: Answer) -> Iterator[str]:
    """What each statement is likely to say of a choice or a comparison."""
    two = ("pretrained", "random")
    for section in given.sections:
        for one in all_statements(section.passage):
            found = mentions(one.text, lab())
            made = {"choice": choice_tokens(one.text, found), "comparison": comparison_tokens(one.text, found, two)}
            for topic, tokens in made.items():
                read = topics()[topic].read(tokens)
                if read.label != "none" and read.trust >= 0.5:
                    yield _line(topic, read.label, f"{read.trust:.1f}", tokens.lead, " ".join(tokens.words))


def _prompts(given: Answer) -> Iterator[str]:
    for section in given.sections:
        own = section.questions == ("t8",)
        for one in dialogues(section.passage, ("<human>:", "<assistant>:"), ("prompt",), own=own):
            yield _line(one.layout.value, one.text, one.is_code and "code", place(one.evidence))


def _lost(text: str) -> Answer:
    """The claims of a text as a PDF leaves it: lines, whose cells are parted by spaces only."""
    plain = [re.sub(r"[*_`]", "", re.sub(r"^\|\s*|\s*\|$", "", line.strip())) for line in text.strip().split("\n")]
    lines = [re.sub(r"\s*\|\s*", "  ", line) for line in plain if line and not re.fullmatch(r"[-:|\s]+", line)]
    blocks = tuple(
        Block(kind=BlockKind.HEADING, text=line.lstrip("# "), level=1, page=1)
        if line.startswith("#")
        else Block(kind=BlockKind.LINE, text=line, page=1)
        for line in lines
    )
    files = (FileRecord(path="report.pdf", role=Role.REPORT, state=FileState.READ),)
    return extract(Reading(documents=(Document(file="report.pdf", exact=False, blocks=blocks),), files=files), lab())


def _of(told: Callable[[Answer], Iterator[str]], read_as: Callable[[str], Answer], text: str) -> Iterator[str]:
    return told(read_as(text))


def _of_shown(number: int) -> Iterator[str]:
    given = answer_of(SHOWN[number])
    yield from _definitions(given)
    yield from _code(given.code)


def _of_unseen(item: str, series: str) -> Iterator[str]:
    for case in cases(item, series):
        yield from (f"{case.name}: {line}" for line in _code(reading_of(json.dumps(case.notebook).encode()).code))


def _of_family(item: str) -> Iterator[str]:
    for one in notebooks(item):
        yield from (f"{one.name}: {line}" for line in _code(reading_of(one.content).code))


def _of_sample(name: str) -> Iterator[str]:
    (source,) = find_sources(SAMPLES / name, Layout.STUDENT)[0]
    with TemporaryDirectory() as folder:
        given = extract(read(open_submission(source, Path(folder)), lab().logs), lab())
    for section in given.sections:
        yield _line("section", ", ".join(section.questions), section.is_closing and "closing", section.passage.text)
    yield from _accuracies(given)
    yield from _counts(given)
    yield from _definitions(given)
    yield from _code(given.code)
    yield from map(_run, given.runs)
    for state in given.notebooks:
        yield _line(state.file, state.code_cells, state.not_run, state.out_of_order, state.open_cells)


@cache
def _groups() -> Mapping[str, Mapping[str, Told]]:
    defining = texts("definition_sheets")
    return {
        "result_sheets": {sheet["id"]: partial(_of, _accuracies, answer, sheet["text"]) for sheet in sheets()},
        "counts": {one.name: partial(_of, _counts, answer, one.text) for one in corpus()},
        "shown_in_reports": {str(number): partial(_of_shown, number) for number in range(len(SHOWN))},
        "facts": {sheet["id"]: partial(_of, _facts, answer, sheet["text"]) for sheet in sheets()},
        "facts_of_lost_tables": {sheet["id"]: partial(_of, _facts, _lost, sheet["text"]) for sheet in sheets()},
        "meanings": {sheet["id"]: partial(_of, _meanings, answer, sheet["text"]) for sheet in sheets()},
        "definitions": {name: partial(_of, _definitions, answer, text) for name, text in defining},
        "definitions_of_lines": {
            name: partial(_of, _definitions, _lost, text) for name, text in texts("definition_sheets")
        },
        "prompts": {name: partial(_of, _prompts, answer, text) for name, text in texts("prompt_sheets")},
        "prompts_of_lines": {name: partial(_of, _prompts, _lost, text) for name, text in texts("prompt_sheets")},
        "counts_of_lines": {one.name: partial(_of, _counts, _lost, one.text) for one in corpus()},
        "fresh_code": {item: partial(_of_family, item) for item in FAMILIES},
        "unseen_code": {
            f"{item}{series}": partial(_of_unseen, item, series) for item in ITEMS for series in ("", "_2")
        },
        "samples": {
            path.name: partial(_of_sample, path.name)
            for path in sorted(SAMPLES.iterdir())
            if path.name not in NO_HAND_INS
        },
    }


def _file(group: str) -> Path:
    return Path(__file__).with_name("kept") / f"{group}.txt"


def write_anew() -> None:
    """Keep what is read today."""
    for group, answers in _groups().items():
        write(_file(group), {name: told() for name, told in answers.items()})


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, answers in _groups().items() for name in answers])
def test_what_is_read_is_as_it_was(group: str, name: str) -> None:
    """Else, if it is better now: python -m tests.kept"""
    assert list(_groups()[group][name]()) == kept(_file(group))[name]
