"""All that is read of results in short hand-ins of many forms, and nothing else.

What each one says stands behind its text in `results_read.txt`, a line for each series of runs, average, course and
figure that stays open.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.claims.results.claimed import Claim, CoursePoint, ResultClaims, RunResult
from grader.claims.results.fact import Moment
from tests.claims.test_accuracy_prose import read


def texts_of(file: Path) -> Mapping[str, tuple[str, list[str]]]:
    """The texts of a file by name, each with what is to be read of it."""
    found = {}
    for part in file.read_text(encoding="utf-8").split("=== ")[1:]:
        name, _, rest = part.partition("\n")
        text, _, lines = rest.partition("\n>>>\n")
        found[name] = (text, lines.strip().splitlines())
    return found


def told(claims: ResultClaims) -> list[str]:
    """What some claims say, a line each."""
    lines = [f"{place}: {', '.join(map(_run, own))}" for place, own in _grouped(claims.seeds).items()]
    lines += [
        f"{_place(one)}: mean {_number(one.mean, one.mean_resolution)} "
        f"std {_number(one.std, one.std_resolution)}{_moment(one.moment)}" + (" fraction" if one.as_fraction else "")
        for one in claims.summaries
    ]
    lines += [f"{place} course: {', '.join(map(_point, own))}" for place, own in _grouped(claims.course).items()]
    return lines + [
        f"open {one.experiment}{' faint' if one.is_faint else ''}: {one.evidence.quote}" for one in claims.loose
    ]


def _grouped(claims: Iterable[Claim]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for one in claims:
        groups.setdefault(_place(one), []).append(one)
    return groups


def _place(one: Claim) -> str:
    return f"{one.experiment} {one.split}"


def _run(one: RunResult) -> str:
    return f"{one.seed}{_moment(one.moment)} {_number(one.value, one.resolution)}"


def _point(one: CoursePoint) -> str:
    run = "" if one.seed is None else f" of {one.seed}"
    return f"{one.statistic}{run}{_moment(one.moment)} {_number(one.value, one.resolution)}"


def _number(value: Decimal | None, digit: Decimal) -> str:
    """A value with its digits; beside it the unit of the last one where that is no power of ten."""
    if value is None:
        return "none"
    own = digit.normalize()
    return f"{value.quantize(own)}" + ("" if own.as_tuple().digits == (1,) else f" to {own}")


def _moment(moment: Moment) -> str:
    said = [f"epoch {moment.epoch}" if moment.epoch is not None else "", f"step {moment.step}" if moment.step else ""]
    said += ["end" if moment.is_end else "", "chosen" if moment.is_chosen else ""]
    return f" ({' '.join(word for word in said if word)})" if any(said) else ""


TEXTS = texts_of(Path(__file__).with_name("results_read.txt"))


@pytest.mark.parametrize("name", TEXTS)
def test_all_that_a_hand_in_reports_is_read(name: str) -> None:
    text, wanted = TEXTS[name]
    assert told(read(text)) == wanted
