"""Gradescope's autograder and PrairieLearn's external grader: the files to pack, and what these systems start
(`python -m grader.packages.autograders SYSTEM ROOT`).

Gradescope's layout and formats: https://gradescope-autograders.readthedocs.io/en/latest/specs/. The zip is unpacked to
`/autograder/source`, the hand-in lies in `/autograder/submission`, `/autograder/submission_metadata.json` tells who and
when, and `/autograder/results/results.json` is read back.

PrairieLearn's layout and formats: https://docs.prairielearn.com/externalGrading/. The hand-in lies in `/grade/student`,
the question's `tests` in `/grade/tests`, and `/grade/results/results.json` is read back. `/grade/results` is ours to
make.

A hand-in is graded there with the same lab and sandbox as elsewhere. A workflow in a student's repository can be read
and changed by the student, and so can all that it fetches; the truth and the points therefore stay in a private
repository of the course.
"""

from grader.own_code import use_only_installed_code

if __name__ == "__main__":
    use_only_installed_code()

import json
import sys
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from html import escape
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, NamedTuple

from pydantic import ValidationError

from grader.frozen import Frozen
from grader.gradebook.exports.autograders import grading_json, results_data
from grader.intake.names import printable, read_time, safe_id
from grader.intake.submission import Identity, Member, Source
from grader.lab.definition import Lab
from grader.lab.files import LabError, lab_folder, lab_folders, load_lab, load_truth, seen_by_students
from grader.lab.short_answers import MODEL
from grader.message import PERSON_DECIDES, Language, language_of, say
from grader.packages.students import PROJECT, grader_wheel, packaged_file, students_package, wheel_name
from grader.pipeline.classroom import grade_alone
from grader.pipeline.order import Circumstances, Order
from grader.pipeline.outputs import write_atomically
from grader.pipeline.soundness import MARK, mark_of, sound_lab
from grader.report.resources import Presentation
from grader.result import Result
from grader.scoring import Extension, lateness
from grader.selfcheck.lines import lines
from grader.selfcheck.look import Look, UnseenError, look_at, why_unseen

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
    """The files of a lab that grading reads, by name, including those of the lab whose answer model it shares, and the
    mark that the lab is sound. Raises LabError where it is not."""
    lab, truth = sound_lab(folder)
    files = {name: (folder / name).read_bytes() for name in (*_READ, MODEL) if (folder / name).is_file()}
    below = PurePosixPath()
    for edition, base in pairwise(lab_folders(folder)):
        # A lab is sought below the folder of its edition first, so that it is found there by the same name.
        extended = PurePosixPath(load_lab(edition).extends)
        if extended.is_absolute() or ".." in extended.parts:
            problem = f"`extends`: a package cannot hold {str(extended)!r}; put that lab below the folder of this one."
            raise LabError(f"{edition / 'lab.toml'}: {problem}")
        below /= extended
        for file_name in ("lab.toml", "templates.toml", MODEL):
            if (base / file_name).is_file():
                files[str(below / file_name)] = (base / file_name).read_bytes()
    if lab.short_answers and lab.short_answers.like:
        beside = lab_folder(lab.short_answers.like, beside=folder)
        for name in ("lab.toml", MODEL):
            if (beside / name).is_file():
                files[f"{lab.short_answers.like}/{name}"] = (beside / name).read_bytes()
    files[MARK] = mark_of(lab, truth, folder).encode() + b"\n"
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
    known_deadline = times or Deadline()
    name = who.name if who else ""
    source = Source(
        student_id=safe_id(name or "student"),
        student_name=printable(name),
        path=folder,
        identity=who,
        submitted_at=known_deadline.submitted_at,
        time_from=known_deadline.time_from,
    )
    policy = lab.late.model_copy(update={"deadline": known_deadline.due or lab.late.deadline})
    extension = Extension(until=known_deadline.extended) if known_deadline.extended else None
    late = lateness(policy, known_deadline.submitted_at, time_from=known_deadline.time_from, extension=extension)
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
        "template/.github/workflows/check.yml": packaged_file("github-check.yml"),
        "template/.check/check.sh": packaged_file("github-check.sh"),
        **{f"template/.check/{name}": content for name, content in check.items()},
        "course/.github/workflows/grade.yml": packaged_file("github-grade.yml"),
        "course/grader/fetch.sh": packaged_file("github-fetch.sh"),
        "course/grader/grade.sh": packaged_file("github-grade.sh"),
        f"course/grader/{wheel_name(PROJECT)}": grader_wheel(),
        **{f"course/grader/{LAB}/{path}": content for path, content in lab_files.items()},
    }


METADATA: Final = "submission_metadata.json"
EXECUTABLE: Final = ("setup.sh", "run_autograder")
_LONGEST: Final = 60_000
"""Characters shown of what was read."""


def gradescope_files(
    lab_files: Mapping[str, bytes], settings: Settings, wheels: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    """The files of the autograder's zip; `setup.sh` and `run_autograder` are to be executable. With `wheels` of all
    dependencies, by their names, no network is needed when the image is built."""
    return {
        "setup.sh": packaged_file("gradescope-setup.sh"),
        "run_autograder": packaged_file("gradescope-run.sh"),
        "settings.json": settings.model_dump_json(indent=1).encode() + b"\n",
        wheel_name(PROJECT): grader_wheel(),
        **{f"{LAB}/{path}": content for path, content in lab_files.items()},
        **{f"wheels/{name}": content for name, content in (wheels or {}).items()},
    }


def run_gradescope(root: Path) -> None:
    """Grade the hand-in below a root laid out as Gradescope does, and write `results/results.json`."""
    source, metadata = root / "source", json_file(root / METADATA)
    settings = settings_in(source)
    try:
        # Of several submitting students, the latest due date counts.
        users = metadata.get("users")
        due_dates = [
            time
            for user in (users if isinstance(users, list) else ())
            if isinstance(user, dict) and (time := time_in(object_in(user, "assignment"), "due_date"))
        ]
        due = time_in(object_in(metadata, "assignment"), "due_date")
        extended = max(due_dates, default=None)
        lab, result = graded_upload(
            root / "submission",
            source / LAB,
            settings,
            who=_gradescope_identity(metadata),
            times=Deadline(
                submitted_at=time_in(metadata, "created_at"),
                due=due,
                extended=extended if extended and due and extended > due else None,
                time_from="Gradescope",
            ),
        )
        language = language_of(result.language)
        data = results_of(result, settings, _read(root / "submission", seen_by_students(lab), language))
    except Exception as error:  # a student must never see a failure of the grader as an unexplained zero
        data = unreadable(error, language_of(settings.language))
    content = (json.dumps(data, ensure_ascii=False) + "\n").encode("utf-8", errors="replace")
    (root / "results").mkdir(exist_ok=True)
    write_atomically(root / "results" / "results.json", content)


def results_of(result: Result, settings: Settings, read: str) -> dict[str, Any]:
    """The content of `results.json`: what was read is always visible; points and proofs when the settings allow it.
    While they are hidden, Gradescope shows the total to staff only."""
    language = language_of(result.language)
    data = results_data(result, settings.visibility)
    shown = settings.visibility == "visible"
    summary = "".join(_summary(result, language))
    report = {
        "name": language.say(say("Report")),
        "output": summary,
        "output_format": "html",
        "visibility": settings.visibility,
    }
    output = f"<pre>{escape(read)}</pre>"
    data |= {
        "output": summary + output if shown else output,
        "output_format": "html",
        "tests": data["tests"] if shown else [report, *data["tests"]],
        "visibility": "visible",
    }
    return data


def unreadable(error: Exception, language: Language) -> dict[str, Any]:
    """The content of `results.json` when the grader failed. Gradescope requires a score; the text says that it is
    none."""
    message = say(
        "The grader failed, through no fault of yours. This is no grade: a person will grade your submission."
    )
    test = {"name": language.say(say("Pending review")), "output": language.say(PERSON_DECIDES)}
    return {
        "score": 0.0,
        "output": language.say(message),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [{**test, "visibility": "visible"}],
        "extra_data": {"error": f"{type(error).__name__}: {error}"[:500], "needs_review": True},
    }


def _summary(result: Result, language: Language) -> Iterator[str]:
    """The report in a few lines of plain HTML: total, what awaits a person, questions."""

    def translated(text: str) -> str:
        return escape(language.say(text))

    total = say("{score:f} of {maximum:f} points.", score=result.score.normalize(), maximum=result.max_score)
    yield f"<h3>{translated(total)}</h3>"
    if result.pending:
        waits = say(
            "{points:f} points are pending review: they are neither earned nor lost.", points=result.pending.normalize()
        )
        yield f"<p><strong>{translated(waits)}</strong></p>"
    if result.lateness and result.late_penalty:
        yield f"<p>{escape(result.lateness.text)}</p>"
    if result.error:
        yield f"<p>{translated(say('The grader failed here.'))} {translated(PERSON_DECIDES)}</p>"
    yield "<ul>"
    for question in result.questions:
        points = say("{score:f} of {maximum:f}", score=question.score, maximum=question.max_score)
        open_ = say(" ({points:f} for a person to decide)", points=question.pending) if question.pending else ""
        yield f"<li>{escape(question.title)}: {translated(points)}{translated(open_)}</li>"
    yield "</ul>"


def _read(folder: Path, lab: Any, language: Language) -> str:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="check-", ignore_cleanup_errors=True) as work:
        try:
            found = look_at(Look((folder,), lab, language.code, Path(work)))
        except UnseenError as error:
            return language.say(why_unseen(error.args[0]))
    return "\n".join(lines(found, language))[:_LONGEST]


def _gradescope_identity(metadata: Mapping[str, Any]) -> Identity | None:
    users = metadata.get("users")
    people = [user for user in users if isinstance(user, dict)] if isinstance(users, list) else []
    members = tuple(
        Member(name=text_in(person, "name"), email=text_in(person, "email"), number=text_in(person, "sid"))
        for person in people
    )
    if not members:
        return None
    name = " + ".join(member.name or member.email for member in members)
    if len(members) > 1:
        return Identity(name=name, members=members)
    return Identity(name=name, email=members[0].email, number=members[0].number)


IMAGE: Final = "lab-grader"
ENTRY: Final = "/usr/local/bin/grade-upload"
_SECONDS: Final = 120
_NAMESPACE: Final = uuid.UUID("6f0b3f62-7c1e-5b0e-9a53-2d3f2c0f4f6a")
_PATTERNS: Final = "*.zip, *.ipynb, *.py, *.txt, *.log, *.json, *.tex, *.md, *tfevents*"


def prairielearn_files(lab: Lab, lab_files: Mapping[str, bytes], settings: Settings, registry: str) -> dict[str, bytes]:
    """A question's folder, and a folder from which its image is built."""
    question = f"questions/{lab.id}"
    image = f"{registry.rstrip('/')}/{IMAGE}" if registry else IMAGE
    data = {
        "uuid": str(uuid.uuid5(_NAMESPACE, lab.id)),
        "title": lab.title,
        "topic": "Labs",
        "type": "v3",
        "singleVariant": True,
        "gradingMethod": "External",
        "externalGradingOptions": {"enabled": True, "image": image, "entrypoint": ENTRY, "timeout": _SECONDS},
    }
    info = (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()
    return {
        f"{question}/info.json": info,
        f"{question}/question.html": _page(lab, language_of(settings.language)).encode(),
        f"{question}/tests/settings.json": settings.model_dump_json(indent=1).encode() + b"\n",
        **{f"{question}/tests/{LAB}/{path}": content for path, content in lab_files.items()},
        "image/Dockerfile": packaged_file("prairielearn.Dockerfile"),
        "image/grade-upload": packaged_file("prairielearn-run.sh"),
        f"image/{wheel_name(PROJECT)}": grader_wheel(),
    }


def run_prairielearn(root: Path) -> None:
    """Grade the hand-in below a root laid out as PrairieLearn does, and write `results/results.json`."""
    tests = root / "tests"
    settings = settings_in(tests)
    uid = text_in(object_in(json_file(root / "data" / "data.json"), "options"), "uid")
    try:
        who = Identity(email=uid) if "@" in uid else None
        _, result = graded_upload(root / "student", tests / LAB, settings, who=who)
        content = grading_json(result)
    except Exception as error:  # a failure of the grader costs no attempt
        message = say(
            "The grader failed, through no fault of yours. No attempt is lost: a person will grade your submission."
        )
        notice = language_of(settings.language).say(message)
        data: dict[str, Any] = {"gradable": False, "format_errors": [notice], "output": f"{type(error).__name__}"}
        content = (json.dumps(data) + "\n").encode()
    (root / "results").mkdir(exist_ok=True)
    write_atomically(root / "results" / "results.json", content)


def _page(lab: Lab, language: Language) -> str:
    asked = say(
        "{lab}: hand in your report as a PDF, and your notebooks and logs, or a zip of them (5 MB in all).",
        lab=lab.title,
    )
    return f"""\
<pl-question-panel>
  <p>{escape(language.say(asked))}</p>
  <pl-file-upload file-patterns="*.pdf" optional-file-patterns="{_PATTERNS}"></pl-file-upload>
</pl-question-panel>
<pl-submission-panel>
  <pl-external-grader-results></pl-external-grader-results>
  <pl-file-preview></pl-file-preview>
</pl-submission-panel>
"""


def main(arguments: list[str]) -> int:
    """Grades the hand-in in a course system's folder; returns the exit status."""
    if len(arguments) != 2 or arguments[0] not in ("gradescope", "prairielearn"):
        print("usage: python -m grader.packages.autograders gradescope|prairielearn ROOT", file=sys.stderr)
        return 2
    system, root = arguments[0], Path(arguments[1])
    if system == "gradescope":
        run_gradescope(root)
    else:
        run_prairielearn(root)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
