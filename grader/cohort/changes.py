"""What is otherwise than when the class was graded last."""

from grader.frozen import Frozen
from grader.message import Words


class Change(Frozen):
    """One student's item, or whole score where `item` is None: what it was, what it is, and why it changed.

    `before` and `after` are as people read them: `for review, 0 / 2`. An empty one stands for a hand-in that was not
    there.
    """

    student: str
    item: str | None = None
    before: Words
    after: Words
    why: Words = ""
