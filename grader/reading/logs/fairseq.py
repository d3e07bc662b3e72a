"""What fairseq prints while it trains, in its formats simple, tqdm and json, of all versions since 0.6.

The formats are those of `fairseq/logging/progress_bar.py`, the messages those of `fairseq_cli/train.py` and
`fairseq/trainer.py`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from grader.reading.log import Subset
from grader.reading.logs.messages import Message
from grader.reading.logs.pairs import pairs_in
from grader.reading.logs.said import Ended, Opening, Said, Statistics, Told
from grader.reading.logs.written import number, subset_named, whole

_EPOCH: Final = re.compile(r"epoch (\d{1,6})(?!\d)")
_SUBSET: Final = re.compile(r"valid on '([^']{1,60})' subset")
_INNER: Final = re.compile(r"epoch (\d{1,6}):\s{0,8}(?:\d{1,3}%\|[^|]{0,80}\|)?\s{0,12}(\d{1,9}) ?/ ?(\d{1,9})\s?(.*)")
_PARAMETERS: Final = re.compile(
    r"num\. (?:shared )?model params: ([\d,]{1,20})(?: \(num\. trained: ([\d,]{1,20})\))?", re.IGNORECASE
)
_LOADED: Final = re.compile(
    r"loaded checkpoint (\S{1,300})(?: \(epoch (\d{1,6}) @ (\d{1,9}) updates\))?", re.IGNORECASE
)
_MISSING: Final = re.compile(r"no existing checkpoint found (\S{1,300})", re.IGNORECASE)
_CONFIGURATION: Final = re.compile(r"\s*(?:\{['\"]|Namespace\(|'\w{1,60}'\s?: )")
_OWN: Final = re.compile(r"fairseq|^(?:train|train_inner|valid\d*|test\d*|dev\d*)$|^$")
_SUBSET_PREFIX: Final = re.compile(r"(train_inner|train|valid|validation|val|dev|eval|test)\d{0,2}[_/ ](?=.)")
_PREFIXED: Final = frozenset("tvde")
"""With these the names of subsets begin."""

_STEPS: Final = ("step", "global_step", "num_updates")
"""Names of the count of updates, the surest last."""

_MARKS: Final = ("epoch ", "subset", "checkpoint", "params", "{", "Namespace(", "': ", "done training", '"epoch"')


def fairseq_says(message: Message) -> Iterator[Said]:
    """What a message of fairseq says; nothing for any other message."""
    text = message.text
    if not any(mark in text for mark in _MARKS) or not _OWN.search(message.logger):
        return
    text = text.strip().removeprefix("| ")
    said = list(_facts(text))
    if said:
        yield from said
    elif _CONFIGURATION.match(text):
        yield from _statistics_of_json(message.logger, text) or _configuration(text)
    else:
        yield from _statistics_of_text(message.logger, text)


def _facts(text: str) -> Iterator[Said]:
    if (found := _PARAMETERS.match(text)) is not None:
        yield Told("num_model_params", found[1], found.group(), Opening.MODEL)
        if found[2]:
            yield Told("num_trained_params", found[2], found.group())
    elif (found := _MISSING.match(text)) is not None:
        yield Told("checkpoint_not_found", found[1], found.group(), Opening.CHECKPOINT)
    elif (found := _LOADED.match(text)) is not None:
        yield Told("loaded_checkpoint", found[1], found.group(), Opening.CHECKPOINT)
        if found[3] is not None:
            yield Told("loaded_checkpoint_updates", found[3], found.group())
    elif text.startswith("done training"):
        yield Ended()


def _configuration(text: str) -> list[Said]:
    """The settings of a printed configuration. One pair in braces is no configuration of fairseq."""
    pairs = list(pairs_in(text))
    told = [Told(pair.name, pair.value, pair.quote) for pair in pairs if not pair.name.startswith("_")]
    return [Told("", "", "", Opening.CONFIGURATION), *told] if len(told) > 2 else []


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
    if postfix.startswith("["):
        parts = postfix.split(", ")
        return [*parts[:-1], parts[-1][:-1]] if postfix.rstrip().endswith("]") else parts[:-1]
    return postfix.split(", ")


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
        step = whole(pair.value) if pair.name in _STEPS else step
        prefix = _SUBSET_PREFIX.match(pair.name)
        source = prefix[1] if prefix else logger if subset_of(logger) else "train_inner"
        by_source.setdefault(source, []).append((pair.name[prefix.end() :] if prefix else pair.name, pair.value))
    made = (_made(name, subset_of(name), _values(pairs), step, epoch) for name, pairs in by_source.items())
    return [one for several in made for one in several] if epoch is not None or "num_updates" in text else []


def subset_of(source: str) -> Subset | None:
    """The part of the data that a name of fairseq's loggers stands for."""
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
        updates = whole(str(values.pop(name, "")))
        step = updates if updates is not None else step
    return [Statistics(source, subset, values, step, epoch)] if values else []
