"""Were an experiment's training commands run with different seeds?"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from grader.checks.finding import Flag, Severity
from grader.claims.code import Command
from grader.claims.code.model import OPEN
from grader.message import Message, say, say_data
from grader.reading.evidence import Evidence

REPEATED_SEED: Final = "repeated-seed"
_ELSEWHERE: Final = ("seed", "config_name", "config_dir", "config", "config_file")
_SETTINGS: Final = (".json", ".yaml", ".yml")
_ONLY_READS: Final = ("do_eval", "do_predict")
_MOST: Final = 6


def repeated_seeds(commands: Sequence[Command], title: str, asked: int) -> Iterator[Flag]:
    """A flag where commands that train have too few different seeds, or none of as many as were `asked` for sets one.
    What is not known for certain may be another seed."""
    training = [one for one in commands if _trains(one)]
    if any(_value(one) is None and _may_be_set(one) for one in training):
        return
    seeds = Counter(_value(one) for one in training)
    if len(training) >= asked > 1 and set(seeds) == {None}:
        text = say(
            "{title}: none of the {number} training commands sets a seed, so all have the same one by default.",
            title=say_data(title),
            number=len(training),
        )
        yield _flag(text, (one.evidence for one in training))
        return
    seed, times = max(seeds.items(), key=lambda pair: (pair[0] is not None, pair[1]), default=(None, 0))
    if seed is not None and times > 1 and len(seeds) < asked:
        text = say(
            "{title}: {times} of the {number} training commands have the seed {seed}; "
            "{asked} different ones were asked for.",
            title=say_data(title),
            times=times,
            number=len(training),
            seed=seed,
            asked=asked,
        )
        yield _flag(text, (one.evidence for one in training if _value(one) == seed))


def _flag(text: Message, evidence: Iterable[Evidence]) -> Flag:
    places = tuple(dict.fromkeys(evidence))[:_MOST]
    return Flag(id=REPEATED_SEED, severity=Severity.WARNING, message=text, evidence=places)


def _trains(command: Command) -> bool:
    """Whether a command trains; of programs that do several things, one that is told to."""
    given = dict(command.options())
    return "do_train" in given or not any(name in given for name in _ONLY_READS)


def _value(command: Command) -> str | None:
    found = command.option("seed")
    return found[0] if found and found[0] and not _is_open(found[0]) else None


def _may_be_set(command: Command) -> bool:
    """Whether a seed that is not known may be set: by a value or word that is not known, or in a file of settings."""
    given = dict(command.options())
    loose = [word for index, word in enumerate(command.words) if not _is_value(command, index)]
    return any(name in given for name in _ELSEWHERE) or any(
        _is_open(word) or word.endswith(_SETTINGS) for word in loose
    )


def _is_value(command: Command, index: int) -> bool:
    """Whether a word is the value of an option."""
    before = command.words[index - 1] if index else ""
    return before.startswith("-") and "=" not in before


def _is_open(value: str) -> bool:
    return OPEN in value or "$" in value or "{" in value
