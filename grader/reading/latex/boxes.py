"""Boxes that a document sets at one place and uses at another one, or never."""

from collections.abc import Callable
from typing import Final

from grader.reading.latex.expansion import Expansion
from grader.reading.latex.stream import braced
from grader.reading.latex.tokens import Kind, Token
from grader.reading.maths.tokens import names

TEX_BOXES: Final = names("hbox vbox vtop vcenter mbox")
SETTING_BOXES: Final = names("sbox savebox setbox")
USING_BOXES: Final = names("usebox box copy unhbox unvbox unhcopy unvcopy")
_MOST_BOXES: Final = 200
_GROUP_DEPTH: Final = {"bgroup": 1, "begingroup": 1, "egroup": -1, "endgroup": -1}


class Boxes:
    """The stored boxes of a document.

    Their content is kept as tokens: its look is decided where it is used. Content that is never used is no text of the
    page.
    """

    def __init__(self, stream: Expansion) -> None:
        self._stream = stream
        self._content: dict[str, list[Token]] = {}

    def use(self, command: str) -> None:
        """Put the content of the box that follows before all that is still to come."""
        name = self._stream.words() if command == "usebox" else self.register()
        self._stream.push(self._content.get(name.strip(), []))

    def set(self, command: str) -> None:
        """Store the box that follows."""
        stream = self._stream
        if command == "setbox":
            self._set_register(self.register())
            return
        name = stream.words()
        while stream.option() is not None:  # its width and alignment
            pass
        self._keep_group(name)

    def set_environment(self) -> None:
        """Store the content of `\\begin{lrbox}{name}`."""
        name = self._stream.words()
        self._keep(name, self._until(lambda token: token.kind is Kind.END and token.text == "lrbox", {}))

    def register(self) -> str:
        """The number or the name of a box or a file that follows, which is passed."""
        self._stream.skip_blank()
        digits = self._stream.digits()
        if digits:
            return digits
        token = self._stream.raw()
        if token is not None and token.kind is Kind.TEXT:
            self._stream.put_back(token)
            return ""
        return token.source if token is not None else ""

    def _set_register(self, name: str) -> None:
        """`\\setbox0=\\hbox to 3cm{…}`, also with `\\bgroup` and `\\egroup` for the braces."""
        stream = self._stream
        stream.skip_blank()
        stream.passed("=")
        stream.skip_blank()
        token = stream.raw()
        if token is None or token.kind is not Kind.COMMAND or token.text not in TEX_BOXES:
            stream.put_back(token)
            return
        while (token := stream.raw()) is not None and token.kind in (Kind.TEXT, Kind.SPACE, Kind.NEWLINE):
            pass  # its size
        if token is not None and token.kind is Kind.COMMAND and _GROUP_DEPTH.get(token.text) == 1:
            self._keep(name, self._until(lambda token: _GROUP_DEPTH.get(token.text) == -1, _GROUP_DEPTH))
        else:
            stream.put_back(token)
            self._keep_group(name)

    def _keep_group(self, name: str) -> None:
        self._stream.skip_blank()
        token = self._stream.take()
        if token is not None and token.kind is Kind.OPEN:
            self._keep(name, self._until(lambda token: token.kind is Kind.CLOSE, {"{": 1, "}": -1}))
        else:
            self._stream.put_back(token)
            self._keep(name, self._stream.argument())

    def _until(self, is_end: Callable[[Token], bool], depths: dict[str, int]) -> list[Token]:
        """The tokens up to an end outside of further groups. They are of any length, so no argument is read."""
        found: list[Token] = []
        depth = 0
        while (token := self._stream.take()) is not None and not (depth == 0 and is_end(token)):
            depth += depths.get(token.text, 0) if token.kind in (Kind.COMMAND, Kind.OPEN, Kind.CLOSE) else 0
            found.append(token)
        return found

    def _keep(self, name: str, content: list[Token]) -> None:
        if len(self._content) < _MOST_BOXES:
            place = content[0] if content else Token(Kind.TEXT, "", "", 0)
            self._content[name.strip()] = [token._replace(is_drawn=False) for token in braced(content, place)]
