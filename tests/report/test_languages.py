"""Reports in another language: nothing of theirs stays in English, and what is a student's own is left alone."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from html import unescape

import pytest

from grader.message import Language, language_of, say
from grader.report import render
from grader.report.resources import Presentation
from grader.report.views.student import student_view
from grader.result import (
    AppliedOverride,
    Curve,
    CurveBand,
    Diagnosis,
    Flag,
    GradedFile,
    LabReference,
    Lateness,
    Result,
    Severity,
    Status,
    SubmissionRecord,
)
from tests.factories import evidence, item, result

OWN = "zz"
"""Begins every word that is not the program's."""


EMPTY = SubmissionRecord(sha256="1" * 64)


class Bracketed(Language):
    """A language whose every sentence is the English one in brackets."""

    def gettext(self, text: str) -> str:
        return f"⟦{text}⟧" if text and OWN not in text else text

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return self.gettext(singular if number == 1 else plural)

    def number(self, value: object, form: str = "") -> str:
        return format(value, form).replace(".", ",")

    def day(self, value: date) -> str:
        return f"{value:%d/%m/%Y}"


@pytest.fixture
def bracketed(monkeypatch: pytest.MonkeyPatch) -> Presentation:
    """A presentation in that language."""
    monkeypatch.setattr(render, "language_of", Bracketed)
    render.environment.cache_clear()
    return Presentation(language="xx")


def of_every_kind() -> Result:
    """Each part of the student's report, with words of its own where data stand."""
    proof = {
        "title": "zz",
        "found": "zz",
        "expected": "zz",
        "feedback": "zz",
        "truths": ("zz",),
        "diagnoses": (Diagnosis(id="zz", text="zz"),),
        "evidence": (evidence("zz", file="zz.pdf", box=(1.0, 2.0, 3.0, 4.0)),) * 3
        + (evidence("zz", file="zz", page=None, cell=3), evidence("zz", file="zz", page=None, tag="zz", step=5)) * 2,
    }
    put = AppliedOverride(
        points=Decimal("0.5"),
        reason="zz",
        author="zz",
        date=date(2024, 1, 31),
        before=Status.INCORRECT,
        score_before=Decimal("1.5"),
    )
    items = [item(f"zz1.zz{number}", status, "2.5", **proof) for number, status in enumerate(Status)]
    items += [item("zz1.zz", title="zz", override=put), item("zz2.zz", Status.INCORRECT, title="zz", decided_by="zz")]
    late = Lateness(
        deadline=datetime(2024, 1, 31, tzinfo=UTC), late_by=90, penalty=Decimal(1), text="zz", time_from="zz"
    )
    made = result(
        "zzid",
        items,
        name="zz",
        sha256="1" * 64,
        truth_sha256="1" * 64,
        lab=LabReference(id="zz", title="zz", sha256="1" * 64),
        grader_version="1",
        late_penalty=Decimal("0.5"),
        lateness=late,
        flags=(Flag(id="arithmetic", severity=Severity.INFO, message="zz", evidence=(evidence("zz", file="zz"),)),),
        files=tuple(
            GradedFile(path="zz", role="zz", state=state) for state in ("read", "partly", "unreadable", "ignored")
        )
        * 9,
        curves=tuple(
            Curve(experiment="zz", split="test", seed=n or None, steps=(1, 2), values=(1.5, 80.5)) for n in range(8)
        ),
        curve_bands=(CurveBand(id="zz", experiment="zz", split="test", schedule=9, low=1.5, high=2.5, share=95),),
    )
    submission = made.submission.model_copy(update={"report": "zz.pdf", "report_reason": "zz"})
    questions = tuple(one.model_copy(update={"title": "zz"}) for one in made.questions)
    return made.model_copy(update={"submission": submission, "questions": questions})


def visible(html: str) -> str:
    """What people see or hear of a page, shapes' names apart."""
    body = re.sub(r"<style>.*?</style>|aria-hidden=\"true\"><title>.*?</title>", "", html, flags=re.DOTALL)
    spoken = re.findall(r'(?:aria-label|alt)="([^"]*)"', body)
    return unescape("\n".join([re.sub(r"<[^>]*>", "", body), *spoken]))


def untranslated(text: str) -> list[str]:
    """Words outside brackets that are not data."""
    outside, before = text, ""
    while outside != before:
        outside, before = re.sub(r"⟦[^⟦⟧]*⟧", " ", outside), outside
    return [word for word in re.findall(r"[\w.]*[A-Za-z]{2,}[\w.]*", outside) if OWN not in word.lower()]


@pytest.mark.parametrize("kind", ["whole", "failed", "empty", "full"])
def test_every_word_of_the_student_s_report_is_translated(kind: str, bracketed: Presentation) -> None:
    graded = {
        "whole": of_every_kind,
        "failed": lambda: of_every_kind().model_copy(update={"error": "zz"}),
        "empty": lambda: of_every_kind().model_copy(update={"submission": EMPTY, "items": (), "pending": Decimal(0)}),
        "full": lambda: of_every_kind().model_copy(update={"score": Decimal(9), "max_score": Decimal(9)}),
    }[kind]()
    for make in (render.student_html, render.student_page):
        page = make(graded, presentation=bracketed)
        assert untranslated(visible(page)) == []
        assert '<html lang="xx"' in page


def test_numbers_and_days_are_written_as_in_the_language(bracketed: Presentation) -> None:
    html = render.student_html(of_every_kind(), presentation=bracketed)
    for shown in ("1,25 / 2,5", "−2,5", "80,5", "31/01/2024"):
        assert shown in html
    assert not re.search(r"\d\.\d", visible(html))


def test_messages_are_said_and_plain_words_are_not() -> None:
    told = say("{count:,} parameters were counted.", count=1234)
    view = student_view(result(items=[item(found="Correct", feedback=told)]), language=Bracketed("xx"))
    (shown,) = view.sections[0].items
    assert shown.feedback == "⟦1,234 parameters were counted.⟧"


def test_a_value_inside_a_sentence_is_escaped_and_made_harmless() -> None:
    html = render.student_html(result("a\u202eb\x00<i>", name=""))
    title = html.split("<title>")[1].split("</title>")[0]
    assert title.endswith("ab\ufffd&lt;i&gt;")


def test_english_is_the_language_of_plain_reports() -> None:
    assert language_of(Presentation().language).say(say("Correct")) == "Correct"
    assert '<html lang="en">' in render.student_html(result())
