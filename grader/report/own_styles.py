"""Whether an instructor's own stylesheet can be read, and the files that it names are there."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.report.resources import find_template


class TemplatesError(Exception):
    """An instructor's templates cannot be used; the message names file and line and says what is wrong."""


def check_styles(path: Path, folder: Path) -> None:
    """Raises TemplatesError for the first thing in a stylesheet that is no CSS, or names a file that is not there."""
    import tinycss2

    rules = tinycss2.parse_stylesheet(path.read_text(encoding="utf-8"), skip_comments=True, skip_whitespace=True)
    for node in _nodes(rules):
        where = f"{path}, line {node.source_line}"
        if node.type == "error":
            raise TemplatesError(f"{where}: {node.message.rstrip('.')}.")
        if name := _named(node):
            _check_named(name, where, folder)


def _named(node: Any) -> str:
    """The file that a node names, if it names one: `url(…)`, quoted or not."""
    quoted = node.type == "function" and node.lower_name == "url" and node.arguments
    name = str(node.arguments[0].value if quoted else node.value if node.type == "url" else "")
    return "" if ":" in name or name.startswith("#") else name


def _check_named(name: str, where: str, folder: Path) -> None:
    try:
        find_template(name, folder)
    except (OSError, ValueError) as error:
        raise TemplatesError(f"{where}: there is no file {name[:200]!r} among the templates.") from error


def _nodes(nodes: Sequence[Any]) -> Iterator[Any]:
    """All nodes of parsed CSS, those inside rules and declarations too. Lines count from the file's start."""
    import tinycss2

    for node in nodes:
        yield node
        if node.type in ("qualified-rule", "at-rule") and node.content is not None:
            yield from _nodes(tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True))
        elif node.type == "declaration":
            yield from _nodes(node.value)
