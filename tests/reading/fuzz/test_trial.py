"""The harness notices what it is for."""

import time
from pathlib import Path
from typing import Any, NoReturn

import pytest

from grader.reading import formats as reader
from grader.reading.document import Block, BlockKind, Document
from tests.reading.fuzz.case import Case, keep, kept, natural
from tests.reading.fuzz.trial import Failure, trial

CASE = natural("train.py", b"x = 1\n")


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak of memory"
)


def outcome(monkeypatch: pytest.MonkeyPatch, folder: Path, behaviour: Any) -> Failure | None:
    """Try the case with a reader that behaves so."""
    monkeypatch.setattr(reader, "reader_of", lambda *_: lambda file: (behaviour(file),))
    return trial(CASE, folder, patience=0.1 if behaviour is hanging else 1.0)


def raising(_file: object) -> NoReturn:
    raise KeyError("lost")


def hanging(_file: object) -> NoReturn:
    while True:
        time.process_time()


def swelling(_file: object) -> Document:
    held = [bytes(range(256)) * 2_000_000]
    return Document(file="train.py", exact=True, problems=(str(len(held)),))


def talkative(_file: object) -> Document:
    block = Block(kind=BlockKind.CODE, text="x" * 5_000_000)
    return Document(file="train.py", exact=True, blocks=(block,))


def complaining(_file: object) -> Document:
    return Document(file="train.py", exact=True, problems=("; ".join(f"line {n} is bad" for n in range(2_000)),))


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (raising, "KeyError"),
        pytest.param(swelling, "too much memory", marks=needs_proc),
        (complaining, "long reason"),
    ],
)
def test_failures_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, behaviour: Any, kind: str) -> None:
    failure = outcome(monkeypatch, tmp_path, behaviour)
    assert failure is not None
    assert failure.kind == kind


@pytest.mark.parametrize("behaviour", [hanging, talkative])
def test_what_a_reader_cuts_off_itself_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, behaviour: Any
) -> None:
    monkeypatch.setattr(reader, "SECONDS", 0.5)
    assert outcome(monkeypatch, tmp_path, behaviour) is None


def test_a_good_file_is_no_failure(tmp_path: Path) -> None:
    assert trial(CASE, tmp_path) is None


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    cases = [natural("a/report.md", b"# x"), natural("train.py", b"\0\xff")]
    for case in cases:
        keep(case, tmp_path)
    names = [(case.name, case.role, case.data) for case in kept(tmp_path)]
    assert sorted(names) == sorted((Path(case.name).name, case.role, case.data) for case in cases)
    assert all(isinstance(case, Case) for case in kept(tmp_path))
