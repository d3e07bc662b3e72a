from collections.abc import Callable

import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import answer, decide

WEIGHTS_ONLY, ALL, WITH_BIASES, WITH_NORMS, WITH_HEAD = 22_807_552, 22_829_056, 22_819_840, 22_816_768, 23_124_736


def judge(text: str, heading: str = "# Question 1") -> Finding:
    finding, _ = decide("q1.total", answer(f"{heading}\n\n{text}\n"))
    return finding


def test_a_sum_in_code_beside_the_printed_total_is_not_taken_for_it() -> None:
    code = "emb = V * D + P * D  # 16384000 + 132096 = 16516096\ntotal = emb + L * layer\nprint(total)  # >>> 22807552"
    finding = judge(f"```\n{code}\n```")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.CORRECT)


def test_a_larger_number_of_ones_own_beside_a_known_one_leaves_the_total_open() -> None:
    own = "```\nprint(emb + L * (attn + ff))\n# -> 29099008\n```\n\n# Task 1\n\nencoder params (no lm_head): 22829056\n"
    assert judge(own).status is Status.REVIEW


FORMATS: list[Callable[[int], str]] = [
    "{:,}".format,
    str,
    lambda n: f"{n:,}".replace(",", ", "),
    lambda n: f"{n:,}".replace(",", " "),
    lambda n: f"{n:,}".replace(",", "\u00a0"),
    lambda n: f"{n:,}".replace(",", "\u202f"),
    lambda n: f"{n:,}".replace(",", "."),
    lambda n: f"{n:,}".replace(",", "'"),
    lambda n: f"${n:,}$".replace(",", "{,}"),
    lambda n: f"**{n:,}**",
    lambda n: rf"\textbf{{{n:,}}}",
    lambda n: rf"$\boxed{{{n}}}$",
    lambda n: f"{n / 10**6}M",
]
SENTENCES = [
    "The total number of parameters is {}.",
    "Total: {}",
    "Total = {}",
    "So the model has {} parameters.",
    "16,384,000 + 132,096 + ... = {}",
    "Hence, {} parameters.",
    "Adding it all gives us {} parameters in total.",
    "Nombre total de paramètres : {}",
    "Au total, le modèle possède {} paramètres.",
    "| part | parameters |\n|---|---|\n| embeddings | 16,516,096 |\n| **Total** | {} |",
]


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("total", [WEIGHTS_ONLY, ALL])
def test_a_right_total_is_right_in_every_format(total: int, sentence: str) -> None:
    for form in FORMATS:
        finding = judge(sentence.replace("{}", form(total)))
        assert (finding.status, finding.found) == (Status.CORRECT, str(total)), form(total)
        assert finding.evidence


PARTIAL = [(WITH_BIASES, "weights-and-biases"), (WITH_HEAD, "with-head")]


@pytest.mark.parametrize(("total", "convention"), PARTIAL)
def test_a_count_under_a_partial_convention_is_partial(total: int, convention: str) -> None:
    finding = judge(f"The total is {total:,}.")
    assert finding.status is Status.PARTIAL
    assert [diagnosis.id for diagnosis in finding.diagnoses] == [convention]


@pytest.mark.parametrize("total", [22_938_624, 22_960_128])
def test_a_defensible_reading_is_for_a_person(total: int) -> None:
    finding = judge(f"The total is {total:,}.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.CORRECT)


@pytest.mark.parametrize("total", [20_578_304, 29_099_008, 22_806_528, 39_508_736, 125_000_001, 22_807_553])
def test_a_wrong_total_is_wrong(total: int) -> None:
    finding = judge(f"Summing up, the model has {total:,} parameters.")
    assert (finding.status, finding.found) == (Status.INCORRECT, str(total))


def test_a_known_convention_is_not_called_unknown() -> None:
    assert "no known convention" not in judge(f"The total is {WITH_NORMS:,}.").feedback


def test_heads_counted_besides_are_for_a_person() -> None:
    finding = judge("The total is 23,388,418.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert "classification head" in finding.diagnoses[0].text


def test_an_omission_that_explains_the_number_is_named() -> None:
    finding = judge(f"The total is {WEIGHTS_ONLY - 132_096:,}.")
    assert finding.status is Status.INCORRECT
    assert [diagnosis.id for diagnosis in finding.diagnoses] == ["without-position-embedding"]


@pytest.mark.parametrize("total", ["22.8M", "22.8 million", "23M", "22,8 millions", "22.8 × 10^6", "2.28e7"])
def test_a_rounded_total_is_for_a_person(total: str) -> None:
    finding = judge(f"The model has {total} parameters.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)


RIGHT = {
    "among many numbers": (
        "Embedding: 32000 × 512 = 16,384,000; positions: 258 × 512 = 132,096; layers: 4 × 1,572,864 = 6,291,456. "
        "Total: 16,384,000 + 132,096 + 6,291,456 = 22,807,552."
    ),
    "a part named afterwards": "Total = 22,807,552. The encoder's total alone is 6,291,456.",
    "both conventions": "Total without biases = 22,807,552. With biases and norms the total is 22,829,056.",
    "both conventions, full first": "The total is 22,829,056; without biases and norms the total is 22,807,552.",
    "with the head afterwards": "Total = 22,829,056. With the language-model head the total would be 23,124,736.",
    "wrong first, corrected": "Total = 20,578,304. No: with positions and feed-forward the total is 22,807,552.",
    "two lines": "16384000 + 132096\n+ 6291456\n= 22807552",
    "aligned": "$$\\begin{aligned} N &= 16384000 + 132096 \\\\ &+ 6291456 \\\\ &= 22807552 \\end{aligned}$$",
    "rounded beside it": "The total is 22,829,056, about 22.8M.",
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_the_committed_total_is_found(text: str) -> None:
    assert judge(text).status is Status.CORRECT


NOT_AGAINST_THE_STUDENT = {
    "with the head before": "With the head the total would be 23,124,736, but without it the total is 22,829,056.",
    "its size in bytes": "The total is 22,807,552 parameters, so 22,807,552 × 4 = 91,230,208 bytes.",
    "bytes first": "22,807,552 × 4 = 91,230,208 bytes. The total number of parameters is 22,807,552.",
    "layer sizes": "The layer sizes are 512, 512, 512, 256. The total is 22,829,056.",
    "another model": "RoBERTa-base has 125,000,000 parameters; for ours the total is 22,829,056.",
    "another model afterwards": "The total is 22,829,056, far less than the 125,000,000 that RoBERTa-base has.",
    "bare": "We count all of it.\n\n22,829,056",
    "approximation first": "Total ≈ 22.8M (22,807,552)",
    "underlined": r"Everything together: \underline{22,807,552}",
    "scientific": "The model has 2.28e7 parameters.",
}


@pytest.mark.parametrize("text", NOT_AGAINST_THE_STUDENT.values(), ids=NOT_AGAINST_THE_STUDENT)
def test_a_right_total_that_is_not_recognised_is_left_to_a_person(text: str) -> None:
    assert judge(text).status in (Status.CORRECT, Status.REVIEW)


NOT_RIGHT = {
    "contradiction, larger": "Total = 22,807,552.\n\nSo the model has 25,000,000 parameters.",
    "contradiction, smaller": "Total = 22,807,552.\n\nFinal answer: in total the model has 20,578,304 parameters.",
    "denied": "The total is not 22,829,056.",
    "denied for another": "The total is not 22,829,056 but 30,000,000.",
    "only parts": "The embedding has 16,384,000 parameters.",
    "no number": "It is a big model.",
    "a number that means nothing": "12345678",
    "the other model's count": "The total is 409,792,512.",
}


@pytest.mark.parametrize("text", NOT_RIGHT.values(), ids=NOT_RIGHT)
def test_nonsense_and_contradictions_are_not_right(text: str) -> None:
    assert judge(text).status is not Status.CORRECT


def test_nothing_is_missing() -> None:
    assert judge("We did not do this.").status is Status.MISSING
    assert decide("q1.total", answer())[0].status is Status.MISSING


def test_a_number_as_large_as_the_total_is_never_overlooked() -> None:
    assert judge("22,807,552 + 21,504 are counted here.").status is Status.REVIEW


def test_the_count_of_another_question_is_not_taken() -> None:
    text = "We cannot say.\n\n# Task 7\n\nIn total 22,829,056 parameters."
    assert judge(text).status is not Status.CORRECT


def test_without_headings_the_whole_report_is_searched() -> None:
    text = "The model has 22,829,056 parameters.\n\nWith LoRA 1,572,864 of 409,792,512 are trainable (560,787,456).\n"
    assert judge(text, heading="").status is Status.CORRECT


def test_the_evidence_names_line_and_words() -> None:
    finding = judge("Words.\n\nThe total is $22{,}829{,}056$.")
    assert (finding.evidence[0].line, finding.evidence[0].quote) == (5, "The total is $22{,}829{,}056$.")


def test_a_number_of_thousands_of_digits_does_no_harm() -> None:
    assert judge("The total is " + "9" * 5_000).status is not Status.CORRECT


@pytest.mark.parametrize("words", ["Biases are counted, the LM head is not.", "I did not count the biases."])
def test_nothing_is_told_of_words_about_the_convention(words: str) -> None:
    """The number shows what it holds; a sentence about it that was misread would be held against a right count."""
    given = answer(f"# Question 1\n\n{words} The total number of parameters is 22,829,056.\n")
    finding, _ = decide("q1.total", given)
    assert (finding.status, [one.id for one in finding.diagnoses]) == (Status.CORRECT, ["all-but-head"])


@pytest.mark.parametrize("words", ["In total we count 89,344 parameters.", "The total number of parameters is 89,344."])
def test_a_total_far_too_small_is_wrong_and_not_missing(words: str) -> None:
    assert judge(words).status is Status.INCORRECT


def test_the_sum_of_one_layer_is_no_rival_of_the_total() -> None:
    text = (
        "- by layer\n    - sum: 1,577,984\n- 4 layers: 4 × 1,577,984 = 6,311,936\n- total: 22,829,056, as the code says"
    )
    finding = judge(text)
    assert (finding.status, finding.found) == (Status.CORRECT, "22829056")


@pytest.mark.parametrize(
    "told",
    [
        "My first count was 22,829,056 + 295,680 = 23,124,736, until I noticed that the head does not count.",
        "Au départ j'avais trouvé 22 829 056 + 295 680 = 23 124 736, mais la tête n'est pas demandée.",
    ],
)
def test_a_first_attempt_that_another_total_replaces_is_not_the_answer(told: str) -> None:
    table = "| part | sum |\n|---|---|\n| tokens | 16,384,000 |\n| Total | 22,829,056 |"
    finding = judge(f"{told}\n\n{table}")
    assert (finding.status, finding.found) == (Status.CORRECT, "22829056")
    assert judge("At first I counted 22,829,056 parameters.").status in (Status.CORRECT, Status.REVIEW)
