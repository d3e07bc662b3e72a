"""The three splits of a data set as a rerun uses them, and the hash of what they hold."""

import hashlib
import random
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from reference.reruns.errors import RerunError
from reference.reruns.reviews import SPLITS, Pieces, Review, read_split


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
