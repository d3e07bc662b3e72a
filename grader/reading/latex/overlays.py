"""Overlay specifications of beamer: on which slides a text is shown."""

from typing import Final

from grader.reading.latex.stream import Stream
from grader.reading.latex.tokens import Kind, Token
from grader.reading.maths.tokens import names

_ON_SCREEN: Final = names("beamer presentation all slide second")
"""Modes whose slides a reader of the presentation sees."""
_LONGEST: Final = 20
"""Tokens of a specification."""


def is_on_slide(stream: Stream) -> bool | None:
    """Whether the specification `<…>` that follows, which is passed, names a slide; None where there is none."""
    passed: list[Token] = []
    text = ""
    while (token := stream.raw()) is not None and len(passed) < _LONGEST:
        passed.append(token)
        text += token.source
        if token.kind not in (Kind.TEXT, Kind.SPACE) or not text.startswith("<") or ">" in text:
            break
    if not text.startswith("<") or ">" not in text:
        stream.push(passed)
        return None
    spec, _, rest = text[1:].partition(">")
    stream.push([passed[-1]._replace(text=rest)] if rest else [])
    return any(_names_slide(part) for part in spec.split("|"))


def _names_slide(part: str) -> bool:
    """Whether a part such as `handout:1-3` names some slide of the presentation."""
    mode, named, slides = part.rpartition(":")
    if not named and slides.strip().isalpha():
        return slides.strip() in _ON_SCREEN
    is_other = bool(named) and mode.strip() not in _ON_SCREEN
    return not is_other and any(slide.strip() not in ("0", "0-0") for slide in slides.split(","))
