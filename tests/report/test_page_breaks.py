"""What belongs together stays on one page, wherever the page ends."""

import pytest

from grader.cohort.statistics import of_class
from grader.report.render import class_report, class_views
from grader.result import Status
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
