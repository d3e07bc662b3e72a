"""A document's tokens in the order in which TeX would see them, within bounds."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from grader.reading.latex.tokens import Kind, Token

MOST_TOKENS: Final = 500_000
"""Tokens of one document, including those that its macros produce."""

LONGEST_ARGUMENT: Final = 8_000
"""Tokens of an argument; a longer one means a missing brace."""

_MOST_AGAIN: Final = 20
"""Most times that the tokens of an argument are read."""

_MOST_RUNAWAYS: Final = 10
_BLANK: Final = (Kind.SPACE, Kind.NEWLINE)


class Stream:
    """Tokens from several sources, the last one added first; one use only. How many are taken is bounded, those
    that are put back and taken again included, so that all work on a document is."""

    def __init__(self, tokens: Iterator[Token] | Sequence[Token]) -> None:
        self._sources: list[Iterator[Token] | list[Token]] = [iter(tokens)]
        self._left = _MOST_AGAIN * (len(tokens) + 10) if isinstance(tokens, Sequence) else MOST_TOKENS
        self._runaways = 0

    @property
    def is_exhausted(self) -> bool:
        """Whether the bound was reached, so that the rest is not read."""
        return self._left <= 0

    def push(self, tokens: Sequence[Token]) -> None:
        """Put tokens before all that is still to come."""
        if tokens:
            self._sources.append(list(reversed(tokens)))

    def end_source(self, *, whole: bool) -> None:
        """Leave out the rest of the source that was included last. `whole`: also what was put before it, and where no
        source was included, all that is still to come."""
        places = [place for place, source in enumerate(self._sources) if not isinstance(source, list)]
        if whole and len(places) < 2:
            self._sources.clear()
        elif places:
            del self._sources[places[-1] : None if whole else places[-1] + 1]

    def put_back(self, token: Token | None) -> None:
        """Put a token that was taken before all that is still to come."""
        self.push([token] if token is not None else [])

    def include(self, tokens: Iterator[Token]) -> None:
        """Put a source before all that is still to come."""
        self._sources.append(tokens)

    def raw(self) -> Token | None:
        """The next token without expansion; None at the end."""
        if self._left <= 0:
            return None
        self._left -= 1
        while self._sources:
            source = self._sources[-1]
            if isinstance(source, list):
                if source:
                    token = source.pop()
                    if not source:
                        self._sources.pop()
                    return token
            else:
                found = next(source, None)
                if found is not None:
                    return found
            self._sources.pop()
        return None

    def take(self) -> Token | None:
        """The next token. What knows macros expands them here."""
        return self.raw()

    def peek(self) -> Token | None:
        """The next token, without consuming it."""
        token = self.take()
        if token is not None:
            self.push([token])
        return token

    def skip_blank(self) -> None:
        """Pass spaces and one end of a line."""
        while (token := self.take()) is not None:
            if token.kind not in _BLANK:
                self.push([token])
                return

    def starred(self) -> bool:
        """Whether a star follows, which is passed."""
        return self.passed("*")

    def passed(self, sign: str) -> bool:
        """Whether a text follows at once that begins with a sign, which is passed."""
        token = self.take()
        if token is None:
            return False
        found = token.kind is Kind.TEXT and token.text.startswith(sign)
        rest = token.text.removeprefix(sign) if found else token.text
        if rest or not found:
            self.push([token._replace(text=rest)])
        return found

    def digits(self) -> str:
        """The digits that follow at once, which are passed."""
        token = self.raw()
        if token is None or token.kind is not Kind.TEXT:
            self.put_back(token)
            return ""
        rest = token.text.lstrip("0123456789")
        self.push([token._replace(text=rest)] if rest else [])
        return token.text[: len(token.text) - len(rest)]

    def argument(self) -> list[Token]:
        """The tokens of the group that follows, or the one token in its place; empty where there is none."""
        self.skip_blank()
        token = self.take()
        if token is None:
            return []
        if token.kind is Kind.OPEN:
            found = self._until(Kind.CLOSE, "}")
            if found is None:
                self.push([token])
            return found or []
        if token.kind is Kind.TEXT:
            self.push([token._replace(text=token.text[1:])] if len(token.text) > 1 else [])
            return [token._replace(text=token.text[0])]
        if token.kind in (Kind.CLOSE, Kind.PARAGRAPH, Kind.BEGIN, Kind.END, Kind.ALIGN, Kind.VERBATIM):
            self.push([token])
            return []
        return [token]

    def pass_argument(self) -> None:
        """Pass the argument that follows, whatever its length."""
        self.skip_blank()
        token = self.take()
        if token is None or token.kind is not Kind.OPEN:
            self.put_back(token)
            self.argument()
            return
        depth, passed = 1, [token]
        while depth and (token := self.take()) is not None:
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(token.kind, 0)
            if len(passed) <= LONGEST_ARGUMENT:
                passed.append(token)
        if depth and len(passed) <= LONGEST_ARGUMENT and self._runaways < _MOST_RUNAWAYS:
            self._runaways += 1  # a brace is missing
            self.push(passed[1:])

    def group(self) -> list[Token] | None:
        """The tokens of a group in braces; None, and nothing is passed, where none follows at once."""
        token = self.take()
        if token is None or token.kind is not Kind.OPEN:
            self.put_back(token)
            return None
        found = self._until(Kind.CLOSE, "}")
        if found is None:
            self.push([token])
        return found

    def option(self) -> list[Token] | None:
        """The tokens in square brackets that follow; None, and nothing is passed, where there are none."""
        blank = []
        while (token := self.take()) is not None and token.kind in _BLANK:
            blank.append(token)
        if token is not None and token.kind is Kind.BRACKET and token.text == "[":
            found = self._until(Kind.BRACKET, "]")
            if found is not None:
                return found
        self.push([*blank, token] if token is not None else blank)
        return None

    def close_option(self) -> None:
        """Pass what follows at once in square brackets, as behind the end of a row."""
        token = self.peek()
        if token is not None and token.kind is Kind.BRACKET:
            self.option()

    def skip_arguments(self, count: int) -> None:
        """Pass arguments, and an option before each and behind the last."""
        self.option()
        for _ in range(count):
            self.argument()
            self.option()

    def words(self) -> str:
        """The source text of the argument that follows."""
        return written(self.argument())

    def _until(self, kind: Kind, text: str) -> list[Token] | None:
        """The tokens up to a closing sign outside of further groups; None, and nothing is passed, where none comes."""
        if self._runaways >= _MOST_RUNAWAYS:
            return None
        found: list[Token] = []
        depth = 0
        while len(found) < LONGEST_ARGUMENT and (token := self.take()) is not None:
            if depth == 0 and token.kind is kind and token.text == text:
                return found
            if kind is Kind.BRACKET and token.kind is Kind.PARAGRAPH:
                found.append(token)
                break
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(token.kind, 0)
            found.append(token)
            if depth < 0:
                break
        self._runaways += 1
        self.push(found)
        return None


def written(tokens: Iterable[Token]) -> str:
    """The source text of tokens, in one line."""
    return " ".join("".join(token.source for token in tokens).split())


def braced(tokens: Iterable[Token], place: Token) -> list[Token]:
    """Tokens in braces that stand at a place."""
    opened = place._replace(kind=Kind.OPEN, text="{")
    return [opened, *tokens, opened._replace(kind=Kind.CLOSE, text="}")]


def bracketed(tokens: Iterable[Token] | None, place: Token) -> list[Token]:
    """The tokens of an option in its brackets; none where there is no option."""
    opened = place._replace(kind=Kind.BRACKET, text="[")
    return [] if tokens is None else [opened, *tokens, opened._replace(text="]")]
