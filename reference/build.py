"""A lab's whole ground truth, computed from the real libraries and written down; and every difference between that and
a frozen one.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.frozen import Frozen
from grader.lab.definition import Lab, Parameter
from grader.lab.files import EVIDENCE, lab_file, load_lab, truth_inputs
from grader.lab.truth import Fact, GroundTruth, ParameterValue, Provenance
from reference.bands import bands
from reference.counting.conventions import model_specs
from reference.counting.truth import model_truth
from reference.evidence import load_evidence
from reference.lora.catalogue import outcomes
from reference.lora.fact import RefutedError
from reference.lora.fields import fields, signature

TRUTH = "truth.json"

LORA = "peft.LoraConfig"
"""The class on whose parameters the experiments are; they run where a lab asks for one of its parameters."""


@dataclass(frozen=True)
class ComputedTruth:
    """A truth as computed now, and the facts that the installed libraries refute, which it therefore lacks."""

    truth: GroundTruth
    refuted: tuple[RefutedError, ...]


def compute(folder: Path, date: str) -> ComputedTruth:
    """The ground truth of the lab in a folder, computed now. `date` is written into every entry.

    Raises LabError or CountError when the lab's files cannot be used.
    """
    lab = load_lab(folder)
    classes = sorted({parameter.of for parameter in lab.parameters if parameter.of})
    found = outcomes(date) if LORA in classes else ()
    counted = [model_truth(spec, folder, date) for spec in model_specs(lab.models, folder / "lab.toml")]
    truth = GroundTruth(
        lab=lab.id,
        models=tuple(sorted((model for model, _ in counted), key=lambda model: model.id)),
        counts=tuple(sorted((count for _, counts in counted for count in counts), key=lambda count: count.id)),
        values=_values(lab, date),
        fields=tuple(field for name in classes for field in fields(name, date)),
        facts=tuple(entry for entry in found if isinstance(entry, Fact)),
        signatures=tuple(signature(name, date) for name in _called(lab)),
        bands=bands(load_evidence(lab_file(folder, EVIDENCE)), lab, date),
        inputs_sha256=truth_inputs(lab, folder),
    )
    return ComputedTruth(truth, tuple(entry for entry in found if isinstance(entry, RefutedError)))


def _values(lab: Lab, date: str) -> tuple[ParameterValue, ...]:
    how = Provenance(how="the parameters of lab.toml, as the hand-out sets them", date=date)
    values = (
        ParameterValue(
            id=f"{_kind(parameter)}/{parameter.id}", parameter=parameter.id, value=parameter.value, provenance=how
        )
        for parameter in lab.parameters
    )
    return tuple(sorted(values, key=lambda value: value.id))


def _kind(parameter: Parameter) -> str:
    return "lora" if parameter.of == LORA else "value"


def _called(lab: Lab) -> list[str]:
    """The classes whose calls the lab checks."""
    return sorted({str(item.options["call"]) for item in lab.items if "call" in item.options})


def with_old_dates(new: GroundTruth, old: GroundTruth) -> GroundTruth:
    """The new truth, in which every entry that is the same but for its day keeps its old day."""
    before = entries(old)
    data = new.model_dump(mode="json", exclude={"sha256"})
    for entry in (entry for kind in data.values() if isinstance(kind, list) for entry in kind):
        earlier = before.get(entry["id"])
        if earlier and _undated(earlier) == _undated(entry):
            entry["provenance"]["date"] = earlier["provenance"]["date"]
    return GroundTruth.model_validate(data)


def entries(truth: GroundTruth) -> dict[str, dict[str, Any]]:
    """All entries of a truth as plain data, by their ids."""
    data = truth.model_dump(mode="json", exclude={"sha256"})
    return {entry["id"]: entry for kind in data.values() if isinstance(kind, list) for entry in kind}


def _undated(entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "provenance": {**entry["provenance"], "date": ""}}


def to_text(truth: GroundTruth) -> str:
    """The text of `truth.json`: in the order of ids, one value a line, so that differences are easy to read."""
    return json.dumps(truth.model_dump(mode="json", exclude={"sha256"}), indent=2, ensure_ascii=False) + "\n"


class Difference(Frozen):
    """One entry that is no longer as it was frozen. `key` is the part of it that differs; `explanation` says what is
    known about how it depends on library versions."""

    id: str
    key: str
    frozen: str
    computed: str
    explanation: str = ""


class VersionChange(Frozen):
    """A library that is here in another version than the truth was frozen with."""

    library: str
    frozen: str
    here: str


def differences(frozen: GroundTruth, computed: ComputedTruth) -> tuple[Difference, ...]:
    """Everything in which a computed truth differs from the frozen one, versions and days apart, by id."""
    old, new = entries(frozen), entries(computed.truth)
    refuted = {error.experiment.id: error for error in computed.refuted}
    return tuple(
        difference
        for name in sorted({*old, *new, *refuted})
        for difference in (
            _refuted(refuted[name]) if name in refuted else _of_entry(name, old.get(name), new.get(name))
        )
    )


def _refuted(error: RefutedError) -> Iterator[Difference]:
    yield Difference(
        id=error.experiment.id,
        key="figures",
        frozen=error.experiment.sentence,
        computed=error.reason,
        explanation=error.experiment.drift or "",
    )


def _of_entry(name: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> Iterator[Difference]:
    if old is None or new is None:
        here, absent = ("present", "absent")
        yield Difference(id=name, key="", frozen=here if old else absent, computed=here if new else absent)
        return
    for key in sorted({*old, *new} - {"provenance"}):
        if old.get(key) != new.get(key):
            yield Difference(
                id=name,
                key=key,
                frozen=_shown(old.get(key)),
                computed=_shown(new.get(key)),
                explanation=new.get("drift") or "",
            )
    inputs = [entry["provenance"].get("inputs_sha256", "") for entry in (old, new)]
    if inputs[0] != inputs[1]:
        yield Difference(
            id=name,
            key="inputs",
            frozen=inputs[0][:12],
            computed=inputs[1][:12],
            explanation="What it is computed from has changed since; build the truth anew.",
        )


def version_changes(frozen: GroundTruth, computed: GroundTruth) -> tuple[VersionChange, ...]:
    """The libraries whose versions differ between two truths."""
    old, new = _versions(frozen), _versions(computed)
    return tuple(
        VersionChange(library=name, frozen=old.get(name, "none"), here=new.get(name, "none"))
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    )


def _versions(truth: GroundTruth) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in entries(truth).values():
        found.update(entry["provenance"].get("versions", {}))
    return found


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 200 else text[:199] + "…"
