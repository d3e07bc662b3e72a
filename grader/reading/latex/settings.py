"""Settings that change how later parts of a document are drawn: named colours, options of boxes, formats of titles,
colours of links, fonts and hooks.
"""

from collections.abc import Callable, Mapping
from typing import Final

from grader.reading.latex.arithmetic import keys_of
from grader.reading.latex.effects import Palette
from grader.reading.latex.expansion import Expansion
from grader.reading.latex.tokens import Kind, Token, source_text, tokens, with_braces
from grader.reading.visibility import Colour

MATHS_HOOK: Final = "maths"
"""The name of the hook that is executed in each formula."""
_MOST_HOOK_TOKENS: Final = 200
_LONGEST_FONT: Final = 200
LISTS: Final = ("itemize", "enumerate", "description")
_USUAL_BOXES: Final[Mapping[str, Mapping[str, str]]] = {
    "tcolorbox": {"colback": "black!5!white"}, "mdframed": {},
    "shaded": {"colback": "shadecolor"}, "shaded*": {"colback": "shadecolor"},
}  # fmt: skip
"""Environments that draw a box, with their usual options."""
_STYLE: Final = "/.style"
"""The end of a key that defines a style, as in `warning/.style={colback=red}`."""


def list_source(keys: Mapping[str, str]) -> str:
    """The source that the options of a list of the package enumitem execute before its text."""
    return "".join(keys.get(key, "") for key in ("before", "before*", "first"))


class Settings:
    """The settings that were read so far.

    `boxes` are the environments that draw a box, with their options. `styles` are options that a name stands for, in
    listings and boxes. `formats` are the commands before the text of titles and captions. `hooks` are the tokens that
    are executed at `document`, in `maths` and at `env/NAME/begin`.
    """

    def __init__(self, stream: Expansion) -> None:
        self._stream = stream
        self.palette = Palette()
        self.boxes: dict[str, dict[str, str]] = {name: dict(keys) for name, keys in _USUAL_BOXES.items()}
        self.formats: dict[str, str] = {}
        self.hooks: dict[str, list[Token]] = {}
        self.styles: dict[str, dict[str, str]] = {}
        self.link: Colour | None = None
        self.readers: dict[str, Callable[[Token], None]] = {
            **dict.fromkeys(("definecolor", "providecolor", "preparecolor"), self._define_colour),
            "colorlet": self._name_colour,
            **dict.fromkeys(("newtcolorbox", "renewtcolorbox", "newtcbox"), self._define_box),
            **dict.fromkeys(("NewTColorBox", "DeclareTColorBox", "RenewTColorBox"), self._define_box),
            "newtcbtheorem": self._define_box_theorem,
            "newmdenv": self._define_framed,
            **dict.fromkeys(("tcbset", "mdfsetup"), self._set_boxes),
            **dict.fromkeys(("lstdefinestyle", "mdfdefinestyle"), self._define_style),
            "newcolumntype": self._define_column,
            **dict.fromkeys(("hypersetup", "usepackage"), self._set_links),
            "captionsetup": self._set_captions,
            "setlist": self._set_lists,
            **dict.fromkeys(("titleformat", "setkomafont", "addtokomafont"), self._set_title),
            **dict.fromkeys(("sectionfont", "subsectionfont", "allsectionsfont"), self._set_title_font),
            "font": self._define_plain_font,
            **dict.fromkeys(("newfont", "DeclareFixedFont"), self._define_font),
            **dict.fromkeys(("everymath", "everydisplay"), self._set_maths_hook),
            **dict.fromkeys(("AtBeginDocument", "AtBeginEnvironment", "AddToHook"), self._add_hook),
        }

    def hook(self, name: str) -> list[Token]:
        """The tokens that are executed at a place."""
        return self.hooks.get(name, [])

    def title_format(self, command: str) -> str:
        """The source that is executed before the text of a title or a caption."""
        return self.formats.get(command, "" if command == "caption" else self.formats.get("*", ""))

    def resolve_styles(self, keys: Mapping[str, str]) -> dict[str, str]:
        """The options of a listing or a box with those of the styles that they name."""
        found = dict(self.styles.get(keys.get("style", ""), {}))
        for key, value in keys.items():
            found |= self.styles.get(key, {key: value})
        return found

    def _option_keys(self) -> dict[str, str]:
        return keys_of(source_text(self._stream.option() or []))

    def _pass_options(self) -> None:
        while self._stream.option() is not None:
            pass

    def _define_colour(self, command: Token) -> None:
        self._stream.option()
        name, model, value = (self._stream.words() for _ in range(3))
        if command.text != "providecolor" or name not in self.palette.named:
            self.palette.define(name, self.palette.colour(value, model.split("/")[0]))

    def _name_colour(self, _command: Token) -> None:
        self._stream.option()
        name = self._stream.words()
        model = source_text(self._stream.option() or [])
        self.palette.define(name, self.palette.colour(self._stream.words(), model))

    def _define_box(self, command: Token) -> None:
        """`\\newtcolorbox[…]{name}[2][default]{options}`."""
        self._pass_options()
        name = self._stream.words()
        self._pass_options()
        if command.text.endswith("TColorBox"):  # the signature of its arguments
            self._stream.argument()
        self.boxes[name] = self._derived("tcolorbox", keys_of(self._stream.words()))

    def _define_box_theorem(self, _command: Token) -> None:
        """`\\newtcbtheorem[…]{name}{title}{options}{prefix}`."""
        self._pass_options()
        name, _title, options, _prefix = (self._stream.words() for _ in range(4))
        self.boxes[name] = self._derived("tcolorbox", keys_of(options))

    def _define_framed(self, _command: Token) -> None:
        """`\\newmdenv[options]{name}`."""
        keys = self._option_keys()
        self.boxes[self._stream.words()] = self._derived("mdframed", keys)

    def _derived(self, box: str, keys: Mapping[str, str]) -> dict[str, str]:
        """The options of a box that is defined by another one."""
        return {**self.boxes[box], **self.resolve_styles(keys)}

    def _set_boxes(self, _command: Token) -> None:
        self._stream.option()
        keys = keys_of(self._stream.words())
        for key in [key for key in keys if key.endswith(_STYLE)]:
            self.styles[key.removesuffix(_STYLE)] = keys_of(keys.pop(key))
        for box in ("tcolorbox", "mdframed"):
            self.boxes[box] = self._derived(box, keys)

    def _define_style(self, _command: Token) -> None:
        name = self._stream.words()
        self.styles[name] = keys_of(self._stream.words())

    def _define_column(self, _command: Token) -> None:
        name = self._stream.words()
        self._stream.option()
        self._stream.definitions.columns[name.strip()[:1]] = self._stream.argument()

    def _set_links(self, command: Token) -> None:
        keys = self._option_keys()
        named = self._stream.words()
        keys = keys_of(named) if command.text == "hypersetup" else keys
        colour = keys.get("urlcolor") or keys.get("allcolors")
        self.link = self.palette.colour(colour) if colour else self.link

    def _set_captions(self, _command: Token) -> None:
        self._stream.option()
        keys = keys_of(self._stream.words())
        colour = keys_of(f"{keys.get('font', '')},{keys.get('textfont', '')}").get("color")
        self.formats["caption"] = f"\\color{{{colour}}}" if colour else ""

    def _set_lists(self, _command: Token) -> None:
        kinds = source_text(self._stream.option() or [])
        source = list_source(keys_of(self._stream.words()))
        for kind in kinds.split(",") if kinds else LISTS:
            self._extend_hook(f"env/{kind.strip()}/begin", list(tokens(source, "")))

    def _set_title(self, command: Token) -> None:
        """`\\titleformat{\\section}[shape]{format}{label}{sep}{before}`, `\\setkomafont{section}{format}`."""
        is_starred = self._stream.take_star()
        title = self._stream.words().strip("\\ ")
        self._stream.option()
        self.formats[title] = self._stream.words()
        for _ in range(3 if command.text == "titleformat" and not is_starred else 0):
            self._stream.argument()

    def _set_title_font(self, command: Token) -> None:
        title = command.text.removesuffix("font")
        self.formats["*" if title == "allsections" else title] = self._stream.words()

    def _define_plain_font(self, command: Token) -> None:
        """`\\font\\name=cmr10 at 1pt`."""
        name = self._stream.raw()
        font = ""
        while (part := self._stream.raw()) and part.kind in (Kind.TEXT, Kind.SPACE) and len(font) < _LONGEST_FONT:
            font += part.source
        self._stream.put_back(part)
        if name is not None:
            self._define_size(name.text, _size_of_font(font), command)

    def _define_font(self, command: Token) -> None:
        """`\\newfont{\\name}{cmr10 at 1pt}`, `\\DeclareFixedFont{\\name}{encoding}{family}{series}{shape}{size}`."""
        is_fixed = command.text == "DeclareFixedFont"
        name, *_, font = (self._stream.words() for _ in range(6 if is_fixed else 2))
        self._define_size(name, font if is_fixed else _size_of_font(font), command)

    def _define_size(self, name: str, size: str, place: Token) -> None:
        """Let a command stand for a font of a size, if it has one."""
        if size:
            value = with_braces([place._replace(kind=Kind.TEXT, text=size)], place)
            self._stream.definitions.define(
                name.strip().removeprefix("\\"), [place._replace(text="fontsize"), *value, *value]
            )

    def _set_maths_hook(self, _command: Token) -> None:
        self._stream.skip_blank()
        self._stream.take_sign("=")
        self.hooks[MATHS_HOOK] = self._stream.argument()[:_MOST_HOOK_TOKENS]

    def _add_hook(self, command: Token) -> None:
        name = "begindocument" if command.text == "AtBeginDocument" else self._stream.words()
        if command.text == "AtBeginEnvironment":
            name = f"env/{name}/begin"
        self._stream.option()
        is_at_start = name in ("begindocument", "para/begin")
        self._extend_hook("document" if is_at_start else name.replace("/before", "/begin"), self._stream.argument())

    def _extend_hook(self, name: str, source: list[Token]) -> None:
        self.hooks.setdefault(name, []).extend(source[:_MOST_HOOK_TOKENS])


def _size_of_font(font: str) -> str:
    """The size in `cmr10 at 1pt` or `cmr10 scaled 100`, which is a factor in thousandths; empty where there is none."""
    _, at, size = font.partition(" at ")
    if at:
        return (size.split() or [""])[0]
    _, _, factor = font.partition(" scaled ")
    return f"{float(factor) / 100}pt" if factor.strip().isdecimal() and len(factor) < 9 else ""
