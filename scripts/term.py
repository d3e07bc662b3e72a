"""A term of a large course, played from the download to the upload in the forms of four course systems.

`python -m scripts.term [--students 150] [--systems moodle,canvas] [--reports moodle] [--jobs 2]` makes up a class (two
of one name, names with accents and commas, some who hand in nothing, some late, two who ask for another look), hands in
variants of the sample hand-ins, and runs the commands that a course runs. It reads each file back as the system would,
and fails where a grade is not the student's own, a command does not say what to do next, or a step takes more than five
seconds, besides grading and the making of reports.
"""

import argparse
import csv
import io
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from scripts.measured import Measured, measured

ROOT: Final = Path(__file__).parents[1]
LONGEST: Final = 5.0
"""In seconds: a step besides grading and the making of reports."""
GRADING: Final = ("grade", "regrade")
SAMPLES: Final = ("student-01", "student-02", "student-03", "student-04", "student-05", "student-11")
_FIRST: Final = ("Ada", "Zoé", "Jan", "Noor", "Wei", "Ülkü", "Pat", "Ines", "Luc", "Aoife", "Bo", "Chidi")
_LAST: Final = ("Byron", "Martin", "Novak", "O'Brien", "Šťastná", "de la Cruz", "Nguyễn", "Smith-Jones", "Kaya", "Roy")
_DUE: Final = "2026-11-21T23:59:00+01:00"


class Student(NamedTuple):
    """Somebody of the class, as all systems know them. `late` in hours; `sample` is None for who hands in nothing."""

    place: int
    first: str
    last: str
    sample: str | None
    late: int

    @property
    def name(self) -> str:
        """First name first."""
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        """An address of their own."""
        return f"student{self.place}@example.org"

    @property
    def number(self) -> str:
        """The school's number, with leading zeros."""
        return f"{20_000 + self.place:08}"


@dataclass
class Played:
    """What one system's term took by step, and what was not as it should be."""

    system: str
    steps: dict[str, Measured] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


class Course(NamedTuple):
    """The forms of a system: what it lets staff download, the list that grades go into, and how both are used."""

    download: Callable[[list[Student], Path], Path]
    own_list: Callable[[list[Student]], str]
    grade: tuple[str, ...]
    export: tuple[str, ...]
    read: Callable[[str], dict[str, str]]
    absent: dict[str, str]
    feedback: str = ""
    roster: str = "class.csv"


def made_class(number: int) -> list[Student]:
    """A class of so many; every tenth hands in nothing, every twelfth is late, the third and fourth have one name."""
    people: list[Student] = []
    for place in range(number):
        first, last = _FIRST[place % len(_FIRST)], f"{_LAST[place % len(_LAST)]} {_letters(place)}"
        if place == 3:
            first, last = people[2].first, people[2].last
        absent = place % 10 == 9
        sample = None if absent else SAMPLES[place % len(SAMPLES)]
        people.append(Student(place, first, last, sample, 5 if place % 12 == 7 else 0))
    return people


def files_of(student: Student) -> dict[str, bytes]:
    """What somebody hands in: a sample's report with their name under it, and its notebooks."""
    folder = ROOT / "submissions" / str(student.sample)
    files = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    report = next(name for name in files if name.startswith("report."))
    return {**files, report: files[report] + f"\n\nHanded in by {student.name}.\n".encode()}


def play(system: str, people: list[Student], folder: Path, *, reports: bool, jobs: int) -> Played:
    """One system's term in an empty folder."""
    course, played = COURSES[system], Played(system)
    download = course.download([one for one in people if one.sample], folder)
    (folder / "list.csv").write_text(course.own_list(people), encoding="utf-8")
    (folder / "class.csv").write_text(_roster(people), encoding="utf-8")

    def step(name: str, *arguments: str) -> str:
        step = measured([sys.executable, "-m", "grader", *arguments], folder)
        if step.done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(arguments)}: {step.done.stderr}{step.done.stdout}")
        played.steps[name] = step
        told = step.done.stdout + step.done.stderr
        if not re.search(r"^Next: ", told, re.MULTILINE):
            played.wrong.append(f"{name} does not say what to do next")
        return told

    lateness = ["--deadline", _DUE, *course.grade]
    graded = [str(download), "--roster", course.roster, *lateness, "--jobs", str(jobs)]
    step("grade", *graded, *([] if reports else ["--no-reports"]))
    results = _results(folder)
    if len(results) != sum(one.sample is not None for one in people):
        played.wrong.append(f"{len(results)} results")
    queue = step("review", "review", "graded")
    group = max(re.findall(r"^([0-9a-f]+)  \S+  (\d+) answers?,", queue, re.MULTILINE), key=lambda one: int(one[1]))
    decided = step("decide", "review", "graded", "--set", f"{group[0]}=correct", "--why", "As said in class.")
    if f"for {group[1]} of the answers" not in decided:
        played.wrong.append(f"decide: {decided}")
    asked = [one for one in people if one.sample][:2]
    rows = "".join(f"{one.email},q2.r,Please look at page {place}\n" for place, one in enumerate(asked))
    (folder / "asked.csv").write_text(f"Email,Item,Reason\n{rows}", encoding="utf-8")
    told = step("requests", "requests", "graded", "--import", "asked.csv")
    if "2 requests taken in" not in told:
        played.wrong.append(f"requests: {told}")
    step("answer", "requests", "graded", "--answer", "1", "--text", "Seen.", "--verdict", "correct")
    step("finish", "finish", "graded")
    step("history", "history", "--out", "graded")
    step("diff", "diff", "--out", "graded")
    step("regrade", "regrade", "graded", "--only", "q2.r", "--jobs", str(jobs))
    final = _results(folder)
    for choice, cell in course.absent.items():
        name = f"export, absent {choice}"
        target = f"{choice}.csv"
        into = ["--into", "list.csv", "--pending", "score", "--absent", choice, "--out", target]
        step(name, "export", *course.export, "graded", *into)
        written = course.read((folder / target).read_text(encoding="utf-8-sig"))
        _compare(written, people, final, cell, 5 if system == "prairielearn" else 1, played)
    if course.feedback and reports:
        step("feedback", "export", course.feedback, "graded", "--out", "feedback.zip")
        _look_at_feedback(folder / "feedback.zip", len(results), played)
    long = {*GRADING, "finish"} if reports else {*GRADING}
    slow = {name: one.seconds for name, one in played.steps.items() if name not in long and one.seconds > LONGEST}
    played.wrong += [f"{name} took {took:.1f} s" for name, took in slow.items()]
    return played


def _compare(
    written: dict[str, str], people: list[Student], results: dict[str, float], absent: str, by: int, played: Played
) -> None:
    """Each student's cell against the student's own result times `by`; `absent` stands for who handed nothing in."""
    for one in people:
        cell = written.get(one.email, "")
        wanted = results.get(one.email, 0.0) * by
        is_right = cell == absent if one.sample is None else cell != "" and abs(float(cell) - wanted) <= 0.011
        if not is_right:
            played.wrong.append(f"{one.name} ({one.email}): {cell!r}, not {absent if one.sample is None else wanted}")


def _look_at_feedback(path: Path, number: int, played: Played) -> None:
    with zipfile.ZipFile(path) as archive:
        sizes = [entry.file_size for entry in archive.infolist()]
    if len(sizes) != number or max(sizes) > 200_000:
        played.wrong.append(f"feedback: {len(sizes)} files, the largest {max(sizes)} bytes")


def _results(folder: Path) -> dict[str, float]:
    """The scores by e-mail address; the roster says whose is whose."""
    found = {}
    for path in (folder / "graded").glob("*/result.json"):
        data = json.loads(path.read_bytes())
        identity = data["student"]["identity"] or {}
        found[identity.get("email") or identity.get("login") or path.parent.name] = float(data["score"])
    return found


def _moodle(people: list[Student], folder: Path) -> Path:
    path = folder / "ML-Lab 4-123.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for one in people:
            for name, content in files_of(one).items():
                archive.writestr(f"{one.name}_{7000 + one.place}_assignsubmission_file/{name}", content)
    return path


def _canvas(people: list[Student], folder: Path) -> Path:
    """Canvas keeps of a name what is a letter or a digit, the last name first."""
    path = folder / "submissions.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for one in people:
            bare = "".join(char for char in f"{one.last}{one.first}".lower() if char.isalnum())
            late = "LATE_" if one.late else ""
            for number, (name, content) in enumerate(files_of(one).items()):
                archive.writestr(f"{bare}_{late}{500 + one.place}_{90_000 + 20 * one.place + number}_{name}", content)
    return path


def _gradescope(people: list[Student], folder: Path) -> Path:
    path = folder / "assignment_4_export.zip"
    told = []
    with zipfile.ZipFile(path, "w") as archive:
        for one in people:
            entry = f"submission_{300 + one.place}"
            told.append(
                f"{entry}:\n  :submitters:\n  - :name: {json.dumps(one.name)}\n    :sid: '{one.number}'\n"
                f"    :email: {one.email}\n  :created_at: {_time(one)}\n  :score: 0.0\n  :status: processed\n"
            )
            for name, content in files_of(one).items():
                archive.writestr(f"assignment_4_export/{entry}/{name}", content)
        archive.writestr("assignment_4_export/submission_metadata.yml", "---\n" + "".join(told))
    return path


def _prairielearn(people: list[Student], folder: Path) -> Path:
    path = folder / "files_for_manual_grading.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for one in people:
            for name, content in files_of(one).items():
                archive.writestr(f"Lab4/{one.email}_{one.number}_nlp_{800 + one.place}_{name}", content)
    return path


def _roster(people: list[Student]) -> str:
    rows = [[one.number, one.email, one.first, one.last] for one in people]
    return _csv([["number", "email", "first name", "last name"], *rows])


def _worksheet(people: list[Student]) -> str:
    head = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed"]
    head += ["Last modified (submission)", "Last modified (grade)"]
    rows = [
        [f"Participant {7000 + one.place}", one.name, one.email, "Submitted", "", "20.00", "Yes", _time(one), "-"]
        for one in people
    ]
    return _csv([head, *rows])


def _canvas_list(people: list[Student]) -> str:
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lab 4 (55)", "Final Score"]
    rows = [[f"{one.last}, {one.first}", str(500 + one.place), one.number, one.email, "A", "", "0"] for one in people]
    return _csv([head, ["    Points Possible", "", "", "", "", "20", "(read only)"], *rows])


def _gradescope_list(people: list[Student]) -> str:
    """Gradescope's grades go on into another system: Moodle's *Import grades* here."""
    return _csv([["First name", "Last name", "Email address"], *([one.first, one.last, one.email] for one in people)])


def _prairielearn_list(people: list[Student]) -> str:
    head = ["uid", "qid", "old_score_perc", "submission_id", "partial_scores", "score_perc", "feedback"]
    return _csv([head, *([one.email, "nlp", "", str(800 + one.place), "", "", ""] for one in people)])


def _column(key: str, value: str) -> Callable[[str], dict[str, str]]:
    def read(text: str) -> dict[str, str]:
        rows = list(csv.DictReader(io.StringIO(text)))
        return {row[key]: row[value] for row in rows if row[key] and not row[key].startswith("    ")}

    return read


def _csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _time(student: Student) -> str:
    return "2026-11-22T04:59:00+01:00" if student.late else "2026-11-21T20:00:00+01:00"


def _letters(number: int) -> str:
    return chr(65 + number // 26) + chr(65 + number % 26).lower()


COURSES: Final = {
    "moodle": Course(
        _moodle, _worksheet, ("--times", "list.csv"), ("moodle-worksheet",), _column("Email address", "Grade"),
        {"zero": "0", "blank": ""}, "moodle-feedback",
    ),
    "canvas": Course(
        _canvas, _canvas_list, (), ("canvas",), _column("SIS Login ID", "Lab 4 (55)"),
        {"zero": "0", "blank": "", "excused": "EX"}, "canvas-feedback", "list.csv",
    ),
    "gradescope": Course(
        _gradescope, _gradescope_list, (), ("moodle-grades",), _column("Email address", "Grade"),
        {"zero": "0", "blank": ""},
    ),
    "prairielearn": Course(
        _prairielearn, _prairielearn_list, (), ("prairielearn",), _column("uid", "score_perc"),
        {"zero": "0", "blank": ""},
    ),
}  # fmt: skip


def main(arguments: list[str]) -> int:
    """Play the terms; the exit status is 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=150)
    parser.add_argument("--systems", default=",".join(COURSES))
    parser.add_argument("--reports", default="moodle", help="systems whose reports are made")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    people = made_class(given.students)
    wrong = False
    for system in given.systems.split(","):
        with tempfile.TemporaryDirectory() as folder:
            reports = system in given.reports.split(",")
            played = play(system, people, Path(folder), reports=reports, jobs=given.jobs)
        times = ", ".join(f"{name} {one.clock:.1f} s ({one.processor:.1f})" for name, one in played.steps.items())
        print(f"{system}: {times}", flush=True)
        for problem in played.wrong[:20]:
            print(f"  wrong: {problem}", flush=True)
        wrong = wrong or bool(played.wrong)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
