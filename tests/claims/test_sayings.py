"""What a text says about a matter, where it names something, and which number of a sentence a name has."""

from collections.abc import Mapping

import pytest

from grader.claims.numerals import sentence_bounds
from grader.claims.passage import Passage
from grader.claims.statements import (
    all_statements,
    fold_text,
    is_doubtful,
    is_joint,
    is_operand_of,
    mention,
    number_in_front,
    plainest_saying,
    respective_number,
    sayings,
    speaks_of,
    statements,
    wrapped_end,
)
from grader.reading.document import Block, BlockKind
from tests.claims.making import passage

SPOKEN: Mapping[tuple[str, str], str | None] = {
    ("Early stopping was used", "early stopping"): "Early stopping",
    ("we used early-stopping", "early stopping"): "early-stopping",
    ("EARLY_STOPPING=True", "early stopping"): "EARLY_STOPPING",
    ("earlystopping", "early stopping"): "earlystopping",
    ("the regularised model", "regulari"): "regulari",
    ("un modèle entraîné", "modele entraine"): "modèle entraîné",
    ("unregularised", "regulari"): None,
    ("my_dropout = 0.1", "dropout"): "dropout",
    ("a batch of 32", "32"): "32",
    ("a batch of 320", "32"): None,
    ("a batch of 32.5", "32"): None,
    ("a batch of 32,5", "32"): None,
    ("a batch of 32.", "32"): "32",
    ("conv2 is", "conv2"): "conv2",
    ("conv2d is", "conv2"): None,
    ("conv20 is", "conv2"): None,
    ("Conv2d(1,16, 3)", "conv2d(1"): "Conv2d(1",
    ("Conv2d(1.5, 3)", "conv2d(1"): None,
    ("nothing here", "matter"): None,
}


@pytest.mark.parametrize(("text", "word"), SPOKEN)
def test_a_matter_is_known_by_the_beginnings_of_words_in_any_spelling(text: str, word: str) -> None:
    match = speaks_of(text, [word])
    assert (match and text[match.start() : match.end()]) == SPOKEN[text, word]


def test_of_several_words_the_first_in_the_text_is_told_and_of_none_nothing() -> None:
    match = speaks_of("beta before alpha", ["alpha", "beta"])
    assert match is not None
    assert match.start() == 0
    assert speaks_of("beta", []) is None


def test_folding_keeps_the_offsets() -> None:
    text = "Éléphant ½ ÇA ﬁn ß Å"
    assert len(fold_text(text)) == len(text)
    assert fold_text("ÉÀÇñ") == "eacn"


MENTIONED: Mapping[tuple[str, tuple[str, ...]], str | None] = {
    ("the precision is", ("precision", "P")): "precision",
    ("with P = 3", ("precision", "P")): "P",
    ("with p = 3", ("precision", "P")): "p",
    ("with p is 3", ("precision", "P")): None,
    ("SP = 3", ("P",)): None,
    ("P_1 = 3", ("P",)): "P",
    ("Px = 3", ("P",)): None,
    ("R² = 0.5", ("R2",)): None,
    ("R^2 = 0.5", ("R2",)): "R^2",
    ("R2 = 0.5", ("R²",)): "R2",
    ("F1 and recall", ("recall", "F1")): "F1",
    ("recall and F1", ("recall", "F1")): "recall",
    ("none of it", ("recall", "F1")): None,
    ("anything", ()): None,
}


@pytest.mark.parametrize(("text", "words"), MENTIONED)
def test_a_short_name_is_a_whole_word_as_written(text: str, words: tuple[str, ...]) -> None:
    found = mention(text, words, 0)
    assert (found and text[slice(*found)]) == MENTIONED[text, words]


def test_a_name_is_sought_between_two_offsets() -> None:
    text = "recall, precision, recall"
    assert mention(text, ["recall"], 1) == (19, 25)
    assert mention(text, ["recall"], 0, 6) == (0, 6)
    assert mention(text, ["recall"], 1, 24) is None


SAID: Mapping[str, tuple[bool, bool]] = {
    "We used dropout.": (True, False),
    "We did not use dropout.": (False, True),
    "We used dropout, but no decay.": (True, False),
    "No decay was needed because dropout was used.": (True, False),
    "We couldn't use dropout.": (False, True),
    "On n'a pas utilisé de dropout.": (False, True),
    "Sans dropout, c'est pire.": (False, True),
    "Would dropout help?": (False, False),
    "If dropout is used it works.": (False, False),
    "Dropout should help.": (False, False),
    "Le dropout devrait aider.": (False, False),
    "# Dropout": (False, False),
    "- dropout of 0.1": (True, False),
}


@pytest.mark.parametrize("text", SAID)
def test_a_saying_is_plain_unless_it_is_a_title_a_question_a_condition_or_denied(text: str) -> None:
    (saying,) = sayings(passage(text), ["dropout"])
    assert (saying.is_plain, saying.is_denied) == SAID[text]


def test_rows_of_tables_say_something_behind_all_sentences() -> None:
    whole = passage("| part | used |\n|---|---|\n| dropout | 0.1 |\n\nThe Dropout is 0.1 here.\n\nNothing.")
    found = list(sayings(whole, ["dropout"]))
    assert [one.text for one in found] == ["The Dropout is 0.1 here.", "| dropout | 0.1 |"]
    assert [one.evidence.line for one in found] == [5, 3]
    assert [one.is_plain for one in found] == [True, True]
    assert found[1].evidence.quote == "| dropout | 0.1 |"


def test_the_plainest_saying_is_the_first_plain_one_of_all_passages() -> None:
    title, doubt, plain = passage("# Dropout"), passage("Dropout could help."), passage("Dropout is used.")
    told = plainest_saying([title, doubt, plain], ["dropout"])
    assert told is not None
    assert told.text == "Dropout is used."
    first = plainest_saying([title, doubt], ["dropout"])
    assert first is not None
    assert first.text == "Dropout"
    assert plainest_saying([plain], ["decay"]) is None


@pytest.mark.parametrize(
    ("sentence", "word", "doubtful"),
    [
        ("The answer is 5.", "5", False),
        ("The answer is 5 or 6.", "5", True),
        ("La réponse est 5 ou 6.", "5", True),
        ("The answer is not 5.", "5", True),
        ("It is not 4, it is 5.", "5", False),
        ("It is not 4, it is 5.", "4", True),
        ("It may be 5.", "5", True),
        ("Is it 5?", "5", True),
        ("It is 5, but this is no surprise.", "5", False),
        ("This is no surprise: it is 5.", "5", False),
    ],
)
def test_a_number_is_doubtful_where_it_is_left_open_or_denied_in_its_clause(
    sentence: str, word: str, *, doubtful: bool
) -> None:
    at = sentence.index(word)
    assert is_doubtful(sentence, at, at + len(word)) is doubtful


def test_lines_of_code_and_cells_may_say_something_too() -> None:
    whole = passage(
        "A sentence.\n\n```python\n# we keep the checkpoint that is best on\n# the validation set of the lab\n"
        "x = 1\nprint('two words')\n```\n\n| model | checkpoint | why |\n|---|---|---|\n"
        "| pretrained | best | it has the best validation accuracy |\n| random | last | 5 epochs |\n"
    )
    assert [one.text for one in all_statements(whole)] == [
        "A sentence.",
        "we keep the checkpoint that is best on the validation set of the lab",
        "print('two words')",
        "checkpoint, pretrained: best",
        "it has the best validation accuracy",
        "checkpoint, random: last",
    ]


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (("# one two", "# three four"), 1),
        (("# one two.", "# three four"), 2),
        (("# one two:", "# three four"), 2),
        (("# one two", "# Three four"), 2),
        (("# lr = 3 two", "# three four"), 2),
        (("# one two", "# three = 4 of"), 2),
        (("# one two", "# seed: of it"), 2),
        (("# one two", "three four"), 2),
        (("// one two", "// three four"), 1),
        (("one two", "# three four"), 2),
    ],
)
def test_a_comment_goes_on_in_a_line_that_begins_small(lines: tuple[str, str], count: int) -> None:
    found = list(all_statements(passage("```python\n" + "\n".join(lines) + "\n```")))
    assert len(found) == count


def test_what_stands_in_code_is_found_at_its_own_place() -> None:
    whole = passage("Words.\n\n```\nfirst line here\n\n# second line\n# goes on here\n```\n\nEnd.")
    said = {one.text: (one.start, one.end) for one in all_statements(whole)}
    assert whole.text[slice(*said["first line here"])] == "first line here"
    assert whole.text[slice(*said["second line goes on here"])] == "# second line\n# goes on here"


def line(text: str, left: float, right: float, top: float, page: int = 1, **more: object) -> Block:
    return Block.model_validate(
        {"kind": BlockKind.LINE, "text": text, "page": page, "box": (left, top, right, top + 10), **more}
    )


def cut(*blocks: Block) -> list[str]:
    return [one.text for one in statements(Passage(file="report.pdf", exact=False, blocks=blocks))]


def test_a_line_that_is_too_short_to_have_been_wrapped_ends_its_statement() -> None:
    full = line("a line that is as wide as the column", 70, 520, 100)
    assert cut(full, line("and goes on", 70, 150, 112), line("begins anew", 70, 400, 124)) == [
        "a line that is as wide as the column and goes on",
        "begins anew",
    ]
    almost = line("a line of seventy percent", 70, 386, 112)
    assert cut(full, almost, line("goes on", 70, 520, 124)) == [
        "a line that is as wide as the column a line of seventy percent goes on"
    ]
    other_column = line("a narrow column", 300, 400, 112)
    assert cut(other_column, line("goes on", 300, 405, 124), line("wide", 70, 520, 136)) == [
        "a narrow column goes on wide"
    ]


def test_captions_go_on_but_a_new_one_begins_anew() -> None:
    def caption(text: str, page: int | None = 1) -> Block:
        return Block(kind=BlockKind.CAPTION, text=text, page=page)

    assert cut(caption("Figure 1: the accuracy"), caption("on the test set"), caption("Figure 2: the loss")) == [
        "Figure 1: the accuracy on the test set",
        "Figure 2: the loss",
    ]
    assert len(cut(caption("Table 1: this"), caption("and that", page=2))) == 2
    assert len(cut(caption("Table 1: this", page=None), caption("and that", page=None))) == 1


def test_a_title_goes_on_only_behind_a_hyphen() -> None:
    def heading(text: str) -> Block:
        return Block(kind=BlockKind.HEADING, text=text)

    assert cut(heading("Fine-"), heading("tuning"), heading("Results")) == ["Fine- tuning", "Results"]


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ("Seed 1:", "79.3", 2),
        ("The accuracies that we measured on the test set were these:", "79.3", 1),
        ("The accuracies that we measured on the test set were these:", "(79.3)", 1),
        ("The accuracies that we measured on the test set were these:", "high", 2),
        ("The accuracies that we measured on the test set were these;", "79.3", 2),
    ],
)
def test_a_colon_at_the_end_of_a_long_line_leads_to_a_value(first: str, second: str, count: int) -> None:
    assert len(list(statements(passage(f"{first}\n{second}")))) == count


def test_lines_that_do_not_follow_each_other_are_apart() -> None:
    blocks = [Block(kind=BlockKind.LINE, text=text, line=at) for text, at in (("one", 1), ("two", 2), ("three", 4))]
    assert cut(*blocks) == ["one two", "three"]


IN_FRONT: Mapping[str, str | None] = {
    "we get 54.03 (RMSE) here": "54.03",
    "we get 54.03 (RMSE, test) here": None,
    "we get 0.954 bits of RMSE here": "0.954",
    "we get 0.954 for the RMSE here": "0.954",
    "on a 0.954 de RMSE ici": "0.954",
    "we get 3 + 4 (RMSE) here": None,
    "we get 54.03 and then RMSE here": None,
    "the RMSE here is 54.03": None,
}


@pytest.mark.parametrize("text", IN_FRONT)
def test_a_number_may_stand_in_front_of_its_name(text: str) -> None:
    named = mention(text, ["RMSE"], 0)
    assert named is not None
    found = number_in_front(passage(text), named)
    assert (found and found.text) == IN_FRONT[text]


RESPECTIVE: Mapping[str, str | None] = {
    "Precision, recall and F1 are 0.8, 0.7 and 0.75.": "0.7",
    "Precision and F1 are 0.8 and 0.75.": None,
    "Recall is 0.8.": None,
    "Precision, recall are 0.8, 0.7 and 0.75.": None,
    "Recall, precision, recall are 0.8, 0.7, 0.75.": None,
    "Recall and precision: 0.8, 0.7": "0.8",
    "Precision and recall: 3/4, 1/2": "1/2",
}


@pytest.mark.parametrize("text", RESPECTIVE)
def test_as_many_numbers_as_names_belong_to_them_in_order(text: str) -> None:
    whole = passage(text)
    found = respective_number(whole, sentence_bounds(whole.text, 0, 1), ["recall"], ["precision", "F1"])
    assert (found and found.text) == RESPECTIVE[text]


@pytest.mark.parametrize(
    ("text", "joint"),
    [
        ("precision and recall are 0.8", True),
        ("precision 0.8 and recall 0.7", False),
        ("0.8 (precision) and recall 0.7", False),
        ("the recall is 0.8", False),
    ],
)
def test_names_without_a_number_between_them_share_what_follows(text: str, *, joint: bool) -> None:
    whole = passage(text)
    assert is_joint(whole, 0, text.index("recall"), ["precision"]) is joint
    assert not is_joint(whole, 0, text.index("recall"), [])


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("BLEU = BP × 0.438", True),
        ("BLEU = (BP × 0.438)", True),
        ("BLEU = 0.438 × BP", True),
        ("BLEU = 0.4, BP = 0.9", False),
        ("BLEU is BP", False),
        ("BP = 0.9", False),
    ],
)
def test_a_name_in_a_calculation_is_an_operand(text: str, *, operand: bool) -> None:
    whole = passage(text)
    assert is_operand_of(whole, 0, whole.text.index("BP"), ["BLEU"]) is operand
    assert not is_operand_of(whole, 0, whole.text.index("BP"), [])


def test_a_sentence_without_a_number_in_its_line_goes_on_in_the_next() -> None:
    whole = passage("The recall of the second model is\n0.75 on the test set. Next.")
    first = whole.text.index("\n")
    assert wrapped_end(whole, 0, first) == whole.text.index(" Next")
    assert wrapped_end(whole, 0, len(whole.text)) == len(whole.text)
    short = passage("The recall is 0.75 in the\nfirst case.")
    assert wrapped_end(short, 0, short.text.index("\n")) == short.text.index("\n")
