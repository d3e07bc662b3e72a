"""One submission through all rooms, from its source to its result.

Where several documents may be the answer sheet, or hold what the answer sheet does not say, each is judged alone, and
where that makes a difference a person decides.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath
from statistics import fmean
from typing import Any, Final, NamedTuple

from grader.checks.absence import absence
from grader.checks.experiment import report_of, values
from grader.checks.feedback import left_to_person
from grader.checks.finding import Conclusions, Finding, Flag, Severity, Status, in_force, without_decisions
from grader.checks.hyperparameters import is_near
from grader.checks.runner import draw_conclusions, run_checks
from grader.claims.answer import Answer, extract, is_aside
from grader.claims.likeness import series_prints, text_print
from grader.claims.logged import LoggedRun
from grader.intake.submission import Source, Submission
from grader.lab.definition import Lab
from grader.lab.truth import Band, GroundTruth
from grader.message import ENGLISH, Language, Message, join_messages, label_text, say, say_values
from grader.pipeline.assigning import apply_sections, sections_in
from grader.pipeline.order import ORDINARY, Circumstances, opened_whole, result_of
from grader.pipeline.stages import HandInFindings, seen_by_checks, seen_by_claims
from grader.reader.answer import Record
from grader.reader.consulted import consult
from grader.reading.document import BlockKind, Document, Evidence
from grader.reading.formats import TOO_MUCH, Watch, null_watch, read
from grader.reading.notebook import Notebook, notebook_document
from grader.reading.pictured import pictures_read, with_pictures
from grader.reading.reading import FileRecord, FileState, Reading
from grader.reading.tesseract import is_there
from grader.result import Average, Curve, CurveBand, Override, Quantity, Result
from grader.time_limit import TooSlowError, limit_time

_MOST_RIVALS: Final = 2
_MOST_PARTS: Final = 8
_MOST_ASIDE: Final = 2
_WORTH: Final = (Status.MISSING, Status.INCORRECT, Status.PARTIAL, Status.CORRECT)
_PARTLY: Final = _WORTH.index(Status.PARTIAL)


def settle_conclusions(
    concluded: Conclusions, answer: Answer, reading: Reading, judge: Callable[[Reading], Conclusions]
) -> Conclusions:
    """The conclusions about an answer whose report is not the only document. What the answer sheet says alone counts;
    what only another document says counts when a person decides so."""
    if not (answer.rivals or answer.beside) or answer.report is None:
        return concluded
    every = {answer.report, *answer.rivals, *answer.beside, *answer.handouts}
    parts = _parts(answer.report, answer, reading, judge)
    if parts == every.difference(answer.handouts):
        return concluded
    answer = answer.model_copy(
        update={
            "rivals": tuple(rival for rival in answer.rivals if rival not in parts),
            "beside": tuple(file for file in answer.beside if file not in parts),
        }
    )
    sheets = (parts, *({rival} for rival in answer.rivals[:_MOST_RIVALS]))
    alone = [judge(_without(reading, every - sheet)) for sheet in sheets]
    findings = []
    differing: list[Finding] = []
    silent = any(finding.status is Status.MISSING for conclusions in alone for finding in conclusions.findings)
    aside = answer.beside[:_MOST_ASIDE] if silent else ()
    aside_findings = [
        {candidate.item: candidate for candidate in judge(_without(reading, every - {file})).findings} for file in aside
    ]
    for finding, *apart in zip(concluded.findings, *(conclusions.findings for conclusions in alone), strict=True):
        changed = _settled(finding, apart, answer)
        found = next((of[finding.item] for of in aside_findings if _worth(of[finding.item]) >= _PARTLY), None)
        if changed.status is Status.MISSING:
            open_ones = (of[finding.item] for of in aside_findings if of[finding.item].status is Status.REVIEW)
            changed = _said_aside(found, answer) if found else next(open_ones, changed)
        findings.append(changed)
        if changed is not finding and changed.status is Status.REVIEW:
            differing.append(changed)
    flags = (*concluded.flags, *_flag(differing, answer))
    return concluded.model_copy(update={"findings": tuple(findings), "flags": flags})


def _parts(report: str, answer: Answer, reading: Reading, judge: Callable[[Reading], Conclusions]) -> set[str]:
    """The documents over which the answer sheet is spread, `part1.pdf` and `part2.pdf` or one for each question: of its
    format, not called drafts or the like, and each with answers that the others do not give."""
    suffix = PurePosixPath(report).suffix.lower()
    alike = [rival for rival in (*answer.rivals, *answer.beside) if PurePosixPath(rival).suffix.lower() == suffix]
    alike = [candidate for candidate in alike if not is_aside(candidate)]
    if not alike or len(alike) > _MOST_PARTS or is_aside(report):
        return {report}
    others = {*answer.rivals, *answer.beside}
    rest = [
        document.model_copy(update={"blocks": document.blocks[:1]}) if document.file == report else document
        for document in reading.documents
        if document.file not in others
    ]
    elsewhere = _given(judge(reading.model_copy(update={"documents": tuple(rest)})))
    parts = {report: _given(judge(_without(reading, others))).difference(elsewhere)}
    for file in alike:
        contribution = _given(judge(_without(reading, {report, *others} - {file}))).difference(elsewhere)
        if contribution.items and not any(contribution.is_another_of(part) for part in parts.values()):
            parts[file] = contribution
    return set(parts)


class _Given(NamedTuple):
    """The items that something answers without leaving them to a person, and those with a good answer."""

    items: frozenset[str]
    good: frozenset[str]

    def difference(self, other: "_Given") -> "_Given":
        return _Given(self.items - other.items, self.good - other.items)

    def is_another_of(self, other: "_Given") -> bool:
        """Whether both answer much the same, as two versions do, and parts do not."""
        if 2 * len(self.items & other.items) > min(len(self.items), len(other.items)):
            return True
        return 4 * len(self.good & other.good) > min(len(self.good), len(other.good))


def _given(concluded: Conclusions) -> _Given:
    found = [
        finding for finding in concluded.findings if finding.status in _WORTH and finding.status is not Status.MISSING
    ]
    return _Given(
        frozenset(finding.item for finding in found),
        frozenset(finding.item for finding in found if _worth(finding) >= _PARTLY),
    )


def _without(reading: Reading, files: set[str]) -> Reading:
    kept = tuple(document for document in reading.documents if document.file not in files)
    return reading.model_copy(update={"documents": kept})


def _settled(finding: Finding, apart: Sequence[Finding], answer: Answer) -> Finding:
    """The finding of all documents together, held against those of each that may be the answer sheet alone."""
    sheet, *rivals = apart
    if any((rival.status, rival.share) != (sheet.status, sheet.share) for rival in rivals):
        return _for_a_person(
            finding,
            say(
                "{files} answer this differently, and it is not clear which of them is the answer sheet.",
                files=join_messages(", ", (answer.report or "", *answer.rivals)),
            ),
        )
    if (finding.status, finding.share) == (sheet.status, sheet.share):
        return finding
    if _worth(finding) >= _PARTLY and _worth(finding) > _worth(sheet):
        return _said_aside(finding, answer)
    return sheet if _worth(sheet) > 0 else finding


def _said_aside(finding: Finding, answer: Answer) -> Finding:
    """The finding of what only a document beside the answer sheet says."""
    others = (*answer.beside, *answer.rivals)
    places = dict.fromkeys(place.file for place in finding.evidence if place.file in others)
    message = say(
        "The answer sheet, {sheet}, does not say it, but {files} does.",
        sheet=answer.report,
        files=join_messages(", ", list(places) or others[:1]),
    )
    return _for_a_person(finding, message)


def _worth(finding: Finding) -> int:
    return _WORTH.index(finding.status) if finding.status in _WORTH else -1


def _for_a_person(finding: Finding, reason: str) -> Finding:
    is_decided = finding.status in _WORTH and finding.status is not Status.MISSING
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=finding.status if is_decided else finding.suggestion,
        feedback=left_to_person(finding.feedback, reason),
    )


def _flag(differing: Sequence[Finding], answer: Answer) -> Iterator[Flag]:
    if differing:
        yield Flag(
            id="several-reports",
            severity=Severity.WARNING,
            message=say(
                "{sheet} is taken as the answer sheet, but {files} says something else on: {items}.",
                sheet=answer.report,
                files=join_messages(", ", (*answer.rivals, *answer.beside)[:4]),
                items=join_messages(", ", [finding.item for finding in differing]),
            ),
            evidence=tuple(Evidence(file=rival, quote="") for rival in (*answer.rivals, *answer.beside)[:4]),
        )


SECONDS: Final = 4.0
"""Of processor time, to find the claims in what was read; in good faith it takes a fraction of it."""
MOST_CURVES: Final = 48
MOST_POINTS: Final = 120

_MOST_PLACES: Final = 5
_MOST_QUOTED: Final = 3
_QUOTE: Final = 60
"""Characters of a hidden text that a flag quotes."""


class Stages(NamedTuple):
    """The three stages of grading a hand-in: what was read, what is claimed, and what was found. Each follows from the
    one before."""

    reading: Reading
    answer: Answer
    found: HandInFindings


def grade_source(
    source: Source,
    lab: Lab,
    truth: GroundTruth,
    work: Path,
    circumstances: Circumstances = ORDINARY,
    language: Language = ENGLISH,
) -> Result:
    """Grade one hand-in. `work` is an empty folder for what has to be unpacked."""
    return grade_submission(opened_whole(source, work), lab, truth, circumstances, language)


def grade_submission(
    submission: Submission,
    lab: Lab,
    truth: GroundTruth,
    circumstances: Circumstances = ORDINARY,
    language: Language = ENGLISH,
) -> Result:
    """Grade a hand-in that lies opened on this machine; the words of the result are in the language."""
    put = sections_in(circumstances.overrides)
    found = stages(submission, lab, truth, circumstances.reader, put).found
    return result_of(submission, found, lab, truth, circumstances, language)


def stages(
    submission: Submission,
    lab: Lab,
    truth: GroundTruth,
    record: Record | None = None,
    sections: Override | None = None,
    *,
    leave_out: Collection[str] = (),
    watch: Watch = null_watch,
) -> Stages:
    """Return the reading, claims and findings of a hand-in that lies opened on this machine. `record` holds what a
    reader says that it states, if one was asked; `sections` are those that a person assigned, if any. For `leave_out`
    and `watch` see `read`."""
    reading = read(submission, lab.log_formats, leave_out=leave_out, watch=watch)
    done = judge_reading(reading, lab, truth, record, sections)
    seen = pictures_read(reading, submission.files, _pictures_to_read(done, lab))
    return judge_reading(seen, lab, truth, record, sections) if seen.pictured else done


def _pictures_to_read(done: Stages, lab: Lab) -> frozenset[Evidence]:
    """The places of the pictures in which an answer may stand that was not found elsewhere."""
    documents = (*done.reading.documents, *map(notebook_document, done.reading.notebooks))
    if not is_there() or not any(block.kind is BlockKind.FIGURE for document in documents for block in document.blocks):
        return frozenset()
    open_items = [finding.item for finding in done.found.findings if finding.status is Status.REVIEW]
    return frozenset(place for item in open_items for place in absence(done.answer, lab, item).pictures)


def judge_reading(
    reading: Reading, lab: Lab, truth: GroundTruth, record: Record | None, sections: Override | None
) -> Stages:
    """Return the claims and findings of a reading."""
    put = apply_sections(reading, sections, lab)
    answer = extract_claims(put.reading, lab)
    found = judge_answer(put.reading, answer, lab, truth, record)
    if reading.pictured:
        shown = with_pictures(put.reading)
        found = _with_shown(found, judge_answer(shown, extract_claims(shown, lab), lab, truth, record))
    return Stages(reading, answer, found.model_copy(update={"flags": (*found.flags, *put.flags)}))


def _with_shown(found: HandInFindings, shown: HandInFindings) -> HandInFindings:
    """The findings, with those in place of open ones that rest on what pictures show: these prove an answer, or a
    person confirms it. They are never held against a student."""

    findings = list(found.findings)
    for at, (finding, other) in enumerate(zip(found.findings, shown.findings, strict=True)):
        is_open = finding.status is Status.REVIEW and finding.suggestion is not Status.CORRECT
        is_good = Status.CORRECT in (other.status, other.suggestion if other.status is Status.REVIEW else None)
        if is_open and is_good and any(place.recognised for place in other.evidence):
            findings[at] = other
    return found.model_copy(update={"findings": tuple(findings)})


def extract_claims(reading: Reading, lab: Lab) -> Answer:
    """The claims of a reading. They depend on the part of the lab that `seen_by_claims` leaves, and on no other."""
    try:
        with limit_time(SECONDS):
            return extract(reading, seen_by_claims(lab))
    except TooSlowError as error:
        raise RuntimeError(TOO_MUCH) from error


def judge_answer(
    reading: Reading, answer: Answer, lab: Lab, truth: GroundTruth, record: Record | None = None
) -> HandInFindings:
    """Return the findings of a hand-in. They depend on the part of the lab that `seen_by_checks` leaves, and on none of
    its stored decisions, unless a reader was asked."""
    asked = seen_by_checks(lab)
    seen = without_decisions(asked)
    concluded = draw_conclusions(answer, truth, seen)
    concluded = settle_conclusions(
        concluded, answer, reading, lambda of: draw_conclusions(extract_claims(of, lab), truth, seen)
    )
    with_reader = None
    if record is not None:
        rules = in_force(concluded, asked)
        with_reader = consult(record, answer, rules, asked, lambda claims, of: run_checks(claims, truth, of))
        concluded = Conclusions(findings=tuple(with_reader.findings), flags=tuple(with_reader.flags))
    flags = (
        *concluded.flags,
        *_asking(answer),
        *_hidden((*reading.documents, *reading.notebooks)),
        *_unreadable(reading.files),
    )
    averages = tuple(average for experiment in seen.experiments for average in averages_of(experiment.id, answer, seen))
    return HandInFindings(
        **dict(concluded.model_copy(update={"flags": flags})),
        is_settled=with_reader is not None,
        reader=with_reader.used if with_reader else None,
        files=reading.files,
        report=answer.report,
        report_reason=answer.report_reason,
        curves=curves(answer.runs, seen),
        curve_bands=curve_bands(answer.runs, truth, seen),
        series=series_prints(reading.runs, seen),
        averages=averages,
        average_bands=tuple(_bands(averages, truth, seen)),
        prose=text_print([section for section in answer.sections if section.passage.file == answer.report], seen),
    )


def _asking(answer: Answer) -> Iterator[Flag]:
    """One flag for each document that is taken for the handout."""
    for file in answer.handouts:
        message = say("{file} only asks the questions of the lab, so it is taken for its handout.", file=file)
        yield Flag(
            id="blank-handout", severity=Severity.INFO, message=message, evidence=(Evidence(file=file, quote=""),)
        )


def _hidden(files: tuple[Document | Notebook, ...]) -> Iterator[Flag]:
    """One flag for each file that holds text that cannot be seen in it, with the places and the words."""
    for file in files:
        if file.hidden:
            evidence = [
                Evidence(
                    file=block.file or file.file,
                    page=block.page,
                    box=block.box,
                    line=block.line,
                    cell=block.cell,
                    quote=block.text,
                )
                for block in file.hidden[:_MOST_PLACES]
            ]
            places = [_quoted(place) for place in evidence[:_MOST_QUOTED]]
            yield Flag(
                id="hidden-text",
                severity=Severity.WARNING,
                message=say(
                    "{file} contains hidden text, which counts for nothing: {places}",
                    file=file.file,
                    places=join_messages("; ", places)
                    if len(places) == len(file.hidden)
                    else join_messages("; ", [*places, "…"]),
                ),
                evidence=tuple(evidence),
            )


def _quoted(evidence: Evidence) -> Message:
    words = evidence.quote if len(evidence.quote) <= _QUOTE else f"{evidence.quote[:_QUOTE]}…"
    quoted = say("“{words}”", words=words)
    if evidence.page is not None:
        return say_values("{quoted} ({place})", quoted=quoted, place=say("page {page}", page=evidence.page))
    line = say("line {line}", line=evidence.line)
    return say_values("{quoted} ({place})", quoted=quoted, place=line) if evidence.line else quoted


def _unreadable(files: tuple[FileRecord, ...]) -> Iterator[Flag]:
    """One flag for each file that could not be read, or not whole."""
    for file in files:
        if file.state in (FileState.UNREADABLE, FileState.PARTLY):
            yield Flag(
                # A folder of a tracker that is not read is whole.
                id="log-damaged" if file.role == "log" and not file.path.endswith("/") else "unreadable",
                severity=Severity.WARNING,
                message=label_text(file.path, file.reason or ""),
                evidence=(Evidence(file=file.path, quote=""),),
            )


def quantity_of(experiment: str, lab: Lab) -> Quantity:
    """Return the usual measure of an experiment."""
    measure = lab.measure(None, experiment)
    return Quantity(title=measure.title, unit=measure.behind.strip(), is_lower_better=measure.is_lower_better)


def curves(runs: Sequence[LoggedRun], lab: Lab) -> tuple[Curve, ...]:
    """The curves of the runs whose experiment is known, of its usual measure, by experiment, split and seed.

    At most `MOST_CURVES`; of long ones `MOST_POINTS` points, first and last among them.
    """
    named_runs = [(run, run.experiment) for run in runs if run.experiment]
    usual = [(run, name) for run, name in named_runs if run.measure == lab.measure(None, name).id]
    drawn = list(dict.fromkeys(curve for run, name in usual for curve in _of_run(run, name, lab)))
    drawn.sort(
        key=lambda curve: (
            curve.experiment,
            curve.split,
            curve.seed is None,
            curve.seed or 0,
            curve.steps,
            curve.values,
        )
    )
    return tuple(drawn[:MOST_CURVES])


def curve_bands(runs: Sequence[LoggedRun], truth: GroundTruth, lab: Lab) -> tuple[CurveBand, ...]:
    """The bands of the experiments that were logged: those of their schedules, and where these are unknown all."""
    experiments = sorted({run.experiment for run in runs if run.experiment})
    return tuple(
        shown_band(band, lab)
        for experiment in experiments
        for split in (*([lab.selecting] if lab.selecting else ()), *lab.reported)
        for band in _fitting(truth.bands_of(experiment, split), [run for run in runs if run.experiment == experiment])
    )


def _of_run(run: LoggedRun, experiment: str, lab: Lab) -> Iterator[Curve]:
    for split, points in ((lab.selecting, run.selecting), (run.split, run.reported)):
        if split and points:
            kept = sorted(points, key=lambda point: point.step)
            last = len(kept) - 1
            if last >= MOST_POINTS:
                kept = [kept[number * last // (MOST_POINTS - 1)] for number in range(MOST_POINTS)]
            yield Curve(
                experiment=experiment,
                split=split,
                is_selecting=split == lab.selecting,
                quantity=quantity_of(experiment, lab),
                seed=run.seed,
                by_epoch=any(point.by_epoch for point in kept),
                steps=tuple(point.step for point in kept),
                values=tuple(round(point.value, 4) for point in kept),
            )


def _fitting(bands: Sequence[Band], runs: Sequence[LoggedRun]) -> list[Band]:
    totals = [run.schedule.total_updates for run in runs if run.schedule]
    logged = [band for band in bands if band.schedule and any(is_near(total, band.schedule) for total in totals)]
    return logged or [band for band in bands if band.inner]


def shown_band(band: Band, lab: Lab) -> CurveBand:
    """A band as a result holds it: the inner interval where there is one."""
    low, high = band.inner or band.outer
    share = 95 if band.inner else 99
    return CurveBand(
        id=band.id,
        experiment=band.experiment,
        split=band.split,
        quantity=quantity_of(band.experiment, lab),
        schedule=band.schedule,
        low=low,
        high=high,
        share=share,
    )


def averages_of(experiment: str, answer: Answer, lab: Lab) -> Iterator[Average]:
    """The averages of an experiment, one for each split: the stated one that tells most, else the mean of as many
    values as the lab asks for."""
    report = report_of(experiment, answer, lab)
    further = report.in_order(claim.split for claim in (*report.seeds, *report.summaries))
    fields: dict[str, Any] = {
        "experiment": report.experiment,
        "asked": report.split or "",
        "quantity": quantity_of(report.experiment, lab),
    }
    for split in (*filter(None, dict.fromkeys((report.split, report.selecting, *further))), None):
        stated = [summary for summary in report.summaries if summary.split == split and summary.mean is not None]
        if stated:
            mean = next((summary.mean for summary in reversed(stated) if summary.std is not None), stated[-1].mean)
            yield Average(**fields, split=split, value=round(float(mean or 0), 4))
            continue
        for group in report.series():
            if group[0].split == split and len(group) >= report.number:
                yield Average(**fields, split=split, value=round(fmean(values(group)), 4), stated=False)


def _bands(averages: tuple[Average, ...], truth: GroundTruth, lab: Lab) -> Iterator[CurveBand]:
    """Yield the bands of the averages' experiments and splits. An average that does not state its split is compared
    with the one that is asked for."""
    for experiment, split in dict.fromkeys(
        (average.experiment, average.split or average.asked) for average in averages
    ):
        yield from (shown_band(band, lab) for band in truth.bands_of(experiment, split))
