"""Answers are found in every form of numbering and every format of reports (`scripts/numbering`)."""

from collections import Counter
from collections.abc import Iterable

import pytest

from scripts.numbering.formats import FORMATS
from scripts.numbering.forms import FORMS, Form, write_sheet
from scripts.numbering.measure import SHARE, Outcome, main, measure_forms
from scripts.numbering.sheets import sheets

SHEETS = sheets()


def shares(found: Iterable[Outcome]) -> dict[str, float]:
    right, every = Counter[str](), Counter[str]()
    for one in found:
        every[one.form] += 1
        right[one.form] += one.is_found
    return {form: right[form] / every[form] for form in every}


def test_sheets_differ_and_are_written_in_at_least_twenty_forms_and_five_formats() -> None:
    assert len(SHEETS) >= 4
    assert len({one.name for one in FORMS}) >= 20
    assert len(FORMATS) >= 5
    content = {suffix: write_one(suffix) for suffix in FORMATS}
    assert all(content.values())


def write_one(suffix: str) -> bytes | str:
    return FORMATS[suffix](write_sheet(SHEETS[0], FORMS[0]))


@pytest.mark.parametrize("form", FORMS, ids=[one.name for one in FORMS])
def test_answers_are_found_however_they_are_numbered(form: Form) -> None:
    few = [one for one in SHEETS if one.depth > 1 or one.id in ("trees", "translation", "filters")]
    (share,) = shares(measure_forms([form], ["md"], few)).values()
    # A student's titles say nothing about a question that the lab does not grade.
    assert share >= (0.75 if "Title" in form.name and ("#" in form.name and "Question" not in form.name) else SHARE)


@pytest.mark.parametrize("suffix", FORMATS)
def test_answers_are_found_in_every_format(suffix: str) -> None:
    forms = [one for one in FORMS if one.name in ("8. text", "# Question 8", "| Question 8 | text |", "Task II.4")]
    few = [one for one in SHEETS if one.id in ("filters", "bandits")]
    found = list(measure_forms(forms, [suffix], few))
    assert sum(one.is_found for one in found) >= SHARE * len(found)


@pytest.mark.slow
def test_answers_are_found_in_every_form_and_format(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["numbering"])
    assert main() == 0
    assert "answers" in capsys.readouterr().out
