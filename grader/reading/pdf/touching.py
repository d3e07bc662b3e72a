"""Tables without rules in which some cells touch the next."""

from collections.abc import Iterator, Sequence
from typing import Final

from grader.reading.pdf.lines import Line, is_parted
from grader.reading.pdf.table_areas import Area
from grader.reading.pdf.table_columns import cells_between, gaps_between

_ROW_STEP: Final = 2.3
"""In em, from baseline to baseline: rows further apart belong to different tables."""

_FEWEST_PARTED: Final = 2


def touching(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Runs of lines without rules that are a table all the same, in which some cells touch the next: where the other
    lines leave the same gaps, and a line that leaves none can be cut there."""
    run: list[Line] = []
    for line in [*lines, None]:
        if line is not None and run and _follows(run[-1], line):
            run.append(line)
            continue
        parted = [one for one in run if is_parted(one.fragments, one.size)]
        for start, end in _stretches(run, parted):
            stretch = run[start:end]
            gaps = gaps_between([one for one in stretch if one in parted], (), complete=False)
            cells = [cells_between(one, gaps) for one in stretch] if gaps else []
            if cells and all(len(row) == len(gaps) + 1 for row in cells):
                yield stretch
        run = [line] if line is not None else []


def _follows(above: Line, line: Line) -> bool:
    step = line.baseline - above.baseline
    return 0 < step <= _ROW_STEP * line.size and abs(line.size - above.size) < 0.1 * line.size


def _stretches(run: list[Line], parted: list[Line]) -> Iterator[tuple[int, int]]:
    """Where a run has at least two lines in parts around one that is not."""
    known = {id(line) for line in parted}
    for index, line in enumerate(run):
        if id(line) in known:
            continue
        start, end = index, index + 1
        while start and id(run[start - 1]) in known:
            start -= 1
        while end < len(run) and id(run[end]) in known:
            end += 1
        if end - start > _FEWEST_PARTED:
            yield start, end


def area_around(lines: Sequence[Line]) -> Area:
    """The area of a table without rules."""
    lefts, tops, rights, bottoms = zip(*(line.box for line in lines), strict=True)
    return Area((min(lefts), min(tops), max(rights), max(bottoms)), (), (), (), cell_by_cell=False)
