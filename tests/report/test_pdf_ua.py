"""Reports are accessible PDFs, as far as structure tells (veraPDF, in Java, is not at hand where tests run)."""

import io

import pytest
from pypdf import PdfReader

from grader.cohort.statistics import of_class
from grader.report.pdf import html_to_pdf, missing_libraries
from grader.report.render import class_report, class_views, student_html, student_report
from grader.report.resources import Presentation
from grader.report.specimen import specimens
from tests.factories import result
from tests.report.made_up import CASES, PICTURES, ordinary
from tests.report.pdf_ua import elements, problems

pytestmark = pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's libraries are missing")


QUICK = ("ordinary", "everything", "no_data", "scripts")


@pytest.mark.parametrize(
    "case", [case if case in QUICK else pytest.param(case, marks=pytest.mark.slow) for case in CASES]
)
def test_the_student_s_report_is_accessible(case: str) -> None:
    assert problems(student_report(CASES[case](), PICTURES)) == []


@pytest.mark.parametrize("size", [0, 1, 4])
def test_the_class_report_is_accessible(size: int) -> None:
    results = [*specimens(), ordinary()][:size]
    assert [
        one for one in problems(class_report(class_views(of_class(results)))) if size or "bookmarks" not in one
    ] == []


def test_the_checks_can_fail() -> None:
    flawed = html_to_pdf(
        "<html><head><title>t</title></head><body><h1>A</h1><h3>B</h3><table><tr><td>c</td></tr></table>"
        "<svg width='9' height='9'><rect width='9' height='9'/></svg></body></html>"
    )
    told = problems(flawed)
    for part in (
        "14: H3 follows H1",
        "13: a figure has no alternative",
        "11: it has no language",
        "its metadata have no author",
    ):
        assert part in told


def test_the_language_of_the_report_is_that_of_the_document() -> None:
    pdf = html_to_pdf(student_html(ordinary()).replace('lang="en"', 'lang="fr"', 1))
    assert PdfReader(io.BytesIO(pdf)).trailer["/Root"]["/Lang"] == "fr"


def test_shapes_are_not_read_out_beside_their_words() -> None:
    pdf = student_report(ordinary())
    spoken = [str(one["/Alt"]) for one, kind, _ in elements(PdfReader(io.BytesIO(pdf))) if kind == "Figure"]
    assert not [words for words in spoken if words in ("check", "diamond", "cross", "half", "ring")]
    assert any("accuracy (%) on test by update" in words for words in spoken)


def test_bookmarks_are_nested_and_tell_the_verdicts() -> None:
    outline = PdfReader(io.BytesIO(student_report(ordinary()))).outline
    titles = list(_titles(outline))
    assert titles[0] == (0, "Counting parameters")
    assert (1, "Point by point") in titles
    assert (2, "Question q1 (3 / 4)") in titles
    assert (3, "Correct: Total number of parameters") in titles


def test_links_lead_to_files_beside_the_report_wherever_it_lies() -> None:
    results = [result("ann lee/x")]
    reader = PdfReader(io.BytesIO(class_report(class_views(of_class(results)))))
    links = {one.get_object()["/A"]["/URI"] for page in reader.pages for one in page.get("/Annots", [])}
    assert links == {"ann%20lee%2Fx/report.html"}


def test_title_and_author_are_told() -> None:
    read = PdfReader(io.BytesIO(student_report(ordinary(), presentation=Presentation()))).metadata
    assert read is not None
    assert (read.title, read.author) == ("Counting parameters: Ann Lee", "The teaching staff")


def _titles(outline: list, depth: int = 0):
    for one in outline:
        if isinstance(one, list):
            yield from _titles(one, depth + 1)
        else:
            yield depth, one.title
