"""Read notebooks, scripts and listings: calls with the values of their arguments, and the results of functions."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import groupby, islice, pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.claims.code.expressions import Names, called_name, constant_value, last_name
from grader.claims.code.follower import Follower
from grader.claims.code.liveness import dead_nodes, idle_lines, idle_nodes
from grader.claims.code.model import (
    LONGEST_QUOTE,
    Call,
    CodeCell,
    Command,
    EvaluatedCall,
    Function,
    Gap,
    Piece,
    ShellText,
    Text,
    parameters,
)
from grader.claims.code.shell import (
    ShellCommand,
    Variables,
    commands_in,
    interpolate_values,
    script_text,
    settings_files,
    with_scripts,
    with_settings,
)
from grader.claims.code.syntax import SHELL, Tree, exported_pieces, gap_lines, session, tree_of
from grader.claims.code.values import (
    ALL,
    FROZEN,
    TRAINABLE,
    UNKNOWN,
    Kind,
    Routine,
    Value,
    short_source,
    source_of,
    text_of,
)
from grader.claims.passage import Passage
from grader.language import lexicon
from grader.reading.document import Block, BlockKind, Document
from grader.reading.notebook import Cell, CellKind, Notebook, listed_text

LONGEST_TEXT: Final = 4_000
_MOST: Final = 300
"""The most functions, commands or texts of one cell, and printed texts, that are examined."""
WHOLE: Final = re.compile(r"(?<![\w.])(?:\d{1,3}(?:[,_' ]\d{3}){1,4}|\d{1,15})(?![\d])")
_COUNTABLE: Final = {str(number) for number in (TRAINABLE, FROZEN, ALL)}


def functions_of(
    follower: Follower, nodes: Sequence[ast.AST], home: int, dead: frozenset[int], piece: Piece
) -> list[Function]:
    """Return the functions among the nodes of a cell, each followed with unknown arguments."""
    found: list[Function] = []
    for node in nodes:
        routine = follower.routines.get(id(node))
        if routine is None and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            routine = Routine(node.name, node, home)
        if routine and len(found) < _MOST:
            found.append(_function(follower, routine, piece, dead=id(node) in dead))
    return found


def _function(follower: Follower, routine: Routine, piece: Piece, *, dead: bool) -> Function:
    node = routine.node
    before = len(follower.made)
    paths = follower.summary(routine)
    prints = [made.text for made in follower.made[before:] if not made.name]
    del follower.made[before:]
    returned = [text for path in paths if path.value is not None for text in _texts_of(path.value)]
    returns = list(dict.fromkeys(text[:LONGEST_TEXT] for text in returned))
    body = (
        []
        if isinstance(node, ast.Lambda)
        else [
            statement
            for statement in node.body
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        ]
    )
    return Function(
        name=routine.name,
        parameters=tuple(parameters(node.args)),
        strings=tuple(text for statement in body for text in _strings_of(statement)),
        names=_names(node),
        returns=tuple(returns),
        prints=tuple(dict.fromkeys(printed_text[:LONGEST_TEXT] for printed_text in prints)),
        counted=countable_numbers("\n".join([*returns, *prints])),
        changes=_changes(node),
        dead=dead,
        is_empty=not isinstance(node, ast.Lambda) and all(_does_nothing(statement) for statement in body),
        evidence=piece.evidence(node.lineno),
    )


def _texts_of(value: object) -> Iterator[str]:
    """Yield the text of a returned value; of a sequence of new texts, each."""
    texts = [entry for entry in value.values() if isinstance(entry, str)] if isinstance(value, dict) else []
    yield from texts or [text_of(value)]


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return):
        return node.value is None or (isinstance(node.value, ast.Constant) and not node.value.value)
    return isinstance(node, ast.Pass | ast.Raise)


def _strings_of(node: ast.AST) -> Iterator[str]:
    """Return the string constants in order, with an f-string as one and `{}` for its placeholders."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _strings_of(child)


def _changes(function: ast.AST) -> frozenset[str]:
    """Return the attributes that a function sets, also by in-place methods such as `requires_grad_`."""
    attributes = [node for node in ast.walk(function) if isinstance(node, ast.Attribute)]
    stored = {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    return frozenset(stored | {node.attr.rstrip("_") for node in attributes if node.attr.endswith("_")})


def _names(function: ast.AST) -> frozenset[str]:
    nodes = list(ast.walk(function))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return frozenset(attributes | {node.id for node in nodes if isinstance(node, ast.Name)})


def countable_numbers(text: str) -> frozenset[int]:
    """Return the numbers of the model for counting that a text contains."""
    found = {re.sub(r"\D", "", match) for match in WHOLE.findall(text)}
    return frozenset(int(number) for number in found & _COUNTABLE)


_MOST_CALLS: Final = 2_000
"""The most calls of one cell, or shell lines of one file."""


def calls_of(
    follower: Follower, statements: Sequence[ast.stmt], nodes: Sequence[ast.AST], dead: frozenset[int], piece: Piece
) -> Iterator[Call]:
    """Yield the calls among the nodes of a cell. A call that is reached with several values is yielded once for
    each."""
    within = _within(statements)
    for node in islice((candidate for candidate in nodes if isinstance(candidate, ast.Call)), _MOST_CALLS):
        for called in follower.calls.get(id(node)) or [_not_followed(node)]:
            name = follower.aliases.get(called.name, called.name)
            if name != SHELL:
                call = _call(name, called, follower.settings.get(id(node), {}), piece)
                yield call.model_copy(update={"dead": id(node) in dead, "within": within.get(id(node), "")})


def _call(name: str, called: EvaluatedCall, settings: Mapping[str, Value], piece: Piece) -> Call:
    node = called.node
    given, keywords = called.given, {**called.keywords, **settings}
    if name == "from_dict" and isinstance(node.func, ast.Attribute) and last_name(node.func.value)[:1].isupper():
        # `BertConfig.from_dict({...})` makes a configuration, like `BertConfig(...)`.
        name = last_name(node.func.value)
        keywords = {**(given[0] if given and isinstance(given[0], dict) else {"**": UNKNOWN}), **settings}
        given = ()
    entries: Mapping[str, Value] = {}
    match (*given, *called.keywords.values()):
        case (dict() as table,) if not isinstance(table, Kind):
            entries = table
    return Call(
        name=name,
        keywords=_quoted(keywords),
        arguments=tuple(source_of(value)[:LONGEST_QUOTE] for value in given),
        open="**" in keywords or any(isinstance(arg, ast.Starred) for arg in node.args),
        own=called.is_own,
        entries=_quoted(entries),
        evidence=piece.evidence(node.lineno),
    )


def _quoted(values: Mapping[str, Value]) -> dict[str, str]:
    """Return values by name as code shows them, without unnamed ones."""
    return {str(key): source_of(value)[:LONGEST_QUOTE] for key, value in values.items() if key != "**"}


def _not_followed(node: ast.Call) -> EvaluatedCall:
    keywords: dict[str, Value] = {
        keyword.arg or "**": keyword.value.value if isinstance(keyword.value, ast.Constant) else UNKNOWN
        for keyword in node.keywords
    }
    return EvaluatedCall(node, 0, called_name(node.func, None) or short_source(node.func), (), keywords)


def _within(statements: Sequence[ast.stmt]) -> dict[int, str]:
    """Return the name of the function or class that contains each call. A decorator uses what it decorates."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    outer = [statement for statement in statements if isinstance(statement, kinds) and not statement.decorator_list]
    return {
        id(node): candidate.name for candidate in outer for node in ast.walk(candidate) if isinstance(node, ast.Call)
    }


_STEPS: Final = 40_000
"""The most expressions and statements that are followed in one file."""

_LEAST_TYPED: Final = 10_000


def notebook_code(notebook: Notebook) -> Iterator[CodeCell]:
    """Return the code cells of a notebook, followed in order."""
    yield from _cells([_piece(notebook.file, cell) for cell in notebook.cells if _is_code(cell)])


def document_code(document: Document, *, is_made: bool = False) -> Iterator[CodeCell]:
    """Return the code that a document shows, one cell for each sequence of code lines.

    A document that shows what a listing printed was made by running its listings, as R Markdown does. `is_made`: its
    source was handed in, too.
    """
    if made := _with_printed(document, is_made=is_made and _has_figure(document)):
        yield from _cells(made)
        return
    groups = groupby(document.blocks, key=lambda block: block.kind is BlockKind.CODE)
    runs = [list(group) for is_code, group in groups if is_code]
    listed = ((run[0].line or 1, listed_text(run)) for run in runs)
    yield from _cells([piece for line, text in listed for piece in _pieces(document.file, line, text)])


def _has_figure(document: Document) -> bool:
    return any(block.kind is BlockKind.FIGURE for block in document.blocks)


def _with_printed(document: Document, *, is_made: bool) -> list[Piece]:
    """Return the listings of a document with what they printed, or nothing if it was not made by running them.

    Each line of such an output begins with two signs of a comment.
    """
    listings = [(part[0].line if part else None, listed_text(part)) for part in _listings(document.blocks)]
    found: list[Piece] = []
    for (_, before), (line, text) in pairwise([(None, ""), *listings]):
        if not _PRINTED.fullmatch(text):
            found += [Piece(document.file, None, line, text, ran=True)] if text else []
        elif before and not _PRINTED.fullmatch(before):
            output = re.sub(r"(?m)^\s*##\s?", "", text)
            found[-1] = replace(found[-1], output=output, error=_error_in(output))
    return found if is_made or any(piece.output for piece in found) else []


_PRINTED: Final = re.compile(r"\s*##(?:[ \t].*)?(?:\s*\n\s*##(?:[ \t].*)?)*\s*")


def _error_in(output: str) -> str | None:
    return output if output.startswith("Error") else None


def _listings(blocks: Iterable[Block]) -> list[list[Block]]:
    """Return the listings in some blocks. An empty one stands for the text or figure between two of them."""
    found: list[list[Block]] = []
    last: Block | None = None
    for block in blocks:
        if block.kind is BlockKind.CODE:
            if last is None or (block.line or 0) - (last.line or 0) >= _FENCES:
                found.append([])
            found[-1].append(block)
        elif block.text.strip() or block.kind is BlockKind.FIGURE:
            found.append([])
        last = block if block.kind is BlockKind.CODE else None
    return found


_FENCES: Final = 3
"""The fewest lines from the end of a listing in Markdown to the beginning of the next one."""


def shown_functions(passage: Passage, name: str) -> Iterator[CodeCell]:
    """Return the functions with a name, and loops over parameters, that a page shows as lines of text.

    The sums of a loop begin at 0 and are printed. The horizontal position of a line shows its indentation. A line left
    of the first line of the body begins the next paragraph.
    """
    blocks = passage.blocks
    opening = re.compile(rf"\s*(?:def\s+{re.escape(name)}\s?\(|for\s.+\sin\s.+parameters\(\)\)?:$)")
    for index, first in enumerate(blocks):
        if first.box is None or not opening.match(first.text):
            continue
        left, lines = first.box[0], [first.text.strip()]
        inner: list[float] = []
        for block in blocks[index:][1:_MOST]:
            inner += [block.box[0] - left] if block.box else []
            if block.box is None or inner[-1] < max(_SET_IN, inner[0] - 1):
                break
            lines.append(f"{' ' * round(inner[-1])}{block.text.strip()}")
        source = "\n".join(lines).translate(_PLAIN_QUOTES)
        sums = dict.fromkeys(_SUM.findall(source)) if source.startswith("for") else ()
        if sums:
            source = f"{' = '.join(sums)} = 0\n{source}\nprint({', '.join(sums)})"
        place = passage.evidence(passage.offset_of(index))
        for cell in _cells([Piece(passage.file, None, 1, source)]):
            own_functions = tuple(function.model_copy(update={"evidence": place}) for function in cell.functions)
            yield cell.model_copy(update={"functions": own_functions, "gaps": ()})


_SUM: Final = re.compile(r"^\s*(\w+)\s*\+=", re.MULTILINE)
_SET_IN: Final = 2.0
"""The least indentation of a function's body, in points."""
_PLAIN_QUOTES: Final = str.maketrans("‘’“”", "''\"\"")


def _pieces(file: str, line: int, text: str) -> list[Piece]:
    """Return the pieces of a listing: inputs of an interpreter with their output, and shell cells of an exported
    notebook."""
    inputs = session(text)
    if inputs:
        return [Piece(file, None, line + at, source, output, ran=True) for at, source, output in inputs]
    parts = exported_pieces(text, line) if file.endswith(".py") else [(line, text)]
    return [Piece(file, None, *part) for part in parts]


def _is_code(cell: Cell) -> bool:
    return cell.kind is CellKind.CODE and bool(cell.source.strip())


def _piece(file: str, cell: Cell) -> Piece:
    order = cell.execution_count
    source = cell.source.replace("\r\n", "\n")
    return Piece(file, cell.index, None, source, cell.output, order is not None or bool(cell.output), cell.error, order)


def _cells(pieces: Sequence[Piece]) -> Iterator[CodeCell]:
    trees = [tree_of(piece.source) for piece in pieces]
    follower = Follower([tree.prepared.shell for tree in trees], _STEPS)
    for home, tree in enumerate(trees):
        follower.follow(tree.statements, home)
    nodes = [tree.nodes() for tree in trees]
    dead = dead_nodes(trees, nodes, follower.unreached_statements())
    idle = idle_nodes(trees, nodes, dead, is_notebook=any(piece.cell is not None for piece in pieces))
    functions = [functions_of(follower, nodes[home], home, dead, piece) for home, piece in enumerate(pieces)]
    commands = _commands(follower, trees, pieces, idle)
    texts = _texts(follower, pieces)
    for home, (piece, tree) in enumerate(zip(pieces, trees, strict=True)):
        printed = "\n".join(made.text for made in follower.made if made.caller == home and not made.name)
        yield CodeCell(
            file=piece.file,
            cell=piece.cell,
            source=piece.source,
            output=piece.output,
            ran=piece.ran and not tree.prepared.is_written,
            error=piece.error,
            whole=tree.whole,
            calls=tuple(calls_of(follower, tree.statements, nodes[home], dead, piece)),
            functions=tuple(functions[home]),
            commands=tuple(commands[home][:_MOST]),
            texts=tuple(texts[home][:_MOST]),
            gaps=tuple(Gap(evidence=piece.evidence(line)) for line in gap_lines(piece.source, whole=tree.whole)),
            counted=countable_numbers(
                "\n".join((printed, *(str(total) for (at, _), total in follower.sums.items() if at == home)))
            ),
            names=frozenset(_names_in_cell(nodes[home])),
            typed=frozenset(_typed(nodes[home], commands[home])),
            prints=printed[:LONGEST_TEXT],
            order=piece.order,
            idle=frozenset((piece.line or 1) + line - 1 for line in idle_lines(tree, nodes[home], idle)),
        )


def _commands(
    follower: Follower, trees: Sequence[Tree], pieces: Sequence[Piece], idle: Set[int]
) -> list[list[Command]]:
    """Return the commands of each cell: those of its lines, and of functions in earlier cells that it calls."""
    found: list[list[Command]] = [[] for _ in pieces]
    exported: Variables = {}
    for home, tree in enumerate(trees):
        if tree.prepared.shell_cell is not None:
            found[home] += _placed(commands_in(tree.prepared.shell_cell, {}), pieces[home], 1)
        elif pieces[home].cell is None:
            script = script_text(pieces[home].file, pieces[home].source)
            if script is None and all(_is_difference(statement) for statement in tree.statements):
                script = pieces[home].source
            found[home] += _placed(commands_in(script or "", {}), pieces[home], 1)
    for call in follower.shelled[:_MOST_CALLS]:
        is_inlined = call.standalone is not None and call.standalone in follower.inlined
        if len(found[call.caller]) < _MOST and not is_inlined:
            made = _shelled(follower, call, exported, pieces[call.home])
            found[call.caller] += (
                command.model_copy(update={"is_idle": True}) if call.node in idle else command for command in made
            )
    settings = settings_files(pieces, follower.calls.values())
    filled = [
        [
            command.model_copy(update={"words": with_settings(command.words, settings)}) if settings else command
            for command in commands
        ]
        for commands in found
    ]
    return with_scripts([piece.source for piece in pieces], filled)


def _is_difference(node: ast.stmt) -> bool:
    """Whether a Python statement could also be a shell command: `some-train --lr` is a difference in Python."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.BinOp)


def _shelled(follower: Follower, call: ShellText, exported: Variables, piece: Piece) -> Iterator[Command]:
    if isinstance(call.text, tuple):
        yield Command(words=call.text, evidence=piece.evidence(call.line))
        return
    text = interpolate_values(call.text, lambda source: _expression(follower, source, call.names), call.names)
    yield from _placed(commands_in(text, exported), piece, call.line)


def _placed(commands: Iterable[ShellCommand], piece: Piece, first: int) -> Iterator[Command]:
    """Return commands with their places in a piece of code whose text begins at a line."""
    for command in commands:
        place = piece.evidence(first + command.line)
        yield Command(
            words=command.words, evidence=place, sent_to=command.writes, is_idle=command.is_idle, script=command.script
        )


def _expression(follower: Follower, source: str, names: Names) -> object:
    """Return the value of an expression in braces, or None."""
    try:
        return follower.value(ast.parse(source.strip(), mode="eval").body, dict(names))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _texts(follower: Follower, pieces: Sequence[Piece]) -> list[list[Text]]:
    found: list[list[Text]] = [[] for _ in pieces]
    for made in follower.made[:_MOST_CALLS]:
        text = made.text[:LONGEST_TEXT]
        found[made.home].append(Text(name=made.name, text=text, evidence=pieces[made.home].evidence(made.line)))
    return found


def _names_in_cell(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]


def _typed(nodes: Iterable[ast.AST], commands: Iterable[Command]) -> Iterator[int]:
    """Return the large numbers that are written in code."""
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    texts = [
        text_of(constant_value(constant))[:LONGEST_TEXT] for constant in constants if isinstance(constant, str | int)
    ]
    texts += [" ".join(command.words)[:LONGEST_TEXT] for command in commands]
    for match in (match for text in texts for match in WHOLE.findall(text)):
        value = int(re.sub(r"\D", "", match))
        if value >= _LEAST_TYPED:
            yield value


class ShownValue(NamedTuple):
    """A printed value of an expression: the source of the expression, and the value's place in the output."""

    name: str
    start: int
    end: int


_LONGEST_NAME: Final = 200
_LONGEST_LINE: Final = 300
_MOST_VALUES: Final = 8
_MOST_LINES: Final = 200
_NOTHING: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})


def shown_values(source: str, output: str, returned: Mapping[str, Sequence[str]] = _NOTHING) -> list[ShownValue]:
    """Return the values in an output if each line is printed by one statement: a `print` or the last expression.

    `returned` are the names of the values that functions return. Lines that no statement can have printed are a
    function's and do not count. Return nothing if a loop, a condition or a function may print, or if the lines do not
    match the statements.
    """
    lines = [match for match in re.finditer(r"[^\n]+", output) if match.group().strip()]
    *before, last = tree_of(source).statements or (ast.Pass(),)
    shows = [statement.value for statement in before if isinstance(statement, ast.Expr) and _is_print(statement.value)]
    shows += [last.value] if isinstance(last, ast.Expr) else []
    every = sum(_is_print(node) for statement in (*before, last) for node in ast.walk(statement))
    forms = [_shown_as(expression, returned) for expression in shows]
    if len(lines) > len(shows):
        patterns = [rf"\s*{pattern}\s*" for pattern, _ in forms]
        likely = (line for line in lines[:_MOST_LINES] if len(line.group()) <= _LONGEST_LINE)
        lines = [line for line in likely if any(re.fullmatch(pattern, line.group()) for pattern in patterns)]
    if len(shows) != len(lines) or every != sum(map(_is_print, shows)):
        return []
    found: list[ShownValue] = []
    for line, (pattern, names) in zip(lines, forms, strict=True):
        is_short = len(line.group()) <= _LONGEST_LINE and len(names) <= _MOST_VALUES
        match = re.fullmatch(rf"\s*{pattern}\s*", line.group()) if is_short else None
        if match is None:
            return []
        found += [
            ShownValue(name, line.start() + match.start(number), line.start() + match.end(number))
            for number, name in enumerate(names, 1)
        ]
    return found


def returned_names(sources: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the names of the values that functions return together, `return error, loss`, by function."""
    statements = (node for source in sources for node in tree_of(source).statements)
    functions = (node for node in statements if isinstance(node, ast.FunctionDef))
    return {function.name: names for function in functions if (names := _returned_together(function))}


def _returned_together(function: ast.FunctionDef) -> tuple[str, ...]:
    returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    parts = returns[0].elts if len(returns) == 1 and isinstance(returns[0], ast.Tuple) else []
    names = tuple(part.id for part in parts if isinstance(part, ast.Name))
    return names if len(names) == len(parts) else ()


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def _shown_as(shown: ast.expr, returned: Mapping[str, Sequence[str]]) -> tuple[str, list[str]]:
    """Return a pattern for the line that an expression prints, with a group for each value, and the values' sources.

    The value that a function returns under a name has that name, with the part of the data in the call's arguments.
    """
    if isinstance(shown, ast.Call) and (together := returned.get(last_name(shown.func))):
        names = [
            node.id for node in shown.args if isinstance(node, ast.Name) and lexicon.search(_PART_OF_DATA, node.id)
        ]
        return r"\(" + r",\s".join(r"(\S{1,60}?)" for _ in together) + r"\)", [
            " ".join((*names, source)) for source in together
        ]
    if isinstance(shown, ast.Call) and _is_print(shown):
        parts, between, around = shown.args, r"\s", ("", "")
    elif isinstance(shown, ast.Tuple):
        parts, between, around = shown.elts, r",\s", (r"\(", r"\)")
    else:
        parts, between, around = [shown], "", ("", "")
    sources: list[str] = []
    pieces = [_part_of_line(part, sources) for part in parts]
    return around[0] + between.join(pieces) + around[1], sources


_PART_OF_DATA: Final = "<training_part|validation_part|test_part>"


def _part_of_line(part: ast.expr, names: list[str]) -> str:
    """Return the pattern for one part of a line. The sources of its values are appended to `names`."""
    if isinstance(part, ast.Constant):
        return re.escape(str(part.value))
    if isinstance(part, ast.JoinedStr):
        return "".join(
            _part_of_line(value.value if isinstance(value, ast.FormattedValue) else value, names)
            for value in part.values
        )
    names.append(ast.unparse(part)[:_LONGEST_NAME])
    return r"(\S{1,60}?)"
