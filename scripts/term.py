"""A term of a large course, played from the download to the upload in the forms of four course systems.

`python -m scripts.term [--students 150] [--groups 30] [--systems moodle,canvas] [--reports moodle] [--jobs 2]` makes up
a class (two of one name, names with accents and commas, pairs of whom one hands in, some who hand in nothing, some
late, two who ask for another look), hands in variants of the sample hand-ins, and runs the commands that a course runs.
It reads each file back as the system would, and fails where a member's grade is not that of the hand-in, the rules of
the system would skip or change one, a command does not say what to do next, or a step takes more than five seconds,
besides grading and the making of reports.

It also prints what the queue asks of staff: decisions, keys, and minutes by a model of reading (`Staff`).
`--hand-ins FOLDER` does so for a class of real hand-ins, and fails beyond 60 decisions and 150 keys.
"""

import argparse
import csv
import io
import json
import operator
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from scripts.measured import MeasuredCommand, measure_command

ROOT: Final = Path(__file__).parents[1]
LONGEST: Final = 5.0
"""In seconds: a step besides grading and the making of reports."""
GRADING: Final = ("grade", "regrade")
SAMPLES: Final = ("student-01", "student-02", "student-03", "student-04", "student-05", "student-11")
_FIRST: Final = ("Ada", "Zoé", "Jan", "Noor", "Wei", "Ülkü", "Pat", "Ines", "Luc", "Aoife", "Bo", "Chidi")
_LAST: Final = ("Byron", "Martin", "Novak", "O'Brien", "Šťastná", "de la Cruz", "Nguyễn", "Smith-Jones", "Kaya", "Roy")
_DUE: Final = "2026-11-21T23:59:00+01:00"


class Student(NamedTuple):
    """Somebody of the class, as all systems know them. `late` in hours; `sample` is None for who hands in nothing.
    `group` is the name of a pair, or of who works alone; `by` is the place of who hands in for a pair."""

    place: int
    first: str
    last: str
    sample: str | None
    late: int
    group: str = ""
    by: int | None = None

    @property
    def hands_in(self) -> bool:
        """Whether a hand-in comes from this account."""
        return self.sample is not None and self.by in (None, self.place)

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
class TermOutcome:
    """The time of one system's term by step, the work it asked of staff, and what was not as it should be."""

    system: str
    staff: "Staff"
    steps: dict[str, MeasuredCommand] = field(default_factory=dict)
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


def made_class(number: int, groups: int = 0) -> list[Student]:
    """A class of so many, the last of them in pairs; every tenth hands in nothing, every twelfth is late, the third and
    fourth have one name."""
    people: list[Student] = []
    for place in range(number):
        first, last = _FIRST[place % len(_FIRST)], f"{_LAST[place % len(_LAST)]} {_letters(place)}"
        if place == 3:
            first, last = people[2].first, people[2].last
        absent = place % 10 == 9
        sample = None if absent else SAMPLES[place % len(SAMPLES)]
        alone = f"solo{place}" if groups else ""
        people.append(Student(place, first, last, sample, 5 if place % 12 == 7 else 0, alone))
    for pair in range(groups):
        place = number - 2 * groups + 2 * pair
        for member in (place, place + 1):
            sample = SAMPLES[pair % len(SAMPLES)]
            people[member] = people[member]._replace(group=f"pair{pair + 1}", by=place, sample=sample, late=0)
    return people


def files_of(student: Student) -> dict[str, bytes]:
    """The files that somebody hands in: a sample's report with their name under it, and its notebooks."""
    folder = ROOT / "submissions" / str(student.sample)
    files = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    report = next(name for name in files if name.startswith("report."))
    return {**files, report: files[report] + f"\n\nHanded in by {student.name}.\n".encode()}


def play(system: str, people: list[Student], folder: Path, *, reports: bool, jobs: int) -> TermOutcome:
    """One system's term in an empty folder."""
    course, played = COURSES[system], TermOutcome(system, Staff(0, 0, 0, 0.0))
    download = course.download(people, folder)
    (folder / "list.csv").write_text(course.own_list(people), encoding="utf-8")
    (folder / "class.csv").write_text(_roster(people), encoding="utf-8")

    def step(name: str, *arguments: str) -> str:
        step = measure_command([sys.executable, "-m", "grader", *arguments], folder)
        if step.done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(arguments)}: {step.done.stderr}{step.done.stdout}")
        played.steps[name] = step
        output = step.done.stdout + step.done.stderr
        if not re.search(r"^Next: ", output, re.MULTILINE):
            played.wrong.append(f"{name} does not say what to do next")
        return output

    lateness = ["--deadline", _DUE, *course.grade]
    graded = [str(download), "--roster", course.roster, *lateness, "--jobs", str(jobs)]
    step("grade", *graded, *([] if reports else ["--no-reports"]))
    results = _results(folder)
    if {*results} != {entry.email for entry in people if entry.sample}:
        played.wrong.append(f"{len(results)} people with results")
    queue = step("review", "review", "graded")
    group = max(re.findall(r"^([0-9a-f]+)  \S+  (\d+) answers?,", queue, re.MULTILINE), key=lambda entry: int(entry[1]))
    decided = step("decide", "review", "graded", "--set", f"{group[0]}=correct", "--why", "As said in class.")
    if f"for {group[1]} of the answers" not in decided:
        played.wrong.append(f"decide: {decided}")
    asked = [entry for entry in people if entry.sample][:2]
    rows = "".join(f"{entry.email},q2.r,Please look at page {place}\n" for place, entry in enumerate(asked))
    (folder / "asked.csv").write_text(f"Email,Item,Reason\n{rows}", encoding="utf-8")
    import_output = step("requests", "requests", "graded", "--import", "asked.csv")
    if "2 requests taken in" not in import_output:
        played.wrong.append(f"requests: {import_output}")
    step("answer", "requests", "graded", "--answer", "1", "--text", "Seen.", "--verdict", "correct")
    step("finish", "finish", "graded")
    step("history", "history", "--out", "graded")
    step("diff", "diff", "--out", "graded")
    step("regrade", "regrade", "graded", "--only", "q2.r", "--jobs", str(jobs))
    _export(course, people, folder, played, step)
    if course.feedback and reports:
        into = ["--into", "list.csv"] if system == "moodle" else []
        step("feedback", "export", course.feedback, "graded", *into, "--out", "feedback.zip")
        number = len(results) if system == "moodle" else sum(entry.hands_in for entry in people)
        _look_at_feedback(folder / "feedback.zip", number, played)
    played.staff = asked_of_staff(folder / "graded")
    long = {*GRADING, "finish"} if reports else {*GRADING}
    slow = {name: entry.seconds for name, entry in played.steps.items() if name not in long and entry.seconds > LONGEST}
    played.wrong += [f"{name} took {took:.1f} s" for name, took in slow.items()]
    return played


def _export(course: Course, people: list[Student], folder: Path, played: TermOutcome, step: Callable[..., str]) -> None:
    """Export for each choice about the absent, read the file back as the system would, and ask what its rules say."""
    final = _results(folder)
    for choice, cell in course.absent.items():
        target = f"{choice}.csv"
        into = ["--into", "list.csv", "--pending", "score"]
        step(f"export, absent {choice}", "export", *course.export, "graded", *into, "--absent", choice, "--out", target)
        written = course.read((folder / target).read_text(encoding="utf-8-sig"))
        _compare(written, people, final, cell, 5 if played.system == "prairielearn" else 1, played)
        check = [sys.executable, "-m", "grader", "export", *course.export, "graded", *into, "--check", target]
        lines = measure_command(check, folder).done.stdout.splitlines()
        if len(lines) != 1 or " would be taken, " not in lines[0]:
            played.wrong.append(f"{target} by the rules of {played.system}: {lines[:3]}")


def _compare(
    written: dict[str, str], people: list[Student], results: dict[str, float], absent: str, by: int, played: TermOutcome
) -> None:
    """Each student's cell against the student's own result times `by`; `absent` stands for who handed nothing in."""
    for student in people:
        cell = written.get(student.email, written.get(student.group, ""))
        wanted = results.get(student.email, 0.0) * by
        is_right = cell == absent if student.sample is None else cell != "" and abs(float(cell) - wanted) <= 0.011
        if not is_right:
            played.wrong.append(
                f"{student.name} ({student.email}): {cell!r}, not {absent if student.sample is None else wanted}"
            )


def _look_at_feedback(path: Path, number: int, played: TermOutcome) -> None:
    with zipfile.ZipFile(path) as archive:
        sizes = [entry.file_size for entry in archive.infolist()]
    if len(sizes) != number or max(sizes) > 200_000:
        played.wrong.append(f"feedback: {len(sizes)} files, the largest {max(sizes)} bytes")


def _results(folder: Path) -> dict[str, float]:
    """The scores by e-mail address, of every member of a pair; the roster says whose is whose."""
    found = {}
    for path in (folder / "graded").glob("*/result.json"):
        data = json.loads(path.read_bytes())
        identity = data["student"]["identity"] or {}
        for member in identity.get("members") or [identity]:
            found[member.get("email") or member.get("login") or path.parent.name] = float(data["score"])
    return found


class Staff(NamedTuple):
    """The work that a queue asks of a person who decides it as it is shown: decisions, keys to press, and seconds.

    The seconds are a model: every decision takes `_DECIDING`, and what the page shows is read at `_WORDS` a second, of
    answers with the same words the first one only, while each further one gets a glance of `_GLANCE` seconds.
    """

    hand_ins: int
    decisions: int
    keys: int
    seconds: float

    def summary_line(self) -> str:
        """All of it in a line, with the time of a class of 150 in proportion."""
        of_150 = self.seconds * 150 / max(self.hand_ins, 1) / 60
        pace = self.seconds / max(self.decisions, 1)
        return (
            f"{self.hand_ins} hand-ins: {self.decisions} decisions, {self.keys} keys, "
            f"{self.seconds / 60:.0f} min by the model ({pace:.0f} s a decision; {of_150:.0f} min for 150)"
        )


_DECIDING: Final = 10.0
_WORDS: Final = 4.0
_GLANCE: Final = 2.0


def asked_of_staff(graded: Path) -> Staff:
    """The work that the queue of a folder of graded submissions asks for."""
    from grader.cli.review import open_results
    from grader.gradebook.review import Likeness
    from grader.gradebook.store import FILE
    from grader.message import ENGLISH
    from grader.serve.group_page import MOST_CARDS, group_page
    from grader.serve.hand_ins import hand_ins_page
    from grader.serve.sources import Sources
    from grader.serve.standing import Nearest, Presence, Standing

    decisions, keys, seconds = 0, 0, 0.0
    with open_results(graded, graded / FILE, None) as found:
        standing = Standing(graded, found.database, found.lab, overrides=found.overrides, gradebook=found.where)
        sources, nearest, presence = Sources(graded), Nearest(standing), Presence()
        # A decision reaches the answers that its page shows, so a large group takes several.
        pages = [(entry, at) for entry in standing.queue() for at in range(0, len(entry.answers), MOST_CARDS)]
        for group, start in pages:
            if group.likeness is Likeness.HAND_IN:
                whole = hand_ins_page(standing, group, {}, ENGLISH)
                decisions, keys = decisions + 1, keys + 2
                shown = [
                    [entry.path for entry in card.files] + [*card.flags, *card.quotes, *card.items]
                    for card in whole.cards
                ]
                seconds += _DECIDING + _words_of([whole.reason, shown]) / _WORDS
                continue
            page = group_page(standing, sources, nearest, presence, group, "staff", ENGLISH, start=start)
            cards = [_words_of(card.item.model_dump()) for card in page.cards]
            read = cards if page.differs else cards[:1]
            decisions += 1
            keys += (1 if page.suggested else 2) + len(read) - 1
            words = _words_of([page.reason, page.expected or ""]) + sum(read)
            seconds += _DECIDING + words / _WORDS + _GLANCE * (len(cards) - len(read))
        return Staff(len(standing.results), decisions, keys, seconds)


def _words_of(shown: object) -> int:
    """The words in texts, however deep they lie; the right answer is read once for all of a group."""
    if isinstance(shown, str):
        return len(shown.split())
    if isinstance(shown, dict):
        named = {"found", "quotes", "text", "diagnoses", "more"}
        return sum(_words_of(part) for name, part in shown.items() if name in named)
    return sum(map(_words_of, shown)) if isinstance(shown, list | tuple) else 0


MOST_DECISIONS, MOST_KEYS, MOST_MINUTES = 60, 150, 60
"""For the hand-ins of a real class, and for 150 students by the model."""


def staff_of(hand_ins: Path, jobs: int) -> int:
    """Grade a class and print what its queue asks for; the exit status is 1 beyond the bars."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "grader", str(hand_ins), "--no-reports", "--jobs", str(jobs)]
        step = measure_command(command, Path(folder))
        if step.done.returncode not in (0, 1):
            raise SystemExit(step.done.stderr)
        staff = asked_of_staff(Path(folder) / "graded")
    print(staff.summary_line(), flush=True)
    minutes = staff.seconds * 150 / max(staff.hand_ins, 1) / 60
    is_within = staff.decisions <= MOST_DECISIONS and staff.keys <= MOST_KEYS and minutes <= MOST_MINUTES
    return int(not is_within)


_HANDS_IN: Final = operator.attrgetter("hands_in")


def _moodle(people: list[Student], folder: Path) -> Path:
    path = folder / "ML-Lab 4-123.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for student in filter(_HANDS_IN, people):
            for name, content in files_of(student).items():
                archive.writestr(f"{student.name}_{7000 + student.place}_assignsubmission_file/{name}", content)
    return path


def _canvas(people: list[Student], folder: Path) -> Path:
    """Canvas keeps of a name what is a letter or a digit, the last name first."""
    path = folder / "submissions.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for student in filter(_HANDS_IN, people):
            bare = "".join(char for char in f"{student.last}{student.first}".lower() if char.isalnum())
            late = "LATE_" if student.late else ""
            for number, (name, content) in enumerate(files_of(student).items()):
                archive.writestr(
                    f"{bare}_{late}{500 + student.place}_{90_000 + 20 * student.place + number}_{name}", content
                )
    return path


def _gradescope(people: list[Student], folder: Path) -> Path:
    path = folder / "assignment_4_export.zip"
    entries = []
    with zipfile.ZipFile(path, "w") as archive:
        for student in filter(_HANDS_IN, people):
            entry = f"submission_{300 + student.place}"
            submitters = [other for other in people if student.group and other.group == student.group] or [student]
            listed = "".join(
                f"  - :name: {json.dumps(other.name)}\n    :sid: '{other.number}'\n    :email: {other.email}\n"
                for other in submitters
            )
            entries.append(
                f"{entry}:\n  :submitters:\n{listed}  :created_at: {_time(student)}\n  :score: 0.0\n"
                "  :status: processed\n"
            )
            for name, content in files_of(student).items():
                archive.writestr(f"assignment_4_export/{entry}/{name}", content)
        archive.writestr("assignment_4_export/submission_metadata.yml", "---\n" + "".join(entries))
    return path


def _prairielearn(people: list[Student], folder: Path) -> Path:
    path = folder / "final_files.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for student in filter(_HANDS_IN, people):
            for name, content in files_of(student).items():
                archive.writestr(
                    f"Lab4/{student.group or student.email}_1_nlp_1_1_{800 + student.place}_{name}", content
                )
    return path


def _roster(people: list[Student]) -> str:
    rows = [[student.number, student.email, student.first, student.last, student.group] for student in people]
    return _csv([["number", "email", "first name", "last name", "group"], *rows])


def _worksheet(people: list[Student]) -> str:
    head = [
        "Identifier",
        "Full name",
        "Email address",
        "Status",
        "Group",
        "Grade",
        "Maximum Grade",
        "Grade can be changed",
    ]
    head += ["Last modified (submission)", "Last modified (grade)"]
    rows = [
        [
            f"Participant {7000 + student.place}",
            student.name,
            student.email,
            "Submitted",
            student.group,
            "",
            "20.00",
            "Yes",
            _time(student),
            "-",
        ]
        for student in people
    ]
    return _csv([head, *rows])


def _canvas_list(people: list[Student]) -> str:
    """Groups stand in a column of the course's own, as Canvas has none."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Group", "Lab 4 (55)", "Final Score"]
    rows = [
        [
            f"{student.last}, {student.first}",
            str(500 + student.place),
            student.number,
            student.email,
            "A",
            student.group,
            "",
            "0",
        ]
        for student in people
    ]
    return _csv([head, ["    Points Possible", "", "", "", "", "", "20", "(read only)"], *rows])


def _gradescope_list(people: list[Student]) -> str:
    """Gradescope's grades go on into another system: Moodle's *Import grades* here."""
    return _csv(
        [
            ["First name", "Last name", "Email address"],
            *([student.first, student.last, student.email] for student in people),
        ]
    )


def _prairielearn_list(people: list[Student]) -> str:
    """Each team has a row where teams hand in, and nobody an address."""
    who = "group_name" if people[0].group else "uid"
    head = [who, "qid", "old_score_perc", "submission_id", "partial_scores", "score_perc", "feedback"]
    rows = [
        [student.group or student.email, "nlp", "", str(800 + student.place), "", "", ""]
        for student in people
        if student.by in (None, student.place)
    ]
    return _csv([head, *rows])


def _column(key: str, value: str) -> Callable[[str], dict[str, str]]:
    def read(text: str) -> dict[str, str]:
        rows = list(csv.DictReader(io.StringIO(text)))
        named = ((row.get(key) or row.get("group_name", ""), row[value]) for row in rows)
        return {who: cell for who, cell in named if who and not who.startswith("    ")}

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
    parser.add_argument("--groups", type=int, default=30, help="pairs of whom one hands in")
    parser.add_argument("--hand-ins", type=Path, help="a class of real hand-ins: what its queue asks of staff")
    parser.add_argument("--systems", default=",".join(COURSES))
    parser.add_argument("--reports", default="moodle", help="systems whose reports are made")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    if given.hand_ins:
        return staff_of(given.hand_ins, given.jobs)
    people = made_class(given.students, given.groups)
    wrong = False
    for system in given.systems.split(","):
        with tempfile.TemporaryDirectory() as folder:
            reports = system in given.reports.split(",")
            played = play(system, people, Path(folder), reports=reports, jobs=given.jobs)
        times = ", ".join(f"{name} {step.clock:.1f} s ({step.processor:.1f})" for name, step in played.steps.items())
        members = sum(bool(step.sample) for step in people)
        print(
            f"{system}: {times}\n  {members} of {len(people)} have a grade; {played.staff.summary_line()}", flush=True
        )
        for problem in played.wrong[:20]:
            print(f"  wrong: {problem}", flush=True)
        wrong = wrong or bool(played.wrong)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
