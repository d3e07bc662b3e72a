"""Hand-ins with known faults, in many formats: every flag is right, and nearly every fault is flagged.

`python -m scripts.bench accuracies` measures more of them.
"""

import pytest

from scripts.bench.accuracies import figures


def test_flags_are_right_and_faults_are_found() -> None:
    measured = list(figures(50))
    print(*measured, sep="\n")
    assert [str(figure) for figure in measured if not figure.holds] == []


@pytest.mark.slow
def test_and_so_they_are_in_more_hand_ins() -> None:
    measured = list(figures(1_200))
    print(*measured, sep="\n")
    assert [str(figure) for figure in measured if not figure.holds] == []
