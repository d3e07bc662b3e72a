import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import answer, code, decide


def judge(*sources: str, report: str | None = None) -> Finding:
    return decide("t6.quantization", answer(report, [code(source) for source in sources]))[0]


@pytest.mark.parametrize(
    "arguments",
    [
        "load_in_4bit=True",
        "load_in_4bit=True, bnb_4bit_quant_type='nf4', bnb_4bit_compute_dtype=torch.bfloat16",
        "\n    load_in_4bit=True,\n    bnb_4bit_use_double_quant=True,\n",
        "load_in_4bit = True, **more",
    ],
)
def test_four_bits_with_arguments_that_exist_are_right(arguments: str) -> None:
    finding = judge(f"import torch\nbnb_config = transformers.BitsAndBytesConfig({arguments})")
    assert finding.status is Status.CORRECT
    assert "load_in_4bit=True" in (finding.found or "")
    assert finding.evidence[0].line == 2


def test_an_invented_argument_is_named() -> None:
    finding = judge("BitsAndBytesConfig(load_in_4bit=True, quant_4bit_type='nf4')")
    assert (finding.status, [d.id for d in finding.diagnoses]) == (Status.REVIEW, ["unknown-argument"])
    assert "quant_4bit_type" in finding.diagnoses[0].text


@pytest.mark.parametrize("arguments", ["", "load_in_8bit=True", "load_in_4bit=False", "load_in_4bit=1"])
def test_four_bits_that_are_not_asked_for_are_named(arguments: str) -> None:
    finding = judge(f"BitsAndBytesConfig({arguments})")
    assert (finding.status, [d.id for d in finding.diagnoses]) == (Status.REVIEW, ["not-set"])


def test_the_best_of_several_calls_counts() -> None:
    finding = judge("BitsAndBytesConfig(load_in_8bit=True)", "BitsAndBytesConfig(load_in_4bit=True)")
    assert finding.status is Status.CORRECT


def test_a_listing_in_the_report_counts() -> None:
    report = "# Task 6\n\n```python\nconfig = BitsAndBytesConfig(load_in_4bit=True)\n```\n"
    assert judge(report=report).status is Status.CORRECT


def test_a_call_that_cannot_be_read_is_for_a_person() -> None:
    assert judge("config = BitsAndBytesConfig(load_in_4bit=True").status is Status.REVIEW


def test_other_code_is_for_a_person_and_none_is_missing() -> None:
    assert judge("model = load()").status is Status.REVIEW
    assert judge(report="# Task 6\n\nWe loaded it.").status is Status.MISSING
    assert judge(report="# Task 6\n\nWe used BitsAndBytesConfig.").status is Status.REVIEW


def test_a_call_in_a_comment_or_a_string_is_none() -> None:
    source = "# BitsAndBytesConfig(load_in_4bit=True)\ns = 'BitsAndBytesConfig(load_in_4bit=True)'"
    assert judge(source).status is Status.REVIEW
