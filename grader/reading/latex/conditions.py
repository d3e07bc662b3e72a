"""Conditions of TeX, ifthen and etoolbox, as far as a source alone decides them."""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from grader.reading.latex.arithmetic import evaluate_expression, length, number, points
from grader.reading.latex.tokens import KNOWN_COMMANDS, Kind, Stream, Token, source_text
from grader.reading.maths.tokens import names

if TYPE_CHECKING:
    from grader.reading.latex.expansion import Expansion

CHOICES: Final = {
    **dict.fromkeys(
        names(
            "ifthenelse iftoggle ifbool nottoggle notbool ifdef ifundef ifcsdef ifcsundef ifdefempty ifdefvoid"
            " ifstrempty ifblank notblank ifnumodd ifboolexpr IfFileExists @ifundefined @ifpackageloaded"
            " @ifclassloaded IfBooleanTF IfNoValueTF IfValueTF IfBlankTF IfPackageLoadedTF"
        ),
        1,
    ),
    **dict.fromkeys(names("ifstrequal ifnumequal ifnumgreater ifnumless ifdimequal ifdefequal ifdefstring"), 2),
    **dict.fromkeys(names("ifnumcomp ifdimcomp"), 3),
    **dict.fromkeys(("@ifstar",), 0),
}
"""Commands that choose one of two arguments, with the number of those before that say which."""

_RELATIONS: Final[Mapping[str, Callable[[float, float], bool]]] = {"<": operator.lt, "=": operator.eq, ">": operator.gt}
_SETTERS: Final[Mapping[str, tuple[str, bool | None]]] = {
    command: (kind, value)
    for kind in ("boolean", "bool", "toggle")
    for command, value in (
        (f"new{kind}", False), (f"provide{kind}", False), (f"{kind}false", False), (f"{kind}true", True),
        (f"set{kind}", None),
    )
}  # fmt: skip
"""Commands of ifthen and etoolbox that set a switch: its kind, and its value; None where the value follows."""
_NAMED: Final = {"ifnumequal": "=", "ifnumgreater": ">", "ifnumless": "<", "ifdimequal": "="}
_UNDEFINED: Final = frozenset({"undefined", "@undefined", "relax@undefined"})
_LONGEST_NAME: Final = 200
_PARTS: Final = 60


class Switches(NamedTuple):
    """The switches that a document sets, by the kind of command that sets them."""

    booleans: dict[str, bool]
    toggles: dict[str, bool]

    def set_by(self, command: str, stream: Stream) -> bool:
        """Whether a command, whose arguments follow, defines or sets a switch, which is then done."""
        if command not in _SETTERS:
            return False
        kind, value = _SETTERS[command]
        key = stream.words().strip()
        if value is None:
            value = stream.words().strip() == "true"
        (self.toggles if kind == "toggle" else self.booleans)[key] = value
        return True


def decide_condition(name: str, stream: "Expansion") -> bool | None:
    """Whether a condition of TeX holds; None where the source does not tell. What it is about follows in the stream and
    is passed."""
    switch = stream.definitions.switches.booleans.get(name[2:])
    if switch is not None:
        return switch
    match name:
        case "iftrue" | "iffalse":
            return name == "iftrue"
        case "ifmmode":
            return stream.is_in_maths
        case "ifx":
            return _same(stream)
        case "if":
            return _alike(stream)
        case "ifnum" | "ifdim":
            return _compared(stream, lambda: number(stream, stream.numbering) if name == "ifnum" else length(stream))
        case "ifodd":
            value = number(stream, stream.numbering)
            return None if value is None else value % 2 == 1
        case "ifdefined":
            token = _next(stream)
            return _is_defined(token.text if token else "", stream)
        case "ifcsname":
            return _is_defined(command_name(stream), stream)
    return None


def command_name(stream: Stream) -> str:
    """The name between `\\csname` and `\\endcsname`."""
    name = ""
    while len(name) < _LONGEST_NAME and (token := stream.take()) is not None:
        if token.kind is Kind.COMMAND and token.text == "endcsname":
            return name
        name += token.source
    return name


def _next(stream: Stream) -> Token | None:
    """The next token without expansion, of a text its first character."""
    while (token := stream.raw()) is not None and token.kind in (Kind.SPACE, Kind.NEWLINE):
        pass
    if token is not None and token.kind is Kind.TEXT and len(token.text) > 1:
        stream.push([token._replace(text=token.text[1:])])
        return token._replace(text=token.text[0])
    return token


def _is_defined(name: str, stream: "Expansion") -> bool | None:
    if name in stream.definitions.macros or name in KNOWN_COMMANDS:
        return True
    return False if name in _UNDEFINED else None


def _same(stream: "Expansion") -> bool | None:
    """Whether two tokens mean the same."""
    first, second = _next(stream), _next(stream)
    if first is None or second is None:
        return None
    if (first.kind, first.text) == (second.kind, second.text):
        return True
    meaning, other = _meaning(first, stream), _meaning(second, stream)
    return None if meaning is None or other is None else meaning == other


def _meaning(token: Token, stream: "Expansion") -> tuple[object, ...] | None:
    """Equal for two tokens that mean the same; None where the source does not tell."""
    if token.kind is not Kind.COMMAND:
        return (token.kind, token.text)
    macro = stream.definitions.macros.get(token.text)
    if macro is not None:
        body = tuple((part.kind, part.text) for part in macro.body)
        return body[0] if len(body) == 1 and macro.is_alias else (len(macro.defaults), body)
    if token.text in ("empty", "@empty"):
        return (0, ())
    return (token.kind, token.text) if token.text in KNOWN_COMMANDS | _UNDEFINED else None


def _alike(stream: "Expansion") -> bool | None:
    """Whether the characters of two tokens are equal, behind the expansion of macros."""
    signs: list[str] = []
    while len(signs) < 2 and (token := stream.take()) is not None:
        if token.kind is not Kind.COMMAND:
            stream.push([token._replace(text=token.text[1:])] if token.kind is Kind.TEXT and token.text[1:] else [])
            signs.append(token.source[:1])
        elif token.text == "detokenize":
            text = stream.words()
            stream.push([token._replace(kind=Kind.TEXT, text=text)] if text else [])
        elif token.text == "relax":
            signs.append(token.source)
        else:
            return None
    return signs[0] == signs[1] if len(signs) == 2 else None


def _compared(stream: "Expansion", value: Callable[[], float | None]) -> bool | None:
    """Whether two numbers that follow are as the sign between them says."""
    first_value = value()
    stream.skip_blank()
    relation = next((sign for sign in _RELATIONS if stream.take_sign(sign)), None)
    return _stands(first_value, relation, value() if relation else None)


def _stands(first: float | None, relation: str | None, other: float | None) -> bool | None:
    """Whether two numbers are as the sign between them says."""
    holds = _RELATIONS.get(relation or "")
    return None if first is None or other is None or holds is None else holds(first, other)


def decide_choice(name: str, tests: Sequence[list[Token]], stream: "Expansion") -> bool | None:
    """Whether a command takes the first of its two choices, by the arguments before these; None where the source does
    not tell."""
    definitions, texts = stream.definitions, [source_text(test).strip() for test in tests]
    first = texts[0] if texts else ""
    if name.endswith(("toggle", "bool")):
        switches = definitions.switches.toggles if name.endswith("toggle") else definitions.switches.booleans
        value = switches.get(first)
        return value if value is None or name.startswith("if") else not value
    if name in ("ifstrempty", "ifblank", "notblank", "IfBlankTF"):
        return bool(first) == (name == "notblank")
    if name == "ifstrequal":
        return first == texts[1]
    if name in ("IfNoValueTF", "IfValueTF", "IfBooleanTF"):
        return _given(name, tests[0])
    if name.startswith(("ifnum", "ifdim")):
        return _numbers_compared(name, tests, stream)
    if name in ("ifdef", "ifundef", "ifcsdef", "ifcsundef", "@ifundefined"):
        is_defined = _is_defined(first.removeprefix("\\"), stream)
        return is_defined if is_defined is None or name in ("ifdef", "ifcsdef") else not is_defined
    return _held(list(tests[0]), stream) if name == "ifthenelse" else None


def _given(name: str, test: list[Token]) -> bool | None:
    """Whether an optional argument was given, or a star."""
    text = source_text(test)
    if name == "IfBooleanTF":
        return {"\\BooleanTrue": True, "\\BooleanFalse": False}.get(text)
    return (text == NO_VALUE) == (name == "IfNoValueTF")


NO_VALUE: Final = "-NoValue-"
"""What stands for an optional argument that is left out."""


def _numbers_compared(name: str, tests: Sequence[list[Token]], stream: "Expansion") -> bool | None:
    def value(test: Sequence[Token]) -> float | None:
        return points(source_text(test)) if name.startswith("ifdim") else evaluate_expression(test, stream.numbering)

    if name == "ifnumodd":
        odd = value(tests[0])
        return None if odd is None else odd % 2 == 1
    return _stands(value(tests[0]), _NAMED.get(name) or source_text(tests[1]).strip(), value(tests[-1]))


def _held(test: list[Token], stream: "Expansion") -> bool | None:
    """Whether a test of `\\ifthenelse` holds: joined by `\\AND` and `\\OR` from left to right."""
    parts = list(_joined(test))
    values = [_single(part, stream) for _, part in parts]
    if len(values) > _PARTS or None in values:
        return None
    result = bool(values[0])
    for (join, _), value in zip(parts[1:], values[1:], strict=True):
        result = (result and bool(value)) if join == "and" else (result or bool(value))
    return result


def _joined(test: list[Token]) -> Iterator[tuple[str, list[Token]]]:
    """The parts of a test, each with what joins it to the one before."""
    part: list[Token] = []
    join, depth = "", 0
    for token in test:
        depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(token.kind, 0)
        if depth == 0 and token.kind is Kind.COMMAND and token.text.lower() in ("and", "or"):
            yield join, part
            join, part = token.text.lower(), []
        else:
            part.append(token)
    yield join, part


def _single(part: list[Token], stream: "Expansion") -> bool | None:
    """Whether one part of a test holds: a named test, or else a comparison of numbers."""
    inner = Stream(part)
    inner.skip_blank()
    token = inner.take()
    name = token.text if token is not None and token.kind is Kind.COMMAND else ""
    match name.lower():
        case "not":
            value = _single(list(iter(inner.take, None)), stream)
            return None if value is None else not value
        case "equal":
            return inner.words() == inner.words()
        case "boolean":
            key = inner.words().strip()
            return {"true": True, "false": False}.get(key, stream.definitions.switches.booleans.get(key))
        case "isundefined":
            is_defined = _is_defined(inner.words().strip().removeprefix("\\"), stream)
            return None if is_defined is None else not is_defined
        case "isodd":
            odd = evaluate_expression(inner.argument(), stream.numbering)
            return None if odd is None else odd % 2 == 1
        case "lengthtest":
            return _relation(source_text(inner.argument()), points)
    return _relation(
        source_text(part), lambda text: evaluate_expression([Token(Kind.TEXT, text.strip(), "", 0)], stream.numbering)
    )


def _relation(text: str, value: Callable[[str], float | None]) -> bool | None:
    """Whether a comparison such as `1 < 2` holds; `value` reads its sides."""
    for sign in _RELATIONS:
        left, found, right = text.partition(sign)
        if found:
            return _stands(value(left), sign, value(right))
    return None
