"""What a file is for, by content before name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.roles import role_of
from grader.intake.submission import Role

LOG = b"2023-11-20 18:00:00 | INFO | start\n" * 5


@pytest.mark.parametrize(
    ("path", "head", "role"),
    [
        ("report.pdf", b"%PDF-1.7", Role.REPORT),
        ("report", b"\n%PDF-1.7", Role.REPORT),
        ("report.pdf", b"damaged", Role.REPORT),
        ("a/Report.MD", b"# Answers", Role.REPORT),
        ("answers.txt", b"1. The model has", Role.REPORT),
        ("report.docx", b"PK\x03\x04", Role.REPORT),
        ("README.md", b"# How to run", Role.OTHER),
        ("readme_first.txt", b"", Role.OTHER),
        ("code/requirements.txt", b"torch", Role.OTHER),
        ("lab.ipynb", b"", Role.NOTEBOOK),
        ("lab.json", b'{"cells": [{"cell_type": "code"', Role.NOTEBOOK),
        ("lab.ipynb.txt", b'\xef\xbb\xbf{\n "nbformat": 4', Role.NOTEBOOK),
        ("config.json", b'{"cells": 3}', Role.OTHER),
        ("run.py", b"import torch", Role.CODE),
        ("run", b"#!/bin/bash\n", Role.CODE),
        ("conf.yaml", b"a: 1", Role.CODE),
        ("runs/events.out.tfevents.1700.host.md", b"\x18\0\0", Role.LOG),
        ("events.out.tfevents.1.h.profile-empty", b"", Role.OTHER),
        ("trainer_state.json", b"{", Role.LOG),
        ("state.json", b'{"best": 1, "log_history": []', Role.LOG),
        ("train.log", b"", Role.LOG),
        ("train.txt", LOG, Role.LOG),
        ("report.log", b"This is pdfTeX, Version 3.14", Role.OTHER),
        ("loss.png", b"\x89PNG", Role.OTHER),
        ("model.pt", b"PK", Role.MODEL),
        ("adapter_config.json", b"{", Role.MODEL),
        ("", b"", Role.OTHER),
    ],
)
def test_role(path: str, head: bytes, role: Role) -> None:
    assert role_of(path, head) is role


@given(st.text(), st.binary())
def test_any_file_has_a_role(path: str, head: bytes) -> None:
    assert role_of(path, head) in Role
