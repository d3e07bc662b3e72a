"""The influence of programs' prints on verdicts: `python -m scripts.noise ANSWERS NOISE`.

ANSWERS is a folder of notebooks that answer the lab "NLP frameworks", NOISE one of any other notebooks, such as public
ones with their saved outputs. The code cells of every notebook of NOISE are put among the cells of every notebook of
ANSWERS, which stay as they are. Both are graded, and every verdict that differs is listed with the new lines that it
rests on. The exit status is 1 when one differs.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple

from grader.intake.layouts import Layout, find_sources
from grader.lab.definition import Lab
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.lab.truth import GroundTruth
from grader.pipeline.one import grade_source
from grader.result import ItemResult, Result

LAB: Final = "nlp-frameworks"
PLACES: Final = ("between", "before", "between", "after", "between", "beside")
"""Where noise stands: among the answers, before or after all of them, or in a notebook of its own. The combinations
take turns."""
NOT_OF_ANSWERS: Final = ("no-run-shown", "notebook-state")
"""Flags that noise rightly changes: it is code that ran, and its cells are in the state that they are in."""

Cell = dict[str, Any]


class Combination(NamedTuple):
    """An answer, a noise, and where the noise stands. Without a noise, the answer alone."""

    answer: str
    noise: str = ""
    place: str = ""

    def __str__(self) -> str:
        return "+".join(filter(None, self))


class Difference(NamedTuple):
    """A verdict that is not the one without noise, and why."""

    of: Combination
    what: str
    before: str
    after: str
    why: str

    def __str__(self) -> str:
        return f"{self.of}: {self.what} {self.before} -> {self.after}  {self.why}"


def main() -> int:
    """Weave, grade and compare what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers", type=Path, help="folder of notebooks that answer the lab")
    parser.add_argument("noise", type=Path, help="folder of other notebooks, with their outputs")
    parser.add_argument("--few", action="store_true", help="one noise for each answer, not all of them")
    parser.add_argument("--jobs", type=int, default=2, help="hand-ins graded side by side (default: 2)")
    parser.add_argument("--out", type=Path, help="keep the hand-ins in this folder")
    given = parser.parse_args()
    try:
        answers, noises = notebooks(given.answers), notebooks(given.noise)
    except (OSError, ValueError) as problem:
        parser.error(str(problem))
    wanted = list(combinations(answers, list(noises), few=given.few))
    with tempfile.TemporaryDirectory() as folder:
        differences = differing(answers, noises, wanted, given.out or Path(folder), given.jobs)
    for difference in differences:
        print(difference)
    for what, times in Counter(entry.what for entry in differences).most_common():
        print(f"{times:5}  {what}")
    print(
        f"{len({entry.of for entry in differences})} of {len(wanted)} hand-ins differ, in {len(differences)} verdicts"
    )
    return 1 if differences else 0


def notebooks(folder: Path) -> dict[str, list[Cell]]:
    """The cells of a folder's notebooks by name. Raises ValueError where there are none, or one is not a notebook."""
    found = {}
    for path in sorted(folder.glob("*.ipynb")):
        try:
            found[path.stem] = list(json.loads(path.read_text(encoding="utf-8"))["cells"])
        except (ValueError, KeyError, TypeError) as problem:
            raise ValueError(f"{path} is not a notebook of format 4: {problem!r}") from problem
    if not found:
        raise ValueError(f"{folder} holds no notebooks")
    return found


def combinations(answers: Iterable[str], noises: Sequence[str], *, few: bool = False) -> Iterator[Combination]:
    """Every answer with every noise, or with one of them, which take turns."""
    for row, answer in enumerate(answers):
        for column, noise in enumerate(noises):
            if not few or column == row % len(noises):
                yield Combination(answer, noise, PLACES[(row + column) % len(PLACES)])


def differing(
    answers: dict[str, list[Cell]],
    noises: dict[str, list[Cell]],
    wanted: Sequence[Combination],
    out: Path,
    jobs: int = 1,
) -> list[Difference]:
    """Every verdict that noise changes. The hand-ins are written into a folder."""
    alone = [Combination(name) for name in dict.fromkeys(candidate.answer for candidate in wanted)]
    hand_ins = [*alone, *wanted]
    folders = [out / str(hand_in) for hand_in in hand_ins]
    for combination, folder in zip(hand_ins, folders, strict=True):
        _write_hand_in(
            folder, answers[combination.answer], noise_cells(noises.get(combination.noise, [])), combination.place
        )
    if jobs == 1:
        results = [_graded(folder) for folder in folders]
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
            results = list(pool.map(_graded, folders, chunksize=4))
    found = dict(zip(hand_ins, results, strict=True))
    return [
        difference for each in wanted for difference in _compared(each, found[Combination(each.answer)], found[each])
    ]


def noise_cells(cells: list[Cell]) -> list[Cell]:
    """The code cells of a notebook, with their outputs but the pictures: in a picture an answer could stand."""
    return [
        {**cell, "outputs": [output for output in cell.get("outputs", []) if not _is_picture(output)]}
        for cell in cells
        if cell["cell_type"] == "code"
    ]


def _is_picture(output: Cell) -> bool:
    return any(kind.startswith("image/") for kind in output.get("data", {}))


def _write_hand_in(folder: Path, answer: list[Cell], noise: list[Cell], place: str) -> None:
    if place == "beside":
        _write(folder / "code" / "training.ipynb", noise)
    woven = {
        "between": [cell for pair in _turns(answer, noise) for cell in pair],
        "before": [*noise, *answer],
        "after": [*answer, *noise],
    }
    _write(folder / "report.ipynb", woven.get(place, answer))


def _turns(answer: list[Cell], noise: list[Cell]) -> Iterator[list[Cell]]:
    """Each cell of an answer with an even share of the noise behind it."""
    ends = [len(noise) * number // len(answer) for number in range(len(answer) + 1)]
    for cell, start, end in zip(answer, ends, ends[1:], strict=False):
        yield [cell, *noise[start:end]]


def _write(path: Path, cells: list[Cell]) -> None:
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 0}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


@cache
def _lab() -> tuple[Lab, GroundTruth]:
    folder = lab_folder(LAB)
    return load_lab(folder), load_truth(folder)


def _graded(folder: Path) -> Result:
    ((source,), _) = find_sources(folder, Layout.STUDENT)
    with tempfile.TemporaryDirectory() as work:
        return grade_source(source, *_lab(), Path(work))


def _compared(of: Combination, before: Result, after: Result) -> Iterator[Difference]:
    for old, new in zip(before.items, after.items, strict=True):
        earlier, now = (f"{item.status} {item.score:g}" for item in (old, new))
        if earlier != now:
            yield Difference(of, new.id, earlier, now, _why(old, new))
    flags = {
        candidate.id: candidate for candidate in (*before.flags, *after.flags) if candidate.id not in NOT_OF_ANSWERS
    }
    for flag in sorted(flags):
        earlier, now = (str(sum(candidate.id == flag for candidate in result.flags)) for result in (before, after))
        if earlier != now:
            yield Difference(of, f"flag {flag}", earlier, now, str(flags[flag].message))


def _why(old: ItemResult, new: ItemResult) -> str:
    known_quotes = {place.quote for place in old.evidence}
    quotes = [
        f"{place.file}, cell {place.cell}: {place.quote!r}" for place in new.evidence if place.quote not in known_quotes
    ]
    return " | ".join((str(new.note or new.feedback), *quotes[:2]))


if __name__ == "__main__":
    sys.exit(main())
