from datetime import UTC, datetime
from decimal import Decimal

import pytest

from grader.cohort.statistics import of_class
from grader.report.views.classroom import class_view
from grader.report.views.student import student_view
from grader.report.views.wording import MARKS
from grader.result import Diagnosis, Flag, GradedFile, Severity, Status
from tests.factories import evidence, item, result


def test_every_status_has_a_word_and_a_shape_of_its_own() -> None:
    assert set(MARKS) == set(Status)
    assert len({mark.word for mark in MARKS.values()}) == len({mark.shape for mark in MARKS.values()}) == len(Status)


def test_the_largest_losses_come_first_and_three_are_enough() -> None:
    items = [item(f"q1.{n}", Status.INCORRECT, str(n)) for n in range(1, 6)]
    fixes = student_view(result(items=items)).fixes
    assert [(fix.item, fix.cost) for fix in fixes] == [("q1.5", "−5"), ("q1.4", "−4"), ("q1.3", "−3")]


def test_what_a_person_decides_or_what_follows_from_something_missing_is_no_fix() -> None:
    items = [item("q1.a", Status.REVIEW), item("q1.b", Status.NOT_RUN), item("q1.c", Status.ERROR), item("q1.d")]
    assert student_view(result(items=items)).fixes == ()


def test_a_fix_says_what_is_wrong_as_precisely_as_is_known() -> None:
    diagnosed = item(
        "q1.a", Status.INCORRECT, diagnoses=(Diagnosis(id="d", text="Sign lost."), Diagnosis(id="e", text="Twice."))
    )
    expected = item("q1.b", Status.MISSING, "1", expected="42")
    fixes = student_view(result(items=[diagnosed, expected])).fixes
    assert [(fix.advice, fix.right) for fix in fixes] == [
        ("Sign lost. Twice.", None),
        ("No answer to this was found in the submission.", "42"),
    ]


def test_pending_points_are_announced_and_not_shown_as_lost() -> None:
    view = student_view(result(items=[item(status=Status.REVIEW, points="1"), item("q1.b")]))
    assert view.call is not None
    assert view.call.claim == "1 point is pending review."
    assert view.sections[0].items[0].points == "– / 1"
    assert view.sections[0].items[0].decision == "To be decided by a person: 1 point."


def test_a_failed_grading_blames_nobody_and_shows_no_score() -> None:
    view = student_view(result(items=[item(status=Status.ERROR)], error="Traceback: /home/staff"))
    assert (view.score, view.sections) == ("–", ())
    assert view.call is not None
    assert "not your fault" in view.call.explanation
    assert "/home/staff" not in view.model_dump_json()


def test_an_empty_hand_in_is_told_so() -> None:
    view = student_view(result(items=[item(status=Status.MISSING)], files=()))
    assert view.call is not None
    assert view.call.claim == "No file was found in this submission."
    assert view.fixes == ()


def test_evidence_is_capped_and_the_rest_counted() -> None:
    proof = tuple(evidence(f"number {n}") for n in range(7))
    shown = student_view(result(items=[item(evidence=proof)])).sections[0].items[0]
    assert [quote.text for quote in shown.quotes] == [f"number {n}" for n in range(4)]
    assert shown.more == "+ 3 more in result.json"


def test_flags_about_other_students_stay_with_staff() -> None:
    flags = tuple(
        Flag(id=id_, severity=Severity.WARNING, message=id_, evidence=(evidence(),))
        for id_ in ("arithmetic", "identical-series", "copied-documentation")
    )
    (notice,) = student_view(result(flags=flags)).notices
    assert (notice.message, notice.place) == ("arithmetic", "report.pdf, page 1")


def test_files_that_were_not_read_come_first_with_their_reason() -> None:
    files = (
        GradedFile(path="a.md", role="report", state="read"),
        GradedFile(path="b.pdf", role="report", state="unreadable", reason="It is encrypted."),
    )
    shown = student_view(result(files=files)).provenance.files
    assert [(file.path, file.state, file.reason) for file in shown] == [
        ("b.pdf", "could not be read", "It is encrypted."),
        ("a.md", "read", None),
    ]


def test_the_provenance_names_versions_and_time() -> None:
    graded = result()
    submission = graded.submission.model_copy(update={"submitted_at": datetime(2024, 11, 20, 22, 15, tzinfo=UTC)})
    facts = dict(student_view(graded.model_copy(update={"submission": submission})).provenance.facts)
    assert facts["Handed in"] == "20 November 2024, 22:15 UTC"
    assert facts["Lab"] == f"counting, {'a' * 12}"


def test_a_late_penalty_is_a_line_of_its_own() -> None:
    assert student_view(result(late_penalty=Decimal(5))).late_penalty == "−5"
    assert student_view(result()).late_penalty is None


def test_like_answers_in_the_queue_are_one_line_with_their_number() -> None:
    reasons = [f"Its total, {n}, is near no known one. Look at the sum." for n in range(9)] + [
        "The page is a picture."
    ] * 4
    results = [result(f"s{n:02}", [item(status=Status.REVIEW, note=note)]) for n, note in enumerate(reasons)]
    (group,) = class_view(of_class(results)).attention.queue
    assert (group.stake, group.question) == ("13 students, 26 points at stake", "Question q1")
    assert [(like.count, like.reason) for like in group.likes] == [
        ("9", "Its total, 0, is near no known one."),
        ("4", "The page is a picture."),
    ]
    assert group.likes[0].students == "s00, s01, s02, s03 and 5 more"
    assert group.more is None


def test_rare_reasons_are_counted() -> None:
    words = ("red", "green", "blue", "white", "black")
    results = [result(word, [item(status=Status.REVIEW, note=f"It is {word}.")]) for word in words]
    (group,) = class_view(of_class(results)).attention.queue
    assert (len(group.likes), group.more) == (3, "+ 2 answers for other reasons")


def test_an_empty_class_has_a_view() -> None:
    view = class_view(of_class([]))
    assert (view.lab, view.bars, view.matrices) == ("No submissions", (), ())


def test_a_pending_point_is_worth_fixing_where_the_student_can_be_told_why() -> None:
    told = item("q1.a", Status.REVIEW, "3", feedback="Please hand in the logs.")
    (lost, open_) = student_view(result(items=[told, item("q1.b", Status.INCORRECT, "1")])).fixes
    assert (open_.item, open_.cost, open_.open, open_.advice) == ("q1.a", "3", True, "Please hand in the logs.")
    assert (lost.cost, lost.open) == ("−1", False)


def test_a_decision_about_like_answers_is_told() -> None:
    (section,) = student_view(result(items=[item(decided_by="R. Lee, 2024-11-20: a synonym")])).sections
    assert section.items[0].override == "Decided by R. Lee, 2024-11-20: a synonym"


@pytest.mark.parametrize(
    ("statuses", "word"),
    [
        ((Status.CORRECT, Status.CORRECT), "Correct"),
        ((Status.CORRECT, Status.REVIEW), "For review"),
        ((Status.CORRECT, Status.MISSING), "Partly correct"),
        ((Status.MISSING, Status.MISSING), "Missing"),
        ((Status.MISSING, Status.INCORRECT), "Incorrect"),
    ],
)
def test_each_question_has_a_status_in_words(statuses: tuple[Status, ...], word: str) -> None:
    items = [item(f"q1.{number}", status) for number, status in enumerate(statuses)]
    (question,) = student_view(result(items=items)).questions
    assert question.mark is not None
    assert question.mark.word == word
