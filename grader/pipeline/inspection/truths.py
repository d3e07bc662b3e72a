"""Whether a lab's frozen truth is there, is of this lab as it is now, and holds what the lab needs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from grader.lab.definition import Lab
from grader.lab.files import LabError, load_truth
from grader.lab.inputs import truth_inputs
from grader.lab.truth import GroundTruth
from grader.message import say
from grader.pipeline.inspection.problem import Problem, error, warning
from grader.pipeline.inspection.source import LAB, Source

TRUTH: Final = "truth.json"


def read_truth(folder: Path) -> GroundTruth | Problem:
    """The truth of a lab, or why there is none."""
    if not (folder / TRUTH).is_file():
        return error(TRUTH, None, say("The file is not there. {remedy}", remedy=_rebuild(folder)))
    try:
        return load_truth(folder)
    except LabError as failure:
        return error(TRUTH, None, say("{reason} {remedy}", reason=str(failure), remedy=_rebuild(folder)))


def truth_problems(lab: Lab, truth: GroundTruth, folder: Path, source: Source) -> Iterator[Problem]:
    """Whether the truth is stale, and what is missing in it."""
    if truth.lab != lab.id:
        said = say(
            "This is the truth of the lab {other!r}, not of {own!r}. {remedy}",
            other=truth.lab,
            own=lab.id,
            remedy=_rebuild(folder),
        )
        yield error(TRUTH, None, said)
    elif truth.inputs_sha256 and truth.inputs_sha256 != truth_inputs(lab, folder):
        said = say(
            "It is stale: models, values, splits, seeds or evidence have changed since it was computed. {remedy}",
            remedy=_rebuild(folder),
        )
        yield error(TRUTH, None, said)
    yield from _missing(lab, truth, folder, source)
    yield from _facts(lab, truth, folder, source)


def _missing(lab: Lab, truth: GroundTruth, folder: Path, source: Source) -> Iterator[Problem]:
    remedy = _rebuild(folder)
    for name in (str(model.get("id", "")) for model in lab.models):
        if not truth.counts_of(name):
            said = say("The model {id} has no counts in {truth}. {remedy}", id=name, truth=TRUTH, remedy=remedy)
            yield warning(LAB, source.entry("models", name), said)
    valued = {value.parameter for value in truth.values}
    for parameter in lab.parameters:
        if parameter.id not in valued:
            said = say(
                "The parameter {id} has no value in {truth}. {remedy}", id=parameter.id, truth=TRUTH, remedy=remedy
            )
            yield error(LAB, source.entry("parameters", parameter.id), said)
    called = {signature.callable for signature in truth.signatures}
    for item in lab.items:
        call = str(item.options.get("call", ""))
        if call and call.rpartition(".")[2] not in called:
            said = say(
                "{id}: the arguments of {call} are not in {truth}. {remedy}",
                id=item.id,
                call=call,
                truth=TRUTH,
                remedy=remedy,
            )
            yield error(LAB, source.item(item.id, "options", "call"), said)
        if item.check == "accuracy-band" and not _has_band(item.options.get("experiment"), truth):
            said = say(
                "{id}: no band is known for this experiment, so each average goes to a person. Put accuracies into "
                "evidence/accuracies.toml. {remedy}",
                id=item.id,
                remedy=remedy,
            )
            yield warning(LAB, source.item(item.id, "options", "experiment"), said)


def _has_band(experiment: object, truth: GroundTruth) -> bool:
    return any(band.experiment == experiment for band in truth.bands)


def _facts(lab: Lab, truth: GroundTruth, folder: Path, source: Source) -> Iterator[Problem]:
    for parameter in lab.parameters:
        for fact in parameter.facts:
            if truth.fact(fact) is None:
                said = say(
                    "{id}: the fact {fact!r} is not in {truth}. Mend its name. {remedy}",
                    id=parameter.id,
                    fact=fact,
                    truth=TRUTH,
                    remedy=_rebuild(folder),
                )
                yield error(LAB, source.entry("parameters", parameter.id), said)


def _rebuild(folder: Path) -> str:
    return say("Build it anew: grade truth build --lab {folder}", folder=folder)
