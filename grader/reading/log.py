"""Models of training logs: a log with its series, texts and settings, names from paths, and runs merged from several
logs.
"""

import re
import tomllib
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from grader.frozen import Frozen
from grader.message import Words
from grader.reading.evidence import Evidence
from grader.reading.numbers import Integers, Reals


class Subset(StrEnum):
    """The part of the data on which a series was measured."""

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


class Series(Frozen):
    """One scalar over time: `values[i]` was logged at `steps[i]` (optimiser updates), steps ascending.

    `wall_times` are Unix seconds, where the log has them for every point. `lines` count from 1, in the file or, where
    `cell` is set, in that cell's output; logs that are no text have none.
    """

    tag: str
    subset: Subset | None = None
    steps: Integers
    values: Reals
    wall_times: Reals = ()
    lines: Integers = ()
    cell: int | None = None


class LoggedText(Frozen):
    """A text that was logged beside the scalars, such as a command line."""

    tag: str
    step: int
    text: str


class Setting(Frozen):
    """A setting that a log tells, such as `max_update` = `1125`: its name with underscores, its value as written."""

    name: str
    value: str
    evidence: Evidence


class Origin(Frozen):
    """The process that wrote an event file, by the file's name; `started_at` in Unix seconds. It can identify a
    person's machine: compare hashes of it, and keep it out of what students see."""

    started_at: float
    host: str
    pid: int | None = None
    number: int | None = None


class Log(Frozen):
    """One event file, or one training run's part of a text. `name` is the run's folder, or what stands for it; `seed`
    is set where the path tells it. Of what a tracker of experiments keeps, `tracker` is its title and `run` the run's
    name there."""

    file: str
    name: str
    seed: int | None = None
    series: tuple[Series, ...] = ()
    texts: tuple[LoggedText, ...] = ()
    settings: tuple[Setting, ...] = ()
    origin: Origin | None = None
    problems: tuple[Words, ...] = ()
    tracker: str = ""
    run: str = ""


SUBSETS: Final = {
    **dict.fromkeys(("train", "training"), Subset.TRAIN),
    **dict.fromkeys(("valid", "validation", "val", "eval", "dev"), Subset.VALID),
    "test": Subset.TEST,
}
"""What programs call the parts of the data."""

_INNER: Final = "train_inner"
_OF_A_RUN: Final = re.compile(r"checkpoint-\d+|\.hydra|\d{10}\.\d{1,9}")
"""Folders within a run's own: the Trainer's checkpoints, hydra's settings, accelerate's by the time."""

_WORDS: Final = re.compile(r"[a-z]+")
_SEED: Final = re.compile(r"(?:seed[\s_\-=.:]*|(?:^|[^a-z0-9])s)(\d{1,6})(?![0-9])")


class RunName(NamedTuple):
    """The run's folder, without a last part that only names the subset; subset and seed where the path tells."""

    folder: str
    subset: Subset | None
    seed: int | None


def run_name(path: str) -> RunName:
    """Read the path of a log file, such as `<run>/<subset>/events…`, `runs/<date_host>/events…` or
    `checkpoint-<updates>/trainer_state.json`."""
    folders = PurePosixPath(path).parts[:-1]
    while folders and _OF_A_RUN.fullmatch(folders[-1]):
        folders = folders[:-1]
    last = folders[-1].lower() if folders else ""
    only_subset = last in SUBSETS or last == _INNER
    run = folders[:-1] if only_subset else folders
    names = (*reversed(folders), PurePosixPath(path).name.split("tfevents")[0])
    seeds = (found[-1] for name in names if (found := _SEED.findall(name.lower())))
    subset = next(filter(None, map(subset_in, reversed(folders))), None)
    seed = next(seeds, None)
    return RunName("/".join(run) or ".", subset, None if seed is None else int(seed))


def subset_in(name: str) -> Subset | None:
    """The one part of the data that a name speaks of; None when it speaks of none or of several."""
    found = {SUBSETS[word] for word in _WORDS.findall(name.lower()) if word in SUBSETS}
    return found.pop() if len(found) == 1 else None


def subset_of_tag(tag: str) -> Subset | None:
    """The part of the data that the Trainer writes into a tag: `eval/accuracy`."""
    first, slash, _ = tag.partition("/")
    return SUBSETS.get(first) if slash else None


def telling_name(name: str, logs: Sequence[Log]) -> str:
    """The part of a run's name that describes the run: a notebook holds many runs, so the notebook's name is left
    out."""
    cells = any(series.cell is not None for log in logs for series in log.series)
    return name.removeprefix(logs[0].file) if cells and logs else name


class Framework(Frozen):
    """A program that trains: the words by which labs name it, its `title` in sentences, and what only its logs hold:
    `tags` is a pattern for the beginnings of tags of series, `settings` are names of settings, `commands` patterns for
    what runs it, `loggers` a part of its loggers' names, `modules` are packages that are run by a path, too,
    `configurations` classes that are printed with their arguments. With `data_first` the first argument of a command is
    the data. `weights` are the settings that name a file of weights to begin from, the one to go on with first;
    `own_state` is the file that is looked for when no other is named, the run's own last state, and two of `complete`
    stand only where all settings of a run are known. Where `untrained` is set and none of `weights`, training begins
    from random weights."""

    id: str
    named: str
    title: str
    tags: str
    settings: tuple[str, ...]
    commands: tuple[str, ...] = ()
    loggers: str = ""
    modules: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    data_first: bool = False
    weights: tuple[str, ...] = ()
    own_state: str = ""
    complete: tuple[str, ...] = ()
    untrained: str = ""


class AdapterKind(Frozen):
    """A kind of adapter: the settings that describe one, the one that says whether it is `used`, the one that holds the
    `kind` of any adapter, classes that are printed with their arguments, the functions and classes that put one into a
    model, and parts of the names of its weights."""

    id: str
    settings: tuple[str, ...]
    used: str
    kind: str
    configurations: tuple[str, ...]
    calls: tuple[str, ...]
    weights: tuple[str, ...]


class Programs(Frozen):
    """The known programs that train, and the adapters that they train."""

    frameworks: tuple[Framework, ...]
    adapters: tuple[AdapterKind, ...]

    @property
    def configurations(self) -> tuple[str, ...]:
        """The classes that are printed with their arguments."""
        all_entries: tuple[Framework | AdapterKind, ...] = (*self.frameworks, *self.adapters)
        return tuple(name for entry in all_entries for name in entry.configurations)

    @property
    def weights(self) -> tuple[str, ...]:
        """The settings that name a file of weights to begin from."""
        return tuple(name for framework in self.frameworks for name in framework.weights)

    @property
    def resumed(self) -> frozenset[str]:
        """The settings that name a state to go on with, of programs that look for one of their own."""
        return frozenset(framework.weights[0] for framework in self.frameworks if framework.own_state)

    @property
    def own_states(self) -> frozenset[str]:
        """The files of state that programs look for when no other is named."""
        return frozenset(framework.own_state for framework in self.frameworks if framework.own_state)


@cache
def programs() -> Programs:
    """Return the content of `programs.toml`."""
    text = Path(__file__).with_name("programs.toml").read_text(encoding="utf-8")
    return Programs.model_validate(tomllib.loads(text))


class Start(StrEnum):
    """The weights from which training began."""

    PRETRAINED = "pretrained"
    RANDOM = "random"


class RunFact(Frozen):
    """A known fact about a run, and its evidence."""

    value: str
    evidence: Evidence


class Schedule(Frozen):
    """The learning rate's course: it rises over `warmup_updates` to `peak` and falls to zero at `total_updates`."""

    total_updates: int
    peak: float | None = None
    warmup_updates: int | None = None
    evidence: Evidence


class Run(Frozen):
    """The logs of one training run and the facts from them. A fact is None if the logs do not give it or contradict
    each other; in the second case its name (`framework`, `start`, `seed`) is in `unclear`."""

    name: str
    logs: tuple[Log, ...]
    framework: RunFact | None = None
    start: RunFact | None = None
    adapter: RunFact | None = None
    seed: RunFact | None = None
    schedule: Schedule | None = None
    unclear: tuple[str, ...] = ()
    problems: tuple[Words, ...] = ()
