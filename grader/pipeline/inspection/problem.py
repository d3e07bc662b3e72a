"""What is wrong with a lab, or worth a look: where, and what to do."""

from enum import StrEnum

from grader.frozen import Frozen
from grader.message import Words


class Severity(StrEnum):
    """With an error, grades would be wrong or there would be none; a warning is worth a look."""

    ERROR = "error"
    WARNING = "warning"


class Problem(Frozen):
    """One thing, in the words that the instructor reads. `line` counts from 1; None where no one line is to blame."""

    severity: Severity
    file: str
    text: Words
    line: int | None = None

    @property
    def place(self) -> str:
        """As compilers write it, so that editors can jump there."""
        return f"{self.file}:{self.line}" if self.line else self.file


def error(file: str, line: int | None, text: str) -> Problem:
    """What must be mended."""
    return Problem(severity=Severity.ERROR, file=file, line=line, text=text)


def warning(file: str, line: int | None, text: str) -> Problem:
    """What is worth a look."""
    return Problem(severity=Severity.WARNING, file=file, line=line, text=text)
