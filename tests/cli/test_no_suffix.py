"""A report whose name has no suffix is read by its content, or a person is told; it is never missing."""

import io
import zipfile
from pathlib import Path

import pytest

from grader.lab.files import write_starter
from tests.conftest import results_in, run_grade
from tests.reading.making import pdf
from tests.reading.making_docx import docx, paragraph

LINES = ("Question 1", "The mean is 4.", "Question 2", "b")
OPEN_TEXT = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>'
    + "".join(f"<text:p>{line}</text:p>" for line in LINES)
    + "</office:text></office:body></office:document-content>"
)


def odt() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", OPEN_TEXT)
    return made.getvalue()


PAGE = "".join(f"BT /F1 11 Tf 72 {700 - 40 * at} Td ({line}) Tj ET\n" for at, line in enumerate(LINES))
FORMS = {
    "markdown": "\n\n".join(LINES).encode(),
    "pdf": pdf(PAGE),
    "word": docx("".join(map(paragraph, LINES))),
    "odt": odt(),
    "binary": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    "empty": b"",
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labs") / "my-lab"
    write_starter(folder, "blank")
    return folder


def test_in_folders_of_students(lab: Path, tmp_path: Path) -> None:
    for name, content in FORMS.items():
        (tmp_path / "class" / f"anna-{name}").mkdir(parents=True)
        (tmp_path / "class" / f"anna-{name}" / "report").write_bytes(content)
    done = run_grade("class", "--lab", lab, "--no-reports", "--out", "graded", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    statuses = {
        name.removeprefix("anna-"): [item.status.value for item in one.items][:2]
        for name, one in results_in(tmp_path / "graded").items()
    }
    readable = {"markdown", "pdf", "word", "odt"}
    assert {name for name, own in statuses.items() if own[0] == "correct"} == readable, statuses
    assert [statuses[name] for name in ("binary", "empty")] == [["review", "review"]] * 2


@pytest.mark.parametrize("name", ["markdown", "pdf", "word", "odt"])
def test_named_by_itself(name: str, lab: Path, tmp_path: Path) -> None:
    (tmp_path / "report").write_bytes(FORMS[name])
    done = run_grade("report", "--lab", lab, "--no-reports", "--out", "graded", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (result,) = results_in(tmp_path / "graded").values()
    assert result.items[0].status.value == "correct"


@pytest.mark.parametrize("name", ["pdf", "word", "odt"])
@pytest.mark.parametrize("form", ["{who}_7{number}_assignsubmission_file/report.{suffix}", "{who}/report.{suffix}"])
def test_an_archive_that_does_not_compress_is_no_document(name: str, form: str, lab: Path, tmp_path: Path) -> None:
    suffix = {"word": "docx"}.get(name, name)
    with zipfile.ZipFile(tmp_path / "class.zip", "w", zipfile.ZIP_STORED) as archive:
        for number, who in enumerate(("Ada Byron", "Ben Ode")):
            archive.writestr(form.format(who=who, number=number, suffix=suffix), FORMS[name])
    done = run_grade("class.zip", "--lab", lab, "--no-reports", "--out", "graded", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [one.items[0].status.value for one in results_in(tmp_path / "graded").values()] == ["correct"] * 2
