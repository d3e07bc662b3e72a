"""Whether a hyper-parameter that was found in a command, in code or in a log is the lab's."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from grader.checks.finding import Flag, Severity
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.message import say, say_data
from grader.reading.evidence import Evidence
from grader.reading.logs.written import number

FLAG: Final = "hyperparameter-mismatch"

_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "batch": ("total_train_batch_size", "per_device_train_batch_size", "max_sentences", "batch_size"),
    "epochs": ("num_train_epochs", "max_epoch"),
    "peak rate": ("learning_rate", "lr"),
    "warm-up ratio": ("warmup_ratio",),
    "warm-up updates": ("warmup_updates", "warmup_steps"),
    "schedule": ("lr_scheduler_type", "lr_scheduler"),
    "most tokens": ("max_seq_length", "max_positions"),
}
"""The settings of fairseq and of the Trainer that state each quantity, the most telling first."""

_SPLIT_BATCH: Final = ("gradient_accumulation_steps", "update_freq")
_LINEAR: Final = ("linear", "polynomial_decay", "polynomial")
_NEAR_WARM_UP: Final = 0.005
"""A warm-up is counted in whole updates, so its ratio is only near the one that was asked for."""


class Found(NamedTuple):
    """A value as written, and where."""

    value: str
    evidence: Evidence


class Wanted(Frozen):
    """What the lab asks of an experiment's training; None where it does not say. `schedules` are the numbers of
    updates at which the rate may reach zero."""

    title: str
    framework: str = "fairseq"
    start: str | None = None
    batch: int | None = None
    epochs: float | None = None
    peak_rate: float | None = None
    warm_up: float | None = None
    tokens: int | None = None
    schedules: tuple[int, ...] = ()


def wanted_of(lab: Lab, experiment: str) -> Wanted:
    """The lab's hyper-parameters of an experiment: those that it is rerun with."""
    title = next((one.title for one in lab.experiments if one.id == experiment), experiment)
    asked = next((one for one in lab.reruns if one.get("id") == experiment), {})
    recipe, sizes = asked.get("recipe") or {}, asked.get("sizes") or {}
    return Wanted(
        title=title,
        framework=asked.get("framework") or "fairseq",
        start=asked.get("start"),
        batch=recipe.get("batch"),
        epochs=recipe.get("epochs"),
        peak_rate=recipe.get("peak_rate"),
        warm_up=recipe.get("warm_up"),
        tokens=sizes.get("positions"),
        schedules=tuple(asked.get("schedules") or ()),
    )


def mismatch(wanted: Wanted, name: str, value: str, evidence: Evidence) -> Flag | None:
    """A flag when one setting of fairseq or of the Trainer, by its name with underscores, is not the lab's; None where
    it is, where the lab does not say, and where the value is no number. A batch smaller than the lab's may be summed
    over several steps: give `mismatches` all settings where there are more."""
    return next(iter(mismatches(wanted, {name: (Found(value, evidence),)})), None)


def mismatches(wanted: Wanted, found: Mapping[str, Iterable[Found]]) -> list[Flag]:
    """A flag for each quantity of which every value found differs from the lab's. A value that agrees anywhere
    outweighs those that do not: configurations repeat names for other things."""
    flags = (
        _of_numbers(wanted, say("batch size"), wanted.batch, _batches(found)),
        _of_numbers(wanted, say("number of epochs"), wanted.epochs, _values(found, "epochs"), most=True),
        _of_numbers(wanted, say("peak learning rate"), wanted.peak_rate, _values(found, "peak rate")),
        _of_numbers(wanted, say("greatest number of tokens"), wanted.tokens, _values(found, "most tokens"), most=True),
        _of_warm_up(wanted, found),
        _of_schedule(wanted, found),
    )
    return [flag for flag in flags if flag]


class _Number(NamedTuple):
    value: float
    evidence: Evidence


def _values(found: Mapping[str, Iterable[Found]], quantity: str) -> list[_Number]:
    """The numbers under the most telling name that has any; 0 stands for `not set`."""
    for name in _NAMES[quantity]:
        read = [_Number(value, one.evidence) for one in found.get(name, ()) if (value := _number(one.value))]
        if read:
            return read
    return []


def _batches(found: Mapping[str, Iterable[Found]]) -> list[_Number]:
    """Batch sizes, also as summed over the steps that the gradient is accumulated over."""
    read = _values(found, "batch")
    factors = [value for name in _SPLIT_BATCH for one in found.get(name, ()) if (value := _number(one.value))]
    summed = [one._replace(value=one.value * factor) for one in read for factor in factors if factor > 1]
    return summed or read


def _number(text: str) -> float | None:
    return number(text.strip("[]() '\""))


def _of_numbers(
    wanted: Wanted, name: str, right: float | None, read: list[_Number], *, most: bool = False
) -> Flag | None:
    """`most`: the lab gives an upper limit, so less than that is worth a remark only."""
    if right is None or not read or any(abs(one.value - right) <= 1e-6 * right for one in read):
        return None
    value, evidence = read[0]
    said = (
        say("the {name} is {value:g}; at most {right:g} was asked for", name=name, value=value, right=right)
        if most
        else say("the {name} is {value:g}; {right:g} was asked for", name=name, value=value, right=right)
    )
    return _flag(wanted, said, evidence, is_remark=most and value < right)


def _of_warm_up(wanted: Wanted, found: Mapping[str, Iterable[Found]]) -> Flag | None:
    """The updates as a part of one of the lab's schedules, else the ratio where it is stated."""
    if wanted.warm_up is None:
        return None
    asked = say("a ratio of {ratio:g} was asked for", ratio=wanted.warm_up)
    updates, ratios = _values(found, "warm-up updates"), _values(found, "warm-up ratio")
    if updates:
        value, evidence = updates[0]
        far = [total for total in wanted.schedules if abs(value / total - wanted.warm_up) > _NEAR_WARM_UP]
        if far and len(far) == len(wanted.schedules):
            said = say("the warm-up takes {value:g} updates; {asked}", value=value, asked=asked)
            return _flag(wanted, said, evidence, is_remark=True)
    elif ratios and abs(ratios[0].value - wanted.warm_up) > _NEAR_WARM_UP:
        value, evidence = ratios[0]
        said = say("the warm-up ratio is {value:g}; {asked}", value=value, asked=asked)
        return _flag(wanted, said, evidence, is_remark=True)
    return None


def _of_schedule(wanted: Wanted, found: Mapping[str, Iterable[Found]]) -> Flag | None:
    """The lab's rates fall linearly: it says so by naming the updates at which they reach zero."""
    named = [one for name in _NAMES["schedule"] for one in found.get(name, ())]
    kinds = [one.value.split(".")[-1].strip("'\" ").lower() for one in named]
    if not wanted.schedules or not named or any(kind in _LINEAR for kind in kinds):
        return None
    said = say("the learning rate's schedule is {kind}; a linear decay was asked for", kind=kinds[0])
    return _flag(wanted, said, named[0].evidence, is_remark=True)


def _flag(wanted: Wanted, said: str, evidence: Evidence, *, is_remark: bool = False) -> Flag:
    severity = Severity.INFO if is_remark else Severity.WARNING
    message = say("{title}: {said}.", title=say_data(wanted.title), said=said)
    return Flag(id=FLAG, severity=severity, message=message, evidence=(evidence,))
