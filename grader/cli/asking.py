"""What the verbs that ask the gradebook have in common."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.cli.gradebook_options import place
from grader.cli.preparation import UnusableInputError

if TYPE_CHECKING:
    from grader.gradebook.database import Database
    from grader.gradebook.diff import GradeChange
    from grader.gradebook.kept import Kept
    from grader.gradebook.outline import ItemOutline


@contextmanager
def opened(gradebook: str | None, out: Path) -> "Iterator[Database]":
    """The gradebook, which must be there; what is wrong with it ends the command with words."""
    from grader.gradebook.database import open_database
    from grader.gradebook.errors import GradebookError

    try:
        with closing(open_database(place(gradebook, out), create=False)) as database:
            yield database
    except GradebookError as error:
        raise UnusableInputError(str(error)) from error


def when(time: datetime) -> str:
    """A time of the gradebook, as it was here."""
    return f"{time.astimezone():%Y-%m-%d %H:%M}"


def item_lines(change: "GradeChange") -> Iterator[str]:
    """The items that are otherwise, a line for each, the reason where it is not the one of the whole grade."""
    from grader.gradebook.told import item_why, item_words

    for item in change.items:
        reason = f"  ({item_why(item)})" if item.decision or item.why != change.why else ""
        yield f"    {item.item:24} {item_words(item.before)} → {item_words(item.after)}{reason}"


def grade_data(kept: "Kept") -> dict[str, Any]:
    """A grade for programs."""
    outline = kept.outline
    return {
        "run": kept.run,
        "graded": kept.graded.isoformat(),
        "score": float(outline.score),
        "pending": float(outline.pending),
        "max_score": float(outline.max_score),
        "late_penalty": float(outline.late_penalty),
        "error": outline.error,
        "submission_sha256": kept.submission_sha256,
        "result_sha256": kept.result_sha256,
        "inputs": kept.inputs._asdict(),
    }


def change_data(change: "GradeChange") -> dict[str, Any]:
    """A change for programs."""
    return {
        "points": float(change.points),
        "why": list(change.why),
        "items": [
            {
                "item": item.item,
                "why": list(item.why),
                "decision": item.decision or None,
                "before": _item_data(item.before),
                "after": _item_data(item.after),
            }
            for item in change.items
        ],
    }


def _item_data(item: "ItemOutline | None") -> dict[str, Any] | None:
    if item is None:
        return None
    return {"status": item.status, "score": item.score, "pending": item.pending}
