"""Every mistake in a lab is told with its file, its line, and what to do."""

import shutil
from pathlib import Path

import pytest

from grader.lab.files import LABS
from grader.pipeline.inspection import Inspection, inspect
from grader.pipeline.lab_form import Severity


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The second shipped lab without its reference answers, to be broken."""
    left_out = shutil.ignore_patterns("answers*")
    return Path(shutil.copytree(LABS / "small_gpt2", tmp_path / "lab", ignore=left_out))


def broken(folder: Path, old: str, new: str, file: str = "lab.toml") -> Inspection:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return inspect(folder)


def line_of(folder: Path, words: str, file: str = "lab.toml") -> int:
    lines = (folder / file).read_text(encoding="utf-8").split("\n")
    return next(number for number, line in enumerate(lines, 1) if words in line)


ERRORS = {
    "unknown check": (
        'check = "parameter-count"',
        'check = "parameter-cuont"',
        ["q1.total", "Did you mean 'parameter-count'", "pip install"],
    ),
    "unknown option": (
        "options.accept",
        "options.acept",
        ["unknown option 'acept'", "Did you mean 'accept'", "defensible"],
    ),
    "option of a wrong kind": (
        'options.accept = ["all", "weights-only"]',
        "options.accept = 3",
        ["`options.accept`", "a list", "[3]"],
    ),
    "points in words": ('points = "2"', 'points = "two"', ["`points`", '"two"', "a number", '"1.5"']),
    "negative points": ('points = "2"', 'points = "-2"', ["`points`", "at least 0"]),
    "unknown key": ("seeds = 2", "seeds = 2\nseads = 3", ["`seads`", "Did you mean 'seeds'"]),
    "unknown key below": ('title = "Training"', 'title = "Training"\nlable = ["t"]', ["`lable`", "labels"]),
    "wrong id": ('id = "q1.total"', 'id = "Q1 total"', ["'Q1 total'", "small letter"]),
    "label without number": ('"exercise 1"', '"exercise"', ["'exercise'", "task 3"]),
    "id twice": ('id = "q1.derivation"', 'id = "q1.total"', ["'q1.total'", "2 times"]),
    "experiment's question": ('question = "t2"', 'question = "t3"', ["brackets", "'t3'", "Known"]),
    "need": (
        'title = "Calculation of the total',
        'needs = ["q1.totl"]\ntitle = "Calculation of the total',
        ["q1.derivation", "Did you mean 'q1.total'"],
    ),
    "unknown model": (
        'options.model = "small-gpt2"',
        'options.model = "small-gpt"',
        ["q1.total", "Did you mean 'small-gpt2'"],
    ),
    "unknown convention": (
        '["all", "weights-only"]',
        '["al", "weights-only"]',
        ["q1.total", "'al'", "Did you mean 'all'"],
    ),
    "unknown parameter": ('options.topic = "r"', 'options.parameter = "rank"', ["q2.r", "'rank'", "lora_alpha"]),
    "unused experiment": (
        '[[parameters]]\nid = "r"',
        '[[experiments]]\nid = "spare"\ntitle = "S"\nquestion = "t2"\nwords = ["spare"]\n\n[[parameters]]\nid = "r"',
        ["spare", "take it out"],
    ),
    "label of two questions": ('"exercise 2"', '"exercise 1"', ["'exercise 1'", "q1", "one question only"]),
    "broken TOML": ("seeds = 2", "seeds = = 2", ["not valid TOML", "line 6"]),
}


@pytest.mark.parametrize(("old", "new", "words"), ERRORS.values(), ids=ERRORS)
def test_an_error_is_told_with_its_line(lab: Path, old: str, new: str, words: list[str]) -> None:
    found = broken(lab, old, new)
    assert found.errors
    text = " ".join(one.text for one in found.errors)
    assert [word for word in words if word not in text] == [], text
    changed = [
        number for number, line in enumerate((lab / "lab.toml").read_text().split("\n"), 1) if line and line in new
    ]
    assert {one.line for one in found.errors} & {*changed, line_of(lab, new.split("\n")[0])}, found.errors
    assert {one.file for one in found.errors} == {"lab.toml"}


def test_several_mistakes_are_told_at_once(lab: Path) -> None:
    broken(lab, 'points = "2"', 'points = "two"')
    found = broken(lab, "seeds = 2", "seeds = 0")
    assert len(found.errors) == 2
    assert found.lab is None


def test_mistakes_of_all_kinds_are_told_at_once(lab: Path) -> None:
    """Of form, names, options and files, each once, and none that only follows from another."""
    changes = {
        'points = "2"': 'points = "two"',
        'title = "Training"': 'title = "Training"\nlable = ["t"]',
        'check = "printed-count"': 'check = "printed-cuont"',
        'options.topic = "lora_alpha"': 'options.tpic = "lora_alpha"',
        'id = "q1.derivation"': 'needs = ["q1.totl"]\nid = "q1.derivation"',
        '[[experiments]]\nid = "brackets"': '[[experiments]]\nid = "brackets"\nlike = ["barckets"]',
        "[[logs]]": '[[logs]]\ncolumns = { epoch = "ep" }',
    }
    path = lab / "lab.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    (lab / "truth.json").unlink()
    (lab / "answers.toml").write_text('[[answers]]\npath = "answers/nowhere"\n', encoding="utf-8")
    found = inspect(lab)
    assert found.lab is None
    told = "\n".join(f"{one.place}: {one.text}" for one in found.errors)
    words = ('"two"', "`lable`", "'printed-cuont'", "'tpic'", "q1.totl,", "'barckets'", "pattern or by columns")
    for word in (*words, "truth.json", "answers/nowhere"):
        assert word in told, told
    assert len(found.errors) == len(changes) + 3, told  # the misspelt option is missing, too
    assert "unreadable" not in told


def test_nothing_is_said_of_what_an_unreadable_id_would_name(lab: Path) -> None:
    found = broken(lab, '[[experiments]]\nid = "brackets"', '[[experiments]]\nid = "The brackets"')
    told = [one.text for one in found.errors]
    assert len([one for one in told if "'The brackets'" in one]) == 1, told


def test_a_sound_lab_without_answers_has_a_warning(lab: Path) -> None:
    found = inspect(lab)
    assert found.errors == ()
    assert [one.file for one in found.warnings] == ["answers"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('points = "0.5"', 'points = "0"', ["worth no points"]),
        ('points = "0.5"', 'points = "0.25"', ["9.75"]),
        ('labels = ["task 1", "t1", "tâche 1"]', 'labels = ["task 1"]', ["t1", "q1", "'task 1'", "add some"]),
        ('id = "test"', 'id = "testing"', ["`test`"]),
    ],
)
def test_what_is_worth_a_look(lab: Path, old: str, new: str, words: list[str]) -> None:
    found = broken(lab, old, new)
    text = " ".join(one.text for one in found.warnings)
    assert [word for word in words if word not in text] == [], text


def test_a_model_that_nothing_asks_for(lab: Path) -> None:
    found = broken(lab, 'options.model = "small-gpt2-lora"', 'options.model = "small-gpt2"')
    assert "small-gpt2-lora" in " ".join(one.text for one in found.warnings)


def test_a_truth_that_is_not_there_or_broken(lab: Path) -> None:
    (lab / "truth.json").unlink()
    (problem,) = inspect(lab).errors
    assert (problem.file, problem.severity) == ("truth.json", Severity.ERROR)
    assert f"grade truth build --lab {lab}" in problem.text
    (lab / "truth.json").write_text("{", encoding="utf-8")
    assert "truth build" in inspect(lab).errors[0].text


def test_a_stale_truth_is_told_without_the_libraries(lab: Path) -> None:
    found = broken(lab, "320", "384", "configs/small-gpt2.json")
    (problem,) = found.errors
    assert "stale" in problem.text
    assert f"grade truth build --lab {lab}" in problem.text
    assert found.answers == ()


def test_a_truth_of_another_lab(lab: Path) -> None:
    shutil.copy(LABS / "nlp_frameworks" / "truth.json", lab)
    text = " ".join(one.text for one in inspect(lab).errors)
    assert "'nlp-frameworks'" in text
    assert "small-gpt2" in text


def test_what_truth_lacks(lab: Path) -> None:
    """A model that was added since, and an experiment without known accuracies."""
    models = (
        '\n[[models]]\nid = "more"\ntitle = "M"\nconfig = "configs/small-gpt2.json"\nconventions = []\n'
        '\n[[questions]]\nid = "q1"'
    )
    found = broken(lab, '\n[[questions]]\nid = "q1"', models)
    assert any("more" in one.text and one.line for one in found.warnings)
    text = (lab / "truth.json").read_text(encoding="utf-8")
    (lab / "truth.json").write_text(text.replace('"experiment": "brackets"', '"experiment": "other"'), encoding="utf-8")
    assert any("t2.band" in one.text and "evidence/" in one.text for one in inspect(lab).warnings)


def test_a_fact_that_truth_does_not_hold(lab: Path) -> None:
    text = (lab / "truth.json").read_text(encoding="utf-8")
    (lab / "truth.json").write_text(text.replace("lora/r/shapes", "lora/r/other"), encoding="utf-8")
    (problem,) = inspect(lab).errors
    assert (problem.file, "lora/r/shapes" in problem.text) == ("lab.toml", True)


def test_a_model_of_other_examples_is_refused(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(LABS / "nlp_frameworks", tmp_path / "lab", ignore=shutil.ignore_patterns("answers")))
    assert not [one for one in inspect(folder).errors if "stale" in one.text]
    lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "answers.jsonl").write_text("".join(lines[1:]), encoding="utf-8")
    (problem,) = (one for one in inspect(folder).errors if "stale" in one.text)
    assert problem.file == "answers.npz"
    assert "grade lab train" in problem.text


@pytest.mark.parametrize("name", [path.parent.name for path in sorted(LABS.glob("*/lab.toml"))])
def test_the_shipped_labs_have_nothing_to_mend_in_form(name: str, tmp_path: Path) -> None:
    folder = Path(
        shutil.copytree(LABS / name, tmp_path / name, ignore=shutil.ignore_patterns("answers", "answers.toml"))
    )
    found = inspect(folder)
    assert [one.text for one in found.errors if "stale" not in one.text] == []
