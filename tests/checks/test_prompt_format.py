import pytest

from grader.checks.finding import Finding, Status
from grader.checks.prompt_format import Form, form_of
from tests.checks.making import answer, code, decide


def judge(*sources: str) -> Finding:
    return decide("t8.prompt", answer(None, [code(source) for source in sources]))[0]


def function(body: str, arguments: str = "question, answer=''") -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"def generate_prompt({arguments}):\n{lines}\n"


RIGHT = {
    "f-string": function(r"""return f"<human>: {question}?\n<assistant>: {answer}" """.strip()),
    "sum": function("return '<human>: ' + question + '?' + '\\n' + '<assistant>: ' + answer"),
    "sum, break in front": function("return '<human>: ' + question + '\\n<assistant>: ' + answer"),
    "format": function("return '<human>: {}?\\n<assistant>: {}'.format(question, answer)"),
    "percent": function("return '<human>: %s?\\n<assistant>: %s' % (question, answer)"),
    "two strings": function("head = f'<human>: {question}'\ntail = f'\\n<assistant>: {answer}'\nreturn head + tail"),
    "adjacent": function("return (f'<human>: {question}\\n'\n        f'<assistant>: {answer}')"),
    "strip": function('return f"""\n<human>: {question}\n<assistant>: {answer}\n""".strip()'),
    "with a docstring": function("'''Make a prompt.'''\nreturn f'<human>: {question}\\n<assistant>: {answer}'"),
    "join": function("return '\\n'.join([f'<human>: {question}', f'<assistant>: {answer}'])"),
}
CHAT = "An example before it goes out:\n\n```\nHuman> How long does shipping take?\nAI> Three to five days.\n```\n"


def test_other_marks_in_a_report_are_other_names_not_nothing() -> None:
    assert decide("t8.prompt", answer(CHAT, []))[0].status is Status.INCORRECT


TRIPLE = 'def generate_prompt(q, a):\n    return f"""\n<human>: {q}\n<assistant>: {a}\n    """.strip()\n'
INDENTED = 'def generate_prompt(q, a):\n    return f"""<human>: {q}\n    <assistant>: {a}"""\n'


@pytest.mark.parametrize("source", [*RIGHT.values(), TRIPLE, INDENTED], ids=[*RIGHT, "triple", "indented"])
def test_the_format_is_right_however_it_is_put_together(source: str) -> None:
    if "'\\n'.join" in source:
        assert judge(source).status in (Status.CORRECT, Status.REVIEW)
    else:
        assert judge(source).status is Status.CORRECT


WRONG = {
    "order": function("return f'<assistant>: {answer}\\n<human>: {question}'"),
    "no line break": function("return f'<human>: {question} <assistant>: {answer}'"),
    "other names": function("return f'Question: {question}\\nAnswer: {answer}'"),
    "one marker": function("return f'<human>: {question}'"),
    "only in the docstring": function("'''<human>: question\n<assistant>: answer'''\nreturn question"),
    "only in a comment": function("# '<human>: {question}\\n<assistant>: {answer}'\npass"),
    "escaped line break": function(r"return f'<human>: {question}\\n<assistant>: {answer}'"),
    "another function": "def make(q, a):\n    return f'<human>: {q}\\n<assistant>: {a}'\n",
    "unfinished": "def generate_prompt(q):\n    return f'<human>: {q}\n",
}


DECIDED = {
    "order": Status.PARTIAL,
    "no line break": Status.PARTIAL,
    "other names": Status.INCORRECT,
    "escaped line break": Status.PARTIAL,
    "only in a comment": Status.MISSING,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_format_that_is_certainly_another_is_decided(name: str) -> None:
    assert judge(WRONG[name]).status is DECIDED.get(name, Status.REVIEW)


@pytest.mark.parametrize("parts", [r"{question}\n\n<assistant>: {answer}", r"\n{question}\n<assistant>:\n{answer}"])
def test_other_line_breaks_are_told(parts: str) -> None:
    finding = judge(function(f'return f"<human>: {parts}"'))
    assert (finding.status, [one.id for one in finding.diagnoses]) == (Status.PARTIAL, ["breaks"])


def test_markers_in_an_error_message_alone_are_not_right() -> None:
    body = "if not question:\n    raise ValueError('<human>: \\n<assistant>: ')\nreturn question"
    assert judge(function(body)).status in (Status.REVIEW, Status.CORRECT)


def test_a_template_that_stayed_blank_is_not_filled_in() -> None:
    blank = 'def generate_prompt(point):\n    # TODO: the prompt\n    return f"""\n\n""".strip()'
    assert judge(blank).status is Status.MISSING
    assert judge(blank.replace('"""\n\n"""', '"""\n{point}\n"""')).status is not Status.CORRECT


def test_the_right_one_of_two_versions_counts() -> None:
    assert judge(function("pass"), RIGHT["f-string"]).status is Status.CORRECT


def reported(text: str) -> Finding:
    return decide("t8.prompt", answer(f"# Task 8\n\n{text}"))[0]


def test_the_report_may_show_the_format() -> None:
    assert reported("<human>: question?\n<assistant>: response").status is Status.CORRECT
    assert reported("`<human>: {answer}\\n<assistant>: {question}`").status is Status.PARTIAL
    assert reported("We did it.").status is Status.MISSING


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("    Human: Who?\n    Assistant: Me.", Status.PARTIAL),
        ("    <user>: Who?\n    <bot>: Me.", Status.INCORRECT),
        ("    [INST] Who? [/INST] Me.", Status.INCORRECT),
        ("### Human: Who? ### Assistant: Me.", Status.REVIEW),
        ("```\n### Human: Who? ### Assistant: Me.\n```", Status.INCORRECT),
        ("```\n<human>: Who? <assistant>: Me.\n```", Status.PARTIAL),
        ("<human>: Who? <assistant>: Me.", Status.REVIEW),
        ("The first line begins with <human>: and the second one with <assistant>: as asked.", Status.REVIEW),
    ],
)
def test_other_layouts_in_the_report_are_decided(text: str, status: Status) -> None:
    assert reported(text).status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("We put `<human>:` before the question, then on a new line `<assistant>:` and the answer.", Status.CORRECT),
        ("Format : `<human>: question`, retour à la ligne, `<assistant>: réponse`.", Status.CORRECT),
        ("We put `<human>:` before the question, then `<assistant>:` and the answer on a new line.", Status.REVIEW),
        ("It is `<human>:` with the question, and in the second line `<assistant>:` with the answer.", Status.CORRECT),
        ("It is `<human>:` with the question, and on the same line `<assistant>:` with the answer.", Status.REVIEW),
        ("`<human>: question?` ↵ `<assistant>: answer`", Status.CORRECT),
    ],
)
def test_a_sentence_may_tell_the_line_break(text: str, status: Status) -> None:
    assert reported(text).status is status


def test_what_code_makes_is_not_judged_by_its_text() -> None:
    source = function("return f'<human>: {answer}\\n<assistant>: {question}'")
    assert judge(source).status is Status.PARTIAL
    assert decide("t8.prompt", answer(f"# Task 8\n\n```python\n{source}```\n"))[0].status is Status.PARTIAL


MARKERS = ("<human>: ", "\n<assistant>: ")
VALUES = (("question", "query"), ("answer", "response"))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("<human>: ⟨question⟩\n<assistant>: ⟨answer⟩", Form.RIGHT),
        ("  <human>: ⟨question⟩  \n  <assistant>: ⟨answer⟩\n\n", Form.RIGHT),
        ("<human> : ⟨question⟩\n<assistant> : ⟨answer⟩", Form.RIGHT),
        ("<human>:⟨question⟩?\n<assistant>:⟨response⟩", Form.RIGHT),
        ("<human>: ⟨x⟩\n<assistant>: ⟨y⟩", Form.RIGHT),
        ("<human>: ⟨question⟩ or ⟨query⟩\n<assistant>: ⟨answer⟩", Form.RIGHT),
        ("<human>: ⟨question⟩\nand more\n<assistant>: ⟨answer⟩", Form.RIGHT),
        ("<human>: ⟨answer⟩\n<assistant>: ⟨question⟩", Form.SWAPPED),
        ("<human>: ⟨question⟩\n<assistant>: ⟨question⟩", Form.REPEATED),
        ("<human>: ⟨answer⟩\n<assistant>: ⟨answer⟩", Form.REPEATED),
        ("<human>: ⟨answer⟩\n<assistant>: ⟨x⟩", Form.SWAPPED),
        ("<human>: ⟨question⟩⟨answer⟩\n<assistant>: ⟨answer⟩", Form.RIGHT),
        ("<human>: ⟨question⟩ <assistant>: ⟨answer⟩", Form.ONE_LINE),
        ("<human>: ⟨question⟩\\n<assistant>: ⟨answer⟩", Form.ESCAPED),
        ("<human>: ⟨question⟩/n<assistant>: ⟨answer⟩", Form.ESCAPED),
        ("<human>: ⟨question⟩\n\n<assistant>: ⟨answer⟩", Form.BREAKS),
        ("<human>:\n⟨question⟩\n<assistant>: ⟨answer⟩", Form.BREAKS),
        ("<human>: ⟨question⟩\n<assistant>:\n⟨answer⟩", Form.BREAKS),
        ("<human>: ⟨question⟩\n<assistant>:", Form.NO_VALUE),
        ("<human>:\n<assistant>: ⟨answer⟩", Form.NO_VALUE),
        ("<human>: question\n<assistant>: answer", Form.NO_VALUES),
        ("<human>:\n<assistant>:", Form.NO_VALUES),
        ("<assistant>: ⟨answer⟩\n<human>: ⟨question⟩", Form.ORDER),
        ("<assistant>: ⟨answer⟩ <human>: ⟨question⟩", Form.ORDER),
        ("Prompt:\n<human>: ⟨question⟩\n<assistant>: ⟨answer⟩", Form.INCOMPLETE),
        ("<human>: ⟨question⟩\n<human>: x\n<assistant>: ⟨answer⟩", Form.INCOMPLETE),
        ("<human>: ⟨question⟩", Form.INCOMPLETE),
        ("human: ⟨question⟩\nassistant: ⟨answer⟩", Form.MARKS),
        ("[Human] ⟨question⟩\n[Assistant] ⟨answer⟩", Form.MARKS),
        ("assistant: ⟨answer⟩\nhuman: ⟨question⟩", Form.OTHER_NAMES),
        ("User: ⟨question⟩\nBot: ⟨answer⟩", Form.OTHER_NAMES),
        ("### Question: ⟨question⟩\n### Answer: ⟨answer⟩", Form.OTHER_NAMES),
        ("User: who\nBot: me", Form.INCOMPLETE),
        ("User: ⟨question⟩", Form.INCOMPLETE),
        ("⟨question⟩", Form.UNKNOWN),
        ("⟨question⟩\n⟨answer⟩", Form.UNKNOWN),
        ("a ⟨question⟩", Form.INCOMPLETE),
        ("", Form.INCOMPLETE),
    ],
)
def test_the_form_of_a_prompt(text: str, form: Form) -> None:
    assert form_of(text, MARKERS, VALUES) is form


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("<human>: ⟨answer⟩\n<assistant>: ⟨question⟩", Form.RIGHT),
        ("<human>: question\n<assistant>: answer", Form.RIGHT),
        ("<human>: question <assistant>: answer", Form.ONE_LINE),
    ],
)
def test_without_words_for_values_any_will_do(text: str, form: Form) -> None:
    assert form_of(text, MARKERS, ()) is form


def test_another_function_that_is_used_counts() -> None:
    making = "def make(q, a):\n    return f'<human>: {q}\\n<assistant>: {a}'\n"
    assert judge(making).status is Status.REVIEW
    assert judge(making, "ds.map(lambda row: make(row['q'], row['a']))").status is Status.CORRECT


def test_a_prompt_without_a_function_counts() -> None:
    assert judge('prompt = f"""\n<human>: how can I pay?\n<assistant>:\n""".strip()').status is Status.CORRECT
    assert judge('prompt = "<human>: how can I pay? <assistant>:"').status is not Status.CORRECT


@pytest.mark.parametrize(
    ("cell", "status"),
    [
        (r"### Human: question? \\n ### Assistant: response", Status.PARTIAL),
        ("<humain>: question ? <assistant>: réponse", Status.INCORRECT),
    ],
)
def test_a_prompt_may_stand_in_a_table(cell: str, status: Status) -> None:
    assert reported(f"| what | prompt |\n|---|---|\n| T8 | {cell} |").status is status
