"""The forms of the two functions that the lab asks to complete. Words in capitals are names that are chosen anew."""

from collections.abc import Sequence

Piece = tuple[str] | tuple[str, str] | tuple[str, str, bool]
"""The source of a cell, what it put out, and whether it was run (it was)."""

Forms = dict[str, Sequence[Piece]]

LOAD = "MODEL = get_peft_model(MODEL, config)"
CALL = "print_trainable_parameters(MODEL)"


def _counting(body: str) -> list[Piece]:
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    return [(f"def print_trainable_parameters(MODEL):\n{lines}",), (f"{LOAD}\n{CALL}",)]


_SHOW = 'print(f"trainable params: {TRAIN} || all params: {TOTAL} || trainable%: {100 * TRAIN / TOTAL}")'

T7_RIGHT: Forms = {
    "sum and if": _counting(
        "TRAIN = sum(PARAM.numel() for PARAM in MODEL.parameters() if PARAM.requires_grad)\n"
        f"TOTAL = sum(PARAM.numel() for PARAM in MODEL.parameters())\n{_SHOW}"
    ),
    "loop": _counting(
        "TRAIN = 0\nTOTAL = 0\nfor _, PARAM in MODEL.named_parameters():\n    TOTAL += PARAM.numel()\n"
        f"    if PARAM.requires_grad:\n        TRAIN += PARAM.numel()\n{_SHOW}"
    ),
    "num_params and ds_numel": _counting(
        "TRAIN, TOTAL = 0, 0\nfor name, PARAM in MODEL.named_parameters():\n    num_params = PARAM.numel()\n"
        '    if num_params == 0 and hasattr(PARAM, "ds_numel"):\n        num_params = PARAM.ds_numel\n'
        f"    TOTAL += num_params\n    if PARAM.requires_grad:\n        TRAIN += num_params\n{_SHOW}"
    ),
    "4-bit aware": _counting(
        "TRAIN, TOTAL = 0, 0\nfor _, PARAM in MODEL.named_parameters():\n    n = PARAM.numel()\n"
        '    if PARAM.__class__.__name__ == "Params4bit":\n        n = n * 2\n    TOTAL += n\n'
        f"    if PARAM.requires_grad:\n        TRAIN += n\n{_SHOW}"
    ),
    "list and sum": _counting(
        "TRAIN = sum([PARAM.numel() for PARAM in MODEL.parameters() if PARAM.requires_grad == True])\n"
        f"TOTAL = sum([PARAM.numel() for PARAM in MODEL.parameters()])\n{_SHOW}"
    ),
    "numpy": _counting(
        "TRAIN = sum(np.prod(PARAM.size()) for PARAM in MODEL.parameters() if PARAM.requires_grad)\n"
        f"TOTAL = sum(np.prod(PARAM.size()) for PARAM in MODEL.parameters())\n{_SHOW}"
    ),
    "math.prod of shape": _counting(
        "TRAIN = TOTAL = 0\nfor PARAM in MODEL.parameters():\n    size = math.prod(PARAM.shape)\n    TOTAL += size\n"
        f"    if PARAM.requires_grad is True:\n        TRAIN += size\n{_SHOW}"
    ),
    "filter": _counting(
        "TRAIN = sum(PARAM.numel() for PARAM in filter(lambda one: one.requires_grad, MODEL.parameters()))\n"
        f"TOTAL = sum(PARAM.numel() for PARAM in MODEL.parameters())\n{_SHOW}"
    ),
    "map": _counting(
        "TOTAL = sum(map(lambda PARAM: PARAM.numel(), MODEL.parameters()))\n"
        f"TRAIN = sum(map(lambda PARAM: PARAM.numel() if PARAM.requires_grad else 0, MODEL.parameters()))\n{_SHOW}"
    ),
    "continue": _counting(
        "TRAIN, TOTAL = 0, 0\nfor PARAM in MODEL.parameters():\n    TOTAL += PARAM.nelement()\n"
        f"    if not PARAM.requires_grad:\n        continue\n    TRAIN += PARAM.nelement()\n{_SHOW}"
    ),
    "times the flag": _counting(
        "TRAIN, TOTAL = 0, 0\nfor PARAM in MODEL.parameters():\n    TRAIN += PARAM.numel() * PARAM.requires_grad\n"
        f"    TOTAL += PARAM.numel()\n{_SHOW}"
    ),
    "frozen and trainable": _counting(
        "TRAIN, frozen = 0, 0\nfor PARAM in MODEL.parameters():\n    if PARAM.requires_grad:\n"
        "        TRAIN += PARAM.numel()\n    else:\n        frozen += PARAM.numel()\nTOTAL = TRAIN + frozen\n" + _SHOW
    ),
    "dictionary": _counting(
        "counts = {'train': 0, 'all': 0}\nfor PARAM in MODEL.parameters():\n    counts['all'] += PARAM.numel()\n"
        "    if PARAM.requires_grad:\n        counts['train'] += PARAM.numel()\n"
        "print('trainable:', counts['train'], 'all:', counts['all'])"
    ),
    "returned": [
        (
            "def print_trainable_parameters(MODEL):\n"
            "    TRAIN = sum(PARAM.numel() for PARAM in MODEL.parameters() if PARAM.requires_grad)\n"
            "    TOTAL = sum(PARAM.numel() for PARAM in MODEL.parameters())\n    return TRAIN, TOTAL",
        ),
        ("TRAIN, TOTAL = print_trainable_parameters(MODEL)\nprint(TRAIN, TOTAL)",),
    ],
    "helper": [
        ("def count(parameters):\n    return sum(PARAM.numel() for PARAM in parameters)",),
        (
            "def print_trainable_parameters(MODEL):\n"
            "    TRAIN = count(PARAM for PARAM in MODEL.parameters() if PARAM.requires_grad)\n"
            f"    TOTAL = count(MODEL.parameters())\n    {_SHOW}",
        ),
        (CALL,),
    ],
    "with commas": _counting(
        "TRAIN = sum(PARAM.numel() for PARAM in MODEL.parameters() if PARAM.requires_grad)\n"
        "TOTAL = sum(PARAM.numel() for PARAM in MODEL.parameters())\n"
        'print("trainable params: {:,} || all params: {:,} || trainable%: {:.4f}"\n'
        "      .format(TRAIN, TOTAL, 100 * TRAIN / TOTAL))"
    ),
    "percent format": _counting(
        "TRAIN = sum(PARAM.numel() for PARAM in MODEL.parameters() if PARAM.requires_grad)\n"
        "TOTAL = sum(PARAM.numel() for PARAM in MODEL.parameters())\n"
        'print("trainable params: %d || all params: %d || trainable%%: %.4f" % (TRAIN, TOTAL, 100*TRAIN/TOTAL))'
    ),
    "rows of numbers and flags": _counting(
        "rows = [(PARAM.numel(), PARAM.requires_grad) for PARAM in MODEL.parameters()]\n"
        f"TOTAL = sum(n for n, _ in rows)\nTRAIN = sum(n for n, flag in rows if flag)\n{_SHOW}"
    ),
    "sizes multiplied": _counting(
        "TRAIN = TOTAL = 0\nfor PARAM in MODEL.parameters():\n    n = 1\n"
        "    for width in PARAM.size():\n        n *= width\n"
        f"    TOTAL += n\n    TRAIN += n if PARAM.requires_grad else 0\n{_SHOW}"
    ),
    "asked of the model": _counting(
        f"TRAIN = MODEL.num_parameters(only_trainable=True)\nTOTAL = MODEL.num_parameters()\n{_SHOW}"
    ),
    "figures": [(CALL, "trainable params: 1572864 || all params: 409792512 || trainable%: 0.3838196047857507\n")],
    "peft's figures": [
        (
            "MODEL.print_trainable_parameters()",
            "trainable params: 1,572,864 || all params: 560,787,456 || trainable%: 0.2804741766549072\n",
        )
    ],
    "figures on lines": [(CALL, "Trainable parameters: 1,572,864\nAll parameters: 409,792,512\nShare: 0.38 %\n")],
}

T7_WRONG: Forms = {
    "all only": _counting("TOTAL = sum(PARAM.numel() for PARAM in MODEL.parameters())\nprint(TOTAL)"),
    "negated": _counting(
        "TRAIN = sum(PARAM.numel() for PARAM in MODEL.parameters() if not PARAM.requires_grad)\n"
        f"TOTAL = sum(PARAM.numel() for PARAM in MODEL.parameters())\n{_SHOW}"
    ),
    "tensors are counted": _counting(
        "TRAIN, TOTAL = 0, 0\nfor PARAM in MODEL.parameters():\n    TOTAL += 1\n"
        f"    if PARAM.requires_grad:\n        TRAIN += 1\n{_SHOW}"
    ),
    "assigned, not added": _counting(
        "TRAIN, TOTAL = 0, 0\nfor PARAM in MODEL.parameters():\n    TOTAL = PARAM.numel()\n"
        f"    if PARAM.requires_grad:\n        TRAIN = PARAM.numel()\n{_SHOW}"
    ),
    "all twice": _counting(
        "TRAIN = sum(PARAM.numel() for PARAM in MODEL.parameters())\n"
        f"TOTAL = sum(PARAM.numel() for PARAM in MODEL.parameters())\n{_SHOW}"
    ),
    "swapped": _counting(
        "TOTAL = sum(PARAM.numel() for PARAM in MODEL.parameters())\n"
        "TRAIN = sum(PARAM.numel() for PARAM in MODEL.parameters() if PARAM.requires_grad)\n"
        'print(f"trainable params: {TOTAL} || all params: {TRAIN}")'
    ),
    "rank 8": [(CALL, "trainable params: 786432 || all params: 409006080 || trainable%: 0.1922788\n")],
    "another model": [(CALL, "trainable params: 4194304 || all params: 6742609920 || trainable%: 0.0622\n")],
    "typed": [
        (
            'print("trainable params: 1572864 || all params: 409792512")',
            "trainable params: 1572864 || all params: 409792512",
        )
    ],
}

T7_GAPS: Forms = {
    "fill me": [
        (
            "def print_trainable_parameters(MODEL):\n    TRAIN = 0\n    TOTAL = 0\n"
            "    for _, PARAM in MODEL.named_parameters():\n        TOTAL += # fill me\n"
            f"        if PARAM.requires_grad:\n            TRAIN += # fill me\n    {_SHOW}",
            "",
            False,
        )
    ],
    "pass": [("def print_trainable_parameters(MODEL):\n    # fill the gap\n    pass", "", False)],
    "underscores": [
        ("def print_trainable_parameters(MODEL):\n    TRAIN = ___\n    TOTAL = ___\n    print(TRAIN, TOTAL)", "", False)
    ],
    "the hand-out's output": [
        (
            "def print_trainable_parameters(MODEL):\n    TRAIN = # fill me\n    TOTAL = # fill me\n"
            "    print(TRAIN, TOTAL)",
            "",
            False,
        ),
        (CALL, "trainable params: 1572864 || all params: 409792512 || trainable%: 0.38\n"),
    ],
}


def _prompt(body: str, arguments: str = "QUESTION, ANSWER") -> list[Piece]:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return [(f"def generate_prompt({arguments}):\n{lines}",)]


T8_RIGHT: Forms = {
    "f-string": _prompt('return f"<human>: {QUESTION}\\n<assistant>: {ANSWER}"'),
    "question mark": _prompt('return f"<human>: {QUESTION}?\\n<assistant>: {ANSWER}"'),
    "triple": [
        (
            'def generate_prompt(QUESTION, ANSWER):\n    return f"""\n<human>: {QUESTION}\n'
            '<assistant>: {ANSWER}\n    """.strip()',
        )
    ],
    "row": [
        ("def generate_prompt(ROW):\n    return f'''<human>: {ROW[\"question\"]}\n<assistant>: {ROW[\"answer\"]}'''",)
    ],
    "parts of a row": _prompt(
        "QUESTION = ROW['question']\nANSWER = ROW['answer']\n"
        "return '<human>: ' + QUESTION + '\\n<assistant>: ' + ANSWER",
        "ROW",
    ),
    "format": _prompt('return "<human>: {}\\n<assistant>: {}".format(QUESTION, ANSWER)'),
    "format by name": _prompt('return "<human>: {q}\\n<assistant>: {r}".format(q=QUESTION, r=ANSWER)'),
    "percent": _prompt('return "<human>: %s\\n<assistant>: %s" % (QUESTION, ANSWER)'),
    "join": _prompt('return "\\n".join([f"<human>: {QUESTION}", f"<assistant>: {ANSWER}"])'),
    "join of appended": _prompt(
        'lines = []\nlines.append("<human>: " + QUESTION)\nlines.append("<assistant>: " + ANSWER)\n'
        'return "\\n".join(lines)'
    ),
    "added up": _prompt(
        'prompt = "<human>: "\nprompt += QUESTION\nprompt += "\\n<assistant>: "\nprompt += ANSWER\nreturn prompt'
    ),
    "adjacent": _prompt('return (f"<human>: {QUESTION}\\n"\n        f"<assistant>: {ANSWER}")'),
    "dedent": _prompt(
        'import textwrap\nreturn textwrap.dedent(f"""\\\n    <human>: {QUESTION}\n    <assistant>: {ANSWER}""")'
    ),
    "constants": [
        ('HUMAN = "<human>"\nASSISTANT = "<assistant>"',),
        ('def generate_prompt(QUESTION, ANSWER):\n    return f"{HUMAN}: {QUESTION}\\n{ASSISTANT}: {ANSWER}"',),
    ],
    "template kept": [
        ('TEMPLATE = "<human>: {question}\\n<assistant>: {answer}"',),
        ("def generate_prompt(ROW):\n    return TEMPLATE.format(question=ROW['question'], answer=ROW['answer'])",),
    ],
    "lambda": [('generate_prompt = lambda QUESTION, ANSWER: f"<human>: {QUESTION}\\n<assistant>: {ANSWER}"',)],
    "stripped parts": _prompt('return f"<human>: {QUESTION.strip()}\\n<assistant>: {ANSWER.strip()}"'),
    "unless it ends so": _prompt(
        'if not QUESTION.endswith("?"):\n    QUESTION += "?"\nreturn f"<human>: {QUESTION}\\n<assistant>: {ANSWER}"'
    ),
    "no space": _prompt('return f"<human>:{QUESTION}\\n<assistant>:{ANSWER}"'),
    "helper": [
        ('def turn(role, text):\n    return f"<{role}>: {text}"',),
        (
            "def generate_prompt(QUESTION, ANSWER):\n"
            '    return turn("human", QUESTION) + "\\n" + turn("assistant", ANSWER)',
        ),
    ],
    "answer or nothing": _prompt('return f"<human>: {QUESTION}\\n<assistant>: " + (ANSWER or "")'),
    "remark kept": _prompt('# fill me\nreturn f"<human>: {QUESTION}\\n<assistant>: {ANSWER}"'),
}

T8_RIGHT |= {
    "in a new row": _prompt('return {"text": f"<human>: {QUESTION}\\n<assistant>: {ANSWER}"}'),
    "end of text": _prompt('return f"<human>: {QUESTION}\\n<assistant>: {ANSWER}" + tokenizer.eos_token'),
    "replaced": _prompt(
        "text = '<human>: Q1\\n<assistant>: A1'\nreturn text.replace('Q1', QUESTION).replace('A1', ANSWER)"
    ),
    "with and without": _prompt(
        'if ANSWER:\n    return f"<human>: {QUESTION}\\n<assistant>: {ANSWER}"\n'
        'return f"<human>: {QUESTION}\\n<assistant>:"'
    ),
}

T8_WRONG: Forms = {
    "one line": _prompt('return f"<human>: {QUESTION} <assistant>: {ANSWER}"'),
    "other names": _prompt('return f"User: {QUESTION}\\nBot: {ANSWER}"'),
    "order": _prompt('return f"<assistant>: {ANSWER}\\n<human>: {QUESTION}"'),
    "swapped": _prompt("return f\"<human>: {ROW['answer']}\\n<assistant>: {ROW['question']}\"", "ROW"),
    "question only": _prompt('return f"<human>: {QUESTION}"'),
    "no values": _prompt('return "<human>: question\\n<assistant>: response"'),
    "nothing": _prompt("return QUESTION + ANSWER"),
    "not returned": _prompt('text = f"<human>: {QUESTION}\\n<assistant>: {ANSWER}"'),
    "docstring": _prompt('"""<human>: question\n<assistant>: answer"""\nreturn QUESTION'),
    "no role marks": _prompt('return f"human: {QUESTION}\\nassistant: {ANSWER}"'),
}

T8_GAPS: Forms = {
    "bare return": [("def generate_prompt(ROW):\n    return # fill me", "", False)],
    "pass": _prompt("pass"),
    "text": _prompt('return f"""fill the gap"""'),
    "empty text": _prompt('return ""'),
}
