"""The check `configured-call`: a library's class or function is called as required, with arguments that exist.

`problems` lists the evidence against a call: invented arguments, values that the library does not accept, and missing
requirements. `_status` derives the verdict from them.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from difflib import get_close_matches
from fnmatch import fnmatch
from itertools import chain, islice, pairwise, product
from typing import Final, NamedTuple

from pydantic import Field

from grader.checks.absence import absence, concluded_absent
from grader.checks.changed_arguments import VersionedArgument, changed_arguments
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import GAP, UNSHOWN, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status
from grader.checks.printed_count import COUNTS, SUMMED, printed_numbers
from grader.checks.shown_values import question_cells
from grader.claims.answer import Answer, Kind
from grader.claims.code import Call, CodeCell
from grader.claims.code.expressions import Constant, has_value, is_constant
from grader.claims.code.syntax import calls_shown, parse_statements
from grader.claims.passage import Passage
from grader.claims.statements import plainest_saying, speaks_of
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth, Signature
from grader.message import join_messages, say, say_data
from grader.reading.document import BlockKind, Evidence

_LONGEST: Final = 60
_MOST: Final = 10
_ALIKE: Final = 0.7

UNDECIDABLE: Final = "not-followed"
"""The diagnosis that an argument's value could not be followed, so that it may be right."""


class CallRequirements(Frozen):
    """The requirements on a call."""

    required: dict[str, Constant]
    """Arguments with their right values."""
    allowed: dict[str, tuple[Constant, ...]] = Field(default_factory=dict)
    """Arguments that must have one of several values."""
    excluded: dict[str, Constant] = Field(default_factory=dict)
    """Arguments with values that conflict with the required ones."""
    forbidden: dict[str, tuple[Constant, ...]] = Field(default_factory=dict)
    """Arguments that must not have certain values; without values, arguments that must not be given."""
    values: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """For some arguments, all values that the library accepts."""
    defaults: dict[str, str] = Field(default_factory=dict)
    """The library's values of omitted arguments."""

    @property
    def wanted(self) -> dict[str, tuple[Constant, ...]]:
        """The arguments that must be given, each with its right values."""
        return {**{name: (value,) for name, value in self.required.items()}, **self.allowed}

    def is_implied(self, call: Call, implied: Sequence[Constant]) -> bool:
        """Whether a call has the required effect with other values of the required arguments.

        `implied` are these values; "" stands for an omitted argument. No conflicting argument may be given.
        """
        given = [call.keywords[name] for name in self.required if name in call.keywords]
        other = [(call.keywords[name], value) for name, value in self.excluded.items() if name in call.keywords]
        is_apart = all(is_constant(found) and not _is_one(found, [value]) for found, value in other)
        return is_apart and (all(_is_one(value, implied) for value in given) if given else "" in implied)

    @property
    def words(self) -> dict[str, str]:
        """The required arguments with their values as written in code."""
        return {name: " | ".join(map(_source, values)) for name, values in self.wanted.items()}

    @property
    def written(self) -> str:
        """The required arguments as written in a call."""
        return ", ".join(f"{name}={value}" for name, value in self.words.items())


def problems(
    call: Call,
    signature: Signature | None,
    asked: CallRequirements,
    changed: Sequence[VersionedArgument] = (),
    printed: Set[str] = frozenset(),
) -> Iterator[Diagnosis]:
    """Yield all evidence against the arguments of a call.

    `changed` are the arguments that only some versions of the library accept. They do not count as invented, and count
    against the call only if the shown version refuses them. `printed` are the arguments that an output shows, so that
    the student's version has them.
    """
    yield from (Diagnosis(id="unknown-argument", text=change.refusal) for change in changed if change.is_taken is False)
    named = {*asked.wanted, *asked.excluded, *asked.forbidden, *asked.values}
    yield from _invented(call, signature, {change.name for change in changed} | named | printed)
    lacking = tuple(_lacking(call, asked))
    yield from lacking
    for name, value in asked.excluded.items():
        if _is_one(call.keywords.get(name), [value]) and not lacking:
            shown = _source(value)
            text = say(
                "The library does not accept {name}={value} together with {all}.",
                name=name,
                value=shown,
                all=asked.written,
            )
            yield Diagnosis(id="excluded", text=text)
    for name, values in asked.forbidden.items():
        found = call.keywords.get(name)
        if found is not None and (not values or _is_one(found, values)):
            text = say("{name}={value} should not be set.", name=name, value=found[:_LONGEST])
            yield Diagnosis(id="forbidden", text=text)
    yield from _impossible(call, asked)


def _arguments_printed(name: str, output: str) -> Iterator[str]:
    """Yield the arguments with which a program prints an object of a class: `Ridge(alpha=1.0, normalize=False)`."""
    for match in re.finditer(rf"(?<![\w.]){re.escape(name)}\(([^()]{{1,{_LONGEST_PRINT}}})\)", output[-_MOST_OUTPUT:]):
        yield from re.findall(r"(\w+)=", match[1])


_MOST_OUTPUT: Final = 50_000
_LONGEST_PRINT: Final = 1_000


def _impossible(call: Call, asked: CallRequirements) -> Iterator[Diagnosis]:
    """Yield the values that the library does not accept.

    A value that is not a constant may be any value, unless it is a type of Python. The string `"True"` is not `True`.
    """
    for name, accepted in asked.values.items():
        found = call.keywords.get(name) or ""
        bare = found.strip("'\"")
        is_known = bare in accepted and not (found != bare and bare in _CONSTANTS)
        if found in _TYPES or (found and is_constant(found) and not is_known):
            known_ones = ", ".join(accepted)
            text = say("{name} cannot be {value}, only {all}.", name=name, value=found[:_LONGEST], all=known_ones)
            yield Diagnosis(id="unknown-value", text=text)


_TYPES: Final = frozenset({"bool", "bytes", "float", "int", "str"})
_CONSTANTS: Final = frozenset({"True", "False", "None"})


def _invented(call: Call, signature: Signature | None, known_names: Set[str]) -> Iterator[Diagnosis]:
    """Yield the arguments that the library does not have, each with the most similar one that it has.

    Those in `known_names` exist: the lab or an output names them. An argument that resembles no other one may be of
    another version."""
    if signature is None or signature.takes_others:
        return
    invented = (name for name in call.keywords if name not in {*signature.arguments, *known_names})
    for name in islice(invented, _MOST):
        near = get_close_matches(name[:_LONGEST].lower(), signature.arguments, n=1, cutoff=_ALIKE)
        words = {*name[:_LONGEST].lower().split("_")}
        near += [
            known_names for known_names in signature.arguments if len(words) > 1 and words <= {*known_names.split("_")}
        ]
        library = library_of(signature)
        text = say("{call} of {library} has no argument {name}.", call=call.name, library=library, name=name[:_LONGEST])
        if near:
            yield Diagnosis(id="unknown-argument", text=join_messages(" ", (text, say("It has {near}.", near=near[0]))))
        else:
            yield Diagnosis(id=_UNLIKE_ANY, text=text)


def _is_one(found: str | None, values: Sequence[Constant]) -> bool:
    """Whether a given value is one of some values."""
    return found is not None and any(has_value(found, value) for value in values)


def library_of(signature: Signature | None) -> str:
    """Return the library, with its version, from which a signature was taken."""
    versions = signature.provenance.versions if signature else {}
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _lacking(call: Call, asked: CallRequirements) -> Iterator[Diagnosis]:
    """Yield the requirements that are not satisfied, or not certainly satisfied."""
    for name, values in asked.wanted.items():
        found = call.keywords.get(name, None if call.open else asked.defaults.get(name))
        if _is_one(found, values):
            continue
        required_value, kind = asked.words[name], _NOT_SET
        if found is None or name not in call.keywords:
            text = say("{name}={value} is not set.", name=name, value=required_value)
        elif is_constant(found) and not (any(isinstance(value, list) for value in values) and _PATTERN.match(found)):
            text = say("{name} is {found}, not {value}.", name=name, found=found[:_LONGEST], value=required_value)
        else:
            text = say("The value of {name}={found} could not be followed.", name=name, found=found[:_LONGEST])
            kind = UNDECIDABLE
        yield Diagnosis(id=kind, text=text)


_PATTERN: Final = re.compile(r"[rR'\"].*[\\|()*+?\[\]]", re.DOTALL)
"""A string that may be a pattern in the place of a list of names."""


def _source(value: Constant) -> str:
    return value if isinstance(value, str) else repr(value)


_NOT_SET: Final = "not-set"
_UNLIKE_ANY: Final = "unlike-any-argument"
_NOT_LOADED: Final = "not-loaded"
_PASSED_ELSEWHERE: Final = "passed-elsewhere"
_NOT_REACHED: Final = "not-reached"
_NOT_CALLED: Final = "not-called"
_MADE_ANEW: Final = "made-anew"
_BLANK: Final = re.compile(r"_{2,}|\.{3}|Ellipsis|\?+")
_LONGEST_SHOWN: Final = 300
_MOST_CALLS: Final = 200
_KEPT: Final = re.compile(r"(\w{1,60}) ?= ?[\w.]{0,80}\(")


@check("configured-call", kinds=(Kind.WRITTEN, Kind.CODE))
def configured_call(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    call: str,
    required: dict[str, Constant],
    allowed: dict[str, tuple[Constant, ...]] | None = None,
    forbidden: dict[str, tuple[Constant, ...]] | None = None,
    excluded: dict[str, Constant] | None = None,
    values: dict[str, tuple[str, ...]] | None = None,
    defaults_count: bool = True,
    unpacked_apart: bool = False,
    through: tuple[str, ...] = (),
    instead: tuple[str, ...] = (),
    directly: tuple[str, ...] = (),
    aside: tuple[str, ...] = (),
    passed_as: str = "",
    table_keys: tuple[str, ...] = (),
    implied: tuple[Constant, ...] = (),
    shown: dict[str, tuple[str, ...]] | None = None,
    related: dict[str, str] | None = None,
    said: tuple[str, ...] = (),
    said_instead: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The class or function is called as asked, with arguments that exist.

    - `call`: the class or function with its module, such as `torch.optim.SGD`. `grade truth build` looks up its
      arguments.
    - `required`: arguments with their right values.
    - `allowed`: arguments that must have one of several values.
    - `forbidden`: values that arguments must not have; an empty list forbids the argument.
    - `excluded`: arguments, with values that the library refuses together with the required ones.
    - `values`: for some arguments, all values that the library knows.
    - `defaults_count`: whether the library's default counts for an omitted argument.
    - `unpacked_apart`: whether unpacked arguments, such as `**inputs`, hold none of these arguments.
    - `through`: classes whose objects bring arguments to the call, such as `transformers.GenerationConfig`.
    - `instead`: classes or functions whose use shows that this one was not used.
    - `related`: classes of other libraries, each with a note for the marker. Calls of them go to review.
    - `said`, `said_instead`: words by which a sentence reports this configuration, or another one.

    The other options are for an object that configures a loader, as in `from_pretrained(…,
    quantization_config=BitsAndBytesConfig(load_in_4bit=True))`:

    - `directly`: the loaders, such as `["from_pretrained"]`. They may also take the required arguments themselves:
      `from_pretrained(…, load_in_4bit=True)`. Such a call is right if the submission shows a library version that
      accepts it ([`[[changed]]`](lab-reference.md#changed)) or a count in `shown`; otherwise it goes to review.
    - `passed_as`: the loaders' argument for the object, or for a dictionary instead: `"quantization_config"`.
    - `table_keys`: further keys that such a dictionary may have.
    - `aside`: classes that are no loaders, although a method is named so: `AutoTokenizer` has a `from_pretrained`, too.
    - `implied`: further values of a required argument that have the same effect, if the object is passed to a loader;
      `""` stands for an omitted argument.
    - `shown`: counts whose output proves the right configuration (`as_asked`) or another one (`otherwise`).

    Decides: calls whose arguments can be followed in the code. If at least half of the arguments are right, the call
    earns the share of the right ones. An argument of another library version is accepted if the lab or an output names
    it.

    Leaves to people: arguments whose values cannot be followed, unknown arguments that resemble no known one, and calls
    that the report describes or the code only mentions.
    """
    call = call.rpartition(".")[2]
    signature = truth.signature_of(call)
    asked = CallRequirements(
        required=required,
        allowed=allowed or {},
        excluded=excluded or {},
        forbidden=forbidden or {},
        values=values or {},
        defaults=signature.defaults if signature and defaults_count else {},
    )
    source, library = f"{call}({asked.written}, …)", library_of(signature)
    text = say("{source} with arguments of {library}", source=source, library=library) if library else source
    expected = ExpectedAnswer(text=text, truths=(signature.id,) if signature else ())
    finding = Finding(item=item, status=Status.REVIEW, expected=expected)
    argument_names = signature.arguments if signature else tuple(asked.wanted)
    passages = [section.passage for section in answer.written if not section.is_closing]
    in_text = [candidate for passage in passages for candidate in calls_shown(passage, call, argument_names)][
        :_MOST_CALLS
    ]
    in_code = _less_in_modules(_calls(answer.code, [call]), answer, lab.question_of(item))[-_MOST_CALLS:]
    makers = _calls(answer.code, [name.rpartition(".")[2] for name in through])
    order = signature.by_place if signature else ()
    found = [candidate.with_names(order).with_carried(makers) for candidate in in_code]
    loaders = _calls(answer.code, directly)
    apart = [loader for loader in loaders if any(fnmatch(loader.receiver.rpartition(".")[2], name) for name in aside)]
    own_calls = tuple(loader for loader in loaders if loader not in apart)
    users = _Users(answer, lab, call, own_calls, tuple(apart), passed_as, _is_shown(answer, truth, shown or {}))
    if implied:
        found = [users.with_implied(candidate, asked, implied, order) for candidate in found]
    tables = list(users.tables({*argument_names, *asked.wanted, *asked.excluded}, {*table_keys})) if passed_as else []
    found += [*tables, *(candidate.with_names(order) for candidate in in_text)]
    if unpacked_apart:
        found = [candidate.model_copy(update={"open": False}) for candidate in found]
    places = [*_places(found[: len(in_code)], answer.code, asked), *[()] * (len(found) - len(in_code))]
    if passed_as:
        of_code = [
            (*users.errors(candidate), *users.passing_errors(candidate), *users.refused_arguments(asked))
            for candidate in found[: len(in_code)]
        ]
        beside = [*of_code, *(tuple(users.errors(table)) for table in tables), *[()] * len(in_text)]
        places = [(*place, *more) for place, more in zip(places, beside, strict=True)]
    outputs = (cell.output for cell in answer.code if not cell.error)  # an error quotes the code
    printed = {name for output in outputs for name in _arguments_printed(call, output)}
    judged = [
        (
            (*place, *problems(candidate, signature, asked, [*changed_arguments(candidate, answer, lab)], printed)),
            candidate,
        )
        for place, candidate in zip(places, found, strict=True)
    ]
    if judged:
        ranks = (Status.CORRECT, Status.PARTIAL, None, Status.INCORRECT)
        against, best = min(judged, key=lambda pair: (ranks.index(_status(*pair)), len(pair[0])))
        yield _concluded(finding, best, against, answer, asked)
        return
    # If the code passes something in the place of the object, a sentence about it adds nothing.
    is_shown = any(passed_as in candidate.keywords and candidate.evidence.cell is not None for candidate in own_calls)
    otherwise = chain(
        _for_another(finding, call, asked, users),
        _related(finding, answer.code, related or {}),
        _stated(finding, passages, call, asked, signature),
        () if is_shown else _told(finding, passages, said, said_instead),
        _without_call(finding, answer, passages, call, instead, lab.asking(item).words),
    )
    yield next(otherwise, None) or concluded_absent(finding, absence(answer, lab, item))


def _calls(code: Sequence[CodeCell], names: Collection[str]) -> list[Call]:
    """Return all calls of some names."""
    return [call for cell in code for call in cell.calls if call.name in names]


def _less_in_modules(calls: Sequence[Call], answer: Answer, question: str) -> list[Call]:
    """Return the calls of the library, without those in modules if cells of the question have some.

    A module may be handed out with the notebook.
    """
    found = [call for call in calls if not call.own]
    places = {(cell.file, cell.cell) for cell in question_cells(answer, question).own if cell.is_notebook}
    is_in_cells = any((call.evidence.file, call.evidence.cell) in places for call in found)
    return [call for call in found if call.evidence.cell is not None] if is_in_cells else found


def _places(
    calls: Sequence[Call], code: Sequence[CodeCell], asked: CallRequirements
) -> Iterator[tuple[Diagnosis, ...]]:
    """Yield, for each call, the evidence against its place.

    It is not reached, or its variable is assigned again later with wrong arguments. A listing or script may omit the
    calls of its functions.
    """
    for call, (name, later) in zip(calls, _kept_last(calls, code), strict=True):
        against = []
        if call.dead:
            against.append(Diagnosis(id=_NOT_REACHED, text=_UNREACHED))
        elif call.within and call.evidence.cell is not None and not any(call.within in cell.names for cell in code):
            against.append(Diagnosis(id=_NOT_CALLED, text=_UNREACHED))
        is_anew = later is not call and not later.open
        if is_anew and any(lack.id == _NOT_SET for lack in _lacking(later, asked)):
            text = say("{name} is replaced later by one that is not as asked.", name=name)
            against.append(Diagnosis(id=_MADE_ANEW, text=text))
        yield tuple(against)


class _Users(NamedTuple):
    """The calls that use the configured object.

    `loaders` take it as the argument `passed_as`. `apart` have the same name but do something else. `is_shown` says
    whether the submission's own counts prove that the object was used as required; None if they prove nothing.
    """

    answer: Answer
    lab: Lab
    call: str
    loaders: tuple[Call, ...]
    apart: tuple[Call, ...]
    passed_as: str
    is_shown: bool | None

    def tables(self, known_names: Set[str], beside: Set[str]) -> Iterator[Call]:
        """Yield the dictionaries that are passed instead of the object, as calls, if they have a known argument."""
        for loader in self.loaders:
            tree = parse_statements(loader.keywords.get(self.passed_as, ""))
            match tree:
                case (ast.Expr(ast.Dict(keys, values)),) if not loader.dead:
                    pairs = zip(keys, values, strict=True)
                    given = {
                        str(key.value): ast.unparse(value) for key, value in pairs if isinstance(key, ast.Constant)
                    }
                    given = {name: value for name, value in given.items() if name not in beside}
                    if not known_names.isdisjoint(given):
                        yield loader.model_copy(update={"name": self.call, "keywords": given, "arguments": ()})

    def _passing(self) -> set[str]:
        """Return the names of the arguments as which the object is passed to any call."""
        begins = re.compile(rf"(?:\w+\.)*{re.escape(self.call)}(?:\.\w+)?\(")
        calls = [other for cell in self.answer.code for other in cell.calls if other not in self.apart]
        given = [pair for other in calls for pair in other.keywords.items()]
        placed = [("", value) for other in calls for value in other.arguments]
        return {name for name, value in (*given, *placed) if begins.match(value)}

    def with_implied(
        self, made: Call, asked: CallRequirements, implied: Sequence[Constant], known_names: Sequence[str]
    ) -> Call:
        """Return the call with its implied arguments, if its object is passed correctly.

        A call with a gap, or in a cell that did not run, is left unchanged.
        """
        place = made.evidence.file, made.evidence.cell
        own_cells = [cell for cell in self.answer.code if (cell.file, cell.cell) == place]
        is_open = made.open or any(cell.gaps or (cell.is_notebook and not cell.ran) for cell in own_cells)
        is_whole = not is_open and made.keywords.keys() <= {*known_names}
        if not (is_whole and asked.is_implied(made, implied)) or self.passed_as not in self._passing():
            return made
        required = {name: _source(value) for name, value in asked.required.items()}
        return made.model_copy(update={"keywords": {**made.keywords, **required}})

    def errors(self, made: Call) -> Iterator[Diagnosis]:
        """Yield the errors about an argument in which the call, or a call that takes its object, ended."""
        arguments = chain(made.keywords, made.keywords.values(), *(loader.keywords for loader in self.loaders))
        names = {*chain.from_iterable(map(_NAMES.findall, arguments))} - _COMMON
        takers = [loader for loader in self.loaders if self.passed_as in loader.keywords and not loader.dead]
        # `'BitsAndBytesConfig' object has no attribute 'get'`, `takes 2 positional arguments but 3 were given`
        names |= {self.call} | ({"positional"} if "" in self._passing() else set())
        errors = {(cell.file, cell.cell): _error_about(names, made.keywords.keys(), cell) for cell in self.answer.code}
        found = [errors.get((call.evidence.file, call.evidence.cell), "") for call in (*takers, made)]
        if any(found) and all(found[:-1]):
            error = next(filter(None, found))[:_LONGEST_SHOWN]
            text = say("This call raised an error, so nothing was loaded: {error}", error=error)
            yield Diagnosis(id=_NOT_LOADED, text=text)

    def passing_errors(self, made: Call) -> Iterator[Diagnosis]:
        """Yield the diagnosis that the object is not passed to a call, or as another argument, with what printed counts
        prove."""
        passing = self._passing()
        if made.evidence.cell is None or self.passed_as in passing:
            return
        elsewhere = next((name for loader in self.loaders for name in loader.keywords if name in passing), "")
        other = next((f"{call.receiver}.{call.name}" for call in self.apart if self.passed_as in call.keywords), "")
        passed = []
        if other:
            passed = [say("It is passed to {call}, not to the call that loads.", call=other)]
        elif elsewhere:
            passed = [say("It is passed as {name}=, not as {right}=.", name=elsewhere, right=self.passed_as)]
        if self.is_shown is False:
            yield Diagnosis(id=_NOT_LOADED, text=join_messages(" ", (*passed, _UNUSED)))
        elif passed:
            yield Diagnosis(id=_PASSED_ELSEWHERE, text=passed[0])

    def versioned_arguments(self, given: Call, asked: CallRequirements) -> list[VersionedArgument]:
        """Return the relevant arguments of a call that only some versions accept."""
        names = {*asked.wanted, *asked.excluded}
        return [argument for argument in changed_arguments(given, self.answer, self.lab) if argument.name in names]

    def refused_arguments(self, asked: CallRequirements) -> Iterator[Diagnosis]:
        """Yield the arguments beside the object that the calls taking it do not accept in the version that is shown."""
        takers = [loader for loader in self.loaders if self.passed_as in loader.keywords and not loader.dead]
        changes = [self.versioned_arguments(call, asked) for call in takers]
        refused = [[change for change in each if change.is_taken is False] for each in changes]
        if refused and all(refused) and not self.is_shown:
            yield Diagnosis(id="unknown-argument", text=refused[0][0].refusal)


_UNREACHED: Final = say("The code never reaches this call.")
_UNUSED: Final = say("It configures nothing, as the printed count shows.")


_NAMES: Final = re.compile(r"\w{3,}")
_OF_ARGUMENTS: Final = ("TypeError", "AttributeError")
_OF_VALUES: Final = ("ValueError",)
"""Errors other than these, such as lack of memory, are not about arguments. An error about a value may also be about
what the function does."""
_COMMON: Final = frozenset({"True", "False", "None", "torch", "auto", "model", "name"})


def _error_about(names: Set[str], own_arguments: Set[str], cell: CodeCell) -> str:
    """Return the error in which a cell ended if it is about an argument, otherwise an empty text.

    The error must name one of `names`; an error about a value must name one of the call's `own_arguments` arguments.
    """
    error = cell.error or ""
    about = (
        names
        if error.startswith(_OF_ARGUMENTS)
        else own_arguments
        if error.startswith(_OF_VALUES)
        else frozenset[str]()
    )
    return error if not about.isdisjoint(_NAMES.findall(error)) else ""


def _is_shown(answer: Answer, truth: GroundTruth, shown: Mapping[str, Sequence[str]]) -> bool | None:
    """Whether printed counts prove the required configuration; False if they prove another one, None if they prove
    nothing.

    Counts by a library's function, and sums that unpack what they count, prove nothing.
    """
    totals = {count.id: count.total for count in truth.counts}
    right, wrong = (
        {totals[name] for name in shown.get(kind, ()) if name in totals} for kind in ("as_asked", "otherwise")
    )
    if not (right or wrong) or any(
        function.names & (_UNPACKING | COUNTS - SUMMED) for cell in answer.code for function in cell.functions
    ):
        return None
    own_cells = [
        cell for cell in answer.code if not any(call.name in COUNTS - SUMMED and not call.own for call in cell.calls)
    ]
    printed = {number.value for cell in own_cells for number in printed_numbers(cell, min((*right, *wrong)))}
    return True if printed & right else False if printed & wrong else None


_UNPACKING: Final = frozenset({"Params4bit", "quant_state", "__class__", "type", "isinstance", "hasattr", "getattr"})
"""Names in code that counts packed weights differently from others."""


def _related(finding: Finding, code: Sequence[CodeCell], related: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a review for a class of another library that is used instead."""
    for call in (other_call for other_call in _calls(code, related) if not (other_call.own or other_call.dead)):
        reason = Reason(say("{other} is called: {known}", other=call.name, known=say_data(related[call.name])))
        yield with_verdict(finding.with_changes(found=call.name, evidence=(call.evidence,)), Status.PARTIAL, "", reason)


def _kept_last(calls: Sequence[Call], code: Sequence[CodeCell]) -> Iterator[tuple[str, Call]]:
    """Yield, for each call, the name of the variable that holds its value, and the last call assigned to that name.

    A value without a name is its own last call.
    """
    lines = {(cell.file, cell.cell): cell.source.split("\n") for cell in code if cell.is_notebook}
    names = []
    for call in calls:
        # Only a statement at the left margin of a notebook's cell certainly runs.
        line = "".join(lines.get((call.evidence.file, call.evidence.cell), [])[(call.evidence.line or 1) - 1 :][:1])
        match = _KEPT.match(line)
        names.append((call.evidence.file, match[1] if match else ""))
    last = {name: named_call for name, named_call in zip(names, calls, strict=True) if name[1] and not named_call.dead}
    for name, call in zip(names, calls, strict=True):
        yield name[1], last.get(name, call)


def _status(against: Sequence[Diagnosis], call: Call) -> Status | None:
    """Return the verdict on a call with these problems, or None if it is uncertain."""
    ids = {diagnosis.id for diagnosis in against}
    if _NOT_LOADED in ids:
        return Status.INCORRECT
    if ids & {UNDECIDABLE, _NOT_REACHED, _NOT_CALLED, _MADE_ANEW, _PASSED_ELSEWHERE} or (call.open and _NOT_SET in ids):
        return None
    if _NOT_SET in ids:
        return Status.INCORRECT
    return None if _UNLIKE_ANY in ids else Status.PARTIAL if ids else Status.CORRECT


def _concluded(
    finding: Finding, call: Call, against: tuple[Diagnosis, ...], answer: Answer, asked: CallRequirements
) -> Finding:
    """Return the finding for the best call, with the problems of its arguments."""
    shown = ", ".join(f"{name}={value}" for name, value in call.keywords.items())
    place = (call.evidence.file, call.evidence.cell)
    gaps = [gap.evidence for cell in answer.code for gap in cell.gaps if (cell.file, cell.cell) == place]
    finding = finding.with_changes(
        found=f"{call.name}({shown})"[:_LONGEST_SHOWN], evidence=(call.evidence, *gaps[:1]), diagnoses=against
    )
    status, ids = _status(against, call), {diagnosis.id for diagnosis in against}
    if status is Status.CORRECT:
        finding = finding.with_changes(evidence=(call.evidence,))
        return with_verdict(finding, status, say("{call} is configured as asked.", call=call.name))
    texts = [diagnosis.text for diagnosis in against]
    texts += [GAP] if gaps else []
    texts += [say("Some arguments come from a place that could not be followed.")] if call.open else []
    message = join_messages(" ", texts)
    wrong, number = sum(diagnosis.id == _NOT_SET for diagnosis in against), len(asked.wanted)
    share = None
    if status is Status.INCORRECT and 0 < wrong <= number / 2:  # at least half of several arguments are right
        status, share = Status.PARTIAL, Decimal(number - wrong) / number
    is_blank = any(_BLANK.fullmatch(value) for value in call.keywords.values())
    if gaps and (is_blank or (status is Status.INCORRECT and not call.keywords)):
        status, share = Status.MISSING, None
    # A right call in a place where it has no effect is partly right.
    unclear = Reason(message, is_likely=not ids & {UNDECIDABLE, _NOT_SET})
    beside = Reason(say("{told} What is asked for also appears in another place.", told=message), is_likely=False)
    is_beside = (
        status in (Status.INCORRECT, Status.MISSING)
        and _NOT_LOADED not in ids
        and _is_set_elsewhere(answer, asked, call)
    )
    if status is None:
        return with_verdict(finding, Status.PARTIAL, "", unclear)
    return with_verdict(finding, status, message, beside.keep_if(is_beside), share=share)


def _is_set_elsewhere(answer: Answer, asked: CallRequirements, call: Call) -> bool:
    """Whether a missing requirement stands anywhere in the code or the report, in any form."""
    texts = [*(cell.source for cell in answer.code), *(section.passage.text for section in answer.written)]
    lacking = [
        _pair(name, value)
        for name, value in asked.required.items()
        # The required value in quotes is wrong and stands in no other place.
        if not _is_one(call.keywords.get(name), [value]) and call.keywords.get(name, "").strip("'\"") != _source(value)
    ]
    return any(pattern.search(text) for pattern in lacking for text in texts)


def _pair(name: str, value: Constant) -> re.Pattern[str]:
    """Return a pattern for a name followed by its value. Spreadsheets write `TRUE`, JSON writes `true`."""
    source = re.escape(_source(value))
    source = f"(?i:{source})" if source in ("True", "False") else source
    spelled = r"[\s_]?".join(re.escape(part) for part in name.split("_"))
    return re.compile(
        rf"(?<!\w){spelled}(?!\w)[^\w.;\n]{{0,12}}(?:(?:is|to|est|à|vaut|set|is set|put)\W{{1,4}}){{0,3}}{source}(?!\w)"
    )


_GIVEN: Final = re.compile(r"(?<!\w)(\w+_\w+)\W{0,3}[=|:\t→]\W{0,3}\w")
"""An argument with a value."""


def _takes(call: Call, asked: CallRequirements) -> bool:
    """Whether a call gets the required values, as arguments or in a dictionary."""
    pairs = [f"{name!r}: {_source(value)}" for name, value in asked.required.items()]
    return all(_is_one(call.keywords.get(name), values) for name, values in asked.wanted.items()) or any(
        text.startswith("{") and all(pair in text for pair in pairs) for text in call.keywords.values()
    )


def _for_another(finding: Finding, call: str, asked: CallRequirements, users: _Users) -> Iterator[Finding]:
    """Yield findings for required values that were given to another function, or to the student's own class."""
    for loader in users.loaders:
        if not loader.dead and _takes(loader, asked):
            given = finding.with_changes(found=f"{loader.name}({asked.written}, …)", evidence=(loader.evidence,))
            yield _given_directly(given, loader, call, asked, users)
    for own_call in _calls(users.answer.code, [call]):
        reason = Reason(say("The code defines a {call} of its own.", call=call), is_likely=False)
        yield with_verdict(finding.with_changes(evidence=(own_call.evidence,)), Status.CORRECT, "", reason)


def _given_directly(finding: Finding, given_call: Call, call: str, asked: CallRequirements, users: _Users) -> Finding:
    """Return the verdict on a function that gets the required values directly.

    The shown version decides whether the function accepts them. Printed counts of the submission may prove more.
    """
    changes = users.versioned_arguments(given_call, asked)
    against = [*users.errors(given_call)] if users.passed_as else []
    if not users.is_shown:
        refused = [each.refusal for each in changes if each.is_taken is False]
        against += [Diagnosis(id="unknown-argument", text=text) for text in refused]
    if against:
        return with_verdict(finding.with_changes(diagnoses=tuple(against[:1])), Status.INCORRECT, against[0].text)
    text = say("{name} accepts it directly, without a {call}.", name=given_call.name, call=call)
    if users.is_shown or (changes and all(each.is_taken for each in changes)):
        return with_verdict(finding, Status.CORRECT, text)
    return with_verdict(finding, Status.CORRECT, "", Reason(text, is_likely=users.is_shown is not False))


def _stated(
    finding: Finding, passages: Sequence[Passage], call: str, asked: CallRequirements, signature: Signature | None
) -> Iterator[Finding]:
    """Yield findings for required arguments that a table or sentence gives.

    A table with the call's name, or a text with other arguments of the call, is as good as the call, unless it also
    gives arguments that do not exist.
    """
    argument_names = signature.arguments if signature else tuple(asked.wanted)
    names_call = any(call in passage.text for passage in passages)
    for passage in passages:
        pairs = ((name, value, _pair(name, value).search(passage.text)) for name, value in asked.required.items())
        spans = [match.span() if match else _below(passage, name, value) for name, value, match in pairs]
        found = [span for span in spans if span]
        if not found or not all(spans):
            continue
        in_table = all(passage.block_at(start).kind is BlockKind.ROW for start, _ in found)
        given = {match[1] for match in _GIVEN.finditer(passage.text)} - asked.required.keys()
        is_call = (in_table and names_call) or not given.isdisjoint(argument_names)
        beside = {match[1] for start, _ in found for match in _GIVEN.finditer(passage.block_at(start).text)}
        invented = [name for name in sorted(beside.difference(argument_names)) if _is_alike(name, argument_names)]
        if is_call and invented:
            text = say(
                "{call} of {library} has no argument {name}.",
                call=call,
                library=library_of(signature),
                name=invented[0][:_LONGEST],
            )
            yield finding.with_changes(
                status=Status.PARTIAL, feedback=text, evidence=tuple(passage.evidence(*span) for span in found[:1])
            )
            continue
        yield finding.with_changes(
            status=Status.CORRECT if is_call else Status.PARTIAL,
            found=", ".join(passage.text[start:end] for start, end in found),
            evidence=(passage.evidence(*found[0]),),
            feedback=say("{call} is configured as asked.", call=call) if is_call else UNSHOWN,
        )


def _is_alike(name: str, known_names: Sequence[str]) -> bool:
    """Whether a name is similar to a known name, or begins with the same two words."""
    begun = "_".join(name.split("_")[:2]) + "_"
    return bool(get_close_matches(name, known_names, 1, _ALIKE)) or any(
        known_name.startswith(begun) for known_name in known_names
    )


def _below(passage: Passage, name: str, value: Constant) -> tuple[int, int] | None:
    """Return the row of a table that gives an argument its value below the argument's name, or None."""
    for index, (head, row) in enumerate(pairwise(passage.blocks), start=1):
        given = dict(zip(head.cells, row.cells, strict=False))
        if name in given and has_value(given[name], value):
            start = passage.offset_of(index)
            return start, start + len(row.text)
    return None


def _told(
    finding: Finding, passages: Sequence[Passage], report_words: Sequence[str], said_instead: Sequence[str]
) -> Iterator[Finding]:
    """Yield findings for sentences about the configuration, without its code."""
    otherwise = say("The report says that something else was configured than was asked for.")
    for words, status, message in (
        (report_words, Status.PARTIAL, UNSHOWN),
        (said_instead, Status.INCORRECT, otherwise),
    ):
        if saying := plainest_saying(passages, words):
            finding = finding.with_changes(found=saying.evidence.quote[:_LONGEST_SHOWN], evidence=(saying.evidence,))
            unsaid = Reason(say("The report does not plainly say that it was done."), is_likely=not saying.is_denied)
            yield with_verdict(finding, status, message if saying.is_plain else "", unsaid.keep_if(not saying.is_plain))


def _without_call(
    finding: Finding,
    answer: Answer,
    passages: Sequence[Passage],
    call: str,
    instead: Sequence[str],
    words: Sequence[str],
) -> Iterator[Finding]:
    """Yield findings if the call is absent: for other classes in its place, open gaps, and code that only names it."""
    names = [name.rpartition(".")[2] for name in instead]
    calls = [candidate for candidate in _calls(answer.code, names) if not (candidate.own or candidate.dead)]
    calls += [candidate for passage, name in product(passages, names) for candidate in calls_shown(passage, name, ())]
    for other in calls[-1:]:
        text = say("{other} is called, not {call}.", other=other.name, call=call)
        yield with_verdict(finding.with_changes(found=other.name, evidence=(other.evidence,)), Status.INCORRECT, text)
    yield from _in_gap(finding, answer.code, call, words)
    for cell in answer.code:
        yield from _mentioned(finding, cell, call)


def _in_gap(finding: Finding, code: Sequence[CodeCell], call: str, words: Sequence[str]) -> Iterator[Finding]:
    """Yield findings for gaps in cells about a call, unless a cell without gaps names it."""
    if any(not cell.gaps and any(_mentioned(finding, cell, call)) for cell in code):
        return
    for cell in (candidate for candidate in code if speaks_of(candidate.source, (call, *words))):
        for gap in cell.gaps:
            yield with_verdict(finding.with_changes(evidence=(gap.evidence,)), Status.MISSING, GAP)


def _mentioned(finding: Finding, cell: CodeCell, call: str) -> Iterator[Finding]:
    """Yield findings for lines of a cell that name the class or function outside an import."""
    for number, line in enumerate(cell.living, start=1):
        if call in line and not line.lstrip().startswith(("from ", "import ")):
            place = Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:_LONGEST_SHOWN])
            reason = Reason(say("{call} is mentioned, but no complete call of it could be read.", call=call))
            yield with_verdict(finding.with_changes(evidence=(place,)), Status.PARTIAL, "", reason)
