"""Find code that is commented out, in comments and in strings that are statements.

It sets, calls, loads and prints nothing. Comments in words are the student's text.
"""

import ast
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from textwrap import dedent

_MOST_LINES = 5_000
_LONGEST = 20_000
_FEWEST_WORDS = 4
"""The fewest words of a comment that explains a setting."""
_DOES = (
    *(ast.Call, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Return),
    *(ast.For, ast.While, ast.With, ast.Assign, ast.AugAssign),
)


def without_commented_code(lines: Sequence[str]) -> list[str]:
    """Return the lines of some code, with empty lines for those that are commented out."""
    dead = {*_remarks(lines), *_strings(lines)} if len(lines) <= _MOST_LINES else set()
    return ["" if at in dead else line for at, line in enumerate(lines)]


def _remarks(lines: Sequence[str]) -> Iterator[int]:
    """Return the indices of comments that contain code: several consecutive ones that are code together, or a single
    line."""
    for is_remark, group in groupby(
        enumerate(lines), key=lambda numbered_line: numbered_line[1].lstrip().startswith("#")
    ):
        if not is_remark:
            continue
        block = list(group)
        start, end = block[0][0], block[-1][0] + 1
        texts = [line.lstrip().lstrip("#") for _, line in block]
        if _is_code(dedent("\n".join(texts))):
            yield from range(start, end)
            continue
        beside = (*lines[max(0, start - 1) : start], *lines[end : end + 1])
        is_argument = any(map(_is_argument, beside))
        explained = _explained(texts)
        yield from (
            start + at
            for at, text in enumerate(texts)
            if at not in explained and (_is_code(text.strip()) or (is_argument and _is_argument(text)))
        )


def _explained(texts: Sequence[str]) -> set[int]:
    """Return the indices of settings such as `bias = "none"` with words in the next comment, if there are several. They
    are titles of a list in words."""
    found = {
        at
        for at, (text, following) in enumerate(pairwise(texts))
        if _is_setting(text.strip()) and len(following.split()) >= _FEWEST_WORDS and not _is_code(following.strip())
    }
    return found if len(found) > 1 else set()


def _is_setting(text: str) -> bool:
    """Whether a text assigns a literal and does nothing else."""
    tree = _parsed(text)
    if tree is None or len(tree.body) != 1 or not isinstance(statement := tree.body[0], ast.Assign):
        return False
    return not any(isinstance(node, ast.Call | ast.Name) for node in ast.walk(statement.value))


def _is_argument(line: str) -> bool:
    """Whether a line is an argument of a call over several lines: `r=16,`."""
    text = line.split(" #")[0].strip()
    tree = _parsed(f"f({text.removesuffix(',')})") if "=" in text and not text.endswith("(") else None
    return tree is not None and isinstance(call := tree.body[0], ast.Expr) and bool(getattr(call.value, "keywords", ()))


def _strings(lines: Sequence[str]) -> Iterator[int]:
    """Return the indices of lines in strings that are statements and contain code.

    The first string of a function is its docstring, and is code only if it contains nothing else.
    """
    source = "\n".join(lines)
    tree = _parsed(source)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            text = (ast.get_source_segment(source, node) or "").strip("rRbBuU").strip("\"'")
            if node.end_lineno is not None and _is_code(dedent(text)):
                yield from range(node.lineno - 1, node.end_lineno)


def _is_code(text: str) -> bool:
    """Whether a text is a program that does something. `name = number` may also be a statement in words."""
    tree = _parsed(text.strip("\n"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, _DOES)] if tree else []
    return any(not (isinstance(node, ast.Assign) and _is_number(node.value)) for node in nodes)


def _is_number(node: ast.expr) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return all(isinstance(part, ast.Constant) and isinstance(part.value, int | float) for part in parts)


def _parsed(text: str) -> ast.Module | None:
    if not text.strip() or len(text) > _LONGEST:
        return None
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
