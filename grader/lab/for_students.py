"""What of a lab those who hand in may know: how its questions are told apart in a text, and nothing that is right.

The claims of a hand-in can be found with it, and none can be judged.
"""

from decimal import Decimal
from typing import Final

from grader.lab.decisions import Decisions
from grader.lab.definition import Item, Lab, Parameter, Question
from grader.lab.late_policy import LatePolicy

_NUMBER: Final = "987654321"
_WORD: Final = "something"
"""Stand for the value of a parameter: only of which kind it is counts where a text is read."""


def seen_by_students(lab: Lab) -> Lab:
    """The lab without points, titles of items, options of checks, values, summaries, models, symbols, decisions and
    examples of answers. Each question keeps one nameless item for each check that its items ask for."""
    return lab.model_copy(
        update={
            "questions": tuple(map(_question, lab.questions)),
            "parameters": tuple(map(_parameter, lab.parameters)),
            "watches": (),
            "symbols": (),
            "models": (),
            "reruns": (),
            "late": LatePolicy(),
            "short_answers": None,
            "decisions": Decisions(),
            "sha256": "",
        }
    )


def _question(question: Question) -> Question:
    checks = dict.fromkeys(item.check for item in question.items)
    items = tuple(
        Item(id=f"{question.id}.{number}", title=question.title, points=Decimal(0), check=check)
        for number, check in enumerate(checks, 1)
    )
    return question.model_copy(update={"items": items, "words": ()})


def _parameter(parameter: Parameter) -> Parameter:
    kind = _NUMBER if parameter.value[:1].isdigit() else _WORD
    return Parameter(id=parameter.id, names=parameter.names, value=kind)
