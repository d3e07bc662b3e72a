"""Which run, part of the data and seed a path tells of."""

import pytest

from grader.reading.log import Subset, run_name


@pytest.mark.parametrize(
    ("path", "folder", "subset", "seed"),
    [
        ("logs/pretrained_seed1/valid/events.out.tfevents.1.h", "logs/pretrained_seed1", Subset.VALID, 1),
        ("logs/RANDOM-SEED-0/test/events.out.tfevents.1.h", "logs/RANDOM-SEED-0", Subset.TEST, 0),
        ("logs/run_seed_2/train_inner/events.out.tfevents.1.h", "logs/run_seed_2", Subset.TRAIN, 2),
        ("tb/roberta_s3/Train/events.out.tfevents.1.h", "tb/roberta_s3", Subset.TRAIN, 3),
        ("out/runs/Nov16_17-02-33_host/events.out.tfevents.1.h", "out/runs/Nov16_17-02-33_host", None, None),
        ("seed=42/eval_logs/events.out.tfevents.1.h", "seed=42/eval_logs", Subset.VALID, 42),
        ("train_and_test/events.out.tfevents.1.h", "train_and_test", None, None),
        ("latest/events.out.tfevents.1.h", "latest", None, None),
        ("dev/events.out.tfevents.1.h", ".", Subset.VALID, None),
        ("events.out.tfevents.1.h", ".", None, None),
        ("MS256-BATCH8-LR1e5-SEED1/valid/events.out.tfevents.9.h", "MS256-BATCH8-LR1e5-SEED1", Subset.VALID, 1),
        ("out_s4/checkpoint-675/trainer_state.json", "out_s4", None, 4),
        ("outputs/seed_2/.hydra/config.yaml", "outputs/seed_2", None, 2),
        ("hypotheses2/events.out.tfevents.1.h", "hypotheses2", None, None),
    ],
)
def test_paths(path: str, folder: str, subset: Subset | None, seed: int | None) -> None:
    assert run_name(path) == (folder, subset, seed)
