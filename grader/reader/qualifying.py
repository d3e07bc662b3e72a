"""Qualification of a reader: its statements about labelled examples are compared with the labels."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final, NamedTuple

from grader.claims.numerals import numerals, percentages
from grader.claims.passage import Passage, normalise
from grader.claims.results.numbers import numbers_in
from grader.lab.definition import Lab
from grader.model.answers import Scorer
from grader.reader.answer import NoAnswerError, Read, merge_reads, parse_answer
from grader.reader.card import (
    COMPARISON,
    DEFINITIONS,
    PARTS,
    RESULTS,
    SELECTION,
    SNIPPETS,
    TOTAL,
    VALUES,
    Card,
    Measure,
)
from grader.reader.consulted import find
from grader.reading.document import Block, BlockKind

EXAMPLES: Final = "examples"
"""The folder of labelled examples beside a lab's cards: `<id>.txt` holds the lines of a text, `<id>.json` what it
states, in the form of an answer; the words before the last hyphen of an id name its source."""
_LABELS: Final = {"correct": "correct", "partial": "partial", "wrong": "incorrect"}
_FEWEST: Final = 0.5
"""So much of the shorter one of two quotes must be the same for them to be of one place."""


class LabelledExample(NamedTuple):
    """A text in lines, and what it states."""

    id: str
    lines: tuple[str, ...]
    states: Read

    @property
    def source(self) -> str:
        """The writer of the example; what is learned from a source is not measured on it."""
        return self.id.rpartition("-")[0] or self.id


class ExamplesError(Exception):
    """There are no usable examples; the message says what to do."""


def load_examples(folder: Path) -> tuple[LabelledExample, ...]:
    """The examples in a folder, by their ids. Raises ExamplesError."""
    found = []
    for path in sorted(folder.glob("*.json")):
        text = path.with_suffix(".txt")
        try:
            lines = tuple(text.read_text(encoding="utf-8").splitlines())
            found.append(LabelledExample(path.stem, lines, parse_answer(path.read_text(encoding="utf-8"))))
        except (OSError, NoAnswerError, UnicodeDecodeError) as error:
            raise ExamplesError(f"{path}: {error}; each example is <id>.txt with <id>.json beside it.") from error
    if not found:
        raise ExamplesError(f"{folder} holds no examples: put <id>.txt with <id>.json beside it.")
    return tuple(found)


Scorers = Callable[[str], Scorer | None]
"""For a source, the frozen model of short answers that has learned nothing of it."""


def card(
    reader: str,
    request: str,
    answers: Mapping[str, Sequence[str] | None],
    some: Sequence[LabelledExample],
    lab: Lab,
    of: Scorers,
) -> Card:
    """The card of a reader by its answers, one or several for each example; None where it failed."""
    kinds: dict[str, Measure] = {}
    labels: dict[str, Measure] = {}
    together: dict[str, Measure] = {}
    quotes = Measure()
    failed = 0
    for example in some:
        texts = answers.get(example.id)
        try:
            read = merge_reads([parse_answer(text) for text in texts]) if texts else None
        except NoAnswerError:
            read = None
        if read is None:
            failed += 1
            continue
        quotes = quotes.plus(_quotes(read, example))
        for kind, measure in _kinds(read, example.states):
            kinds[kind] = kinds.get(kind, Measure()).plus(measure)
        for label, right, agrees in _labels(read, example, lab, of):
            labels[label] = labels.get(label, Measure()).plus(Measure(stated=1, wrong=not right))
            if agrees:
                together[label] = together.get(label, Measure()).plus(Measure(stated=1, wrong=not right))
    return Card(
        reader=reader,
        lab=lab.id,
        request=request,
        examples=len(some),
        failed=failed,
        quotes=quotes,
        kinds=kinds,
        labels=labels,
        together=together,
    )


def _quotes(read: Read, example: LabelledExample) -> Measure:
    blocks = tuple(Block(kind=BlockKind.LINE, text=line) for line in example.lines)
    passage = Passage(file=example.id, exact=True, blocks=blocks)
    singles = (read.total, read.printed_count, *(getattr(read, kind) for kind in SNIPPETS))
    lists = (*read.parts, *read.results, *read.selection, *read.comparison, *read.definitions.values())
    quoted = [each.quote for each in (*singles, *lists) if each]
    return Measure(stated=len(quoted), wrong=sum(find(quote, [passage]) is None for quote in quoted))


def _kinds(read: Read, states: Read) -> Iterator[tuple[str, Measure]]:
    for kind, keys in (
        (RESULTS, _results),
        (
            SELECTION,
            lambda of: [(each, selection.rule) for selection in of.selection for each in selection.experiments],
        ),
        (COMPARISON, lambda of: [comparison.better for comparison in of.comparison]),
        (TOTAL, lambda of: [_number(of.total.value)] if of.total else []),
        (PARTS, lambda of: [(part.part, _number(part.value)) for part in of.parts]),
        (VALUES, lambda of: [(name, _letters(value)) for name, value in of.values.items()]),
    ):
        stated, there = set(keys(read)), set(keys(states))
        missed = len(there - stated)
        yield kind, Measure(stated=len(stated), wrong=len(stated - there), expected=len(there), missed=missed)
    names = dict.fromkeys((*read.definitions, *states.definitions))
    pairs = [(read.definitions.get(name), states.definitions.get(name)) for name in names]
    yield DEFINITIONS, _places((a.quote if a else "", b.quote if b else "") for a, b in pairs)
    for kind in SNIPPETS:
        snippet, other = getattr(read, kind), getattr(states, kind)
        yield kind, _places([(snippet.quote if snippet else "", other.quote if other else "")])


def _places(pairs: Iterable[tuple[str, str]]) -> Measure:
    """Quotes held against those of the same thing; what points elsewhere is wrong, and misses it too."""
    total = Measure()
    for quote, other in pairs:
        is_same = bool(quote and other) and _overlap(quote, other)
        stated, expected = bool(quote), bool(other)
        wrong, missed = stated and not is_same, expected and not quote
        total = total.plus(Measure(stated=stated, wrong=wrong, expected=expected, missed=missed))
    return total


def _overlap(first: str, other: str) -> bool:
    words, others = _letters(first), _letters(other)
    short, long = sorted((words, others), key=len)
    if short in long:
        return True
    first_words = set(first.casefold().split())
    return len(first_words & set(other.casefold().split())) >= _FEWEST * min(len(first_words), len(set(other.split())))


def _results(read: Read) -> list[tuple[object, ...]]:
    return [
        (result.experiment, result.split, result.statistic, _number(result.value))
        for result in read.results
        if result.statistic in ("value", "mean", "std")
    ]


def _number(text: str) -> Decimal | str:
    plain = normalise(text).text.strip(" %")
    for number in (*percentages(plain), *numerals(plain), *numbers_in(plain)):
        if number.start <= 1 and number.end >= len(plain):
            return number.value.normalize()
    return plain


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _labels(read: Read, example: LabelledExample, lab: Lab, of: Scorers) -> Iterator[tuple[str, bool, bool]]:
    """For each definition that both have: the reader's label, whether it is right, and whether the model
    of short answers takes it for the same."""
    scorer = of(example.source)
    values = {each.id: (each.value, *each.spellings) for each in lab.parameters}
    for name, own_definition in read.definitions.items():
        marked = example.states.definitions.get(name)
        if own_definition.label is None or marked is None or marked.label is None or name not in values:
            continue
        label = _LABELS[own_definition.label]
        same = False
        if scorer is not None and name in scorer.topics:
            same = scorer.score(name, normalise(own_definition.quote).text, values[name]).label == label
        yield label, label == _LABELS[marked.label], same


def describe_card(found: Card, may: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """A card in lines for people; `may` is what it lets the reader do."""
    yield f"{found.reader} on {found.examples} examples of {found.lab}, {found.failed} without an answer"
    yield f"quotes that stand in the text: {_share(found.quotes.stated - found.quotes.wrong, found.quotes.stated)}"
    yield f"{'facts':14} {'right':>22} {'at least':>9} {'found':>22} {'at least':>9}"
    for kind, measure in found.kinds.items():
        right, seen = measure.stated - measure.wrong, measure.expected - measure.missed
        yield (
            f"{kind:14} {_share(right, measure.stated):>22} {1 - measure.precision_bound:>9.1%} "
            f"{_share(seen, measure.expected):>22} {1 - measure.recall_bound:>9.1%}"
        )
    for title, table in (("label", found.labels), ("label, agreed", found.together)):
        for label, measure in sorted(table.items()):
            right = measure.stated - measure.wrong
            yield f"{f'{title}: {label}':29} {_share(right, measure.stated):>14} {1 - measure.precision_bound:>9.1%}"
    for what, names in may.items():
        yield f"{what}: {', '.join(sorted(names)) or 'nothing'}"


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.1%})" if whole else "none"


def card_file(found: Card) -> bytes:
    """The card's file."""
    return json.dumps(found.model_dump(), indent=1, sort_keys=True).encode() + b"\n"
