"""All that is read of definitions in short answers of many forms.

What each one says stands behind its text in `definitions_read.txt`, a line for each definition: the parameter, its
value and the words of the definition; `told` where only these words state the value, `unnamed` where no name stands
there. What is left over comes last.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.claims.definitions import definitions, unassigned
from tests.claims.making import lab, passage
from tests.claims.test_results_read import texts_of

TEXTS = texts_of(Path(__file__).with_name("definitions_read.txt"))


def told(text: str) -> Iterator[str]:
    """What a text says, a line each."""
    whole = passage(text)
    for one in definitions(whole, lab()):
        marks = (" told" if one.in_text else "") + ("" if one.named else " unnamed")
        yield f"{one.parameter} = {one.value}{marks} | {one.text}".rstrip()
    for left in unassigned(whole, lab()):
        yield f"left{' near' if left.is_near else ''} | {' '.join(left.text.split())}"


@pytest.mark.parametrize("name", TEXTS)
def test_all_that_an_answer_defines_is_read(name: str) -> None:
    text, wanted = TEXTS[name]
    assert list(told(text)) == wanted
