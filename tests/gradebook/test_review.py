"""Like answers in one group, and a decision that settles them."""

import re
import shutil
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.gradebook.overrides import override_text
from grader.gradebook.review import answers_left, contradictions, group_answers
from grader.lab.files import load_lab
from grader.lab.short_answers import FILE, Decision, Decisions, append
from grader.result import AppliedOverride, ItemResult, LabReference, Override, Result, Status
from tests.conftest import ROOT, run_grade
from tests.factories import evidence, item, result

SHIPPED = ROOT / "reference" / "labs" / "nlp_frameworks"


def undecided(
    student: str, text: str, reason: str = "A word was not understood.", item_: str = "q2.r", **more: Any
) -> Result:
    fields = {"found": text, "evidence": (evidence(text),), "note": reason, **more}
    return result(student, items=[item(item_, Status.REVIEW, "0.6", **fields)], lab=REFERENCE)


REFERENCE = LabReference(id="nlp-frameworks", title="NLP", sha256="a" * 64)
RANK = "the order of the update that is learned beside the frozen weights"
RESULTS = [
    undecided("ada", RANK, group="r:00000001"),
    undecided("bob", RANK.upper() + ".", group="r:00000001"),
    undecided("cem", RANK.replace("weights", "weight")),
    undecided("dan", "it counts the heads"),
    undecided("eve", "nobody knows"),
    undecided("fay", "nobody knows", suggestion=Status.INCORRECT),
    result("gus", items=[item("q2.r", Status.CORRECT, found=RANK)], lab=REFERENCE),
]


def groups(results: Sequence[Result]) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (group.likeness.value, tuple(one.student for one in group.answers))
        for group in group_answers(tuple(answers_left(results)))
    ]


def test_whole_hand_ins_are_one_group_and_what_they_hold_nothing_of() -> None:
    def left(student: str, *items: str, **more: Any) -> Result:
        fields = {"note": "Nothing about code was found.", **more}
        return result(student, items=[item(id_, Status.REVIEW, **fields) for id_ in items], lab=REFERENCE)

    unread = {"group": "unreadable:1"}
    found = group_answers(
        tuple(
            answers_left(
                [
                    left("ada", "t1.x", "t2.x", "q2.r", note="Not read: a.pdf", **unread),
                    left("bob", "t1.x", "t2.x", note="Not read: a.pdf", **unread),
                    left("cem", "t1.x", "t2.x"),
                    left("dan", "t1.x", "t2.x"),
                    left("eve", "t1.x"),
                ]
            )
        )
    )
    told = [(one.likeness.value, one.item, sorted({answer.student for answer in one.answers})) for one in found]
    assert told == [
        ("hand-in", "", ["ada", "bob"]),
        ("hand-in", "", ["cem", "dan"]),
        ("reason", "t1.x", ["eve"]),
    ]
    assert found[0].points == 10
    assert [one.doubts_hand_ins for one in found] == [True, False, False]


def test_same_words_then_near_words_then_the_same_reason() -> None:
    assert groups(RESULTS) == [
        ("near", ("ada", "bob", "cem")),
        ("reason", ("dan", "eve")),
        ("reason", ("fay",)),
    ]
    assert groups(RESULTS[:2]) == [("words", ("ada", "bob"))]


def test_answers_that_differ_by_a_number_or_a_suggestion_are_not_alike() -> None:
    one, other = f"{RANK} of 16", f"{RANK} of 32"
    assert (
        len(groups([undecided("ada", one), undecided("bob", one), undecided("cem", other), undecided("dan", other)]))
        == 2
    )
    assert len(groups([undecided("ada", RANK), undecided("bob", RANK, suggestion=Status.CORRECT)])) == 2


def test_a_number_of_one_student_does_not_part_a_reason() -> None:
    told = "It is not certain that {} is meant; “{}” was read."
    some = [undecided(name, "", told.format(number, name)) for name, number in (("ada", 7), ("bob", 1024))]
    assert len(groups(some)) == 1


def test_two_alike_that_wait_for_a_yes_are_no_decision_of_their_own() -> None:
    wrong = {"suggestion": Status.INCORRECT}
    pair = [undecided(name, RANK, **wrong) for name in ("ada", "bob")]
    other = undecided("cem", "nobody knows", **wrong)
    assert groups(pair) == [("words", ("ada", "bob"))]
    assert groups([*pair, other]) == [("reason", ("ada", "bob", "cem"))]
    assert len(groups([*pair, undecided("dan", RANK, **wrong), other])) == 2
    assert len(groups([undecided("ada", RANK), undecided("bob", RANK), undecided("cem", "nobody knows")])) == 2


def test_an_answer_stays_in_its_group_when_it_is_decided() -> None:
    put = AppliedOverride(
        status=Status.CORRECT,
        reason="r",
        author="a",
        date=date(2026, 1, 2),
        before=Status.REVIEW,
        score_before=Decimal(0),
    )
    decided = [
        one.model_copy(
            update={"items": tuple(i.model_copy(update={"status": Status.CORRECT, "override": put}) for i in one.items)}
        )
        for one in RESULTS[:1]
    ]
    assert groups([*decided, *RESULTS[1:]]) == groups(RESULTS)
    before, after = (group_answers(tuple(answers_left(some))) for some in (RESULTS, [*decided, *RESULTS[1:]]))
    assert [group.id for group in before] == [group.id for group in after]


def test_audits_are_left_to_persons_too() -> None:
    audited = result("ada", items=[item("q2.r", Status.CORRECT, found=RANK, tags=("audit",))], lab=REFERENCE)
    assert groups([audited]) == [("reason", ("ada",))]


def spot_checks(*verdicts: tuple[str, Status]) -> list[Result]:
    fields: dict[str, Any] = {"tags": ("audit",), "note": "Likeliest: correct (97 %)."}
    return [
        result(name, items=[item("q2.r", status, "0.6", found=f"as {name} says", **fields)], lab=REFERENCE)
        for name, status in verdicts
    ]


def test_spot_checks_of_an_item_are_one_group_and_each_has_its_verdict() -> None:
    some = spot_checks(("ada", Status.CORRECT), ("bob", Status.PARTIAL))
    (group,) = group_answers(tuple(answers_left(some)))
    assert (group.suggestion, group.suggests_each) == (None, True)
    assert [one.suggested for one in group.answers] == [Status.CORRECT, Status.PARTIAL]
    same = [one.model_copy(update={"items": some[0].items}) for one in spot_checks(*[("x", Status.CORRECT)] * 3)]
    assert len(group_answers(tuple(answers_left([*same, some[1]])))) == 1
    (alike,) = group_answers(tuple(answers_left(some[:1])))
    assert (alike.suggestion, alike.suggests_each) == (Status.CORRECT, False)


def test_an_automatic_verdict_in_a_doubted_hand_in_is_no_spot_check() -> None:
    def doubted(id_: str, **more: Any) -> ItemResult:
        return item(id_, Status.REVIEW, "0.6", group="hand-in:1", suggestion=Status.CORRECT, **more)

    one = result("ada", items=[doubted("q2.r", tags=("automatic:correct",)), doubted("q1.a")], lab=REFERENCE)
    (group,) = group_answers(tuple(answers_left([one])))
    assert group.doubts_hand_ins
    assert [(answer.item, answer.is_audit) for answer in group.answers] == [("q2.r", False), ("q1.a", False)]


def test_what_supports_a_reason_does_not_part_a_group() -> None:
    told = "It is not like the marked examples. Nearest: {}."
    some = [undecided(name, "", told.format(words)) for name, words in (("ada", "a rank"), ("bob", "an order"))]
    assert len(groups(some)) == 1


def test_several_items_that_one_place_may_answer_are_one_card() -> None:
    place = (evidence("See the notebook."),)
    items = [
        item(f"t1.{name}", Status.REVIEW, note=f"No {name} was recognised.", evidence=place, group=f"{name}:00000001")
        for name in ("x", "y")
    ]
    (group,) = group_answers(tuple(answers_left([result("ada", items=items, lab=REFERENCE)])))
    assert (group.likeness.value, group.item, len(group.answers)) == ("hand-in", "", 2)
    assert not group.doubts_hand_ins  # that the lab can remember the words says nothing of the hand-in


@given(
    st.lists(
        st.tuples(st.sampled_from(["q1.a", "q1.b"]), st.text(max_size=40), st.sampled_from(["x", "y 1"])), max_size=30
    )
)
def test_every_answer_is_in_one_group(some: list[tuple[str, str, str]]) -> None:
    results = [undecided(f"s{number}", text, reason, id_) for number, (id_, text, reason) in enumerate(some)]
    found = group_answers(tuple(answers_left(results)))
    assert sorted(one.key for group in found for one in group.answers) == sorted(
        (f"s{number}", id_) for number, (id_, _, _) in enumerate(some)
    )
    assert len({group.id for group in found}) == len(found)


def test_contradictions_are_told() -> None:
    left = {one.student: one for one in answers_left(RESULTS)}
    verdicts = [(left["ada"], Status.CORRECT), (left["bob"], Status.INCORRECT), (left["dan"], Status.CORRECT)]
    ((found, _, by_status),) = contradictions(verdicts)
    assert found == "q2.r"
    assert by_status == {Status.CORRECT: ("ada",), Status.INCORRECT: ("bob",)}


@given(st.text(max_size=80), st.text(min_size=1, max_size=80))
def test_any_words_can_be_stored_and_read_back(tmp_path_factory: pytest.TempPathFactory, text: str, why: str) -> None:
    folder = tmp_path_factory.mktemp("lab")
    (folder / "lab.toml").write_bytes((SHIPPED / "lab.toml").read_bytes())
    made = Decision(group="r:0badcafe", label="partial", text=text, why=why, author="A. Tutor", date=date(2026, 1, 2))
    append(folder, [made])
    append(folder, [made.model_copy(update={"label": "correct"})])
    read = load_lab(folder).decisions
    assert [one.label for one in read.decisions] == ["partial", "correct"]
    assert read.decision_for("r:0badcafe") == read.decisions[1]
    assert read.decision_for("r:00000000") is None


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    for one in RESULTS:
        (tmp_path / "graded" / one.student.id).mkdir(parents=True)
        (tmp_path / "graded" / one.student.id / "result.json").write_text(one.to_json(), encoding="utf-8")
    return tmp_path / "graded"


def first_group(graded: Path) -> str:
    listed = run_grade("serve", "review", graded)
    assert listed.returncode == 0, listed.stderr
    return re.findall(r"^([0-9a-f]{10})  q2.r  3 answers", listed.stdout, re.MULTILINE)[0]


def test_the_verb_decides_exports_and_imports(graded: Path, tmp_path: Path) -> None:
    shutil.copytree(SHIPPED, tmp_path / "lab")
    chosen = ("--set", f"{first_group(graded)}=correct", "--why", "order is rank", "--author", "A. Tutor")
    out = tmp_path / "decisions.toml"
    done = run_grade("serve", "review", graded, *chosen, "--lab", tmp_path / "lab", "--remember", "--export", out)
    assert done.returncode == 0, done.stderr
    assert "for 3 answers" in done.stdout
    remembered = load_lab(tmp_path / "lab").decisions.decision_for("r:00000001")
    assert remembered is not None
    assert remembered.signature.endswith("order is rank")
    assert out.read_text().count("[[override]]") == 3
    assert "3 answers" not in run_grade("serve", "review", graded).stdout
    (graded / "gradebook.sqlite").rename(tmp_path / "other.sqlite")
    lost = run_grade("serve", "review", graded)
    assert (lost.returncode, "gradebook.decisions.toml" in lost.stderr) == (2, True)
    (graded / "gradebook.decisions.toml").rename(tmp_path / "other.decisions.toml")
    out.write_text(out.read_text().replace('"ada"', '"nobody"').replace('status = "correct"', "points = 0.3", 1))
    taken = run_grade("serve", "review", graded, "--import", out)
    assert "2 decisions taken in" in taken.stdout
    assert "'nobody'" in taken.stderr
    mixed = run_grade("serve", "review", graded, "--gradebook", tmp_path / "other.sqlite", "--import", out)
    assert "0 decisions taken in" in mixed.stdout


def test_the_verb_accepts_each_suggestion(graded: Path) -> None:
    for one in spot_checks(("ada", Status.CORRECT), ("bob", Status.PARTIAL)):
        (graded / one.student.id / "result.json").write_text(one.to_json(), encoding="utf-8")
    listed = run_grade("serve", "review", graded).stdout
    group = re.findall(r"^([0-9a-f]{10})  q2.r  2 answers, .*suggested: each", listed, re.MULTILINE)[0]
    done = run_grade(
        "serve",
        "review",
        graded,
        "--set",
        f"{group}=each",
        "--why",
        "As the grader says.",
    )
    assert done.returncode == 0, done.stderr
    assert "suggested: each" not in run_grade("serve", "review", graded).stdout
    mixed = run_grade(
        "serve",
        "review",
        graded,
        "--set",
        f"{re.findall(r'^([0-9a-f]{10})  q2.r', listed, re.MULTILINE)[-1]}=every",
        "--why",
        "x",
    )
    assert "one of correct, partial, incorrect" in mixed.stderr


def test_the_verb_decides_one_answer_of_a_group(graded: Path) -> None:
    listed = run_grade("serve", "review", graded).stdout
    assert "dan/q2.r" in listed  # its group also holds eve's answer, which is another
    done = run_grade("serve", "review", graded, "--set", "dan/q2.r=0.3", "--why", "Half of it.")
    assert "q2.r: partial 0.3 / 0.6, for the answer of dan." in done.stdout, done.stderr
    after = run_grade("serve", "review", graded).stdout
    assert ("dan" in after, "eve" in after) == (False, True)
    again = run_grade("serve", "review", graded, "--set", "dan/q2.r=correct")
    assert "names no group or answer" in again.stderr


def test_the_verb_tells_contradictions(graded: Path) -> None:
    group = first_group(graded)
    run_grade("serve", "review", graded, "--set", f"{group}=correct", "--why", "w", "--author", "ana")
    entry = override_text("ada", "q2.r", Override(status="incorrect", reason="no", author="ben", date="2026-01-02"))
    (graded / "overrides.toml").write_text(entry)
    told = run_grade("serve", "review", graded).stderr
    assert "decide q2.r of ada otherwise (ben and ana)" in told
    assert "the same words were decided otherwise: correct for bob; incorrect for ada" in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--set", "{group}=right", "--why", "x"), "one of correct, partial, incorrect"),
        (("--set", "{group}=each", "--why", "x"), "no spot checks to confirm"),
        (("--set", "{group}=7", "--why", "x"), "points up to 0.6"),
        (("--set", "=correct", "--why", "x"), "no group"),
        (("--set", "zz=correct", "--why", "x"), "no group"),
        (("--set", "{group}=incorrect"), "needs a reason"),
        (("--set", "{group}=0.5"), "needs a reason"),
        (("--set", "{group}=correct", "--remember"), "needs a reason"),
    ],
)
def test_mistakes_are_explained(graded: Path, arguments: tuple[str, ...], says: str) -> None:
    group = first_group(graded)
    done = run_grade("serve", "review", graded, *(one.format(group=group) for one in arguments))
    assert done.returncode == 2
    assert says in done.stderr
    assert not (SHIPPED / FILE).exists()


def test_no_decisions_decide_nothing() -> None:
    assert Decisions().decision_for("r:00000001") is None
