"""A whole submission: every file accounted for, none able to hurt another."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.intake.submission import Refusal, Role, Submission, SubmittedFile
from grader.reading.document import BlockKind
from grader.reading.formats import read, read_path
from grader.reading.reading import FileRecord, FileState, Reading
from tests.reading.making import event_records, notebook, pdf, text

NAMES = ("a.pdf", "a.md", "a.txt", "a.tex", "a.ipynb", "a.py", "valid/events.out.tfevents.1.h", "a.docx", "a", "a.log")


def submission(folder: Path, *files: tuple[str, Role, bytes], refused: tuple[Refusal, ...] = ()) -> Submission:
    stored = []
    for number, (path, role, data) in enumerate(files):
        location = folder / str(number)
        location.write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        stored.append(SubmittedFile(path=path, role=role, size=len(data), sha256=digest, location=location))
    return Submission(student_id="s", student_name="S", files=tuple(stored), refused=refused, sha256="0")


def records(reading: Reading) -> dict[str, FileRecord]:
    return {record.path: record for record in reading.files}


def test_every_kind_goes_to_its_reader(tmp_path: Path) -> None:
    reading = read(
        submission(
            tmp_path,
            ("report.pdf", Role.REPORT, pdf(text(72, 700, "In a PDF"))),
            ("notes.md", Role.REPORT, b"# In Markdown"),
            ("code/lab.ipynb", Role.NOTEBOOK, notebook({"cell_type": "code", "source": "x"}).encode()),
            ("code/run.py", Role.CODE, b"print(1)"),
            ("seed1/test/events.out.tfevents.1.h", Role.LOG, b"".join(event_records([("a", 1, 2.0)]))),
            ("train.log", Role.LOG, b"epoch 1 | accuracy 80.5"),
            ("model.pt", Role.OTHER, b"PK"),
            refused=(Refusal(path="../etc", reason="it would leave the folder"),),
        )
    )
    assert [document.file for document in reading.documents] == ["code/run.py", "notes.md", "report.pdf", "train.log"]
    assert [block.kind for document in reading.documents for block in document.blocks] == [
        BlockKind.CODE,
        BlockKind.HEADING,
        BlockKind.LINE,
        BlockKind.OUTPUT,
    ]
    assert len(reading.notebooks) == 1
    assert [(run.name, run.seed and run.seed.value) for run in reading.runs] == [("seed1", "1"), ("train", None)]
    assert [record.path for record in reading.files] == sorted(record.path for record in reading.files)
    states = {record.state for record in reading.files if record.path not in ("model.pt", "../etc")}
    assert states == {FileState.READ}
    assert records(reading)["model.pt"].reason == "not read: a pickled file, which is never opened"
    assert records(reading)["../etc"] == FileRecord(
        path="../etc", role=Role.OTHER, state=FileState.IGNORED, reason="it would leave the folder"
    )


def test_states_say_how_much_was_read(tmp_path: Path) -> None:
    found = records(
        read(
            submission(
                tmp_path,
                ("broken.pdf", Role.REPORT, b"%PDF-1.5 broken"),
                ("empty.md", Role.REPORT, b""),
                ("latin.txt", Role.REPORT, "é à la fin du modèle".encode("cp1252")),
                ("report.docx", Role.REPORT, b"PK\x03\x04"),
                ("pkg/__init__.py", Role.CODE, b""),
            )
        )
    )
    assert found["broken.pdf"].state is FileState.UNREADABLE
    assert found["empty.md"].state is FileState.UNREADABLE
    assert found["empty.md"].reason == "the file is empty"
    assert found["latin.txt"].state is FileState.PARTLY
    assert found["report.docx"].state is FileState.UNREADABLE
    assert "export the report as PDF" in (found["report.docx"].reason or "")
    assert found["pkg/__init__.py"].state is FileState.READ


def test_a_vanished_file_costs_only_itself(tmp_path: Path) -> None:
    both = submission(tmp_path, ("a.md", Role.REPORT, b"gone"), ("b.md", Role.REPORT, b"here"))
    both.files[0].location.unlink()
    found = records(read(both))
    assert found["a.md"].state is FileState.UNREADABLE
    assert found["b.md"].state is FileState.READ


def test_an_empty_text_beside_a_report_is_nothing_and_alone_it_is_a_report_that_got_lost(tmp_path: Path) -> None:
    blank = ("stderr.txt", Role.REPORT, b" \n")
    beside = records(read(submission(tmp_path, ("report.md", Role.REPORT, b"text"), blank)))
    assert {path: one.state for path, one in beside.items()} == {
        "report.md": FileState.READ,
        "stderr.txt": FileState.IGNORED,
    }
    alone = records(read(submission(tmp_path, ("code.py", Role.CODE, b"print(1)"), blank)))
    assert alone["stderr.txt"].state is FileState.UNREADABLE


@pytest.mark.parametrize("name", ["seed1/valid/events.out.tfevents.1.h", "report.pdf"])
def test_one_file_can_be_read_alone(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    content = pdf(text(72, 700, "Alone")) if name.endswith("pdf") else b"".join(event_records([("a", 1, 2.0)]))
    path.write_bytes(content)
    reading = read_path(path)
    assert [record.state for record in reading.files] == [FileState.READ]
    assert len(reading.documents) + len(reading.runs) == 1


BEGINNINGS = st.sampled_from(
    [
        b"",
        b"%PDF-1.7\n",
        pdf(text(72, 700, "x")),
        b'{"cells": [',
        b"\xff\xfe",
        b"\x1f\x8b",
        b"".join(event_records([("a", 1, 2.0)])),
    ]
)


@given(role=st.sampled_from(Role), name=st.sampled_from(NAMES), start=BEGINNINGS, rest=st.binary(max_size=300))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_make_a_reader_raise(tmp_path: Path, role: Role, name: str, start: bytes, rest: bytes) -> None:
    reading = read(submission(tmp_path, (name, role, start + rest)))
    (record,) = reading.files
    assert "grader's fault" not in (record.reason or "")
    assert reading.model_dump_json()


@given(
    cut=st.integers(min_value=0, max_value=2000),
    flips=st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 255)), max_size=20),
)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_to_a_pdf_makes_its_reader_raise(tmp_path: Path, cut: int, flips: list[tuple[int, int]]) -> None:
    data = bytearray(pdf(text(72, 700, "The total is 22,829,056"), text(72, 600, "Second page")))
    for at, mask in flips:
        data[at % len(data)] ^= mask
    content = bytes(data[: len(data) - cut % len(data)])
    (record,) = read(submission(tmp_path, ("a.pdf", Role.REPORT, content))).files
    assert "grader's fault" not in (record.reason or "")


@pytest.mark.parametrize(
    ("path", "state"),
    [("README.md", FileState.READ), ("report", FileState.PARTLY), ("answers.adoc", FileState.PARTLY)],
)
def test_a_text_that_is_no_report_by_its_name_is_one_where_there_is_no_other(
    tmp_path: Path, path: str, state: FileState
) -> None:
    text_ = (path, Role.OTHER, b"# Question 1\n\nThe total is 22,807,552.")
    beside = (
        ("code/lib/README.md", Role.OTHER, b"# A library"),
        ("Makefile", Role.OTHER, b"all:"),
        ("lab.py", Role.CODE, b"x"),
    )
    found = read(submission(tmp_path, text_, *beside))
    assert [document.file for document in found.documents if document.blocks[0].kind is not BlockKind.CODE] == [path]
    assert (records(found)[path].state, records(found)[path].role) == (state, Role.REPORT)
    with_report = read(submission(tmp_path, text_, ("report.md", Role.REPORT, b"# Question 1\n\n22")))
    assert records(with_report)[path].state is FileState.IGNORED


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (b"# Answers\n\n## Exercise 1\n\nIt is 4.\n\n## Exercise 2\n\nIt is 5.", FileState.READ),
        (b"**Exercice 1 :** 4\n\n**Exercice 2 :** 5", FileState.READ),
        (b"# How to run\n\nPython 3 is needed.\n\n1. Install it.\n2. Start `lab.py`.", FileState.IGNORED),
    ],
)
def test_a_readme_that_labels_answers_is_read_beside_other_documents(
    tmp_path: Path, text: bytes, state: FileState
) -> None:
    found = read(submission(tmp_path, ("README.md", Role.OTHER, text), ("notes.md", Role.REPORT, b"# Notes")))
    assert records(found)["README.md"].state is state
