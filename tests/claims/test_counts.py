import pytest

from grader.claims.counts import CountClaim, counts
from tests.claims.making import passage


def found(text: str) -> list[CountClaim]:
    return list(counts(passage(text)))


FORMATS = [
    "22807552",
    "22,807,552",
    "22, 807, 552",
    "22 807 552",
    "22\u00a0807\u00a0552",
    "22\u202f807\u202f552",
    "22.807.552",
    "22'807'552",
    "$22{,}807{,}552$",
    r"$22\,807\,552$",
    "**22,807,552**",
    r"\textbf{22,807,552}",
    r"$\mathbf{22807552}$",
    r"$\boxed{22807552}$",
    r"\underline{22,807,552}",
    "22_807_552",
]


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize("frame", ["Total = {}", "The model has {} parameters.", "Au total : {}", "We obtain: {}."])
def test_a_result_is_read_in_every_format(frame: str, written: str) -> None:
    (claim,) = found(frame.format(written))
    assert (claim.value, claim.is_result, claim.rounded_to) == (22_807_552, True, None)


def test_operands_are_no_results() -> None:
    claims = found("The total is 16,384,000 + 132,096 + 6,291,456 = 22,807,552.")
    assert [claim.value for claim in claims if claim.is_result] == [22_807_552]


@pytest.mark.parametrize("times", ["×", "*", "x", r"\times", "·", "⋅"])
def test_factors_are_no_results(times: str) -> None:
    assert not any(claim.is_result for claim in found(f"It is 1572864 {times} 4 then."))


@pytest.mark.parametrize(
    "words",
    [
        "In total we have",
        "The total number of parameters is",
        "Finally,",
        "Summing up,",
        "The model has",
        "Nombre total de paramètres :",
        "Au total,",
        "La somme est",
        "Le modèle compte",
        "The final count:",
        "$N_{total} =$",
    ],
)
def test_words_call_a_total(words: str) -> None:
    (claim,) = found(f"{words} 22829056")
    assert claim.is_total


def test_a_part_is_not_called_a_total() -> None:
    (claim,) = found("The token embedding = 16,384,000")
    assert claim.is_result
    assert not claim.is_total


@pytest.mark.parametrize(
    ("written", "value", "unit"),
    [
        ("22.8M", 22_800_000, 100_000),
        ("22.8 million", 22_800_000, 100_000),
        ("22,8 millions", 22_800_000, 100_000),
        ("23M", 23_000_000, 1_000_000),
        ("22.83 M", 22_830_000, 10_000),
    ],
)
def test_a_rounded_count_knows_its_unit(written: str, value: int, unit: int) -> None:
    (claim,) = found(f"The model has {written} parameters.")
    assert (claim.value, claim.rounded_to) == (value, unit)


@pytest.mark.parametrize("written", ["2.28e7", r"$22.8 \times 10^6$", "22.8·10⁶", "2.28 × 10^7"])
def test_powers_of_ten_are_rounded_counts(written: str) -> None:
    claims = found(f"The model has {written} parameters.")
    assert [claim.value == 22_800_000 and bool(claim.rounded_to) for claim in claims] == [True]


@pytest.mark.parametrize("text", ["d = 512", "256 positions", "lr = 0.00001", "78.5 %"])
def test_small_numbers_are_no_counts(text: str) -> None:
    assert not found(text)


@pytest.mark.parametrize(
    "text", ["The sizes are 512, 512, 512, 256.", "Q, K, V are 512, 512, 512", "heads: 100, 200, 300"]
)
def test_a_list_of_sizes_is_no_count(text: str) -> None:
    assert not [claim for claim in found(text) if claim.value]


def test_a_claim_is_quoted_as_written() -> None:
    (claim,) = found("Words.\n\nTotal: $22{,}829{,}056$ in all.")
    assert claim.evidence.line == 3
    assert "$22{,}829{,}056$" in claim.evidence.quote


def test_a_number_of_many_digits_is_no_count() -> None:
    assert not found("Total = " + "9" * 5_000)


def test_a_number_broken_over_a_line_is_one_number() -> None:
    (claim,) = found("Together these have 22 819\n840 parameters.")
    assert (claim.value, claim.is_torn) == (22_819_840, True)
    (claim,) = found("Hence N = 22, 819,\n840.")
    assert (claim.value, claim.is_torn) == (22_819_840, True)


def test_numbers_of_two_rows_stay_two() -> None:
    claims = found("| a | 22 819 |\n|---|---|\n| 840 | b |")
    assert [claim.value for claim in claims] == [22_819]


@pytest.mark.parametrize("text", ["32 000 000, 258 000", "in 16 384 000, 132 096 and more"])
def test_a_comma_between_numbers_with_spaces_parts_them(text: str) -> None:
    assert len(found(text)) == 2


def test_digits_grouped_by_crores_are_read() -> None:
    assert [claim.value for claim in found("Total = 2,28,07,552")] == [22_807_552]
    assert [claim.value for claim in found("One layer = 15,77,984")] == [1_577_984]
    assert not found("The shape is (16,32,128).")


def test_a_rule_above_a_sum_is_no_minus() -> None:
    assert [
        claim.is_operand for claim in found("```\nwords   16384000\nplaces    132096\n-------------\n16516096\n```")
    ] == [False] * 3


def test_the_mark_of_the_next_item_is_no_minus() -> None:
    count, printed = found("- answer: 22807552\n- code says 22829056 -> biases and norms")
    assert (count.is_operand, count.is_result, count.by_program) == (False, True, False)
    assert (printed.is_operand, printed.by_program) == (False, True)


@pytest.mark.parametrize("text", ["16384000\n  + 132096", "22829056 - 21504 = 22807552"])
def test_a_sign_before_or_after_a_number_makes_it_an_operand(text: str) -> None:
    assert found(text)[0].is_operand
