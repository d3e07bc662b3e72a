"""What a text says about how it counts: which kinds of parameters it counts and which it leaves out."""

import re
from collections.abc import Iterator
from typing import Final

from grader.claims.counts import BY_PROGRAM
from grader.claims.passage import Passage
from grader.claims.statements import statements
from grader.frozen import Frozen
from grader.message import say
from grader.reading.evidence import Evidence

_KINDS: Final = {
    "bias": r"bias(?:es)?(?: terms?| vectors?| parameters?)?|biais",
    "norm": r"(?:layer[- ]?|batch[- ]?)?norm(?:ali[sz]ation)?s?(?: layers?| parameters?)?|normalisation",
    "head": r"(?:language[- ]model(?:l?ing)?|lm|mlm|masked[- ]lm|output|prediction|classification)[- ]heads?|t[êe]te",
}
_OMITS: Final = (
    r"omit\w*|ignor\w+|neglect\w*|exclud\w+|without|except|no|not (?:count|consider|includ|tak)\w*|disregard\w*|skip\w*"
    r"|leav\w+ out|left out|don't (?:count|consider|include)|sans|hors|n[ée]glig\w+|omet\w*|exclu\w*"
    r"|except[ée]|sauf"
)
_COUNTS: Final = (
    r"includ\w+|with|count\w*|add\w*|plus|also|considering|taking into account"
    r"|avec|inclu\w*|compt\w+|ajout\w+"
)
_KIND: Final = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _KINDS.items()), re.IGNORECASE)
_OMITTING: Final = re.compile(rf"\b(?:{_OMITS})\b", re.IGNORECASE)
_COUNTING: Final = re.compile(rf"\b(?:{_COUNTS})\b", re.IGNORECASE)
_DENIED: Final = re.compile(r"(?:\b(?:not|never|pas|nothing|rien)|n't)(?:\W+\w+){0,2}\W+\Z", re.IGNORECASE)
_PERMITTED: Final = re.compile(r"\b(?:may|might|can|could|peut|pouvez|peuvent|optional\w*|allowed)\b", re.IGNORECASE)


NAMES: Final = {"bias": say("the biases"), "norm": say("the norms"), "head": say("the parameters of the head")}
"""The kinds in words."""


class Stated(Frozen):
    """A kind of parameters (`bias`, `norm`, `head`) that a text says to be counted or left out."""

    kind: str
    counted: bool
    evidence: Evidence


def stated_conventions(passage: Passage) -> Iterator[Stated]:
    """What each statement of a passage says. One that allows either, says both or denies something says nothing, nor
    does one about what a program counts."""
    for statement in statements(passage):
        text = statement.text
        omits, counts = _OMITTING.search(text), _COUNTING.search(text)
        if _PERMITTED.search(text) or BY_PROGRAM.search(text) or not (omits or counts):
            continue
        if omits and _DENIED.search(text, 0, omits.start()):
            continue
        if omits and counts and _COUNTING.search(_OMITTING.sub(" ", text)):
            continue
        for match in _KIND.finditer(text):
            yield Stated(
                kind=match.lastgroup or "",
                counted=not omits,
                evidence=passage.evidence(statement.start + match.start(), statement.start + match.end()),
            )
