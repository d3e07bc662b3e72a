"""What an instructor can get wrong before a class does: each mistake is told once, with its line and what to do."""

import copy
import datetime
import itertools
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.lab.files import LABS, write_starter
from grader.pipeline import inspection
from grader.pipeline.inspection import looked_through
from grader.pipeline.lab_form import LAB, Source, TomlLines

LABELS = 'labels = ["question 1", "q1"]'
TITLE = 'title = "My lab"'
CHOICE = """[[questions.items]]
id = "q2.choice"
title = "What an outlier moves"
points = "1"
check = "choice"
options.choices = { a = "the mean", b = "the median" }
options.right = ["a"]
"""
ROW = '{ text = "The spread is named.", points = 1 }'

WRONG: dict[str, tuple[str, str, tuple[str, ...]]] = {
    # labels
    "sign behind the number": (LABELS, 'labels = ["8)"]', ("'8)'", "`8`")),
    "number in brackets": (LABELS, 'labels = ["(8)"]', ("'(8)'", "`8`")),
    "colon behind the number": (LABELS, 'labels = ["Task 1:"]', ("'Task 1:'", "`Task 1`")),
    "points in a label": (LABELS, 'labels = ["question 1 (2 points)"]', ("`question 1`",)),
    "Roman numeral": (LABELS, 'labels = ["Task IV"]', ("'Task IV'", "`Task 4`")),
    "numeral in words": (LABELS, 'labels = ["question one"]', ("'question one'", "`task 3`")),
    "no number": (LABELS, 'labels = ["task"]', ("'task'", "`task 3`")),
    "empty label": (LABELS, 'labels = [""]', ("''", "`task 3`")),
    "labels as text": (LABELS, 'labels = "question 1"', ("`labels`", "list", '["question 1"]')),
    "labels as a number": (LABELS, "labels = [1]", ("`labels` is 1", "quotes")),
    "no labels": (f"{LABELS}\n", "", ("`labels` is missing",)),
    "label of two questions": ('labels = ["question 2", "q2"]', 'labels = ["Question  1"]', ("'Question 1'", "q1")),
    # words
    "words as text": ('words = ["mean", "average"]', 'words = "mean"', ("`words`", "list", '["mean"]')),
    "empty word": ('words = ["mean", "average"]', 'words = ["mean", ""]', ("`words`", "empty")),
    "option words as text": (
        'options.words = ["mean", "average"]',
        'options.words = "mean"',
        ("q1.mean", "`options.words`", '["mean"]'),
    ),
    "empty word of an option": ('options.words = ["mean", "average"]', 'options.words = [" "]', ("`words`", "empty")),
    # points
    "points that rounding forbids": ('points = "1"', 'points = "0.3"\nrounding = "0.5"', ("q1.mean", "0.3", "0.5")),
    "points finer than a cent": ('points = "1"', 'points = "0.333"', ("0.333", "0.33 or 0.34")),
    "negative points": ('points = "1"', "points = -1", ("`points` is -1", "at least 0")),
    "decimal comma": ('points = "1"', 'points = "1,5"', ("1,5", "number")),
    "points without end": ('points = "1"', 'points = "inf"', ("inf", "finite")),
    "share in percent": ('points = "1"', 'points = "1"\npartial = "50"', ("`partial`", "at most 1")),
    "no rounding": (TITLE, f"{TITLE}\nrounding = 0\n", ("`rounding` is 0", "more than 0")),
    # ids, titles
    "item twice": ('id = "q2.choice"', 'id = "q1.mean"', ("'q1.mean'", "2 times")),
    "question twice": ('id = "q2"', 'id = "q1"', ("'q1'", "2 times")),
    "item called like a question": ('id = "q2.choice"', 'id = "q1"', ("'q1'", "2 times")),
    "capitals in an id": ('id = "q1.mean"', 'id = "Q1.mean"', ("'Q1.mean'", "small letters")),
    "number as an id": ('id = "q1.mean"', "id = 1", ("`id` is 1", "quotes")),
    "empty title": ('title = "A number"', 'title = ""', ("q1", "empty")),
    "unknown language": (TITLE, f'{TITLE}\nlanguage = "klingon"\n', ("'klingon'", "fr")),
    # questions and checks
    "question without items": (CHOICE, "", ("`items` is missing",)),
    "no check": ('check = "numeric-answer"\n', "", ("`check` is missing",)),
    "unknown check": ('check = "numeric-answer"', 'check = "numeric"', ("Did you mean 'numeric-answer'",)),
    "need below": ('check = "numeric-answer"', 'check = "numeric-answer"\nneeds = ["q2.choice"]', ("above",)),
    "runs in the wrong file": ("[[questions]]", '[[runs]]\nid = "x"\n[[questions]]', ("`runs`", "evidence/")),
    # options
    "option beside its table": ("options.value = 4", "value = 4", ("Did you mean `options.value`?",)),
    "misspelt table of options": ("options.value = 4", "option.value = 4", ("Did you mean 'options'?",)),
    "misspelt option": ("options.wrong", "options.wron", ("Did you mean 'wrong'?",)),
    "value in words": ("options.value = 4", 'options.value = "four"', ("`options.value`", '"four"', "number")),
    "no value": ("options.value = 4\n", "", ("'value' or 'truth_id'",)),
    "right value among the wrong ones": ("{ value = 3,", "{ value = 4,", ("4 stands among `wrong`",)),
    "right option that is none": ('options.right = ["a"]', 'options.right = ["c"]', ("'c'", "Known: a, b")),
    "no right option": ('options.right = ["a"]', "options.right = []", ("empty",)),
    "rubric row without points": (ROW, '{ text = "The spread is named." }', ("`options.rubric.points` is missing",)),
    "rubric row as text": (ROW, '"The spread is named."', ("`options.rubric`", "a table")),
    # lateness
    "deadline in words": (TITLE, f'{TITLE}\nlate = {{ deadline = "soon" }}\n', ('"soon"', "2026-11-21T23:59:00+01:00")),
    "deadline without a zone": (TITLE, f"{TITLE}\nlate = {{ deadline = 2026-11-21T23:59:00 }}\n", ("time zone",)),
    "unknown time zone": (TITLE, f'{TITLE}\nlate = {{ timezone = "Paris" }}\n', ("Europe/Paris",)),
    "tiers that fall": (
        TITLE,
        f"{TITLE}\nlate = {{ tiers = [{{ hours = 48, points = 1 }}, {{ hours = 24, points = 2 }}] }}\n",
        ("rise",),
    ),
    # TOML
    "curly quotes": (TITLE, "title = “My lab”", ("straight quotes",)),
    "missing quote": (TITLE, 'title = "My lab', ("quote is missing",)),
    "text without quotes": (TITLE, "title = Accuracies", ('title = "Accuracies"',)),
    "a decimal comma": (TITLE, f"{TITLE}\npoints = 2,5", ("Write the number with a point: 2.5.",)),
    "key twice": (TITLE, f'{TITLE}\ntitle = "x"', ("`title` stands there already",)),
    "misspelt heading": ("[[questions]]", "[[question]]", ("Did you mean [[questions]]?",)),
    "extended lab that is not there": (TITLE, f'{TITLE}\nextends = "nowhere"\n', ("'nowhere'", "shipped labs")),
}
MENDING = re.compile(
    r"[Mm]end|[Ww]rite|[Aa]dd|[Tt]ake (it |one of them )?out|Did you mean|ha(s|ve) to|must|[Gg]ive|Known|[Pp]ut|takes|"
    r"there are|is missing"
)


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    write_starter(tmp_path / "my-lab", "blank")
    return tmp_path / "my-lab"


@pytest.mark.parametrize(("old", "new", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_lab_is_told_what_to_mend(lab: Path, old: str, new: str, words: tuple[str, ...]) -> None:
    path = lab / LAB
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    (lab / "answers.toml").unlink()
    errors = looked_through(lab).errors
    told = "\n".join(one.report_line(lab) for one in errors)
    assert [word for word in words if word not in told] == [], told
    assert all(one.line and one.file == LAB for one in errors), told
    assert all(MENDING.search(one.text) for one in errors), told
    assert len(errors) <= 2, told
    assert "pydantic" not in told
    assert "Input should" not in told
    assert str(lab) not in "".join(one.text for one in errors)


@pytest.mark.parametrize(
    "label", ["8", "8.", "n°1", "Q. 1", "2.3.b", "exercise 3.2", "part (b)", "task\u00a03", "task\t3"]
)
def test_these_labels_name_a_question(lab: Path, label: str) -> None:
    path = lab / LAB
    path.write_text(path.read_text(encoding="utf-8").replace(LABELS, f'labels = ["{label}"]'), encoding="utf-8")
    assert looked_through(lab).errors == ()
    status = inspection.grade_texts(lab, report="# Something\n\nNothing.\n").items[0].status
    assert status.value != "error"


def test_a_file_that_windows_saved_is_read(lab: Path) -> None:
    path = lab / LAB
    text = path.read_text(encoding="utf-8").replace("\n", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert looked_through(lab).errors == ()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            ROW,
            ROW.replace("1", "0.5"),
            "the criteria of its rubric together come to 1.5, so nobody",
        ),
        (ROW, ROW.replace("1", "3"), "come to 4, so some of the criteria are enough"),
        ("options.value = 4", "options.value = 4\noptions.tolerance = 1", "3 stands among `wrong`, but lies within"),
        ("options.value = 4", "options.least = 2\noptions.most = 9", "3 stands among `wrong`, but lies within `least`"),
        (
            CHOICE,
            CHOICE.partition("check")[0]
            + 'check = "contains"\noptions.must = [["mean"], ["median"]]\noptions.names = ["the mean"]\n',
            "the length of `options.names` is 1, but there are 2 lists",
        ),
    ],
)
def test_what_is_probably_not_meant_is_a_warning(lab: Path, old: str, new: str, said: str) -> None:
    path = lab / LAB
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    found = looked_through(lab)
    assert found.errors == ()
    (warned,) = found.problems
    assert said in warned.text
    assert warned.line
    assert warned.file == LAB


def test_folders_of_answers_without_a_list_are_a_warning_that_says_what_to_write(lab: Path) -> None:
    (lab / "answers.toml").unlink()
    (warned,) = looked_through(lab).problems
    assert "create answers.toml" in warned.text
    assert 'path = "answers/right"' in warned.text
    (lab / "answers" / "report.md").write_text("# Question 1\n", encoding="utf-8")
    assert looked_through(lab).problems == ()


def test_a_word_that_nearly_every_answer_states_is_a_warning(lab: Path) -> None:
    path = lab / LAB
    item = CHOICE.partition("check")[0] + 'check = "contains"\noptions.must = [["not", "not larger"]]\n'
    path.write_text(path.read_text(encoding="utf-8").replace(CHOICE, item), encoding="utf-8")
    told = [one.text for one in looked_through(lab).problems if "nearly every answer" in one.text]
    assert len(told) == 1
    assert "'not'" in told[0]
    assert "'not larger'" not in told[0]


def test_the_list_of_answers(lab: Path) -> None:
    path = lab / "answers.toml"
    text = path.read_text(encoding="utf-8")
    for old, new, word in (
        ("answers/wrong", "answers/wron", "no such file"),
        ('"q1.mean"', '"q1.men"', "Did you mean 'q1.mean'?"),
        ('"incorrect"', '"false"', 'one of "correct"'),
        ("path =", "pth =", "`pth` is no key"),
    ):
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        told = [one for one in looked_through(lab).errors if word in one.text]
        assert told, (new, looked_through(lab).errors)
        assert all(one.line and one.file == "answers.toml" for one in told)


def test_a_lab_without_truth_and_evidence_is_whole_where_it_needs_none(lab: Path) -> None:
    (lab / "truth.json").unlink()
    found = looked_through(lab)
    assert found.errors == ()
    assert found.truth is not None
    path = lab / LAB
    path.write_text(path.read_text(encoding="utf-8").replace("options.value = 4", 'options.truth_id = "x"'))
    assert [one.file for one in looked_through(lab).errors] == ["truth.json"]


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    """A lab with a model, experiments and runs."""
    return Path(shutil.copytree(LABS / "small_gpt2", tmp_path / "lab"))


def replaced(folder: Path, file: str, old: str, new: str) -> list[str]:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return [one.report_line(Path()) for one in looked_through(folder).errors]


def test_a_stale_truth_is_told_first_and_names_are_those_of_the_lab(counted: Path) -> None:
    convention = 'id = "weights-only"'
    first, *others = replaced(counted, LAB, convention, 'id = "weights"')
    assert "truth.json: error: It is stale" in first
    assert all("'weights-only'" in one and "Did you mean 'weights'" in one for one in others)
    text = (counted / LAB).read_text(encoding="utf-8")
    (counted / LAB).write_text(text.replace('"weights-only"', '"weights"'), encoding="utf-8")
    (only,) = looked_through(counted).errors
    assert "stale" in only.text


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (LAB, 'config = "configs/small-gpt2.json"', 'config = "configs/x.json"', ("configs/x.json", "Put ")),
        (LAB, 'options.experiment = "brackets"', 'options.experiment = "bracket"', ("Did you mean 'brackets'",)),
        ("evidence/accuracies.toml", 'experiment = "brackets"', 'experiment = "bracket"', ("Did you mean 'brackets'",)),
        ("evidence/accuracies.toml", "[[runs]]", "[[runs]", ("evidence/accuracies.toml", "not valid TOML")),
    ],
)
def test_what_models_and_experiments_name(counted: Path, file: str, old: str, new: str, words: tuple[str, ...]) -> None:
    told = [one for one in replaced(counted, file, old, new) if "stale" not in one]
    assert len(told) == 1, told
    assert [word for word in words if word not in told[0]] == []


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*place, key))


ANYTHING: tuple[Any, ...] = (
    "",
    "x",
    [],
    [""],
    [1],
    {},
    {"a": 1},
    -1,
    True,
    1.5,
    float("nan"),
    datetime.date(2026, 1, 1),
    [[1]],
    [{}],
)


def test_no_value_of_another_kind_ends_the_check(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tomllib.loads((lab / LAB).read_text(encoding="utf-8"))
    (lab / "answers.toml").unlink()
    for place, value in itertools.islice(itertools.product([*places(data)][1:], ANYTHING), 0, None, 5):
        changed = copy.deepcopy(data)
        table = changed
        for key in place[:-1]:
            table = table[key]
        table[place[-1]] = value
        monkeypatch.setattr(inspection, "read_source", lambda *_, changed=changed: Source(changed, TomlLines("")))
        looked_through(lab)
