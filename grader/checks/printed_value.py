"""The check `printed-value`: what the code printed is right."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import Final

from grader.checks.absence import (
    absence,
    concluded_absent,
)
from grader.checks.check import Conclusion, check
from grader.checks.decide import WrongNumber, decided_wrong, with_verdict
from grader.checks.feedback import NEAR, SEVERAL, UNCERTAIN, Reason, say_right
from grader.checks.finding import ExpectedAnswer, Finding, Status
from grader.checks.own_numbers import bounds_told, in_range
from grader.checks.shown_values import (
    MOST_OUTPUT,
    Line,
    all_numbers,
    asked_split,
    bare_values,
    in_tables,
    is_of_other_split,
    labelled_numbers,
    may_be_of_another,
    named_in_code,
    question_cells,
    sizes,
)
from grader.claims.answer import Answer
from grader.claims.code import CodeCell, returned_names
from grader.claims.numerals import Target, quantities, range_target, target
from grader.claims.statements import mention
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.language.folding import fold_text
from grader.message import Words, say, say_number
from grader.reading.document import BlockKind, Evidence

_LONG_QUOTE: Final = 300


class Take(StrEnum):
    """The number that counts if several are printed."""

    LAST = "last"
    BEST = "best"
    ALL = "all"


@check("printed-value", one_of=("value", "truth_id", "least|most"))
def printed_value(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    value: Decimal | None = None,
    truth_id: str = "",
    least: Decimal | None = None,
    most: Decimal | None = None,
    take: Take = Take.LAST,
    enough: Decimal = Decimal(1),
    fewest: int = 1,
    tolerance: Decimal | None = None,
    relative: Decimal = Decimal(0),
    label: tuple[str, ...] = (),
    code: tuple[str, ...] = (),
    not_of: tuple[str, ...] = (),
    wrong: tuple[WrongNumber, ...] = (),
) -> Iterator[Conclusion]:
    """What the code printed is right.

    - `value`, `truth_id`, `least`, `most`, `tolerance`, `relative`, `wrong`: as for `numeric-answer`. A printed `15%`
      is 0.15.
    - `label`: names of the number. A number counts after or below such a name, in a table with it, or if code with that
      name prints it (`print(rmse)`). With `["test rmse", "rmse"]`, the second label counts only if the first one is not
      found.
    - `take`: which number counts if several follow the label.
    - `enough`: with `take = "all"`, the share of the numbers that must be right. `fewest`: how many must be printed.
    - `code`: words in the code of the cell, such as the name of a function; one of them is enough.
    - `not_of`: words that mark a different number, such as `["train"]`.

    | `take` | `accuracy 0.5` and `accuracy 0.95` printed, `least = 0.9`, `most = 1` |
    | --- | --- |
    | `last` | review, since the numbers differ and one is right |
    | `best` | `correct`: the highest number counts if `least` is set, otherwise the lowest |
    | `all` | `partial`: half of the numbers are right; with `enough = 0.5`, `correct` |

    Decides: the number after its label in the cells below the question's heading. If none is there, cells that belong
    to no other question count. Without a label, a right value is `correct` if it ends the output,
    stands in a size such as `(159, 16)`, or stands beside words of the item's title. If the title or a label names the
    training, validation or test part, only its values count. Several numbers after a label are `incorrect` if none of
    the question's cells prints the right one.

    Leaves to people: output without the label; different numbers after a label, one of them right; numbers that are
    nearly right; a right number that is written in the code itself; and wrong numbers that may be something else: ten
    times larger or smaller, right for another item, or of another part of the data.

    Example:
        value = 0.512
        tolerance = 0.005
        label = ["test rmse"]
        code = ["predict"]
    """
    exact = truth.number(truth_id) if truth_id else value
    aim = range_target(least, most) if exact is None else target(exact, tolerance, relative)
    expected: Words = bounds_told(least, most) if exact is None else str(exact)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        expected=ExpectedAnswer(text=expected, truths=(truth_id,) if truth_id else ()),
    )
    places = [
        [cell for cell in cells if not code or any(fold_text(name) in fold_text(cell.source) for name in code)]
        for cells in question_cells(answer, lab.question_of(item))
    ]
    cells = [*places[0], *places[1]]
    split = asked_split(lab, item, label)
    returned = returned_names(cell.as_handed_in for cell in answer.code)
    tried = (_shown(own_cells, label, returned, is_own=own_cells is places[0]) for own_cells in places)
    shown = next(filter(None, tried), [])
    shown = [line for line in shown if not (line.is_of(not_of) or is_of_other_split(line.before, split))]
    found = _less_others(shown, aim, lab, item)
    title = next(candidate.title for candidate in lab.items if candidate.id == item)
    found = (_told_apart(places[0], title, aim) if exact is not None and not label else []) or found
    if found and take is Take.BEST:
        best = max if least is not None else min
        found = [best(found, key=lambda line: aim.numbers(line.quantity)[0])]
    with_output = next((cell for cell in cells if cell.output.strip()), None)
    if found and take is Take.ALL:
        is_unclear = any(may_be_of_another(line, aim, split) for line in found if not aim.is_right(line.quantity))
        yield _together(finding, found, aim, enough, fewest, _not_numbers(cells, label), is_unclear=is_unclear)
    elif found:
        listed = [(wrong_value, target(wrong_value.value, tolerance, relative)) for wrong_value in wrong]
        is_its_own = not may_be_of_another(found[-1], aim, split) and not _is_right_for_another(found[-1], lab, item)
        is_its_own = is_its_own or any(other.is_right(found[-1].quantity) for _, other in listed)
        is_certain = bool(label) and is_its_own and all(line.is_certain for line in found)
        # Where no number that may be right stands in the question's own cells, it does not matter which one is meant.
        beside = chain.from_iterable(map(all_numbers, places[0])) if exact is not None else ()
        is_known = exact is None or (
            bool(places[0]) and not any(other.is_right(line.quantity) for _, other in listed for line in found)
        )
        is_all_outside = is_known and not any(aim.may_be_right(line.quantity) for line in chain(found, beside))
        judged = _printed(finding, found[-1:] if is_all_outside else found, aim, listed, is_labelled=is_certain)
        yield in_range(judged, aim, expected)
    elif with_output:
        quote = Evidence(file=with_output.file, cell=with_output.cell, quote=with_output.output.strip()[:_LONG_QUOTE])
        yield with_verdict(finding.with_changes(evidence=(quote,)), Status.CORRECT, "", _UNRECOGNISED)
    elif not answer.gaps and not any(cell.output.strip() for cell in answer.code) and not _may_be_told(answer, aim):
        message = say("No output of code was handed in, neither in a notebook nor in the text.")
        yield finding.with_changes(status=Status.MISSING, feedback=message)
    else:
        yield concluded_absent(finding, absence(answer, lab, item))


_NO_NUMBER: Final = r"(?i)[\W_]{0,5}(?:nan|-?inf)\b"


_FEW: Final = Reason(say("Fewer numbers were printed than were asked for."), is_likely=False)


def _not_numbers(cells: Sequence[CodeCell], labels: Sequence[str]) -> int:
    """Return how often an output has `nan` or `inf` after a label."""
    number = 0
    for cell in cells if labels else ():
        at = 0
        output = cell.output[-MOST_OUTPUT:]
        while place := mention(output, labels, at):
            at = place[1]
            number += re.match(_NO_NUMBER, output[at : at + 12]) is not None
    return number


def _together(
    finding: Finding,
    found: Sequence[Line],
    aim: Target,
    enough: Decimal,
    fewest: int,
    others: int,
    *,
    is_unclear: bool,
) -> Finding:
    """Return the verdict on all numbers printed after a label, and on `others` values that are no numbers.

    If `is_unclear`, some wrong ones may be of something else.
    """
    right_ones = [line for line in found if aim.is_right(line.quantity)]
    rest = [line for line in found if line not in right_ones]
    total = len(found) + others
    share = Decimal(len(right_ones)) / total
    message = say_number("{number} of {all} is right.", "{number} of {all} are right.", len(right_ones), all=total)
    places = tuple(dict.fromkeys(line.evidence for line in (*rest[:3], *right_ones[:2])))
    typed = all(map(_is_typed, found))
    reasons = (_FEW.keep_if(total < fewest), _TYPED.keep_if(typed))
    finding = finding.with_changes(found=message, evidence=places)
    if share >= enough:
        return with_verdict(finding, Status.CORRECT, message, *reasons)
    status = Status.PARTIAL if right_ones else Status.INCORRECT
    return with_verdict(finding, status, message, *reasons, UNCERTAIN.keep_if(is_unclear), share=share or None)


def _is_typed(line: Line) -> bool:
    """Whether a printed number stands in the code itself."""
    return bool(re.search(rf"(?<![\w.]){re.escape(line.quantity.text)}(?![\w.])", line.cell.source))


_UNRECOGNISED: Final = Reason(say("No output was recognised as the one asked for."), is_likely=False)


_TYPED: Final = Reason(say("The number stands in the code itself, so nothing was computed."), is_likely=False)


def _shown(
    cells: Sequence[CodeCell], labels: Sequence[str], returned: Mapping[str, Sequence[str]], *, is_own: bool
) -> list[Line]:
    """Return the numbers that some cells print after a label.

    Labels in the output count before names in the code, and earlier labels before later ones. If none is found, the
    last values of the question's own cells count; without labels, all numbers.
    """
    if not labels:
        return [line for cell in cells for line in all_numbers(cell)]
    in_names, in_code = partial(labelled_numbers, in_names=True), partial(named_in_code, returned=returned)
    ways: list[Callable[[CodeCell], Iterable[Line]]]
    ways = [partial(way, label=label) for way in (labelled_numbers, in_code, in_names) for label in labels]
    ways = [partial(in_tables, labels=labels), *ways, *([bare_values] if is_own else [])]
    tried = (list(chain.from_iterable(map(way, cells))) for way in ways)
    return next(filter(None, tried), [])


def _told_apart(cells: Sequence[CodeCell], title: str, aim: Target) -> list[Line]:
    """Return the right number that a question's own cells show if the lab names no label.

    The number stands in every size that the cells show, `(159, 16)`, or else it is the only one beside words of the
    item's title.
    """
    words = re.findall(r"[^\W\d_]{4,}", title)
    named = [[line] for cell in cells for line in all_numbers(cell) if line.is_of(words)]
    groups = [*chain.from_iterable(map(sizes, cells))] or named
    right_ones = [[line for line in group if aim.is_right(line.quantity)][:1] for group in groups]
    return right_ones[-1] if right_ones and all(right_ones) else []


def _less_others(found: list[Line], aim: Target, lab: Lab, item: str) -> list[Line]:
    """Return the printed numbers without the right ones of other items, if others are left.

    For example, the errors of two models may be printed after the same word.
    """
    others = [*_aims_of_others(lab, item)]
    return [
        line for line in found if aim.is_right(line.quantity) or not any(o.is_right(line.quantity) for o in others)
    ] or found


def _is_right_for_another(line: Line, lab: Lab, item: str) -> bool:
    """Whether a printed number is the right one of another item."""
    return any(aim.is_right(line.quantity) for aim in _aims_of_others(lab, item))


def _aims_of_others(lab: Lab, item: str) -> Iterator[Target]:
    """Yield the right numbers of all other items."""
    return (
        target(
            Decimal(str(value)),
            None if asked.get("tolerance") is None else Decimal(str(asked["tolerance"])),
            Decimal(str(asked.get("relative", 0))),
        )
        for candidate in lab.items
        if candidate.id != item
        for asked in (candidate.options, *candidate.options.get("cells", ()))
        for value in (asked.get("value"), *asked.get("values", ()))
        if isinstance(value, int | float | Decimal)
    )


def _may_be_told(answer: Answer, aim: Target) -> bool:
    """Whether a text shows output of a program or a picture, or states a number that may be right."""
    blocks = [block for section in answer.sections for block in section.passage.blocks]
    return any(
        block.kind in (BlockKind.OUTPUT, BlockKind.FIGURE) or any(map(aim.may_be_right, quantities(block.text)))
        for block in blocks
    )


def _printed(
    finding: Finding,
    found: Sequence[Line],
    aim: Target,
    known_wrong: Sequence[tuple[WrongNumber, Target]],
    *,
    is_labelled: bool,
) -> Finding:
    """Return the verdict on the numbers printed after a label. The last one counts."""
    last, shown = found[-1], found[-1].quantity.text
    alike = [line.evidence for line in found if aim.is_right(line.quantity)][:1]
    finding = finding.with_changes(found=shown, evidence=tuple(dict.fromkeys((last.evidence, *alike))))
    differ = len({line.quantity.readings[0] for line in found}) > 1
    if aim.is_right(last.quantity):
        others = any(not aim.is_right(line.quantity) for line in found)
        return with_verdict(
            finding, Status.CORRECT, say_right(shown), _TYPED.keep_if(_is_typed(last)), SEVERAL.keep_if(others)
        )
    return decided_wrong(
        finding,
        shown,
        next((wrong_value for wrong_value, other in known_wrong if other.is_right(last.quantity)), None),
        NEAR.keep_if(any(aim.may_be_right(line.quantity) for line in found)),
        UNCERTAIN.keep_if(not is_labelled),
        SEVERAL.keep_if(differ),
    )
