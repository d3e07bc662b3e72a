"""The check `trainable-count`: trainable parameters are counted separately, by right code or with right numbers.

`_by_code` judges the code and its printed numbers, `stated_figures` the numbers that the report states. The better of
the two counts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain, combinations
from operator import attrgetter
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.counting_code import Verdict, counting_code
from grader.checks.decide import with_verdict
from grader.checks.feedback import UNSHOWN, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status, best_of
from grader.checks.printed_count import (
    COUNTS,
    LISTINGS,
    OF,
    SUMMED,
    Pair,
    counts_parameters,
    disorder,
    printed_pairs,
    smallest_count,
)
from grader.claims.answer import Answer, Kind
from grader.claims.code import Call, CodeCell, shown_functions
from grader.claims.code.expressions import Constant, has_value
from grader.claims.numerals import Numeral, numerals, percentages, rounds, sentence_bounds, surrounding_text
from grader.claims.passage import Passage
from grader.claims.statements import plainest_saying, speaks_of
from grader.claims.tables import tables
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth
from grader.language import lexicon
from grader.message import Words, join_messages, say, say_data, say_values
from grader.reading.document import BlockKind, Evidence

_MOST_RANK, _MOST_MODULES, _MOST_STORIES = 1024, 8, 3
_TRAINABLE: Final = "trainable"


class Variant(Frozen):
    """True counts of the model without its adapter, by their conventions, and the situation in which they are printed.

    `telling`: only code that uses `requires_grad` prints them.
    """

    trainable: str
    total: str
    title: str
    telling: bool = False


class Adapter(Frozen):
    """Another adapter than the required one.

    `given` are the arguments in its configuration that distinguish it from adapters with the same counts.
    """

    model: str
    given: dict[str, Constant]


class State(NamedTuple):
    """A variant with its numbers."""

    trainable: int
    total: int
    variant: Variant


class OtherAdapter(NamedTuple):
    """An adapter that may have been used instead: its title, its pairs of counts, and whether the code configures
    it."""

    title: str
    pairs: frozenset[tuple[int, int]]
    is_configured: bool


class Figures(NamedTuple):
    """The known numbers of a model with its adapter."""

    trainable: Count
    totals: tuple[Count, ...]
    """The number of all parameters under each convention."""
    rank: int
    """The rank of the adapter."""
    sizes: Mapping[str, int]
    """For each linear module, the number of adapter parameters per unit of rank."""
    states: tuple[State, ...]
    """The numbers of the model without its adapter."""
    others: tuple[tuple[str, "Figures"], ...] = ()
    """The numbers of other models with their adapters."""
    adapters: tuple[OtherAdapter, ...] = ()
    """The numbers of the model with other adapters."""
    misleading: tuple[Count, ...] = ()
    """Numbers that may stand beside the trainable parameters but count something else, such as bytes."""
    is_frozen_last: bool = False
    """Whether no parameter is trainable if the model is prepared after the adapter was added."""
    unusual: frozenset[str] = frozenset()
    """Conventions that are right but not expected."""

    @property
    def usual(self) -> tuple[Count, ...]:
        """The expected totals."""
        return tuple(count for count in self.totals if count.convention not in self.unusual)

    @property
    def bases(self) -> frozenset[int]:
        """The numbers of all parameters without the adapter."""
        return frozenset(count.total - self.trainable.total for count in self.totals)

    @property
    def least(self) -> int:
        """The smallest number that may be one of these."""
        return smallest_count([self.trainable.total])

    def is_right(self, pair: Pair) -> bool:
        """Whether a pair is that of the model with its adapter."""
        fits = pair.trainable == self.trainable.total and any(pair.total == count.total for count in self.totals)
        return fits and not pair.swapped

    def total_of(self, pair: Pair) -> Count | None:
        """Return the count that is the second number of a pair, or None."""
        return next((count for count in self.totals if count.total == pair.total), None)

    def state(self, pair: Pair) -> State | None:
        """Return the state of the model without its adapter to which a pair belongs, or None."""
        return next((state for state in self.states if state[:2] == pair[:2] and not pair.swapped), None)


def figures_of(
    truth: GroundTruth,
    model: str,
    rank: int,
    base: str | None = None,
    variants: tuple[Variant, ...] = (),
    misleading: Sequence[str] = (),
    frozen_last: str = "",
) -> Figures:
    """Return the known numbers of a model. Raises KeyError if the truth has no such convention."""
    counts = {count.convention: count for count in truth.counts_of(model)}
    frozen, apart = counts.pop(frozen_last, None), tuple(counts.pop(name) for name in misleading)
    base_totals = {count.convention: count.total for count in truth.counts_of(base)} if base else {}
    return Figures(
        trainable=counts.pop(_TRAINABLE),
        totals=tuple(counts.values()),
        rank=rank,
        sizes=_sizes(truth, model),
        states=tuple(
            State(base_totals[variant.trainable], base_totals[variant.total], variant)
            for variant in variants
            if base_totals
        ),
        misleading=apart,
        is_frozen_last=frozen is not None and frozen.total == 0,
    )


def _adapter(truth: GroundTruth, adapter: Adapter, calls: Sequence[Call]) -> OtherAdapter:
    """Return an adapter with its counts, and whether a call configures it with all of its arguments."""
    counts = {count.convention: count.total for count in truth.counts_of(adapter.model)}
    trainable = counts.pop(_TRAINABLE)
    known_model = truth.model(adapter.model)
    return OtherAdapter(
        title=known_model.title if known_model else adapter.model,
        pairs=frozenset((trainable, total) for total in counts.values()),
        is_configured=any(
            all(has_value(call.keywords.get(name, ""), value) for name, value in adapter.given.items())
            for call in calls
        ),
    )


def _sizes(truth: GroundTruth, model: str) -> dict[str, int]:
    """Return, for each linear module, the sum of its rows and columns over all layers."""
    found: dict[str, int] = {}
    for known_model in (candidate for candidate in truth.models if candidate.id == model):
        for part in known_model.components:
            if part.kind == "weight" and part.part != "adapter":
                for tensor in part.tensors:
                    if len(tensor.shape) == 2:
                        found[tensor.name] = found.get(tensor.name, 0) + sum(tensor.shape) * part.times
    return dict(list(found.items())[:_MOST_MODULES])


def slip(pair: Pair, figures: Figures) -> Diagnosis | None:
    """Return the diagnosis of a wrong pair, or None."""
    trainable, total = pair.trainable, pair.total
    if miscounted := _miscounted(pair, figures):
        return miscounted
    beside = next((count for count in figures.misleading if count.holds(total)), None)
    if beside and trainable in (0, figures.trainable.total):
        return Diagnosis(
            id="other-total",
            text=say("The second number does not count all parameters: {title}.", title=say_data(beside.title)),
        )
    adapters = [adapter for adapter in figures.adapters if pair[:2] in adapter.pairs]
    if adapters or total - trainable in figures.bases:
        return _other_adapter(trainable, figures, adapters)
    if total in figures.bases:
        text = say("All parameters were counted without the adapter, which is not in the model yet.")
        return Diagnosis(id="before-adapter", text=text)
    return _other_model(pair, figures)


def _miscounted(pair: Pair, figures: Figures) -> Diagnosis | None:
    """Return the diagnosis of a right number in the place of another one, or None."""
    trainable, total = pair.trainable, pair.total
    totals = {count.total for count in figures.totals}
    slips = (
        (
            pair.swapped and _is_of(pair, figures),
            "swapped",
            say("The number of all parameters is given as that of the trainable ones."),
        ),
        (
            trainable == total and total in {*figures.bases, *totals},
            "all-as-trainable",
            say("All parameters were counted as trainable ones."),
        ),
        (
            total - trainable == figures.trainable.total and trainable in figures.bases,
            "untrained",
            say("The second number counts the parameters that are not trained; the trainable ones are the rest."),
        ),
        (
            trainable == 0 and total in totals and figures.is_frozen_last,
            "frozen-last",
            say(
                "No parameter is trainable: prepare_model_for_kbit_training was called after the adapter was "
                "added, and it freezes the adapter, too."
            ),
        ),
    )
    return next((Diagnosis(id=name, text=text) for is_made, name, text in slips if is_made), None)


def _is_of(pair: Pair, figures: Figures) -> bool:
    """Whether one of the numbers is one of the model's."""
    totals = {*figures.bases, *(count.total for count in figures.totals)}
    return pair.total in totals or pair.total - pair.trainable in totals or pair.trainable == figures.trainable.total


def _other_adapter(trainable: int, figures: Figures, adapters: Sequence[OtherAdapter]) -> Diagnosis:
    """Return the diagnosis of another adapter: the one that the code configures, or those with as many parameters."""
    configured = [adapter.title for adapter in adapters if adapter.is_configured]
    if configured or (adapters and trainable % figures.trainable.total):
        titles = dict.fromkeys(configured or [adapter.title for adapter in adapters])
        known_message = join_messages(say(" or "), map(say_data, titles))
        return Diagnosis(
            id="another-adapter",
            text=say("The figures are those of another adapter: {adapter}.", adapter=known_message),
        )
    return _adapter_of_size(list(_stories(trainable, figures)))


def _adapter_of_size(stories: Sequence[tuple[int, tuple[str, ...] | None]]) -> Diagnosis:
    """Return the diagnosis of another adapter, with the adapters that have as many parameters."""
    ranks = [rank for rank, modules in stories if modules is None]
    if len(stories) == 1 and ranks:
        text = say("The figures are those of an adapter of rank {rank}.", rank=ranks[0])
        return Diagnosis(id="another-rank", text=text)
    messages = [
        say("rank {rank} on {modules}", rank=rank, modules=", ".join(modules))
        if modules
        else say("rank {rank}", rank=rank)
        for rank, modules in stories[:_MOST_STORIES]
    ]
    text = say("The model is right, but the adapter is another one.")
    if messages:
        places = join_messages(say(" or "), messages)
        text = say("The model is right, but the adapter is another one: one of {places}.", places=places)
    return Diagnosis(id="another-modules" if stories and not ranks else "another-adapter", text=text)


def _stories(trainable: int, figures: Figures) -> Iterator[tuple[int, tuple[str, ...] | None]]:
    """Yield the adapters with so many parameters: another rank, or the required rank on other modules."""
    unit = figures.trainable.total // figures.rank
    if unit and trainable and trainable % unit == 0 and trainable // unit <= _MOST_RANK:
        yield trainable // unit, None
    names = tuple(figures.sizes)
    for number in range(1, len(names) + 1):
        for chosen in combinations(names, number):
            size = sum(figures.sizes[name] for name in chosen)
            if size * figures.rank == trainable and trainable != figures.trainable.total:
                yield figures.rank, chosen


def _other_model(pair: Pair, figures: Figures) -> Diagnosis | None:
    for title, other in figures.others:
        if pair.total in {count.total for count in other.totals} or pair.total - pair.trainable in other.bases:
            text = say("The figures are those of another model: {model}.", model=say_data(title))
            return Diagnosis(id="another-model", text=text)
    listed = any(call.name in LISTINGS for call in pair.cell.calls) and not pair.cell.counted
    if pair.cell.is_notebook and (listed or not counts_parameters(pair.cell)):
        return None  # a library's table may be about another model
    text = say("The figures printed are those of another model.")
    shown = " ".join(pair.lines)
    is_named = speaks_of(shown, _TRAINED) and speaks_of(shown, (*_COUNTED, "param", "trainable"))
    return Diagnosis(id="another-model", text=text) if is_named else None


_TRAINED: Final = lexicon.stems("trainable")
_COUNTED: Final = ("parameter", "parametre", "weights", "poids")
_ALL: Final = lexicon.stems("whole")
_LABELLED: Final = r"<trained_label>(?:[^:=\d\n]{0,40}[:=]|(?: param\w*)?)\s?\d"
_SENTENCE_END: Final = re.compile(r"(?<![.\s]\w)[.!]\s+(?=[A-ZÀ-Ý\d])|\n\n")
_APART, _BESIDE, _LINES = 300, 120, 3
_ROUNDED_DIGITS, _FINEST_SHARE = 2, 0.01


class StatedFigures(NamedTuple):
    """The numbers that a report states, with the verdict; `status` is None if they go to review.

    `is_pair`: the number of all parameters stands beside the number of trainable ones.
    """

    status: Status | None
    found: str
    feedback: Words
    evidence: tuple[Evidence, ...]
    pair: Pair | None = None
    is_pair: bool = False


def stated_figures(
    answer: Answer, figures: Figures, adapter: Sequence[str], ways: Sequence[str], elsewhere: Sequence[str] = ()
) -> StatedFigures | None:
    """Return the best statement of the report about the numbers, or None.

    `adapter` are words for the trained part, `ways` words that say how the parameters were counted, and `elsewhere` the
    questions about other models.
    """
    sections = [section for section in answer.written if not section.is_closing]
    passages = [section.passage for section in sections]
    trained = (*_TRAINED, *adapter)
    exchanged = [pair for passage in passages if (pair := _exchanged(passage, figures, trained))]
    own_passages = [section.passage for section in sections if not set(section.questions) & set(elsewhere)]
    # A layer of another model may have as many parameters, so a single number in an answer about it proves nothing.
    found = [stated for passage in own_passages for stated in _of_passage(passage, figures, trained)]
    others = [
        stated
        for passage in passages
        if passage not in own_passages
        for stated in _of_passage(passage, figures, trained)
    ]
    found += [other for other in others if other.is_pair]
    if found and not exchanged:
        return next((stated for stated in found if stated.status is Status.CORRECT), found[0])
    counted = plainest_saying(passages, ways)
    if counted is not None and counted.is_plain:
        text = UNSHOWN
        return StatedFigures(Status.PARTIAL, counted.evidence.quote, text, (counted.evidence,))
    wrong = [*(pair for passage in passages for pair in _pairs(passage, figures)), *exchanged]
    if wrong:
        pair = wrong[-1]
        return StatedFigures(None, pair.shown, say("The figures in the report differ from these."), pair.evidence, pair)
    near = (stated for passage in own_passages for stated in _near_training(passage, figures))
    # Without a heading, the answer may be part of an answer about another model.
    return next(chain(near, (other._replace(status=None, feedback=_MEANT) for other in others)), None)


def _of_passage(passage: Passage, figures: Figures, trained: Sequence[str]) -> Iterator[StatedFigures]:
    """Yield the right numbers in a passage: exact, rounded or as a share."""
    text = passage.text
    large = [numeral for numeral in numerals(text) if numeral.value >= figures.least]
    trainable, totals = figures.trainable.total, {count.total for count in figures.totals}
    parts = [number for number in large if trainable in number.readings]
    rounded = [number for number in large if number not in parts and rounds(number, trainable, _ROUNDED_DIGITS)]
    wholes = [number for number in large if totals.intersection(number.readings)]
    usual = {count.total for count in figures.usual}
    shares = [number for number in percentages(text) if _is_share(number, trainable, usual)]
    exchanged = [pair for pair in _pairs(passage, figures) if pair.swapped]
    for part in (*parts, *rounded, *shares):
        named = _says(passage, part, trained) and (part not in shares or _says(passage, part, _COUNTED))
        for whole in wholes:
            near = _APART if part in parts else _BESIDE
            if abs(part.start - whole.start) <= near and (part in parts or named) and not exchanged:
                places = tuple(dict.fromkeys(passage.evidence(number.start, number.end) for number in (part, whole)))
                message = say("The figures in the report are right.")
                yield StatedFigures(Status.CORRECT, f"{part.text} / {whole.text}", message, places, is_pair=True)
        place = (passage.evidence(part.start, part.end),)
        if any(part.text in line for pair in exchanged for line in pair.lines if _is_of(pair, figures)):
            continue
        if named and part in parts:
            yield StatedFigures(Status.CORRECT, part.text, say("The figures in the report are right."), place)
        elif named:
            message = say(
                "The number of trainable parameters is rounded, and neither the function nor its output is shown."
            )
            yield StatedFigures(Status.PARTIAL, part.text, message, place)


def _near_training(passage: Passage, figures: Figures) -> Iterator[StatedFigures]:
    """Yield the right number if its paragraph, but not its sentence, mentions training."""
    for numeral in numerals(passage.text):
        if figures.trainable.total in numeral.readings and speaks_of(passage.block_at(numeral.start).text, _TRAINED):
            yield StatedFigures(None, numeral.text, _MEANT, (passage.evidence(numeral.start, numeral.end),))


_MEANT: Final = say("The right number is there, but it may be meant for something else.")
_FEW: Final = 5  # this many words after a number may say what it counts


def _exchanged(passage: Passage, figures: Figures, trained: Sequence[str]) -> Pair | None:
    """Return the two numbers if a sentence or table swaps them: all parameters are called trained, trained ones all."""
    text = passage.text
    large = [numeral for numeral in numerals(text) if numeral.value >= figures.least]
    totals = {count.total for count in figures.totals}
    for whole in (number for number in large if totals.intersection(number.readings)):
        left, right = sentence_bounds(text, whole.start, whole.end)
        for part in (
            number for number in large if figures.trainable.total in number.readings and left <= number.start < right
        ):
            called = [
                _called(text[left:right], number.start - left, number.end - left, trained) for number in (whole, part)
            ]
            if called == [(True, False), (False, True)]:
                return _swapped(figures, whole, text[left:right], passage.evidence(left, right))
    for table in tables(passage):
        shown = numerals(" | ".join(f"{cell.row} | {cell.text}" for cell in table.cells))
        seen = next((number for number in shown if totals & {*number.readings}), None)
        for cell in table.cells:
            is_part = any(figures.trainable.total in number.readings for number in numerals(cell.text))
            label = next(
                (candidate for candidate in (cell.column, cell.row) if speaks_of(candidate, (*_ALL, *trained))), ""
            )
            if seen and is_part and speaks_of(label, _ALL) and not speaks_of(label, trained):
                return _swapped(figures, seen, cell.evidence.quote, cell.evidence)
    return None


def _swapped(figures: Figures, whole: Numeral, line: str, place: Evidence) -> Pair:
    cell = CodeCell(file=place.file, cell=None, source="", output="")
    return Pair(figures.trainable.total, int(whole.value), (line,), (place,), cell, swapped=True)


def _called(sentence: str, start: int, end: int, trained: Sequence[str]) -> tuple[bool, bool]:
    """Return whether the words after a number call it trained, and whether they call it the total.

    Both are False if a label stands before the number. A number after `of` is the total.
    """
    label = re.search(r"(?:\A|[,;:.()|])([^\d,;:.()|]*param\w*\s+)\Z", sentence[:start])  # `all params 64`
    if re.search(r"[:=]\s*\Z", sentence[:start]) or (label and speaks_of(label[1], (*_ALL, *trained))):
        return False, False
    behind = re.split(r"\d|[;:()|]", sentence[end:])[0]
    words = " ".join(re.findall(r"[^\W\d_]+", behind)[:_FEW])
    is_whole = lexicon.search(OF, sentence, 0, start) is not None
    return not is_whole and speaks_of(words, trained) is not None, is_whole or speaks_of(words, _ALL) is not None


def _says(passage: Passage, number: Numeral, words: Sequence[str]) -> bool:
    """Whether the words around a number in its sentence or line are some of `words`."""
    before, behind = surrounding_text(passage.text, number.start, number.end, _BESIDE)
    headings = (at for at, block in enumerate(passage.blocks) if block.kind is BlockKind.HEADING)
    below = next((start for at in headings if (start := passage.offset_of(at)) >= number.end), len(passage.text))
    before, behind = _SENTENCE_END.split(before)[-1], _SENTENCE_END.split(behind[: below - number.end])[0]
    return speaks_of(f"{before} {behind}", words) is not None


def _is_share(number: Numeral, part: int, wholes: Set[int]) -> bool:
    """Whether a percentage with at least two decimals is the share of a part in one of some wholes, rounded or cut."""
    unit = float(number.resolution)
    is_fine = number.percent and unit <= _FINEST_SHARE
    return is_fine and any(abs(float(number.value) - 100 * part / whole) < unit for whole in wholes)


def _pairs(passage: Passage, figures: Figures) -> list[Pair]:
    """Return the pairs of numbers with a label for trained parameters.

    A sentence that seems to swap two numbers is ignored if a print has them in the right order.
    """
    lines = passage.text.split("\n")
    labels = [lexicon.search(_LABELLED, line) for line in lines]
    shown = "\n".join(line if any(labels[max(0, at - _LINES + 1) : at + 1]) else "" for at, line in enumerate(lines))
    cell = CodeCell(file=passage.file, cell=None, source="", output=shown)
    found = list(printed_pairs(Answer(code=(cell,)), figures.bases, figures.least))
    plain = {pair[:2] for pair in found if not pair.swapped}
    kept_pairs = []
    for pair in found:
        places = tuple(passage.evidence(at) for line in pair.lines if (at := passage.text.find(line)) >= 0)
        kept_pairs += [] if pair.swapped and pair[:2] in plain else [pair._replace(evidence=places or pair.evidence)]
    return kept_pairs


@check("trainable-count", kinds=(Kind.WRITTEN, Kind.CODE, Kind.PRINTED))
def trainable_count(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    model: str,
    function: str = "print_trainable_parameters",
    rank: str | int = "r",
    base: str | None = None,
    variants: tuple[Variant, ...] = (),
    others: tuple[str, ...] = (),
    usual: tuple[str, ...] = (),
    misleading: tuple[str, ...] = (),
    frozen_last: str = "",
    configured_by: tuple[str, ...] = (),
    adapters: tuple[Adapter, ...] = (),
    about: tuple[str, ...] = (),
    adapter: tuple[str, ...] = (),
    ways: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """Trainable parameters are counted by requires_grad, or the right counts are printed.

    - `model`: the model with its adapter. All of its conventions are right.
    - `function`: the function that counts.
    - `rank`: the adapter's rank, or the parameter that holds it.
    - `base`: the model without the adapter.
    - `variants`: known results of other set-ups. `telling`: only code that looks at `requires_grad` prints it.
    - `others`: models that may be loaded instead.
    - `usual`: the usual conventions. Feedback on another one names the function that prints it.
    - `misleading`: conventions that count something else, such as bytes.
    - `frozen_last`: the convention for a model that was prepared after the adapter was added.
    - `configured_by`: names of calls that configure adapters.
    - `adapters`: models with another adapter, each with the arguments that tell it apart in the calls of
      `configured_by`: `{ model = "llama-all", given = { target_modules = "all-linear" } }`.
    - `about`: words in calls; code without them is ignored.
    - `adapter`: words for what is trained.
    - `ways`: words by which a sentence says how it was counted.

    Decides: whether the function in the code counts what is trained, and whether printed numbers match known counts.

    Leaves to people: functions that cannot be followed, numbers of other models or ranks, and numbers without code.
    """
    known_values = {value.parameter: value.value for value in truth.values}
    right = rank if isinstance(rank, int) else int(known_values[rank]) if known_values.get(rank, "").isdecimal() else 1
    figures = figures_of(truth, model, right, base, variants, misleading, frozen_last)
    titles = {candidate.id: candidate.title for candidate in truth.models}
    calls = [call for cell in answer.code for call in cell.calls if call.name in configured_by]
    figures = figures._replace(
        others=tuple((titles.get(other, other), figures_of(truth, other, right)) for other in others),
        adapters=tuple(_adapter(truth, candidate, calls) for candidate in adapters),
    )
    if usual:
        figures = figures._replace(unusual=frozenset(total.convention for total in figures.totals) - {*usual})
    totals = join_messages(say(" or "), (say_values("{count:,}", count=count.total) for count in figures.usual))
    trainable = figures.trainable.total
    expected = ExpectedAnswer(
        text=say("{trainable:,} trainable parameters of {totals}", trainable=trainable, totals=totals),
        truths=(figures.trainable.id, *(count.id for count in figures.usual)),
    )
    finding = Finding(item=item, status=Status.REVIEW, expected=expected)
    on_pages = [cell for section in answer.written for cell in shown_functions(section.passage, function)]
    own_cells = own_code(answer.code, function, about)
    code = counting_code(own_cells or on_pages, function)
    bases = figures.bases | {count.total for count in figures.totals}
    all_pairs = printed_pairs(answer, bases, figures.least)
    pairs = [pair for pair in all_pairs if figures.is_right(pair) or figures.state(pair) or slip(pair, figures)]
    by_code = _by_code(finding, pairs, code, figures) if pairs or code.evidence else None
    elsewhere = [
        question.id for question in lab.questions if any(i.options.get("model", model) != model for i in question.items)
    ]
    stated = stated_figures(answer, figures, adapter, ways, elsewhere)
    wrong = slip(stated.pair, figures) if stated and stated.pair else None
    by_report = None
    if stated:
        by_report = finding.with_changes(found=stated.found[:200], evidence=stated.evidence)
        if stated.status:
            by_report = with_verdict(by_report, stated.status, stated.feedback)
        elif wrong:
            by_report = _by_slip(by_report, wrong)
        else:
            by_report = with_verdict(by_report, Status.PARTIAL, "", Reason(stated.feedback, is_likely=False))
    # Numbers of another adapter contradict right code if no function was asked for.
    speaks_against = wrong is not None and (wrong.id == "swapped" or (_is_known(wrong) and not code.is_asked))
    if by_code and by_code.status is Status.CORRECT and stated and wrong and speaks_against:
        yield _contradicted(by_code, wrong, stated.evidence)
    else:
        files = {cell.file for cell in own_cells}
        asked = answer.model_copy(update={"code": tuple(cell for cell in answer.code if cell.file in files)})
        yield best_of((by_code, by_report)) or concluded_absent(finding, absence(asked, lab, item))


_BESIDE_CODE: Final = say("The code counts as asked, but the figures beside it are different.")
_DECIDED: Final = {"all-as-trainable": Status.INCORRECT, "swapped": Status.PARTIAL}
"""The verdicts on numbers that certainly show a wrong way of counting."""


def _by_slip(finding: Finding, wrong: Diagnosis) -> Finding:
    """Return the verdict on numbers that come from a wrong way of counting, or a review if that is not certain."""
    status = _DECIDED.get(wrong.id)
    reason = Reason(wrong.text).keep_if(status is None)
    return with_verdict(
        finding.with_changes(diagnoses=(wrong,)), status or Status.PARTIAL, "" if reason else wrong.text, reason
    )


def _contradicted(finding: Finding, wrong: Diagnosis, evidence: Sequence[Evidence]) -> Finding:
    """Return a review for right code beside wrong numbers."""
    places = tuple(dict.fromkeys((*evidence, *finding.evidence)))
    reason = Reason(join_messages(" ", (wrong.text, _BESIDE_CODE)))
    return with_verdict(
        finding.with_changes(confidence=1.0, diagnoses=(wrong,), evidence=places), Status.PARTIAL, "", reason
    )


def own_code(code: Sequence[CodeCell], function: str, about: Sequence[str]) -> Sequence[CodeCell]:
    """Return the code about the model.

    In each file, it begins with the first cell whose calls contain one of some words. Cells that define the required
    function or a called function belong to it. Return all code if no call contains such a word.
    """
    found: list[CodeCell] = []
    files: set[str] = set()
    called = {function}
    for cell in code:
        if cell.file in files or _is_about(cell, about):
            found.append(cell)
            files.add(cell.file)
            called.update(call.name for call in cell.calls)
    if not found:
        return code
    # A notebook cannot use the definitions of another one.
    near = [cell for cell in code if cell.file in files or not cell.is_notebook]
    return [cell for cell in near if cell in found or not called.isdisjoint(map(attrgetter("name"), cell.functions))]


def _is_about(cell: CodeCell, about: Sequence[str]) -> bool:
    """Whether the name or an argument of a call in a cell contains one of some words."""
    texts = [text for call in cell.calls for text in (call.name, *call.arguments, *call.keywords.values())]
    return any(word in text.lower() for word in about for text in texts)


def _by_code(finding: Finding, pairs: Sequence[Pair], code: Verdict, figures: Figures) -> Finding:
    """Return the verdict by the printed numbers and by the code."""
    right = [(pair, _told_right(pair, figures)) for pair in pairs if figures.is_right(pair)]
    states = [(pair, state) for pair in pairs if (state := figures.state(pair))]
    telling = [
        (pair, say("The printed figures are right for the model at that point: {title}.", title=_title(state)))
        for pair, state in states
        if state.variant.telling and not code.is_wrong and not code.certain
    ]
    if (right or telling) and not code.gaps:
        pair, text = (right or telling)[-1]
        # The output of a library's function says nothing about the student's function.
        is_library = any(call.name in _LIBRARIES_OWN and not call.own for call in pair.cell.calls)
        is_odd = code.is_wrong and not is_library
        odd = [say("The code as it stands does not print this: {what}", what=code.feedback)] if is_odd else []
        return with_verdict(
            finding,
            Status.CORRECT,
            join_messages(" ", (text, _FRACTION)) if pair.is_fraction else text,
            found=pair.shown,
            evidence=(*pair.evidence, *code.evidence[:1]),
            note=join_messages(" ", [*odd, *filter(None, [disorder(pair.cell, code.cell)])]),
        )
    if not code.certain:
        return _for_a_person(finding, pairs, [pair for pair, _ in right], code, figures)
    slips = [found for pair in pairs if not figures.state(pair) and (found := slip(pair, figures))]
    others = [diagnosis for diagnosis in slips if _is_known(diagnosis)]
    if others and not code.is_asked and not states:
        return _contradicted(finding.with_changes(found=code.found), others[-1], code.evidence[:1])
    notes: list[str] = [
        say("The printed figures are right for the model at that point: {title}.", title=_title(state))
        for _, state in states[-1:]
    ]
    notes += [diagnosis.text for diagnosis in slips[-1:] if diagnosis not in others]
    notes += filter(None, [disorder(pair.cell, code.cell) for pair in pairs[-1:]])
    places = (*code.evidence[:1], *(pair.evidence[0] for pair in pairs[-1:]))
    finding = finding.with_changes(
        found=code.found, evidence=places, note=join_messages(" ", dict.fromkeys(notes)), confidence=0.9
    )
    message = join_messages(" ", (code.feedback, others[-1].text)) if others else code.feedback
    return with_verdict(finding, Status.CORRECT, message)


_FRACTION: Final = say("The share beside them is a fraction; in percent it is a hundred times as much.")


_LIBRARIES_OWN: Final = COUNTS - SUMMED


def _told_right(pair: Pair, figures: Figures) -> Words:
    """Return the message that a pair is right, with its convention if it is an unusual one."""
    count = figures.total_of(pair)
    if count is None or count in figures.usual:
        return say("The printed figures are right.")
    return say("The printed figures are right: {title}.", title=say_data(count.title))


def _title(state: State) -> Words:
    return say_data(state.variant.title)


def _for_a_person(
    finding: Finding, pairs: Sequence[Pair], right: Sequence[Pair], code: Verdict, figures: Figures
) -> Finding:
    """Return the finding if neither numbers nor code are certainly right."""
    # Not all numbers that stand together are counts; one may be a share. The last pair with a known meaning counts.
    known_pairs = [candidate for candidate in pairs if figures.state(candidate) or _is_known(slip(candidate, figures))]
    shown = right[:1] or (known_pairs or list(pairs))[-1:]
    # Code that may not be meant for this item gets no feedback.
    likely = Reason(code.feedback, is_likely=bool(code.is_asked or code.is_wrong or code.gaps))
    if not shown or code.gaps:
        places = (*(code.gaps[:1] or code.evidence[:1]), *(pair.evidence[0] for pair in shown))
        is_certain = code.decides and not shown
        finding = finding.with_changes(found=code.found, evidence=places)
        return with_verdict(finding, code.status, code.feedback if is_certain else "", likely.keep_if(not is_certain))
    pair, state = shown[0], figures.state(shown[0])
    finding = finding.with_changes(found=pair.shown, evidence=(*pair.evidence, *code.evidence[:1]))
    wrong = None if state or right else slip(pair, figures)
    if wrong and wrong.id in _DECIDED:
        return _by_slip(finding, wrong)
    wrong = None if state else slip(pair, figures)
    message: str = wrong.text if wrong else ""
    if state:
        message = say("These figures are true of {title}, but other code prints them too.", title=_title(state))
    elif not wrong:
        return with_verdict(finding, code.status, "", likely)
    is_part = not (wrong and wrong.id == "another-model")
    reason = Reason(join_messages(" ", (message, code.feedback)), is_likely=is_part or likely.is_likely)
    finding = finding.with_changes(diagnoses=(wrong,) if wrong else ())
    return with_verdict(finding, Status.PARTIAL if is_part else code.status, "", reason)


def _is_known(found: Diagnosis | None) -> bool:
    return found is not None and found.id != "another-model"
