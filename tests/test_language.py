"""Every message can be said in every language: words, numbers, days; what cannot is said in English."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.message import (
    ENGLISH,
    Language,
    LanguageError,
    Message,
    join_messages,
    known_languages,
    label_text,
    language_of,
    say,
    say_data,
    say_number,
    say_values,
)

FRENCH = language_of("fr")
values = st.one_of(st.integers(), st.floats(allow_nan=False), st.text(), st.booleans(), st.dates())


class Catalogue(Language):
    """A language made of a few sentences."""

    def __init__(self, **sentences: str) -> None:
        super().__init__("xx")
        self.sentences = {key.replace("_", " "): text for key, text in sentences.items()}

    def gettext(self, text: str) -> str:
        return self.sentences.get(text, text)


@pytest.mark.parametrize(
    ("value", "form", "written"),
    [
        (22807552, ",", "22\u202f807\u202f552"),
        (71.394, ".2f", "71,39"),
        (-1234.5, ",.1f", "-1\u202f234,5"),
        (Decimal("0.55"), "", "0,55"),
        (0.5, ".0%", "50\u202f%"),
        (3, "", "3"),
    ],
)
def test_numbers_as_the_french_write_them(value: float, form: str, written: str) -> None:
    assert FRENCH.number(value, form).replace("\xa0", "\u202f") == written
    assert ENGLISH.number(value, form) == format(value, form)


def test_days() -> None:
    assert (ENGLISH.day(date(2026, 3, 4)), FRENCH.day(date(2026, 3, 4))) == ("4 March 2026", "4 mars 2026")
    due = say("Due {due:%Y-%m-%d %H:%M %Z}.", due=datetime(2026, 3, 4, 12, 5, tzinfo=UTC))
    assert ENGLISH.say(due) == due == "Due 2026-03-04 12:05 UTC."
    assert FRENCH.say(due) == "Due 4 mars 2026, 12:05 UTC."


@given(st.dictionaries(st.sampled_from("abc"), values, min_size=3))
def test_english_is_what_the_message_says(filled: dict[str, object]) -> None:
    message = say("One {a}, two {b!s}, three {c}.", **filled)
    several = say_number("{number} of {a}", "{number} of them, {a}", 3, a=message)
    for one in (message, several, join_messages("; ", [message, "plain", several])):
        assert ENGLISH.say(one) == one == str(one)


def test_values_that_are_messages_are_translated_and_others_are_not() -> None:
    inner = say("A gap is left open in the code.")
    said = label_text("correct", inner)
    assert FRENCH.say(said) == "correct\xa0: Le code comporte encore un trou à compléter."
    assert (
        FRENCH.say(join_messages(say(" or "), ["missing", inner]))
        == "missing ou Le code comporte encore un trou à compléter."
    )


def test_a_clause_that_begins_a_sentence() -> None:
    clause = say("the count leaves out {matrices}", matrices=say("the {part}", part=say_data("norms")))
    told = say_values("{clause:capital}.", clause=clause)
    assert told == "The count leaves out the norms."
    assert FRENCH.say(told) == "Le calcul oublie la partie «\xa0normalisations\xa0»."


@pytest.mark.parametrize(("number", "said"), [(0, "0 étudiant"), (1, "1 étudiant"), (2, "2 étudiants")])
def test_plurals_are_the_languages_own(number: int, said: str) -> None:
    assert FRENCH.say(say_number("{number} student", "{number} students", number)) == said


def test_what_is_known_as_a_whole_may_hold_braces() -> None:
    assert say_data("a {b} c") == ENGLISH.say(say_data("a {b} c")) == "a {b} c"
    assert Catalogue(**{"a {b} c": "A {B} C"}).say("a {b} c") == "A {B} C"


@pytest.mark.parametrize("broken", ["{naem} fehlt", "{name} {", "{0}", "{name.x}", "{name:,.2q}"])
def test_a_broken_translation_is_said_in_english(broken: str) -> None:
    assert Catalogue(**{"{name} is missing": broken}).say(say("{name} is missing", name="r")) == "r is missing"


def test_an_unknown_sentence_is_said_in_english_with_the_languages_numbers() -> None:
    assert FRENCH.say(say("Nobody translated {n:.1f}.", n=0.5)) == "Nobody translated 0,5."
    assert FRENCH.say("") == "" == FRENCH.gettext("")


def test_an_unknown_language_names_those_that_there_are() -> None:
    assert known_languages()[:2] == ("en", "fr")
    with pytest.raises(LanguageError, match=r"'de'.*en, fr"):
        language_of("de")
    with pytest.raises(LanguageError):
        language_of("../locale/fr")


def test_messages_survive_being_sent() -> None:
    import pickle

    message = label_text("a", say("A gap is left open in the code."))
    back = pickle.loads(pickle.dumps(message))
    assert isinstance(back, Message)
    assert FRENCH.say(back) == FRENCH.say(message)
