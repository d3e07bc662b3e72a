"""Is a library's class or function called as asked, with arguments that exist? Invented names, values that the library
does not know, and open gaps speak against a call.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from itertools import islice, pairwise
from typing import Final

from pydantic import Field

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.claims.answer import Answer, Kind
from grader.claims.code import Call, CodeCell
from grader.claims.code.expressions import Constant, has_value, is_constant
from grader.claims.code.syntax import calls_shown
from grader.claims.passage import Passage
from grader.claims.statements import plainest, speaks_of
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth, Signature
from grader.message import joined, say
from grader.reading.document import BlockKind, Evidence

_LONGEST: Final = 60
_MOST: Final = 10
_ALIKE: Final = 0.7

UNDECIDABLE: Final = "not-followed"
"""The diagnosis that an argument's value could not be followed, so that it may be right."""


class Asked(Frozen):
    """What is asked of a call: arguments with their values; such with several values of which one is given; those that
    go ill with them; such that must not be given (with any value, where none is listed); and for some arguments the
    values that the library knows. `defaults` are the library's own: what is not given has them."""

    required: dict[str, Constant]
    allowed: dict[str, tuple[Constant, ...]] = Field(default_factory=dict)
    excluded: dict[str, Constant] = Field(default_factory=dict)
    forbidden: dict[str, tuple[Constant, ...]] = Field(default_factory=dict)
    values: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    defaults: dict[str, str] = Field(default_factory=dict)

    @property
    def wanted(self) -> dict[str, tuple[Constant, ...]]:
        """The arguments that have to be given, each with the values of which one is right."""
        return {**{name: (value,) for name, value in self.required.items()}, **self.allowed}

    @property
    def words(self) -> dict[str, str]:
        """These arguments with their values as one writes them."""
        return {name: " | ".join(map(_source, values)) for name, values in self.wanted.items()}

    @property
    def written(self) -> str:
        """All of them as in a call."""
        return ", ".join(f"{name}={value}" for name, value in self.words.items())


def problems(call: Call, signature: Signature | None, asked: Asked) -> tuple[Diagnosis, ...]:
    """Everything that speaks against the arguments of a call."""
    invented = () if signature is None or signature.takes_others else islice(_invented(call, signature), _MOST)
    return (
        *invented,
        *_lacking(call, asked),
        *_excluded(call, asked),
        *_forbidden(call, asked),
        *_unknown_values(call, asked.values),
    )


def lacks(call: Call, asked: Asked) -> Iterator[Diagnosis]:
    """What is asked and certainly not given."""
    return (one for one in _lacking(call, asked) if one.id != UNDECIDABLE and not call.open)


def library_of(signature: Signature | None) -> str:
    """The library and its version that a signature was taken from."""
    versions = signature.provenance.versions if signature else {}
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _invented(call: Call, signature: Signature) -> Iterator[Diagnosis]:
    """Arguments that the library does not have."""
    for name in (name for name in call.keywords if name not in signature.arguments):
        near = get_close_matches(name[:_LONGEST].lower(), signature.arguments, n=1, cutoff=_ALIKE)
        library = library_of(signature)
        text = say("{call} of {library} has no argument {name}.", call=call.name, library=library, name=name[:_LONGEST])
        if near:
            text = joined(" ", [text, say("It has {near}.", near=near[0])])
        yield Diagnosis(id="unknown-argument", text=text)


def _lacking(call: Call, asked: Asked) -> Iterator[Diagnosis]:
    """What is asked and not given, or not known to be given."""
    for name, values in asked.wanted.items():
        found = call.keywords.get(name, None if call.open else asked.defaults.get(name))
        value = asked.words[name]
        if found is not None and any(has_value(found, one) for one in values):
            continue
        if found is None or name not in call.keywords:
            yield Diagnosis(id="not-set", text=say("{name}={value} is not set.", name=name, value=value))
        elif is_constant(found) and not _is_pattern(found, values):
            text = say("{name} is {found}, not {value}.", name=name, found=found[:_LONGEST], value=value)
            yield Diagnosis(id="not-set", text=text)
        else:
            text = say("What {name}={found} gives could not be followed.", name=name, found=found[:_LONGEST])
            yield Diagnosis(id=UNDECIDABLE, text=text)


_OF_PATTERN: Final = re.compile(r"[\\|()*+?\[\]]")


def _is_pattern(found: str, values: Sequence[Constant]) -> bool:
    """Whether a text that may be a pattern of names is given where a list of names is asked for."""
    return any(isinstance(one, list) for one in values) and found[:1] in "rR'\"" and bool(_OF_PATTERN.search(found))


def _excluded(call: Call, asked: Asked) -> Iterator[Diagnosis]:
    """Arguments that the library refuses beside what is asked."""
    for name, value in asked.excluded.items():
        found = call.keywords.get(name)
        if found is not None and has_value(found, value) and not tuple(_lacking(call, asked)):
            text = say(
                "The library does not take {name}={value} beside {wanted}.",
                name=name,
                value=_source(value),
                wanted=asked.written,
            )
            yield Diagnosis(id="excluded", text=text)


def _forbidden(call: Call, asked: Asked) -> Iterator[Diagnosis]:
    """Arguments that must not be given, at all or with these values."""
    for name, values in asked.forbidden.items():
        found = call.keywords.get(name)
        if found is not None and (not values or any(has_value(found, value) for value in values)):
            text = say("{name}={value} was not to be set.", name=name, value=found[:_LONGEST])
            yield Diagnosis(id="forbidden", text=text)


def _unknown_values(call: Call, values: Mapping[str, tuple[str, ...]]) -> Iterator[Diagnosis]:
    """Values that the library does not know. One that is no constant may be any."""
    for name, accepted in values.items():
        value = call.keywords.get(name)
        if value and is_constant(value) and value.strip("'\"") not in accepted:
            text = say(
                "{name}={value} is no value that is known; known are {accepted}.",
                name=name,
                value=value[:_LONGEST],
                accepted=", ".join(accepted),
            )
            yield Diagnosis(id="unknown-value", text=text)


def _source(value: Constant) -> str:
    return value if isinstance(value, str) else repr(value)


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
    said: tuple[str, ...] = (),
    said_instead: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The class or function is called as asked, with arguments that exist.

    `call` is its name with its module, such as `torch.optim.SGD`; in code it is found by the last part of it, however
    it was imported. `grade truth build` looks up which arguments the installed library takes. `required` are arguments
    with their values, `allowed` such with several values of which one has to be given, `forbidden` such that must not
    be given with one of some values, or not at all where none are listed. Numbers are equal in any spelling, and lists
    of names in any order. With `defaults_count`, what is not given counts as given with the library's default.

    With `unpacked_apart`, what `**more` passes on holds none of these arguments, as `**inputs` of a model does not.
    `through` are classes whose objects bring arguments to the call, such as `transformers.GenerationConfig`.

    `excluded` are arguments that the library refuses beside the required ones. `values` are for some arguments the
    values that the library knows. `instead` are other classes or functions, such as other optimisers, whose use shows
    that this one was not used. `directly` are functions that may take what is required without the class: then a
    person decides, with the suggestion that it is right. The hand-out asks for the class, and later versions of the
    library have no such short form, but where it ran the weights were loaded as asked. `said` are the words of a
    sentence that tells what was configured without showing it, `said_instead` those of another thing.

    Decides: a call that is followed in the code with the arguments that were asked for, or with at least half of
    several, which earn their share; missing arguments, and ones that exclude each other.

    Leaves to people: arguments whose values cannot be followed, calls that only a report describes, and short
    forms.
    """
    call = call.rpartition(".")[2]
    signature = truth.signature_of(call)
    asked = Asked(
        required=required,
        allowed=allowed or {},
        excluded=excluded or {},
        forbidden=forbidden or {},
        values=values or {},
        defaults=signature.defaults if signature and defaults_count else {},
    )
    finding = Finding(item=item, status=Status.REVIEW, expected=_expected(call, asked, signature))
    calls = [_by_name(one, signature) for cell in answer.code for one in cell.calls if one.name == call and not one.own]
    brought = [name.rpartition(".")[2] for name in through]
    makers = [one for cell in answer.code for one in cell.calls if one.name in brought]
    calls = [one.with_carried(makers) for one in calls]
    known = signature.arguments if signature else tuple(asked.wanted)
    passages = [section.passage for section in answer.written if not section.is_closing]
    shown = [one for passage in passages for one in calls_shown(passage, call, known)][:_MOST_CALLS]
    calls = calls[-_MOST_CALLS:]
    if unpacked_apart:
        calls, shown = ([one.model_copy(update={"open": False}) for one in some] for some in (calls, shown))
    names = _kept_under(calls, answer.code)
    last = {name: one for name, one in zip(names, calls, strict=True) if name and not one.dead}
    judged = [
        ((*_place(one, answer.code), *problems(one, signature, asked), *_replaced(one, name, last, asked)), one)
        for name, one in zip(names, calls, strict=True)
    ]
    judged += [(problems(_by_name(one, signature), signature, asked), one) for one in shown]
    if judged:
        against, best = min(judged, key=lambda pair: (_worth(*pair), len(pair[0])))
        yield _concluded(finding, best, against, answer, asked)
        return
    words = next(one.words for one in lab.questions if any(own.id == item for own in one.items))
    told = (
        _elsewhere(finding, answer.code, call, asked, directly)
        or _stated(finding, passages, call, asked, known)
        or _told(finding, passages, said, said_instead)
        or _instead(finding, answer, passages, call, instead)
        or _left_open(finding, answer, (call, *words))
        or _mentioned(finding, answer.code, call)
    )
    yield told or concluded_absent(finding, absence(answer, lab, item))


def _expected(call: str, asked: Asked, signature: Signature | None) -> Expected:
    source = f"{call}({asked.written}, …)"
    library = library_of(signature)
    text = say("{source} with arguments of {library}", source=source, library=library) if library else source
    return Expected(text=text, truths=(signature.id,) if signature else ())


def _place(call: Call, code: Sequence[CodeCell]) -> Iterator[Diagnosis]:
    """What speaks against where a call stands. A listing or script may leave out who calls its functions."""
    if call.dead:
        yield Diagnosis(id=_NOT_REACHED, text=say("The call stands where the code never comes to."))
    elif call.within and call.evidence.cell is not None and not any(call.within in cell.names for cell in code):
        text = say("The call stands in {name}, which is never called.", name=call.within)
        yield Diagnosis(id=_NOT_CALLED, text=text)


def _replaced(call: Call, name: str, last: Mapping[str, Call], asked: Asked) -> Iterator[Diagnosis]:
    """What speaks against a call when its name is given a later one's value that is not what is asked."""
    later = last.get(name)
    if later is not None and later is not call and any(lacks(later, asked)):
        text = say("{name} is made anew later, and then not as asked.", name=name.rpartition("/")[2])
        yield Diagnosis(id=_MADE_ANEW, text=text)


def _kept_under(calls: Sequence[Call], code: Sequence[CodeCell]) -> list[str]:
    """For each call the file, and the name that its value is given in a notebook's statement at the left margin; else
    nothing: any other statement may not be reached, or not with the same name."""
    lines = {(cell.file, cell.cell): cell.source.split("\n") for cell in code if cell.is_notebook}
    places = [one.evidence for one in calls]
    shown = [(lines.get((place.file, place.cell)) or [""])[(place.line or 1) - 1 :][:1] for place in places]
    found = [_KEPT.match(line[0]) if line else None for line in shown]
    return [f"{place.file}/{match[1]}" if match else "" for place, match in zip(places, found, strict=True)]


def _concluded(finding: Finding, call: Call, against: tuple[Diagnosis, ...], answer: Answer, asked: Asked) -> Finding:
    """The verdict on the best of the calls, with what speaks against it."""
    shown = ", ".join(f"{name}={value}" for name, value in call.keywords.items())
    finding = finding.changed(
        found=f"{call.name}({shown})"[:_LONGEST_SHOWN], evidence=(call.evidence,), diagnoses=against
    )
    if not against:
        return finding.changed(status=Status.CORRECT, feedback=say("{call} is configured as asked.", call=call.name))
    open_gap = [gap.evidence for cell in answer.code for gap in cell.gaps if _same_cell(call, cell)]
    more = [say("A gap is left open there.")] if open_gap else []
    unknown = [say("Some arguments come from a place that could not be followed.")] if call.open else []
    share = _share(against, asked)
    status = _status(call, against)
    if status is Status.INCORRECT and share:
        status = Status.PARTIAL
    is_blank = any(_BLANK.fullmatch(value) for value in call.keywords.values())
    if open_gap and (is_blank or (status is Status.INCORRECT and not call.keywords)):
        status = Status.MISSING
    sentences = [*(one.text for one in against), *more, *unknown]
    if status in (Status.INCORRECT, Status.MISSING) and _is_set_elsewhere(answer, asked, call):
        status = None
        sentences.append(say("What is asked for is also written in another place."))
    return finding.changed(
        status=status or Status.REVIEW,
        evidence=(call.evidence, *open_gap[:1]),
        suggestion=None if status else _suggestion(against),
        share=share if status is Status.PARTIAL else None,
        feedback=joined(" ", sentences),
    )


def _status(call: Call, against: Sequence[Diagnosis]) -> Status | None:
    """What a call with these problems is worth; None where that is not certain."""
    ids = {one.id for one in against}
    if not ids:
        return Status.CORRECT
    if ids & {UNDECIDABLE, _NOT_REACHED, _NOT_CALLED, _MADE_ANEW} or (call.open and "not-set" in ids):
        return None
    return Status.INCORRECT if "not-set" in ids else Status.PARTIAL


def _share(against: Sequence[Diagnosis], asked: Asked) -> Decimal | None:
    """The share of several arguments that are as asked; None where that is less than half of them."""
    asked_for, wrong = len(asked.wanted), sum(one.id == "not-set" for one in against)
    return Decimal(asked_for - wrong) / asked_for if 0 < wrong <= asked_for / 2 else None


def _worth(against: Sequence[Diagnosis], call: Call) -> int:
    """The rank of a call among others: the lowest is the best."""
    return (Status.CORRECT, Status.PARTIAL, None, Status.INCORRECT).index(_status(call, against))


def _suggestion(against: Sequence[Diagnosis]) -> Status | None:
    """What a person may decide: a call that asks for the right thing where it does nothing is right in part."""
    return Status.PARTIAL if not {one.id for one in against} & {UNDECIDABLE, "not-set"} else None


def _is_set_elsewhere(answer: Answer, asked: Asked, call: Call) -> bool:
    """Whether what is required and not given stands anywhere in the code or the report, in whatever form."""
    texts = [cell.source for cell in answer.code]
    texts += [section.passage.text for section in answer.written]
    lacking = [
        _pair(name, value)
        for name, value in asked.required.items()
        if (given := call.keywords.get(name)) is None or not has_value(given, value)
    ]
    return any(one.search(text) for one in lacking for text in texts)


def _pair(name: str, value: Constant) -> re.Pattern[str]:
    """A pattern for a name with its value behind it; a spreadsheet writes `TRUE`, JSON `true`."""
    source = re.escape(_source(value))
    source = f"(?i:{source})" if source in ("True", "False") else source
    spelled = r"[\s_]?".join(re.escape(part) for part in name.split("_"))
    return re.compile(
        rf"(?<!\w){spelled}(?!\w)[^\w.;\n]{{0,12}}(?:(?:is|to|est|à|vaut|set|is set|put)\W{{1,4}}){{0,3}}{source}(?!\w)"
    )


_GIVEN: Final = re.compile(r"(?<!\w)(\w+_\w+)\W{0,3}[=|:\t→]\W{0,3}\w")
"""An argument that is given a value."""


def _same_cell(call: Call, cell: CodeCell) -> bool:
    return (cell.file, cell.cell) == (call.evidence.file, call.evidence.cell)


def _elsewhere(
    finding: Finding, code: Sequence[CodeCell], call: str, asked: Asked, directly: Sequence[str]
) -> Finding | None:
    """What code does instead of calling the class, for a person."""
    for one in (one for cell in code for one in cell.calls if one.name in directly and not one.dead):
        if _takes(one, asked):
            return finding.changed(
                found=f"{one.name}({asked.written}, …)",
                evidence=(one.evidence,),
                suggestion=Status.CORRECT,
                feedback=say(
                    "It is asked for in {function} itself, without a {call}; a person looks at it.",
                    function=one.name,
                    call=call,
                ),
            )
    own = next((one.evidence for cell in code for one in cell.calls if one.name == call), None)
    if own is None:
        return None
    return finding.changed(
        evidence=(own,), feedback=say("The code defines a {call} of its own; a person looks at it.", call=call)
    )


def _stated(
    finding: Finding, passages: Sequence[Passage], call: str, asked: Asked, known: Collection[str]
) -> Finding | None:
    """The arguments by their names and values in a table or a sentence: with the call's name in a table, or with others
    of its arguments, they are as good as the call."""
    names_call = any(call in passage.text for passage in passages)
    for passage in passages:
        pairs = ((name, value, _pair(name, value).search(passage.text)) for name, value in asked.required.items())
        spans = [match.span() if match else _below(passage, name, value) for name, value, match in pairs]
        found = [span for span in spans if span]
        if found and all(spans):
            place = passage.evidence(*found[0])
            in_table = all(passage.block_at(start).kind is BlockKind.ROW for start, _ in found)
            given = {match[1] for match in _GIVEN.finditer(passage.text)} - asked.required.keys()
            finding = finding.changed(
                found=", ".join(passage.text[start:end] for start, end in found), evidence=(place,)
            )
            if (in_table and names_call) or not given.isdisjoint(known):
                words = say("The arguments of {call} are stated as asked.", call=call)
                return finding.changed(status=Status.CORRECT, feedback=words)
            words = say("The report says how it is configured, but shows no code.")
            return finding.changed(status=Status.PARTIAL, feedback=words)
    return None


def _below(passage: Passage, name: str, value: Constant) -> tuple[int, int] | None:
    """The row of a table that gives an argument a value, where its name stands at the head of the column."""
    for index, (head, row) in enumerate(pairwise(passage.blocks), start=1):
        given = dict(zip(head.cells, row.cells, strict=False))
        if name in given and has_value(given[name], value):
            start = passage.offset_of(index)
            return start, start + len(row.text)
    return None


def _told(
    finding: Finding, passages: Sequence[Passage], said: Sequence[str], said_instead: Sequence[str]
) -> Finding | None:
    """A sentence about what was configured, without its code."""
    for words, status in ((said, Status.PARTIAL), (said_instead, Status.INCORRECT)):
        one = plainest(passages, words)
        if one is None:
            continue
        finding = finding.changed(found=one.evidence.quote[:_LONGEST_SHOWN], evidence=(one.evidence,))
        if not one.is_plain:
            return finding.changed(
                feedback=say("The report speaks of it, but does not plainly say that it was done."),
                suggestion=None if one.is_denied else status,
            )
        text = (
            say("The report says how it is configured, but shows no code.")
            if status is Status.PARTIAL
            else say("The report says that something else than what was asked for is configured.")
        )
        return finding.changed(status=status, feedback=text)
    return None


def _instead(
    finding: Finding, answer: Answer, passages: Sequence[Passage], call: str, instead: Sequence[str]
) -> Finding | None:
    """Another class or function that was used in its place."""
    names = [name.rpartition(".")[2] for name in instead]
    calls = [one for cell in answer.code for one in cell.calls if one.name in names and not (one.own or one.dead)]
    calls += [one for passage in passages for name in names for one in calls_shown(passage, name, ())]
    if not calls:
        return None
    text = say("{other} is called, not {call}.", other=calls[-1].name, call=call)
    return finding.changed(status=Status.INCORRECT, found=calls[-1].name, evidence=(calls[-1].evidence,), feedback=text)


def _left_open(finding: Finding, answer: Answer, words: Sequence[str]) -> Finding | None:
    """A gap of the hand-out that is still open in the cell that is about it."""
    gaps = [gap.evidence for cell in answer.code if speaks_of(cell.source, words) for gap in cell.gaps]
    if not gaps:
        return None
    return finding.changed(status=Status.MISSING, evidence=tuple(gaps[:1]), feedback=say("The gap is left open."))


def _mentioned(finding: Finding, code: Sequence[CodeCell], call: str) -> Finding | None:
    """Code that names the call but holds none that can be read."""
    mentioned = next((place for cell in code if (place := _mention(cell, call))), None)
    if mentioned is None:
        return None
    text = say("{call} is mentioned, but no complete call of it could be read; a person looks at the code.", call=call)
    return finding.changed(evidence=(mentioned,), suggestion=Status.PARTIAL, feedback=text)


def _takes(call: Call, asked: Asked) -> bool:
    """Whether a call takes what is required, by name or in a table."""
    found = {name: call.keywords.get(name) for name in asked.wanted}
    if all(own is not None and any(has_value(own, one) for one in asked.wanted[name]) for name, own in found.items()):
        return True
    pairs = [f"{name!r}: {_source(value)}" for name, value in asked.required.items()]
    return any(value.startswith("{") and all(pair in value for pair in pairs) for value in call.keywords.values())


def _mention(cell: CodeCell, call: str) -> Evidence | None:
    for number, line in enumerate(cell.living, start=1):
        if call in line and not line.lstrip().startswith(("from ", "import ")):
            return Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:_LONGEST_SHOWN])
    return None


def _by_name(call: Call, signature: Signature | None) -> Call:
    """A call with the arguments that were given by place under their names."""
    if not signature or not call.arguments:
        return call
    placed = dict(zip(signature.arguments, call.arguments, strict=False))
    return call.model_copy(update={"keywords": {**placed, **call.keywords}})
