"""Are the lab's values of the parameters stated? Definitions copied word for word from the library's documentation,
of parameters that the lab does not even set, are told to staff.
"""

import keyword
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Flag, Severity, Status
from grader.claims.answer import Answer, Kind
from grader.claims.code import Call
from grader.claims.code.syntax import calls_shown
from grader.claims.definition_openings import MARK, MARK_SIGNS, spelled
from grader.claims.likeness import words
from grader.claims.passage import Passage
from grader.lab.definition import Lab, Parameter
from grader.lab.truth import GroundTruth
from grader.message import joined, say
from grader.reading.document import BlockKind, Evidence

_MOST_OF_A_PHRASE = 0.7
_MOST_OF_THE_ANSWER = 0.6
_FEWEST = 3


def copied_documentation(answer: Answer, truth: GroundTruth, lab: Lab) -> Flag | None:
    """A flag where most definitions are near-verbatim documentation and other fields of the library's configuration
    are defined besides. It costs nothing: documentation can be right."""
    defined = {claim.parameter: claim for claim in answer.definitions if claim.text}
    copied = [claim for claim in defined.values() if _is_copied(claim.text, claim.parameter, lab)]
    if len(copied) < _FEWEST or len(copied) < _MOST_OF_THE_ANSWER * len(defined):
        return None
    foreign = list(_foreign(answer, truth, lab))
    if not foreign:
        return None
    names = ", ".join(name for name, _ in foreign)
    return Flag(
        id="copied-documentation",
        severity=Severity.INFO,
        message=say(
            "{copied} of {defined} definitions are the library's documentation almost word for word, and parameters "
            "are defined that the lab's configuration does not set: {names}.",
            copied=len(copied),
            defined=len(defined),
            names=names,
        ),
        evidence=(copied[0].evidence, foreign[0][1]),
    )


def _is_copied(text: str, parameter: str, lab: Lab) -> bool:
    """Whether most of a phrase of the documentation stands in a text, its words in a row."""
    said = words(text)
    for phrase in next((one.documentation for one in lab.parameters if one.id == parameter), ()):
        wanted = words(phrase)
        row = SequenceMatcher(None, said, wanted, autojunk=False).find_longest_match()
        if row.size >= _MOST_OF_A_PHRASE * len(wanted):
            return True
    return False


def _foreign(answer: Answer, truth: GroundTruth, lab: Lab) -> Iterator[tuple[str, Evidence]]:
    """Fields of the configuration class that the lab does not set but the answer defines, and where."""
    own = {name for parameter in lab.parameters for name in (parameter.id, *parameter.names)}
    for field in truth.fields:
        if field.name in own or "_" not in field.name:
            continue
        opening = re.compile(rf"(?<![{MARK_SIGNS}]){MARK[1:]}(?<!\w){spelled(field.name)}(?!\w)\s*[(:=]", re.IGNORECASE)
        for passage in answer.defining:
            match = opening.search(passage.text)
            if match:
                yield field.name, passage.evidence(match.start(), match.end())
                break


_CONSTANT = re.compile(r"^\s*(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_]\w*\s*$)")
"""What stands before the name of a constant: `TaskType.`."""


def same_value(stated: str, parameter: Parameter) -> bool:
    """Compare as numbers where both are, else by letters and digits alone: quotes, brackets, case and the spaces and
    underscores that a PDF loses make no difference, nor does the order of a list."""
    return any(_same(stated, right) for right in (parameter.value, *parameter.spellings))


def may_be_value(stated: str, parameter: Parameter, allowed: Sequence[str] = ()) -> bool:
    """Whether something that stands in a value's place can be meant as one: a number where the lab's value is one, a
    name of the library's, or one with an underscore; not the type `int` or dots that stand for the value."""
    if _number(parameter.value) is not None:
        return _number(stated) is not None
    if allowed:
        return _letters(stated) in {_letters(one) for one in (*allowed, parameter.value, *parameter.spellings)}
    return "_" in stated or same_value(stated, parameter)


def _same(stated: str, right: str) -> bool:
    number, wanted = _number(stated), _number(right)
    if number is not None and wanted is not None:
        return number == wanted
    if "," in stated.strip("[]() ") and "," in right:
        return sorted(map(_letters, stated.split(","))) == sorted(map(_letters, right.split(",")))
    return _letters(right) in (_letters(stated), _letters(_CONSTANT.sub("", stated)))


def _number(text: str) -> Decimal | None:
    plain = text.strip(" \"'[]()").replace(",", ".").replace(" ", "")
    try:
        return Decimal(plain.rstrip("%")) / (100 if plain.endswith("%") else 1)
    except InvalidOperation:
        return None


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


_LINK: Final = (
    r"[\s\"'`*)]{0,4}(?:,\s)?(?:(?:=|:|→|\(|\[|\||\t|\b(?:is|are|of|at|set|to|equals?|being|was|est|vaut|sont|de|à|égale?)\b)"
    r"[\s\"'`*]{0,3}){1,4}"
)
"""What may stand between a name and its value."""

_VALUE: Final = r"(?P<value>\[[^\]\n]{1,80}\]|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|[-\w.,%/]*(?:\d\s%|[\w%]))"
_NUMBER: Final = re.compile(r"(?=\D*\d)[-\d.,/%\s]*(?:e-?\d+)?")
_TYPES: Final = frozenset({"int", "integer", "float", "str", "string", "list", "bool", "number", "constant"})
_ANNOUNCED: Final = 200
_FEWEST_LABELLED: Final = 3
_GREEK: Final = {"alpha": "α", "beta": "β", "gamma": "γ", "lambda": "λ"}
_NUMBERED: Final = re.compile(r"\s*\(?\d{1,2}[.)]\s")
_OPEN: Final = ("...", "…")
_QUOTED: Final = re.compile(r"[\"'`“«‘]\s?(\w+)\s?[\"'`”»’]")


class _Stated(NamedTuple):
    """A value that is stated for a parameter. `plainly`: behind its name, not within the words of a definition;
    `in_call`: as an argument of code; `alone`: without the parameter's name."""

    value: str
    evidence: Evidence
    plainly: bool
    in_call: bool = False
    alone: bool = False


class _Pairs(NamedTuple):
    """Several names and their values, in two lists one behind the other, at `passage.text[start:end]`."""

    passage: Passage
    start: int
    end: int
    values: tuple[tuple[str, _Stated], ...]
    not_understood: set[str]

    def gives_to_another(self, value: str, parameter: str, place: Evidence) -> bool:
        """Whether a value that seems to stand with a parameter there is one of the others'."""
        return any(
            name != parameter
            and said.value == value
            and (said.evidence.file, said.evidence.page, said.evidence.line) == (place.file, place.page, place.line)
            for name, said in self.values
        )


@check("parameter-values", kinds=(Kind.WRITTEN, Kind.CODE))
def parameter_values(
    answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, call: str | None = None
) -> Iterator[Conclusion]:
    """The values that the lab uses are stated.

    `call` is the class or function that takes the parameters as arguments: a call that the hand-in shows states them.

    Decides: values that text or calls state: all right, some, or wrong ones.

    Leaves to people: values that are not found with certainty, and those that contradict each other.
    """
    copied = copied_documentation(answer, truth, lab)
    if copied is not None:
        yield copied
    passages = [section.passage for section in answer.written]
    calls = list(_calls(answer, passages, lab, call)) if call else []
    ordered = _in_order(passages, lab, truth)
    paired = [one for passage in passages for one in _paired(passage, lab, truth)]
    stated = {
        one.id: list(_stated(one, answer, passages, calls, truth.allowed_values(one.id) or (), paired))
        for one in lab.parameters
    }
    right = {one.id: [s for s in stated[one.id] if same_value(s.value, one)] for one in lab.parameters}
    wrong = [
        (one, said)
        for one in lab.parameters
        for said in stated[one.id]
        if said not in right[one.id] and (said.plainly or not right[one.id])
    ]
    if ordered and any(not said for said in right.values()):
        right = {one.id: [said] for one, said in zip(lab.parameters, ordered, strict=True)}
        stated, wrong = right, []
    absent = [one.id for one in lab.parameters if not stated[one.id]]
    shown = {name: (right[name] or said)[0] for name, said in stated.items() if said}
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=", ".join(f"{name}={said.value}" for name, said in shown.items()) or None,
        expected=Expected(
            text=", ".join(f"{p.id}={p.value}" for p in lab.parameters),
            truths=tuple(truth.value_of(p.id).id for p in lab.parameters),
        ),
        evidence=tuple(dict.fromkeys(said.evidence for said in shown.values())),
    )
    if not wrong and not absent:
        yield finding.changed(status=Status.CORRECT, feedback=say("All values are stated and right."))
    elif not shown:
        yield _none(finding, answer, lab)
    else:
        found = list(dict.fromkeys(_diagnosis(parameter, said.value, truth) for parameter, said in wrong))
        open_ones = [one for one in lab.parameters if one.id in absent and not answer.values]
        loose = any(_stands_somewhere(one, passages) for one in open_ones)
        loose = loose or any(one.not_understood & set(absent) for one in paired)
        is_clear = any(not said.alone for ones in right.values() for said in ones)
        # Where the right values are stated, too, a person looks which of them are meant.
        disputed = bool(wrong) and all(_is_beside(right[one.id], said) for one, said in wrong)
        is_certain = is_clear and not (answer.gaps or loose or disputed)
        is_whole = not wrong and all(_stands_somewhere(one, passages) for one in lab.parameters if one.id in absent)
        yield finding.changed(
            status=Status.PARTIAL if is_certain else Status.REVIEW,
            diagnoses=tuple(found),
            suggestion=None if is_certain or disputed else Status.CORRECT if is_whole else Status.PARTIAL,
            feedback=joined(
                " ",
                [one.text for one in found]
                + ([say("Not found in the text: {names}.", names=", ".join(absent))] if absent else []),
            ),
        )


def _is_beside(right: Sequence[_Stated], wrong: _Stated) -> bool:
    """Whether one of the right values can be what was meant: what the text says plainly is not taken back by code in
    another file."""
    return any(not one.in_call or one.evidence.file == wrong.evidence.file for one in right)


def _none(finding: Finding, answer: Answer, lab: Lab) -> Finding:
    """No value was found: that is certain where the text was read, whatever it says of the parameters."""
    found = absence(answer, lab, finding.item, in_code=False)
    text = say("No values were found.")
    passages = [section.passage for section in answer.written]
    if any(_number(one.value) is not None and _stands_somewhere(one, passages) for one in lab.parameters):
        return finding.changed(feedback=text)
    if found.is_told and not found.pictures and not found.unread:
        return finding.changed(status=Status.MISSING, feedback=text)
    return concluded_absent(finding, found, text)


def _calls(answer: Answer, passages: Sequence[Passage], lab: Lab, name: str) -> Iterator[Call]:
    """The calls that show the values: those of the report, or else those of the code."""
    names = [one.id for one in lab.parameters]
    shown = [one for passage in passages for one in calls_shown(passage, name, names)]
    yield from shown or [one for cell in answer.code for one in cell.calls if one.name == name and not one.dead]


def _stated(
    parameter: Parameter,
    answer: Answer,
    passages: Sequence[Passage],
    calls: Sequence[Call],
    allowed: Sequence[str],
    paired: Sequence[_Pairs],
) -> Iterator[_Stated]:
    """All values that a hand-in states for a parameter: in lists, calls, definitions and sentences."""
    yield from (said for pairs in paired for name, said in pairs.values if name == parameter.id)
    for call in calls:
        value = _value_alone(call.keywords.get(parameter.id, ""))
        is_known = (
            not value.isidentifier() or keyword.iskeyword(value) or value in allowed or same_value(value, parameter)
        )
        if value.strip("[]\"' ") not in ("", *_OPEN) and is_known:  # a variable's value stands elsewhere
            yield _Stated(value, call.evidence, plainly=True, in_call=True)
    labels = _labels(answer)
    own = [claim for claim in answer.definitions if claim.parameter == parameter.id]
    is_defined = any(claim.text and claim.value for claim in own)
    for claim in own:
        value = _value_alone(claim.value or "")
        is_label = _letters(value) in labels and not same_value(value, parameter)
        if is_label or any(pairs.gives_to_another(value, parameter.id, claim.evidence) for pairs in paired):
            continue
        rest = _less_lists(claim.evidence.quote, parameter, allowed)
        if value and rest != claim.evidence.quote and _letters(value) not in map(_letters, _WORD.findall(rest)):
            continue
        if _is_of_kind(value, parameter):
            # Beside a definition with its value, another value alone may be one that was only tried: `r=4`.
            yield _Stated(value, claim.evidence, plainly=not claim.in_text and bool(claim.text or not is_defined))
        elif not value and _tells_value(_less_lists(claim.text, parameter, allowed), parameter, allowed):
            yield _Stated(parameter.value, claim.evidence, plainly=False)
    if (read := answer.values.get(parameter.id)) and _is_of_kind(read.value, parameter):
        yield _Stated(read.value, read.evidence, plainly=False)
    for passage in passages:
        yield from _behind_name(passage, parameter, allowed, [one for one in paired if one.passage is passage])
        yield from _telling(passage, parameter, allowed)


_QUOTE: Final = r"[\"'`“”‘’«»*]{0,3}"
_JOINT: Final = r"\s*(?:[,;/|]\s*|[,;]?\s*\b(?:or|ou|and|et)\s+)"
_FEWEST_OPTIONS: Final = 3
_WORD: Final = re.compile(r"[\w.]*\w")


def _less_lists(text: str, parameter: Parameter, allowed: Sequence[str]) -> str:
    """A text with blanks for lists of the values that a parameter can have, `"none", "all" or "lora_only"`: they tell
    what it may be, not what it is. Numbers are such a list where it ends with an `or`."""
    value = "|".join(map(re.escape, sorted(allowed, key=len, reverse=True)))
    if not value and _number(parameter.value) is None:
        return text
    one = rf"{_QUOTE}(?<![\w.])(?:{value or _DECIMAL})(?![\w%]|[.,]\d){_QUOTE}"

    def blank(match: re.Match[str]) -> str:
        several = len(set(re.findall(value or _DECIMAL, match.group())))
        is_choice = re.search(r"\b(?:or|ou)\b" + ("|[/|]" if value else ""), match.group()) is not None
        is_list = several > 1 and (is_choice or (bool(value) and several >= _FEWEST_OPTIONS))
        return " " * len(match.group()) if is_list else match.group()

    return re.sub(rf"{one}(?:{_JOINT}{one})+", blank, text)


_DECIMAL: Final = r"\d+(?:\.\d+)?"


def _value_alone(text: str) -> str:
    """A value without the words behind it, where it is quoted or bracketed."""
    quoted = re.match(r"\s*(\[[^\]]*\]|\"[^\"]*\"|'[^']*')", text)
    return quoted[1] if quoted else text.strip()


def _labels(answer: Answer) -> set[str]:
    """Words that stand in a value's place beside several parameters: the name of them all, and no value."""
    named = {(_letters(claim.value), claim.parameter) for claim in answer.definitions if claim.value}
    counted = Counter(letters for letters, _ in named if letters.isalpha())
    return {letters for letters, times in counted.items() if times >= _FEWEST_LABELLED}


def _is_of_kind(value: str, parameter: Parameter) -> bool:
    """Whether a text may be meant as a value of the parameter: a number where that is one, and no name of a type."""
    bare = value.strip("[]\"'` ")
    if same_value(value, parameter):
        return True
    if not bare or bare in _OPEN or bare in _TYPES:
        return False
    wants_number = _NUMBER.fullmatch(parameter.value) is not None
    return (_NUMBER.fullmatch(bare) is not None) == wants_number


def _in_order(passages: Sequence[Passage], lab: Lab, truth: GroundTruth) -> list[_Stated] | None:
    """All values in the parameters' order: in a text that names the parameters first and then goes through them, or one
    in each item of a list."""
    for passage in passages:
        names = [re.search(rf"(?<!\w){_spelled(one.id)}(?!\w)", passage.text) for one in lab.parameters]
        places = [match.start() for match in names if match]
        if len(places) == len(names) and places == sorted(places) and places[-1] - places[0] <= _ANNOUNCED:
            begins = [places[-1], *[0] * (len(names) - 1)]
            found = _one_after_another(passage, lab, truth, begins, [len(passage.text)] * len(names))
            if found:
                return found
        items = list(_items(passage))
        for first in range(len(items) - len(names) + 1):
            window = items[first : first + len(names)]
            found = _one_after_another(passage, lab, truth, [one[0] for one in window], [one[1] for one in window])
            if found:
                return found
    return None


def _one_after_another(
    passage: Passage, lab: Lab, truth: GroundTruth, begins: Sequence[int], ends: Sequence[int]
) -> list[_Stated] | None:
    """The place of each right value behind the one before it and within its bounds."""
    found: list[_Stated] = []
    at = 0
    for one, begin, end in zip(lab.parameters, begins, ends, strict=True):
        text = _less_lists(passage.text, one, truth.allowed_values(one.id) or ())
        match = _right_value(one).search(text, max(at, begin), end)
        if match is None:
            return None
        found.append(_Stated(one.value, passage.evidence(match.start(), match.end()), plainly=True))
        at = match.end()
    return found


def _items(passage: Passage) -> Iterator[tuple[int, int]]:
    """Where each item of the numbered lists begins and ends."""
    starts = [
        passage.offset_of(index)
        for index, block in enumerate(passage.blocks)
        if block.kind is BlockKind.LIST_ITEM or _NUMBERED.match(block.text)
    ]
    yield from pairwise([*starts, min(len(passage.text), starts[-1] + _ANNOUNCED * 2)] if starts else [])


def _right_value(parameter: Parameter) -> re.Pattern[str]:
    """A pattern for the lab's value of a parameter in any of its spellings."""
    values = "|".join(_spelled(value).replace(r"\.", "[.,]") for value in (parameter.value, *parameter.spellings))
    return re.compile(rf"(?<![\w.,])(?:{values})(?![\w%]|[.,]\d)")


def _tells_value(text: str, parameter: Parameter, allowed: Sequence[str]) -> bool:
    """Whether a definition's own words hold the right value: a number, or the only one of those that the library takes,
    in quotes or where a clause ends or begins with it, as in `with none, no bias is trained`."""
    if _number(parameter.value) is not None:
        return bool(_right_value(parameter).search(text))
    quoted = {one for one in _QUOTED.findall(text) if one in allowed or same_value(one, parameter)}
    quoted = quoted or set(_chosen_of(tuple(allowed)).findall(text) if allowed else ())
    return len(quoted) == 1 and all(same_value(one, parameter) for one in quoted)


@lru_cache(maxsize=64)
def _chosen_of(allowed: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for one of some values that stands for itself: not in a list of them, nor as a word of the sentence."""
    values = "|".join(map(re.escape, allowed))
    joint = r"\s?(?:,|/|\||\bor\b|\bou\b)\s?"
    begins = r"(?<![\w.])(?<!\bor\s)(?<!\bou\s)(?<![,/|]\s)(?<![/|])"
    ends = rf"(?!{joint}(?:{values})\b)(?=\s?(?:[.,;:)=→]|\Z)|\s(?:means|signifie)\b)"
    return re.compile(rf"{begins}({values})(?!\w){ends}")


def _stands_somewhere(parameter: Parameter, passages: Sequence[Passage]) -> bool:
    """Whether a value stands anywhere in the text, so that it may be stated in a way that was not understood."""
    return any(_right_value(parameter).search(one.text) for one in passages)


def _spelled(name: str) -> str:
    """A pattern for a name whose underscores may be lost."""
    return re.escape(name).replace("_", r"[\s_]{0,2}").replace("%", r"\s?%")


def _names(parameter: Parameter) -> str:
    """A pattern for the names of a parameter."""
    spelled = dict.fromkeys(greek for name in parameter.names for greek in (name, _GREEK.get(name, name)))
    return "|".join(re.escape(name).replace("_", r"[\s_]?") for name in spelled)


_TO_NEXT: Final = r"[^\S\t]*[\"'`*]*[^\S\t]*(?:[,;/|&\t]\s*(?:(?:and|et)\s)?|\b(?:and|et)\b)[\s\"'`*]*"
_SO_FAR: Final = r"[\s\"'`*)]*(?:[=:→(|\s]|\b[^\W\d_]+\b){1,10}[\s(]*"
"""What may stand between several names and the first of their values: `(…) = (`, `are respectively`."""

_ONE_VALUE: Final = r"(?:\[[^\]\n]{1,80}\]|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|\d*[.,]?\d+(?:e-?\d+)?(?:\s?%)?|[^\W\d]\w*)"


def _paired(passage: Passage, lab: Lab, truth: GroundTruth) -> Iterator[_Pairs]:
    """Where several names stand in a row and as many values of their kinds in another, each value with its name:
    `r, lora_alpha: 16, 32`."""
    name = "|".join(f"(?:{_names(one)})" for one in lab.parameters)
    for row in re.finditer(rf"(?<![\w.\\])(?:{name})(?:{_TO_NEXT}(?:{name})(?!\w))+", passage.text):
        named = [
            (found.start(), one)
            for one in lab.parameters
            for found in re.finditer(rf"(?<!\w)(?:{_names(one)})(?!\w)", row.group())
        ]
        order = [one for _, one in sorted(named, key=itemgetter(0))]
        again = rf"(?:{_TO_NEXT}({_ONE_VALUE}))"
        behind = re.compile(rf"{_SO_FAR}(?<!\w)({_ONE_VALUE}){again * (len(order) - 1)}(?![\w%])(?!{_TO_NEXT}\d)")
        match = behind.match(passage.text, row.end())
        if match is None or len(order) != len({one.id for one in order}):
            continue
        values = [
            (one, value)
            for one, value in zip(order, match.groups(), strict=True)
            if _may_be_listed(value, one, truth.allowed_values(one.id) or ())
        ]
        if 2 * len(values) > len(order):  # the last one of a wide table may be cut off
            evidence = passage.evidence(row.start(), match.end())
            said = tuple((one.id, _Stated(value, evidence, plainly=False)) for one, value in values)
            yield _Pairs(passage, row.start(), match.end(), said, {one.id for one in order} - {one for one, _ in said})


def _may_be_listed(value: str, parameter: Parameter, allowed: Sequence[str]) -> bool:
    """Whether a word of a list is a value of the parameter: of its kind and, where it is no number, in quotes or one
    that is known."""
    is_known = _number(parameter.value) is not None or value[:1] in "\"'[" or value in allowed
    return same_value(value, parameter) or (is_known and _is_of_kind(value, parameter))


def _behind_name(
    passage: Passage, parameter: Parameter, allowed: Sequence[str], paired: Sequence[_Pairs]
) -> Iterator[_Stated]:
    """Values of the parameter's own kind that stand behind its name: `a dropout of 0.05`. `allowed` are those that the
    library takes."""
    names = _names(parameter)
    wants_number = _NUMBER.fullmatch(parameter.value) is not None
    others = "|".join(re.escape(one) for one in allowed if one != parameter.value)
    operand = r"(?<![/×·])(?<![/×·]\s)"  # `alpha / r = 2` states no value of r
    text = _less_lists(passage.text, parameter, allowed)
    for match in re.finditer(rf"{operand}(?<![\w.\\])(?:{names})(?![\w(])(?:{_LINK}|\s){_VALUE}", text):
        value = match["value"].rstrip(".,")
        if any(one.start <= match.start() < one.end for one in paired):
            continue
        if others and re.match(rf"[\"'`]?\s?(?:,|/|\||or\b|ou\b)\s?[\"'`]?(?:{others})\b", passage.text[match.end() :]):
            continue  # the values that the library takes, not the one that is used
        is_right = same_value(value, parameter)
        if is_right or (_is_of_kind(value, parameter) and (wants_number or value[:1] in "\"'[")):
            yield _Stated(value, passage.evidence(match.start(), match.end()), plainly=False)


def _telling(passage: Passage, parameter: Parameter, allowed: Sequence[str]) -> Iterator[_Stated]:
    """The value itself, where it is a name that means nothing else: `query_key_value`."""
    if "_" not in parameter.value:
        return
    match = re.search(rf"(?<!\w){_spelled(parameter.value)}(?!\w)", _less_lists(passage.text, parameter, allowed))
    if match:
        yield _Stated(parameter.value, passage.evidence(match.start(), match.end()), plainly=False, alone=True)


def _diagnosis(parameter: Parameter, stated: str, truth: GroundTruth) -> Diagnosis:
    """A value that merely differs is told from one that the library does not have."""
    said = say(
        "The text gives {stated} for {name}; the lab's value is {value}.",
        name=parameter.id,
        stated=stated,
        value=parameter.value,
    )
    allowed = truth.allowed_values(parameter.id)
    if allowed and stated.strip("\"'") not in allowed:
        only = say("The library accepts only: {names}.", names=", ".join(allowed))
        return Diagnosis(id="impossible-value", text=joined(" ", (said, only)))
    return Diagnosis(id="wrong-value", text=said)
