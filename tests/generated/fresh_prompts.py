"""Functions that make prompts in other shapes than those of the first family. They are not varied."""

# ruff: noqa: E501 a cell's source stays on one line

from tests.generated.function_forms import Forms, Piece


def _function(body: str, *before: str, arguments: str = "question, answer") -> list[Piece]:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return [*((one,) for one in before), (f"def generate_prompt({arguments}):\n{lines}",)]


RIGHT: Forms = {
    "string.Template": _function(
        "return Template('<human>: $question\\n<assistant>: $answer').substitute(question=question, answer=answer)",
        "from string import Template",
    ),
    "Template kept": _function(
        "return T.safe_substitute({'q': row['question'], 'a': row['answer']})",
        "import string\nT = string.Template('<human>: ${q}\\n<assistant>: ${a}')",
        arguments="row",
    ),
    "percent by name": _function("return '<human>: %(q)s\\n<assistant>: %(a)s' % {'q': question, 'a': answer}"),
    "percent of a row": _function("return '<human>: %(question)s\\n<assistant>: %(answer)s' % row", arguments="row"),
    "dedent and strip": _function(
        "return dedent('''\n    <human>: {}\n    <assistant>: {}\n    ''').strip().format(question, answer)",
        "from textwrap import dedent",
    ),
    "cleandoc": _function(
        "import inspect\nreturn inspect.cleandoc(f'''\n    <human>: {question}\n    <assistant>: {answer}\n    ''')"
    ),
    "join of pairs": _function(
        "return '\\n'.join(f'<{who}>: {text}' for who, text in [('human', question), ('assistant', answer)])"
    ),
    "join of a table": _function(
        "turns = {'human': question, 'assistant': answer}\nreturn '\\n'.join('<' + k + '>: ' + v for k, v in turns.items())"
    ),
    "zip": _function(
        "roles = ['<human>', '<assistant>']\nreturn '\\n'.join(': '.join(pair) for pair in zip(roles, [question, answer]))"
    ),
    "format_map": _function("return '<human>: {question}\\n<assistant>: {answer}'.format_map(row)", arguments="row"),
    "format of a row": _function("return '<human>: {question}\\n<assistant>: {answer}'.format(**row)", arguments="row"),
    "format by index": _function("return '<human>: {0}\\n<assistant>: {1}'.format(question, answer)"),
    "format of locals": _function("return '<human>: {question}\\n<assistant>: {answer}'.format(**locals())"),
    "f-string in several lines": _function(
        "return (\n    f'<human>: {question}'\n    '\\n'\n    f'<assistant>: {answer}'\n)"
    ),
    "loop": _function(
        "text = ''\nfor who, said in (('human', question), ('assistant', answer)):\n    text += f'<{who}>: {said}\\n'\nreturn text"
    ),
    "replace": _function(
        "t = '<human>: {{q}}\\n<assistant>: {{a}}'\nt = t.replace('{{q}}', question)\nreturn t.replace('{{a}}', answer)"
    ),
    "escaped braces": _function("return '<human>: {}\\n<assistant>: {}'.format(question.strip(), answer.strip())"),
    "os.linesep": _function("import os\nreturn '<human>: ' + question + os.linesep + '<assistant>: ' + answer"),
    "chr": _function("return '<human>: ' + question + chr(10) + '<assistant>: ' + answer"),
    "str.join of parts": _function("return str.join('\\n', ['<human>: ' + question, '<assistant>: ' + answer])"),
    "newline in a name": _function("return f'<human>: {question}{nl}<assistant>: {answer}'", "nl = '\\n'"),
    "helper for a turn": _function(
        "return human(question) + assistant(answer)",
        "def human(t):\n    return '<human>: ' + t + '\\n'\ndef assistant(t):\n    return '<assistant>: ' + t",
    ),
    "helper with a default": _function(
        "return block(question) + '\\n' + block(answer, 'assistant')",
        "def block(text, role='human'):\n    return '<%s>: %s' % (role, text)",
    ),
    "keyword helper": _function(
        "return turn(role='human', text=question) + '\\n' + turn(text=answer, role='assistant')",
        "def turn(role, text): return f'<{role}>: {text}'",
    ),
    "from a class": _function(
        "return P.HUMAN + question + '\\n' + P.ASSISTANT + answer",
        "class P:\n    HUMAN = '<human>: '\n    ASSISTANT = '<assistant>: '",
    ),
    "class attribute template": [
        (
            "class Prompter:\n    template = '<human>: {q}\\n<assistant>: {a}'\n    def generate_prompt(self, question, answer):\n        return self.template.format(q=question, a=answer)",
        )
    ],
    "static": [
        (
            "class P:\n    @staticmethod\n    def generate_prompt(question, answer):\n        return f'<human>: {question}\\n<assistant>: {answer}'",
        )
    ],
    "row by get": _function(
        "return f\"<human>: {row.get('question')}\\n<assistant>: {row.get('answer')}\"", arguments="row"
    ),
    "row by attribute": _function("return f'<human>: {row.question}\\n<assistant>: {row.answer}'", arguments="row"),
    "unpacked": _function(
        "q, a = row['question'], row['answer']\nreturn f'<human>: {q}\\n<assistant>: {a}'", arguments="row"
    ),
    "typed": [
        (
            "def generate_prompt(question: str, answer: str = '') -> str:\n    '''Makes a prompt.'''\n    prompt: str = f'<human>: {question}?\\n<assistant>: {answer}'\n    return prompt",
        )
    ],
    "answer if there is one": _function(
        "return f'<human>: {question}\\n<assistant>: {answer if answer else \"\"}'.strip()"
    ),
    "branches": _function(
        "head = f'<human>: {question}\\n'\nif answer is None:\n    return head + '<assistant>:'\nelse:\n    return head + f'<assistant>: {answer}'",
        arguments="question, answer=None",
    ),
    "question mark if none": _function(
        "q = question if question.endswith('?') else question + '?'\nreturn f'<human>: {q}\\n<assistant>: {answer}'"
    ),
    "printed": _function("print(f'<human>: {question}\\n<assistant>: {answer}')"),
    "list of lines": _function(
        "lines = [f'<human>: {question}', f'<assistant>: {answer}']\nout = lines[0] + '\\n' + lines[1]\nreturn out"
    ),
    "raw and not": _function("return '<human>: ' + str(question) + '\\n' + '<assistant>: ' + str(answer)"),
    "partial": [
        ("def make(fmt, question, answer):\n    return fmt.format(question, answer)\n",),
        ("def generate_prompt(question, answer):\n    return make('<human>: {}\\n<assistant>: {}', question, answer)",),
    ],
    "first wrong, then right": [
        ("def generate_prompt(q, a):\n    return f'{q} {a}'",),
        ("def generate_prompt(q, a):\n    return f'<human>: {q}\\n<assistant>: {a}'",),
    ],
    "context before": _function(
        "prompt = '<human>: ' + question + '\\n'\nprompt = prompt + '<assistant>: ' + answer\nreturn prompt.rstrip()"
    ),
    "zip longest names": _function(
        "parts = []\nfor name, value in zip(['human', 'assistant'], [question, answer]):\n    parts.append(f'<{name}>: {value}')\nreturn '\\n'.join(parts)"
    ),
}

PERSON: Forms = {
    "chat template": _function(
        "messages = [{'role': 'user', 'content': question}, {'role': 'assistant', 'content': answer}]\nreturn tokenizer.apply_chat_template(messages, tokenize=False)"
    ),
    "from a file": _function("return open('prompt.txt').read().format(question=question, answer=answer)"),
    "library": _function(
        "return PromptTemplate.from_template('<human>: {question}\\n<assistant>: {answer}').format(question=question, answer=answer)"
    ),
    "another name": [
        ("def make_prompt(question, answer):\n    return f'<human>: {question}\\n<assistant>: {answer}'",)
    ],
}

WRONG: Forms = {
    "blank line between": _function("return f'<human>: {question}\\n\\n<assistant>: {answer}'"),
    "answer first": _function("return f'<assistant>: {answer}\\n<human>: {question}'"),
    "in each other's place": _function("return f'<human>: {answer}\\n<assistant>: {question}'"),
    "no line break, summed": _function("return '<human>: ' + question + '<assistant>: ' + answer"),
    "a space for the line break": _function("return ' '.join([f'<human>: {question}', f'<assistant>: {answer}'])"),
    "escaped line break": _function("return r'<human>: {}\\n<assistant>: {}'.format(question, answer)"),
    "slash": _function("return f'<human>: {question}/n<assistant>: {answer}'"),
    "no colons": _function("return f'<human> {question}\\n<assistant> {answer}'"),
    "square marks": _function("return f'[human]: {question}\\n[assistant]: {answer}'"),
    "capital names": _function("return f'<Question>: {question}\\n<Answer>: {answer}'"),
    "user and bot": _function("return f'<user>: {question}\\n<bot>: {answer}'"),
    "assistant misspelt": _function("return f'<human>: {question}\\n<assitant>: {answer}'"),
    "no answer": _function("return f'<human>: {question}\\n<assistant>: '"),
    "no question": _function("return f'<human>: \\n<assistant>: {answer}'"),
    "question twice": _function("return f'<human>: {question}\\n<assistant>: {question}'"),
    "alpaca": _function("return f'### Instruction:\\n{question}\\n\\n### Response:\\n{answer}'"),
    "placeholders left": _function("return '<human>: {question}\\n<assistant>: {answer}'"),
    "dead": _function("if False:\n    return f'<human>: {question}\\n<assistant>: {answer}'\nreturn question"),
    "dead after return": _function("return question + answer\nreturn f'<human>: {question}\\n<assistant>: {answer}'"),
    "dead function": [
        (
            "if 0:\n    def generate_prompt(question, answer):\n        return f'<human>: {question}\\n<assistant>: {answer}'",
        )
    ],
    "in a text": [("code = '''def generate_prompt(q, a):\n    return f\"<human>: {q}\\n<assistant>: {a}\"'''",)],
    "in a remark": _function("# return f'<human>: {question}\\n<assistant>: {answer}'\nreturn question"),
    "kept, not returned": _function("prompt = f'<human>: {question}\\n<assistant>: {answer}'\nreturn question"),
    "written over": [
        (
            "def generate_prompt(q, a):\n    return f'<human>: {q}\\n<assistant>: {a}'\ndef generate_prompt(q, a):\n    return q + a",
        )
    ],
    "gap: fill": _function("return f'# fill me'"),
    "gap: none": _function("prompt = None # your code here\nreturn prompt"),
    "gap: dots": _function("..."),
    "gap: not implemented": _function("raise NotImplementedError('todo')"),
}
