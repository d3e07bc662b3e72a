"""Accuracies in tables of any orientation: seeds as rows or columns, means and deviations as rows or columns."""

from collections.abc import Iterator, Mapping

from grader.claims.accuracy import (
    AccuracyClaims,
    CourseAccuracy,
    SeedAccuracy,
    Statistic,
    Summary,
    may_be_accuracy,
    percentage,
)
from grader.claims.lost_tables import lost_tables
from grader.claims.moment import Moment, moment_in, moment_of_label
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
from grader.reading.evidence import Evidence


class _Statistic(Frozen):
    """One mean or deviation in a cell, before the two are put together."""

    experiment: str | None
    split: str | None
    numeral: Numeral
    cell: Cell


def read(passage: Passage, own: tuple[str, ...], lab: Lab) -> AccuracyClaims:
    """Accuracies in the tables of a passage. `own` are the experiments that its heading announces."""
    claims = AccuracyClaims()
    for table in (*tables(passage), *lost_tables(passage, lab)):
        claims = claims.joined(_of_table(table, own, lab))
    return claims


def _of_table(table: Table, own: tuple[str, ...], lab: Lab) -> AccuracyClaims:
    seeds: list[SeedAccuracy] = []
    means: list[_Statistic] = []
    stds: list[_Statistic] = []
    summaries: list[Summary] = []
    course: list[CourseAccuracy] = []
    moments = _moments(table)
    for cell in table.cells:
        found = list(percentages(cell.text))
        if not found or _is_other(cell) or _tells_progress(cell):
            continue
        experiment, split = _experiment(cell, table, own, lab), _split(cell, table, lab)
        if _is_of_course(cell):
            course += _of_course(cell, table, found, experiment, split)
            continue
        seed = SEED.search(cell.labels)
        if len(found) > 1 and ("±" in cell.text or "(" in cell.text) and not seed:
            summaries.append(Summary.of(experiment, split, found[0], found[1], cell.evidence))
        elif seed and may_be_accuracy(found[0]):
            moment = moments.get(cell.evidence) or moments.get(cell.column) or Moment()
            seeds.append(SeedAccuracy.of(experiment, split, int(seed.group(1)), found[0], cell.evidence, moment))
        elif STD.search(cell.labels):
            stds.append(_Statistic(experiment=experiment, split=split, numeral=found[0], cell=cell))
        elif MEAN.search(cell.labels):
            means.append(_Statistic(experiment=experiment, split=split, numeral=found[0], cell=cell))
    return AccuracyClaims(seeds=tuple(seeds), summaries=(*summaries, *_paired(means, stds)), course=tuple(course))


def _is_other(cell: Cell) -> bool:
    """Whether a cell holds another measure, or is of the training set."""
    return any(OTHER_MEASURE.search(label) for label in (cell.row, cell.column))


def _tells_progress(cell: Cell) -> bool:
    """Whether a cell holds an epoch or a step itself, as those under `Best epoch` do."""
    label = cell.column if PROGRESS.search(cell.column) else cell.row
    unnumbered = bool(PROGRESS.search(label)) and not moment_in(label).is_told and not ACCURACY.search(label)
    return unnumbered and (label is cell.column or moment_of_label(label, cell.text).is_told)


def _moments(table: Table) -> Mapping[Evidence | str, Moment]:
    """The selected epoch or step of each row, by the row's place, or of each column, by its label."""
    found: dict[Evidence | str, Moment] = {}
    for cell in table.cells:
        by_row = moment_of_label(cell.column, cell.text)
        if by_row.is_told and not moment_in(cell.column).is_told:
            found.setdefault(cell.evidence, by_row)
        elif moment_of_label(cell.row, cell.text).is_told and not moment_in(cell.row).is_told:
            found.setdefault(cell.column, moment_of_label(cell.row, cell.text))
    return found


def _is_of_course(cell: Cell) -> bool:
    """Whether a figure belongs to an epoch or a step, as one of many."""
    in_column = bool(PROGRESS.search(cell.column)) and not ACCURACY.search(cell.column)
    return in_column or (bool(PROGRESS.search(cell.row)) and not SEED.search(cell.row))


def _of_course(
    cell: Cell, table: Table, found: list[Numeral], experiment: str | None, split: str | None
) -> Iterator[CourseAccuracy]:
    """The figure of a cell of a course, or its mean and deviation."""
    moment = moment_in(f"{cell.row} {cell.column}").model_copy(update={"is_chosen": False})
    if not moment.is_told:
        return
    seed = SEED.search(cell.labels) or SEED.search(table.caption)
    pair = len(found) > 1 and ("±" in cell.text or "(" in cell.text)
    kind = Statistic.STD if STD.search(cell.labels) else Statistic.MEAN if MEAN.search(cell.labels) else Statistic.VALUE
    kinds = (Statistic.MEAN, Statistic.STD) if pair else (kind,)
    for statistic, number in zip(kinds, found, strict=False):
        value, resolution = (number.value, number.resolution) if statistic is Statistic.STD else percentage(number)
        yield CourseAccuracy(
            experiment=experiment,
            split=split,
            seed=int(seed.group(1)) if seed and statistic is Statistic.VALUE else None,
            moment=moment,
            statistic=statistic,
            value=value,
            resolution=resolution,
            evidence=cell.evidence,
        )


def _experiment(cell: Cell, table: Table, own: tuple[str, ...], lab: Lab) -> str | None:
    if len(own) == 1 and any(own[0] == experiment.id and experiment.like for experiment in lab.experiments):
        return own[0]
    for text in (cell.row, cell.column, table.caption.rpartition("\n")[2], table.caption):
        named = experiments_named(text, lab)
        if len(named) == 1:
            return named[0]
    return own[0] if len(own) == 1 else None


def _split(cell: Cell, table: Table, lab: Lab) -> str | None:
    for text in (cell.column, cell.row, table.caption.rpartition("\n")[2], table.caption):
        split = split_of_label(text, lab.splits)
        if split:
            return split
    return None


def _deviation_of(mean: _Statistic, stds: list[_Statistic]) -> _Statistic | None:
    """The first deviation of the same experiment and split, else one in the mean's row whose label names no split."""
    alike = [one for one in stds if one.experiment == mean.experiment and one.split in (mean.split, None)]
    beside = [one for one in alike if one.split == mean.split or one.cell.evidence == mean.cell.evidence]
    return beside[0] if beside else None


def _paired(means: list[_Statistic], stds: list[_Statistic]) -> list[Summary]:
    """Means and deviations of the same experiment and split belong together, in their order."""
    rest = list(stds)
    summaries = []
    for mean in means:
        std = _deviation_of(mean, rest)
        if std is None:
            summaries.append(Summary.of(mean.experiment, mean.split, mean.numeral, None, mean.cell.evidence))
            continue
        rest.remove(std)
        places = mean.cell.evidence, std.cell.evidence
        summaries.append(Summary.of(mean.experiment, mean.split, mean.numeral, std.numeral, *places))
    return summaries + [Summary.of(std.experiment, std.split, None, std.numeral, std.cell.evidence) for std in rest]
