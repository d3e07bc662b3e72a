"""Like texts in a class of any size: planted copies that are found, and the time for each text."""

import resource
import time
from collections.abc import Iterator
from random import Random

from grader.claims.likeness import KEPT, TextPrint
from grader.cohort.likeness import FEWEST_RUNS, LEAST_SHARE, Texts
from grader.result import Result
from scripts.bench.figure import Figure
from tests.factories import result

SIZES = (1_000, 10_000)
RECALL = 0.99
_SEED = 26
_RUNS = (120, 1_200)
"""The shortest and the longest text, in runs of words."""
_OWNERS = 15
_COPIES = 20
"""One text in so many is a copy, with a part of another text and runs of its own."""


def figures(sizes: tuple[int, ...] = SIZES) -> Iterator[Figure]:
    """Shares of copies found, by how much of the shorter text was copied, and times."""
    each = []
    for students in sizes:
        texts, planted = _class(students)
        started = _cpu()
        found = texts.pairs()
        each.append((_cpu() - started) / students * 1e3)
        sure = [pair for pair, share in planted.items() if share >= LEAST_SHARE]
        hit = sum(pair in found for pair in sure)
        yield Figure(
            f"{students:,} texts: of {len(sure):,} copies over the threshold found", hit / len(sure), "", RECALL, True
        )
        unplanted = float(len(found.keys() - planted.keys()))
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        yield Figure(f"{students:,} texts: pairs told that nobody planted", unplanted, "")
        yield Figure(f"{students:,} texts: CPU time for each", each[-1], "ms")
        yield Figure(f"{students:,} texts: memory of a process of its own", memory, "MiB")
    yield Figure("Texts: time for each, as many times that of the small class", each[-1] / each[0], "times")


def _cpu() -> float:
    """Return the CPU seconds of this process, and of its children that have ended."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _class(students: int) -> tuple[Texts, dict[tuple[int, int], float]]:
    """Texts, and the planted pairs with the share that both sketches have in common, counted by hand. Runs are numbers:
    a third of each text's are phrases that about `_OWNERS` others have too."""
    chance = Random(_SEED)  # noqa: S311  # no secret
    phrases = max(students * sum(_RUNS) // 6 // _OWNERS, 1_000)
    texts, runs, planted = Texts(), list[set[int]](), dict[tuple[int, int], float]()
    for number in range(students):
        length = chance.randint(*_RUNS)
        text_runs = {_hash(chance.randrange(phrases)) for _ in range(length // 3)}
        text_runs |= {chance.getrandbits(32) for _ in range(length - len(text_runs))}
        if number % _COPIES == _COPIES - 1:
            model = chance.randrange(number - _COPIES + 1, number)
            copied = chance.sample(sorted(runs[model]), round(chance.uniform(0.2, 1.0) * len(runs[model])))
            text_runs = {*copied, *(chance.getrandbits(32) for _ in range(chance.randint(0, 400)))}
            planted[model, number] = _share(runs[model], text_runs)
        runs.append(text_runs)
        if len(runs) > 2 * _COPIES:
            runs[number - 2 * _COPIES] = set()
        texts.add(_result(number, text_runs))
    return texts, planted


def _hash(phrase: int) -> int:
    return phrase * 2_654_435_761 % 2**32


def _share(first: set[int], other: set[int]) -> float:
    """As it is defined: of the runs in the range that both sketches cover, over the shorter text's."""
    sketches = [sorted(runs)[:KEPT] for runs in (first, other)]
    end = min(2**32 if len(runs) <= KEPT else runs_[-1] for runs, runs_ in zip((first, other), sketches, strict=True))
    within = [{run for run in sketch if run <= end} for sketch in sketches]
    smaller = min(map(len, within))
    return len(within[0] & within[1]) / smaller if smaller >= FEWEST_RUNS else 0.0


def _result(number: int, runs: set[int]) -> Result:
    sketch = "".join(f"{run:08x}" for run in sorted(runs)[:KEPT])
    made = result(f"s{number:06}", sha256=f"{number:064x}")
    return made.model_copy(update={"prose": TextPrint(runs=len(runs), sketch=sketch)})


if __name__ == "__main__":
    import sys

    for figure in figures(tuple(map(int, sys.argv[1:])) or SIZES):
        print(figure, flush=True)
