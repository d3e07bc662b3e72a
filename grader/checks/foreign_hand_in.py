"""The watch `foreign-hand-in`: a submission is an answer to this lab.

`belonging` counts the signs for and against this. A single word or a title proves nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from grader.checks.blank_notebooks import BlankNotebook, blank_notebooks, instructions, was_worked_on
from grader.checks.check import Conclusion, check
from grader.checks.finding import Doubt, Finding, Flag, Severity, Status
from grader.claims.answer import Answer
from grader.claims.handout import NotebookState
from grader.language.shapes import LONG_WORD, WORD
from grader.message import Words, join_messages, say, say_number
from grader.reading.document import BlockKind, Evidence

_MOST: Final = 300_000
_GIVEN: Final = (Status.CORRECT, Status.PARTIAL)

_FEWEST_WORDS: Final = 60
"""A submission with fewer words says too little to be called another lab's."""

_FEWEST_SIGNS: Final = 2
"""The fewest signs that tie a submission to the lab. Tutorials may share one name or result with it by chance."""

_FEWEST_TIMES: Final = 4
"""A submission is about another subject if it mentions it this often."""

_QUARTERS: Final = 4
"""Each quarter of the items that is answered correctly is a sign. Another lab's submission stays below the first by
chance."""

_BEGUN: Final = 1 / 3
"""The share of the handout's lines from which a notebook was begun with the handout."""

_FEW_TERMS: Final = 0.25
_HALF_OF_TERMS: Final = 0.5
_MANY_TERMS: Final = 0.6
"""A submission that mentions at most the share `_FEW_TERMS` of the lab's subjects is about something else. One that
mentions at least `_MANY_TERMS` is probably this lab's, because labs share only some subjects. From `_HALF_OF_TERMS` on,
missing subjects alone do not make it another lab's."""


class Belonging(NamedTuple):
    """The signs in the student's own words and code that a submission belongs to the lab."""

    words: int
    """The number of words outside notebooks that were begun with the handout."""
    terms: int
    """The number of the lab's subjects."""
    found: tuple[str, ...]
    """The subjects that the submission mentions."""
    own: tuple[str, ...]
    """The names in it that only the lab's model and data have."""
    others: tuple[tuple[str, ...], ...]
    """The words for each other subject that it mentions often."""
    given: int
    """The number of items that are answered at least partly correctly."""
    items: int
    has_figures: bool = False
    """Whether two results agree with the lab's runs."""
    is_proven: bool = False
    """Whether an answer is right that nobody gets by chance."""
    may_be_proven: bool = False
    """Whether such an answer is pending and may be right."""
    is_begun: bool = False
    """Whether it contains a notebook that was begun with the lab's handout."""
    can_tell: bool = True
    """Whether the lab names any signs."""
    places: tuple[Evidence, ...] = ()

    @property
    def signs(self) -> int:
        """The number of independent signs for the lab."""
        return len(self.own) + self.has_figures + (_QUARTERS * self.given // self.items if self.items else 0)

    @property
    def is_tied(self) -> bool:
        """Whether the submission is for this lab: an answer proves it, or the signs outweigh its other subjects."""
        return self.is_proven or self.signs >= max(_FEWEST_SIGNS, len(self.others) + 1)

    @property
    def is_foreign(self) -> bool:
        """Whether the submission is about other things and not tied to the lab. A short one is never called foreign."""
        is_short = self.words < _FEWEST_WORDS and not self.others
        if self.is_tied or self.may_be_proven or is_short or not self.terms:
            return False
        if not self.can_tell:
            return not self.given and self.is_elsewhere
        return bool(self.others) or len(self.found) < _HALF_OF_TERMS * self.terms

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is about other subjects, or about hardly any of the lab's, like another lab's handout."""
        return bool(self.others) or len(self.found) <= _FEW_TERMS * self.terms

    @property
    def is_unplaced(self) -> bool:
        """Whether it earns points although nothing shows its subject."""
        is_given = self.can_tell and bool(self.given) and not self.is_tied and not self.is_begun
        return is_given and len(self.found) < _MANY_TERMS * self.terms

    def describe_signs(self) -> Iterator[str]:
        """Yield a sentence for each sign."""
        found = say("only {named}", named=", ".join(self.found)) if self.found else say("none of them")
        yield say("The lab is about {terms} subjects; the submission mentions {found}.", terms=self.terms, found=found)
        if self.own:
            yield say("Of the names of the lab's model and data, it mentions only {named}.", named=", ".join(self.own))
        elif self.can_tell:
            yield say("Nothing in the submission shows that it is about the model and the data of this lab.")
        if self.others:
            yield say("It is about other subjects: {others}.", others=", ".join([*chain(*self.others)][:6]))
        if not self.given:
            yield say("None of the {items} items is answered rightly.", items=self.items)
        else:
            yield say_number(
                "Only {number} of {items} items is answered as asked.",
                "Only {number} of {items} items are answered as asked.",
                self.given,
                items=self.items,
            )


def belonging(
    answer: Answer,
    findings: Sequence[Finding],
    terms: Sequence[str],
    own_names: Sequence[str],
    others: Sequence[str],
    telling: Sequence[str],
    together: Sequence[str] = (),
) -> Belonging:
    """Return the signs in a submission. Printed output does not count."""
    begun = {notebook.file for notebook in answer.notebooks if is_begun(notebook)}
    lines: list[tuple[str, str]] = []
    for passage in (*(section.passage for section in (*answer.written, *answer.noted)), *answer.asked):
        lines += [(passage.file, block.text) for block in passage.blocks if block.kind is not BlockKind.OUTPUT]
    for cell in answer.code:
        lines += [(cell.file, line) for line in cell.living]
    text = "\n".join(line for _, line in lines)[:_MOST]
    right = {finding.item for finding in findings if finding.status is Status.CORRECT}
    given = {finding.item for finding in findings if (_as_read(finding) or finding.status) in _GIVEN}
    likely = {finding.item for finding in findings if finding.suggestion is Status.CORRECT}
    subjects = [[match.group().lower() for match in _pattern(subject).finditer(text)] for subject in others]
    strange = tuple(tuple(dict.fromkeys(words)) for words in subjects if len(words) >= _FEWEST_TIMES)
    return Belonging(
        words=sum(len(LONG_WORD.findall(line)) for file, line in lines if file not in begun),
        terms=len(terms),
        found=tuple(match.group() for term in terms if (match := _pattern(term).search(text))),
        own=tuple(match.group() for term in own_names if (match := _pattern(term).search(text))),
        others=strange,
        given=len(given),
        items=len(findings),
        has_figures=len(given.intersection(together)) >= _FEWEST_SIGNS,
        is_proven=not right.isdisjoint(telling),
        may_be_proven=not likely.isdisjoint(telling),
        is_begun=bool(begun),
        can_tell=bool(own_names or telling),
        places=tuple(_places(answer, [*chain(*strange)][:4])),
    )


def _as_read(finding: Finding) -> Status | None:
    """Return what a finding is according to OCR, whose words a person has yet to confirm, otherwise None."""
    is_pending = finding.status is Status.REVIEW and any(place.recognised for place in finding.evidence)
    return finding.suggestion if is_pending else None


def is_begun(notebook: NotebookState) -> bool:
    """Whether a notebook was begun with the lab's handout."""
    return notebook.handout is not None and notebook.handout.share >= _BEGUN


def _pattern(term: str) -> re.Pattern[str]:
    spaced = term.replace(" ", r"\s")  # a name may be broken at the end of a line
    return re.compile(rf"(?<![^\W_])(?:{spaced})(?![^\W_])", re.IGNORECASE)


def _places(answer: Answer, words: Sequence[str]) -> Iterator[Evidence]:
    """Yield the place where the report first mentions each word."""
    for word in words:
        for section in answer.sections:
            match = _pattern(re.escape(word)).search(section.passage.text)
            if match:
                yield section.passage.evidence(match.start(), match.end())
                break


_COMMON: Final = {
    "English": "the of and to is in that for with are this we as be by on it from which our",
    "French": "le la les des et est une un que pour dans nous avec sur par du ce cette qui sont",
    "German": "der die das und ist ein eine nicht mit von den wir zu auf für dem werden sich im sind",
    "Spanish": "el los las y es una que para con por se como del más hemos esta son al lo pero",
    "Italian": "il di che è per una con non sono della del si come più nel gli abbiamo questo le dei",
    "Portuguese": "o os uma que para com não por como mais dos das foi são ao nós em um do da",
    "Dutch": "de het een en van is niet met voor op zijn dat wij te aan wordt deze bij ook naar",
    "Polish": "i w na z się że do jest nie o od dla przez są to jak oraz po jako jest",
    "Turkish": "ve bir bu için ile olarak da de daha çok olan gibi ne biz kadar sonra her en ya model",
}
_LANGUAGE_FEWEST_WORDS: Final = 80
_FOREIGN_LETTERS: Final = 0.3
_LATIN: Final = "\u0400"
"""The first letter after the Latin and Greek ones. Greek letters occur in formulas."""

_MARGIN: Final = 1.8
_LANGUAGE_MOST: Final = 200_000


def other_language(text: str, understood: tuple[str, ...]) -> str | None:
    """Return the language of a text if it is not one of those understood, otherwise None."""
    found = WORD.findall(text[:_LANGUAGE_MOST].lower())
    letters = "".join(found)
    foreign = sum(character > _LATIN for character in letters)
    if foreign > max(_LANGUAGE_FEWEST_WORDS, _FOREIGN_LETTERS * len(letters)):
        return say("a language with another script")
    words = Counter(found)
    total = len(found)
    if total < _LANGUAGE_FEWEST_WORDS:
        return None
    counts = {name: sum(words[word] for word in common.split()) for name, common in _COMMON.items()}
    best = max(counts, key=lambda name: counts[name])
    understood_count = max(counts[name] for name in understood)
    return best if best not in understood and counts[best] > max(_MARGIN * understood_count, 0.08 * total) else None


_WITHHELD: Final = (Status.MISSING, Status.INCORRECT)
_FEW_ANSWERS: Final = 0.1
"""The largest share of items that a blank handout seems to answer."""

_FEW_UNLISTED: Final = 0.25
"""The same share if gaps are open, hardly any cell ran, and the lab does not list the handout."""

_FEWEST_INSTRUCTIONS: Final = 4


@check("foreign-hand-in")
def foreign_hand_in(
    answer: Answer,
    findings: tuple[Finding, ...],
    *,
    terms: tuple[str, ...],
    own: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
    telling: tuple[str, ...] = (),
    together: tuple[str, ...] = (),
    languages: tuple[str, ...] = ("English", "French"),
) -> Iterator[Conclusion]:
    """The submission is an answer to this lab, not another lab's, and not the handout.

    - `terms`: words that a submission for this lab can hardly avoid, with `|` between alternatives.
    - `own`: names that only this lab's models and data have; each entry found is a sign for this lab.
    - `others`: subjects of other labs.
    - `telling`: items whose right answer proves that the submission is for this lab.
    - `together`: items. Right answers to two of them are a sign.
    - `languages`: the languages that the grader understands.

    Decides: nothing; it raises [flags](flags.md#is-it-for-this-lab).

    Leaves to people: the verdicts of submissions with few signs, and of those that are the handout.

    Example:
        terms = ["fairseq", "sentencepiece|spm|bpe", "lora|loraconfig"]
        own = ["roberta[-_ ]small"]
        others = ["mnist|cifar", "lstm|gru|rnn"]
        telling = ["q1.total"]
    """
    report = "\n".join(passage.text for passage in (*(section.passage for section in answer.sections), *answer.asked))
    signs = belonging(answer, findings, terms, own, others, telling, together)
    conclusions = tuple(_blank(answer, report, findings))
    if signs.is_foreign and (signs.is_elsewhere or not _has_doubt(conclusions)):
        conclusions = tuple(_wrong_lab(answer, signs))
    yield from conclusions
    if signs.is_unplaced and not _has_doubt(conclusions):
        reason = say("Nothing in the submission shows that it is about the model and the data of this lab.")
        yield Doubt(statuses=_GIVEN, reason=reason, is_whole=True)
    language = other_language(report, languages)
    if language:
        yield Flag(
            id="other-language",
            severity=Severity.INFO,
            message=say(
                "The report seems to be written in {language}, which the grader does not understand.",
                language=language,
            ),
            evidence=_beginning(answer),
        )
        yield Doubt(
            statuses=_WITHHELD,
            reason=say(
                "The report seems to be written in {language}, which the grader does not understand.", language=language
            ),
        )


def _has_doubt(conclusions: Sequence[Conclusion]) -> bool:
    return any(isinstance(conclusion, Doubt) for conclusion in conclusions)


def _blank(answer: Answer, report: str, findings: Sequence[Finding]) -> Iterator[Flag | Doubt]:
    """Yield flags and doubts about a submission that is the handout, or contains a blank notebook."""
    # The text of a cell with an open gap is the handout's. It may look like an answer.
    open_cells = {(gap.file, gap.cell) for notebook in answer.notebooks for gap in notebook.gaps}
    found = (
        finding
        for finding in findings
        if finding.status in _GIVEN or (finding.found and finding.status is not Status.MISSING)
    )
    answered = sum(
        not finding.evidence or any((e.file, e.cell) not in open_cells for e in finding.evidence) for finding in found
    )
    notebooks = blank_notebooks(answer.notebooks)
    few = _few_answers(answer, findings) * len(findings)
    reasons = list(_untouched(answer, notebooks, answered, few))
    if answered <= min(few, _FEW_ANSWERS * len(findings)):
        instruction_texts = instructions(report)
        if len(instruction_texts) >= _FEWEST_INSTRUCTIONS and not any(map(was_worked_on, answer.notebooks)):
            quoted = ", ".join(instruction_texts[:4])
            reasons.append(say("The text tells what to do ({told}) and answers little.", told=quoted))
        if _only_titles(answer):
            reasons.append(say("The report has titles, and nothing below them."))
    evidence = tuple(place for notebook in notebooks for place in notebook.evidence) or _beginning(answer)
    if reasons:
        opening = say("This seems to be the handout rather than an answer.")
        yield Flag(
            id="blank-handout",
            severity=Severity.WARNING,
            message=join_messages(" ", [opening, *reasons]),
            evidence=evidence[:6],
        )
        reason = say("This seems to be the handout rather than an answer.")
        yield Doubt(statuses=_GIVEN, reason=reason, is_whole=True)
    elif notebooks:
        message = join_messages(" ", [notebook.sentence for notebook in notebooks])
        yield Flag(id="blank-handout", severity=Severity.INFO, message=message, evidence=evidence[:6])


def _untouched(answer: Answer, notebooks: Sequence[BlankNotebook], answered: int, few: float) -> Iterator[Words]:
    """Yield the reasons why notebooks with hardly any answered item seem to be blank."""
    if answered <= few:
        yield from (notebook.sentence for notebook in notebooks)
    if not answered:
        yield from (say("Nothing in {file} answers what it asks.", file=file) for file in answer.blank)


def _few_answers(answer: Answer, findings: Sequence[Finding]) -> float:
    """Return the share of items that a blank handout may seem to answer.

    It is higher if the lab does not list the handout, whose code may then pass for the student's.
    """
    code = {(cell.file, cell.cell) for cell in answer.code}
    given = (place for finding in findings if finding.status in _GIVEN for place in finding.evidence)
    if answer.asked and not answer.blank and any((place.file, place.cell) not in code for place in given):
        return 0.0
    is_told = bool(answer.blank) or any(map(is_begun, answer.notebooks))
    return _FEW_ANSWERS if is_told else _FEW_UNLISTED


def _wrong_lab(answer: Answer, signs: Belonging) -> Iterator[Flag | Doubt]:
    """Yield the flags and doubts about another lab's submission."""
    opening = say("This does not look like an answer to this lab.")
    yield Flag(
        id="wrong-lab",
        severity=Severity.WARNING,
        message=join_messages(" ", [opening, *signs.describe_signs()]),
        evidence=tuple(dict.fromkeys((*_beginning(answer), *signs.places)))[:6],
    )
    yield Doubt(statuses=_GIVEN, reason=say("This does not look like an answer to this lab."), is_whole=True)


def _only_titles(answer: Answer) -> bool:
    """Whether a report with several titles has hardly any text below them, and no number."""
    named = [section.passage for section in answer.sections if section.questions]
    if answer.code or len(named) < 3:
        return False
    below = [block.text for passage in named for block in passage.blocks[1:] if block.kind is not BlockKind.HEADING]
    words = sum(len(text.split()) for text in below)
    return words < 3 * len(named) and not any(character.isdigit() for text in below for character in text)


def _beginning(answer: Answer) -> tuple[Evidence, ...]:
    """Return the beginning of the report, or of the code if there is no report."""
    for section in answer.sections:
        if section.passage.text.strip():
            start = len(section.passage.text) - len(section.passage.text.lstrip())
            return (section.passage.beginning(start),)
    for cell in answer.code[:1]:
        return (Evidence(file=cell.file, cell=cell.cell, quote=cell.source.strip().split("\n", 1)[0][:200]),)
    return ()
