"""A model as arrays that a person counts by hand, and the slips that a person may make in counting them.

A slip leaves out or doubles matrices, forgets norms or biases, or uses a wrong number of layers, heads or rows, or a
wrong width.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Final, NamedTuple

from grader.lab.truth import Component, GroundTruth, Tensor
from grader.message import Message, join_messages, say, say_data, say_number

_FUSED: Final = 3
"""Query, key and value are often one array, but are counted as three."""


class Piece(NamedTuple):
    """One array of a part, present `copies` times in each of `times` places (layers)."""

    part: str
    kind: str
    name: str
    shape: tuple[int, ...]
    times: int
    place: str
    copies: int = 1

    @property
    def is_layered(self) -> bool:
        """Whether it is in more than one layer."""
        return self.times > 1

    @property
    def once(self) -> int:
        """The number of values in one place."""
        return prod(self.shape) * self.copies

    @property
    def values(self) -> int:
        """The number of values in all places."""
        return self.once * self.times


Anatomy = tuple[Piece, ...]


def anatomy(truth: GroundTruth, model: str, convention: str) -> Anatomy:
    """Return the arrays that a convention counts. Empty if the truth does not list all of them."""
    components = truth.components(model, convention)
    if any(not component.tensors for component in components):
        return ()
    return tuple(piece for component in components for piece in pieces(component))


def left_out(truth: GroundTruth, model: str, convention: str) -> Anatomy:
    """Return the arrays of the parts that a convention does not count at all."""
    known_model = truth.model(model)
    if known_model is None:
        return ()
    held = {component.part for component in truth.components(model, convention)}
    others = (component for component in known_model.components if component.part not in held)
    return tuple(piece for component in others for piece in pieces(component))


def pieces(component: Component) -> Iterator[Piece]:
    """Yield the arrays of a component."""
    for tensor in component.tensors:
        for name, shape in _single(tensor, component):
            yield Piece(component.part, component.kind, name, shape, component.times, component.id)


def total(arrays: Iterable[Piece]) -> int:
    """Return the total number of values in some arrays."""
    return sum(piece.values for piece in arrays)


def _single(tensor: Tensor, component: Component) -> list[tuple[str, tuple[int, ...]]]:
    """Return a tensor, or its three parts if it fuses query, key and value."""
    thrice = component.part == "attention" and component.kind == "weight" and len(tensor.shape) == 2
    if thrice and tensor.shape[0] == _FUSED * tensor.shape[1]:
        return [(name, (tensor.shape[1], tensor.shape[1])) for name in ("query", "key", "value")]
    return [(tensor.name, tensor.shape)]


Edit = Callable[[Piece], Piece | None]


@dataclass(frozen=True)
class Slip:
    """An error in counting. It maps each array to the array that is counted for it, or None, and may add further
    arrays.

    `aspect` is the subject of the slip; two slips in one story have different aspects. `cost` grows with improbability,
    and a common slip costs 1. `besides` are the further arrays. `written` are numbers that a derivation with this slip
    shows, `unwritten` those that a right derivation shows.
    """

    id: str
    aspect: str
    cost: float
    sentence: Message
    edit: Edit
    besides: Anatomy = ()
    written: frozenset[int] = frozenset()
    unwritten: frozenset[int] = frozenset()


def identity(piece: Piece) -> Piece:
    """Return the array unchanged."""
    return piece


_MOST_EQUAL: Final = 16
"""The most matrices of one size in a layer. A layer of experts has more, and no one leaves out some of them."""


def matrix_slips(arrays: Anatomy) -> Iterator[Slip]:
    """Yield slips with matrices: some of one size are left out with their biases, or one is counted again, in each
    layer."""
    weights = [piece for piece in arrays if piece.kind == "weight"]
    for shape in dict.fromkeys(piece.shape for piece in weights):
        equal = Counter(piece.part for piece in weights if piece.shape == shape)
        if equal.total() <= _MOST_EQUAL:
            yield from _fewer(arrays, shape, equal)
            yield from _more(arrays, shape, equal)


def _fewer(arrays: Anatomy, shape: tuple[int, ...], equal: Counter[str]) -> Iterator[Slip]:
    """Yield a slip for each way to leave out some matrices of one size, but not a whole part."""
    layered = any(piece.is_layered for piece in arrays)
    for numbers in product(*(range(number + 1) for number in equal.values())):
        missing = {part: number for part, number in zip(equal, numbers, strict=True) if number}
        whole = [part for part in missing if missing[part] == sum(p.part == part for p in arrays if p.kind == "weight")]
        if not missing or (len(missing) == 1 and whole):
            continue
        gone = frozenset(place for part, number in missing.items() for place in _last(arrays, part, shape, number))
        what = join_messages(
            say(" and "), (_array_title(part, number, equal[part], shape) for part, number in missing.items())
        )
        yield Slip(
            id="-".join(["without", *(f"{number}-{part}" for part, number in missing.items()), "matrices"]),
            aspect=" and ".join(f"matrices of {part}" for part in missing),
            cost=0.3 + 0.9 * len(missing) + 0.4 * (sum(missing.values()) - len(missing)),
            sentence=omission(what, layered=layered),
            edit=lambda piece, gone=gone: None if _key(piece) in gone else piece,  # type: ignore[misc]
        )


def omission(what: Message, *, layered: bool = False) -> Message:
    """Return the sentence that something is not counted, with `layered` in each layer."""
    if layered:
        return say("in each layer, the count leaves out {matrices}", matrices=what)
    return say("the count leaves out {matrices}", matrices=what)


def _more(arrays: Anatomy, shape: tuple[int, ...], equal: Counter[str]) -> Iterator[Slip]:
    for part in equal:
        again = frozenset(_last(arrays, part, shape, 1))
        yield Slip(
            id=f"one-more-{part}-matrix",
            aspect=f"matrices of {part}",
            cost=1.6,
            sentence=say(
                "one matrix ({size}) more than there is in {part} is counted", size=_size(shape), part=say_data(part)
            ),
            edit=lambda piece, again=again: (  # type: ignore[misc]
                piece._replace(copies=piece.copies + 1) if _key(piece) in again else piece
            ),
        )


def norm_slips(arrays: Anatomy) -> Iterator[Slip]:
    """Yield slips with norms: one left out, or all without their shift."""
    norms = [piece for piece in arrays if piece.kind == "norm"]
    for place in dict.fromkeys(piece.place for piece in norms):
        layered = any(piece.is_layered for piece in norms if piece.place == place)
        yield Slip(
            id="one-norm-fewer" if layered else f"without-{place}",
            aspect=f"norm {place}",
            cost=1.1,
            sentence=omission(say("one norm") if layered else say("the norm {place}", place=place), layered=layered),
            edit=lambda piece, place=place: None if piece.place == place else piece,  # type: ignore[misc]
        )
    twofold = [piece for piece in norms if sum(other.place == piece.place for other in norms) > 1]
    if twofold:
        first = {piece.place: piece for piece in reversed(twofold)}
        yield Slip(
            id="norms-without-shift",
            aspect="norms",
            cost=1.4,
            sentence=say("each norm is counted with one vector instead of two (scale and shift)"),
            edit=lambda piece: None if piece in twofold and piece is not first[piece.place] else piece,
        )


def _last(arrays: Anatomy, part: str, shape: tuple[int, ...], number: int) -> Iterator[tuple[str, str, str]]:
    """Yield the last matrices of a size in a part, and their biases."""
    weights = [piece for piece in arrays if (piece.kind, piece.part, piece.shape) == ("weight", part, shape)]
    for weight in weights[-number:]:
        yield _key(weight)
        yield (part, "bias", weight.name)


def _key(piece: Piece) -> tuple[str, str, str]:
    return piece.part, piece.kind, piece.name


def _array_title(part: str, number: int, of: int, shape: tuple[int, ...]) -> Message:
    size, name = _size(shape), say_data(part)
    if number == of == 1:
        return say("the matrix of {part} ({size})", size=size, part=name)
    if number < of:
        return say("{number} of the {of} matrices of {part} ({size})", number=number, of=of, size=size, part=name)
    return say("all {of} matrices of {part} ({size})", of=of, size=size, part=name)


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


LAYERS: Final = (1, 2, 3, 6, 8, 12, 24)
"""Numbers of layers in common models, which students may confuse with the model's own."""

WIDTHS: Final = (128, 256, 512, 768, 1024)
VOCABULARIES: Final = (
    28_996, 30_000, 30_522, 32_000, 32_005, 50_000, 50_257, 50_265, 119_547, 250_002, 250_880,
)  # fmt: skip
"""The vocabulary sizes of published models: BERT cased and uncased, ALBERT, Llama, CamemBERT, GPT-2, RoBERTa,
multilingual BERT, XLM-R and BLOOM, from their configurations."""

POSITIONS: Final = (128, 256, 258, 512, 514, 1024, 2048)


def size_slips(arrays: Anatomy, heads: int | None) -> Iterator[Slip]:
    """Yield all slips with sizes and multiplicities."""
    layers = max((piece.times for piece in arrays), default=1)
    if layers > 1:
        yield from _layers(layers)
    if heads and heads > 1:
        yield from _heads(heads)
    yield from _tables(arrays)
    yield from _widths(arrays, heads)
    yield from _kernels(arrays)
    yield from _all_kernels(arrays)
    yield from _inputs(arrays)


_KERNELS: Final = (1, 2, 3, 5, 7)
_POOLED: Final = (2, 4, 16)
"""The factors by which the inputs of a layer change if an image is pooled once more or once less."""


def _kernels(arrays: Anatomy) -> Iterator[Slip]:
    """Yield slips with one convolution: a wrong kernel size, or one input channel instead of all."""
    for piece in (array for array in arrays if array.kind == "weight" and len(array.shape) > 2):
        filters, channels, *kernel = piece.shape
        name = say_data(piece.part)
        for size in _KERNELS:
            if (other := (filters, channels, *(size for _ in kernel))) != piece.shape:
                yield _reshaped(
                    piece,
                    other,
                    "kernel-size",
                    1.3 if size == 1 else 1.5,
                    say(
                        "the kernels of {part} have a size of {size} instead of {right}",
                        part=name,
                        size=_size(other[2:]),
                        right=_size(piece.shape[2:]),
                    ),
                )
        if channels > 1:
            yield _reshaped(piece, (filters, 1, *kernel), "one-input-channel", 1.0, _of_one_channel(name))


def _of_one_channel(part: Message) -> Message:
    return say("the kernels of {part} are counted for one input channel", part=part)


def _all_kernels(arrays: Anatomy) -> Iterator[Slip]:
    """Yield slips with all convolutions at once: one input channel, one filter, or a wrong kernel size."""
    kernels = [array for array in arrays if array.kind == "weight" and len(array.shape) > 2]
    everywhere = say("all convolutions")
    of_one_channel = _of_one_channel(everywhere)
    yield from _everywhere(kernels, "one-input-channel", 0.9, of_one_channel, lambda shape: (shape[0], 1, *shape[2:]))
    one_filter = say("all convolutions are counted with one filter")
    yield from _everywhere(kernels, "one-filter", 1.0, one_filter, lambda shape: (1, *shape[1:]))
    sizes = {kernel.shape[2:] for kernel in kernels}
    right = sizes.pop() if len(sizes) == 1 else ()
    for size in _KERNELS if right else ():
        other = tuple(size for _ in right)
        sentence = say(
            "the kernels of {part} have a size of {size} instead of {right}",
            part=everywhere,
            size=_size(other),
            right=_size(right),
        )
        yield from _everywhere(kernels, "kernel-size", 1.2, sentence, lambda shape, other=other: (*shape[:2], *other))  # type: ignore[misc]


def _everywhere(
    pieces: Sequence[Piece],
    name: str,
    cost: float,
    sentence: Message,
    form: Callable[[tuple[int, ...]], tuple[int, ...]],
) -> Iterator[Slip]:
    """Yield the slip that counts several arrays with other shapes, if it changes more than one."""
    if sum(form(piece.shape) != piece.shape for piece in pieces) > 1:
        yield Slip(
            id=f"{name}-everywhere",
            aspect="shape of all convolutions",
            cost=cost,
            sentence=sentence,
            edit=lambda piece: piece._replace(shape=form(piece.shape)) if piece in pieces else piece,
        )


def _inputs(arrays: Anatomy) -> Iterator[Slip]:
    """Yield slips with the inputs of a layer after convolutions, as another image size would give."""
    if not any(piece.kind == "weight" and len(piece.shape) > 2 for piece in arrays):
        return
    for piece in (array for array in arrays if array.kind == "weight" and len(array.shape) == 2):
        outputs, inputs = piece.shape
        wrong = {inputs * factor for factor in _POOLED} | {inputs // f for f in _POOLED if inputs % f == 0}
        for number in sorted(wrong):
            yield _reshaped(
                piece,
                (outputs, number),
                "number-of-inputs",
                1.1 if number in (4 * inputs, inputs // 4) else 1.5,
                say(
                    "{part} has {number:,} inputs instead of {inputs:,}",
                    part=say_data(piece.part),
                    number=number,
                    inputs=inputs,
                ),
            )


def _reshaped(piece: Piece, shape: tuple[int, ...], name: str, cost: float, sentence: Message) -> Slip:
    """Return the slip that counts one array with another shape."""
    return Slip(
        id=name,
        aspect=f"shape of {piece.place}",
        cost=cost,
        sentence=sentence,
        edit=lambda candidate: candidate._replace(shape=shape) if candidate == piece else candidate,
        written=frozenset(shape) - frozenset(piece.shape),
    )


def bias_slips(arrays: Anatomy) -> Iterator[Slip]:
    """Yield slips with biases: all left out, or those of one part."""
    biases = [piece for piece in arrays if piece.kind == "bias"]
    if not biases:
        return
    yield Slip(
        id="without-biases",
        aspect="biases",
        cost=0.9,
        sentence=omission(say("the biases")),
        edit=lambda piece: None if piece.kind == "bias" else piece,
    )
    yield from _biases_of_kind(arrays)
    parts = dict.fromkeys(piece.part for piece in biases)
    for part in parts if len(parts) > 1 else ():
        yield Slip(
            id="without-biases-of-part",
            aspect="biases",
            cost=1.2,
            sentence=omission(say("the biases of {part}", part=say_data(part))),
            edit=lambda piece, part=part: None if (piece.kind, piece.part) == ("bias", part) else piece,  # type: ignore[misc]
        )


def _biases_of_kind(arrays: Anatomy) -> Iterator[Slip]:
    """Yield slips with the biases of all convolutions or all linear layers, or one bias per layer, if a model has both
    kinds."""
    weights = {(piece.part, "bias", piece.name): len(piece.shape) for piece in arrays if piece.kind == "weight"}
    of_kernels, of_matrices = (
        frozenset(
            _key(array) for array in arrays if array.kind == "bias" and (weights.get(_key(array), 0) > 2) is are_kernels
        )
        for are_kernels in (True, False)
    )
    if not (of_kernels and of_matrices):
        return
    places = say("all convolutions"), say("all linear layers")
    names = "without-biases-of-convolutions", "without-biases-of-linear-layers"
    for name, place, keys in zip(names, places, (of_kernels, of_matrices), strict=True):
        yield Slip(
            id=name,
            aspect="biases",
            cost=1.0,
            sentence=omission(say("the biases of {part}", part=place)),
            edit=lambda piece, keys=keys: None if _key(piece) in keys else piece,  # type: ignore[misc]
        )
    yield Slip(
        id="one-bias-in-each-layer",
        aspect="biases",
        cost=1.2,
        sentence=say("each layer is counted with one bias"),
        edit=lambda piece: piece._replace(shape=(1,)) if piece.kind == "bias" else piece,
    )


def _layers(layers: int) -> Iterator[Slip]:
    for number in sorted({*LAYERS, layers - 1, layers + 1, 2 * layers} - {layers, 0}):
        yield Slip(
            id="one-layer" if number == 1 else "wrong-number-of-layers",
            aspect="layers",
            cost=1 if number == 1 else 1.3,
            sentence=say_number(
                "one layer is counted instead of {right}",
                "{number} layers are counted instead of {right}",
                number,
                right=layers,
            ),
            edit=lambda piece, number=number: piece._replace(times=number) if piece.times == layers else piece,  # type: ignore[misc]
            written=frozenset({number} if number > 1 else ()),
            unwritten=frozenset({layers}),
        )


def _heads(heads: int) -> Iterator[Slip]:
    """Yield slips with attention heads: matrices counted once per head, or for a single head."""
    for inner, which in ((False, say("the attention matrices")), (True, say("query, key and value"))):
        yield Slip(
            id="multiplied-by-heads",
            aspect="heads",
            cost=1 if not inner else 1.1,
            sentence=say(
                "{which} are multiplied by the number of heads ({heads}), though one matrix serves all heads",
                which=which,
                heads=heads,
            ),
            edit=lambda piece, inner=inner: (  # type: ignore[misc]
                piece._replace(copies=piece.copies * heads) if _per_head(piece, inner=inner) else piece
            ),
            written=frozenset({heads}),
        )
        yield Slip(
            id="divided-by-heads",
            aspect="heads",
            cost=1.1,
            sentence=say("{which} are counted for one head of {heads} only", which=which, heads=heads),
            edit=lambda piece, inner=inner: _divided(piece, heads) if _per_head(piece, inner=inner) else piece,  # type: ignore[misc]
        )


def _per_head(piece: Piece, *, inner: bool) -> bool:
    """Whether an array belongs to the heads. With `inner`, the output projection does not."""
    if piece.part != "attention" or piece.kind not in ("weight", "bias"):
        return False
    return not inner or bool({"q", "k", "v", "query", "key", "value"} & set(_words(piece.name)))


def _words(name: str) -> list[str]:
    return name.lower().replace("_proj", "").replace(".", " ").replace("_", " ").split()


def _divided(piece: Piece, heads: int) -> Piece:
    """Return the share of one head, or the whole array if it does not divide evenly."""
    first, *rest = piece.shape
    return piece._replace(shape=(first // heads, *rest)) if first % heads == 0 else piece


def _tables(arrays: Anatomy) -> Iterator[Slip]:
    """Yield slips with a wrong number of rows in an embedding."""
    for piece in (piece for piece in arrays if piece.kind == "embedding" and len(piece.shape) == 2):
        rows, width = piece.shape
        for number, cost in _row_counts(piece.part, rows).items():
            yield Slip(
                id=f"{piece.part.replace(' ', '-')}-rows",
                aspect=f"rows of {piece.part}",
                cost=cost,
                sentence=say(
                    "the {part} has {number:,} rows instead of {rows:,}",
                    part=say_data(piece.part),
                    number=number,
                    rows=rows,
                ),
                edit=lambda array, place=piece.place, shape=(number, width): (  # type: ignore[misc]
                    array._replace(shape=shape) if array.place == place else array
                ),
                written=frozenset({number}),
                unwritten=frozenset({rows}),
            )


def _row_counts(part: str, rows: int) -> dict[int, float]:
    """Return wrong numbers of rows with their costs.

    They come from a forgotten or doubled offset of two, common sizes, and special tokens left out or added.
    """
    if part == "position embedding":
        near = {rows - 2: 0.9, rows + 2: 1.1, rows - 1: 1.3, rows + 1: 1.3}
        usual = dict.fromkeys(POSITIONS, 1.4)
    elif part == "token embedding":
        near = {rows + change: 1.4 for change in (-5, -4, -2, -1, 1, 2, 4, 5)}
        usual = dict.fromkeys(VOCABULARIES, 1.4)
    else:
        near, usual = {rows + 1: 1.3}, {}
    return {number: cost for number, cost in {**usual, **near}.items() if 0 < number != rows}


def _widths(arrays: Anatomy, heads: int | None) -> Iterator[Slip]:
    """Yield slips with a wrong width of the feed-forward part or of the whole model."""
    hidden = next((piece.shape[1] for piece in arrays if piece.part == "token embedding"), None)
    inner = _inner_width(arrays, hidden)
    if hidden is None:
        return
    if inner:
        bias = next((p.name for p in arrays if p.part == "feed-forward" and p.kind == "bias"), "")
        common = {hidden: 1.1, 4 * hidden: 1.0, 2 * hidden: 1.3, inner * 4: 1.3, **dict.fromkeys((2048, 3072), 1.3)}
        for width, cost in common.items():
            if width != inner:
                yield _inner_slip(inner, width, cost, bias if inner == hidden else None)
    head = {hidden // heads} if heads and hidden % heads == 0 else set()
    for width in sorted({*WIDTHS, *head} - {hidden}):
        yield _model_slip(hidden, width)


def _inner_width(arrays: Anatomy, hidden: int | None) -> int | None:
    shapes = [piece.shape for piece in arrays if piece.part == "feed-forward" and len(piece.shape) == 2]
    sizes = {size for shape in shapes for size in shape}
    others = sizes - {hidden}
    return (others or sizes).pop() if len(others) <= 1 and sizes else None


def _inner_slip(right: int, width: int, cost: float, bias: str | None) -> Slip:
    """Return the slip with a wrong width of the feed-forward part.

    `bias` is set if that part is as wide as the model, so that shapes do not show the inner size. Then each matrix has
    the inner size once, and so does this bias.
    """

    def edit(piece: Piece) -> Piece:
        if piece.part != "feed-forward" or piece.kind == "norm":
            return piece
        if bias is None:
            return piece._replace(shape=_replaced(piece.shape, right, width))
        inner = piece.kind == "weight" or piece.name == bias
        return piece._replace(shape=(width, *piece.shape[1:])) if inner else piece

    return Slip(
        id="feed-forward-width",
        aspect="width of feed-forward",
        cost=cost,
        sentence=say("the feed-forward part has a width of {width:,} instead of {right:,}", width=width, right=right),
        edit=edit,
        written=frozenset({width}),
        unwritten=frozenset({right} if bias is None else ()),
    )


def _model_slip(right: int, width: int) -> Slip:
    return Slip(
        id="model-width",
        aspect="width of model",
        cost=1.6,
        sentence=say("the model has a width of {width:,} instead of {right:,}", width=width, right=right),
        edit=lambda piece: piece._replace(shape=_replaced(piece.shape, right, width)),
        written=frozenset({width}),
        unwritten=frozenset({right}),
    )


def _replaced(shape: Iterable[int], right: int, width: int) -> tuple[int, ...]:
    return tuple(width if size == right else size for size in shape)
