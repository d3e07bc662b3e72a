"""What belongs together stays on one page, wherever the page ends."""

import pypdfium2
import pytest

from grader.cohort.statistics import of_class
from grader.report.pictures import Picture
from grader.report.render import class_report, class_views, student_report
from grader.result import Result, Status
from scripts.made_class import made_results
from tests.factories import evidence, item, result
from tests.report.pdf_text import page_count, page_texts
from tests.report.png import png


@pytest.mark.parametrize("lines", [1, 3, 5, *(pytest.param(lines, marks=pytest.mark.slow) for lines in (2, 4, 6))])
def test_what_is_asked_about_an_item_stands_below_its_title(lines: int) -> None:
    """A first reason of growing length moves the ends of the pages down past the groups of the review queue."""
    reasons = {of: f"Reason {of} " for of in range(60)}
    reasons[0] += "word " * 30 * lines
    items = [item(f"q1.j{of}", Status.REVIEW, "7", title=f"Title{of}.", note=reasons[of]) for of in range(60)]
    results = [result("ada", items=items)]
    pages = page_texts(class_report(class_views(of_class(results))))
    begins = next(number for number, page in enumerate(pages) if "Review queue" in page)
    pages = [pages[begins].partition("Review queue")[2], *pages[begins + 1 :]]
    for of in range(60):
        (titled,) = [n for n, page in enumerate(pages) if f"Title{of}. · " in page]
        assert f"Reason {of}" in pages[titled]


@pytest.mark.parametrize(("students", "most"), [(150, 12), pytest.param(2000, 20, marks=pytest.mark.slow)])
def test_the_report_of_a_class_is_short(students: int, most: int) -> None:
    """Of students who share training logs, texts and flags, a third of whose items await a person."""
    of = of_class(Result.from_json(content) for _, content in made_results(students))
    pages = page_texts(class_report(class_views(of)))
    assert len(pages) <= most
    assert "Left for you" in pages[0]
    assert "Items" in pages[1]
    assert all(name in "".join(pages) for name in ("Shared training logs", "Texts that are alike", "Flags"))
    assert all(f"Made {number:06}" in "".join(pages) for number in range(students))


@pytest.mark.parametrize("last", ["q1.last", "q2.last"])
def test_the_last_item_is_not_alone_on_the_last_page(last: str) -> None:
    """Ten items fill the first page, and 33 the first two."""
    for number in (10, 33):
        items = [item(f"q1.i{of}", Status.INCORRECT, title=f"Title{of:02}.", found="7") for of in range(number)]
        made = student_report(result("ada", [*items, item(last, Status.INCORRECT, title="The last.", found="7")]))
        page = next(page for page in reversed(page_texts(made)) if "The last." in page)
        assert f"Title{number - 1:02}." in page


def test_high_items_leave_no_page_half_empty() -> None:
    """Six items, of which no two fit on a page, take four pages after the first, not six."""
    boxes = [(72.0, 100.0 * of, 300.0, 100.0 * of + 90.0) for of in range(2)]
    items = [
        item(
            f"q1.i{of}", Status.INCORRECT, found="7", evidence=tuple(evidence(f"Quote {box}", box=box) for box in boxes)
        )
        for of in range(6)
    ]
    pictures = {
        (one.id, "report.pdf", 1, box): Picture(png(f"#{number}0{at}000", 120), 400.0, 240.0)
        for number, one in enumerate(items)
        for at, box in enumerate(boxes)
    }
    assert page_count(student_report(result("ada", items), pictures)) == 5


def test_the_small_print_is_short() -> None:
    """It fits below whatever ends a hundred points above the end of a page."""
    with pypdfium2.PdfDocument(student_report(result("ada", [item()]))) as document:
        text = document[len(document) - 1].get_textpage()
        lines = [text.get_rect(number) for number in range(text.count_rects())]
        ((top, *_),) = [(line[3],) for line in lines if text.get_text_bounded(*line).startswith("If you disagree")]
        below = [line[1] for line in lines if line[1] > 50]
    assert 20 < top - min(below) < 75
