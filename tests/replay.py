"""Grade labelled hand-ins again from what was once read of them, and list each verdict that moved.

    python -m tests.replay keep [FOLDER ...]    reads the hand-ins and keeps their readings and verdicts in build/kept
    python -m tests.replay [--read]             lists what has moved since, and whether the key of the hand-in allows it
    python -m tests.replay --without MODULE.FUNCTION ...    what the verdicts would be if a function found nothing

The hand-ins are the sample class, the sheets of invented students, and the reference answers of every lab. Further ones
of the shipped lab are in `FOLDER/submissions`, with a JSON file for each in `FOLDER/keys`: `{"items": {"q1.total":
["correct", "partial"]}, "flags": []}`.

A verdict may move towards its key, or from wrong to review. Anything else ends the command with status 1. Where no key
tells, the verdict is listed to be looked at. With `--read` the files are read again, so that changes of the readers are
judged, too; without, a class is replayed in seconds.
"""

import argparse
import importlib
import json
import pickle
import shutil
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from inspect import signature
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from grader.checks.finding import Findings, Status, in_force
from grader.intake.layouts import find_sources
from grader.intake.opening import open_submission
from grader.intake.submission import Source
from grader.lab.definition import Lab
from grader.lab.files import load_lab, load_truth
from grader.lab.truth import GroundTruth
from grader.pipeline.one import extract_claims, judge_answer
from grader.reading.formats import read
from grader.reading.reading import Reading
from tests.kept import lines_of

ROOT: Final = Path(__file__).parents[1]
KEPT: Final = ROOT / "build" / "kept"
SHIPPED: Final = ROOT / "reference" / "labs" / "nlp_frameworks"
Key = Mapping[str, frozenset[str]]
"""The statuses that a careful marker allows, by item; by `flag` and its id, `raised` or the empty text."""
FLAGS: Final = ("arithmetic", "validation-reported-as-test", "std-unit", "statistics-mismatch")
"""The flags that keys tell."""
OPEN: Final = frozenset({"review", "error"})


@dataclass(frozen=True, slots=True)
class HandIn:
    """A labelled hand-in; its name tells the set that it belongs to."""

    name: str
    source: Source
    lab: Path
    key: Key


@dataclass(frozen=True, slots=True)
class Kept:
    """What was read in a hand-in, and what was concluded then: lines by item and flag, as `tests.kept` writes them."""

    hand_in: HandIn
    reading: Reading
    lines: Mapping[str, str]


class Move(NamedTuple):
    """A verdict that moved, and how."""

    hand_in: str
    item: str
    before: str
    after: str
    judgement: str


def hand_ins(further: Iterable[Path]) -> Iterator[HandIn]:
    """Every labelled hand-in of the project, and those in further folders."""
    yield from _of_folder("samples", ROOT / "submissions", _sample_keys())
    sheets = tomllib.loads((ROOT / "tests" / "sheets" / "keys.toml").read_text(encoding="utf-8"))
    yield from _of_folder(
        "sheets", ROOT / "tests" / "sheets", {Path(name).stem: _key(**key) for name, key in sheets.items()}
    )
    yield from _of_folder("nlp_frameworks", SHIPPED / "answers", {})
    for file in sorted(ROOT.glob("*/labs/*/answers.toml")):
        items = [item.id for item in load_lab(file.parent).items]
        for answer in tomllib.loads(file.read_text(encoding="utf-8"))["answers"]:
            key = _key(dict.fromkeys(items, "correct") | answer.get("items", {}))
            for source in find_sources(file.parent / answer["path"])[0]:
                yield HandIn(f"{file.parent.name}/{answer['path']}", source, file.parent, key)
    for folder in further:
        yield from labelled(folder)


def labelled(folder: Path) -> Iterator[HandIn]:
    """The hand-ins in `FOLDER/submissions`, with the keys in `FOLDER/keys`."""
    keys = {file.stem: _key(**json.loads(file.read_text("utf-8"))) for file in (folder / "keys").glob("*.json")}
    yield from _of_folder(folder.name, folder / "submissions", keys)


def _of_folder(name: str, folder: Path, keys: Mapping[str, Key]) -> Iterator[HandIn]:
    for source in find_sources(folder)[0]:
        yield HandIn(f"{name}/{source.student_id}", source, SHIPPED, keys.get(source.student_id, {}))


def _key(items: Mapping[str, str | list[str]], flags: Iterable[str] | None = None, **_: object) -> Key:
    """Keys give a status, several as a list, or several as `correct|partial`."""
    listed = {item: one.split("|") if isinstance(one, str) else one for item, one in items.items()}
    statuses = {
        item: frozenset("incorrect" if one == "wrong" else one for one in some) for item, some in listed.items()
    }
    told = {} if flags is None else {f"flag {one}": frozenset({"raised"} if one in flags else {""}) for one in FLAGS}
    return statuses | told


def _sample_keys() -> Mapping[str, Key]:
    told = tomllib.loads((ROOT / "tests" / "samples_expected.toml").read_text(encoding="utf-8"))
    every = frozenset(status.value for status in Status)
    return {
        name: {item: every - {"correct"} for item in one.get("not_full", ())}
        | {item: every - {"incorrect", "missing"} for item in one.get("not_zero", ())}
        | {item: frozenset({"correct"}) for item in one.get("full", ())}
        for name, one in told.items()
    }


@cache
def _asked(folder: Path) -> tuple[Lab, GroundTruth]:
    return load_lab(folder), load_truth(folder)


def _read(hand_in: HandIn) -> Reading:
    with TemporaryDirectory() as work:
        return read(open_submission(hand_in.source, Path(work)), _asked(hand_in.lab)[0].log_formats)


class Again(NamedTuple):
    """What is concluded about a hand-in, with what it leaves in doubt as a whole, by which lab."""

    found: Findings
    lab: Lab


def judged_again(hand_in: HandIn, reading: Reading | None = None) -> Again:
    """What is concluded about a hand-in, which is read anew where no reading is given."""
    lab, truth = _asked(hand_in.lab)
    reading = reading or _read(hand_in)
    return Again(in_force(judge_answer(reading, extract_claims(reading, lab), lab, truth), lab), lab)


def _lines(hand_in: HandIn, reading: Reading) -> dict[str, str]:
    found = judged_again(hand_in, reading).found
    lines: dict[str, str] = {}
    for line in lines_of(found.findings, found.flags):
        name = line.split(" | ")[0]
        lines[name] = f"{lines[name]}\n    {line}" if name in lines else line
    return lines


def keep(hand_in: HandIn) -> str:
    """Keep the reading and the verdicts of a hand-in. Return its name."""
    reading = _read(hand_in)
    file = KEPT / f"{hand_in.name.replace('/', '+')}.pickle"
    file.write_bytes(pickle.dumps(Kept(hand_in, reading, _lines(hand_in, reading))))
    return hand_in.name


def moves(file: Path, *, again: bool = False, without: tuple[str, ...] = ()) -> list[Move]:
    """The verdicts on a kept hand-in that are not what they were."""
    for name in without:
        neutralise(name)
    kept: Kept = pickle.loads(file.read_bytes())  # written by `keep` on this machine
    now = _lines(kept.hand_in, _read(kept.hand_in) if again else kept.reading)
    return [
        Move(kept.hand_in.name, item, before, after, _judgement(before, after, kept.hand_in.key.get(item)))
        for item in dict.fromkeys((*kept.lines, *now))
        if (before := kept.lines.get(item, "")) != (after := now.get(item, ""))
    ]


def _judgement(before: str, after: str, allowed: frozenset[str] | None) -> str:
    """Whether a key allows that a line of a finding or a flag became another one."""
    if _verdict(before) == _verdict(after):
        return "said otherwise"
    old, new = _status(before), _status(after)
    if old == new:
        return "suggested" if old in OPEN else "share"
    if allowed is None:
        return "no key"
    was, is_ = (standing(status, allowed) for status in (old, new))
    if is_ == "right":
        return "better" if was != "right" else "as right"
    return "safer" if (was, is_) == ("wrong", "open") else "worse"


def _status(line: str) -> str:
    """The status in a line of a finding; `raised` for a flag, and nothing where there is no line."""
    return "raised" if line.startswith("flag ") else "".join(line.split(" | ")[1:2])


def _verdict(line: str) -> list[str]:
    """The status, the suggestion and the share in a line."""
    parts = line.split(" | ")
    return [_status(line), *(part for part in parts if part.startswith(("suggests ", "share ")))]


def standing(status: str, allowed: frozenset[str]) -> str:
    """Whether a status is `right` by a key, `wrong` or `open`."""
    status = "missing" if status == "not_run" else status
    if status in allowed or {status, *allowed} <= {"missing", "incorrect"}:
        return "right"
    return "open" if status in OPEN else "wrong"


@cache
def neutralise(name: str) -> None:
    """Let a function find nothing in this process, wherever it was imported.

    It gives back a parameter of the type that it returns, so that nothing is changed; where there is none, it gives
    back no, nothing or an empty collection.
    """
    module, _, function = name.rpartition(".")
    original = getattr(importlib.import_module(module), function)
    shape = signature(original)
    returned = str(shape.return_annotation)
    kind, elements = _parts(returned)
    unchanged = [one.name for one in shape.parameters.values() if _parts(str(one.annotation))[1] == elements != ""]

    def nothing(*values: Any, **named: Any) -> Any:
        if unchanged:
            given = shape.bind(*values, **named).arguments[unchanged[0]]
            return _AS[kind](given) if kind in _AS else given
        return None if "None" in returned else _EMPTY.get(kind, tuple)()

    for other in list(sys.modules.values()):
        if getattr(other, "__name__", "").startswith("grader"):
            for key, value in list(vars(other).items()):
                if value is original:
                    setattr(other, key, nothing)


_AS: Final[Mapping[str, Callable[[Any], Any]]] = {"list": list, "tuple": tuple, "Iterator": iter}
_EMPTY: Final[Mapping[str, Callable[[], Any]]] = {
    **{"bool": bool, "int": int, "str": str, "list": list, "dict": dict, "Mapping": dict, "set": set},
    **{"frozenset": frozenset, "Iterator": lambda: iter(())},
}


def _parts(annotation: str) -> tuple[str, str]:
    """A type's name, and that of what it holds: itself where it is no collection; a truth value is never a subject."""
    kind, _, held = annotation.removeprefix("<class '").removesuffix("'>").partition("[")
    kind = kind.rpartition(".")[2]
    elements = held.removesuffix("]").removesuffix(", ...") if kind in _COLLECTIONS else f"{kind}[{held}"
    return kind, "" if kind in ("bool", "int") else elements


_COLLECTIONS: Final = frozenset({"list", "tuple", "Sequence", "Iterable", "Iterator"})


def in_parallel(work: Callable[[Any], Any], given: list[Any]) -> list[Any]:
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        return list(pool.map(work, given, chunksize=4))


def main() -> int:
    """Keep, or replay and compare. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", nargs="?", choices=["keep", "compare"], default="compare")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--read", action="store_true", help="read the files of the hand-ins again")
    parser.add_argument("--without", nargs="+", default=[], metavar="FUNCTION", help="let functions find nothing")
    parser.add_argument("-v", "--verbose", action="store_true", help="list also what is only said or quoted otherwise")
    given = parser.parse_args()
    if given.verb == "keep":
        shutil.rmtree(KEPT, ignore_errors=True)
        KEPT.mkdir(parents=True)
        names = in_parallel(keep, list(hand_ins(folder.resolve() for folder in given.folders)))
        print(f"Kept {len(names)} hand-ins in {KEPT}.")
        return 0
    files = sorted(KEPT.glob("*.pickle"))
    if not files:
        parser.error("nothing is kept yet; run `python -m tests.replay keep` on the code to compare with first")
    moved = in_parallel(partial(moves, again=given.read, without=tuple(given.without)), files)
    return report([one for some in moved for one in some], len(files), verbose=given.verbose)


def report(moved: list[Move], number: int, *, verbose: bool) -> int:
    """Print what moved. Return 1 where a key does not allow it."""
    for one in moved:
        if one.judgement != "said otherwise":
            old, new = (" ".join(_verdict(line)) or "none" for line in (one.before, one.after))
            print(f"{one.judgement:9} {one.hand_in} {one.item}: {old} → {new}")
        elif verbose:
            print(f"{one.judgement:9} {one.hand_in} {one.item}\n  - {one.before}\n  + {one.after}")
    counts = Counter(one.judgement for one in moved)
    told = ", ".join(f"{count} {judgement}" for judgement, count in sorted(counts.items())) or "no verdict moved"
    print(f"{number} hand-ins: {told}.")
    return int(bool(counts["worse"]))


if __name__ == "__main__":
    from tests import replay  # under its own name, by which what is kept is found again

    sys.exit(replay.main())
