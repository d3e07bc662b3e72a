"""The three splits of a data set as a rerun uses them, read from a folder of labelled texts (tokenised lines, raw lines
or JSON lines), and the hash of what they hold.
"""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from reference.reruns.run_record import RerunError

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


class Corpus(NamedTuple):
    """Reviews by split. `how` says in words how the splits came about; `sha256` is that of all reviews in order."""

    train: tuple[Review, ...]
    valid: tuple[Review, ...]
    test: tuple[Review, ...]
    classes: int
    how: str
    sha256: str


def load_corpus(folder: Path, valid: int | None = None, tokenise: Pieces | None = None) -> Corpus:
    """Read a data folder; `valid` is the wanted size of the validation split, by default that of the file.

    Where the file holds more, a choice with as many reviews of each class is drawn from it (seed 0) and the rest joins
    the training split; where there is no such file, it is drawn from the training split. Raises RerunError.
    """
    if not folder.is_dir():
        raise RerunError(f"{folder} is no folder. Name the folder of the data with --data.")
    train, held, test = (read_split(folder, split, tokenise) for split in SPLITS)
    for split, reviews in (("train", train), ("test", test)):
        if not reviews:
            raise RerunError(f"{folder} has no split {split}: no {split}.review.spm, {split}.review or {split}.jsonl.")
    classes = _check_classes(folder, {"train": train, "valid": held, "test": test})
    how = "the splits of the files"
    if valid is not None and len(held) != valid:
        train, held, how = _cut(train, held, valid, classes, folder)
    if not held:
        raise RerunError(f"{folder} has no validation split; say how many reviews to take from train: `valid` = 200.")
    return Corpus(train, held, test, classes, how, _hash(train, held, test))


def _check_classes(folder: Path, splits: dict[str, tuple[Review, ...]]) -> int:
    classes = 1 + max(review.label for reviews in splits.values() for review in reviews)
    if classes < 2:
        raise RerunError(f"All labels in {folder} are the same; there is nothing to learn. Check the label files.")
    for split, reviews in splits.items():
        present = Counter(review.label for review in reviews)
        empty = [str(label) for label in range(classes) if not present[label]]
        if reviews and empty:
            raise RerunError(
                f"The {split} split in {folder} has no review of class {', '.join(empty)}. Every split needs every "
                f"class, and classes are counted from 0 without gaps."
            )
    return classes


def _cut(
    train: tuple[Review, ...], held: tuple[Review, ...], valid: int, classes: int, folder: Path
) -> tuple[tuple[Review, ...], tuple[Review, ...], str]:
    source = held if len(held) >= valid else train
    if len(held) not in range(1) and source is train:
        raise RerunError(f"{folder} has {len(held)} validation reviews, but {valid} are wanted; lower `valid`.")
    chosen = set(_balanced(source, valid, classes, folder))
    taken = tuple(source[number] for number in sorted(chosen))
    rest = tuple(review for number, review in enumerate(source) if number not in chosen)
    name = "validation" if source is held else "train"
    how = f"{valid} of {len(source)} reviews of the {name} file, as many of each class, drawn with seed 0"
    if source is held:
        return train + rest, taken, f"validation: {how}; train: the train file and the other {len(rest)}"
    return rest, taken, f"validation: {how}; train: the other {len(rest)}"


def _balanced(reviews: tuple[Review, ...], wanted: int, classes: int, folder: Path) -> list[int]:
    draw = random.Random(0)  # noqa: S311 - a reproducible choice, not a secret
    chosen: list[int] = []
    for label in range(classes):
        of_class = [number for number, review in enumerate(reviews) if review.label == label]
        share = wanted // classes + (label < wanted % classes)
        if share >= len(of_class):
            raise RerunError(f"{folder} has {len(of_class)} reviews of class {label}; {wanted} cannot be held out.")
        chosen += draw.sample(of_class, share)
    return chosen


def _hash(*splits: tuple[Review, ...]) -> str:
    digest = hashlib.sha256()
    for reviews in splits:
        for review in reviews:
            digest.update(f"{review.label}\t{' '.join(review.pieces)}\n".encode())
        digest.update(b"\f")
    return digest.hexdigest()
