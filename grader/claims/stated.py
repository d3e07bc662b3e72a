"""What a text states about a choice, a comparison or a value, where somebody has read it already."""

from grader.frozen import Frozen
from grader.reading.evidence import Evidence


class StatedChoice(Frozen):
    """How the checkpoints of some experiments were chosen. `by` is the split whose accuracy chose them, `last` for the
    last checkpoint, or None for another way."""

    experiments: tuple[str, ...]
    by: str | None
    evidence: Evidence


class StatedComparison(Frozen):
    """A sentence that compares two experiments: the one that it calls better, None where it calls neither so."""

    better: str | None
    evidence: Evidence


class StatedValue(Frozen):
    """The value that a text states for a parameter, and where it stands."""

    value: str
    evidence: Evidence
