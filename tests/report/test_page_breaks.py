"""What belongs together stays on one page, wherever the page ends."""

import pytest

from grader.cohort.statistics import of_class
from grader.report.render import class_report, class_views
from grader.result import Result, Status
from scripts.made_class import made_results
from tests.factories import item, result
from tests.report.pdf_text import page_texts


@pytest.mark.parametrize("lines", range(1, 7))
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
