"""Reads a hand-in and sums up what was read; only workers load this."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader.claims.answer import Answer, extract
from grader.claims.counts import CountClaim
from grader.claims.logged import LoggedRun
from grader.intake.opening import open_submission
from grader.intake.submission import Part, Role, Source, Submission
from grader.lab.definition import Lab
from grader.message import Words, join_messages, label_text, language_of, say, say_data, say_number, translate
from grader.pipeline.cage import watch_file
from grader.reading.document import BlockKind, Evidence
from grader.reading.formats import TOO_MUCH, read
from grader.reading.log import Run
from grader.reading.logs.draft import EPOCHS
from grader.reading.logs.written import CUT
from grader.reading.reading import FileState, Reading
from grader.reading.run_parts import settings_of
from grader.selfcheck.seen import (
    Level,
    Place,
    Remark,
    SeenDefinition,
    SeenFigure,
    SeenFile,
    SeenLogged,
    SeenNotebook,
    SeenNumber,
    SeenQuestion,
    SeenResults,
    SeenRun,
    SeenSubmission,
)
from grader.time_limit import TooSlowError, limit_time

if TYPE_CHECKING:
    from grader.pipeline.isolation import Send
    from grader.selfcheck.look import Look

_COUNTED: Final = "parameter-count"
"""The check of an item that asks for a number of parameters."""
_MOST: Final = 60
_MOST_NUMBERS: Final = 12
_QUOTE: Final = 160
_FIRST_WORDS: Final = 12
_SHORT_REPORT: Final = 40
"""Words of a report; one with fewer is unlikely to hold an answer."""


def read_hand_in(look: "Look", send: "Send") -> SeenSubmission:
    """Return what was read, in the language of `look`; `send` receives the name of each file before it is read. Raises
    RuntimeError when reading takes too long."""

    submission = open_submission(source_of(look.paths), look.work / "files")
    watch = partial(watch_file, send)
    reading = read(submission, look.lab.log_formats, leave_out=look.left_out, watch=watch)
    try:
        with limit_time(look.seconds):
            answer = extract(reading, look.lab)
    except TooSlowError as error:
        raise RuntimeError(TOO_MUCH) from error
    return translate(summarise(submission, reading, answer, look.lab), language_of(look.language))


def source_of(paths: Sequence[Path]) -> Source:
    """The hand-in that some files and folders make up; a single one may be an archive."""
    parts = () if len(paths) == 1 else tuple(Part(path=path, name=path.name) for path in paths)
    return Source(student_id="you", student_name="", path=paths[0], parts=parts)


def summarise(submission: Submission, reading: Reading, answer: Answer, lab: Lab) -> SeenSubmission:
    """Return what was read of a hand-in, by a lab as students may see it."""
    definitions = tuple(_definitions(answer, lab))
    length = sum(
        len(block.text.split())
        for document in reading.documents
        if document.file == answer.report
        for block in document.blocks
    )
    found = SeenSubmission(
        schema=1,
        lab=lab.id,
        title=say_data(lab.title),
        report=answer.report,
        report_reason=answer.report_reason,
        words=length,
        files=tuple(_files(submission, reading)),
        questions=tuple(_questions(answer, lab)) if answer.report else (),
        numbers=tuple(_numbers(answer, lab)),
        results=tuple(_results(answer, lab)),
        loose=tuple(
            dict.fromkeys(
                SeenFigure(text=_short(figure.evidence.quote), place=_place(figure.evidence))
                for figure in answer.results.loose
                if not figure.is_faint
            )
        )[:_MOST],
        definitions=definitions if answer.report or any(definition.text for definition in definitions) else (),
        runs=tuple(_runs(reading.runs, answer.runs, lab))[:_MOST],
        notebooks=tuple(_notebooks(answer)),
    )
    return found.model_copy(update={"remarks": tuple(_remarks(found, reading, lab))})


def _place(evidence: Evidence) -> Place:
    line = evidence.line if evidence.cell is None else None
    return Place(file=evidence.file, page=evidence.page, line=line, cell=evidence.cell)


def _files(submission: Submission, reading: Reading) -> Iterator[SeenFile]:
    sizes = {file.path: file.size for file in submission.files}
    for entry in reading.files:
        size = sizes.get(entry.path)
        reason = say("the file is empty") if size == 0 and entry.state is FileState.UNREADABLE else entry.reason or ""
        yield SeenFile(path=entry.path, role=entry.role, state=entry.state, size=size, reason=reason)


def _questions(answer: Answer, lab: Lab) -> Iterator[SeenQuestion]:
    for question in lab.questions:
        title = say_data(question.title)
        own_sections = [section for section in answer.sections if question.id in section.questions]
        if not own_sections:
            yield SeenQuestion(id=question.id, title=title)
            continue
        start = own_sections[0].passage.evidence(0, 1)
        text = " ".join(section.passage.text[section.lead :] for section in own_sections).split()
        yield SeenQuestion(
            id=question.id,
            title=title,
            heading=_short(own_sections[0].title),
            place=_place(start),
            beginning=_short(" ".join(text[:_FIRST_WORDS])),
            words=len(text),
        )


def _numbers(answer: Answer, lab: Lab) -> Iterator[SeenNumber]:
    """The distinct numbers of an answer, each at its first place; first those that the text calls the total."""
    for question in lab.questions:
        if not any(item.check == _COUNTED for item in question.items):
            continue
        by_value: dict[int, CountClaim] = {}
        for claim in answer.counts(question.id):
            known_claim = by_value.get(claim.value)
            if not claim.is_disowned and (known_claim is None or (_is_total(claim) and not _is_total(known_claim))):
                by_value[claim.value] = claim
        ordered = sorted(
            by_value.values(),
            key=lambda candidate: (not _is_total(candidate), not candidate.is_result, -candidate.value),
        )
        for claim in ordered[:_MOST_NUMBERS]:
            yield SeenNumber(
                question=question.id,
                text=claim.text,
                is_total=_is_total(claim),
                place=_place(claim.evidence),
                quote=_short(claim.evidence.quote),
            )


def _is_total(claim: CountClaim) -> bool:
    """Whether the text calls the number the total; a number that enters a further calculation is a part."""
    return claim.is_total and not claim.is_operand


def _results(answer: Answer, lab: Lab) -> Iterator[SeenResults]:
    """Results by experiment, measure and split in the lab's order; those of no experiment come last."""
    found = answer.results
    keys = dict.fromkeys((claim.experiment, claim.measure, claim.split) for claim in (*found.seeds, *found.summaries))
    titles: dict[str | None, Words] = {candidate.id: say_data(candidate.title) for candidate in lab.experiments}
    order = {entry: place for place, entry in enumerate(titles)}
    measures = {candidate.id: candidate for candidate in lab.measured}
    for key in sorted(keys, key=lambda key: (order.get(key[0], len(order)), list(measures).index(key[1]), str(key[2]))):
        experiment, measure, split = key
        seeds = [result for result in found.seeds if (result.experiment, result.measure, result.split) == key]
        whole = [summary for summary in found.summaries if (summary.experiment, summary.measure, summary.split) == key]
        evidence = [result.evidence for result in seeds] + [place for summary in whole for place in summary.evidence]
        repeated = lab.repetition_of(experiment or "")
        yield SeenResults(
            experiment=titles.get(experiment, say("an unknown experiment")),
            measure=say_data(measures[measure].title),
            split=split or "",
            runs=say_data(repeated.title if len(seeds) == 1 else repeated.titles),
            values=tuple(_number(result.value) for result in seeds)[:_MOST],
            mean=next((_number(summary.mean) for summary in whole if summary.mean is not None), ""),
            deviation=next((_number(summary.std) for summary in whole if summary.std is not None), ""),
            place=_place(evidence[0]) if evidence else None,
        )


def _definitions(answer: Answer, lab: Lab) -> Iterator[SeenDefinition]:
    for parameter in lab.parameters:
        own_definitions = [
            definition
            for definition in answer.definitions
            if definition.parameter == parameter.id and definition.text.strip()
        ]
        if own_definitions:
            longest = max(own_definitions, key=lambda definition: len(definition.text))
            yield SeenDefinition(
                parameter=parameter.names[0], text=_short(longest.text), place=_place(longest.evidence)
            )
        else:
            yield SeenDefinition(parameter=parameter.names[0])


def _runs(runs: Iterable[Run], logged: Iterable[LoggedRun], lab: Lab) -> Iterator[SeenRun]:
    titles = {experiment.id: say_data(experiment.title) for experiment in lab.experiments}
    by_name: dict[str, list[LoggedRun]] = {}
    for logged_run in logged:
        by_name.setdefault(logged_run.name, []).append(logged_run)
    for run in runs:
        own_runs = by_name.get(run.name, [])
        yield SeenRun(
            name=_short(run.name),
            framework=run.framework.value if run.framework else "",
            experiment=titles.get(own_runs[-1].experiment or "", "") if own_runs else "",
            seed=_short(run.seed.value) if run.seed else "",
            updates=_last_step(run),
            by_epoch=_counts_epochs(run),
            logged=tuple(dict.fromkeys(counted for candidate in own_runs for counted in _logged(candidate, lab))),
            place=_place_of_run(run),
            problems=tuple(_problems(run, own_runs))[:5],
        )


def _problems(run: Run, logged: Iterable[LoggedRun]) -> Iterator[Words]:
    yield from run.problems
    yield from (problem for log in run.logs for problem in log.problems)
    if CUT not in settings_of(run.logs) and not all(logged_run.is_whole for logged_run in logged):
        yield say("its log does not hold all evaluations: that proves nothing against it")


def _last_step(run: Run) -> int | None:
    """The last step at which anything was logged."""
    return max((step for log in run.logs for series in log.series for step in series.steps[-1:]), default=None)


def _counts_epochs(run: Run) -> bool:
    """Whether all logs of a run count epochs in place of updates."""
    return all(
        any((setting.name, setting.value) == ("steps_count", EPOCHS) for setting in log.settings) for log in run.logs
    )


def _place_of_run(run: Run) -> Place | None:
    """Return the place of the first log of a run; None if it has no log."""
    if not run.logs:
        return None
    first = run.logs[0]
    cells = (series.cell for series in first.series if series.cell is not None)
    return Place(file=first.file, cell=next(cells, None))


def _logged(run: LoggedRun, lab: Lab) -> Iterator[SeenLogged]:
    """Yield how often a run's measure was logged on the split that selects and on the one that is reported."""
    title = next((measure.title for measure in lab.measured if measure.id == run.measure), run.measure)
    names = {candidate.id: candidate.named for candidate in lab.splits}
    for split, points in ((lab.selecting, run.selecting), (run.split, run.reported)):
        if points:
            message = say_data(names.get(split or "", split or ""))
            yield SeenLogged(measure=say_data(title), split=message, number=len(points))


def _notebooks(answer: Answer) -> Iterator[SeenNotebook]:
    for notebook in answer.notebooks[:_MOST]:
        yield SeenNotebook(
            file=notebook.file,
            cells=notebook.code_cells,
            ran=notebook.ran if notebook.holds_outputs else notebook.code_cells,
            errors=tuple(error.cell for error in notebook.errors if error.cell is not None),
            still_open=notebook.open_cells,
            holds_outputs=notebook.holds_outputs,
        )


def _remarks(found: SeenSubmission, reading: Reading, lab: Lab) -> Iterator[Remark]:
    yield from (Remark(level=Level.MEND, text=text) for text in _to_mend(found))
    yield from (Remark(level=Level.LOOK, text=text) for text in _to_look_at(found, reading, lab))


def _to_mend(found: SeenSubmission) -> Iterator[Words]:
    if not found.files:
        yield say("No file was found in this submission.")
        return
    lost = [file for file in found.files if file.state in (FileState.UNREADABLE, FileState.PARTLY)]
    if found.report is None and not any(file.role == Role.REPORT for file in lost):
        yield say("No text was found that could be the report; hand in a PDF whose text can be selected.")
    for file in lost:
        yield label_text(file.path, file.reason or say("could not be read whole"))
    if found.words and found.words < _SHORT_REPORT:
        yield say_number("The report holds only {number} word.", "The report holds only {number} words.", found.words)
    if found.report and not any(question.place for question in found.questions):
        yield say("No heading names a question; give each answer a heading with the name of its question.")
    roles = Counter(file.role for file in found.files)
    if not roles[Role.NOTEBOOK] and not roles[Role.CODE]:
        yield say("There is neither a notebook nor a program.")


def _to_look_at(found: SeenSubmission, reading: Reading, lab: Lab) -> Iterator[Words]:
    if found.report_reason:
        yield say("{file} was taken as the report ({reason}).", file=found.report or "", reason=found.report_reason)
    if lab.experiments and not found.runs and found.files:
        yield say("No training log was found, neither in files nor in what notebooks print.")
    for notebook in found.notebooks:
        if notebook.cells and not notebook.ran:
            yield say("{file}: no cell shows that it was run; hand in notebooks with their output.", file=notebook.file)
        if notebook.errors:
            cells = ", ".join(map(str, notebook.errors[:8]))
            yield say("{file}: the run ended in an error in cell {cells}.", file=notebook.file, cells=cells)
        if notebook.still_open:
            yield say_number(
                "{file}: {number} cell still holds gaps of the handout.",
                "{file}: {number} cells still hold gaps of the handout.",
                notebook.still_open,
                file=notebook.file,
            )
    pictures = sum(
        block.kind is BlockKind.FIGURE
        for document in reading.documents
        if document.file == found.report
        for block in document.blocks
    )
    if pictures:
        yield say_number(
            "The report holds {number} picture: what is only in it cannot be read; give the numbers as text too.",
            "The report holds {number} pictures: what is only in them cannot be read; give the numbers as text too.",
            pictures,
        )
    unnamed = sum(1 for result in found.results if not result.split)
    if unnamed:
        yield say_number(
            "{number} result does not name its data: write beside the figures whether they are of {splits}.",
            "{number} results do not name their data: write beside the figures whether they are of {splits}.",
            unnamed,
            splits=join_messages(
                " / ", (say_data(split.words[0] if split.words else split.id) for split in lab.splits)
            ),
        )
    if found.loose:
        yield say_number(
            "Of {number} number it is not clear which result it is: name experiment, seed and data beside it.",
            "Of {number} numbers it is not clear which results they are: name experiment, seed and data beside them.",
            len(found.loose),
        )


def _number(value: Decimal) -> str:
    return format(value.normalize(), "f") if value else "0"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _QUOTE else f"{plain[: _QUOTE - 1]}…"
