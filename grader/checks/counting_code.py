"""Does code count trainable parameters apart from all? It is followed on a small model whose counts are known."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.checks.finding import Status
from grader.claims.code import CodeCell, Function
from grader.claims.code.model import OPEN
from grader.claims.code.values import ALL, FROZEN, TRAINABLE
from grader.reading.evidence import Evidence

_ELEMENTS: Final = frozenset({"numel", "num_params", "nelement", "prod", "num_parameters", "size", "shape"})


class Verdict(NamedTuple):
    """What the code that counts is worth by itself, or may be where that is not `certain`, and where it stands. `gaps`
    are open places in it."""

    status: Status
    feedback: str
    found: str | None = None
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[Evidence, ...] = ()
    certain: bool = False


class _Counting(NamedTuple):
    """A piece of code with the counts that it reaches, and the texts that it makes."""

    counted: frozenset[int]
    evidence: Evidence
    cell: CodeCell
    texts: tuple[str, ...]
    name: str


def counting_code(code: Sequence[CodeCell], asked: str) -> Verdict:
    """The best of what counts parameters. Where there is a function of the name that was asked for, it is the one."""
    everything = [(function, cell) for cell in code for function in cell.functions]
    functions = [(function, cell) for function, cell in everything if function.name == asked] or everything
    elsewhere = () if functions and functions[0][0].name == asked else _of_cells(code)
    counting = [*(_of_function(function, cell) for function, cell in functions), *elsewhere]
    whole = [one for one in counting if one.counted >= {TRAINABLE, ALL}]
    right = [one for one in whole if not _is_swapped(one)]
    gaps = _gaps(code, asked)
    if right:
        name = right[0].name
        return Verdict(
            Status.CORRECT,
            f"{name} tells trainable parameters from all by requires_grad.",
            f"{name} counts by requires_grad",
            (right[0].evidence,),
            certain=True,
        )
    if whole:
        text = "The code prints the number of all parameters as that of the trainable ones, and the other way round."
        return Verdict(Status.PARTIAL, text, "both counts, swapped", (whole[0].evidence,))
    if gaps:
        return Verdict(Status.INCORRECT, "The code that counts still has a gap.", None, gaps, gaps)
    text = "Neither the right figures nor a function that counts by requires_grad were found; a person looks."
    return _wrong(counting) or _not_followed(functions) or Verdict(Status.INCORRECT, text)


def _of_function(function: Function, cell: CodeCell) -> _Counting:
    texts = (*function.prints, *function.returns)
    return _Counting(function.counted, function.evidence, cell, texts, function.name)


def _of_cells(code: Sequence[CodeCell]) -> Iterator[_Counting]:
    for cell in code:
        if cell.counted:
            at = next((call.evidence for call in cell.calls if call.name in (*_ELEMENTS, "print", "sum")), None)
            quote = cell.source.strip().split("\n", 1)[0][:300]
            evidence = at or Evidence(file=cell.file, cell=cell.cell, quote=quote)
            yield _Counting(cell.counted, evidence, cell, (), "The code")


def _is_swapped(one: _Counting) -> bool:
    """Whether a text calls the larger number trainable."""
    for text in one.texts:
        if str(ALL) not in text.replace(",", "").replace("_", ""):
            continue
        before = text.lower().replace(",", "").replace("_", "").partition(str(ALL))[0]
        label = before.rpartition(str(TRAINABLE))[2] if str(TRAINABLE) in before else before
        if "trainable" in label and "non" not in label and str(TRAINABLE) not in before:
            return "all" not in label.rpartition("trainable")[2]
    return False


def _wrong(counting: Sequence[_Counting]) -> Verdict | None:
    for counted, text, status in (
        ({FROZEN, ALL}, "The code takes the parameters that are not trained for the trainable ones.", Status.INCORRECT),
        ({TRAINABLE}, "The code counts trainable parameters, but not all of them beside.", Status.PARTIAL),
        ({FROZEN}, "The code counts the parameters that are not trained.", Status.INCORRECT),
    ):
        found = [one for one in counting if one.counted >= counted]
        if found:
            return Verdict(status, f"{text} A person looks at it.", text, (found[0].evidence,))
    return None


def _not_followed(functions: Sequence[tuple[Function, CodeCell]]) -> Verdict | None:
    """A function with the right names whose course could not be followed, or that does not lead to the counts."""
    for function, _ in functions:
        if "requires_grad" in function.names and function.names & _ELEMENTS:
            followed = function.prints and not any(OPEN in text for text in (*function.prints, *function.returns))
            what = "what it counts is something else" if followed else "how it counts could not be followed"
            text = f"{function.name} uses requires_grad, but {what}"
            suggestion = Status.PARTIAL if followed else Status.CORRECT
            return Verdict(suggestion, f"{text}; a person looks at it.", None, (function.evidence,))
    return None


def _gaps(code: Sequence[CodeCell], asked: str) -> tuple[Evidence, ...]:
    """Open places in cells that define the function which was asked for."""
    return tuple(gap.evidence for cell in code if f"def {asked}" in cell.source for gap in cell.gaps)
