"""What scripts of one's own print while they train: plain PyTorch, Keras, progress bars, dicts.

`Epoch 2/5 - train loss: 0.61, val acc: 78.5 %`, `225/225 - 3s - loss: 0.5 - val_accuracy: 0.785` below `Epoch 2/5`,
`{'epoch': 2, 'val_acc': 0.785}`, `Epoch 2: 100%|…| 225/225 [00:12<00:00, loss=0.5, val_acc=0.785]`. A number is only
taken with the name of a measure; and the part of the data is only known where it is named.
"""

import re
from collections.abc import Iterator
from typing import Final

from grader.reading.log import Subset
from grader.reading.logs.said import Opening, Said, Statistics, Told
from grader.reading.logs.written import number, subset_named

MARKS: Final = ("poch", "POCH", "acc", "Acc", "ACC", "loss", "Loss", "eed")
"""Lines without any of these say nothing here."""

_LONGEST: Final = 2_000
_GAP: Final = r"[\s_/.:-]{0,3}"
_EPOCH: Final = re.compile(r"\bepochs?\b['\"]?[\s_:=#\[(-]{0,4}(\d{1,4})(?![\d.]\d)", re.IGNORECASE)
_PARTS: Final = "train|training|valid|validation|val|dev|eval|test"
_MEASURES: Final = {"accuracy": "accuracy", "acc": "accuracy", "loss": "loss"}
_VALUE: Final = re.compile(
    rf"(?<![^\W_])(?:(?P<part>{_PARTS}){_GAP}(?:set{_GAP})?)?(?:avg{_GAP}|mean{_GAP}|average{_GAP})?"
    rf"(?P<measure>accuracy|acc|loss)(?![^\W_])(?:{_GAP}(?P<after>{_PARTS})(?![^\W_]))?['\"]?\s{{0,3}}[:=]?\s{{0,3}}"
    r"(?P<value>\d{1,4}(?:\.\d{1,10})?(?:e-?\d{1,2})?)(?![\w.]*[\w])\s?%?",
    re.IGNORECASE,
)
_CHOSEN: Final = re.compile(r"\b(?:best|highest|max(?:imum)?|previous|improved|from)\b", re.IGNORECASE)
_SEED: Final = re.compile(r"\b(?:random[ _-])?seed\b['\"]?\s{0,3}[:=#]?\s{0,3}(\d{1,6})\b", re.IGNORECASE)


class PlainReader:
    """Reads lines in order; remembers the epoch that the last heading named, and the seed."""

    def __init__(self) -> None:
        self._seed: str | None = None
        self._epoch: float | None = None

    def said(self, line: str) -> Iterator[Said]:
        """What a line says."""
        if len(line) > _LONGEST or not any(mark in line for mark in MARKS):
            return
        seed = _SEED.search(line)
        if seed and seed[1] != self._seed:
            self._seed, self._epoch = seed[1], None
            yield Told("seed", seed[1], seed.group(), Opening.COMMAND)
        named = _EPOCH.search(line)
        if named:
            self._epoch = float(named[1])
        groups: dict[tuple[str, Subset], dict[str, float]] = {}
        chosen = _CHOSEN.search(line)
        for found in _VALUE.finditer(line, 0, chosen.start() if chosen else len(line)):
            value = number(found["value"])
            part = (found["part"] or found["after"] or "train").lower()
            subset = subset_named(part)
            if value is not None and subset is not None:
                source = "train" if subset is Subset.TRAIN else subset.value
                groups.setdefault((source, subset), {})[f"{source}/{_MEASURES[found['measure'].lower()]}"] = value
        for (source, subset), values in groups.items():
            if named or self._epoch is not None:
                yield Statistics(source, subset, values, epoch=self._epoch)
            elif subset is Subset.TEST:
                yield Statistics(source, subset, values, final=True)
