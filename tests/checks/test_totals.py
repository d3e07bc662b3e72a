"""The total that an answer commits to, among all its numbers."""

from itertools import pairwise

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.totals import Commitment, ShownNumbers, commitment, miswritten, shown_values
from grader.claims.answer import Answer
from grader.lab.truth import Count, GroundTruth, Provenance
from tests.checks.making import answer, code, decide, truth
from tests.claims.making import lab

MODEL = "roberta-small-fr"
DERIVED = "32000 × 512 + 258 × 512 + 4 × (4 × 512² + 512²) = 21,758,976"


def committed(text: str) -> Commitment | None:
    return _of(answer(f"# Question 1\n\n{text}\n"))


def _of(given: Answer, known: GroundTruth | None = None) -> Commitment | None:
    truths = known or truth()
    return commitment(given.counts("q1"), shown_values(given, lab(), "q1", truths, MODEL), truths, MODEL, lab())


def both(text: str, *, exact: bool = True) -> tuple[Finding, Finding]:
    given = answer(f"# Question 1\n\n{text}\n", exact=exact)
    return decide("q1.total", given)[0], decide("q1.derivation", given)[0]


TOTALS = {
    "a calculation leads to it": (DERIVED, 21_758_976),
    "words call it so": ("Everything together, that is 22,000,000 in total. BERT-base has 110,000,000.", 22_000_000),
    "the row says so": ("| part | number |\n|---|---|\n| rest | 21,000,000 |\n| sum | 23,000,000 |", 23_000_000),
    "other numbers add up to it": ("words 16,384,000\n\nplaces 132,096\n\nrest 6,291,456\n\n22,807,552", 22_807_552),
    "a size in words after it": ("In total 22,807,552, of these 16,384,000 for the words.", 22_807_552),
    "a warning before it": ("UserWarning: at most 9223372036854775807 tokens\n\nTotal: 22,807,552", 22_807_552),
    "a share of it": ("Total 22,807,552; 16,384,000 / 22,807,552 = 72 %.", 22_807_552),
    "a rounded form of it": ("Total: 22,807,552, so about 23 million.", 22_807_552),
    "its size in bytes": ("Total: 22,807,552 parameters, 22,807,552 × 4 = 91,230,208 bytes.", 22_807_552),
    "a letter behind it": ("a) 32000·512 = 16384000 b) 258·512 = 132096 c) rest 6291456; sum 22807552", 22_807_552),
}


@pytest.mark.parametrize(("text", "total"), TOTALS.values(), ids=TOTALS)
def test_the_total_is_certain(text: str, total: int) -> None:
    made = committed(text)
    assert made is not None
    assert (made.claim.value, made.is_certain, made.rival) == (total, True, None)


@pytest.mark.parametrize("text", ["12345678", "The tokens have 16,384,000 parameters.", "One layer: 1,572,864"])
def test_a_number_that_nothing_calls_the_total_is_uncertain(text: str) -> None:
    made = committed(text)
    assert made is None or not made.is_certain


def test_a_text_without_a_plausible_number_has_no_total() -> None:
    assert committed("We have 32,000 tokens in total, 9223372036854775807 at most.") is None


@pytest.mark.parametrize(
    ("number", "is_plausible"),
    [(1_140_377, False), (1_140_378, True), (462_504_960, True), (462_504_961, False)],
)
def test_a_total_is_no_twentieth_of_the_least_right_one_and_not_twenty_times_the_largest(
    number: int, is_plausible: bool
) -> None:
    assert (committed(f"All in all we count {number:,}.") is not None) is is_plausible


def test_a_count_by_hand_is_not_what_a_program_prints() -> None:
    """A program counts the model rightly; the count by hand that the report states is another number, and wrong."""
    total, derivation = both(f"By hand: {DERIVED}.\n\nPyTorch says 22,829,056.")
    assert (total.status, total.found) == (Status.INCORRECT, "21758976")
    assert "22,829,056" in total.feedback
    assert derivation.status is Status.PARTIAL


def test_what_the_notebook_counts_is_no_count_by_hand() -> None:
    cell = code("print('TOTAL', sum(p.numel() for p in model.parameters()))", "TOTAL 22829056")
    given = answer(f"# Question 1\n\n{DERIVED}\n", [cell])
    assert decide("q1.total", given)[0].found == "21758976"


def test_parts_that_a_program_counts_are_no_derivation() -> None:
    parts = "16,384,000 and 132,096 and 6,291,456; it is 22,807,552 in total"
    printed, by_hand = committed(f"PyTorch prints {parts} there."), committed(f"I get {parts}.")
    assert printed is not None
    assert by_hand is not None
    assert (printed.is_derived, by_hand.is_derived) == (False, True)


def test_a_right_count_beside_an_open_one_is_for_a_person() -> None:
    total, derivation = both("Total: 22,807,552.\n\nSo in total we have 21,758,976.")
    assert total.status is Status.REVIEW
    assert derivation.status is not Status.CORRECT


TORN = """32 000 × 512 = 16 384 000, 258 × 512 = 132 096, 4 × (4 × 512² + 2 × 512²) = 6 291 456.
The sum of all is 22 807
552."""


def test_a_total_broken_over_a_line_is_one_number() -> None:
    total, derivation = both(TORN, exact=False)
    assert (total.status, total.found) == (Status.CORRECT, "22807552")
    assert derivation.status is Status.CORRECT


def test_nothing_is_decided_by_a_total_in_doubt() -> None:
    """What is put together over a line end may be two numbers."""
    total, derivation = both(TORN.replace("22 807\n552", "22 407\n552"), exact=False)
    assert total.status is Status.REVIEW
    assert derivation.status is Status.REVIEW


def test_a_total_of_any_size_is_found() -> None:
    known = Provenance(how="made up", date="2000-01-01")
    small = Count(id="c", title="all", model=MODEL, convention="all", total=4_480, provenance=known)
    given = answer("# Question 1\n\n100 × 32 = 3200, 4 × 10 × 32 = 1280, so 3200 + 1280 = 4480 in total.\n")
    made = _of(given, GroundTruth(lab="l", counts=(small,)))
    assert made is not None
    assert (made.claim.value, made.is_certain) == (4_480, True)


def test_a_right_count_carries_no_diagnosis_that_its_text_does_not_give() -> None:
    for words in ("The biases are not neglected.", "PyTorch prints the same without our leaving out biases."):
        total, _ = both(f"{words}\n\nThe total is 22,829,056.")
        assert (total.status, [one.id for one in total.diagnoses]) == (Status.CORRECT, ["all-but-head"])


def test_a_count_that_is_right_in_part_is_nowhere_called_right() -> None:
    given = answer("# Question 1\n\nThe total is 22,819,840.\n")
    total, (verified, _) = decide("q1.total", given)[0], decide("t1.verified", given)
    assert total.status is Status.PARTIAL
    assert "right count" not in verified.feedback


def test_all_that_is_missing_is_told_with_a_slip() -> None:
    _, derivation = both("tokens 32000 × 512 = 16,384,000; total 22,806,528")
    assert "position embedding" in derivation.diagnoses[0].text
    assert "attention" in derivation.feedback


def test_the_order_of_the_parts_makes_no_difference() -> None:
    lines = ["words 32000 × 512 = 16384000", "places 258 × 512 = 132096", "rest 24 × 512² = 6291456"]
    found = [both("\n\n".join([*lines[turn:], *lines[:turn], "all in: 22807552"])) for turn in range(3)]
    assert all(one == other for one, other in pairwise([(a.status, b.status) for a, b in found]))


NUMBERS = {
    "right": "22,807,552",
    "right as well": "22,829,056",
    "wrong, with a story": "21,758,976",
    "wrong, without one": "20,123,457",
    "larger": "31,123,457",
    "much larger": "98,765,432",
    "a part": "16,384,000",
    "small": "1,234,567",
}


@pytest.mark.parametrize("first", NUMBERS)
def test_of_two_numbers_a_right_one_is_never_wrong_and_a_wrong_one_never_right(first: str) -> None:
    """What is not clear is for a person; `python -m tests.kept` keeps which number is taken."""
    for second in (name for name in NUMBERS if name != first):
        for form in (
            "The total is {0}. The total number of parameters is {1}.",
            "We get {0} weights; all in all there are {1}.",
            "4 × 5,701,888 = {0}\n\nTotal: {1}",
        ):
            text = form.format(NUMBERS[first], NUMBERS[second])
            finding, _ = decide("q1.total", answer(f"# Question 1\n\n{text}\n"))
            if not {first, second} & {"right", "right as well"}:
                assert finding.status is not Status.CORRECT, text
            if {first, second} == {"right", "right as well"}:
                assert finding.status in (Status.CORRECT, Status.REVIEW), text


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ({16_385_000}, 16_384_000),
        ({16_348_000}, 16_384_000),
        ({86_314_000}, 16_384_000),
        ({16_384_001}, 16_384_000),
        ({26_384_000}, 16_384_000),
        ({16_384_012}, None),
        ({16_438_000}, None),
        ({16_384_000}, None),
        ({16_384_000, 16_348_000}, None),
        ({1_638_400}, None),
        ({163_840_000}, None),
        ({22_807_525}, 22_807_552),
        ({32_521}, 32_512),
        ({8_193}, None),
    ],
)
def test_a_number_that_was_written_down_wrongly(written: set[int], size: int | None) -> None:
    shown = ShownNumbers(places={}, written=frozenset(written), labelled={})
    (number,) = written if len(written) == 1 else (0,)
    assert miswritten(shown, truth(), MODEL) == ((number, size) if size else None)
    assert miswritten(shown.model_copy(update={"sums": frozenset(written)}), truth(), MODEL) is None


def test_of_several_right_totals_none_has_to_be_chosen() -> None:
    both, with_a_wrong_one = "22,807,552\n22,829,056\n", "22,807,552\n22,829,056\n23,124,736\n"
    assert decide("q1.total", answer(f"# Question 1\n\n{both}"))[0].status is Status.CORRECT
    assert decide("q1.total", answer(f"# Question 1\n\n{with_a_wrong_one}"))[0].status is Status.REVIEW
