"""Fractions set over a rule, written in a line: `(a)/(b)`."""

from collections.abc import Iterable
from itertools import chain
from typing import Final, NamedTuple

from grader.reading.document import RepairKind
from grader.reading.evidence import Box
from grader.reading.pdf.glyphs import Glyph
from grader.reading.pdf.lines import Fragment, fragment_of, lines
from grader.reading.pdf.marked import Mark, Marked, joined
from grader.reading.pdf.marks import pieces
from grader.reading.pdf.styles import ASCENT, DESCENT

_WIDTHS: Final = (2.0, 450.0)
_MOST_RULES: Final = 300
_MOST_NEARBY: Final = 400
_STEP: Final = 12.0

_OVERHANG: Final = 0.6
"""In em: how far a rule may reach beyond the wider of numerator and denominator, and these be off its middle."""

_AXIS: Final = 0.25
"""In em above the baseline: where a fraction's rule lies in its line. Source: σ22 of TeX's symbol fonts."""

_OFF_AXIS: Final = 0.3
"""In em: TeX hits the axis, browsers set the middle of numerator and denominator near it."""

_BESIDE: Final = 0.9
"""In em: text this close to a rule's end, at the right height, makes it sure that the rule is a fraction's."""


class _Stack(NamedTuple):
    """A rule with what stands right above and right below it."""

    rule: Box
    above: list[Fragment]
    below: list[Fragment]


def with_fractions(fragments: list[Fragment], rules: Iterable[Box]) -> list[Fragment]:
    """The fragments with those of each fraction replaced by one. Where nothing beside the rule shows that it is a
    fraction's, its parts stay lines of their own and the upper one is marked."""
    page = _Page(fragments)
    short = sorted((rule for rule in rules if _WIDTHS[0] <= rule[2] - rule[0] <= _WIDTHS[1]), key=_width)
    for rule in short[:_MOST_RULES]:
        stack = page.stack(rule)
        if stack is None:
            continue
        host = page.host(rule)
        if host is None:
            page.replace(stack.above[-1:], _doubtful(stack.above[-1]))
        else:
            page.replace([*stack.above, *stack.below], _written(stack, host))
    return page.fragments


def _width(box: Box) -> float:
    return box[2] - box[0]


class _Page:
    """Fragments by height, so that those near a rule are found without looking at all."""

    def __init__(self, fragments: list[Fragment]) -> None:
        self._order: dict[int, Fragment] = dict(enumerate(fragments))
        self._rows: dict[int, list[int]] = {}
        for key, fragment in self._order.items():
            self._rows.setdefault(int(fragment.baseline // _STEP), []).append(key)

    @property
    def fragments(self) -> list[Fragment]:
        """All, in the order of drawing."""
        return list(self._order.values())

    def stack(self, rule: Box) -> _Stack | None:
        """What a rule parts, when it can be a fraction's; None when it underlines or frames."""
        left, top, right, bottom = rule
        inside = [f for f in self._near(rule) if left - 0.1 * f.size <= f.left and f.right <= right + 0.1 * f.size]
        over = [f for f in inside if 0.05 * f.size <= top - _foot(f) <= 0.9 * f.size]
        under = [f for f in inside if 0.6 * f.size <= _head(f) - bottom <= 1.35 * f.size]
        if not over or not under:
            return None
        size = max(f.size for f in chain(over, under))
        above = [f for f in inside if min(f.baseline for f in over) - 0.7 * size < f.baseline < top]
        below = [f for f in inside if bottom < f.baseline < max(f.baseline for f in under) + 0.5 * size]
        return _Stack(rule, above, below) if self._fits(rule, above, below, size) else None

    def host(self, rule: Box) -> Fragment | None:
        """The text that a fraction stands in: at its rule's ends, with its axis at the rule's height."""
        left, top, right, bottom = rule
        beside = [
            f
            for f in self._near(rule)
            if abs(f.baseline - _AXIS * f.size - (top + bottom) / 2) <= _OFF_AXIS * f.size
            and (
                -0.1 * f.size <= left - f.right <= _BESIDE * f.size
                or -0.1 * f.size <= f.left - right <= _BESIDE * f.size
            )
        ]
        return max(beside, key=lambda f: f.size, default=None)

    def replace(self, old: list[Fragment], new: Fragment) -> None:
        """Put one fragment in the place of the first of some."""
        gone = {id(fragment) for fragment in old}
        around = {key for row in {int(f.baseline // _STEP) for f in old} for key in self._rows[row]}
        keys = sorted(key for key in around if id(self._order.get(key)) in gone)
        for key in keys[1:]:
            del self._order[key]
        self._order[keys[0]] = new
        row = self._rows.setdefault(int(new.baseline // _STEP), [])
        if keys[0] not in row:
            row.append(keys[0])

    def _near(self, rule: Box) -> list[Fragment]:
        row = int(rule[1] // _STEP)
        keys = [key for near in range(row - 2, row + 4) for key in self._rows.get(near, ())]
        if len(keys) > _MOST_NEARBY:
            return []
        return [self._order[key] for key in dict.fromkeys(keys) if key in self._order]

    def _fits(self, rule: Box, above: list[Fragment], below: list[Fragment], size: float) -> bool:
        spans = [(min(f.left for f in part), max(f.right for f in part)) for part in (above, below)]
        middle = (rule[0] + rule[2]) / 2
        centred = all(abs((left + right) / 2 - middle) <= _OVERHANG * size for left, right in spans)
        return centred and _width(rule) - max(right - left for left, right in spans) <= 2 * _OVERHANG * size


def _foot(fragment: Fragment) -> float:
    """The baseline, or the lowest one where the fragment is a fraction itself."""
    return fragment.bottom - DESCENT * fragment.size


def _head(fragment: Fragment) -> float:
    """The baseline, or the highest one where the fragment is a fraction itself."""
    return fragment.top + ASCENT * fragment.size


def _doubtful(fragment: Fragment) -> Fragment:
    """The same fragment with a mark behind it: a rule was left out there that may be a fraction's."""
    last = fragment.glyphs[-1]
    end = len(last.text)
    marked = last._replace(marks=(*last.marks, Mark(RepairKind.FRACTION, end, end)))
    return fragment._replace(glyphs=(*fragment.glyphs[:-1], marked))


def _written(stack: _Stack, host: Fragment) -> Fragment:
    brackets = [Marked("("), _text(stack.above), Marked(")/("), _text(stack.below), Marked(")")]
    text, marks = joined("", brackets)
    glyphs = [glyph for fragment in (*stack.above, *stack.below) for glyph in fragment.glyphs]
    glyph = Glyph(
        text,
        left=stack.rule[0],
        top=min(glyph.top for glyph in glyphs),
        right=stack.rule[2],
        bottom=max(glyph.bottom for glyph in glyphs),
        baseline=host.baseline,
        size=host.size,
        bold=all(glyph.bold for glyph in glyphs),
        spaced=glyphs[0].spaced,
        marks=(Mark(RepairKind.FRACTION, 0, len(text)), *marks),
    )
    return fragment_of([glyph])


def _text(part: list[Fragment]) -> Marked:
    return joined(" ", [piece.marked for line in lines(part) for piece in pieces(line)])
