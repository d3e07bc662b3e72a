"""Reruns and bands: what training costs on this machine, and how often bands hold."""

import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from grader.lab.files import lab_folder, load_lab
from reference.coverage import World, leave_one_out, simulated_coverage
from reference.evidence import load_evidence
from reference.reruns.checkpoints import random_classifier
from reference.reruns.coding import Example, Examples
from reference.reruns.fine_tuning import fine_tune
from reference.reruns.hardware import prepare
from reference.reruns.run_record import Hardware, Plan, Recipe, Sizes
from scripts.bench.figure import Figure

LAB_SIZES = Sizes(layers=4, width=512, feed_forward=512, heads=8, positions=256, vocabulary=32000)
LENGTHS = (30, 60, 80, 100, 120, 160, 200, 256)
"""Pieces of eight reviews, about as the lab's are spread."""

UPDATES = 6
ROUNDS = 2000


def figures() -> Iterator[Figure]:
    """Seconds for an update of the lab's model, and the coverage of the lab's bands."""
    yield Figure("reruns: an update of the lab's model, one CPU thread", _seconds_per_update(), "s")
    folder = lab_folder("nlp-frameworks")
    evidence, lab = load_evidence(folder / "evidence"), load_lab(folder)
    for drift in (0.0, 0.4, 0.8):
        share = simulated_coverage(evidence, lab, "test", World(0.8, drift), ROUNDS)
        bar = 0.94 if drift <= 0.4 else None
        yield Figure(f"bands: 95 % hold, seeds ± 0.8, set-ups ± {drift}", share, "share", bar, at_least=True)
    reached = [held_out.reach for held_out in leave_one_out(evidence, lab)]
    inside = sum(candidate <= 0.95 for candidate in reached) / len(reached)
    yield Figure(
        f"bands: {len(reached)} published set-ups, each left out, inside", inside, "share", 0.95, at_least=True
    )


def _seconds_per_update() -> float:
    """Over some updates after the first two, which warm up."""
    recipe = Recipe(schedule=1125, epochs=1)
    examples = [Example([0, *range(4, 2 + length), 2], number % 2) for number, length in enumerate(LENGTHS)]
    plan = Plan(
        experiment="bench",
        start="random",
        seed=0,
        sizes=LAB_SIZES,
        recipe=recipe,
        data="",
        data_sha256="",
        splits={},
        classes=2,
        how="",
        hardware=Hardware(threads=1),
    )
    prepare(plan.hardware)
    moments: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        split = Examples(examples * (UPDATES + 2), examples[:2], examples[:2])
        build = partial(random_classifier, LAB_SIZES, 2, recipe.dropout, 0)
        fine_tune(build(), split, plan, Path(folder), lambda *_: moments.append(time.perf_counter()))
    return (moments[-1] - moments[1]) / UPDATES
