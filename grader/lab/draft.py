"""Write the first draft of a lab from a handout: a `lab.toml` that can be used at once and that an instructor
completes."""

from collections.abc import Sequence
from decimal import Decimal

from grader.frozen import Frozen
from grader.lab.short_answers import toml_string


class DraftedQuestion(Frozen):
    """A question in a handout: its label, its title, the beginning of its text, its points if stated, and a suitable
    check.

    `shared` are points that the handout states for several parts together, one of which this is.
    """

    label: str
    title: str
    asks: str = ""
    points: Decimal | None = None
    shared: Decimal | None = None
    check: str = ""

    @property
    def id(self) -> str:
        """An id made from the number: `q1a` for `problem 1a`."""
        return f"q{self.label.rpartition(' ')[2]}"


class Draft(Frozen):
    """The content of a handout: its title, its questions, and its headings for messages."""

    title: str = ""
    questions: tuple[DraftedQuestion, ...] = ()
    headings: tuple[str, ...] = ()


def drafted_lab(name: str, draft: Draft, source: str) -> str:
    """Return the text of a `lab.toml` for a handout named `source`."""
    decimals = max((len(str(question.points).partition(".")[2]) for question in draft.questions), default=0)
    rounding = f'rounding = "{Decimal(1).scaleb(-decimals)}" # points are multiples of this\n' if decimals > 2 else ""
    parts = [
        f"# Drafted from {source}. A person decides every item until you name a check for it (docs/checks.md).\n"
        "# docs/lab-reference.md explains every key; `grade lab check` reports mistakes. Review labels, titles and\n"
        "# points first.\n\n"
        f"id = {toml_string(name)} # used in results: do not change it once a class is graded\n"
        f"title = {toml_string(draft.title or name)}\n{rounding}"
    ]
    ids = _ids(draft.questions)
    parts += [_question(question, id_) for question, id_ in zip(draft.questions, ids, strict=True)]
    return "\n".join(parts)


def _ids(questions: Sequence[DraftedQuestion]) -> list[str]:
    """Return an id for each question, by its number or else by its position."""
    found: list[str] = []
    for place, question in enumerate(questions, 1):
        id_ = question.id if question.label else f"part-{place}"
        found.append(id_ if id_ not in found else f"{id_}-{place}")
    return found


def _question(question: DraftedQuestion, id_: str) -> str:
    labels = f"[{toml_string(question.label)}]" if question.label else "[] # found by its title, as it has no number"
    points, comment = question.points, ""
    if points is None:
        points, comment = Decimal(1), " # the handout states no points"
    elif question.shared:
        comment = f" # a share of the {question.shared} that the handout states for all parts"
    lines = ["[[questions]]", f'id = "{id_}"', f"title = {toml_string(question.title)}", f"labels = {labels}"]
    lines += [f"asks = {toml_string(question.asks)}"] if question.asks else []
    lines += ["# words = [] # beginnings of words; if a submission has none of them, the answer is missing"]
    lines += ["", "[[questions.items]]", f'id = "{id_}.answer"', f"title = {toml_string(question.title)}"]
    lines += [f'points = "{points}"{comment}', 'check = "by-hand"']
    lines += (
        [f'# check = "{question.check}" # perhaps, in place of the line above; options: docs/checks.md']
        if question.check
        else []
    )
    return "\n".join(lines) + "\n"
