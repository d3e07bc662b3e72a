"""The dictionary of pieces as fairseq numbers it: four special symbols, the lines of `dict.txt`, and the mask."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from reference.reruns.errors import RerunError
from reference.reruns.reviews import Review

BEGIN, PAD, END, UNKNOWN = 0, 1, 2, 3
SPECIAL = 4
MOST_UNKNOWN = 0.2
"""With a larger share of unknown pieces, a dictionary is of another tokenisation; a good one has less than 1 %."""


def read_dictionary(path: Path) -> list[str]:
    """The pieces of a fairseq `dict.txt`, the most frequent first. Raises RerunError when it is none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RerunError(f"The dictionary {path} cannot be read: {error}") from error
    pieces = [line.rpartition(" ")[0] for line in lines]
    if not all(pieces):
        number = pieces.index("") + 1
        raise RerunError(f"{path}, line {number} is not of the form `piece count`, as fairseq writes dictionaries.")
    return pieces


def frequent_pieces(reviews: Iterable[Review]) -> list[str]:
    """The pieces of some reviews, the most frequent first, as fairseq makes a dictionary of its own."""
    counts = Counter(piece for review in reviews for piece in review.pieces)
    return [piece for piece, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))]


def fitting(pieces: list[str], rows: int, reviews: Iterable[Review]) -> list[str]:
    """As many pieces as an embedding of `rows` rows has room for: those that occur most in some reviews, in the order
    of the dictionary."""
    room = rows - SPECIAL - 1
    if len(pieces) <= room:
        return pieces
    counts = Counter(piece for review in reviews for piece in review.pieces)
    kept = set(sorted(pieces, key=lambda piece: -counts[piece])[:room])
    return [piece for piece in pieces if piece in kept]


def numbering(pieces: list[str]) -> dict[str, int]:
    """The number of each piece, which is its row of the embedding; the row after the last one is the mask's."""
    return {piece: SPECIAL + rank for rank, piece in enumerate(pieces)}


def encode(review: Review, numbers: dict[str, int], longest: int) -> list[int]:
    """The numbers of a review between its two marks, cut to `longest` afterwards, as fairseq cuts."""
    return [BEGIN, *(numbers.get(piece, UNKNOWN) for piece in review.pieces), END][:longest]


def check_known(reviews: Iterable[Review], numbers: dict[str, int], where: str) -> float:
    """The share of pieces without a number. Raises RerunError when the dictionary cannot be that of these texts."""
    pieces = [piece for review in reviews for piece in review.pieces]
    share = sum(piece not in numbers for piece in pieces) / max(1, len(pieces))
    if share > MOST_UNKNOWN:
        raise RerunError(
            f"{share:.0%} of the pieces are not in the dictionary {where}: it belongs to another tokenisation. "
            f"Tokenise the texts with the sentencepiece model that the dictionary was made with."
        )
    return share
