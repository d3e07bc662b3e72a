"""HTML reports that stand on their own, and what of a class must not stand in a student's report."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from grader.cohort.statistics import of_class
from grader.report.pdf import missing_libraries
from grader.report.pictures import Picture
from grader.report.render import class_page, class_views, student_html, student_page, student_report
from grader.report.views.attention import report_link
from grader.result import Flag, GradedFile, Result, SeriesPrint, Severity, Status
from tests.factories import evidence, item, result
from tests.report.pdf_text import pdf_text
from tests.report.png import png
from tests.report.test_render import hostile

SECRET = "zq7staff"
BOX = (72.0, 100.0, 300.0, 112.0)


def with_secrets() -> Result:
    """A sentinel in each field that is for staff."""
    fields: dict[str, Any] = {
        "note": f"{SECRET}-note",
        "tags": (f"{SECRET}-tag",),
        "group": f"{SECRET}-group",
        "suggestion": Status.PARTIAL,
        "finding": f"{SECRET}-finding",
        "feedback": "told to the student",
    }
    flags = tuple(
        Flag(id=id_, severity=Severity.WARNING, message=f"like {SECRET}-other-student")
        for id_ in ("identical-series", "copied-documentation")
    )
    prints = SeriesPrint(experiment=f"{SECRET}-series", seed=1, split="test", points=5, values=f"{SECRET}-print")
    items = [item(f"q1.{status}", status, **fields) for status in Status]
    return result("ann", items, flags=flags, series=(prints,), files=(GradedFile(path="a", role="b", state="read"),))


def test_nothing_for_staff_stands_in_the_student_s_pages() -> None:
    graded = with_secrets()
    for page in (student_html(graded), student_page(graded)):
        assert "told to the student" in page
        assert SECRET not in page


@pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's libraries are missing")
def test_nothing_for_staff_stands_in_the_student_s_pdf() -> None:
    pdf = student_report(with_secrets())
    assert SECRET not in pdf_text(pdf)
    assert SECRET.encode() not in pdf


class Page(HTMLParser):
    """Collects what a browser would act on: tags, handlers of events, URLs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.handlers: set[str] = set()
        self.urls: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)
        self.urls |= set(re.findall(r"url\(\"?([^\")]{0,11})", text.split("</style>")[0]))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.handlers |= {name for name, _ in attrs if name.startswith("on")}
        if tag == "a":
            self.links |= {value or "" for name, value in attrs if name == "href"}
            return
        self.urls |= {
            (value or "")[:11] for name, value in attrs if name in ("src", "href", "data", "action", "poster")
        }


@pytest.mark.parametrize("graded", [result(), hostile(), result(error="boom"), result(files=())])
def test_a_page_of_its_own_fetches_nothing_and_runs_nothing(graded: Result) -> None:
    picture = {("q1.a", "report.pdf", 1, BOX): Picture(png(), 100.0, 20.0)}
    for page in (student_page(graded, picture), class_page(class_views(of_class([graded])))):
        read = Page(page)
        assert read.urls <= {"data:font/w", "data:image/"}
        assert all(link.startswith("#") or link == report_link(graded.student.id) for link in read.links)
        assert not read.handlers
        assert not read.tags & {"script", "iframe", "object", "embed", "link", "base", "form"}
        assert "default-src &#39;none&#39;" in page
        assert page.encode()


def test_the_same_result_gives_the_same_page() -> None:
    graded = result(items=[item(evidence=(evidence("∑ 𝑑 é"),))])
    assert student_page(graded) == student_page(Result.from_json(graded.to_json()))


def test_styles_stay_whole_whatever_a_title_says() -> None:
    graded = result(name="@styles@ </style>", items=[item(found="@styles@")])
    page = student_page(graded)
    assert page.index("@font-face") < page.index("<title>")
    assert page.count("@font-face") >= 3
    assert "@styles@ &lt;/style&gt;" in page


def test_the_large_font_is_carried_only_where_it_is_needed() -> None:
    plain = student_page(result(items=[item(found="42")]))
    mathematical = student_page(result(items=[item(found="𝑑 ∈ ℝ")]))
    assert len(mathematical) > len(plain) + 100_000
    assert len(plain) < 150_000


def test_a_question_shows_the_same_lines_once_on_paper() -> None:
    items = [
        item(f"q1.{name}", status, title=f"The {name} one", evidence=(evidence(box=BOX),))
        for name, status in (("right", Status.CORRECT), ("first", Status.MISSING), ("next", Status.REVIEW))
    ]
    shared = Picture(png(), 100.0, 20.0)
    pictures = {(one.id, "report.pdf", 1, BOX): shared for one in items}
    paper, screen = student_html(result(items=items), pictures), student_page(result(items=items), pictures)
    assert paper.count('<p class="crop">') == 1
    assert "report.pdf, page 1: the lines that are shown above, at “The first one”" in paper
    assert screen.count('<p class="crop">') == 3
    assert "shown above" not in screen


def test_pictures_are_inside_the_page() -> None:
    place = ("q1.total", "report.pdf", 1, BOX)
    graded = result(items=[item(evidence=(evidence(box=BOX),))])
    page = student_page(graded, {place: Picture(png(), 100.0, 20.0)})
    assert page.count('src="data:image/png;base64,') == 1
    assert 'alt="From report.pdf, page 1' in page
