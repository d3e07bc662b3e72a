"""Cells that write scripts and settings, run them, or hold magic; commands of shell texts; calls that a text shows."""

from collections.abc import Mapping, Sequence

import pytest

from grader.claims.code import Command, document_code
from grader.claims.code.shell import commands_in, interpolate_values, script_text, with_settings
from grader.claims.code.syntax import PreparedCell, calls_shown, gap_lines, prepare_cell, tree_of
from grader.claims.code.values import Hole
from grader.reading.document import Block, BlockKind, Document, Evidence
from tests.claims.making import passage
from tests.claims.test_code_flow import cells, commands

CELLS: Mapping[str, PreparedCell] = {
    "x = 1": PreparedCell("x = 1"),
    "!run a": PreparedCell("__shell__(0)", ("run a",)),
    "  !run a\nx = !run b": PreparedCell("  __shell__(0)\nx = __shell__(1)", ("run a", "run b")),
    "!run a \\\n  --b\nx = 1": PreparedCell("__shell__(0)\n\nx = 1", ("run a \\\n  --b",)),
    "!run a \\": PreparedCell("__shell__(0)", ("run a \\",)),
    "%time f(x)": PreparedCell("f(x)"),
    "  %timeit -n 10 f(x)": PreparedCell("  f(x)"),
    "%env LR=2": PreparedCell("__shell__(0)", ("LR=2",)),
    "%set_env LR 2": PreparedCell("__shell__(0)", ("LR=2",)),
    "%pip install a": PreparedCell("__shell__(0)", ("pip install a",)),
    "x = %sx run a": PreparedCell("x = __shell__(0)", ("run a",)),
    "%run train.py --lr 1": PreparedCell("__shell__(0)", ("python train.py --lr 1",)),
    "%matplotlib inline": PreparedCell("pass"),
    "x = %unheard of": PreparedCell("x = None"),
    "?f": PreparedCell("pass"),
    "f?": PreparedCell(""),
    "f.g??": PreparedCell(""),
    ">>> x = 1\n... y": PreparedCell("x = 1\ny"),
    "In [3]: x = 1": PreparedCell("x = 1"),
    "%%bash\nrun a": PreparedCell(shell_cell="\nrun a"),
    "\n\n%%sh\nrun a": PreparedCell(shell_cell="\n\n\nrun a"),
    "%%script bash -e\nrun a": PreparedCell(shell_cell="\nrun a"),
    "%%script perl\nrun a": PreparedCell(),
    "%%writefile run.sh\nrun a": PreparedCell(shell_cell="\nrun a", is_written=True),
    "%%writefile a.py\nx = 1": PreparedCell("\nx = 1", is_written=True),
    "%%file a.txt\nx = 1": PreparedCell(is_written=True),
    "%%time\nx = 1\n!run a": PreparedCell("\nx = 1\n__shell__(0)", ("run a",)),
    "%%html\n<b>": PreparedCell(is_shown=True),
}


@pytest.mark.parametrize("source", CELLS)
def test_a_cell_is_taken_apart(source: str) -> None:
    assert prepare_cell(source) == CELLS[source]


@pytest.mark.parametrize(
    ("source", "whole", "count"),
    [
        ("x = 1\ny = 2", True, 2),
        ("!run\nx = 1", True, 2),
        ("x = 1\ny = = 2\nz = 3", False, 2),
        ("print 'a'\ny = = 2", False, 1),
        ("def f():\n    x = = 1\ny = 2", False, 1),
        ("x = '''\na = = b\n'''\ny = = 2\nz = 1", False, 2),
        ("if x:\n    a = 1\nelse:\n    a = 2\ny = = 2", False, 1),
        ("x" * 100_001, False, 0),
        ("x = '" + "a" * 99_994 + "'", True, 1),
    ],
)
def test_of_a_broken_cell_the_statements_that_stand_alone_are_kept(source: str, whole: bool, count: int) -> None:
    tree = tree_of(source)
    assert (tree.whole, len(tree.statements)) == (whole, count)


def test_a_statement_of_a_broken_cell_keeps_its_line() -> None:
    tree = tree_of("x = 1\n\ny = = 2\nz = 3")
    assert [one.lineno for one in tree.statements] == [1, 4]


SHELL: Mapping[str, list[tuple[int, str]]] = {
    "a b\nc": [(0, "a b"), (1, "c")],
    "a \\\n b\nc": [(0, "a b"), (2, "c")],
    "a \\\n# remark\nb": [(0, "a"), (2, "b")],
    "# only a remark": [],
    "a # remark": [(0, "a")],
    "a && b || c; d | e & f": [(0, "a"), (0, "b"), (0, "c"), (0, "d"), (0, "e"), (0, "f")],
    "X=1 Y=2 run $X ${Y}": [(0, "run 1 2")],
    "export X=1\nrun $X $Z": [(1, "run 1 ⟨Z⟩")],
    "X='a b'\nrun $X \"$X\"": [(1, "run a b a b")],
    "run 'a b' \"c d\"": [(0, "run a b c d")],
    "run it's": [(0, "run it's")],
    "run > log 2>&1": [(0, "run")],
    "run < in >> out --x": [(0, "run --x")],
    "run &> log --x": [(0, "run --x")],
    "for s in 1 2; do run $s; done": [(0, "run 1"), (0, "run 2")],
    "for s in {1..3}; do run $s; done": [(0, "run 1"), (0, "run 2"), (0, "run 3")],
    "for s in $(seq 2); do run $s; done": [(0, "run 1"), (0, "run 2")],
    "for s in `seq 0 1`; do run $s; done": [(0, "run 0"), (0, "run 1")],
    "for ((i=0; i<2; i++)); do run $i; done": [(0, "run 0"), (0, "run 1")],
    "for ((i=1; i<=2; i++)); do run $i; done": [(0, "run 1"), (0, "run 2")],
    "L=(1 2)\nfor s in ${L[@]}; do run $s; done": [(1, "run 1"), (1, "run 2")],
    "for s in $UNKNOWN; do run $s; done": [(0, "run ⟨s⟩")],
    "for s in $(ls); do run $s; done": [(0, "run ⟨s⟩")],
    "for a in 1 2; do for b in 3 4; do run $a $b; done; done; end": [
        (0, "run 1 3"),
        (0, "run 1 4"),
        (0, "run 2 3"),
        (0, "run 2 4"),
        (0, "end"),
    ],
    "for s in 1\ndo\n  run $s\ndone\nend": [(2, "run 1"), (4, "end")],
    "if true; then run; else walk; fi": [(0, "true"), (0, "run"), (0, "walk")],
    "time sudo nohup run": [(0, "run")],
    'run "$((2+3))"': [(0, "run ⟨…⟩")],
    "": [],
}


@pytest.mark.parametrize("text", SHELL)
def test_the_commands_of_a_shell_text(text: str) -> None:
    assert [(number, " ".join(words)) for number, words, *_ in commands_in(text, {})] == SHELL[text]


def test_the_files_that_a_command_writes() -> None:
    text = "for s in a b; do run < in/$s 2> err > out/$s; done; run --output x -v; run | tee y >> log"
    commands = [
        Command(words=one.words, evidence=Evidence(file="a.sh", quote="x"), sent_to=one.writes)
        for one in commands_in(text, {})
    ]
    assert [one.writes for one in commands] == [("out/a",), ("out/b",), ("x",), (), ("log",)]


def test_a_shell_text_has_limits() -> None:
    assert len(commands_in("run\n" * 100, {})) == 60
    assert len(commands_in("for s in {1..100}; do run $s; done", {})) == 60
    assert commands_in("x" * 30_000, {})[0][1][0] == "x" * 20_000


def test_what_python_puts_into_a_shell_line() -> None:
    values = {"lr": 0.1, "name": "x", "$s": 3}
    known: Mapping[str, object] = {"1 + 1": 2, "q": Hole("a b"), "none": None}
    told = interpolate_values("run {1 + 1} {none} {q} $lr $name $s $other \\$lr", known.get, values)
    assert told == "run 2 {none} ⟨a_b⟩ 0.1 x 3 $other \\$lr"


SCRIPTS: Sequence[tuple[tuple[str, ...], list[list[str]]]] = [
    (("%%writefile a/run.sh\ntrain --lr 1", "!bash run.sh"), [["train --lr 1"], ["bash run.sh", "train --lr 1"]]),
    (("%%writefile run.sh\ntrain", "!cat run.sh"), [["train"], ["cat run.sh"]]),
    (("!bash run.sh", "%%writefile run.sh\ntrain"), [["bash run.sh"], ["train"]]),
    (("%%writefile run.sh\ntrain", "x = 1", "!sh ./run.sh"), [["train"], [], ["sh ./run.sh", "train"]]),
    (("%%writefile run.sh\ntrain", "!bash other.sh"), [["train"], ["bash other.sh"]]),
]


@pytest.mark.parametrize(("sources", "wanted"), SCRIPTS)
def test_a_scripts_commands_are_those_of_the_cell_that_runs_it(
    sources: tuple[str, ...], wanted: list[list[str]]
) -> None:
    assert [[" ".join(one.words) for one in cell.commands] for cell in cells(*sources)] == wanted


SETTINGS: Sequence[tuple[tuple[str, ...], str]] = [
    (('%%writefile c.json\n{"lr": 0.1, "fp16": true, "off": false}', "!run c.json"), "run c.json --lr 0.1 --fp16"),
    (("%%writefile a/c.yaml\nlr: 0.1\nname: 'x'  # it\n# no\n", "!run b/c.yaml"), "run b/c.yaml --lr 0.1 --name x"),
    (("%%writefile c.json\n[1]", "!run c.json"), "run c.json"),
    (("%%writefile c.txt\nlr: 0.1", "!run c.txt"), "run c.txt"),
    (("import json\njson.dump({'lr': 0.1}, open('c.json', 'w'))", "!run c.json"), "run c.json --lr 0.1"),
    (
        ("import json\nwith open('c.json', 'w') as f:\n    json.dump({'lr': lr(), 'b': 8}, f)", "!run c.json"),
        "run c.json --lr ⟨…⟩ --b 8",
    ),
    (
        ('%%writefile c.json\n{"lr": 0.1}', '%%writefile c.json\n{"lr": 0.2, "b": 8}', "!run c.json"),
        "run c.json --lr ⟨…⟩ --b 8",
    ),
]


@pytest.mark.parametrize(("sources", "wanted"), SETTINGS)
def test_the_options_of_a_file_of_settings_are_those_of_the_command(sources: tuple[str, ...], wanted: str) -> None:
    assert commands(*sources)[-1] == wanted


def test_without_files_of_settings_a_command_is_as_it_stands() -> None:
    assert with_settings(("run", "c.json"), {}) == ("run", "c.json")
    assert with_settings(("run", "a\\c.json"), {"c.json": ("--x",)}) == ("run", "a\\c.json", "--x")


CALLS: Mapping[str, list[tuple[dict[str, str], tuple[str, ...], bool]]] = {
    "LoraConfig(r=16, lora_alpha=32)": [({"r": "16", "lora_alpha": "32"}, (), False)],
    "LoraConfig(r=16, lora alpha=32)": [({"r": "16", "lora_alpha": "32"}, (), False)],
    "LoraConfig (\n  r = 16,\n  lora_alpha = 32\n)": [({"r": "16", "lora_alpha": "32"}, (), False)],
    "Lora Config(r=16)": [],
    "MyLoraConfig(r=16)": [],
    "LoraConfig(r=16": [({}, (), True)],
    "LoraConfig(r=16, ...)": [({"r": "16"}, (), True)],
    "LoraConfig(r=16, *more)": [({"r": "16"}, ("×more",), True)],
    "LoraConfig(r=...)": [({"r": "..."}, (), True)],
    "LoraConfig(r=)": [({"r": ""}, (), True)],
    "LoraConfig()": [({}, (), False)],
    "LoraConfig(a, b)": [],
    "LoraConfig(Hu, 2021)": [],
    "LoraConfig(model.x, 16)": [({}, ("model.x", "16"), False)],
    "LoraConfig(model.x)": [],
    "LoraConfig(r=(1, 2), bias='a, b')": [({"r": "(1, 2)", "bias": "'a, b'"}, (), False)],
    "LoraConfig(r=16,  # the rank, small\n lora_alpha=32)": [({"r": "16", "lora_alpha": "32"}, (), False)],
    "# LoraConfig(r=16,\n#   lora_alpha=32)": [({"r": "16", "lora_alpha": "32"}, (), False)],
    'LoraConfig {"r": 16, "other": 2}': [({"r": "16"}, (), False)],
    'LoraConfig {"bias": true, "r": null}': [({"bias": "True", "r": "None"}, (), False)],
    'LoraConfig {"other": 2}': [],
    "LoraConfig(r=16, r==2)": [({"r": "16"}, ("r==2",), False)],
    "LoraConfig(r=16) and LoraConfig(r=8)": [({"r": "16"}, (), False), ({"r": "8"}, (), False)],
    "LoraConfig(a b c d e=1)": [({}, (), True)],
    "LoraConfig(lora_alpha=32, # the scale:\nlora_alpha / r = 2\nbias='none')": [
        ({"lora_alpha": "32", "bias": "'none'"}, (), False)
    ],
    "LoraConfig(other_name=1)": [({"other_name": "1"}, (), False)],
}


@pytest.mark.parametrize("text", CALLS)
def test_calls_are_read_through_their_signs(text: str) -> None:
    found = calls_shown(passage(f"```\n{text}\n```"), "LoraConfig", ("r", "lora_alpha", "bias"))
    assert [(dict(one.keywords), one.arguments, one.open) for one in found] == CALLS[text]


def test_an_underscore_that_is_lost_is_put_back_where_the_text_is_not_exact() -> None:
    exact, blurred = (passage("LoraConfig(loraalpha=32)", exact=one) for one in (True, False))
    assert [dict(one.keywords) for one in calls_shown(exact, "LoraConfig", ("lora_alpha",))] == [{"loraalpha": "32"}]
    assert [dict(one.keywords) for one in calls_shown(blurred, "LoraConfig", ("lora_alpha",))] == [{"lora_alpha": "32"}]


@pytest.mark.parametrize(
    ("source", "whole", "lines"),
    [
        ("x = 1", True, []),
        ("x =", False, [1]),
        ("f(a=, b=2)", False, [1]),
        ("f(a=, b=2)", True, []),
        ("!run --lr=", False, []),
        ("x = ...", True, [1]),
        ("f(...)", True, [1]),
        ("...", True, [1]),
        ("y[...]", True, []),
        ("x = 'fill me'", True, [1]),
        ("fill_me = 3", True, []),
        ("fill_me = 3\nx = fill_me + 1", True, []),
        ("f(todo=3)", True, []),
        ("à_compléter: int = 2", True, []),
        ("x = fill_me", True, [1]),
        ("fill_me = fill_in", True, [1]),
        ("fill_me = None", True, [1]),
        ("fill_me = ___", True, [1]),
        ("x = '#fill me'", True, [1]),
        ("def fill_me(): pass", True, []),
        ("print('fill me')", True, []),
        ("x = 1  # fill me", True, []),
        ("x = None  # fill me", True, [1]),
        ("# fill me\nx = 1", True, []),
        ("# fill me\npass", True, [1]),
        ("# fill me\n\n\nx = 1", True, []),
        ("# fill me\n# fill me\nx = 1", True, [1]),
        ("if x:  # fill me\n    y = 1", True, []),
        ("if x:  # fill me\ny = 1", True, [1]),
        ("    # fill me\ny = 1", True, [1]),
        ("a = 1\n# todo\nreturn None\nb = 2", True, [2]),
        ("return # done", True, [1]),
        ("x = '____'", True, [1]),
        ("x = a____b", True, []),
        ("print 'a'\nfit(kernel =\n    linear)", False, []),
        ("print 'a'\nfit(kernel =\n    )", False, [2]),
        ("print 'a'\nfit(kernel =\n    degree=2)", False, [2]),
    ],
)
def test_the_lines_of_gaps(source: str, whole: bool, lines: list[int]) -> None:
    assert list(gap_lines(source, whole=whole)) == lines


def listed(file: str, source: str) -> list[tuple[tuple[str, ...], int | None]]:
    """The commands in a file of code, with their lines."""
    lines = enumerate(source.split("\n"), 1)
    blocks = tuple(Block(kind=BlockKind.CODE, text=line, line=number) for number, line in lines if line.strip())
    found = document_code(Document(file=file, exact=True, blocks=blocks))
    return [(command.words, command.evidence.line) for cell in found for command in cell.commands]


@pytest.mark.parametrize(
    ("file", "source", "line"),
    [
        ("a.sh", "set -e\nP=data\nrun $P --a", 3),
        ("job", "#!/usr/bin/env bash\nP=data\n\nrun $P --a", 4),
        ("Makefile", "P = data\n\nall: b\n\t@run \\\n\t  $(P) --a\n", 4),
        ("Makefile", "D = da\nP = $(D)ta\nb:\n\trun $(P) --a", 4),
        ("rules.mk", "P := data # there\nb:\n\t-run ${P} --a", 3),
        ("a.py", "import subprocess as s\ns.run(['run', 'data', '--a'])", 2),
        ("a.py", "from os import system as go\ngo('run data --a')", 2),
        ("a.py", "from subprocess import run\nrun('run data --a'.split())", 2),
        ("a.py", "get_ipython().run_cell_magic('bash', '', 'run data --a\\n')", 1),
        ("a.py", "get_ipython().run_line_magic('sx', 'run data --a')", 1),
        ("a.py", "# %%\nx = 1\n# %% [markdown]\n# !no such\n# %%\n# !run data --a", 6),
        ("a.py", "# %%\nx = 1\n# %% language='bash'\n# P=data\n# run $P --a\n\n# %%\ny = 2", 5),
        ("a.py", "# %% language='bash'\n# run data --a\n# %%\ny = 2", 2),
        ("a.py", "# %% [markdown]\n# !no such\n# %%\n# !run data --a", 4),
        ("a.py", "# Commented out IPython magic to ensure Python compatibility.\n# %%bash\n# run data --a", 3),
        (
            "a.py",
            "x = 1\n# Commented out IPython magic to ensure Python compatibility.\n# %%bash\n# run data --a\n\ny",
            4,
        ),
    ],
)
def test_commands_are_found_in_every_form_of_code(file: str, source: str, line: int) -> None:
    assert (("run", "data", "--a"), line) in listed(file, source)
    assert not any("no" in words for words, _ in listed(file, source))


def test_a_student_s_remark_is_no_command_and_neither_is_a_function_of_the_student_s() -> None:
    assert listed("a.py", "# !run data --a\nx = 1") == []
    assert listed("a.py", "get_ipython().run_line_magic('matplotlib', 'inline')") == []
    assert listed("a.py", "from subprocess import run\ndef run(x): pass\nrun('run data --a')") == []


def test_what_a_call_of_make_may_set_and_what_make_works_out_is_not_known() -> None:
    made = "S ?= 1\nC = $(if $(filter a,$(S)),b,c)\nx:\n\trun --s $(S) --c $(C) --d $$HOME"
    ((words, _),) = listed("Makefile", made)
    assert words == ("run", "--s", "⟨S⟩", "--c", "⟨…⟩", "--d", "⟨HOME⟩")
    assert script_text("a.py", "x = 1") is None
