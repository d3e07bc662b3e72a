"""The prompts that a text shows, and how their parts stand."""

from collections.abc import Mapping

import pytest

from grader.claims.dialogues import Dialogue, Layout, dialogues
from grader.claims.passage import Passage
from tests.claims.making import passage

MARKERS = ("<human>:", "<assistant>:")
WORDS = ("prompt",)


def found(markdown: str, *, own: bool = False) -> list[Dialogue]:
    return list(dialogues(passage(markdown), MARKERS, WORDS, own))


def code(text: str) -> str:
    return f"```\n{text}\n```"


SHOWN: Mapping[str, list[tuple[Layout, str]]] = {
    code("<human>: Who?\n<assistant>: Me."): [(Layout.RIGHT, "<human>: Who?\n<assistant>: Me.")],
    code("1 <human>: Who?\n2 <assistant>: Me."): [(Layout.RIGHT, "<human>: Who? 2\n<assistant>: Me.")],
    "<human>: Who?\n<assistant>: Me.": [(Layout.RIGHT, "<human>: Who?\n<assistant>: Me.")],
    "Example: <human>: Who?\n<assistant>: Me.": [(Layout.RIGHT, "<human>: Who?\n<assistant>: Me.")],
    code("< human >: Who?\n< assistant >: Me."): [(Layout.RIGHT, "<human>: Who?\n<assistant>: Me.")],
    "¡human¿: Who?\n¡assistant¿: Me.": [(Layout.RIGHT, "<human>: Who?\n<assistant>: Me.")],
    code("<human>: Who? <assistant>: Me."): [(Layout.ONE_LINE, "<human>: Who?\n<assistant>: Me.")],
    code("f'<human>: {q}?\\n<assistant>: {a}'"): [(Layout.RIGHT, "<human>: {q}?\n<assistant>: {a}")],
    code("f'<human>: {q}?\\n\\n<assistant>: {a}'"): [(Layout.BREAKS, "<human>: {q}?\\n\n<assistant>: {a}")],
    code("f'<human>:\\n{q}?\\n<assistant>: {a}'"): [(Layout.BREAKS, "<human>: \\n{q}?\n<assistant>: {a}")],
    code("<human>:\nWho?\n<assistant>: Me."): [(Layout.BREAKS, "<human>: Who?\n<assistant>: Me.")],
    code("<human>: Who?\n\n<assistant>: Me."): [(Layout.BREAKS, "<human>: Who?\n<assistant>: Me.")],
    "- <human>: Who?\n- <assistant>: Me.": [(Layout.NAMED, "<human>: Who? -\n<assistant>: Me.")],
    "We put <human>: before the question and <assistant>: before the answer.": [
        (Layout.NAMED, "<human>: before the question and\n<assistant>: before the answer.")
    ],
    code("<assistant>: Me.\n<human>: Who?"): [(Layout.ORDER, "<assistant>: Me.\n<human>:")],
    code("<human>: Who?"): [],
    code("<human>: A?\n<assistant>: B.\n<human>: C?\n<assistant>: D."): [
        (Layout.RIGHT, "<human>: A?\n<assistant>: B."),
        (Layout.RIGHT, "<human>: C?\n<assistant>: D."),
    ],
    code("'\\n'.join(['<human>: ' + q, '<assistant>: ' + a])"): [
        (Layout.RIGHT, "<human>: ' + q,\n<assistant>: ' + a])")
    ],
}


TOLD: Mapping[str, list[Layout]] = {
    'Each prompt has two lines: the first begins with "Question:", the second with "Answer:".': [Layout.OTHER_NAMES],
    "Deux lignes, la première commençant par « Question : » et la seconde par « Réponse : ».": [Layout.OTHER_NAMES],
    'A line with "human:" and the question, then a line with "assistant:" and its answer.': [Layout.MARKS],
    'We write the instruction behind "Q:" and what is answered behind "A:".': [],
    'The prompt does not begin with "Question:", nor does it end with "Answer:".': [],
    'The prompt begins with "Question:" and the response is empty.': [],
}


@pytest.mark.parametrize("text", TOLD)
def test_marks_that_a_sentence_tells_in_quotes(text: str) -> None:
    told = dialogues(passage(text), MARKERS, WORDS, breaks=("line", "ligne"))
    assert [one.layout for one in told] == TOLD[text]


@pytest.mark.parametrize("text", SHOWN)
def test_a_prompt_is_read_with_the_way_its_parts_stand(text: str) -> None:
    marked = [one for one in found(text) if one.layout is not Layout.OTHER_NAMES]
    assert [(one.layout, one.text) for one in marked] == SHOWN[text]


OTHERS: Mapping[str, list[Layout]] = {
    "The prompt:\n\nQuestion: who?\nAnswer: me.": [Layout.OTHER_NAMES],
    "The prompt:\n\nhuman: who?\nassistant: me.": [Layout.MARKS],
    "The prompt:\n\n[human]: who?\n[assistant]: me.": [Layout.MARKS],
    "### human: who?\n### assistant: me.": [],
    code("### human: who?\n### assistant: me."): [Layout.MARKS],
    code("### Question: {q}\n### Answer: {a}"): [Layout.OTHER_NAMES],
    code("<user>: who?\n<bot>: me."): [Layout.OTHER_NAMES],
    code("<user>: who?\n[bot]: me."): [],
    code("<user>: who?\n<user>: me."): [],
    code("<assistant>: who?\n<user>: me."): [],
    code("<user>: hello\n<bot>: me."): [],
    code("<user>: {text}\n<bot>: me."): [Layout.OTHER_NAMES],
    code("<instruction>: hello\n<bot>: me."): [Layout.OTHER_NAMES],
    code("<user>: who?\none\ntwo\n<bot>: me."): [Layout.OTHER_NAMES],
    code("<user>: who?\none\ntwo\nthree\n<bot>: me."): [],
    code("<user> who? </user>"): [Layout.OTHER_NAMES],
    code("<user> who? <bot> me."): [Layout.OTHER_NAMES],
    code("You> who?\nBot> me."): [Layout.OTHER_NAMES],
    "Question: who?\nAnswer: me.": [],
    code("Instruction : <instruction>\nOutput : <output>"): [Layout.OTHER_NAMES],
    code("Instruction: {text} twice\nOutput: {text}"): [],
    code("rank: <number>\nscale: <number>"): [],
}


@pytest.mark.parametrize("text", OTHERS)
def test_other_marks_are_told_from_the_right_ones(text: str) -> None:
    assert [one.layout for one in found(text)] == OTHERS[text]


def test_words_without_signs_are_marks_only_near_what_speaks_of_prompts() -> None:
    lines = "Question: who?\nAnswer: me."
    between = "\n\n".join("words" for _ in range(7))
    assert len(found(f"The prompt.\n\n{lines}")) == 1
    assert found(f"The prompt.\n\n{between}\n\n{lines}") == []
    assert len(found(lines, own=True)) == 1


def test_what_stands_too_far_apart_is_no_prompt() -> None:
    assert found(code(f"<human>: {'who ' * 240}\n<assistant>: me.")) == []
    assert found(code(f"<assistant>: {'me ' * 310}\n<human>: who?")) == []
    assert found(code(f"<user>: {'who ' * 240}?\n<bot>: me.")) == []


def test_only_a_block_of_code_of_a_text_that_keeps_its_lines_is_code() -> None:
    text = "<human>: Who?\n<assistant>: Me."
    assert [one.is_code for one in found(code(text))] == [True]
    assert [one.is_code for one in found(text)] == [False]
    blurred: Passage = passage(code(text), exact=False)
    assert [one.is_code for one in dialogues(blurred, MARKERS, WORDS)] == [False]


def test_a_prompt_is_quoted_with_its_place() -> None:
    (one,) = found(f"Words.\n\n{code('<human>: Who?' + chr(10) + '<assistant>: Me.')}")
    assert (one.evidence.line, one.evidence.quote) == (4, "<human>: Who? <assistant>: Me.")
