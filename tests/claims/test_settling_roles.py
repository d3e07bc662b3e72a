"""Figures with the roles that words gave them, settled together: what joins, what follows, and how far a word reaches.

A figure is written as `79.30 value pretrained:5 test:4 run=1 unit=2`: its value, what it is, its experiment and split,
each with how near the word stands (5: a label, 0: nowhere), and what else is known.
"""

from collections.abc import Mapping

import pytest

from grader.claims.numerals import percentages
from grader.claims.results.fact import Fact, Moment, Nearness, Role, Statistic
from grader.claims.results.settling import settled
from grader.lab.experiments import ACCURACY
from grader.reading.document import Evidence
from tests.claims.making import lab


def role(written: str) -> Role:
    value, _, near = written.partition(":")
    return Role() if value == "-" else Role(value=value, nearness=Nearness(int(near or 0)))


def fact(written: str, line: int) -> Fact:
    number, statistic, experiment, split, *more = written.split()
    told = dict(one.split("=") for one in more)
    (numeral,) = percentages(number)
    moment = Moment(epoch=int(told["epoch"])) if "epoch" in told else Moment()
    deviation = next(percentages(told["std"])) if "std" in told else None
    place = Evidence(file="r.md", line=int(told.get("line", line)), quote=written)
    return Fact(
        number=numeral,
        statistic=Statistic(statistic),
        experiment=role(experiment),
        split=role(split),
        run=int(told["run"]) if "run" in told else None,
        moment=moment,
        deviation=deviation,
        is_marked="marked" in told,
        unit=int(told.get("unit", 1)),
        series=told.get("series", ""),
        evidence=(place,),
    )


def told(text: str) -> list[str]:
    """What some figures come to: series, averages, deviations that stand alone, and figures of a course."""
    lines = [line.strip() for line in text.strip().split("\n")]
    found = settled([fact(line, at) for at, line in enumerate(lines, start=1)], lab(), ACCURACY)
    series = [
        f"{one.experiment.value} {one.split.value}: "
        + ", ".join(f"{run} {'/'.join(str(each.number.value) for each in own)}" for run, own in one.runs.items())
        for one in found.series
    ]
    means = [
        f"{mean.experiment.value} {mean.split.value} mean {mean.number.value}"
        f" std {mean.deviation.value if mean.deviation else None}{' of a series' if source else ''}"
        for mean, source in found.summaries
    ]
    rest = [f"std {one.number.value}" for one in found.deviations]
    return [*series, *means, *rest, *(f"course {one.number.value}" for one in found.course)]


TWO = "79.30 value pretrained:5 test:5 run=1\n78.55 value pretrained:5 test:5 run=2\n"
THREE = TWO + "80.15 value pretrained:5 test:5 run=3\n"
"""Their average is 79.33; their deviation 0.65 in population form, 0.80 in sample form."""
JOINED = "pretrained test: 1 79.3, 2 78.55, 3 80.15"
APART = ["pretrained test: 1 79.3, 2 78.55", "pretrained test: 3 80.15"]
WHOLE = [JOINED.replace("79.3,", "79.30,")]
PARTS = [APART[0].replace("79.3,", "79.30,"), APART[1]]

SETTLED: Mapping[str, tuple[str, list[str]]] = {
    "runs of one place": (THREE, WHOLE),
    "a run three places on": (TWO + "80.15 value pretrained:5 test:5 run=3 unit=4", WHOLE),
    "a run four places on": (TWO + "80.15 value pretrained:5 test:5 run=3 unit=5", PARTS),
    "a run of another experiment": (
        TWO + "80.15 value random:5 test:5 run=3 unit=2",
        [PARTS[0], "random test: 3 80.15"],
    ),
    "a run that is there": (
        TWO + "80.15 value pretrained:5 test:5 run=2 unit=2",
        [PARTS[0], "pretrained test: 2 80.15"],
    ),
    "a value that only repeats one": (
        TWO + "79.30 value pretrained:5 test:5 run=3 unit=2",
        [PARTS[0], "pretrained test: 3 79.30"],
    ),
    "a whole series takes no further run": (
        THREE + "81.00 value pretrained:5 test:5 run=4 unit=2",
        [*WHOLE, "pretrained test: 4 81.00"],
    ),
    "a split told from afar": (TWO + "80.15 value pretrained:5 valid:1 run=3 series=x", WHOLE),
    "a split told near": (
        TWO + "80.50 value pretrained:5 valid:2 run=3 series=x",
        [PARTS[0], "pretrained valid: 3 80.50"],
    ),
    "a split told from afar at another place": (
        TWO + "80.50 value pretrained:5 valid:1 run=3 unit=2",
        [PARTS[0], "pretrained valid: 3 80.50"],
    ),
    "the same runs without a split, beside those of one": (
        THREE + "81.0 value pretrained:5 - run=1 series=x\n80.0 value pretrained:5 - run=2 series=x\n"
        "83.5 value pretrained:5 - run=3 series=x",
        [*WHOLE, "pretrained valid: 1 81.0, 2 80.0, 3 83.5"],
    ),
    "other runs without a split, beside those of one": (
        THREE + "81.0 value pretrained:5 - run=4 series=x\n80.0 value pretrained:5 - run=5 series=x",
        [*WHOLE, "pretrained None: 4 81.0, 5 80.0"],
    ),
    "values that cannot be of a split named in the sentence": (
        THREE.replace("test:5", "valid:4"),
        ["pretrained None: 1 79.30, 2 78.55, 3 80.15"],
    ),
    "values that cannot be of a split, which a label names": (
        THREE.replace("test:5", "valid:5"),
        ["pretrained valid: 1 79.30, 2 78.55, 3 80.15"],
    ),
    "an average with its deviation": (
        THREE + "79.33 mean pretrained:5 test:5 std=0.65",
        [*WHOLE, "pretrained test mean 79.33 std 0.65 of a series"],
    ),
    "an average that does not follow": (
        THREE + "79.53 mean pretrained:5 test:5 unit=2",
        [*WHOLE, "pretrained test mean 79.53 std None"],
    ),
    "an average whose deviation does not follow": (
        THREE + "79.33 mean pretrained:5 test:5 std=0.95",
        [*WHOLE, "pretrained test mean 79.33 std 0.95 of a series"],
    ),
    "an average without a word, right behind": (
        THREE + "79.33 value pretrained:5 test:5 unit=2",
        [*WHOLE, "pretrained test mean 79.33 std None of a series"],
    ),
    "an average without a word, further on": (THREE + "79.33 value pretrained:5 test:5 unit=3", WHOLE),
    "an average without a word, of another experiment": (THREE + "79.33 value random:5 test:5 unit=2", WHOLE),
    "a fourth run that is the average of three": (
        THREE + "79.33 value pretrained:5 test:5 run=4",
        [*WHOLE, "pretrained test mean 79.33 std None of a series"],
    ),
    "a fourth run that is none": (
        THREE + "79.53 value pretrained:5 test:5 run=4",
        ["pretrained test: 1 79.30, 2 78.55, 3 80.15, 4 79.53"],
    ),
    "a deviation in a cell of its own": (
        "79.33 mean pretrained:5 test:5 series=x\n0.65 std pretrained:5 test:5 series=x",
        ["pretrained test mean 79.33 std 0.65"],
    ),
    "deviations in the order of their averages": (
        "79.33 mean pretrained:5 test:5 series=x\n66.52 mean random:5 test:5 series=y\n"
        "0.83 std random:5 test:5 series=y\n0.65 std pretrained:5 test:5 series=x",
        ["pretrained test mean 79.33 std 0.65", "random test mean 66.52 std 0.83"],
    ),
    "a deviation of another split": (
        "79.33 mean pretrained:5 test:5\n0.65 std pretrained:5 valid:5",
        ["pretrained test mean 79.33 std None", "std 0.65"],
    ),
    "a deviation of another experiment": (
        "79.33 mean pretrained:5 test:5\n0.65 std random:5 test:5",
        ["pretrained test mean 79.33 std None", "std 0.65"],
    ),
    "a deviation in the next place": (
        "79.33 mean pretrained:5 test:5\n0.65 std pretrained:5 test:5 unit=2",
        ["pretrained test mean 79.33 std 0.65"],
    ),
    "a deviation two places on": (
        "79.33 mean pretrained:5 test:5\n0.65 std pretrained:5 test:5 unit=3",
        ["pretrained test mean 79.33 std None", "std 0.65"],
    ),
    "a deviation in the next place of another experiment": (
        "79.33 mean pretrained:5 test:5\n0.65 std random:5 test:5 unit=2",
        ["pretrained test mean 79.33 std None", "std 0.65"],
    ),
    "a number that is the deviation, in the same row": (
        THREE + "79.33 mean pretrained:5 test:5 line=9\n0.7 other pretrained:5 test:5 line=9",
        [*WHOLE, "pretrained test mean 79.33 std 0.7 of a series"],
    ),
    "a fine number that is the deviation, two places on": (
        THREE + "79.33 mean pretrained:5 test:5\n5.5 other - - unit=2\n0.65 other - - unit=3",
        [*WHOLE, "pretrained test mean 79.33 std 0.65 of a series"],
    ),
    "a coarse number that may be the deviation, two places on": (
        THREE + "79.33 mean pretrained:5 test:5\n5.5 other - - unit=2\n0.7 other - - unit=3",
        [*WHOLE, "pretrained test mean 79.33 std None of a series"],
    ),
    "a fine number that is the deviation, three places on": (
        THREE + "79.33 mean pretrained:5 test:5\n5.5 other - - unit=2\n0.65 other - - unit=4",
        [*WHOLE, "pretrained test mean 79.33 std None of a series"],
    ),
    "a fine number of another experiment": (
        THREE + "79.33 mean pretrained:5 test:5\n5.5 other - - unit=2\n0.65 other random:4 - unit=2",
        [*WHOLE, "pretrained test mean 79.33 std None of a series"],
    ),
    "a number that is no deviation of the values": (
        THREE + "79.33 mean pretrained:5 test:5\n0.75 other - - unit=2",
        [*WHOLE, "pretrained test mean 79.33 std None of a series"],
    ),
    "an average that is repeated with its deviation": (
        THREE + "79.33 mean pretrained:5 test:5 unit=2\n79.33 mean pretrained:5 - unit=6 std=0.65",
        [
            *WHOLE,
            "pretrained test mean 79.33 std 0.65 of a series",
            "pretrained test mean 79.33 std 0.65 of a series",
        ],
    ),
    "values of one place without a run, and their average": (
        "79.30 value pretrained:4 test:4\n78.55 value pretrained:4 test:4\n79.1 value pretrained:4 test:4\n"
        "78.98 mean pretrained:4 test:4 unit=2",
        ["pretrained test: 1 79.30, 2 78.55, 3 79.1", "pretrained test mean 78.98 std None of a series"],
    ),
    "values of one place without a run, and another average": (
        "79.30 value pretrained:4 test:4\n78.55 value pretrained:4 test:4\n79.33 mean pretrained:4 test:4 unit=2",
        ["pretrained test mean 79.33 std None"],
    ),
    "an average that the nearer word gives to the wrong experiment": (
        THREE + "79.33 mean random:3 test:5 std=0.65 unit=2",
        [*WHOLE, "pretrained test mean 79.33 std 0.65 of a series"],
    ),
    "figures of one place at several epochs": (
        "70.40 value pretrained:5 test:5 epoch=1\n75.40 value pretrained:5 test:5 epoch=2",
        ["course 70.40", "course 75.40"],
    ),
    "averages at several epochs": (
        "70.40 mean pretrained:5 test:5 epoch=1 std=1.92\n75.40 mean pretrained:5 test:5 epoch=2 std=1.08",
        ["course 70.40", "course 75.40"],
    ),
    "a figure at one epoch": ("79.33 mean pretrained:5 test:5 epoch=3", ["pretrained test mean 79.33 std None"]),
    "several values of a run": (
        "77.10 value pretrained:5 test:5 run=1 epoch=4\n79.30 value pretrained:5 test:5 run=1 epoch=5\n"
        "78.55 value pretrained:5 test:5 run=2 epoch=4\n78.45 value pretrained:5 test:5 run=2 epoch=5\n"
        "78.93 mean pretrained:5 test:5 unit=2",
        ["pretrained test: 1 79.30, 2 78.55", "pretrained test mean 78.93 std None of a series"],
    ),
    "values for both splits at two places": (
        "79.5 value pretrained:5 valid:5 run=1 series=x\n78.5 value pretrained:5 valid:5 run=2 series=x\n"
        "79.30 value pretrained:5 test:5 run=1 unit=2\n78.55 value pretrained:5 test:5 run=2 unit=2",
        ["pretrained valid: 1 79.5, 2 78.5", "pretrained test: 1 79.30, 2 78.55"],
    ),
    "the only values without an experiment": (
        THREE + THREE.replace("pretrained:5", "random:5").replace("7", "6").replace("80.", "67.")
        + "80.10 value - test:5 run=1 unit=5\n79.35 value - test:5 run=2 unit=5",
        [*WHOLE, "random test: 1 69.30, 2 68.55, 3 67.15", "huggingface test: 1 80.10, 2 79.35"],
    ),
    "the same value twice": (TWO + "79.30 value pretrained:5 test:5 run=1", [PARTS[0]]),
}  # fmt: skip


@pytest.mark.parametrize("name", SETTLED)
def test_figures_are_settled_together(name: str) -> None:
    text, wanted = SETTLED[name]
    assert told(text) == wanted
