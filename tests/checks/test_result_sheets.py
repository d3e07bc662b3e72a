"""Results in the forms of sixty-four invented students: what is decided is decided as a careful marker does.

`python -m scripts.bench results` prints the figures.
"""

from typing import Any

import pytest

from scripts.bench.results import conclusions, figures, judged, sheets

SHEETS = {sheet["id"]: sheet for sheet in sheets()}


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_what_was_decided_rightly_still_is(sheet: dict[str, Any]) -> None:
    """All but what the sheet names as left."""
    found = {one.item: one for one in conclusions(sheet["text"]).findings}
    left = {item for item, wanted in sheet["verdicts"].items() if judged(found[item], wanted) != "right"}
    assert left <= set(sheet.get("left", ()))


def test_what_is_decided_is_right_and_most_is_decided() -> None:
    measured = list(figures())
    print(*measured, sep="\n")
    assert [str(figure) for figure in measured if not figure.holds] == []
