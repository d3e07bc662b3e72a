"""The second copy of what persons decided, a readable file beside the gradebook. It shows that a gradebook was damaged
or lost, and a new one is made from it on request.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from grader.gradebook import GradebookError
from grader.gradebook.decisions import Bindings, all_standing, bind, restore_decisions, whole_table
from grader.gradebook.outline import stored_results
from grader.gradebook.overrides import FILE, TABLE, as_toml, mark_of, override_of, read_entries
from grader.gradebook.store import (
    PATIENCE,
    DamagedGradebookError,
    Database,
    copy_beside,
    keep_names,
    open_database,
    set_aside,
    way_back,
)
from grader.result import AppliedOverride, BoundHashes, Override, Result, answer_summary

_HEAD: Final = """\
# What persons decided about this class: a second copy of what {gradebook} holds, written after every decision and every
# run. If the gradebook is damaged or gone, `grade serve review GRADED --restore` makes a new one with these decisions.
"""
_LAST: Final = "# Number of the last version of a decision: "
_NUMBER: Final = "# Decisions in force: "


def write_copy(database: Database, where: Path | str) -> None:
    """Write the second copy, whole or not at all; nothing where nobody has decided anything, or the gradebook is no
    file. Raises GradebookError, OSError."""
    if not isinstance(where, Path):
        return
    path = copy_beside(where)
    with database.writing() as connection:  # others wait, so that a later copy never lacks what an earlier one holds
        last, decided = all_standing(connection)
        if not last and not path.exists():
            return
        text = as_toml(decided, f"{_HEAD.format(gradebook=where.name)}{_LAST}{last}\n{_NUMBER}{len(decided)}\n")
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def opened_whole(
    where: Path | str,
    graded: Path | None = None,
    *,
    patience: float = PATIENCE,
    durable: bool = False,
    migrate: bool = True,
) -> Database:
    """The gradebook at a place, made if there is none. `graded` is the folder of results, by default the one that the
    gradebook lies in. Without `migrate`, an older gradebook is left as it is (`open_database`). Raises GradebookError
    where it is damaged, or lacks what persons are known to have decided: no grade may be made without that."""
    bound: Mapping[str, Bindings] = {}
    if isinstance(where, Path):
        _check_file(where, graded or where.parent)
        bound = {} if where.exists() else bindings_in(graded or where.parent)
    database = open_database(where, create=True, patience=patience, durable=durable, migrate=migrate)
    try:
        if isinstance(where, Path):
            problem = whole_table(database)
            if problem:
                raise DamagedGradebookError(database.place, problem)
            recorded = _recorded(copy_beside(where))
            with database.reading() as connection:
                last, _ = all_standing(connection, only_last=True)
            if recorded > last:
                raise GradebookError(
                    f"{where}: this gradebook is older than {copy_beside(where).name}, which holds decisions that it "
                    f"lacks. {way_back(str(where))}"
                )
        for lab, bindings in bound.items():
            bind(database, lab, bindings)
    except BaseException:
        database.close()
        raise
    return database


def check_there(where: Path | str, graded: Path | None = None) -> None:
    """Make sure that a gradebook which is not there was not lost. Raises GradebookError."""
    if isinstance(where, Path):
        _check_file(where, graded or where.parent)


def _check_file(where: Path, graded: Path) -> None:
    if where.is_dir():
        raise GradebookError(f"{where}: a folder lies where the gradebook should be. {way_back(str(where))}")
    if not where.exists() and (copies := _known(where, graded)):
        raise GradebookError(f"{where}: the gradebook is not there, but {copies.told} stand in {copies.source}. "
                             f"{way_back(str(where))}")  # fmt: skip


def _recorded(path: Path) -> int:
    """The number of the last version of a decision that a copy holds; 0 where there is no copy."""
    try:
        with path.open(encoding="utf-8") as lines:
            found = next((line for line in lines if line.startswith(_LAST)), _LAST + "0")
        return int(found.removeprefix(_LAST))
    except FileNotFoundError:
        return 0
    except (OSError, ValueError) as error:
        raise GradebookError(
            f"{path}: it cannot be read as the copy of what persons decided ({error}). If the gradebook beside it is "
            f"the present one, move {path.name} away: the next run writes it anew."
        ) from error


class Entry(NamedTuple):
    """A decision that is known apart from the gradebook."""

    lab: str
    student: str
    item: str
    override: Override


class KnownDecisions(NamedTuple):
    """Decisions that are known apart from the gradebook, and where from."""

    source: str
    entries: Sequence[Entry]

    @property
    def told(self) -> str:
        """The number of decisions, in words."""
        count, students = len(self.entries), len({entry.student for entry in self.entries})
        decisions = "1 decision" if count == 1 else f"{count:,} decisions"
        return f"{decisions} about {'1 student' if students == 1 else f'{students:,} students'}"


def _known(where: Path, graded: Path) -> KnownDecisions | None:
    """Return the content of the second copy; without one, that of the results in a folder."""
    path = copy_beside(where)
    if path.is_dir() or (path.is_file() and path.stat().st_size):
        entries = _copied(path)
        return KnownDecisions(path.name, entries) if entries else None
    found = [entry for result in _results(graded) for entry in _decided_in(result, graded / FILE)]
    return KnownDecisions(f"the results in {graded}", found) if found else None


def _copied(path: Path) -> list[Entry]:
    """The decisions in a copy. Raises GradebookError where it is damaged, also where some of them are cut off."""
    try:
        entries = [Entry(str(entry.values.get("lab", "")), *override_of(entry)) for entry in read_entries(path, TABLE)]
        lines = path.read_text(encoding="utf-8").split("\n")
        number = next((line.removeprefix(_NUMBER) for line in lines if line.startswith(_NUMBER)), str(len(entries)))
        if number != str(len(entries)):
            raise GradebookError(f"{path}: it holds {len(entries)} decisions of {number}; the others are cut off.")
    except GradebookError as error:
        raise GradebookError(
            f"{error} Or move {path.name} away, and what the results hold is taken instead."
        ) from error
    return entries


def _results(folder: Path) -> Iterator[Result]:
    stored = stored_results(folder)
    for number in range(len(stored)):
        try:
            yield stored[number]
        except (ValueError, ValidationError):  # it is told by those who need it
            continue


def _decided_in(result: Result, written: Path) -> Iterator[Entry]:
    """The decisions in a result that do not stand in overrides.toml."""
    entries = read_entries(written, TABLE) if written.is_file() else ()
    in_file = {(student, item, put.author, put.date) for student, item, put in map(override_of, entries)}
    for item in result.items:
        put = item.override or item.earlier
        if put is None or not (put.finding or put.subject):
            continue
        if (result.student.id, item.id, put.author, put.date) in in_file:
            continue
        given = {name: getattr(put, name) for name in Override.model_fields}
        if put.points is not None or put.rows is not None:
            given["status"] = None
        yield Entry(result.lab.id, result.student.id, item.id, Override.model_validate(given))


def bindings_in(graded: Path) -> dict[str, Bindings]:
    """Return the hashes that the entries of `overrides.toml` were applied to by the results in a folder, by lab:
    without its gradebook, an entry would otherwise count for whatever is handed in now."""
    written = graded / FILE
    found: dict[str, dict[tuple[str, str, str], BoundHashes]] = {}
    if not written.is_file():
        return {}
    entries: dict[str, list[tuple[str, Override]]] = {}
    for student, item, entry in map(override_of, read_entries(written, TABLE)):
        if not entry.subject:
            entries.setdefault(student, []).append((item, entry))
    for result in _results(graded) if entries else ():
        items = {candidate.id: candidate for candidate in result.items}
        for item, entry in entries.get(result.student.id, ()):
            judged = items.get(item)
            put = (judged.override or judged.earlier) if judged else None
            if judged is None or put is None or not _is_applied(entry, put):
                continue
            bound = (
                BoundHashes(put.subject, put.about)
                if put.stale
                else BoundHashes(judged.subject, answer_summary(judged))
            )
            if bound.subject:
                found.setdefault(result.lab.id, {})[result.student.id, item, mark_of(entry)] = bound
    return dict(found)


def _is_applied(entry: Override, put: AppliedOverride) -> bool:
    """Whether a decision in a result is an entry of `overrides.toml`, whose status may have followed from points."""
    fields = {"reason", "author", "date", "points", "rows", *(["status"] if entry.status else [])}
    return entry.model_dump(include=fields) == put.model_dump(include=fields)


class RestoredDecisions(NamedTuple):
    """The restored decisions, and the name under which the previous file is kept, if there was one."""

    known: KnownDecisions
    kept_as: str


def restore(where: Path, graded: Path) -> RestoredDecisions:
    """Make a new gradebook with the decisions that are known apart from it, by its second copy or by the results in
    `graded`; a file in its place is renamed and kept.
    Raises GradebookError, also where the gradebook is whole or nothing is known."""
    if where.exists():
        try:
            opened_whole(where, graded).close()
        except GradebookError:
            pass
        else:
            raise GradebookError(f"{where}: this gradebook is whole, so there is nothing to restore.")
    known_decisions = _known(where, graded)
    if known_decisions is None:
        raise GradebookError(
            f"{where}: no decisions are known apart from it: neither {copy_beside(where).name} nor the results hold "
            "any. Restore a backup; to begin anew without decisions, move the gradebook away."
        )
    kept_as = set_aside(where) if where.exists() else ""
    database = open_database(where, create=True, durable=True)
    try:
        restore_decisions(
            database, [(entry.lab, entry.student, entry.item, entry.override) for entry in known_decisions.entries]
        )
        by_lab: dict[str, dict[str, str]] = {}
        for result in _results(graded):
            if result.student.origin:
                by_lab.setdefault(result.lab.id, {})[result.student.origin] = result.student.id
        for lab, names in by_lab.items():
            keep_names(database, lab, names)
        for lab, bindings in bindings_in(graded).items():
            bind(database, lab, bindings)
        write_copy(database, where)
    finally:
        database.close()
    return RestoredDecisions(known_decisions, kept_as)
