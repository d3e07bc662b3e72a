"""How the programs of a lab log their training, where no reader knows it: lines by a pattern, tables by columns."""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import Field, StringConstraints, model_validator

from grader.frozen import Frozen

COUNTS: Final = ("step", "epoch")
ABOUT_RUNS: Final = ("seed", "run", "split")
LONGEST_PATTERN: Final = 1_000
_PARTS: Final = ("train", "valid", "test")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,60}")

Pattern = Annotated[str, StringConstraints(max_length=LONGEST_PATTERN)]


class Measure(NamedTuple):
    """What a group or a column holds: of which part of the data, where its name tells, and what was measured."""

    part: str | None
    name: str


class LogFormat(Frozen):
    """One form of a log. Groups of a pattern and keys of `columns` are called alike: `step` counts optimiser updates,
    `epoch` epochs; `seed` and `run` (a name that tells the experiment) begin a run; `split` is the part of the data;
    any other is a measure, such as `accuracy` or, of one part of the data, `valid_accuracy`."""

    files: tuple[str, ...] = Field(
        default=(), description="Names of the files, with * for any signs. Without any: all logs and what cells print."
    )
    pattern: Pattern = Field(default="", description="A regular expression with named groups, sought in each line.")
    columns: dict[str, str] = Field(
        default_factory=dict, description="Of a table: what each column holds, and its header."
    )
    splits: dict[str, Literal["train", "valid", "test"]] = Field(
        default_factory=dict, description="What the program calls the parts of the data, where it uses other words."
    )
    experiment: str = Field(default="", description="The experiment whose program logs so, where only one does.")
    final: bool = Field(default=False, description="Measured once after training, of the weights that were kept.")

    @property
    def names(self) -> tuple[str, ...]:
        """What the groups or columns are called."""
        return tuple(self.columns) if self.columns else tuple(re.compile(self.pattern).groupindex)

    @property
    def measures(self) -> Iterator[str]:
        """Those groups or columns that hold something measured."""
        return (name for name in self.names if name not in (*COUNTS, *ABOUT_RUNS))

    def is_of(self, path: str) -> bool:
        """Whether files with a path are named as logs of this form."""
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


def measure_of(name: str) -> Measure:
    """What a measure's name says: `valid_accuracy` is the accuracy on validation."""
    part, _, rest = name.partition("_")
    return Measure(part, rest) if rest and part in _PARTS else Measure(None, name)
