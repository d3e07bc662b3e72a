"""The check `prompt-format`: the function that makes prompts puts question and response into the required format.

`made_by` finds the prompt that a function makes, and `form_of` classifies its form.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import takewhile
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import GAP, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status, best_of
from grader.claims.answer import Answer, Kind
from grader.claims.code import CodeCell, Function
from grader.claims.code.model import HOLE, OPEN
from grader.claims.dialogues import Dialogue, Layout, dialogues
from grader.claims.statements import speaks_of
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.message import join_messages, say
from grader.reading.document import Evidence

_LONGEST: Final = 4_000
_LONGEST_NAME: Final = 40


class Form(Enum):
    """The form of a prompt."""

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


class MadePrompt(NamedTuple):
    """The prompt that a function makes, with its form. `has_markers`: its code contains all markers of the format."""

    form: Form
    text: str
    has_markers: bool


def made_by(function: Function, markers: Sequence[str], values: Sequence[Sequence[str]]) -> MadePrompt:
    """Return the prompt that a function returns, or else prints.

    If there are several, the longest counts. The others must have the right format as well, at most without the values.
    """
    texts = [text for text in function.returns if text.strip()] or [text for text in function.prints if text.strip()]
    strings = "".join(function.strings)
    has_markers = all(marker.strip() in strings for marker in markers)
    forms = {text: form_of(text, markers, values) for text in texts}
    right = [text for text, form in forms.items() if form is Form.RIGHT]
    others = [form for form in forms.values() if form not in (Form.RIGHT, Form.NO_VALUES, Form.NO_VALUE)]
    if right and not others:
        return MadePrompt(Form.RIGHT, max(right, key=len), has_markers)
    if function.is_empty or (texts and all(_is_given(text, function) for text in texts)):
        return MadePrompt(Form.INCOMPLETE, strings, has_markers=False)
    if not texts or all(_is_hole(text) for text in texts):
        is_begun = has_markers or (bool(texts) and bool(strings.strip()))
        return MadePrompt(Form.UNKNOWN if is_begun else Form.INCOMPLETE, strings, has_markers)
    if right:
        return MadePrompt(Form.UNKNOWN, max(right, key=len), has_markers)
    text = max(texts, key=len)
    return MadePrompt(forms[text], text, has_markers)


def form_of(text: str, markers: Sequence[str], values: Sequence[Sequence[str]]) -> Form:
    """Return the form of a prompt. Spaces at line ends and blank lines around the prompt do not matter."""
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
    """Return the text after each marker, or None if the markers do not begin different lines, once each and in
    order."""
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
    """Whether a part contains its own values, by the names of its variables; None if the names do not show that."""
    if len(values) <= index:
        return None
    names = " ".join(HOLE.findall(part)).lower()
    has_own = any(word in names for word in values[index])
    foreign = any(word in names for number, words in enumerate(values) if number != index for word in words)
    return has_own if has_own != foreign else None


def _other_form(text: str, markers: Sequence[str]) -> Form:
    """Return the form of a prompt whose parts do not stand on different lines in order."""
    positions = [text.find(marker.strip()) for marker in markers]
    if min(positions) >= 0:
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
    """Whether lines begin with the names of all roles in order, but with other markers."""
    begins = [re.sub(r"\W.*", "", line.lstrip("<[(#*_ \t{|'\"")[:_LONGEST_NAME].lower()) for line in text.split("\n")]
    names = [re.sub(r"\W", "", marker).lower() for marker in markers]
    places = [begins.index(name) if name in begins else -1 for name in names]
    return -1 not in places and places == sorted(set(places))


def _is_given(text: str, function: Function) -> bool:
    """Whether a text is only an argument of the function."""
    return _is_hole(text) and all(source in function.parameters for source in HOLE.findall(text))


def _is_hole(text: str) -> bool:
    """Whether a text consists of unknown values only."""
    return not HOLE.sub("", text).strip() and OPEN in text


_LONGEST_SHOWN: Final = 200
_QUOTE: Final = 300
_TEXTS: Final = {
    Form.SWAPPED: say("The parts of the prompt are in the wrong place."),
    Form.REPEATED: say("The parts of the prompt are in the wrong place."),
    Form.ONE_LINE: say("The line breaks of the prompt are not those of the format."),
    Form.BREAKS: say("The line breaks of the prompt are not those of the format."),
    Form.ESCAPED: say("The line break between the parts is written as text, so there is none."),
    Form.ORDER: say("The parts of the prompt are in the wrong place."),
    Form.MARKS: say("The roles are not marked as the format requires."),
    Form.OTHER_NAMES: say("The roles are not marked as the format requires."),
    Form.NO_VALUES: say("The prompt does not hold everything that the function is given."),
    Form.NO_VALUE: say("The prompt does not hold everything that the function is given."),
}
_DECIDED: Final = {
    **dict.fromkeys(
        (Form.SWAPPED, Form.REPEATED, Form.ONE_LINE, Form.BREAKS, Form.ESCAPED, Form.ORDER, Form.MARKS), Status.PARTIAL
    ),
    Form.OTHER_NAMES: Status.INCORRECT,
}
"""The verdicts on wrong forms. A prompt of a form that is not listed goes to review."""


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

    - `function`: the function that builds the prompt.
    - `markers`: the beginnings of the prompt's parts, with a line break if one belongs before them.
    - `values`: for each part, names of its variables.
    - `about`: lines with plain role names (`Q: …`) count as a prompt only near one of these words.
    - `breaks`: words or signs for a line break between the markers.

    Decides: whether each part of the prompt is marked as asked for, in code or in the report.

    Leaves to people: prompts that cannot be followed, and formats that only words describe.

    Example:
        function = "generate_prompt"
        markers = ["<human>:", "\\n<assistant>:"]
        about = ["prompt", "format", "dialog"]
        breaks = ["newline", "↵"]
        values = [["question", "instruction"], ["answer", "response"]]
    """
    shown = "".join(f"{marker} … " for marker in markers).replace("\n", "⏎ ")
    finding = Finding(item=item, status=Status.REVIEW, expected=ExpectedAnswer(text=shown.strip()))
    made = [
        _Made(made_by(candidate, markers, values), candidate, cell)
        for cell in answer.code
        for candidate in cell.functions
        if not candidate.dead
    ]
    asked = [prompt for prompt in made if prompt.function.name == function]
    by_code = (
        _of_asked(finding, asked, _wrong_prompts(answer.code, markers), markers)
        if asked
        else _without_asked(finding, made, answer.code, markers, function)
    )
    best = best_of((by_code, _in_report(finding, answer, lab, markers, values, about, breaks)))
    yield best or concluded_absent(finding, absence(answer, lab, item))


_RIGHT: Final = say("The prompt has the right format.")


def _in_report(
    finding: Finding,
    answer: Answer,
    lab: Lab,
    markers: Sequence[str],
    values: Sequence[Sequence[str]],
    about: Sequence[str],
    breaks: Sequence[str],
) -> Finding | None:
    """Return the finding about the best prompt in the report, or None without a prompt."""
    question = lab.asking(finding.item)
    words = (*question.words, *about)
    found = [
        dialogue
        for section in answer.written
        if not section.is_closing
        for dialogue in dialogues(section.passage, markers, words, section.questions == (question.id,), breaks)
    ]
    best = min(found, key=lambda dialogue: list(Layout).index(dialogue.layout), default=None)
    if best is None:
        return None
    finding = finding.with_changes(found=_short(best.text), evidence=(best.evidence,))
    if best.layout is Layout.NAMED or (best.layout is Layout.ONE_LINE and _says_breaks(best, markers, breaks)):
        unshown = Reason(say("The quoted words may only name the marks of the format."))
        return with_verdict(finding, Status.CORRECT, _RIGHT, unshown.keep_if(not _says_breaks(best, markers, breaks)))
    with_holes = re.sub(r"\{([^{}\n]{1,60})\}", r"⟨\1⟩", best.text)  # a template's `{names}` are unknown values
    form = form_of(with_holes, markers, values) if best.layout is Layout.RIGHT else Form(best.layout.value)
    if form in (Form.RIGHT, Form.NO_VALUES, Form.NO_VALUE):
        return with_verdict(finding, Status.CORRECT, _RIGHT)
    # Line breaks in text that is not code may have been lost or added.
    certain = _DECIDED.keys() - (() if best.is_code else (Form.BREAKS, Form.ONE_LINE))
    return _in_other_form(finding, form) if form in certain else with_verdict(finding, Status.PARTIAL, "", _UNLIKE)


_UNLIKE: Final = Reason(say("The prompt has to be compared with the format."))


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_SHOWN]


def _says_breaks(found: Dialogue, markers: Sequence[str], breaks: Sequence[str]) -> bool:
    """Whether a sentence mentions a line break wherever the format has one before a marker."""
    parts = found.text.split("\n")
    broken = [part for part, marker in zip(parts, markers[1:], strict=False) if "\n" in marker]
    break_mentions = [(part, speaks_of(part, breaks)) for part in broken]
    return (
        bool(break_mentions)
        and not found.is_code
        and all(
            at and not lexicon.search(r"<only_one|absent>\W+(?:\w+\W+){0,2}\Z", part[: at.start()])
            for part, at in break_mentions
        )
    )


def _in_other_form(finding: Finding, form: Form, *, is_certain: bool = True) -> Finding:
    """Return the verdict on a prompt with a wrong form, or a review if the form may still be right."""
    text = _TEXTS[form]
    if form in (Form.MARKS, Form.OTHER_NAMES) and finding.expected:
        text = join_messages(" ", (text, say("Asked for: {text}.", text=finding.expected.text)))
    reason = Reason(text).keep_if(form not in _DECIDED or not is_certain)
    return with_verdict(
        finding.with_changes(diagnoses=(Diagnosis(id=form.value, text=text),)),
        _DECIDED.get(form, Status.PARTIAL) if is_certain else Status.PARTIAL,
        "" if reason else text,
        reason,
    )


class _Made(NamedTuple):
    """A function, its cell, and the prompt that it makes."""

    prompt: MadePrompt
    function: Function
    cell: CodeCell

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The function's first line, and the last line that returns or prints something."""
        first, lines = self.function.evidence, self.cell.source.split("\n")
        at = next((number for number, line in enumerate(lines) if line.strip()[:_QUOTE] == first.quote), len(lines))
        indent = len(lines[at]) - len(lines[at].lstrip()) if at < len(lines) else 0
        body = takewhile(lambda line: not line.strip() or len(line) - len(line.lstrip()) > indent, lines[at + 1 :])
        gives = [n for n, line in enumerate(body, start=1) if line.strip().startswith(("return", "print", "yield"))]
        if not gives:
            return (first,)
        quote = lines[at + gives[-1]].strip()[:_QUOTE]
        return (first, first.model_copy(update={"line": (first.line or 0) + gives[-1], "quote": quote}))


def _of_asked(finding: Finding, made: Sequence[_Made], prompts: Sequence[Evidence], markers: Sequence[str]) -> Finding:
    """Return the verdict on the function that was asked for. The last definition in a file counts."""
    last = list({candidate.cell.file: candidate for candidate in made}.values())
    right = [candidate for candidate in last if candidate.prompt.form is Form.RIGHT]
    before = [candidate for candidate in made if candidate.prompt.form is Form.RIGHT and candidate not in last]
    definition = (right or last)[-1]
    prompt, function, name = definition.prompt, definition.function, definition.function.name
    gaps = [gap.evidence for gap in definition.cell.gaps]
    finding = finding.with_changes(found=_short(prompt.text) or None, evidence=(*definition.evidence, *gaps[:1]))
    if right:
        is_left, is_other = bool(gaps), bool(prompts)
        places = (function.evidence, *gaps[:1], *prompts[:2]) if is_left or is_other else definition.evidence[:1]
        status = Status.PARTIAL if is_other else Status.CORRECT
        return with_verdict(
            finding.with_changes(evidence=places), status, _RIGHT, _NOT_IN_IT.keep_if(is_other), _GAP.keep_if(is_left)
        )
    if before:
        finding = finding.with_changes(evidence=(*before[-1].evidence, *definition.evidence))
        return with_verdict(finding, Status.PARTIAL, _RIGHT, _REPLACED)
    if prompt.form in _TEXTS:
        return _in_other_form(finding, prompt.form, is_certain=not function.is_empty)
    if prompt.form is Form.UNKNOWN:
        reason = Reason(say("What {name} does could not be followed.", name=name))
        return with_verdict(finding, Status.CORRECT if prompt.has_markers else Status.PARTIAL, "", reason)
    is_blank = bool(function.returns) and not any(text.strip() for text in (*function.returns, *function.prints))
    if function.is_empty or gaps or is_blank:
        return with_verdict(finding, Status.MISSING, GAP)
    is_begun = any(re.sub(r"\W", "", marker).lower() in prompt.text.lower() for marker in markers)
    lacks = say("What {name} does could not be followed.", name=name)
    return with_verdict(finding, Status.PARTIAL, "", Reason(lacks, is_likely=is_begun))


_NOT_IN_IT: Final = Reason(say("A prompt in the code does not have the format."))
_GAP: Final = Reason(GAP)
_REPLACED: Final = Reason(say("A later definition replaces it."))


def _without_asked(
    finding: Finding, made: Sequence[_Made], code: Sequence[CodeCell], markers: Sequence[str], function: str
) -> Finding | None:
    """Return the finding about other functions, texts and lines if the required function does not exist, or None."""
    right = [candidate for candidate in made if candidate.prompt.form is Form.RIGHT]
    absent = Reason(say("{name} was not found in the code.", name=function))
    if right:
        prompt = right[-1]
        is_used = any(call.name == prompt.function.name for cell in code for call in cell.calls)
        finding = finding.with_changes(found=_short(prompt.prompt.text), evidence=prompt.evidence)
        return with_verdict(finding, Status.CORRECT, _RIGHT, absent.keep_if(not is_used))
    written = [
        text for cell in code for text in cell.texts if _is_prompt(text.name) and _is_in_format(text.text, markers)
    ]
    if written:
        finding = finding.with_changes(found=_short(written[-1].text), evidence=(written[-1].evidence,))
        return with_verdict(finding, Status.CORRECT, _RIGHT)
    for word in (function, *(marker.strip() for marker in markers)):
        for cell in code:
            for number, line in enumerate(cell.living, start=1):
                if word in line:
                    place = Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:_QUOTE])
                    return with_verdict(finding.with_changes(evidence=(place,)), Status.PARTIAL, "", absent)
    return None


def _is_prompt(name: str) -> bool:
    return "prompt" in name.lower()


def _is_in_format(text: str, markers: Sequence[str]) -> bool:
    return form_of(text, markers, ()) in (Form.RIGHT, Form.NO_VALUES)


def _wrong_prompts(code: Sequence[CodeCell], markers: Sequence[str]) -> list[Evidence]:
    """Return the places of prompts in variables that begin in the format and continue differently.

    Return nothing if other prompts are right.
    """
    first = re.sub(r"\W", "", markers[0]) if markers else ""
    begins = re.compile(rf"\b{re.escape(first)}\W{{0,3}}:", re.IGNORECASE)
    prompts = [text for cell in code for text in cell.texts if _is_prompt(text.name) and begins.search(text.text)]
    wrong = [prompt.evidence for prompt in prompts if not _is_in_format(prompt.text, markers)]
    return wrong if len(wrong) == len(prompts) else []
