"""How far texts commit to numbers and to sentences, in forms that students use; `commitment_cases.txt` holds them."""

import re
from pathlib import Path

import pytest

from grader.claims.commitment import Stance, is_bare, of_statement, stance
from grader.claims.statements import statements
from tests.claims.making import passage

_CASES = Path(__file__).with_name("commitment_cases.txt").read_text(encoding="utf-8")
_NUMBERS, _SENTENCES = (part.strip().split("\n") for part in re.split(r"\[numbers\]|\[sentences\]\n", _CASES)[1:])


def stance_of_marked(text: str) -> Stance:
    """How a text stands to the number that it holds in brackets."""
    marked = re.search(r"\[([^]]+)\]", text)
    assert marked is not None
    before = text[: marked.start()].count(marked[1])
    found = passage(re.sub(r"[][]", "", text))
    places = [one.start() for one in re.finditer(re.escape(marked[1]), found.text)]
    return stance(found, places[before], places[before] + len(marked[1]))


@pytest.mark.parametrize("case", _NUMBERS)
def test_numbers(case: str) -> None:
    kind, text = case.split(maxsplit=1)
    assert stance_of_marked(text).is_committed is (kind == "committed")


@pytest.mark.parametrize("case", _SENTENCES)
def test_sentences(case: str) -> None:
    kind, text = case.split(maxsplit=1)
    found = passage(text)
    last = statements(found)[-1]
    assert of_statement(found, last).is_committed is (kind == "committed")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Perhaps [22,807,552].", Stance.HEDGED),
        ("Is it [22,807,552]?", Stance.ASKED),
        ("My friend says [22,807,552].", Stance.ATTRIBUTED),
        ("Less than [22,807,552].", Stance.BOUNDED),
        ("[22,807,552] or 23,124,736", Stance.ALTERNATIVE),
        ("It cannot be [22,807,552].", Stance.DENIED),
    ],
)
def test_each_way_of_not_committing_has_its_name_and_its_reason(text: str, kind: Stance) -> None:
    assert stance_of_marked(text) is kind
    assert kind.reason != Stance.ASSERTED.reason


def test_what_announces_a_list_holds_for_its_items_and_ends_with_them() -> None:
    text = "ChatGPT says:\n\n- [22,807,552] parameters\n\nWe count 22,829,056 parameters."
    assert stance_of_marked(text) is Stance.ATTRIBUTED
    assert stance_of_marked(
        text.replace("[22,807,552]", "22,807,552").replace("22,829,056", "[22,829,056]")
    ).is_committed


def test_who_says_where_all_definitions_come_from_speaks_of_each_up_to_the_next_heading() -> None:
    found = passage("# A\n\nThese definitions come from ChatGPT.\n\n- r is the rank.\n\n# B\n\nr is the rank.")
    stances = {
        one.start: of_statement(found, one) for one in statements(found) if one.text.startswith(("r", "•", "- r"))
    }
    assert [one.is_committed for one in stances.values()] == [False, True]


def test_a_program_neither_asks_nor_doubts() -> None:
    found = passage("```\nperhaps 22,807,552?\n```")
    assert stance(found, found.text.index("22"), found.text.index("?")).is_committed


def test_a_number_is_bare_where_its_line_says_nothing_to_tell_it_from_others() -> None:
    bare, told = passage("- 22,807,552\n"), passage("- without biases: 22,807,552\n")
    assert is_bare(bare, bare.text.index("22"))
    assert not is_bare(told, told.text.index("22"))


@pytest.mark.parametrize("text", ["my friend " * 400, "perhaps, " * 500, "a or " * 600, "i am not " * 500, "< " * 900])
def test_hostile_sentences_take_no_time(text: str) -> None:
    found = passage(f"{text} 22,807,552?")
    at = found.text.index("22,807,552")
    assert stance(found, at, at + 10) in Stance


@pytest.mark.parametrize("said", ["I do not know whether any of this is right.", "I am not sure about all of these."])
def test_doubt_about_everything_beside_it_is_heard(said: str) -> None:
    read = passage(f"# Question 2\n\nr is the rank of the update.\n\n{said}\n\n# Question 3\n\nr is small.")
    first, *_, last = [one for one in statements(read) if one.text.startswith("r is")]
    assert of_statement(read, first) is Stance.HEDGED
    assert of_statement(read, last) is Stance.ASSERTED
