"""What a text states about a choice or a comparison, where it was read already and need not be found in the words."""

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
