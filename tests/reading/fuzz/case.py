"""What is given to a reader: a name, a role and bytes; and how what broke one is kept in a folder."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from grader.intake.submission import HEAD_BYTES, Role, Submission, SubmittedFile, role_of

FOUND: Final = Path(__file__).parent / "found"
"""One folder for each role; in it files named `<hash>-<name>`, each the least that broke a reader once."""

NAMES: Final = (
    "report.pdf", "report.md", "report.txt", "report.tex", "report.html", "report.docx", "report.odt", "report.rtf",
    "notebook.ipynb", "train.py", "run.sh", "run.yaml", "train.log", "slurm-1.out", "trainer_state.json",
    "seed1/valid/events.out.tfevents.1700000000.host.1.0", "lora/adapter_config.json",
    "lora/adapter_model.safetensors", "pytorch_model.bin", "results.json", "results.csv", "README", "paper.zip",
)  # fmt: skip
"""File names of every kind that intake tells apart, and some that it does not know."""

_PARTS: Final = {
    "other.tex": b"\\section{Other} \\newcommand{\\own}[1]{#1 \\own{#1}} \\input{part} \\own{a}",
    "part.tex": b"Part \\input{other} \\input{report} \\include{part}",
}
"""Sources that ask for each other in a circle."""


class Case(NamedTuple):
    """One file of a hand-in."""

    name: str
    role: Role
    data: bytes


def natural(name: str, data: bytes) -> Case:
    """The file in the role that intake gives it."""
    return Case(name, role_of(name, data[:HEAD_BYTES]), data)


def submission(case: Case, folder: Path) -> Submission:
    """A hand-in of this one file, written into a folder; LaTeX has others beside it that it may ask for."""
    files = [_submitted(case, folder / "stored")]
    if case.name.endswith(".tex"):
        files += [_submitted(natural(name, data), folder / name) for name, data in _PARTS.items()]
    return Submission(student_id="ada", student_name="Ada", files=tuple(files), sha256=files[0].sha256)


def _submitted(case: Case, location: Path) -> SubmittedFile:
    location.write_bytes(case.data)
    digest = hashlib.sha256(case.data).hexdigest()
    return SubmittedFile(path=case.name, role=case.role, size=len(case.data), sha256=digest, location=location)


def keep(case: Case, folder: Path = FOUND) -> Path:
    """Write a case where `kept` finds it."""
    name = Path(case.name).name
    path = folder / case.role.value / f"{hashlib.sha256(case.data).hexdigest()[:8]}-{name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(case.data)
    return path


def kept(folder: Path = FOUND) -> Iterator[Case]:
    """The cases in a folder, in order."""
    for path in sorted(folder.glob("*/*-*")):
        yield Case(path.name.partition("-")[2], Role(path.parent.name), path.read_bytes())
