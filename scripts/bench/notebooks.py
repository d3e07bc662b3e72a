"""Notebooks: the time to read five of a megabyte that are full of training logs, and what they say."""

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.checks.runner import run_checks
from grader.claims.answer import extract
from grader.intake.submission import Role, Submission, SubmittedFile
from grader.reading.formats import read
from scripts.bench.figure import Figure, median_seconds
from tests.checks.making import truth
from tests.claims.making import lab
from tests.generated.lab_texts import PARTS

NOTEBOOKS = 5
SIZE = 1_000_000
STEPS = 225
EPOCHS = 5


def figures() -> Iterator[Figure]:
    """Seconds for the reading of a whole hand-in."""
    with tempfile.TemporaryDirectory() as folder:
        submission = hand_in(Path(folder))
        found = read(submission)
        yield Figure("five notebooks of 1 MB: runs found", len(found.runs), "runs", 10, at_least=True)
        yield Figure("five notebooks of 1 MB: read", median_seconds(lambda: read(submission), 3), "s", 1)
        seconds = median_seconds(lambda: run_checks(extract(read(submission), lab()), truth(), lab()), 3)
        yield Figure("five notebooks of 1 MB and a report: read and decided", seconds, "s", 1.5)


def hand_in(folder: Path) -> Submission:
    """A report, and five notebooks of about a megabyte: fairseq's lines, bars, the Trainer's dicts and tables."""
    files = []
    for number in range(NOTEBOOKS):
        content = json.dumps(large_notebook(number)).encode()
        location = folder / str(number)
        location.write_bytes(content)
        files.append(
            SubmittedFile(
                path=f"code/{number}.ipynb", role=Role.NOTEBOOK, size=len(content), sha256="", location=location
            )
        )
    return Submission(student_id="a", student_name="A", files=(_report(folder), *files), sha256="")


def _report(folder: Path) -> SubmittedFile:
    location = folder / "report"
    location.write_text("\n".join(PARTS.values()), encoding="utf-8")
    size = location.stat().st_size
    return SubmittedFile(path="report.md", role=Role.REPORT, size=size, sha256="", location=location)


def large_notebook(seed: int) -> dict[str, Any]:
    """A notebook of about `SIZE` bytes."""
    draw = random.Random(seed)  # noqa: S311 not for secrets
    cells: list[dict[str, Any]] = []
    size = 0
    while size < SIZE:
        made = [_fairseq(draw, tqdm=draw.random() < 0.5), _trainer(draw), _downloads(draw)]
        size += sum(len(json.dumps(cell)) for cell in made)
        cells += made
    return {"cells": cells, "metadata": {"colab": {}}, "nbformat": 4, "nbformat_minor": 0}


def _cell(source: str, outputs: list[dict[str, Any]]) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": outputs, "source": source}


def _stream(name: str, lines: list[str]) -> dict[str, Any]:
    return {"name": name, "output_type": "stream", "text": lines}


def _fairseq(draw: random.Random, *, tqdm: bool) -> dict[str, Any]:
    """What fairseq prints in its formats simple and tqdm, a line for every update."""
    seed, at = draw.randrange(100), "2023-11-17 17:02:45 | INFO"
    lines = [
        f"{at} | fairseq_cli.train | {{'common': {{'_name': None, 'no_progress_bar': False, 'log_interval': 1, 'seed': "
        f"{seed}}}, 'optimization': {{'max_epoch': 5, 'lr': [1e-05]}}}}\n",
        f"{at} | fairseq_cli.train | num. shared model params: 23,388,418 (num. trained: 23,388,418)\n",
    ]
    loss, accuracy = 0.99, 50.0
    for epoch in range(1, EPOCHS + 1):
        lines.append(f"{at} | fairseq.trainer | begin training epoch {epoch}\n")
        for step in range(1, STEPS + 1):
            loss, accuracy = loss * 0.999, min(95.0, accuracy + draw.uniform(-0.1, 0.14))
            values = f"loss={loss:.3f}, nll_loss=0.01, accuracy={accuracy:.1f}, wps={draw.randrange(4000, 9999)}, ups=9"
            if tqdm:
                bar = f"{step * 100 // STEPS}%|{'█' * (step // 25):9}| {step}/{STEPS}"
                lines.append(f"\repoch {epoch:03}:  {bar} [00:1{epoch}<00:02, 9.4it/s, {values}]")
            else:
                updates = f"num_updates={(epoch - 1) * STEPS + step}, lr=8.5e-06"
                lines.append(f"{at} | train_inner | epoch {epoch:03}: {step:5} / {STEPS} {values}, {updates}\n")
        said = f"loss {loss:.3f} | accuracy {accuracy:.1f} | num_updates {epoch * STEPS}"
        for subset in ("valid", "test"):
            lines.append(f"\n{at} | {subset} | epoch {epoch:03} | valid on '{subset}' subset | {said}\n")
        lines.append(f"{at} | train | epoch {epoch:03} | {said} | lr 1e-05\n")
    lines.append(f"{at} | fairseq_cli.train | done training in 85.1 seconds\n")
    return _cell(f"!fairseq-train data-bin --seed {seed} --lr 1e-5 --batch-size 8", [_stream("stdout", lines)])


def _trainer(draw: random.Random) -> dict[str, Any]:
    """What the Trainer shows: bars, dicts, and a table."""
    rows = ["<tr><th>Step</th><th>Training Loss</th><th>Validation Loss</th><th>Accuracy</th></tr>"]
    lines = ["***** Running training *****\n", "  Num examples = 1,800\n", "  Num Epochs = 5\n"]
    lines += [_bar(step, 1125) for step in range(1125)]
    for step in range(50, 1126, 25):
        accuracy, epoch = draw.uniform(0.7, 0.85), f"'epoch': {step / 225:.2f}"
        rows.append(f"<tr><td>{step}</td><td>0.5{step}</td><td>0.4{step}</td><td>{accuracy:.4f}</td></tr>")
        lines.append(f"\n{{'loss': 0.5{step}, 'learning_rate': 8e-06, {epoch}}}\n")
        lines.append(f"{{'eval_loss': 0.4{step}, 'eval_accuracy': {accuracy:.4f}, 'eval_runtime': 1.2, {epoch}}}\n")
    data = {"text/html": f"<table>{''.join(rows)}</table>", "text/plain": "<IPython.core.display.HTML object>"}
    shown = {"output_type": "display_data", "data": data}
    return _cell("!python run_glue.py --model_name_or_path m --do_train --seed 1", [_stream("stderr", lines), shown])


def _bar(step: int, of: int) -> str:
    return f"\r {step * 100 // of}%|{'█' * (step * 10 // of):10}| {step}/{of} [00:31<02:2{step % 10}, 7.4it/s]"


def _downloads(draw: random.Random) -> dict[str, Any]:
    """Bars of downloads, and what pip prints."""
    bars = [_bar(part, 100) for part in range(101)]
    pip = [f"Requirement already satisfied: package-{n} in /usr/lib (1.{n}.{draw.randrange(9)})\n" for n in range(60)]
    return _cell("!pip install transformers", [_stream("stderr", bars), _stream("stdout", ["\n", *pip])])
