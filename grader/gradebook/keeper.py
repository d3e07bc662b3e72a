"""The gradebook during a run of grading: read at the start, written after every grade; its failure never loses a
grade."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

from grader.cohort.rows import ReadTogether
from grader.gradebook import GradebookError, store
from grader.gradebook import store as queries
from grader.gradebook.decisions import (
    Bindings,
    DecisionVersion,
    Key,
    bind,
    bindings_of,
    decided_about,
    decided_since,
    standing,
)
from grader.gradebook.outline import stored_results
from grader.gradebook.overrides import mark_of
from grader.gradebook.requests import answered_of
from grader.gradebook.second_copy import bindings_in, check_there, opened_whole, write_copy
from grader.gradebook.store import (
    PATIENCE,
    Database,
    Files,
    GradeToStore,
    Inputs,
    NewRun,
    Place,
    Run,
    Standing,
    grade_to_store,
)
from grader.result import BoundHashes, LookedAgain, Override, Result, answer_summary

Value = TypeVar("Value")


class InForce(ReadTogether[str, Standing]):
    """The grades in force at one time, by student: in memory is where they stand, and a few that were read last.
    `read` reads those of a few students. Where one can no longer be read, `get` takes it for unknown, and `[]` raises
    GradebookError.
    """

    def __init__(self, places: Mapping[str, Place], read: Callable[[Mapping[str, Place]], Iterable[Standing]]) -> None:
        super().__init__(
            places,
            lambda some: {
                candidate.grade.student: candidate for candidate in read({text: places[text] for text in some})
            },
        )

    def __getitem__(self, student: str) -> Standing:
        try:
            return super().__getitem__(student)
        except KeyError as error:
            if student not in self:
                raise
            problem = f"the grade of {student} can no longer be read from the gradebook; grade again."
            raise GradebookError(problem) from error

    def get(self, student: str, default: Any = None) -> Any:
        """See the class."""
        try:
            return self[student]
        except (KeyError, GradebookError):
            return default


class LabStandings(NamedTuple):
    """The state of a lab: the current standings by student, the last finished run, and the standings at its end."""

    standings: Mapping[str, Standing]
    last: Run | None
    before: Mapping[str, Standing]


NOTHING: Final = LabStandings({}, None, {})


class Keeper:
    """Keeps the grades of one run in the gradebook `where`: a file, which may be missing, or an SQLAlchemy URL.

    A gradebook that is damaged, or lost with what persons decided, is an error before anything is graded. After the run
    has begun, nothing is raised: the first failure is stored in `problem`, and later grades are not stored. Grades are
    always in `result.json` too. `graded` is the folder of results, by default the one that the gradebook lies in.
    `patience` is the number of seconds to wait for another writing process. Without `migrate`, an older gradebook is
    left as it is. `loss` says that a run began a new gradebook although there were results.
    """

    def __init__(
        self, where: Path | str, graded: Path | None = None, patience: float = PATIENCE, *, migrate: bool = True
    ) -> None:
        self.problem: str | None = None
        self.loss = ""
        self._where, self._graded, self._patience, self._migrate = where, graded, patience, migrate
        self._database: Database | None = None
        self._run: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._database:
            self._database.close()
        self._database = None

    def standings_for(self, lab: str) -> LabStandings:
        """The state of a lab. Raises GradebookError."""
        return self._read(lambda database: self._known(database, lab)) or NOTHING

    def _known(self, database: Database, lab: str) -> LabStandings:
        with database.reading() as connection:
            runs = [run for run in queries.runs(connection) if run.lab == lab]
            last = next((run for run in reversed(runs) if run.finished), None)
            now = InForce(queries.places(connection, lab), self._standings)
            if last is None:
                return LabStandings(now, None, {})
            is_now = last is runs[-1]
            then = now if is_now else InForce(queries.places(connection, lab, until=last.id), self._standings)
            return LabStandings(now, last, then)

    def _standings(self, places: Mapping[str, Place]) -> list[Standing]:
        """The standings of a few students. Raises GradebookError before the run has begun."""

        def read(database: Database) -> list[Standing]:
            with database.reading() as connection:
                return list(queries.standings_at(connection, places))

        try:
            return read(self._opened())
        except GradebookError as error:
            if self._run is None:
                raise
            self.problem = self.problem or str(error)
            return []

    def decisions_for(self, lab: str) -> Mapping[Key, DecisionVersion]:
        """Persons' decisions about a lab's items. Raises GradebookError."""
        return standing(self._read(lambda database: decided_since(database, lab)) or ())

    def decided_about(self, lab: str, students: Sequence[str]) -> Mapping[Key, DecisionVersion]:
        """Persons' decisions about some students' items. Raises GradebookError."""
        return self._read(lambda database: decided_about(database, lab, students)) or {}

    def bindings_for(self, lab: str) -> Bindings:
        """Return the hashes that entries of `overrides.toml` were first applied to. Raises GradebookError."""
        found = self._read(lambda database: bindings_of(database, lab))
        if found is None and isinstance(self._where, Path):
            return bindings_in(self._graded or self._where.parent).get(lab, {})
        return found or {}

    def names(self, lab: str) -> Mapping[str, str]:
        """The ids of hand-ins by the names that they were found under. Raises GradebookError."""
        return self._read(lambda database: store.names_of(database, lab)) or {}

    def answers_for(self, lab: str) -> Mapping[str, Mapping[str, tuple[LookedAgain, ...]]]:
        """The answered requests about a lab, by student and item. Raises GradebookError."""
        return self._read(lambda database: answered_of(database, lab)) or {}

    def stored_contents(self, standings: Iterable[Standing]) -> Iterator[tuple[str, bytes]]:
        """The bytes of each `result.json`, with its student. Raises GradebookError."""
        for student_standing in standings:
            grade = student_standing.grade.id
            found = store.stored_bytes(self._opened(), grade)
            if found is not None:
                yield student_standing.grade.student, found

    def begin(self, run: NewRun) -> None:
        """Records the start of the run. Raises GradebookError before anything is graded that could not be stored."""
        where = self._where
        if isinstance(where, Path) and not where.exists() and len(stored_results(self._graded or where.parent)):
            self.loss = (
                f"{where} was not there, so a new gradebook begins: it knows no earlier runs, grades, requests and "
                "releases. If you have a backup, restore it and run the command again."
            )
        self._run = store.begin_run(self._opened(), run)

    def introduce(self, lab: str, names: Mapping[str, str]) -> None:
        """Stores the ids that the hand-ins of the run have, by the names that they were found under."""
        self._kept(lambda database, _: store.keep_names(database, lab, names))

    def bind(self, result: Result, overrides: Mapping[str, Override]) -> None:
        """Stores to what the entries of `overrides.toml` were applied in a result, where that is not known yet."""
        bindings: dict[tuple[str, str, str], BoundHashes] = {}
        for item in result.items:
            given = overrides.get(item.id)
            if given and item.override and not given.subject and not given.bound:
                key = (result.student.id, item.id, mark_of(given))
                bindings[key] = BoundHashes(item.subject, answer_summary(item))
        if bindings:
            self._kept(lambda database, _: bind(database, result.lab.id, bindings))

    def hold(self, standings: Iterable[Standing]) -> None:
        """Records that existing grades still hold."""
        self._kept(lambda database, run: store.keep_standing(database, run, standings))

    def keep(self, result: Result, inputs: Inputs, files: Files) -> None:
        """Stores a new grade."""
        self.keep_all(result.lab.id, [grade_to_store(result, inputs, files)])

    def keep_all(self, lab: str, some: Iterable[GradeToStore]) -> None:
        """Stores new grades, some of them at a time."""
        self._kept(lambda database, run: store.keep(database, run, lab, some))

    def finish(self, class_sha256: str, files: Files) -> None:
        """Records the end of the run, and writes the second copy of all decisions."""
        self._kept(lambda database, run: store.finish_run(database, run, class_sha256, files))
        self._kept(lambda database, _: write_copy(database, self._where))

    def _kept(self, action: Callable[[Database, int], None]) -> None:
        if self.problem or self._database is None or self._run is None:
            return
        try:
            action(self._database, self._run)
        except (GradebookError, OSError) as error:
            self.problem = str(error)

    def _read(self, action: Callable[[Database], Value]) -> Value | None:
        """The action's result; None where there is no file yet, which is not created for that."""
        if self._database is None and isinstance(self._where, Path) and not self._where.is_file():
            check_there(self._where, self._graded)
            return None
        return action(self._opened())

    def _opened(self) -> Database:
        if self._database is None:
            self._database = opened_whole(self._where, self._graded, patience=self._patience, migrate=self._migrate)
        return self._database
