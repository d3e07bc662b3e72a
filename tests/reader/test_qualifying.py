"""The card of a reader: what it states is held against the labelled examples, and counts for no more than is right."""

import copy
import json
from typing import Any

import pytest

from grader.reader.card import COMPARISON, DEFINITIONS, KINDS, RESULTS, SELECTION, Card, card_path, read_card, rights_of
from grader.reader.qualifying import ExamplesError, card, card_file, describe_card, load_examples
from tests.reader.making import EXAMPLES, lab_and_truth
from tests.reader.test_weighing import altered

SOME = [one for one in load_examples(EXAMPLES) if one.source in ("hand-01", "hand-03")]
TRUE = {one.id: json.loads((EXAMPLES / f"{one.id}.json").read_text(encoding="utf-8")) for one in SOME}


def carded(answers: dict[str, Any]) -> Card:
    lab, _ = lab_and_truth()
    texts = {name: None if one is None else [json.dumps(one)] for name, one in answers.items()}
    return card("reader", "request", texts, SOME, lab, lambda _: None)


def test_a_reader_that_states_what_is_there_errs_nowhere() -> None:
    found = carded(TRUE)
    assert (found.examples, found.failed, found.quotes.wrong) == (len(SOME), 0, 0)
    assert all(one.wrong == one.missed == 0 for one in found.kinds.values())
    assert set(found.kinds) == set(KINDS)
    assert {RESULTS, SELECTION, COMPARISON, DEFINITIONS} <= rights_of(found, 0.05).facts


def test_a_reader_that_errs_may_only_suggest() -> None:
    found = carded({name: altered(one, 1) for name, one in TRUE.items()})
    assert 0 < found.quotes.wrong < found.quotes.stated
    assert found.kinds[RESULTS].wrong > 0
    assert rights_of(found, 0.05).facts == rights_of(found, 0.05).absences == frozenset()


def test_what_a_reader_passes_over_is_missed_and_not_wrong() -> None:
    answers = copy.deepcopy(TRUE)
    for one in answers.values():
        one["results"] = one["results"][::2]
        one.pop("comparison", None)
    found = carded(answers)
    assert (found.kinds[RESULTS].wrong, found.kinds[COMPARISON].stated) == (0, 0)
    assert found.kinds[RESULTS].missed > 0
    assert found.kinds[COMPARISON].missed == found.kinds[COMPARISON].expected > 0
    may = rights_of(found, 0.05)
    assert RESULTS in may.facts
    assert not {RESULTS, COMPARISON, SELECTION} & may.absences


def test_no_answer_is_counted_and_the_card_is_kept(tmp_path: Any) -> None:
    first = next(iter(TRUE))
    found = carded({**TRUE, first: None})
    assert found.failed == 1
    place = card_path(tmp_path, "openai:host/v1#a model")
    place.parent.mkdir()
    place.write_bytes(card_file(found))
    assert read_card(place) == found
    lines = "\n".join(describe_card(found, {"decides alone by": rights_of(found, 0.05).facts}))
    assert f"{len(SOME)} examples" in lines
    assert "1 without an answer" in lines


def test_examples_without_their_text_are_told(tmp_path: Any) -> None:
    with pytest.raises(ExamplesError, match="holds no examples"):
        load_examples(tmp_path)
    (tmp_path / "one.json").write_text("{}")
    with pytest.raises(ExamplesError, match=r"<id>\.txt"):
        load_examples(tmp_path)
