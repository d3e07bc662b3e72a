"""Is a library's class or function called as asked, with arguments that exist? Invented names, values that the library
does not know, and open gaps speak against a call.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from difflib import get_close_matches
from itertools import chain, islice, pairwise, product
from typing import Final

from pydantic import Field

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.decide import decided
from grader.checks.feedback import Reason
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


def problems(call: Call, signature: Signature | None, asked: Asked) -> Iterator[Diagnosis]:
    """Everything that speaks against the arguments of a call."""
    yield from _invented(call, signature)
    lacking = tuple(_lacking(call, asked))
    yield from lacking
    for name, value in asked.excluded.items():
        if _is_one(call.keywords.get(name), [value]) and not lacking:
            shown = _source(value)
            text = say(
                "The library does not take {name}={value} beside {all}.", name=name, value=shown, all=asked.written
            )
            yield Diagnosis(id="excluded", text=text)
    for name, values in asked.forbidden.items():
        found = call.keywords.get(name)
        if found is not None and (not values or _is_one(found, values)):
            text = say("{name}={value} was not to be set.", name=name, value=found[:_LONGEST])
            yield Diagnosis(id="forbidden", text=text)
    for name, accepted in asked.values.items():
        found = call.keywords.get(name)
        if found and is_constant(found) and found.strip("'\"") not in accepted:  # one that is no constant may be any
            known_ones = ", ".join(accepted)
            text = say("{name} cannot be {value}, only {all}.", name=name, value=found[:_LONGEST], all=known_ones)
            yield Diagnosis(id="unknown-value", text=text)


def _invented(call: Call, signature: Signature | None) -> Iterator[Diagnosis]:
    """The arguments that the library does not know, each with a known one of a similar name."""
    if signature is None or signature.takes_others:
        return
    invented = (name for name in call.keywords if name not in signature.arguments)
    for name in islice(invented, _MOST):
        near = get_close_matches(name[:_LONGEST].lower(), signature.arguments, n=1, cutoff=_ALIKE)
        library = library_of(signature)
        text = say("{call} of {library} has no argument {name}.", call=call.name, library=library, name=name[:_LONGEST])
        told = [text, say("It has {near}.", near=near[0])] if near else [text]
        yield Diagnosis(id="unknown-argument", text=joined(" ", told))


def _is_one(found: str | None, values: Sequence[Constant]) -> bool:
    """Whether what is given is one of some values."""
    return found is not None and any(has_value(found, value) for value in values)


def library_of(signature: Signature | None) -> str:
    """The library and its version that a signature was taken from."""
    versions = signature.provenance.versions if signature else {}
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _lacking(call: Call, asked: Asked) -> Iterator[Diagnosis]:
    """What is asked and not given, or not known to be given."""
    for name, values in asked.wanted.items():
        found = call.keywords.get(name, None if call.open else asked.defaults.get(name))
        if _is_one(found, values):
            continue
        told, kind = asked.words[name], _NOT_SET
        if found is None or name not in call.keywords:
            text = say("{name}={value} is not set.", name=name, value=told)
        elif is_constant(found) and not (any(isinstance(one, list) for one in values) and _PATTERN.match(found)):
            text = say("{name} is {found}, not {value}.", name=name, found=found[:_LONGEST], value=told)
        else:
            text = say("The value of {name}={found} could not be followed.", name=name, found=found[:_LONGEST])
            kind = UNDECIDABLE
        yield Diagnosis(id=kind, text=text)


_PATTERN: Final = re.compile(r"[rR'\"].*[\\|()*+?\[\]]", re.DOTALL)
"""A text that may be a pattern of names where a list of names is asked for."""


def _source(value: Constant) -> str:
    return value if isinstance(value, str) else repr(value)


_NOT_SET: Final = "not-set"
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
    source, library = f"{call}({asked.written}, …)", library_of(signature)
    text = say("{source} with arguments of {library}", source=source, library=library) if library else source
    expected = Expected(text=text, truths=(signature.id,) if signature else ())
    finding = Finding(item=item, status=Status.REVIEW, expected=expected)
    known = signature.arguments if signature else tuple(asked.wanted)
    passages = [section.passage for section in answer.written if not section.is_closing]
    in_text = [one for passage in passages for one in calls_shown(passage, call, known)][:_MOST_CALLS]
    in_code = [one for one in _calls(answer.code, [call]) if not one.own][-_MOST_CALLS:]
    makers = _calls(answer.code, [name.rpartition(".")[2] for name in through])
    found = [_by_name(one, signature).with_carried(makers) for one in in_code]
    found += [_by_name(one, signature) for one in in_text]
    if unpacked_apart:
        found = [one.model_copy(update={"open": False}) for one in found]
    places = [*_places(found[: len(in_code)], answer.code, asked), *[()] * len(in_text)]
    judged = [((*place, *problems(one, signature, asked)), one) for place, one in zip(places, found, strict=True)]
    if judged:
        ranks = (Status.CORRECT, Status.PARTIAL, None, Status.INCORRECT)
        against, best = min(judged, key=lambda pair: (ranks.index(_status(*pair)), len(pair[0])))
        yield _concluded(finding, best, against, answer, asked)
        return
    otherwise = chain(
        _for_another(finding, answer.code, call, asked, directly),
        _stated(finding, passages, call, asked, known),
        _told(finding, passages, said, said_instead),
        _without_call(finding, answer, passages, call, instead, lab.asking(item).words),
    )
    yield next(otherwise, None) or concluded_absent(finding, absence(answer, lab, item))


def _calls(code: Sequence[CodeCell], names: Collection[str]) -> list[Call]:
    """All calls by one of some names."""
    return [one for cell in code for one in cell.calls if one.name in names]


def _by_name(call: Call, signature: Signature | None) -> Call:
    """A call with the arguments that were given by place under their names."""
    if not signature or not call.arguments:
        return call
    placed = dict(zip(signature.arguments, call.arguments, strict=False))
    return call.model_copy(update={"keywords": {**placed, **call.keywords}})


def _places(calls: Sequence[Call], code: Sequence[CodeCell], asked: Asked) -> Iterator[tuple[Diagnosis, ...]]:
    """For each call what speaks against its place: it is not reached, or its value is made anew later and not as asked.
    A listing or script may leave out who calls its functions."""
    for one, (name, later) in zip(calls, _kept_last(calls, code), strict=True):
        against = []
        if one.dead:
            text = say("The call stands where the code never comes to.")
            against.append(Diagnosis(id=_NOT_REACHED, text=text))
        elif one.within and one.evidence.cell is not None and not any(one.within in cell.names for cell in code):
            text = say("The call stands in {name}, which is never called.", name=one.within)
            against.append(Diagnosis(id=_NOT_CALLED, text=text))
        is_anew = later is not one and not later.open
        if is_anew and any(lack.id == _NOT_SET for lack in _lacking(later, asked)):
            text = say("{name} is made anew later, and then not as asked.", name=name)
            against.append(Diagnosis(id=_MADE_ANEW, text=text))
        yield tuple(against)


def _kept_last(calls: Sequence[Call], code: Sequence[CodeCell]) -> Iterator[tuple[str, Call]]:
    """For each call the name under which its value is kept, and the last call of which that name keeps the value. A
    value without a name is its own last."""
    lines = {(cell.file, cell.cell): cell.source.split("\n") for cell in code if cell.is_notebook}
    names = []
    for one in calls:
        # Only a notebook's statement at the left margin is certainly reached, and under the same name.
        line = "".join(lines.get((one.evidence.file, one.evidence.cell), [])[(one.evidence.line or 1) - 1 :][:1])
        match = _KEPT.match(line)
        names.append((one.evidence.file, match[1] if match else ""))
    last = {name: one for name, one in zip(names, calls, strict=True) if name[1] and not one.dead}
    for name, one in zip(names, calls, strict=True):
        yield name[1], last.get(name, one)


def _status(against: Sequence[Diagnosis], call: Call) -> Status | None:
    """What a call with these problems is worth; None where that is not certain."""
    ids = {one.id for one in against}
    if ids & {UNDECIDABLE, _NOT_REACHED, _NOT_CALLED, _MADE_ANEW} or (call.open and _NOT_SET in ids):
        return None
    return Status.INCORRECT if _NOT_SET in ids else Status.PARTIAL if ids else Status.CORRECT


def _concluded(finding: Finding, call: Call, against: tuple[Diagnosis, ...], answer: Answer, asked: Asked) -> Finding:
    """The verdict on the best of the calls, with what speaks against it."""
    shown = ", ".join(f"{name}={value}" for name, value in call.keywords.items())
    place = (call.evidence.file, call.evidence.cell)
    gaps = [gap.evidence for cell in answer.code for gap in cell.gaps if (cell.file, cell.cell) == place]
    finding = finding.changed(
        found=f"{call.name}({shown})"[:_LONGEST_SHOWN], evidence=(call.evidence, *gaps[:1]), diagnoses=against
    )
    status, ids = _status(against, call), {one.id for one in against}
    if status is Status.CORRECT:
        finding = finding.changed(evidence=(call.evidence,))
        return decided(finding, status, say("{call} is configured as asked.", call=call.name))
    said = [one.text for one in against]
    said += [_GAP] if gaps else []
    said += [say("Some arguments come from a place that could not be followed.")] if call.open else []
    told = joined(" ", said)
    wrong, number = sum(one.id == _NOT_SET for one in against), len(asked.wanted)
    share = None
    if status is Status.INCORRECT and 0 < wrong <= number / 2:  # at least half of several is as asked
        status, share = Status.PARTIAL, Decimal(number - wrong) / number
    is_blank = any(_BLANK.fullmatch(value) for value in call.keywords.values())
    if gaps and (is_blank or (status is Status.INCORRECT and not call.keywords)):
        status, share = Status.MISSING, None
    # A call that asks for the right thing where it does nothing is right in part.
    unclear = Reason(told, is_likely=not ids & {UNDECIDABLE, _NOT_SET})
    beside = Reason(say("{told} What is asked for is also written in another place.", told=told), is_likely=False)
    is_beside = status in (Status.INCORRECT, Status.MISSING) and _is_set_elsewhere(answer, asked, call)
    if status is None:
        return decided(finding, Status.PARTIAL, "", unclear)
    return decided(finding, status, told, beside.when(is_beside), share=share)


_GAP: Final = say("A gap is left open there.")


def _is_set_elsewhere(answer: Answer, asked: Asked, call: Call) -> bool:
    """Whether what is required and not given stands anywhere in the code or the report, in whatever form."""
    texts = [*(cell.source for cell in answer.code), *(section.passage.text for section in answer.written)]
    lacking = [
        _pair(name, value) for name, value in asked.required.items() if not _is_one(call.keywords.get(name), [value])
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


def _for_another(
    finding: Finding, code: Sequence[CodeCell], call: str, asked: Asked, directly: Sequence[str]
) -> Iterator[Finding]:
    """What is asked for given to a function without the class, or a class of the student's own."""
    pairs = [f"{name!r}: {_source(value)}" for name, value in asked.required.items()]
    for one in (one for one in _calls(code, directly) if not one.dead):
        given = one.keywords
        takes = all(_is_one(given.get(name), values) for name, values in asked.wanted.items())
        if takes or any(text.startswith("{") and all(pair in text for pair in pairs) for text in given.values()):
            reason = Reason(say("{name} itself takes it, without a {call}.", name=one.name, call=call))
            changed = finding.changed(found=f"{one.name}({asked.written}, …)", evidence=(one.evidence,))
            yield decided(changed, Status.CORRECT, "", reason)
    for own in _calls(code, [call]):
        reason = Reason(say("The code defines a {call} of its own.", call=call), is_likely=False)
        yield decided(finding.changed(evidence=(own.evidence,)), Status.CORRECT, "", reason)


def _stated(
    finding: Finding, passages: Sequence[Passage], call: str, asked: Asked, known: Collection[str]
) -> Iterator[Finding]:
    """The arguments by their names and values in a table or a sentence: with the call's name in a table, or with others
    of its arguments, they are as good as the call."""
    names_call = any(call in passage.text for passage in passages)
    for passage in passages:
        pairs = ((name, value, _pair(name, value).search(passage.text)) for name, value in asked.required.items())
        spans = [match.span() if match else _below(passage, name, value) for name, value, match in pairs]
        found = [span for span in spans if span]
        if not found or not all(spans):
            continue
        in_table = all(passage.block_at(start).kind is BlockKind.ROW for start, _ in found)
        given = {match[1] for match in _GIVEN.finditer(passage.text)} - asked.required.keys()
        is_call = (in_table and names_call) or not given.isdisjoint(known)
        yield finding.changed(
            status=Status.CORRECT if is_call else Status.PARTIAL,
            found=", ".join(passage.text[start:end] for start, end in found),
            evidence=(passage.evidence(*found[0]),),
            feedback=say("{call} is configured as asked.", call=call) if is_call else _NO_CODE,
        )


_NO_CODE: Final = say("The report says how it is configured, but shows no code.")


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
) -> Iterator[Finding]:
    """A sentence about what was configured, without its code."""
    otherwise = say("The report says that something else than what was asked for is configured.")
    for words, status, told in ((said, Status.PARTIAL, _NO_CODE), (said_instead, Status.INCORRECT, otherwise)):
        if one := plainest(passages, words):
            finding = finding.changed(found=one.evidence.quote[:_LONGEST_SHOWN], evidence=(one.evidence,))
            unsaid = Reason(say("The report does not plainly say that it was done."), is_likely=not one.is_denied)
            yield decided(finding, status, told if one.is_plain else "", unsaid.when(not one.is_plain))


def _without_call(
    finding: Finding,
    answer: Answer,
    passages: Sequence[Passage],
    call: str,
    instead: Sequence[str],
    words: Sequence[str],
) -> Iterator[Finding]:
    """Another class or function in its place, a gap of the hand-out that is still open, or code that only names it."""
    names = [name.rpartition(".")[2] for name in instead]
    calls = [one for one in _calls(answer.code, names) if not (one.own or one.dead)]
    calls += [one for passage, name in product(passages, names) for one in calls_shown(passage, name, ())]
    for other in calls[-1:]:
        text = say("{other} is called, not {call}.", other=other.name, call=call)
        yield decided(finding.changed(found=other.name, evidence=(other.evidence,)), Status.INCORRECT, text)
    for cell in answer.code:
        if speaks_of(cell.source, (call, *words)):
            for gap in cell.gaps:
                yield decided(finding.changed(evidence=(gap.evidence,)), Status.MISSING, say("The gap is left open."))
    for cell in answer.code:
        yield from _mentioned(finding, cell, call)


def _mentioned(finding: Finding, cell: CodeCell, call: str) -> Iterator[Finding]:
    """The lines of a cell that name the class or function outside an import."""
    for number, line in enumerate(cell.living, start=1):
        if call in line and not line.lstrip().startswith(("from ", "import ")):
            place = Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:_LONGEST_SHOWN])
            reason = Reason(say("{call} is mentioned, but no complete call of it could be read.", call=call))
            yield decided(finding.changed(evidence=(place,)), Status.PARTIAL, "", reason)
