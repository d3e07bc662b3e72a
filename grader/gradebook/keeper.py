"""The gradebook during a run of grading: read at the start, written after every grade; its failure never loses a
grade."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeVar

from grader.gradebook import GradebookError, store
from grader.gradebook import store as queries
from grader.gradebook.database import PATIENCE, DamagedGradebookError, Database, open_database, set_aside
from grader.gradebook.decisions import Decided, Key, decided_since, standing
from grader.gradebook.requests import answered_of
from grader.gradebook.store import Files, Inputs, NewRun, Run, Standing
from grader.result import LookedAgain, Result

Value = TypeVar("Value")


class LabStandings(NamedTuple):
    """The state of a lab: the current standings by student, the last finished run, and the standings at its end."""

    standings: Mapping[str, Standing]
    last: Run | None
    before: Mapping[str, Standing]


NOTHING: Final = LabStandings({}, None, {})


class Keeper:
    """Keeps the grades of one run in the gradebook `where`: a file, which may be missing, or an SQLAlchemy URL.

    A damaged file is renamed, which `notes` reports. After the run has begun, nothing is raised: the first failure is
    stored in `problem`, and later grades are not stored. Grades are always in `result.json` too. `patience` is the
    number of seconds to wait for another writing process.
    """

    def __init__(self, where: Path | str, patience: float = PATIENCE) -> None:
        self.notes: list[str] = []
        self.problem: str | None = None
        self._where, self._patience = where, patience
        self._database: Database | None = None
        self._run: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def known(self, lab: str) -> LabStandings:
        """The state of a lab; does not create a missing file. Raises GradebookError."""
        if isinstance(self._where, Path) and not self._where.is_file():
            return NOTHING
        return self._unless_damaged(lambda database: _known(database, lab)) or NOTHING

    def decided(self, lab: str) -> Mapping[Key, Decided]:
        """Persons' decisions about a lab's items; does not create a missing file. Raises GradebookError."""
        if isinstance(self._where, Path) and not self._where.is_file():
            return {}
        found = self._unless_damaged(lambda database: decided_since(database, lab))
        return standing(found or ())

    def answered(self, lab: str) -> Mapping[str, Mapping[str, tuple[LookedAgain, ...]]]:
        """The answered requests about a lab, by student and item; does not create a missing file. Raises
        GradebookError."""
        if isinstance(self._where, Path) and not self._where.is_file():
            return {}
        return self._unless_damaged(lambda database: answered_of(database, lab)) or {}

    def stored(self, standings: Iterable[Standing]) -> dict[str, bytes]:
        """The bytes of `result.json` by student. Raises GradebookError."""
        students = {one.grade.id: one.grade.student for one in standings}
        found = self._unless_damaged(lambda database: dict(store.stored_bytes(database, students))) if students else {}
        return {students[grade]: content for grade, content in (found or {}).items()}

    def begin(self, run: NewRun) -> None:
        """Records the start of the run. Raises GradebookError before anything is graded that could not be stored."""
        self._run = self._unless_damaged(lambda database: store.begin_run(database, run))
        if self._run is None:
            self._run = store.begin_run(self._opened(), run)

    def hold(self, standings: Iterable[Standing]) -> None:
        """Records that existing grades still hold."""
        self._kept(lambda database, run: store.keep_standing(database, run, standings))

    def keep(self, result: Result, inputs: Inputs, files: Files) -> None:
        """Stores a new grade."""
        self._kept(lambda database, run: store.keep(database, run, result, inputs, files))

    def finish(self, class_sha256: str, files: Files) -> None:
        """Records the end of the run."""
        self._kept(lambda database, run: store.finish_run(database, run, class_sha256, files))

    def _kept(self, action: Callable[[Database, int], None]) -> None:
        if self.problem or self._database is None or self._run is None:
            return
        try:
            action(self._database, self._run)
        except GradebookError as error:
            self.problem = str(error)

    def _unless_damaged(self, action: Callable[[Database], Value]) -> Value | None:
        """The action's result; None where the file was damaged and has been replaced by a new one."""
        try:
            return action(self._opened())
        except DamagedGradebookError as error:
            if not isinstance(self._where, Path):
                raise
            self._close()
            kept_as = set_aside(self._where)
            self.notes.append(
                f"gradebook: {self._where} is damaged ({error.cause}) and was set aside as {kept_as}; a new one begins."
            )
            return None

    def _opened(self) -> Database:
        if self._database is None:
            self._database = open_database(self._where, create=True, patience=self._patience)
        return self._database

    def _close(self) -> None:
        if self._database:
            self._database.close()
        self._database = None


def _known(database: Database, lab: str) -> LabStandings:
    with database.reading() as connection:
        runs = [run for run in queries.runs(connection) if run.lab == lab]
        last = next((run for run in reversed(runs) if run.finished), None)
        now = queries.latest(connection, lab)
        if last is None:
            return LabStandings(now, None, {})
        return LabStandings(now, last, now if last is runs[-1] else queries.latest(connection, lab, until=last.id))
