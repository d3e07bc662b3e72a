"""Slips about sizes and multiplicities: layers, heads, widths, and the rows of tables."""

from collections.abc import Iterable, Iterator
from typing import Final

from grader.checks.diagnosis.anatomy import Anatomy, Piece
from grader.checks.diagnosis.slip import Slip
from grader.message import Message, say, say_data, say_number

LAYERS: Final = (1, 2, 3, 6, 8, 12, 24)
"""Numbers of layers in common models, taken for the model's own."""

WIDTHS: Final = (128, 256, 512, 768, 1024)
VOCABULARIES: Final = (
    28_996, 30_000, 30_522, 32_000, 32_005, 50_000, 50_257, 50_265, 119_547, 250_002, 250_880,
)  # fmt: skip
"""Sizes of published vocabularies: BERT cased and uncased, ALBERT, Llama, CamemBERT, GPT-2, RoBERTa, multilingual
BERT, XLM-R, BLOOM, as their configurations have them."""

POSITIONS: Final = (128, 256, 258, 512, 514, 1024, 2048)


def size_slips(arrays: Anatomy, heads: int | None) -> Iterator[Slip]:
    """All slips about sizes and multiplicities."""
    layers = max((piece.times for piece in arrays), default=1)
    if layers > 1:
        yield from _layers(layers)
    if heads and heads > 1:
        yield from _heads(heads)
    yield from _tables(arrays)
    yield from _widths(arrays, heads)


def _layers(layers: int) -> Iterator[Slip]:
    for number in sorted({*LAYERS, layers - 1, layers + 1, 2 * layers} - {layers, 0}):
        yield Slip(
            id="one-layer" if number == 1 else "wrong-number-of-layers",
            aspect="layers",
            cost=1 if number == 1 else 1.3,
            sentence=_layers_told(number, layers),
            edit=lambda piece, number=number: piece._replace(times=number) if piece.times == layers else piece,  # type: ignore[misc]
            written=frozenset({number} if number > 1 else ()),
            unwritten=frozenset({layers}),
        )


def _layers_told(number: int, right: int) -> Message:
    return say_number(
        "one layer is counted instead of {right}", "{number} layers are counted instead of {right}", number, right=right
    )


def _heads(heads: int) -> Iterator[Slip]:
    """Attention counted once for each head, or its matrices cut to one head, with or without the output projection."""
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
    """Whether an array belongs to a head; with `inner`, the output projection and its bias do not."""
    if piece.part != "attention" or piece.kind not in ("weight", "bias"):
        return False
    return not inner or bool({"q", "k", "v", "query", "key", "value"} & set(_words(piece.name)))


def _words(name: str) -> list[str]:
    return name.lower().replace("_proj", "").replace(".", " ").replace("_", " ").split()


def _divided(piece: Piece, heads: int) -> Piece:
    """The share of one head; an array that does not divide evenly stays whole."""
    first, *rest = piece.shape
    return piece._replace(shape=(first // heads, *rest)) if first % heads == 0 else piece


def _tables(arrays: Anatomy) -> Iterator[Slip]:
    """A table with another number of rows."""
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
                edit=lambda one, place=piece.place, shape=(number, width): (  # type: ignore[misc]
                    one._replace(shape=shape) if one.place == place else one
                ),
                written=frozenset({number}),
                unwritten=frozenset({rows}),
            )


def _row_counts(part: str, rows: int) -> dict[int, float]:
    """Wrong numbers of rows, with what each costs: the offset of two forgotten or added twice, common sizes, special
    tokens left out or added."""
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
    """Another width of the feed-forward, or of the whole model."""
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
    """`bias` is set where the part is as wide as the model: then shapes do not tell which size is the inner one. Each
    matrix has it once, and of the biases the first."""

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
