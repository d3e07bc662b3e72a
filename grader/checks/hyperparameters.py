"""The watch `hyperparameters`: training used the lab's hyper-parameters, weights and data, and different seeds.

Commands, Python code and logs are compared with the lab's reruns.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from grader.checks.check import Conclusion, check
from grader.checks.experiment import report_of
from grader.checks.finding import Flag, Severity
from grader.claims.answer import Answer
from grader.claims.code import CodeCell, Command
from grader.claims.code.model import OPEN
from grader.claims.logged import LoggedRun
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.message import Message, Words, join_messages, label_text, say, say_data, say_values
from grader.reading.document import Evidence
from grader.reading.log import programs
from grader.reading.logs.written import number

REPEATED_SEED: Final = "repeated-seed"
_ELSEWHERE: Final = ("seed", "config_name", "config_dir", "config", "config_file")
_SETTINGS: Final = (".json", ".yaml", ".yml")
_ONLY_READS: Final = ("do_eval", "do_predict")
_MOST: Final = 6


FLAG: Final = "hyperparameter-mismatch"


def _flag(title: str, problem: str, places: Iterable[Evidence], kind: str = FLAG, *, is_remark: bool = False) -> Flag:
    """Return a flag about an experiment."""
    return Flag(
        id=kind,
        severity=Severity.INFO if is_remark else Severity.WARNING,
        message=label_text(say_data(title), say_values("{said}.", said=problem)),
        evidence=tuple(dict.fromkeys(places))[:_MOST],
    )


def repeated_seeds(commands: Sequence[Command], title: str, asked: int) -> Iterator[Flag]:
    """Yield a flag if training commands have fewer different seeds than were asked for, or none of them sets a seed.

    A seed that is not known for certain may be a different one.
    """
    options = {id(command): dict(command.options()) for command in commands}
    # Programs that also evaluate or predict train only with the option `do_train`.
    training = [
        command
        for command in commands
        if "do_train" in options[id(command)] or options[id(command)].keys().isdisjoint(_ONLY_READS)
    ]
    seeded_commands = [
        (command, found[0])
        for command in training
        if (found := command.option("seed")) and found[0] and not _is_open(found[0])
    ]
    unknown = [command for command in training if all(command is not other for other, _ in seeded_commands)]
    if any(_may_set_seed(command, options[id(command)]) for command in unknown):
        return
    if len(training) >= asked > 1 and not seeded_commands:
        message = say(
            "none of the {number} training commands sets a seed, so all have the same one by default",
            number=len(training),
        )
        yield _flag(title, message, (command.evidence for command in training), REPEATED_SEED)
        return
    seeds = Counter(seed for _, seed in seeded_commands)
    seed, times = max(seeds.items(), key=itemgetter(1), default=(None, 0))
    if times > 1 and len(seeds) + bool(unknown) < asked:
        message = say(
            "{times} of the {number} training commands have the seed {seed}; {asked} different ones were asked for",
            times=times,
            number=len(training),
            seed=seed,
            asked=asked,
        )
        yield _flag(
            title,
            message,
            (command.evidence for command, command_seed in seeded_commands if command_seed == seed),
            REPEATED_SEED,
        )


def _may_set_seed(command: Command, given: Mapping[str, str]) -> bool:
    """Whether a command may set an unknown seed, by an unknown value or word or in a settings file."""
    words = ("", *command.words)
    values = [word for before, word in pairwise(words) if before.startswith("-") and "=" not in before]
    loose = (Counter(command.words) - Counter(values)).keys()
    return not given.keys().isdisjoint(_ELSEWHERE) or any(_is_open(text) or text.endswith(_SETTINGS) for text in loose)


def _is_open(value: str) -> bool:
    """Whether a value depends on something unknown, such as a variable."""
    return OPEN in value or "$" in value or "{" in value


_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "batch": ("total_train_batch_size", "per_device_train_batch_size", "max_sentences", "batch_size"),
    "epochs": ("num_train_epochs", "max_epoch"),
    "peak rate": ("learning_rate", "lr"),
    "warm-up ratio": ("warmup_ratio",),
    "warm-up updates": ("warmup_updates", "warmup_steps"),
    "schedule": ("lr_scheduler_type", "lr_scheduler"),
    "most tokens": ("max_seq_length", "max_positions"),
}
"""The settings that state each quantity, the most informative first."""

_SPLIT_BATCH: Final = ("gradient_accumulation_steps", "update_freq")
_LINEAR: Final = ("linear", "polynomial_decay", "polynomial")
_NEAR_WARM_UP: Final = 0.005
"""The allowed difference between warm-up ratios. Warm-up is counted in whole updates, so ratios are rarely exact."""


class FoundValue(NamedTuple):
    """A value as written, and its place."""

    value: str
    evidence: Evidence


class TrainingRequirements(Frozen):
    """The lab's requirements for an experiment's training. None stands for no requirement.

    `schedules` are the numbers of updates after which the learning rate may be zero.
    """

    title: str
    framework: str = ""
    start: str | None = None
    batch: int | None = None
    epochs: float | None = None
    peak_rate: float | None = None
    warm_up: float | None = None
    tokens: int | None = None
    schedules: tuple[int, ...] = ()


def wanted_of(lab: Lab, experiment: str) -> TrainingRequirements:
    """Return the hyper-parameters of an experiment: those of the lab's reruns."""
    title = next((candidate.title for candidate in lab.experiments if candidate.id == experiment), experiment)
    asked = next((rerun for rerun in lab.reruns if rerun.get("id") == experiment), {})
    recipe, sizes = asked.get("recipe") or {}, asked.get("sizes") or {}
    return TrainingRequirements(
        title=title,
        framework=asked.get("framework") or "",
        start=asked.get("start"),
        batch=recipe.get("batch"),
        epochs=recipe.get("epochs"),
        peak_rate=recipe.get("peak_rate"),
        warm_up=recipe.get("warm_up"),
        tokens=sizes.get("positions"),
        schedules=tuple(asked.get("schedules") or ()),
    )


def mismatches(wanted: TrainingRequirements, found: Mapping[str, Iterable[FoundValue]]) -> list[Flag]:
    """Return a flag for each quantity whose values all differ from the lab's.

    One right value is enough, because configurations use the same names for other things.
    """
    batches = _values(found, "batch")
    # Gradient accumulation multiplies the batch size.
    factors = [
        value for name in _SPLIT_BATCH for candidate in found.get(name, ()) if (value := _number(candidate.value))
    ]
    summed = [batch._replace(value=batch.value * factor) for batch in batches for factor in factors if factor > 1]
    flags = (
        _of_numbers(wanted, say("batch size"), wanted.batch, summed or batches),
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


def _values(found: Mapping[str, Iterable[FoundValue]], quantity: str) -> list[_Number]:
    """Return the values of a quantity under the most informative name that has any. A value of 0 means that it is not
    set."""
    for name in _NAMES[quantity]:
        read = [
            _Number(value, candidate.evidence)
            for candidate in found.get(name, ())
            if (value := _number(candidate.value))
        ]
        if read:
            return read
    return []


def _number(text: str) -> float | None:
    return number(text.strip("[]() '\""))


def _of_numbers(
    wanted: TrainingRequirements, name: str, right: float | None, numbers: list[_Number], *, most: bool = False
) -> Flag | None:
    """Return a flag if all values of a quantity are wrong. With `most`, `right` is a limit, and lower values are a
    remark."""
    if right is None or not numbers or any(abs(numeral.value - right) <= 1e-6 * right for numeral in numbers):
        return None
    value, evidence = numbers[0]
    asked = say_values("{value:g}", value=right)
    message = _otherwise(name, value, say("at most {most}", most=asked) if most else asked)
    return _flag(wanted.title, message, [evidence], is_remark=most and value < right)


def _otherwise(name: Words, value: float, asked: Words) -> Message:
    return say("the {name} is {value:g}; {asked} was asked for", name=name, value=value, asked=asked)


def _of_warm_up(wanted: TrainingRequirements, found: Mapping[str, Iterable[FoundValue]]) -> Flag | None:
    """Return a remark if the warm-up differs: its updates relative to the lab's schedules, or else its ratio."""
    if wanted.warm_up is None:
        return None
    stated = _values(found, "warm-up updates")
    # Current versions of transformers take a ratio as `warmup_steps`, too.
    ratios = [*_values(found, "warm-up ratio"), *(numeral for numeral in stated if 0 < numeral.value < 1)]
    updates = [numeral for numeral in stated if numeral not in ratios]
    if updates:
        value, evidence = updates[0]
        name = say("number of warm-up updates")
        near = [total for total in wanted.schedules if abs(value / total - wanted.warm_up) <= _NEAR_WARM_UP]
        is_far = bool(wanted.schedules) and not near
    elif ratios:
        value, evidence = ratios[0]
        name = say("warm-up ratio")
        is_far = abs(value - wanted.warm_up) > _NEAR_WARM_UP
    else:
        return None
    if not is_far:
        return None
    ratio = say_values("{name} {value:g}", name=say("warm-up ratio"), value=wanted.warm_up)
    return _flag(wanted.title, _otherwise(name, value, ratio), [evidence], is_remark=True)


def _of_schedule(wanted: TrainingRequirements, found: Mapping[str, Iterable[FoundValue]]) -> Flag | None:
    """Return a remark if the learning rate does not decrease linearly, although the lab names the updates at which it
    is zero."""
    named = [candidate for name in _NAMES["schedule"] for candidate in found.get(name, ())]
    kinds = [candidate.value.split(".")[-1].strip("'\" ").lower() for candidate in named]
    if not wanted.schedules or not named or any(kind in _LINEAR for kind in kinds):
        return None
    message = say("the learning rate's schedule is {kind}; a linear decay was asked for", kind=kinds[0])
    return _flag(wanted.title, message, [named[0].evidence], is_remark=True)


ARGUMENTS: Final = ("TrainingArguments", "Seq2SeqTrainingArguments")
ADAPTERS: Final = frozenset(call for adapter in programs().adapters for call in adapter.calls)
"""Calls that begin a later task of a lab. After them, a file's settings are for another model."""

_CLASSIFIER: Final = "SequenceClassification"
"""A part of the name of the model that the lab trains with the Trainer."""

_FROM_COMMAND: Final = re.compile(r"[A-Za-z_].{0,80}\.([A-Za-z_]\w{0,60})")
_OPTION: Final = re.compile(r"['\"](?P<dashes>--?)(?P<name>\w[\w-]{0,60})['\"]")


def trainer_settings(code: Sequence[CodeCell]) -> Iterator[tuple[str, FoundValue]]:
    """Yield the known arguments of the Trainer in code, by name, if the code trains a classifier.

    An argument from the command line has the values of the commands that run the script, or else the script's default.
    """
    for file in dict.fromkeys(cell.file for cell in code):
        own_cells = list(_before_adapters([cell for cell in code if cell.file == file]))
        if not any(_CLASSIFIER in name for cell in own_cells for name in cell.names):
            continue
        given = _command_line(own_cells, file, code)
        calls = (call for cell in own_cells for call in cell.calls if call.name in ARGUMENTS)
        for call in (call for call in calls if not call.dead and not call.own):
            for name, value in call.keywords.items():
                option = _FROM_COMMAND.fullmatch(value)
                for text in given.get(option[1], ()) if option else (value,):
                    yield name, FoundValue(text, call.evidence)


def _before_adapters(cells: Sequence[CodeCell]) -> Iterator[CodeCell]:
    """Yield the cells that may have run, up to the first that uses an adapter."""
    for cell in cells:
        if cell.names & ADAPTERS:
            return
        if not cell.gaps and (cell.ran or not cell.is_notebook):
            yield cell


def _command_line(own_cells: Sequence[CodeCell], file: str, code: Sequence[CodeCell]) -> dict[str, tuple[str, ...]]:
    """Return the values of a script's options, by name with underscores."""
    defaults: dict[str, str] = {}
    for call in (
        call for cell in own_cells for call in cell.calls if call.name == "add_argument" and "default" in call.keywords
    ):
        options = [match for argument in call.arguments if (match := _OPTION.fullmatch(argument))]
        long = [option for option in options if option["dashes"] == "--"]  # argparse takes the name of the first one
        for option_match in (long or options)[:1]:
            defaults[option_match["name"].replace("-", "_")] = call.keywords["default"]
    script = file.rpartition("/")[2]
    ran = (command for cell in code if cell.ran for command in cell.commands if not command.is_idle)
    commands = [command for command in ran if defaults and command.runs([script])]
    given = [dict(command.options()) for command in commands]
    return {
        name: tuple(dict.fromkeys(entry.get(name, default) for entry in given)) or (default,)
        for name, default in defaults.items()
    }


_NEAR = 1.1
"""Schedules whose lengths differ by at most this factor give similar accuracies."""


def run_mismatches(runs: Iterable[LoggedRun], experiment: str, lab: Lab) -> list[Flag]:
    """Return a flag for each difference between logged runs and the lab, with the places in all runs."""
    wanted = wanted_of(lab, experiment)
    return list(_together(flag for run in runs for flag in (*_of_settings(run, wanted), *_of_course(run, wanted, lab))))


def _of_settings(run: LoggedRun, wanted: TrainingRequirements) -> Iterator[Flag]:
    """Yield flags about values, weights and data in a log that differ from the lab."""
    found: dict[str, list[FoundValue]] = {}
    for setting in run.settings:
        found.setdefault(setting.name, []).append(FoundValue(setting.value, setting.evidence))
    yield from mismatches(wanted, found)
    begun = {
        candidate.value for candidate in run.settings if candidate.name in programs().resumed
    } - programs().own_states
    for start_setting in run.settings if wanted.start != _RANDOM_START else ():
        if start_setting.name == "checkpoint_not_found" and start_setting.value in begun:
            message = say(
                "the weights {asked} were asked for but not found, so training began from random weights",
                asked=start_setting.value,
            )
            yield _flag(wanted.title, message, [start_setting.evidence])
    for task in found.get("task_name", ()):
        message = say("trained on the public task {task}, not on the lab's data", task=task.value)
        yield _flag(wanted.title, message, [task.evidence])


def _of_course(run: LoggedRun, wanted: TrainingRequirements, lab: Lab) -> Iterator[Flag]:
    """Yield flags about the curves: the schedule of the learning rate, and the split on which accuracies were
    measured."""
    schedule = run.schedule
    if (
        schedule
        and wanted.schedules
        and not any(is_near(schedule.total_updates, candidate) for candidate in wanted.schedules)
    ):
        usual = join_messages(say(" or "), map(str, wanted.schedules))
        message = say(
            "the learning rate reaches zero at {updates} updates; usual are {usual}",
            updates=schedule.total_updates,
            usual=usual,
        )
        yield _flag(wanted.title, message, [schedule.evidence], is_remark=True)
    is_counted = any(measure.id == run.measure and measure.is_counted for measure in lab.measured)
    for split, examples in lab.sizes.items() if is_counted else ():
        points = {lab.selecting: run.selecting, run.split: run.reported}.get(split, ())
        off = [point for point in points if not on_grid(point.value, examples)]
        if len(off) > 1 and len(off) * 2 > len(points):
            message = say(
                "the logged {split} accuracies ({shown} %) are not possible on {examples} examples",
                split=split,
                shown=", ".join(f"{point.value:g}" for point in off[:3]),
                examples=examples,
            )
            yield _flag(wanted.title, message, [off[0].evidence])


def on_grid(value: float, examples: int) -> bool:
    """Whether an accuracy in percent, perhaps rounded to two decimals, is possible on a number of examples."""
    step = 100 / examples
    return abs(value - round(value / step) * step) <= min(0.006, step / 4)


def is_near(total: int, schedule: int) -> bool:
    """Whether two schedules have similar lengths."""
    return max(total, schedule) <= _NEAR * min(total, schedule)


_PRETRAINED: Final = "pretrained"
_RANDOM_START: Final = "random"
TRANSFORMERS: Final = "transformers"
_LONGEST: Final = 600


@check("hyperparameters")
def hyperparameters(
    answer: Answer,
    lab: Lab,
    *,
    programs: dict[str, tuple[str, ...]],
    weights: tuple[str, ...],
    begins: dict[str, str] | None = None,
) -> Iterator[Conclusion]:
    """Training was run with the lab's hyper-parameters.

    - `programs`: each experiment's training programs.
    - `weights`: command-line options that name the initial weights, and thus the experiment.
    - `begins`: for some of their options, the beginning of the value. Commands with other values are ignored.

    Decides: nothing; it flags values that differ from the lab's.

    Leaves to people: whether a difference matters.

    Example:
        weights = ["restore-file", "finetune-from-model"]
        begins = { task = "sentence_prediction" }
        programs = { pretrained = ["fairseq-train"], huggingface = ["run_glue.py"] }
    """
    code = [cell for cell in answer.code if (cell.file, cell.cell) not in answer.other_trainings]
    ran = (cell for cell in code if cell.ran and not cell.gaps)
    commands = [command for cell in ran for command in cell.commands if not command.is_idle]
    trained = {point.evidence.file for run in answer.runs for point in (*run.selecting, *run.reported)}
    # A notebook that logs only trainings of something else sets these up.
    elsewhere = {file for file, _ in answer.other_trainings} - trained
    found: list[Flag] = []
    for experiment in dict.fromkeys((*programs, *(candidate.id for candidate in lab.experiments))):
        wanted = wanted_of(lab, experiment)
        names = programs.get(experiment, ())
        trains = [command for command in commands if command.runs(names) and not _is_of_another(command, begins or {})]
        own_commands = [command for command in trains if _starts_so(command, wanted, experiment, programs, weights)]
        found += run_mismatches(report_of(experiment, answer, lab).runs, experiment, lab)
        own_code = [cell for cell in code if cell.file not in elsewhere]
        in_python = trainer_settings(own_code) if wanted.framework == TRANSFORMERS else ()
        asked = lab.repetition_of(experiment).number
        found += [*_told(wanted, own_commands, in_python), *repeated_seeds(own_commands, wanted.title, asked)]
    yield from _together(found)


def _together(flags: Iterable[Flag]) -> Iterator[Flag]:
    """Yield the flags, with equal flags merged into one that has all their places."""
    same: dict[tuple[str, str], list[Flag]] = {}
    for flag in flags:
        same.setdefault((flag.id, flag.message), []).append(flag)
    for alike in same.values():
        places = tuple(dict.fromkeys(place for flag in alike for place in flag.evidence))
        yield alike[0].model_copy(update={"evidence": places})


def _is_of_another(command: Command, begins: Mapping[str, str]) -> bool:
    """Whether an option of a command shows that it trains something else."""
    given = [(value, begins[name]) for name, value in command.options() if name in begins]
    return any(not value.startswith(begin) and not _is_open(value) for value, begin in given)


def _starts_so(
    command: Command,
    wanted: TrainingRequirements,
    experiment: str,
    programs: Mapping[str, Sequence[str]],
    weights: Sequence[str],
) -> bool:
    """Whether a command trains the experiment. If experiments share a program, the initial weights decide."""
    if not any(command.runs(names) for other, names in programs.items() if other != experiment):
        return True
    named = command.option(*weights)
    return wanted.start == (_PRETRAINED if named and named[0] else _RANDOM_START)


def _told(
    wanted: TrainingRequirements, commands: Sequence[Command], in_python: Iterable[tuple[str, FoundValue]]
) -> Iterator[Flag]:
    """Yield a flag for each quantity that no command has right. Unknown values may be right."""
    found: dict[str, list[FoundValue]] = {}
    unsure: set[str] = set()
    for command in commands:
        for name, value in command.options():
            if _is_open(value):
                unsure.add(name)
            else:
                found.setdefault(name, []).append(FoundValue(value, command.evidence))
    for name, value_found in in_python:
        found.setdefault(name, []).append(value_found)
    known_values = {name: values for name, values in found.items() if name not in unsure}
    for flag in mismatches(wanted, known_values):
        places = []
        for place in flag.evidence:
            # Quote the command with its variables replaced.
            filled_in = [" ".join(candidate.words) for candidate in commands if candidate.evidence == place]
            text = next(iter(filled_in), place.quote)
            places.append(place.model_copy(update={"quote": text[:_LONGEST]}))
        yield flag.model_copy(update={"evidence": tuple(places)})
