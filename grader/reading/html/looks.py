"""What a page's styles say that bears on the meaning: raised, lowered, bold, not shown, in invisible ink.

Only rules for one class or one kind of element are followed. What other rules may change is not certain, so it hides
nothing; scripts do not run, so a class that a rule takes off the page may be shown by one.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from grader.reading.flow import BLACK, CLEAR, UNKNOWN, WHITE, Colour, Ink, colour_of
from grader.reading.office import Node

PAGE: Final = Ink(BLACK, WHITE, 12.0)
"""How browsers draw a text of which no style speaks."""

_RULE: Final = re.compile(r"([^{}]{1,2000})\{([^{}]{0,2000})\}")
_COMMENT: Final = re.compile(r"/\*.{0,5000}?\*/", re.DOTALL)
_PLAIN_SELECTOR: Final = re.compile(r"\.?[\w-]{1,80}")
_NAME: Final = re.compile(r"(?<![\w#:-])\.?[a-z_][\w-]{0,79}", re.IGNORECASE)
_LONGEST_SHEET: Final = 500_000
_RAISED: Final = re.compile(r"vertical-align\s?:\s?(super|sub)\b")
_BOLD: Final = re.compile(r"font-weight\s?:\s?(?:bold|[6-9]00)")
_PLAIN: Final = re.compile(r"font-weight\s?:\s?(?:normal|[1-5]00)")
_NOT_SHOWN: Final = re.compile(r"(?:^|;)\s?(?:display\s?:\s?none|visibility\s?:\s?hidden)")
_FAR_OFF: Final = re.compile(r"(?:^|;)\s?(?:left|right|top|text-indent)\s?:\s?-(?:\d{4,}px|\d{3,}r?em)")
_COLOUR: Final = re.compile(r"(?:^|;)\s?color\s?:\s?([^;!]{1,80})")
_GROUND: Final = re.compile(r"(?:^|;)\s?background(-color|-image|)\s?:\s?([^;!]{1,200})")
_SIZE: Final = re.compile(r"(?:^|;)\s?font-size\s?:\s?(\d{0,4}\.?\d{1,4})\s?(px|pt|em|rem|%|)")
_OPACITY: Final = re.compile(r"(?:^|;)\s?opacity\s?:\s?(\d?\.?\d{1,4})")
_SCRIPTS: Final = {"super": "^", "sub": "_"}
_POINTS: Final = {"px": 0.75, "pt": 1.0, "rem": 12.0, "": 1.0}
_OF_ITS_OWN: Final = frozenset(("mark", "input", "select", "option", "textarea", "button", "svg", "iframe"))
"""Elements for which browsers have colours of their own."""
_INHERITED: Final = frozenset(("inherit", "initial", "unset", "revert", "currentcolor"))


class Look(NamedTuple):
    """The visual style of an element. `bold` and `ink` are None where they are not specified; a size is in points, or,
    if `is_relative`, in sizes of the text around."""

    script: str = ""
    bold: bool | None = None
    hidden: bool = False
    ink: Ink = Ink()
    is_relative: bool = False
    opacity: float = 1.0

    def ink_within(self, around: Ink) -> Ink:
        """The ink of a text in an element of this look."""
        size = self.ink.size
        if size is not None and self.is_relative:
            size *= around.size or 0.0
        return self.ink._replace(size=size).over(around)


_NONE: Final = Look()


class Looks(NamedTuple):
    """What a page's sheets say: looks by kind of element (`p`) and class (`.note`); `recoloured` and `reground` are the
    names whose colour, and whose ground, further rules may set. `has_more`: the page names sheets that it does not
    hold, so that any other class may do so, too."""

    by_name: Mapping[str, Look]
    recoloured: frozenset[str]
    reground: frozenset[str]
    has_more: bool = False

    def of(self, node: Node) -> Look:
        """How an element is shown by its own style, by its attributes, and by what the sheets say."""
        attributes = node.attributes
        own = _look(attributes["style"]) if "style" in attributes else _NONE
        names = [f".{name}" for name in attributes.get("class", "").split()]
        known = [self.by_name[name] for name in (*names, node.name, "*") if name in self.by_name]
        ink = own.ink.over(_by_attributes(node)).over(self._by_sheet(node, names, known))
        if ink == Ink() and not known and own is _NONE:
            return Look(hidden=True) if "hidden" in attributes else _NONE
        sized = own if own.ink.size is not None else next((look for look in known if look.ink.size is not None), own)
        return Look(
            script=own.script or next((look.script for look in known if look.script), ""),
            bold=own.bold
            if own.bold is not None
            else next((look.bold for look in known if look.bold is not None), None),
            hidden=own.hidden or "hidden" in attributes,
            ink=ink,
            is_relative=sized.is_relative,
            opacity=own.opacity,
        )

    def _by_sheet(self, node: Node, names: list[str], known: list[Look]) -> Ink:
        every = {node.name, *names}
        colours: set[Colour] = {look.ink.colour for look in known if look.ink.colour is not None}
        grounds: set[Colour] = {look.ink.ground for look in known if look.ink.ground is not None}
        is_open = node.name in _OF_ITS_OWN or (self.has_more and any(name not in self.by_name for name in names))
        if is_open or node.name == "a" or not every.isdisjoint(self.recoloured):
            colours.add(UNKNOWN)
        if is_open or not every.isdisjoint(self.reground):
            grounds.add(UNKNOWN)
        sizes = [look.ink.size for look in known if look.ink.size is not None]
        return Ink(_settled(colours), _settled(grounds), sizes[0] if sizes else None)


def _settled(colours: set[Colour]) -> Colour | None:
    """The colour that all rules agree on; None where there is no rule."""
    return next(iter(colours)) if len(colours) == 1 else UNKNOWN if colours else None


def _by_attributes(node: Node) -> Ink:
    attributes = node.attributes
    colour = attributes.get("color") if node.name == "font" else attributes.get("text") if node.name == "body" else None
    return Ink(colour_of(colour), UNKNOWN if "background" in attributes else colour_of(attributes.get("bgcolor")))


def read_sheets(page: Node) -> Looks:
    """The looks that a page's `style` elements give. Hiding a class is ignored: scripts and other rules may show it
    again. Of two rules for a name the later one says whether it is raised or bold; colours on which they differ are
    unknown."""
    looks: dict[str, Look] = {}
    recoloured: set[str] = set()
    reground: set[str] = set()
    for style in page.every("style"):
        for selectors, body in _RULE.findall(_COMMENT.sub(" ", style.text()[:_LONGEST_SHEET])):
            look = _look(body)._replace(hidden=False, opacity=1.0)
            if look == _NONE:
                continue
            for name, is_plain in _names(selectors):
                before = looks.get(name, _NONE)
                if not is_plain or before.ink.colour not in (None, look.ink.colour):
                    recoloured.update([name] if look.ink.colour is not None else ())
                if not is_plain or before.ink.ground not in (None, look.ink.ground):
                    reground.update([name] if look.ink.ground is not None else ())
                if is_plain:
                    looks[name] = look._replace(ink=look.ink.over(before.ink))
    has_more = any("stylesheet" in link.attributes.get("rel", "").lower() for link in page.every("link"))
    return Looks(looks, frozenset(recoloured), frozenset(reground), has_more)


def _names(selectors: str) -> Iterator[tuple[str, bool]]:
    """The elements and classes that selectors are about, and whether they are about all of that name."""
    for selector in selectors.rpartition(";")[2].split(","):
        selector = selector.strip()
        if _PLAIN_SELECTOR.fullmatch(selector) or selector == "*":
            yield selector, True
        elif selector and not selector.startswith("@"):
            last = re.split(r"[\s>+~]", selector)[-1]
            yield from ((name, False) for name in _NAME.findall(last))


def _look(body: str) -> Look:
    body = " ".join(body.lower().split())
    if not body:
        return _NONE
    script = _RAISED.search(body)
    bold = True if _BOLD.search(body) else False if _PLAIN.search(body) else None
    colour, size, opacity = _COLOUR.search(body), _SIZE.search(body), _OPACITY.search(body)
    return Look(
        _SCRIPTS[script[1]] if script else "",
        bold,
        bool(_NOT_SHOWN.search(body) or _FAR_OFF.search(body)),
        Ink(_text_colour(colour[1].strip()) if colour else None, _ground(body), _points(size) if size else None),
        is_relative=bool(size and size[2] in ("em", "%")),
        opacity=float(opacity[1]) if opacity else 1.0,
    )


def _text_colour(value: str) -> Colour | None:
    return None if value in _INHERITED else colour_of(value) or CLEAR


def _points(size: re.Match[str]) -> float:
    number = float(size[1])
    return number / 100 if size[2] == "%" else number * _POINTS.get(size[2], 1.0)


def _ground(body: str) -> Colour | None:
    """The ground of a declaration: a colour, or UNKNOWN where a picture or a gradient may cover it."""
    found: Colour | None = None
    for kind, value in _GROUND.findall(body):
        value = value.strip()
        if kind == "-color" or (not kind and " " not in value):
            found = colour_of(value) if found != UNKNOWN else found
        elif value != "none":
            found = UNKNOWN
    return found
