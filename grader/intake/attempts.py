"""Attempts told from names: `ada attempt 1` and `ada attempt 2`, or `attempt-1` and `attempt-2` within `ada`."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from grader.intake.places import Place
from grader.intake.student_ids import safe_id
from grader.intake.submission import Source

_WORD: Final = "(?:attempt|essai|tentative)"
_MARK: Final = r"(?P<mark>\d{4}-\d\d-\d\d(?:[-_T ]\d\d[-_.:h]?\d\d(?:[-_.:m]?\d\d)?)?|\d{1,3})"
_ALONE: Final = re.compile(rf"{_WORD}[ _.#-]{{0,3}}{_MARK}", re.IGNORECASE)
_AFTER: Final = re.compile(
    rf"(?P<who>[^ _.()-].*?)[ _.(-]{{1,3}}{_WORD}[ _.#-]{{0,3}}{_MARK}\)?", re.IGNORECASE | re.DOTALL
)


def attempts_within(place: Place, source: Source) -> tuple[Source, ...]:
    """A source for each folder of a student's that is an attempt, where there is nothing else; else the one source.

    Raises OSError when the folder cannot be listed.
    """
    contents = place.contents()
    found = [(folder, match["mark"]) for folder in contents.folders if (match := _ALONE.fullmatch(folder))]
    if contents.files or len(contents.folders) < 2 or len(found) < len(contents.folders):
        return (source,)
    return tuple(_attempt(place, source, folder, mark) for folder, mark in found)


def _attempt(place: Place, source: Source, folder: str, mark: str) -> Source:
    path, inside = place.locate(folder)
    called = {
        "student_id": f"{source.student_id} attempt {mark}",
        "student_name": f"{source.student_name} attempt {mark}",
    }
    return source.model_copy(update={**called, "path": path, "inside": inside})


def with_attempts(sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sources, those whose names are one student's but for the attempt marked as such."""
    found = [_AFTER.fullmatch(source.student_name) for source in sources]
    series: dict[str, int] = defaultdict(int)
    for match in found:
        if match:
            series[match["who"]] += 1
    return tuple(
        source.model_copy(update={"attempt": match["mark"], "series": f"name {match['who']}"})
        if match and series[match["who"]] > 1
        else source
        for source, match in zip(sources, found, strict=True)
    )


def base_id(series: Iterable[Source]) -> str:
    """The id of a student without the attempt."""
    ordered = sorted(series, key=lambda source: (len(source.student_id), source.student_id))
    match = _AFTER.fullmatch(ordered[0].student_name)
    return safe_id(match["who"]) if match and ordered[0].series.startswith("name ") else ordered[0].student_id


def base_name(source: Source) -> str:
    """The name of a student without the attempt."""
    match = _AFTER.fullmatch(source.student_name) if source.series.startswith("name ") else None
    return match["who"] if match else source.student_name
