"""Accuracies in tables of any orientation: seeds as rows or columns, means and deviations as rows or columns."""

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
            summaries.append(Summary.of(experiment, split, found[0], found[1], cell.evidence))
        elif seed:
            seeds.append(SeedAccuracy.of(experiment, split, int(seed.group(1)), found[0], cell.evidence))
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
