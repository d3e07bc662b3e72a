"""The check `parameter-values`: the values that the lab uses are stated, in text or in code.

A value may stand in a list, a call, a definition or a sentence (`_stated`). A flag tells staff if definitions are
copied from the library's documentation and include parameters that the lab does not set.
"""

import ast
import keyword
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import UNCERTAIN, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Flag, Severity, Status
from grader.claims.answer import Answer, Kind
from grader.claims.code import Call
from grader.claims.code.expressions import is_constant
from grader.claims.code.syntax import calls_shown
from grader.claims.definition_openings import MARK, MARK_SIGNS, spelling_pattern
from grader.claims.likeness import words
from grader.claims.passage import Passage
from grader.lab.definition import Lab, Parameter
from grader.lab.truth import GroundTruth
from grader.message import join_messages, say
from grader.reading.document import BlockKind, Evidence

_MOST_OF_A_PHRASE = 0.7
_MOST_OF_THE_ANSWER = 0.6
_FEWEST = 3


def copied_documentation(answer: Answer, truth: GroundTruth, lab: Lab) -> Flag | None:
    """Return a flag if most definitions are copied from the documentation and parameters are defined that the lab does
    not set.

    The flag costs no points, because documentation may be right.
    """
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
    """Whether a text contains most of a phrase of the documentation as one sequence of words."""
    text_words = words(text)
    for phrase in next((candidate.documentation for candidate in lab.parameters if candidate.id == parameter), ()):
        wanted = words(phrase)
        row = SequenceMatcher(None, text_words, wanted, autojunk=False).find_longest_match()
        if row.size >= _MOST_OF_A_PHRASE * len(wanted):
            return True
    return False


def _foreign(answer: Answer, truth: GroundTruth, lab: Lab) -> Iterator[tuple[str, Evidence]]:
    """Yield the fields of the configuration class that the lab does not set and the answer defines, with their
    places."""
    own_names = {name for parameter in lab.parameters for name in (parameter.id, *parameter.names)}
    for field in truth.fields:
        if field.name in own_names or "_" not in field.name:
            continue
        opening = re.compile(
            rf"(?<![{MARK_SIGNS}]){MARK[1:]}(?<!\w){spelling_pattern(field.name)}(?!\w)\s*[(:=]", re.IGNORECASE
        )
        for passage in answer.defining:
            match = opening.search(passage.text)
            if match:
                yield field.name, passage.evidence(match.start(), match.end())
                break


_CONSTANT = re.compile(r"^\s*(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_]\w*\s*$)")
"""The prefix of a constant's name, such as `TaskType.`."""


def same_value(stated: str, parameter: Parameter) -> bool:
    """Whether a stated value is a parameter's value.

    Numbers are compared as numbers. Otherwise only letters and digits count, so quotes, brackets, case, spaces,
    underscores and the order of a list make no difference.
    """
    return any(_same(stated, right) for right in (parameter.value, *parameter.spellings))


def may_be_value(stated: str, parameter: Parameter, allowed: Sequence[str] = ()) -> bool:
    """Whether a text in the place of a value can be meant as one: not a type such as `int`, nor dots.

    It is a number if the lab's value is one. Otherwise it is a value that the library accepts (`allowed`), or a name
    with an underscore.
    """
    if _number(parameter.value) is not None:
        return _number(stated) is not None
    if allowed:
        return _letters(stated) in {_letters(text) for text in (*allowed, parameter.value, *parameter.spellings)}
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
"""The text between a name and its value."""

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
    """A value that the submission states for a parameter."""

    value: str
    evidence: Evidence
    plainly: bool
    """Whether it directly follows the parameter's name, outside the words of a definition."""
    in_call: bool = False
    """Whether it is an argument in code."""
    alone: bool = False
    """Whether it stands without the parameter's name."""
    is_right: bool | None = None
    """Whether the library takes it for the lab's value; None if code does not show that."""


class _Pairs(NamedTuple):
    """Several names followed by their values, at `passage.text[start:end]`, as in `r, lora_alpha: 16, 32`."""

    passage: Passage
    start: int
    end: int
    values: tuple[tuple[str, _Stated], ...]
    not_understood: set[str]


class _Asked(NamedTuple):
    """A parameter whose value is asked for. `allowed` are the values that the library accepts, if known."""

    parameter: Parameter
    allowed: tuple[str, ...]
    modules: tuple[str, ...] = ()
    is_whole: bool = False

    @property
    def names(self) -> str:
        """A pattern for the parameter's names."""
        spelled = dict.fromkeys(greek for name in self.parameter.names for greek in (name, _GREEK.get(name, name)))
        return "|".join(re.escape(name).replace("_", r"[\s_]?") for name in spelled)

    @property
    def is_number(self) -> bool:
        """Whether the lab's value is a number."""
        return _number(self.parameter.value) is not None

    @property
    def right_value(self) -> re.Pattern[str]:
        """A pattern for the lab's value in any of its spellings."""
        values = (self.parameter.value, *self.parameter.spellings)
        spelled = "|".join(_spelled(value).replace(r"\.", "[.,]") for value in values)
        return re.compile(rf"(?<![\w.,])(?:{spelled})(?![\w%]|[.,]\d)")

    def stands_in(self, passages: Sequence[Passage]) -> bool:
        """Whether the lab's value stands anywhere, so that it may be stated in a way that was not understood."""
        return any(self.right_value.search(passage.text) for passage in passages)

    def may_be(self, value: str) -> bool:
        """Whether a text may be a value of this parameter: of the same kind, and not the name of a type."""
        bare = value.strip("[]\"'` ")
        is_of_kind = bool(_NUMBER.fullmatch(bare)) == bool(_NUMBER.fullmatch(self.parameter.value))
        is_named = bare and bare not in _OPEN and bare not in _TYPES
        return same_value(value, self.parameter) or bool(is_named and is_of_kind)

    def less_lists(self, text: str) -> str:
        """Return a text with lists of possible values blanked out, such as `"none", "all" or "lora_only"`.

        Such a list does not state the value. Numbers are a list of possible values only with an `or`.
        """
        value = "|".join(map(re.escape, sorted(self.allowed, key=len, reverse=True)))
        if not value and not self.is_number:
            return text
        single_value = rf"{_QUOTE}(?<![\w.])(?:{value or _DECIMAL})(?![\w%]|[.,]\d){_QUOTE}"

        def blank(match: re.Match[str]) -> str:
            several = len(set(re.findall(value or _DECIMAL, match.group())))
            is_choice = re.search(r"\b(?:or|ou)\b" + ("|[/|]" if value else ""), match.group()) is not None
            is_list = several > 1 and (is_choice or (bool(value) and several >= _FEWEST_OPTIONS))
            return " " * len(match.group()) if is_list else match.group()

        return re.sub(rf"{single_value}(?:{_JOINT}{single_value})+", blank, text)


@check("parameter-values", kinds=(Kind.WRITTEN, Kind.CODE))
def parameter_values(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    call: str | None = None,
    made_by: tuple[str, ...] = (),
    overridden: dict[str, tuple[str, ...]] | None = None,
    selects: dict[str, str] | None = None,
    whole: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The values that the lab uses are stated.

    - `call`: the class or function that takes the parameters.
    - `made_by`: other functions that create its objects.
    - `overridden`: for a parameter, arguments that change its value for single modules, such as `rank_pattern` for `r`;
      they are wrong.
    - `selects`: for a parameter that names modules, the model. Values that select the same modules as the lab's are
      right.
    - `whole`: parameters for which the library refuses `16.0`.

    Decides: whether all, some or none of the values that text or calls state are right.

    Leaves to people: values that are not found with certainty or contradict each other.
    """
    copied = copied_documentation(answer, truth, lab)
    if copied is not None:
        yield copied
    passages = [section.passage for section in answer.written]
    models = {name: truth.model(model) for name, model in (selects or {}).items()}
    modules = {name: model.modules for name, model in models.items() if model}
    asked = [
        _Asked(
            parameter,
            tuple(truth.allowed_values(parameter.id) or ()),
            modules.get(parameter.id, ()),
            parameter.id in whole,
        )
        for parameter in lab.parameters
    ]
    paired = [pairs for passage in passages for pairs in _paired(passage, asked)]
    calls = list(_calls(answer, passages, lab, truth, (call, *made_by))) if call else []
    read = []
    for asked_parameter in asked:
        called = list(_called(asked_parameter, calls, (overridden or {}).get(asked_parameter.parameter.id, ())))
        read.append(
            _Read.from_stated(asked_parameter, list(_stated(asked_parameter, answer, passages, called, paired)))
        )
    if not all(candidate.right for candidate in read):
        read = _in_order(passages, asked) or read
    shown = [(candidate.asked.parameter.id, candidate.shown) for candidate in read if candidate.shown]
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=", ".join(f"{name}={value.value}" for name, value in shown) or None,
        expected=ExpectedAnswer(
            text=", ".join(f"{p.id}={p.value}" for p in lab.parameters),
            truths=tuple(truth.value_of(p.id).id for p in lab.parameters),
        ),
        evidence=tuple(dict.fromkeys(value.evidence for _, value in shown)),
    )
    given = [
        (requirement.parameter.id, call.keywords.get(requirement.parameter.id, ""))
        for call, is_code in calls
        if is_code
        for requirement in asked
    ]
    not_followed = {name for name, value in given if not is_constant(value) and value.strip() not in ("", *_OPEN)}
    yield _judged(finding, read, paired, answer, truth, not_followed) if shown else _none(finding, answer, lab, asked)


class _Read(NamedTuple):
    """The right values that are stated for a parameter, and the wrong ones that are stated as plainly."""

    asked: _Asked
    right: tuple[_Stated, ...]
    wrong: tuple[_Stated, ...] = ()

    @classmethod
    def from_stated(cls, asked: _Asked, stated: Sequence[_Stated]) -> "_Read":
        """Divide the stated values into right and wrong ones. Beside a right one, only plainly stated wrong ones
        count."""
        right = tuple(
            value
            for value in stated
            if value.is_right or (value.is_right is None and same_value(value.value, asked.parameter))
        )
        return cls(
            asked, right, tuple(value for value in stated if value not in right and (value.plainly or not right))
        )

    @property
    def shown(self) -> _Stated | None:
        """The first right value, or else the first wrong one, or None."""
        return next(iter((*self.right, *self.wrong)), None)

    @property
    def is_disputed(self) -> bool:
        """Whether each wrong value may be outweighed by a right one.

        Code in another file does not outweigh a value that the text states plainly.
        """
        return all(
            any(
                not stated_value.in_call or stated_value.evidence.file == value.evidence.file
                for stated_value in self.right
            )
            for value in self.wrong
        )


def _judged(
    finding: Finding,
    read: Sequence[_Read],
    paired: Sequence[_Pairs],
    answer: Answer,
    truth: GroundTruth,
    not_followed: Set[str],
) -> Finding:
    """Return the verdict on the stated values. `not_followed` are parameters to which code assigns an expression."""
    passages = [section.passage for section in answer.written]
    absent = [candidate.asked for candidate in read if not candidate.shown]
    wrong = [(candidate.asked, value) for candidate in read for value in candidate.wrong]
    if not wrong and not absent:
        return with_verdict(finding, Status.CORRECT, say("All values are stated and right."))
    names = [asked_parameter.parameter.id for asked_parameter in absent]
    found = tuple(dict.fromkeys(_diagnosis(asked_parameter, value.value, truth) for asked_parameter, value in wrong))
    texts = [diagnosis.text for diagnosis in found]
    texts += [say("Not found: {names}.", names=", ".join(names))] if absent else []
    # A right value in the text may be stated in a way that was not understood.
    stands = [asked_parameter.stands_in(passages) for asked_parameter in absent]
    is_loose = (any(stands) and not answer.values) or any(pairs.not_understood & set(names) for pairs in paired)
    is_clear = any(not value.alone for candidate in read for value in candidate.right)
    is_open = bool(answer.gaps) or is_loose or not is_clear
    is_given = not wrong and _given_by_hand_out(answer, absent) is not None
    may_be_right = is_given or (is_open and not wrong and all(stands))
    return with_verdict(
        finding.with_changes(diagnoses=found),
        Status.CORRECT if may_be_right else Status.PARTIAL,
        join_messages(" ", texts),
        _GIVEN.keep_if(is_given),
        UNCERTAIN.keep_if(wrong and all(candidate.is_disputed for candidate in read)),
        _LOOSE.keep_if(is_open),
        _LOOSE._replace(is_likely=False).keep_if(not not_followed.isdisjoint(names)),
    )


_LOOSE: Final = Reason(say("There may be values there in a form that was not understood."))


_GIVEN: Final = Reason(say("Only code of the handout gives these values."))
_LONGEST_QUOTE: Final = 300


def _none(finding: Finding, answer: Answer, lab: Lab, asked: Sequence[_Asked]) -> Finding:
    """Return the finding if no value was found. It is certainly missing if the text was read completely."""
    found = absence(answer, lab, finding.item, in_code=False)
    text = say("No values were found.")
    written = [section.passage for section in answer.written]
    is_number = any(asked_parameter.is_number and asked_parameter.stands_in(written) for asked_parameter in asked)
    if is_number or _are_in_table(answer, [asked_parameter.parameter.id for asked_parameter in asked]):
        return with_verdict(finding, Status.MISSING, "", _LOOSE._replace(is_likely=False))
    if given := _given_by_hand_out(answer, asked):
        return with_verdict(finding.with_changes(evidence=(given,)), Status.CORRECT, "", _GIVEN)
    if found.is_told and not found.pictures and not found.unread:
        return with_verdict(finding, Status.MISSING, text)
    return concluded_absent(finding, found, text)


def _given_by_hand_out(answer: Answer, asked: Sequence[_Asked]) -> Evidence | None:
    """Return the cell whose lines from the handout name every parameter, or None."""
    names = [parameter.parameter.names[0] for parameter in asked]
    for cell in answer.code:
        given = "\n".join(
            line for number, line in enumerate(cell.as_handed_in.split("\n"), start=1) if number in cell.given
        )
        if all(name in given for name in names):
            return Evidence(file=cell.file, cell=cell.cell, quote=given[:_LONGEST_QUOTE])
    return None


def _are_in_table(answer: Answer, names: Sequence[str]) -> bool:
    """Whether code stores or passes a dictionary with most of the parameters."""
    calls = [call for cell in answer.code for call in cell.calls]
    texts = [text for call in calls for text in (*call.arguments, *call.keywords.values())]
    return any(2 * sum(f"'{name}':" in text for name in names) > len(names) for text in texts)


class _ShownCall(NamedTuple):
    """A call that shows values. `is_code`: it comes from code, where no character is lost."""

    call: Call
    is_code: bool


def _calls(
    answer: Answer, passages: Sequence[Passage], lab: Lab, truth: GroundTruth, names: Sequence[str]
) -> Iterator[_ShownCall]:
    """Yield the calls that show the values, those in the report if there are any, otherwise those in the code."""
    parameter_ids = [parameter.id for parameter in lab.parameters]
    shown = [
        _ShownCall(shown_call, is_code=False)
        for passage in passages
        for shown_call in calls_shown(passage, names[0], parameter_ids)
    ]
    if shown:
        yield from shown
        return
    signature = truth.signature_of(names[0])
    for call in chain.from_iterable(cell.calls for cell in answer.code):
        if call.dead or call.name not in names:
            continue
        if call.name != names[0]:
            yield _ShownCall(call.model_copy(update={"keywords": {**call.entries, **call.keywords}}), is_code=True)
        else:
            yield _ShownCall(call.with_names(signature.by_place if signature else ()), is_code=True)


def _called(asked: _Asked, calls: Sequence[_ShownCall], overriding: Sequence[str]) -> Iterator[_Stated]:
    """Yield the values that calls give a parameter. Arguments in `overriding` change the value for some modules."""
    for call, is_code in calls:
        given = call.keywords.get(asked.parameter.id, "")
        value = given if is_code else _value_alone(given)
        for verdict in _verdicts(value, asked, is_code=is_code):
            yield _Stated(value, call.evidence, plainly=True, in_call=True, is_right=verdict)
        for name in overriding:
            other = call.keywords.get(name, "{}")
            if is_code and literal(other):
                yield _Stated(f"{name}={other}", call.evidence, plainly=True, in_call=True, is_right=False)


def _verdicts(value: str, asked: _Asked, *, is_code: bool) -> tuple[bool | None, ...]:
    """Return whether the library takes an argument as the lab's value.

    The result is empty if the value stands elsewhere, `(None,)` for a call in a report, and `(True, False)` for a
    constant that cannot be decided.
    """
    is_name = value.isidentifier() and not keyword.iskeyword(value)
    if value.strip("[]\"' ") in ("", *_OPEN):
        return ()
    if not is_code:
        is_known = not is_name or value in asked.allowed or same_value(value, asked.parameter)
        return (None,) if is_known else ()
    if is_name:
        return ()
    is_right = is_accepted(value, asked)
    if is_right is not None:
        return (is_right,)
    return () if literal(value) is None else (True, False)


def is_accepted(source: str, asked: _Asked) -> bool | None:
    """Whether the library takes an argument as the lab's value, or None if that is unknown.

    A string is no number, names are case-sensitive, and modules are selected by a list of names or by a pattern.
    """
    member = _MEMBER.fullmatch(source)
    try:
        value = member[1] if member else ast.literal_eval(source)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    right = asked.parameter.value
    if asked.is_number:
        is_number = isinstance(value, int if asked.is_whole else int | float) and not isinstance(value, bool)
        return is_number and _number(str(value)) == _number(right)
    if not asked.modules:
        is_list = isinstance(value, list | tuple | set) and not asked.allowed
        return same_value(source, asked.parameter) if is_list else bool(value == right)
    wanted, chosen = select_modules([right], asked.modules), select_modules(value, asked.modules)
    return None if chosen is None else chosen == wanted


_MEMBER: Final = re.compile(r"(?:\w+\.)*\w+(?:\.|[(\[]['\"])([A-Z]\w*)(?:['\"][)\]])?(?:\.value|\.name)?")
"""A member of an enumeration, such as `TaskType.CAUSAL_LM` or `TaskType["CAUSAL_LM"].value`."""


def literal(source: str) -> object:
    """Return the value of a constant expression, or None."""
    try:
        return ast.literal_eval(source)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def select_modules(chosen: object, modules: Sequence[str]) -> frozenset[str] | None:
    """Return the modules that peft adapts.

    A string is a pattern for whole names. A list gives the last parts of names. Return None for a pattern that may take
    too long.
    """
    if isinstance(chosen, str):
        if len(_REPEATS.findall(chosen)) > _MOST_REPEATS or _NESTED.search(chosen):
            return None
        try:
            pattern = re.compile(chosen)
        except (re.error, RecursionError, OverflowError):
            return frozenset()
        return frozenset(filter(pattern.fullmatch, modules))
    names = (
        [entry for entry in chosen if isinstance(entry, str)] if isinstance(chosen, list | tuple | set | dict) else []
    )
    ends = tuple(f".{name}" for name in names)
    return frozenset(name for name in modules if f".{name}".endswith(ends))


_REPEATS: Final = re.compile(r"[*+?{]")
_NESTED: Final = re.compile(r"\)\s*[*+{]|\\\d|\(\?[^:i]")
"""A repeated group, a reference to a group, or an extension other than `(?:` and `(?i)`, which may make matching
slow."""
_MOST_REPEATS: Final = 4


def _stated(
    asked: _Asked, answer: Answer, passages: Sequence[Passage], called: Sequence[_Stated], paired: Sequence[_Pairs]
) -> Iterator[_Stated]:
    """Yield all values that a submission states for a parameter: in lists, calls, definitions and sentences."""
    parameter = asked.parameter
    yield from (value for pairs in paired for name, value in pairs.values if name == parameter.id)
    yield from called
    yield from _defined(asked, answer, paired)
    if (read := answer.values.get(parameter.id)) and asked.may_be(read.value):
        yield _Stated(read.value, read.evidence, plainly=False)
    for passage in passages:
        text = asked.less_lists(passage.text)
        yield from _behind_name(passage, text, asked, [pairs for pairs in paired if pairs.passage is passage])
        # A value such as `query_key_value` means nothing else, so it counts anywhere.
        alone = re.search(rf"(?<!\w){_spelled(parameter.value)}(?!\w)", text) if "_" in parameter.value else None
        if alone:
            yield _Stated(parameter.value, passage.evidence(*alone.span()), plainly=False, alone=True)


def _defined(asked: _Asked, answer: Answer, paired: Sequence[_Pairs]) -> Iterator[_Stated]:
    """Yield the values beside or within the definitions of a parameter."""
    parameter = asked.parameter
    # A word in the place of the value of several parameters is a label, not a value.
    named = {(_letters(claim.value), claim.parameter) for claim in answer.definitions if claim.value}
    times = Counter(letters for letters, _ in named if letters.isalpha())
    own_definitions = [claim for claim in answer.definitions if claim.parameter == parameter.id]
    is_defined = any(claim.text and claim.value for claim in own_definitions)
    for claim in own_definitions:
        value, place = _value_alone(claim.value or ""), claim.evidence
        is_label = times[_letters(value)] >= _FEWEST_LABELLED and not same_value(value, parameter)
        is_of_another = any(
            name != parameter.id
            and stated_value.value == value
            and (stated_value.evidence.file, stated_value.evidence.page, stated_value.evidence.line)
            == (place.file, place.page, place.line)
            for pairs in paired
            for name, stated_value in pairs.values
        )
        rest = asked.less_lists(place.quote)
        is_listed = rest != place.quote and _letters(value) not in map(_letters, _WORD.findall(rest))
        if is_label or is_of_another or (value and is_listed):
            continue
        if asked.may_be(value):
            # If a definition gives the value, another value without a definition may be a trial: `r=4`.
            yield _Stated(value, place, plainly=not claim.in_text and bool(claim.text or not is_defined))
        elif not value and _tells_value(asked.less_lists(claim.text), asked):
            yield _Stated(parameter.value, place, plainly=False)


_QUOTE: Final = r"[\"'`“”‘’«»*]{0,3}"
_JOINT: Final = r"\s*(?:[,;/|]\s*|[,;]?\s*\b(?:or|ou|and|et)\s+)"
_FEWEST_OPTIONS: Final = 3
_WORD: Final = re.compile(r"[\w.]*\w")
_DECIMAL: Final = r"\d+(?:\.\d+)?"


def _value_alone(text: str) -> str:
    """Return a quoted or bracketed value without the words after it."""
    quoted = re.match(r"\s*(\[[^\]]*\]|\"[^\"]*\"|'[^']*')", text)
    return quoted[1] if quoted else text.strip()


def _in_order(passages: Sequence[Passage], asked: Sequence[_Asked]) -> list[_Read] | None:
    """Return all values if they are right and stand in the order of the parameters, otherwise None.

    The text names the parameters first and then gives their values, or gives one value in each item of a numbered list.
    """
    for passage in passages:
        texts = [requirement.less_lists(passage.text) for requirement in asked]
        names = [
            re.search(rf"(?<!\w){_spelled(requirement.parameter.id)}(?!\w)", passage.text) for requirement in asked
        ]
        places = [match.start() for match in names if match]
        bounds: list[list[tuple[int, int]]] = []
        if len(places) == len(names) and places == sorted(places) and places[-1] - places[0] <= _ANNOUNCED:
            bounds.append([(places[-1], len(passage.text))] * len(names))
        starts = [
            passage.offset_of(index)
            for index, block in enumerate(passage.blocks)
            if block.kind is BlockKind.LIST_ITEM or _NUMBERED.match(block.text)
        ]
        items = list(pairwise([*starts, min(len(passage.text), starts[-1] + 2 * _ANNOUNCED)])) if starts else []
        bounds += [items[first : first + len(names)] for first in range(len(items) - len(names) + 1)]
        for several in bounds:
            found: list[_Read] = []
            at = 0
            for asked_parameter, text, (begin, end) in zip(asked, texts, several, strict=True):
                match = asked_parameter.right_value.search(text, max(at, begin), end)
                if match is None:
                    break
                value = _Stated(asked_parameter.parameter.value, passage.evidence(*match.span()), plainly=True)
                found.append(_Read(asked_parameter, (value,)))
                at = match.end()
            else:
                return found
    return None


def _tells_value(text: str, asked: _Asked) -> bool:
    """Whether the words of a definition contain the right value.

    A value that is no number must be the only allowed one that is quoted or begins or ends a clause, as in `with none,
    no bias is trained`.
    """
    if asked.is_number:
        return asked.right_value.search(text) is not None
    quoted = {entry for entry in _QUOTED.findall(text) if entry in asked.allowed or same_value(entry, asked.parameter)}
    quoted = quoted or set(_chosen_of(asked.allowed).findall(text) if asked.allowed else ())
    return len(quoted) == 1 and all(same_value(entry, asked.parameter) for entry in quoted)


@lru_cache(maxsize=64)
def _chosen_of(allowed: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for a value that is stated: not in a list of values, nor as an ordinary word."""
    values = "|".join(map(re.escape, allowed))
    joint = r"\s?(?:,|/|\||\bor\b|\bou\b)\s?"
    begins = r"(?<![\w.])(?<!\bor\s)(?<!\bou\s)(?<![,/|]\s)(?<![/|])"
    ends = rf"(?!{joint}(?:{values})\b)(?=\s?(?:[.,;:)=→]|\Z)|\s(?:means|signifie)\b)"
    return re.compile(rf"{begins}({values})(?!\w){ends}")


def _spelled(name: str) -> str:
    """Return a pattern for a name whose underscores may be lost."""
    return re.escape(name).replace("_", r"[\s_]{0,2}").replace("%", r"\s?%")


_TO_NEXT: Final = r"[^\S\t]*[\"'`*]*[^\S\t]*(?:[,;/|&\t]\s*(?:(?:and|et)\s)?|\b(?:and|et)\b)[\s\"'`*]*"
_SO_FAR: Final = r"[\s\"'`*)]*(?:[=:→(|\s]|\b[^\W\d_]+\b){1,10}[\s(]*"
"""The text between several names and the first of their values, such as `(…) = (` or `are respectively`."""

_ONE_VALUE: Final = r"(?:\[[^\]\n]{1,80}\]|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|\d*[.,]?\d+(?:e-?\d+)?(?:\s?%)?|[^\W\d]\w*)"


def _paired(passage: Passage, asked: Sequence[_Asked]) -> Iterator[_Pairs]:
    """Yield the pairs of names and values if several names are followed by as many values: `r, lora_alpha: 16, 32`."""
    name = "|".join(f"(?:{asked_parameter.names})" for asked_parameter in asked)
    for row in re.finditer(rf"(?<![\w.\\])(?:{name})(?:{_TO_NEXT}(?:{name})(?!\w))+", passage.text):
        named = [
            (found.start(), asked_parameter)
            for asked_parameter in asked
            for found in re.finditer(rf"(?<!\w)(?:{asked_parameter.names})(?!\w)", row.group())
        ]
        order = [asked_parameter for _, asked_parameter in sorted(named, key=itemgetter(0))]
        again = rf"(?:{_TO_NEXT}({_ONE_VALUE}))"
        behind = re.compile(rf"{_SO_FAR}(?<!\w)({_ONE_VALUE}){again * (len(order) - 1)}(?![\w%])(?!{_TO_NEXT}\d)")
        match = behind.match(passage.text, row.end())
        if match is None or len(order) != len({asked_parameter.parameter.id for asked_parameter in order}):
            continue
        evidence = passage.evidence(row.start(), match.end())
        values = tuple(
            (asked_parameter.parameter.id, _Stated(value, evidence, plainly=False))
            for asked_parameter, value in zip(order, match.groups(), strict=True)
            if same_value(value, asked_parameter.parameter)
            # A word is a value only if it is quoted or an allowed value.
            or (
                (asked_parameter.is_number or value[:1] in "\"'[" or value in asked_parameter.allowed)
                and asked_parameter.may_be(value)
            )
        )
        if 2 * len(values) > len(order):  # the last one of a wide table may be cut off
            lost = {asked_parameter.parameter.id for asked_parameter in order} - {text for text, _ in values}
            yield _Pairs(passage, row.start(), match.end(), values, lost)


def _behind_name(passage: Passage, text: str, asked: _Asked, paired: Sequence[_Pairs]) -> Iterator[_Stated]:
    """Yield the values of the right kind after the name of a parameter: `a dropout of 0.05`.

    `text` is the text of the passage without lists of values.
    """
    wants_number = _NUMBER.fullmatch(asked.parameter.value) is not None
    others = "|".join(re.escape(candidate) for candidate in asked.allowed if candidate != asked.parameter.value)
    # `alpha / r = 2`, `(alpha)/(r) = 2` and `\\frac{alpha}{r} = 2` state no value of r
    operand = r"(?<![/×·])(?<![/×·][\s(])(?<!\}\{)"
    for match in re.finditer(rf"{operand}(?<![\w.\\])(?:{asked.names})(?![\w(])(?:{_LINK}|\s){_VALUE}", text):
        value, rest = match["value"].rstrip(".,"), passage.text[match.end() :]
        # Other allowed values follow, so the text lists possible values.
        is_offered = others and re.match(rf"[\"'`]?\s?(?:,|/|\||or\b|ou\b)\s?[\"'`]?(?:{others})\b", rest)
        if is_offered or any(pairs.start <= match.start() < pairs.end for pairs in paired):
            continue
        is_value = asked.may_be(value) and (wants_number or value[:1] in "\"'[")
        if is_value or same_value(value, asked.parameter):
            is_bracketed = f"{text[match.start('value') - 1]}{rest[:1]}" == "()"
            yield _Stated(value, passage.evidence(*match.span()), plainly=is_bracketed)


def _diagnosis(asked: _Asked, stated: str, truth: GroundTruth) -> Diagnosis:
    """Return the diagnosis of a wrong value: one that the library refuses, does not have, or one that merely
    differs."""
    name, right = asked.parameter.id, asked.parameter.value
    if same_value(stated, asked.parameter):
        text = say(
            "The library does not accept {stated} for {name}; the lab's value is {value}.",
            stated=stated,
            name=name,
            value=right,
        )
        return Diagnosis(id="refused-value", text=text)
    message = say("The lab's value of {name} is {value}, not {stated}.", name=name, stated=stated, value=right)
    allowed = truth.allowed_values(name)
    if allowed and stated.strip("\"'") not in allowed:
        only = say("The library accepts only: {names}.", names=", ".join(allowed))
        return Diagnosis(id="impossible-value", text=join_messages(" ", (message, only)))
    return Diagnosis(id="wrong-value", text=message)
