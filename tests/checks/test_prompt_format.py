import pytest

from grader.checks.finding import Finding, Status
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


@pytest.mark.parametrize("source", WRONG.values(), ids=WRONG)
def test_any_other_format_is_for_a_person(source: str) -> None:
    assert judge(source).status is Status.REVIEW


def test_markers_in_an_error_message_alone_are_not_right() -> None:
    body = "if not question:\n    raise ValueError('<human>: \\n<assistant>: ')\nreturn question"
    assert judge(function(body)).status in (Status.REVIEW, Status.CORRECT)


def test_the_right_one_of_two_versions_counts() -> None:
    assert judge(function("pass"), RIGHT["f-string"]).status is Status.CORRECT


def test_without_code_the_report_may_show_the_format_to_a_person() -> None:
    report = answer("# Task 8\n\n<human>: question?\n<assistant>: response")
    assert decide("t8.prompt", report)[0].status is Status.REVIEW
    assert decide("t8.prompt", answer("# Task 8\n\nWe did it."))[0].status is Status.MISSING
