"""What texts call experiments, splits and runs."""

import pytest

from grader.claims.numerals import percentages
from grader.claims.results.roles import split_in, splits_of
from grader.claims.results.runs import runs_named
from grader.claims.results.vocabulary import Kind, abbreviations_in, experiments_in, mentions
from grader.language.stems import stems
from tests.claims.making import lab


@pytest.mark.parametrize(
    ("text", "run"),
    [
        *(("seed 1", 1), ("Seed=42", 42), ("seed #3", 3), ("seed_7", 7), ("graine 2", 2), ("graine n° 2", 2)),
        *(("run 3", 3), ("seed: 12345", 12345), ("Seeds 1", 1), ("seed-0", 0), ("seed (5)", 5), ("the first seed", 0)),
    ],
)
def test_a_run_is_named(text: str, run: int) -> None:
    assert [int(mark.value) for mark in runs_named(text)] == [run]


@pytest.mark.parametrize("text", ["seeded 1", "reseed 3", "three seeds", "seed value", "each seed (5, 4 and 5)"])
def test_other_words_name_no_run(text: str) -> None:
    assert runs_named(text) == []


@pytest.mark.parametrize(
    ("text", "experiments"),
    [
        ("the pretrained model", {"pretrained"}),
        ("the Pre-trained weights", {"pretrained"}),
        ("from scratch", {"random"}),
        ("random initialisation", {"random"}),
        ("the random and the pretrained model", {"pretrained", "random"}),
        ("with Hugging Face", {"huggingface"}),
        ("the pretrained model with run_glue", {"huggingface"}),
        ("modèle pré-entraîné", {"pretrained"}),
        ("poids aléatoires", {"random"}),
        ("without any pre-training", {"random"}),
        ("non pré-entraîné", {"random"}),
        ("with and without pretraining", {"pretrained", "random"}),
        ("the same without loading the pretrained weights", {"random"}),
        ("pareil, mais sans partir des poids pré-entraînés", {"random"}),
        ("training without freezing the pretrained weights", {"pretrained"}),
        ("the randominitialised model", {"random"}),
        ("books_noinit/seed_0", {"random"}),
        ("the ran- dom model", {"random"}),
        ("Tasks 3, 4 and 5", {"random", "huggingface"}),
        ("T4", {"random"}),
        ("on a Colab T4", set()),
        ("three random seeds", set()),
        ("randomised", set()),
        ("model.pt", set()),
        ("", set()),
    ],
)
def test_experiments_are_named(text: str, experiments: set[str]) -> None:
    assert set(experiments_in(text, lab())) == experiments


INFLECTED = {
    "pretrained": (
        "pretrain",
        "pretraining",
        "pre-training",
        "Pretrained",
        "PRETRAINED",
        "préentraînement",
        "pré-entraînés",
    ),
    "random": ("randomly", "Random", "aléatoires", "aléatoirement", "hasard", "scratch"),
    "huggingface": ("Hugging-Face", "HuggingFace", "hugging face", "HF", "run_glue.py"),
}


@pytest.mark.parametrize(("experiment", "word"), [(one, word) for one, words in INFLECTED.items() for word in words])
def test_one_entry_covers_its_inflections(experiment: str, word: str) -> None:
    assert experiments_in(f"with {word} here", lab()) == (experiment,)


@pytest.mark.parametrize("text", ["à peu près 29 millions", "très près de 80 %"])
def test_a_word_cut_short_has_no_inflections(text: str) -> None:
    """`pre`, one of the lab's words, would be the stem of `près`."""
    assert experiments_in("a pre run", lab()) == ("pretrained",)
    assert experiments_in(text, lab()) == ()


def test_every_word_of_the_lab_is_found_in_the_plural_too() -> None:
    for experiment in lab().experiments:
        for word in experiment.words:
            if word.islower() and " " not in word and len(word) > 4 and not word.endswith("s"):
                assert stems(word) & stems(word + "s"), word


@pytest.mark.parametrize(
    ("text", "short", "experiment"),
    [
        ("PT = pretrained, RI = random init", "RI", "random"),
        ("We call it RW (random weights).", "RW", "random"),
        ("pretrained model (PM) is better", "PM", "pretrained"),
        ("alea = fairseq avec le checkpoint aléatoire", "alea", "random"),
        ("Let model B be the same filled with random numbers.", "model b", "random"),
    ],
)
def test_a_text_introduces_its_own_names(text: str, short: str, experiment: str) -> None:
    assert (short, experiment) in {(one[0], one[2]) for one in abbreviations_in(text, lab())}


@pytest.mark.parametrize(
    "text",
    [
        "mean = pretrained 79.5",
        "we (the random ones)",
        "test (pretrained)",
        'grep "best" logs/pretrained_1.txt',
        "none = all keep their pretrained values",
        "test acc (ckpt = best valid)",
    ],
)
def test_what_introduces_nothing(text: str) -> None:
    assert abbreviations_in(text, lab()) == ()


@pytest.mark.parametrize(
    ("label", "split"),
    [
        ("Test accuracy", "test"),
        ("valid", "valid"),
        ("Validation accuracy (%)", "valid"),
        ("dev", "valid"),
        ("std dev", None),
        ("eval_accuracy", "valid"),
        ("test_accuracy", "test"),
        ("evaluated on test", "test"),
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
    assert split_in(label, lab()) == split


@pytest.mark.parametrize(
    ("text", "splits"),
    [
        ("79.9 on test", ["test"]),
        ("79.9 (validation)", ["valid"]),
        ("validation 81.5, test 79.9", ["valid", "test"]),
        ("81.5 on validation and 79.9 on test", ["valid", "test"]),
        ("best validation 81.5 at epoch 4, which gives 79.9 in test", ["valid", "test"]),
        ("validation 81.5 -> 79.9", ["valid", None]),
        ("79.9", [None]),
    ],
)
def test_a_number_belongs_to_its_own_words(text: str, splits: list[str | None]) -> None:
    numbers = [number for number in percentages(text) if number.resolution < 1]
    assert splits_of(text, numbers, mentions(text, lab())) == splits


ALL = ("pretrained", "random", "huggingface")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("va / te = accuracy on valid / test (%)", {"va": "valid", "te": "test"}),
        ("JV / JT = justesse de validation / de test", {"JV": "valid", "JT": "test"}),
        ("A/B: pretrained / random init", {"A": "pretrained", "B": "random"}),
        ("A (fairseq, pretrained), B (weights at random) and C (Hugging Face)", dict(zip("ABC", ALL, strict=True))),
        ("matrices B (random) and A (zero)", {}),
        ("x / y = the first / the second thing", {}),
        ("1 / 2 = test / test", {}),
    ],
)
def test_short_names_may_be_introduced_together(text: str, named: dict[str, str]) -> None:
    assert {short: value for short, _, value in abbreviations_in(text, lab())} == named


@pytest.mark.parametrize(
    ("text", "experiments"),
    [
        ("79.9 when pretrained but 67.5 when not, seed 1", ["pretrained", "random"]),
        ("with pretraining 79.9, without 67.5", ["pretrained", "random"]),
        ("avec pré-entraînement 79,9 et sans : 67,5", ["pretrained", "random"]),
        ("pretrained weights, without a doubt", ["pretrained"]),
        ("Pretrained weights. Without them", ["pretrained"]),
        ("from scratch 67.5, without dropout", ["random"]),
    ],
)
def test_a_negation_alone_names_the_contrary_of_what_was_named(text: str, experiments: list[str]) -> None:
    assert [one.value for one in mentions(text, lab()) if one.kind.value == "experiment"] == experiments


@pytest.mark.parametrize(
    ("text", "splits"),
    [
        ("the best accuracy on the test set", {"test"}),
        ("the log's best_accuracy", {"valid"}),
        ("eval accuracy", {"valid"}),
        ("std. dev. on the dev set", {"valid"}),
        ("mean and std. dev. 0.45", set()),
    ],
)
def test_a_name_with_an_underscore_is_no_two_words(text: str, splits: set[str]) -> None:
    assert {one.value for one in mentions(text, lab()) if one.kind is Kind.SPLIT} == splits


@pytest.mark.parametrize("text", ["à peu près 29 millions", "près de 80 %", "des prés"])
def test_a_short_form_has_no_inflections_with_accents(text: str) -> None:
    assert experiments_in(text, lab()) == ()
    assert experiments_in("pré 80 %", lab()) == ("pretrained",)


def test_best_stands_for_no_experiment() -> None:
    assert abbreviations_in("best = runs of the pretrained model", lab()) == ()


def test_words_of_several_meanings_only_hint_at_an_experiment() -> None:
    found = {(one.kind, one.value) for one in mentions("au hasard", lab())}
    assert found == {(Kind.HINT, "random")}
