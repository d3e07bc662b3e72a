"""A reader's recorded answers: what is decided of labelled sheets with them, and what altered answers do.

The sheets are the lab's labelled examples, and `verdicts.json` what a careful marker concludes of each. The model of
short answers has learned from these sheets, so the share that it decides is that of a class that it knows.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.lab.files import lab_folder
from grader.reader.card import card_path, earned, read_card
from scripts.bench.figure import Figure
from tests.reader.making import EXAMPLES, answer_of, graded, lines_of
from tests.reader.test_weighing import altered

VERDICTS = Path(__file__).parents[2] / "tests" / "reader" / "verdicts.json"
RISK = 0.05


def figures() -> Iterator[Figure]:
    """With no reader, with true answers, and with answers of which every third fact is altered."""
    keys: dict[str, dict[str, list[str]]] = json.loads(VERDICTS.read_text(encoding="utf-8"))
    sheets = [one for one in keys if (EXAMPLES / f"{one}.txt").is_file()]
    plain = sum((_counted(one, keys[one], None) for one in sheets), Counter[str]())
    yield Figure("verdicts decided without a reader", 100 * _decided(plain), "%")
    true = sum((_counted(one, keys[one], answer_of(one)) for one in sheets), Counter[str]())
    yield Figure("verdicts decided with the recorded answers", 100 * _decided(true), "%", 93, at_least=True)
    yield Figure("  of these right", 100 * _right(true), "%", 98.5, at_least=True)
    yield Figure("  points for nothing", true["for nothing"], "", 0)
    yield Figure("  right but given nothing", true["given nothing"], "", 0)
    bad = sum((_counted(one, keys[one], altered(answer_of(one), 7)) for one in sheets), Counter[str]())
    yield Figure("verdicts decided with altered answers", 100 * _decided(bad), "%")
    yield Figure("  of these right", 100 * _right(bad), "%", 98, at_least=True)


def _decided(count: Counter[str]) -> float:
    return (count["right"] + count["wrong"]) / max(1, count["right"] + count["wrong"] + count["open"])


def _right(count: Counter[str]) -> float:
    return count["right"] / max(1, count["right"] + count["wrong"])


def _counted(sheet: str, key: dict[str, list[str]], answer: dict[str, Any] | None) -> Counter[str]:
    may = earned(read_card(card_path(lab_folder("nlp-frameworks"), "recordings")), RISK)
    count: Counter[str] = Counter()
    found = {one.item: one.status.value for one in graded(lines_of(sheet), answer, may).findings}
    for item, allowed in key.items():
        status = "missing" if found[item] == "not_run" else found[item]
        nothing = {"missing", "incorrect"}
        if status in ("review", "error"):
            count["open"] += 1
        elif status in allowed or {status, *allowed} <= nothing:
            count["right"] += 1
        else:
            count["wrong"] += 1
            count["for nothing"] += status == "correct"
            count["given nothing"] += status in nothing and allowed == ["correct"]
    return count
