"""Print how large and how hard to read the project is: `python -m scripts.house [FOLDER]`.

Functions and their complexity are counted with `ast`, comments with `tokenize`. The complexity of a function is one,
and one more for each branch, loop, handler, case, condition of a comprehension and further operand of a boolean
operation in it. Functions within it are counted apart.

Names and docstrings are counted with `ast`, too: `wording` counts what a reader has to read twice.
"""

import ast
import io
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
COMPLEX: Final = 10
"""Above this complexity a function is hard to follow."""
WORDED: Final = ("grader", "reference", "scripts")
"""Folders whose names and docstrings are counted."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_BRANCHES: Final = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)


EMPTY_NAMES: Final = frozenset(("one", "own", "said", "told", "known"))
"""Names of variables that say nothing about their values."""
_OPENINGS: Final = """
    By From How In Of That Those What Whatever When Whenever Where Wherever Which Whichever Who Whoever Whom Whose Why
"""
_IRREGULAR: Final = """
    begun bent bound bought broken brought built caught chosen done drawn driven fallen felt found given gone grown
    heard held hidden kept known laid led left lent lost made meant met paid proven ridden risen said seen sent shown
    sold sought spoken spun stated stuck taken taught thrown told torn understood won worn written
"""
_SMALL_WORDS: Final = """
    about above across after again ahead alike all alone along among anew apart around aside at away back bare before
    behind below beneath beside between beyond both by down each else elsewhere ever every few first for forth from here
    in inside into large larger largest last late least less like likely more most much near new next none nothing now
    of off on once only other others out outside over plain plainest right same several silent still such then there
    through to together under until unlike unsure up upon usual when where while whole why with within without wrong
"""
_NO_PARTICIPLES: Final = "bed embed exceed feed need proceed red seed shed speed succeed"
OPENINGS: Final = frozenset(_OPENINGS.split())
"""Words with which no docstring begins: the reader would have to keep them in mind until their noun or verb comes."""
BARE: Final = frozenset(_IRREGULAR.split()) | frozenset(_SMALL_WORDS.split())
"""Participles, prepositions, adverbs and adjectives: none of them names what a function gives or a class is."""


class Function(NamedTuple):
    """A function of a module, with its qualified name."""

    module: str
    name: str
    lines: int
    complexity: int


class Size(NamedTuple):
    """The measured size of a folder."""

    lines: int
    modules: int
    functions: tuple[Function, ...]
    patterns: int
    code: int
    comments: int

    @property
    def per_thousand(self) -> float:
        """Functions per 1,000 lines."""
        return 1000 * len(self.functions) / max(1, self.lines)

    @property
    def complex_share(self) -> float:
        """The share of functions above a complexity of `COMPLEX`."""
        return sum(function.complexity > COMPLEX for function in self.functions) / max(1, len(self.functions))

    @property
    def comments_per_hundred(self) -> float:
        """Lines with a comment per 100 lines of code."""
        return 100 * self.comments / max(1, self.code)


def size(*folders: Path) -> Size:
    """Measure the modules in some folders."""
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    texts = [(file, file.read_text(encoding="utf-8")) for file in files]
    trees = [(file, ast.parse(text)) for file, text in texts]
    line_counts = [_lines(text) for _, text in texts]
    return Size(
        lines=sum(text.count("\n") for _, text in texts),
        modules=sum(file.name != "__init__.py" or bool(text.strip()) for file, text in texts),
        functions=tuple(function for file, tree in trees for function in functions(tree, str(file))),
        patterns=sum(_patterns(tree) for _, tree in trees),
        code=sum(code for code, _ in line_counts),
        comments=sum(comments for _, comments in line_counts),
    )


def functions(tree: ast.AST, module: str, within: str = "") -> Iterator[Function]:
    """Every function in a tree, those within classes and functions, too."""
    for node in ast.iter_child_nodes(tree):
        is_function = isinstance(node, _Function)
        name = f"{within}{node.name}." if isinstance(node, (_Function, ast.ClassDef)) else within
        if isinstance(node, _Function):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Function(module, name.rstrip("."), lines, complexity(node))
        yield from functions(node, module, name if is_function or isinstance(node, ast.ClassDef) else within)


def complexity(function: ast.AST) -> int:
    """The number of independent ways through a function."""
    return 1 + sum(map(_ways, _own(function)))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of the functions within it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _Function):
            yield child
            yield from _own(child)


def _ways(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return int(isinstance(node, _BRANCHES))


_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _patterns(tree: ast.Module) -> int:
    """The regular expressions that are compiled where a module is loaded."""
    outside = (
        node for node in tree.body if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    )
    calls = (node for top in outside for node in ast.walk(top) if isinstance(node, ast.Call))
    return sum(isinstance(call.func, ast.Attribute) and ast.unparse(call.func) == "re.compile" for call in calls)


def _lines(text: str) -> tuple[int, int]:
    """Return how many lines hold code, and how many hold a comment that says something."""
    skipped = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
    code: set[int] = set()
    comments: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if not token.string.startswith(("# noqa", "# type:", "# fmt:", "#!", "# pragma")):
                comments.add(token.start[0])
        elif token.type not in skipped:
            code.update(range(token.start[0], token.end[0] + 1))
    return len(code), len(comments)


class Wording(NamedTuple):
    """Definitions, docstrings and variables that a reader has to read twice, each as `FILE:LINE name`."""

    bare_names: tuple[str, ...]
    docstrings: tuple[str, ...]
    variables: tuple[str, ...]


def wording(*folders: Path) -> Wording:
    """Find the names and docstrings in some folders that STYLE rules out.

    A bare name is a single participle, preposition, adverb or adjective that names a public class, function or method.
    Properties are attributes, and functions within functions are variables: neither counts. The docstrings of checks
    are sentences for students and do not count.
    """
    trees = [(file, ast.parse(file.read_text("utf-8"))) for folder in folders for file in sorted(folder.rglob("*.py"))]
    return Wording(
        tuple(f"{file}:{node.lineno} {node.name}" for file, tree in trees for node in bare_names(tree)),
        tuple(f"{file}:{line} {word}" for file, tree in trees for line, word in hanging_docstrings(tree)),
        tuple(f"{file}:{line} {name}" for file, tree in trees for line, name in empty_names(tree)),
    )


def bare_names(tree: ast.Module | ast.ClassDef) -> Iterator[_Function | ast.ClassDef]:
    """Yield the public definitions of a module or class whose names are a bare participle, preposition or adjective."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            is_attribute = any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
            if not node.name.startswith("_") and not is_attribute and is_bare(node.name):
                yield node
        if isinstance(node, ast.ClassDef):
            yield from bare_names(node)


def is_bare(name: str) -> bool:
    """Whether the name of a definition is a single word that is no noun and no verb."""
    if "_" in name or not name[1:].islower():  # several words
        return False
    word = name.lower()
    return word in BARE or (word.endswith("ed") and word not in _NO_PARTICIPLES.split())


def hanging_docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the first word of each docstring that begins with one of `OPENINGS`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            word = (ast.get_docstring(node) or "").partition(" ")[0].strip(",.:;")
            decorators = [] if isinstance(node, ast.Module) else map(ast.unparse, node.decorator_list)
            if word in OPENINGS and not any(decorator.startswith("check(") for decorator in decorators):
                yield getattr(node, "lineno", 1), word


def empty_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each binding of a variable called one of `EMPTY_NAMES`."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.Name(id=name, ctx=ast.Store())
                | ast.arg(arg=name)
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ) if name in EMPTY_NAMES:
                yield node.lineno, name


def report(root: Path) -> Iterable[str]:
    """A line for each figure."""
    house, tests = size(root / "grader"), size(root / "tests")
    words = wording(*(root / folder for folder in WORDED))
    core = size(root / "grader" / "claims", root / "grader" / "checks")
    yield f"lines in grader/                       {house.lines:8,}"
    yield f"modules in grader/                     {house.modules:8,}"
    yield f"functions per 1,000 lines              {house.per_thousand:8.1f}"
    yield f"functions above a complexity of {COMPLEX}     {house.complex_share:8.1%}"
    yield f"  in claims and checks                 {core.complex_share:8.1%}"
    yield f"regular expressions, claims and checks {core.patterns:8,}"
    yield f"lines of tests                         {tests.lines:8,}"
    yield f"comment lines per 100 lines of code    {house.comments_per_hundred:8.1f}"
    yield f"public names that are a bare participle {len(words.bare_names):7,}"
    yield f"docstrings without a noun or verb first {len(words.docstrings):7,}"
    yield f"variables called one, own, said …      {len(words.variables):8,}"


if __name__ == "__main__":
    print(*report(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT), sep="\n")
