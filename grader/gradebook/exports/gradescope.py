"""Gradescope's `results.json`, one for each result: what its autograder harness shows and takes for a grade.

The score at the top goes before the sum of the tests, so lateness counts. Nothing is hidden, as one hidden test would
hide the total. A test that awaits a person has no score, which makes it a mere remark.
"""

import json
from typing import Any, Final

from grader.gradebook.exports.outcome import Exported, Pending, Wanted, feedback_line, gradable
from grader.result import ItemResult, Result

_LONGEST: Final = 20_000
_NEXT: Final = (
    "have an autograder of your own copy each student's file to /autograder/results/results.json; "
    "`grade package gradescope` makes one that grades at every upload."
)


def gradescope(results: tuple[Result, ...], wanted: Wanted) -> Exported:
    """A file for each student; a single one is called `results.json`. What awaits a person is said there, item by item,
    so that those students are not left out."""
    ready = gradable(results, wanted, Pending.SCORE)
    files = tuple((f"{result.student.id}/results.json", results_json(result)) for result in ready.results)
    if len(files) == 1:
        files = (("results.json", files[0][1]),)
    return Exported(files, ready.notes, len(files), len(files), _NEXT)


def results_json(result: Result) -> bytes:
    """The text of `results.json`, with everything visible."""
    return (json.dumps(results_data(result), ensure_ascii=False) + "\n").encode("utf-8", errors="replace")


def results_data(result: Result, visibility: str = "visible") -> dict[str, Any]:
    """What `results.json` holds; `visibility` is that of the items."""
    numbers = {question.id: place for place, question in enumerate(result.questions, 1)}
    seen: dict[str, int] = {}
    tests = []
    for item in result.items:
        seen[item.question] = seen.get(item.question, 0) + 1
        tests.append(_test(item, f"{numbers.get(item.question, 0)}.{seen[item.question]}", visibility))
    return {
        "score": float(result.score),
        "output": feedback_line(result),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"lab": result.lab.id, "student": result.student.id, "needs_review": result.needs_review},
    }


def explained(item: ItemResult) -> str:
    """An item for its student, as text: what was read, what is right, and what follows."""
    decision = f"Decided by {item.override.author}: {item.override.reason}" if item.override else ""
    parts = (
        "A person will decide." if item.pending else "",
        decision,
        item.feedback,
        *(diagnosis.text for diagnosis in item.diagnoses),
        f"Read: {item.found}" if item.found else "",
        f"Right: {item.expected}" if item.expected else "",
    )
    return "\n".join(part for part in parts if part)[:_LONGEST]


def _test(item: ItemResult, number: str, visibility: str) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{item.title} ({item.id})",
        "number": number,
        "output": explained(item),
        "visibility": visibility,
    }
    if not item.pending:
        passed = item.score == item.max_score
        test |= {
            "score": float(item.score),
            "max_score": float(item.max_score),
            "status": "passed" if passed else "failed",
        }
    return test
