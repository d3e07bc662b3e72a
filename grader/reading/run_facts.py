"""What the logs of one run tell of it: what wrote them, from which weights it began, with which seed and adapter."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from grader.message import Words, say
from grader.reading.evidence import Evidence
from grader.reading.log import Log, LoggedText, Setting
from grader.reading.logs.commands import command_pairs
from grader.reading.logs.pairs import pairs_in
from grader.reading.logs.written import whole
from grader.reading.run import Framework, Known, Start

_TRAINER_TAG: Final = re.compile(r"eval/|train/(?:learning_rate|grad_norm|epoch|train_runtime|train_loss)$")
_FAIRSEQ_TAGS: Final = frozenset(("nll_loss", "wps", "ups", "wpb", "bsz", "gnorm", "train_wall", "gb_free"))
_NAMES: Final = {
    **dict.fromkeys(("num_model_params", "loaded_checkpoint", "checkpoint_not_found"), Framework.FAIRSEQ),
    **dict.fromkeys(("max_update", "restore_file", "total_num_update"), Framework.FAIRSEQ),
    **dict.fromkeys(("per_device_train_batch_size", "model_name_or_path"), Framework.TRAINER),
    **dict.fromkeys(("total_optimization_steps", "lr_scheduler_type", "best_model_checkpoint"), Framework.TRAINER),
}
"""Settings that only one framework has."""

_RANDOM_WORDS: Final = frozenset({"random", "rand", "rnd", "scratch", "untrained", "randomly", "randominit"})
_PRETRAINED_WORDS: Final = frozenset({"pretrained", "pretrain", "pretraining", "finetuned", "finetune", "finetuning"})
_WORDS: Final = re.compile(r"[a-z]+")

Settings = Mapping[str, Sequence[Setting]]


class Told(NamedTuple):
    """What is known of something; None where nothing tells, or where two places contradict each other: then a
    problem says so."""

    known: Known | None = None
    problem: Words | None = None


def settings_of(logs: Iterable[Log]) -> Settings:
    """All settings by name, each value once: those of the logs, and those in the texts that were logged with them."""
    found: dict[str, dict[str, Setting]] = {}
    for log in logs:
        for setting in (*log.settings, *(setting for text in log.texts for setting in _in_text(log, text))):
            found.setdefault(setting.name, {}).setdefault(setting.value, setting)
    return {name: tuple(values.values()) for name, values in found.items()}


def _in_text(log: Log, text: LoggedText) -> Iterator[Setting]:
    """fairseq logs its command line, the Trainer its arguments as JSON."""
    if text.tag.startswith("sys.argv"):
        pairs = command_pairs(text.text)
    elif text.tag.startswith("args"):
        pairs = pairs_in(text.text)
    else:
        return
    for pair in pairs:
        evidence = Evidence(file=log.file, tag=text.tag, step=text.step, quote=pair.quote)
        yield Setting(name=pair.name, value=pair.value, evidence=evidence)


def first(settings: Settings, *names: str) -> Setting | None:
    """The first setting with one of some names, in the order of the names."""
    return next((settings[name][0] for name in names if settings.get(name)), None)


def framework_of(logs: Sequence[Log], settings: Settings) -> Told:
    """What wrote the logs, by the tags of the series and the names of the settings."""
    found: dict[Framework, Evidence] = {}
    for log in logs:
        for series in log.series:
            named = Framework.TRAINER if _TRAINER_TAG.match(series.tag) else Framework.FAIRSEQ
            if named is Framework.TRAINER or series.tag in _FAIRSEQ_TAGS:
                line = series.lines[0] if series.lines else None
                place = Evidence(file=log.file, line=line, cell=series.cell, tag=series.tag, quote=series.tag)
                found.setdefault(named, place)
    for name, values in settings.items():
        if name in _NAMES:
            found.setdefault(_NAMES[name], values[0].evidence)
    if len(found) > 1:
        return Told(problem=say("its logs are of fairseq and of the Trainer"))
    return next((Told(Known(value=one, evidence=evidence)) for one, evidence in found.items()), Told())


def seed_of(logs: Sequence[Log], settings: Settings) -> Told:
    """The seed: as the settings tell it, else as the paths do."""
    told = {seed: setting for setting in settings.get("seed", ()) if (seed := whole(setting.value)) is not None}
    paths = {log.seed: log for log in logs if log.seed is not None}
    if len(told) > 1:
        return Told(problem=say("its settings name several seeds: {seeds}", seeds=_listed(told)))
    if told:
        ((seed, setting),) = told.items()
        other = [one for one in paths if one != seed]
        problem = (
            say("its path names the seed {named}, its settings {seed}", named=_listed(other), seed=seed)
            if other
            else None
        )
        return Told(Known(value=str(seed), evidence=setting.evidence), problem)
    if len(paths) > 1:
        return Told(problem=say("its paths name several seeds: {seeds}", seeds=_listed(paths)))
    return next(
        (Told(Known(value=str(seed), evidence=Evidence(file=log.file, quote=log.name))) for seed, log in paths.items()),
        Told(),
    )


def _listed(seeds: Iterable[int | None]) -> str:
    return ", ".join(str(seed) for seed in sorted(seed for seed in seeds if seed is not None))


def adapter_of(settings: Settings) -> Known | None:
    """The kind of adapter that was trained, where settings of one are told."""
    kind = first(settings, "peft_type")
    if kind:
        return Known(value=kind.value.split(".")[-1].split(":")[0].strip("<> '\"").lower(), evidence=kind.evidence)
    lora = first(settings, "lora_alpha", "lora_r", "lora_rank")
    used = first(settings, "use_lora")
    if used and used.value.lower() in ("false", "0"):
        return None
    lora = lora or used
    return Known(value="lora", evidence=lora.evidence) if lora else None


def start_named(name: str) -> Start | None:
    """The weights that a folder's or checkpoint's name speaks of; None when of none or of both."""
    text = name.lower().replace("pre-trained", "pretrained").replace("pre_trained", "pretrained")
    words = set(_WORDS.findall(text.replace("fine-tun", "finetun").replace("fine_tun", "finetun")))
    named = [
        start
        for start, known in ((Start.RANDOM, _RANDOM_WORDS), (Start.PRETRAINED, _PRETRAINED_WORDS))
        if words & known
    ]
    return named[0] if len(named) == 1 else None
