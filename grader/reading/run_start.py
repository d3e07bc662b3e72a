"""From which weights a run began."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.message import joined, say
from grader.reading.evidence import Evidence
from grader.reading.log import Log, Setting
from grader.reading.run import Known, Start
from grader.reading.run_facts import Settings, Told, first, start_named
from grader.reading.run_names import telling_name

_OWN_CHECKPOINT: Final = "checkpoint_last.pt"
"""What fairseq looks for when no other file is named: the run's own last state."""

_FILES: Final = ("restore_file", "finetune_from_model")
_COMPLETE: Final = ("arch", "task", "criterion")
"""Settings that are there, two of them at least, where a whole command of fairseq was read."""


class _Sign(NamedTuple):
    start: Start
    evidence: Evidence


def start_of(name: str, logs: Sequence[Log], settings: Settings) -> Told:
    """What was loaded, as the log says; else what the settings ask for; else what the folder's name says. Where these
    contradict each other, nothing is known. A file that was asked for but not found is no contradiction."""
    facts = list(_facts(settings))
    asked = list(_asked(settings)) or ([] if facts else list(_nothing_asked(settings)))
    missing = _missing(settings)
    if missing:
        asked = []
    named = start_named(telling_name(name, logs))
    by_name = [_Sign(named, Evidence(file=logs[0].file, quote=name))] if named else []
    signs = [*facts, *asked, *by_name]
    starts = {sign.start for sign in signs}
    if len(starts) > 1:
        quotes = (next(s for s in signs if s.start is start).evidence.quote for start in sorted(starts))
        places = joined(say(" and "), (say("“{words}”", words=quote) for quote in quotes))
        return Told(
            problem=say("whether it began from pretrained or from random weights is not clear: {places}", places=places)
        )
    if not signs:
        return Told(problem=missing)
    return Told(Known(value=signs[0].start, evidence=signs[0].evidence), missing)


def _of_path(setting: Setting) -> _Sign:
    """A file of weights is a pretrained one unless its name says that they are random."""
    return _Sign(start_named(setting.value) or Start.PRETRAINED, setting.evidence)


def _is_own(path: str, settings: Settings) -> bool:
    """Whether a checkpoint is one that the run itself saved before it was interrupted."""
    folder = first(settings, "save_dir", "output_dir")
    inside = folder is not None and PurePosixPath(path).is_relative_to(PurePosixPath(folder.value))
    return PurePosixPath(path).name == _OWN_CHECKPOINT or inside


def _facts(settings: Settings) -> Iterator[_Sign]:
    """What the log says that happened. The Trainer loads its model from where the settings say."""
    for setting in settings.get("checkpoint_not_found", ()):
        yield _Sign(Start.RANDOM, setting.evidence)
    for setting in settings.get("trained_from_scratch", ()):
        yield _Sign(Start.RANDOM, setting.evidence)
    for setting in (*settings.get("loaded_checkpoint", ()), *settings.get("loaded_weights", ())):
        if not _is_own(setting.value, settings):
            yield _of_path(setting)


def _asked(settings: Settings) -> Iterator[_Sign]:
    """What the settings ask for."""
    for name in (*_FILES, "model_name_or_path"):
        for setting in settings.get(name, ()):
            if setting.value.strip("'\" ") and PurePosixPath(setting.value).name != _OWN_CHECKPOINT:
                yield _of_path(setting)
    config = first(settings, "config_name")
    if config and not first(settings, "model_name_or_path"):
        yield _Sign(Start.RANDOM, config.evidence)


def _nothing_asked(settings: Settings) -> Iterator[_Sign]:
    """fairseq starts from random weights where its settings name no file, unless it goes on with its own."""
    shown = [setting for name in _FILES for setting in settings.get(name, ())]
    complete = [settings[one][0] for one in _COMPLETE if one in settings]
    resumed = any(_is_own(one.value, settings) for one in settings.get("loaded_checkpoint", ()))
    if (shown or len(complete) > 1) and not resumed:
        yield _Sign(Start.RANDOM, (shown or complete)[0].evidence)


def _missing(settings: Settings) -> str | None:
    """A problem where weights were asked for that were not there."""
    absent = {one.value for one in settings.get("checkpoint_not_found", ())}
    asked = next((one.value for one in settings.get("restore_file", ()) if one.value in absent), None)
    if asked is None or PurePosixPath(asked).name == _OWN_CHECKPOINT:
        return None
    return say("the weights {asked} were asked for but not found, so training began from random weights", asked=asked)
