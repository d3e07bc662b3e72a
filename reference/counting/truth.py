"""A model's specification → what the frozen truth holds about it: its components, and a total for each convention."""

import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from itertools import chain, count
from pathlib import Path
from typing import Any, Final

from grader.frozen import Frozen
from grader.lab.files import lab_file, reference_file
from grader.lab.truth import Component, Count, Model, Provenance, Tensor
from reference.counting.components import Group, TakenApart, from_table, take_apart
from reference.counting.configs import check_values, read_values
from reference.counting.conventions import (
    SPREAD_OF_STATE,
    Convention,
    ModelSpec,
    check_exclusions,
    counted_groups,
    elements,
    packed_names,
    place_elements,
    state_elements,
)
from reference.counting.grouping import short_names, slug
from reference.counting.lora import Lora
from reference.counting.model import build, build_reference


def model_truth(spec: ModelSpec, folder: Path, date: str) -> tuple[Model, tuple[Count, ...]]:
    """The model taken apart, and its counts; `folder` is the lab's, `date` the day to be written down.

    Raises CountError when the configuration cannot be read or built.
    """
    variants = [(convention, _variant(spec, convention, folder)) for convention in spec.conventions]
    provenance = _provenance(spec, variants[0][1], folder, date)
    components = _components(variants)
    totals = {
        convention.id: sum(part.values * part.times for part in components if convention.id in part.counted_in)
        for convention in spec.conventions
    }
    first = variants[0][1]
    model = Model(
        id=spec.id,
        title=spec.title,
        layers=first.layers,
        heads=first.heads,
        modules=first.modules if spec.modules else (),
        components=components,
        provenance=provenance,
    )
    return model, tuple(
        Count(
            id=f"{spec.id}/{convention.id}",
            title=convention.title,
            model=spec.id,
            convention=convention.id,
            total=totals[convention.id],
            spread=_spread(convention, taken),
            provenance=provenance.model_copy(update={"how": f"{provenance.how}; {_how(convention)}"}),
        )
        for convention, taken in variants
    )


def _spread(convention: Convention, taken: TakenApart) -> int:
    """Return by how much a count may differ from model to model: the state of packed weights holds a text beside
    each."""
    packed = sum(
        len(packed_names(group, convention)) * group.times for group in counted_groups(taken.groups, convention)
    )
    return SPREAD_OF_STATE * packed if convention.state else 0


def _variant(spec: ModelSpec, convention: Convention, folder: Path) -> TakenApart:
    """The model that a convention counts."""
    taken = _taken_apart(spec, convention, folder)
    check_exclusions(convention.without, taken.groups)
    return taken


def _taken_apart(spec: ModelSpec, convention: Convention, folder: Path) -> TakenApart:
    replaced = {**spec.overrides, **convention.overrides}
    if spec.components:
        return from_table(spec.components)
    if spec.reference is not None:
        built = build_reference(spec.reference, folder, replaced)
    else:
        values = {**read_values(lab_file(folder, str(spec.config))), **replaced}
        check_values(values)
        built = build(values, convention.task or spec.task)
    return take_apart(built, spec.lora, prepared=convention.prepared, module_names=spec.parts)


class _Row(Frozen):
    """The properties that make two components the same one, whatever convention counts them."""

    id: str
    title: str
    part: str
    kind: str
    shape: str
    values: int
    times: int
    tensors: tuple[Tensor, ...]


def _components(variants: list[tuple[Convention, TakenApart]]) -> tuple[Component, ...]:
    """The components of all variants in the order of the tree, each once, with the conventions that count it."""
    rows: dict[_Row, list[str]] = {}
    for convention, taken in variants:
        chosen = {group.id for group in counted_groups(taken.groups, convention)}
        for group in taken.groups:
            for row in _rows(group, convention):
                rows.setdefault(row, []).extend([convention.id] if group.id in chosen else [])
    used = {row: tuple(ids) for row, ids in rows.items() if ids}
    return tuple(
        Component.model_validate({**row.model_dump(), "id": own_id, "counted_in": used[row]})
        for row, own_id in zip(used, _unique(list(used)), strict=True)
    )


def _rows(group: Group, convention: Convention) -> Iterator[_Row]:
    """A group as a convention counts it, and what it counts besides: other places, and the state of packed weights."""
    row = _row(group, convention)
    yield row
    beside = {
        "again": (f"{row.title}, at its other place", place_elements(group, convention), 1),
        "state": (f"what is kept to unpack: {group.title}", state_elements(group, convention), group.times),
    }
    for name, (title, values, times) in beside.items():
        if values:
            own_id = f"{row.id}-{convention.state or ''}{name}"
            changes = {"id": own_id, "title": title, "kind": "mixed", "values": values, "times": times, "tensors": ()}
            yield row.model_copy(update=changes)


def _unique(rows: list[_Row]) -> list[str]:
    """The rows' own ids; a variant of a row that is there already is told apart by its shape, or else by a number."""
    ids: list[str] = []
    for row in rows:
        candidates = chain((row.id, f"{row.id}-{slug(row.shape)}"), (f"{row.id}-{number}" for number in count(2)))
        ids.append(next(candidate for candidate in candidates if candidate not in ids))
    return ids


def _row(group: Group, convention: Convention) -> _Row:
    how: dict[str, str] = {}
    packed = packed_names(group, convention)
    if packed:
        how[f"{convention.packed_bits}-bit"] = f"stored in {convention.packed_bits} bits"
        if convention.storage != "uint8":
            how[convention.storage] = f"as {convention.storage}"
        if len(packed) < len(group.names):
            how[f"less-{slug(' '.join(convention.skipped))}"] = f"but for {', '.join(convention.skipped)}"
    if convention.bytes_each:
        how["bytes"] = "in bytes"
    return _Row(
        id="-".join((group.id, *how)),
        title=", ".join((group.title, *how.values())),
        part=group.part,
        kind=group.kind,
        shape=group.shape,
        values=elements(group, convention),
        times=group.times,
        tensors=() if packed or convention.bytes_each else _tensors(group),
    )


def _tensors(group: Group) -> tuple[Tensor, ...]:
    """The arrays of one layer. A norm's scale and shift, which share a module, share its name."""
    modules = [name.rpartition(".")[0] or name for name in group.names]
    short = dict(zip(dict.fromkeys(modules), short_names(group.names), strict=True))
    return tuple(Tensor(name=short[name], shape=shape) for name, shape in zip(modules, group.shapes, strict=True))


def _provenance(spec: ModelSpec, taken: TakenApart, folder: Path, date: str) -> Provenance:
    adapter = f" with peft's LoRA of rank {spec.lora.r} on {', '.join(spec.lora.target_modules)}" if spec.lora else ""
    by_peft = spec.lora is not None or any(convention.prepared for convention in spec.conventions)
    libraries = ["torch"] if spec.reference else ["torch", "transformers"] if spec.config else []
    libraries += ["peft"] if by_peft else []
    file = lab_file(folder, spec.config) if spec.config else reference_file(spec.reference or "", folder)
    inputs = (file.read_bytes() if file else b"") + _asked(spec).encode()
    if spec.config:
        source = f"transformers' {taken.class_name}{adapter}, built from {spec.config} without weights"
    elif spec.reference:
        source = f"the torch module {taken.class_name}{adapter} that {spec.reference} returns, built without weights"
    else:
        source = "the components that lab.toml lists"
    return Provenance(
        how=f"reference.counting.truth.model_truth: parameters of {source}",
        versions={name: version(name) for name in libraries},
        date=date,
        inputs_sha256=hashlib.sha256(inputs).hexdigest(),
        device="meta" if libraries else "",
    )


_SET_ONLY: Final = {
    ModelSpec: ("config", "reference", "components", "parts", "modules"),
    Convention: ("storage", "skipped", "each_place", "state", "bytes_each"),
    Lora: ("use_dora", "lora_bias", "use_rslora"),
}
"""Fields that are part of what is asked for where they are set, so that truths from before they existed hold."""


def _asked(spec: ModelSpec) -> str:
    """A specification as text, whose hash tells whether a truth was computed from it."""

    def unset(part: ModelSpec | Convention | Lora) -> dict[str, bool]:
        fields = type(part).model_fields
        defaults = {name: fields[name].get_default(call_default_factory=True) for name in _SET_ONLY[type(part)]}
        return {name: True for name, value in defaults.items() if getattr(part, name) == value}

    exclude: dict[str, Any] = {
        "conventions": {at: unset(convention) for at, convention in enumerate(spec.conventions)},
        **({"lora": unset(spec.lora)} if spec.lora else {}),
        **unset(spec),
    }
    return spec.model_dump_json(exclude=exclude)


def _how(convention: Convention) -> str:
    """A convention in words."""
    phrases = ["trainable ones only" if convention.trainable else "all counted"]
    if convention.without:
        phrases.append(f"without {', '.join(convention.without)}")
    if convention.overrides:
        phrases.append("with " + ", ".join(f"{key} = {value}" for key, value in convention.overrides.items()))
    if convention.prepared:
        phrases.append("after peft's prepare_model_for_kbit_training")
    if convention.packed_bits:
        phrases.append(f"stored in {convention.packed_bits} bits as bitsandbytes packs linear weights, by arithmetic")
    if convention.packed_bits and convention.storage != "uint8":
        phrases.append(f"in elements of {convention.storage}")
    if convention.skipped:
        phrases.append(f"with {', '.join(convention.skipped)} left whole")
    if convention.each_place:
        phrases.append("a tied parameter at each of its places")
    if convention.state:
        phrases.append(
            f"with the state that bitsandbytes keeps beside packed weights ({convention.state} quantisation)"
        )
    if convention.bytes_each:
        phrases.append(f"in bytes, {convention.bytes_each} for each element that is not packed")
    return ", ".join(phrases)
