"""The list of a hand-out's notebooks: made, kept in a lab's folder, read again."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.claims.handout import template_of
from grader.cli.lab import template_command
from grader.lab.definition import FILE, Templates, as_toml, line_hash
from grader.lab.files import LabError, lab_folder, load_lab
from tests.claims.making_handout import handed_out


def folder_with(content: str | None, tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    shutil.copytree(lab_folder("nlp-frameworks"), folder, ignore=shutil.ignore_patterns("evidence", "answers", FILE))
    if content is not None:
        (folder / FILE).write_text(content, encoding="utf-8")
    return folder


def test_a_line_s_hash_is_that_of_its_words() -> None:
    assert line_hash("  x =\t1 ") == line_hash("x = 1") == line_hash("x = 1\n")
    assert line_hash("x = 1") != line_hash("x=1")
    assert len(line_hash("\udcff é")) == 12


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    templates = Templates(notebooks=(template_of(handed_out('a "b".ipynb')), template_of(handed_out("c.ipynb"))))
    lab = load_lab(folder_with(as_toml(templates), tmp_path))
    assert lab.templates.notebooks[1] == templates.notebooks[1]
    assert lab.templates.notebooks[0].name == "a b.ipynb"
    assert [len(cell.gaps) for cell in lab.templates.notebooks[0].code] == [0, 0, 0, 1, 1, 0, 1, 0]
    assert lab.sha256 != load_lab(lab_folder("nlp-frameworks")).sha256


def test_a_lab_without_the_file_lists_none(tmp_path: Path) -> None:
    assert not load_lab(folder_with(None, tmp_path)).templates


def test_a_broken_list_says_where(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"templates\.toml: notebooks\.0\.prose\.0: `prose`: String should match"):
        load_lab(folder_with('[[notebooks]]\nname = "a"\nprose = ["text of the hand-out"]\n', tmp_path))


def made(folder: Path, notebook: Path) -> Result:
    return CliRunner().invoke(template_command, [str(notebook), "--lab", str(folder)])


def test_the_verb_writes_the_list_and_no_text(tmp_path: Path) -> None:
    folder, notebook = folder_with(None, tmp_path), tmp_path / "hand-out.ipynb"
    cells = [
        {"cell_type": "markdown", "source": "# A secret exercise\n## Task 6"},
        {"cell_type": "code", "source": "lr = # fill me", "outputs": [], "execution_count": None},
        {"cell_type": "markdown", "source": "Say it.", "metadata": {"tags": ["answer"]}},
        {"cell_type": "markdown", "source": "", "metadata": {"nbgrader": {"solution": True}}},
    ]
    notebook.write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    done = made(folder, notebook)
    assert done.exit_code == 0, done.output
    assert "1 code cells, 1 gaps" in done.output
    assert "cells for answers, from 0: 2 (t6), 3 (below no question of the lab)" in done.output
    assert "secret" not in (folder / FILE).read_text(encoding="utf-8")
    templates = load_lab(folder).templates
    assert line_hash("# A secret exercise") in templates.prose
    assert [one.lines for one in templates.answers] == [(line_hash("Say it."),), ()]


@pytest.mark.parametrize("content", [None, "no notebook", '{"cells": []}'])
def test_the_verb_says_what_it_cannot_use(content: str | None, tmp_path: Path) -> None:
    folder, notebook = folder_with(None, tmp_path), tmp_path / "hand-out.ipynb"
    if content is not None:
        notebook.write_text(content, encoding="utf-8")
    done = made(folder, notebook)
    assert done.exit_code == 2
    assert "hand-out.ipynb" in done.output
    assert not (folder / FILE).exists()


def test_a_module_of_the_hand_out_is_listed(tmp_path: Path) -> None:
    folder, module = folder_with(None, tmp_path), tmp_path / "model.py"
    module.write_text("def loss(w):\n    # TODO: compute the loss\n    pass\n", encoding="utf-8")
    assert made(folder, module).exit_code == 0
    (listed,) = load_lab(folder).templates.notebooks
    assert listed.is_module
    assert [len(cell.gaps) for cell in listed.code] == [1]
