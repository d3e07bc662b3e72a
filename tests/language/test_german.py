"""A hand-in in German is understood as far as words and numbers decide, by one file of words.

What is learned of sentences, definitions and reasons, is not: those answers go to a person.
"""

from functools import cache
from pathlib import Path

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.runner import run_checks
from grader.language import lexicon
from grader.language.lexicon import Lexicon
from tests.checks.making import answer, truth
from tests.claims.making import lab

SHEETS = Path(__file__).parent / "german"


@cache
def concluded(name: str) -> dict[str, Finding]:
    text = (SHEETS / f"{name}.md").read_text(encoding="utf-8")
    return {one.item: one for one in run_checks(answer(text), truth(), lab()).findings}


@pytest.mark.parametrize(
    ("sheet", "item", "status"),
    [
        ("counted", "q1.total", Status.CORRECT),  # Insgesamt … Parameter
        ("counted", "q1.derivation", Status.CORRECT),
        ("counted", "t5.seeds", Status.CORRECT),  # Lauf 1
        ("counted", "t5.statistics", Status.CORRECT),  # Mittelwert, Standardabweichung
        ("counted", "t5.band", Status.CORRECT),
        ("contradictory", "q1.total", Status.CORRECT),
        ("contradictory", "t5.seeds", Status.CORRECT),  # a table by Startwert
        ("contradictory", "t5.statistics", Status.PARTIAL),  # the average does not follow from the values
        ("guessed", "q1.total", Status.REVIEW),  # Vielleicht
        ("guessed", "t3.statistics", Status.REVIEW),  # Laut meinem Kommilitonen
    ],
)
def test_a_german_sheet_is_decided_where_words_decide(sheet: str, item: str, status: Status) -> None:
    assert concluded(sheet)[item].status is status


def test_what_is_guessed_or_somebody_elses_is_no_answer() -> None:
    assert "in doubt" in concluded("guessed")["q1.total"].feedback
    assert "somebody else" in concluded("guessed")["t3.statistics"].feedback


@pytest.mark.parametrize("item", ["t3.selection", "t4.comparison"])
def test_sentences_that_a_model_reads_are_for_a_person(item: str) -> None:
    """The models of sentences were trained on English and French alone."""
    assert concluded("counted")[item].status not in (Status.CORRECT, Status.INCORRECT)


def test_without_the_file_the_words_mean_nothing() -> None:
    folder = Path(lexicon.__file__).parent
    others = Lexicon(folder / "en.toml", folder / "fr.toml")
    text = "Die Standardabweichung der drei Läufe, vielleicht"
    assert {"deviation", "run", "doubt"} <= lexicon.concepts(text)
    assert not {"deviation", "run", "doubt"} & {one.concept for one in others.mentions(text)}
