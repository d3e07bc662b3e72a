"""A lab, data and models small enough to train in a second."""

import json
import random
from pathlib import Path

from reference.reruns.run_record import Hardware, Plan, Recipe, Settings, Sizes
from reference.reruns.spec import ClassifierSpec

GOOD = ("▁bon", "▁beau", "▁superbe", "▁fort")
BAD = ("▁mauvais", "▁ennuyeux", "▁raté", "▁faible")
OTHERS = tuple(f"▁mot{number}" for number in range(12))
SIZES = Sizes(layers=1, width=16, feed_forward=16, heads=2, positions=12, vocabulary=32)
SETTINGS = Settings(batch=4, epochs=3, peak_rate=2e-2, dropout=0.1)
COUNTS = {"train": 22, "valid": 8, "test": 16}
SCHEDULE = 18
"""Three epochs of six batches, the last of which is short."""

LAB = """
id = "tiny"
title = "A tiny lab"
seeds = 2

[[splits]]
id = "test"
examples = 16
words = ["test"]

[[splits]]
id = "valid"
examples = 8
words = ["valid"]

[[questions]]
id = "t1"
title = "Training"
labels = ["task 1"]

[[questions.items]]
id = "t1.seeds"
title = "Seeds are reported"
points = "1"
check = "seeds-reported"
options.experiment = "random"

[[reruns]]
id = "random"
start = "random"
sizes = { layers = 1, width = 16, feed_forward = 16, heads = 2, positions = 12, vocabulary = 32 }
recipe = { batch = 4, epochs = 3, peak_rate = 1e-2 }
schedules = [36, 80]

[[reruns]]
id = "pretrained"
start = "pretrained"
recipe = { batch = 4, epochs = 2, peak_rate = 1e-2 }
schedules = [12]
"""
LORA = {
    "r": "2",
    "lora_alpha": "4",
    "target_modules": "query_key_value",
    "lora_dropout": "0.05",
    "bias": "none",
    "task_type": "CAUSAL_LM",
}


def review(label: int, draw: random.Random) -> str:
    """A text whose class is told by two of its words."""
    words = [*draw.choices((BAD, GOOD)[label], k=2), *draw.choices(OTHERS, k=draw.randint(1, 14))]
    draw.shuffle(words)
    return " ".join(words)


def make_data(folder: Path, counts: dict[str, int] | None = None) -> Path:
    """A data folder with tokenised reviews, half of each class."""
    draw = random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in (counts or COUNTS).items():
        labels = [number % 2 for number in range(count)]
        texts = [review(label, draw) for label in labels]
        (folder / f"{split}.review.spm").write_text("\n".join(texts) + "\n", encoding="utf-8")
        (folder / f"{split}.label").write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
    pieces = [*GOOD, *BAD, *OTHERS]
    (folder / "dict.txt").write_text("".join(f"{piece} 1\n" for piece in pieces), encoding="utf-8")
    return folder


def make_lab(folder: Path) -> Path:
    """A lab with reruns and nothing else of interest."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lab.toml").write_text(LAB, encoding="utf-8")
    return folder


def make_pairs(folder: Path) -> Path:
    """Questions and answers."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"question": f"What is {n} and one?", "answer": f"It is {n + 1}."}) for n in range(8)]
    (folder / "train.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def spec(**changes: object) -> ClassifierSpec:
    """A classifier's rerun."""
    values: dict[str, object] = {
        "id": "random",
        "start": "random",
        "sizes": SIZES,
        "recipe": SETTINGS,
        "schedules": (SCHEDULE,),
    }
    return ClassifierSpec.model_validate(values | changes)


def plan(**changes: object) -> Plan:
    """A plan of a run from random weights."""
    values: dict[str, object] = {
        "experiment": "random",
        "start": "random",
        "seed": 0,
        "sizes": SIZES,
        "recipe": Recipe(schedule=SCHEDULE, **SETTINGS.model_dump()),
        "data": "data",
        "data_sha256": "",
        "splits": COUNTS,
        "classes": 2,
        "how": "",
        "hardware": Hardware(threads=1),
    }
    return Plan.model_validate(values | changes)
