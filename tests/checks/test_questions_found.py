from grader.checks.finding import Finding, Status
from grader.checks.questions_found import no_question_found
from tests.checks.making import answer
from tests.claims.making import lab

WORDS = "We trained the model three times, and it is better than what was expected of it by all of us. " * 3


def told(report: str, *statuses: Status) -> list[str]:
    findings = [Finding(item=f"q{number}", status=status) for number, status in enumerate(statuses or (Status.REVIEW,))]
    return [str(flag.message) for flag in no_question_found(answer(report), lab(), findings)]


def test_a_report_that_labels_no_question_is_told_with_its_titles() -> None:
    [message] = told(f"# Our model\n\n{WORDS}\n\n# What we saw\n\n{WORDS}")
    assert "No question of the lab was recognised" in message
    assert "Our model; What we saw" in message


def test_one_label_is_enough_and_a_few_words_are_no_report() -> None:
    assert told(f"# Question 1\n\n{WORDS}") == []
    assert told("# Our model\n\nThe code is in the notebook.") == []


def test_nothing_is_told_where_most_answers_are_found_without_labels() -> None:
    assert told(f"# Our model\n\n{WORDS}", Status.CORRECT, Status.CORRECT, Status.REVIEW) == []
