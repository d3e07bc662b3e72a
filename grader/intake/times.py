"""Parsing of dates and times as people and systems write them. An ambiguous day is refused, never guessed."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import Final

_MONTHS: Final = {
    name: month
    for month, names in enumerate(
        (
            "january jan janvier janv",
            "february feb fevrier fevr",
            "march mar mars",
            "april apr avril avr",
            "may mai",
            "june jun juin",
            "july jul juillet juil",
            "august aug aout",
            "september sep sept septembre",
            "october oct octobre",
            "november nov novembre",
            "december dec decembre",
        ),
        start=1,
    )
    for name in names.split()
}
_ISO: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ]+(\d\d?:\d\d)(:\d\d)?(\.\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_NUMBERS: Final = re.compile(r"(\d\d?)[/.](\d\d?)[/.](\d{4})[ ,]+(\d\d?):(\d\d)(?::(\d\d))?\s*([ap]m)?", re.IGNORECASE)
_WORDS: Final = re.compile(
    r"(?:[^\W\d_]+\.?,?\s+)?(\d\d?)\.?\s+([^\W\d_]+)\.?\s+(\d{4})[\s,a]+(\d\d?)[:h](\d\d)(?::(\d\d))?\s*([ap]m)?",
    re.IGNORECASE,
)
_LONGEST: Final = 80


def read_time(text: str, *, day_first: bool | None = None) -> datetime | None:
    """The time in a text; None where there is none. It has a zone only if the text names one.

    Understood are ISO 8601, Gradescope's `2023-11-21 22:58:10 +0100`, Moodle's `Tuesday, 21 November 2023, 10:58 PM`
    (and French), and `21/11/2023 22:58` where `day_first` is known or the numbers leave no choice.
    """
    plain = _plain(text) if len(text) <= _LONGEST else ""
    try:
        if found := _ISO.fullmatch(plain.upper()):
            return _iso(found)
        if found := _WORDS.fullmatch(plain):
            day, month, year, *clock = found.groups()
            return _datetime_of(int(year), _MONTHS[month], int(day), clock)
        if found := _NUMBERS.fullmatch(plain):
            first, second, year, *clock = found.groups()
            month_first = order((text,)) is False if day_first is None else not day_first
            if day_first is None and order((text,)) is None:
                return None
            day, month = (second, first) if month_first else (first, second)
            return _datetime_of(int(year), int(month), int(day), clock)
    except (ValueError, KeyError):
        return None
    return None


def order(texts: Iterable[str]) -> bool | None:
    """Whether numeric dates begin with the day; None where they do not determine it, or contradict each other."""
    day_first = month_first = False
    for text in texts:
        if found := _NUMBERS.fullmatch(text.strip()):
            day_first |= int(found[1]) > 12
            month_first |= int(found[2]) > 12
    return day_first if day_first != month_first else None


def _iso(found: re.Match[str]) -> datetime:
    day, clock, seconds, fraction, zone = (part or "" for part in found.groups())
    offset = "+00:00" if zone in ("Z", "UTC", "GMT") else zone
    parts = f"{fraction[:7]:0<7}" if fraction else ""
    return datetime.fromisoformat(f"{day}T{clock.rjust(5, '0')}{seconds or ':00'}{parts}{offset}")


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.strip().removesuffix(".").casefold())
    return "".join(sign for sign in letters if not unicodedata.combining(sign))


def _datetime_of(year: int, month: int, day: int, clock: list[str]) -> datetime:
    hour, minute, second, half = (clock[0], clock[1], clock[2] or "0", clock[3])
    hours = int(hour)
    if half:
        hours = hours % 12 + (12 if half.casefold() == "pm" else 0)
    return datetime(year, month, day, hours, int(minute), int(second))
