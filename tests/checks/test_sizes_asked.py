"""Sizes such as that of a layer's output, and answers of which words decide a part."""

from typing import Any

import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import CONCLUDED
from tests.checks.test_basic_checks import judged, lab_with

SIZE = {
    "size": [32, 32, 16],
    "given": [[32, 32, 3]],
    "wrong": [
        {"size": [28, 28, 16], "why": "The padding is missing."},
        {"size": [32, 32], "why": "Depth?", "share": 0.5},
    ],
}


def found(check: str, options: dict[str, Any], text: str, words: tuple[str, ...] = ()) -> Finding:
    """What a check concludes on an answer; these tests keep no verdicts."""
    finding = judged(lab_with(check, options, words), f"# Problem 1\n\n{text}\n")
    CONCLUDED.clear()
    return finding


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The output has size 32x32x16: the padding keeps it.", Status.CORRECT),
        ("16 × 32 × 32 (channels first).", Status.CORRECT),
        ("Its shape is (16, 32, 32), i.e. 16 384 values.", Status.CORRECT),
        ("On obtient 16 cartes de taille 32 par 32.", Status.CORRECT),
        ("(32 - 5 + 2*2)/1 + 1 = 32, so the maps are 32 × 32, and we have 16 of them.", Status.CORRECT),
        ("From 32x32x3 we get 32x32x16.", Status.CORRECT),
        ("28x28x16, as 32 - 5 + 1 = 28.", Status.INCORRECT),
        ("It is 30 x 30 x 16.", Status.INCORRECT),
        ("The maps stay 32 × 32.", Status.PARTIAL),
        ("The maps stay 32 × 32. There are as many as filters.\n\nThe layer has 16 filters.", Status.REVIEW),
        ("It is 28x28x16 or 32x32x16.", Status.REVIEW),
        ("It is not 32x32x16.", Status.REVIEW),
        (
            "Each kernel has the size 5x5x3 and there are sixteen of them, so the output has as many channels; height "
            "and width stay as they are.",
            Status.REVIEW,
        ),
        ("5 × 5 × 3 × 16 + 16 = 1216 numbers.", Status.REVIEW),
        ("It has the size of the input.", Status.REVIEW),
        ("", Status.MISSING),
    ],
)
def test_a_size_is_right_however_it_is_written(text: str, status: Status) -> None:
    assert found("size-answer", SIZE, text, ("size", "map")).status is status


def test_an_order_may_be_asked_for() -> None:
    asked = {"size": [16, 32, 32], "ordered": True}
    assert found("size-answer", asked, "(16, 32, 32)").status is Status.CORRECT
    assert found("size-answer", asked, "(32, 32, 16)").status is Status.INCORRECT


OVERFITS = {
    "must": [["overfit", "surapprent", "surapprend"]],
    "about": [["valid"]],
    "must_not": ["underfit"],
    "names": ["overfitting", "the validation set"],
}


@pytest.mark.parametrize(
    ("text", "status", "lacking"),
    [
        ("It overfits: the validation loss does not fall any more.", Status.CORRECT, "review"),
        ("Not underfitting but overfitting, as the validation loss shows.", Status.CORRECT, "review"),
        ("Surapprentissage, car la perte de validation ne descend plus.", Status.CORRECT, "review"),
        ("Overfitting.", Status.REVIEW, "review"),
        ("Overfitting.", Status.PARTIAL, "partial"),
        ("We see no overfitting on the validation set.", Status.REVIEW, "review"),
        ("We see no overfitting on the validation set.", Status.INCORRECT, "partial"),
        ("It is underfitting.", Status.INCORRECT, "partial"),
        ("Does it overfit? The validation loss is fine.", Status.REVIEW, "partial"),
        ("It overfits, and the held-out examples are far worse than those of training.", Status.REVIEW, "partial"),
        ("It is underfitting and overfitting, says the validation set.", Status.REVIEW, "partial"),
    ],
)
def test_what_is_denied_is_not_stated(text: str, status: Status, lacking: str) -> None:
    finding = found("contains", OVERFITS | {"lacking": lacking}, text, ("fit",))
    assert finding.status is status
    assert "surapprent" not in str(finding.feedback)


def test_numbers_beside_the_right_one_may_be_its_parts_or_hyper_parameters() -> None:
    asked = {"value": 1216, "words": ["param"]}
    for text in (
        "In total 1216: 1200 for the kernels plus 16 for the biases.",
        "The number of parameters is 1216, for a batch size of 32 and for any other.",
    ):
        assert found("numeric-answer", asked, text).status is Status.CORRECT
    text = "In total 1216: 1200 for the kernels plus 32 for the biases."
    assert found("numeric-answer", asked, text).status is not Status.CORRECT


NOT_SMOOTH = {
    "must": [["not differentiable", "non dérivable", "pas dérivable", "undefined"]],
    "names": ["not differentiable"],
    "lacking": "partial",
}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("It is not differentiable at 0.", Status.CORRECT),
        ("The ReLU isn't differentiable at zero.", Status.CORRECT),
        ("ReLU is non-differentiable at 0", Status.CORRECT),
        ("La fonction n'est pas dérivable en 0.", Status.CORRECT),
        ("The gradient is undefined at 0.", Status.CORRECT),
        ("It is differentiable everywhere.", Status.INCORRECT),
        ("Is it not differentiable?", Status.REVIEW),
        ("It is not that it isn't differentiable.", Status.REVIEW),
        ("The hinge loss is differentiable, the gradient is fine.", Status.REVIEW),
    ],
)
def test_what_is_sought_may_be_denied(text: str, status: Status) -> None:
    assert found("contains", NOT_SMOOTH, text, ("grad",)).status is status


UNSPACED = {"must": [["过拟合", "過学習"]], "about": [["验证", "検証"]], "lacking": "partial"}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("模型过拟合了，因为验证损失不再下降。", Status.CORRECT),
        ("過学習している。検証損失が増える。", Status.CORRECT),
        ("model过拟合, 验证loss", Status.CORRECT),
        ("过拟合", Status.PARTIAL),
        ("没有过拟合，验证很好。", Status.REVIEW),
        ("過学習していない。検証損失は下がる。", Status.REVIEW),
        ("过拟合吗？验证", Status.REVIEW),
        ("这个模型的参数太多所以训练效果很好但是我们不知道原因过拟合", Status.REVIEW),
    ],
)
def test_words_are_found_in_text_without_blanks(text: str, status: Status) -> None:
    assert found("contains", UNSPACED, text).status is status


CAUSES = {
    "must": [["regulari"], ["dropout"]],
    "about": [["train"]],
    "names": ["regularisation", "dropout"],
    "needed": ["regularisation"],
    "wrong": [{"words": ["more layers", "deeper"], "why": "Depth does not regularise.", "share": "0.25"}],
    "lacking": "partial",
}


@pytest.mark.parametrize(
    ("text", "status", "share"),
    [
        ("Dropout regularises training.", Status.CORRECT, None),
        ("It regularises.", Status.PARTIAL, 0.33),
        ("Dropout.", Status.INCORRECT, None),
        ("We need more layers.", Status.PARTIAL, 0.25),
        ("More layers and dropout.", Status.REVIEW, None),
        ("We do not need more layers.", Status.REVIEW, None),
        ("Is it more layers?", Status.REVIEW, None),
    ],
)
def test_lists_may_be_needed_and_wrong_answers_known(text: str, status: Status, share: float | None) -> None:
    finding = found("contains", CAUSES, text)
    assert finding.status is status
    assert (None if finding.share is None else round(float(finding.share), 2)) == share
    assert not any(one in str(finding.feedback) for one in ("regulari,", "regulari.", "train."))


def test_students_see_no_beginnings_of_words() -> None:
    finding = found("contains", {"must": [["regulari"], ["dropo"]]}, "Dropout.")
    assert "regulari" not in f"{finding.feedback} {finding.expected}"
    assert "regulari" in str(finding.note)
