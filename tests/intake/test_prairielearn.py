"""PrairieLearn's zips of submitted files, by the names that its own queries make:
https://github.com/PrairieLearn/PrairieLearn, instructorAssessmentDownloads.sql, `files_for_manual_grading` and
`assessment_instance_files`."""

from pathlib import Path

import pytest

from grader.intake.layouts import find_sources
from tests.intake.making import plant


def handed_in(folder: Path, names: list[str]) -> dict[str, list[str]]:
    sources, _ = find_sources(plant(folder / "Lab4", names))
    return {one.identity.email: sorted(part.name for part in one.parts) for one in sources if one.identity}


def test_files_for_manual_grading(tmp_path: Path) -> None:
    found = handed_in(
        tmp_path,
        [
            "ada_b@example.org_0042_nlp_lab_800_report.pdf",
            "ada_b@example.org_0042_nlp_lab_800_lab_2_final.ipynb",
            "bo@cs.example.org__nlp_lab_801_report.pdf",
        ],
    )
    assert found == {"ada_b@example.org": ["lab_2_final.ipynb", "report.pdf"], "bo@cs.example.org": ["report.pdf"]}


def test_of_all_files_the_last_submission_counts(tmp_path: Path) -> None:
    found = handed_in(
        tmp_path,
        [
            "ada@example.org_1_nlp_1_1_report.pdf",
            "ada@example.org_1_nlp_1_10_report.pdf",
            "ada@example.org_1_nlp_1_10_code.ipynb",
            "ada@example.org_1_nlp_1_2_report.pdf",
        ],
    )
    assert found == {"ada@example.org": ["code.ipynb", "report.pdf"]}


@pytest.mark.parametrize(
    "names",
    [
        ["ada@example.org_1_nlp_1_1_report.pdf", "readme.txt"],
        ["ada@example.org_1_nlp_8_report.pdf", "bo@example.org_1_other_9_report.pdf"],
    ],
)
def test_what_is_no_such_download_of_one_question(tmp_path: Path, names: list[str]) -> None:
    assert all(one.identity is None for one in find_sources(plant(tmp_path / "x", names))[0])
