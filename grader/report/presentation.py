"""How reports are put for their readers."""

from pathlib import Path

from grader.frozen import Frozen


class Presentation(Frozen):
    """The language of reports, as its two letters, and a folder whose templates stand in for the project's own."""

    language: str = "en"
    templates: Path | None = None


PLAIN = Presentation()
