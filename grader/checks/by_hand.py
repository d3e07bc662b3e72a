"""The check `by-hand`, which leaves an item to a marker, with a rubric."""

from collections.abc import Iterator
from decimal import Decimal

from pydantic import Field

from grader.checks.absence import (
    absence,
    concluded_absent,
    own_sections,
)
from grader.checks.check import Conclusion, check
from grader.checks.finding import Finding, Status
from grader.claims.answer import Answer
from grader.claims.answer_cells import are_unanswered
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.message import PERSON_DECIDES, join_messages, plural_of, say_data, say_number


class RubricRow(Frozen):
    """A row of a rubric with its points, which are negative for a deduction."""

    text: str
    points: Decimal = Field(allow_inf_nan=False)


@check("by-hand")
def by_hand(answer: Answer, lab: Lab, *, item: str, rubric: tuple[RubricRow, ...] = ()) -> Iterator[Conclusion]:
    """A person decides.

    - `rubric`: criteria that the marker ticks. An override can name them by number (`rows = [1, 2]`).

    Decides: nothing, except that an unchanged answer cell of a notebook is `missing`.

    Leaves to people: every other answer, with its place and the rubric.

    Example:
        rubric = [
            { text = "The limits are named.", points = 1 },
            { text = "An experiment is proposed that would test them.", points = 1 },
        ]
    """
    rows = (
        say_number(
            "Criterion {row}, worth {points} point: {text}",
            "Criterion {row}, worth {points} points: {text}",
            plural_of(row.points),
            row=number,
            points=str(row.points),
            text=say_data(row.text),
        )
        for number, row in enumerate(rubric, 1)
    )
    question = lab.question_of(item)
    places = [section for section in own_sections(answer, question) if section.passage.text[section.lead :].strip()]
    evidence = tuple(place.passage.beginning(place.lead) for place in places[:3])
    cells = [section for section in answer.sections if question in section.questions]
    if are_unanswered(cells) and (found := absence(answer, lab, item)).is_certain:
        yield concluded_absent(Finding(item=item, status=Status.REVIEW), found)
        return
    yield Finding(
        item=item,
        status=Status.REVIEW,
        evidence=evidence,
        feedback=PERSON_DECIDES,
        note=join_messages(" · ", rows) if rubric else "",
    )
