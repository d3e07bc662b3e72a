"""The check `tested`: other tools test the answer. `checks/outcomes.py` adds their results afterwards."""

from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.feedback import left_to_person
from grader.checks.finding import Finding, Status
from grader.checks.outcomes import CHECK
from grader.claims.answer import Answer
from grader.message import say


@check(CHECK)
def tests_passed(answer: Answer, *, item: str, tests: tuple[str, ...]) -> Iterator[Conclusion]:
    """Tests of another tool passed.

    - `tests`: names of tests with their tool: `otter:q3`, `nbgrader:square`, `gradescope:2.1`, `pytest:test_q3`.
      [Results](tests.md) are passed by `--tests`.

    Decides: the item, by the share of the tests' points that the submission earned.

    Leaves to people: submissions without a result, and submissions in doubt as a whole.

    Example:
        tests = ["otter:q3"]
    """
    text = left_to_person(say("No results of tests are known for it."))
    yield Finding(item=item, status=Status.REVIEW, feedback=text)
