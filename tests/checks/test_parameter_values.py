import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import answer, decide

VALUES = {
    "r": "16",
    "lora_alpha": "32",
    "target_modules": '["query_key_value"]',
    "lora_dropout": "0.05",
    "bias": '"none"',
    "task_type": '"CAUSAL_LM"',
}


def judge(lines: list[str]) -> Finding:
    return decide("q2.values", answer("# Question 2\n\n" + "\n".join(lines)))[0]


FORMS = ["- `{}` = {}: the meaning of it.", "- {} ({}): the meaning of it.", "| {} | {} | the meaning |", "{} = {}"]


@pytest.mark.parametrize("form", FORMS)
def test_all_values_stated_are_right(form: str) -> None:
    finding = judge([form.format(name, value) for name, value in VALUES.items()])
    assert finding.status is Status.CORRECT
    assert len(finding.evidence) == 6


def test_underscores_that_a_pdf_loses_cost_nothing() -> None:
    lines = [f"• {name} = {value}: the meaning.".replace("_", " ") for name, value in VALUES.items()]
    assert judge(lines).status is Status.CORRECT


def test_a_wrong_value_is_named() -> None:
    finding = judge([f"- {name} = {value}: text" for name, value in (VALUES | {"r": "8"}).items()])
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert [d.text for d in finding.diagnoses] == ["r is said to be 8; the lab's value is 16."]


def test_values_that_are_not_stated_are_named() -> None:
    finding = judge([f"- {name} = {value}: text" for name, value in VALUES.items() if name != "bias"])
    assert finding.status is Status.REVIEW
    assert "bias" in finding.feedback


def test_no_values_at_all_are_for_a_person() -> None:
    finding = judge(["We used LoRA."])
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.MISSING)


def test_nothing_handed_in_is_missing() -> None:
    assert decide("q2.values", answer())[0].status is Status.MISSING
