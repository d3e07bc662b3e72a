"""Judge code that counts trainable parameters and all parameters.

The code was followed on a small model with known counts (`claims/code/values.py`), and `counted` are the counts that it
reaches.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from grader.checks.feedback import GAP
from grader.checks.finding import Status
from grader.checks.printed_count import COUNTS, LISTINGS
from grader.claims.code import CodeCell, Function
from grader.claims.code.model import OPEN
from grader.claims.code.values import ALL, FROZEN, TRAINABLE
from grader.language import lexicon
from grader.message import say
from grader.reading.document import Evidence

_ELEMENTS: Final = frozenset({"numel", "num_params", "nelement", "prod", "num_parameters", "size", "shape"})


class Verdict(NamedTuple):
    """The verdict on code that counts; `status` is only likely if it is not `certain`."""

    status: Status
    feedback: str
    found: str | None = None
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[Evidence, ...] = ()
    """Open gaps in the code."""
    certain: bool = False
    is_wrong: bool = False
    """Whether the code was followed and results in other counts."""
    decides: bool = False
    """Whether the code is the required function, so that it is certainly wrong or empty."""
    is_asked: bool = False
    """Whether the code is the required function."""
    cell: CodeCell | None = None


class _Counting(NamedTuple):
    """A piece of code with the counts that it reaches and the texts that it makes."""

    counted: frozenset[int]
    evidence: Evidence
    cell: CodeCell
    texts: tuple[str, ...]
    name: str
    changes: bool = False


def counting_code(code: Sequence[CodeCell], asked: str) -> Verdict:
    """Return the verdict on the best code that counts parameters.

    If a function has the required name, only this function counts; of several in one file, the last.
    """
    everything = [(function, cell) for cell in code for function in cell.functions if not function.dead]
    named = [(function, cell) for function, cell in everything if function.name == asked]
    last = {cell.file: (function, cell) for function, cell in named}
    functions = list(last.values()) or everything
    elsewhere = () if named else _of_cells(code)
    gaps = tuple(gap.evidence for cell in code if f"def {asked}" in cell.source for gap in cell.gaps)
    verdict = _verdict([*(_of_function(*function) for function in functions), *elsewhere], gaps, functions)
    # If other code counts, the function may print its results.
    is_alone = not any(cell.counted for cell in code) and not any(function.counted for function, _ in everything)
    is_idle = bool(named) and is_alone and all(_is_idle(function) for function, _ in functions)
    if is_idle and not verdict.certain and not verdict.gaps:
        text = say("{name} counts nothing.", name=asked)
        verdict = Verdict(Status.INCORRECT, text, text, (functions[-1][0].evidence,), is_wrong=True)
    changes = any("requires_grad" in function.changes for function, _ in functions)
    is_followed = bool(named) and verdict.is_wrong and (is_idle or _is_followed(functions))
    decides = not changes and (bool(verdict.gaps) or is_followed)
    verdict = verdict._replace(is_asked=bool(named), decides=decides)
    before = [
        function
        for function in (_of_function(*definition) for definition in named if definition not in last.values())
        if _is_right(function)
    ]
    if before and not verdict.certain:
        text = say("A later definition replaces it.")
        places = (before[-1].evidence, *verdict.evidence[:1])
        return Verdict(Status.PARTIAL, text, None, places, is_wrong=True)
    if verdict.evidence:
        return verdict
    calls = (call.evidence for cell in code for call in cell.calls if call.name in (asked, *COUNTS - LISTINGS))
    return verdict._replace(evidence=tuple(islice((*(function.evidence for function, _ in named[-1:]), *calls), 1)))


def _verdict(
    counting: Sequence[_Counting], gaps: tuple[Evidence, ...], functions: Sequence[tuple[Function, CodeCell]]
) -> Verdict:
    """Return the verdict on all code that counts, by the counts that it reaches."""
    whole = [candidate for candidate in counting if candidate.counted >= {TRAINABLE, ALL}]
    right = [candidate for candidate in whole if _is_right(candidate)]
    if right:
        name = right[0].name
        return Verdict(
            Status.CORRECT,
            say("{name} counts the trainable parameters by requires_grad.", name=name),
            say("{name} counts by requires_grad", name=name),
            (right[0].evidence,),
            certain=True,
            cell=right[0].cell,
        )
    if whole:
        function = whole[0]
        text = (
            say("The code itself changes which parameters are trained.")
            if function.changes
            else say(
                "The code prints the number of all parameters as that of the trainable ones, and the other way round."
            )
        )
        return Verdict(Status.PARTIAL, text, text, (function.evidence,), is_wrong=True, cell=function.cell)
    if gaps:
        return Verdict(Status.MISSING, GAP, None, gaps, gaps)
    text = say("Neither the right figures nor a function that counts by requires_grad were found.")
    return _wrong(counting) or _not_followed(functions) or Verdict(Status.INCORRECT, text)


def _is_idle(function: Function) -> bool:
    """Whether a function uses none of its arguments and nothing that counts."""
    counts = function.names & (_ELEMENTS | COUNTS | {"parameters", "named_parameters", "requires_grad"})
    return bool(function.parameters) and function.names.isdisjoint(function.parameters) and not counts


def _is_followed(functions: Sequence[tuple[Function, CodeCell]]) -> bool:
    """Whether everything that the functions print or return is known."""
    return not any(OPEN in text for function, _ in functions for text in (*function.prints, *function.returns))


def _of_function(function: Function, cell: CodeCell) -> _Counting:
    texts = (*function.prints, *function.returns)
    changes = "requires_grad" in function.changes
    return _Counting(function.counted, function.evidence, cell, texts, function.name, changes)


def _of_cells(code: Sequence[CodeCell]) -> Iterator[_Counting]:
    """Yield the cells that count outside functions."""
    for cell in code:
        if cell.counted:
            at = next((call.evidence for call in cell.calls if call.name in (*_ELEMENTS, "print", "sum")), None)
            quote = cell.source.strip().split("\n", 1)[0][:300]
            evidence = at or Evidence(file=cell.file, cell=cell.cell, quote=quote)
            yield _Counting(cell.counted, evidence, cell, (), say("The code"))


def _is_right(function: _Counting) -> bool:
    return function.counted >= {TRAINABLE, ALL} and not function.changes and not _is_swapped(function)


def _is_swapped(function: _Counting) -> bool:
    """Whether a text calls the larger number trainable."""
    for text in function.texts:
        if str(ALL) not in text.replace(",", "").replace("_", ""):
            continue
        before = text.lower().replace(",", "").replace("_", "").partition(str(ALL))[0]
        label = before.rpartition(str(TRAINABLE))[2] if str(TRAINABLE) in before else before
        if "trainable" in label and "non" not in label and str(TRAINABLE) not in before:
            return "all" not in label.rpartition("trainable")[2]
    return False


def _calls_untrained(function: _Counting) -> bool:
    """Whether the words before each number of untrained parameters say that these are not trained."""
    plain = [text.replace(",", "").replace("_", " ") for text in function.texts]
    labels = [re.split(r"\d", text.partition(str(FROZEN))[0])[-1] for text in plain if str(FROZEN) in text]
    return bool(labels) and all(lexicon.search("<untrained>", label) for label in labels)


_OTHER_COUNTS: Final = (
    (
        {FROZEN, ALL},
        say("The code counts the parameters that are not trained."),
        Status.INCORRECT,
    ),
    (
        {TRAINABLE, FROZEN},
        say("The code does not count all parameters beside the trainable ones."),
        Status.CORRECT,
    ),
    ({TRAINABLE}, say("The code does not count all parameters beside the trainable ones."), Status.PARTIAL),
    ({FROZEN}, say("The code counts the parameters that are not trained."), Status.INCORRECT),
    ({ALL}, say("The code counts all parameters, but not the trainable ones by requires_grad."), Status.INCORRECT),
)


def _wrong(counting: Sequence[_Counting]) -> Verdict | None:
    """Return the verdict on code that counts other numbers than the two required ones, or None."""
    for counted, text, status in _OTHER_COUNTS:
        function = next((candidate for candidate in counting if candidate.counted >= counted), None)
        if function is None:
            continue
        if FROZEN in counted and TRAINABLE not in counted and _calls_untrained(function):
            text = say("The code counts the parameters that are not trained.")
            return Verdict(Status.PARTIAL, text, text, (function.evidence,), cell=function.cell)
        is_wrong = status is not Status.CORRECT
        return Verdict(status, text, text, (function.evidence,), is_wrong=is_wrong, cell=function.cell)
    return None


def _not_followed(functions: Sequence[tuple[Function, CodeCell]]) -> Verdict | None:
    """Return the verdict on a function with the right names that could not be followed or counts something else, or
    None."""
    for function, cell in functions:
        if "requires_grad" in function.names and function.names & _ELEMENTS:
            followed = bool(function.prints) and _is_followed([(function, cell)])
            text = (
                say("{name} uses requires_grad, but what it counts is something else.", name=function.name)
                if followed
                else say("What {name} does could not be followed.", name=function.name)
            )
            suggestion = Status.PARTIAL if followed else Status.CORRECT
            return Verdict(suggestion, text, None, (function.evidence,), is_wrong=followed, cell=cell)
    return None
