"""Cards of readers: what was measured of a reader on labelled examples, what that allows it to decide, and where its
card lies."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import Field, ValidationError

from grader.frozen import Frozen
from grader.risk import lower_bound, upper_bound

RESULTS, SELECTION, COMPARISON, DEFINITIONS, TOTAL, PARTS, VALUES, QUANTISATION, TRAINABLE, PROMPT = KINDS = (
    *("results", "selection", "comparison", "definitions", "total", "parts", "values"),
    *("quantisation", "trainable", "prompt"),
)
"""The kinds of facts that are measured apart."""

SNIPPETS: Final = {QUANTISATION: "configured-call", TRAINABLE: "trainable-count", PROMPT: "prompt-format"}
"""Places that a reader only points at, and the checks that judge what stands there."""


class Measure(Frozen):
    """The measured errors for one kind of facts: of the `stated` facts, `wrong` are wrong; of the `expected` facts,
    which stand in the texts, `missed` were missed."""

    stated: int = 0
    wrong: int = 0
    expected: int = 0
    missed: int = 0

    @property
    def precision_bound(self) -> float:
        """The one-sided 95 % upper bound of the share of facts that are wrong."""
        return upper_bound(self.wrong, self.stated)

    @property
    def recall_bound(self) -> float:
        """The same of the share of facts that are missed."""
        return upper_bound(self.missed, self.expected)

    def plus(self, other: "Measure") -> "Measure":
        """Both together."""
        return Measure(
            stated=self.stated + other.stated,
            wrong=self.wrong + other.wrong,
            expected=self.expected + other.expected,
            missed=self.missed + other.missed,
        )


class Card(Frozen):
    """The performance of a reader on the labelled examples of a lab. `quotes` counts quotes and those that stand
    nowhere; `labels` its labels of definitions by class; `together` the labels on which the frozen model of short
    answers agrees with it. `request` is the hash of what it was asked."""

    reader: str
    lab: str
    request: str
    examples: int
    failed: int = 0
    quotes: Measure = Measure()
    kinds: dict[str, Measure] = Field(default_factory=dict)
    labels: dict[str, Measure] = Field(default_factory=dict)
    together: dict[str, Measure] = Field(default_factory=dict)


class EarnedRights(Frozen):
    """The rights that a reader has earned: `facts` are kinds that its word alone may decide, `absences` kinds of which
    nothing is there if it states nothing, `labels` those that decide together with the frozen model."""

    facts: frozenset[str] = frozenset()
    absences: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()


NOTHING: Final = EarnedRights()


_GROUPS: Final = (
    (RESULTS,),
    (SELECTION, COMPARISON),
    (DEFINITIONS,),
    (TOTAL, PARTS, VALUES),
    (QUANTISATION, TRAINABLE, PROMPT),
)
"""Kinds of which there are few facts in one text are measured together; one that clearly errs more often stays out."""


def rights_of(card: Card | None, risk: float) -> EarnedRights:
    """Return the rights that a card gives a reader if `risk` is the allowed share of wrong verdicts; none without a
    card."""
    if card is None or card.quotes.precision_bound > risk:
        return NOTHING
    overlooked = {kind: Measure(stated=measure.expected, wrong=measure.missed) for kind, measure in card.kinds.items()}
    return EarnedRights(
        facts=frozenset(kind for group in _GROUPS for kind in _kept(group, card.kinds, risk)),
        absences=frozenset(kind for group in _GROUPS for kind in _kept(group, overlooked, risk)),
        labels=frozenset(_kept(tuple(card.together), card.together, risk)),
    )


def _kept(group: Sequence[str], measures: Mapping[str, Measure], risk: float) -> Iterator[str]:
    """Yield the members of a group that keep the risk, provided that the whole group does."""
    own_measures = {name: measures[name] for name in group if name in measures}
    stated, wrong = (
        sum(measure.stated for measure in own_measures.values()),
        sum(measure.wrong for measure in own_measures.values()),
    )
    if upper_bound(wrong, stated) <= risk:
        yield from (
            name for name, measure in own_measures.items() if lower_bound(measure.wrong, measure.stated) <= risk
        )


FOLDER: Final = "readers"
"""Beside lab.toml."""


class CardError(Exception):
    """A card cannot be used; the message says why."""


def card_path(lab: Path, reader: str) -> Path:
    """Return the path of a reader's card in a lab's folder."""
    return lab / FOLDER / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', reader).strip('-')[:150]}.json"


def read_card(path: Path) -> Card | None:
    """The card in a file; None where there is none. Raises CardError."""
    try:
        return Card.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CardError(f"{path} cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise CardError(f"{path} is no card: qualify the reader again.") from error
