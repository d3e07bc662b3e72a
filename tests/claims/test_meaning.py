"""What the models of sentences see: tokens with placeholders."""

from collections.abc import Mapping

import pytest

from grader.claims.meaning import LONGEST, choice_tokens, comparison_tokens
from grader.claims.results.vocabulary import mentions
from grader.lab.experiments import ACCURACY, Better, Measure
from grader.model.sentences import EXPERIMENT, FIRST, SECOND, TEST, VALID, Tokens
from tests.claims.making import lab

TWO = ("pretrained", "random")
PERPLEXITY = Measure(id="perplexity", title="perplexity", words=("perplexity", "ppl"), better=Better.LOWER)


def choice(text: str) -> tuple[str, ...]:
    return choice_tokens(text, mentions(text, lab()), lab(), ACCURACY).words


def compared(text: str, measure: Measure = ACCURACY) -> Tokens:
    return comparison_tokens(text, mentions(text, lab()), TWO, lab(), measure)


NUMBERS: Mapping[str, str] = {
    "0.5": "#fraction", "0.99": "#fraction", "0": "#digit", "1": "#digit", "1.0": "#small", "10": "#digit",
    "10.9": "#small", "11": "#low", "44": "#low", "44.9": "#small", "45": "#percent", "45.0": "#accuracy",
    "79,3": "#accuracy", "100": "#percent", "100.0": "#accuracy", "101": "#large", "100.5": "#large", "2000": "#large",
}  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_seen_as_its_kind(number: str) -> None:
    assert choice(f"we get {number} there") == ("we", "get", NUMBERS[number], "there")


def test_names_are_replaced_by_placeholders() -> None:
    text = "The pretrained model has the best validation accuracy: 81 % -> test!"
    assert choice(text) == (
        *("the", EXPERIMENT, "model", "has", "the", "best", VALID, "accuracy", ":", "#percent", "%", "->", TEST, "!"),
    )
    random_first = compared("From scratch it is worse than pretrained, and Pretrained wins.")
    assert random_first.lead == "random"
    assert [word for word in random_first.words if word.startswith("<")] == [FIRST, SECOND, SECOND]
    third = compared("run_glue is better than random")
    assert [word for word in third.words if word.startswith("<")] == [EXPERIMENT, FIRST]
    none = compared("It is better.")
    assert (none.lead, none.words) == ("", ("it", "is", "better", "."))


def test_only_the_beginning_of_a_long_statement_is_read() -> None:
    assert len(choice("a " * LONGEST)) == LONGEST // 2
    late = "x" * LONGEST + " y pretrained"
    assert EXPERIMENT not in choice(late)


def test_of_a_measure_that_is_better_when_lower_the_contrary_is_said() -> None:
    said = compared("The pretrained model has a lower perplexity than the random one.", PERPLEXITY)
    assert "accuracy" in said.words
    assert "higher" in said.words
    assert not {"lower", "perplexity"} & set(said.words)
    assert said.judging is None
    judged = compared("The pretrained model has a lower, so better perplexity than the random one.", PERPLEXITY)
    assert judged.judging is not None
    assert not {"higher", "lower"} & set(judged.judging)
    assert {"better", "accuracy"} <= set(judged.judging)
    silent = compared("The pretrained model is lower.", PERPLEXITY)
    assert "lower" in silent.words
