"""The check `code-asked`: code calls what it should, avoids what it must not use, and has the required form.

Code is read, never run. Other checks and tests judge its results.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.decide import decided_by_parts
from grader.checks.feedback import GAP, Reason, left_to_person
from grader.checks.finding import Finding, Status
from grader.claims.answer import Answer, Kind
from grader.claims.code.pieces import LOOPS, Code, Definition, Node, Piece, called_name
from grader.lab.definition import Lab
from grader.language.folding import fold_text
from grader.message import Words, join_messages, say
from grader.reading.document import Evidence

_MATRIX: Final = "@"
_HIDDEN_LOOPS: Final = frozenset({
    "map", "reduce", "vectorize", "frompyfunc", "apply_along_axis", "apply_over_axes", "fromiter", "iterrows",
    "itertuples", "apply", "applymap",
})  # fmt: skip
"""Calls that process values one by one."""
_UNFOLLOWED: Final = frozenset({"eval", "exec", "getattr", "__import__", "globals", "locals"})
_DRAWING: Final = frozenset({
    "plot", "scatter", "bar", "barh", "hist", "hist2d", "imshow", "matshow", "boxplot", "violinplot", "contour",
    "contourf", "pie", "errorbar", "fill_between", "step", "stem", "semilogx", "semilogy", "loglog", "pcolormesh",
    "quiver", "heatmap", "lineplot", "scatterplot", "barplot", "histplot", "line", "plot_surface", "hexbin", "area",
    "distplot", "displot", "kdeplot", "kde", "density", "rugplot", "ecdfplot", "relplot", "catplot", "countplot",
    "stripplot", "swarmplot", "boxenplot", "pointplot", "factorplot", "regplot", "residplot", "lmplot", "pairplot",
    "jointplot", "clustermap", "scatter_matrix",
})  # fmt: skip
_PLOT_CALLS: Final = {
    "title": ("title", "set_title", "suptitle"),
    "xlabel": ("xlabel", "set_xlabel"),
    "ylabel": ("ylabel", "set_ylabel"),
    "legend": ("legend",),
    "grid": ("grid",),
}
_SEABORN: Final = ("sns", "seaborn")
Label = Literal["title", "xlabel", "ylabel", "legend", "grid"]


class _Part(NamedTuple):
    """One requirement.

    `holds` says whether it is satisfied, None if that is open; `lacking` is the message if it is not. `is_ban`:
    something must not be there. `names`: one of them must be called.
    """

    holds: bool | None
    lacking: Words
    places: tuple[Evidence, ...] = ()
    is_ban: bool = False
    names: tuple[str, ...] = ()


class _Asked(NamedTuple):
    """The options of the check."""

    calls: tuple[tuple[str, ...], ...]
    without: tuple[str, ...]
    loops: bool | None
    signature: tuple[str, ...]
    plot: tuple[Label, ...]
    function: str
    code: tuple[str, ...]


@check("code-asked", kinds=(Kind.CODE,))
def code_asked(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    function: str = "",
    code: tuple[str, ...] = (),
    calls: tuple[tuple[str, ...], ...] = (),
    without: tuple[str, ...] = (),
    loops: bool | None = None,
    signature: tuple[str, ...] = (),
    plot: tuple[Label, ...] = (),
) -> Iterator[Conclusion]:
    """The code is written in the way that was asked for.

    - `function`: the function, method (`Class.method`) or class. Without it, the code cells below the question's
      heading count.
    - `code`: instead, words; every cell with at least one of them counts.
    - `calls`: lists of names. One name of each list must be called: `[["sum"], ["dot", "@"]]` requires `sum`, and `dot`
      or `@`. `dot` is any function or method of that name, `numpy.dot` that of the library, and `@` the matrix product.
    - `without`: names that must not be called or passed on.
    - `loops`: `false` if loops and comprehensions are forbidden, `true` if one is required.
    - `signature`: the names of the parameters in order, without `self`. Further parameters need a default.
    - `plot`: what a plot must have.

    Decides: whether the student's code, with the student's functions that it calls, meets each requirement. A function
    that is passed to another one counts as called. Cells count together with assignments in other cells to their
    variables. Code that is never reached does not count. If only some requirements are met, they earn their share.
    Obeying a prohibition (`without`, `loops = false`) earns nothing if all other requirements fail. A function that is
    unchanged from the handout, or does nothing, is `missing`. For results, use `printed-value` or a `witness`.

    Leaves to people: code that cannot be parsed; a requirement that is met only inside a function of the handout, in
    code that nothing uses, or in a cell outside all questions; dynamic names and hidden loops such as `np.vectorize`;
    several functions of that name; a function that ignores its parameters; and calls whose result is not used.

    Example:
        function = "svm_loss_vectorized"
        calls = [["numpy.dot", "dot", "matmul", "@"]]
        loops = false
        without = ["numpy.vectorize"]
    """
    asked = _Asked(calls, without, loops, signature, plot, function, code)
    finding = Finding(item=item, status=Status.REVIEW)
    parsed = Code(answer.code)
    pieces = parsed.definitions_of(function) if function else _cells(parsed, answer, lab.question_of(item), code)
    broken = parsed.unread(function) if function else [piece.evidence for piece in pieces if not piece.home.tree.whole]
    filled = [piece for piece in pieces if not piece.is_empty]
    if filled and not broken:
        yield _judged(finding, filled, parsed, asked, _of_no_other(parsed, answer, lab, item, filled))
    elif broken:
        message = say("The code could not be parsed.")
        yield finding.with_changes(evidence=tuple(broken[:3]), feedback=message)
    elif pieces:
        yield _left_open(finding, pieces, parsed, answer, asked)
    else:
        yield concluded_absent(finding, absence(answer, lab, item))


def _cells(parsed: Code, answer: Answer, question: str, words: Sequence[str]) -> list[Piece]:
    """Return the cells that contain some words, or without words those below the question's heading."""
    if words:
        fits = [
            candidate
            for candidate in parsed.parsed
            if any(_closed_up(word) in _closed_up(candidate.cell.as_handed_in) for word in words)
        ]
    else:
        below = _below(answer, question)
        fits = [candidate for candidate in parsed.parsed if (candidate.cell.file, candidate.cell.cell) in below]
    return [Piece(fit, fit.tree.statements) for fit in fits if fit.tree.statements]


def _whole_cells(parsed: Code) -> list[Piece]:
    return [Piece(candidate, candidate.tree.statements) for candidate in parsed.parsed if candidate.tree.statements]


def _of_no_other(parsed: Code, answer: Answer, lab: Lab, item: str, pieces: Sequence[Piece]) -> list[Piece]:
    """Return the statements of notebooks without the cells of other questions, and without the functions of other
    items. The cells of `pieces`, which answer the item, belong to no other question."""
    question = lab.question_of(item)
    named = {candidate.options.get("function", "").partition(".")[0] for candidate in lab.items}
    others = {lab_question.id for lab_question in lab.questions} - {question}
    taken = {place for other in others for place in _below(answer, other)} - _below(answer, question)
    taken -= {(piece.home.cell.file, piece.home.cell.cell) for piece in pieces}
    return [
        Piece(home, (statement,))
        for home in parsed.parsed
        if home.cell.is_notebook and (home.cell.file, home.cell.cell) not in taken
        for statement in home.tree.statements
        if not (isinstance(statement, Definition) and statement.name in named)
    ]


def _closed_up(code: str) -> str:
    """Return code without spaces, because `x = 1` may be written `x=1`."""
    return fold_text(code).replace(" ", "")


def _below(answer: Answer, question: str) -> set[tuple[str, int | None]]:
    """Return the cells below the heading of a question, up to the next heading of another question."""
    found: set[tuple[str, int | None]] = set()
    is_own, file = False, ""
    for section in (*answer.sections, *answer.noted):
        # A section without a title continues the previous section of the file.
        is_own = question in section.questions or (is_own and not section.title and section.passage.file == file)
        file = section.passage.file
        blocks = section.passage.blocks if is_own else ()
        found |= {(block.file or file, block.cell) for block in blocks if block.cell is not None}
    return found


def _left_open(finding: Finding, pieces: Sequence[Piece], parsed: Code, answer: Answer, asked: _Asked) -> Finding:
    """Return the finding for unchanged code. It goes to review if other code calls what this code should."""
    every = parsed.nodes_of(_whole_cells(parsed))
    elsewhere = [place for names in asked.calls for place in _called(every, names, parsed, "").places][:3]
    finding = finding.with_changes(evidence=(*(piece.evidence for piece in pieces[:2]), *elsewhere))
    if elsewhere or answer.gaps:
        message = say("This code was not filled in, but other code may do what was asked for.")
        return finding.with_changes(feedback=left_to_person(message))
    return finding.with_changes(status=Status.MISSING, feedback=GAP)


def _judged(finding: Finding, pieces: Sequence[Piece], parsed: Code, asked: _Asked, beside: Sequence[Piece]) -> Finding:
    """Return the verdict on some pieces of code: cells together, functions of one name separately.

    `beside` are the pieces that belong to no other question.
    """
    several = [[piece] for piece in pieces] if asked.function else [list(pieces)]
    judged = [list(_parts(group, parsed, asked, beside)) for group in several]
    first, verdicts = judged[0], [_verdicts(parts) for parts in judged]
    places = dict.fromkeys((pieces[0].evidence, *(place for part in first for place in part.places)))
    lacking = join_messages(" ", [part.lacking for part in first if part.holds is not True])
    reasons = (
        _SEVERAL.keep_if(any(verdict != verdicts[0] for verdict in verdicts)),
        Reason(lacking, is_likely=False).keep_if(None in verdicts[0]),
        _FAILED.keep_if(_has_failed(pieces, parsed, asked, verdicts[0], beside)),
        _IDLE.keep_if(not all(map(_uses_parameters, pieces))),
    )
    message = lacking or say("The code is written as asked.")
    return decided_by_parts(finding.with_changes(evidence=tuple(places)[:4]), verdicts[0], message, *reasons)


def _has_failed(
    pieces: Sequence[Piece], parsed: Code, asked: _Asked, verdict: Sequence[bool | None], beside: Sequence[Piece]
) -> bool:
    """Whether a cell ended with an error, and the verdict would differ without it."""
    sound = [piece for piece in pieces if not piece.home.cell.error]
    if not sound or asked.function:
        return len(sound) < len(pieces)
    return len(sound) < len(pieces) and _verdicts(list(_parts(sound, parsed, asked, beside))) != verdict


def _verdicts(parts: Sequence[_Part]) -> list[bool | None]:
    """Return whether each requirement is satisfied. Bans count only if the code satisfies some other requirement."""
    wanted = [part.holds for part in parts if not part.is_ban]
    is_nothing = True not in wanted if wanted else any(part.holds is False for part in parts)
    return [False if is_nothing and part.holds else part.holds for part in parts]


_SEVERAL: Final = Reason(say("There are several functions of this name, and they differ."), is_likely=False)
_UNUSED: Final = say("Nothing uses the function or class that does this.")
_FAILED: Final = Reason(say("The cell ended in an error."))
_IDLE: Final = Reason(say("The function makes no use of its parameters."), is_likely=False)


def _parts(pieces: Sequence[Piece], parsed: Code, asked: _Asked, outside: Sequence[Piece]) -> Iterator[_Part]:
    """Yield each requirement with whether the pieces and the functions that they call satisfy it.

    For cells, related statements in other cells count as well. Code of the handout, and code `outside` that belongs to
    no other question, leaves a requirement open.
    """
    own_parts = _parts_in_use(pieces, parsed, asked)
    given = _parts_in(parsed.nodes_of(pieces, with_given=True), pieces, parsed, asked)
    beside = [] if asked.function else parsed.nodes_of(parsed.related_statements(pieces))
    every = parsed.nodes_of(_whole_cells(parsed)) if asked.code else _own_nodes(outside)
    for part, other in zip(own_parts, given, strict=True):
        near = part
        if part.holds is False and part.names:
            near = _called(beside, part.names, parsed, part.lacking)
            is_elsewhere = near.holds is False and _called(every, part.names, parsed, "").holds
            near = near._replace(holds=None) if is_elsewhere else near
        is_given = near.holds is False and other.holds is True and not part.is_ban
        yield near._replace(holds=None) if is_given else near


def _own_nodes(pieces: Sequence[Piece]) -> list[Node]:
    """Return the nodes of some pieces, without the functions that they call."""
    return [(piece, node) for piece in pieces for node in piece.own]


def _parts_in_use(pieces: Sequence[Piece], parsed: Code, asked: _Asked) -> Iterator[_Part]:
    """Yield each requirement. It is open if only functions and classes that nothing uses satisfy it."""
    nodes = parsed.nodes_of(pieces)
    unused = set[int]() if asked.function else parsed.unused_nodes()
    used_parts = _parts_in([pair for pair in nodes if id(pair[1]) not in unused], pieces, parsed, asked)
    for part, used in zip(_parts_in(nodes, pieces, parsed, asked), used_parts, strict=True):
        is_unused = part.holds is True and not used.holds and not part.is_ban
        yield part._replace(holds=None, lacking=_UNUSED) if is_unused else part


def _parts_in(nodes: Sequence[Node], pieces: Sequence[Piece], parsed: Code, asked: _Asked) -> Iterator[_Part]:
    is_open = _may_otherwise(nodes, (), parsed)
    for names in asked.calls:
        found = _called(nodes, names, parsed, say("Not called: {names}.", names=", ".join(names)))
        is_unclear = _may_otherwise(nodes, names, parsed)
        yield found._replace(holds=None if is_unclear and not found.holds else found.holds, names=names)
    for name in asked.without:
        used = tuple(piece.home.evidence(node) for piece, node in nodes if _is_use(node, name, piece, parsed))[:2]
        text = say("The code uses {name}, which is not allowed.", name=name)
        yield _Part(None if is_open and not used else not used, text, used, is_ban=True)
    if asked.loops is not None:
        yield _looped(nodes, pieces, parsed, is_asked=asked.loops)
    if asked.signature:
        yield _signed(pieces[0], asked.signature)
    for label in asked.plot:  # the handout's functions may draw
        yield _labelled(nodes, parsed.nodes_of(pieces, with_given=True), label)


def _may_otherwise(nodes: Sequence[Node], names: Sequence[str], parsed: Code) -> bool:
    """Whether code may do what functions of some names do in another way: by calls that are not followed, or, if all of
    them draw, by another function that draws."""
    others = (*_UNFOLLOWED, *(_DRAWING if names and _DRAWING.issuperset(names) else ()))
    return _called(nodes, others, parsed, "").holds is not False


def _called(nodes: Sequence[Node], names: Sequence[str], parsed: Code, text: Words) -> _Part:
    """Return whether one of some names is called."""
    found = [(piece, node) for piece, node in nodes if _is_call(node, names, piece, parsed)]
    thrown = {id(node.value) for piece, node in nodes if piece.definition and isinstance(node, ast.Expr)}
    sure = [pair for pair in found if not _is_doubtful(pair[1], names, parsed, is_thrown=id(pair[1]) in thrown)]
    places = tuple(piece.home.evidence(node) for piece, node in (sure or found)[:2])
    return _Part(bool(sure) if sure or not found else None, text, places)


def _is_matrix_product(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult)


def _is_call(node: ast.AST, names: Sequence[str], piece: Piece, parsed: Code) -> bool:
    """Whether a node calls one of some names."""
    if isinstance(node, ast.Call):
        other = piece.other_names.get(called_name(node.func), node.func)
        called = (node.func, other, *_passed_on(node, parsed))
        return any(parsed.is_called(function, name, piece.home.cell.file) for function in called for name in names)
    return _MATRIX in names and _is_matrix_product(node)


def _passed_on(call: ast.Call, parsed: Code) -> list[ast.expr]:
    """Return the functions that are passed to another function, which calls them."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return [argument for argument in given if isinstance(argument, ast.Name) and parsed.definitions_of(argument.id)]


def _is_use(node: ast.AST, name: str, piece: Piece, parsed: Code) -> bool:
    """Whether a node names something forbidden, called or not."""
    if isinstance(node, ast.Name | ast.Attribute):
        return parsed.is_called(node, name, piece.home.cell.file)
    return name == _MATRIX and _is_matrix_product(node)


def _is_doubtful(node: ast.AST, names: Sequence[str], parsed: Code, *, is_thrown: bool) -> bool:
    """Whether a call may have no effect.

    The result of constants is discarded, or the name does not belong to the library: the student assigned it, or
    defined a function of this name that does nothing.
    """
    if not isinstance(node, ast.Call):
        return False
    if is_thrown and node.args and all(isinstance(arg, ast.Constant) for arg in node.args):
        return True
    root = called_name(node.func).partition(".")[0]
    own_pieces = parsed.definitions_of(root) if isinstance(node.func, ast.Name) else []
    if all("." in name for name in names):
        return root in parsed.set_names
    return bool(own_pieces) and all(piece.is_empty and not piece.is_given for piece in own_pieces)


def _looped(nodes: Sequence[Node], pieces: Sequence[Piece], parsed: Code, *, is_asked: bool) -> _Part:
    """Return whether there is a loop if one is required, or none if loops are forbidden."""
    places = tuple(piece.home.evidence(node) for piece, node in nodes if isinstance(node, LOOPS))[:2]
    if is_asked or places:
        text = say("There is no loop.") if is_asked else say("There is a loop.")
        return _Part(bool(places) is is_asked, text, places, is_ban=not is_asked)
    itself = [piece.definition.name for piece in pieces if piece.definition]
    hidden = _called(nodes, (*_HIDDEN_LOOPS, *itself), parsed, say("It may go through the values one by one."))
    return hidden._replace(holds=None if hidden.places else True, is_ban=True)


def _signed(piece: Piece, names: Sequence[str]) -> _Part:
    """Return whether a function has the required parameters. Further parameters must have defaults."""
    text = say("The parameters are not those that were asked for: {names}.", names=", ".join(names))
    parameters = piece.parameters
    if parameters is None:
        return _Part(None, text)
    return _Part(parameters[: len(names)] == tuple(names) and piece.needed <= len(names), text)


def _labelled(nodes: Sequence[Node], drawing: Sequence[Node], label: Label) -> _Part:
    """Return whether one of the nodes `drawing` draws a plot, and one of `nodes` sets its label."""
    drawn = (called_name(node.func) for _, node in drawing if isinstance(node, ast.Call))
    calls = [(piece, node) for piece, node in nodes if isinstance(node, ast.Call)]
    places = tuple(piece.home.evidence(node) for piece, node in calls if _sets(node, label))[:1]
    if any(name.rpartition(".")[2] in _DRAWING for name in drawn):
        return _Part(bool(places), say("The plot has no {label}.", label=label), places)
    return _Part(None if places else False, say("No plot was recognised."), places)


def _sets(call: ast.Call, label: Label) -> bool:
    """Whether a call sets a label: `plt.xlabel("epoch")`, `ax.set(xlabel="epoch")`. A legend and a grid need no
    value. Seaborn and the plots of a data frame write the name of a column along its axis."""
    name = called_name(call.func)
    is_named = name.split(".")[0] in _SEABORN or ".plot." in name
    sought = (label, label[0]) if label in ("xlabel", "ylabel") and is_named else (label,)
    given = next((keyword.value for keyword in call.keywords if keyword.arg in sought), None)
    if given is None and name.rpartition(".")[2] not in _PLOT_CALLS[label]:
        return False
    value = given or next(iter(call.args), None)
    if value is None:
        return label in ("legend", "grid")
    return not isinstance(value, ast.Constant) or bool(str(value.value or "").strip())


def _uses_parameters(piece: Piece) -> bool:
    """Whether a function computes something from one of its parameters, if it has any.

    Lines of the handout that use the student's results count as well.
    """
    names = piece.parameters
    if not names:
        return True
    within = (inner for node in piece.live if isinstance(node, _COMPUTING) for inner in ast.walk(node))
    return any(isinstance(node, ast.Name) and node.id in names for node in within)


_COMPUTING: Final = (
    *(ast.Call, ast.BinOp, ast.Compare, ast.Subscript, ast.Attribute, ast.UnaryOp, ast.AugAssign),
    *(ast.For, ast.comprehension),
)
