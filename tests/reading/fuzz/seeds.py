"""Files to begin from: the sample class, and one small file of each kind that it lacks."""

import json
import tempfile
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Final

from grader.intake.layouts import find_all_sources
from grader.intake.opening import open_submission
from tests.conftest import ROOT
from tests.reading.fuzz.case import Case, natural
from tests.reading.fuzz.containers import zipped
from tests.reading.making import event_records, notebook, pdf, text

MOST_OF_A_KIND: Final = 8
LARGEST: Final = 150_000
"""In bytes."""

BEGIN: Final = Path(__file__).parent / "begin"
"""Small texts with a little of everything that their formats have."""

TRACKERS: Final = Path(__file__).parents[1] / "trackers"

_OPEN_DOCUMENT: Final = b"application/vnd.oasis.opendocument.text"
_STATE: Final = {
    "epoch": 2.0,
    "global_step": 450,
    "max_steps": 1125,
    "log_history": [
        {"epoch": 1.0, "loss": 0.5, "learning_rate": 1e-05, "step": 225},
        {"epoch": 1.0, "eval_loss": 0.4, "eval_accuracy": 0.8, "step": 225},
        {"epoch": 2.0, "train_runtime": 12.5, "total_flos": 1.0e15, "step": 450},
    ],
}


def seeds() -> tuple[Case, ...]:
    """All of them, always in the same order."""
    return (*_made(), *_kept(), *_sampled())


def _sampled() -> list[Case]:
    """Files of the sample class and of the reference answers: a few of each kind."""
    seen: Counter[str] = Counter()
    cases: list[Case] = []
    answers = ROOT / "reference" / "labs" / "nlp_frameworks" / "answers"
    sources, _ = find_all_sources([ROOT / "submissions", answers])
    for source in sources:
        with tempfile.TemporaryDirectory() as work:
            for file in open_submission(source, Path(work) / "unpacked").files:
                kind = file.role.value + PurePosixPath(file.path).suffix
                if file.size <= LARGEST and seen[kind] < MOST_OF_A_KIND:
                    seen[kind] += 1
                    cases.append(Case(file.path, file.role, file.location.read_bytes()))
    return cases


def _kept() -> list[Case]:
    """What trackers of experiments keep: the smallest file of each kind."""
    smallest: dict[str, tuple[str, bytes]] = {}
    for path in sorted(TRACKERS.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            for entry in sorted(archive.infolist(), key=lambda one: one.file_size, reverse=True):
                if 0 < entry.file_size <= LARGEST * 8:
                    smallest[f"{path.stem}{PurePosixPath(entry.filename).suffix}"] = entry.filename, archive.read(entry)
    return [natural(name, data) for name, data in smallest.values()]


def _begin(name: str) -> bytes:
    return (BEGIN / name).read_bytes()


def _made() -> list[Case]:
    log = _begin("train.log").decode()
    cells = [
        {"cell_type": "markdown", "source": ["# 1 Question 1\n", "$512^2$"]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "execution_count": 1,
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["\x1b[31m1\n", log]},
                {"output_type": "execute_result", "data": {"text/plain": "2", "text/html": "<b>2</b>"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["a\n", "b"]},
            ],
        },
    ]
    points = [("accuracy", 225, 67.5), ("loss", 225, 0.75), ("accuracy", 450, 74.0), ("train/loss", 450, 0.1)]
    page = text(72, 700, "1 Question 1", 16, "F2") + text(72, 670, "32000 x 512") + text(130, 674, "2", 7)
    page += "".join(text(72 + 60 * x, 600 - 14 * y, f"{x}.{y}") for x in range(4) for y in range(5))
    page += "72 605 m 300 605 l S 72 400 200 0.5 re f\n" + text(72, 395, "a + b") + text(80, 410, "c", 10, "F3")
    named: dict[str, str | bytes] = {
        **{name: _begin(name) for name in ("report.md", "report.html", "report.tex", "train.log")},
        "report.txt": "1 Question 1\n\nThe model has 22,807,552 parameters.\n\n  a) 512 x 512 = 262144\n",
                "report.docx": zipped([("a.xml", b"<Types/>"), ("word/document.xml", _begin("word.xml"))]),
        "report.odt": zipped([("mimetype", _OPEN_DOCUMENT), ("content.xml", _begin("office.xml"))]),
        "report.rtf": r"{\rtf1\ansi {\b 22,807,552} parameters\par}",
        "report.pdf": pdf(page, text(72, 700, "Task 2") + "q 0.5 0 0 0.5 0 0 cm " + text(72, 700, "rank 16") + "Q"),
        "notebook.ipynb": notebook(*cells),
        "old.ipynb": json.dumps({"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "x"}]}]}),
        "train.py": "from peft import LoraConfig\nconfig = LoraConfig(r=16, lora_alpha=32, bias='none')\n",
        "run.sh": "#!/bin/bash\nfairseq-train data-bin --seed 1 --lr 1e-05 --max-update 1125\n",
        "config.yaml": "training_args:\n  seed: 1\n  learning_rate: 1e-5\n",
                "slurm-1.out": log * 3,
        "trainer_state.json": json.dumps(_STATE),
        "run/valid/events.out.tfevents.1700000000.host.1.0": b"".join(event_records(points)),
        "run/events.out.tfevents.1700000001.host.1.0": b"".join(event_records(points, tensors=True)),
        "pytorch_model.bin": b"\x80\x04\x95\x10\0\0\0\0\0\0\0}q\x00.",
        "results.csv": "seed,accuracy\n0,87.5\n",
        "all_results.json": json.dumps({"epoch": 2.0, "eval_accuracy": 0.8, "train_loss": 0.4}),
    }  # fmt: skip
    return [natural(name, data.encode() if isinstance(data, str) else data) for name, data in named.items()]
