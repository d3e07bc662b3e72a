"""What takes several lines in the Trainer's output."""

import re
from typing import Final, Protocol

from grader.reading.logs.pairs import pairs_in
from grader.reading.logs.progress_table import ProgressTable
from grader.reading.logs.said import Opening, Said, Told
from grader.reading.logs.trainer import MetricsTable, scalars_said, trainer_block, trainer_field, trainer_statistics
from grader.reading.logs.written import plain

_ARGUMENTS: Final = re.compile(r"(?:TrainingArguments|LoraConfig|PeftConfig)\((?:$|(?=\w))")
_ARGUMENT: Final = re.compile(r"\s{0,8}(\w{1,60})=(.{0,2000}?),?\s{0,4}")
_DICT_OPENS: Final = re.compile(r"\{'\w{1,60}': [^{}]{1,200}$")
_MOST_LINES: Final = 400


class Block(Protocol):
    """Lines that belong together. `feed` says what a further line adds, or None when the block ended before it."""

    def feed(self, text: str) -> list[Said] | None:
        """What one more line says; None when it does not belong to the block."""
        ...

    def end(self) -> list[Said]:
        """What the whole block says, once it is over."""
        ...


class _Arguments:
    """`TrainingArguments(` and a line for each argument, or all of them in one line."""

    def __init__(self) -> None:
        self._lines = 0

    def feed(self, text: str) -> list[Said] | None:
        self._lines += 1
        if text.strip() in (")", "),") or self._lines > _MOST_LINES:
            return None
        found = _ARGUMENT.fullmatch(text[:2100])
        if not found:
            return []
        value = plain(found[2])
        return [] if value in ("None", "") else [Told(found[1], value, text.strip()[:120])]

    def end(self) -> list[Said]:
        return []


class _Fields:
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
            return [Told(*field)]
        return [Told("samples", field.value, field.quote, Opening.EVALUATION)] if field.name == "num_examples" else []

    def end(self) -> list[Said]:
        return []


class _Metrics:
    """`***** eval metrics *****` and its rows."""

    def __init__(self, table: MetricsTable) -> None:
        self._table = table

    def feed(self, text: str) -> list[Said] | None:
        return [] if self._table.takes(text) else None

    def end(self) -> list[Said]:
        return list(scalars_said(self._table.values, final=True))


class _Progress:
    """The table that the Trainer shows in a notebook."""

    def __init__(self, table: ProgressTable) -> None:
        self._table = table

    def feed(self, text: str) -> list[Said] | None:
        rows = self._table.row(text)
        return None if rows is None else [*rows]

    def end(self) -> list[Said]:
        return []


class _Dict:
    """A dict that a notebook shows over several lines."""

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
        opening = trainer_block(text)
        if opening:
            return _Fields(opening), [Told("", "", "", opening)]
        table = MetricsTable.begun_by(text)
        return (_Metrics(table), []) if table else None
    if "Loss" in text or "loss" in text:
        progress = ProgressTable.begun_by(text)
        if progress:
            return _Progress(progress), []
    found = _ARGUMENTS.search(text, 0, 2000)
    if found:
        return _arguments(text, found)
    opened = _DICT_OPENS.search(text, 0, 2000) if "{'" in text else None
    return (_Dict(text[opened.start() :]), []) if opened else None


def _arguments(text: str, found: re.Match[str]) -> tuple[Block, list[Said]]:
    opening = Opening.CONFIGURATION if found.group().startswith("Training") else None
    begun: list[Said] = [Told("", "", "", opening)] if opening else []
    begun += [Told(pair.name, pair.value, pair.quote) for pair in pairs_in(text[found.end() :])]
    return _Arguments(), begun
