"""A folder of labelled texts: `train`, `valid` and `test`, as tokenised lines, raw lines or JSON lines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from reference.reruns.errors import RerunError

SPLITS = ("train", "valid", "test")
TOKENISED = (".review.spm", ".spm.review", ".spm")
RAW = (".review", ".txt")


class Review(NamedTuple):
    """A text as sentencepiece pieces, and its class, counted from 0."""

    pieces: tuple[str, ...]
    label: int


Pieces = Callable[[str], list[str]]
"""A tokeniser: from a text to its pieces."""


def read_split(folder: Path, split: str, tokenise: Pieces | None) -> tuple[Review, ...]:
    """The reviews of a split; none where the folder has no such split. `tokenise` is needed for raw text only.

    Raises RerunError when files contradict each other or cannot be read.
    """
    tokenised = _first(folder, split, TOKENISED)
    if tokenised is not None:
        return _labelled(tokenised, [tuple(line.split()) for line in _lines(tokenised)], folder, split)
    raw = _first(folder, split, RAW)
    if raw is not None:
        texts = _lines(raw)
        return _labelled(raw, [tuple(_needed(tokenise, raw)(text)) for text in texts], folder, split)
    records = _first(folder, split, (".jsonl", ".json"))
    return _from_records(records, tokenise) if records is not None else ()


def _first(folder: Path, split: str, endings: tuple[str, ...]) -> Path | None:
    return next((path for ending in endings if (path := folder / f"{split}{ending}").is_file()), None)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise RerunError(f"{path} is not UTF-8 (byte {error.start}); convert it first.") from error


def _labelled(path: Path, texts: list[tuple[str, ...]], folder: Path, split: str) -> tuple[Review, ...]:
    file = folder / f"{split}.label"
    if not file.is_file():
        raise RerunError(f"{path} has no labels: {file} is missing. It needs one label a line.")
    labels = _lines(file)
    if len(labels) != len(texts):
        raise RerunError(
            f"{path.name} has {len(texts)} lines but {file.name} has {len(labels)}: line n of one belongs to line n "
            f"of the other, so both need as many. A line break inside a text is the usual cause."
        )
    return tuple(
        Review(pieces, _label(label, file, number))
        for number, (pieces, label) in enumerate(zip(texts, labels, strict=True), start=1)
    )


def _label(text: object, file: Path, number: int) -> int:
    stripped = str(text).strip()
    if not (stripped.isdecimal() and stripped.isascii()):
        raise RerunError(f"{file}, line {number}: {stripped[:20]!r} is no class. Classes are numbers from 0 on.")
    return int(stripped)


def _from_records(path: Path, tokenise: Pieces | None) -> tuple[Review, ...]:
    found = []
    for number, line in enumerate(_lines(path), start=1):
        try:
            record = json.loads(line)
            text, label = str(record.get("sentence") or record["text"]), record["label"]
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise RerunError(
                f'{path}, line {number} is not of the form {{"text": "…", "label": 0}}: {error or type(error).__name__}'
            ) from error
        found.append(Review(tuple(_needed(tokenise, path)(text)), _label(label, path, number)))
    return tuple(found)


def _needed(tokenise: Pieces | None, path: Path) -> Pieces:
    if tokenise is None:
        raise RerunError(
            f"{path} is raw text. Name a sentencepiece model (`sentencepiece` in the lab's [[reruns]]), or tokenise "
            f"it yourself into {path.name.partition('.')[0]}{TOKENISED[0]}."
        )
    return tokenise
