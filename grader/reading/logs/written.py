"""Parsing of single log lines and command lines: names, numbers, subsets, printed configurations, a lab's own patterns,
and which of the printed runs a notebook's training commands belong to.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import takewhile
from typing import Final, NamedTuple

from grader.lab.experiments import COUNTS, PARTS, LogFormat, measured_in
from grader.reading.log import SUBSETS, Subset, programs

LONGEST_VALUE: Final = 300
"""In characters. No setting that tells something about a run is longer."""

_NUMBER: Final = re.compile(
    r"[+-]?(?:\d[\d,]{0,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?|[+-]?(?:[nN][aA][nN]|[iI][nN][fF])"
)
_LONGEST_NUMBER: Final = 80
_SHORT: Final = 20
_SUBSETS: Final = SUBSETS | {"predict": Subset.TEST}


def number(text: str) -> float | None:
    """The number that a text is: `81.5`, `1e-05`, `23,388,418`, `nan`; None when it is anything else."""
    if len(text) < _SHORT and text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    bare = text.strip().strip("'\"")
    if len(bare) >= _LONGEST_NUMBER or not _NUMBER.fullmatch(bare):
        return None
    return float(bare.replace(",", "") if "," in bare else bare)


def whole_number(text: str | None) -> int | None:
    """The whole number that a text is, also written as `1125.0`; None when it is anything else."""
    value = number(text) if text is not None else None
    return int(value) if value is not None and abs(value) < 1e12 and value == int(value) else None


def subset_named(name: str) -> Subset | None:
    """The part of the data with a name such as `valid`, `valid1` or `dev`; None for names that do not tell."""
    return _SUBSETS.get(name.lower().rstrip("0123456789"))


def plain_value(value: str) -> str:
    """A value without its quotation marks, and the one item of a list without its brackets."""
    text = value.strip()
    if len(text) > 1 and text[0] == "[" and text[-1] == "]" and "," not in text:
        text = text[1:-1].strip()
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        text = text[1:-1]
    return text[:LONGEST_VALUE]


class Opening(StrEnum):
    """The lines that a run prints before its first statistics, once each."""

    COMMAND = "command"
    CONFIGURATION = "configuration"
    MODEL = "model"
    CHECKPOINT = "checkpoint"
    WEIGHTS = "weights"
    TRAINING = "training"
    EVALUATION = "evaluation"
    PROGRESS = "progress"


class LoggedSetting(NamedTuple):
    """A setting or a fact; `quote` is how it stands in the text. An opening without a name only says that a run
    begins."""

    name: str
    value: str
    quote: str
    opening: Opening | None = None


class Statistics(NamedTuple):
    """Scalars that were logged together, by tag. `source` tells apart what is logged beside each other; `step` counts
    optimiser updates, `epoch` may be a fraction. What is `final` was logged after training, of the chosen weights; a
    step or an epoch that is `of_weights` says which these are. Epochs are `numbered` where the program counts them from
    1 and logs each. A progress bar's values are `running`: a value that is printed for the same epoch replaces them."""

    source: str
    subset: Subset | None
    values: Mapping[str, float]
    step: int | None = None
    epoch: float | None = None
    final: bool = False
    of_weights: bool = False
    numbered: bool = False
    running: bool = False


BEGINS: Final = "first_epoch"
"""The setting of a run whose log begins with a later epoch than the first: its number."""

CUT: Final = "log_cut"
"""The setting of a run of which a part of the log is missing: the mark that says so."""

TABLE: Final = "trainer_table"
"""The setting of a run of which the Trainer showed a table."""

_CUT: Final = (
    *("output truncated to the last", "data was truncated", "exceeds the size limit", "data rate exceeded"),
    *("output is truncated", "output size exceeded", "bytes of output", "due to time limit", "keyboardinterrupt"),
)
"""What hosts, editors and schedulers write in place of what they leave out, or after what they keep."""
_LEFT_OUT: Final = frozenset({"...", "[...]", "(...)", "…", "[…]", "(…)", "[truncated]", "<truncated>"})
"""A line of a pasted log that stands for others."""
_ELIDED: Final = frozenset({"lines", "omitted", "removed", "skipped", "snip", "truncated"})
"""Words of such a line where it has some: `[... 120 lines omitted ...]`."""


def cut_mark(line: str) -> str:
    """The mark of a line that stands for a part of a log that is missing; empty for any other line."""
    text = line.strip()
    if text in _LEFT_OUT or (len(text) < _LONGEST_ELISION and _is_elision(text)):
        return text
    plain = text.replace("[", "").replace("]", "") if len(text) < _LONGEST_MARK else ""  # editors make links of it
    return text if any(mark in plain.lower() for mark in _CUT) else ""


_LONGEST_MARK: Final = 300
_LONGEST_ELISION: Final = 80


def _is_elision(text: str) -> bool:
    """Whether a line stands for others in words: between dots, or in brackets."""
    bare = text.strip("<>[](){}#- ")
    is_dotted = bare.startswith(("...", "…")) and bare.endswith(("...", "…"))
    is_marked = is_dotted or (text[:1] in "<[(" and text[-1:] in ">])")
    return is_marked and not _ELIDED.isdisjoint(bare.lower().strip(".… ()").split())


SCORED: Final = "score"
"""The source and the tag of what a saved checkpoint is chosen by; settings tell the measure."""


class TrainingEnd(NamedTuple):
    """Training ended."""


Said = LoggedSetting | Statistics | TrainingEnd


_BARRED: Final = " | INFO | "
_HYDRA: Final = re.compile(r"\[\d{4}-[^\]]{1,40}\]\[([\w.]{1,80})\]\[[A-Z]{4,8}\] - ?")
_TRANSFORMERS: Final = re.compile(r"\[[A-Z]{4,8}\|([\w.]{1,80})(?::\d{1,6})?\][^>]{0,40}>> ?")
_BASIC: Final = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d - [A-Z]{4,8} - ([\w.]{1,80}) - {0,3} ?")


class Message(NamedTuple):
    """A line of a log: the logger's name, empty where the line does not tell it, and the words."""

    logger: str
    text: str


def message_of(line: str) -> Message:
    """Take off what loggers put before a message. A progress bar that a message was printed behind goes with it."""
    at = line.find(_BARRED)
    if at >= 0:
        logger, bar, text = line[at + len(_BARRED) :].partition(" | ")
        return Message(logger.strip(), text) if bar else Message("", logger)
    for stamp in (_HYDRA, _TRANSFORMERS, _BASIC):
        found = stamp.search(line, 0, 400)
        if found:
            return Message(found[1], line[found.end() :])
    return Message("", line)


MOST_PAIRS: Final = 2000
"""Of one configuration, which may hold some hundreds."""

_VALUE: Final = (
    r"'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|\[[^\[\]{}]{0,300}\]|\([^()\[\]{}]{0,300}\)"
    r"|<[^<>]{1,100}>|[^\s,'\"\[\](){}=<>]{1,300}"
)
_PAIR: Final = re.compile(
    rf"(?:(?<!\w)'(\w{{1,60}})'\s{{0,2}}:|(?<!\w)\"(\w{{1,60}})\"\s{{0,2}}:|(?<![\w.])(\w{{1,60}})=)\s{{0,2}}({_VALUE})"
)
_NOTHING: Final = frozenset({"None", "null", "", "???"})


def pairs_in(text: str) -> Iterator[LoggedSetting]:
    """All `'name': value` and `name=value` of a text in order, at any depth. What holds further pairs is no value
    itself, and names without a value (`None`) are left out. Brackets need not match: nothing is nested here."""
    for count, match in enumerate(_PAIR.finditer(text)):
        if count == MOST_PAIRS:
            return
        value = plain_value(match[4])
        if value not in _NOTHING and not value.endswith(("(", ":")):
            yield LoggedSetting(match[1] or match[2] or match[3], value, match.group()[:120])


_LONGEST: Final = 2_000
"""In characters; a pattern is not sought in a longer line."""

EXPERIMENT: Final = "lab_experiment"
"""The setting that holds which of the lab's experiments logs so."""

_PERCENT: Final = "%"


class PatternReader:
    """Reads lines in order by some formats; remembers the step, the epoch and the part of the data that were named
    last, for lines that name none."""

    def __init__(self, formats: Sequence[LogFormat]) -> None:
        self._formats = [(log_format, re.compile(log_format.pattern)) for log_format in formats if log_format.pattern]
        self._run: dict[str, str] = {}
        self._counts: dict[str, float] = {}
        self._part = ""

    def statements_in(self, line: str) -> Iterator[Said]:
        """Yield the content of a line by the first format that fits."""
        if len(line) > _LONGEST:
            return
        for log_format, pattern in self._formats:
            found = pattern.search(line)
            if found:
                yield from self._of(log_format, found)
                return

    def _of(self, log_format: LogFormat, found: re.Match[str]) -> Iterator[Said]:
        fields = {name: value.strip() for name, value in found.groupdict().items() if value is not None}
        quote = found.group().strip()
        yield from self._begun(fields, quote)
        counts = {count: value for count in COUNTS if (value := number(fields.get(count, ""))) is not None}
        if not log_format.final:
            self._counts |= counts
        at = counts if log_format.final else self._counts
        if "split" in fields:
            self._part = split_called(fields["split"], log_format)
        groups: dict[Subset | None, dict[str, float]] = {}
        for name in log_format.measures:
            value = number(fields[name].removesuffix(_PERCENT)) if name in fields else None
            measure = measured_in(name, log_format)
            split = measure.part or self._part
            part = subset_of_split(split)
            if value is not None:
                tag = f"{split}/{measure.name}" if split else measure.name
                groups.setdefault(part, {})[tag] = value
        step = whole_number(str(at["step"])) if "step" in at else None
        for part, values in groups.items():
            source, is_final = part.value if part else "all", log_format.final or not at
            yield Statistics(source, part, values, step, at.get("epoch"), is_final, of_weights=log_format.final)
        if groups:
            yield from (LoggedSetting(setting, value, quote) for setting, value in self._run.items())
            if log_format.experiment:
                yield LoggedSetting(EXPERIMENT, log_format.experiment, quote)

    def _begun(self, groups: dict[str, str], quote: str) -> Iterator[Said]:
        """Yield the settings of a run that begins, if a line names another seed than before, or another name for the
        run."""
        named = {setting: groups[name] for name, setting in (("run", "output_dir"), ("seed", "seed")) if name in groups}
        if any(self._run.get(setting) != value for setting, value in named.items()):
            self._run = {**(self._run if "output_dir" not in named else {}), **named}
            self._counts, self._part = {}, ""
            yield LoggedSetting("", "", quote, Opening.COMMAND)


def split_called(name: str, log_format: LogFormat) -> str:
    """The split that a log format calls by this name: the id of one of the lab's, or a usual part of the data; empty
    where neither is known."""
    split_id = {called.lower(): split for called, split in log_format.splits.items()}.get(name.lower())
    usual = subset_named(name)
    return split_id or (usual.value if usual else "")


def subset_of_split(split: str) -> Subset | None:
    """The usual part of the data that a split is, by its id; None for one of the lab's own."""
    return Subset(split) if split in PARTS else None


MOST_CHARACTERS: Final = 20_000

_TRAINS: Final = re.compile("|".join(command for framework in programs().frameworks for command in framework.commands))
_WITH_DATA: Final = re.compile(
    "|".join(command for framework in programs().frameworks if framework.data_first for command in framework.commands)
)
_OVERRIDE: Final = re.compile(r"[+~]{0,2}([A-Za-z_][\w.]{0,100})=(.*)", re.DOTALL)
_PLACEHOLDER: Final = re.compile(r"[{}$]|<[A-Za-z_ ]+>")


def is_training_command(text: str) -> bool:
    """Whether a text runs a training script with options."""
    found = _TRAINS.search(text, 0, MOST_CHARACTERS)
    return found is not None and ("--" in text or "=" in text[found.end() :])


def command_pairs(text: str) -> Iterator[LoggedSetting]:
    """The settings of a training command: `--max-update 1125` as `max_update`, a flag alone as `True`, hydra's
    `common.seed=1` as `seed`, the first argument of some programs as `data`. Of an option that is given twice the last
    counts. Values that a shell or a program was to fill in (`$SEED`, `{seed}`) are left out."""
    last = {setting.name: setting for setting in _options(text)}
    return (setting for setting in last.values() if not _PLACEHOLDER.search(setting.value))


def _options(text: str) -> Iterator[LoggedSetting]:
    text = text[:MOST_CHARACTERS]
    found = _TRAINS.search(text)
    if not found:
        return
    words = _words(text[found.end() :])
    if _WITH_DATA.fullmatch(found.group()) and words and not words[0].startswith("-") and "=" not in words[0]:
        yield LoggedSetting("data", words[0], words[0])
    for index, word in enumerate(words):
        override = _OVERRIDE.fullmatch(word)
        if word.startswith("--"):
            yield _option(word, words[index + 1 :])
        elif override:
            yield LoggedSetting(override[1].rsplit(".", 1)[-1], override[2][:LONGEST_VALUE], word[:120])


def _words(text: str) -> list[str]:
    """The words up to what ends a command. The lines of a command end in a backslash."""
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ").split("\n", 1)[0]
    try:
        words = shlex.split(joined)
    except ValueError:
        words = joined.split()
    return list(takewhile(lambda word: word not in ("&&", "||", "|", ";", "&", ">", "2>&1", ">>"), words))[:1000]


def _option(word: str, rest: list[str]) -> LoggedSetting:
    name, equals, value = word[2:].partition("=")
    if not equals:
        value = " ".join(takewhile(lambda other: not other.startswith("--"), rest[:8])) or "True"
    return LoggedSetting(name.replace("-", "_").rsplit(".", 1)[-1], value[:LONGEST_VALUE], f"{word} {value}"[:120])


_MOST_IN_SOURCE: Final = 200_000

_LOOP: Final = re.compile(
    r"\s{0,40}for (\w{1,30}) in "
    r"(?:\[([^\[\]]{1,400})\]|\(([^()]{1,400})\)|range\((\d{1,6}(?:, ?\d{1,6})?)\)|([^;:]{1,400})(?:;|$))"
)
_MOST_TURNS: Final = 50


def settings_in_source(lines: Sequence[str], runs: int) -> list[Sequence[LoggedSetting]]:
    """The settings of each of so many printed runs by the training commands of a cell: command by command where their
    numbers agree, else what all commands have in common. A command whose values come from a loop over a written list
    counts once a turn."""
    logical = list(_logical("\n".join(lines)[:_MOST_IN_SOURCE]))
    loops = [turns for line in logical if (turns := _turns(line))]
    commands = [line for line in logical if is_training_command(line)]
    if len(loops) == 1:
        variable, values = loops[0]
        commands = [_filled(command, variable, value) for value in values for command in commands]
    settings = [list(command_pairs(command)) for command in commands] or _shown_files(logical, loops)
    if len(settings) == runs:
        return [*settings]
    shared = (
        set.intersection(*({(setting.name, setting.value) for setting in command} for command in settings))
        if settings
        else set()
    )
    return [[setting for setting in settings[0] if (setting.name, setting.value) in shared] if settings else []] * runs


SHOWN_FILE: Final = "shown_file"
"""The setting for the log file, without its suffix, that a command of a cell shows."""
_SHOWING: Final = frozenset({"cat", "egrep", "grep", "head", "less", "more", "sed", "tail", "zcat"})
_SHOWING_PARTS: Final = frozenset({"head", "sed"})


def _shown_files(lines: Sequence[str], loops: Sequence[tuple[str, list[str]]]) -> list[list[LoggedSetting]]:
    """The log that each command of a cell shows, where these are its only commands: `!grep valid logs/seed1.log`."""
    filled = [_filled(line, name, value) for name, values in loops[:1] for value in values for line in lines] or lines
    found: list[list[LoggedSetting]] = []
    for line in filled:
        words = re.sub(r"[;|]", " ", line).replace("'", " ").replace('"', " ").strip("!% \t").split()
        file = next((word for word in words[1:] if re.fullmatch(r"[\w./-]+\.(?:log|out|txt)", word)), None)
        if file and words[0] in _SHOWING:
            settings = [LoggedSetting(SHOWN_FILE, file.rpartition(".")[0], line.strip()[:LONGEST_VALUE])]
            if not _SHOWING_PARTS.isdisjoint(words):
                settings.append(LoggedSetting(CUT, line.strip()[:_LONGEST_MARK], line.strip()[:LONGEST_VALUE]))
            found.append(settings)
    return found


def _logical(text: str) -> Iterator[str]:
    """Lines with their continuations, without comments."""
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ")
    return (line for line in joined.split("\n") if not line.lstrip().startswith("#"))


def _turns(line: str) -> tuple[str, list[str]] | None:
    """The variable of a loop, and its values where they are written out."""
    found = _LOOP.match(line[:600])
    if not found:
        return None
    if found[4]:
        bounds = [int(part) for part in found[4].split(",")]
        values = [str(value) for value in range(*bounds)[:_MOST_TURNS]]
    elif found[5]:
        values = found[5].split()
    else:
        values = [part.strip().strip("'\"") for part in (found[2] or found[3]).split(",")]
    return (
        (found[1], values[:_MOST_TURNS])
        if values and all(re.fullmatch(r"[\w.-]+", value) for value in values)
        else None
    )


def _filled(command: str, variable: str, value: str) -> str:
    for written in (f"{{{variable}}}", f"${{{variable}}}", f"${variable}"):
        command = command.replace(written, value)
    return command
