"""Answers written as students of several kinds would, before the checks' code was read, each labelled by what a strict
but fair teacher would conclude; judged as the pipeline does it.

The files in `unseen/` hold them: `### labels: name` begins an answer, `%%cell` a cell (`norun`: without a count),
`%%out` what it printed, `%%err` the error that it ended with, `%%md` words. A grader may always ask a person.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from grader.checks.finding import Finding, Status
from tests.checks.making import decide
from tests.generated.judged import reading_of

FOLDER = Path(__file__).parent / "unseen"
ITEMS = ("t1.verified", "t2.prepared", "t6.quantization", "t7.trainable", "t8.prompt")
_MARK = re.compile(r"^%%(cell norun|cell|out|err|md)$", re.MULTILINE)
_LOGS = {
    "@review": "".join(
        f"2023-11-21 09:12:0{second} | INFO | fairseq_cli.preprocess | [None] {line}\n"
        for second, line in enumerate(
            (
                "Dictionary: 31999 types",
                "train.spm.review: 1800 sents, 284877 tokens, 0.132% replaced (by <unk>)",
                "valid.spm.review: 200 sents, 30354 tokens, 0.145% replaced (by <unk>)",
                "test.spm.review: 2000 sents, 311660 tokens, 0.139% replaced (by <unk>)",
            )
        )
    ),
    "@label": "".join(
        f"2023-11-21 09:13:0{second} | INFO | fairseq_cli.preprocess | [None] {line}\n"
        for second, line in enumerate(
            (
                "Dictionary: 8 types",
                "train.label: 1800 sents, 3600 tokens, 0.0% replaced (by <unk>)",
                "valid.label: 200 sents, 400 tokens, 0.0% replaced (by <unk>)",
                "test.label: 2000 sents, 4000 tokens, 0.0% replaced (by <unk>)",
            )
        )
    ),
}


class Case(NamedTuple):
    """An answer to an item: the statuses that a teacher could give, and the notebook."""

    labels: frozenset[Status]
    name: str
    notebook: dict[str, Any]


class Figures(NamedTuple):
    """How a set was judged; names of the answers."""

    total: int
    decided: int
    given: int
    given_wrongly: list[str]
    taken_wrongly: list[str]
    elsewhere: list[str]

    def __str__(self) -> str:
        return (
            f"{self.total} answers, {self.decided} decided, "
            f"precision {self.given - len(self.given_wrongly)}/{self.given}"
            f", right ones called wrong {len(self.taken_wrongly)}, another shade of wrong {len(self.elsewhere)}"
        )


def cases(item: str, series: str = "") -> Iterator[Case]:
    """Every answer to an item of a series (`""`: the first)."""
    text = (FOLDER / f"{item.replace('.', '_')}{series}.txt").read_text(encoding="utf-8")
    for block in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        head, _, body = block.partition("\n")
        labels, _, name = head.partition(": ")
        yield Case(frozenset(map(Status, labels.split("/"))), name, _notebook(body))


@cache
def concluded(item: str, series: str = "") -> tuple[tuple[Case, Finding], ...]:
    """Every answer to an item of a series with what its check concludes."""
    return tuple(
        (case, decide(item, reading_of(json.dumps(case.notebook).encode()))[0]) for case in cases(item, series)
    )


def figures(judged: tuple[tuple[Case, Finding], ...]) -> Figures:
    """What came of the answers: who asks a person has decided nothing."""
    decided = [(case, one.status) for case, one in judged if one.status not in (Status.REVIEW, Status.NOT_RUN)]
    given = [case for case, status in decided if status is Status.CORRECT]
    nothing = {Status.MISSING, Status.INCORRECT}
    odd = [
        (case, status)
        for case, status in decided
        if status not in case.labels and not (status in nothing and nothing & case.labels)
    ]
    return Figures(
        total=len(judged),
        decided=len(decided),
        given=len(given),
        given_wrongly=[case.name for case, status in odd if status is Status.CORRECT],
        taken_wrongly=[case.name for case, status in odd if case.labels == {Status.CORRECT}],
        elsewhere=[
            case.name for case, status in odd if status is not Status.CORRECT and Status.CORRECT not in case.labels
        ],
    )


def _notebook(body: str) -> dict[str, Any]:
    parts = _MARK.split(body)[1:]
    cells: list[dict[str, Any]] = []
    for mark, text in zip(parts[::2], parts[1::2], strict=True):
        text = text.strip("\n")
        if mark == "md":
            cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
        elif mark.startswith("cell"):
            count = None if mark.endswith("norun") else len(cells) + 1
            cell = {"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": count}
            cells.append(cell)
        else:
            cells[-1]["outputs"].append(_output(mark, text))
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def _output(mark: str, text: str) -> dict[str, Any]:
    if mark == "err":
        name, _, value = text.partition(": ")
        return {"output_type": "error", "ename": name, "evalue": value, "traceback": [text]}
    lines = "".join(_LOGS.get(line, line + "\n") for line in text.split("\n"))
    return {"output_type": "stream", "name": "stdout", "text": lines}
