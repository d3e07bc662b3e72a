"""Only the student's words are answers: what programs print beside them changes no verdict."""

import re
from json import loads
from pathlib import Path

import pytest

from scripts.noise import Cell, Combination, combinations, differing, main, noise_cells, notebooks
from scripts.samples.notebook import notebook
from tests.conftest import ROOT

NOISES: dict[str, list[Cell]] = {
    path.stem: loads(notebook(path.read_text(encoding="utf-8")))["cells"]
    for path in sorted((ROOT / "tests" / "noise").glob("*.txt"))
}
"""Invented notebooks of other labs: translation with fairseq, images with Hugging Face, digits with Keras and
Lightning, and hotel reviews, with what installers, progress bars, configurations, listings and data look like."""
ANSWERS = {"student-01": "report.md", "student-04": "report.md", "student-11": "report.txt"}


def cells_of(student: str) -> list[Cell]:
    """A sample's answer sheet as a notebook that ran: a cell of text for each question, and one of code."""
    text = (ROOT / "submissions" / student / ANSWERS[student]).read_text(encoding="utf-8")
    parts = re.split(r"^(?=#+ |Question \d|Task \d)", text, flags=re.MULTILINE)
    code = "# %%\nimport torch\n\ntorch.__version__\n# %% [result]\n'2.0.1+cu118'"
    return [{"cell_type": "markdown", "metadata": {}, "source": part} for part in parts if part.strip()] + list(
        loads(notebook(code))["cells"]
    )


def test_no_verdict_of_a_sheet_without_code_depends_on_noise(tmp_path: Path) -> None:
    """Half of its items are missing: all that noise says could be taken for them."""
    answers = {"student-11": cells_of("student-11")}
    assert differing(answers, NOISES, list(combinations(answers, list(NOISES))), tmp_path) == []


@pytest.mark.slow
def test_no_verdict_depends_on_noise_wherever_it_stands(tmp_path: Path) -> None:
    answers = {name: cells_of(name) for name in ANSWERS}
    wanted = [
        Combination(answer, noise, place)
        for place in ("between", "before", "after", "beside")
        for answer in answers
        for noise in NOISES
    ]
    assert differing(answers, NOISES, wanted, tmp_path) == []


def test_a_verdict_that_differs_is_told_with_its_line(tmp_path: Path) -> None:
    """Not all output is noise: the figures of Task 7, printed where the sheet is silent, are an answer."""
    print_of_lora = "# %%\nmodel.print_trainable_parameters()\n# %% [output]\n"
    line = "trainable params: 1,572,864 || all params: 409,792,512 || trainable%: 0.3838"
    cells = loads(notebook(print_of_lora + line))["cells"]
    answers = {"student-11": cells_of("student-11")}
    found = differing(answers, {"lora": cells}, [Combination("student-11", "lora", "after")], tmp_path)
    assert [(one.what, one.after) for one in found] == [("t7.trainable", "correct 1")]
    assert "409,792,512" in found[0].why


def test_noise_is_code_without_pictures() -> None:
    text = {"cell_type": "markdown", "source": "My model is better."}
    picture = {"output_type": "display_data", "data": {"image/png": "", "text/plain": "<Figure>"}}
    printed = {"output_type": "stream", "name": "stdout", "text": "done"}
    code = {"cell_type": "code", "source": "plot()", "outputs": [picture, printed]}
    assert noise_cells([text, code]) == [{"cell_type": "code", "source": "plot()", "outputs": [printed]}]


@pytest.mark.parametrize(
    ("content", "told"), [(None, "holds no notebooks"), ("not JSON", "is not a notebook"), ("{}", "is not a notebook")]
)
def test_what_is_no_folder_of_notebooks_is_told(
    content: str | None,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if content is not None:
        (tmp_path / "a.ipynb").write_text(content)
    with pytest.raises(ValueError, match=told):
        notebooks(tmp_path)
    monkeypatch.setattr("sys.argv", ["noise", str(tmp_path), str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
