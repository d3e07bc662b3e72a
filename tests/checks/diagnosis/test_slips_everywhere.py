"""One slip made in all layers of a kind, and right parts with a wrong sum, of which no coincidence is told."""

from decimal import Decimal
from functools import cache
from math import prod

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.runner import run_checks
from grader.checks.slips import Piece, total
from grader.checks.wrong_count import slips
from grader.lab.definition import Lab
from grader.lab.files import load_lab, load_truth
from tests.checks.making import answer
from tests.conftest import ROOT

LAB = ROOT / "reference" / "labs" / "digits_cnn"
KERNELS = ((16, 3, 3, 3), (32, 16, 3, 3), (64, 32, 3, 3))
MATRICES = ((128, 1024), (10, 128))


def network() -> tuple[Piece, ...]:
    shapes = [*(("convolution", one) for one in KERNELS), *(("linear", one) for one in MATRICES)]
    return tuple(
        Piece(f"{kind} {number}", form, kind, size, 1, f"{kind} {number} {form}")
        for number, (kind, shape) in enumerate(shapes)
        for form, size in (("weight", shape), ("bias", shape[:1]))
    )


@pytest.mark.parametrize(
    ("slip", "count"),
    [
        ("one-input-channel-everywhere", sum(prod((one[0], 1, 3, 3)) for one in KERNELS) + 112 + 132_490),
        ("one-filter-everywhere", sum(prod((1, *one[1:])) for one in KERNELS) + 112 + 132_490),
        ("kernel-size-everywhere", sum(prod((*one[:2], 5, 5)) for one in KERNELS) + 112 + 132_490),
        ("without-biases-of-convolutions", sum(map(prod, KERNELS)) + 132_490),
        ("without-biases-of-linear-layers", sum(map(prod, KERNELS)) + 112 + 132_352),
        ("one-bias-in-each-layer", sum(map(prod, (*KERNELS, *MATRICES))) + 5),
    ],
)
def test_a_slip_is_made_in_all_layers_of_a_kind(slip: str, count: int) -> None:
    own = [one for one in slips(network(), (), None) if one.id == slip]
    assert count in {total(edited for piece in network() if (edited := one.edit(piece))) for one in own}


@cache
def _lab(share: str) -> Lab:
    lab = load_lab(LAB).model_dump()
    for item in (item for question in lab["questions"] for item in question["items"]):
        if item["id"] == "q1.total" and share:
            item["options"] = item["options"] | {"parts_share": share}
    return Lab.model_validate(lab)


def found(text: str, share: str = "") -> Finding:
    given = answer(f"# Question 1\n\n{text}\n", the_lab=_lab(share))
    findings = run_checks(given, load_truth(LAB), _lab(share)).findings
    return next(one for one in findings if one.item == "q1.total")


PARTS = (
    "conv1: 1×3×3×16 + 16 = 160\n\nconv2: 16×3×3×32 + 32 = 4640\n\n"
    "fc1: 512×64 + 64 = 32832\n\nfc2: 64×10 + 10 = 650\n\n"
)


def test_linear_layers_without_biases_are_told() -> None:
    text = "conv1: 160\n\nconv2: 4640\n\nfc1: 512×64 = 32768\n\nfc2: 64×10 = 640\n\nTotal: 38208 parameters"
    finding = found(text)
    assert finding.status is Status.INCORRECT
    assert "the count leaves out the biases of all linear layers" in str(finding.feedback)


@pytest.mark.parametrize("wrong", ["38208", "38250", "33642", "38280"])
def test_where_the_parts_are_right_no_coincidence_is_told(wrong: str) -> None:
    finding = found(f"{PARTS}Total: {wrong} parameters")
    assert finding.status is Status.INCORRECT
    assert "biases" not in str(finding.feedback)


def test_right_parts_may_earn_a_share() -> None:
    finding = found(f"{PARTS}Total: 38250 parameters", "0.6")
    assert (finding.status, finding.share) == (Status.PARTIAL, Decimal("0.6"))
    assert found(f"{PARTS}Total: 38282 parameters", "0.6").status is Status.CORRECT
    assert found("Total: 38250 parameters", "0.6").status is Status.INCORRECT
