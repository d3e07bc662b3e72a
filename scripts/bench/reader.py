"""A reader's recorded answers: what is decided of labelled sheets with them, and what altered answers do.

The sheets are the lab's labelled examples, and `verdicts.json` what a careful marker concludes of each. The model of
short answers has learned from these sheets, so the share that it decides is that of a class that it knows.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.checks.finding import Finding
from grader.checks.runner import run_checks
from grader.lab.files import lab_folder
from grader.pipeline.one import extract_claims
from grader.pipeline.stages import seen_by_checks
from grader.reader.answer import Record
from grader.reader.card import EarnedRights, card_path, read_card, rights_of
from grader.reader.consulted import consult
from scripts.bench.figure import Figure
from tests.reader.making import answer_of, lab_and_truth, lines_of, reading
from tests.reader.test_weighing import altered, strange_quotes

VERDICTS = Path(__file__).parents[2] / "tests" / "reader" / "verdicts.json"
RISK = 0.05
SEED = 7


def figures() -> Iterator[Figure]:
    """With no reader, with true answers, and with answers of which every third fact is altered."""
    keys: dict[str, dict[str, list[str]]] = json.loads(VERDICTS.read_text(encoding="utf-8"))
    plain, true, bad = Counter[str](), Counter[str](), Counter[str]()
    for sheet, key in keys.items():
        lab, truth = lab_and_truth()
        answer, asked = extract_claims(reading(lines_of(sheet)), lab), seen_by_checks(lab)
        rules = run_checks(answer, truth, asked)
        plain += _counted(rules.findings, key)
        for count, stated in ((true, answer_of(sheet)), (bad, altered(answer_of(sheet), SEED))):
            record = Record(reader="recordings", inputs="", earned=_earned(), answers=(json.dumps(stated),))
            found = consult(record, answer, rules, asked, lambda claims, of: run_checks(claims, truth, of))  # noqa: B023
            count += _counted(found.findings, key)
            count["strange"] += len(strange_quotes(found.findings, lines_of(sheet)))
    yield Figure("verdicts decided without a reader", 100 * _decided(plain), "%")
    yield Figure("verdicts decided with the recorded answers", 100 * _decided(true), "%", 93, at_least=True)
    yield Figure("  of these right", 100 * _right(true), "%", 98.5, at_least=True)
    yield Figure("  points for nothing", true["for nothing"], "", 0)
    yield Figure("  right but given nothing", true["given nothing"], "", 0)
    yield Figure("verdicts decided with altered answers", 100 * _decided(bad), "%")
    yield Figure("  of these right", 100 * _right(bad), "%", 98, at_least=True)
    yield Figure("  quotes as evidence that stand nowhere", true["strange"] + bad["strange"], "", 0)


def _earned() -> EarnedRights:
    return rights_of(read_card(card_path(lab_folder("nlp-frameworks"), "recordings")), RISK)


def _decided(count: Counter[str]) -> float:
    return (count["right"] + count["wrong"]) / max(1, count["right"] + count["wrong"] + count["open"])


def _right(count: Counter[str]) -> float:
    return count["right"] / max(1, count["right"] + count["wrong"])


def _counted(findings: Iterable[Finding], key: dict[str, list[str]]) -> Counter[str]:
    count: Counter[str] = Counter()
    found = {finding.item: finding.status.value for finding in findings}
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
