"""List the hand-out's notebooks in a lab's folder, by hashes: their text stays where it is.

Run from the checkout's root: `python -m scripts.template_hashes LAB NOTEBOOK…`. It writes `templates.toml` into the
lab's folder anew; the notebooks are those that students get, before anything is filled in.
"""

import sys
from pathlib import Path

from grader.claims.handout import template_of
from grader.intake.submission import Role, SubmittedFile
from grader.lab.definition import FILE, Templates, as_toml
from grader.lab.files import LabError, lab_folder
from grader.reading.notebook import Notebook
from grader.reading.notebook_file import read_notebook


def main(arguments: list[str]) -> int:
    """Write the file and say what it holds; 2 when an argument cannot be used."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        target = lab_folder(arguments[0]) / FILE
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    notebooks = [_read(Path(name)) for name in arguments[1:]]
    for notebook in notebooks:
        if notebook.problems or not notebook.cells:
            reason = "; ".join(notebook.problems) or "it holds no cells"
            print(f"{notebook.file}: {reason}. Give the notebook as students get it.", file=sys.stderr)
            return 2
    templates = Templates(notebooks=tuple(map(template_of, notebooks)))
    target.write_text(as_toml(templates), encoding="utf-8")
    for one in templates.notebooks:
        gaps = sum(len(cell.gaps) for cell in one.code)
        print(f"{one.name}: {len(one.lines)} different lines, {len(one.code)} code cells, {gaps} gaps")
        if not gaps:
            print("  no gap was recognised in it: a notebook counts as blank when it adds hardly a line")
    print(f"written to {target}")
    return 0


def _read(path: Path) -> Notebook:
    size = path.stat().st_size if path.is_file() else 0
    return read_notebook(SubmittedFile(path=path.as_posix(), role=Role.NOTEBOOK, size=size, sha256="", location=path))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
