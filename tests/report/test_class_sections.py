"""What the instructor's report tells beside scores: misconceptions, likeness, the missing, changes."""

from datetime import datetime
from decimal import Decimal

import pytest

from grader.claims.likeness import TextPrint
from grader.cohort.attention import Absent, Change
from grader.cohort.statistics import of_class
from grader.report.pdf import missing_libraries
from grader.report.pictures import Picture
from grader.report.render import class_html, class_page, class_report, class_views
from grader.report.views.class_charts import scatters
from grader.report.views.classroom import class_place, class_view
from grader.result import Average, CurveBand, Diagnosis, Lateness, Result, SeriesPrint, Status
from tests.factories import evidence, item, result
from tests.report.pdf_text import pdf_text
from tests.report.png import png

needs_weasyprint = pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's libraries are missing")
BOX = (72.0, 100.0, 300.0, 112.0)
SLIP = Diagnosis(id="with-head", text="The head is counted too.")


def wrong(student: str, quote: str = "38,000,000") -> Result:
    told = item(status=Status.INCORRECT, diagnoses=(SLIP,), evidence=(evidence(quote, box=BOX),))
    return result(student, [told, item("q2.a", Status.PARTIAL)])


def test_a_misconception_has_its_count_and_an_example_in_words() -> None:
    results = [wrong("ann"), wrong("bob"), result("cyd")]
    (one,) = class_view(of_class(results)).misconceptions.shown
    assert (one.count, one.share, one.students, one.items) == ("2 students", "67 %", "ann, bob", "q1.total")
    assert (one.text, one.quote, one.place) == (SLIP.text, "38,000,000", "ann, report.pdf, page 1")


def test_a_picture_takes_the_place_of_the_words_and_says_whose_it_is() -> None:
    results = [wrong("ann"), wrong("bob")]
    pictures = {class_place("bob", ("q1.total", "report.pdf", 1, BOX)): Picture(png(), 200.0, 20.0)}
    page = class_page(class_views(of_class(results), pictures=pictures))
    assert 'src="data:image/png;base64,' in page
    assert "From bob, report.pdf, page 1, outlined on its page." in page


def test_names_lead_to_the_students_own_reports() -> None:
    page = class_html(class_views(of_class([wrong("ann lee")])))
    assert page.count('<a href="ann%20lee/report.html">') == 1


@needs_weasyprint
def test_the_pdf_s_links_are_relative_to_it() -> None:
    results = [wrong("ann")]
    pdf = class_report(class_views(of_class(results)))
    assert b"templates/" not in pdf
    assert "The head is counted too." in " ".join(pdf_text(pdf).split())


def test_texts_that_are_alike_say_how_much_and_that_it_proves_nothing() -> None:
    hashes = "".join(f"{number:08x}" for number in range(200))
    results = [result(name, prose=TextPrint(runs=200, sketch=hashes)) for name in ("ann", "bob")]
    page = class_html(class_views(of_class(results)))
    (group,) = class_view(of_class(results)).alike.texts
    assert (group.students, group.share, group.runs) == ("ann, bob", "100 %", "200 runs")
    assert "Likeness is no proof of copying" in page


def test_shared_logs_say_once_what_they_mean_and_name_few_of_many_students() -> None:
    curves = [
        SeriesPrint(experiment="pretrained", seed=seed, split="valid", points=5, values=f"v{seed}") for seed in range(3)
    ]
    results = [
        result(f"s{n:02}", series=tuple(curves[seed] for seed in range(3) if n < (30, 12, 4)[seed])) for n in range(30)
    ]
    (shared,) = class_view(of_class(results)).alike.shared
    assert "no sign of copying" in shared.meaning
    assert [(one.series, one.students) for one in shared.groups] == [
        ("pretrained, seed 0, valid", "s00, s01, s02, s03 and 26 more"),
        ("pretrained, seed 1, valid", ", ".join(f"s{n:02}" for n in range(12))),
        ("pretrained, seed 2, valid", "s00, s01, s02, s03"),
    ]
    assert class_html(class_views(of_class(results))).count("no sign of copying") == 1


def test_late_and_missing_are_on_the_first_page_and_listed() -> None:
    told = Lateness(deadline=datetime(2023, 11, 21), late_by=5400, penalty=Decimal(5), text="Late.")
    results = [result("ann", lateness=told, late_penalty=Decimal(5)), result("bob", files=())]
    view = class_view(of_class(results, missing=[Absent(name="Cyd", id="7")]))
    assert view.presence.told == "1 submission is late, 1 student is missing, 1 submission is empty"
    assert (view.presence.missing, view.presence.empty) == ("Cyd (7)", "bob")
    (line,) = view.presence.late
    assert (line.student, line.late, line.cost) == ("ann", "1 h 30 min", "−5 points for lateness")
    assert ("1", "late") in [(figure.value, figure.label) for figure in view.figures]


def test_what_is_too_late_is_no_work() -> None:
    told = Lateness(deadline=datetime(2023, 11, 21), late_by=999_999, penalty=None, text="Late.")
    results = [result("ann", [item(status=Status.REVIEW)], lateness=told, pending=Decimal(0), needs_review=False)]
    view = class_view(of_class(results))
    assert view.glance.work == "Every point is decided."
    assert view.presence.late[0].cost == "too late: not graded"
    assert view.attention.queue == ()


def test_changes_are_shown_where_there_are_any() -> None:
    results = [result("ann")]
    assert "Changes since" not in class_html(class_views(of_class(results)))
    change = Change(student="ann", item="q1.total", before="for review, 0 / 2", after="correct, 2 / 2", why="override")
    page = class_html(class_views(of_class(results, changes=[change])))
    assert "for review, 0 / 2 → correct, 2 / 2" in page


def test_charts_of_averages_are_drawn_from_results() -> None:
    band = CurveBand(id="b", experiment="pretrained", split="test", low=78.0, high=82.0, share=95)
    averages = (Average(experiment="pretrained", split="test", value=80.0),)
    results = [result("ann", averages=averages, average_bands=(band,))]
    of = of_class(results)
    summary = of.summary
    assert [chart.title for chart in scatters(summary.accuracies)] == ["Pretrained: accuracy on test"]
    assert "Pretrained: accuracy on test" in class_html(class_views(of))


def test_discrimination_is_in_the_summary_with_its_caution() -> None:
    rows = [(Status.CORRECT, Status.CORRECT), (Status.INCORRECT, Status.INCORRECT)] * 6
    results = [result(f"s{n:02}", [item("q1.a", one), item("q2.a", two)]) for n, (one, two) in enumerate(rows)]
    of = of_class(results)
    summary = of.summary
    assert [one.discrimination for one in (*summary.questions, *summary.items)] == [1.0] * 4
    assert "unreliable" in summary.caution
    assert of_class(results[:9]).summary.questions[0].discrimination is None
