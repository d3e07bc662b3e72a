"""The later stages of grading once more, from what the earlier ones left."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from grader.checks.finding import HAND_IN, UNREADABLE, is_withdrawn, undecided
from grader.lab.definition import Lab
from grader.lab.short_answers import Decisions
from grader.lab.truth import GroundTruth
from grader.pipeline.hashes import grader_identity, hash_of, library_versions
from grader.pipeline.stages import (
    FINDINGS,
    READING,
    Judged,
    Maker,
    StoredReadingError,
    kept_in,
    key_of,
    packed,
    seen_by_checks,
)
from grader.reader.answer import Record
from grader.reading.log import Reading

if TYPE_CHECKING:
    from grader.pipeline.one import Stages


class Basis(NamedTuple):
    """What findings follow from, beside the reading: this grader, and a hash of what checks see of lab and truth. The
    stored decisions come after them, and matter only where a reader was consulted: those about a hand-in's own answers,
    and whether the verdicts on a question are `withdrawn`."""

    maker: Maker
    findings: str
    decisions: Decisions = Decisions()
    withdrawn: tuple[str, ...] = ()


class Replayed(NamedTuple):
    """What is found in a reading, what made the reading, and the content of the file that keeps the findings; None
    where they are too large to be kept."""

    found: Judged
    maker: Maker
    findings: bytes | None


def basis_of(lab: Lab, truth: GroundTruth) -> Basis:
    """The basis of grading a lab with this grader. Raises OSError when the grader's own files cannot be read."""
    grader = grader_identity()
    facts = truth.sha256 or hash_of(truth.model_dump())
    topics = sorted({_topic(one.group) for one in lab.decisions.decisions})
    return Basis(
        Maker(
            grader=grader,
            logs=hash_of([one.model_dump() for one in lab.logs]) if lab.logs else "",
            libraries=library_versions(),
        ),
        hash_of([grader, undecided(seen_by_checks(lab)).model_dump(), facts]),
        lab.decisions,
        tuple(topic for topic in topics if is_withdrawn(lab, topic)),
    )


def kept_stages(
    stages: "Stages", submission_sha256: str, basis: Basis, record: Record | None = None
) -> dict[str, bytes]:
    """The content of the files that keep the stages, by name: none where the reading is too large to be kept. `record`
    is what a reader answered."""
    reading = packed(stages.reading, submission_sha256, basis.maker)
    if reading is None:
        return {}
    findings = _packed_findings(stages.found, _hash(reading), submission_sha256, basis, record)
    return {READING: reading} if findings is None else {READING: reading, FINDINGS: findings}


def kept_findings(folder: Path, submission_sha256: str, basis: Basis, record: Record | None = None) -> Judged | None:
    """What was found in the reading of a submission, where everything that it follows from is as it was; else None."""
    try:
        reading_hash = _hash((folder / READING).read_bytes())
        kept = kept_in(folder / FINDINGS, Judged)
    except (StoredReadingError, OSError):
        return None
    return kept.value if kept.key == _findings_key(kept.value, reading_hash, submission_sha256, basis, record) else None


def findings_hold(folder: Path, submission_sha256: str, basis: Basis) -> bool:
    """Whether what is kept of the reading of a submission is whole, and everything that its findings follow from is as
    it was. They themselves are not read. False also for those that a reader had part in."""
    try:
        reading_hash = _hash((folder / READING).read_bytes())
        return key_of((folder / FINDINGS).read_bytes()) == _key(reading_hash, submission_sha256, basis)
    except (StoredReadingError, OSError):
        return False


def replayed(
    folder: Path, submission_sha256: str, lab: Lab, truth: GroundTruth, basis: Basis, record: Record | None = None
) -> Replayed:
    """What is found in the reading in a student's folder. Without a hash, the reading of any submission will do.

    Raises StoredReadingError when there is no reading of this submission.
    """
    from grader.pipeline.one import claimed, judged

    kept = kept_in(folder / READING, Reading)
    if submission_sha256 and kept.key != submission_sha256:
        raise StoredReadingError("is of another hand-in")
    found = judged(kept.value, claimed(kept.value, lab), lab, truth, record)
    reading_hash = _hash((folder / READING).read_bytes())
    return Replayed(found, kept.maker, _packed_findings(found, reading_hash, kept.key, basis, record))


def _packed_findings(
    found: Judged, reading_hash: str, submission_sha256: str, basis: Basis, record: Record | None
) -> bytes | None:
    return packed(found, _findings_key(found, reading_hash, submission_sha256, basis, record), basis.maker)


def _findings_key(found: Judged, reading_hash: str, submission_sha256: str, basis: Basis, record: Record | None) -> str:
    asked = (record.key,) if record else ()
    return _key(reading_hash, submission_sha256, basis, _decided(found, basis), *asked)


def _key(reading_hash: str, submission_sha256: str, basis: Basis, decided: str = "", *asked: str) -> str:
    parts = (reading_hash, submission_sha256, basis.findings, decided, *asked)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _decided(found: Judged, basis: Basis) -> str:
    """The decisions that a hand-in's findings follow from: none, unless a reader was consulted. Which groups its
    answers belong to follows from no decision, and every finding that may be decided names its group, or that of the
    whole hand-in."""
    if not found.is_settled:
        return ""
    groups = sorted({finding.group for finding in found.findings if finding.group})
    if any(group.startswith((HAND_IN, UNREADABLE)) for group in groups):
        return hash_of([basis.decisions.model_dump(), basis.withdrawn])
    own = [one.model_dump() for group in groups if (one := basis.decisions.of(group))]
    return hash_of([own, sorted({_topic(group) for group in groups}.intersection(basis.withdrawn))])


def _topic(group: str) -> str:
    return group.partition(":")[0]


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
