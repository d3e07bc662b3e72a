"""A class made up for trying the review page: results of any number of students, a third of their items left open."""

from decimal import Decimal
from pathlib import Path
from random import Random

from grader.lab.definition import Item, Lab
from grader.lab.files import lab_folder, load_lab
from grader.report.pictures import Picture
from grader.report.render import student_page
from grader.result import (
    Evidence,
    GradedFile,
    ItemResult,
    LabReference,
    QuestionScore,
    Result,
    Status,
    Student,
    SubmissionRecord,
)

LAB = "nlp-frameworks"
_SEED = 20
_SUBJECTS = ("the rank", "the scaling", "the dropout", "the update", "the matrix", "the layer", "the adapter", "a bias")
_VERBS = ("sets", "scales", "limits", "is added to", "multiplies", "is kept in", "is dropped from", "replaces")
_REASONS = (
    ("No average was found in the text; a person looks whether a figure shows it.", Status.INCORRECT),
    ("No code was handed in, but the report mentions this.", Status.PARTIAL),
    ("It is not certain that {number} is meant.", None),
    ("Word not understood: “{word}”.", Status.CORRECT),
)
_DECIDED = (Status.CORRECT, Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING)
_BOX = (72.0, 100.0, 320.0, 112.0)


def shipped_lab() -> Lab:
    """The lab that made-up results are of."""
    return load_lab(lab_folder(LAB))


def made_class(out: Path, students: int, *, pages: int = 0) -> None:
    """Write the results of made-up students into a folder; the first ones with a report as HTML, with pictures."""
    lab = shipped_lab()
    chance = Random(_SEED)  # noqa: S311  # no secret
    for number in range(students):
        result = _result(lab, f"made-{number:04}", chance)
        folder = out / result.student.id
        folder.mkdir(parents=True)
        (folder / "result.json").write_text(result.to_json(), encoding="utf-8")
        if number < pages:
            page = student_page(
                result, {(one.id, "report.pdf", 1, _BOX): Picture(_png(), 160, 24) for one in result.items}
            )
            (folder / "report.html").write_text(page, encoding="utf-8")


def _result(lab: Lab, student: str, chance: Random) -> Result:
    items = tuple(_item(item, question.id, chance) for question in lab.questions for item in question.items)
    questions = tuple(
        QuestionScore(
            id=question.id,
            title=question.title,
            score=_sum(items, "score", question.id),
            pending=_sum(items, "pending", question.id),
            max_score=_sum(items, "max_score", question.id),
        )
        for question in lab.questions
    )
    return Result(
        schema=1,
        student=Student(id=student, name=student.replace("-", " ").title()),
        lab=LabReference(id=lab.id, title=lab.title, sha256=lab.sha256),
        truth_sha256="b" * 64,
        grader_version="0",
        submission=SubmissionRecord(
            sha256=f"{student:x<64}", files=(GradedFile(path="report.pdf", role="report", state="read"),)
        ),
        score=_sum(items, "score"),
        pending=_sum(items, "pending"),
        max_score=_sum(items, "max_score"),
        needs_review=any(item.pending for item in items),
        questions=questions,
        items=items,
    )


def _item(item: Item, question: str, chance: Random) -> ItemResult:
    words = " ".join(chance.choice(part) for part in (_SUBJECTS, _VERBS, _SUBJECTS))
    if chance.random() < 0.3:
        words = f"{words}, {chance.choice(('as', 'because', 'so that'))} {chance.choice(_SUBJECTS)} is small"
    open_ = chance.random() < 0.3
    reason, suggestion = chance.choice(_REASONS)
    status = Status.REVIEW if open_ else chance.choice(_DECIDED)
    share = {Status.CORRECT: Decimal(1), Status.PARTIAL: item.partial}.get(status, Decimal(0))
    return ItemResult(
        id=item.id,
        question=question,
        title=item.title,
        status=status,
        score=(item.points * share).quantize(Decimal("0.01")),
        pending=item.points if open_ else Decimal(0),
        max_score=item.points,
        found=words if status is not Status.MISSING else None,
        expected="What is right, and why." if open_ else None,
        truths=("made/up",) if open_ else (),
        evidence=(Evidence(file="report.pdf", page=1, box=_BOX, quote=words),) if status is not Status.MISSING else (),
        feedback="" if status is Status.CORRECT else "A person looks at this.",
        note=reason.format(number=chance.randrange(100), word=words.split()[1]) if open_ else "",
        suggestion=suggestion if open_ else None,
        finding=f"{chance.getrandbits(64):016x}",
    )


def _sum(items: tuple[ItemResult, ...], field: str, question: str = "") -> Decimal:
    return sum((getattr(item, field) for item in items if not question or item.question == question), Decimal(0))


def _png() -> bytes:
    import io

    from PIL import Image, ImageDraw

    image = Image.new("RGB", (320, 48), "white")
    ImageDraw.Draw(image).text((8, 16), "the words on the page", fill="black")
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()
