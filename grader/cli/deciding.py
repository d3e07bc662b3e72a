"""What the verbs that decide about graded submissions have in common: the gradebook, and the lab that graded."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from grader.gradebook.database import Database
    from grader.gradebook.kept import Run
    from grader.lab.definition import Lab
    from grader.pipeline.finishing import Finished
    from grader.pipeline.regrading.targets import Graded
    from grader.result import Override

Told = Callable[[int, int], None]


class Opened(NamedTuple):
    """A folder of graded submissions with its gradebook, the lab that graded it and its folder, the language of its
    results, where its overrides are, what staff should be told, and what brings decisions into the reports."""

    database: "Database"
    lab: "Lab"
    folder: Path
    language: str
    overrides: Path | None
    notes: tuple[str, ...]
    finish: "Callable[[Told], Finished]"


@contextmanager
def opened(graded: Path, where: Path | str, lab_name: str | None) -> Iterator[Opened]:
    """What lies in a folder. Raises what `explained` explains."""
    from grader.cli.preparation import UnusableInputError, lab_that_graded
    from grader.gradebook.database import open_database
    from grader.lab.files import load_lab, load_truth
    from grader.pipeline.regrading.targets import graded_in

    folders = graded_in(graded)
    results = [one.result for one in folders.values() if one.result]
    if not results:
        raise UnusableInputError(f"{graded}: no graded submissions there; name the folder that `grade` wrote (--out).")
    database = open_database(where, create=True, durable=True)
    try:
        run = _last_run(database, results[0].lab.id)
        options = run.options if run else {}
        folder = lab_that_graded(graded, results[0].lab.id, lab_name, run)
        lab, truth = load_lab(folder), load_truth(folder)
        named = options.get("overrides")
        overrides = Path(str(named)) if named else None
        notes = tuple(_notes(graded, folders, lab))
        language = results[0].language

        def finish(told: Told) -> "Finished":
            return _finished(graded, where, lab, truth, overrides, run, language, told)

        yield Opened(database, lab, folder, language, overrides, notes, finish)
    finally:
        database.close()


def _last_run(database: "Database", lab: str) -> "Run | None":
    from grader.gradebook.asking import all_runs

    return next((run for run in reversed(all_runs(database)) if run.lab == lab and run.finished), None)


def _notes(graded: Path, folders: "dict[str, Graded]", lab: "Lab") -> Iterator[str]:
    from grader.cli.preparation import UnusableInputError

    results = [one.result for one in folders.values() if one.result]
    others = sorted({one.lab.id for one in results if one.lab.id != lab.id})
    if others:
        raise UnusableInputError(f"{graded}: graded by {', '.join(others)}, not by {lab.id}; name that lab with --lab.")
    if any(one.lab.sha256 != lab.sha256 for one in results):
        yield (
            f"The lab {lab.id} has changed since some of these were graded; points are those of now. "
            "`grade regrade` brings the results up to date."
        )
    unreadable = [student for student, one in folders.items() if one.result is None]
    if unreadable:
        from grader.pipeline.course.people import named

        yield f"Left out, since their result cannot be read: {named(unreadable)}"


def _finished(
    graded: Path,
    where: Path | str,
    lab: "Lab",
    truth: object,
    overrides: Path | None,
    run: "Run | None",
    language: str,
    told: Told,
) -> "Finished":
    import os

    from grader.gradebook.keeper import Keeper
    from grader.pipeline.finishing import finish_class
    from grader.report.presentation import Presentation

    templates = run.options.get("templates") if run else None
    with Keeper(where) as keeper:
        done = finish_class(
            graded,
            lab,
            truth,  # type: ignore[arg-type]
            written_and_decided(graded, lab, overrides, keeper.decided(lab.id)),
            keeper,
            answers=keeper.answered(lab.id),
            presentation=Presentation(language=language, templates=Path(str(templates)) if templates else None),
            with_reports=not (run and run.options.get("no_reports")),
            workers=os.cpu_count() or 1,
            done=told,
        )
        return done._replace(problems=(*done.problems, *(("gradebook", one) for one in [keeper.problem] if one)))


def written_and_decided(
    graded: Path, lab: "Lab", overrides: Path | None, decided: object
) -> "dict[str, dict[str, Override]]":
    """What persons decided, by student and item: overrides.toml and the gradebook together. Raises GradebookError."""
    from grader.gradebook.overrides import FILE, read_overrides
    from grader.gradebook.persons import in_force

    path = overrides or graded / FILE
    written: dict[str, dict[str, Override]] = {}
    if path.is_file():
        for entry in read_overrides(path, {item.id: item.points for item in lab.items}):
            written.setdefault(entry.student, {})[entry.item] = entry.override
    return in_force(written, decided).overrides  # type: ignore[arg-type]
