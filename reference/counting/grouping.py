"""Groups of parameters: those of one part and kind in a layer form a bundle, and equal bundles of several layers form a
group. Each group has a title for people, and an id that stays the same from run to run."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from grader.frozen import Frozen
from reference.counting import parts
from reference.counting.parts import Kind, Surroundings
from reference.counting.tensors import Tensor

_ADAPTER_NAMES: Final = re.compile(r"^lora_|^modules_to_save$")


class Bundle(Frozen):
    """The parameters that belong together in one layer (or outside of any). `root` is the module that the bundle is
    about, and `names` are the parameters' names, both from the layer on; equal bundles of several layers are one
    group."""

    part: str
    kind: Kind
    head: bool
    stack: str
    root: str
    trainable: bool
    packable: bool
    names: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()


def bundles(tensors: Sequence[Tensor], around: Surroundings) -> dict[Bundle, list[tuple[Tensor, ...]]]:
    """All bundles in the order of the tree, each with the parameters of every layer that has such a one."""
    together: dict[tuple[Bundle, tuple[int, ...]], list[Tensor]] = {}
    for tensor in tensors:
        together.setdefault((_common(tensor, around), tensor.layer), []).append(tensor)
    equal: dict[Bundle, list[tuple[Tensor, ...]]] = {}
    for (common, _), members in together.items():
        names, shapes = tuple(map(_name, members)), tuple(tensor.shape for tensor in members)
        bundle = common.model_copy(update={"names": names, "shapes": shapes})
        equal.setdefault(bundle, []).append(tuple(members))
    return equal


def _common(tensor: Tensor, around: Surroundings) -> Bundle:
    """Return the properties that the parameters of a bundle share, as a bundle."""
    return Bundle(
        part=parts.part_of(tensor, around),
        kind=parts.kind_of(tensor),
        head=tensor.head,
        stack=tensor.stack,
        root=_root(tensor),
        trainable=tensor.trainable,
        packable=tensor.packable,
    )


def _root(tensor: Tensor) -> str:
    """The module that a bundle is about: an adapted module, a norm, a table, an attention. The rest of a layer, and
    the head, stand together."""
    names = [step.name for step in tensor.inside]
    if tensor.adapter:
        adapter_depth = next((place for place, name in enumerate(names) if _ADAPTER_NAMES.search(name)), len(names))
        return ".".join(names[:adapter_depth])
    if tensor.head:
        return ""
    if parts.kind_of(tensor) in ("norm", "embedding"):
        return ".".join(names if tensor.owner != "other" else [*names, tensor.name])
    depth = parts.attention_depth(tensor)
    if depth is not None:
        return ".".join(names[: depth + 1])
    return "" if tensor.layer else ".".join(names)


def _name(tensor: Tensor) -> str:
    return ".".join([*(step.name for step in tensor.inside), tensor.name])


_PLURALS: Final = {"weight": "weights", "bias": "biases", "norm": "norm", "embedding": "embedding"}


def titles_of(bundles: Sequence[Bundle]) -> list[str]:
    """One title for each bundle: the part, and the modules that it was found in; where that is not enough to tell two
    apart, the lists of layers too."""
    titles = [_title(bundle) for bundle in bundles]
    counted = Counter(titles)
    places = [".".join(filter(None, (bundle.stack, bundle.root))) for bundle in bundles]
    return [f"{title} ({place})" if counted[title] > 1 else title for title, place in zip(titles, places, strict=True)]


def _title(bundle: Bundle) -> str:
    if bundle.part == parts.ADAPTER:
        return f"adapter of {bundle.root}"
    if bundle.kind == "embedding" and not bundle.head:
        return f"{bundle.part}: {bundle.root}" if bundle.part == parts.OTHER_TABLE else bundle.part
    if bundle.kind == "norm" and not bundle.head:
        return f"norm: {bundle.root or bundle.stack}"
    return f"{bundle.part} {_PLURALS[bundle.kind]}: {', '.join(short_names(bundle.names))}"


def shape_of(bundle: Bundle) -> str:
    """The shapes in one line, such as `4 x 512 x 512` for four square matrices, and `512 + 512` for a norm."""
    if bundle.kind == "norm":
        return " + ".join(map(_shape, bundle.shapes))
    counted = Counter(bundle.shapes)
    return " + ".join(f"{times} x {_shape(shape)}" if times > 1 else _shape(shape) for shape, times in counted.items())


def ids_of(bundles: Sequence[Bundle]) -> list[str]:
    """One id for each bundle: the shortest that no other has."""
    found: dict[int, str] = {}
    candidates = [_candidates(bundle) for bundle in bundles]
    for level in zip(*candidates, strict=True):
        counted = Counter(entry for place, entry in enumerate(level) if place not in found)
        taken = set(found.values())
        for place, candidate in enumerate(level):
            if place not in found and counted[candidate] == 1 and candidate not in taken:
                found[place] = candidate
    return [found.get(place, f"{candidates[place][-1]}-{place}") for place in range(len(bundles))]


def slug(text: str) -> str:
    """Lower-case words joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _candidates(bundle: Bundle) -> tuple[str, ...]:
    """Ever longer ids: of the part, with the lists of layers that it is in, the module that it is about, its shape."""
    base = slug(bundle.part)
    if bundle.part == parts.NORMS:
        base = slug(bundle.root) if "norm" in bundle.root.lower() else slug(f"{bundle.root} norm")
    elif bundle.kind != "embedding":
        base = f"{base}-{_PLURALS[bundle.kind]}"
    place = slug(bundle.stack.partition(".")[0])
    whole = slug(f"{bundle.stack} {bundle.root} {base}")
    return base, slug(f"{place} {base}"), whole, slug(f"{whole} {shape_of(bundle)}")


def short_names(names: Sequence[str]) -> list[str]:
    """The modules of some parameters by their last names, or by their whole names if those alone could be confused."""
    whole = list(dict.fromkeys(name.rpartition(".")[0] or name for name in names))
    last = [name.rpartition(".")[2] for name in whole]
    return last if len(set(last)) == len(last) else whole


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "1"
