"""A course from download to grades: late, overridden, exported, and nothing lost."""

import csv
import json
import zipfile
from pathlib import Path

import pytest

from grader.result import Result
from tests.conftest import ROOT, results_in, run_grade

REPORT = (ROOT / "submissions" / "student-11" / "report.txt").read_bytes() + (
    b"\n\nTask 8\n\nAssistant, human, prompt: see the picture.\n"  # for a person
)
WORKSHEET = (
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade)\n"
    'Participant 12,Zoé Été,0012,z@e.fr,Submitted,,"20,00",Yes,"Wednesday, 22 November 2023, 9:00 AM",-\n'
    'Participant 13,Ann Lee,0013,a@e.fr,Submitted,,"20,00",Yes,"Tuesday, 21 November 2023, 9:00 AM",-\n'
    'Participant 14,Eve X,0014,e@e.fr,No submission,,"20,00",Yes,-,-\n'
)


@pytest.fixture(scope="module")
def download(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("moodle")
    with zipfile.ZipFile(folder / "nlp-Lab 4-99.zip", "w") as archive:
        for name in ("Zoé Été_12", "Ann Lee_13"):
            archive.writestr(f"{name}_assignsubmission_file/report.txt", REPORT)
    (folder / "worksheet.csv").write_text(WORKSHEET, encoding="utf-8")
    return folder


def grade(download: Path, out: Path) -> tuple[dict[str, Result], str]:
    worksheet = download / "worksheet.csv"
    done = run_grade(
        *(download / "nlp-Lab 4-99.zip", "--out", out, "--no-reports", "--deadline", "2023-11-21T23:59+01:00"),
        *("--roster", worksheet, "--times", worksheet),
    )
    assert done.returncode == 0, done.stderr
    return results_in(out), done.stdout


def test_from_download_to_worksheet(download: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    results, said = grade(download, out)
    zoe, ann = results["Zoé Été_12"], results["Ann Lee_13"]
    assert (zoe.late_penalty, ann.late_penalty) == (5, 0)
    assert zoe.score == ann.score - 5
    assert zoe.lateness
    assert zoe.lateness.late_by == 9 * 3600 + 60
    assert "late" in {flag.id for flag in zoe.flags}
    assert zoe.student.identity
    assert zoe.student.identity.number == "0012"
    assert "2 of 2 submissions matched (2 by id)" in said
    assert "no submission of: Eve X" in said

    filled = tmp_path / "filled.csv"
    into = ("export", "moodle-worksheet", out, "--into", download / "worksheet.csv")
    safe = run_grade(*into, "--out", tmp_path / "safe.csv")
    assert "points pending review, so left out" in safe.stderr
    command = (*into, "--out", filled, "--pending", "score")
    done = run_grade(*command)
    assert done.returncode == 0, done.stderr
    assert "rows without a result: Eve X" in done.stderr
    assert "not final" in done.stderr
    with filled.open(encoding="utf-8", newline="") as file:
        grades = [row["Grade"] for row in csv.DictReader(file)]
    assert grades == [str(zoe.score.normalize()).replace(".", ","), str(ann.score.normalize()).replace(".", ","), ""]
    again = run_grade(*command)
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert run_grade(*command, "--force").returncode == 0


def test_overrides_come_last_survive_and_grow_stale(download: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    before, _ = grade(download, out)
    item = next(item for item in before["Ann Lee_13"].items if item.id == "t8.prompt")
    text = "\n".join(
        [
            "# keep me",
            "[[override]]",
            'student = "Ann Lee_13"',
            'item = "t8.prompt"',
            "points = 0.25",
            'reason = "Said in class."',
            'author = "MD"',
            "date = 2024-01-12",
            f'finding = "{item.finding}"',
        ]
    )
    (out / "overrides.toml").write_text(text, encoding="utf-8")
    after, said = grade(download, out)
    put = next(one for one in after["Ann Lee_13"].items if one.id == "t8.prompt")
    assert put.override
    assert (put.score, put.status, put.override.before, put.override.stale) == (0.25, "partial", item.status, False)
    assert after["Ann Lee_13"].score == before["Ann Lee_13"].score - item.score + put.score
    assert (out / "overrides.toml").read_text(encoding="utf-8") == text
    assert "look again" not in said
    (out / "overrides.toml").write_text(text.replace(item.finding, "0123"), encoding="utf-8")
    stale, said = grade(download, out)
    put = next(one for one in stale["Ann Lee_13"].items if one.id == "t8.prompt")
    assert put.earlier
    assert (put.override, put.pending, put.status, put.suggestion) == (None, put.max_score, "review", "partial")
    assert (put.earlier.points, put.earlier.author, put.earlier.stale) == (0.25, "MD", True)
    assert "Ann Lee_13: 1 decision was about another answer" in said


def test_every_format_without_a_file_of_the_system(graded_samples: Path, tmp_path: Path) -> None:
    for form in ("csv", "json", "xlsx", "gradescope", "prairielearn-results"):
        done = run_grade("export", form, graded_samples, "--out", tmp_path / form)
        assert done.returncode == 0, done.stderr
    assert len(json.loads((tmp_path / "json").read_text())["students"]) == len(results_in(graded_samples))
    one = json.loads((tmp_path / "gradescope" / "student-01" / "results.json").read_text())
    assert one["score"] == float(results_in(graded_samples)["student-01"].score)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["canvas"], "--into"),
        (["moodle-grades", "--into", "nowhere.csv"], "nowhere.csv"),
        (["prairielearn"], "--qid"),
        (["moodle-feedback"], "participant id"),
        (["csv"], "--force"),
        (["telepathy"], "telepathy"),
    ],
)
def test_mistakes_are_explained(graded_samples: Path, arguments: list[str], words: str) -> None:
    form, *more = arguments
    done = run_grade("export", form, graded_samples, *more)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_without_results(tmp_path: Path) -> None:
    done = run_grade("export", "csv", tmp_path)
    assert done.returncode == 2
    assert "no results there" in done.stderr


def test_names_and_pseudonyms_never_lie_in_one_folder(download: Path, tmp_path: Path) -> None:
    named, blind = tmp_path / "named", tmp_path / "blind"
    zip_ = download / "nlp-Lab 4-99.zip"
    assert run_grade(zip_, "--out", named, "--no-reports").returncode == 0
    assert run_grade(zip_, "--out", blind, "--no-reports", "--anonymous").returncode == 0
    mixed = run_grade(zip_, "--out", named, "--no-reports", "--anonymous")
    assert mixed.returncode == 2
    assert "results under names lie there" in mixed.stderr
    mixed = run_grade(zip_, "--out", blind, "--no-reports")
    assert mixed.returncode == 2
    assert "add --anonymous" in mixed.stderr

    before = {path.name for path in blind.iterdir()}
    exported = run_grade("export", "xlsx", blind, "--key", tmp_path / "blind-key.json")
    assert exported.returncode == 0, exported.stderr
    assert (tmp_path / "blind-grades.xlsx").is_file()
    assert {path.name for path in blind.iterdir()} == before

    again = run_grade("regrade", blind, "--submissions", zip_, "--roster", download / "worksheet.csv")
    assert again.returncode == 0, again.stderr
    assert not any(name in again.stdout + again.stderr for name in ("Zoé", "Ann", "Eve"))
    alone = run_grade("regrade", "verify", blind)
    assert "name the submissions by --submissions" in alone.stdout
