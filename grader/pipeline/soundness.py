"""Refuses to grade with a lab that has errors, and remembers which labs have none.

To look through a lab loads every check, which takes longer than to grade some hand-ins. A lab that was found sound is
not looked through again until one of its files or the grader changes.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Final

from grader.lab.definition import Lab
from grader.lab.files import LabError, lab_folders, load_lab, load_truth
from grader.lab.truth import GroundTruth
from grader.pipeline.hashes import grader_identity, hash_of, hash_of_folder

MARK: Final = "checked.sha256"
"""The file in a copy of a lab, made for a course system, that tells of which files it was found sound: the copy holds
only what grading reads, so that it cannot be looked through itself."""


def sound_lab(folder: Path) -> tuple[Lab, GroundTruth]:
    """The lab in a folder and its truth. Raises LabError with every error that `grade lab check` reports, but for those
    that only grading the reference answers shows."""
    record = _record(folder)
    if (record and record.is_file()) or (folder / MARK).is_file():
        with suppress(LabError):
            lab, truth = load_lab(folder), load_truth(folder)
            if (record and record.is_file()) or _is_unchanged_copy(folder, lab, truth):
                return lab, truth
    from grader.pipeline.inspection import looked_through

    found = looked_through(folder)
    if found.errors or found.lab is None or found.truth is None:
        error_lines = "\n".join(error.report_line(folder) for error in found.errors)
        remedy = f"The lab is not ready, so it is not used. Mend these, then: grade lab check {quote(str(folder))}"
        raise LabError(f"{error_lines}\n{remedy}")
    if record:
        with suppress(OSError):  # it is looked through again next time
            record.parent.mkdir(parents=True, exist_ok=True)
            record.touch()
    return found.lab, found.truth


def mark_of(lab: Lab, truth: GroundTruth, folder: Path) -> str:
    """The hash of the files that a lab's soundness depends on. Decisions of persons may be added to a copy."""
    model = lab.short_answers.model.sha256 if lab.short_answers and lab.short_answers.model else ""
    digest = hashlib.sha256(b"".join((path / "lab.toml").read_bytes() for path in lab_folders(folder)))
    digest.update(f"{truth.sha256} {model}".encode())
    return digest.hexdigest()


def _is_unchanged_copy(folder: Path, lab: Lab, truth: GroundTruth) -> bool:
    return (folder / MARK).read_bytes().strip() == mark_of(lab, truth, folder).encode()


def _record(folder: Path) -> Path | None:
    """The empty file in the user's cache whose name stands for the lab's files and the grader; None where there is no
    cache, or the lab cannot be read."""
    with suppress(OSError, LabError, RuntimeError):
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        found = hash_of([grader_identity(), *map(hash_of_folder, lab_folders(folder))])
        return cache / "lab-grader" / "sound" / found if cache.is_absolute() else None
    return None
