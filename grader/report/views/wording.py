"""How numbers, places and long texts are put for people."""

import re
from decimal import Decimal

from grader.result import Evidence

ACCENTS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
STACKED = re.compile(f"({ACCENTS}{{3}}){ACCENTS}+")
REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def points(value: Decimal) -> str:
    """Points without trailing zeros: `2.5`, `0`, `−5`."""
    return format(value.normalize(), "f").replace("-", "−") if value else "0"


def fraction(score: Decimal, max_score: Decimal) -> str:
    """`2.5 / 4`."""
    return f"{points(score)} / {points(max_score)}"


def counted(value: Decimal | int, noun: str) -> str:
    """`1 point`, `0.5 points`, `3 students`."""
    return f"{points(Decimal(value))} {noun}{'' if value == 1 else 's'}"


def percent(share: float | None) -> str:
    """A share of 0 to 1 as `83 %`, or a dash where there is none."""
    return "–" if share is None else f"{share * 100:.0f} %"


def width(part: Decimal, whole: Decimal) -> str:
    """A length in CSS percent of the whole, kept within 0 and 100."""
    share = float(part / whole) if whole > 0 else 0.0
    return f"{min(max(share, 0.0), 1.0) * 100:.2f}%"


def clip(text: str, limit: int) -> str:
    """Text on one line of at most `limit` characters, cut at a word where one ends near, with `…` where it was cut."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    at_word = cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > limit * 3 // 4 else cut).rstrip() + "…"


def clip_lines(text: str, limit: int, lines: int = 8) -> str:
    """Text of at most `lines` lines and `limit` characters, line breaks and indentation kept, `…` where it was cut."""
    kept = "\n".join(line.rstrip() for line in text.strip("\n").splitlines()[:lines])
    cut = kept[: limit - 1].rstrip() if len(kept) > limit else kept
    return cut if cut.split() == text.split() else f"{cut}…"


def clip_middle(text: str, limit: int = 56) -> str:
    """Text of at most `limit` characters whose start and end are kept, as tells paths apart: `runs/events…7.host`."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    tail = limit // 3
    return f"{line[: limit - tail - 1]}…{line[-tail:]}"


def place(evidence: Evidence) -> str:
    """Where something stands: `report.pdf, page 2` or `events…, test/accuracy at step 675`."""
    parts = (
        clip_middle(evidence.file),
        f"page {evidence.page}" if evidence.page is not None else None,
        f"cell {evidence.cell}" if evidence.cell is not None else None,
        f"line {evidence.line}" if evidence.line is not None else None,
        _logged(evidence),
    )
    return ", ".join(part for part in parts if part)


def printable(text: str) -> str:
    """Text that can do no harm to a page: controls become `�`, marks that reorder text go, stacks of accents are cut.

    Line breaks and tabs stay. Accents stacked higher than three would be drawn over neighbouring lines.
    """
    return STACKED.sub(r"\1", REORDERING.sub("", UNPRINTABLE.sub("\ufffd", text)))


def _logged(evidence: Evidence) -> str | None:
    at = f"at step {evidence.step}" if evidence.step is not None else None
    tag = clip_middle(evidence.tag) if evidence.tag else None
    return " ".join(part for part in (tag, at) if part) or None
