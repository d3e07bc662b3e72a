"""Find superlatives in questions, such as `the largest error`, and sentences that attribute them to something."""

from typing import Final, NamedTuple

from grader.language import lexicon
from grader.language.folding import fold_text
from grader.language.shapes import TOKEN

_KINDS: Final = ("hardest", "easiest", "best_of_all", "worst_of_all", "most_of_all", "least_of_all")
"""The order matters, because `most difficult` is the hardest."""
_BEHIND: Final = 3
"""The number of words after a superlative that may name its subject."""
_LONG: Final = 4


class Superlative(NamedTuple):
    """A kind of superlative, and the words directly after it that name its subject."""

    kind: str
    nouns: frozenset[str]


def told_most(text: str) -> Superlative | None:
    """Return the superlative in a question, or None if it has none or several kinds."""
    found = _superlatives(text)
    kinds = {most.kind for most in found}
    return Superlative(kinds.pop(), frozenset().union(*(most.nouns for most in found))) if len(kinds) == 1 else None


def is_most(sentence: str, sought: Superlative) -> bool:
    """Whether a sentence attributes the superlative to something.

    It names no other kind, denies nothing, and names no other subject.
    """
    if lexicon.search("<short_of_most|negation|other_choice>", sentence) or "?" in sentence:
        return False
    found = _superlatives(sentence)
    is_of_kind = bool(found) and all(most.kind == sought.kind for most in found)
    return is_of_kind and all(not most.nouns or not most.nouns.isdisjoint(sought.nouns) for most in found)


def _superlatives(text: str) -> list[Superlative]:
    found = []
    for kind in _KINDS:
        for match in list(lexicon.find_all(f"<{kind}>", text)):
            behind = text[match.end() :].partition(".")[0].partition(",")[0]
            words = [fold_text(word) for word in TOKEN.findall(behind)[:_BEHIND]]
            found.append(Superlative(kind, frozenset(word for word in words if len(word) >= _LONG)))
            text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
    return found
