"""Values, commands and gaps that are told from code without running it."""

import pytest

from grader.claims.code import CodeCell, document_code, notebook_code
from grader.claims.code.values import ALL, TRAINABLE
from grader.reading.notebook import Cell, CellKind, Notebook
from tests.claims.making import document
from tests.patience import within


def cells(*sources: str) -> list[CodeCell]:
    made = (Cell(index=i, kind=CellKind.CODE, source=s, execution_count=1) for i, s in enumerate(sources))
    return list(notebook_code(Notebook(file="lab.ipynb", cells=tuple(made))))


def commands(*sources: str) -> list[str]:
    return [" ".join(command.words) for cell in cells(*sources) for command in cell.commands]


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        (("!run --lr 1e-5",), ["run --lr 1e-5"]),
        (("LR = 1e-5", "!run --lr {LR}"), ["run --lr 1e-05"]),
        (("lr = '1e-5'", "!run --lr $lr --x ${lr}"), ["run --lr 1e-5 --x 1e-5"]),
        (("!run --lr {unknown}",), ["run --lr ⟨unknown⟩"]),
        (("for s in [0, 1]:\n    !run --seed {s}",), ["run --seed 0", "run --seed 1"]),
        (("for s in range(2):\n    !run --seed $s",), ["run --seed 0", "run --seed 1"]),
        (("seeds = (3, 4)", "def f(s):\n    !run {s}", "for s in seeds:\n    f(s)"), ["run 3", "run 4"]),
        (("%%bash\nLR=1e-5\nfor s in 0 1; do\n  run --lr $LR \\\n   --seed ${s}\ndone",),
         ["run --lr 1e-5 --seed 0", "run --lr 1e-5 --seed 1"]),
        (("!for s in {0..1}; do run $s; done",), ["run 0", "run 1"]),
        (("%env LR=2", "!run $LR"), ["run 2"]),
        (("import os\nos.system(f'run {1 + 1}')",), ["run 2"]),
        (("import subprocess\nsubprocess.run(['run', '--n', str(3 * 2)])",), ["run --n 6"]),
        (("cmd = 'run'\ncmd += ' --fast'\n!{cmd}",), ["run --fast"]),
        (("!cd x && CUDA_VISIBLE_DEVICES=0 run > log.txt 2>&1; ls",), ["cd x", "run", "ls"]),
        (("!run 'a b' # remark\n# !other",), ["run a b"]),
        (("files = !ls",), ["ls"]),
        (("%pip install peft==0.6.0",), ["pip install peft==0.6.0"]),
        (("%%writefile x.sh\nrun",), ["run"]),
        (("%%html\n<b>!run</b>",), []),
    ],
)  # fmt: skip
def test_commands_are_filled_in(sources: tuple[str, ...], found: list[str]) -> None:
    assert commands(*sources) == found


def test_a_written_file_was_not_run() -> None:
    (cell,) = cells("%%writefile x.sh\nrun")
    assert not cell.ran


def test_a_command_of_a_function_belongs_to_the_cell_that_calls_it() -> None:
    made = cells("def f(s):\n    !run --seed {s}", "f(7)")
    assert [len(cell.commands) for cell in made] == [0, 1]
    evidence = made[1].commands[0].evidence
    assert (evidence.cell, evidence.line, evidence.quote) == (0, 2, "!run --seed {s}")


def test_options_are_found_in_all_their_spellings() -> None:
    (cell,) = cells("!python -m fairseq_cli.train data --lr=3 --max-epoch 5 optimization.update_freq=[2] -s 1 --fp16")
    (command,) = cell.commands
    assert command.runs(["fairseq_cli/train.py"])
    assert not command.runs(["strain.py", "preprocess.py"])
    assert [command.option(n) for n in ("lr", "max_epoch", "fp16", "update-freq", "s", "data")] == [
        ("3",), ("5",), (), ("[2]",), ("1",), None
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "returned"),
    [
        ("return f'a{q}b'", ("a⟨q⟩b",)),
        ("return 'a' + q + str(1)", ("a⟨q⟩1",)),
        ("return '{0}-{1}'.format(q, 2)", ("⟨q⟩-2",)),
        ("return '%s-%d%%' % (q, 2)", ("⟨q⟩-2%",)),
        ("return '-'.join(['a', q])", ("a-⟨q⟩",)),
        ("x = {'k': q}\nreturn x['k']", ("⟨q⟩",)),
        ("if q:\n    return 'a'\nreturn 'b'", ("a", "b")),
        ("return 'a' if q else 'a'", ("a",)),
        ("try:\n    return q['x']\nexcept KeyError:\n    return ''", ("⟨q['x']⟩",)),
        ("for i in range(3):\n    q = q + '.'\nreturn q", ("⟨q⟩...",)),
        ("raise ValueError('a')", ()),
        ("return q.strip().lower()", ("⟨q.strip().lower()⟩",)),
    ],
)
def test_what_a_function_returns(body: str, returned: tuple[str, ...]) -> None:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    (cell,) = cells(f"def f(q):\n{lines}")
    assert cell.functions[0].returns == returned


def test_counts_are_followed_on_a_model_of_known_size() -> None:
    made = cells(
        "def count(m, only=False):\n    return sum(p.numel() for p in m.parameters() if p.requires_grad or not only)",
        "print(count(model, True), f'{count(model):,}')",
    )
    assert made[1].counted == {TRAINABLE, ALL}


GAPS = [
    "x = # fill me",
    "f(a= , b=2)",
    "r = ___",
    "def f():\n    return # fill the gap",
    "x = ...",
    "lr = None # TODO",
    "def f():\n    # your code here\n    pass",
    "!run --lr # fill me",
    "prompt = 'fill me'",
    "# fill in\n",
    "x = # à compléter",
    "y = f(...)",
    "!run --lr ___ --seed 1",
    "for i in x:\n    # TODO\n    pass\nprint(1)",
]
FILLED = [
    "x = 1 # fill me",
    "# fill me\nx = 1",
    "def f():\n    # your code here\n    return 1",
    "__name__ == '__main__'",
    "def f():\n    pass",
    "x = y[..., 0]",
    "def __init__(self): pass",
    "print('_____')",
    "f(a=1, # fill me\n  b=2) # fill me",
    "def f(): # fill the gap\n    return 1",
    "x = '#'",
    "# to doubt is human\n",
    "class A(Exception):\n    ...\nraise A",
    "!run --lr 1e-5 # fill me",
    "def fill_me():\n    return 1",
    "x = a == b",
    "print('to do: nothing')",
]


@pytest.mark.parametrize("source", GAPS)
def test_a_gap_is_seen(source: str) -> None:
    (cell,) = cells(source)
    assert cell.gaps


@pytest.mark.parametrize("source", FILLED)
def test_what_was_filled_in_is_no_gap(source: str) -> None:
    (cell,) = cells(source)
    assert [gap.evidence.quote for gap in cell.gaps] == []


def test_of_a_broken_cell_what_can_be_parsed_is_read() -> None:
    (cell,) = cells("x = # fill me\n\nf(a=1)\nprint 'old'\n\ndef g(:\n    pass\n\nh(b=2)")
    assert not cell.whole
    assert [(call.name, call.evidence.line) for call in cell.calls] == [("f", 3), ("print", 4), ("h", 9)]


def test_shell_listings_of_a_report_are_commands_with_their_lines() -> None:
    (cell,) = document_code(document("Words.\n\n```bash\n\nfairseq-preprocess --only-source\n```\n"))
    assert [(c.words[0], c.evidence.line) for c in cell.commands] == [("fairseq-preprocess", 5)]


DEEP = "".join(" " * depth + "if x:\n" for depth in range(90)) + " " * 90 + "pass"
HOSTILE = {
    "calls": "f()\n" * 24_000,
    "shell": "!a b $x {y}\n" * 8_000,
    "braces": "!" + "{" * 19_000,
    "loops": "!" + "for a in b; do " * 1_000,
    "text": "x = 'a' * 1000\n" + "x = x + x\n" * 1_000,
    "power": "x = 9**64**64**64\n" * 100,
    "int": "x = int('9' * 39) ** 60\nstr(x)",
    "hex": "x = 0x" + "f" * 90_000 + "\nprint(f'{x}', x)",
    "turns": "for i in range(99):\n for j in range(99):\n  x = [i] * 1000",
    "recursion": "def f(a):\n    return f(a) + g(a)\ndef g(a):\n    return f(a) + f(a)\nf(1)",
    "deep": DEEP,
    "ways": "def f(a):\n" + "\n".join(f"    if a.x{i}: b = 1" for i in range(500)) + "\n    return b",
    "format": "x = '{}' * 1000\n" + "y = x.format(1)\n" * 500,
    "width": "x = 1\nprint(f'{x:>1000000000}')",
    "\0": "x = '\0'",
    "quotes": "'" * 90_000,
    "broken": "def f(:\n" * 12_000,
    "list": "x = [" + "1, " * 30_000 + "]",
    "surrogate": "x = '\ud800'",
    "join": "x = ['a' * 900] * 900\ny = ''.join(x).join(x)",
    "replace": "x = 'a' * 900\nx = x.replace('a', x).replace('a', x)",
    "marks": "# fill me\n" * 9_000,
    "continued": "!a\\\n" * 20_000,
    "prompts": ">>> " * 20_000,
    "class": "class A:\n x=1\n" * 6_000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_code_is_bounded(source: str) -> None:
    with within(3):
        (cell,) = cells(source)
    assert cell.source == source


@pytest.mark.parametrize(
    "opening",
    [
        "if 1:",
        "if x:",
        "for i in [1]:",
        "while True:",
        "with open('f') as h:",
        "try:",
        "class A:",
        "if 0:\n{0} pass\n{0}else:",
    ],
    ids=["if", "unknown", "for", "while", "with", "try", "class", "else"],
)
def test_blocks_are_followed_however_deep_they_are(opening: str) -> None:
    def printed(depth: int) -> list[str]:
        lines = [f"{' ' * level}{opening.format(' ' * level)}" for level in range(depth)]
        ends = [f"{' ' * level}finally: pass" for level in reversed(range(depth)) if opening == "try:"]
        (cell,) = cells("\n".join([*lines, f"{' ' * depth}print('deep')", *ends]))
        return [text.text for text in cell.texts]

    assert set(printed(90)) == {"deep"}


def test_a_function_is_followed_as_deep_wherever_it_is_called() -> None:
    lines = [f"{' ' * level}if 1:" for level in range(30)]
    body = [f"{' ' * level}if 1:" for level in range(1, 31)]
    source = ["def f():", *body, f"{' ' * 31}print('deep')", *lines, f"{' ' * 30}f()", f"{' ' * 30}f()"]
    (cell,) = cells("\n".join(source))
    assert [text.text for text in cell.texts] == ["deep", "deep"]
