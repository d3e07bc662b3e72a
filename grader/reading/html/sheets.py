"""Style sheets cut into the rules that bear on whether and how a text shows. tinycss2 parses them; nothing is fetched.

A page is looked at on a screen of common size. Rules for another circumstance, such as print, a narrow window, or a
pointer over the element, are kept apart: they tell whether a hidden text can be brought to light.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import tinycss2

Tokens = tuple[Any, ...]
"""Component values of tinycss2."""

MOST_SHEET: Final = 1_000_000
"""Characters that are read of one style sheet; JupyterLab's has 270,000."""
MOST_RULES: Final = 20_000
_MOST_NESTED: Final = 4
_LONGEST_SELECTOR: Final = 200
"""In tokens."""

SIDES: Final[Mapping[str, Mapping[str, int]]] = {
    "inset": {"top": 0, "right": 1, "bottom": 2, "left": 3},
    "inset-inline": {"left": 0, "right": 1},
    "inset-block": {"top": 0, "bottom": 1},
    "margin": {"margin-top": 0, "margin-left": 3},
    "padding": {"padding-top": 0, "padding-bottom": 2},
}
"""Shorthands for the sides of a box, with the place of each side's value."""
SHORTHANDS: Final = {
    **{name: tuple(places) for name, places in SIDES.items()},
    "background": ("background-color", "background-image", "background-clip"),
    "font": ("font-size", "font-weight", "line-height"),
    "overflow": ("overflow-x", "overflow-y"),
    **dict.fromkeys(("mask", "-webkit-mask"), ("mask-image",)),
    "-webkit-text-stroke": ("-webkit-text-stroke-width",),
    "animation": ("animation-name",),
}
ALIASES: Final = {
    **{f"-webkit-{name}": name for name in (
        "background-clip", "mask-image", "filter", "transform", "clip-path", "animation-name",
    )},
    "margin-inline-start": "margin-left", "margin-block-start": "margin-top",
    "inset-inline-start": "left", "inset-inline-end": "right", "inset-block-start": "top", "inset-block-end": "bottom",
    "inline-size": "width", "block-size": "height", "max-inline-size": "max-width", "max-block-size": "max-height",
    "overflow-inline": "overflow-x", "overflow-block": "overflow-y",
}  # fmt: skip
PROPERTIES: Final = frozenset((
    "animation-name", "background-clip", "background-color", "background-image", "bottom", "clip", "clip-path", "color",
    "content", "content-visibility", "direction", "display", "filter", "float", "font-size", "font-weight",
    "height", "left", "letter-spacing", "line-height", "margin-left", "margin-top", "mask-image", "max-height",
    "max-width", "min-height", "min-width", "mix-blend-mode", "opacity", "overflow-x", "overflow-y", "padding-bottom",
    "padding-top", "position", "right", "rotate", "scale", "text-indent", "text-shadow", "top", "transform",
    "translate", "unicode-bidi", "vertical-align", "visibility", "white-space", "width", "z-index", "zoom",
    "-webkit-text-fill-color", "-webkit-text-security", "-webkit-text-stroke-width",
))  # fmt: skip
"""The properties that are followed, without shorthands."""

_SCREEN: Final = {
    "width": 1280, "height": 800.0, "device-width": 1280, "device-height": 800.0, "resolution": 1.0,
    "aspect-ratio": 1.6, "color": 8.0, "monochrome": 0.0, "grid": 0.0,
}  # fmt: skip
"""Media features of a common screen; lengths are in pixels."""
_OPTIONS: Final = {
    "orientation": "landscape", "prefers-color-scheme": "light", "hover": "hover", "any-hover": "hover",
    "pointer": "fine", "any-pointer": "fine", "scripting": "enabled", "update": "fast", "display-mode": "browser",
    "prefers-reduced-motion": "no-preference", "prefers-contrast": "no-preference", "forced-colors": "none",
    "inverted-colors": "none", "prefers-reduced-transparency": "no-preference", "overflow-block": "scroll",
    "color-gamut": "srgb", "dynamic-range": "standard",
}  # fmt: skip
_ABSOLUTE: Final = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "dppx": 1.0}


class Declaration(NamedTuple):
    """The value that a declaration gives to a property; `written` is the name of the property or shorthand in the
    sheet."""

    name: str
    written: str
    tokens: Tokens
    is_important: bool


class Rule(NamedTuple):
    """The declarations for one selector. `layer` is the name of its cascade layer, empty where it has none.
    `is_alternative`: its circumstance is not that of a person who looks at the page on a screen."""

    selector: Tokens
    declared: tuple[Declaration, ...]
    layer: str = ""
    is_alternative: bool = False


class Import(NamedTuple):
    """A style sheet that another one imports."""

    address: str
    is_alternative: bool


class Sheet(NamedTuple):
    """A style sheet: rules in order, sheets that it imports, and the names of its layers in order. `moving` are the
    animations that change how a text shows."""

    rules: tuple[Rule, ...] = ()
    imports: tuple[Import, ...] = ()
    layers: tuple[str, ...] = ()
    moving: frozenset[str] = frozenset()


class _Scope(NamedTuple):
    around: Tokens = ()
    layer: str = ""
    is_alternative: bool = False
    depth: int = 0


@lru_cache(maxsize=8)
def parsed_sheet(text: str) -> Sheet:
    """A style sheet; what is not valid in it is left out. The sheets that a program writes are the same in many
    pages."""
    collected = _Collected()
    try:
        collected.take(tinycss2.parse_stylesheet(text[:MOST_SHEET], skip_comments=True, skip_whitespace=True), _Scope())
    except RecursionError:
        return Sheet()
    rules = tuple(collected.rules[:MOST_RULES])
    return Sheet(rules, tuple(collected.imports), tuple(dict.fromkeys(collected.layers)), frozenset(collected.moving))


def declarations(nodes: Iterable[Any]) -> tuple[Declaration, ...]:
    """The declarations that are followed, and custom properties, with shorthands spread over their properties."""
    found: list[Declaration] = []
    for node in nodes:
        if node.type != "declaration":
            continue
        name = node.name if node.name.startswith("--") else ALIASES.get(node.lower_name, node.lower_name)
        names = tuple(PROPERTIES) if name == "all" else SHORTHANDS.get(name, (name,))
        if name.startswith("--") or names[0] in PROPERTIES:
            tokens = strip_tokens(node.value)
            found += [Declaration(each, name, tokens, node.important) for each in names]
    return tuple(found)


def inline_declarations(style: str) -> tuple[Declaration, ...]:
    """The declarations of a `style` attribute."""
    try:
        return declarations(tinycss2.parse_blocks_contents(style, skip_comments=True, skip_whitespace=True))
    except RecursionError:
        return ()


def strip_tokens(tokens: Iterable[Any]) -> Tokens:
    """Component values without comments, and without white space at either end."""
    kept = [token for token in tokens if token.type != "comment"]
    solid = [index for index, token in enumerate(kept) if token.type != "whitespace"]
    return tuple(kept[solid[0] : solid[-1] + 1]) if solid else ()


def parts(tokens: Iterable[Any], sign: str = ",") -> list[Tokens]:
    """Component values cut at a sign."""
    found: list[list[Any]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == sign:
            found.append([])
        else:
            found[-1].append(token)
    return [strip_tokens(part) for part in found]


class _Collected:
    """Collects what a sheet says; one use only."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.imports: list[Import] = []
        self.layers: list[str] = []
        self.moving: set[str] = set()

    def take(self, nodes: Sequence[Any], scope: _Scope) -> None:
        for node in nodes:
            if len(self.rules) >= MOST_RULES or scope.depth > _MOST_NESTED:
                return
            if node.type == "qualified-rule":
                self._rule(node, scope)
            elif node.type == "at-rule":
                self._at_rule(node, scope)

    def _rule(self, node: Any, scope: _Scope) -> None:
        contents = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
        selectors = [_nested(part, scope.around) for part in parts(node.prelude) if part]
        self._declare(contents, selectors, scope)
        nested = [content for content in contents if content.type in ("qualified-rule", "at-rule")]
        if nested:
            around = _nested(strip_tokens(node.prelude), scope.around)
            self.take(nested, scope._replace(around=around, depth=scope.depth + 1))

    def _declare(self, contents: Iterable[Any], selectors: Iterable[Tokens], scope: _Scope) -> None:
        declared = declarations(contents)
        if declared:
            short = (selector for selector in selectors if len(selector) <= _LONGEST_SELECTOR)
            self.rules += [
                Rule(short_selector, declared, scope.layer, scope.is_alternative) for short_selector in short
            ]

    def _at_rule(self, node: Any, scope: _Scope) -> None:
        name = node.lower_at_keyword
        if name == "import":
            self._import(strip_tokens(node.prelude), scope)
        elif name == "layer":
            names = [".".join(filter(None, (scope.layer, _text(part)))) for part in parts(node.prelude) if part]
            anonymous = f"{scope.layer}.\0{len(self.layers)}"
            self.layers += names or [anonymous]
            if node.content is not None:
                self._within(node, scope._replace(layer=names[0] if names else anonymous))
        elif name.endswith("keyframes") and node.content is not None:
            frames = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
            bodies = (
                tinycss2.parse_blocks_contents(frame.content) for frame in frames if frame.type == "qualified-rule"
            )
            if any(declaration.name not in _HARMLESS for body in bodies for declaration in declarations(body)):
                self.moving.add(_text(node.prelude).strip("\"'"))
        elif name in _CONDITIONAL and node.content is not None:
            applies = _CONDITIONAL[name](node.prelude)
            self._within(node, scope._replace(is_alternative=scope.is_alternative or not applies))

    def _within(self, node: Any, scope: _Scope) -> None:
        contents = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
        if scope.around:
            self._declare(contents, [scope.around], scope)
        self.take(contents, scope._replace(depth=scope.depth + 1))

    def _import(self, prelude: Tokens, scope: _Scope) -> None:
        first = prelude[0] if prelude else None
        if first is None or first.type not in ("string", "url", "function"):
            return
        address = first.value if first.type != "function" else _text(first.arguments).strip("\"'")
        query = strip_tokens(
            entry for entry in prelude[1:] if getattr(entry, "lower_name", "") not in ("layer", "supports")
        )
        self.imports.append(Import(address, scope.is_alternative or not applies_on_screen(query)))


_HARMLESS: Final = frozenset(("background-color", "background-image", "rotate", "transform", "text-shadow", "width"))
"""Properties that animations of pages change, as a spinner does, without hiding a text for good."""


def _nested(selector: Tokens, around: Tokens) -> Tokens:
    """A selector within a rule for `around`: its sign `&` stands for the elements of that rule."""
    if not around:
        return selector
    parent = tuple(tinycss2.parse_component_value_list(f":is({tinycss2.serialize(around)})"))
    if not any(token.type == "literal" and token.value == "&" for token in selector):
        return (*parent, *tinycss2.parse_component_value_list(" "), *selector)
    pieces = (parent if token.type == "literal" and token.value == "&" else (token,) for token in selector)
    return tuple(token for piece in pieces for token in piece)


def _text(tokens: Iterable[Any]) -> str:
    return str(tinycss2.serialize(list(tokens))).strip()


def applies_on_screen(query: Iterable[Any]) -> bool:
    """Whether a list of media queries holds for a person who looks at a page on a common screen."""
    queries = [part for part in parts(query) if part]
    return not queries or any(_holds(candidate) for candidate in queries)


def media_applies(text: str) -> bool:
    """Whether the `media` attribute of a style sheet holds on a screen."""
    return applies_on_screen(tinycss2.parse_component_value_list(text[:2_000]))


def _holds(query: Sequence[Any]) -> bool:
    """Whether one media query, or the condition in brackets within one, holds."""
    tokens = [token for token in query if token.type not in ("whitespace", "comment")]
    words = [token.lower_value if token.type == "ident" else "" for token in tokens]
    if words[:1] == ["not"]:
        return not _holds(tokens[1:])
    if words[:1] == ["only"]:
        return _holds(tokens[1:])
    if "or" in words:
        at = words.index("or")
        return _holds(tokens[:at]) or _holds(tokens[at + 1 :])
    return all(_is_met(token) for token, word in zip(tokens, words, strict=True) if word != "and")


def _is_met(token: Any) -> bool:
    if token.type == "ident":
        return token.lower_value in ("screen", "all")
    if token.type != "() block":
        return False
    inner = [entry for entry in token.content if entry.type not in ("whitespace", "comment")]
    if any(entry.type == "() block" for entry in inner):
        return _holds(inner)
    if not inner or inner[0].type not in ("ident", "number", "dimension"):
        return False
    if any(entry.type == "literal" and entry.value in "<>=" for entry in inner):
        return _in_range(inner)
    name = inner[0].lower_value if inner[0].type == "ident" else ""
    return _has_feature(name, inner[2] if len(inner) > 2 else None)


def _has_feature(name: str, value: Any) -> bool:
    if name in _OPTIONS:
        return _OPTIONS[name] not in ("none",) if value is None else getattr(value, "lower_value", "") == _OPTIONS[name]
    bound, _, plain = name.partition("-") if name.startswith(("min-", "max-")) else ("", "", name)
    if plain not in _SCREEN:
        return False
    actual, wanted = _SCREEN[plain], _size(value)
    if value is None or wanted is None:
        return value is None and actual > 0
    return actual >= wanted if bound == "min" else actual <= wanted if bound == "max" else actual == wanted


def _in_range(tokens: Sequence[Any]) -> bool:
    """Whether a comparison, such as `400px <= width`, holds."""
    sides: list[float | None] = []
    signs: list[str] = []
    for token in tokens:
        if token.type == "literal":
            signs[-1:] = [signs[-1] + token.value] if len(signs) == len(sides) and signs else [*signs[-1:], token.value]
        else:
            sides.append(_SCREEN.get(token.lower_value) if token.type == "ident" else _size(token))
    if len(sides) != len(signs) + 1 or None in sides:
        return False
    sizes = [side for side in sides if side is not None]
    return all(
        left <= right if sign in ("<", "<=") else left >= right if sign in (">", ">=") else left == right
        for left, sign, right in zip(sizes, signs, sizes[1:], strict=False)
    )


def _size(token: Any) -> float | None:
    if token is None or token.type not in ("number", "dimension"):
        return None
    return float(token.value) * (_ABSOLUTE.get(token.lower_unit, 1.0) if token.type == "dimension" else 1.0)


_CONDITIONAL: Final[dict[str, Callable[[Iterable[Any]], bool]]] = {
    "media": applies_on_screen,
    "supports": lambda prelude: getattr(next(iter(strip_tokens(prelude)), None), "lower_value", "") != "not",
    **dict.fromkeys(("container", "scope", "document"), lambda _: True),
}

_MARKS: Final = re.compile(r"hover|active|focus(?:-within|-visible)?|target(?:-within)?|checked|open|popover-open")

_ANY: Final = tuple(tinycss2.parse_component_value_list(":is(*)"))


def in_use(selector: Tokens) -> Tokens | None:
    """The selector without marks of what a reader of the page does, such as `:hover`; None where it has none."""
    kept: list[Any] = []
    is_found = False
    for token in selector:
        is_behind_colon = bool(kept) and kept[-1].type == "literal" and kept[-1].value == ":"
        if is_behind_colon and token.type == "ident" and _MARKS.fullmatch(token.lower_value):
            kept[-1:] = _ANY
            is_found = True
        else:
            kept.append(token)
    return tuple(kept) if is_found else None


def required_names(selector: Tokens) -> Iterator[tuple[str, str]]:
    """The classes (`.`, name) and ids (`#`, name) without which an element and those around it cannot match."""
    for before, token in zip((None, *selector), selector, strict=False):
        if token.type == "hash":
            yield "#", token.value
        elif token.type == "ident" and before is not None and before.type == "literal" and before.value == ".":
            yield ".", token.value
