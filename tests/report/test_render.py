import re
import subprocess
import sys

import pytest

from grader.cohort.statistics import of_class
from grader.report.pdf import missing_libraries
from grader.report.render import class_html, class_report, class_views, student_html, student_page, student_report
from grader.report.views.wording import MARKS
from grader.result import Curve, CurveBand, Diagnosis, Flag, GradedFile, Result, Severity, Status
from tests.factories import evidence, item, result
from tests.report.pdf_text import page_count, pdf_text

needs_weasyprint = pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's libraries are missing")

HOSTILE = (
    "<script>alert(1)</script><img src='file:///etc/passwd'>{{7*7}}{% raw %}</style></p> & \" \x00\x07\ud800\u202e "
    "😀 שלום é" + "\u0301" * 300 + "W" * 5000
)


def every_status(**more: object) -> Result:
    items = [item(f"q1.{status}", status, **more) for status in Status]
    return result("ann", items, name="Ann Lee")


def hostile(student: str = HOSTILE) -> Result:
    fields = {
        "title": HOSTILE,
        "found": HOSTILE,
        "expected": HOSTILE,
        "feedback": HOSTILE,
        "note": HOSTILE,
        "truths": (HOSTILE,) * 9,
        "diagnoses": (Diagnosis(id=HOSTILE, text=HOSTILE),) * 9,
        "evidence": (evidence(HOSTILE, file=HOSTILE, tag=HOSTILE),) * 9,
    }
    return result(
        student,
        [item("q1.a", status, **fields) for status in Status],
        name=HOSTILE,
        sha256="1" * 64,
        files=(GradedFile(path=HOSTILE, role="report", state="partly", reason=HOSTILE),) * 99,
        flags=(Flag(id="arithmetic", severity=Severity.INFO, message=HOSTILE, evidence=(evidence(HOSTILE),)),) * 99,
        curves=(Curve(experiment=HOSTILE, split=HOSTILE, seed=-7, steps=(1, 2), values=(-1e300, 50.0)),) * 99,
        curve_bands=(CurveBand(id=HOSTILE, experiment=HOSTILE, split=HOSTILE, low=-9e99, high=9e99, share=95),) * 9,
    )


def tags(html: str) -> set[str]:
    return set(re.findall(r"<([a-z0-9]+)", html))


def test_texts_of_a_submission_stay_text() -> None:
    plain = tags(
        student_html(every_status(found="x", expected="x", feedback="x", truths=("x",), evidence=(evidence(),)))
    )
    html = student_html(hostile())
    assert tags(html) - plain <= {"ul", "li", "figure", "polyline", "rect", "g", "text", "path", "circle", "svg"}
    assert "{{7*7}}" in html
    assert "&lt;script&gt;" in html
    assert html.encode("utf-8")


def test_texts_of_a_submission_stay_text_in_the_class_report_too() -> None:
    results = [hostile("ann"), hostile("bob"), result("cyd", error=HOSTILE)]
    html = class_html(class_views(of_class(results)))
    assert not tags(html) & {"script", "img"}
    assert "{{7*7}}" in html
    assert html.encode("utf-8")


@needs_weasyprint
def test_hostile_texts_make_a_pdf_of_bearable_length() -> None:
    pdf = student_report(hostile())
    assert "{{7*7}}" in pdf_text(pdf)
    assert page_count(pdf) < 20


@needs_weasyprint
def test_every_status_is_shown_as_a_word() -> None:
    text = pdf_text(student_report(every_status()))
    for mark in MARKS.values():
        assert mark.word in text


@needs_weasyprint
def test_the_student_sees_the_proof_but_no_staff_note() -> None:
    proof = {
        "found": "found-42",
        "expected": "expected-43",
        "truths": ("count.all",),
        "feedback": "A digit is off.",
        "diagnoses": (Diagnosis(id="d", text="One too few."),),
        "evidence": (evidence("we count 42", page=7),),
        "note": "staff-secret",
        "suggestion": Status.PARTIAL,
    }
    graded = result("ann", [item("q1.a", Status.REVIEW, **proof)])
    html, text = student_html(graded), pdf_text(student_report(graded))
    for shown in ("found-42", "expected-43", "A digit is off.", "One too few.", "we count 42", "page 7"):
        assert shown in text
    assert "count.all" in student_page(graded), "the whole proof names the truth"
    for hidden in ("staff-secret", MARKS[Status.PARTIAL].word):
        assert hidden not in html
        assert hidden not in text


@needs_weasyprint
def test_the_first_page_tells_who_how_much_and_what_awaits() -> None:
    text = pdf_text(student_report(every_status()))
    for shown in ("Counting parameters", "Ann Lee", "of 14 points", "4 points are pending review"):
        assert shown in text


@needs_weasyprint
def test_the_instructor_sees_the_notes() -> None:
    results = [result("ann", [item(status=Status.REVIEW, note="staff-note", suggestion=Status.PARTIAL)])]
    text = pdf_text(class_report(class_views(of_class(results))))
    assert "staff-note" in text
    assert "Suggested: partly correct" in text


@needs_weasyprint
@pytest.mark.parametrize("results", [[], [result()], [result(error="boom")]], ids=["nobody", "one", "failed"])
def test_small_classes_have_a_report(results: list[Result]) -> None:
    assert page_count(class_report(class_views(of_class(results)))) >= 1


@needs_weasyprint
def test_the_same_result_gives_the_same_bytes_in_another_process() -> None:
    script = (
        "import sys; from grader.report.render import student_report; from grader.result import Result; "
        "sys.stdout.buffer.write(student_report(Result.from_json(sys.stdin.buffer.read())))"
    )
    graded = every_status(evidence=(evidence("∑ 𝑑 é"),))
    done = subprocess.run(
        [sys.executable, "-c", script], input=graded.to_json().encode(), capture_output=True, check=True
    )
    assert done.stdout == student_report(graded)


@needs_weasyprint
@pytest.mark.slow
def test_a_class_of_five_hundred_has_a_report() -> None:
    items = [item(f"q{n}.a", status) for n, status in enumerate([*Status, Status.CORRECT, Status.CORRECT])]
    results = [result(f"s{n:03}", items) for n in range(500)]
    assert page_count(class_report(class_views(of_class(results)))) < 60
