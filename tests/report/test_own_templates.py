"""An instructor's own templates: file by file, tried before anything is graded, and shut in."""

from pathlib import Path
from typing import Any

import pytest

from grader.report.own_templates import TemplatesError, check_templates
from grader.report.pdf import missing_libraries
from grader.report.render import student_html, student_page, student_report
from grader.report.resources import Presentation, find_template, templates_folder
from tests.conftest import run_grade
from tests.report.made_up import ordinary
from tests.report.pdf_text import pdf_text
from tests.report.png import png

needs_weasyprint = pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's libraries are missing")


def own(folder: Path, **files: str | bytes) -> Presentation:
    """A folder of templates; `student_html="…"` makes `student.html`."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Presentation(templates=folder)


@pytest.mark.parametrize(
    ("files", "line", "told"),
    [
        ({"student_html": "{% extends 'base.html' %}\n{% block body %}\n{{ view.nme }}{% endblock %}"}, 3, "'nme'"),
        ({"student_html": "a\n{% if x %}"}, 2, "endif"),
        ({"student_html": "\n{% extends 'nope.html' %}"}, 2, "no template 'nope.html'"),
        ({"student_html": "{% import 'macros.html' as p %}\n{{ p.nomacro(1) }}"}, 2, "'nomacro'"),
        ({"class_html": "\n\n{{ view.lab | nofilter }}"}, 3, "nofilter"),
        ({"class_html": "{{ nothing }}"}, 1, "'nothing' is undefined"),
        ({"class_html": "{{ 1 / 0 }}"}, 1, "division by zero"),
        ({"class_html": "x\n{{ ''.__class__.__mro__ }}"}, 2, "unsafe"),
        ({"class_html": "{% for _ in range(10 ** 9) %}{% endfor %}"}, 1, "too big"),
        ({"student_html": "{% extends 'student.html' %}"}, 1, "project/"),
        ({"student_html": "\n<img src='{{ asset('nologo.png') }}'>"}, 2, "nologo.png"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(
    files: dict[str, str | bytes], line: int, told: str, tmp_path: Path
) -> None:
    presentation = own(tmp_path, **files)
    (name,) = files
    with pytest.raises(TemplatesError) as error:
        check_templates(presentation)
    assert str(error.value).startswith(f"{tmp_path / name.replace('_', '.')}, line {line}: ")
    assert told in str(error.value)


def test_a_macro_that_is_missing_is_told_where_it_is_called(tmp_path: Path) -> None:
    macros = "{% macro mark(mark) %}{% endmacro %}{% macro shape(x) %}{% endmacro %}"
    with pytest.raises(TemplatesError, match=r"student\.html, line \d+: .*'bar'"):
        check_templates(own(tmp_path, macros_html=macros))


@pytest.mark.parametrize(
    ("files", "words"),
    [({"student_css": b"ok\n\xff"}, "decode"), ({"student_html": ""}, "a report is empty")],
    ids=["stylesheet that is no text", "empty template"],
)
def test_what_makes_no_report_is_told(tmp_path: Path, files: dict[str, Any], words: str) -> None:
    with pytest.raises(TemplatesError, match=words):
        check_templates(own(tmp_path, **files))


@needs_weasyprint
def test_files_stand_in_one_by_one(tmp_path: Path) -> None:
    presentation = own(
        tmp_path,
        student_html="{% extends 'project/student.html' %}{% block disagree %}Come to room 12."
        "<img src='{{ asset('logo.png') }}' alt='Our school'>{% endblock %}",
        student_css='.lab { color: red }\n.who { background: url("logo.png") }',
        logo_png=png("red"),
    )
    check_templates(presentation)
    text = pdf_text(student_report(ordinary(), presentation=presentation))
    assert "Come to room 12." in text
    assert "Write to the teaching staff" not in text
    assert "Point by point" in text
    page = student_page(ordinary(), presentation=presentation)
    assert page.count("data:image/png;base64,") == 2
    assert ".lab { color: red }" in page
    assert "--accent: " in page
    assert "Come to room 12." not in student_html(ordinary())


@needs_weasyprint
def test_a_page_reaches_its_two_folders_only(tmp_path: Path) -> None:
    (tmp_path / "secret.css").write_text("p::after { content: 'canary-4411' }")
    folder = tmp_path / "own"
    folder.mkdir()
    outside = (tmp_path / "secret.css").as_uri()
    styles = f"@import '{outside}'; @import '../secret.css'; @import 'http://127.0.0.1:9/x.css';"
    pdf = student_report(ordinary(), presentation=own(folder, student_css=styles))
    assert "canary-4411" not in pdf_text(pdf)


@pytest.mark.parametrize("name", ["student.css", "student.html"])
def test_links_out_of_the_folder_are_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    (folder / name).symlink_to(tmp_path / "secret")
    with pytest.raises(TemplatesError, match=r"outside|no template"):
        check_templates(Presentation(templates=folder))
    with pytest.raises(ValueError, match="outside"):
        find_template(name, folder)
    (folder / name).unlink()
    (folder / name).symlink_to(templates_folder() / name)
    assert find_template(name, folder) == (templates_folder() / name).resolve()


def test_the_command_line_tells_it_before_anything_is_graded(tmp_path: Path) -> None:
    folder, out = tmp_path / "own", tmp_path / "out"
    folder.mkdir()
    own(folder, student_html="\n{{ oops")
    done = run_grade("run", str(tmp_path), "--out", str(out), "--templates", str(folder))
    assert done.returncode == 2
    assert f"{folder / 'student.html'}, line 2: " in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not out.exists()
