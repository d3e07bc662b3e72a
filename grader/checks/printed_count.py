"""Was the count of the model's parameters verified by code? The numbers and pairs of numbers that code printed, and
whether it worked them out.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.totals import PLAUSIBLE
from grader.claims.answer import Answer, Kind
from grader.claims.code import Call, CodeCell
from grader.claims.code.model import OPEN
from grader.claims.commitment import of_statement
from grader.claims.numerals import Numeral, numerals, rounds
from grader.claims.statements import asserts, speaks_of, statements
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth
from grader.language import lexicon
from grader.language.shapes import DIGIT
from grader.message import Words, joined, say, say_data
from grader.reading.document import Evidence

LONGEST_LINE: Final = 400
_MOST_LINES: Final = 2_000
_MARK: Final = "[,_'\u00a0\u2009\u202f ]"
_LARGE: Final = re.compile(
    rf"[0-9](?:(?<![\w.,^].)(?:\d{{4}}|\d{{0,2}}(?:{_MARK} ?|\.\d{{3}}[.,_' ])\d{{3}}(?!\d))"
    r"|\s?(?:[MmKkBb](?:\b|illi)|thousand|[×x]\s?10|e\+?\d))"
)
"""Where a line may hold a large number: most lines of a log are passed over, decimals such as `0.990` too."""

_SPACES: Final = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " "})
_SMALLEST: Final = 10_000

_WHOLE: Final = re.compile(r"(?<!\d)\d{1,15}(?!\d)")
_MAKING: Final = frozenset(
    {"empty", "zeros", "ones", "full", "rand", "randn", "randint", "arange", "range", "linspace", "Parameter"}
    | {"Tensor", "FloatTensor", "Linear", "Embedding", "repeat", "expand"}
)
"""Names of calls that make an array, or a layer, of the size that they are given."""

_LAST_LINES: Final = 50
_STATEMENT: Final = re.compile(r"(?:print\(|import |from |def |class |pass\b|[\w.\[\]'\", ]{1,80}[-+*/]?=(?!=))")

COUNTS: Final = frozenset(
    {"numel", "nelement", "num_elements", "num_parameters", "num_params", "param_count", "parameter_count"}
    | {"count_params", "count_parameters", "get_num_params", "summary", "prod"}
    | {"get_nb_trainable_parameters", "print_trainable_parameters"}
)
"""Names of calls that count the parameters of a model, or the elements of an array."""
_LISTINGS: Final = frozenset({"summary"})
"""Those that list the layers of a model."""


class Printed(NamedTuple):
    """A larger number in the output of a cell."""

    numeral: Numeral
    cell: CodeCell
    line: str
    number: int

    @property
    def value(self) -> int:
        """The number as an integer."""
        return int(self.numeral.value)

    @property
    def evidence(self) -> Evidence:
        """The line that was printed."""
        return Evidence(file=self.cell.file, cell=self.cell.cell, quote=self.line.strip()[:LONGEST_LINE])


def smallest_count(known: Iterable[int]) -> int:
    """The least number that is looked at where some counts are known: of large models those of five digits."""
    return min([_SMALLEST, *(count for count in known if count)])


def printed_numbers(cell: CodeCell, least: int) -> Iterator[Printed]:
    """The numbers from `least` on in a cell's output, in order."""
    for number, line, numeral in _large(cell.output, least):
        yield Printed(numeral, cell, line, number)


@lru_cache(maxsize=1024)
def _large(text: str, least: int) -> tuple[tuple[int, str, Numeral], ...]:
    """The numbers from `least` on in a text, with their lines and the numbers of these from 0."""
    return tuple(_large_in_lines(text, least))


def _large_in_lines(text: str, least: int) -> Iterator[tuple[int, str, Numeral]]:
    likely = _LARGE if least >= _SMALLEST else DIGIT
    lines = ((number, line) for number, line in enumerate(text.split("\n")) if likely.search(line[:LONGEST_LINE]))
    for number, line in islice(lines, _MOST_LINES):
        for numeral in numerals(line[:LONGEST_LINE].translate(_SPACES)):
            if numeral.value >= least:
                yield number, line, numeral


class Typed:
    """The printed numbers that no model was asked for: they stand in the code, or follow from numbers that do."""

    def __init__(self, code: Sequence[CodeCell], least: int) -> None:
        self._least = least
        self._stand: dict[str, set[int]] = {}
        self._found: dict[int, frozenset[int]] = {}
        self._numbers: dict[int, list[Printed]] = {}
        self._kept = tuple(code)
        for cell in code:
            self._stand.setdefault(cell.file, set()).update(cell.typed)
        self._sizes = {(cell.file, value) for cell in code for call in cell.calls for value in _sizes(call, least)}

    def holds(self, number: Printed) -> bool:
        """Whether a number that a cell printed stands in the code of its file and the cell counts nothing, or the code
        prints every such number as it was followed: without the student's model."""
        cell = number.cell
        if id(cell) not in self._found:
            self._found[id(cell)] = frozenset(self._typed(cell))
        return number.value in self._found[id(cell)]

    def numbers(self, cell: CodeCell) -> Sequence[Printed]:
        """The larger numbers in the output of one of the cells, in order; read once."""
        if id(cell) not in self._numbers:
            self._numbers[id(cell)] = list(printed_numbers(cell, self._least))
        return self._numbers[id(cell)]

    def _typed(self, cell: CodeCell) -> Iterator[int]:
        """The numbers in the output of a cell that were typed into code, or follow from such."""
        shown = Counter(number.value for number in self.numbers(cell))
        made = Counter(int(numeral.value) for _, _, numeral in _large(cell.prints, self._least))
        stand = self._stand.get(cell.file, set())
        digits = "" if cell.whole else _digits(cell.source)
        counts = counts_parameters(cell)
        for value, times in shown.items():
            stands = value in stand or str(value) in digits
            if times <= made[value] or (stands and not counts) or (cell.file, value) in self._sizes:
                yield value


def _sizes(call: Call, least: int) -> Iterator[int]:
    """The larger numbers that a call to make an array is given: an array of a size that was chosen has that size."""
    if call.name in _MAKING:
        for one in (*call.arguments, *call.keywords.values()):
            found = map(int, _WHOLE.findall(one[:LONGEST_LINE].replace("_", "")))
            yield from (value for value in found if value >= least)


def _digits(text: str) -> str:
    return text.replace(",", "").replace("_", "").replace(" ", "")


def disorder(shown: CodeCell, defined: CodeCell | None) -> str:
    """Why an output cannot come from the code as it stands, in words for staff; else nothing."""
    if defined is None or shown.file != defined.file or not defined.is_notebook or shown.cell == defined.cell:
        return ""
    if not defined.ran:
        return say("The cell that defines what printed this shows no sign of a run.")
    if shown.order and defined.order and shown.order < defined.order:
        return say("The cell that defines what printed this was run after it, so it may have been another one before.")
    return ""


def other_code(number: Printed, code: Sequence[CodeCell]) -> str:
    """Why a number cannot come from the code that it stands under, in words for staff; else nothing."""
    cell = number.cell
    if _is_silent(cell):
        return say("The code above this output cannot have printed it; it may have been another one before.")
    called = {call.name for call in cell.calls}
    defining = [one for one in code if any(function.name in called for function in one.functions)]
    return disorder(cell, defining[-1] if defining else None)


def _is_silent(cell: CodeCell) -> bool:
    """Whether a notebook's cell shows nothing but what is known: it is read whole, prints known texts only, calls
    nothing else and ends in no expression."""
    lines = [line for line in cell.source.rstrip().split("\n")[-_LAST_LINES:] if line[:1].strip(" \t#")]
    return (
        cell.is_notebook
        and cell.whole
        and not cell.commands
        and OPEN not in cell.prints
        and all(call.name == "print" for call in cell.calls)
        and bool(lines and _STATEMENT.match(lines[-1]))
    )


def counts_parameters(cell: CodeCell) -> bool:
    """Whether a cell calls what counts parameters, itself or through a function whose name says so."""
    if cell.counted:
        return True
    names = {call.name for call in cell.calls}
    return bool(names & COUNTS) or any("param" in name and "count" in name.lower() for name in names)


def counting_line(cell: CodeCell) -> Evidence | None:
    """The line with the first call that counts."""
    return next((call.evidence for call in cell.calls if call.name in COUNTS), None)


_ROUNDED_PLACES = 3


@check("printed-count", kinds=(Kind.WRITTEN, Kind.CODE, Kind.PRINTED))
def printed_count(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    model: str,
    stated_in: tuple[str, ...],
    training: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """A count printed by code agrees with a convention of counting.

    `stated_in` are the questions in whose answers a count may be stated without its code; `training` are programs that
    print a count on their way, which verifies nothing.

    Decides: a known count in the output of code that counts; a count of another model is wrong.

    Leaves to people: counts that stand in the code itself, rounded ones, code without output, and code that is
    still open.
    """
    known = truth.counts_of(model)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        expected=Expected(
            text=say(
                "one of the counts that are right for this model, such as {counts}",
                counts=joined(say(" or "), (say("{count:,}", count=count.total) for count in known[:2])),
            ),
            truths=tuple(count.id for count in known),
        ),
    )
    cells = [cell for cell in answer.code if not any(command.runs(training) for command in cell.commands)]
    least = smallest_count(count.total for count in known)
    typed = Typed(answer.code, least)
    numbers = [number for cell in cells for number in typed.numbers(cell)]
    totals = {count.total: count for count in known}
    found = [number for number in numbers if number.value in totals and not _LOGGED.search(number.line)]
    if found:
        best = min(found, key=lambda one: (typed.holds(one), bool(one.cell.gaps)))
        yield _verified(finding, best, totals[best.value], typed.holds(best), answer.code)
    elif kept := next(_kept(answer, totals, least), None):
        yield finding.changed(
            status=Status.CORRECT, found=str(kept[0].total), evidence=kept[1], feedback=_told(kept[0])
        )
    else:
        yield _unverified(finding, answer, lab, cells, typed, known, stated_in)


def _kept(answer: Answer, totals: Mapping[int, Count], least: int) -> Iterator[tuple[Count, tuple[Evidence, ...]]]:
    """The known counts that a log or a text keeps of what was printed, where code that counts was handed in and does
    not hold the number."""
    counting = next((cell for cell in answer.code if counts_parameters(cell)), None)
    if counting is None:
        return
    line = counting_line(counting)
    for one in answer.printed:
        for number, text, numeral in _large(one.text, least):
            count = totals.get(int(numeral.value))
            is_typed = any(int(numeral.value) in cell.typed for cell in answer.code)
            if count and not is_typed and not _LOGGED.search(text) and not _BY_HAND.search(text):
                place = Evidence(file=one.file, line=one.line + number, quote=text.strip()[:LONGEST_LINE])
                yield count, (place, *((line,) if line else ()))


_BY_HAND: Final = re.compile(r"#|\d\s?[-+*/×·]\s?[\d(].*=")
"""A remark, or a calculation: no program prints these."""


def _told(count: Count) -> Words:
    return say("The code printed {count:,}: {title}.", count=count.total, title=say_data(count.title))


def _verified(finding: Finding, number: Printed, count: Count, typed: bool, code: Sequence[CodeCell]) -> Finding:
    """The verdict on a known count that was printed."""
    line = counting_line(number.cell)
    finding = finding.changed(found=str(count.total), evidence=(number.evidence, *((line,) if line else ())))
    if typed:
        return finding.changed(
            suggestion=Status.INCORRECT,
            feedback=(
                say("The number that was printed stands in the code itself; a person looks at how it was found.")
                if number.value in number.cell.typed
                else say("The number that was printed comes from numbers in the code, and no model was counted.")
            ),
        )
    if number.cell.gaps:
        return finding.changed(
            evidence=(number.evidence, number.cell.gaps[0].evidence),
            feedback=say("The right count was printed, but the code still has a gap; a person looks at it."),
        )
    text = _told(count)
    odd = other_code(number, code)
    if odd and not any(counts_parameters(cell) for cell in code):
        text = say("A right count stands in an output, but no code that counts was handed in; a person looks at it.")
        return finding.changed(suggestion=Status.PARTIAL, feedback=text, note=odd)
    return finding.changed(status=Status.CORRECT, feedback=text, note=odd)


def _unverified(
    finding: Finding,
    answer: Answer,
    lab: Lab,
    cells: list[CodeCell],
    typed: Typed,
    known: tuple[Count, ...],
    stated_in: tuple[str, ...],
) -> Finding:
    """The finding where no known count was printed: by what else was printed, reported or counted."""
    numbers = [number for cell in cells for number in typed.numbers(cell)]
    rounded = [one for one in numbers if any(rounds(one.numeral, count.total, _ROUNDED_PLACES) for count in known)]
    if rounded:
        return finding.changed(
            found=rounded[0].numeral.text,
            evidence=(rounded[0].evidence,),
            suggestion=Status.CORRECT,
            feedback=say("A rounded count was printed that agrees with a known one; a person looks at the code."),
        )
    reported = _reported(finding, answer, lab, known)
    if reported is not None:
        return reported
    near = [one for one in numbers if counts_parameters(one.cell) and _is_near(one, known)]
    if near:
        return _near_miss(finding, near[-1])
    stated = [c for c in answer.counts(*stated_in) if any(c.value == k.total for k in known)]
    said = tuple(claim.evidence for claim in stated[-1:])
    counts = [cell for cell in cells if _counts(cell)]
    shown = {id(cell): typed.numbers(cell) for cell in counts}
    counting = [cell for cell in counts if not (own := shown[id(cell)]) or any(_is_near(one, known) for one in own)]
    # A library's listing of another model's layers, as code of any lab holds, was not meant as this count.
    others = [cell for cell in counts if cell.counted or any(call.name in COUNTS - _LISTINGS for call in cell.calls)]
    if others and not counting:
        number = shown[id(others[-1])][-1]
        return finding.changed(
            status=Status.INCORRECT,
            found=str(number.value),
            evidence=(number.evidence,),
            feedback=say("What the code counted, {count:,}, is not this model.", count=number.value),
        )
    in_words = _said_to_agree(answer, known, stated_in)
    if in_words and not counting:
        return finding.changed(
            status=Status.PARTIAL,
            found=str(in_words.model.total),
            evidence=(in_words.evidence,),
            feedback=say(
                "The report says that code gives the same count, {count:,}. It shows neither the code nor its output.",
                count=in_words.model.total,
            ),
        )
    if counting:
        line = counting_line(counting[0])
        said = (in_words.evidence,) if in_words else said
        return finding.changed(
            evidence=(*said, *((line,) if line else ())),
            suggestion=Status.CORRECT if in_words else None,
            feedback=say(
                "No output of the code that was handed in shows a right count. A person will look at the code."
            ),
        )
    found = absence(answer, lab, finding.item, in_code=False)
    return concluded_absent(finding, found, say("No code that counts this model, and no output of it, was handed in."))


class _InWords(NamedTuple):
    """A known count that a report says to agree with what code gave, and where it says so."""

    model: Count
    evidence: Evidence


def _said_to_agree(answer: Answer, known: tuple[Count, ...], stated_in: tuple[str, ...]) -> _InWords | None:
    """The first sentence that says so and is committed to, behind a known count, or in the answer that states one."""
    totals = {count.total: count for count in known}
    asked = next((totals[one.value] for one in answer.counts(*stated_in) if one.value in totals), None)
    of_figure = r"<counted_figure>|\A\W*<this_figure>|<agrees>\W+<this_figure>"
    for section in (one for one in answer.written if not one.is_closing):
        count = asked if not {*stated_in}.isdisjoint(section.questions) else None
        for one in statements(section.passage):
            own = next((totals[int(n.value)] for n in numerals(one.text) if int(n.value) in totals), None)
            count = own or count
            agrees: object = lexicon.search(r"(?<!to )<agrees>|<the_same>\W+(?:\w+\W+)?<counted_figure>", one.text)
            agrees = agrees and (own or lexicon.search(of_figure, one.text))
            is_said = agrees and lexicon.search("<computation>", one.text) and asserts(one.text)
            if count and is_said and of_statement(section.passage, one).is_committed:
                return _InWords(count, section.passage.evidence(one.start, one.end))
    return None


def _reported(finding: Finding, answer: Answer, lab: Lab, known: tuple[Count, ...]) -> Finding | None:
    """A known count that the report states, beside what it was counted with or only beside words."""
    totals = {count.total: count for count in known}
    for words, status in ((tuple(COUNTS), Status.CORRECT), (lab.asking(finding.item).words, Status.PARTIAL)):
        for passage in (one.passage for one in answer.written if not one.is_closing):
            for one in statements(passage):
                if not speaks_of(one.text, words):
                    continue
                for number in numerals(one.text):
                    count = totals.get(int(number.value))
                    if count is not None:
                        return finding.changed(
                            status=status,
                            found=number.text,
                            evidence=(passage.evidence(one.start, one.end),),
                            feedback=_stated(count, status),
                        )
    return None


def _stated(count: Count, status: Status) -> Words:
    total, title = count.total, say_data(count.title)
    if status is Status.CORRECT:
        return say("The report states what code counted: {count:,}, {title}.", count=total, title=title)
    return say(
        "The report states what code counted: {count:,}, {title}. It shows neither the code nor its output.",
        count=total,
        title=title,
    )


def _counts(cell: CodeCell) -> bool:
    """Whether a cell counts parameters itself, outside the functions that it defines."""
    return bool(cell.counted) or any(call.name in COUNTS and not call.within for call in cell.calls)


def _near_miss(finding: Finding, number: Printed) -> Finding:
    told = say("The code printed {count:,}, which is none of the known counts.", count=number.value)
    return finding.changed(
        found=str(number.value),
        evidence=(number.evidence,),
        diagnoses=(Diagnosis(id="other-count", text=told),),
        feedback=say(
            "The code counted {count:,}, which agrees with no way of counting this model. "
            "A person looks at what it counts.",
            count=number.value,
        ),
    )


def _is_near(number: Printed, known: tuple[Count, ...]) -> bool:
    """Whether a printed number may be meant as the count of the whole model."""
    totals = [count.total for count in known]
    return PLAUSIBLE * min(totals) <= number.value <= 2 * max(totals)


_LINES_APART: Final = 3
"""Both figures are printed together, at most so many lines apart."""

_MOST_NUMBERS: Final = 2_000
_LOGGED: Final = re.compile(r"(?:\||\s-)\s(?:DEBUG|INFO|WARNING)\s(?:\||-)|\[(?:INFO|WARNING)\|", re.IGNORECASE)
"""A line of a logger, which tells of another program's work."""
_OF_TRAINABLE: Final = re.compile(r"(?:\||-)\s.*trainable", re.IGNORECASE)
"""One that says that it is about what is trainable may be the student's own."""

_NONE: Final = r"<trained_label>[^\d\n]{0,60}(?<![\d.,])0(?![\d.,]*\d)"
OF: Final = r"(?:<out_of>|/)\s*(?:(?:the|all)\s)?\s*\Z"
_NEAR_SHARE: Final = 0.01


class Pair(NamedTuple):
    """Two numbers printed together. `lines` are those that hold them; `swapped` says that the larger one is called
    trainable."""

    trainable: int
    total: int
    lines: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    cell: CodeCell
    swapped: bool = False

    @property
    def shown(self) -> str:
        """The first line, as printed."""
        return self.lines[0].strip()[:200]

    @property
    def is_fraction(self) -> bool:
        """Whether the share that is printed beside is a fraction under the name of a percentage."""
        text = " ".join(self.lines)[: 2 * LONGEST_LINE]
        share = self.trainable / self.total
        read = [float(one.value) for one in numerals(text) if one.value < 1 and not one.percent]
        near = any(share and abs(value - share) <= _NEAR_SHARE * share for value in read)
        return near and ("%" in text or "percent" in text.lower())


def printed_pairs(answer: Answer, bases: Container[int], least: int) -> Iterator[Pair]:
    """The pairs in the outputs of all code. What the code has typed in is none. No trainable parameter at all is told
    from the words before a 0, beside one of the `bases`."""
    typed = Typed(answer.code, least)
    for cell in answer.code:
        numbers = [
            one
            for one in typed.numbers(cell)
            if not typed.holds(one) and (not _LOGGED.search(one.line) or _OF_TRAINABLE.search(one.line))
        ]
        for index, one in enumerate(numbers[:_MOST_NUMBERS]):
            for other in numbers[index + 1 : index + 4]:
                words = f"{one.line} {other.line}".lower()
                if other.number - one.number <= _LINES_APART and _speaks_of_it(words, one, other):
                    yield _pair(one, other)
            if one.value in bases:
                yield from _without_any(one)


def _pair(one: Printed, other: Printed) -> Pair:
    small, large = sorted((one, other), key=lambda printed: printed.value)
    evidence = tuple(dict.fromkeys((small.evidence, large.evidence)))
    lines = tuple(dict.fromkeys((one.line, other.line)))
    swapped = small.value < large.value and _is_called_trained(large, small) and not _is_called_trained(small, large)
    return Pair(small.value, large.value, lines, evidence, one.cell, swapped)


def _is_called_trained(number: Printed, other: Printed) -> bool:
    """Whether the last label before a number says that it is trained; `trainable of 100` calls the 100 the whole."""
    begin = other.numeral.end if other.number == number.number and other.numeral.end < number.numeral.start else 0
    labels = list(lexicon.find_all("<trained_label|whole_label>", number.line, begin, number.numeral.start))
    is_whole = lexicon.search(OF, number.line, begin, number.numeral.start) is not None
    return bool(labels) and lexicon.match("<trained_label>", labels[-1][0]) is not None and not is_whole


def _without_any(total: Printed) -> Iterator[Pair]:
    lines = total.cell.output.split("\n")[max(0, total.number - _LINES_APART) : total.number + _LINES_APART + 1]
    line = next((line for line in lines if lexicon.search(_NONE, line[:LONGEST_LINE])), None)
    if line is not None:
        place = Evidence(file=total.cell.file, cell=total.cell.cell, quote=line.strip()[:LONGEST_LINE])
        evidence = tuple(dict.fromkeys((place, total.evidence)))
        yield Pair(0, total.value, tuple(dict.fromkeys((line, total.line))), evidence, total.cell)


def _speaks_of_it(words: str, one: Printed, other: Printed) -> bool:
    same_line = one.number == other.number
    return same_line or any(word in words for word in ("train", "param", "total", "all", "entra"))
