"""Pictures of misconceptions out of the students' own pages."""

from pathlib import Path

import pytest

from grader.cohort.statistics import of_class
from grader.pipeline.pictures import example_pictures
from grader.report.pictures import Picture
from grader.report.render import student_page
from grader.report.views.classroom import class_place
from grader.result import Diagnosis, Result, Status
from tests.factories import evidence, item, result
from tests.report.png import png

BOX = (72.0, 100.0, 300.0, 112.0)
PLACE = ("q1.b", "report.pdf", 1, BOX)


def wrong(student: str, quote: str = "42") -> Result:
    told = (evidence(quote, box=BOX),)
    slip = Diagnosis(id="with-head", text="The head is counted too.")
    return result(student, [item("q1.a"), item("q1.b", Status.INCORRECT, diagnoses=(slip,), evidence=told)])


def written(out: Path, graded: Result, content: str | None = None) -> Result:
    (out / graded.student.id).mkdir()
    page = student_page(graded, {PLACE: Picture(png(), 100.0, 20.0)}) if content is None else content
    (out / graded.student.id / "report.html").write_text(page, encoding="utf-8")
    return graded


def found(out: Path, results: list[Result]) -> dict[str, bytes]:
    pictures = example_pictures(out, of_class(results))
    return {place[1]: one.png for place, one in pictures.items()}


def test_the_picture_of_a_student_s_page_is_found(tmp_path: Path) -> None:
    results = [written(tmp_path, wrong("ann")), written(tmp_path, wrong("bob"))]
    assert found(tmp_path, results) == {class_place("ann", PLACE)[1]: png()}


def test_the_next_student_stands_in_where_a_page_is_not_there(tmp_path: Path) -> None:
    assert list(found(tmp_path, [wrong("ann"), written(tmp_path, wrong("bob"))])) == ["bob/report.pdf"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        '<article data-item="q1.b">',
        '<article data-item="q1.b"><img src="data:image/png;base64,%%%" data-evidence="0"></article>',
        '<article data-item="q1.b"><img src="data:image/png;base64,R0lGODlh" data-evidence="0"></article>',
        '<article data-item="q1.b"></article><img src="data:image/png;base64,iVBORw0KGgo=" data-evidence="0">',
    ],
)
def test_a_page_of_another_make_has_no_picture(tmp_path: Path, content: str) -> None:
    assert found(tmp_path, [written(tmp_path, wrong("ann"), content)]) == {}


def test_words_that_look_like_a_page_are_no_page(tmp_path: Path) -> None:
    image = '<img src="data:image/png;base64,iVBORw0KGgo=" data-evidence="0">'
    quote = f'</blockquote><article data-item="q1.b">{image}</article>'
    assert found(tmp_path, [written(tmp_path, wrong("ann", quote))]) == {"ann/report.pdf": png()}
