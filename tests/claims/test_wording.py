import pytest

from grader.claims.wording import SEED, belonging, experiments_named, split_of_label
from tests.claims.making import lab


@pytest.mark.parametrize(
    ("text", "seed"),
    [
        *(("seed 1", 1), ("Seed=42", 42), ("seed #3", 3), ("seed_7", 7), ("graine 2", 2), ("graine n° 2", 2)),
        *(("run 3", 3), ("seed: 12345", 12345), ("Seeds 1", 1), ("seed-0", 0), ("seed (5)", 5)),
    ],
)
def test_a_seed_is_named(text: str, seed: int) -> None:
    match = SEED.search(text)
    assert match
    assert int(match.group(1)) == seed


@pytest.mark.parametrize("text", ["seeded 1", "reseed 3", "three seeds", "seed value"])
def test_other_words_name_no_seed(text: str) -> None:
    assert SEED.search(text) is None


@pytest.mark.parametrize(
    ("text", "experiments"),
    [
        ("the pretrained model", ("pretrained",)),
        ("the Pre-trained weights", ("pretrained",)),
        ("from scratch", ("random",)),
        ("random initialisation", ("random",)),
        ("the random and the pretrained model", ("pretrained", "random")),
        ("with Hugging Face", ("huggingface",)),
        ("the pretrained model with run_glue", ("huggingface",)),
        ("randomised", ()),
        ("modèle pré-entraîné", ("pretrained",)),
        ("poids aléatoires", ("random",)),
        ("", ()),
    ],
)
def test_experiments_are_named(text: str, experiments: tuple[str, ...]) -> None:
    assert experiments_named(text, lab()) == experiments


@pytest.mark.parametrize(
    ("label", "split"),
    [
        ("Test accuracy", "test"),
        ("valid", "valid"),
        ("Validation accuracy (%)", "valid"),
        ("dev", "valid"),
        ("eval_accuracy", "valid"),
        ("test_accuracy", "test"),
        ("Test accuracy at best validation", "test"),
        ("Test (checkpoint with the best validation accuracy)", "test"),
        ("Test accuracy at the best validation epoch", "test"),
        ("Best validation accuracy", "valid"),
        ("test and validation", None),
        ("Accuracy", None),
        ("latest", None),
        ("contest", None),
    ],
)
def test_a_label_names_a_split(label: str, split: str | None) -> None:
    assert split_of_label(label, lab().splits) == split


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("79.9 on test", "test"),
        ("79.9 (validation)", "valid"),
        ("test accuracy: 79.9", "test"),
        ("validation 81, test 79.9", "test"),
        ("79.9", None),
    ],
)
def test_a_number_belongs_to_the_nearest_words(text: str, split: str | None) -> None:
    at = text.index("79.9")
    found = belonging(text, at, at + 4, lab().splits)
    assert found == split
