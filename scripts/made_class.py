"""Classes made up for trying the review page and for measuring: results of any number of students, a third of their
items left open, and small hand-ins of any number of students.
"""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from random import Random

from grader.claims.likeness import KEPT
from grader.lab.definition import Item, Lab
from grader.lab.files import lab_folder, load_lab
from grader.report.pictures import Picture
from grader.report.render import student_page
from grader.result import (
    Average,
    Evidence,
    Flag,
    GradedFile,
    ItemResult,
    LabReference,
    QuestionScore,
    Result,
    SeriesPrint,
    Severity,
    Status,
    Student,
    SubmissionRecord,
    TextPrint,
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
                result, {(item.id, "report.pdf", 1, _BOX): Picture(_png(), 160, 24) for item in result.items}
            )
            (folder / "report.html").write_text(page, encoding="utf-8")


_TEMPLATES = 300
_ID, _NAME, _SHA = "made-template", "Made Template", "f" * 64
_SKETCH = "0123abcd" * KEPT
_OWN, _COMMON, _OWNERS = 150, 106, 15
"""Of the hashes of a text, those that nobody shares, and those that about so many texts do."""


def made_results(students: int) -> Iterator[tuple[str, bytes]]:
    """Ids and results as JSON, quickly: a few hundred made-up results with other names, hashes and texts. Texts share
    phrases as those of a class do, and one in twenty is another one's with some words changed."""
    from numpy import concatenate, sort
    from numpy.random import default_rng

    lab, chance, numbers = shipped_lab(), Random(_SEED), default_rng(_SEED)  # noqa: S311  # no secret
    templates = [_with_more(_result(lab, _ID, chance), chance).to_json() for _ in range(_TEMPLATES)]
    phrases = numbers.integers(0, 2**32, max(students * _COMMON // _OWNERS, _COMMON))
    last = phrases[:_COMMON]
    for number in range(students):
        common = phrases[numbers.integers(0, len(phrases), _COMMON)]
        hashes = concatenate([numbers.integers(0, 2**32, _OWN), common])
        if number % 20 == 19:
            hashes[: KEPT * 2 // 3] = last[: KEPT * 2 // 3]
        last = hashes
        sketch = "".join(f"{entry:08x}" for entry in sort(hashes))
        student = f"made-{number:06}"
        text = chance.choice(templates).replace(_ID, student).replace(_NAME, student.replace("-", " ").title())
        text = text.replace(_SHA, f"{number:064x}").replace(_SKETCH, sketch)
        yield student, text.encode()


def add_stages(out: Path) -> None:
    """Put what grading keeps beside every made-up result in a folder, as if all had handed in the same short page."""
    from tempfile import TemporaryDirectory

    from grader.intake.layouts import find_all_sources
    from grader.intake.opening import open_submission
    from grader.lab.files import load_truth
    from grader.pipeline.one import stages
    from grader.pipeline.stages import basis_of, kept_stages

    lab, truth = shipped_lab(), load_truth(lab_folder(LAB))
    basis = basis_of(lab, truth)
    with TemporaryDirectory() as folder:
        made_hand_ins(Path(folder, "class"), 1)
        ((source,), _) = find_all_sources([Path(folder, "class", "made-000000")])
        (Path(folder) / "work").mkdir()
        found = stages(open_submission(source, Path(folder, "work")), lab, truth)
        for path in out.glob("made-*/result.json"):
            sha256 = Result.from_json(path.read_bytes()).submission.sha256
            for name, content in kept_stages(found, sha256, basis).items():
                path.with_name(name).write_bytes(content)


def _with_more(result: Result, chance: Random) -> Result:
    """The result with what students are compared by."""
    prints = tuple(
        SeriesPrint(
            experiment=experiment,
            seed=seed,
            split="valid",
            points=5,
            values=f"{experiment}{seed}{chance.randrange(4)}",
        )
        for experiment in ("pretrained", "random", "huggingface")
        for seed in range(3)
    )
    averages = tuple(
        Average(experiment=start, split="test", value=round(chance.gauss(79, 2), 2))
        for start in ("pretrained", "random")
    )
    flags = tuple(
        Flag(id=id_, severity=Severity.INFO, message=f"This is seen in {chance.randrange(90)}.")
        for id_ in ("arithmetic", "std-unit", "log-damaged")
        if chance.random() < 0.2
    )
    return result.model_copy(
        update={
            "series": prints,
            "averages": averages,
            "flags": flags,
            "prose": TextPrint(runs=KEPT, sketch=_SKETCH),
            "submission": result.submission.model_copy(update={"sha256": _SHA}),
        }
    )


_TOTALS = ("22,807,552", "22829056", "22.8M", "22 819 840", "23,124,736", "21,000,000")
_PARTS = (
    "The embedding has 32000 * 512 = 16384000 parameters and the positions 258 * 512 = 132096.",
    "Attention takes 4 * 512 * 512 = 1048576 in each layer, the feed-forward part 2 * 512 * 512 = 524288.",
    "I counted all weights with a program and left out the biases.",
)
_DEFINITIONS = (
    "r: the rank of the two matrices that are added to the frozen weights.",
    "lora_alpha: the update is scaled by alpha / r.",
    "lora_dropout: the share of inputs of the adapter that are dropped in training.",
    "bias: which biases are trained; none here.",
    "task_type: the model predicts the next token.",
    "target_modules: where the adapters go, here query_key_value.",
)


def made_hand_ins(out: Path, students: int) -> None:
    """Write small hand-ins, a page of Markdown each: right and wrong counts, averages and definitions."""
    chance = Random(_SEED)  # noqa: S311  # no secret
    for number in range(students):
        folder = out / f"made-{number:06}"
        folder.mkdir(parents=True)
        (folder / "report.md").write_text(_sheet(number, chance), encoding="utf-8")


def _sheet(number: int, chance: Random) -> str:
    lines = [f"# Lab 4\n\nHand-in {number}.\n\n## Question 1", *chance.sample(_PARTS, 2)]
    lines.append(f"The total is {chance.choice(_TOTALS)} parameters.\n\n## Task 3")
    for name, middle in (("pretrained model", 79.3), ("random model", 66.5)):
        values = [round(chance.gauss(middle, 1) * 20) / 20 for _ in range(3)]
        mean = sum(values) / 3 + chance.choice((0, 0, 0, 1.5))
        lines.append(f"Test accuracies of the {name} over three seeds: {', '.join(map(str, values))}; mean {mean:.2f}.")
    lines += ["\n## Question 2", *chance.sample(_DEFINITIONS, 4)]
    return "\n\n".join(lines)


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
