"""Does the frozen truth still hold? Recompute it and name every difference."""

import json
from collections.abc import Iterator
from typing import Any

from grader.frozen import Frozen
from grader.lab.truth import GroundTruth
from reference.build import Computed, entries
from reference.lora.fact import RefutedError


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


def differences(frozen: GroundTruth, computed: Computed) -> tuple[Difference, ...]:
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
