"""What a reader's answer may change, on labelled examples and on altered answers to them."""

import copy
import random
import re
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from grader.checks.finding import UNDECIDED, Finding, Status
from grader.pipeline.one import extract_claims
from grader.reader.answer import Read, Selection
from grader.reader.card import NOTHING, Card, Measure, rights_of
from grader.reader.consulted import ALONE, OTHER, SAME, found_again
from tests.reader.making import EVERYTHING, answer_of, by_item, graded, honest, lab_and_truth, lines_of, reading

EXAMPLES = ["hand-01-03", "hand-05-05"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_true_answer_decides_more_and_overturns_nothing(example: str) -> None:
    before, after = map(by_item, honest(example))
    for item, one in before.items():
        if one.status not in UNDECIDED and after[item].status not in UNDECIDED:
            assert after[item].status is one.status
    undecided = [sum(one.status in UNDECIDED for one in found.values()) for found in (before, after)]
    assert undecided[1] <= undecided[0] + 1
    assert any(SAME in one.tags for one in after.values())


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_altered_answer_decides_nothing_otherwise(example: str, seed: int) -> None:
    lines = lines_of(example)
    true, bad = by_item(honest(example)[1]), by_item(graded(lines, altered(answer_of(example), seed)))
    decided = [item for item in bad if UNDECIDED[0] not in (bad[item].status, true[item].status)]
    other = [item for item in decided if bad[item].status is not true[item].status]
    assert len(other) <= 0.02 * len(bad)
    assert strange_quotes(bad.values(), lines) == [], "an altered quote became evidence"


def test_without_a_card_only_what_is_proven_is_decided() -> None:
    example = "hand-04-02"
    before = by_item(graded(lines_of(example)))
    after = by_item(graded(lines_of(example), answer_of(example), NOTHING))
    alone = [one for one in after.values() if ALONE in one.tags]
    assert all(one.status is Status.CORRECT for one in alone)
    assert all(before[one.item].status in UNDECIDED for one in alone)


def test_what_differs_goes_to_a_person_who_sees_both() -> None:
    example = "hand-01-03"
    answer = answer_of(example)
    answer["definitions"]["lora_alpha"]["label"] = "wrong"
    found = by_item(graded(lines_of(example), answer))["q2.lora_alpha"]
    assert (found.status, OTHER in found.tags) == (Status.REVIEW, True)
    assert "Without the reader: correct" in found.note


VALUES = {"pretrained": ["79.3", "78.55", "80.1"], "random": ["65.4", "66.75", "67.4"]}
TESTED = [
    f"The {name} model, seed {seed}: test accuracy {value} %."
    for name, all_ in VALUES.items()
    for seed, value in enumerate(all_)
]


def sheet(*further: str) -> tuple[list[str], dict[str, Any]]:
    """A text with results of two experiments and further lines, and an answer that states the results."""
    results = [
        {"experiment": line.split()[1], "split": "test", "seed": seed, "value": value, "quote": line}
        for line, seed, value in zip(TESTED, "012012", [*VALUES["pretrained"], *VALUES["random"]], strict=True)
    ]
    return ["RoBERTa on CLS-Books.", *further, *TESTED], {"results": results}


@pytest.mark.parametrize(
    ("said", "rule", "by"),
    [
        ("What we took scored best on the held-out validation reviews.", "best validation", "valid"),
        ("What we took scored best of all five.", "best validation", None),
        ("What we took scored best on the test reviews.", "best validation", None),
        ("What we took scored best on the test reviews.", "best test", "test"),
        ("What we took was the last one.", "last epoch", "last"),
    ],
)
def test_a_choice_by_a_split_counts_where_its_sentence_names_the_split(said: str, rule: str, by: str | None) -> None:
    lab, _ = lab_and_truth()
    read = Read(selection=(Selection(experiments=("pretrained",), rule=rule, quote=said[:20]),))
    (found,) = found_again(read, extract_claims(reading([said]), lab), lab).answer.choices or ()
    assert found.by == by


def test_that_nothing_compares_is_known_where_nothing_is_overlooked() -> None:
    lines, answer = sheet("The random start was trained overnight.")
    item = "t4.comparison"
    earns_facts = EVERYTHING.model_copy(update={"absences": frozenset({"results"})})
    assert by_item(graded(lines, answer))[item].status is Status.MISSING
    assert by_item(graded(lines, answer, earns_facts))[item].status is Status.REVIEW
    heard = "Pretraining might have helped, the random start was not the same story."
    lines, answer = sheet(heard)
    assert by_item(graded(lines, answer))[item].status is Status.REVIEW


def test_full_points_are_in_doubt_where_a_reader_that_overlooks_nothing_states_nothing() -> None:
    said = "For each seed we keep the checkpoint with the best accuracy on validation."
    lines, answer = sheet(said)
    before = by_item(graded(lines))["t3.selection"]
    found = by_item(graded(lines, answer))["t3.selection"]
    assert (before.status, found.status, found.suggestion) == (Status.CORRECT, Status.REVIEW, Status.CORRECT)
    may_overlook = EVERYTHING.model_copy(update={"absences": frozenset({"results"})})
    assert by_item(graded(lines, answer, may_overlook))["t3.selection"].status is Status.CORRECT


@pytest.mark.parametrize(
    ("stated", "wrong", "may"), [(60, 0, True), (40, 0, False), (200, 4, True), (200, 8, False), (0, 0, False)]
)
def test_what_a_card_lets_a_reader_do(stated: int, wrong: int, may: bool) -> None:
    measure = Measure(stated=stated, wrong=wrong, expected=stated, missed=wrong)
    quotes = Measure(stated=1_000)
    one = Card(reader="r", lab="l", request="", examples=9, quotes=quotes, kinds={"results": measure})
    assert ("results" in rights_of(one, 0.05).facts) is may
    assert ("results" in rights_of(one, 0.05).absences) is may
    invents = one.model_copy(update={"quotes": Measure(stated=1_000, wrong=100)})
    assert rights_of(invents, 0.05) == NOTHING


_NEXT = {"pretrained": "random", "random": "huggingface", "huggingface": "pretrained"}


def altered(answer: dict[str, Any], seed: int) -> dict[str, Any]:
    """An answer in which every third fact has another number, split, experiment, quote or label."""
    chance, answer = random.Random(seed), copy.deepcopy(answer)
    facts = [("single", answer[name]) for name in ("total", "quantisation", "trainable", "prompt") if answer.get(name)]
    facts += [(name, one) for name in ("parts", "results", "selection", "comparison") for one in answer.get(name, [])]
    facts += [("definitions", one) for one in answer.get("definitions", {}).values()]
    chance.shuffle(facts)
    ways = {
        "results": ["quote", "value", "split", "experiment"],
        "selection": ["quote", "experiment"],
        "comparison": ["quote", "experiment"],
        "definitions": ["quote", "label"],
    }
    for kind, one in facts[::3]:
        match chance.choice(ways.get(kind, ["quote"])):
            case "quote":
                words = one["quote"].split()
                at = chance.randrange(len(words))
                one["quote"] = " ".join([*words[:at], words[at][::-1] + "x", *words[at + 1 :]])
            case "value":
                one["value"] = re.sub(r"\d(?=\D*$)", lambda match: str((int(match[0]) + 3) % 10), one["value"], count=1)
            case "split":
                one["split"] = "valid" if one["split"] == "test" else "test"
            case "experiment" if kind == "results":
                one["experiment"] = _NEXT.get(one["experiment"], "random")
            case "experiment" if kind == "selection":
                one["experiments"] = [_NEXT.get(name, "random") for name in one["experiments"]]
            case "experiment":
                one["better"] = "random" if one["better"] == "pretrained" else "pretrained"
            case "label":
                one["label"] = "wrong" if one.get("label") == "correct" else "correct"
    return answer


def strange_quotes(found: Iterable[Finding], lines: Sequence[str]) -> list[str]:
    """The quotes of evidence that do not stand in a text, white space aside."""
    text = "".join("".join(lines).split())
    quotes = (place.quote.strip("…") for one in found for place in one.evidence)
    return [quote for quote in quotes if "".join(quote.split()) not in text]
