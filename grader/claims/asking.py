"""Recognise sentences that ask, order, or give instructions."""

from typing import Final

from grader.language import lexicon
from grader.language.shapes import DIGIT

_LONGEST_LABEL: Final = 40
"""In characters."""
_ORDER: Final = r"\A(?:\W*<order_opening>)*\W*(?!<no_order>)<task>(?![_=(])|\A\W*<for_each>\W+\w+\W+<task>"
_ADDRESS: Final = (
    r"\A\W*<order_lead>[^:;.]{1,60}[,:]\W+(?:<order_opening>\W+)*(?!<no_order>)<task>|\A\W*<then>"
    r"|<duty>|<answer_form>"
)


def split_label(text: str) -> tuple[str, str]:
    """Return the label of a line, if it has one, and the rest: `Your answer: yes`."""
    label, colon, rest = text.partition(":")
    is_label = bool(colon) and 0 < len(label) <= _LONGEST_LABEL and not rest.startswith("/")
    is_plain = not any(sign in label for sign in ".?!") and not DIGIT.search(label)
    return (label, rest.strip()) if is_label and is_plain else ("", text)


def asks(text: str) -> bool:
    """Whether a sentence asks, orders, or gives an instruction."""
    label, statement = split_label(text)
    statement = text if lexicon.search(_ORDER, label) else statement  # `Your comparison: it helps` answers
    if statement.rstrip(" *_)").endswith("?") or lexicon.search(_ORDER, statement):
        return True
    if lexicon.search("<reader>", statement):
        return not lexicon.search("<reader_sees>", statement)
    return lexicon.search(_ADDRESS, statement) is not None and not lexicon.search("<author>", statement)
