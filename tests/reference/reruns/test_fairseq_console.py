"""The console log that reference runs and samples imitate, against a real one of fairseq 0.12.2."""

import re
from pathlib import Path

from reference.reruns.fairseq_console import ConsoleRun, console_log
from reference.reruns.run_record import LogEntry
from scripts.make_samples import ROOT
from scripts.samples.experiment import read_hand_in
from scripts.samples.fairseq_run import training_log

REAL = Path(__file__).with_name("fairseq_console.txt").read_text(encoding="utf-8")
RUN = ConsoleRun(
    **{"seed": 1, "data": "data3", "save": "ck/r1", "tensorboard": "tb/r1", "arch": "roberta_base", "layers": 1},
    **{"width": 32, "inner": 32, "heads": 2, "vocabulary": 50002, "parameters": 1673428, "updates": 200},
    **{"warm_up": 12, "rate": 0.001, "betas": "(0.9,0.98)", "epsilon": 1e-06, "decay": 0.1, "log_interval": 100},
    **{"only_best": True, "examples": (("train", 320), ("valid", 200), ("test", 2000))},
)
"""The run that was logged for real: one layer, on a processor."""
MEASURED = re.compile(r"\| (train_inner|train|valid|test) \| epoch (\d{3})[ :|]")
FIGURE = re.compile(r"([a-z_]+)[ =]([\d.e-]+)(?=,| \||$)")


def lines_of(log: str) -> list[str]:
    """Lines without what differs from machine to machine: the time, how long it took, and Python's warnings."""
    stamped = (re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", "", line) for line in log.splitlines())
    timeless = (re.sub(r"(took|done training in) [\d.]+", r"\1", line) for line in stamped)
    return [line for line in timeless if not re.match(r"/usr/lib|  (super|with)\b", line)]


def logged_in(log: str) -> list[LogEntry]:
    entries = []
    for line in log.splitlines():
        if found := MEASURED.search(line):
            values = {name: float(value) for name, value in FIGURE.findall(line[found.end() :])}
            step = int(values.pop("num_updates"))
            entries.append(LogEntry(subset=found[1], epoch=int(found[2]), step=step, wall_time=20.5, values=values))
    return entries


def test_a_console_log_has_the_lines_of_a_real_one() -> None:
    assert lines_of(console_log(RUN, logged_in(REAL), 0)) == lines_of(REAL)


def test_the_samples_print_such_lines() -> None:
    run = read_hand_in(ROOT / "scripts" / "samples" / "sources" / "student-01").runs_of("pretrained")[0]
    first, *rest = training_log(run).splitlines()
    assert len(first) > 11000
    assert f"'seed': {run.seed}," in first
    assert "num_updates 1125 | best_accuracy 83" in "\n".join(rest)


def test_only_the_first_validation_set_has_a_best_accuracy() -> None:
    run = read_hand_in(ROOT / "scripts" / "samples" / "sources" / "student-01").runs_of("random")[0]
    told = [line for line in training_log(run).splitlines() if "best_accuracy" in line and " | epoch " in line]
    assert len(told) == 4
    assert all("| valid |" in line for line in told)
