"""No text makes the reader of logs fail or take long."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.reading.logs.text import logs_in_text
from grader.reading.runs import runs_of
from tests.patience import within
from tests.reading.making_logs import stamp

PIECES = st.sampled_from(
    (
        *("epoch 001 | valid on 'valid' subset", " | accuracy 64 |", "num_updates 225", "loss=", "{'", '{"', "': "),
        *("Namespace(", "***** ", "eval metrics", "*****", "Running training", "TrainingArguments(", ")", " = ", "="),
        *("[", "]", ", ", "1e999", "nan", "-1", "Loaded checkpoint ", "epoch", "eval_accuracy", "--seed ", "\t", "\\"),
        *("fairseq-train ", "Epoch Training Loss", "1/1 [", "checkpoint-", "'", '"', " | INFO | ", "\U0001f600", "|"),
    )
)
LINES = st.lists(st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join), max_size=15)


@given(LINES, LINES, st.none() | st.integers(0, 5))
@settings(deadline=None, max_examples=150)
def test_any_text_can_be_read(lines: list[str], source: list[str], cell: int | None) -> None:
    logs = logs_in_text(lines, "f", "f", cell, source)
    for log in logs:
        for series in log.series:
            assert len(series.steps) == len(series.values) == len(series.lines)
            assert list(series.steps) == sorted(set(series.steps))
            assert all(1 <= line <= len(lines) for line in series.lines)
    runs_of(logs)


VALID = stamp("valid", "epoch 001 | valid on 'valid' subset | loss 0.804 | accuracy 67 | num_updates 225")


@pytest.mark.parametrize(
    "lines",
    [
        [stamp("fairseq_cli.train", "Namespace(a=" * 10_000 + ")" * 10_000)],
        [stamp("fairseq_cli.train", "{'a': 1, " + "{'b': " * 10_000)],
        ["x" * 1_000_000],
        ["{'" * 500_000],
        [VALID + " | a 1" * 200_000],
        ["fairseq-train d " + "--a 'b " * 100_000],
        ["***** eval metrics *****", *["eval_a = 1"] * 20_000],
        ["TrainingArguments(", *["a=1,"] * 20_000],
        ["{'a': 1,"] * 20_000,
        [VALID.replace("67", str(count % 90)) for count in range(5_000)],
        ["***** eval metrics *****", "  eval_accuracy = 0.8"] * 10_000,
    ],
)
def test_awkward_texts_take_no_time(lines: list[str]) -> None:
    with within(3):
        runs_of(logs_in_text(lines, "f", "f"))


@pytest.mark.slow
def test_a_long_log_takes_seconds() -> None:
    """Bar: 20 MB within 15 seconds on a slow machine."""
    words = (
        "epoch {:03} | valid on 'valid' subset | loss 0.804 | nll_loss 0.6 | accuracy 67 | wps 57640 | num_updates {}"
    )
    lines = [stamp("valid", words.format(1 + step // 225, step)) for step in range(150_000)]
    begun = time.process_time()
    (log,) = logs_in_text(lines, "f", "f")
    took = time.process_time() - begun
    size = sum(map(len, lines)) / 1e6
    print(f"{size:.0f} MB in {took:.1f} s")
    assert len(log.series[0].steps) > 50_000
    assert took < 15
