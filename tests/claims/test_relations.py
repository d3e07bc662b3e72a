"""What a definition turns round is seen, in any wording; what is right contradicts nothing."""

from pathlib import Path

import pytest

from grader.claims.relations import contradiction, says_only_right, says_trend, turned_quotient, without_trends
from grader.lab.definition import Parameter
from grader.lab.files import lab_folder
from grader.lab.short_answers import read_examples
from tests.claims.making import lab
from tests.patience import within

PAIRS = [
    line.split("|")
    for line in (Path(__file__).parent / "turned_statements.txt").read_text(encoding="utf-8").splitlines()
    if "|" in line
]


def is_against(name: str, text: str) -> bool:
    asked = parameter(name)
    return bool(contradiction(text, asked) or turned_quotient(text, asked, lab()))


def parameter(name: str) -> Parameter:
    return next(one for one in lab().parameters if one.id == name)


@pytest.mark.parametrize(("name", "turned"), [(name, turned) for name, turned, _ in PAIRS if turned])
def test_a_statement_that_is_turned_round_contradicts_the_lab(name: str, turned: str) -> None:
    assert is_against(name, turned)


def test_a_right_statement_contradicts_nothing() -> None:
    assert [(name, right) for name, _, right in PAIRS if is_against(name, right)] == []


def test_no_right_example_of_the_lab_contradicts_it() -> None:
    examples = read_examples(lab_folder("nlp-frameworks") / "answers.jsonl")
    right = [one for one in examples if one.label == "correct"]
    assert len(right) > 4_000
    assert [one.text for one in right if is_against(one.topic, one.text)] == []


def test_a_parameter_of_which_the_lab_says_nothing_is_never_contradicted() -> None:
    asked = parameter("r").model_copy(update={"trends": (), "contraries": ()})
    assert contradiction("the smaller r, the more parameters are trained", asked) is None


def test_the_sentence_that_contradicts_is_quoted() -> None:
    text = "The rank of BA. The smaller r is, the more parameters are trained. We took 16."
    found = contradiction(text, parameter("r"))
    assert found
    assert found.quote == "The smaller r is, the more parameters are trained"
    assert not found.is_all


def test_what_says_nothing_but_what_is_wrong_is_known() -> None:
    found = contradiction("The smaller r, the more parameters are trained.", parameter("r"))
    assert found
    assert found.is_all


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("The larger r is, the more parameters are trained.", True),
        ("The larger r is, the fewer parameters are trained.", False),
        ("The larger r is, the more parameters are trained. A small r needs more memory.", False),
        ("The rank of BA.", False),
    ],
)
def test_what_grows_with_a_parameter_is_said_rightly(text: str, is_said: bool) -> None:
    assert says_trend(text, parameter("r")) is is_said


@pytest.mark.parametrize("name", ["r", "lora_dropout", "task_type"])
@pytest.mark.parametrize(
    "words", ["plus ", "from given predict ", "the smaller r, the more ", "5 % kept, ", "and others "]
)
def test_hostile_texts_take_no_time(name: str, words: str) -> None:
    with within(1):
        contradiction(words * (6_000 // len(words)), parameter(name))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The rank of A and B. More big r, more parameter to train.", "The rank of A and B."),
        ("the rank of A and B, if bigger then more parameters to train", "the rank of A and B,"),
        ("The larger r is, the more we train; it is the rank of A and B.", "it is the rank of A and B."),
        (
            "Rank of A and B; the larger r, the fewer parameters.",
            "Rank of A and B; the larger r, the fewer parameters.",
        ),
        ("The rank of A and B; the larger r, the more layers.", "The rank of A and B; the larger r, the more layers."),
        ("The rank of A and B.", "The rank of A and B."),
    ],
)
def test_what_is_true_of_a_parameter_is_told_from_what_else_a_text_says(text: str, left: str) -> None:
    assert without_trends(text, parameter("r")) == left


def test_more_that_is_ignored_is_less() -> None:
    assert not says_trend("more alpha is high, more the adapter is ignored", parameter("lora_alpha"))


@pytest.mark.parametrize(
    ("name", "plain", "other"),
    [
        ("r", "rank of the two LoRA matrices", "rank of the two frozen matrices"),
        ("r", "le rang de la mise à jour (16)", "le rang de la matrice d'origine"),
        ("lora_alpha", "facteur d'échelle de la correction BA", "facteur d'apprentissage de la correction BA"),
        ("target_modules", "which layers have the adapter", "which layers have the frozen adapter"),
        ("lora_dropout", "taux de dropout dans l'adaptateur", "taux de dropout dans le modèle"),
        ("bias", "whether the biases are trained", "whether the biases are removed"),
        (
            "task_type",
            "causal language modelling: predict the next word",
            "masked language modelling: predict the word",
        ),
    ],
)
def test_a_plain_definition_has_only_words_of_a_right_form(name: str, plain: str, other: str) -> None:
    assert says_only_right(plain, parameter(name))
    assert not says_only_right(other, parameter(name))
