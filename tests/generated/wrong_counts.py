"""Hand counts of random models with one or two slips, written as students write them, and what was really counted.

The slips are made here in a person's own terms (how many matrices, how wide, how many layers), apart from the code that
explains them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from grader.lab.truth import Component, Count, GroundTruth, Model, Provenance, Tensor

KNOWN = Provenance(how="made at random", date="2000-01-01")


@dataclass(frozen=True)
class Sizes:
    """A model as a person counts it. `attention` and `inner` are numbers of matrices per layer; the divisors and
    factors are those of wrong ideas about heads; `tables` is how often the token table counts."""

    vocabulary: int
    positions: int
    width: int
    inner_width: int
    layers: int
    heads: int
    biases: bool
    attention: int = 4
    inner: int = 2
    tables: int = 1
    norms: int = 2
    first_norm: bool = True
    per_head: int = 0
    times_heads: int = 1
    attention_layers: int | None = None
    head: bool = False


def parts(sizes: Sizes) -> dict[str, int]:
    """How many values each part has in all, as this person counts them; parts of zero are left out."""
    d, f, b = sizes.width, sizes.inner_width, sizes.biases
    whole = sizes.attention - sizes.per_head
    one, bias = d * d * sizes.times_heads, d * b * sizes.times_heads
    divided = (d // sizes.heads) * d, (d // sizes.heads) * b
    attention = whole * (one + bias) + sizes.per_head * sum(divided)
    inner = sizes.inner * d * f + (b * (f + d) if sizes.inner == 2 else b * f if sizes.inner else 0)
    counted = {
        "token embedding": sizes.tables * sizes.vocabulary * d,
        "position embedding": sizes.positions * d,
        "attention": attention * (sizes.attention_layers or sizes.layers),
        "feed-forward": inner * sizes.layers,
        "norms": (2 * d * (sizes.norms * sizes.layers + sizes.first_norm)) if b else 0,
        "language-model head": (d * d + d + 2 * d + sizes.vocabulary if b else d * d) if sizes.head else 0,
    }
    return {name: size for name, size in counted.items() if size}


def model_sizes(random: Random) -> Sizes:
    """A model of usual sizes."""
    width = random.choice((128, 256, 384, 512, 640, 768, 1024))
    return Sizes(
        vocabulary=random.choice((8_000, 16_000, 30_522, 32_000, 50_265, 64_001)),
        positions=random.choice((130, 258, 512, 514, 1026)),
        width=width,
        inner_width=width * random.choice((1, 2, 4)),
        layers=random.choice((2, 3, 4, 5, 6, 8, 10, 12, 16)),
        heads=random.choice((4, 8)),
        biases=random.random() < 0.5,
    )


SLIPS: dict[str, Callable[[Sizes], Sizes]] = {
    "no positions": lambda s: replace(s, positions=0),
    "positions without the offset": lambda s: replace(s, positions=s.positions - 2),
    "positions with the offset twice": lambda s: replace(s, positions=s.positions + 2),
    "vocabulary without specials": lambda s: replace(s, vocabulary=s.vocabulary - 5),
    "another vocabulary": lambda s: replace(s, vocabulary=250_002),
    "no word embedding": lambda s: replace(s, tables=0),
    "word embedding twice": lambda s: replace(s, tables=2),
    "no output projection": lambda s: replace(s, attention=3),
    "one projection too many": lambda s: replace(s, attention=5),
    "no feed-forward": lambda s: replace(s, inner=0),
    "one feed-forward matrix": lambda s: replace(s, inner=1),
    "feed-forward as wide as four times": lambda s: replace(s, inner_width=4 * s.width),
    "feed-forward as wide as the model": lambda s: replace(s, inner_width=s.width),
    "one layer": lambda s: replace(s, layers=1),
    "twelve layers": lambda s: replace(s, layers=12),
    "six layers": lambda s: replace(s, layers=6),
    "one layer too many": lambda s: replace(s, layers=s.layers + 1),
    "attention times the heads": lambda s: replace(s, times_heads=s.heads),
    "attention of one head": lambda s: replace(s, per_head=s.attention),
    "queries, keys and values of one head": lambda s: replace(s, per_head=3),
    "attention of one layer only": lambda s: replace(s, attention_layers=1),
    "head counted": lambda s: replace(s, head=True),
    "one norm per layer": lambda s: replace(s, norms=1),
    "first norm forgotten": lambda s: replace(s, first_norm=False),
}
ABOUT = (
    {"no positions", "positions without the offset", "positions with the offset twice"},
    {"vocabulary without specials", "another vocabulary", "no word embedding", "word embedding twice"},
    {"no output projection", "one projection too many", "attention times the heads", "attention of one head"}
    | {"queries, keys and values of one head", "attention of one layer only"},
    {"no feed-forward", "one feed-forward matrix", "feed-forward as wide as four times"}
    | {"feed-forward as wide as the model"},
    {"one layer", "twelve layers", "six layers", "one layer too many", "attention of one layer only"},
    {"head counted", "another vocabulary", "vocabulary without specials"},
    {"one norm per layer", "first norm forgotten"},
)
"""Slips of which a person makes one at most."""


@dataclass(frozen=True)
class WrongCount:
    """A wrong hand count: the truth about its model, the slips, and what was counted in the end."""

    truth: GroundTruth
    slips: tuple[str, ...]
    right: Sizes
    counted: Sizes

    @property
    def total(self) -> int:
        """The number that the person arrives at."""
        return sum(parts(self.counted).values())


def wrong_count(random: Random) -> WrongCount:
    """A model, and a count of it with one or two slips that change the total."""
    while True:
        right = model_sizes(random)
        slips = tuple(random.sample(sorted(SLIPS), random.choice((1, 2))))
        if len(slips) == 2 and any(set(slips) <= about for about in ABOUT):
            continue
        counted = right
        steps = []
        for slip in slips:
            counted = SLIPS[slip](counted)
            steps.append(parts(counted))
        made = WrongCount(truth_of(right), slips, right, counted)
        alone = [parts(SLIPS[slip](right)) for slip in slips]
        if parts(right) not in (*alone, *steps) and len({str(step) for step in steps}) == len(slips):
            return made


def derivation(made: WrongCount, random: Random) -> str:
    """The count written down part by part, with its total."""
    s = made.counted
    shown = parts(s)
    lines = []
    if s.tables:
        lines.append(f"Token embedding: {_times(s.vocabulary, s.width)} = {s.vocabulary * s.width:,}")
    if s.positions:
        lines.append(f"Position embedding: {_times(s.positions, s.width)} = {s.positions * s.width:,}")
    per_layer = shown["attention"] // (s.attention_layers or s.layers)
    heads = f", for {s.heads} heads" if s.times_heads > 1 or s.per_head else ""
    lines.append(f"Attention of one layer{heads}: {_attention(s)} = {per_layer:,}")
    if s.inner:
        sum_ = f"{s.inner} × {s.width} × {s.inner_width}" + (_inner_bias(s) if s.biases else "")
        lines.append(f"Feed-forward of one layer: {sum_} = {shown['feed-forward'] // s.layers:,}")
    if s.biases:
        lines.append(f"Norms: {shown['norms']:,}")
    if s.head:
        lines.append(f"Language-model head: {shown['language-model head']:,}")
    lines.append(f"There are {s.layers} layers." if s.layers > 1 else "")
    random.shuffle(lines)
    return "\n\n".join(filter(None, lines)) + f"\n\nIn total the model has {made.total:,} parameters.\n"


def _times(*factors: int) -> str:
    return " × ".join(map(str, factors))


def _attention(s: Sizes) -> str:
    factor = f"{s.times_heads} × " if s.times_heads > 1 else ""
    whole, terms = s.attention - s.per_head, []
    if whole:
        bias = f"({_times(s.width, s.width)} + {s.width})" if s.biases else _times(s.width, s.width)
        terms.append(f"{factor}{whole} × {bias}")
    if s.per_head:
        share = s.width // s.heads
        bias = f"({_times(share, s.width)} + {share})" if s.biases else _times(share, s.width)
        terms.append(f"{s.per_head} × {bias}")
    return " + ".join(terms)


def _inner_bias(s: Sizes) -> str:
    return f" + {s.inner_width} + {s.width}" if s.inner == 2 else f" + {s.inner_width}"


def truth_of(s: Sizes) -> GroundTruth:
    """The truth about a model of BERT's kind: its arrays, and its counts by weights alone and by everything."""
    d, f = s.width, s.inner_width
    square, names = (d, d), ("query", "key", "value", "dense")
    plain = ("all", "weights")
    head_biases = [("dense", (d,)), ("out", (s.vocabulary,))]
    components = (
        _component("token-embedding", "token embedding", "embedding", [("table", (s.vocabulary, d))], 1, plain),
        _component("position-embedding", "position embedding", "embedding", [("table", (s.positions, d))], 1, plain),
        _component("norm", "norms", "norm", [("norm", (d,)), ("norm", (d,))], 1, ("all",)),
        _component("attention-weights", "attention", "weight", [(name, square) for name in names], s.layers, plain),
        _component("attention-biases", "attention", "bias", [(name, (d,)) for name in names], s.layers, ("all",)),
        _component("attention-norm", "norms", "norm", [("norm", (d,)), ("norm", (d,))], s.layers, ("all",)),
        _component("ffn-weights", "feed-forward", "weight", [("fc1", (f, d)), ("fc2", (d, f))], s.layers, plain),
        _component("ffn-biases", "feed-forward", "bias", [("fc1", (f,)), ("fc2", (d,))], s.layers, ("all",)),
        _component("output-norm", "norms", "norm", [("norm", (d,)), ("norm", (d,))], s.layers, ("all",)),
        _component("head-weights", "language-model head", "weight", [("dense", square)], 1, ("head",)),
        _component("head-biases", "language-model head", "bias", head_biases, 1, ("head",)),
        _component("head-norm", "language-model head", "norm", [("norm", (d,)), ("norm", (d,))], 1, ("head",)),
    )
    model = Model(id="m", title="m", layers=s.layers, heads=s.heads, components=components, provenance=KNOWN)
    counts = [_count(convention, components) for convention in ("weights", "all")]
    return GroundTruth(lab="l", models=(model,), counts=tuple(counts))


def base(made: WrongCount) -> Count:
    """The right count that the person was after."""
    wanted = "all" if made.right.biases else "weights"
    return next(count for count in made.truth.counts if count.convention == wanted)


def _component(
    id_: str, part: str, kind: str, tensors: list[tuple[str, tuple[int, ...]]], times: int, counted_in: tuple[str, ...]
) -> Component:
    arrays = tuple(Tensor(name=name, shape=shape) for name, shape in tensors)
    values = sum(shape[0] * (shape[1] if len(shape) > 1 else 1) for _, shape in tensors)
    fields = {"id": id_, "title": id_, "part": part, "kind": kind, "shape": "", "values": values, "times": times}
    return Component.model_validate({**fields, "tensors": arrays, "counted_in": counted_in})


def _count(convention: str, components: tuple[Component, ...]) -> Count:
    total = sum(part.values * part.times for part in components if convention in part.counted_in)
    return Count(
        id=f"m/{convention}", title=convention, model="m", convention=convention, total=total, provenance=KNOWN
    )
