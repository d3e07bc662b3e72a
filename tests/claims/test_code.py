from pathlib import Path

import pytest

from grader.claims.code import CodeCell, document_code, notebook_code
from grader.reading.notebook import Cell, CellKind, Notebook
from tests.claims.making import document
from tests.patience import within


def cell(source: str, output: str = "", execution_count: int | None = 1) -> CodeCell:
    made = Cell(index=4, kind=CellKind.CODE, source=source, output=output, execution_count=execution_count)
    (read,) = notebook_code(Notebook(file="lab.ipynb", cells=(made,)))
    return read


def strings(body: str, head: str = "def f(question, answer):") -> tuple[str, ...]:
    (function,) = cell(f"{head}\n{body}").functions
    return function.strings


def test_a_call_is_read_with_its_keywords_and_place() -> None:
    (call,) = cell("import x\n\nx.LoraConfig(r=16, bias='none', **more)").calls
    assert call.name == "LoraConfig"
    assert call.keywords == {"r": "16", "bias": "'none'"}
    assert (call.evidence.cell, call.evidence.line) == (4, 3)
    assert call.evidence.quote == "x.LoraConfig(r=16, bias='none', **more)"


def test_a_call_over_several_lines_is_found_at_its_first() -> None:
    calls = cell("config = BitsAndBytesConfig(\n    load_in_4bit=True,\n    bnb_4bit_quant_type='nf4',\n)").calls
    assert calls[0].keywords == {"load_in_4bit": "True", "bnb_4bit_quant_type": "'nf4'"}


@pytest.mark.parametrize(
    "line",
    ["!pip install peft", "%%time", "%matplotlib inline", "if x:\n    !ls", "?help", "files = !ls", "home = %env HOME"],
)
def test_shell_lines_and_magics_do_not_hide_the_code(line: str) -> None:
    assert [call.keywords for call in cell(f"{line}\nf(a=1)").calls] == [{"a": "1"}]


def test_a_shell_cell_has_no_calls() -> None:
    assert cell("%%bash\nls -l f(a=1)").calls == ()


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("    return 'a' + question + 'b'", ("a", "b")),
        ('    return f"<human>: {question}\\n<assistant>: {answer}"', ("<human>: {}\n<assistant>: {}",)),
        ('    return """<human>: x\n<assistant>: y"""', ("<human>: x\n<assistant>: y",)),
        ("    '''Docs with <human>:.'''\n    return 'x'", ("x",)),
        ("    # '<human>:'\n    return 'x'", ("x",)),
        ("    return '<human>: {}'.format(question)", ("<human>: {}",)),
        ("    a = 'one'\n    b = 'two'\n    return a + b", ("one", "two")),
        ("    pass", ()),
    ],
)
def test_the_strings_that_a_function_computes_with(body: str, found: tuple[str, ...]) -> None:
    assert strings(body) == found


def test_the_names_that_a_function_uses() -> None:
    body = "return sum(p.numel() for p in model.parameters() if p.requires_grad)"
    (function,) = cell(f"def f(model):\n    {body}").functions
    assert {"numel", "requires_grad", "parameters"} <= function.names


@pytest.mark.parametrize(
    "source", ["def f(", "print 'python 2'", "\0", "f(" * 5_000, "x = " + "(" * 500 + ")" * 500, "é" * 99]
)
def test_what_is_no_python_is_kept_as_text(source: str) -> None:
    read = cell(source)
    assert read.source == source


@pytest.mark.parametrize(
    "source", ["-" * 100_000 + "1", "x" * 300_000, "[" * 90_000, "a\n" * 90_000, "1+" * 50_000 + "1"]
)
def test_no_source_takes_time_or_fails(source: str) -> None:
    with within(3):
        assert cell(source).source == source


def test_nothing_is_run(tmp_path: Path) -> None:
    target = tmp_path / "touched"
    cell(f"open({str(target)!r}, 'w').write('x')\n!touch {target}")
    assert not target.exists()


@pytest.mark.parametrize(("count", "output", "ran"), [(1, "", True), (None, "42", True), (None, "", False)])
def test_a_cell_ran_when_it_has_a_count_or_output(count: int | None, output: str, ran: bool) -> None:
    assert cell("x", output, count).ran is ran


def test_listings_in_a_report_are_code_with_their_lines() -> None:
    listing = "Words.\n\n```python\nimport x\nx.f(a=1)\n```\n\nMore.\n\n```\ng(b=2)\n```\n"
    first, second = document_code(document(listing))
    assert [(c.calls[0].name, c.calls[0].evidence.line) for c in (first, second)] == [("f", 5), ("g", 11)]
    assert not first.ran
