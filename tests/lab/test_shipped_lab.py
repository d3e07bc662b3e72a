from decimal import Decimal

import pytest

from grader.lab.files import lab_folder, load_lab
from tests.checks.making import truth
from tests.claims.making import lab

POINTS = {
    "q1.total": "2.5",
    "q1.derivation": "1.5",
    "t1.verified": "0.5",
    "t2.prepared": "0.5",
    "t3.seeds": "0.5",
    "t3.selection": "1",
    "t3.statistics": "1",
    "t3.band": "0.5",
    "t4.seeds": "0.5",
    "t4.statistics": "0.75",
    "t4.band": "0.5",
    "t4.comparison": "0.75",
    "t5.seeds": "0.5",
    "t5.statistics": "1",
    "t5.band": "1",
    "t6.quantization": "1",
    "t7.trainable": "1",
    **{f"q2.{name}": "0.6" for name in ("r", "lora_alpha", "target_modules", "lora_dropout", "bias", "task_type")},
    "q2.values": "0.4",
    "t8.prompt": "1",
}


def test_the_rubric_has_its_items_and_points() -> None:
    assert {item.id: item.points for item in lab().items} == {id_: Decimal(points) for id_, points in POINTS.items()}
    assert lab().max_score == 20


def test_every_item_belongs_to_the_question_its_id_names() -> None:
    assert all(item.id.startswith(f"{question.id}.") for question in lab().questions for item in question.items)


@pytest.mark.parametrize(("convention", "total"), [("weights-only", 22_807_552), ("all-but-head", 22_829_056)])
def test_the_truth_knows_the_two_accepted_counts(convention: str, total: int) -> None:
    (count,) = (one for one in truth().counts_of("roberta-small-fr") if one.convention == convention)
    assert count.total == total


def test_the_truth_knows_the_value_of_every_parameter_of_the_lab() -> None:
    for parameter in lab().parameters:
        assert truth().value_of(parameter.id).value == parameter.value
    with pytest.raises(KeyError):
        truth().value_of("no-such-parameter")


def test_every_band_lies_in_order_around_its_mean() -> None:
    for experiment in lab().experiments:
        assert truth().bands_of(experiment.id, "test")
    for band in truth().bands:
        inner = band.inner or band.outer
        assert 0 <= band.outer[0] <= inner[0] <= inner[1] <= band.outer[1] <= 100
        assert band.mean is None or inner[0] <= band.mean <= inner[1]


def test_every_parameter_says_what_is_right_and_is_known_to_the_model() -> None:
    shipped = load_lab(lab_folder("nlp-frameworks"))
    assert shipped.short_answers is not None
    scorer = shipped.short_answers.scorer()
    assert scorer is not None
    assert {one.id for one in shipped.parameters} == set(scorer.topics)
    assert all(one.summary and one.facts for one in shipped.parameters)


def test_ids_of_truths_are_unique() -> None:
    known = truth()
    ids = [entry.id for group in (known.counts, known.values, known.signatures, known.bands) for entry in group]
    assert len(ids) == len(set(ids))
