from collections.abc import Iterator
from types import MappingProxyType, SimpleNamespace

import pytest

from grader.checks import registry, runner
from grader.checks.check import Check, Conclusion, check
from grader.checks.finding import Finding, Flag, Severity, Status
from grader.checks.registry import CHECKS
from grader.checks.runner import run_checks, verify
from grader.lab.definition import Item, Lab, Watch
from grader.lab.files import LabError
from grader.time_limit import TooSlowError
from tests.checks.making import answer, truth
from tests.claims.making import lab

FLAG = Flag(id="odd", severity=Severity.INFO, message="look here")


@check("raising")
def raising(*, item: str) -> Iterator[Conclusion]:
    """Fails."""
    raise ZeroDivisionError(f"in {item}")
    yield FLAG


@check("silent")
def silent(*, item: str) -> Iterator[Conclusion]:
    """Gives no finding."""
    yield FLAG


@check("twice")
def twice(*, item: str) -> Iterator[Conclusion]:
    """Gives two findings."""
    yield Finding(item=item, status=Status.CORRECT)
    yield Finding(item=item, status=Status.INCORRECT)


@check("absent")
def absent(*, item: str) -> Iterator[Conclusion]:
    """Finds nothing."""
    yield Finding(item=item, status=Status.MISSING, feedback="Nothing was found.")


@check("fine")
def fine(*, item: str) -> Iterator[Conclusion]:
    """Is satisfied."""
    yield FLAG
    yield Finding(item=item, status=Status.CORRECT)


@check("too-slow")
def too_slow(*, item: str) -> Iterator[Conclusion]:
    """Takes too long."""
    raise TooSlowError
    yield FLAG


@check("watching-slowly")
def watching_slowly() -> Iterator[Conclusion]:
    """Takes too long and decides nothing."""
    raise TooSlowError
    yield FLAG


@pytest.fixture(autouse=True)
def _more_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    added = {one.name: one for one in (raising, silent, twice, absent, fine, too_slow, watching_slowly)}
    monkeypatch.setattr(registry, "CHECKS", MappingProxyType({**CHECKS, **added}))


def small(*checks: str | tuple[str, tuple[str, ...]]) -> Lab:
    """A lab with one item for each check, `i1.x`, `i2.x`, …; with a check may stand the items that it needs."""
    items = []
    for number, one in enumerate(checks, start=1):
        name, needs = (one, ()) if isinstance(one, str) else one
        items.append({"id": f"i{number}.x", "title": "T", "points": "1", "check": name, "needs": needs})
    question = {"id": "q", "title": "Q", "labels": ["question 1"], "items": items}
    return Lab.model_validate({"id": "small", "title": "Small", "seeds": 3, "questions": [question]})


def statuses(used: Lab, lost: str | None = None) -> dict[str, Status]:
    findings = run_checks(answer("x", lost=lost), truth(), used).findings
    return {finding.item: finding.status for finding in findings}


def test_every_item_has_one_finding_in_the_labs_order() -> None:
    for report in (None, "", "# Question 1\n\nTotal = 22,829,056", "\0\ud7ff" * 10):
        findings = run_checks(answer(report), truth(), lab()).findings
        assert [finding.item for finding in findings] == [item.id for item in lab().items]


def test_a_check_that_fails_costs_its_own_item_only() -> None:
    assert statuses(small("fine", "raising", "fine")) == {
        "i1.x": Status.CORRECT,
        "i2.x": Status.ERROR,
        "i3.x": Status.CORRECT,
    }


def test_a_failure_is_told_to_staff_and_not_to_the_student() -> None:
    (finding,) = run_checks(answer("x"), truth(), small("raising")).findings
    assert finding.note == "ZeroDivisionError: in i1.x"
    assert "ZeroDivision" not in finding.feedback


@pytest.mark.parametrize("name", ["silent", "twice"])
def test_a_check_must_give_exactly_one_finding(name: str) -> None:
    assert statuses(small(name)) == {"i1.x": Status.ERROR}


def test_what_depends_on_something_missing_is_not_run() -> None:
    used = small("absent", ("fine", ("i1.x",)), ("fine", ("i2.x",)), "fine")
    assert statuses(used) == {
        "i1.x": Status.MISSING,
        "i2.x": Status.NOT_RUN,
        "i3.x": Status.NOT_RUN,
        "i4.x": Status.CORRECT,
    }


def test_an_absence_is_doubted_when_something_could_not_be_read() -> None:
    result = run_checks(answer("x", lost="report.pdf"), truth(), small("absent", "fine"))
    doubted, certain = result.findings
    assert (doubted.status, certain.status) == (Status.REVIEW, Status.CORRECT)
    assert "report.pdf: the file is damaged" in doubted.note


def test_what_depends_on_a_doubtful_absence_still_runs() -> None:
    assert statuses(small("absent", ("fine", ("i1.x",))), lost="report.pdf")["i2.x"] is Status.CORRECT


def test_equal_flags_are_shown_once() -> None:
    assert run_checks(answer("x"), truth(), small("fine", "fine", "silent")).flags == (FLAG,)


def test_nothing_handed_in_is_missing_everywhere() -> None:
    findings = run_checks(answer(), truth(), lab()).findings
    assert {finding.status for finding in findings} == {Status.MISSING}


def test_nothing_that_could_be_read_is_for_a_person_everywhere() -> None:
    findings = run_checks(answer(lost="report.pdf"), truth(), lab()).findings
    assert {finding.status for finding in findings} == {Status.REVIEW}


def test_the_shipped_lab_is_verified() -> None:
    verify(lab(), truth())


def test_every_check_has_a_sentence_for_students() -> None:
    for one in CHECKS.values():
        assert isinstance(one, Check)
        assert one.sentence.endswith(".")
        assert Item(id="x", title="x", points=1, check=one.name)


def test_each_failure_says_what_became_of_it() -> None:
    notes = {
        "too-slow": "It takes too long to judge this, because the submission is built in an uncommon way.",
        "silent": "The check silent gave 0 findings instead of one.",
        "twice": "The check twice gave 2 findings instead of one.",
    }
    for name, note in notes.items():
        (finding,) = run_checks(answer("x"), truth(), small(name)).findings
        assert (finding.status, finding.note) == (Status.ERROR, note)
        assert finding.feedback == "The grader failed here. A person decides."


def test_a_watch_that_takes_too_long_is_told_to_staff() -> None:
    used = small("fine").model_copy(update={"watches": (Watch(check="watching-slowly"),)})
    found = run_checks(answer("x"), truth(), used)
    assert [(flag.id, flag.severity) for flag in found.flags] == [
        ("odd", Severity.INFO),
        ("grader-failed", Severity.WARNING),
    ]
    assert "takes too long" in found.flags[1].message


def test_what_was_not_found_is_named_where_something_needs_it() -> None:
    findings = run_checks(answer("x"), truth(), small("absent", "absent", ("fine", ("i1.x", "i2.x")))).findings
    assert findings[2].feedback == "This could not be judged, since i1.x, i2.x was not found."


def test_the_checks_of_one_hand_in_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a hand-in that slows every check down does not take as many times as long as one check may."""
    clock = iter([0.0, 0.0, 2.5, 3.95, 99.0])
    monkeypatch.setattr(runner, "time", SimpleNamespace(process_time=lambda: next(clock)))
    given: list[float] = []
    real = runner.limit_time

    def noted(seconds: float) -> object:
        given.append(seconds)
        return real(2.0)

    monkeypatch.setattr(runner, "limit_time", noted)
    used = small("silent", "silent", "silent", "silent")
    runner.draw_conclusions(answer("x"), truth(), used)
    assert given == [2.0, 1.5, 0.1, 0.1]


def test_a_fact_that_the_truth_does_not_hold_is_refused() -> None:
    first, *others = lab().parameters
    changed = first.model_copy(update={"facts": ("no-such-fact",)})
    with pytest.raises(LabError, match=f"{first.id}: no fact named 'no-such-fact'"):
        verify(lab().model_copy(update={"parameters": (changed, *others)}), truth())
