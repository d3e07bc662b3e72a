"""What the verbs that go back to graded submissions have in common."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from grader.cli.course_options import course_options
from grader.cli.presentation_options import presentation_options

if TYPE_CHECKING:
    from grader.gradebook.keeper import Keeper
    from grader.gradebook.kept import Run
    from grader.intake.submission import Source
    from grader.pipeline.order import Order
    from grader.pipeline.regrading.targets import Graded

_NOBODY = {"roster": None, "times": None, "extensions": None}
"""Under pseudonyms these match nobody: what they tell comes with the hand-ins, where these are at hand."""

PATH = click.Path(path_type=Path)
_OWN = (
    click.argument("graded", default="graded", type=PATH),
    click.option("--submissions", multiple=True, metavar="PATH", type=PATH, help="Where the hand-ins lie.  [default: "
                 "where they lay]"),
    click.option("--lab", metavar="NAME|FOLDER", help="A shipped lab's name, or a folder with lab.toml.  "
                 "[default: the one they were graded by]"),
    click.option("--as", "layout", default="auto", type=click.Choice(["auto", "class", "student"]),
                 help="Whether PATH is a class or one student's hand-in."),
    click.option("--jobs", type=click.IntRange(1), help="Submissions side by side.  [default: one per core]"),
    click.option("--gradebook", metavar="URL", help="A file, or a database by its SQLAlchemy URL.  "
                 "[default: a file in GRADED]"),
    click.option("--debug", is_flag=True, help="Show where in the program an error happened."),
)  # fmt: skip


def replay_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The folder of graded submissions and the options of grading; what is not given is as it was when they were
    graded."""
    command = course_options(presentation_options(command))
    for option in reversed(_OWN):
        command = option(command)
    return command


class Before(NamedTuple):
    """What was graded before: the folders by student, the order that grades them once more, the hand-ins that are at
    hand, and what staff should be told."""

    graded: "dict[str, Graded]"
    order: "Order"
    opened: "dict[str, Source]"
    notes: tuple[str, ...]


def last_run(keeper: "Keeper", graded: Path) -> "Run | None":
    """The last run that graded into the folder, as the gradebook has it. Raises GradebookError."""
    from grader.pipeline.regrading.targets import graded_in

    lab = next((one.result.lab.id for one in graded_in(graded).values() if one.result), None)
    return keeper.known(lab).last if lab else None


def recalled(context: click.Context, options: dict[str, Any], run: "Run | None") -> dict[str, Any]:
    """The options, and those of a run for what was not given."""
    known = dict(run.options) if run else {}
    known["submissions"] = known.pop("paths", ())
    found = dict(options)
    for parameter in context.command.params:
        name = str(parameter.name)
        given = context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
        if name in known and name in options and name not in ("debug", "lab") and not given:
            found[name] = parameter.type_cast_value(context, known[name])
    return found


def before(graded: Path, options: dict[str, Any], keeper: "Keeper", *, given: bool, run: "Run | None") -> Before:
    """What lies in a folder of graded submissions, ready to be graded once more. `given`: the hand-ins were named, so
    they must be there; the lab becomes the one that graded. `keeper` knows what persons decided. Raises what
    `explained` explains."""
    from grader.cli.preparation import UnusableInputError, around, lab_that_graded
    from grader.pipeline.regrading.targets import graded_in, sources_of

    folders = graded_in(graded)
    if not folders:
        raise UnusableInputError(f"{graded}: no graded submissions there; name the folder that `grade` wrote (--out).")
    lab = next((one.result.lab.id for one in folders.values() if one.result), None)
    if lab is not None:
        options["lab"] = str(lab_that_graded(graded, lab, options["lab"], run))
    options["lab"] = options["lab"] or "nlp-frameworks"
    options = {"no_readings": False, "no_reports": False, **options}
    options["lang"] = options["lang"] or next((one.result.language for one in folders.values() if one.result), None)
    order, notes = around(
        tuple(sources_of(folders)),
        graded,
        {**options, **_NOBODY} if options["anonymous"] else options,
        keeper=keeper,
    )
    order, opened, opened_notes = _opened(order, graded, options, keeper, given=given)
    order, late_notes = (order, ()) if run else _with_old_lateness(order, folders)
    order, reader_notes = _with_records(order, folders)
    return Before(folders, order, opened, (*notes, *opened_notes, *late_notes, *reader_notes))


def _with_records(order: "Order", folders: "Mapping[str, Graded]") -> "tuple[Order, tuple[str, ...]]":
    """The order with what a reader answered when the hand-ins were graded; it is not asked again."""
    from dataclasses import replace

    from grader.reader.record import FILE, RecordError, kept_in

    records, notes = {}, []
    for student, one in folders.items():
        try:
            record = kept_in(one.folder)
        except RecordError as error:
            notes.append(f"{one.folder / FILE} {error}; {student} is graded without the reader")
            continue
        if record is not None:
            records[student] = order.circumstances[student].model_copy(update={"reader": record})
    return replace(order, circumstances={**order.circumstances, **records}), tuple(notes)


def _opened(
    order: "Order", graded: Path, options: dict[str, Any], keeper: "Keeper", *, given: bool
) -> "tuple[Order, dict[str, Source], tuple[str, ...]]":
    """The hand-ins at hand by student, and the order with what they tell, such as names that must not be seen."""
    from dataclasses import replace

    from grader.cli.preparation import ordered
    from grader.intake.errors import IntakeError

    paths = tuple(options["submissions"])
    if not paths or not (given or all(path.exists() for path in paths)):
        return order, {}, ()
    try:
        there, _ = ordered(paths, graded, options, keeper)
    except IntakeError:
        if given:
            raise
        return order, {}, ()
    students = {source.student_id for source in order.sources}
    opened = {source.student_id: source for source in there.sources if source.student_id in students}
    known = {student: there.circumstances[student] for student in opened}
    others = [source.student_id for source in there.sources if source.student_id not in students]
    return (
        replace(order, circumstances={**order.circumstances, **known}),
        opened,
        tuple(_strangers(others)) if given else (),
    )


def _strangers(students: list[str]) -> Iterator[str]:
    from grader.pipeline.course.people import named

    if students:
        yield f"never graded here, so left out: {named(students)}"


def _with_old_lateness(order: "Order", folders: "Mapping[str, Graded]") -> "tuple[Order, tuple[str, ...]]":
    """Without a gradebook nobody remembers a deadline or an extension that was given as an option: then what the
    results say of it holds, rather than that a student loses an extension."""
    from dataclasses import replace

    from grader.pipeline.course.people import named

    kept = {}
    for student, folder in folders.items():
        old = folder.result.lateness if folder.result else None
        now = order.circumstances[student].lateness
        if old and (now is None or (old.extension and not now.extension)):
            kept[student] = order.circumstances[student].model_copy(update={"lateness": old})
    if not kept:
        return order, ()
    note = f"lateness as in the results, since no gradebook tells the options it came from: {named(list(kept))}"
    return replace(order, circumstances={**order.circumstances, **kept}), (note,)
