"""Results in the forms of sixty-four invented students: what is decided is decided as a careful marker does.

`python -m scripts.bench results` prints the figures.
"""

from scripts.bench.results import figures


def test_what_is_decided_is_right_and_most_is_decided() -> None:
    measured = list(figures())
    print(*measured, sep="\n")
    assert [str(figure) for figure in measured if not figure.holds] == []
