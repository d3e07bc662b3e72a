"""What a file is for, by content before name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.submission import Role, role_of

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
        ("code/requirements.txt", b"torch", Role.CODE),
        ("lab.ipynb", b"", Role.NOTEBOOK),
        ("lab.json", b'{"cells": [{"cell_type": "code"', Role.NOTEBOOK),
        ("lab.ipynb.txt", b'\xef\xbb\xbf{\n "nbformat": 4', Role.NOTEBOOK),
        ("config.json", b'{"cells": 3}', Role.OTHER),
        ("run.py", b"import torch", Role.CODE),
        ("run", b"#!/bin/bash\n", Role.CODE),
        ("conf.yaml", b"a: 1", Role.CODE),
        ("code/Makefile", b"all:\n\tpython run.py\n", Role.CODE),
        ("rules.mk", b"X = 1\n", Role.CODE),
        ("runs/events.out.tfevents.1700.host.md", b"\x18\0\0", Role.LOG),
        ("events.out.tfevents.1.h.profile-empty", b"", Role.OTHER),
        ("trainer_state.json", b"{", Role.LOG),
        ("state.json", b'{"best": 1, "log_history": []', Role.LOG),
        ("train.log", b"", Role.LOG),
        ("train.txt", LOG, Role.LOG),
        ("report.log", b"This is pdfTeX, Version 3.14", Role.OTHER),
        ("loss.png", b"\x89PNG", Role.OTHER),
        ("model.pt", b"PK", Role.MODEL),
        ("adapter_config.json", b"{", Role.LOG),
        ("lightning_logs/version_0/hparams.yaml", b"lr: 1", Role.LOG),
        ("history.json", b'{"loss": [1.2, 1.1], "val_loss": [1.3, 1.2]}', Role.LOG),
        ("history.json", b'[{"epoch": 1, "val_acc": 0.655}]', Role.LOG),
        ("result.json", b'{"accuracy": 0.79, "_evaluate_version": "0.4"}', Role.LOG),
        ("data.json", b'{"text": ["good"], "label": [1]}', Role.OTHER),
        ("lab.json", b'{"cells": [{"cell_type": "code", "outputs": ["{\\"acc\\": [1]}"]}]}', Role.NOTEBOOK),
        ("", b"", Role.OTHER),
        ("out/all_results.json", b'{"epoch": 5.0}', Role.LOG),
        ("out/eval_results.json", b"", Role.LOG),
        ("out/training_args.json", b"{}", Role.LOG),
        ("out/config.json", b'{"model_type": "roberta"}', Role.OTHER),
        ("run/.hydra/config.yaml", b"common:\n  seed: 1", Role.LOG),
        ("run/config.yaml", b"common:\n  seed: 1", Role.CODE),
        ("run-seed1_valid-tag-accuracy.csv", b"Wall time,Step,Value\n1.5,225,64.0\n", Role.LOG),
        ("train.csv", b"text,label\nbon livre,1\n", Role.OTHER),
        ("steps.csv", b"Step,Value\n225,64\n", Role.OTHER),
        ("log.json", b'{"epoch": 1, "loss": 0.5}\n{"epoch": 2, "loss": 0.4}\n', Role.LOG),
        ("log.jsonl", b'{"step": 10, "train_loss": "0.5"}\n{"step": 20, "train_loss": "0.4"}\n', Role.LOG),
        ("train.json", b'{"sentence1": "epoch", "label": 1}\n{"sentence1": "b", "label": 0}\n', Role.OTHER),
        ("data.jsonl", b'{"step": 1, "text": "loss"}\n{"step": 2, "text": "a"}\n', Role.OTHER),
        ("eval_results.txt", b"eval_accuracy = 0.8\neval_loss = 0.5\n", Role.LOG),
        ("hf.txt", b"***** Running training *****\n{'loss': 0.5, 'epoch': 1.0}\n{'eval_loss': 0.5}\n", Role.LOG),
        ("answers.txt", b"eval_accuracy = 0.8\nWe chose\nthe best\none.\nThen\nwe\n", Role.REPORT),
    ],
)
def test_role(path: str, head: bytes, role: Role) -> None:
    assert role_of(path, head) is role


@given(st.text(), st.binary())
def test_any_file_has_a_role(path: str, head: bytes) -> None:
    assert role_of(path, head) in Role
