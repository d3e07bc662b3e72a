"""What fairseq prints comes back: every value at its step, part of the data and line, run by run."""

import random
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.reading.log import Log, Subset
from grader.reading.logs.text import logs_in_text
from tests.reading.making_logs import NOISE, Script, configuration, fairseq_run, namespace, stamp

GRID = st.integers(100, 180).map(lambda half: half / 2)
TENTHS = st.integers(500, 850).map(lambda tenth: tenth / 10)
EPOCHS = st.lists(st.tuples(GRID, TENTHS), min_size=1, max_size=6)


def said(log: Log) -> dict[tuple[str, Subset | None, int], tuple[float, int]]:
    """Each value of a log with its line."""
    return {
        (series.tag, series.subset, step): (value, line)
        for series in log.series
        for step, value, line in zip(series.steps, series.values, series.lines, strict=True)
    }


def told(log: Log) -> dict[str, str]:
    return {setting.name: setting.value for setting in reversed(log.settings)}


def meant(script: Script) -> dict[tuple[str, Subset | None, int], tuple[float, int]]:
    subsets = {"train_inner": Subset.TRAIN, "train": Subset.TRAIN, "valid": Subset.VALID, "test": Subset.TEST}
    return {(tag, subsets[subset], step): at for (tag, subset, step), at in script.points.items()}


@given(
    runs=st.lists(EPOCHS, min_size=1, max_size=4),
    form=st.sampled_from(["simple", "json", "tqdm"]),
    nested=st.booleans(),
    seed=st.integers(0, 99),
    noisy=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_every_value_comes_back(
    runs: list[list[tuple[float, float]]], form: str, nested: bool, seed: int, noisy: bool
) -> None:
    dump = configuration if nested else namespace
    noise = list(NOISE)
    random.Random(seed).shuffle(noise)
    lines: list[str] = []
    scripts = []
    for number, accuracies in enumerate(runs):
        script = Script(list(lines))
        fairseq_run(script, accuracies, form=form, opening=[dump(seed + number)], noise=cycle(noise) if noisy else None)
        lines = script.lines
        scripts.append(script)
    logs = logs_in_text(lines, "train.log", "train", 3)
    assert [said(log) for log in logs] == [meant(script) for script in scripts]
    assert [told(log)["seed"] for log in logs] == [str(seed + number) for number in range(len(runs))]
    assert len({log.name for log in logs}) == len(logs)


def lines(*epochs: tuple[float, float], **options: object) -> list[str]:
    script = Script()
    fairseq_run(script, epochs, **options)  # type: ignore[arg-type]
    return script.lines


def test_the_settings_of_a_configuration() -> None:
    (log,) = logs_in_text(lines((64.0, 67.7), opening=[configuration(2)]), "train.log", "train")
    wanted = {"seed": "2", "batch_size": "8", "lr": "1e-05", "max_update": "1125", "warmup_updates": "67"}
    wanted |= {"valid_subset": "valid,test", "restore_file": "checkpoint_last.pt", "total_num_update": "1125.0"}
    assert wanted.items() <= told(log).items()
    (seed,) = (setting for setting in log.settings if setting.name == "seed")
    assert (seed.evidence.file, seed.evidence.line, seed.evidence.quote) == ("train.log", 1, "'seed': 2")


def test_a_configuration_that_was_cut_off_still_tells_what_is_left() -> None:
    cut = configuration(2)[40:]
    (log,) = logs_in_text(["{'a': 1, " + cut, *lines((64.0, 67.7))], "f", "f")
    assert told(log)["max_epoch"] == "5"


def test_a_configuration_that_was_cut_off_takes_no_line_of_the_next_messages() -> None:
    first = stamp("fairseq_cli.train", "{'_name': None, 'common': {'_name': None, 'seed': 10, ...")
    whole = lines((60.0, 61.0), (80.5, 78.9), opening=[])
    (log,) = logs_in_text([first, *whole], "a.log", "a")
    (alone,) = logs_in_text(whole, "a.log", "a")
    assert said(log) == {key: (value, line + 1) for key, (value, line) in said(alone).items()}


def test_the_number_of_parameters_and_what_was_loaded() -> None:
    opening = [
        stamp("fairseq_cli.train", "num. shared model params: 23,388,418 (num. trained: 23,388,418)"),
        stamp("fairseq.trainer", "Preparing to load checkpoint models/RoBERTa_small_fr/model.pt"),
        stamp("fairseq.trainer", "Loaded checkpoint models/RoBERTa_small_fr/model.pt (epoch 35 @ 0 updates)"),
    ]
    (log,) = logs_in_text([*opening, *lines((64.0, 67.7))], "f", "f", 7)
    assert told(log)["num_model_params"] == "23,388,418"
    (loaded,) = (setting for setting in log.settings if setting.name == "loaded_checkpoint")
    assert (loaded.value, loaded.evidence.line, loaded.evidence.cell) == ("models/RoBERTa_small_fr/model.pt", 3, 7)


@pytest.mark.parametrize(
    "line",
    [
        "| epoch 008 | valid on 'valid' subset | valid_loss 6.438 | valid_accuracy 64.5 | num_updates 225 | best 6.43",
        '[2022-01-18 05:43:26,995][valid][INFO] - {"epoch": 1, "valid_accuracy": "64.5", "valid_num_updates": "225"}',
        "2023-11-16 17:02:20 | INFO | valid | epoch 001 | valid on 'valid' subset | accuracy 64.5 | num_updates 225",
        "100%|██| 25/25 [00:01<00:00]2023-11-16 17:02:20 | INFO | valid | epoch 001 | valid on 'valid' subset | "
        "accuracy 64.5 | num_updates 225",
        '{"epoch": 1, "step": 225, "valid_accuracy": 64.5}',
    ],
)
def test_other_versions(line: str) -> None:
    (log,) = logs_in_text([line], "f", "f")
    points = [(s.subset, s.steps, s.values) for s in log.series if s.tag == "accuracy"]
    assert points == [(Subset.VALID, (225,), (64.5,))]


def test_lines_that_a_narrow_window_broke() -> None:
    whole = lines((64.0, 67.7), (68.5, 73.9))
    broken = [line[at : at + 80] for line in whole for at in range(0, len(line), 80)]
    (log,) = logs_in_text(broken, "f", "f")
    curves = {s.subset: (s.steps, s.values) for s in log.series if s.tag == "accuracy" and s.subset is not Subset.TRAIN}
    assert curves == {Subset.VALID: ((225, 450), (64.0, 68.5)), Subset.TEST: ((225, 450), (67.7, 73.9))}


def test_lines_of_several_runs_without_their_openings() -> None:
    """As `grep` leaves them: a step that comes again with another value belongs to another run."""
    one, other = lines((64.0, 67.7), (68.5, 73.9)), lines((65.5, 72.0), (71.0, 76.4))
    logs = logs_in_text([line for line in one + other if "'valid' subset" in line], "f", "f")
    assert [s.values for log in logs for s in log.series if s.tag == "accuracy"] == [(64.0, 68.5), (65.5, 71.0)]


def test_lines_that_were_printed_twice_count_once() -> None:
    twice = [line for line in lines((64.0, 67.7), (68.5, 73.9)) for _ in range(2)]
    (log,) = logs_in_text(twice, "f", "f")
    assert {len(series.steps) for series in log.series} <= {1, 2}


def test_a_cut_off_line_of_a_progress_bar_loses_only_its_last_value() -> None:
    line = "epoch 001:  20%|██  | 45/225 [00:10<00:40, 4.4it/s, loss=0.9, num_updates=45, accuracy=58.1, lr=8.5"
    (log,) = logs_in_text([line], "f", "f")
    assert {(s.tag, s.steps, s.values) for s in log.series} == {("loss", (45,), (0.9,)), ("accuracy", (45,), (58.1,))}


def test_without_updates_epochs_stand_for_them_and_that_is_said() -> None:
    (log,) = logs_in_text(
        ["2023-11-16 17:02:20 | INFO | valid | epoch 002 | valid on 'valid' subset | accuracy 64"], "f", "f"
    )
    assert log.series[0].steps == (2,)
    assert told(log)["steps_count"] == "epoch"


@pytest.mark.parametrize(
    "text",
    [
        "We trained for 5 epochs and the accuracy was 81.5 on the valid subset.",
        "epoch 001 was the best epoch | see the table",
        '{"text": "epoch 1", "label": 0}',
        "{'a': 1}",
        "| epoch | accuracy |",
        "2023-11-14 16:31:41 | INFO | fairseq_cli.preprocess | [None] data/train.spm.review: 1800 sents, 284877 tokens",
    ],
)
def test_other_texts_hold_no_run(text: str) -> None:
    assert logs_in_text(text.split("\n"), "f", "f") == ()


def test_the_command_in_the_cell_tells_what_the_output_does_not() -> None:
    source = [
        "for seed in [7, 8]:",
        "    !fairseq-train data-bin --restore-file '' --arch roberta_small \\",
        "      --task x --seed {seed}",
    ]
    logs = logs_in_text(lines((64.0, 67.7)) + lines((65.0, 68.0)), "f", "f", 1, source)
    assert [(told(log)["seed"], told(log)["data"]) for log in logs] == [("7", "data-bin"), ("8", "data-bin")]


def test_of_commands_that_cannot_be_told_apart_only_what_they_share_counts() -> None:
    source = ["!fairseq-train d --seed 1 --max-epoch 5", "!fairseq-train d --seed 2 --max-epoch 5"]
    (log,) = logs_in_text(lines((64.0, 67.7)), "f", "f", 1, source)
    assert told(log)["max_epoch"] == "5"
    assert "seed" not in told(log)
