"""The smallest parts of a formula's source (numbers, names, words), and the commands and characters in which formulas
are written, with what they stand for.
"""

import re
from enum import StrEnum
from fractions import Fraction
from typing import Final, NamedTuple


def names(text: str) -> frozenset[str]:
    """Names that are parted by spaces."""
    return frozenset(text.split())


OPERATORS: Final = {
    **dict.fromkeys(("times", "cdot", "ast", "star", "bullet", "cdotp"), "×"),
    **dict.fromkeys("×*·⋅∗∙•✕✖⨯", "×"),
    **dict.fromkeys(("div", "slash"), "/"),
    **dict.fromkeys("/÷∕⁄", "/"),
    **dict.fromkeys("-−–‑‐", "-"),
    **dict.fromkeys("+＋", "+"),
}
RELATIONS: Final = {
    **dict.fromkeys(("=", "equiv", "coloneqq", "triangleq", "eq", "≡", "≔", "≜", ":="), "="),
    **dict.fromkeys(("approx", "simeq", "sim", "cong", "approxeq", "≈", "≃", "∼", "≅"), "≈"),
    **dict.fromkeys(("le", "leq", "leqslant", "≤", "⩽"), "≤"),
    **dict.fromkeys(("ge", "geq", "geqslant", "≥", "⩾"), "≥"),
    **dict.fromkeys(("ne", "neq", "≠"), "≠"),
    **dict.fromkeys(("lt", "<"), "<"),
    **dict.fromkeys(("gt", ">"), ">"),
}
BRACKETS: Final = {
    **dict.fromkeys(("(", "[", "lbrace", "lbrack", "lfloor", "⌊", "lceil", "⌈"), "("),
    **dict.fromkeys((")", "]", "rbrace", "rbrack", "rfloor", "⌋", "rceil", "⌉"), ")"),
    **dict.fromkeys(("|", "∣", "vert", "lvert", "rvert"), "|"),
}
_GREEK_NAMES: Final = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi"
    " omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega mu epsilon phi"
)
GREEK: Final = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩµϵϕ", _GREEK_NAMES.split(), strict=True))
NAMES: Final = frozenset({*GREEK.values(), "ell", "hbar", "varepsilon", "vartheta", "varphi", "imath", "jmath"})
"""Commands that stand for a letter."""

FUNCTIONS: Final = names(
    "log ln exp sqrt root max min sin cos tan tanh abs floor ceil round softmax Softmax ReLU relu GELU gelu concat"
    " Concat mean std var Var Attention MultiHead FFN LayerNorm"
)
"""Names that make a bracket behind them an argument, not a factor."""

SPACES: Final = names(
    ", ; : ! > quad qquad thinspace enspace medspace thickspace hfill hfil displaystyle textstyle scriptstyle"
    " nonumber notag limits nolimits left right middle big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr"
    " biggm Biggl Biggr Biggm relax allowbreak nobreak break space mathstrut strut centering bf rm it bfseries"
    " boldmath null"
) | {" ", "\n"}
"""Commands that change only the looks."""

DROPPED: Final = names("label tag hspace vspace mspace phantom hphantom vphantom color eqref ref cite")
"""Commands without meaning, with one argument."""

FONTS: Final = names(
    "mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr mathnormal boldsymbol bm pmb operatorname"
    " boxed fbox underline mathop mathbin mathrel mathord ensuremath uline"
)
"""Commands that are replaced by their argument."""

TEXTS: Final = names("text textbf textit textrm texttt textsf textsc textnormal textup emph mbox hbox intertext")
"""Commands whose argument is words."""

ACCENTS: Final = names("bar hat tilde vec dot ddot overline widehat widetilde overrightarrow mathring")
"""Commands that mark a letter; the mark becomes part of its name."""

ROWED: Final = names(
    "aligned split gathered multlined align align* gather gather* equation equation* multline multline* eqnarray"
    " eqnarray* flalign flalign* alignat alignat* alignedat displaymath math array dmath dmath*"
)
"""Environments that only set rows below each other."""

WITH_COLUMNS: Final = frozenset({"array", "alignat", "alignat*", "alignedat"})
"""Those of them that have an argument."""

SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱ", "0123456789+-()ni")
SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢᵣᵤᵥⱼ", "0123456789+-()aeoxhklmnpstiruvj")


class OpaqueError(ValueError):
    """A text is no formula of the kinds that are understood, or one beyond the bounds."""


class Kind(StrEnum):
    """The kind of a token."""

    NUMBER = "number"
    WORD = "word"
    TEXT = "text"
    SUBSCRIPT = "subscript"
    OPERATOR = "operator"
    RELATION = "relation"
    POWER = "^"
    OPEN = "("
    CLOSE = ")"
    BAR = "|"
    GROUP = "{"
    END = "}"
    COMMA = ","
    FRACTION = "frac"
    ROOT = "sqrt"
    ROW = "row"


class Token(NamedTuple):
    """One token; `spaced` says that white space stands before it, `value` is that of a number."""

    kind: Kind
    text: str
    spaced: bool = False
    value: Fraction = Fraction(0)


THIN: Final = "\u2009"
"""Stands for LaTeX's thin space, which may part groups of digits."""

_LONGEST_NUMBER: Final = 60
_GROUPED: Final = (
    rf"[1-9]\d{{0,2}}(?P<mark>, ?|[ {THIN}'.])\d{{3}}(?:(?P=mark)\d{{3}})*(?!\d)"
    r"(?P<tail>(?!(?P=mark))[.,]\d+)?(?![.,]\d)"
)
_NUMBER: Final = re.compile(rf"(?:{_GROUPED}|\d+(?:[.,]\d+)?)(?:e(?P<power>[+-]?\d{{1,2}})(?![\w.]))?")
_DIGITS: Final = re.compile(r"\d+")


def number_at(text: str, position: int, *, spaced: bool, lone: bool) -> tuple[Token, int]:
    """The number that begins at a position, and where it ends. `lone`: digits only, as behind `^`."""
    match = (_DIGITS if lone else _NUMBER).match(text, position)
    if match is None or len(match.group()) > _LONGEST_NUMBER:
        raise OpaqueError("a number that is too long")
    written = match.group()
    power = None if lone else match["power"]
    plain = written[: match.start("power") - 1 - position] if power else written
    value = _value(plain) * Fraction(10) ** int(power or 0)
    return Token(Kind.NUMBER, written.replace(THIN, " "), spaced, value), match.end()


def _value(written: str) -> Fraction:
    """The likeliest value: marks that repeat or stand before three digits part groups, except a single dot."""
    marks = re.findall(r", ?|[^\d]", written)
    if not marks:
        return Fraction(int(written))
    head, mark, tail = written.partition(marks[0])
    is_decimal = mark == "." or (mark == "," and (len(tail) != 3 or len(head) > 3 or head.startswith("0")))
    if len(marks) == 1 and is_decimal:
        return Fraction(f"{head}.{tail}")
    if len(marks) > 1 and marks[-1] != marks[0]:
        head, _, tail = written.rpartition(marks[-1])
        return Fraction(f"{re.sub(r'[^0-9]', '', head)}.{tail}")
    return Fraction(int(re.sub(r"\D", "", written)))


_NAME: Final = re.compile(r"[^\W\d_][\w .'/&-]*")
_INNER_COMMAND: Final = re.compile(r"\\([a-zA-Z]+|.)\s?", re.DOTALL)
_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_LONGEST_NAME: Final = 60


def group_end(text: str, start: int) -> int:
    """The offset of the brace that closes the group opened at `start`. Raises OpaqueError."""
    depth = 0
    for match in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if not depth:
            return match.start()
    raise OpaqueError("a brace that is not closed")


def is_words(text: str) -> bool:
    """Whether a text is a name of several letters, or words."""
    return bool(_NAME.fullmatch(text.strip())) and (len(text.strip()) > 1 or " " in text)


def plain_name(text: str) -> str:
    """Words without commands and braces; Greek letters by their names."""
    named = _INNER_COMMAND.sub(lambda match: _spelled(match[1]), text)
    plain = " ".join(re.sub(r"[{}$~]", " ", named).split())
    if len(plain) > _LONGEST_NAME:
        raise OpaqueError("a name that is too long")
    return plain


def _spelled(command: str) -> str:
    if command in TEXTS | FONTS | SPACES:
        return " "
    if command in "_%&#-" or command in NAMES:
        return command
    if command in ("times", "cdot"):
        return "×"
    raise OpaqueError(f"the command {command}")
