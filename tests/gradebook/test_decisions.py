"""Decisions of persons: every version is kept, nobody's is overwritten unseen, and what is undone is as before."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.gradebook.decisions import (
    TAKEN_BACK,
    DecisionVersion,
    Target,
    Verdict,
    decide,
    decided_since,
    history,
    standing,
    undo,
)
from grader.gradebook.overrides import as_toml, in_force, mark_of, read_overrides
from grader.gradebook.requests import answer, ask, requests_of
from grader.gradebook.store import Database, open_database
from grader.result import Override, Status
from tests.gradebook.keeping import where

LAB = "counting"
CORRECT = Verdict(Status.CORRECT, None, "It is right.")
WRONG = Verdict(Status.INCORRECT, None, "It is wrong.")
HALF = Verdict(None, Decimal("0.5"), "Half of it.")
ROWS, NO_ROWS = Verdict(None, None, "Two of it.", (1, 3)), Verdict(None, None, "None of it.", ())


@pytest.fixture
def database(place: Path | str) -> Iterator[Database]:
    opened = open_database(where(place), create=True, durable=True)
    yield opened
    opened.close()


def target(student: str, item: str = "q1.total", replaces: str = "") -> Target:
    return Target(student, item, "f1", "review 0 / 2", "correct 2 / 2", replaces)


def now(database: Database) -> dict[tuple[str, str], DecisionVersion]:
    return standing(decided_since(database, LAB))


def test_a_decision_is_a_new_version_and_the_last_holds(database: Database) -> None:
    first = decide(database, LAB, "ana", [(target("ada"), CORRECT), (target("bob"), CORRECT)], seen=0)
    assert len(first.saved) == 2
    seen = first.saved[-1].id
    decide(database, LAB, "ben", [(target("ada"), HALF)], seen=seen)
    held = now(database)
    assert held["ada", "q1.total"].verdict == HALF
    assert held["ada", "q1.total"].version == 2
    assert held["bob", "q1.total"].author == "ana"
    assert [one.actor for one in history(database, LAB, student="ada")] == ["ben", "ana"]
    assert decided_since(database, "another-lab") == ()


def test_what_was_decided_meanwhile_is_a_conflict_and_stays(database: Database) -> None:
    decide(database, LAB, "ana", [(target("ada"), CORRECT)], seen=0)
    outcome = decide(database, LAB, "ben", [(target("ada"), WRONG), (target("bob"), WRONG)], seen=0)
    assert [one.student for one in outcome.saved] == ["bob"]
    (conflict,) = outcome.conflicts
    assert (conflict.theirs.author, conflict.theirs.verdict, conflict.verdict) == ("ana", CORRECT, WRONG)
    assert now(database)["ada", "q1.total"].verdict == CORRECT


def test_undo_puts_back_what_was_before_step_by_step(database: Database) -> None:
    ada = ("ada", "q1.total")
    seen = decide(database, LAB, "ana", [(target("ada"), CORRECT)], seen=0).saved[-1].id
    seen = decide(database, LAB, "ben", [(target("ada"), WRONG)], seen=seen).saved[-1].id
    outcome = undo(database, LAB, "ben")
    assert outcome
    assert not outcome.conflicts
    held = now(database)[ada]
    assert (held.verdict, held.author, held.actor) == (CORRECT, "ana", "ben")
    assert undo(database, LAB, "ben") is None
    told = undo(database, LAB, "ana")
    assert told
    assert [one.theirs.actor for one in told.conflicts] == ["ben"], "ben touched it since"
    assert now(database)[ada].verdict == CORRECT
    assert undo(database, LAB, "ana") is None, "the next undo reaches further back"


def test_a_decision_can_be_taken_back(database: Database) -> None:
    seen = decide(database, LAB, "ana", [(target("ada"), CORRECT)], seen=0).saved[-1].id
    decide(database, LAB, "ana", [(target("ada"), TAKEN_BACK)], seen=seen)
    assert now(database) == {}
    assert len(decided_since(database, LAB)) == 2


ENTRY = Override(status=Status.CORRECT, reason="r", author="M. Dupont", date=date(2026, 1, 2))


@pytest.mark.parametrize(("verdict", "contradicts"), [(CORRECT, False), (WRONG, True)])
def test_an_entry_in_the_file_counts_until_a_decision_replaces_it(
    database: Database, verdict: Verdict, contradicts: bool
) -> None:
    decide(database, LAB, "ana", [(target("ada"), verdict)], seen=0)
    found = in_force({"ada": {"q1.total": ENTRY}}, now(database))
    assert found.overrides["ada"]["q1.total"] == ENTRY
    assert bool(found.contradictions) is contradicts
    seen = decided_since(database, LAB)[-1].id
    decide(database, LAB, "ana", [(target("ada", replaces=mark_of(ENTRY)), verdict)], seen=seen)
    found = in_force({"ada": {"q1.total": ENTRY}}, now(database))
    assert found.overrides["ada"]["q1.total"].author == "ana"
    assert found.contradictions == ()
    newer = ENTRY.model_copy(update={"status": Status.PARTIAL})
    assert in_force({"ada": {"q1.total": newer}}, now(database)).contradictions, "the file was changed since"


texts = st.text(min_size=1, max_size=60).map(lambda text: " ".join(text.split())).filter(bool)


@example([("*", CORRECT, "It is right.", "ana")])  # a student's id like the sign for everyone
@given(st.lists(st.tuples(texts, st.sampled_from([CORRECT, WRONG, HALF, ROWS, NO_ROWS]), texts, texts), max_size=5))
def test_any_decisions_can_be_exported_and_read_back(
    tmp_path_factory: pytest.TempPathFactory, some: list[tuple[str, Verdict, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("book")
    opened = open_database(folder / "grades.sqlite", create=True)
    for number, (student, verdict, reason, author) in enumerate(some):
        made = (target(f"{student}{number}"), verdict._replace(reason=reason))
        decide(opened, LAB, author, [made], seen=0)
    kept = now(opened)
    opened.close()
    path = folder / "decisions.toml"
    path.write_text(as_toml(kept.values()), encoding="utf-8")
    read = read_overrides(path, {"q1.total": Decimal(2)}, {"q1.total": 3})
    assert {(one.student, one.item): one.override for one in read} == {
        key: one.override.model_copy(update={"reason": " ".join(one.verdict.reason.split())})
        for key, one in kept.items()
    }


def test_a_request_is_answered_once(database: Database) -> None:
    ask(database, LAB, "ada", "q1.total", "Please look again.", "ana")
    (asked,) = requests_of(database, LAB)
    assert answer(database, LAB, asked.id, "It stays.", "ana") is None
    theirs = answer(database, LAB, asked.id, "It changes.", "ben")
    assert theirs
    assert (theirs.answer, theirs.answered_by) == ("It stays.", "ana")
    assert requests_of(database, LAB) == ()
    assert requests_of(database, LAB, "ada")[0].answer == "It stays."
