"""Concepts are found where words of any language name them, and only there."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.language import lexicon
from grader.language.folding import fold_text, lower_text
from grader.language.lexicon import LEXICON, Lexicon, concepts, mentions, names, search

FOLDER = Path(lexicon.__file__).parent
LANGUAGES = sorted(file.stem for file in FOLDER.glob("*.toml"))


@pytest.mark.parametrize(
    ("text", "concept", "found"),
    [
        ("l'écart-type est 0,4", "deviation", "écart-type"),  # behind an elided article
        ("la valeur d’écart type", "deviation", "écart type"),  # a blank for a hyphen
        ("ECART-TYPE", "deviation", "ECART-TYPE"),  # capitals lose their accents
        ("two deviations", "deviation", "deviations"),  # a plural
        ("Standard deviation of runs", "deviation", "Standard deviation"),  # the longest of several
        ("averaged over seeds", "mean", "averaged"),  # any ending
        ("test_loss", "other_measure", "loss"),  # a part of a name in code
        ("seed1", "run", "seed"),
        ("std\ndev 0.4", "deviation", "std\ndev"),  # over a line end
        ("la Moyenne", "mean", "Moyenne"),
        ("où", "about", "où"),
    ],
)
def test_words_are_found_as_people_write_them(text: str, concept: str, found: str) -> None:
    places = [text[one.start : one.end] for one in mentions(text) if one.concept == concept]
    assert places == [found]
    assert names(text, concept)
    place = search(f"<{concept}>", text)
    assert place
    assert text[place.start() : place.end()] == found


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("meaning", "mean"),
        ("restd", "deviation"),
        ("ou bien", "shown_elsewhere"),
        ("ou", "asking"),
        ("précision", "other_measure"),  # `precision` is one
        ("seedling", "run"),
    ],
)
def test_parts_of_words_and_other_words_name_nothing(text: str, concept: str) -> None:
    assert concept not in concepts(text)


@pytest.mark.parametrize(
    ("text", "is_negated"),
    [
        ("this is not the average", True),
        ("ce n'est pas la moyenne", True),
        ("without any average", True),
        ("not only the average", False),
        ("it is not shown, but the average is 79.3", False),  # another clause
        ("Not shown. The average is 79.3", False),
        ("not without an average", False),  # twice denied
        ("not one of all the many figures is the average", False),  # too far away
        ("the average, not the best", False),  # behind it
        ("un pas sur la moyenne", False),  # a step
        ("das ist nicht der Mittelwert", True),
    ],
)
def test_a_negation_reaches_over_its_clause(text: str, is_negated: bool) -> None:
    assert [one.negated for one in mentions(text) if one.concept == "mean"] == [is_negated]


def test_patterns_name_concepts_in_place_of_words() -> None:
    text = "Über 3 RUNS: ÉPOQUE 5"
    found = search(r"<run|layer>\W{0,3}(?P<what><epoch>) (?P<number>\d)", text)
    assert found
    assert (text[slice(*found.span("what"))], found["number"]) == ("ÉPOQUE", "5")
    assert lexicon.split(r",?\s<and>\s", "One, and Two et THREE") == ["One", "Two", "THREE"]
    with pytest.raises(KeyError):
        search("<no such thing>".replace(" ", "_"), text)


def test_numbers_in_words() -> None:
    assert [lexicon.number(word) for word in ("three", "Zéro", "zero", "quinzaine", "zwölf", "many")] == [
        *(3, 0, 0, 15, 12),
        None,
    ]
    assert {"four", "quatre", "vier"} <= {*lexicon.number_words(4)}


@given(st.text(max_size=80))
def test_offsets_are_those_of_the_text(text: str) -> None:
    assert len(lower_text(text)) == len(fold_text(text)) == len(text)
    assert all(0 <= one.start < one.end <= len(text) for one in mentions(text))


@pytest.mark.parametrize(
    "text", ["Die Mittelwerte (σ) von İstanbul: 3 runs, µ=2 ½", "L’ÉCART-TYPE n'est pas une MOYENNE"]
)
def test_a_concept_is_found_by_its_pattern_where_it_is_mentioned(text: str) -> None:
    for concept in LEXICON.concepts - {"direction_end"}:  # which lists signs, too
        by_pattern = [one.span() for one in LEXICON.find_all(f"<{concept}>", text)]
        assert [(one.start, one.end) for one in mentions(text) if one.concept == concept] == by_pattern


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_gives_words_for_concepts_that_english_explains(language: str) -> None:
    own, english = Lexicon(FOLDER / f"{language}.toml"), Lexicon(FOLDER / "en.toml")
    assert own.concepts <= english.concepts
    assert all(word == lower_text(word).strip() and word for word in own.words(*own.concepts))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_concept_is_explained(language: str) -> None:
    del language
    lines = (FOLDER / "en.toml").read_text(encoding="utf-8").splitlines()
    keys = [at for at, line in enumerate(lines) if line[:1].isalpha() and " = " in line]
    assert [lines[at] for at in keys if not lines[at - 1].startswith("# ")] == []
