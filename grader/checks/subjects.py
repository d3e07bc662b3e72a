"""Find the subjects of sentences, for questions that ask the same about several things.

In `the loss falls while the accuracy rises`, the accuracy rises. The subject of a word is the thing that its clause
names before it, or else after it. Two things joined by `and` are one subject. A clause that names nothing has the
subject of the clause before.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple

from grader.claims.statements import speaks_of
from grader.language import lexicon

_MOST: Final = 50
_JOINED: Final = r"\w*\s?(?P<noun>\w+\s)?(?:<and>|&|/|,)\s?(?:<the>\s)?"
"""The text between two names that may be one subject."""
_STEM: Final = 4


class Subject(Enum):
    """Whether a word is said of an item's subject, only of another one, or of an unknown one."""

    OWN = "own"
    OTHER = "other"
    UNKNOWN = "unknown"


class _Name(NamedTuple):
    start: int
    end: int
    is_own: bool


def places_of(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield all places in a text that mention some words."""
    at = 0
    for _ in range(_MOST):
        match = speaks_of(text[at:], words)
        if match is None or match.end() == match.start():
            return
        yield at + match.start(), at + match.end()
        at += match.end()


def subject_of(sentence: str, start: int, own_words: Sequence[str], others: Sequence[str]) -> Subject:
    """Return the subject of the word at `start`: a thing that `own_words` names, or one that `others` name, which may
    contain a name of `own_words`: `non-linear`.

    It is unknown if the clause names neither after a condition or a time, as in `when we increase the depth`.
    """
    marked = ((own_words, True), (others, False))
    every = [_Name(*place, is_own) for words, is_own in marked for place in places_of(sentence, words)]
    wide = [name for name in every if not name.is_own]
    names = sorted(
        name
        for name in every
        if not (name.is_own and any(other.start < name.start and name.end <= other.end for other in wide))
    )
    edges = [0, *(at for match in lexicon.find_all(_CLAUSE, sentence) for at in match.span()), len(sentence)]
    clauses = [(left, right) for left, right in zip(edges[::2], edges[1::2], strict=True) if left <= start]
    nearest = _nearest(names, clauses, start)
    if nearest is None:
        return Subject.UNKNOWN if lexicon.search("<supposing>", sentence[clauses[-1][0] : start]) else Subject.OWN
    return Subject.OWN if any(name.is_own for name in _joined_to(sentence, names, nearest)) else Subject.OTHER


def _nearest(names: Sequence[_Name], clauses: Sequence[tuple[int, int]], start: int) -> _Name | None:
    """Return the name that is the subject of the word at `start`, or None.

    It is the last name before the word in its clause, or the next one, or else the first name of the last clause with
    one.
    """
    for left, right in reversed(clauses):
        within = [name for name in names if left <= name.start < right]
        if within:
            is_own = right >= start
            return next((name for name in reversed(within) if name.start <= start and is_own), within[0])
    return None


def clause_at(sentence: str, start: int) -> str:
    """Return the clause of the word at `start`."""
    edges = [match.span() for match in lexicon.find_all(_CLAUSE, sentence)]
    left = max((end for _, end in edges if end <= start), default=0)
    return sentence[left : min((begin for begin, _ in edges if begin >= start), default=len(sentence))]


_CLAUSE: Final = r"[,;:()—]\s|\s(?:<break|contrast|but_or_while>|<and>)\s(?=[^,;:]*\s)"


def _joined_to(sentence: str, names: Sequence[_Name], first: _Name) -> list[_Name]:
    """Return a name with those joined to it: `the training and the testing score`."""
    found = [first]
    for name in names:
        left, right = sorted((name, first))
        match = lexicon.fullmatch(_JOINED, sentence[left.end : right.start]) if name is not first else None
        noun = (match["noun"] or "").strip() if match else ""
        behind = sentence[right.end :].partition(" ")[2]
        if match and behind.lower().startswith(noun[:_STEM].lower()):
            found.append(name)
    return found
