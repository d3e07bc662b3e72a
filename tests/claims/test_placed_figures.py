"""Figures and captions stand under the questions that they belong to."""

from grader.claims.sections import sections
from grader.lab.definition import Lab
from grader.reading.document import Block, BlockKind, Document

ITEM = {"title": "A", "points": "1", "check": "by-hand"}
Line = tuple[str, str, tuple[float, float, float, float]]
LEFT, RIGHT = (50.0, 290.0), (310.0, 550.0)


def lab() -> Lab:
    questions = [
        {"id": f"q{n}", "title": f"Task {n}", "labels": [f"question {n}"], "items": [{"id": f"q{n}.a", **ITEM}]}
        for n in range(1, 5)
    ]
    return Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": questions})


def block(kind: str, text: str, top: float, column: tuple[float, float] = LEFT, height: float = 10.0) -> Block:
    box = (column[0], top, column[1], top + height)
    return Block(kind=BlockKind(kind), text=text, page=1, box=box)


def cut(*blocks: Block) -> list[tuple[tuple[str, ...], list[str]]]:
    """The questions of each section, and the beginnings of its lines."""
    document = Document(file="report.pdf", exact=True, blocks=blocks)
    return [
        (section.questions, [own.text[:12] or own.kind.value for own in section.passage.blocks])
        for section in sections(document, lab())
    ]


def test_captions_that_name_questions_are_answers() -> None:
    found = cut(
        block("caption", "Figure 1: (Question 1) The tree is deep.", 50, LEFT),
        block("figure", "", 50, RIGHT, 90),
        block("line", "Question 2 It is pruned.", 300),
        block("line", "Question 3 The depth is 4.", 320),
        block("line", "Question 4 The error is 0.3.", 340),
    )
    assert found == [
        (("q1",), ["Figure 1: (Q", "figure"]),
        (("q2",), ["Question 2 I"]),
        (("q3",), ["Question 3 T"]),
        (("q4",), ["Question 4 T"]),
    ]


def test_a_caption_that_only_names_a_question_goes_to_its_answer() -> None:
    found = cut(
        block("heading", "Question 1", 50),
        block("line", "The tree is deep.", 70),
        block("heading", "Question 2", 90),
        block("line", "It is pruned at depth 4.", 110),
        block("figure", "", 130, LEFT, 90),
        block("caption", "Fig. 1. Question 1", 225),
        block("line", "So it shrinks.", 250),
    )
    assert found == [
        (("q1",), ["Question 1", "The tree is ", "figure", "Fig. 1. Ques"]),
        (("q2",), ["Question 2", "It is pruned", "So it shrink"]),
    ]


def test_a_figure_in_another_answer_goes_to_the_one_that_mentions_it() -> None:
    found = cut(
        block("heading", "Question 1. See Figure 1.", 50),
        block("heading", "Question 2", 90),
        block("line", "Figure 2 shows the pruned tree.", 110),
        block("figure", "", 130, LEFT, 60),
        block("caption", "Figure 1: The deep tree.", 200),
        block("figure", "", 230, LEFT, 60),
        block("caption", "Figure 2: The pruned tree.", 300),
    )
    assert found == [
        (("q1",), ["Question 1. ", "figure", "Figure 1: Th"]),
        (("q2",), ["Question 2", "Figure 2 sho", "figure", "Figure 2: Th"]),
    ]


def test_a_mention_in_a_later_answer_takes_no_figure_away() -> None:
    blocks = (
        block("heading", "Question 1", 50),
        block("figure", "", 70, LEFT, 60),
        block("caption", "Figure 1: The deep tree.", 140),
        block("heading", "Question 2", 190),
        block("line", "It is smaller than in Figure 1.", 210),
    )
    assert cut(*blocks)[0] == (("q1",), ["Question 1", "figure", "Figure 1: Th"])


def test_figures_with_panels_belong_to_each_question() -> None:
    found = cut(
        block("heading", "Question 1", 50),
        block("line", "The tree is deep (Figure 1A).", 70),
        block("heading", "Question 2", 90),
        block("line", "It is pruned (Figure 1B).", 110),
        block("figure", "", 130, LEFT, 90),
        block("caption", "Figure 1: Trees.", 225),
    )
    assert (("q1", "q2"), ["Figure 1: Tr", "figure"]) in found


def test_figures_above_their_answers() -> None:
    blocks = [block("heading", "1 Trees", 30)]
    for number in range(1, 5):
        blocks += [
            block("figure", "", 150 * number - 100, LEFT, 90),
            block("line", f"Question {number}: It has {number} leaves.", 150 * number),
        ]
    assert [text for _, text in cut(*blocks)][1:] == [[f"Question {n}: "[:12], "figure"] for n in range(1, 5)]


def test_a_label_at_the_end_of_a_sentence_names_nothing() -> None:
    long = "The values come from the runs on the larger of the two sets of samples, as in"
    found = cut(
        block("heading", "Question 3", 50),
        block("line", "The tree is deep.", 70),
        block("heading", "Question 4", 90),
        block("line", long, 110),
        block("line", "Q3. One more tree is deep.", 122),
        block("line", "All trees are in the table (for more of them, see", 134),
        block("line", "Q2), but not the last.", 146),
    )
    assert [questions for questions, _ in found] == [("q3",), ("q4",)]


def test_numbers_on_axes_show_a_drawing() -> None:
    ticks = [block("line", f"0.{number}", 60 + 12 * number) for number in range(1, 8)]
    found = cut(block("heading", "Question 1", 50), *ticks, block("caption", "Figure 1: Errors", 200))
    assert found[0][1][-2:] == ["figure", "Figure 1: Er"]
