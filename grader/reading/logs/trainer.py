"""What the Trainer of transformers and its example scripts print, of all versions since 3.

The messages are those of `transformers/trainer.py`, `trainer_pt_utils.py`, `trainer_callback.py` and of
`examples/pytorch/text-classification/run_glue.py`.
"""

import re
from collections.abc import Iterator
from typing import Final

from grader.reading.log import Subset
from grader.reading.logs.pairs import Pair, pairs_in
from grader.reading.logs.said import Ended, Opening, Said, Statistics, Told
from grader.reading.logs.written import number, subset_named, whole

_BLOCK: Final = re.compile(r"\*{3,5} Running (training|evaluation|prediction|test)\b", re.IGNORECASE)
_FIELDS: Final = {
    "num examples": "num_examples",
    "num epochs": "num_train_epochs",
    "num update steps per epoch": "num_update_steps_per_epoch",
    "instantaneous batch size per device": "per_device_train_batch_size",
    "total train batch size (w. parallel, distributed & accumulation)": "total_train_batch_size",
    "gradient accumulation steps": "gradient_accumulation_steps",
    "total optimization steps": "total_optimization_steps",
    "number of trainable parameters": "num_trainable_params",
}
_FACTS: Final = (
    (re.compile(r"Training new model from scratch"), "trained_from_scratch"),
    (re.compile(r"[Ll]oading weights file (\S{1,300})"), "loaded_weights"),
    (re.compile(r"not initialized from the model checkpoint at (\S{1,300}) and are newly"), "loaded_weights"),
    (re.compile(r"Some weights of the model checkpoint at (\S{1,300}) were not used"), "loaded_weights"),
    (re.compile(r"were initialized from the model checkpoint at (\S{1,300}?)\.?$"), "loaded_weights"),
    (re.compile(r"Loading model from (\S{1,300}?)\.?$"), "resumed_from"),
    (re.compile(r"Loading best model from (\S{1,300}) \(score"), "loaded_best"),
    (re.compile(r"Continuing training from global step (\d{1,9})"), "resumed_from"),
)
_RESUMES: Final = ("resumed_from", "loaded_best")
_PREFIX: Final = re.compile(r"(train|eval|test|predict|validation|valid|val|dev)_(?=.)")
_OWN_NAMES: Final = frozenset({"validation", "valid", "val", "dev"})
"""What scripts of one's own call the Trainer's `eval`."""

_DICT: Final = re.compile(r"\{'\w{1,60}': [^{}]{1,4000}\}")
_OUTPUT: Final = re.compile(r"TrainOutput\(global_step=(\d{1,9}), training_loss=([\d.e-]{1,30})")


def trainer_fact(text: str) -> Iterator[Said]:
    """What a line says of the weights that training begins from or goes on with."""
    for pattern, name in _FACTS if " from " in text or "weights" in text else ():
        found = pattern.search(text, 0, 2000)
        if found:
            value = found[1] if found.groups() else "True"
            yield Told(name, value, found.group()[:120], None if name in _RESUMES else Opening.WEIGHTS)
            return
    ended = _OUTPUT.search(text, 0, 2000)
    if ended:
        yield Told("global_step", ended[1], ended.group())
        yield Ended()


def trainer_block(text: str) -> Opening | None:
    """Which block a line such as `***** Running training *****` begins."""
    found = _BLOCK.search(text, 0, 400)
    if not found:
        return None
    return Opening.TRAINING if found[1].lower() == "training" else Opening.EVALUATION


def trainer_field(text: str) -> Pair | None:
    """A line of the block that describes the training or evaluation to come: `  Num examples = 1,800`."""
    label, equals, value = text[:200].partition("=")
    name = _FIELDS.get(label.strip().lower()) if equals else None
    return Pair(name, value.strip(), text.strip()) if name and number(value) is not None else None


def trainer_statistics(text: str) -> Iterator[Said]:
    """The dict that the Trainer prints when it logs. It counts epochs; updates only in newer versions.

    A script's own dict counts as the Trainer's when its names are the Trainer's.
    """
    for found in _DICT.finditer(text, 0, 20_000):
        values = {pair.name: value for pair in pairs_in(found.group()) if (value := number(pair.value)) is not None}
        yield from scalars_said(values)


def scalars_said(values: dict[str, float], *, final: bool = False) -> Iterator[Said]:
    """Scalars by the names that the Trainer gives them (`eval_accuracy`), one group for each part of the data, with
    the tags that it gives them in event files (`eval/accuracy`, `train/loss`, `train/train_loss`)."""
    epoch, step = values.get("epoch"), values.get("step")
    if not any(_PREFIX.match(name) for name in values) and not (epoch is not None and "loss" in values):
        return
    groups: dict[str, dict[str, float]] = {}
    for name, value in values.items():
        if name not in ("epoch", "step", "total_flos"):
            prefix = _PREFIX.match(name)
            source = prefix[1] if prefix else "train"
            groups.setdefault(source, {})[name.removeprefix(f"{source}_") if source != "train" else name] = value
    ended = "train_runtime" in groups.get("train", {})
    for given, group in groups.items():
        subset = subset_named(given)
        source = "test" if subset is Subset.TEST else "valid" if given in _OWN_NAMES else given
        tagged = {f"{source}/{name}": value for name, value in group.items()}
        at = whole(str(step)) if step is not None else None
        yield Statistics(source, subset, tagged, at, epoch, final or (ended and given == "train"))
    if ended:
        yield Ended()


class MetricsTable:
    """The table `***** eval metrics *****` (older: `***** Eval results *****`), fed line by line."""

    _HEAD: Final = re.compile(r"\*{3,5} (train|eval|test|predict)\w* (?:metrics|results)\b", re.IGNORECASE)
    _ROW: Final = re.compile(r"\s{0,8}(\w{1,60})\s{0,60}=\s{0,40}(\S{1,60})\s*")
    _MOST_ROWS: Final = 60

    def __init__(self, default: str = "eval") -> None:
        self.values: dict[str, float] = {}
        self._rows = 0
        self._default = default

    @classmethod
    def begun_by(cls, text: str) -> "MetricsTable | None":
        """A table whose heading the line is."""
        found = cls._HEAD.search(text, 0, 400)
        return cls(found[1].lower()) if found else None

    def takes(self, text: str) -> bool:
        """Take a line in if it is a row of the table."""
        row = self._ROW.fullmatch(text[:200])
        self._rows += 1
        if not row or self._rows > self._MOST_ROWS:
            return False
        value = number(row[2])
        if value is not None:
            name = row[1] if _PREFIX.match(row[1]) or row[1] == "epoch" else f"{self._default}_{row[1]}"
            self.values[name] = value
        return True
