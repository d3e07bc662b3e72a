"""An edition of a lab says what is other than in the lab that it extends: less, more, or changed."""

from pathlib import Path

import pytest

from grader.checks.finding import Status
from grader.lab.definition import FILE, as_toml
from grader.lab.files import LABS, LabError, lab_file, lab_folders, load_lab, load_truth, merged_data, truth_inputs
from grader.lab.truth import GroundTruth
from grader.packages.autograders import lab_files
from grader.pipeline.inspection import grade_texts, inspect
from tests.claims.test_handout import TEMPLATES

BASE = LABS / "nlp_frameworks"
EDITION = """id = "nlp-2031"
title = "NLP frameworks, 2031"
extends = "nlp-frameworks"
leave_out = ["t5", "huggingface", "t1.verified", "q2.values"]

[[questions]]
id = "q1"

[[questions.items]]
id = "q1.total"
points = "3.5"
options.partial = ["with-head"]

[[questions]]
id = "outlook"
title = "What would you try next?"
labels = []

[[questions.items]]
id = "outlook.length"
title = "An outlook of some words"
points = "1"
check = "section-present"
options.least_words = 3
"""


def edition(tmp_path: Path, text: str = EDITION, name: str = "nlp-2031", *, with_truth: bool = True) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "lab.toml").write_text(text, encoding="utf-8")
    if with_truth:
        lab = load_lab(folder)
        own = load_truth(BASE).model_copy(update={"lab": lab.id, "inputs_sha256": truth_inputs(lab, folder)})
        (folder / "truth.json").write_text(own.model_dump_json(exclude={"sha256"}), encoding="utf-8")
    return folder


def errors(folder: Path) -> list[str]:
    return [one.report_line(Path()) for one in inspect(folder).errors]


def test_what_an_edition_says_is_merged_into_the_lab_that_it_extends(tmp_path: Path) -> None:
    base, lab = load_lab(BASE), load_lab(edition(tmp_path))
    points = {item.id: item.points for item in lab.items}
    assert (lab.id, lab.extends, lab.seeds, lab.late) == ("nlp-2031", "nlp-frameworks", 3, base.late)
    assert {item.id for item in base.items} - points.keys() == {
        "t5.seeds",
        "t5.statistics",
        "t5.band",
        "t1.verified",
        "q2.values",
    }
    assert "t1" not in {one.id for one in lab.questions}  # no item is left of it
    assert (str(points["q1.total"]), str(points["outlook.length"])) == ("3.5", "1")
    total = next(lab.items)
    assert total.options["partial"] == ["with-head"]
    assert total.options["accept"] == next(base.items).options["accept"]
    assert [one.id for one in lab.questions][-1] == "outlook"
    assert [one.id for one in lab.experiments] == ["pretrained", "random"]
    assert lab.short_answers == base.short_answers
    assert lab.templates == base.templates


def test_a_hand_out_of_its_own_is_listed_beside_those_of_the_lab_that_it_extends(tmp_path: Path) -> None:
    folder = edition(tmp_path)
    (folder / FILE).write_text(as_toml(TEMPLATES), encoding="utf-8")
    assert load_lab(folder).templates.notebooks == (*TEMPLATES.notebooks, *load_lab(BASE).templates.notebooks)


def test_a_question_without_a_number_is_found_by_its_title(tmp_path: Path) -> None:
    folder = edition(tmp_path)
    report = (
        "# Question 1\n\n22,807,552 in total.\n\n## 9. What would you try next ?\n\nA larger model and more data.\n"
    )
    result = grade_texts(folder, report=report)
    found = {item.id: item.status for item in result.items}
    assert found["outlook.length"] is Status.CORRECT
    assert found["q1.total"] is Status.CORRECT
    silent = grade_texts(folder, report="# Question 1\n\n22,807,552: What would you try next?\n")
    assert next(one for one in silent.items if one.id == "outlook.length").status is not Status.CORRECT


def test_an_edition_of_an_edition(tmp_path: Path) -> None:
    first = edition(tmp_path)
    text = 'id = "nlp-2032"\ntitle = "2032"\nextends = "../nlp-2031"\nleave_out = ["outlook.length"]\n'
    second = edition(tmp_path, text, "nlp-2032")
    assert [one.resolve() for one in lab_folders(second)] == [second, first, BASE.resolve()]
    lab = load_lab(second)
    assert "outlook" not in {one.id for one in lab.questions}
    assert str(next(lab.items).points) == "3.5"
    assert lab_file(second, "configs") == BASE / "configs"


def test_a_sound_edition_is_ready_and_a_stale_truth_is_told(tmp_path: Path) -> None:
    folder = edition(tmp_path)
    assert errors(folder) == []
    changed = EDITION + '\n[[parameters]]\nid = "r"\nvalue = "8"\n'
    (folder / "lab.toml").write_text(changed, encoding="utf-8")
    (problem,) = errors(folder)
    assert problem.startswith("truth.json: error: It is stale:")
    assert "grade truth build --lab" in problem


def test_the_truth_of_an_edition_depends_on_the_files_of_the_lab_that_it_extends(tmp_path: Path) -> None:
    folder = edition(tmp_path)
    before = truth_inputs(load_lab(folder), folder)
    (folder / "configs").mkdir()
    config = next((BASE / "configs").glob("*.json"))
    (folder / "configs" / config.name).write_text("{}", encoding="utf-8")
    assert truth_inputs(load_lab(folder), folder) != before


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"nlp-frameworks"', '"nlp-framework"', "lab.toml:3: error: "),
        ('"nlp-frameworks"', '"nlp-framework"', "No lab at 'nlp-framework'"),
        ('"nlp-frameworks"', '"."', "extends this lab itself (nlp-2031 → nlp-2031)"),
        ('"t5"', '"t9"', "lab.toml:4: error: "),
        ('"t1.verified"', '"t1.verifed"', "nothing with the id 't1.verifed'. Did you mean 't1.verified'?"),
        ('extends = "nlp-frameworks"', "", "lab.toml:4: error: `leave_out` is for editions"),
        ('"t5", "huggingface"', '"huggingface"', "item t5.seeds: `experiment`: nothing is called 'huggingface'."),
        ("options.partial", "options.partiel", "lab.toml:12: error: item q1.total: unknown option 'partiel'"),
        ("labels = []", "labell = []", "lab.toml:17: error: `labell` is no key of this table."),
    ],
)
def test_what_is_wrong_with_an_edition_is_told_with_its_line(old: str, new: str, told: str, tmp_path: Path) -> None:
    text = EDITION.replace(old, new, 1)
    found = errors(edition(tmp_path, text, with_truth=False))
    assert any(told in one for one in found), found


def test_two_labs_that_extend_each_other(tmp_path: Path) -> None:
    for name, other in (("one", "two"), ("two", "one")):
        text = f'id = "{name}"\ntitle = "{name}"\nextends = "../{other}"\n'
        edition(tmp_path, text, name, with_truth=False)
    with pytest.raises(LabError, match=r"extends this lab itself \(one → two → one\)"):
        merged_data(tmp_path / "one")


def test_a_package_holds_the_lab_that_an_edition_extends(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for name, content in lab_files(edition(tmp_path)).items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(content)
    assert lab_folders(copy) == (copy, copy / "nlp-frameworks")
    assert load_lab(copy).questions == load_lab(tmp_path / "nlp-2031").questions
    assert isinstance(load_truth(copy), GroundTruth)
