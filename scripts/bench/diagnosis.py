"""Wrong hand counts of random models, explained: is the true story listed, and is it told first?"""

import time
from collections.abc import Iterator
from random import Random

from grader.checks.totals import shown_values
from grader.checks.wrong_count import Story, by_derivation, stories
from grader.claims.answer import Answer, extract
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.reading.document import Document
from grader.reading.markdown import markdown_blocks
from grader.reading.reading import FileRecord, FileState, Reading
from scripts.bench.figure import Figure
from tests.generated.wrong_counts import WrongCount, derivation, parts, wrong_count

COUNTS = 2_000


def figures(counts: int = COUNTS) -> Iterator[Figure]:
    """The shares of true stories listed and told first, and the slowest diagnosis."""
    random = Random(5)  # noqa: S311
    listed = first = 0
    slowest = 0.0
    for _ in range(counts):
        made = wrong_count(random)
        started = time.process_time()
        found = stories(made.total, made.truth.counts, made.truth)
        slowest = max(slowest, time.process_time() - started)
        listed += any(_is_true(story, made) for story in found)
        shown = shown_values(claims_of(derivation(made, random)), LAB, "q", made.truth, made.truth.models[0].id).seen
        weighed = by_derivation(found, shown)
        first += bool(weighed) and _is_true(weighed[0].story, made)
    yield Figure(f"wrong counts, true story listed, of {counts:,}", 100 * listed / counts, "%", 100, at_least=True)
    yield Figure("  told first, given the derivation", 100 * first / counts, "%", 95, at_least=True)
    yield Figure("  slowest diagnosis", 1000 * slowest, "ms", 50)


def _is_true(story: Story, made: WrongCount) -> bool:
    """Whether a story counts just what was counted, part by part."""
    counted: dict[str, int] = {}
    for piece in story.counted:
        counted[piece.part] = counted.get(piece.part, 0) + piece.values
    return counted == parts(made.counted)


LAB = Lab.model_validate(
    {
        "id": "l",
        "title": "L",
        "seeds": 1,
        "questions": [
            {
                "id": "q",
                "title": "Q",
                "labels": ["question 1"],
                "items": [{"id": "q.a", "title": "T", "points": "1", "check": "c"}],
            }
        ],
    }
)


def claims_of(text: str) -> Answer:
    """Return the claims in an answer that holds a count by hand alone."""
    blocks = tuple(markdown_blocks(text.split("\n")))
    record = FileRecord(path="a.md", role=Role.REPORT, state=FileState.READ)
    reading = Reading(documents=(Document(file="a.md", exact=True, blocks=blocks),), files=(record,))
    return extract(reading, LAB)
