"""The training runs in a text: a log file, or what a notebook's cell printed, the Trainer's progress table among it."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from grader.lab.experiments import LogFormat
from grader.reading.bytes_in import TOO_LONG
from grader.reading.log import Log, Subset, programs
from grader.reading.logs.code import CodeReader
from grader.reading.logs.draft import Draft, Place, name_logs
from grader.reading.logs.frameworks import (
    MOST_PIECES,
    PREFIX,
    PlainReader,
    epochs_said,
    scalars_said,
    trainer_fact,
    trainer_field,
    trainer_statistics,
    unwrap_message,
)
from grader.reading.logs.written import (
    CUT,
    TABLE,
    LoggedSetting,
    Message,
    Opening,
    PatternReader,
    Said,
    Statistics,
    command_pairs,
    cut_mark,
    is_training_command,
    message_of,
    number,
    pairs_in,
    plain_value,
    settings_in_source,
    whole_number,
)

_HEAD: Final = re.compile(r"\W{0,4}(?:(?:Epoch|Step)\b\W{1,20})?Training Loss\b", re.IGNORECASE)
_BAR: Final = re.compile(r"\[\s{0,3}(\d{1,9})/(\d{1,9}) [^\]]{0,60}Epoch ([\d.]{1,10})/(\d{1,6})")
_GAP: Final = re.compile(r"\t|\s{2,}|\s?\|\s?")
_BOXES: Final = re.compile(r"[\u2500-\u257f|]")
_LIGHTNING: Final = re.compile(r"\W{0,99}(?:Validate|Test) metric\W{1,99}DataLoader 0\b")
_PHRASE: Final = re.compile(
    r"Training Loss|Validation Loss|Model Preparation Time|Samples Per Second|\S{1,60}", re.IGNORECASE
)
_NO_VALUE: Final = re.compile(r"no log", re.IGNORECASE)
_TAGS: Final = {"training loss": "train/loss", "validation loss": "eval/loss"}
_MOST_COLUMNS: Final = 30


def progress_bar(text: str) -> Iterator[LoggedSetting]:
    """The totals in the bar over the table: `[1125/1125 03:20, Epoch 5/5]`; one that is not full was left there."""
    found = _BAR.search(text, 0, 1000)
    if found:
        yield LoggedSetting("total_optimization_steps", found[2], found.group(), Opening.PROGRESS)
        if found[1] != found[2]:
            yield LoggedSetting(CUT, found.group().strip("[ "), found.group())
        yield LoggedSetting("num_train_epochs", found[4], found.group())


def _cells(text: str, *, spaced: bool) -> list[str]:
    """The cells of a row. Where only single spaces are left between them, every word is one, known names apart."""
    bare = text[:1000].strip().strip("|").strip()
    parts = [part.strip() for part in _GAP.split(bare) if part.strip()]
    if len(parts) > 1 and not (spaced and any(" " in part for part in parts)):
        return parts
    return _PHRASE.findall(bare)


_ARGUMENTS: Final = re.compile(rf"(?:{'|'.join(programs().configurations)})\((?:$|(?=\w))")
_ARGUMENT: Final = re.compile(r"\s{0,8}(\w{1,60})=(.{0,2000}?),?\s{0,4}")
_DICT_OPENS: Final = re.compile(r"\{'\w{1,60}': [^{}]{1,200}$")
_RUNNING: Final = re.compile(r"\*{3,5} Running (training|evaluation|prediction|test)\b", re.IGNORECASE)
_METRICS: Final = re.compile(r"\*{3,5} (train|eval|test|predict)\w* (?:metrics|results)\b", re.IGNORECASE)
_METRIC: Final = re.compile(r"\s{0,8}(\w{1,60})\s{0,60}=\s{0,40}(\S{1,60})\s*")
_MOST_METRICS: Final = 60
_MOST_LINES: Final = 400


class Block:
    """Lines that belong together; of one message, `is_message`, or of several."""

    is_message: ClassVar = False

    def feed(self, text: str) -> Sequence[Said] | None:
        """Return the content of one more line; None when it does not belong to the block."""
        raise NotImplementedError

    def end(self) -> list[Said]:
        """Return the content of the whole block, once it is over."""
        return []


class _Arguments(Block):
    """`TrainingArguments(` and a line for each argument, or all of them in one line."""

    is_message = True

    def __init__(self) -> None:
        self._lines = 0

    def feed(self, text: str) -> list[Said] | None:
        self._lines += 1
        if text.strip() in (")", "),") or self._lines > _MOST_LINES:
            return None
        found = _ARGUMENT.fullmatch(text[:2100])
        if not found:
            return []
        value = plain_value(found[2])
        return [] if value in ("None", "") else [LoggedSetting(found[1], value, text.strip()[:120])]


class _Fields(Block):
    """`***** Running training *****` and what it describes."""

    def __init__(self, opening: Opening) -> None:
        self._training = opening is Opening.TRAINING

    def feed(self, text: str) -> list[Said] | None:
        if "=" not in text:
            return None if text.strip() else []
        field = trainer_field(text)
        if field is None:
            return [] if text.strip().startswith(("Batch size", "Training with", "Continuing")) else None
        if self._training:
            return [field]
        return [field._replace(name="samples", opening=Opening.EVALUATION)] if field.name == "num_examples" else []


class _Metrics(Block):
    """The rows of the table `***** eval metrics *****` (older: `***** Eval results *****`)."""

    def __init__(self, default: str) -> None:
        self._values: dict[str, float] = {}
        self._rows = 0
        self._default = default

    def feed(self, text: str) -> list[Said] | None:
        row = _METRIC.fullmatch(text[:200])
        self._rows += 1
        if not row or self._rows > _MOST_METRICS:
            return None
        value = number(row[2])
        if value is not None:
            name = row[1] if PREFIX.match(row[1]) or row[1] == "epoch" else f"{self._default}_{row[1]}"
            self._values[name] = value
        return []

    def end(self) -> list[Said]:
        return list(scalars_said(self._values, final=True))


class _Progress(Block):
    """The rows of the table that the Trainer shows in a notebook. Since transformers 5 it shows one for `evaluate()`,
    too, with the epoch among its columns."""

    def __init__(self, columns: list[str]) -> None:
        names = [name.lower() for name in columns]
        self._by_steps = names[0] == "step"
        self._is_final = names[0] not in ("step", "epoch")
        self._at = names.index("epoch") if self._is_final and "epoch" in names else 0
        self._tags = [_TAGS.get(name, f"eval/{name.replace(' ', '_')}") for name in names]

    def feed(self, text: str) -> list[Statistics] | None:
        if text and not text.strip(" \t|-:+"):  # a rule between heading and rows
            return []
        cells = _cells(_NO_VALUE.sub("-", text[:1000]), spaced=True)
        if len(cells) != len(self._tags):
            return None
        at = number(cells[self._at])
        if at is None or at < 0 or not (self._is_final or at == int(at)):
            return None
        read = {
            tag: number(cell)
            for place, (tag, cell) in enumerate(zip(self._tags, cells, strict=True))
            if place != self._at
        }
        step, epoch = (None, None) if self._is_final else (int(at), None) if self._by_steps else (None, at)
        if self._is_final:
            read = {tag: value for tag, value in read.items() if tag != "train/loss"}
        return [
            Statistics(source, subset, part, step, epoch, final=self._is_final)
            for source, subset in (("train", Subset.TRAIN), ("eval", Subset.VALID))
            if (part := {tag: value for tag, value in read.items() if value is not None and tag.startswith(source)})
        ]


class _Lightning(Block):
    """The table that Lightning shows after `validate()` and `test()`, of the first set of examples; with box drawing
    where rich is installed."""

    def __init__(self) -> None:
        self._values: dict[str, float] = {}

    def feed(self, text: str) -> list[Said] | None:
        cells = _BOXES.sub("  ", text[:1000]).split()
        if not cells or not any(map(str.isalnum, text)):  # a rule
            return []
        value = number(cells[1]) if len(cells) > 1 else None
        if value is None:
            return None
        self._values.setdefault(cells[0], value)
        return []

    def end(self) -> list[Said]:
        return list(scalars_said(self._values, final=True))


class _Dict(Block):
    """A dict that a notebook shows over several lines."""

    is_message = True

    def __init__(self, text: str) -> None:
        self._parts = [text]

    def feed(self, text: str) -> list[Said] | None:
        if self._parts[-1].rstrip().endswith("}") or len(self._parts) > 60:
            return None
        self._parts.append(text[:300])
        return []

    def end(self) -> list[Said]:
        return list(trainer_statistics(" ".join(part.strip() for part in self._parts)))


def block_begun_by(text: str) -> tuple[Block, list[Said]] | None:
    """The block that a line begins, and what the line itself says."""
    if "*****" in text or "*** " in text:
        return _block_under_stars(text)
    if ("Loss" in text or "loss" in text) and _HEAD.match(text[:400]):
        columns = _cells(text, spaced=False)[:_MOST_COLUMNS]
        return _Progress(columns), [LoggedSetting(TABLE, "|".join(columns), text[:120])]
    if _LIGHTNING.match(text):
        return _Lightning(), []
    found = _ARGUMENTS.search(text, 0, 2000)
    if found:
        is_training = found.group().startswith("Training")
        begun = [LoggedSetting("", "", "", Opening.CONFIGURATION)] if is_training else []
        return _Arguments(), [*begun, *pairs_in(text[found.end() :])]
    opened = _DICT_OPENS.search(text, 0, 2000) if "{'" in text else None
    return (_Dict(text[opened.start() :]), []) if opened else None


def _block_under_stars(text: str) -> tuple[Block, list[Said]] | None:
    """The block under a heading between stars: what a run works on, or its metrics."""
    running = _RUNNING.search(text, 0, 400)
    if running:
        opening = Opening.TRAINING if running[1].lower() == "training" else Opening.EVALUATION
        return _Fields(opening), [LoggedSetting("", "", "", opening)]
    metrics = _METRICS.search(text, 0, 400)
    return (_Metrics(metrics[1].lower()), [LoggedSetting(TABLE, metrics.group(), text[:120])]) if metrics else None


LONGEST_LINE: Final = 100_000
"""In characters; some programs print their configuration, about 10,000, in one line."""

MOST_RUNS: Final = 200
MOST_POINTS: Final = 300_000
MOST_STATEMENTS: Final = 200_000
_MOST_DUMPED: Final = 2_000_000
_LONG: Final = 4_000
_FEWEST_EPOCHS: Final = 2
"""Of a script's own prints: a single one may be anything."""

_MARKS: Final = (
    *("epoch", "Epoch", "subset", "{'", '{"', "***", "params", "checkpoint", "Arguments(", "Config(", "Namespace("),
    *("': ", "done training", "--", "weights", "from scratch", "TrainOutput", "Loading model", "Step", "Resuming"),
    *("DataLoader", "eed set to", "LOAD REPORT", "Training Loss"),
)


def logs_in_text(
    lines: Sequence[str],
    file: str,
    name: str,
    cell: int | None = None,
    source: Sequence[str] = (),
    formats: Sequence[LogFormat] = (),
    code: CodeReader | None = None,
) -> tuple[Log, ...]:
    """The training runs that a text shows, in its order; none where it shows none.

    `name` stands for a run whose folder the text does not tell. `source` are the lines of the notebook's cell that
    printed the text: its commands tell settings that the text may not repeat, as does its Python, which `code` reads.
    `formats` are those that the lab describes; where one of them is found, it tells all. Never raises for any content.
    """
    place = Place(file, cell)
    reader = _Reader(place)
    given = (
        _printed(lines, place, PatternReader(formats)) if any(log_format.pattern for log_format in formats) else None
    )
    if given is not None and given.finished_drafts():
        return _found(given.finished_drafts(), given, name, source, code)
    for at, line in enumerate(lines, start=1):
        reader.read(line, at, lines)
        if reader.full:
            break
    drafts = reader.finished_drafts()
    if not drafts:  # no framework's log is found, but perhaps what a script of one's own printed
        drafts = _printed(lines, place, PlainReader()).finished_drafts()
        drafts = [draft for draft in drafts if draft.length >= _FEWEST_EPOCHS]
    return _found(drafts, reader, name, source, code)


def _found(
    drafts: list[Draft], reader: "_Reader", name: str, source: Sequence[str], code: CodeReader | None
) -> tuple[Log, ...]:
    """The logs of what was read, with a word where it is not all."""
    for draft, settings in zip(drafts, settings_in_source(source, len(drafts)), strict=True):
        for setting in settings:
            draft.add(setting, 0)
    if code is not None:
        for draft, settings in zip(drafts, code.settings("\n".join(source), len(drafts)), strict=True):
            draft.add_unless_told(settings)
    found = name_logs(drafts, name)
    if reader.full and found:
        left = (TOO_LONG,)
        return (found[0].model_copy(update={"problems": left}), *found[1:])
    return found


def _printed(lines: Sequence[str], place: Place, script: PlainReader | PatternReader) -> "_Reader":
    """Read the lines of a script's print, one by one."""
    reader = _Reader(place)
    for at, line in enumerate(lines, start=1):
        if mark := cut_mark(line):
            reader.cut(mark, at)
        for statement in script.statements_in(line[-_LONG:]):
            reader.take(statement, at)
        if reader.full:
            break
    return reader


class _Reader:
    """Reads line by line, and begins a new draft where a line belongs to another run."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._drafts = [Draft(place)]
        self._block: Block | None = None
        self._dumped = 0
        self._points = 0
        self._statements = 0

    @property
    def full(self) -> bool:
        """Whether the text holds more than is read of any."""
        points = self._points + self._drafts[-1].points
        return len(self._drafts) > MOST_RUNS or points > MOST_POINTS or self._statements > MOST_STATEMENTS

    def finished_drafts(self) -> list[Draft]:
        """All drafts that hold a scalar. A table that was kept before the run had ended, beside the whole one, is no
        run of its own."""
        self._close(0)
        found: list[Draft] = []
        for draft in (candidate for candidate in self._drafts[:MOST_RUNS] if candidate.says_something):
            if found and draft.goes_on_from(found[-1]):
                draft.take_over(found.pop())
            found.append(draft)
        return found

    def cut(self, mark: str, number: int) -> None:
        """A part of the text is missing here: what follows may be of another run, and neither is whole."""
        self._close(number - 1)
        if self._drafts[-1].says_something:
            self._drafts[-1].add(LoggedSetting(CUT, mark, mark), number)
            self._drafts.append(Draft(self._place))
        self._drafts[-1].add(LoggedSetting(CUT, mark, mark), number)

    def read(self, line: str, number: int, lines: Sequence[str]) -> None:
        """Take in a line."""
        if mark := cut_mark(line):
            self.cut(mark, number)
            return
        if self._block is None and not any(mark in line for mark in _MARKS):
            return
        if len(line) > _LONG:
            line = line[:LONGEST_LINE]
            self._dumped += len(line)
            if self._dumped > _MOST_DUMPED:
                return
        message = message_of(line)
        is_over = self._block is None or (self._block.is_message and bool(message.logger))
        statements = self._block.feed(message.text) if self._block is not None and not is_over else None
        if statements is None:
            self._close(number - 1)
        for statement in self._said(message, number, lines) if statements is None else statements:
            self.take(statement, number)

    def _close(self, number: int) -> None:
        if self._block is not None:
            ended, self._block = self._block.end(), None
            for statement in ended:
                self.take(statement, number)

    def _said(self, message: Message, number: int, lines: Sequence[str]) -> Iterator[Said]:
        begun = block_begun_by(message.text)
        if begun:
            self._block, statements = begun
            yield from statements
            return
        trainer = list(trainer_statistics(message.text)) if "{'" in message.text else []
        if trainer:
            yield from trainer
            return
        yield from progress_bar(message.text)
        yield from trainer_fact(message.text)
        statements = list(epochs_said(unwrap_message(message, lines[number : number + MOST_PIECES])))
        if not statements and "--" in message.text and is_training_command(message.text):
            statements = [LoggedSetting("", "", "", Opening.COMMAND), *command_pairs(message.text)]
        yield from statements

    def take(self, statement: Said, number: int) -> None:
        """Take in what a line says."""
        self._statements += 1
        if isinstance(statement, LoggedSetting) and statement.name == "samples":
            self._begin(statement)
            self._drafts[-1].samples = whole_number(statement.value)
            return
        self._begin(statement)
        draft = self._drafts[-1]
        draft.add(statement, number)
        draft.closed = draft.closed or (
            isinstance(statement, Statistics) and statement.final and statement.source in ("eval", "test")
        )

    def _begin(self, statement: Said) -> None:
        if self._drafts[-1].is_over_at(statement):
            if not self._drafts[-1].says_something:
                self._drafts.pop()
            else:
                self._points += self._drafts[-1].points
            self._drafts.append(Draft(self._place))
