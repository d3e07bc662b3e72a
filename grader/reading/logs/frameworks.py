"""The output of programs while they train: statistics between bars after each epoch, the dicts and tables of the
Trainer of transformers (since 3), and lines of scripts of one's own.

Statistics stand as in `| epoch 001 | valid on 'valid' subset | loss 0.61 | num_updates 225`; `programs.toml` names the
programs that print so, and where their formats come from.

`Epoch 2/5 - train loss: 0.61, val acc: 78.5 %`, `225/225 - 3s - loss: 0.5 - val_accuracy: 0.785` below `Epoch 2/5`,
`{'epoch': 2, 'val_acc': 0.785}`, `Epoch 2: 100%|…| 225/225 [00:12<00:00, loss=0.5, val_acc=0.785]`. A number is only
taken with the name of a measure; and the part of the data is only known where it is named.

The messages are those of `transformers/trainer.py`, `trainer_pt_utils.py`, `trainer_callback.py` and of
`examples/pytorch/text-classification/run_glue.py`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from grader.reading.log import Subset, programs, subset_in
from grader.reading.logs.written import (
    SCORED,
    LoggedSetting,
    Message,
    Opening,
    Said,
    Statistics,
    TrainingEnd,
    message_of,
    number,
    pairs_in,
    subset_named,
    whole_number,
)

_EPOCH: Final = re.compile(r"epoch (\d{1,6})(?!\d)")
_SUBSET: Final = re.compile(r"valid on '([^']{1,60})' subset")
_INNER: Final = re.compile(r"epoch (\d{1,6}):\s{0,8}(?:\d{1,3}%\|[^|]{0,80}\|)?\s{0,12}(\d{1,9}) ?/ ?(\d{1,9})\s?(.*)")
_PARAMETERS: Final = re.compile(
    r"num\. (?:shared )?model params: ([\d,]{1,20})(?: \(num\. trained: ([\d,]{1,20})\))?", re.IGNORECASE
)
_LOADED: Final = re.compile(
    r"loaded checkpoint (\S{1,300})(?: \(epoch (\d{1,6}) @ (\d{1,9}) updates\))?", re.IGNORECASE
)
_EVALUATED: Final = re.compile(r"loading model\(s\) from ([^\s:]{1,300})", re.IGNORECASE)
_SAVED: Final = re.compile(
    r"saved checkpoint (\S{1,300}) \(epoch (\d{1,6}) @ (\d{1,9}) updates, score (-?[\d.]{1,20})\)", re.IGNORECASE
)
_MISSING: Final = re.compile(r"no existing checkpoint found (\S{1,300})", re.IGNORECASE)
_CONFIGURATION: Final = re.compile(r"\s*(?:\{['\"]|Namespace\(|'\w{1,60}'\s?: )")
_LOGGERS: Final = "|".join(framework.loggers for framework in programs().frameworks if framework.loggers)
_OWN: Final = re.compile(rf"{_LOGGERS}|^(?:train|train_inner|valid\d*|test\d*|dev\d*)$|^$")
_SUBSET_PREFIX: Final = re.compile(r"(train_inner|train|valid|validation|val|dev|eval|test)\d{0,2}[_/ ](?=.)")
_PREFIXED: Final = frozenset("tvde")
"""With these the names of subsets begin."""

_STEPS: Final = ("step", "global_step", "num_updates")
"""Names of the count of updates, the surest last."""

_MARKS: Final = (
    "epoch ",
    "subset",
    "checkpoint",
    "model(s)",
    "params",
    "{",
    "Namespace(",
    "': ",
    "done training",
    '"epoch"',
)


def epochs_said(message: Message) -> Iterator[Said]:
    """Yield the content of a message of a program that prints statistics between bars; nothing for any other
    message."""
    text = message.text
    if not any(mark in text for mark in _MARKS) or not _OWN.search(message.logger):
        return
    text = text.strip().removeprefix("| ")
    facts = list(_facts(text))
    if facts:
        yield from facts
    elif _CONFIGURATION.match(text):
        yield from _statistics_of_json(message.logger, text) or _configuration(text)
    else:
        yield from _statistics_of_text(message.logger, text)


def _facts(text: str) -> Iterator[Said]:
    if (found := _PARAMETERS.match(text)) is not None:
        yield LoggedSetting("num_model_params", found[1], found.group(), Opening.MODEL)
        if found[2]:
            yield LoggedSetting("num_trained_params", found[2], found.group())
    elif (found := _MISSING.match(text)) is not None:
        yield LoggedSetting("checkpoint_not_found", found[1], found.group(), Opening.CHECKPOINT)
    elif (found := _LOADED.match(text)) is not None:
        yield LoggedSetting("loaded_checkpoint", found[1], found.group(), Opening.CHECKPOINT)
        if found[3] is not None:
            yield LoggedSetting("loaded_checkpoint_updates", found[3], found.group())
    elif (found := _EVALUATED.match(text)) is not None:
        yield LoggedSetting("evaluated_weights", found[1], found.group(), Opening.WEIGHTS)
    elif (found := _SAVED.match(text)) is not None and (score := number(found[4])) is not None:
        yield Statistics(SCORED, Subset.VALID, {SCORED: score}, int(found[3]), float(found[2]), numbered=True)
    elif text.startswith("done training"):
        yield TrainingEnd()


def _configuration(text: str) -> list[Said]:
    """The settings of a printed configuration. One pair in braces is none, and neither are numbers without a seed."""
    settings = [setting for setting in pairs_in(text) if not setting.name.startswith("_")]
    is_one = len(settings) > 2 and any(number(setting.value) is None or setting.name == "seed" for setting in settings)
    return [LoggedSetting("", "", "", Opening.CONFIGURATION), *settings] if is_one else []


def _statistics_of_text(logger: str, text: str) -> list[Statistics]:
    inner = _INNER.match(text)
    if inner:
        values = _values(part.split("=", 1) for part in _whole_parts(inner[4]) if "=" in part)
        step = (int(inner[1]) - 1) * int(inner[3]) + int(inner[2])
        return _made("train_inner", Subset.TRAIN, values, step, float(inner[1]))
    parts = text.split(" | ")
    epoch = _EPOCH.match(parts[0])
    subset = next((found for part in parts[:2] if (found := _SUBSET.match(part.strip("| ")))), None)
    if not subset and not (epoch and len(epoch.group()) == len(parts[0].strip())):
        return []
    name = subset[1] if subset else "train"
    values = _values(part.rsplit(None, 1) for part in parts[1:])
    return _made(name, subset_named(name), values, None, float(epoch[1]) if epoch else None)


def _whole_parts(postfix: str) -> list[str]:
    """The parts `loss=0.9` of a line of running statistics. tqdm closes it with a bracket, or cuts it off."""
    parts = postfix.split(", ")
    if not postfix.startswith("["):
        return parts
    return [*parts[:-1], parts[-1][:-1]] if postfix.rstrip().endswith("]") else parts[:-1]


def _statistics_of_json(logger: str, text: str) -> list[Statistics]:
    """A line of the format json: `{"epoch": 1, "valid_loss": "0.9", "valid_num_updates": "225"}`."""
    if not text.startswith('{"') or "}" not in text:
        return []
    by_source: dict[str, list[tuple[str, str]]] = {}
    epoch, step = None, None
    for pair in pairs_in(text[:20_000]):
        if pair.name == "epoch":
            epoch = number(pair.value)
            continue
        step = whole_number(pair.value) if pair.name in _STEPS else step
        prefix = _SUBSET_PREFIX.match(pair.name)
        source = prefix[1] if prefix else logger if subset_of(logger) else "train_inner"
        by_source.setdefault(source, []).append((pair.name[prefix.end() :] if prefix else pair.name, pair.value))
    made = (_made(name, subset_of(name), _values(pairs), step, epoch) for name, pairs in by_source.items())
    is_counted = epoch is not None or "num_updates" in text or logger in by_source  # `fairseq-validate` counts nothing
    return [statistics for several in made for statistics in several] if is_counted else []


def subset_of(source: str) -> Subset | None:
    """The part of the data that a logger's name stands for."""
    return Subset.TRAIN if source == "train_inner" else subset_named(source)


def _values(parts: Iterable[list[str] | tuple[str, str]]) -> dict[str, float]:
    """Values by tag. Old versions put the subset before the tag."""
    values: dict[str, float] = {}
    for part in parts:
        value = number(part[1].rstrip("%")) if len(part) == 2 else None
        if value is not None and len(part[0]) < 60:
            tag = part[0].strip()
            prefix = _SUBSET_PREFIX.match(tag) if tag[:1] in _PREFIXED and tag != "train_wall" else None
            values[tag[prefix.end() :] if prefix else tag] = value
    return values


def _made(
    source: str, subset: Subset | None, values: dict[str, float], step: int | None, epoch: float | None
) -> list[Statistics]:
    values.pop("update", None)
    for name in _STEPS:
        updates = whole_number(str(values.pop(name, "")))
        step = updates if updates is not None else step
    return [Statistics(source, subset, values, step, epoch, numbered=True)] if values else []


MOST_PIECES: Final = 8
"""Lines below a line that may be its rest."""

_STATISTICS: Final = re.compile(r"[| ]{0,3}(?:epoch \d{1,6}[: ]|valid on ')")
_COMPLETE: Final = re.compile(r"num_updates[ =]\d+(?!\d)")
_NAME_AT_END: Final = re.compile(r"(?:\| |^)[a-z_]{1,40}$")
_NARROW: Final = 40


def unwrap_message(message: Message, following: Sequence[str]) -> Message:
    """The message with the lines that it goes on in. It is whole when it tells the number of updates; a number at a
    line's end may go on as well."""
    if not _STATISTICS.match(message.text):
        return message
    text = message.text
    for line in following:
        complete = _COMPLETE.search(text)
        if complete and (complete.end() < len(text) or len(text) < _NARROW or not _goes_on(line)):
            break
        if message_of(line[:400]).logger or not line.strip() or "epoch" in line or _begins(line[:400]):
            break
        spaced = _NAME_AT_END.search(text) and line[:1].isdigit()
        text = f"{text} {line}" if spaced else text + line
    return Message(message.logger, text)


def _begins(line: str) -> bool:
    """Whether a line is a message of its own, as old versions print them, without a logger's name."""
    return bool(_STATISTICS.match(line)) or next(_facts(line.strip().removeprefix("| ")), None) is not None


def _goes_on(line: str) -> bool:
    """Whether a line may be the rest of a number, and of what follows it."""
    return bool(re.match(r"\d{0,6}\s?(?:$|[|,])", line[:20])) and "%|" not in line and bool(line.strip())


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
    (re.compile(r"LOAD REPORT\S{0,8} from: (\S{1,300})"), "loaded_weights"),
    (re.compile(r"were initialized from the model checkpoint at (\S{1,300}?)\.?$"), "loaded_weights"),
    (re.compile(r"Loading model from (\S{1,300}?)\.?$"), "resumed_from"),
    (re.compile(r"Loading best model from (\S{1,300}) \(score"), "loaded_best"),
    (re.compile(r"Continuing training from global step (\d{1,9})"), "resumed_from"),
)
_LIGHTNING_SEED: Final = re.compile(r"\b[Ss]eed set to (\d{1,10})\b")
_RESUMES: Final = ("resumed_from", "loaded_best")
PREFIX: Final = re.compile(r"(train|eval|test|predict|validation|valid|val|dev)_(?=.)")
_OWN_NAMES: Final = frozenset({"validation", "valid", "val", "dev"})
"""What scripts of one's own call the Trainer's `eval`."""

_DICT: Final = re.compile(r"\{'\w{1,60}': [^{}]{1,4000}\}")
_OUTPUT: Final = re.compile(r"TrainOutput\(global_step=(\d{1,9}), training_loss=([\d.e-]{1,30})")


def trainer_fact(text: str) -> Iterator[Said]:
    """Yield a line's statements about the weights that training begins from or goes on with."""
    seed = _LIGHTNING_SEED.search(text, 0, 400)
    if seed:
        yield LoggedSetting("seed", seed[1], seed.group(), Opening.COMMAND)
    for pattern, name in _FACTS if " from " in text or "weights" in text else ():
        found = pattern.search(text, 0, 2000)
        if found:
            value = found[1] if found.groups() else "True"
            yield LoggedSetting(name, value, found.group()[:120], None if name in _RESUMES else Opening.WEIGHTS)
            return
    ended = _OUTPUT.search(text, 0, 2000)
    if ended:
        yield LoggedSetting("global_step", ended[1], ended.group())
        yield TrainingEnd()


def trainer_field(text: str) -> LoggedSetting | None:
    """A line of the block that describes the training or evaluation to come: `  Num examples = 1,800`."""
    label, equals, value = text[:200].partition("=")
    name = _FIELDS.get(label.strip().lower()) if equals else None
    return LoggedSetting(name, value.strip(), text.strip()) if name and number(value) is not None else None


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
    if not any(PREFIX.match(name) for name in values) and not (epoch is not None and "loss" in values):
        return
    groups: dict[str, dict[str, float]] = {}
    for name, value in values.items():
        if name not in ("epoch", "step", "total_flos"):
            prefix = PREFIX.match(name)
            source = prefix[1] if prefix else "train"
            groups.setdefault(source, {})[name.removeprefix(f"{source}_") if source != "train" else name] = value
    ended = "train_runtime" in groups.get("train", {})
    for given, group in groups.items():
        subset = subset_named(given)
        source = "test" if subset is Subset.TEST else "valid" if given in _OWN_NAMES else given
        tagged = {f"{source}/{name}": value for name, value in group.items()}
        at = whole_number(str(step)) if step is not None else None
        yield Statistics(source, subset, tagged, at, epoch, final or (ended and given == "train"))
    if ended:
        yield TrainingEnd()


MARKS: Final = ("poch", "POCH", "acc", "Acc", "ACC", "loss", "Loss", "eed")
"""Lines without any of these say nothing here."""

_LONGEST: Final = 2_000
_GAP: Final = r"[\s_/.:-]{0,3}"
_PLAIN_EPOCH: Final = re.compile(r"\bepochs?\b['\"]?[\s_:=#\[(-]{0,4}(\d{1,4})(?![\d.]\d)", re.IGNORECASE)
_PARTS: Final = "train|training|valid|validation|val|dev|eval|test"
_MEASURES: Final = {"accuracy": "accuracy", "acc": "accuracy", "loss": "loss"}
_VALUE: Final = re.compile(
    rf"(?<![^\W_])(?:(?P<part>{_PARTS}){_GAP}(?:set{_GAP})?)?(?:avg{_GAP}|mean{_GAP}|average{_GAP})?"
    rf"(?P<measure>accuracy|acc|loss)(?![^\W_])(?:{_GAP}(?P<after>{_PARTS})(?![^\W_]))?['\"]?\s{{0,3}}[:=]?\s{{0,3}}"
    r"(?P<value>\d{1,4}(?:\.\d{1,10})?(?:e-?\d{1,2})?)(?![\w.]*[\w])\s?%?",
    re.IGNORECASE,
)
_PART_ALONE: Final = re.compile(rf"(?<![\w/.-])(?:{_PARTS})(?![\w/-]|\.\w)", re.IGNORECASE)
"""A part of the data that a line names by a word of its own: `valid {'loss': 0.5}`, `[test] accuracy 78.2`."""

_CHOSEN: Final = re.compile(r"\b(?:best|highest|max(?:imum)?|previous|improved|from)\b", re.IGNORECASE)
_SEED: Final = re.compile(r"\b(?:random[ _-])?seed\b['\"]?(?: set to)?\s{0,3}[:=#]?\s{0,3}(\d{1,6})\b", re.IGNORECASE)


_STATE: Final = re.compile(r"\s*(\d{1,7})/(\d{1,7})(?!\d)")
"""The state of a bar of Keras, below the line that names the epoch."""
_HEADING: Final = 80
"""Characters of a line above a bar that may name the part of the data: `Evaluate on test data`."""


class PlainReader:
    """Reads lines in order; remembers the epoch that the last heading named with the state of its bar, and the seed."""

    def __init__(self) -> None:
        self._seed: str | None = None
        self._epoch: float | None = None
        self._state: tuple[int, int] | None = None
        self._above = ""
        self._unnamed = "train"  # the part of the data where a line names none

    def statements_in(self, line: str) -> Iterator[Said]:
        """Yield the content of a line."""
        above, self._above = self._above, line.strip() or self._above
        if len(line) > _LONGEST or not any(mark in line for mark in MARKS):
            return
        seed = _SEED.search(line)
        if seed and seed[1] != self._seed:
            self._seed, self._epoch = seed[1], None
            yield LoggedSetting("seed", seed[1], seed.group(), Opening.COMMAND)
        named = _PLAIN_EPOCH.search(line)
        if named:
            self._epoch, self._state = float(named[1]), None
            self._unnamed = "train"
        elif (state := _STATE.match(line)) is not None and self._begins_again(int(state[1]), int(state[2])):
            self._unnamed = "test" if subset_in(above[:_HEADING]) is Subset.TEST else ""
        groups: dict[tuple[str, Subset], dict[str, float]] = {}
        chosen = _CHOSEN.search(line)
        measures = list(_VALUE.finditer(line, 0, chosen.start() if chosen else len(line)))
        for found in measures:
            value = number(found["value"])
            subset = subset_named(_own_part(found) or _part_above(line, found, measures) or self._unnamed)
            if value is not None and subset is not None:
                source = "train" if subset is Subset.TRAIN else subset.value
                groups.setdefault((source, subset), {})[f"{source}/{_MEASURES[found['measure'].lower()]}"] = value
        for (source, subset), values in groups.items():
            if named or self._epoch is not None:
                yield Statistics(source, subset, values, epoch=self._epoch, running="it/s" in line or "s/it" in line)
            elif subset is Subset.TEST:
                yield Statistics(source, subset, values, final=True)

    def _begins_again(self, done: int, total: int) -> bool:
        """Whether a state is that of another bar than the epoch's own, which trains: it may be of any data."""
        last, self._state = self._state, (done, total)
        return last is not None and (total != last[1] or done < last[0])


def _own_part(found: re.Match[str]) -> str:
    return (found["part"] or found["after"] or "").lower()


def _part_above(line: str, found: re.Match[str], values: Sequence[re.Match[str]]) -> str:
    """The part of the data that the last word before a measure names, where the line does not give the measure of that
    part elsewhere; empty where no word does."""
    alone = [match.group().lower() for match in _PART_ALONE.finditer(line, 0, found.start())]
    given = {
        (subset_named(_own_part(value)), _MEASURES[value["measure"].lower()]) for value in values if _own_part(value)
    }
    is_free = alone and (subset_named(alone[-1]), _MEASURES[found["measure"].lower()]) not in given
    return alone[-1] if is_free else ""
