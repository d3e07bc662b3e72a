"""Compute a lab's whole ground truth from the real libraries, and write it down."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.lab.definition import Lab, Parameter
from grader.lab.files import load_lab, truth_inputs
from grader.lab.truth import Fact, GroundTruth, ParameterValue, Provenance
from reference.bands import bands
from reference.counting.spec import load_specs
from reference.counting.truth import model_truth
from reference.evidence import load_evidence
from reference.lora.catalogue import outcomes
from reference.lora.fact import RefutedError
from reference.lora.fields import fields, signature

TRUTH = "truth.json"

LORA = "peft.LoraConfig"
"""The class on whose parameters the experiments are; they run where a lab asks for one of its parameters."""


@dataclass(frozen=True)
class Computed:
    """A truth as computed now, and the facts that the installed libraries refute, which it therefore lacks."""

    truth: GroundTruth
    refuted: tuple[RefutedError, ...]


def compute(folder: Path, date: str) -> Computed:
    """The ground truth of the lab in a folder, computed now. `date` is written into every entry.

    Raises LabError or CountError when the lab's files cannot be used.
    """
    lab = load_lab(folder)
    classes = sorted({parameter.of for parameter in lab.parameters if parameter.of})
    found = outcomes(date) if LORA in classes else ()
    counted = [model_truth(spec, folder, date) for spec in load_specs(folder / "lab.toml")]
    truth = GroundTruth(
        lab=lab.id,
        models=tuple(sorted((model for model, _ in counted), key=lambda model: model.id)),
        counts=tuple(sorted((count for _, counts in counted for count in counts), key=lambda count: count.id)),
        values=_values(lab, date),
        fields=tuple(field for name in classes for field in fields(name, date)),
        facts=tuple(one for one in found if isinstance(one, Fact)),
        signatures=tuple(signature(name, date) for name in _called(lab)),
        bands=bands(load_evidence(folder / "evidence"), lab, date),
        inputs_sha256=truth_inputs(lab, folder),
    )
    return Computed(truth, tuple(one for one in found if isinstance(one, RefutedError)))


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
