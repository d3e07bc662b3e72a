"""What the code of a hand-in does, read from its syntax tree. Nothing is run."""

import ast
import re
from collections.abc import Iterator

from grader.frozen import Frozen
from grader.reading.document import BlockKind, Document
from grader.reading.evidence import Evidence
from grader.reading.notebook import CellKind, Notebook

_LONGEST = 200_000
"""Longer sources, in characters, are not parsed: they are data and no code."""
_SHELL_LINE = re.compile(r"(?m)^([^\S\n]*)(?:\w+\s?=\s?)?[!%?].*$")


class Call(Frozen):
    """A call by its last name, with its keyword arguments as source text."""

    name: str
    keywords: dict[str, str]
    evidence: Evidence


class Function(Frozen):
    """A function: its string constants in order (placeholders of f-strings as `{}`), the names and attributes that
    its body uses, and whether the body does anything."""

    name: str
    strings: tuple[str, ...]
    names: frozenset[str]
    evidence: Evidence


class CodeCell(Frozen):
    """A piece of code: a notebook cell, a script, or a listing. `ran` is known only for notebook cells."""

    file: str
    cell: int | None
    source: str
    output: str = ""
    ran: bool = False
    calls: tuple[Call, ...] = ()
    functions: tuple[Function, ...] = ()


def notebook_code(notebook: Notebook) -> Iterator[CodeCell]:
    """The code cells of a notebook."""
    for cell in notebook.cells:
        if cell.kind is CellKind.CODE and cell.source.strip():
            ran = cell.execution_count is not None or bool(cell.output)
            yield _code_cell(notebook.file, cell.index, None, cell.source, cell.output, ran=ran)


def document_code(document: Document) -> Iterator[CodeCell]:
    """The code that a document shows: one cell for each run of code lines."""
    lines: list[str] = []
    first: int | None = None
    for block in document.blocks:
        if block.kind is BlockKind.CODE:
            first = first if lines else block.line
            lines.append(block.text)
        elif lines:
            yield _code_cell(document.file, None, first, "\n".join(lines), "", ran=False)
            lines = []
    if lines:
        yield _code_cell(document.file, None, first, "\n".join(lines), "", ran=False)


def _code_cell(file: str, cell: int | None, line: int | None, source: str, output: str, *, ran: bool) -> CodeCell:
    tree = _tree(source)
    nodes = [] if tree is None else list(ast.walk(tree))

    def place(node: ast.expr | ast.stmt) -> Evidence:
        text = source.splitlines()[node.lineno - 1].strip()
        at = node.lineno if line is None else line + node.lineno - 1
        return Evidence(file=file, cell=cell, line=at, quote=text)

    return CodeCell(
        file=file,
        cell=cell,
        source=source,
        output=output,
        ran=ran,
        calls=tuple(
            Call(
                name=_last_name(node.func),
                keywords={keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg},
                evidence=place(node),
            )
            for node in nodes
            if isinstance(node, ast.Call)
        ),
        functions=tuple(
            Function(name=node.name, strings=_strings(node), names=_names(node), evidence=place(node))
            for node in nodes
            if isinstance(node, ast.FunctionDef)
        ),
    )


def _tree(source: str) -> ast.Module | None:
    """The syntax tree of a source without its shell and magic lines; None where it is no Python."""
    if len(source) > _LONGEST:
        return None
    try:
        return ast.parse(_SHELL_LINE.sub(r"\1pass", source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _last_name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _strings(function: ast.FunctionDef) -> tuple[str, ...]:
    """String constants that the body computes with, in order; doc strings do nothing and are left out."""
    body = [node for node in function.body if not _is_bare_constant(node)]
    found: list[str] = []
    for statement in body:
        found += _strings_of(statement)
    return tuple(found)


def _strings_of(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _strings_of(child)


def _is_bare_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _names(function: ast.FunctionDef) -> frozenset[str]:
    nodes = list(ast.walk(function))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return frozenset(attributes | {node.id for node in nodes if isinstance(node, ast.Name)})
