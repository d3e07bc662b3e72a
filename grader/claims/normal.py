"""One spelling for the many ways of writing the same text, with the way back to the original.

LaTeX, Markdown and typography are reduced to plain characters so that later stages match one form only. Every
character of the result knows the offset it came from, so evidence is quoted as the student wrote it.
"""

import re
from dataclasses import dataclass

_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_WRAPPERS = (
    "text|textbf|textit|texttt|textrm|textsc|textsf|mathrm|mathbf|mathit|mathtt|mathsf|mbox|fbox|boxed|underline"
    "|operatorname|emph|boldsymbol"
)

_Template = tuple[str | int, ...]
"""A replacement: literal strings, and the numbers of groups whose text is kept."""

_SPELLINGS: tuple[tuple[str, _Template], ...] = (
    (r"\{,\}", (",",)),
    (rf"\\(?:{_WRAPPERS})\s*\{{([^{{}}]*)\}}", (1,)),
    (rf"\\(?:{_WRAPPERS})\s*\{{([^{{}}]*)\}}", (1,)),
    (r"\\underbrace\s*\{((?:[^{}]|\{[^{}]*\})*)\}(?:_\{[^{}]*\})?", (1,)),
    (r"\\(?:left|right|[bB]igg?|displaystyle|mathop)(?![a-zA-Z])", ()),
    (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", ("((", 1, ")/(", 2, "))")),
    (r"(?<=[\d)])[^\S\n]?\*\*[^\S\n]?(?=[\d(])|(?<=\w)\*\*(?=\d(?![\d*]))", ("^",)),
    (r"\*\*|`|\$", ()),
    (r"(?m)^([^\S\n]*)(?:\*|\+(?=[^\n=]*[a-zA-Z]{2}[^\n=]*$))(?=\s)", (1, "•")),
    (r"(?<![\w*])\*(?=[^\s*])([^*\n]+)(?<=\S)\*(?![\w*])", (1,)),
    (r"(?<=[\d%)\]])[^\S\n]?\*(?=[^\S\n]*(?:\Z|[|,;)]))", ("★",)),
    (r"\\(?:times|cdot|ast)(?![a-zA-Z])\s?|[·⋅∗✕✖*]", ("×",)),
    (r"÷|\\div(?![a-zA-Z])\s?", ("/",)),
    (r"\\mu(?![a-zA-Z])", ("μ",)),
    (r"\\sigma(?![a-zA-Z])", ("σ",)),
    (r"\\pm(?![a-zA-Z])|\+\s?/\s?-|\+-", ("±",)),
    (r"\\(?:approx|simeq|sim)(?![a-zA-Z])|[≃∼]", ("≈",)),
    (r"\\(?:quad|qquad)(?![a-zA-Z])|\\[,;:! ]|~(?=\S)", (" ",)),
    (r"\\([%_#&])", (1,)),
    (r"[−–—‑]", ("-",)),
    (rf"[{_SPACES}]", (" ",)),
    ("[\u200b\u00ad\ufeff]", ()),
    *((digit, (f"^{value}",)) for value, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")),
    (r"\^\{([^{}]*)\}", ("^", 1)),
    (r"_\{([^{}]*)\}", ("_", 1)),
    ("[“”„«»]", ('"',)),
    ("[‘’]", ("'",)),
)

_RULES = tuple((re.compile(pattern), template) for pattern, template in _SPELLINGS)


@dataclass(frozen=True)
class Normal:
    """A normalised text; `origin[i]` is the offset in the original of its character i."""

    text: str
    origin: tuple[int, ...]


def normalise(text: str) -> Normal:
    """Reduce LaTeX, Markdown and typographic variants to plain characters; the length may change."""
    normal = Normal(text, tuple(range(len(text))))
    for pattern, template in _RULES:
        normal = _replaced(normal, pattern, template)
    return normal


def _replaced(normal: Normal, pattern: re.Pattern[str], template: _Template) -> Normal:
    pieces: list[str] = []
    origin: list[int] = []
    done = 0
    for match in pattern.finditer(normal.text):
        pieces.append(normal.text[done : match.start()])
        origin.extend(normal.origin[done : match.start()])
        for part in template:
            if isinstance(part, int):
                pieces.append(match.group(part))
                origin.extend(normal.origin[match.start(part) : match.end(part)])
            else:
                pieces.append(part)
                origin.extend([max(normal.origin[match.start()], origin[-1] if origin else 0)] * len(part))
        done = match.end()
    if not done:
        return normal
    return Normal("".join(pieces) + normal.text[done:], (*origin, *normal.origin[done:]))
