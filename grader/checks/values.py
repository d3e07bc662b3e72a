"""Whether a stated value of a parameter is the lab's."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from grader.lab.definition import Parameter

_CONSTANT = re.compile(r"^\s*(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_]\w*\s*$)")
"""What stands before the name of a constant: `TaskType.`."""


def same_value(stated: str, parameter: Parameter) -> bool:
    """Compare as numbers where both are, else by letters and digits alone: quotes, brackets, case and the spaces and
    underscores that a PDF loses make no difference, nor does the order of a list."""
    return any(_same(stated, right) for right in (parameter.value, *parameter.spellings))


def may_be_value(stated: str, parameter: Parameter, allowed: Sequence[str] = ()) -> bool:
    """Whether something that stands in a value's place can be meant as one: a number where the lab's value is one, a
    name of the library's, or one with an underscore; not the type `int` or dots that stand for the value."""
    if _number(parameter.value) is not None:
        return _number(stated) is not None
    if allowed:
        return _letters(stated) in {_letters(one) for one in (*allowed, parameter.value, *parameter.spellings)}
    return "_" in stated or same_value(stated, parameter)


def _same(stated: str, right: str) -> bool:
    number, wanted = _number(stated), _number(right)
    if number is not None and wanted is not None:
        return number == wanted
    if "," in stated.strip("[]() ") and "," in right:
        return sorted(map(_letters, stated.split(","))) == sorted(map(_letters, right.split(",")))
    return _letters(right) in (_letters(stated), _letters(_CONSTANT.sub("", stated)))


def _number(text: str) -> Decimal | None:
    plain = text.strip(" \"'[]()").replace(",", ".").replace(" ", "")
    try:
        return Decimal(plain.rstrip("%")) / (100 if plain.endswith("%") else 1)
    except InvalidOperation:
        return None


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()
