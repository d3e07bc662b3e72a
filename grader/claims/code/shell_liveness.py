"""Find the parts of a shell text that cannot run.

They are texts that are written to a file, branches of `false`, lines after `exit`, and functions that nothing calls. An
uncertain part may run.
"""

import re
from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import Final, NamedTuple

_DOCUMENT: Final = re.compile(r"<<(-?)[ \t]{0,10}(['\"]?)([A-Za-z_]\w{0,60})\2")
_INTO: Final = re.compile(r"(?:>{1,2}|\btee(?:[ ]+-a)?)[ ]{0,10}([^\s;&|<>'\"]{1,200})")
_SHELL: Final = re.compile(
    r"(?:^|[;&|(]|\bsudo|\benv)[ \t]{0,10}(?:/\S{0,60}/)?(?:ba|z|k|da)?sh(?![^\s;&|<])(?![ \t]+[^\s<-])"
)
_MOST_LINES: Final = 2_000


class Token(NamedTuple):
    """A word or sign of a shell text, with its line, numbered from 0, and whether it cannot run in its place."""

    line: int
    word: str
    is_idle: bool = False


class Document(NamedTuple):
    """A text that a shell text passes to a command as input, with its first line from 0, and the file to which it is
    written, if any."""

    line: int
    text: str
    file: str


def without_documents(text: str) -> tuple[str, list[Document]]:
    """Return a shell text without its here-documents (`<<EOF`), and these. The input of a shell is run and stays in
    place."""
    lines = text.split("\n")
    found: list[Document] = []
    index = 0
    while index < min(len(lines), _MOST_LINES):
        match = None if lines[index].lstrip().startswith("#") else _DOCUMENT.search(lines[index])
        index += 1
        if match is None:
            continue
        end = next((at for at in range(index, len(lines)) if lines[at].strip() == match[3]), None)
        if end is None:
            continue
        command = lines[index - 1]
        lines[index - 1] = command[: match.start()] + command[match.end() :]
        if not _SHELL.search(command[: match.start()]):
            into = _INTO.search(command)
            found.append(Document(index, "\n".join(lines[index:end]), into[1].rpartition("/")[2] if into else ""))
            lines[index:end] = [""] * (end - index)
        lines[end] = ""
        index = end + 1
    return "\n".join(lines), found


_SEPARATORS: Final = frozenset({";", "&&", "||", "|", "&", ";;", "|&"})
_BRANCHES: Final = {"then": ("else", "elif", "fi"), "do": ("done",)}
_OPENS: Final = frozenset({"if", "for", "while", "until", "case", "{", "("})
_CLOSES: Final = frozenset({"fi", "done", "esac", "}", ")"})
_TESTS: Final = frozenset({"if", "elif", "while", "until"})
_FALSE: Final = (["false"], ["[", "0", "-eq", "1", "]"], ["[", "1", "-eq", "0", "]"])
_TRUE: Final = (["true"], [":"])
_LEAVING: Final = frozenset({"exit"})


def with_idle_marked(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens, with those marked that cannot run."""
    idle: set[int] = set()
    for index, token in enumerate(tokens):
        if token.word in _TESTS and _command_at(tokens, index + 1) in (_TRUE if token.word == "until" else _FALSE):
            idle |= _branch(tokens, index)
        elif index == 0 or tokens[index - 1].word in _SEPARATORS | {"then", "do", "else", "{", "("}:
            idle |= _skipped_by(tokens, index)
    idle |= _behind_exit(tokens, idle) | _never_called(tokens, idle)
    return [token._replace(is_idle=token.is_idle or index in idle) for index, token in enumerate(tokens)]


def _command_at(tokens: Sequence[Token], start: int) -> list[str]:
    return list(takewhile(lambda word: word not in _SEPARATORS, (token.word for token in tokens[start : start + 8])))


def _branch(tokens: Sequence[Token], test: int) -> set[int]:
    """Return the tokens of the branch that a test opens, up to its `else` or end."""
    depth, begin = 0, None
    for index in range(test + 1, len(tokens)):
        word = tokens[index].word
        if depth == 0 and begin is None and word in _BRANCHES:
            begin = index
        elif depth == 0 and begin is not None and word in ("else", "elif", "fi", "done"):
            return set(range(begin + 1, index))
        else:
            depth += (word in _OPENS) - (word in _CLOSES)
    return set()


def _skipped_by(tokens: Sequence[Token], start: int) -> set[int]:
    """Return the tokens of the command that `false &&` or `true ||` before it skips."""
    words = _command_at(tokens, start)
    sign = start + len(words)
    joint = tokens[sign].word if sign < len(tokens) else ""
    if not ((joint == "&&" and words in _FALSE) or (joint == "||" and words in _TRUE)):
        return set()
    ends = {";", ";;", "&", "||" if joint == "&&" else "&&"}
    end = next((at for at in range(sign + 1, len(tokens)) if tokens[at].word in ends), len(tokens))
    return set(range(sign + 1, end))


def _behind_exit(tokens: Sequence[Token], idle: set[int]) -> set[int]:
    """Return the tokens after an `exit` that is always reached."""
    depth = 0
    for index, token in enumerate(tokens):
        is_alone = index == 0 or tokens[index - 1].word == ";"
        if token.word in _LEAVING and depth == 0 and is_alone and index not in idle:
            end = index + len(_command_at(tokens, index))
            return set(range(end, len(tokens))) if end == len(tokens) or tokens[end].word == ";" else set()
        depth += (token.word in _OPENS) - (token.word in _CLOSES)
    return set()


def _never_called(tokens: Sequence[Token], idle: set[int]) -> set[int]:
    """Return the tokens of functions whose names occur nowhere else."""
    found: set[int] = set()
    for index, token in enumerate(tokens):
        following = [candidate.word for candidate in tokens[index + 1 : index + 3]]
        if following[:1] == ["()"] or following == ["(", ")"]:
            body = _body(tokens, index + 1)
            elsewhere = (at for at, candidate in enumerate(tokens) if at not in body and at != index and at not in idle)
            if body and not any(token.word in tokens[at].word for at in elsewhere):
                found |= body
    return found


def _body(tokens: Sequence[Token], start: int) -> set[int]:
    begin = next((at for at in range(start, min(start + 5, len(tokens))) if tokens[at].word == "{"), len(tokens))
    depths = accumulate((token.word == "{") - (token.word == "}") for token in tokens[begin:])
    end = next((at for at, depth in enumerate(depths, begin) if depth == 0), begin)
    return set(range(begin + 1, end))
