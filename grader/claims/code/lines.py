"""What is Python in a cell, and what is shell or magic: line by line, every line keeping its number."""

import re
from typing import Final, NamedTuple

SHELL: Final = "__shell__"
"""The name of the function whose call stands for a shell line, with the line's number in `Prepared.shell`."""

_CELL_MAGIC: Final = re.compile(r"%%\s?(!|\w+)[ \t]*(.*)")
_SHELLS: Final = frozenset({"bash", "sh", "shell", "!", "sx", "system"})
_PYTHON: Final = frozenset({"time", "timeit", "capture", "prun", "python", "python3", "debug", "skip", "run_and_save"})
_LINE: Final = re.compile(r"([^\S\n]*)((?:[A-Za-z_][\w., ]{0,60}=\s?)?)(!!?|%{1,2}|\?)(.*)")
_PROMPT: Final = re.compile(r"(?:>>> ?|\.\.\. ?|In ?\[[\d ]{0,5}\]: ?)")
_HELP: Final = re.compile(r"[\w.]+\?\??\s*")
_STATEMENT: Final = frozenset({"time", "timeit", "prun"})


class Prepared(NamedTuple):
    """A cell's Python, in which a call stands for each shell line, and those lines. `shell_cell` is the whole text of a
    shell cell; `is_written` says that the cell only writes a file."""

    python: str = ""
    shell: tuple[str, ...] = ()
    shell_cell: str | None = None
    is_written: bool = False


def prepared(source: str) -> Prepared:
    """A cell taken apart."""
    first, _, rest = source.lstrip("\n").partition("\n")
    before = len(source) - len(source.lstrip("\n"))
    magic = _CELL_MAGIC.match(first.strip())
    if magic is None:
        return _with_shell_lines(source)
    name, argument = magic[1].lower(), magic[2]
    blank = "\n" * (before + 1)
    if name in _SHELLS or (name == "script" and re.search(r"\b(?:ba|z)?sh\b", argument)):
        return Prepared(shell_cell=blank + rest)
    if name in ("writefile", "file"):
        if argument.strip().endswith((".sh", ".bash")):
            return Prepared(shell_cell=blank + rest, is_written=True)
        is_python = argument.strip().endswith(".py")
        return Prepared(python=blank + rest, is_written=True) if is_python else Prepared(is_written=True)
    return _with_shell_lines(blank + rest) if name in _PYTHON else Prepared()


def _with_shell_lines(source: str) -> Prepared:
    lines = source.split("\n")
    python: list[str] = []
    shell: list[str] = []
    index = 0
    while index < len(lines):
        line = _PROMPT.sub("", lines[index], count=1) if lines[index][:1] in ">.I" else lines[index]
        match = _LINE.match(line)
        if not match:
            python.append("" if _HELP.fullmatch(line) else line)
            index += 1
            continue
        last = index
        while lines[last].rstrip().endswith("\\") and last + 1 < len(lines):
            last += 1
        python.append(_replaced(match, [match[4], *lines[index + 1 : last + 1]], shell))
        python += [""] * (last - index)
        index = last + 1
    return Prepared("\n".join(python), tuple(shell))


def _replaced(match: re.Match[str], texts: list[str], shell: list[str]) -> str:
    """What stands in Python for a shell line or magic, whose text may be added to `shell`."""
    indent, target, mark = match[1], match[2], match[3]
    text = "\n".join(texts)
    if mark.startswith("%"):
        magic = re.match(r"\s?(\w+)(.*)", text, re.DOTALL)
        name, argument = (magic[1], magic[2].strip()) if magic else ("", "")
        if name in _STATEMENT:
            return indent + re.sub(r"^(?:-\w+\s?\w*\s)+", "", argument).replace("\\\n", " ")
        if name in ("env", "set_env"):
            text = re.sub(r"^(\w+)[ =]+", r"\1=", argument)
        elif name in ("pip", "conda", "sx", "system", "sc"):
            text = argument if name in ("sx", "system", "sc") else f"{name} {argument}"
        elif name == "run":
            text = f"python {argument}"
        else:
            return f"{indent}{target}None" if target else f"{indent}pass"
    elif mark == "?":
        return f"{indent}pass"
    shell.append(text)
    return f"{indent}{target}{SHELL}({len(shell) - 1})"
