"""Numbers, places, long texts and statuses in words, in the reader's language. A status is always a word and a shape,
so that nothing depends on colour.
"""

import re
from datetime import datetime
from decimal import Decimal
from typing import Final

from grader.frozen import Frozen
from grader.message import ENGLISH, Language, Message, Words, plural_of, say, say_number, say_values
from grader.result import STATUS_WORDS, Evidence, Status

ACCENTS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
STACKED = re.compile(f"({ACCENTS}{{3}}){ACCENTS}+")
REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def points(value: Decimal, language: Language = ENGLISH) -> str:
    """Points without trailing zeros: `2.5`, `0`, `−5`."""
    return language.number(value.normalize(), "f").replace("-", "−") if value else "0"


def fraction(score: Decimal, max_score: Decimal, language: Language = ENGLISH) -> str:
    """`2.5 / 4`."""
    return f"{points(score, language)} / {points(max_score, language)}"


def counted_points(value: Decimal) -> Message:
    """`1 point`, `0.5 points`, `3 points`."""
    plain = value.normalize() if value else Decimal(0)
    return say_number("{points:f} point", "{points:f} points", plural_of(value), points=plain)


def percent(share: float | None, language: Language = ENGLISH) -> str:
    """A share of 0 to 1 as `83 %`, or a dash where there is none."""
    return "–" if share is None else language.say(say("{share:.0f} %", share=share * 100))


def left_out(count: int, file: str, language: Language = ENGLISH) -> str | None:
    """The sentence that says how much is not shown and in which file it is; None if everything is shown."""
    return (
        language.say(say_number("+ 1 more in {file}", "+ {number} more in {file}", count, file=file))
        if count > 0
        else None
    )


def moment(value: datetime, language: Language = ENGLISH) -> str:
    """A day and a time: `20 November 2024, 22:15 UTC`."""
    return f"{language.day(value.date())}, {value:%H:%M %Z}".strip()


def width(part: Decimal, whole: Decimal) -> str:
    """A part as CSS percent of the whole, clamped to 0 to 100."""
    share = float(part / whole) if whole > 0 else 0.0
    return f"{min(max(share, 0.0), 1.0) * 100:.4g}%"


def clip(text: str, limit: int) -> str:
    """Text on one line of at most `limit` characters, cut at the end of a word if one is near, with `…` at the cut."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    at_word = cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > limit * 3 // 4 else cut).rstrip() + "…"


def clip_to_sentence(text: str, limit: int) -> str:
    """Text on one line of at most `limit` characters, cut at the end of a sentence, save one in its first third."""
    line = " ".join(text.split())
    end = line.rfind(". ", limit // 3, limit) + 1
    return line[:end] if len(line) > limit and end else clip(line, limit)


def clip_lines(text: str, limit: int, lines: int = 8) -> str:
    """Text of at most `lines` lines and `limit` characters, line breaks and indentation kept, `…` where it was cut."""
    kept = "\n".join(line.rstrip() for line in text.strip("\n").splitlines()[:lines])
    cut = kept[: limit - 1].rstrip() if len(kept) > limit else kept
    return cut if cut.split() == text.split() else f"{cut}…"


def clip_middle(text: str, limit: int = 56) -> str:
    """Text of at most `limit` characters, cut in the middle, so that paths stay distinct: `runs/events…7.host`."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    tail = limit // 3
    return f"{line[: limit - tail - 1]}…{line[-tail:]}"


def place(evidence: Evidence, language: Language = ENGLISH) -> str:
    """The place of evidence in words: `report.pdf, page 2` or `events…, test/accuracy at step 675`."""
    tag = clip_middle(evidence.tag) if evidence.tag else ""
    logged = (
        say("{tag} at step {step}", tag=tag, step=evidence.step) if tag else say("at step {step}", step=evidence.step)
    )
    parts = (
        (say("page {page}", page=evidence.page), evidence.page is not None),
        (say("cell {cell}", cell=evidence.cell), evidence.cell is not None),
        (say("line {line}", line=evidence.line), evidence.line is not None),
        (logged if evidence.step is not None else tag, evidence.step is not None or bool(tag)),
    )
    return ", ".join(
        (clip_middle(evidence.file), *map(language.say, tuple(text for text, is_known in parts if is_known)))
    )


def printable(text: str) -> str:
    """Text that is safe on a page: control characters become `�`, bidirectional controls are removed, stacked accents
    are cut.

    Line breaks and tabs stay. More than three stacked accents would be drawn over neighbouring lines.
    """
    return STACKED.sub(r"\1", REORDERING.sub("", UNPRINTABLE.sub("\ufffd", text)))


class Mark(Frozen):
    """A status: a word, a shape that `macros.html` draws, and a sentence."""

    word: Words
    shape: str
    meaning: Words


MARKS: Final = {
    status: Mark(word=say_values("{status:capital}", status=STATUS_WORDS[status]), shape=shape, meaning=meaning)
    for status, shape, meaning in (
        (Status.CORRECT, "check", say("all of its points")),
        (Status.PARTIAL, "half", say("some of its points")),
        (Status.INCORRECT, "cross", say("the answer is wrong")),
        (Status.MISSING, "ring", say("no answer was found")),
        (Status.REVIEW, "diamond", say("a person will decide")),
        (Status.NOT_RUN, "dash", say("it builds on something that is missing")),
        (Status.ERROR, "triangle", say("not your fault; a person will decide")),
    )
}
"""The marks in English; `mark` translates them."""


def mark(status: Status, language: Language) -> Mark:
    """The mark of a status in a language."""
    plain_mark = MARKS[status]
    return Mark(word=language.say(plain_mark.word), shape=plain_mark.shape, meaning=language.say(plain_mark.meaning))
