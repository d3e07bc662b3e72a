"""Grades one hand-in inside a course system, with the same lab and sandbox as elsewhere.

A workflow in a student's repository can be read and changed by the student, and so can all that it fetches; the truth
and the points therefore stay in a private repository of the course.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import ValidationError

from grader.frozen import Frozen
from grader.intake.names import printable, read_time, safe_id
from grader.intake.submission import Identity, Source
from grader.lab.definition import Lab
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.lab.short_answers import MODEL
from grader.packages.students import PROJECT, grader_wheel, packaged, students_package, wheel_name
from grader.pipeline.classroom import grade_alone
from grader.pipeline.order import Circumstances, Order
from grader.report.resources import Presentation
from grader.result import Result
from grader.scoring import Extension, lateness

LAB: Final = "lab"
"""The folder of a package that holds the lab."""
SETTINGS: Final = "settings.json"
_READ: Final = ("lab.toml", "truth.json", "decisions.toml", "templates.toml")
LARGEST_METADATA: Final = 64 * 2**20

Visibility = Literal["visible", "after_due_date", "after_published", "hidden"]


class Settings(Frozen):
    """The instructor's choices when the package was made. `visibility`: when students see points and proofs; what was
    read is always visible."""

    language: str = "en"
    visibility: Visibility = "after_published"


class Deadline(NamedTuple):
    """The system's times: of submission, of the deadline, and of this student's own deadline."""

    submitted_at: datetime | None = None
    due: datetime | None = None
    extended: datetime | None = None
    time_from: str = ""


def lab_files(folder: Path) -> dict[str, bytes]:
    """The files of a lab that grading reads, by name, including those of the lab whose answer model it shares."""
    lab = load_lab(folder)
    load_truth(folder)
    files = {name: (folder / name).read_bytes() for name in (*_READ, MODEL) if (folder / name).is_file()}
    if lab.short_answers and lab.short_answers.like:
        beside = lab_folder(lab.short_answers.like, beside=folder)
        for name in ("lab.toml", MODEL):
            if (beside / name).is_file():
                files[f"{lab.short_answers.like}/{name}"] = (beside / name).read_bytes()
    return files


def settings_in(folder: Path) -> Settings:
    """The settings of a package; the defaults where they cannot be read."""
    try:
        return Settings.model_validate_json((folder / SETTINGS).read_bytes())
    except (OSError, ValidationError):
        return Settings()


def graded_upload(
    folder: Path, lab_at: Path, settings: Settings, *, who: Identity | None = None, times: Deadline | None = None
) -> tuple[Lab, Result]:
    """The lab, and the result of the hand-in in a folder. Raises LabError, LanguageError."""
    lab, truth = load_lab(lab_at), load_truth(lab_at)
    known = times or Deadline()
    name = who.name if who else ""
    source = Source(
        student_id=safe_id(name or "student"),
        student_name=printable(name),
        path=folder,
        identity=who,
        submitted_at=known.submitted_at,
        time_from=known.time_from,
    )
    policy = lab.late.model_copy(update={"deadline": known.due or lab.late.deadline})
    extension = Extension(until=known.extended) if known.extended else None
    late = lateness(policy, known.submitted_at, time_from=known.time_from, extension=extension)
    order = Order(
        sources=(source,),
        lab=lab,
        truth=truth,
        with_reports=False,
        with_readings=False,
        circumstances={source.student_id: Circumstances(lateness=late)},
        presentation=Presentation(language=settings.language),
    )
    return lab, grade_alone(order)


def json_file(path: Path) -> Mapping[str, Any]:
    """The object in a JSON file of the system; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            data = json.loads(file.read(LARGEST_METADATA))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def object_in(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under a key; empty if there is none."""
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def text_in(data: Mapping[str, Any], key: str) -> str:
    """The text or number under a key, as text."""
    found = data.get(key)
    return printable(str(found)) if isinstance(found, str | int) and not isinstance(found, bool) else ""


def time_in(data: Mapping[str, Any], key: str) -> datetime | None:
    """The time with zone under a key; None if there is none."""
    time = read_time(text_in(data, key))
    return time if time and time.tzinfo else None


def github_files(lab: Lab, lab_files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Two folders: one to put into the template repository, one into a private repository of the course."""
    check = {name: content for name, content in students_package(lab).items() if name.endswith(".whl")}
    return {
        "template/.github/workflows/check.yml": packaged("github-check.yml"),
        "template/.check/check.sh": packaged("github-check.sh"),
        **{f"template/.check/{name}": content for name, content in check.items()},
        "course/.github/workflows/grade.yml": packaged("github-grade.yml"),
        "course/grader/fetch.sh": packaged("github-fetch.sh"),
        "course/grader/grade.sh": packaged("github-grade.sh"),
        f"course/grader/{wheel_name(PROJECT)}": grader_wheel(),
        **{f"course/grader/{LAB}/{path}": content for path, content in lab_files.items()},
    }
