"""What a text says to count or to leave out."""

import pytest

from grader.claims.counts import stated_conventions
from grader.claims.passage import Passage
from tests.claims.making import document


def stated(text: str) -> list[tuple[str, bool]]:
    return [(one.kind, one.counted) for one in stated_conventions(Passage.of(document(text)))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We omit the biases and the layer normalisation.", [("bias", False), ("norm", False)]),
        ("Without biases the model has 22,807,552 parameters.", [("bias", False)]),
        ("Including the bias terms, each linear layer has 262,656 parameters.", [("bias", True)]),
        ("The LM head is not counted.", [("head", False)]),
        ("Nous négligeons les biais.", [("bias", False)]),
        ("On compte aussi les biais et la normalisation.", [("bias", True), ("norm", True)]),
        ("We ignore LayerNorms.", [("norm", False)]),
        ("You may omit biases.", []),
        ("The bias of each layer has 512 values.", []),
        ("We include the biases but ignore the norms.", []),
        ("The biases are not neglected.", []),
        ("PyTorch finds more, because we do not count the biases there.", []),
    ],
)
def test_statements(text: str, expected: list[tuple[str, bool]]) -> None:
    assert stated(text) == expected
