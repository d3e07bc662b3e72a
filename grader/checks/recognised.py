"""Findings that rest on text recognised in pictures by OCR.

OCR proves nothing against a student. It proves a correct answer if numbers agree with each other or with the lab's, or
if every word was recognised with confidence.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final

from grader.checks.experiment import Report, report_of, values
from grader.checks.finding import STATUS_WORDS, Finding, Flag, Status
from grader.claims.answer import Answer
from grader.claims.numerals import numerals
from grader.claims.results.claimed import mean_fits
from grader.frozen import memoise
from grader.lab.definition import EXPERIMENT_OPTIONS, Item, Lab
from grader.lab.truth import GroundTruth
from grader.message import join_messages, say
from grader.reading.document import Block, BlockKind, Box, Evidence, RepairKind

_AGAINST: Final = (Status.PARTIAL, Status.INCORRECT, Status.MISSING)
_LARGE: Final = 100_000
"""A number of this size equals one of the lab's only if it was recognised correctly."""
_MANY: Final = 8
"""An equation with this many digits that holds was recognised correctly."""
_OF_PARTS, _OF_A_CHOICE, _OF_VALUES, _OF_FIGURES = (
    "count-derivation",
    "checkpoint-selection",
    "parameter-values",
    "experiment",
)
"""The checks of derivations, of statements about checkpoints and of values, and the option of checks of an
experiment."""
_ENDS: Final = frozenset(".;:!?")
_LETTERS: Final = 4
"""The fewest letters of a name. Shorter names may arise by chance."""
_BESIDE: Final = 5
"""The most runs of letters and digits between the name of a parameter and its value, with the name."""
_LONG: Final = 8
"""The fewest letters of a name that no other word resembles."""
_WHOLE: Final = (BlockKind.ROW, BlockKind.LIST_ITEM, BlockKind.HEADING, BlockKind.CAPTION)


def as_recognised(finding: Finding, item: Item, answer: Answer, truth: GroundTruth, lab: Lab) -> Finding:
    """Return the finding, or a review if it rests on recognised text that does not prove it."""
    read = _read_for(finding, lab.asking(item.id).id, answer)
    if not read:
        return finding
    if finding.status is Status.CORRECT and _is_proven(read, item, answer, truth, lab):
        return finding.with_changes(note=join_messages(" ", filter(None, (finding.note, _PROVEN))))
    likely = say("As OCR reads the picture, this is {status}.", status=STATUS_WORDS[finding.status])
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=None if finding.status is Status.MISSING else finding.status,
        evidence=finding.evidence or read,
        feedback=say("{feedback} OCR read this in a picture; a person confirms it.", feedback=finding.feedback),
        note=join_messages(" ", filter(None, (finding.note, likely))),
    )


def _read_for(finding: Finding, question: str, answer: Answer) -> tuple[Evidence, ...]:
    """Return the recognised text on which a finding rests: in its evidence or, if it withholds points, in the
    answer."""
    if finding.status not in (Status.CORRECT, *_AGAINST):
        return ()
    read = tuple(place for place in finding.evidence if place.recognised)
    return read or (() if finding.status is Status.CORRECT else tuple(islice(_in_answer(question, answer), 1)))


_PROVEN: Final = say("OCR read this in a picture, and the numbers confirm each other.")


def less_recognised(flags: list[Flag]) -> list[Flag]:
    """Return the flags that do not rest on recognised text, which may contain errors of its own."""
    return [flag for flag in flags if not any(place.recognised for place in flag.evidence)]


def _is_proven(read: Iterable[Evidence], item: Item, answer: Answer, truth: GroundTruth, lab: Lab) -> bool:
    """Whether a correct finding rests only on text that was certainly recognised correctly."""
    if item.check == _OF_PARTS and any(
        count.value in _totals(truth) for count in answer.counts(lab.asking(item.id).id)
    ):
        return True  # the parts lead to one of the lab's totals
    asked = item.options.get("measure"), item.options.get("split")
    named = [str(item.options[option]) for option in sorted(EXPERIMENT_OPTIONS.intersection(item.options))]
    agreeing = list(filter(_agrees, (report_of(text, answer, lab, *asked) for text in named)))
    if _OF_FIGURES in item.options and item.check != _OF_A_CHOICE and not agreeing:
        return False
    rest = set(read).difference(*(report.evidence for report in agreeing))
    return all(_holds_figures(place, answer, truth) or _is_sure(place, item.check, answer, lab) for place in rest)


def _holds_figures(place: Evidence, answer: Answer, truth: GroundTruth) -> bool:
    """Whether a place contains one of the lab's counts, or an equation of many digits that holds."""
    if any(number.value in _totals(truth) for number in numerals(place.quote)):
        return True
    return any(
        equation.holds
        and sum(map(str.isdigit, equation.left + equation.right)) >= _MANY
        and (equation.evidence.file, equation.evidence.page) == (place.file, place.page)
        and (_is_at(equation.evidence.box, place) or _is_at(place.box, equation.evidence))
        for equation in answer.equations()
    )


def _agrees(report: Report) -> bool:
    """Whether an average follows from the results of single runs. With a misread number it would not."""
    return any(
        mean_fits(summary.mean, summary.mean_resolution, run_values)
        for group in report.series()
        for summary in report.preferred_summaries
        if summary.mean is not None and len(run_values := values(group)) > 1
    )


@memoise
def _totals(truth: GroundTruth) -> frozenset[int]:
    """Return the large counts of a truth."""
    return frozenset(count.total for count in truth.counts if count.total >= _LARGE)


def _is_sure(place: Evidence, check: str, answer: Answer, lab: Lab) -> bool:
    """Whether every word of the sentence at a place on which a check rests was recognised with confidence, or is a name
    of the lab's."""
    blocks = [block for section in answer.sections for block in _sentence_at(place, section.passage.blocks)]
    doubtful = (
        (block.text, mark)
        for block in blocks
        for mark in block.repairs
        if mark.kind is RepairKind.RECOGNISED and _bears_on(check, block, mark.start, lab)
    )
    return bool(blocks) and all(_is_name(text, mark.start, mark.end, lab) for text, mark in doubtful)


def _bears_on(check: str, block: Block, at: int, lab: Lab) -> bool:
    """Whether a check rests on what begins at `at` in a block: not that of a choice on figures in a table, and not that
    of values on words behind the values."""
    if check == _OF_A_CHOICE:
        return block.kind is not BlockKind.ROW
    return check != _OF_VALUES or not _is_explanation(block.text, at, lab)


def _is_explanation(text: str, at: int, lab: Lab) -> bool:
    """Whether what begins at `at` in a line stands behind the value of a parameter and not beside the name of one that
    has no value yet, or whether no parameter is named."""
    runs, beside = _parts(text[:at]), _parts(text[:at])[-_BESIDE:]
    named = [parameter for parameter in lab.parameters if _first(parameter.names, _parts(text)) is not None]
    stated = 0
    for parameter in named:
        begin = _first(parameter.names, runs)
        if begin is not None and _first((parameter.value,), runs[begin:]) is not None:
            stated += 1
        elif _first(parameter.names, beside) is not None:
            return False
    return stated > 0 or not named


def _first(names: Iterable[str], runs: Sequence[str]) -> int | None:
    """Return where the first of some names begins among runs of letters and digits, or None."""
    parts = list(map(_parts, names))
    return next((at for at in range(len(runs)) if any(runs[at : at + len(part)] == part for part in parts)), None)


def _sentence_at(place: Evidence, blocks: Sequence[Block]) -> Sequence[Block]:
    """Return the lines of the sentence at a place. Rows of a table and items of a list count as sentences."""
    block_indexes = [at for at, block in enumerate(blocks) if block.page == place.page and _is_at(block.box, place)]
    if not block_indexes:
        return ()
    first, last = block_indexes[0], block_indexes[-1]
    runs_in = first > 0 and blocks[first].kind not in _WHOLE and blocks[first - 1].text[-1:] not in _ENDS
    first -= runs_in and blocks[first].text[:1].islower()
    runs_on = blocks[last].kind is not BlockKind.ROW and blocks[last].text[-1:] not in _ENDS
    last += runs_on and last + 1 < len(blocks) and blocks[last + 1].kind not in _WHOLE
    return blocks[first : last + 1]


def _is_name(text: str, start: int, end: int, lab: Lab) -> bool:
    """Whether the words `text[start:end]` are names of the lab, or signs.

    No misreading results in such a name. Words that are part of a long name in the surrounding text count as well.
    """
    code = text[start:end]
    if "=" in code:  # the name of a module before that of a value says nothing
        code = " ".join(side.strip(".,;)").rpartition(".")[2] for side in code.split("="))
    parts = _parts(code)
    if {"".join(parts), "_".join(parts)}.intersection(name for parameter in lab.parameters for name in parameter.names):
        return True
    if not parts or (sum(map(len, parts)) >= _LETTERS and _names(lab).issuperset(parts)):
        return True
    return _is_part_of_name(text, start, end, lab)


def _is_part_of_name(text: str, start: int, end: int, lab: Lab) -> bool:
    """Whether `text[start:end]` belongs to a long name or value of the lab."""
    before, part, whole = ("".join(_parts(candidate)) for candidate in (text[:start], text[start:end], text))
    first, last = len(before), len(before) + len(part)
    long = ("".join(_parts(name)) for parameter in lab.parameters for name in (*parameter.names, parameter.value))
    return any(
        0 <= whole.find(name, max(last - len(name), 0)) <= first for name in long if len(name) >= max(_LONG, len(part))
    )


def _parts(text: str) -> list[str]:
    """Return the sequences of letters and of digits in a text, in lower case."""
    runs = (
        ("".join(run), kind)
        for kind, run in groupby(text.lower(), key=lambda candidate: (candidate.isalpha(), candidate.isdigit()))
    )
    return [run for run, kind in runs if any(kind)]


@memoise
def _names(lab: Lab) -> frozenset[str]:
    """Return the parts of the names and values that a lab asks for."""
    named = [text for parameter in lab.parameters for text in (parameter.id, *parameter.names, parameter.value)]
    asked = _strings([item.options for item in lab.items])
    return frozenset(part for text in (*named, *asked) for part in _parts(text))


def _strings(value: object) -> Iterator[str]:
    """Yield all strings in some data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _strings(entry)


def _in_answer(question: str, answer: Answer) -> Iterator[Evidence]:
    """Yield the recognised text of the answer to a question, or all of it if no heading names the question."""
    named = [section for section in answer.sections if question in section.questions]
    for section in named or answer.sections:
        places = map(section.passage.block_evidence, range(len(section.passage.blocks)))
        yield from (place for place in places if place.recognised)


def _is_at(box: Box | None, place: Evidence) -> bool:
    """Whether a box lies within the box of some evidence."""
    if box is None or place.box is None:
        return False
    middle = (box[1] + box[3]) / 2
    return place.box[1] <= middle <= place.box[3] and box[0] < place.box[2] and place.box[0] < box[2]
