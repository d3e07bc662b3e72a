"""LaTeX hand-ins made for the tests."""

from collections.abc import Mapping
from pathlib import Path

from grader.intake.submission import SubmittedFile, role_of
from grader.reading.document import Document
from grader.reading.latex import read_latex


def hand_in(folder: Path, files: Mapping[str, str | bytes]) -> list[SubmittedFile]:
    """Files on disk as intake would hand them on, in the order given."""
    found = []
    for number, (path, content) in enumerate(files.items()):
        data = content if isinstance(content, bytes) else content.encode()
        location = folder / f"stored-{number}"
        location.write_bytes(data)
        role = role_of(path, data[:4096])
        found.append(SubmittedFile(path=path, role=role, size=len(data), sha256="", location=location))
    return found


def latex(folder: Path, body: str, preamble: str = "", **files: str) -> Document:
    """A document with a body on line 3 and after, and the files `name.tex` beside it."""
    main = f"\\documentclass{{article}}{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    all_files = hand_in(folder, {"main.tex": main, **{f"{name}.tex": text for name, text in files.items()}})
    return read_latex(all_files[0], all_files)
