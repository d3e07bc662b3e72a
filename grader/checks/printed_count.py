"""The check `printed-count`: code counted the model's parameters and printed a known count.

`TypedNumbers` tells computed numbers from numbers in the code itself. `printed_pairs` finds pairs of counts for
`trainable_count`.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import filterfalse, islice
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status
from grader.checks.totals import PLAUSIBLE
from grader.claims.answer import Answer, Kind
from grader.claims.code import Call, CodeCell
from grader.claims.code.model import OPEN
from grader.claims.commitment import Stance, of_statement
from grader.claims.numerals import Numeral, numerals, rounds
from grader.claims.statements import asserts, speaks_of, statements
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth
from grader.language import lexicon
from grader.language.shapes import DIGIT
from grader.message import Words, join_messages, say, say_data, say_values
from grader.reading.document import BlockKind, Evidence

LONGEST_LINE: Final = 400
_MOST_LINES: Final = 2_000
_MARK: Final = "[,_'\u00a0\u2009\u202f ]"
_LARGE: Final = re.compile(
    rf"[0-9](?:(?<![\w.,^].)(?:\d{{4}}|\d{{0,2}}(?:{_MARK} ?|\.\d{{3}}[.,_' ])\d{{3}}(?!\d))"
    r"|\s?(?:[MmKkBb](?:\b|illi)|thousand|[×x]\s?10|e\+?\d))"
)
"""The places in a line where a large number may stand. Decimals such as `0.990` and most lines of logs do not match."""

_SPACES: Final = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " "})
_SMALLEST: Final = 10_000

_WHOLE: Final = re.compile(r"(?<!\d)\d{1,15}(?!\d)")
_MAKING: Final = frozenset(
    {"empty", "zeros", "ones", "full", "rand", "randn", "randint", "arange", "range", "linspace", "Parameter"}
    | {"Tensor", "FloatTensor", "Linear", "Embedding", "repeat", "expand"}
)
"""Names of calls that make an array or a layer of a given size."""

_LAST_LINES: Final = 50
_STATEMENT: Final = re.compile(r"(?:print\(|import |from |def |class |pass\b|[\w.\[\]'\", ]{1,80}[-+*/]?=(?!=))")

_OF_ADAPTERS: Final = frozenset({"get_nb_trainable_parameters", "print_trainable_parameters"})
"""Functions of peft that count the parameters of a model with adapters."""
COUNTS: Final = frozenset(
    {"numel", "nelement", "num_elements", "num_parameters", "num_params", "param_count", "parameter_count"}
    | {"count_params", "count_parameters", "get_num_params", "summary", "prod"}
    | _OF_ADAPTERS
)
"""Names of calls that count the parameters of a model or the elements of an array."""
SUMMED: Final = frozenset({"numel", "nelement", "num_elements", "prod"})
"""Names of calls that count the elements of an array, which a sum over all arrays uses."""
_OWN_NAMES: Final = tuple(sorted(COUNTS - {"summary", "prod"} - _OF_ADAPTERS | {"named_parameters"}))
"""Names that show in any text that parameters are counted."""
LISTINGS: Final = frozenset({"summary"})
"""Names of calls that list the layers of a model."""


class PrintedNumber(NamedTuple):
    """A large number in the output of a cell."""

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
        """The printed line."""
        return Evidence(file=self.cell.file, cell=self.cell.cell, quote=self.line.strip()[:LONGEST_LINE])


def smallest_count(known_counts: Iterable[int]) -> int:
    """Return the smallest number that is examined, given some known counts; at most 10,000."""
    return min([_SMALLEST, *(count for count in known_counts if count)])


def printed_numbers(cell: CodeCell, least: int) -> Iterator[PrintedNumber]:
    """Yield the numbers of at least `least` in a cell's output, in order."""
    for number, line, numeral in _large(cell.heard, least):
        yield PrintedNumber(numeral, cell, line, number)


@lru_cache(maxsize=1024)
def _large(text: str, least: int) -> tuple[tuple[int, str, Numeral], ...]:
    """Return the numbers of at least `least` in a text, each with its line and the index of the line."""
    likely = _LARGE if least >= _SMALLEST else DIGIT
    lines = ((number, line) for number, line in enumerate(text.split("\n")) if likely.search(line[:LONGEST_LINE]))
    return tuple(
        (number, line, numeral)
        for number, line in islice(lines, _MOST_LINES)
        for numeral in numerals(line[:LONGEST_LINE].translate(_SPACES))
        if numeral.value >= least
    )


class TypedNumbers:
    """The printed numbers that were not computed: they stand in the code or follow from numbers in the code."""

    def __init__(self, code: Sequence[CodeCell], least: int) -> None:
        self._least = least
        self._stand: dict[str, set[int]] = {}
        self._found: dict[int, frozenset[int]] = {}
        self._numbers: dict[int, list[PrintedNumber]] = {}
        self._kept = tuple(code)
        for cell in code:
            self._stand.setdefault(cell.file, set()).update(cell.typed)
        self._sizes = {(cell.file, value) for cell in code for call in cell.calls for value in _sizes(call, least)}

    def holds(self, number: PrintedNumber) -> bool:
        """Whether a printed number was not computed.

        It stands in the code of its file and the cell counts nothing, or the code prints it without the student's
        model.
        """
        cell = number.cell
        if id(cell) not in self._found:
            self._found[id(cell)] = frozenset(self._typed(cell))
        return number.value in self._found[id(cell)]

    def numbers(self, cell: CodeCell) -> Sequence[PrintedNumber]:
        """Return the large numbers in the output of a cell, in order. The result is cached."""
        if id(cell) not in self._numbers:
            self._numbers[id(cell)] = list(printed_numbers(cell, self._least))
        return self._numbers[id(cell)]

    def _typed(self, cell: CodeCell) -> Iterator[int]:
        """Yield the numbers in the output of a cell that stand in code or follow from numbers there."""
        shown = Counter(number.value for number in self.numbers(cell))
        made = Counter(int(numeral.value) for _, _, numeral in _large(cell.prints, self._least))
        stand = self._stand.get(cell.file, set())
        # Code that was not parsed completely may contain the number in any spelling.
        digits = "" if cell.whole else re.sub("[,_ ]", "", cell.source)
        counts = counts_parameters(cell)
        for value, times in shown.items():
            stands = value in stand or str(value) in digits
            if times <= made[value] or (stands and not counts) or (cell.file, value) in self._sizes:
                yield value


def _sizes(call: Call, least: int) -> Iterator[int]:
    """Yield the large numbers in the arguments of a call that makes an array, because the array's size was chosen."""
    if call.name in _MAKING:
        for argument in (*call.arguments, *call.keywords.values()):
            found = map(int, _WHOLE.findall(argument[:LONGEST_LINE].replace("_", "")))
            yield from (value for value in found if value >= least)


def disorder(shown: CodeCell, defined: CodeCell | None) -> str:
    """Return the reason for staff why an output cannot come from the code as it stands, or an empty text."""
    if defined is None or shown.file != defined.file or not defined.is_notebook or shown.cell == defined.cell:
        return ""
    if not defined.ran:
        return say("The code as it stands may not have printed this.")
    if shown.order and defined.order and shown.order < defined.order:
        return say("The code as it stands may not have printed this.")
    return ""


def other_code(number: PrintedNumber, code: Sequence[CodeCell]) -> str:
    """Return the reason for staff why a number cannot come from the code above it, or an empty text."""
    cell = number.cell
    if _is_silent(cell):
        return say("The code as it stands may not have printed this.")
    called = {call.name for call in cell.calls}
    defining = [candidate for candidate in code if any(function.name in called for function in candidate.functions)]
    return disorder(cell, defining[-1] if defining else None)


def _is_silent(cell: CodeCell) -> bool:
    """Whether a notebook's cell can print only known texts: it calls only `print` and does not end with an
    expression."""
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
    """Whether a cell calls a function that counts parameters, by a known name or by a name that says so."""
    if cell.counted:
        return True
    names = {call.name for call in cell.calls}
    return bool(names & COUNTS) or any("param" in name and "count" in name.lower() for name in names)


def counting_lines(cell: CodeCell) -> tuple[Evidence, ...]:
    """Return the line of the first call that counts, if there is one."""
    return tuple(call.evidence for call in cell.calls if call.name in COUNTS)[:1]


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

    - `model`: the model.
    - `stated_in`: questions whose answers may state a count without code.
    - `training`: training programs that also print a count, which verifies nothing.

    Decides: a known count in the output of code that counts parameters. A count of another model is wrong.

    Leaves to people: counts written in the code itself, rounded counts, code without output, and unfinished code.
    """
    known_counts = truth.counts_of(model)
    shown = join_messages(say(" or "), (say_values("{count:,}", count=count.total) for count in known_counts[:2]))
    expected = ExpectedAnswer(
        text=say("one of the counts that are right for this model, such as {counts}", counts=shown),
        truths=tuple(count.id for count in known_counts),
    )
    finding = Finding(item=item, status=Status.REVIEW, expected=expected)
    cells = [cell for cell in answer.code if not any(command.runs(training) for command in cell.commands)]
    least = smallest_count(count.total for count in known_counts)
    typed = TypedNumbers(answer.code, least)
    numbers = [number for cell in cells for number in typed.numbers(cell)]
    totals = {count.total: count for count in known_counts}
    found = [number for number in numbers if number.value in totals]
    rounded = [
        number
        for number in numbers
        if any(rounds(number.numeral, count.total, _ROUNDED_PLACES) for count in known_counts)
    ]
    if found:
        best = min(found, key=lambda number: (typed.holds(number), bool(number.cell.gaps)))
        yield _verified(finding, best, totals[best.value], typed.holds(best), answer.code)
    elif kept := next(_kept(answer, totals, least), None):
        yield with_verdict(
            finding.with_changes(found=str(kept[0].total), evidence=kept[1]), Status.CORRECT, _told(kept[0])
        )
    elif rounded:
        finding = finding.with_changes(found=rounded[0].numeral.text, evidence=(rounded[0].evidence,))
        yield with_verdict(finding, Status.CORRECT, "", _ROUNDED)
    else:
        reported = next(_reported(finding, answer, lab, totals), None)
        yield reported or _unverified(finding, answer, lab, cells, typed, known_counts, stated_in)


_TYPED: Final = Reason(say("The number stands in the code itself, so nothing was computed."))
_GAP: Final = Reason(say("The right count was printed, but the code still has a gap."), is_likely=False)
_NO_CODE: Final = Reason(say("No code that counts the parameters was handed in."))
_ROUNDED: Final = Reason(say("A rounded count was printed that agrees with a known one."))
_NO_OUTPUT: Final = say("No output of the code that was handed in shows a right count.")


def _kept(answer: Answer, totals: Mapping[int, Count], least: int) -> Iterator[tuple[Count, tuple[Evidence, ...]]]:
    """Yield the known counts that a log or text file contains as output.

    Code that counts must have been handed in, and must not contain the number.
    """
    counting = next((cell for cell in answer.code if counts_parameters(cell)), None)
    if counting is None:
        return
    typed = {number for cell in answer.code for number in cell.typed}
    for printout in answer.printed:
        for number, text, numeral in _large(printout.text, least):
            count = totals.get(int(numeral.value))
            # A line of a transcript that holds the number alone is output, though it stands among the code.
            is_output = text.strip() == numeral.text and not counting.is_notebook
            is_typed = int(numeral.value) in typed and not is_output
            if count and not any((is_typed, number in printout.silent, _BY_HAND.search(text))):
                place = Evidence(file=printout.file, line=printout.line + number, quote=text.strip()[:LONGEST_LINE])
                yield count, (place, *counting_lines(counting))


_BY_HAND: Final = re.compile(r"#|\d\s?[-+*/×·]\s?[\d(].*=")
"""A comment or a calculation, which no program prints."""


def _told(count: Count) -> Words:
    return say("The code printed {count:,}: {title}.", count=count.total, title=say_data(count.title))


def _verified(finding: Finding, number: PrintedNumber, count: Count, typed: bool, code: Sequence[CodeCell]) -> Finding:
    """Return the verdict on a known count that was printed."""
    gaps = [gap.evidence for gap in number.cell.gaps[:1] if not typed]
    odd = "" if typed or gaps else other_code(number, code)
    is_alone = bool(odd) and not any(counts_parameters(cell) for cell in code)
    places = (number.evidence, *(gaps or counting_lines(number.cell)))
    return with_verdict(
        finding.with_changes(found=str(count.total), evidence=places, note=odd),
        Status.INCORRECT if typed else Status.PARTIAL if is_alone else Status.CORRECT,
        "" if typed else _told(count),
        _TYPED.keep_if(typed),
        _GAP.keep_if(gaps),
        _NO_CODE.keep_if(is_alone),
    )


def _unverified(
    finding: Finding,
    answer: Answer,
    lab: Lab,
    cells: Sequence[CodeCell],
    typed: TypedNumbers,
    known_counts: tuple[Count, ...],
    stated_in: tuple[str, ...],
) -> Finding:
    """Return the finding if no known count was printed or reported, by the other numbers that code counted."""
    totals = [count.total for count in known_counts]

    def is_near(number: PrintedNumber) -> bool:  # whether the number may be a count of the whole model
        return PLAUSIBLE * min(totals) <= number.value <= 2 * max(totals)

    near = [numeral for cell in cells if counts_parameters(cell) for numeral in typed.numbers(cell) if is_near(numeral)]
    if near:
        text = say("The code counted {count:,}, which is no known count of this model.", count=near[-1].value)
        other = Diagnosis(id="other-count", text=text)
        finding = finding.with_changes(found=str(near[-1].value), evidence=(near[-1].evidence,), diagnoses=(other,))
        return with_verdict(finding, Status.INCORRECT, "", Reason(text, is_likely=False))
    # Calls inside a function that the cell defines do not count.
    counts = [cell for cell in cells if cell.counted or any(_counts(call, answer.code) for call in cell.calls)]
    counting = [cell for cell in counts if not (own_numbers := typed.numbers(cell)) or any(map(is_near, own_numbers))]
    # A list of another model's layers, or a count of a model with adapters, is not meant as this count.
    meant = COUNTS - LISTINGS - _OF_ADAPTERS
    others = [cell for cell in counts if cell.counted or any(call.name in meant for call in cell.calls)]
    agreement = next(_said_to_agree(answer, known_counts, stated_in), None)
    if counting:
        stated = tuple(claim.evidence for claim in answer.counts(*stated_in) if claim.value in totals)[-1:]
        places = (*((agreement[1],) if agreement else stated), *counting_lines(counting[0]))
        reason = Reason(_NO_OUTPUT, is_likely=agreement is not None)
        return with_verdict(finding.with_changes(evidence=places), Status.CORRECT, "", reason)
    if others:
        number = typed.numbers(others[-1])[-1]
        text = say("The code counted {count:,}, which is no known count of this model.", count=number.value)
        return with_verdict(
            finding.with_changes(found=str(number.value), evidence=(number.evidence,)), Status.INCORRECT, text
        )
    if agreement:
        count, place, is_number = agreement
        text = say("The report says that code gives the same count, {count:,}.", count=count.total)
        finding = finding.with_changes(found=str(count.total), evidence=(place,))
        if is_number:
            return with_verdict(finding, Status.CORRECT, text)
        return with_verdict(finding, Status.PARTIAL, join_messages(" ", (text, _UNSHOWN)))
    found = absence(answer, lab, finding.item, in_code=False, stated_in=stated_in)
    named = (
        (section.passage, speaks_of(section.passage.text, _OWN_NAMES))
        for section in answer.written
        if not section.is_closing
    )
    spoken = tuple(passage.evidence(*match.span()) for passage, match in named if match)
    spoken = spoken or _stated_again(answer, totals)
    found = found if found.spoken else found.model_copy(update={"spoken": spoken})
    return concluded_absent(finding, found, say("No code that counts the parameters was handed in."))


def _stated_again(answer: Answer, totals: Sequence[int]) -> tuple[Evidence, ...]:
    """Return the places where a report states a known count beside words for code, or else repeats it."""
    stated = [
        (place, bool(lexicon.search(_BY_CODE, around)))
        for text, around, place, _ in _lines(answer)
        if any(int(number.value) in totals for number in numerals(text))
    ]
    by_code = tuple(dict.fromkeys(place for place, is_by_code in stated if is_by_code))
    return by_code or tuple(dict.fromkeys(place for place, _ in stated))[1:]


def _counts(call: Call, code: Sequence[CodeCell]) -> bool:
    """Whether a call outside functions counts parameters, by its name, and is no function with a gap."""
    begun = (cell.source for cell in code if cell.gaps and SUMMED.isdisjoint(cell.names))
    return call.name in COUNTS and not call.within and not any(f"def {call.name}(" in source for source in begun)


_BY_CODE: Final = "<program|computed>"
_SAME_NUMBER: Final = r"<same>\W+(?:\w+\W+)?<count_noun>|<ditto>"
_CORRESPONDS: Final = rf"(?<!to )<corresponds>|{_SAME_NUMBER}"
_OF_COUNT: Final = r"<count_noun|ditto>|^\W*<for_count>|<corresponds>\W+<for_count>"


def _said_to_agree(
    answer: Answer, known_counts: tuple[Count, ...], stated_in: tuple[str, ...]
) -> Iterator[tuple[Count, Evidence, bool]]:
    """Yield the known counts that a report says code confirmed, with the place.

    Also yield whether `the same number` refers to the count directly before. The sentence must be an assertion and
    follow the count, or stand in the answer that states one.
    """
    totals = {count.total: count for count in known_counts}
    asked = next((totals[claim.value] for claim in answer.counts(*stated_in) if claim.value in totals), None)
    for section in (candidate for candidate in answer.written if not candidate.is_closing):
        count = asked if not section.questions or not {*stated_in}.isdisjoint(section.questions) else None
        latest = None
        for statement in statements(section.passage):
            numbers = [number for number in numerals(statement.text) if number.value >= _SMALLEST]
            own_number = next((number for number in numbers if int(number.value) in totals), None)
            count = totals[int(own_number.value)] if own_number else count
            is_by_code = lexicon.search(_BY_CODE, statement.text) or speaks_of(statement.text, _OWN_NAMES)
            is_said = lexicon.search(_CORRESPONDS, statement.text) and is_by_code
            line_before = section.passage.text[: statement.start].rstrip().rpartition("\n")[2]
            is_behind = any(int(number.value) in totals for number in numerals(line_before))
            is_of_count = own_number or is_behind or lexicon.search(_OF_COUNT, statement.text)
            place = (own_number.start, own_number.end) if own_number else None
            is_asserted = asserts(statement.text, f"{_BY_CODE}|{_CORRESPONDS}", place)
            is_asserted = is_asserted and of_statement(section.passage, statement).is_committed
            if count and is_said and is_of_count and is_asserted:
                same = lexicon.search(_SAME_NUMBER, statement.text)
                before = [int(number.value) for number in numbers if same and number.start < same.start()]
                is_count = bool(same) and [latest, *before][-1] == count.total
                yield count, section.passage.evidence(statement.start, statement.end), is_count
            latest = int(numbers[-1].value) if numbers else latest


def _reported(finding: Finding, answer: Answer, lab: Lab, totals: Mapping[int, Count]) -> Iterator[Finding]:
    """Yield the finding on a known count that the report states: as the result of code, or else with the question's
    words."""
    matter = lab.asking(finding.item).words
    weaker: list[Finding] = []
    for text, around, place, stance in _lines(answer):
        for number, count in ((n, totals.get(int(n.value))) for n in numerals(text)):
            if count is None:
                continue
            is_prompted = text[: number.start].rstrip().endswith(">>>")
            is_counted = any((is_prompted, speaks_of(around, (*COUNTS, "named_parameters"))))
            # A condition after the number says what is counted: `if I leave out the head`.
            condition = lexicon.search(r",?\s<supposing>\s", text, number.end)
            clause = text[: condition.start()] if condition else text
            is_said = stance is None or (stance.is_committed and asserts(clause, _BY_CODE, (number.start, number.end)))
            is_told = is_said and lexicon.search(_BY_CODE, around.replace("_", " "))
            own_finding = finding.with_changes(found=number.text, evidence=(place,))
            message = say("The report states {count:,}: {title}.", count=count.total, title=say_data(count.title))
            if is_counted or is_told:
                yield with_verdict(own_finding, Status.CORRECT, message)
            elif speaks_of(text, matter):
                weaker.append(with_verdict(own_finding, Status.PARTIAL, join_messages(" ", (message, _UNSHOWN))))
    yield from weaker


def _lines(answer: Answer) -> Iterator[tuple[str, str, Evidence, Stance | None]]:
    """Yield the sentences, rows and shown numbers of a report, each with its context, place and stance.

    The context explains the numbers: the header of a table, the command above an output, or the words before a number.
    """
    for passage in (section.passage for section in answer.written if not section.is_closing):
        before = ""
        for statement in statements(passage):
            is_put_out = before.startswith(_PROMPTS) or not _WORD.search(statement.text) or _leads(before)
            around = f"{before}\n{statement.text}" if is_put_out else statement.text
            yield (
                statement.text,
                around,
                passage.evidence(statement.start, statement.end),
                of_statement(passage, statement),
            )
            before = statement.text
        names = lead_in = command = ""
        for index, block in enumerate(passage.blocks):
            text, place = block.text, passage.block_evidence(index, LONGEST_LINE)
            if block.kind is BlockKind.ROW:
                names = names or text
                yield text, f"{names}\n{text}", place, None
            elif block.kind in (BlockKind.CODE, BlockKind.OUTPUT):
                is_listed = lead_in.rstrip().endswith(":") and not _BY_HAND.search(text) and "=" not in text
                if is_listed or not _WORD.search(text):
                    yield text, f"{command or lead_in}\n{text}", place, None
                command = text if text.startswith(_PROMPTS) else ""
            elif text.strip():
                names, lead_in, command = "", text, ""


def _leads(statement: str) -> bool:
    """Whether a short heading, label or question introduces the text below it, such as `And with the code?`."""
    is_short = len(statement.split()) <= _MOST_WORDS_OF_LEAD and not re.search(r"\d{4}|[.;]\s*$", statement)
    return is_short and lexicon.search(_BY_CODE, statement.replace("_", " ")) is not None


_MOST_WORDS_OF_LEAD: Final = 10
_PROMPTS: Final = ("$ ", ">>>", "% ")
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_UNSHOWN: Final = say("The report describes it, but shows neither the code nor its output.")
_LINES_APART: Final = 3
"""The most lines between two numbers that are printed together."""

_MOST_NUMBERS: Final = 2_000

_NONE: Final = r"<trained_label>[^\d\n]{0,60}(?<![\d.,])0(?![\d.,]*\d)"
OF: Final = r"(?:<out_of>|/)\s*(?:(?:the|all)\s)?\s*\Z"
_NEAR_SHARE: Final = 0.01


class Pair(NamedTuple):
    """Two numbers that are printed together.

    `lines` are the lines that contain them. `swapped`: the larger number is called trainable.
    """

    trainable: int
    total: int
    lines: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    cell: CodeCell
    swapped: bool = False

    @property
    def shown(self) -> str:
        """The first line as printed."""
        return self.lines[0].strip()[:200]

    @property
    def is_fraction(self) -> bool:
        """Whether the printed share is a fraction although it is called a percentage."""
        text = " ".join(self.lines)[: 2 * LONGEST_LINE]
        share = self.trainable / self.total
        read = [float(numeral.value) for numeral in numerals(text) if numeral.value < 1 and not numeral.percent]
        near = any(share and abs(value - share) <= _NEAR_SHARE * share for value in read)
        return near and ("%" in text or "percent" in text.lower())


def printed_pairs(answer: Answer, bases: Container[int], least: int) -> Iterator[Pair]:
    """Yield the pairs in the outputs of all code, except numbers that were not computed.

    A pair with no trainable parameters is recognised by the words before a 0, beside one of the `bases`.
    """
    typed = TypedNumbers(answer.code, least)
    for cell in answer.code:
        numbers = list(filterfalse(typed.holds, typed.numbers(cell)))
        for index, number in enumerate(numbers[:_MOST_NUMBERS]):
            for other in numbers[index + 1 : index + 4]:
                words, apart = f"{number.line} {other.line}".lower(), other.number - number.number
                if apart == 0 or (apart <= _LINES_APART and any(word in words for word in _TELLING)):
                    yield _pair(number, other)
            if number.value in bases:
                lines = cell.heard.split("\n")[max(0, number.number - _LINES_APART) : number.number + _LINES_APART + 1]
                for line in [line for line in lines if lexicon.search(_NONE, line[:LONGEST_LINE])][:1]:
                    place = Evidence(file=cell.file, cell=cell.cell, quote=line.strip()[:LONGEST_LINE])
                    places = tuple(dict.fromkeys((place, number.evidence)))
                    yield Pair(0, number.value, tuple(dict.fromkeys((line, number.line))), places, cell)


_TELLING: Final = ("train", "param", "total", "all", "entra")


def _pair(number: PrintedNumber, other: PrintedNumber) -> Pair:
    small, large = sorted((number, other), key=lambda printed: printed.value)
    evidence = tuple(dict.fromkeys((small.evidence, large.evidence)))
    lines = tuple(dict.fromkeys((number.line, other.line)))
    swapped = small.value < large.value and _is_called_trained(large, small) and not _is_called_trained(small, large)
    return Pair(small.value, large.value, lines, evidence, number.cell, swapped)


def _is_called_trained(number: PrintedNumber, other: PrintedNumber) -> bool:
    """Whether the last label before a number says that it is trained. In `trainable of 100`, the 100 is the whole."""
    begin = other.numeral.end if other.number == number.number and other.numeral.end < number.numeral.start else 0
    labels = list(lexicon.find_all("<trained_label|whole_label>", number.line, begin, number.numeral.start))
    is_whole = lexicon.search(OF, number.line, begin, number.numeral.start) is not None
    return bool(labels) and lexicon.match("<trained_label>", labels[-1][0]) is not None and not is_whole
