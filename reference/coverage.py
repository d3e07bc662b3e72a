"""Do the bands hold what they promise? By simulation, and by leaving out each published set-up."""

import random
from collections.abc import Iterator
from math import sqrt
from statistics import fmean
from typing import NamedTuple

from grader.lab.definition import Lab
from reference.bands import Cell, cells, prediction, seed_variances, splits_of
from reference.evidence import Evidence, KnownRun
from reference.variance import drift_variance, review_variance


class LeftOut(NamedTuple):
    """A set-up that was left out: its mean in percent, and the coverage of the narrowest interval of the others that
    holds it."""

    run: str
    split: str
    mean: float
    centre: float
    reach: float


def leave_one_out(evidence: Evidence, lab: Lab) -> Iterator[LeftOut]:
    """For each published set-up that has others beside it: where the others put it."""
    for split in splits_of(evidence):
        for cell in cells(evidence.runs, split):
            for run in cell.runs:
                if run.kind == "published" and len(cell.runs) > 1:
                    yield _left_out(evidence, run, split, lab)


def _left_out(evidence: Evidence, left: KnownRun, split: str, lab: Lab) -> LeftOut:
    known_cells = cells((run for run in evidence.runs if run.id != left.id), split)
    spreads = seed_variances(known_cells)
    drift = drift_variance((cell.own(), spreads[cell.experiment]) for cell in known_cells)
    cell = next(cell for cell in known_cells if cell.experiment == left.experiment and _near(cell, left))
    predicted = prediction(cell, spreads[cell.experiment], drift, lab)
    mean = fmean(left.values_on(split))
    return LeftOut(left.id, split, mean, predicted.mean, predicted.reach(mean))


def _near(cell: Cell, left: KnownRun) -> bool:
    asked = left.schedule or 0
    return any(abs((run.schedule or 0) - asked) <= 0.1 * asked for run in cell.runs)


class World(NamedTuple):
    """A true world: standard deviations between seeds and between set-ups, in points."""

    seeds: float
    drift: float


def simulated_coverage(
    evidence: Evidence, lab: Lab, split: str, world: World, rounds: int, promised: float = 0.95
) -> float:
    """Return how often a new set-up's mean falls into its band, when evidence of the shape of the known one is drawn
    from a world again and again. All randomness is drawn from seed 0."""
    draw = random.Random(0)  # noqa: S311 - a simulation
    shape = cells(evidence.runs, split)
    held = tried = 0
    for _ in range(rounds):
        drawn = [_drawn(cell, lab, world, draw) for cell in shape]
        spreads = seed_variances(tuple(cell for cell, _ in drawn))
        drift = drift_variance((cell.own(), spreads[cell.experiment]) for cell, _ in drawn)
        for cell, new in drawn:
            held += prediction(cell, spreads[cell.experiment], drift, lab).reach(new) <= promised
            tried += 1
    return held / tried


def _drawn(cell: Cell, lab: Lab, world: World, draw: random.Random) -> tuple[Cell, float]:
    """A cell of the same shape with figures about its mean, and the mean of a new set-up."""
    centre = fmean(value for run in cell.runs for value in run.values_on(cell.split))
    runs = tuple(_drawn_run(run, cell.split, centre, lab, world, draw) for run in cell.runs)
    new = draw.gauss(centre, world.drift) + draw.gauss(0, world.seeds / sqrt(lab.seeds))
    return cell._replace(runs=runs), new


def _drawn_run(run: KnownRun, split: str, centre: float, lab: Lab, world: World, draw: random.Random) -> KnownRun:
    shift = draw.gauss(0, world.drift)
    others = run.other_reviews.get(split)
    examples = next((known_split.examples for known_split in lab.splits if known_split.id == split), None)
    if others is not None and examples is not None:
        shift += draw.gauss(0, sqrt(review_variance(centre, examples, others)))
    values = tuple(draw.gauss(centre + shift, world.seeds) for _ in run.values_on(split))
    return run.model_copy(update={"values": {**run.values, split: values}})
