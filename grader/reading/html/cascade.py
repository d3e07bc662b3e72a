"""The cascade: which declarations of a page's style sheets, and of its elements' own styles, win for an element.

cssselect2 matches selectors. Rules for another circumstance, such as print or a pointer over the element, tell only
whether a hidden text can be brought to light.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

import tinycss2
from cssselect2 import Matcher, SelectorError, compile_selector_list

from grader.reading.html.sheets import (
    Declaration,
    Sheet,
    Tokens,
    in_use,
    inline_declarations,
    media_applies,
    parsed_sheet,
    required_names,
)
from grader.reading.html.style import Computing, Hints, Style, Values, hints, paint
from grader.reading.office import TEXT, Node
from grader.reading.visibility import BLACK, UNKNOWN, Paint, Visibility

Find = Callable[[str], str | None]
"""From the address of a style sheet to its text; None where it is not at hand."""

_MOST_SHEETS: Final = 50
_MOST_IMPORTED: Final = 3
_MOST_SELECTORS: Final = 20_000
_MOST_SCRIPT: Final = 500_000
_NAME: Final = re.compile(r"[A-Za-z_][\w-]{1,80}")
_PAINTED: Final = frozenset(("color", "bgcolor", "text", "mathcolor", "background"))
_UNLAYERED: Final = 1_000_000


class _Match(NamedTuple):
    """The declarations of a rule with the rank of its layer."""

    declared: tuple[Declaration, ...]
    layer: int
    is_alternative: bool


class Element:
    """An element in its place among others, as cssselect2 asks for it; it serves as its own element of a tree."""

    in_html_document = True
    namespace_url = ""
    in_disabled_fieldset = False

    def __init__(self, node: Node, parent: "Element | None", styles: "Styles") -> None:
        self.node = node
        self.parent = parent
        self.index = 0
        self.previous: Element | None = None
        self.local_name = self.tag = node.name
        self.attrib = node.attributes
        self.get = node.attributes.get
        self._styles = styles

    @property
    def etree_element(self) -> "Element":
        """The element itself."""
        return self

    @cached_property
    def id(self) -> str | None:
        """The id attribute."""
        return self.attrib.get("id")

    @cached_property
    def classes(self) -> frozenset[str]:
        """The classes."""
        return frozenset(self.attrib.get("class", "").split())

    @cached_property
    def lang(self) -> str:
        """The language in lower case, empty where it is unknown."""
        return self.attrib["lang"].lower() if "lang" in self.attrib else self.parent.lang if self.parent else ""

    @cached_property
    def text(self) -> str:
        """The text before the first child."""
        first = self.node.children[0] if self.node.children else ""
        return first if isinstance(first, str) else first.text() if first.name == TEXT else ""

    @cached_property
    def _by_node(self) -> dict[int, "Element"]:
        found: dict[int, Element] = {}
        before: Element | None = None
        for index, node in enumerate(self.node.nodes()):
            child = Element(node, self, self._styles)
            child.index, child.previous = index, before
            found[id(node)] = before = child
        return found

    @cached_property
    def etree_children(self) -> list["Element"]:
        """The children that are elements."""
        return list(self._by_node.values())

    @property
    def etree_siblings(self) -> list["Element"]:
        """The children of the parent."""
        return self.parent.etree_children if self.parent else [self]

    @property
    def ancestors(self) -> Iterator["Element"]:
        """The elements around, the innermost first."""
        element = self.parent
        while element is not None:
            yield element
            element = element.parent

    @property
    def previous_siblings(self) -> Iterator["Element"]:
        """The siblings before, the nearest first."""
        element = self.previous
        while element is not None:
            yield element
            element = element.previous

    def iter_children(self) -> Iterator["Element"]:
        """The children that are elements."""
        return iter(self.etree_children)

    def iter_siblings(self) -> Iterator["Element"]:
        """The children of the parent."""
        return iter(self.etree_siblings)

    def iter_next_siblings(self) -> Iterator["Element"]:
        """The siblings behind."""
        return iter(self.etree_siblings[self.index + 1 :])

    def iter_subtree(self) -> Iterator["Element"]:
        """The element and all below it."""
        yield self
        for child in self.etree_children:
            yield from child.iter_subtree()

    def child(self, node: Node) -> "Element":
        """The child that is a node."""
        return self._by_node[id(node)]

    @cached_property
    def style(self) -> Style:
        """The style that the cascade gives the element."""
        return self._styles.computed_style(self, self.parent.style if self.parent else Style())

    @cached_property
    def visibility(self) -> Visibility:
        """Whether a text in the element can be seen."""
        own_visibility = self.style.visibility
        return (
            max(own_visibility, Visibility.DOUBTFUL)
            if self.is_folded or self.is_covered or self.is_reversed
            else own_visibility
        )

    @property
    def is_off(self) -> bool:
        """Whether the element is taken off the page, whatever its colours."""
        return self.style.is_off or self.is_folded or self.is_covered

    @cached_property
    def is_folded(self) -> bool:
        """Whether the element is within closed details, of which only the summary is shown."""
        if self.parent is None:
            return False
        is_closed = self.parent.local_name == "details" and "open" not in self.parent.attrib
        first = (
            next((sibling for sibling in self.etree_siblings if sibling.local_name == "summary"), None)
            if is_closed
            else None
        )
        return (is_closed and self is not first) or self.parent.is_folded

    @cached_property
    def is_reversed(self) -> bool:
        """Whether the element is within one that shows its letters from right to left."""
        is_rtl = self.local_name == "bdo" and self.attrib.get("dir", "").lower() == "rtl"
        return is_rtl or (self.parent is not None and self.parent.is_reversed)

    @cached_property
    def is_covered(self) -> bool:
        """Whether an empty box with a ground of its own lies on what the element, or one around it, holds."""
        has_cover = any(child._covers for child in self.etree_children)
        return has_cover or (self.parent is not None and self.parent.is_covered)

    @property
    def _covers(self) -> bool:
        declared = "style" in self.attrib or self._styles.has_rules
        if not declared or self.style.position not in ("absolute", "fixed") or self.style.taken is Visibility.HIDDEN:
            return False
        is_picture = self.local_name in ("img", "svg")
        return (is_picture or self.style.is_box) and not (self.style.is_invisible or self.node.text().strip())


class Styles:
    """The style sheets of a page, in order, ready to be matched; one use for each page. `find` gives the sheets that
    the page names and that are at hand; nothing is fetched. What is behind elements of classes that no sheet at hand
    speaks of is not certain where others are lacking."""

    def __init__(self, page: Node, find: Find = lambda _: None) -> None:
        self._matcher = Matcher()
        self._find = find
        self._layers: dict[str, int] = {}
        self._moving: set[str] = set()
        self._inline = {"": _Match((), _UNLAYERED, False)}
        self._computed: dict[tuple[Any, ...], Style] = {}
        self._left = _MOST_SELECTORS
        self._page = page
        self.has_rules = False
        self._lacks_sheets = False
        self._styled: set[str] = set()
        sheets = list(self._sheets(page))
        if sheets:
            # Only rules about classes and ids that the page has can match.
            attributes = [node.attributes for node in page.descendants() if node.attributes]
            classes = (
                (".", name) for node_attributes in attributes for name in node_attributes.get("class", "").split()
            )
            self._names = frozenset(
                (*classes, *(("#", node_attributes.get("id", "")) for node_attributes in attributes))
            )
            for sheet, is_alternative in sheets:
                self._add(sheet, is_alternative=is_alternative)
        self.root = Element(page.child("html") or page, None, self)

    def _sheets(self, page: Node) -> Iterator[tuple[Sheet, bool]]:
        for number, node in enumerate(_outside_templates(page)):
            if number >= _MOST_SHEETS:
                return
            is_alternative = "media" in node.attributes and not media_applies(node.attributes["media"])
            if node.name == "style":
                if node.attributes.get("type", "text/css").strip().lower() in ("", "text/css"):
                    yield from self._with_imports(node.text(), is_alternative=is_alternative)
            elif "stylesheet" in node.attributes.get("rel", "").lower().split():
                text = self._find(node.attributes.get("href", ""))
                self._lacks_sheets = self._lacks_sheets or text is None
                if text is not None and "disabled" not in node.attributes:
                    yield from self._with_imports(text, is_alternative=is_alternative)

    def _with_imports(self, text: str, *, is_alternative: bool, depth: int = 0) -> Iterator[tuple[Sheet, bool]]:
        sheet = parsed_sheet(text)
        for import_rule in sheet.imports[:_MOST_SHEETS] if depth < _MOST_IMPORTED else ():
            found = self._find(import_rule.address)
            self._lacks_sheets = self._lacks_sheets or found is None
            if found is not None:
                outside = is_alternative or import_rule.is_alternative
                yield from self._with_imports(found, is_alternative=outside, depth=depth + 1)
        yield sheet, is_alternative

    def _add(self, sheet: Sheet, *, is_alternative: bool) -> None:
        for name in sheet.layers:
            self._layers.setdefault(name, len(self._layers))
        self._moving |= sheet.moving
        for rule in sheet.rules:
            layer = self._layers.get(rule.layer, 0) if rule.layer else _UNLAYERED
            alternative = rule.is_alternative or is_alternative
            self._select(rule.selector, _Match(rule.declared, layer, alternative))
            used = None if alternative else in_use(rule.selector)
            if used is not None:
                self._select(used, _Match(rule.declared, layer, True))

    def _select(self, selector: Tokens, match: _Match) -> None:
        names = list(required_names(selector))
        self._styled.update(name for sign, name in names if sign == ".")
        if not all(name in self._names for name in names) or self._left <= 0:
            return
        try:
            compiled = compile_selector_list(selector)
        except (SelectorError, NotImplementedError, RecursionError, SyntaxError, MemoryError, TypeError, ValueError):
            return
        for compiled_selector in compiled:
            if compiled_selector.pseudo_element is None:
                self._left -= 1
                self.has_rules = True
                self._matcher.add_selector(compiled_selector, match)

    def computed_style(self, element: Element, around: Style) -> Style:
        """The style of an element within one of another style."""
        found = self._matcher.match(element) if self.has_rules else ()
        matches: list[_Match] = [match for *_, pseudo, match in found if pseudo is None]
        attributes = element.attrib
        written = attributes.get("style", "").strip()
        looks = tuple(item for item in attributes.items() if item[0] in _PAINTED) if attributes else ()
        is_hidden = "hidden" in attributes or "popover" in attributes or (element.local_name == "dialog")
        flags = (is_hidden, "open" in attributes, "href" in attributes)
        key = (id(around), element.local_name, *map(id, matches), written, looks, *flags)
        if key not in self._computed:
            if written not in self._inline:
                self._inline[written] = _Match(inline_declarations(written), _UNLAYERED, False)
            self._computed[key] = self._style(element, around, matches, self._inline[written])
        return self._computed[key]

    def _style(self, element: Element, around: Style, matches: list[_Match], own_match: _Match) -> Style:
        look = hints(element.local_name, element.attrib, _colour)
        usual = [match for match in matches if not match.is_alternative]
        style = self._of(element, around, _winning(usual, own_match), look)
        if style.visibility is not Visibility.HIDDEN or style.can_be_lit:
            return style
        lit = style if len(usual) == len(matches) else self._of(element, around, _winning(matches, own_match), look)
        is_controlled = style.is_off and not around.is_off and self._is_controlled(element)
        return style._replace(can_be_lit=lit.visibility is not Visibility.HIDDEN or is_controlled)

    def _of(self, element: Element, around: Style, values: Values, look: Hints) -> Style:
        variables = {name: tokens for name, (_, tokens) in values.items() if name.startswith("--")}
        custom = {**around.custom, **variables} if variables else around.custom
        style = Computing(values, around, custom, frozenset(self._moving)).style(element.local_name, look)
        if self._lacks_sheets and "background-color" not in values and not element.classes <= self._styled:
            return style._replace(grounds=tuple(dict.fromkeys((*style.grounds, UNKNOWN))))
        return style

    @cached_property
    def _controlled(self) -> frozenset[str]:
        """The ids and classes that controls and scripts of the page name: what they hide they can show."""
        found: set[str] = set()
        for node in self._page.descendants("script"):
            found.update(_NAME.findall(node.text()[:_MOST_SCRIPT]))
        for node in self._page.descendants():
            for name, value in node.attributes.items():
                is_control = name.startswith(("on", "data-")) or name in ("for", "aria-controls", "popovertarget")
                if is_control or (name == "href" and value.startswith("#")):
                    found.update(_NAME.findall(value[:1_000]))
        return frozenset(found)

    def _is_controlled(self, element: Element) -> bool:
        names = {*element.classes, *filter(None, (element.id,))}
        return bool(names) and not names.isdisjoint(self._controlled)


def _outside_templates(page: Node) -> Iterator[Node]:
    """The elements that bring style sheets, in order."""
    waiting = [page]
    while waiting:
        node = waiting.pop()
        if node.name in ("style", "link"):
            yield node
        elif node.name not in ("template", "noscript", "svg"):
            waiting += list(node.nodes())[::-1]


def _winning(matches: Iterable[_Match], own_match: _Match) -> Mapping[str, tuple[str, Tokens]]:
    """The declarations that win: of matches in order of specificity and place, by importance, layer and the element's
    own style."""
    ranked: dict[str, tuple[tuple[int, ...], tuple[str, Tokens]]] = {}
    for match in (*matches, own_match):
        for declaration in match.declared:
            rank = (
                declaration.is_important,
                match is own_match,
                -match.layer if declaration.is_important else match.layer,
            )
            if declaration.name not in ranked or rank >= ranked[declaration.name][0]:
                ranked[declaration.name] = (rank, (declaration.written, declaration.tokens))
    return {name: value for name, (_, value) in ranked.items()}


def _colour(written: str) -> Paint | None:
    """The colour that an attribute names; its hexadecimal digits may lack their sign."""
    text = written.strip()
    if not text or len(text) > 100:
        return None
    token = tinycss2.parse_one_component_value(text)
    found = paint([token], Paint(BLACK)) if token.type != "error" else None
    if found is None and re.fullmatch(r"[0-9a-fA-F]{3}|[0-9a-fA-F]{6}", text):
        return _colour(f"#{text}")
    return found
