"""Logs that belong to one run (by their folder, by the process that wrote them, by the values in them), and the facts
that they tell about it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from grader.frozen import memoise
from grader.message import Words, say
from grader.reading.document import Evidence
from grader.reading.log import Log, LoggedText, RunFact, Setting, Start, Subset, programs
from grader.reading.logs.draft import TELLS_NOTHING
from grader.reading.logs.written import LoggedSetting, command_pairs, number, pairs_in, whole_number

_TAGS: Final = tuple((framework, re.compile(framework.tags)) for framework in programs().frameworks)
_NAMES: Final = {name: framework for framework in programs().frameworks for name in framework.settings}
"""Settings that only one framework has."""

_RANDOM_WORDS: Final = frozenset({"random", "rand", "rnd", "scratch", "untrained", "randomly", "randominit"})
_PRETRAINED_WORDS: Final = frozenset({"pretrained", "pretrain", "pretraining", "finetuned", "finetune", "finetuning"})
_WORDS: Final = re.compile(r"[a-z]+")

_RATIOS: Final = {"warmup_steps": "warmup_ratio"}
"""Settings of numbers of updates that programs take as a ratio of all where they lie below 1 (transformers 5)."""

Settings = Mapping[str, Sequence[Setting]]


class FactFound(NamedTuple):
    """The known value of a fact; None if nothing tells it, or if two places contradict each other: then a problem says
    so."""

    known: RunFact | None = None
    problem: Words | None = None


def settings_of(logs: Iterable[Log]) -> Settings:
    """All settings by name, each value once: those of the logs, and those in the texts that were logged with them."""
    each = [_settings_in(log) for log in logs]
    if len(each) == 1:
        return each[0]
    found: dict[str, dict[str, Setting]] = {}
    for settings in each:
        for name, values in settings.items():
            by_value = found.setdefault(name, {})
            for setting in values:
                by_value.setdefault(setting.value, setting)
    return {name: tuple(values.values()) for name, values in found.items()}


@memoise
def _settings_in(log: Log) -> Settings:
    found: dict[str, dict[str, Setting]] = {}
    for setting in (*log.settings, *(setting for text in log.texts for setting in _in_text(log, text))):
        ratio = _RATIOS.get(setting.name)
        is_ratio = ratio is not None and 0 < (number(setting.value) or 0) < 1
        known_setting = setting.model_copy(update={"name": ratio}) if is_ratio else setting
        found.setdefault(known_setting.name, {}).setdefault(known_setting.value, known_setting)
    return MappingProxyType({name: tuple(values.values()) for name, values in found.items()})


def _in_text(log: Log, text: LoggedText) -> tuple[Setting, ...]:
    """Return the settings that are logged beside numbers: a command line, or arguments as JSON."""
    settings: Iterable[LoggedSetting] = ()
    if text.tag.startswith("sys.argv"):
        settings = command_pairs(text.text)
    elif text.tag.startswith("args"):
        settings = pairs_in(text.text)
    quoted = (
        (setting, Evidence(file=log.file, tag=text.tag, step=text.step, quote=setting.quote)) for setting in settings
    )
    return tuple(Setting(name=setting.name, value=setting.value, evidence=evidence) for setting, evidence in quoted)


def first_setting(settings: Settings, *names: str) -> Setting | None:
    """The first setting with one of some names, in the order of the names."""
    return next((settings[name][0] for name in names if settings.get(name)), None)


def framework_of(logs: Sequence[Log], settings: Settings) -> FactFound:
    """Return the framework that wrote the logs, by the tags of the series and the names of the settings."""
    found: dict[str, Evidence] = {}
    for log in logs:
        for series in log.series:
            named = next((framework.id for framework, tags in _TAGS if tags.match(series.tag)), None)
            if named is not None:
                line = series.lines[0] if series.lines else None
                place = Evidence(file=log.file, line=line, cell=series.cell, tag=series.tag, quote=series.tag)
                found.setdefault(named, place)
    for name, values in settings.items():
        if name in _NAMES:
            found.setdefault(_NAMES[name].id, values[0].evidence)
    if len(found) > 1:
        titles = ", ".join(framework.title for framework in programs().frameworks if framework.id in found)
        return FactFound(problem=say("its logs are of several programs: {titles}", titles=titles))
    return next((FactFound(RunFact(value=text, evidence=evidence)) for text, evidence in found.items()), FactFound())


def seed_of(logs: Sequence[Log], settings: Settings) -> FactFound:
    """The seed: as the settings tell it, else as the paths do."""
    seeds = {seed: setting for setting in settings.get("seed", ()) if (seed := whole_number(setting.value)) is not None}
    paths = {log.seed: log for log in logs if log.seed is not None}
    if len(seeds) > 1:
        return FactFound(problem=say("its settings name several seeds: {seeds}", seeds=_listed(seeds)))
    if seeds:
        ((seed, setting),) = seeds.items()
        known_fact, other = (
            RunFact(value=str(seed), evidence=setting.evidence),
            _listed(path for path in paths if path != seed),
        )
        differs = say("its path names the seed {named}, its settings {seed}", named=other, seed=seed)
        return FactFound(known_fact, differs if other else None)
    if len(paths) > 1:
        return FactFound(problem=say("its paths name several seeds: {seeds}", seeds=_listed(paths)))
    if not paths:
        return FactFound()
    ((seed, log),) = paths.items()
    return FactFound(RunFact(value=str(seed), evidence=Evidence(file=log.file, quote=log.name)))


def _listed(seeds: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(seeds)))


def adapter_of(settings: Settings) -> RunFact | None:
    """The kind of adapter that was trained, if the settings describe one."""
    for adapter in programs().adapters:
        kind = first_setting(settings, adapter.kind)
        if kind:
            named = kind.value.split(".")[-1].split(":")[0].strip("<> '\"").lower()
            return RunFact(value=named, evidence=kind.evidence)
        used = first_setting(settings, adapter.used)
        found = first_setting(settings, *adapter.settings) or used
        if found and not (used and used.value.lower() in ("false", "0")):
            return RunFact(value=adapter.id, evidence=found.evidence)
    return None


def start_named(name: str) -> Start | None:
    """The weights that a folder's or checkpoint's name speaks of; None when of none or of both."""
    text = name.lower().replace("pre-trained", "pretrained").replace("pre_trained", "pretrained")
    words = set(_WORDS.findall(text.replace("fine-tun", "finetun").replace("fine_tun", "finetun")))
    is_random, is_pretrained = bool(words & _RANDOM_WORDS), bool(words & _PRETRAINED_WORDS)
    return None if is_random is is_pretrained else Start.RANDOM if is_random else Start.PRETRAINED


Logs = tuple[Log, ...]
"""The logs of one run."""

At = tuple[str, Subset | None, int]
"""A tag, a part of the data and a step."""

_FEWEST_COMMON: Final = 3
"""Points that two logs of one run have in common at least, where nothing but their values ties them together."""

_FOLDERS: Final = ("tensorboard_logdir", "save_dir", "output_dir", "logging_dir")
_MANY: Final = 300
"""Runs of one submission beyond which none are put together."""


def by_name(logs: Iterable[Log]) -> list[Logs]:
    """Logs in one folder belong together, and those of one part of a text; but a folder that several processes with
    different seeds wrote to holds as many runs."""
    grouped: dict[tuple[str, str], list[Log]] = defaultdict(list)
    for log in logs:
        grouped[log.name, log.file if is_text(log) else ""].append(log)
    return [part for _, group in sorted(grouped.items()) for part in _by_process(group)]


def is_text(log: Log) -> bool:
    """Whether a log was read in a text, which may be of many runs, rather than in a file of its own."""
    return any(series.cell is not None or (series.lines and not series.wall_times) for series in log.series)


def _by_process(logs: list[Log]) -> Iterator[Logs]:
    """One run for each seed that the processes' own settings name, where all of them name one."""
    processes: dict[tuple[str, int | None], list[Log]] = defaultdict(list)
    others: list[Log] = []
    for log in logs:
        if log.origin:
            processes[log.origin.host, log.origin.pid].append(log)
        else:
            others.append(log)
    by_seed: dict[str | None, list[Log]] = defaultdict(list)
    for part in processes.values():
        seed = first_setting(settings_of(part), "seed")
        by_seed[seed.value if seed else None].extend(part)
    if None in by_seed or len(by_seed) < 2:
        yield _ordered(logs)
        return
    for part in by_seed.values():
        yield _ordered(part)
    if others:
        yield tuple(others)


def _ordered(logs: Iterable[Log]) -> Logs:
    """The oldest first, so that what a restart wrote again comes last."""
    return tuple(sorted(logs, key=lambda log: (log.origin.started_at if log.origin else 0.0, log.file)))


class _Folder(NamedTuple):
    """A folder that a run wrote to, by the parts of its path. Where it was `found`, it is the place of a log; else a
    setting tells it, and it may be one on another machine. A `launch` is one of several that may share a folder."""

    parts: tuple[str, ...]
    found: bool
    launch: bool = False


class _Part(NamedTuple):
    """Logs that are known to be of one run, and what others can be held against."""

    logs: Logs
    folders: frozenset[_Folder]
    points: Mapping[At, float]
    seed: str | None
    framework: str | None

    @classmethod
    def from_logs(cls, logs: Logs) -> Self:
        settings = settings_of(logs)
        seed, framework = seed_of(logs, settings).known, framework_of(logs, settings).known
        values = [what.value if what else None for what in (seed, framework)]
        return cls(logs, frozenset(_folders(logs)), _points(logs), *values)


def put_together(parts: Sequence[Logs]) -> list[Logs]:
    """Parts that tell of the same run, such as its event files and what the notebook printed of it, become one."""
    if len(parts) > _MANY:
        return list(parts)
    apart = [part for part in parts if "evaluated_weights" in settings_of(part)]  # its settings are those of training
    waiting = [_Part.from_logs(part) for part in parts if part not in apart]
    runs: list[_Part] = []
    for part in waiting:
        same = [run for run in runs if _agree(run, part)]
        if not same and sum(_share_a_folder(part, other) for other in waiting if other is not part) == 1:
            same = [run for run in runs if _share_a_folder(run, part) and _may_be_same_run(run, part)]
        if len(same) == 1:
            runs[runs.index(same[0])] = _Part.from_logs(_ordered((*same[0].logs, *part.logs)))
        else:
            runs.append(part)
    return [*(run.logs for run in runs), *apart]


def _folders(logs: Logs) -> Iterator[_Folder]:
    settings = settings_of(logs)
    for name in _FOLDERS:
        for setting in settings.get(name, ()):
            parts = _parts(setting.value)
            if parts and parts[-1] not in TELLS_NOTHING:
                yield _Folder(parts, found=False)
    for log in logs:
        if not is_text(log):
            parts = _parts(log.name)
            launch = len(parts) > 1 and parts[-2] == "runs"
            yield _Folder(parts[:-2] if launch else parts, found=True, launch=launch)


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in PurePosixPath(path.strip().lower()).parts if part not in ("/", ".", ".."))


def _share_a_folder(part: _Part, other: _Part) -> bool:
    """Whether a folder of one may be a folder of the other: the end of one path is the other path."""
    return any(_may_be_same(here, there) for here in part.folders for there in other.folders)


def _may_be_same(folder: _Folder, other: _Folder) -> bool:
    if folder.found and other.found:
        return folder.parts == other.parts and not (folder.launch and other.launch)
    short, long = sorted((folder.parts, other.parts), key=len)
    return bool(short) and long[-len(short) :] == short


def _points(logs: Logs) -> Mapping[At, float]:
    """Return the values measured in evaluations: accuracies and losses."""
    return {
        (series.tag, series.subset, step): value
        for log in logs
        for series in log.series
        if series.subset is not Subset.TRAIN and series.tag.rsplit("/", 1)[-1] in ("accuracy", "loss")
        for step, value in zip(series.steps, series.values, strict=True)
    }


def _agree(part: _Part, other: _Part) -> bool:
    """Whether the same values stand in both at the same steps, and enough of them."""
    common = part.points.keys() & other.points.keys()
    return (
        len(common) >= _FEWEST_COMMON and len({part.points[at] for at in common}) > 1 and _may_be_same_run(part, other)
    )


def _may_be_same_run(part: _Part, other: _Part) -> bool:
    """Whether nothing that both tell is different. Texts round what event files hold."""
    if any(len({*pair} - {None}) > 1 for pair in ((part.seed, other.seed), (part.framework, other.framework))):
        return False
    common = part.points.keys() & other.points.keys()
    return all(abs(part.points[at] - other.points[at]) <= 6e-4 + 2e-4 * abs(part.points[at]) for at in common)
