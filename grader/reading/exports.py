"""Pages that were made from a notebook which lies beside them: they hold nothing that the notebook does not.

Words are compared pair by pair, so that other breaks of lines, marks and places of outputs make no difference. A page
with a sentence, a number or a picture of its own is none: that may be an answer.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from grader.language.folding import fold_text
from grader.language.shapes import TOKEN
from grader.reading.document import Block, BlockKind, Document
from grader.reading.notebook import Notebook, notebook_document

_FEWEST_WORDS: Final = 40
"""A shorter page may say the same by chance."""
_MOST_STRANGE: Final = 0.1
"""So many pairs of words of a block may differ, by a formula or a link that is shown otherwise, or one in any case."""
_LEAST_SHOWN: Final = 0.9
"""An export shows at least so much of the words and code of its notebook."""


def notebook_of(document: Document, notebooks: Sequence[Notebook]) -> Notebook | None:
    """The notebook from which a document was made, if all that the document holds stands there; else None."""
    words = list(map(_words, document.blocks))
    if document.hidden or document.problems or sum(map(len, words)) < _FEWEST_WORDS:
        return None
    return next(
        (notebook for notebook in notebooks if not notebook.problems and _is_made_from(document, words, notebook)), None
    )


def _is_made_from(document: Document, words: Sequence[list[str]], notebook: Notebook) -> bool:
    whole = notebook_document(notebook)
    written = _pairs(map(_words, filter(lambda block: block.kind is not BlockKind.OUTPUT, whole.blocks)))
    if (written & _pairs(words)).total() < _LEAST_SHOWN * written.total():
        return False
    notebook_words = list(map(_words, whole.blocks))
    pairs, numbers = (
        _pairs(notebook_words),
        {word for block_words in notebook_words for word in block_words if word.isdecimal()},
    )
    letters = "".join(word for block_words in notebook_words for word in block_words)
    figures, own_figures = (
        sum(block.kind is BlockKind.FIGURE for block in candidate.blocks) for candidate in (document, whole)
    )
    return figures <= own_figures and all(
        "".join(block_words) in letters or _is_known(block_words, pairs, numbers) for block_words in words
    )


def _is_known(words: Sequence[str], pairs: Counter[tuple[str, str]], numbers: set[str]) -> bool:
    """Whether a block says nothing new: hardly a pair of its words is, and no number of two digits or more."""
    strange = sum(pair not in pairs for pair in pairwise(words))
    return strange <= max(1, _MOST_STRANGE * len(words)) and all(
        word in numbers for word in words if word.isdecimal() and len(word) > 1
    )


def _words(block: Block) -> list[str]:
    return TOKEN.findall(fold_text(block.text))


def _pairs(words: Iterable[Sequence[str]]) -> Counter[tuple[str, str]]:
    return Counter(pair for block_words in words for pair in pairwise(block_words))
