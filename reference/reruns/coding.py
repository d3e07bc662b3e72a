"""From reviews to the numbers that a model reads."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reference.reruns.batches import Example
from reference.reruns.corpus import Corpus
from reference.reruns.errors import RerunError
from reference.reruns.reviews import Pieces, Review
from reference.reruns.vocabulary import (
    PAD,
    check_known,
    encode,
    fitting,
    frequent_pieces,
    numbering,
    read_dictionary,
)

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

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
