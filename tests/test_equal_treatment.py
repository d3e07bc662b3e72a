"""The same words earn the same, in whatever format they are handed in."""

from decimal import Decimal
from pathlib import Path

import pytest

from grader.intake.submission import Source
from grader.pipeline.one import grade_source
from grader.result import ItemResult
from tests.checks.making import lab, truth
from tests.generated.formats import FORMATS, Text

RIGHT: Text = [
    ("heading", "Question 1"),
    (
        "line",
        "Of RoBERTa-small-fr, for the reviews of CLS-Books, we leave out the biases and the normalisation layers.",
    ),
    ("item", "Token embedding: $32000 \\times 512 = 16{,}384{,}000$"),
    ("item", "Position embedding: $(256 + 2) \\times 512 = 132{,}096$"),
    ("item", "Attention of one layer: $4 \\times 512^2 = 1{,}048{,}576$"),
    ("item", "Feed-forward of one layer: $2 \\times 512^2 = 524{,}288$"),
    ("formula", "16{,}384{,}000 + 132{,}096 + 4 \\times (1{,}048{,}576 + 524{,}288) = 22{,}807{,}552"),
    ("line", "In total the model has 22,807,552 parameters."),
]
SYMBOLIC: Text = [
    ("heading", "Question 1"),
    ("line", "With $N = 4$ layers, $d = 512$, a vocabulary of $V = 32000$ tokens and $T = 256$ positions:"),
    ("formula", "V d + (T + 2) d + N (4 d^2 + 2 d^2) = 22{,}807{,}552"),
    ("line", "The total is 22,807,552 parameters."),
]
MISCALCULATED: Text = [(kind, words.replace("1{,}048{,}576$", "1{,}084{,}576$")) for kind, words in RIGHT]
NO_OFFSET: Text = [
    (kind, words.replace("(256 + 2) \\times 512 = 132{,}096", "256 \\times 512 = 131{,}072")) for kind, words in RIGHT
]
NO_OFFSET = [
    (kind, words.replace("132{,}096", "131{,}072").replace("807{,}552", "806{,}528").replace("807,552", "806,528"))
    for kind, words in NO_OFFSET
]
TEXTS = {"right": RIGHT, "symbolic": SYMBOLIC, "miscalculated": MISCALCULATED, "no offset": NO_OFFSET}


def judged(text: Text, name: str, folder: Path) -> dict[str, tuple[object, ...]]:
    """What the items of the first question say, without their places."""
    path = folder / name
    path.write_bytes(FORMATS[name](text))
    (folder / "work").mkdir()
    source = Source(student_id="s", student_name="S", path=path)
    result = grade_source(source, lab(), truth(), folder / "work")
    return {item.id: _gist(item) for item in result.items if item.question == "q1"} | {
        "flags": tuple(flag.id for flag in result.flags if flag.id == "arithmetic")
    }


def _gist(item: ItemResult) -> tuple[object, ...]:
    return item.status, item.score, item.found, item.suggestion, tuple(diagnosis.id for diagnosis in item.diagnoses)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "report.md"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_format_is_judged_alike(text: Text, name: str, tmp_path: Path) -> None:
    (tmp_path / "markdown").mkdir()
    (tmp_path / "other").mkdir()
    assert judged(text, name, tmp_path / "other") == judged(text, "report.md", tmp_path / "markdown")


def test_the_texts_are_what_they_are_called(tmp_path: Path) -> None:
    earned = {}
    for name, text in TEXTS.items():
        folder = tmp_path / name
        folder.mkdir()
        earned[name] = {item: gist[1] for item, gist in judged(text, "report.md", folder).items() if item != "flags"}
    assert earned["right"] == earned["symbolic"] == {"q1.total": Decimal("2.5"), "q1.derivation": Decimal("1.5")}
    assert earned["no offset"]["q1.total"] == 0
    assert 0 < earned["no offset"]["q1.derivation"] < Decimal("1.5")
    assert earned["miscalculated"]["q1.derivation"] < Decimal("1.5")
