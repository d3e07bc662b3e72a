"""From a lab's folder to a `Lab` and its `GroundTruth`, with errors that name file, key and remedy."""

import hashlib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from grader.lab import decisions, templates
from grader.lab.decisions import Decisions
from grader.lab.definition import Lab
from grader.lab.short_answers import MODEL, FrozenModel
from grader.lab.templates import Templates
from grader.lab.truth import GroundTruth

LABS = Path(__file__).parents[2] / "reference" / "labs"
Data = TypeVar("Data", bound=BaseModel)


class LabError(Exception):
    """A lab cannot be used; the message says which file and key, why, and what to do."""


def lab_folder(name: str, beside: Path = Path()) -> Path:
    """The folder of a lab given by path, from `beside` on, or by the name of a shipped lab. Raises LabError when there
    is none."""
    for folder in (beside / name, LABS / name.replace("-", "_")):
        if (folder / "lab.toml").is_file():
            return folder
    shipped = ", ".join(sorted(path.parent.name for path in LABS.glob("*/lab.toml")))
    raise LabError(f"No lab at {name!r}: give a folder that holds lab.toml, or one of the shipped labs: {shipped}.")


def load_lab(folder: Path) -> Lab:
    """The lab in a folder: `lab.toml`, and where there are such files its `decisions.toml`, the hand-out's notebooks in
    `templates.toml`, and the frozen model of its short answers. Raises LabError."""
    lab = _validated(Lab, _toml(folder / "lab.toml"), folder / "lab.toml")
    files = [folder / "lab.toml"]
    decided = folder / decisions.FILE
    if decided.is_file():
        files.append(decided)
        lab = lab.model_copy(update={"decisions": _validated(Decisions, _toml(decided), decided)})
    listed = folder / templates.FILE
    if listed.is_file():
        files.append(listed)
        lab = lab.model_copy(update={"templates": _validated(Templates, _toml(listed), listed)})
    if lab.short_answers is not None:
        beside = lab_folder(lab.short_answers.like, beside=folder) if lab.short_answers.like else folder
        if (beside / MODEL).is_file():
            files.append(beside / MODEL)
            frozen = FrozenModel(path=beside / MODEL, sha256=_digest([_bytes(beside / MODEL)]))
            settings = lab.short_answers.model_copy(update={"model": frozen})
            lab = lab.model_copy(update={"short_answers": settings})
    return lab.model_copy(update={"sha256": _digest(_bytes(path) for path in files)})


def load_truth(folder: Path) -> GroundTruth:
    """The ground truth in a folder's `truth.json`. Raises LabError."""
    path = folder / "truth.json"
    content = _bytes(path)
    try:
        truth = GroundTruth.model_validate_json(content)
    except ValidationError as error:
        raise LabError(_explained(error, path)) from error
    return truth.model_copy(update={"sha256": _digest([content])})


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LabError(
            f"{path}: cannot be read ({error.strerror}). A lab's folder holds lab.toml and truth.json."
        ) from error


def _toml(path: Path) -> object:
    try:
        return tomllib.loads(_bytes(path).decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{path}: not valid TOML: {error}. Mend that place and try again.") from error


def _validated(model: type[Data], data: object, path: Path) -> Data:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise LabError(_explained(error, path)) from error


def _explained(error: ValidationError, path: Path) -> str:
    lines = [
        f"{path}: {'.'.join(str(part) for part in problem['loc']) or 'as a whole'}: {problem['msg']}"
        for problem in error.errors(include_url=False)
    ]
    return "\n".join([*lines, "Mend these keys and try again; the shipped lab shows every key in use."])


def _digest(contents: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest()
