"""What bears on a verdict among words that OCR doubts."""

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.foreign_hand_in import belonging
from grader.checks.recognised import _is_explanation, _sentence_at
from grader.reading.document import Block, BlockKind, Evidence
from tests.checks.making import answer
from tests.claims.making import lab


@pytest.mark.parametrize(
    ("text", "doubtful", "expected"),
    [
        ("lora_alpha = 32, so the update is scaled by a/r = 2", "update", True),
        ("lora_alpha = 32, so the update is scaled by a/r = 2", "32", False),
        ("bias none, lora_dropout 0.05", "0.05", False),
        ("that is how strong the update is", "strong", True),
        ("le rang r vaut l6", "l6", False),
    ],
)
def test_words_behind_the_value_of_a_parameter_explain_it(text: str, doubtful: str, *, expected: bool) -> None:
    assert _is_explanation(text, text.index(doubtful), lab()) is expected


@pytest.mark.parametrize(("above", "lines"), [("A rate of dropped inputs.", 1), ("The term that is added", 2)])
def test_a_line_that_begins_with_a_small_letter_goes_on_with_an_unfinished_sentence(above: str, lines: int) -> None:
    blocks = [
        Block(kind=BlockKind.LINE, text=text, page=1, box=(50.0, top, 400.0, top + 10))
        for top, text in ((100.0, above), (112.0, "bias tells which offsets are trained."))
    ]
    place = Evidence(file="report.pdf", page=1, box=blocks[1].box, quote="bias")
    assert len(_sentence_at(place, blocks)) == lines


@pytest.mark.parametrize("recognised", [True, False])
def test_what_only_waits_because_of_ocr_is_a_sign_of_the_lab(*, recognised: bool) -> None:
    place = Evidence(file="report.pdf", quote="79.5 %", recognised=recognised)
    pending = Finding(item="t3.seeds", status=Status.REVIEW, suggestion=Status.CORRECT, evidence=(place,))
    assert belonging(answer("Accuracy: 79.5 %"), [pending], (), (), (), ()).given == recognised
