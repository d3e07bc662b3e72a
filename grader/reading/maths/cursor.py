"""A place within a formula's tokens."""

from typing import Final

from grader.reading.maths.tokens import Kind, OpaqueError, Token

_END: Final = Token(Kind.END, "")


class Cursor:
    """Goes through tokens from left to right; one use only."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or one further on; behind the last an END."""
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else _END

    def take(self, kind: Kind | None = None) -> Token:
        """The next token, passing it. Raises OpaqueError when it is not of a kind."""
        token = self.peek()
        if kind is not None and token.kind is not kind:
            raise OpaqueError(f"{kind} is missing")
        self.position += 1
        return token

    def at_end(self) -> bool:
        """Whether all tokens are passed."""
        return self.position >= len(self.tokens)

    def skip_rows(self) -> None:
        """Pass ends of rows."""
        while self.peek().kind is Kind.ROW:
            self.position += 1

    def operator_ahead(self, signs: str) -> bool:
        """Whether an operator comes next; a new row may begin with one or follow one."""
        start = self.position
        self.skip_rows()
        token = self.peek()
        if token.kind is Kind.OPERATOR and token.text in signs:
            return True
        self.position = start
        return False
