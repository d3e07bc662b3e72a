"""Are trainable parameters told from all parameters, by right code or by the right figures in a print, a table or a
sentence?
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.counting_code import Verdict, counting_code
from grader.checks.finding import Diagnosis, Expected, Finding, Status, best_of
from grader.checks.printed_count import OF, Pair, disorder, printed_pairs, smallest_count
from grader.claims.answer import Answer, Kind
from grader.claims.code import CodeCell, shown_functions
from grader.claims.numerals import Numeral, beside, numerals, percentages, rounds, sentence_bounds
from grader.claims.passage import Passage
from grader.claims.statements import plainest, speaks_of
from grader.claims.tables import tables
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth
from grader.language import lexicon
from grader.message import Words, joined, say, say_data
from grader.reading.document import Evidence

_MOST_RANK, _MOST_MODULES, _MOST_STORIES = 1024, 8, 3
_TRAINABLE: Final = "trainable"


class Variant(Frozen):
    """True counts of the model without its adapter, by their conventions, and when they are printed. `telling`: only
    code that looks at requires_grad prints them."""

    trainable: str
    total: str
    title: str
    telling: bool = False


class State(NamedTuple):
    """A variant with its numbers."""

    trainable: int
    total: int
    variant: Variant


class Figures(NamedTuple):
    """What is known of a model with its adapter: the trainable parameters, and all of them under each way of counting;
    `rank` and `sizes` are the adapter's rank and how many parameters one rank of it has in each linear module. `states`
    are those without the adapter, and `others` other models with theirs."""

    trainable: Count
    totals: tuple[Count, ...]
    rank: int
    sizes: Mapping[str, int]
    states: tuple[State, ...]
    others: tuple[tuple[str, "Figures"], ...] = ()

    @property
    def bases(self) -> frozenset[int]:
        """All parameters without the adapter."""
        return frozenset(count.total - self.trainable.total for count in self.totals)

    @property
    def least(self) -> int:
        """The least number that may be one of these figures."""
        return smallest_count([self.trainable.total])

    def is_right(self, pair: Pair) -> bool:
        """Whether a pair is that of the model with its adapter."""
        fits = pair.trainable == self.trainable.total and any(pair.total == count.total for count in self.totals)
        return fits and not pair.swapped

    def state(self, pair: Pair) -> State | None:
        """The state of the model without its adapter that a pair is true of."""
        return next((one for one in self.states if one[:2] == pair[:2] and not pair.swapped), None)


def figures_of(
    truth: GroundTruth, model: str, rank: int, base: str | None = None, variants: tuple[Variant, ...] = ()
) -> Figures:
    """The known figures of a model. Raises KeyError where the truth has no such convention."""
    counts = {count.convention: count for count in truth.counts_of(model)}
    own = {count.convention: count.total for count in truth.counts_of(base)} if base else {}
    return Figures(
        trainable=counts.pop(_TRAINABLE),
        totals=tuple(counts.values()),
        rank=rank,
        sizes=_sizes(truth, model),
        states=tuple(State(own[one.trainable], own[one.total], one) for one in variants if own),
    )


def _sizes(truth: GroundTruth, model: str) -> dict[str, int]:
    """Rows and columns together of each linear module, over all layers."""
    found: dict[str, int] = {}
    for known in (one for one in truth.models if one.id == model):
        for part in known.components:
            if part.kind == "weight" and part.part != "adapter":
                for tensor in part.tensors:
                    if len(tensor.shape) == 2:
                        found[tensor.name] = found.get(tensor.name, 0) + sum(tensor.shape) * part.times
    return dict(list(found.items())[:_MOST_MODULES])


def slip(pair: Pair, figures: Figures) -> Diagnosis | None:
    """What a pair shows that is none of the right ones."""
    trainable, total = pair.trainable, pair.total
    if pair.swapped and _is_of(pair, figures):
        return Diagnosis(id="swapped", text=say("The number of all parameters is called that of the trainable ones."))
    if trainable == total and total in {*figures.bases, *(count.total for count in figures.totals)}:
        return Diagnosis(id="all-as-trainable", text=say("All parameters were counted as trainable ones."))
    if total - trainable == figures.trainable.total and trainable in figures.bases:
        text = say(
            "Beside all parameters stands the number of those that are not trained; the trainable ones are the rest."
        )
        return Diagnosis(id="untrained", text=text)
    if total - trainable in figures.bases:
        return _other_adapter(trainable, figures)
    if total in figures.bases:
        text = say("All parameters were counted without the adapter, which is not in the model yet.")
        return Diagnosis(id="before-adapter", text=text)
    return _other_model(pair, figures)


def _is_of(pair: Pair, figures: Figures) -> bool:
    """Whether one of the numbers is one of the model's."""
    totals = {*figures.bases, *(count.total for count in figures.totals)}
    return pair.total in totals or pair.total - pair.trainable in totals or pair.trainable == figures.trainable.total


def _other_adapter(trainable: int, figures: Figures) -> Diagnosis:
    """That the model is right and the adapter another one."""
    stories = list(_stories(trainable, figures))
    ranks = [rank for rank, modules in stories if modules is None]
    said = [
        say("rank {rank}", rank=rank)
        if modules is None
        else say("rank {rank} on {modules}", rank=rank, modules=", ".join(modules))
        for rank, modules in stories[:_MOST_STORIES]
    ]
    if len(stories) == 1 and ranks:
        text = say("The figures are those of an adapter of rank {rank}.", rank=ranks[0])
        return Diagnosis(id="another-rank", text=text)
    text = say("The model is the right one, but another adapter was put into it.")
    if places := joined(say(" or "), said):
        text = say("The model is the right one, but another adapter was put into it: one of {places}.", places=places)
    return Diagnosis(id="another-modules" if stories and not ranks else "another-adapter", text=text)


def _stories(trainable: int, figures: Figures) -> Iterator[tuple[int, tuple[str, ...] | None]]:
    """The adapters that have so many parameters: another rank, or the asked one on other modules."""
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
    text = say("The figures printed are those of another model.")
    return Diagnosis(id="another-model", text=text) if "train" in " ".join(pair.lines).lower() else None


_TRAINED: Final = lexicon.stems("trainable")
_COUNTED: Final = ("parameter", "parametre", "weights", "poids")
_ALL: Final = lexicon.stems("whole")
_LABELLED: Final = r"<trained_label>(?:[^:=\d\n]{0,40}[:=]|(?: param\w*)?)\s?\d"
_SENTENCE_END: Final = re.compile(r"(?<![.\s]\w)[.!]\s+(?=[A-ZÀ-Ý\d])|\n\n")
_APART, _BESIDE, _LINES = 300, 120, 3
_ROUNDED_DIGITS, _FINEST_SHARE = 2, 0.01


class Stated(NamedTuple):
    """What a report states, and what that is worth; no status where a person must look at it."""

    status: Status | None
    found: str
    feedback: Words
    evidence: tuple[Evidence, ...]
    pair: Pair | None = None


def stated_figures(
    answer: Answer, figures: Figures, adapter: Sequence[str], ways: Sequence[str], elsewhere: Sequence[str] = ()
) -> Stated | None:
    """The best of what the report says. `adapter` are words for what is trained, `ways` those by which a sentence tells
    how it was counted, and `elsewhere` the questions about other models."""
    sections = [section for section in answer.written if not section.is_closing]
    passages = [section.passage for section in sections]
    trained = (*_TRAINED, *adapter)
    exchanged = [pair for passage in passages if (pair := _exchanged(passage, figures, trained))]
    found = [one for passage in passages for one in _of_passage(passage, figures, trained)]
    if found and not exchanged:
        return next((one for one in found if one.status is Status.CORRECT), found[0])
    counted = plainest(passages, ways)
    if counted is not None and counted.is_plain:
        text = say("The report says how trainable parameters are counted, but shows neither code nor figures.")
        return Stated(Status.PARTIAL, counted.evidence.quote, text, (counted.evidence,))
    wrong = [*(pair for passage in passages for pair in _pairs(passage, figures)), *exchanged]
    if wrong:
        pair = wrong[-1]
        return Stated(None, pair.shown, say("The figures in the report are others."), pair.evidence, pair)
    own = [one.passage for one in sections if not set(one.questions) & set(elsewhere)]
    return next((one for passage in own for one in _near_training(passage, figures)), None)


def _of_passage(passage: Passage, figures: Figures, trained: Sequence[str]) -> Iterator[Stated]:
    """The right figures that a passage states, exactly, rounded or as a share."""
    text = passage.text
    large = [one for one in numerals(text) if one.value >= figures.least]
    trainable, totals = figures.trainable.total, {count.total for count in figures.totals}
    parts = [one for one in large if trainable in one.readings]
    rounded = [one for one in large if one not in parts and rounds(one, trainable, _ROUNDED_DIGITS)]
    wholes = [one for one in large if totals.intersection(one.readings)]
    shares = [one for one in percentages(text) if _is_share(one, trainable, totals)]
    exchanged = [pair for pair in _pairs(passage, figures) if pair.swapped]
    for part in (*parts, *rounded, *shares):
        named = _says(text, part, trained) and (part not in shares or _says(text, part, _COUNTED))
        for whole in wholes:
            near = _APART if part in parts else _BESIDE
            if abs(part.start - whole.start) <= near and (part in parts or named) and not exchanged:
                places = tuple(dict.fromkeys(passage.evidence(one.start, one.end) for one in (part, whole)))
                said = say("The figures that the report states are right.")
                yield Stated(Status.CORRECT, f"{part.text} / {whole.text}", said, places)
        place = (passage.evidence(part.start, part.end),)
        if any(part.text in line for pair in exchanged for line in pair.lines if _is_of(pair, figures)):
            continue
        if named and part in parts:
            yield Stated(Status.CORRECT, part.text, say("The trainable parameters are stated, and right."), place)
        elif named:
            said = say(
                "The number of trainable parameters is stated, but it is rounded, and neither the function nor its "
                "output is shown."
            )
            yield Stated(Status.PARTIAL, part.text, said, place)


def _near_training(passage: Passage, figures: Figures) -> Iterator[Stated]:
    """The right number where the paragraph, but not the sentence, speaks of training."""
    for one in numerals(passage.text):
        if figures.trainable.total in one.readings and speaks_of(passage.block_at(one.start).text, _TRAINED):
            said = say("The right number stands here; a person looks whether it is of what is trained.")
            yield Stated(None, one.text, said, (passage.evidence(one.start, one.end),))


_FEW: Final = 5  # so many words behind a number tell what it counts


def _exchanged(passage: Passage, figures: Figures, trained: Sequence[str]) -> Pair | None:
    """The two figures where a sentence calls the number of all parameters trained, and that of the trained ones all."""
    text = passage.text
    large = [one for one in numerals(text) if one.value >= figures.least]
    totals = {count.total for count in figures.totals}
    for whole in (one for one in large if totals.intersection(one.readings)):
        left, right = sentence_bounds(text, whole.start, whole.end)
        for part in (one for one in large if figures.trainable.total in one.readings and left <= one.start < right):
            called = [_called(text[left:right], one.start - left, one.end - left, trained) for one in (whole, part)]
            if called == [_Called(trained=True), _Called(all=True)]:
                place = passage.evidence(left, right)
                return _swapped(figures, whole, text[left:right], place)
    for one in tables(passage):
        shown = numerals(" | ".join(f"{cell.row} | {cell.text}" for cell in one.cells))
        seen = next((number for number in shown if totals & {*number.readings}), None)
        for cell in one.cells:
            is_part = any(figures.trainable.total in number.readings for number in numerals(cell.text))
            label = next((one for one in (cell.column, cell.row) if speaks_of(one, (*_ALL, *trained))), "")
            if seen and is_part and speaks_of(label, _ALL) and not speaks_of(label, trained):
                return _swapped(figures, seen, cell.evidence.quote, cell.evidence)
    return None


def _swapped(figures: Figures, whole: Numeral, line: str, place: Evidence) -> Pair:
    cell = CodeCell(file=place.file, cell=None, source="", output="")
    return Pair(figures.trainable.total, int(whole.value), (line,), (place,), cell, swapped=True)


class _Called(NamedTuple):
    """What the words at a number call it."""

    trained: bool = False
    all: bool = False


def _called(sentence: str, start: int, end: int, trained: Sequence[str]) -> _Called:
    """What the few words behind a number, up to the next one, call it; nothing where a label stands before it. One
    behind `of` is that of the whole."""
    if re.search(r"[:=]\s*\Z", sentence[:start]):
        return _Called()
    behind = re.split(r"\d|[;:()|]", sentence[end:])[0]
    words = " ".join(re.findall(r"[^\W\d_]+", behind)[:_FEW])
    is_whole = lexicon.search(OF, sentence, 0, start) is not None
    return _Called(
        trained=speaks_of(words, trained) is not None and not is_whole,
        all=is_whole or speaks_of(words, _ALL) is not None,
    )


def _says(text: str, number: Numeral, words: Sequence[str]) -> bool:
    """Whether the words around a number, in its sentence or line, speak of something, as that so many are trained."""
    before, behind = beside(text, number.start, number.end, _BESIDE)
    before, behind = _SENTENCE_END.split(before)[-1], _SENTENCE_END.split(behind)[0]
    return speaks_of(f"{before} {behind}", words) is not None


def _is_share(number: Numeral, part: int, wholes: Set[int]) -> bool:
    """Whether a percentage with two decimals at least is, rounded or cut, the share of a part in a whole."""
    unit = float(number.resolution)
    is_fine = number.percent and unit <= _FINEST_SHARE
    return is_fine and any(abs(float(number.value) - 100 * part / whole) < unit for whole in wholes)


def _pairs(passage: Passage, figures: Figures) -> list[Pair]:
    """Two figures as a print shows them, behind a label that speaks of training. A sentence that seems to exchange the
    two that a print names rightly was misread."""
    lines = passage.text.split("\n")
    labelled = (number for number, line in enumerate(lines) if lexicon.search(_LABELLED, line))
    kept = {near for number in labelled for near in range(number, number + _LINES)}
    shown = "\n".join(line if number in kept else "" for number, line in enumerate(lines))
    cell = CodeCell(file=passage.file, cell=None, source="", output=shown)
    found = list(printed_pairs(Answer(code=(cell,)), figures.bases, figures.least))
    plain = {pair[:2] for pair in found if not pair.swapped}
    return [
        pair._replace(evidence=_places(passage, pair)) for pair in found if not (pair.swapped and pair[:2] in plain)
    ]


def _places(passage: Passage, pair: Pair) -> tuple[Evidence, ...]:
    starts = [passage.text.find(line) for line in pair.lines]
    return tuple(passage.evidence(start) for start in starts if start >= 0) or pair.evidence


_DECIDED: Final = {"all-as-trainable": Status.INCORRECT, "swapped": Status.PARTIAL}
"""What figures are worth that show a wrong way of counting."""


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
    adapter: tuple[str, ...] = (),
    ways: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """Trainable parameters are counted by requires_grad, or the printed figures match.

    `function` is the one that counts, such as one that the hand-out asks to complete; `rank` is the adapter's rank,
    which the count is a multiple of, or the parameter that holds it. `base` is the model without the adapter,
    `variants` what is true of it, and `others` are models with an adapter that may have been loaded instead. What the
    report states counts as what code prints: `adapter` are words for what is trained, `ways` those by which a sentence
    tells how it was counted.

    Decides: the function in the code, if it counts what is trained, and printed figures that agree with the known
    counts.

    Leaves to people: functions that cannot be followed, figures of other models or ranks, and figures without code.
    """
    known = {value.parameter: value.value for value in truth.values}
    right = rank if isinstance(rank, int) else int(known[rank]) if known.get(rank, "").isdecimal() else 1
    figures = figures_of(truth, model, right, base, variants)
    titles = {one.id: one.title for one in truth.models}
    figures = figures._replace(
        others=tuple((titles.get(other, other), figures_of(truth, other, right)) for other in others)
    )
    finding = Finding(item=item, status=Status.REVIEW, expected=_expected(figures))
    on_pages = [cell for section in answer.written for cell in shown_functions(section.passage, function)]
    code = counting_code(answer.code or on_pages, function)
    every = printed_pairs(answer, figures.bases, figures.least)
    pairs = [one for one in every if figures.is_right(one) or figures.state(one) or slip(one, figures)]
    by_code = _concluded(finding, pairs, code, figures) if pairs or code.evidence else None
    elsewhere = [one.id for one in lab.questions if any(i.options.get("model", model) != model for i in one.items)]
    stated = stated_figures(answer, figures, adapter, ways, elsewhere)
    by_report = _by_report(finding, stated, figures) if stated else None
    contradicted = by_code and _contradicted_by(by_code, stated, figures, code)
    best = contradicted or best_of((by_code, by_report))
    yield best or concluded_absent(finding, absence(answer, lab, item))


def _by_report(finding: Finding, stated: Stated, figures: Figures) -> Finding:
    """The verdict by what the report states."""
    finding = finding.changed(found=stated.found[:200], evidence=stated.evidence)
    if stated.status or stated.pair is None:
        return finding.changed(status=stated.status or Status.REVIEW, feedback=stated.feedback)
    wrong = slip(stated.pair, figures)
    return _by_slip(finding, wrong) or finding.changed(
        diagnoses=(wrong,) if wrong else (),
        suggestion=Status.PARTIAL if wrong else None,
        feedback=wrong.text if wrong else stated.feedback,
    )


def _contradicted_by(by_code: Finding, stated: Stated | None, figures: Figures, code: Verdict) -> Finding | None:
    """What right code is worth beside figures of the report that exchange the two numbers, or, where no function was
    asked for, that are of another adapter: a person decides. None where there are no such figures."""
    if by_code.status is not Status.CORRECT or stated is None or stated.status or stated.pair is None:
        return None
    wrong = slip(stated.pair, figures)
    if wrong is None or (wrong.id != "swapped" and (code.is_asked or not _is_known(wrong))):
        return None
    return _contradicted(by_code, wrong, stated.evidence)


def _contradicted(finding: Finding, wrong: Diagnosis, evidence: Sequence[Evidence]) -> Finding:
    looks = say("The code counts as asked, but the figures beside it are others; a person looks.")
    return finding.changed(
        status=Status.REVIEW,
        suggestion=Status.PARTIAL,
        confidence=1.0,
        diagnoses=(wrong,),
        evidence=tuple(dict.fromkeys((*evidence, *finding.evidence))),
        feedback=joined(" ", (wrong.text, looks)),
    )


def _by_slip(finding: Finding, wrong: Diagnosis | None) -> Finding | None:
    """What figures are worth that certainly come from a wrong way of counting."""
    status = _DECIDED.get(wrong.id) if wrong else None
    if wrong is None or status is None:
        return None
    return finding.changed(status=status, diagnoses=(wrong,), feedback=wrong.text)


def _expected(figures: Figures) -> Expected:
    totals = joined(say(" or "), (say("{count:,}", count=count.total) for count in figures.totals))
    return Expected(
        text=say("{trainable:,} trainable parameters of {totals}", trainable=figures.trainable.total, totals=totals),
        truths=(figures.trainable.id, *(count.id for count in figures.totals)),
    )


def _concluded(finding: Finding, pairs: Sequence[Pair], code: Verdict, figures: Figures) -> Finding:
    """The verdict by printed figures and by the code that counts."""
    right = [pair for pair in pairs if figures.is_right(pair)]
    states = [(pair, state) for pair in pairs if (state := figures.state(pair))]
    telling = [(pair, state) for pair, state in states if state.variant.telling]
    if right and not code.gaps:
        text = _shared(say("The printed figures are right."), right[-1])
        return _by_figures(finding, right[-1], code).changed(feedback=text)
    if code.certain:
        return _by_code(finding, pairs, code, figures)
    if telling and not code.gaps and not code.is_wrong:
        pair, state = telling[-1]
        text = say(
            "The printed figures are right for the model at that point: {title}.", title=say_data(state.variant.title)
        )
        return _by_figures(finding, pair, code).changed(feedback=_shared(text, pair))
    return _for_a_person(finding, pairs, right, code, figures)


def _by_figures(finding: Finding, pair: Pair, code: Verdict) -> Finding:
    odd = [say("The code as it stands does not print this: {what}", what=code.feedback)] if code.is_wrong else []
    return finding.changed(
        status=Status.CORRECT,
        found=pair.shown,
        evidence=(*pair.evidence, *code.evidence[:1]),
        note=joined(" ", [*odd, *filter(None, [disorder(pair.cell, code.cell)])]),
    )


def _shared(text: str, pair: Pair) -> str:
    """With what is to be said of the share that was printed beside the figures."""
    if not pair.is_fraction:
        return text
    return joined(" ", [text, say("The share beside them is a fraction; in percent it is a hundred times as much.")])


def _by_code(finding: Finding, pairs: Sequence[Pair], code: Verdict, figures: Figures) -> Finding:
    """The verdict where the code counts rightly, whatever was printed."""
    known = [state for pair in pairs if (state := figures.state(pair))]
    states = [say("Printed was what is true of {title}.", title=say_data(state.variant.title)) for state in known]
    slips = [found for pair in pairs if not figures.state(pair) and (found := slip(pair, figures))]
    odd = [disorder(pair.cell, code.cell) for pair in pairs[-1:]]
    others = [one for one in slips if _is_known(one)]
    if others and not code.is_asked and not known:
        return _contradicted(finding.changed(found=code.found), others[-1], code.evidence[:1])
    return finding.changed(
        status=Status.CORRECT,
        found=code.found,
        evidence=(*code.evidence[:1], *(pair.evidence[0] for pair in pairs[-1:])),
        feedback=code.feedback,
        note=joined(" ", dict.fromkeys(filter(None, [*states[-1:], *(one.text for one in slips[-1:]), *odd]))),
        confidence=0.9,
    )


def _for_a_person(
    finding: Finding, pairs: Sequence[Pair], right: Sequence[Pair], code: Verdict, figures: Figures
) -> Finding:
    """The finding where neither figures nor code are right for certain."""
    shown = right[:1] or _most_telling(pairs, figures)
    if not shown or code.gaps:
        evidence = code.gaps[:1] or code.evidence[:1]
        is_certain = code.decides and not shown
        return finding.changed(
            status=code.status if is_certain else Status.REVIEW,
            found=code.found,
            evidence=(*evidence, *(pair.evidence[0] for pair in shown)),
            suggestion=None if is_certain else _suggestion(code),
            feedback=(code.found if is_certain else None) or code.feedback,
        )
    pair = shown[0]
    state = figures.state(pair)
    decided = None if state or right else _by_slip(finding, slip(pair, figures))
    if decided is not None:
        return decided.changed(found=pair.shown, evidence=(*pair.evidence, *code.evidence[:1]))
    slips = tuple(filter(None, [None if state else slip(pair, figures)]))
    said = [one.text for one in slips]
    if state:
        title = say_data(state.variant.title)
        said = [say("These figures are true of {title}, but other code prints them too.", title=title)]
    return finding.changed(
        found=pair.shown,
        evidence=(*pair.evidence, *code.evidence[:1]),
        diagnoses=slips,
        suggestion=Status.PARTIAL if said and "another-model" not in {one.id for one in slips} else _suggestion(code),
        feedback=joined(" ", [*said, code.feedback]),
    )


def _suggestion(code: Verdict) -> Status | None:
    """What the code is likely worth: nothing is said of code that may not be meant for this at all."""
    return code.status if code.is_asked or code.is_wrong or code.gaps else None


def _most_telling(pairs: Sequence[Pair], figures: Figures) -> list[Pair]:
    """The last pair that something is known of; of several numbers together, such as a share, not all are counts."""
    known = [pair for pair in pairs if figures.state(pair) or _is_known(slip(pair, figures))]
    return (known or list(pairs))[-1:]


def _is_known(found: Diagnosis | None) -> bool:
    return found is not None and found.id != "another-model"
