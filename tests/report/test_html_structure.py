"""Pages are well-formed HTML: read by WeasyPrint's parser, which follows the HTML standard as browsers do."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from tinyhtml5.parser import HTMLParser

from grader.cohort.statistics import of_class
from grader.report.render import class_html, class_page, class_views, student_html, student_page
from grader.report.specimen import specimens
from tests.report.made_up import CASES, PICTURES, ordinary
from tests.report.test_render import hostile

PLAIN = [make for name, make in CASES.items() if name != "unbroken"]


def read(page: str) -> tuple[Any, list[Any]]:
    """The tree, and what a browser would have to mend."""
    parser = HTMLParser(namespace_html_elements=False)
    return parser.parse(page), parser.errors


def class_results() -> list[Any]:
    return [*specimens(), ordinary(), hostile()]


@pytest.mark.parametrize("make", [*PLAIN, hostile], ids=lambda make: make.__name__)
def test_a_browser_has_nothing_to_mend_in_a_student_s_page(make: Any) -> None:
    for page in (student_html(make(), PICTURES), student_page(make(), PICTURES)):
        assert read(page)[1] == []


def test_a_browser_has_nothing_to_mend_in_the_class_page() -> None:
    results = class_results()
    for page in (class_html(class_views(of_class(results))), class_page(class_views(of_class(results)))):
        assert read(page)[1] == []


def test_the_parser_complains_where_there_is_reason_to() -> None:
    assert read("<!DOCTYPE html><title>x</title><p><div></p></span>")[1]


def test_ids_are_unique_and_links_within_the_page_resolve() -> None:
    results = class_results()
    for page in (student_page(ordinary(), PICTURES), class_page(class_views(of_class(results)))):
        tree, _ = read(page)
        ids = Counter(one.get("id") for one in tree.iter() if one.get("id"))
        assert [name for name, count in ids.items() if count > 1] == []
        inner = [one.get("href") for one in tree.iter("a") if (one.get("href") or "").startswith("#")]
        assert [link for link in inner if link[1:] not in ids] == []


def test_headings_follow_each_other_without_gaps() -> None:
    results = class_results()
    for page in (student_page(ordinary()), class_page(class_views(of_class(results)))):
        levels = [int(one.tag[1]) for one in read(page)[0].iter() if one.tag in ("h1", "h2", "h3", "h4")]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(next_ <= level + 1 for level, next_ in pairwise(levels))


def test_pictures_and_drawings_are_told_in_words() -> None:
    for one in read(student_page(ordinary(), PICTURES))[0].iter():
        if one.tag == "img":
            assert one.get("alt")
        if str(one.tag).endswith("svg"):
            assert one.get("aria-hidden") == "true" or one.get("aria-label")
