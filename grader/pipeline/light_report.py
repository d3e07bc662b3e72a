"""A student's PDF that course systems take without complaint: small, with as many pictures of the pages as fit."""

from collections.abc import Mapping
from typing import Final

from grader.report.pictures import Picture, Pictures, Place
from grader.report.presentation import Presentation
from grader.result import Result

LARGEST: Final = 200_000
"""In bytes: a class of 500 then stays below the 100 MB that a course system usually takes at once."""
_GROWTH: Final = 2.7
"""Bytes of a PDF for each byte of a picture, as a first guess."""


def light_report(result: Result, pictures: Pictures, presentation: Presentation) -> bytes:
    """The report as a PDF of at most `LARGEST` bytes, if leaving out pictures can do that; those of the items that
    matter most, which come first, are kept. The page for the browser shows all of them."""
    from grader.report.render import student_report

    made = student_report(result, pictures, presentation)
    if len(made) <= LARGEST or not pictures:
        return made
    whole = sum(len(one.png) for one in pictures.values())
    fewer = _first(pictures, whole - (len(made) - LARGEST) / _GROWTH)
    while fewer:
        made = student_report(result, fewer, presentation)
        if len(made) <= LARGEST:
            return made
        fewer = _first(fewer, sum(len(one.png) for one in fewer.values()) / 2)
    return student_report(result, {}, presentation)


def _first(pictures: Pictures, most: float) -> Mapping[Place, Picture]:
    """The first pictures that together have so many bytes at most."""
    kept: dict[Place, Picture] = {}
    size = 0
    for place, one in pictures.items():
        size += len(one.png)
        if size > most:
            break
        kept[place] = one
    return kept
