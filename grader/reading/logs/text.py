"""The training runs in a text: a log file, or what a notebook's cell printed."""

from collections.abc import Iterator, Sequence
from typing import Final

from grader.lab.log_format import LogFormat
from grader.message import say
from grader.reading.log import Log
from grader.reading.logs.blocks import Block, block_begun_by
from grader.reading.logs.commands import command_pairs, is_training_command
from grader.reading.logs.draft import Draft, Place
from grader.reading.logs.fairseq import fairseq_says
from grader.reading.logs.messages import Message, message_of
from grader.reading.logs.naming import named
from grader.reading.logs.patterns import PatternReader
from grader.reading.logs.plain import PlainReader
from grader.reading.logs.progress_table import progress_bar
from grader.reading.logs.said import Opening, Said, Statistics, Told
from grader.reading.logs.sources import SourceRuns, runs_in_source
from grader.reading.logs.trainer import trainer_fact, trainer_statistics
from grader.reading.logs.wrapped import MOST_PIECES, unwrapped
from grader.reading.logs.written import whole

LONGEST_LINE: Final = 100_000
"""In characters; fairseq prints its configuration, about 10,000, in one line."""

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
)


def logs_in_text(
    lines: Sequence[str],
    file: str,
    name: str,
    cell: int | None = None,
    source: Sequence[str] = (),
    formats: Sequence[LogFormat] = (),
) -> tuple[Log, ...]:
    """The training runs that a text shows, in its order; none where it shows none.

    `name` stands for a run whose folder the text does not tell. `source` are the lines of the notebook's cell that
    printed the text: its commands tell settings that the text may not repeat. `formats` are those that the lab
    describes; where one of them is found, it tells all. Never raises for any content.
    """
    place = Place(file, cell)
    reader = _Reader(place)
    given = _printed(lines, place, PatternReader(formats)) if any(one.pattern for one in formats) else None
    if given is not None and given.finished():
        return _found(given.finished(), given, name, source)
    for at, line in enumerate(lines, start=1):
        reader.read(line, at, lines)
        if reader.full:
            break
    return _found(reader.finished() or _of_plain_prints(lines, place), reader, name, source)


def _found(drafts: list[Draft], reader: "_Reader", name: str, source: Sequence[str]) -> tuple[Log, ...]:
    """The logs of what was read, with a word where it is not all."""
    _add_commands(drafts, runs_in_source(source))
    found = named(drafts, name)
    if reader.full and found:
        left = (say("the text holds more training logs than are read; only its beginning is read"),)
        return (found[0].model_copy(update={"problems": left}), *found[1:])
    return found


def _of_plain_prints(lines: Sequence[str], place: Place) -> list[Draft]:
    """The runs in a text in which no framework's log was found: what a script of one's own printed."""
    drafts = _printed(lines, place, PlainReader()).finished()
    return [draft for draft in drafts if draft.length >= _FEWEST_EPOCHS]


def _printed(lines: Sequence[str], place: Place, script: PlainReader | PatternReader) -> "_Reader":
    """What the lines of a script's print say, one by one."""
    reader = _Reader(place)
    for at, line in enumerate(lines, start=1):
        for said in script.said(line[-_LONG:]):
            reader.take(said, at)
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

    def finished(self) -> list[Draft]:
        """All drafts that hold a scalar."""
        self._close(0)
        return [draft for draft in self._drafts[:MOST_RUNS] if draft.says_something]

    def read(self, line: str, number: int, lines: Sequence[str]) -> None:
        """Take in a line."""
        if self._block is None and not any(mark in line for mark in _MARKS):
            return
        if len(line) > _LONG:
            line = line[:LONGEST_LINE]
            self._dumped += len(line)
            if self._dumped > _MOST_DUMPED:
                return
        message = message_of(line)
        if self._block is not None and self._continues(self._block, message, number):
            return
        for said in self._said(message, number, lines):
            self.take(said, number)

    def _continues(self, block: Block, message: Message, number: int) -> bool:
        told = block.feed(message.text)
        if told is None:
            self._close(number - 1)
            return False
        for said in told:
            self.take(said, number)
        return True

    def _close(self, number: int) -> None:
        if self._block is not None:
            ended = self._block.end()
            self._block = None
            for said in ended:
                self.take(said, number)

    def _said(self, message: Message, number: int, lines: Sequence[str]) -> Iterator[Said]:
        begun = block_begun_by(message.text)
        if begun:
            self._block, said = begun
            yield from said
            return
        trainer = list(trainer_statistics(message.text)) if "{'" in message.text else []
        if trainer:
            yield from trainer
            return
        yield from progress_bar(message.text)
        yield from trainer_fact(message.text)
        said = list(fairseq_says(unwrapped(message, lines[number : number + MOST_PIECES])))
        yield from said or _command(message.text)

    def take(self, said: Said, number: int) -> None:
        """Take in what a line says."""
        self._statements += 1
        if isinstance(said, Told) and said.name == "samples":
            self._begin(said)
            self._drafts[-1].samples = whole(said.value)
            return
        self._begin(said)
        draft = self._drafts[-1]
        draft.add(said, number)
        draft.closed = draft.closed or (isinstance(said, Statistics) and said.final and said.source in ("eval", "test"))

    def _begin(self, said: Said) -> None:
        if self._drafts[-1].is_over_at(said):
            if not self._drafts[-1].says_something:
                self._drafts.pop()
            else:
                self._points += self._drafts[-1].points
            self._drafts.append(Draft(self._place))


def _command(text: str) -> list[Said]:
    if "--" not in text or not is_training_command(text):
        return []
    told = [Told(pair.name, pair.value, pair.quote) for pair in command_pairs(text)]
    return [Told("", "", "", Opening.COMMAND), *told]


def _add_commands(drafts: list[Draft], source: SourceRuns) -> None:
    for draft, pairs in zip(drafts, source.settings_for(len(drafts)), strict=True):
        for pair in pairs:
            draft.add(Told(pair.name, pair.value, pair.quote), 0)
