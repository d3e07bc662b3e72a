"""Accuracies in tables of any orientation: seeds as rows or columns, means and deviations as rows or columns."""

from collections.abc import Iterable

from grader.claims.accuracy import AccuracyClaims, SeedAccuracy, Summary
from grader.claims.numerals import Numeral, percentages
from grader.claims.passage import Passage
from grader.claims.tables import Cell, Table, tables
from grader.claims.wording import MEAN, PROGRESS, SEED, STD, experiments_named, split_of_label
from grader.frozen import Frozen
from grader.lab.definition import Lab


class _Statistic(Frozen):
    """One mean or deviation in a cell, before the two are put together."""

    experiment: str | None
    split: str | None
    numeral: Numeral
    cell: Cell


def read(passage: Passage, own: tuple[str, ...], lab: Lab) -> AccuracyClaims:
    """Accuracies in the tables of a passage. `own` are the experiments that its heading announces."""
    claims = AccuracyClaims()
    for table in tables(passage):
        claims = claims.joined(_of_table(table, own, lab))
    return claims


def _of_table(table: Table, own: tuple[str, ...], lab: Lab) -> AccuracyClaims:
    seeds: list[SeedAccuracy] = []
    means: list[_Statistic] = []
    stds: list[_Statistic] = []
    summaries: list[Summary] = []
    for cell in table.cells:
        found = list(percentages(cell.text))
        if not found or PROGRESS.search(cell.column) or (PROGRESS.search(cell.row) and not SEED.search(cell.row)):
            continue
        experiment, split = _experiment(cell, table, own, lab), _split(cell, table, lab)
        seed = SEED.search(cell.labels)
        if len(found) > 1 and ("±" in cell.text or "(" in cell.text) and not seed:
            summaries.append(_summary(experiment, split, found[0], found[1], [cell]))
        elif seed:
            seeds.append(_seed(experiment, split, int(seed.group(1)), found[0], cell))
        elif STD.search(cell.labels):
            stds.append(_Statistic(experiment=experiment, split=split, numeral=found[0], cell=cell))
        elif MEAN.search(cell.labels):
            means.append(_Statistic(experiment=experiment, split=split, numeral=found[0], cell=cell))
    return AccuracyClaims(seeds=tuple(seeds), summaries=(*summaries, *_paired(means, stds)))


def _experiment(cell: Cell, table: Table, own: tuple[str, ...], lab: Lab) -> str | None:
    if len(own) == 1 and any(own[0] == experiment.id and experiment.like for experiment in lab.experiments):
        return own[0]
    for text in (cell.row, cell.column, table.caption):
        named = experiments_named(text, lab)
        if len(named) == 1:
            return named[0]
    return own[0] if len(own) == 1 else None


def _split(cell: Cell, table: Table, lab: Lab) -> str | None:
    for text in (cell.column, cell.row, table.caption):
        split = split_of_label(text, lab.splits)
        if split:
            return split
    return None


def _seed(experiment: str | None, split: str | None, seed: int, numeral: Numeral, cell: Cell) -> SeedAccuracy:
    return SeedAccuracy(
        experiment=experiment,
        split=split,
        seed=seed,
        value=numeral.value,
        resolution=numeral.resolution,
        evidence=cell.evidence,
    )


def _summary(
    experiment: str | None, split: str | None, mean: Numeral | None, std: Numeral | None, cells: Iterable[Cell]
) -> Summary:
    return Summary(
        experiment=experiment,
        split=split,
        mean=mean.value if mean else None,
        mean_resolution=mean.resolution if mean else 1,
        std=std.value if std else None,
        std_resolution=std.resolution if std else 1,
        evidence=tuple(dict.fromkeys(cell.evidence for cell in cells)),
    )


def _paired(means: list[_Statistic], stds: list[_Statistic]) -> list[Summary]:
    """Means and deviations of the same experiment and split belong together, in their order."""
    rest = list(stds)
    summaries = []
    for mean in means:
        std = next((one for one in rest if (one.experiment, one.split) == (mean.experiment, mean.split)), None)
        if std:
            rest.remove(std)
        cells = [mean.cell, std.cell] if std else [mean.cell]
        summaries.append(_summary(mean.experiment, mean.split, mean.numeral, std.numeral if std else None, cells))
    summaries += [_summary(std.experiment, std.split, None, std.numeral, [std.cell]) for std in rest]
    return summaries
