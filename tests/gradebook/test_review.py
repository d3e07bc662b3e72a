"""Like answers in one group, and a decision that settles them."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.gradebook.review import answer_groups
from grader.lab.decisions import FILE, Decision, Decisions, append
from grader.lab.files import load_lab
from grader.result import Status
from tests.conftest import ROOT, run_grade
from tests.factories import evidence, item, result

SHIPPED = ROOT / "reference" / "labs" / "nlp_frameworks"


def undecided(student: str, group: str, text: str, *tags: str):  # type: ignore[no-untyped-def]
    more = {"group": group, "found": text, "tags": tags, "evidence": (evidence(text),)}
    return result(student, items=[item("q2.r", Status.REVIEW, "0.6", feedback="A word was not understood.", **more)])


RESULTS = [
    undecided("ada", "r:00000001", "the order of the update", "order"),
    undecided("bob", "r:00000001", "the order of the update", "order"),
    undecided("cem", "r:00000002", "an order", "order"),
    undecided("dan", "r:00000003", "a number"),
    result("eve", items=[item("q2.r", Status.CORRECT, group="r:00000001")]),
]


def test_like_answers_stand_together_the_frequent_first() -> None:
    groups = answer_groups(RESULTS)
    assert [(group.group, group.students) for group in groups] == [
        ("r:00000001", ("ada", "bob")),
        ("r:00000002", ("cem",)),
        ("r:00000003", ("dan",)),
    ]
    assert groups[0].points * 2 == groups[0].points + groups[1].points * 2


@given(st.text(max_size=80), st.text(min_size=1, max_size=80))
def test_any_words_can_be_stored_and_read_back(tmp_path_factory: pytest.TempPathFactory, text: str, why: str) -> None:
    folder = tmp_path_factory.mktemp("lab")
    (folder / "lab.toml").write_bytes((SHIPPED / "lab.toml").read_bytes())
    made = Decision(group="r:0badcafe", label="partial", text=text, why=why, author="A. Tutor", date=date(2026, 1, 2))
    append(folder, [made])
    append(folder, [made.model_copy(update={"label": "correct"})])
    read = load_lab(folder).decisions
    assert [one.label for one in read.decisions] == ["partial", "correct"]
    assert read.of("r:0badcafe") == read.decisions[1]
    assert read.of("r:00000000") is None


def test_the_verb_lists_and_stores(tmp_path: Path) -> None:
    for one in RESULTS:
        (tmp_path / "graded" / one.student.id).mkdir(parents=True)
        (tmp_path / "graded" / one.student.id / "result.json").write_text(one.to_json(), encoding="utf-8")
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "lab.toml").write_bytes((SHIPPED / "lab.toml").read_bytes())
    listed = run_grade("review", tmp_path / "graded")
    assert "r:00000001  2 answers" in listed.stdout, listed.stderr
    chosen = ("--set", "r:00000001=correct", "--why", "order is rank", "--author", "A. Tutor")
    done = run_grade("review", tmp_path / "graded", *chosen, "--lab", tmp_path / "lab")
    assert done.returncode == 0, done.stderr
    assert "decisions.toml" in done.stdout
    stored = load_lab(tmp_path / "lab").decisions
    assert stored.of("r:00000001").signature.endswith("order is rank")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--set", "r:00000001=right", "--why", "x"), "one of correct, partial, incorrect"),
        (("--set", "r:0000000=correct", "--why", "x"), "3 groups"),
        (("--set", "s:1=correct", "--why", "x"), "no group"),
        (("--set", "r:00000001=correct"), "needs a reason"),
    ],
)
def test_mistakes_are_explained(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    for one in RESULTS:
        (tmp_path / one.student.id).mkdir()
        (tmp_path / one.student.id / "result.json").write_text(one.to_json(), encoding="utf-8")
    done = run_grade("review", tmp_path, *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert not (SHIPPED / FILE).exists()


def test_no_decisions_decide_nothing() -> None:
    assert Decisions().of("r:00000001") is None
