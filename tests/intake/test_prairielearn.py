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


def test_a_questions_id_may_hold_numbers_and_the_file_keeps_its_own_name(tmp_path: Path) -> None:
    found = handed_in(
        tmp_path,
        [
            "ada@example.org_1_lab_4_1_1_501_report.tex",
            "ada@example.org_1_lab_4_1_1_501_sections.tex",
            "bo@example.org_1_lab_4_1_1_503_report.tex",
            "bo@example.org_1_lab_4_1_2_508_report.tex",
            "bo@example.org_1_lab_4_1_2_508_2_plots.tex",
            "roster.csv",
        ],
    )
    assert found == {
        "ada@example.org": ["report.tex", "sections.tex"],
        "bo@example.org": ["2_plots.tex", "report.tex"],
    }


def test_a_questions_id_may_hold_a_slash(tmp_path: Path) -> None:
    names = [f"{one}@example.org_00{one}_labs/nlp_4_{id_}_report.md" for one, id_ in (("a", 71), ("b", 8))]
    assert handed_in(tmp_path, names) == {"a@example.org": ["report.md"], "b@example.org": ["report.md"]}


def test_the_last_instance_counts_and_then_the_last_submission(tmp_path: Path) -> None:
    older = ["ada@x.org_1_lab_2_1_9_a.md", "ada@x.org_2_lab_2_1_1_b.md", "ada@x.org_2_lab_2_1_10_c.md"]
    assert handed_in(tmp_path / "before 2023", older) == {"ada@x.org": ["c.md"]}
    with_ids = ["ada@x.org_1_lab_2_1_9_700_a.md", "ada@x.org_2_lab_2_1_1_800_b.md", "bo@x.org_1_lab_2_1_1_701_a.md"]
    assert handed_in(tmp_path, with_ids) == {"ada@x.org": ["b.md"], "bo@x.org": ["a.md"]}


def test_files_of_teams(tmp_path: Path) -> None:
    names = ["pandas_1_lab_4_1_1_501_report.md", "pandas_1_lab_4_1_2_507_report.md", "owls_1_lab_4_1_1_502_report.md"]
    sources, _ = find_sources(plant(tmp_path / "Lab4", names))
    assert {one.student_id: [part.path.name for part in one.parts] for one in sources} == {
        "owls": [names[2]],
        "pandas": [names[1]],
    }
