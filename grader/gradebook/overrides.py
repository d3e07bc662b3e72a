"""`overrides.toml`: persons' decisions that replace the grader's. People write and review it; no program changes it.

[[override]]
student = "student-01"      # as in grades.csv
item = "q1.total"
points = 2                  # or: status = "correct"
reason = "The total is in the figure on page 2."
author = "M. Dupont"
date = 2024-01-12
finding = "3f0c…"           # optional: the item's `finding` in result.json, to which the entry is then held
about = "about 41 million"  # optional: the answer that was judged, in words; `grade serve review --export` writes it
subject = "…"               # optional: the item's `subject` in result.json; `grade serve review --export` writes it
lab = "nlp-frameworks"      # optional: the lab's id; an entry about another lab is left out

An entry with `item = "(sections)"` says which parts of a hand-in answer which questions; the review page writes it:
`sections = [{ file = "report.pdf", at = 12, words = "First words of the part", question = "q1" }]`.

An entry for the whole class has `student = "*"`. With `answer` it is for those who gave that answer, with `slip` for
those who made the slip with that id, and with `maximum` it says what the item is worth: 0 where it does not count.

[[override]]
student = "*"
item = "q1.total"
slip = "without-norms"
points = 2
reason = "The norms are a detail here."
author = "M. Dupont"
date = 2024-01-12
"""

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, NoReturn

from pydantic import TypeAdapter, ValidationError

from grader.gradebook import GradebookError
from grader.gradebook.decisions import (
    IMPORT,
    NO_BINDINGS,
    Bindings,
    Conflict,
    DecisionVersion,
    Key,
    Outcome,
    Target,
    Verdict,
    decide,
)
from grader.gradebook.store import Database
from grader.result import EVERYONE, SECTIONS, BoundHashes, Override, Part, Scope, Status

_LARGEST: Final = 16 * 2**20
_MOST_TRIED: Final = 1_000


class Entry(NamedTuple):
    """One `[[table]]`: its values, and the lines of the file from its heading to the next one, counted from 1."""

    path: Path
    values: dict[str, Any]
    lines: dict[int, str]

    def place_of(self, key: str = "") -> str:
        """The file and line of a key or of the entry, for messages."""
        pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
        line = next((number for number, text in self.lines.items() if key and pattern.match(text)), None)
        first = line or next(iter(self.lines), None)
        return f"{self.path}, line {first}" if first else str(self.path)


def read_entries(path: Path, table: str) -> tuple[Entry, ...]:
    """The entries of the array `table`. Raises GradebookError for invalid TOML, or if the file holds anything else."""
    text = _text(path)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise GradebookError(f"{path}: it is not valid TOML: {error}. Mend that place and try again.") from error
    others = [key for key in data if key != table]
    if others:
        pattern = re.compile(rf"\s*(\[\[?\s*)?[\"']?{re.escape(others[0])}[\"']?\s*[=\].]")
        numbered = enumerate(text.split("\n"), 1)
        line = next((f", line {number}" for number, candidate in numbered if pattern.match(candidate)), "")
        raise GradebookError(f"{path}{line}: `{others[0]}` is unknown; entries begin with [[{table}]].")
    entries = data.get(table, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise GradebookError(f"{path}: each entry begins with [[{table}]] in double brackets.")
    starts = _starts(text, table, len(entries))
    return tuple(Entry(path, entry, lines) for entry, lines in zip(entries, starts, strict=True))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise GradebookError(f"{path}: it is larger than {_LARGEST >> 20} MiB.")
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise GradebookError(f"{path}: it cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise GradebookError(f"{path}: it is not UTF-8 text; save it as UTF-8.") from error


def _starts(text: str, table: str, count: int) -> list[dict[int, str]]:
    """The lines of each entry; empty where headings cannot be distinguished from text that looks like them."""
    heading = re.compile(rf"\s*\[\[\s*[\"']?{re.escape(table)}[\"']?\s*\]\]")
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if heading.match(line)]
    if len(starts) > count:  # some are inside multi-line strings
        starts = [number for number in starts[:_MOST_TRIED] if _is_toml("\n".join(lines[:number]))]
    if len(starts) != count:
        return [{} for _ in range(count)]
    ends = [*starts[1:], len(lines)][: len(starts)]
    return [
        {number + 1: lines[number] for number in range(start, end)} for start, end in zip(starts, ends, strict=True)
    ]


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


TABLE: Final = "override"
FILE: Final = "overrides.toml"
STATUSES: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING)
"""The statuses that a person may give."""

_TEXTS: Final = ("student", "item", "reason", "author")
_GIVEN: Final = ("status", "points", "rows", "sections")
_OPTIONAL: Final = ("finding", "about", "subject", "lab")
_OF_CLASS: Final = ("answer", "slip", "maximum")
_KEYS: Final = (*_TEXTS, *_GIVEN, "date", *_OPTIONAL, *_OF_CLASS)
_NO_RUBRICS: Final[Mapping[str, int]] = MappingProxyType({})


class OverrideEntry(NamedTuple):
    """A decision about one item of one student, and where it is written."""

    student: str
    item: str
    override: Override
    place: str


def read_overrides(
    path: Path, maxima: Mapping[str, Decimal], rubrics: Mapping[str, int] = _NO_RUBRICS, lab: str = ""
) -> tuple[OverrideEntry, ...]:
    """All overrides in a file, except those that name another `lab`. `maxima` are the lab's items with their points,
    `rubrics` the numbers of rows of those with a rubric.

    Raises GradebookError with the line for unknown keys, items and statuses, what is missing, points beyond the
    maximum, and a second override of one item.
    """
    lab_entries = [entry for entry in read_entries(path, TABLE) if not lab or entry.values.get("lab") in (None, lab)]
    raised = {
        candidate.values.get("item"): _points(candidate, "maximum", _ANY_POINTS)
        for candidate in lab_entries
        if "maximum" in candidate.values
    }
    maxima = {item: raised.get(item) or maximum for item, maximum in maxima.items()}
    entries = tuple(_override(entry, maxima, rubrics) for entry in lab_entries)
    first: dict[tuple[str, str], OverrideEntry] = {}
    for entry in entries:
        other = first.setdefault((entry.student, entry.item), entry)
        if other is not entry:
            raise GradebookError(
                f"{entry.place}: {entry.item} of {entry.student} has an override already ({other.place}); keep one."
            )
    return entries


def overrides_by_student(
    entries: Iterable[OverrideEntry], students: Collection[str], elsewhere: Collection[str] = ()
) -> dict[str, dict[str, Override]]:
    """The overrides of each student, by item. `elsewhere` are students who are known but not graded now.

    Raises GradebookError with the line for a student who is neither.
    """
    overrides: dict[str, dict[str, Override]] = {}
    for entry in entries:
        if entry.student in students or Scope.from_text(entry.student):
            overrides.setdefault(entry.student, {})[entry.item] = entry.override
        elif entry.student not in elsewhere:
            raise_unknown(entry.student, entry.place, [*students, *elsewhere])
    return overrides


def check_students(path: Path, students: Collection[str]) -> None:
    """Make sure that the overrides in a file, if there is one, name only these students. Raises GradebookError."""
    for entry in read_entries(path, TABLE) if path.is_file() else ():
        student = _overrides_text(entry, "student")
        if student not in students and student != EVERYONE:
            raise_unknown(student, entry.place_of("student"), students)


def raise_unknown(student: str, place: str, students: Collection[str]) -> NoReturn:
    """Refuse an entry about a student who is not graded here."""
    raise GradebookError(
        f"{place}: no submission of {student!r} is graded here{_hint(student, students)} Correct `student`, or "
        "take the "
        "entry out of the file."
    )


def override_text(student: str, item: str, override: Override, lab: str = "") -> str:
    """The text of an entry, for programs that help people to decide."""
    scope = Scope.from_text(student) or Scope()
    if override.sections is not None:
        given = {"sections": f"[{', '.join(map(_inline, override.sections))}]"}
    elif override.rows is not None:
        given = {"rows": str(list(override.rows))}
    elif override.points is None and override.status:
        given = {"status": _quoted(override.status)}
    else:
        given = {"maximum" if scope.is_maximum else "points": format(override.points or 0, "f")}
    lines = {
        "student": _quoted(EVERYONE if Scope.from_text(student) else student),
        "item": _quoted(item),
        "answer": _quoted(scope.answer),
        "slip": _quoted(scope.slip),
        **given,
        "reason": _quoted(override.reason),
        "author": _quoted(override.author),
        "date": override.date.isoformat(),
        "finding": _quoted(override.finding),
        "about": _quoted(override.about),
        "subject": _quoted(override.subject),
        "lab": _quoted(lab),
    }
    optional = (*_OPTIONAL, "answer", "slip")
    written = (f"{key} = {value}" for key, value in lines.items() if key not in optional or value != _quoted(""))
    return "\n".join([f"[[{TABLE}]]", *written, ""])


_ANY_POINTS: Final = Decimal(1_000_000)
_ANY_ROWS: Final = 1_000


def override_of(entry: Entry) -> tuple[str, str, Override]:
    """The student, the item and the decision of an entry, of which no lab says what is possible. Raises GradebookError
    as `read_overrides` does."""
    item = _overrides_text(entry, "item")
    found = _override(entry, {item: _ANY_POINTS}, {item: _ANY_ROWS})
    return found.student, found.item, found.override


def _override(entry: Entry, maxima: Mapping[str, Decimal], rubrics: Mapping[str, int]) -> OverrideEntry:
    values = entry.values
    for key in values:
        if key not in _KEYS:
            _raise_at(entry, key, f"`{key}` is no key of an override{_hint(key, _KEYS)}")
    texts = {key: _overrides_text(entry, key) for key in _TEXTS}
    item = texts["item"]
    if item not in maxima and item != SECTIONS:
        _raise_at(entry, "item", f"the lab has no item {item!r}{_hint(item, maxima)}")
    scope = _scope(entry, texts["student"])
    override = Override(
        status=_status(entry),
        points=_points(entry, "maximum", _ANY_POINTS)
        if scope.is_maximum
        else _points(entry, "points", maxima.get(item, Decimal(0))),
        rows=_rows(entry, rubrics.get(item, 0)),
        sections=_parts(entry, item),
        reason=texts["reason"],
        author=texts["author"],
        date=_date(entry),
        scope=str(scope) if texts["student"] == EVERYONE else "",
        **{key: _overrides_text(entry, key) for key in ("finding", "about", "subject") if key in values},
    )
    return OverrideEntry(override.scope or texts["student"], item, override, entry.place_of())


def _scope(entry: Entry, student: str) -> Scope:
    """Return the scope of an entry for the whole class."""
    given = [key for key in _OF_CLASS if key in entry.values]
    if given and student != EVERYONE:
        _raise_at(entry, given[0], f'`{given[0]}` is for the whole class: write student = "{EVERYONE}".')
    if len(given) > 1:
        _raise_at(entry, given[1], f"give only one of {', '.join(_OF_CLASS)}.")
    texts = {key: _overrides_text(entry, key) for key in given if key != "maximum"}
    return Scope(**texts, is_maximum="maximum" in given)


def _overrides_text(entry: Entry, key: str) -> str:
    value = entry.values.get(key)
    if value is None:
        _raise_at(entry, "", f"this override has no `{key}`.")
    if value == "" and key == "reason":  # somebody confirmed a verdict without a remark
        return ""
    if not isinstance(value, str) or not value.strip():
        _raise_at(entry, key, f"`{key}` must be text in quotes.")
    return " ".join(value.split())


def _status(entry: Entry) -> Status | None:
    value = entry.values.get("status")
    if sum(key in entry.values for key in (*_GIVEN, "maximum")) != 1:
        _raise_at(entry, "status", "give either `points` or `status`, or the `rows` of a rubric, and only one of them.")
    if value is None or value in STATUSES:
        return Status(value) if value else None
    return _raise_at(entry, "status", f"{value!r} is no status to decide; there are {', '.join(STATUSES)}.")


def _points(entry: Entry, key: str, maximum: Decimal) -> Decimal | None:
    value = entry.values.get(key)
    if value is None:
        return None
    points = None if isinstance(value, bool) or not isinstance(value, int | float) else Decimal(str(value))
    if points is None or not points.is_finite():
        _raise_at(entry, key, f"`{key}` must be a number.")
    if not 0 <= points <= maximum:
        _raise_at(entry, key, f"{value} points are not between 0 and the item's {maximum.normalize():f}.")
    if points != round(points, 2):
        _raise_at(entry, key, "points have at most two decimals.")
    return points


def _rows(entry: Entry, number: int) -> tuple[int, ...] | None:
    value = entry.values.get("rows")
    if value is None:
        return None
    if not number:
        _raise_at(entry, "rows", "this item has no rubric; give `points` or `status`.")
    valid_rows = range(1, number + 1)
    if not isinstance(value, list) or any(isinstance(row, bool) or row not in valid_rows for row in value):
        _raise_at(entry, "rows", f"`rows` are numbers of the rubric's rows, from 1 to {number}, such as [1, {number}].")
    return tuple(sorted(set(value)))


def _parts(entry: Entry, item: str) -> tuple[Part, ...] | None:
    value = entry.values.get("sections")
    if (value is None) is (item == SECTIONS):
        _raise_at(entry, "sections", f'`sections` and item = "{SECTIONS}" go together.')
    if value is None:
        return None
    try:
        return TypeAdapter(tuple[Part, ...]).validate_python(value)
    except ValidationError as error:
        what = error.errors(include_url=False, include_input=False)[0]["msg"]
        return _raise_at(entry, "sections", f"`sections` are not as the review page writes them: {what}.")


def _date(entry: Entry) -> date:
    value = entry.values.get("date")
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return _raise_at(entry, "date", "an entry needs the day of the decision, such as `date = 2024-01-12`.")


def _raise_at(entry: Entry, key: str, what: str) -> NoReturn:
    raise GradebookError(f"{entry.place_of(key)}: {what}")


def _hint(text: str, candidates: Iterable[str]) -> str:
    close = difflib.get_close_matches(text, list(candidates), n=1)
    return f"; did you mean {close[0]!r}?" if close else "."


def _inline(part: Part) -> str:
    pairs = {
        "file": _quoted(part.file),
        "at": part.at,
        "words": _quoted(part.words),
        "question": _quoted(part.question),
    }
    return f"{{ {', '.join(f'{key} = {value}' for key, value in pairs.items())} }}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


_LENGTH: Final = 16
HEAD: Final = """\
# What persons decided about this class, as its gradebook has it; written by `grade serve review --export`. It can
# be read back by `grade serve review --import`, or lie as overrides.toml in a folder of grades.
"""


class Contradiction(NamedTuple):
    """A student's item about which `overrides.toml` and the gradebook disagree. The file's entry is in force, as the
    decision was made without knowledge of it."""

    key: Key
    file: Override
    decided: DecisionVersion


class InForce(NamedTuple):
    """The overrides in force by student and item, those for the whole class by their keys, and the contradictions."""

    overrides: dict[str, dict[str, Override]]
    contradictions: tuple[Contradiction, ...]
    for_class: dict[str, Override]

    def overrides_for(self, student: str) -> dict[str, Override]:
        """All that counts for a student: what was decided about the items, and about those of the whole class."""
        return {**self.overrides.get(student, {}), **self.for_class}


def in_force(
    written: Mapping[str, Mapping[str, Override]], decided: Mapping[Key, DecisionVersion], bound: Bindings = NO_BINDINGS
) -> InForce:
    """Merges the entries of `overrides.toml` with the gradebook's decisions. A decision has priority over the entry
    that it was made to replace; an entry unknown to the decision stays in force until somebody looks. What an entry is
    `bound` to goes with it."""
    overrides = {
        student: {
            item: _with_binding(override, bound.get((student, item, mark_of(override))))
            for item, override in entries.items()
        }
        for student, entries in written.items()
    }
    contradictions = []
    for (student, item), decision in decided.items():
        entry = overrides.setdefault(student, {}).get(item)
        if entry is None or decision.replaces == mark_of(entry):
            overrides[student][item] = decision.override
        elif not same_outcome(entry, decision.override):
            contradictions.append(Contradiction((student, item), entry, decision))
    for_class: dict[str, Override] = {}
    for scope in filter(None, map(Scope.from_text, overrides)):
        for_class |= {scope.key(item): put for item, put in overrides[str(scope)].items()}
    return InForce(
        {student: entries for student, entries in overrides.items() if entries}, tuple(contradictions), for_class
    )


def _with_binding(entry: Override, bound: BoundHashes | None) -> Override:
    return entry if bound is None or entry.subject else entry.model_copy(update={"bound": bound})


def mark_of(override: Override | None) -> str:
    """A string that identifies an entry of `overrides.toml`; empty for none."""
    return hashlib.sha256(override.model_dump_json().encode()).hexdigest()[:_LENGTH] if override else ""


def same_outcome(override: Override, other: Override) -> bool:
    """Whether two decisions have the same outcome."""
    return (override.status, override.points, override.rows, override.sections) == (
        other.status,
        other.points,
        other.rows,
        other.sections,
    )


def verdict_in(override: Override) -> Verdict:
    """The verdict that an override gives."""
    if override.rows is not None:
        return Verdict(None, None, override.reason, override.rows)
    if override.sections is not None:
        return Verdict(None, None, override.reason, None, override.sections)
    return Verdict(override.status if override.points is None else None, override.points, override.reason)


def as_toml(decided: Iterable[DecisionVersion], head: str = HEAD) -> str:
    """The decisions in force as entries of `overrides.toml`, sorted by lab, student and item."""
    entries = sorted(decided, key=lambda candidate: (candidate.lab, *candidate.key))
    return head + "".join(
        f"\n{override_text(entry.student, entry.item, entry.override, entry.lab)}" for entry in entries
    )


def import_entries(
    database: Database,
    lab: str,
    entries: Sequence[OverrideEntry],
    decisions: Mapping[Key, DecisionVersion],
    outcomes: Mapping[Key, tuple[str, str]],
    replaced: Mapping[str, Mapping[str, Override]],
    *,
    seen: int,
) -> Outcome:
    """Stores the entries of a file as decisions of their authors. An entry equal to a decision in force is skipped; one
    that differs is returned as a conflict and not stored. `outcomes` are the items' outcomes before and after;
    `replaced` are the entries of `overrides.toml`."""
    saved: list[DecisionVersion] = []
    conflicts: list[Conflict] = []
    by_author: dict[str, list[tuple[Target, Verdict]]] = {}
    for entry in entries:
        override, there = entry.override, decisions.get((entry.student, entry.item))
        if there and same_outcome(there.override, override):
            continue
        mark = mark_of(replaced.get(entry.student, {}).get(entry.item))
        before, after = outcomes[entry.student, entry.item]
        details = (override.finding, before, after, mark, override.subject, override.about)
        target = Target(entry.student, entry.item, *details)
        verdict = verdict_in(override)
        if there:
            conflicts.append(Conflict(target, verdict, there))
        else:
            by_author.setdefault(override.author, []).append((target, verdict))
    for author, wanted in by_author.items():
        outcome = decide(database, lab, author, wanted, seen=seen, action=IMPORT)
        saved += outcome.saved
        conflicts += outcome.conflicts
        seen = max([seen, *(decision.id for decision in outcome.saved)])
    return Outcome(tuple(saved), tuple(conflicts))
