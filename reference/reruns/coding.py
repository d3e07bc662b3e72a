"""The coding of reviews as the numbers that a model reads, and the batches in which they meet, drawn from the seed as
fairseq draws them."""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reference.reruns.corpus import Corpus, Pieces, Review
from reference.reruns.run_record import RerunError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase


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


class Example(NamedTuple):
    """A review as numbers, and its class."""

    numbers: list[int]
    label: int


def fixed_batches(count: int, batch: int, seed: int) -> list[list[int]]:
    """Batches of example indices: one permutation, cut into pieces, the same in every epoch."""
    import numpy as np

    order = np.random.RandomState(seed).permutation(count).tolist()
    return [order[start : start + batch] for start in range(0, count, batch)]


def epoch_order(batches: int, seed: int, epoch: int) -> list[int]:
    """The order of the batches in an epoch, counted from 1."""
    import numpy as np

    order: list[int] = np.random.RandomState(seed + epoch).permutation(batches).tolist()
    return order


def micro_batches(examples: list[Example], size: int) -> list[list[Example]]:
    """A batch in parts of like length: the gradient of their sum is the batch's, with less padding."""
    ordered = sorted(examples, key=lambda example: len(example.numbers))
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]


def tensors(examples: list[Example], pad: int = PAD) -> "tuple[torch.Tensor, torch.Tensor, torch.Tensor]":
    """Numbers and mask of shape (examples, longest), and labels of shape (examples,)."""
    import torch

    lengths = [len(example.numbers) for example in examples]
    padded = [example.numbers + [pad] * (max(lengths) - len(example.numbers)) for example in examples]
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return torch.tensor(padded), mask.long(), torch.tensor([example.label for example in examples])


DICTIONARY = "dict.txt"


class Coder(NamedTuple):
    """Turns a review into numbers; `rows` is how many rows of an embedding they need."""

    encode: Callable[[Review], list[int]]
    pad: int
    rows: int


class Examples(NamedTuple):
    """The splits as a model reads them."""

    train: list[Example]
    valid: list[Example]
    test: list[Example]
    pad: int = PAD


def examples(corpus: Corpus, coder: Coder) -> Examples:
    """All splits of a corpus as numbers."""
    train, valid, test = (
        [Example(coder.encode(review), review.label) for review in reviews]
        for reviews in (corpus.train, corpus.valid, corpus.test)
    )
    return Examples(train, valid, test, coder.pad)


def dictionary_coder(corpus: Corpus, folders: tuple[Path, ...], rows: int | None, longest: int) -> Coder:
    """The coder of the first `dict.txt` in some folders, or of the training texts where there is none.

    With `rows`, the pieces that occur least are unknown where the dictionary is longer. Raises RerunError.
    """
    file = next((folder / DICTIONARY for folder in folders if (folder / DICTIONARY).is_file()), None)
    pieces = read_dictionary(file) if file else frequent_pieces(corpus.train)
    if rows is not None:
        pieces = fitting(pieces, rows, corpus.train)
    numbers = numbering(pieces)
    check_known(corpus.train, numbers, str(file or "made from the training texts"))
    return Coder(lambda review: encode(review, numbers, longest), PAD, len(pieces) + 5)


def tokenizer_of(folder: Path) -> "PreTrainedTokenizerBase":
    """The tokenizer in a checkpoint's folder; nothing is downloaded. Raises RerunError."""
    from transformers import AutoTokenizer

    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise RerunError(f"{folder} holds no tokenizer that transformers can load: {error}") from error
    return tokenizer


def tokenizer_coder(tokenizer: "PreTrainedTokenizerBase", corpus: Corpus, longest: int) -> Coder:
    """The coder of a checkpoint's own tokenizer, with its marks around every text. Raises RerunError."""
    numbers = tokenizer.get_vocab()
    check_known(corpus.train, numbers, "of the checkpoint's tokenizer")
    begin = tokenizer.bos_token_id if tokenizer.cls_token_id is None else tokenizer.cls_token_id
    end = tokenizer.eos_token_id if tokenizer.sep_token_id is None else tokenizer.sep_token_id
    unknown = tokenizer.unk_token_id
    before, after = ([mark] if isinstance(mark, int) else [] for mark in (begin, end))

    def code(review: Review) -> list[int]:
        body = [numbers.get(piece, unknown) for piece in review.pieces]
        return before + body[: longest - len(before) - len(after)] + after

    pad = tokenizer.pad_token_id
    return Coder(code, pad if isinstance(pad, int) else 0, len(tokenizer))


def sentencepiece_pieces(file: Path) -> Pieces:
    """The tokeniser of a sentencepiece model. Raises RerunError when the library or the model is not there."""
    try:
        from sentencepiece import SentencePieceProcessor
    except ModuleNotFoundError as error:
        raise RerunError("Raw text needs the library sentencepiece: pip install sentencepiece") from error
    try:
        processor = SentencePieceProcessor(model_file=str(file))
    except (OSError, RuntimeError) as error:
        raise RerunError(f"{file} is no sentencepiece model: {error}") from error

    def pieces(text: str) -> list[str]:
        found: list[str] = processor.encode(text, out_type=str)
        return found

    return pieces
