"""Does the function that makes prompts put question and response into the format that was asked for?"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import takewhile
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status, best_of
from grader.claims.answer import Answer, Kind
from grader.claims.code import CodeCell, Function
from grader.claims.code.model import HOLE, OPEN
from grader.claims.dialogues import Dialogue, Layout, dialogues
from grader.claims.statements import speaks_of
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.message import joined, say
from grader.reading.document import Evidence

_LONGEST: Final = 4_000
_LONGEST_NAME: Final = 40


class Form(Enum):
    """How a prompt is put together."""

    RIGHT = "right"
    SWAPPED = "swapped"
    REPEATED = "repeated"
    ONE_LINE = "one-line"
    BREAKS = "breaks"
    ESCAPED = "escaped"
    ORDER = "order"
    MARKS = "marks"
    OTHER_NAMES = "other-names"
    NO_VALUES = "no-values"
    NO_VALUE = "no-value"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"


class Made(NamedTuple):
    """The prompt that a function makes, its form, and whether the markers of the format stand in its code at all."""

    form: Form
    text: str
    has_markers: bool


def made_by(function: Function, markers: Sequence[str], values: Sequence[Sequence[str]]) -> Made:
    """The prompt that a function returns, or else prints. Of several the longest counts, if the others are in the
    format as well, as where there is no response yet."""
    texts = [text for text in function.returns if text.strip()] or [text for text in function.prints if text.strip()]
    strings = "".join(function.strings)
    has_markers = all(marker.strip() in strings for marker in markers)
    forms = {text: form_of(text, markers, values) for text in texts}
    right = [text for text, form in forms.items() if form is Form.RIGHT]
    others = [form for form in forms.values() if form not in (Form.RIGHT, Form.NO_VALUES, Form.NO_VALUE)]
    if right and not others:
        return Made(Form.RIGHT, max(right, key=len), has_markers)
    if function.is_empty or (texts and all(_is_given(text, function) for text in texts)):
        return Made(Form.INCOMPLETE, strings, has_markers=False)
    if not texts or all(_is_hole(text) for text in texts):
        return Made(Form.UNKNOWN if strings.strip() else Form.INCOMPLETE, strings, has_markers)
    if right:
        return Made(Form.UNKNOWN, max(right, key=len), has_markers)
    text = max(texts, key=len)
    return Made(forms[text], text, has_markers)


def form_of(text: str, markers: Sequence[str], values: Sequence[Sequence[str]]) -> Form:
    """The form of a prompt. Spaces at the ends of lines do not matter, nor blank lines around the whole."""
    text = text.strip()[:_LONGEST]
    parts = _parts(text, markers)
    if parts is None:
        return _other_form(text, markers)
    if any(_has_other_breaks(part, is_last=index == len(parts) - 1) for index, part in enumerate(parts)):
        return Form.BREAKS
    belong = [_belongs(part, values, index) for index, part in enumerate(parts)]
    if False in belong:
        return Form.REPEATED if True in belong else Form.SWAPPED
    if not values or all(OPEN in part for part in parts):
        return Form.RIGHT
    return Form.NO_VALUE if any(OPEN in part for part in parts) else Form.NO_VALUES


def _parts(text: str, markers: Sequence[str]) -> list[str] | None:
    """What stands after each marker, where all stand in order, each once, and on lines of their own."""
    lines = [line.strip() for line in text.split("\n")]
    starts = []
    for marker in markers:
        opens = re.compile(r"\s*".join(re.escape(piece) for piece in re.split(r"(?=:)", marker.strip())))
        found = [index for index, line in enumerate(lines) if opens.match(line)]
        if len(found) != 1:
            return None
        starts.append((found[0], opens))
    order = [index for index, _ in starts]
    if order != sorted(set(order)) or order[0] != 0:
        return None
    ends = [*order[1:], len(lines)]
    joined = ["\n".join(lines[index:end]) for (index, _), end in zip(starts, ends, strict=True)]
    parts = [opens.sub("", text, count=1) for (_, opens), text in zip(starts, joined, strict=True)]
    return None if any(marker.strip() in part for part in parts for marker in markers) else parts


def _has_other_breaks(part: str, *, is_last: bool) -> bool:
    """Whether a marker stands alone on its line, or a blank line follows its part."""
    return bool(part.strip()) and (part.lstrip(" ").startswith("\n") or (part.endswith("\n") and not is_last))


def _belongs(part: str, values: Sequence[Sequence[str]], index: int) -> bool | None:
    """Whether a part holds what belongs there, by the names of its unknown values; None where they do not tell."""
    if len(values) <= index:
        return None
    names = " ".join(HOLE.findall(part)).lower()
    own = any(word in names for word in values[index])
    foreign = any(word in names for number, words in enumerate(values) if number != index for word in words)
    return own if own != foreign else None


def _other_form(text: str, markers: Sequence[str]) -> Form:
    """The form of a prompt whose parts do not stand on lines of their own in order."""
    positions = [text.find(marker.strip()) for marker in markers]
    if all(position >= 0 for position in positions):
        if positions != sorted(positions):
            return Form.ORDER
        between = text[positions[0] : positions[-1]]
        if "\n" in between:
            return Form.INCOMPLETE
        return Form.ESCAPED if re.search(r"[\\/]n\s*$", between) else Form.ONE_LINE
    if _has_names(text, markers):
        return Form.MARKS
    lines = [line for line in text.split("\n") if re.match(r"\s*[#<\[]*\s*\w[\w ]{0,20}\W{0,4}:", line)]
    if len(lines) >= len(markers) and OPEN in text:
        return Form.OTHER_NAMES
    return Form.UNKNOWN if _is_hole(text) else Form.INCOMPLETE


def _has_names(text: str, markers: Sequence[str]) -> bool:
    """Whether lines begin with the names of all roles, in order, but in other marks."""
    begins = [re.sub(r"\W.*", "", line.lstrip("<[(#*_ \t{|'\"")[:_LONGEST_NAME].lower()) for line in text.split("\n")]
    names = [re.sub(r"\W", "", marker).lower() for marker in markers]
    places = [begins.index(name) if name in begins else -1 for name in names]
    return -1 not in places and places == sorted(set(places))


def _is_given(text: str, function: Function) -> bool:
    """Whether a text is nothing but what the function was given."""
    return _is_hole(text) and all(source in function.parameters for source in HOLE.findall(text))


def _is_hole(text: str) -> bool:
    """Whether nothing of a text is known."""
    return not HOLE.sub("", text).strip() and OPEN in text


_LONGEST_SHOWN: Final = 200
_QUOTE: Final = 300
_TEXTS: Final = {
    Form.SWAPPED: say("Question and response stand in each other's place."),
    Form.REPEATED: say("One part of the prompt holds what belongs into the other."),
    Form.ONE_LINE: say("The parts of the prompt stand on one line."),
    Form.BREAKS: say("The line breaks of the prompt are not those of the format."),
    Form.ESCAPED: say("The line break between the parts is written out, but none is made."),
    Form.ORDER: say("The parts of the prompt stand in another order."),
    Form.MARKS: say("The roles have their names, but not the marks of the format."),
    Form.OTHER_NAMES: say("The roles have other names than in the required format."),
    Form.NO_VALUES: say("The prompt does not hold what the function is given."),
    Form.NO_VALUE: say("One part of the prompt does not hold what the function is given."),
}
_DECIDED: Final = {
    **dict.fromkeys(
        (Form.SWAPPED, Form.REPEATED, Form.ONE_LINE, Form.BREAKS, Form.ESCAPED, Form.ORDER, Form.MARKS), Status.PARTIAL
    ),
    Form.OTHER_NAMES: Status.INCORRECT,
}
"""What a prompt in another form is worth; in the forms that are not listed a person looks."""

_LAYOUTS: Final = {
    Layout.ONE_LINE: Form.ONE_LINE,
    Layout.BREAKS: Form.BREAKS,
    Layout.ORDER: Form.ORDER,
    Layout.MARKS: Form.MARKS,
    Layout.OTHER_NAMES: Form.OTHER_NAMES,
}


@check("prompt-format", kinds=(Kind.WRITTEN, Kind.CODE, Kind.PRINTED))
def prompt_format(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    function: str,
    markers: tuple[str, ...],
    values: tuple[tuple[str, ...], ...] = (),
    about: tuple[str, ...] = (),
    breaks: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The prompt is made in the format that was asked for.

    `markers` begin the parts of the prompt, a line break included where one belongs before it. `values` are for each
    part the words by which names tell what belongs into it. A prompt that the report shows counts as one that code
    makes; one with plain names for the roles (`Q: …`) is looked for near words that speak `about` prompts. `breaks` are
    words or signs by which a sentence that names the marks says that a line ends between them.

    Decides: prompts that code makes or a report shows: each part is marked as asked for, or not.

    Leaves to people: prompts that cannot be followed, and formats that only words describe.
    """
    expected = "".join(f"{marker} … " for marker in markers).replace("\n", "⏎ ")
    finding = Finding(item=item, status=Status.REVIEW, expected=Expected(text=expected.strip()))
    by_code = _by_code(finding, answer.code, function, markers, values)
    best = best_of((by_code, _shown(finding, answer, lab, markers, values, about, breaks)))
    yield best or concluded_absent(finding, absence(answer, lab, item))


def _by_code(
    finding: Finding,
    code: Sequence[CodeCell],
    function: str,
    markers: Sequence[str],
    values: Sequence[Sequence[str]],
) -> Finding | None:
    """What the functions in the code show; None where none has to do with prompts."""
    made = [_Made(made_by(one, markers, values), one, cell) for cell in code for one in cell.functions if not one.dead]
    asked = [one for one in made if one.function.name == function]
    if asked:
        return _of_asked(finding, asked, _wrong_prompts(code, markers), function, markers)
    return _without_asked(finding, made, code, markers, function)


def _shown(
    finding: Finding,
    answer: Answer,
    lab: Lab,
    markers: Sequence[str],
    values: Sequence[Sequence[str]],
    about: Sequence[str],
    breaks: Sequence[str],
) -> Finding | None:
    """What the report shows; the best of several prompts counts."""
    question = lab.asking(finding.item)
    found = [
        one
        for section in answer.written
        if not section.is_closing
        for one in dialogues(
            section.passage, markers, (*question.words, *about), section.questions == (question.id,), breaks
        )
    ]
    best = min(found, key=lambda one: list(Layout).index(one.layout), default=None)
    if best is None:
        return None
    finding = finding.changed(found=" ".join(best.text.split())[:_LONGEST_SHOWN], evidence=(best.evidence,))
    if best.layout in (Layout.NAMED, Layout.ONE_LINE) and _says_breaks(best, markers, breaks):
        return finding.changed(status=Status.CORRECT, feedback=say("The report gives the prompt in the right format."))
    if best.layout is Layout.NAMED:
        text = say("The report names the marks of the format, but shows no whole prompt.")
        return finding.changed(suggestion=Status.CORRECT, feedback=text)
    form = _LAYOUTS.get(best.layout) or form_of(_with_holes(best.text), markers, values)
    if form in (Form.RIGHT, Form.NO_VALUES, Form.NO_VALUE):
        return finding.changed(status=Status.CORRECT, feedback=say("The report shows a prompt in the right format."))
    # A text may have lost or won line breaks on its way.
    decided = None if form in (Form.BREAKS, Form.ONE_LINE) and not best.is_code else _in_other_form(finding, form)
    return decided or finding.changed(
        suggestion=Status.PARTIAL, feedback=say("The report shows a prompt; a person compares it with the format.")
    )


def _says_breaks(found: Dialogue, markers: Sequence[str], breaks: Sequence[str]) -> bool:
    """Whether a sentence says that a line ends wherever the format has a line break before a mark."""
    parts = found.text.split("\n")
    broken = [part for part, marker in zip(parts, markers[1:], strict=False) if "\n" in marker]
    said = [(part, speaks_of(part, breaks)) for part in broken]
    return (
        bool(said)
        and not found.is_code
        and all(
            at and not lexicon.search(r"<same|absent>\W+(?:\w+\W+){0,2}\Z", part[: at.start()]) for part, at in said
        )
    )


def _with_holes(text: str) -> str:
    """A template with its `{names}` as the unknown values that they are."""
    return re.sub(r"\{([^{}\n]{1,60})\}", r"⟨\1⟩", text)


def _in_other_form(finding: Finding, form: Form) -> Finding | None:
    status = _DECIDED.get(form)
    if status is None:
        return None
    return finding.changed(
        status=status, diagnoses=(Diagnosis(id=form.value, text=_TEXTS[form]),), feedback=_TEXTS[form]
    )


class _Made(NamedTuple):
    """A function, the cell that it stands in, and the prompt that it makes."""

    prompt: Made
    function: Function
    cell: CodeCell

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The function's first line, and the last one in which it returns or prints something."""
        first = self.function.evidence
        lines = self.cell.source.split("\n")
        at = next((number for number, line in enumerate(lines) if line.strip()[:_QUOTE] == first.quote), None)
        if at is None:
            return (first,)
        indent = len(lines[at]) - len(lines[at].lstrip())
        gives = [
            number
            for number, line in enumerate(takewhile(lambda line: _is_within(line, indent), lines[at + 1 :]), start=1)
            if line.strip().startswith(("return", "print", "yield"))
        ]
        if not gives:
            return (first,)
        quote = lines[at + gives[-1]].strip()[:_QUOTE]
        return (first, first.model_copy(update={"line": (first.line or 0) + gives[-1], "quote": quote}))


def _is_within(line: str, indent: int) -> bool:
    return not line.strip() or len(line) - len(line.lstrip()) > indent


def _of_asked(
    finding: Finding, made: Sequence[_Made], prompts: Sequence[Evidence], function: str, markers: Sequence[str]
) -> Finding:
    """Of several definitions in one file the last one holds."""
    last = list({one.cell.file: one for one in made}.values())
    right = [one for one in last if one.prompt.form is Form.RIGHT]
    before = [one for one in made if one.prompt.form is Form.RIGHT and one not in last]
    told = (right or last)[-1]
    gaps = [gap.evidence for gap in told.cell.gaps]
    finding = finding.changed(
        found=" ".join(told.prompt.text.split())[:_LONGEST_SHOWN] or None, evidence=(*told.evidence, *gaps[:1])
    )
    if right:
        return _right(finding, told, gaps, prompts)
    if before:
        text = say(
            "{name} makes the prompt in the right format, but a later definition takes its place.", name=function
        )
        places = (*before[-1].evidence, *told.evidence)
        return finding.changed(evidence=places, suggestion=Status.PARTIAL, feedback=_looked_at(text))
    decided = _in_other_form(finding, told.prompt.form)
    if decided is not None and not told.function.is_empty:
        return decided
    if told.prompt.form in _TEXTS:
        text = _TEXTS[told.prompt.form]
        diagnosis = Diagnosis(id=told.prompt.form.value, text=text)
        return finding.changed(diagnoses=(diagnosis,), suggestion=Status.PARTIAL, feedback=_looked_at(text))
    if told.prompt.form is Form.UNKNOWN:
        text = say("{name} was found, but what it makes could not be followed.", name=function)
        suggestion = Status.CORRECT if told.prompt.has_markers else Status.PARTIAL
        return finding.changed(suggestion=suggestion, feedback=_looked_at(text))
    if told.function.is_empty or gaps or _returns_nothing(told.function):
        text = say("{name} was found, but it is not filled in.", name=function)
        return finding.changed(status=Status.MISSING, feedback=text)
    text = say("{name} was found, but not with the whole format in the code.", name=function)
    names = [re.sub(r"\W", "", marker).lower() for marker in markers]
    is_begun = any(name in told.prompt.text.lower() for name in names)
    return finding.changed(suggestion=Status.PARTIAL if is_begun else None, feedback=text)


def _returns_nothing(function: Function) -> bool:
    """Whether all that a function makes is known to be blank."""
    return bool(function.returns) and not any(text.strip() for text in (*function.returns, *function.prints))


def _right(finding: Finding, told: _Made, gaps: Sequence[Evidence], prompts: Sequence[Evidence]) -> Finding:
    """The verdict on a function that makes prompts in the right format."""
    name = told.function.name
    if not gaps and not prompts:
        text = say("{name} makes the prompt in the right format.", name=name)
        return finding.changed(status=Status.CORRECT, evidence=told.evidence[:1], feedback=text)
    text = (
        say("{name} makes the prompt in the right format, but a prompt is not in it.", name=name)
        if prompts
        else say("{name} makes the prompt in the right format, but a gap is left open beside it.", name=name)
    )
    return finding.changed(
        evidence=(told.function.evidence, *gaps[:1], *prompts[:2]),
        suggestion=Status.PARTIAL if prompts else Status.CORRECT,
        feedback=_looked_at(text),
    )


def _looked_at(text: str) -> str:
    return joined(" ", [text, say("A person looks at the code.")])


def _without_asked(
    finding: Finding, made: Sequence[_Made], code: Sequence[CodeCell], markers: Sequence[str], function: str
) -> Finding | None:
    """What other functions, texts and lines show where the function that was asked for is not there."""
    right = [one for one in made if one.prompt.form is Form.RIGHT]
    if right:
        one = right[-1]
        found = " ".join(one.prompt.text.split())[:_LONGEST_SHOWN]
        finding = finding.changed(found=found, evidence=one.evidence)
        used = {call.name for cell in code for call in cell.calls}
        if one.function.name in used:
            text = say("{name} makes the prompt in the right format.", name=one.function.name)
            return finding.changed(status=Status.CORRECT, feedback=text)
        text = say(
            "{name} makes the prompt in the right format, but no {asked} was found.",
            name=one.function.name,
            asked=function,
        )
        return finding.changed(suggestion=Status.CORRECT, feedback=_looked_at(text))
    written = [
        text
        for cell in code
        for text in cell.texts
        if form_of(text.text, markers, ()) in (Form.RIGHT, Form.NO_VALUES) and "prompt" in text.name.lower()
    ]
    if written:
        found = " ".join(written[-1].text.split())[:_LONGEST_SHOWN]
        text = say("The code writes a prompt in the right format.")
        return finding.changed(status=Status.CORRECT, found=found, evidence=(written[-1].evidence,), feedback=text)
    words = [function, *(marker.strip() for marker in markers)]
    places = [place for word in words for cell in code if (place := _line_with(cell, word))]
    if not places:
        return None
    return finding.changed(
        evidence=tuple(places[:1]),
        suggestion=Status.PARTIAL,
        feedback=_looked_at(say("{name} was not found in the code.", name=function)),
    )


def _line_with(cell: CodeCell, word: str) -> Evidence | None:
    for number, line in enumerate(cell.living, start=1):
        if word in line:
            return Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:_QUOTE])
    return None


def _wrong_prompts(code: Sequence[CodeCell], markers: Sequence[str]) -> list[Evidence]:
    """Texts kept under the name of a prompt that begin in the format and go on otherwise, unless others are right."""
    first = re.sub(r"\W", "", markers[0]) if markers else ""
    prompts = [
        text
        for cell in code
        for text in cell.texts
        if "prompt" in text.name.lower() and re.search(rf"\b{re.escape(first)}\W{{0,3}}:", text.text, re.IGNORECASE)
    ]
    wrong = [one.evidence for one in prompts if form_of(one.text, markers, ()) not in (Form.RIGHT, Form.NO_VALUES)]
    return wrong if len(wrong) == len(prompts) else []
