"""A right answer that the page does not show earns nothing and raises a flag; the same answer in sight earns points."""

from pathlib import Path
from typing import Final

import pytest

from grader.checks.finding import Status
from grader.intake.submission import Source
from grader.pipeline.one import grade_source
from grader.result import ItemResult, Result
from tests.checks.making import truth
from tests.claims.making import lab
from tests.reading import test_unseen_odt as odt
from tests.reading import test_unseen_word as word
from tests.reading.making_docx import paragraph

SECRET: Final = "22,807,552"
QUESTION: Final = ("Question 1", "The total number of parameters is given by the following sum of all layers.")


def graded(folder: Path, name: str, content: bytes) -> tuple[Result, ItemResult]:
    (folder / name).write_bytes(content)
    (folder / "work").mkdir()
    source = Source(student_id="ada", student_name="", path=folder / name)
    result = grade_source(source, lab(), truth(), folder / "work")
    return result, next(item for item in result.items if item.id == "q1.total")


def in_word(way: str | tuple[str, dict[str, str]]) -> bytes:
    body, parts = (way, {}) if isinstance(way, str) else way
    before = paragraph(QUESTION[0], style="Titre1") + paragraph(QUESTION[1])
    return word.built((before + body.replace(SECRET, f"Total: {SECRET} parameters"), parts))


def in_open_text(way: str | tuple[str, dict[str, str]]) -> bytes:
    body, parts = (way, {}) if isinstance(way, str) else way
    before = f'<text:h text:outline-level="1">{QUESTION[0]}</text:h><text:p>{QUESTION[1]}</text:p>'
    return odt.built((before + body.replace(SECRET, f"Total: {SECRET} parameters"), parts))


WORD: Final = ("white", "background colour of the theme", "text box beside the page", "row of one twip")
OPEN: Final = ("white", "hidden section", "row without height", "column without width")


@pytest.mark.parametrize(
    ("name", "content"),
    [("report.docx", in_word(word.HIDDEN[way])) for way in WORD]
    + [("report.odt", in_open_text(odt.HIDDEN[way])) for way in OPEN],
    ids=[*WORD, *OPEN],
)
def test_a_hidden_answer_earns_nothing_and_is_flagged(tmp_path: Path, name: str, content: bytes) -> None:
    result, item = graded(tmp_path, name, content)
    assert item.status is not Status.CORRECT
    assert not item.score
    assert "hidden-text" in {flag.id for flag in result.flags}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("report.docx", in_word(word.DOUBTFUL["white text box that may lie on a dark one"])),
        ("report.odt", in_open_text(odt.DOUBTFUL["frame beside the page"])),
    ],
)
def test_a_doubtful_answer_goes_to_a_person(tmp_path: Path, name: str, content: bytes) -> None:
    result, item = graded(tmp_path, name, content)
    assert item.status is Status.REVIEW
    assert "hidden-text" not in {flag.id for flag in result.flags}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("report.docx", in_word(word.SHOWN["white on a dark paragraph"])),
        ("report.docx", in_word(word.SHOWN["text box"])),
        ("report.odt", in_open_text(odt.SHOWN["white in a dark section"])),
        ("report.odt", in_open_text(odt.SHOWN["frame"])),
    ],
)
def test_an_answer_in_sight_earns_its_points(tmp_path: Path, name: str, content: bytes) -> None:
    result, item = graded(tmp_path, name, content)
    assert item.status is Status.CORRECT
    assert "hidden-text" not in {flag.id for flag in result.flags}
