"""What the model of short answers sees."""

from grader.model.answers import NEGATED, invert_negations, readable, tokens, word_features


def test_a_negation_reaches_to_the_end_of_its_clause() -> None:
    assert tokens("it is not added, but kept") == ["it", "is", "not", f"{NEGATED}added", ",", "but", "kept"]


def test_the_contrary_of_the_contrary_is_the_same_statement() -> None:
    once = invert_negations(tokens("the update is scaled"))
    assert all(token.startswith(NEGATED) for token in once)
    assert invert_negations(once) == tokens("the update is scaled")


def test_pairs_tell_who_does_what_to_what() -> None:
    one, other = (set(word_features(text.split())["pairs"]) for text in ("a adds to b", "b adds to a"))
    assert "a~b" in one - other


def test_weights_are_shown_in_words() -> None:
    shown = [
        readable(run) for run in (f"{NEGATED}trained", f"are {NEGATED}trained", f"not {NEGATED}trained", "alpha÷r")
    ]
    assert shown == ["not trained", "are not trained", "not trained", "alpha / r"]
