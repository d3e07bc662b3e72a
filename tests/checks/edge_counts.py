"""Counts by hand of the shipped lab's model at the edges of what its checks tell apart: one thing counted otherwise
at a time, each written out in several forms; which number is the total; and how exactly it is written.
`tests/checks/kept/edge_counts.txt` keeps what is made of each.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Counted(NamedTuple):
    """What a person counts."""

    vocabulary: int = 32_000
    positions: int = 258
    width: int = 512
    inner: int = 512
    attention: int = 4
    matrices: int = 2
    layers: int = 4
    biases: int = 0
    norms: int = 0
    further: int = 0

    @property
    def layer(self) -> int:
        """Of one layer."""
        return self.width * (self.attention * self.width + self.matrices * self.inner) + self.biases + self.norms

    @property
    def total(self) -> int:
        """Of all that is counted."""
        return (self.vocabulary + self.positions) * self.width + self.layers * self.layer + self.further


def _as_list(one: Counted) -> str:
    width, inner = one.width, one.inner
    lines = [
        f"- token embeddings: {one.vocabulary} × {width} = {one.vocabulary * width}",
        f"- position embeddings: {one.positions} × {width} = {one.positions * width}",
        f"- attention: {one.attention} × {width} × {width} = {one.attention * width * width}",
        f"- feed-forward: {one.matrices} × {width} × {inner} = {one.matrices * width * inner}",
        *([f"- biases: {one.biases}"] if one.biases else []),
        *([f"- norms: {one.norms}"] if one.norms else []),
        f"- one layer: {one.layer}, {one.layers} layers: {one.layers} × {one.layer} = {one.layers * one.layer}",
        *([f"- besides: {one.further}"] if one.further else []),
        f"\nTotal: {one.total:,}",
    ]
    return "\n".join(line for line in lines if " 0 ×" not in line and ": 0 " not in line)


def _as_formula(one: Counted) -> str:
    extra = "".join(f" + {value}" for value in (one.biases, one.norms) if value)
    inside = f"{one.attention} × {one.width}² + {one.matrices} × {one.width} × {one.inner}{extra}"
    rest = f" + {one.further}" if one.further else ""
    return f"({one.vocabulary} + {one.positions}) × {one.width} + {one.layers} × ({inside}){rest} = {one.total}"


def _as_total(one: Counted) -> str:
    return f"The model has {one.total:,} parameters."


def _in_french(one: Counted) -> str:
    spaced = f"{one.total:,}".replace(",", " ")
    tokens, places = one.vocabulary * one.width, one.positions * one.width
    return (
        f"Les plongements font {tokens} + {places} = {tokens + places} paramètres. Une couche en a {one.layer}, donc "
        f"{one.layers} couches en ont {one.layers * one.layer}. Au total : {spaced} paramètres."
    )


_FORMS: Final = {"list": _as_list, "formula": _as_formula, "total": _as_total, "French": _in_french}
_COUNTED: Final[Mapping[str, Counted]] = {
    "weights": Counted(),
    "all": Counted(biases=3_072, norms=2_048, further=1_024),
    "with biases": Counted(biases=3_072),
    "with norms": Counted(norms=2_048, further=1_024),
    "with head": Counted(biases=3_072, norms=2_048, further=1_024 + 295_680),
    "no offset": Counted(positions=256),
    "offset twice": Counted(positions=260),
    "512 positions": Counted(positions=512),
    "no positions": Counted(positions=0),
    "other vocabulary": Counted(vocabulary=32_005),
    "a token less": Counted(vocabulary=31_999),
    "one layer": Counted(layers=1),
    "three layers": Counted(layers=3),
    "five layers": Counted(layers=5),
    "twelve layers": Counted(layers=12),
    "three attention matrices": Counted(attention=3),
    "one attention matrix": Counted(attention=1),
    "five attention matrices": Counted(attention=5),
    "heads multiplied": Counted(attention=32),
    "no attention": Counted(attention=0),
    "one feed-forward matrix": Counted(matrices=1),
    "no feed-forward": Counted(matrices=0),
    "wide feed-forward": Counted(inner=2_048),
    "feed-forward of 3072": Counted(inner=3_072),
    "width 768": Counted(width=768, inner=768),
    "width 256": Counted(width=256, inner=256),
    "embeddings twice": Counted(further=32_000 * 512),
    "three matrices and no offset": Counted(attention=3, positions=256),
    "biases but of one": Counted(biases=2_560),
    "something more": Counted(further=12_345),
}
_PARTS: Final = (
    "- tokens: 32000 × 512 = 16384000\n- positions: 258 × 512 = 132096\n- attention: 4 × 512² = 1048576\n"
    "- feed-forward: 2 × 512² = 524288\n- 4 layers: 6291456\n"
)
_WRITTEN: Final[Mapping[str, str]] = {
    **{
        f"beside its parts, {other}": f"{_PARTS}- written before: {other}\n\nTotal: 22807552"
        for other in (
            16394000,
            16834000,
            13684000,
            16384001,
            16395000,
            123096,
            132097,
            132069,
            131097,
            524289,
            22807553,
        )
    },
    **{
        f"a part as total, {size}": f"The total is {size:,} parameters."
        for size in (4_194_304, 4_202_496, 1_050_624, 2_097_152, 2_101_248, 525_312, 16_516_096, 6_307_840, 132_096)
    },
    "rounded": "The model has about 22.8 million parameters.",
    "rounded, finely": "The model has 22.81M parameters.",
    "rounded, other": "The model has about 23.5 million parameters.",
    "a digit off": "16384000 + 132096 + 4 × 1572864 = 22807562",
    "digits exchanged": "16384000 + 132096 + 4 × 1572864 = 22807525",
    "a part is a digit off": "16384000 + 132069 + 6291456 = 22807525",
    "broken over a line": "Total: 22 807\n552 parameters",
    "with blanks": "Total: 22, 807, 552 parameters",
    "powers of ten": "Total: 2.2807552 × 10^7 parameters",
    "named twice": "The total is 22,807,552. So the total number of parameters is 22,807,552.",
    "two totals": "The total is 22,807,552. With biases and norms the total is 22,829,056.",
    "two totals, one wrong": "The total is 22,807,552. Hence the total is 21,758,976.",
    "two totals, the last right": "The total is 21,758,976. Hence the total is 22,807,552.",
    "printed besides": "By hand the total is 22,807,552. The code prints 22,829,056.",
    "printed besides, wrong by hand": "By hand the total is 21,758,976. The code prints 22,829,056.",
    "only printed": "The code prints 22,829,056 parameters.",
    "a larger model": "BERT has 110 million parameters; ours has 22,807,552.",
    "another model's": "The total is 560,787,456.",
    "a part as total": "The total is 16,384,000.",
    "a layer as total": "In total 1,572,864 parameters.",
    "all layers as total": "In total 6,291,456 parameters.",
    "no number": "We multiply the sizes of all matrices and add them up.",
    "sum without a sign": "16,384,000\n132,096\n6,291,456\n22,807,552",
    "sum with a gap": "16,384,000 (tokens)\n132,096 (positions)\n6,291,456 (layers)\n\nThis gives 22,807,552 weights.",
    "wrong sum": "16,384,000 + 132,096 + 6,291,456 = 22,907,552",
    "product wrong, sum right": "4 × 512 × 512 = 1048567, 2 × 512 × 512 = 524288. Total 22,807,552.",
    "letters": "With V = 32000, d = 512, P = 258 and L = 4: Vd + Pd + 6Ld² = 22,807,552",
    "letters, wrong": "With V = 32000, d = 512, P = 258 and L = 4: Vd + Pd + 5Ld² = 22,807,552",
    "a table": "| part | number |\n|---|---|\n| tokens | 16384000 |\n| positions | 132096 |\n| layers | 6291456 |"
    "\n| total | 22807552 |",
    "a table, wrong": "| part | number |\n|---|---|\n| tokens | 16384000 |\n| positions | 131072 |"
    "\n| layers | 6291456 |\n| total | 22806528 |",
    "in words": "There are no biases in this count: 22,807,552.",
    "in words, contrary": "All biases and norms are counted: 22,807,552.",
    "small": "The total is 22,807.",
    "in thousands": "The total is 22,808 k.",
}

_NUMBERS: Final = {
    "weights": 22_807_552,
    "all": 22_829_056,
    "wrong": 21_758_976,
    "larger": 24_380_416,
    "part": 16_384_000,
    "small": 18_613_248,
}
_TWO: Final = {
    "total, number": "The total number of parameters is {0:,}. In another way one finds {1:,}.",
    "calculation, total": "16384000 + 132096 + 4 × 1572864 = {0}. The total is {1:,} parameters.",
    "totals": "Total: {0:,} parameters\n\nTotal: {1:,} parameters",
    "results": "= {0}\n\n= {1}",
    "by hand, printed": "By hand we find {0:,} parameters; the program prints {1:,}.",
}
_PAIRS: Final = {
    f"{name}: {one} and {other}": form.format(_NUMBERS[one], _NUMBERS[other])
    for name, form in _TWO.items()
    for one in _NUMBERS
    for other in _NUMBERS
    if one != other
}

COUNTS: Final[Mapping[str, str]] = {
    **{f"{name}, {form}": write(one) for name, one in _COUNTED.items() for form, write in _FORMS.items()},
    **_WRITTEN,
    **_PAIRS,
}
