"""What a reader's answer may change, on labelled examples and on altered answers to them."""

import copy
import random
import re
from typing import Any

import pytest

from grader.checks.finding import UNDECIDED, Status
from grader.reader.card import NOTHING, Card, Measure, earned
from grader.reader.weighing import ALONE, OTHER, SAME
from tests.reader.making import answer_of, by_item, graded, honest, lines_of

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
@pytest.mark.parametrize("seed", [1, 2])
def test_an_altered_answer_decides_nothing_otherwise(example: str, seed: int) -> None:
    lines = lines_of(example)
    true, bad = by_item(honest(example)[1]), by_item(graded(lines, altered(answer_of(example), seed)))
    decided = [item for item in bad if UNDECIDED[0] not in (bad[item].status, true[item].status)]
    other = [item for item in decided if bad[item].status is not true[item].status]
    assert len(other) <= 0.02 * len(bad)
    text = " ".join("".join(lines).split())
    for one in bad.values():
        for place in one.evidence:
            words = place.quote.strip("…").split()
            assert "".join(words) in text.replace(" ", "").replace("\t", ""), "an altered quote became evidence"


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


@pytest.mark.parametrize(
    ("stated", "wrong", "may"), [(60, 0, True), (40, 0, False), (200, 4, True), (200, 8, False), (0, 0, False)]
)
def test_what_a_card_lets_a_reader_do(stated: int, wrong: int, may: bool) -> None:
    measure = Measure(stated=stated, wrong=wrong, expected=stated, missed=wrong)
    quotes = Measure(stated=1_000)
    one = Card(reader="r", lab="l", request="", examples=9, quotes=quotes, kinds={"results": measure})
    assert ("results" in earned(one, 0.05).facts) is may
    assert ("results" in earned(one, 0.05).absences) is may
    invents = one.model_copy(update={"quotes": Measure(stated=1_000, wrong=100)})
    assert earned(invents, 0.05) == NOTHING


_NEXT = {"pretrained": "random", "random": "huggingface", "huggingface": "pretrained"}


def altered(answer: dict[str, Any], seed: int) -> dict[str, Any]:
    """An answer in which every third fact has another number, split, experiment, quote or label."""
    chance, answer = random.Random(seed), copy.deepcopy(answer)
    facts = [("single", answer[name]) for name in ("total", "quantisation", "prompt") if answer.get(name)]
    facts += [(name, one) for name in ("parts", "results", "comparison") for one in answer.get(name, [])]
    facts += [("definitions", one) for one in answer.get("definitions", {}).values()]
    chance.shuffle(facts)
    for kind, one in facts[::3]:
        ways = {"results": ["quote", "value", "split", "experiment"], "definitions": ["quote", "label"]}
        match chance.choice(ways.get(kind, ["quote"])):
            case "quote":
                words = one["quote"].split()
                at = chance.randrange(len(words))
                one["quote"] = " ".join([*words[:at], words[at][::-1] + "x", *words[at + 1 :]])
            case "value":
                one["value"] = re.sub(r"\d(?=\D*$)", lambda match: str((int(match[0]) + 3) % 10), one["value"], count=1)
            case "split":
                one["split"] = "valid" if one["split"] == "test" else "test"
            case "experiment":
                one["experiment"] = _NEXT.get(one["experiment"], "random")
            case "label":
                one["label"] = "wrong" if one.get("label") == "correct" else "correct"
    return answer
