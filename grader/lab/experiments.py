"""The measurements of a lab: experiments, repetitions, measures, splits of the data, and formats of logs."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from enum import StrEnum
from fnmatch import fnmatch
from functools import cached_property
from typing import Annotated, Final, NamedTuple, Self

from pydantic import Field, StringConstraints, model_validator

from grader.frozen import Frozen

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]*$")]
Words = Annotated[tuple[str, ...], Field(min_length=1)]

HUNDRED: Final = Decimal(100)


class Scale(StrEnum):
    """The notation of a measure's values: shares of a whole (`80.1 %`, `80.1` or `0.801`, kept in percent), or plain
    numbers."""

    PERCENT = "percent"
    PLAIN = "plain"


class Better(StrEnum):
    """The direction of a measure: whether the higher or the lower of two values is better."""

    HIGHER = "higher"
    LOWER = "lower"


class Grid(StrEnum):
    """The origin of a measure's possible values: the number of examples in a split, or none."""

    EXAMPLES = "examples"
    NONE = "none"


class Measure(Frozen):
    """A measure of experiments: an accuracy in percent (the default), an RMSE, a time. `words` are its names in texts
    and logs; `(s)` is optional, and `*` stands for any ending. `title` is its name in sentences, and `logged` are its
    names in logs if they differ. The values of a measure in percent are kept in percent, whether a text writes `80.1
    %`, `80.1` or `0.801`. With the grid `examples`, it is the share of right examples in a split: it has few possible
    values, and counts (`1,612 of 2,000`) and error rates are read as such shares. `range` contains all plausible
    values, `deviation` is the largest plausible standard deviation over repetitions, and `clear` the smallest
    difference of two averages that shows one experiment to be better. All three are in the unit in which values are
    kept."""

    id: Identifier = Field(description="Its id.")
    title: str = Field(description="Its name in reports.")
    words: Words = Field(description="[Words](#words) that name it in texts and logs.")
    unlike: tuple[str, ...] = Field(default=(), description="Phrases that contain these words but mean something else.")
    logged: tuple[str, ...] = Field(default=(), description="Its names in logs, if they differ from its words.")
    unit: str = Field(default="", description="The unit, such as `km`.")
    scale: Scale = Field(
        default=Scale.PLAIN,
        description="`percent`: a share, written `80.1 %`, `80.1` or `0.801`. `plain`: a number as it stands.",
    )
    better: Better = Field(default=Better.HIGHER, description="`lower` for a loss, an error or a time.")
    range: tuple[Decimal, Decimal] | None = Field(
        default=None, description="The range of plausible values; other numbers are ignored."
    )
    grid: Grid = Field(
        default=Grid.NONE,
        description="With `examples`, the measure is a number of examples divided by the size of the split, so only "
        "some values are possible. Counts (`1,612 of 2,000`) and error rates are read, too.",
    )
    deviation: Annotated[Decimal, Field(gt=0)] | None = Field(
        default=None, description="The largest plausible standard deviation."
    )
    clear: Annotated[Decimal, Field(ge=0)] | None = Field(
        default=None,
        description="If two averages differ by less than this, neither is better. By default: 2 % of the larger one.",
    )

    @property
    def is_share(self) -> bool:
        """Whether values are kept in percent."""
        return self.scale is Scale.PERCENT

    @property
    def is_counted(self) -> bool:
        """Whether it is the share of right examples in a split."""
        return self.grid is Grid.EXAMPLES

    @property
    def is_lower_better(self) -> bool:
        """Whether the lower of two values is the better one."""
        return self.better is Better.LOWER

    @cached_property
    def tags(self) -> frozenset[str]:
        """The names in logs, in lower case."""
        plain = (word.replace("(s)", "") for word in self.words if "*" not in word)
        return frozenset(
            form
            for name in self.logged or (self.id, *plain)
            for form in (name.casefold(), name.casefold().replace(" ", "_").replace("-", "_"))
        )

    @property
    def behind(self) -> str:
        """The text after a value: a space and the unit, or nothing."""
        unit = self.unit or ("%" if self.is_share else "")
        return f" {unit}" if unit else ""

    def best(self, values: Iterable[float]) -> float:
        """Return the best of some values. There must be at least one."""
        return min(values) if self.is_lower_better else max(values)

    def is_clear(self, first: float, other: float) -> bool:
        """Whether two averages differ by at least `clear`, or by a fiftieth of the larger one if the measure does not
        set `clear`."""
        least = float(self.clear) if self.clear is not None else max(abs(first), abs(other)) / 50
        return abs(first - other) >= least

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.range is not None and self.range[0] >= self.range[1]:
            raise ValueError(f"the range of {self.id} must go from a lower to a higher value")
        if self.is_counted and not self.is_share:
            raise ValueError(f'{self.id} with grid = "examples" is a share of examples: it needs scale = "percent"')
        return self


ACCURACY: Final = Measure(
    id="accuracy",
    title="accuracy",
    words=("acc*", "exactitude", "précision", "score(s)"),
    logged=("accuracy", "acc"),
    scale=Scale.PERCENT,
    grid=Grid.EXAMPLES,
    range=(Decimal(30), HUNDRED),
    deviation=Decimal(15),
    clear=Decimal(2),
)
"""The measure of a lab that names none."""


class Repetition(Frozen):
    """A repetition of experiments: seeds (the default), folds, bootstrap samples."""

    id: Identifier = Field(description="Its id.")
    number: Annotated[int, Field(gt=0, description="The number of runs.")]
    title: str = Field(description="The singular in sentences.")
    titles: str = Field(description="The plural in sentences.")
    words: Words = Field(description="[Words](#words) that name them in texts.")


SEED: Final = Repetition(
    id="seed",
    number=1,
    title="seed",
    titles="seeds",
    words=("seed(s)", "graine(s)", "germe(s)", "run(s)", "essai(s)", "trial(s)"),
)
"""The repetition of a lab that names none."""


class Role(StrEnum):
    """The purpose of a split: to train, to select checkpoints and settings, to report results, or something else."""

    TRAIN = "train"
    SELECT = "select"
    REPORT = "report"
    OTHER = "other"


_USUAL_ROLES: Final = {"train": Role.TRAIN, "valid": Role.SELECT, "test": Role.REPORT}


class Split(Frozen):
    """A part of the data. `role` says whether it selects checkpoints or its results are reported; without a role, a
    split with the id `valid` selects and one with the id `test` is reported. `title` is its name in sentences. `unlike`
    are phrases with its words that mean something else: `std dev`."""

    id: Identifier = Field(description="Its id.")
    examples: Annotated[int, Field(gt=0)] | None = Field(
        default=None,
        description="The number of examples.",
    )
    words: Words = Field(description="[Words](#words) that name it in texts.")
    unlike: tuple[str, ...] = Field(
        default=(), description="Phrases that contain these words but mean something else: `std dev`."
    )
    role: Role | None = Field(
        default=None,
        description="`select`: the split for selecting checkpoints and settings, by default `valid`. `report`: the "
        "split for results, by default `test`.",
    )
    title: str = Field(default="", description="Its name in sentences, if it differs from the id.")

    @property
    def serves(self) -> Role:
        """The role of the split, or the usual role of its id."""
        return self.role or _USUAL_ROLES.get(self.id, Role.OTHER)

    @property
    def named(self) -> str:
        """Its name in reports."""
        return self.title or ("validation" if self.id == "valid" else self.id)


class Experiment(Frozen):
    """A training experiment. One form of a word covers its inflections; a word with capitals is an abbreviation or a
    name and matches exactly. Words of the experiments in `like` also describe this one, so they do not distinguish the
    two. `contrary` is the experiment whose negated words name this one: `without pretraining`. `hints` are words that
    suggest this experiment if a text names none; `unlike` are phrases with its words that mean something else: `random
    seed`. `measures` are its measures, the usual one first; by default all of the lab. `repetitions` says over what it
    is repeated, and `number` how often, if the lab's first repetition does not apply. `rounding` is the step to which
    its program rounds its output."""

    id: Identifier = Field(description="Its id.")
    title: str = Field(description="Its name in reports.")
    question: str = Field(description="The id of the question that asks for it.")
    words: Words = Field(description="[Words](#words) that tell it from the other experiments.")
    like: tuple[str, ...] = Field(
        default=(),
        description="Other experiments whose words students also use for this one. In the answer about this one, such "
        "a word means this one.",
    )
    contrary: str | None = Field(
        default=None,
        description="The id of another experiment. Its words with a negation name this one: `without pretraining`.",
    )
    hints: tuple[str, ...] = Field(default=(), description="Words that suggest it if no experiment is named.")
    unlike: tuple[str, ...] = Field(
        default=(), description="Phrases that contain its words but mean something else: `random seed`."
    )
    measures: tuple[str, ...] = Field(
        default=(), description="Ids of its measures, the usual one first. By default: all measures."
    )
    repetitions: str | None = Field(default=None, description="The id of its repetition, if not the first one.")
    number: Annotated[int, Field(gt=0)] | None = Field(
        default=None,
        description="The number of runs, if it differs from that of the repetition. A single run has no deviation.",
    )
    rounding: Annotated[Decimal, Field(gt=0)] | None = Field(
        default=None, description="The step to which its program rounds printed values."
    )


COUNTS: Final = ("step", "epoch")
ABOUT_RUNS: Final = ("seed", "run", "split")
LONGEST_PATTERN: Final = 1_000
PARTS: Final = ("train", "valid", "test")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,60}")

Pattern = Annotated[str, StringConstraints(max_length=LONGEST_PATTERN)]


class ColumnContent(NamedTuple):
    """The content of a column or group: the measured quantity, and the split if the name gives one."""

    part: str | None
    name: str


class LogFormat(Frozen):
    """A log format. Each group of `pattern` and each key of `columns` is named after what it holds: `step` (optimiser
    updates), `epoch`, `split`, or a measure, such as `accuracy` or `valid_accuracy`. A new value of
    `seed` or `run` begins a run."""

    files: tuple[str, ...] = Field(
        default=(),
        description="Names of log files; `*` is a wildcard. By default: all logs and outputs of cells.",
    )
    pattern: Pattern = Field(default="", description="A regular expression with named groups, searched in each line.")
    columns: dict[str, str] = Field(
        default_factory=dict,
        description="For a table, instead of `pattern`: what is read, and the header of its column, as in "
        '`{ valid_accuracy = "val acc" }`.',
    )
    splits: dict[str, Identifier] = Field(
        default_factory=dict,
        description="For each name of a split in the log, the id of the split, or `train`, `valid` or `test`.",
    )
    experiment: str = Field(default="", description="The experiment whose program logs like this.")
    final: bool = Field(default=False, description="Whether the values are measured once, after training.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the groups or columns."""
        return tuple(self.columns) if self.columns else tuple(re.compile(self.pattern).groupindex)

    @property
    def measures(self) -> Iterator[str]:
        """The groups or columns that hold measurements."""
        return (name for name in self.names if name not in (*COUNTS, *ABOUT_RUNS))

    def is_of(self, path: str) -> bool:
        """Whether the path of a file has the name of a log in this format."""
        name = path.rpartition("/")[2]
        return any(fnmatch(path if "/" in pattern else name, pattern) for pattern in self.files)

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        if bool(self.pattern) == bool(self.columns):
            raise ValueError("a log is described by a pattern or by columns; give one of the two")
        try:
            names = self.names
        except re.error as error:
            raise ValueError(f"the pattern is no regular expression: {error}") from error
        for name in names:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name} cannot be the name of what was measured; use small letters, digits and _")
        if self.columns and not any(self.measures):
            raise ValueError("no column holds anything measured; add one such as valid_accuracy")
        if not names:
            raise ValueError("the pattern has no named group; write (?P<epoch>…), (?P<valid_accuracy>…) and so on")
        if self.columns and not self.final and not any(count in names for count in COUNTS):
            raise ValueError("no column counts steps or epochs; add step or epoch, or final = true")
        return self


def measured_in(name: str, log_format: LogFormat) -> ColumnContent:
    """Return the split and the quantity in a name: `valid_accuracy` is the accuracy on validation."""
    part, _, rest = name.partition("_")
    return (
        ColumnContent(log_format.splits.get(part, part), rest)
        if rest and part in (*PARTS, *log_format.splits)
        else ColumnContent(None, name)
    )
