import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.claims.passage import Passage
from grader.claims.statements import is_doubtful, statements
from grader.reading.document import Block, BlockKind, Document
from tests.claims.making import passage
from tests.patience import within


def cut(markdown: str) -> list[str]:
    return [statement.text for statement in statements(passage(markdown))]


def test_wrapped_lines_are_one_statement() -> None:
    assert cut("The mean is\n79.5 and the\ndeviation 0.7.") == ["The mean is 79.5 and the deviation 0.7."]


@pytest.mark.parametrize("arrow", ["=>", "-->", "→"])
def test_a_line_that_begins_with_an_arrow_is_a_statement_of_its_own(arrow: str) -> None:
    assert cut(f"mean 64.7 std 1.4\n{arrow} pretrained is better") == [
        "mean 64.7 std 1.4",
        f"{arrow} pretrained is better",
    ]
    assert cut(f"mean 64.7 {arrow}\npretrained is better") == [f"mean 64.7 {arrow} pretrained is better"]


def test_what_an_interpreter_shows_is_no_sentence() -> None:
    lines = [">>> acc = [0.79, 0.81]", ">>> mean(acc)", "0.80", "In [2]: std(acc)", "Out[2]: 0.01", "# 0.8 is good"]
    blocks = tuple(Block(kind=BlockKind.LINE, text=text, line=at) for at, text in enumerate(lines, start=1))
    found = statements(Passage.from_document(Document(file="a.txt", exact=True, blocks=blocks)))
    assert [one.text for one in found] == lines


def test_lines_of_a_name_and_a_figure_are_no_sentence() -> None:
    assert cut("the epoch is chosen on validation\nseed 5 77.40\nseed 6 78.05\nmean 77.7\nand more") == [
        "the epoch is chosen on validation",
        "seed 5 77.40",
        "seed 6 78.05",
        "mean 77.7",
        "and more",
    ]
    assert cut("the mean is\nabout 77.40\nand more") == ["the mean is about 77.40 and more"]


def test_sentences_are_cut_apart_but_not_decimals() -> None:
    assert cut("The mean is 79.5. It is high. E.g. 80.1 was the best.") == [
        "The mean is 79.5.",
        "It is high.",
        "E.g. 80.1 was the best.",
    ]


@pytest.mark.parametrize(
    "sentences",
    [
        ["the gap is 12.5.", "i kept the one we had."],
        ["Great! it works.", "did it?", "yes, with 80.0 %."],
        ["the mean is 79.5 (of three).", "the rest is noise."],
        ["each set has 200 reviews, a small set.", "we kept it."],
    ],
)
def test_sentences_may_begin_with_small_letters(sentences: list[str]) -> None:
    text = " ".join(sentences)
    assert " ".join(cut(text)) == text
    assert cut(text)[-1] == sentences[-1]


@pytest.mark.parametrize(
    "text",
    [
        "val. acc. of the last run, approx. the same",
        "see e.g. the table",
        "1. pretrained, 2. random",
        "one half; the other half",
    ],
)
def test_abbreviations_and_numbers_of_items_end_no_sentence(text: str) -> None:
    assert len(cut(text)) == 1


def test_list_items_and_paragraphs_stay_apart() -> None:
    assert cut("- seed 1: 79.3\n- seed 2: 78.5\n\nThe mean\n\nis 79") == [
        "- seed 1: 79.3",
        "- seed 2: 78.5",
        "The mean",
        "is 79",
    ]


def test_tables_code_and_output_are_no_statements() -> None:
    assert cut("| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode 1.\n```\n\nWords.") == ["Words."]


@pytest.mark.parametrize("lead", ["# Validation", "Test accuracies:"])
def test_headings_and_colons_lead(lead: str) -> None:
    first, second = statements(passage(f"{lead}\n- seed 1: 80"))
    assert (first.is_lead, second.is_lead) == (True, False)


@given(st.lists(st.sampled_from(["The mean is", r"$\frac{1}{2}$", "79.5.", "**So** it", "", "- a;", "# T", "²"])))
def test_a_statement_is_its_own_slice_of_the_text(lines: list[str]) -> None:
    whole = passage("\n".join(lines))
    for statement in statements(whole):
        assert whole.text[statement.start : statement.end].replace("\n", " ") == statement.text


def test_thousands_of_lines_take_no_time() -> None:
    with within(1):
        assert cut("\n".join(["epoch 1 loss 0.5 accuracy 79.9"] * 5_000))


def test_a_full_line_of_a_page_may_end_in_a_colon_before_its_value() -> None:
    def line(text: str, top: float, right: float) -> Block:
        return Block(kind=BlockKind.LINE, text=text, page=1, box=(72.0, top, right, top + 10))

    full = line("the accuracies are 79.9 % for seed 1 and for seed 2:", 100, 520)
    short = line("the accuracies on the test set are:", 100, 300)
    below = line("84.96 % on the test set of the lab", 112, 530)
    for upper, count in ((full, 1), (short, 2)):
        made = Passage(file="report.pdf", exact=False, blocks=(upper, below))
        assert len(list(statements(made))) == count


@pytest.mark.parametrize(
    "sentence",
    [
        "Perhaps 42.",
        "It is maybe 42.",
        "42, probably",
        "Peut-être 42.",
        "C'est sans doute 42.",
        "Probablement 42.",
    ],
)
def test_a_student_who_is_not_sure_leaves_an_answer_open(sentence: str) -> None:
    start = sentence.index("42")
    assert is_doubtful(sentence, start, start + 2)
    assert not is_doubtful("It is 42.", 6, 8)


def test_a_line_left_of_the_mark_of_an_item_is_below_its_list() -> None:
    def line(kind: BlockKind, left: float, top: float, text: str) -> Block:
        return Block(kind=kind, text=text, page=1, box=(left, top, 400.0, top + 10))

    item = line(BlockKind.LIST_ITEM, 80, 100, "• the last run of all has 80.1 and")
    inside, below = (line(BlockKind.LINE, left, 114, "M = 79.6 with all of them") for left in (90, 72))
    for second, number in ((inside, 1), (below, 2)):
        found = statements(Passage(file="report.pdf", exact=False, blocks=(item, second)))
        assert len(found) == number
