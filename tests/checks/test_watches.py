"""Checks of a hand-in as a whole, which decide no item."""

import pytest

from grader.checks import runner
from grader.checks.finding import Doubt, Flag, Severity, Status
from grader.checks.registry import check_of
from grader.lab.definition import Watch
from grader.lab.files import LabError
from tests.checks.making import answer, code, truth
from tests.claims.making import lab


def test_a_watch_must_be_one_and_an_item_s_check_is_none() -> None:
    with pytest.raises(LabError, match="there is no check named 'nothing'"):
        check_of(Watch(check="nothing"))
    asked = Watch(check="steps-ran", options={"steps": []})
    with pytest.raises(LabError, match="decides an item"):
        check_of(asked).bind_options(asked)
    item = next(iter(lab().items)).model_copy(update={"check": "foreign-hand-in", "options": {"terms": []}})
    with pytest.raises(LabError, match="watches the submission as a whole"):
        check_of(item).bind_options(item)


def test_options_of_a_watch_are_validated() -> None:
    asked = Watch(check="foreign-hand-in", options={"terms": [], "colour": "red"})
    with pytest.raises(LabError, match="the watch foreign-hand-in: unknown option 'colour'"):
        check_of(asked).bind_options(asked)


def test_a_doubt_sends_decided_findings_to_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    doubt = Doubt(statuses=(Status.CORRECT,), reason="Whose is this?")
    flag = Flag(id="wrong-lab", severity=Severity.WARNING, message="Whose?")
    given = answer(
        None, [code("BitsAndBytesConfig(load_in_4bit=True)\nname = 'bigscience/bloom-560m'\ndata = 'cls-books'")]
    )
    before = {one.item: one for one in runner.run_checks(given, truth(), lab()).findings}
    monkeypatch.setattr(runner, "_watched", lambda *_: [flag, doubt])
    found = runner.run_checks(given, truth(), lab())
    after = {one.item: one for one in found.findings}
    assert before["t6.quantization"].status is Status.CORRECT
    assert after["t6.quantization"].status is Status.REVIEW
    assert after["t6.quantization"].suggestion is Status.CORRECT
    assert "Whose is this?" in after["t6.quantization"].feedback
    assert after["q1.total"] == before["q1.total"]
    assert flag in found.flags


def test_a_watch_that_fails_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "check_of", _failing(runner.check_of))
    found = runner.run_checks(answer(None, [code("x = 1")]), truth(), lab())
    assert {one.id for one in found.flags} == {"grader-failed"}
    assert len(found.findings) == len(list(lab().items))


def _failing(real: object) -> object:
    def check_of_or_fail(asked: object) -> object:
        if isinstance(asked, Watch):
            raise RuntimeError("broken")
        return real(asked)

    return check_of_or_fail
