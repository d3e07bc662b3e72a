"""Accuracies in tables of any orientation: seeds as rows or columns, means and deviations as rows or columns."""

from grader.claims.accuracy import AccuracyClaims, SeedAccuracy, Summary, may_be_accuracy
from grader.claims.numerals import Numeral, percentages
from grader.claims.passage import Passage
from grader.claims.tables import Cell, Table, tables
from grader.claims.wording import (
    ACCURACY,
    MEAN,
    OTHER_MEASURE,
    PROGRESS,
    SEED,
    STD,
    experiments_named,
    split_of_label,
)
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
        if not found or _holds_something_else(cell):
            continue
        experiment, split = _experiment(cell, table, own, lab), _split(cell, table, lab)
        seed = SEED.search(cell.labels)
        if len(found) > 1 and ("±" in cell.text or "(" in cell.text) and not seed:
            summaries.append(Summary.of(experiment, split, found[0], found[1], cell.evidence))
        elif seed and may_be_accuracy(found[0]):
            seeds.append(SeedAccuracy.of(experiment, split, int(seed.group(1)), found[0], cell.evidence))
        elif STD.search(cell.labels):
            stds.append(_Statistic(experiment=experiment, split=split, numeral=found[0], cell=cell))
        elif MEAN.search(cell.labels):
            means.append(_Statistic(experiment=experiment, split=split, numeral=found[0], cell=cell))
    return AccuracyClaims(seeds=tuple(seeds), summaries=(*summaries, *_paired(means, stds)))


def _holds_something_else(cell: Cell) -> bool:
    """Steps and epochs, losses and times; rows of epochs, which are no headline figures."""
    if OTHER_MEASURE.search(cell.labels) or (PROGRESS.search(cell.column) and not ACCURACY.search(cell.column)):
        return True
    return bool(PROGRESS.search(cell.row)) and not SEED.search(cell.row)


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


def _paired(means: list[_Statistic], stds: list[_Statistic]) -> list[Summary]:
    """Means and deviations of the same experiment and split belong together, in their order."""
    rest = list(stds)
    summaries = []
    for mean in means:
        std = next((one for one in rest if (one.experiment, one.split) == (mean.experiment, mean.split)), None)
        if std is None:
            summaries.append(Summary.of(mean.experiment, mean.split, mean.numeral, None, mean.cell.evidence))
            continue
        rest.remove(std)
        places = mean.cell.evidence, std.cell.evidence
        summaries.append(Summary.of(mean.experiment, mean.split, mean.numeral, std.numeral, *places))
    return summaries + [Summary.of(std.experiment, std.split, None, std.numeral, std.cell.evidence) for std in rest]
