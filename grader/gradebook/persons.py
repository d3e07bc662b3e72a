"""All that persons decided about a class: the gradebook's decisions and `overrides.toml` together, and as text."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from grader.gradebook.database import Database
from grader.gradebook.decisions import IMPORT, Conflict, Decided, Key, Outcome, Target, Verdict, decide
from grader.gradebook.overrides import OverrideEntry, override_text
from grader.result import Override

_LENGTH: Final = 16
HEAD: Final = """\
# What persons decided about this class, as its gradebook has it; written by `grade review --export`. It can be read
# back by `grade review --import`, or lie as overrides.toml in a folder of grades.
"""


class Contradiction(NamedTuple):
    """A student's item that `overrides.toml` and the gradebook decide otherwise. The file's entry is in force, as it
    is newer than the decision or was never seen by it."""

    key: Key
    file: Override
    decided: Decided


class InForce(NamedTuple):
    """The overrides by student and item, and what contradicts itself."""

    overrides: dict[str, dict[str, Override]]
    contradictions: tuple[Contradiction, ...]


def in_force(written: Mapping[str, Mapping[str, Override]], decided: Mapping[Key, Decided]) -> InForce:
    """The entries of `overrides.toml`, and the gradebook's decisions. A decision goes before the entry that it was
    made to replace; an entry that it does not know of stays in force until somebody looks."""
    overrides = {student: dict(entries) for student, entries in written.items()}
    contradictions = []
    for (student, item), one in decided.items():
        entry = overrides.setdefault(student, {}).get(item)
        if entry is None or one.replaces == mark_of(entry):
            overrides[student][item] = one.override
        elif not same_outcome(entry, one.override):
            contradictions.append(Contradiction((student, item), entry, one))
    return InForce({student: entries for student, entries in overrides.items() if entries}, tuple(contradictions))


def mark_of(override: Override | None) -> str:
    """Stands for an entry of `overrides.toml`; empty for none."""
    return hashlib.sha256(override.model_dump_json().encode()).hexdigest()[:_LENGTH] if override else ""


def same_outcome(one: Override, other: Override) -> bool:
    """Whether two decisions come to the same."""
    return (one.status, one.points) == (other.status, other.points)


def as_toml(decided: Iterable[Decided]) -> str:
    """The decisions in force as entries of `overrides.toml`, sorted by student and item."""
    entries = sorted(decided, key=lambda one: one.key)
    return HEAD + "".join(f"\n{override_text(one.student, one.item, one.override)}" for one in entries)


def import_entries(
    database: Database,
    lab: str,
    entries: Sequence[OverrideEntry],
    known: Mapping[Key, Decided],
    outcomes: Mapping[Key, tuple[str, str]],
    replaced: Mapping[str, Mapping[str, Override]],
    *,
    seen: int,
) -> Outcome:
    """Keep the entries of a file as decisions of their authors. What is decided in the same way already is left alone;
    what is decided otherwise comes back as a conflict and stays as it is. `outcomes` are what becomes of the items,
    before and after; `replaced` is what `overrides.toml` says."""
    saved: list[Decided] = []
    conflicts: list[Conflict] = []
    by_author: dict[str, list[tuple[Target, Verdict]]] = {}
    for entry in entries:
        override, there = entry.override, known.get((entry.student, entry.item))
        if there and same_outcome(there.override, override):
            continue
        mark = mark_of(replaced.get(entry.student, {}).get(entry.item))
        before, after = outcomes[entry.student, entry.item]
        target = Target(entry.student, entry.item, override.finding, before, after, mark)
        verdict = Verdict(override.status if override.points is None else None, override.points, override.reason)
        if there:
            conflicts.append(Conflict(target, verdict, there))
        else:
            by_author.setdefault(override.author, []).append((target, verdict))
    for author, wanted in by_author.items():
        outcome = decide(database, lab, author, wanted, seen=seen, action=IMPORT)
        saved += outcome.saved
        conflicts += outcome.conflicts
        seen = max([seen, *(one.id for one in outcome.saved)])
    return Outcome(tuple(saved), tuple(conflicts))
