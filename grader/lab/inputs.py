"""What a lab's truth is computed from, as one hash: whether `truth.json` is of this `lab.toml` can be told without the
libraries that compute it."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from grader.lab.definition import Lab

EVIDENCE = "evidence"


def truth_inputs(lab: Lab, folder: Path) -> str:
    """The sha256 of the models to be counted, the parameters' values, the calls that are checked, what bands depend on,
    and the files that models and bands come from. Titles of questions, points and options of checks are not in it."""
    said = {
        "models": lab.models,
        "values": sorted([parameter.id, parameter.value] for parameter in lab.parameters),
        "calls": sorted({str(item.options["call"]) for item in lab.items if "call" in item.options}),
        "seeds": lab.seeds,
        "splits": sorted([split.id, split.examples] for split in lab.splits),
        "files": [[path.relative_to(folder).as_posix(), _digest(path)] for path in _files(lab, folder)],
    }
    text = json.dumps(said, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _files(lab: Lab, folder: Path) -> Iterator[Path]:
    configs = {folder / str(model["config"]) for model in lab.models if "config" in model}
    yield from sorted(path for path in configs if path.is_relative_to(folder))
    yield from sorted(path for path in (folder / EVIDENCE).glob("*") if path.suffix in (".toml", ".json"))


def _digest(path: Path) -> str:
    """Of the text, whatever its line ends; empty for a file that is not there."""
    try:
        return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    except OSError:
        return ""
