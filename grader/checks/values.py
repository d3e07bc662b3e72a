"""Whether a stated value of a parameter is the lab's."""

import re
from decimal import Decimal, InvalidOperation

from grader.lab.definition import Parameter


def same_value(stated: str, parameter: Parameter) -> bool:
    """Compare as numbers where both are, else by letters and digits alone: quotes, brackets, case and the spaces and
    underscores that a PDF loses make no difference."""
    return any(_same(stated, right) for right in (parameter.value, *parameter.spellings))


def _same(stated: str, right: str) -> bool:
    number, wanted = _number(stated), _number(right)
    if number is not None and wanted is not None:
        return number == wanted
    return _letters(stated) == _letters(right)


def _number(text: str) -> Decimal | None:
    plain = text.strip(" \"'[]()").replace(",", ".").replace(" ", "")
    try:
        return Decimal(plain.rstrip("%")) / (100 if plain.endswith("%") else 1)
    except InvalidOperation:
        return None


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()
