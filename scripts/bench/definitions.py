"""Definitions of parameters: how long an answer takes, and what is decided of the tests' made-up definitions."""

import statistics
from collections import Counter
from collections.abc import Iterator
from functools import partial

from grader.checks.finding import Status
from grader.claims.definitions import definitions
from grader.lab.files import lab_folder, load_lab
from scripts.bench.figure import Figure, median_seconds
from tests.checks.definition_corpus import PARAMETERS, corpus, judge
from tests.claims.making import lab, passage

HOSTILE = (
    "the rank of " * 110,
    "the learned lora weight update " * 45,
    "two small matrix " * 80,
    "no bias is trained, " * 70,
    "the more the rank the more " * 50,
)


def figures() -> Iterator[Figure]:
    """Times of an answer, of a hostile definition and of reading the lab; and the decisions on the corpus."""
    answers = [_answer(number) for number in range(12)]
    times = [median_seconds(partial(_decide, text), runs=3) for text in answers]
    yield Figure("an answer of six definitions, median", statistics.median(times) * 1000, "ms", 50)
    yield Figure("an answer of six definitions, slowest", max(times) * 1000, "ms")
    hostile = [
        median_seconds(partial(lab().grammar.understood, parameter, text), runs=1)
        for text in HOSTILE
        for parameter in PARAMETERS
    ]
    yield Figure("a hostile definition of 1,400 characters, slowest", max(hostile) * 1000, "ms", 1000)
    yield Figure("reading the lab", median_seconds(partial(load_lab, lab_folder("nlp-frameworks")), runs=3), "s", 1)
    yield from _decisions()


def _answer(number: int) -> str:
    right = [one for one in corpus() if one.label is Status.CORRECT]
    chosen = [[one for one in right if one.parameter == name] for name in PARAMETERS]
    return "# Question 2\n\n" + "\n\n".join(texts[number % len(texts)].text for texts in chosen)


def _decide(report: str) -> None:
    """What grading an answer does with its definitions: find them, and understand each."""
    shipped = lab()
    for claim in definitions(passage(report), shipped):
        shipped.grammar.understood(claim.parameter, claim.text)


def _decisions() -> Iterator[Figure]:
    found = Counter((one.label, judge(one.parameter, one.text).status) for one in corpus())
    decided = {pair: number for pair, number in found.items() if pair[1] is not Status.REVIEW}
    right = sum(number for (label, _), number in found.items() if label is Status.CORRECT)
    wrong = sum(number for (label, status), number in decided.items() if label is not status)
    full = sum(n for (label, status), n in found.items() if status is Status.CORRECT and label is not status)
    share = 100 * found[Status.CORRECT, Status.CORRECT] / right
    yield Figure("right definitions decided without a person", share, "%", 60, at_least=True)
    yield Figure("decided rightly, of all decided", 100 * (1 - wrong / sum(decided.values())), "%", 97, at_least=True)
    yield Figure("wrong or partial definitions with full credit", full, "", 0)
