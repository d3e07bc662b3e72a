"""Verdicts on the invented answers of all corpora, with what they rest on, are as they were.

`python -m tests.kept` keeps them anew.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest

from grader.checks.finding import Flag
from grader.checks.registry import check_of
from grader.checks.runner import run_checks
from grader.checks.slips import Anatomy, anatomy, left_out, pieces, total
from grader.checks.totals import shown_values
from grader.checks.wrong_count import by_derivation, slips, stories
from grader.lab.definition import Lab
from grader.lab.files import load_truth
from grader.reading.notebook import Cell, CellKind
from scripts.bench.accuracies import about_accuracies
from scripts.bench.diagnosis import LAB, claims_of
from scripts.bench.results import conclusions, sheets
from tests.checks.basic_answers import CHOICE, NUMBERS, PRINTED, PRINTED_OPTIONS, TABLES, WORDS, Case
from tests.checks.count_corpus import corpus, decided
from tests.checks.edge_answers import BESIDE, EDGES, IN_A_NOTEBOOK, PRINTED_EDGES, Asked
from tests.checks.edge_code import WORKS
from tests.checks.edge_counts import COUNTS
from tests.checks.edge_models import MODELS
from tests.checks.edge_reports import REPORTS
from tests.checks.making import answer, decide, truth
from tests.checks.test_basic_checks import judged as judged_by
from tests.checks.test_basic_checks import printed, verdict
from tests.checks.test_edge_courses import COURSES
from tests.checks.test_edge_courses import concluded as of_course
from tests.checks.test_edge_measures import MEASURED
from tests.checks.test_edge_measures import concluded as of_measures
from tests.checks.test_measured_labs import LABS, given, lab_of
from tests.checks.test_shown_in_reports import SHOWN, answer_of
from tests.checks.test_whole_sheets import SHEETS, concluded
from tests.claims.making import lab
from tests.generated.accuracies import hand_in
from tests.generated.fresh import FAMILIES, judged
from tests.generated.unseen import ITEMS
from tests.generated.unseen import concluded as of_item
from tests.generated.wrong_counts import derivation, wrong_count
from tests.kept import kept, lines_of, texts, told, write

Told = Callable[[], Iterator[str]]
_HAND_INS = 40
_WRONG_COUNTS = 60
_MOST_STORIES = 4
DEFINED = tuple(item.id for item in lab().items if item.id.startswith("q2."))
SLIPPED = (
    ("roberta-small-fr", "weights-only", 8),
    ("roberta-small-fr", "all-but-head", 8),
    ("roberta-small-fr", "with-head", None),
    ("bloom-560m-lora", "all", 16),
)
ABOUT = "Fine-tuning of RoBERTa-small-fr on CLS-Books with fairseq.\n\n"


def _of_sheet(text: str) -> Iterator[str]:
    found = conclusions(text)
    return lines_of(found.findings, found.flags)


def _of_whole(name: str) -> Iterator[str]:
    found = concluded(name)
    return lines_of(found.findings, found.flags)


def _of_count(number: int) -> Iterator[str]:
    found = decided(corpus()[number])
    return lines_of((found.total, found.derivation), found.flags)


def _of_shown(number: int) -> Iterator[str]:
    finding, flags = decide(SHOWN[number]["item"], answer_of(SHOWN[number]))
    return lines_of((finding,), flags)


def _of_family(item: str) -> Iterator[str]:
    for one in judged(item):
        yield from (f"{one.name}: {line}" for line in lines_of((one.finding,)))


def _of_unseen(item: str, series: str) -> Iterator[str]:
    for case, finding in of_item(item, series):
        yield from (f"{case.name}: {line}" for line in lines_of((finding,)))


def _of_hand_in(seed: int) -> Iterator[str]:
    made = hand_in(Random(seed))
    found = run_checks(answer(ABOUT + made.text, logs=made.logs), truth(), about_accuracies(lab()))
    return lines_of(found.findings, found.flags)


def _of_report(name: str) -> Iterator[str]:
    made = REPORTS[name]
    found = run_checks(answer(ABOUT + made.text, logs=made.logs), truth(), about_accuracies(lab()))
    about = tuple(f"t{number}." for number in (3, 4, 5) if f"# Task {number}" in made.text)
    return lines_of((one for one in found.findings if one.item.startswith(about)), found.flags)


def _of_measured(name: str, path: str) -> Iterator[str]:
    found = run_checks(given(name, path), load_truth(LABS / name), lab_of(name))
    return lines_of(found.findings, found.flags)


def _of_work(name: str) -> Iterator[str]:
    work = WORKS[name]
    made = answer(work.report, work.cells)
    watch = next((one for one in lab().watches if one.check == work.item), None)
    if watch is None:
        finding, flags = decide(work.item, made)
        return lines_of((finding,), flags)
    found = check_of(watch).bind_options(watch)(answer=made, truth=truth(), lab=lab(), findings=())
    return lines_of((), (one for one in found if isinstance(one, Flag)))


def _of_slips(model: str, convention: str, heads: int | None) -> Iterator[str]:
    return _slips_of(anatomy(truth(), model, convention), left_out(truth(), model, convention), heads)


def _of_model(name: str) -> Iterator[str]:
    made = MODELS[name]
    counted, besides = (tuple(chain.from_iterable(map(pieces, parts))) for parts in (made.counted, made.besides))
    return _slips_of(counted, besides, made.heads)


def _slips_of(arrays: Anatomy, besides: Anatomy, heads: int | None) -> Iterator[str]:
    yield f"in all {total(arrays)}"
    for slip in slips(arrays, besides, heads):
        edited = [one for piece in arrays if (one := slip.edit(piece))]
        said = (slip.id, slip.aspect, slip.cost, told((slip.sentence,)), total((*edited, *slip.besides)))
        yield " | ".join((*map(str, said), f"{sorted(slip.written)}", f"{sorted(slip.unwritten)}"))


def _of_wrong_count(seed: int) -> Iterator[str]:
    made = wrong_count(Random(seed))
    yield f"{', '.join(made.slips)}: {made.total}"
    found = stories(made.total, made.truth.counts, made.truth)
    model = made.truth.models[0].id
    seen = shown_values(claims_of(derivation(made, Random(seed))), LAB, "q", made.truth, model).seen
    for weighed in by_derivation(found, seen)[:_MOST_STORIES]:
        ids = ", ".join(slip.id for slip in weighed.story.slips)
        yield f"{weighed.cost:.2f} | {weighed.story.cost:.2f} | {ids} | {told((weighed.story.sentence,))}"


def _of_text(text: str, *items: str) -> Iterator[str]:
    given = answer(text)
    for item in items:
        finding, flags = decide(item, given)
        yield from lines_of((finding,), flags)


def _of_basic(case: Case) -> Iterator[str]:
    for number, (_, text) in enumerate(case.answers):
        yield from (f"{number}: {line}" for line in lines_of((verdict(case, text),)))


def _of_edges(asked: Asked, form: str) -> Iterator[str]:
    items = [
        {"id": f"p1.{name}", "title": name.title(), "points": "1", "check": check, "options": options}
        for name, (check, options) in asked.items.items()
    ]
    question = {"id": "p1", "title": "T", "labels": ["problem 1"], "words": asked.words, "items": items}
    lab = Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question, *BESIDE]})
    for number, text in enumerate(asked.answers):
        report = form.format(text)
        cells = [Cell(index=0, kind=CellKind.MARKDOWN, source=report)] if form is IN_A_NOTEBOOK else []
        found = (judged_by(lab, None if cells else report, cells, f"p1.{name}") for name in asked.items)
        yield from (f"{number}: {line}" for line in lines_of(found))


def _of_course(name: str) -> Iterator[str]:
    for number, (_, _, finding) in enumerate(of_course(name)):
        yield from (f"{number}: {line}" for line in lines_of((finding,)))


def _of_measures(name: str) -> Iterator[str]:
    found = of_measures(name)
    return lines_of(found.findings, found.flags)


def _of_printed(options: dict[str, Any], prints: Iterable[Iterable[tuple[str, str]]]) -> Iterator[str]:
    for number, cells in enumerate(prints):
        yield from (f"{number}: {line}" for line in lines_of((printed(options, *cells),)))


@cache
def _groups() -> Mapping[str, Mapping[str, Told]]:
    return {
        "result_sheets": {sheet["id"]: partial(_of_sheet, sheet["text"]) for sheet in sheets()},
        "whole_sheets": {name: partial(_of_whole, name) for name in SHEETS},
        "counts": {one.name: partial(_of_count, number) for number, one in enumerate(corpus())},
        "shown_in_reports": {str(number): partial(_of_shown, number) for number in range(len(SHOWN))},
        "definitions": {name: partial(_of_text, text, *DEFINED) for name, text in texts("definition_sheets")},
        "prompts": {name: partial(_of_text, text, "t8.prompt") for name, text in texts("prompt_sheets")},
        "fresh_code": {item: partial(_of_family, item) for item in FAMILIES},
        "unseen_code": {
            f"{item}{series}": partial(_of_unseen, item, series) for item in ITEMS for series in ("", "_2")
        },
        "slips": {
            f"{model} {convention}": partial(_of_slips, model, convention, heads)
            for model, convention, heads in SLIPPED
        }
        | {name: partial(_of_model, name) for name in MODELS},
        "wrong_counts": {str(seed): partial(_of_wrong_count, seed) for seed in range(_WRONG_COUNTS)},
        "basic": {
            f"{case.check} {number}": partial(_of_basic, case)
            for number, case in enumerate((*NUMBERS, *CHOICE, *TABLES, *WORDS))
        },
        "edges": {
            **{
                f"{name}, {how}": partial(_of_edges, asked, form)
                for name, asked in EDGES.items()
                for how, form in asked.forms.items()
            },
            "printed": partial(_of_printed, PRINTED_OPTIONS, [((one.code, one.output),) for one in PRINTED]),
            "printed edges": partial(_of_printed, PRINTED_EDGES.options, PRINTED_EDGES.cells),
        },
        "edge_courses": {name: partial(_of_course, name) for name in COURSES},
        "edge_measures": {name: partial(_of_measures, name) for name in MEASURED},
        "edge_reports": {name: partial(_of_report, name) for name in REPORTS},
        "edge_counts": {
            name: partial(_of_text, f"# Question 1\n\n{text}\n", "q1.total", "q1.derivation")
            for name, text in COUNTS.items()
        },
        "edge_code": {name: partial(_of_work, name) for name in WORKS},
        "measured_labs": {
            f"{file.parent.name} {Path(one['path']).stem}": partial(_of_measured, file.parent.name, one["path"])
            for file in sorted(LABS.glob("*/answers.toml"))
            for one in tomllib.loads(file.read_text(encoding="utf-8"))["answers"]
        },
        "reported_and_logged": {str(seed): partial(_of_hand_in, seed) for seed in range(_HAND_INS)},
    }


def _file(group: str) -> Path:
    return Path(__file__).with_name("kept") / f"{group}.txt"


def write_anew() -> None:
    """Keep the verdicts of today."""
    for group, answers in _groups().items():
        write(_file(group), {name: told() for name, told in answers.items()})


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, answers in _groups().items() for name in answers])
def test_a_verdict_is_as_it_was(group: str, name: str) -> None:
    """Else, if it is better now: python -m tests.kept"""
    assert list(_groups()[group][name]()) == kept(_file(group))[name]
