"""Find the experiments whose runs a submission shows, by code that trains or by logs and output."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from grader.checks.feedback import left_to_person
from grader.checks.finding import Diagnosis, Finding, Flag, Severity, Status
from grader.claims.answer import Answer
from grader.claims.results.vocabulary import experiments_in
from grader.frozen import memoise
from grader.lab.definition import EXPERIMENT_OPTIONS, Item, Lab
from grader.message import join_messages, say, say_data
from grader.reading.document import Evidence

FLAG: Final = "no-run-shown"
_MOST_PLACES: Final = 3
_MOST_TEXT: Final = 20_000
_TRAINS: Final = re.compile(r"\b(?:train|training_step|fit|fine_?tune|backward|run_\w+)\b|train\.py", re.IGNORECASE)


def no_run_shown(answer: Answer, lab: Lab) -> Iterator[Flag]:
    """Yield one flag for all experiments with results but without code, log or output of a run.

    The flag costs no points. Nothing is flagged if some files could not be read, because one may be a log.
    """
    if answer.gaps or answer.unread:
        return
    pasted = {result.experiment for result in answer.results.seeds if _is_printed(result.evidence.quote)}
    shown = _logged(answer, lab) | _coded(answer, lab) | pasted
    bare = [
        experiment for experiment in lab.experiments if _places(experiment.id, answer) and experiment.id not in shown
    ]
    if bare:
        yield Flag(
            id=FLAG,
            severity=Severity.INFO,
            message=say(
                "Beside the report, no code, log or printed output of a run was handed in for: {experiments}.",
                experiments=join_messages("; ", (say_data(experiment.title) for experiment in bare)),
            ),
            evidence=tuple(
                dict.fromkeys(place for experiment in bare for place in _places(experiment.id, answer)[:_MOST_PLACES])
            ),
        )


def _is_printed(line: str) -> bool:
    """Whether a line has the form of a program's output: names with values and nothing else, `seed=1 acc=0.7970`."""
    return bool(re.fullmatch(r"(?:\w+=\S+\s+)+\w+=\S+", line.strip()))


def with_logs(finding: Finding, item: Item, answer: Answer, lab: Lab) -> Finding:
    """Return a finding, or a review if the item requires logs and no log of its experiments shows a run."""
    if item.evidence != "logs" or finding.status not in (Status.CORRECT, Status.PARTIAL, Status.REVIEW):
        return finding
    named = {str(item.options[name]) for name in EXPERIMENT_OPTIONS if name in item.options}
    bare = [experiment for experiment in lab.experiments if experiment.id in named - _logged(answer, lab)]
    if not bare:
        return finding
    reason = say(
        "No log or printed output of a run was found for it: {experiments}.",
        experiments=join_messages("; ", (say_data(experiment.title) for experiment in bare)),
    )
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=finding.suggestion if finding.status is Status.REVIEW else finding.status,
        diagnoses=(*finding.diagnoses, Diagnosis(id=FLAG, text=reason)),
        feedback=left_to_person(finding.feedback, reason),
    )


def _places(experiment: str, answer: Answer) -> list[Evidence]:
    """Return the places of an experiment's results."""
    places = [result.evidence for result in answer.results.seeds if result.experiment == experiment]
    places += [
        place for summary in answer.results.summaries if summary.experiment == experiment for place in summary.evidence
    ]
    return list(dict.fromkeys(places))


def _all(lab: Lab) -> frozenset[str]:
    return frozenset(experiment.id for experiment in lab.experiments)


@memoise
def _logged(answer: Answer, lab: Lab) -> frozenset[str]:
    """Return the experiments whose runs logs or output show. A run without an experiment may be of any of them."""
    reported = {result.value for result in answer.results.seeds}
    found = {run.experiment for run in answer.runs}
    found |= {result.experiment for result in answer.shown.seeds if result.experiment or result.value not in reported}
    found |= {summary.experiment for summary in answer.shown.summaries if summary.experiment}
    if None in found:
        return _all(lab)
    outputs = [cell.output[:_MOST_TEXT] for cell in answer.code if cell.output]
    # A second report in plain text is not output.
    outputs += [printout.text[:_MOST_TEXT] for printout in answer.printed if printout.file not in answer.rivals]
    printed = {experiment.id for experiment in lab.experiments if _holds(outputs, _values(experiment.id, answer))}
    return frozenset(printed | {entry for entry in found if entry})


def _values(experiment: str, answer: Answer) -> list[Decimal]:
    return [result.value for result in answer.results.seeds if result.experiment == experiment]


def _holds(outputs: list[str], values: list[Decimal]) -> bool:
    """Whether outputs contain the results of single runs, except at most one, which may be rounded."""
    forms = [{f"{value.normalize():f}", f"{(value / 100).normalize():f}"} for value in values]
    shown_count = sum(any(form in text for text in outputs for form in value_forms) for value_forms in forms)
    return bool(values) and shown_count >= max(1, len(values) - 1)


def _coded(answer: Answer, lab: Lab) -> frozenset[str]:
    """Return the experiments that code trains. Code that names none may train any of them."""
    found: set[str] = set()
    for cell in answer.code:
        if _TRAINS.search(cell.source[:_MOST_TEXT]):
            found.update(experiments_in(cell.source[:_MOST_TEXT], lab) or _all(lab))
    return frozenset(found)
