"""Styles are read once for each process, and nothing is left behind."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from grader.cohort.statistics import of_class
from grader.report.pdf import html_to_pdf, missing_libraries
from grader.report.render import class_html, class_views, student_html, student_report
from grader.report.resources import Presentation
from tests.report.made_up import everything, ordinary, scripts
from tests.report.pdf_text import pdf_text

pytestmark = pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's libraries are missing")


def test_what_was_made_before_changes_nothing() -> None:
    first = student_report(ordinary())
    for other in (everything, scripts):
        student_report(other())
    assert student_report(ordinary()) == first


def test_shared_and_own_styles_give_the_same_page(tmp_path: Path) -> None:
    (tmp_path / "student.css").write_bytes(Path("templates/student.css").read_bytes())
    own = student_report(ordinary(), presentation=Presentation(templates=tmp_path))
    assert pdf_text(own) == pdf_text(student_report(ordinary()))


def test_styles_that_a_title_names_are_not_taken() -> None:
    html = student_html(ordinary()).replace("</title>", '</title>\n<link rel="stylesheet" href="class.css">\n')
    assert html_to_pdf(html) != html_to_pdf(student_html(ordinary()))


@pytest.mark.parametrize("page", ["student", "class"])
def test_well_formed_pages_become_the_same_by_either_parser(page: str) -> None:
    html = student_html(everything()) if page == "student" else class_html(class_views(of_class([everything()])))
    other = html.replace("/>", ">", 1)
    ElementTree.fromstring(html)
    with pytest.raises(ElementTree.ParseError):
        ElementTree.fromstring(other)
    assert html_to_pdf(other) == html_to_pdf(html)


def test_what_xml_does_not_allow_is_printed() -> None:
    html = student_html(ordinary()).replace("</h2>", "&nbsp;twice</h2>", 1)
    assert "twice" in pdf_text(html_to_pdf(html))


def test_no_temporary_files_are_left_by_workers(tmp_path: Path) -> None:
    script = """
from grader.pipeline.isolation import run_isolated
from tests.report.test_shared_styles import render
if __name__ == "__main__":
    print([one.messages for one in run_isolated(render, [1, 2], workers=2, preload=("grader.report.render",))])
"""
    (tmp_path / "run.py").write_text(script)
    (tmp_path / "tmp").mkdir()
    done = subprocess.run(
        [sys.executable, str(tmp_path / "run.py")],
        env={"TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": ".", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("%PDF") == 2
    assert "Exception ignored" not in done.stderr
    assert [path.name for path in (tmp_path / "tmp").glob("weasyprint-*")] == []


def render(job: int, send: object) -> None:
    """What a worker does."""
    assert callable(send)
    send(student_report(ordinary())[:8])


def test_a_process_ends_quietly_and_leaves_nothing(tmp_path: Path) -> None:
    script = (
        "from tests.report.made_up import no_data; from grader.report.render import student_report as r; r(no_data())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"TMPDIR": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []
