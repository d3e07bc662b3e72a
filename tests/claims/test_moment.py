"""The epoch or step at which a figure was measured."""

import pytest

from grader.claims.results.fact import Moment, moment_in
from tests.claims.test_accuracy_prose import read


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("at epoch 5", Moment(epoch=5)),
        ("à l'époque 3", Moment(epoch=3)),
        ("at step 1125", Moment(step=1125)),
        ("checkpoint_4", Moment(epoch=4)),
        ("checkpoint-900", Moment(step=900)),
        ("after 675 steps", Moment()),
        ("the last epoch", Moment(is_end=True)),
        ("at the best epoch", Moment(is_chosen=True)),
        ("after epochs of training 79.3 %", Moment()),
        ("epoch 79.3", Moment()),
    ],
)
def test_a_moment_is_read(text: str, moment: Moment) -> None:
    assert moment_in(text) == moment


EPOCH_3, EPOCH_5, NOTHING = Moment(epoch=3), Moment(epoch=5), Moment()
CHOSEN = Moment(epoch=3, is_chosen=True)


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (EPOCH_3, EPOCH_5, True),
        (EPOCH_3, CHOSEN, False),
        (EPOCH_3, NOTHING, True),
        (CHOSEN, NOTHING, False),
        (NOTHING, NOTHING, False),
        (NOTHING, Moment(is_end=True), True),
        (EPOCH_3, Moment(step=675), True),
    ],
)
def test_figures_at_different_moments_contradict_nothing(one: Moment, other: Moment, *, differ: bool) -> None:
    assert one.differs(other) is other.differs(one) is differ


SENTENCES = {
    "behind": "On test seed 1 has 79.3% at epoch 5, seed 2 has 78.5% at epoch 3 and seed 3 has 80.1% at epoch 4.",
    "before": "On test: seed 1 (epoch 5): 79.3, seed 2 (epoch 3): 78.5, seed 3 (epoch 4): 80.1.",
    "items": "On test:\n- seed 1: 79.3 (epoch 5)\n- seed 2: 78.5 (epoch 3)\n- seed 3: 80.1 (epoch 4)",
    "table": "| Seed | Epoch | Test |\n|---|---|---|\n| 1 | 5 | 79.3 |\n| 2 | 3 | 78.5 |\n| 3 | 4 | 80.1 |",
    "columns": "| | Seed 1 | Seed 2 | Seed 3 |\n|---|---|---|---|\n| Best epoch | 5 | 3 | 4 |\n"
    "| Test | 79.3 | 78.5 | 80.1 |",
}


@pytest.mark.parametrize("text", SENTENCES.values(), ids=SENTENCES)
def test_each_seed_has_its_own_moment(text: str) -> None:
    assert {(c.seed, c.moment.epoch) for c in read(f"# Task 3\n\n{text}").seeds} == {(1, 5), (2, 3), (3, 4)}


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (Moment(epoch=3), Moment(epoch=3, step=675), True),
        (Moment(epoch=3, step=675), Moment(epoch=3, step=675), True),
        (Moment(epoch=3, step=675), Moment(epoch=3, step=900), False),
        (Moment(epoch=3, step=675), Moment(epoch=4, step=675), False),
        (Moment(step=675), Moment(step=675), True),
        (Moment(step=675), Moment(step=900), False),
        (Moment(step=675), Moment(epoch=3), False),
        (Moment(), Moment(), False),
    ],
)
def test_moments_that_tell_the_same(one: Moment, other: Moment, agree: bool) -> None:
    assert one.agrees(other) is agree
    assert other.agrees(one) is agree
