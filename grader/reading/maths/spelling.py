"""The commands and characters in which formulas are written, and what they stand for."""

from typing import Final


def _all(names: str) -> tuple[str, ...]:
    return tuple(names.split())


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
    **dict.fromkeys(("(", "[", "lbrace", "lbrack"), "("),
    **dict.fromkeys((")", "]", "rbrace", "rbrack"), ")"),
    **dict.fromkeys(("|", "∣", "vert", "lvert", "rvert"), "|"),
}
GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩµϵϕ",
        _all(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi"
            " psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega mu epsilon phi"
        ),
        strict=True,
    )
)
NAMES: Final = frozenset({*GREEK.values(), "ell", "hbar", "varepsilon", "vartheta", "varphi", "imath", "jmath"})
"""Commands that stand for a letter."""

FUNCTIONS: Final = frozenset(
    _all(
        "log ln exp sqrt root max min sin cos tan tanh abs floor ceil round softmax Softmax ReLU relu GELU gelu concat"
        " Concat mean std var Var Attention MultiHead FFN LayerNorm"
    )
)
"""Names that make a bracket behind them an argument, not a factor."""

SPACES: Final = frozenset(
    _all(
        ", ; : ! > quad qquad thinspace enspace medspace thickspace hfill hfil displaystyle textstyle scriptstyle"
        " nonumber notag limits nolimits left right middle big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr"
        " biggm Biggl Biggr Biggm relax allowbreak nobreak break space mathstrut strut centering bf rm it bfseries"
        " boldmath null"
    )
) | {" ", "\n"}
"""Commands that change only the looks."""

DROPPED: Final = frozenset(_all("label tag hspace vspace mspace phantom hphantom vphantom color eqref ref cite"))
"""Commands that say nothing, with one argument."""

FONTS: Final = frozenset(
    _all(
        "mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr mathnormal boldsymbol bm pmb operatorname"
        " boxed fbox underline mathop mathbin mathrel mathord ensuremath uline"
    )
)
"""Commands whose argument stands for itself."""

TEXTS: Final = frozenset(
    _all("text textbf textit textrm texttt textsf textsc textnormal textup emph mbox hbox intertext")
)
"""Commands whose argument is words."""

ACCENTS: Final = frozenset(_all("bar hat tilde vec dot ddot overline widehat widetilde overrightarrow mathring"))
"""Commands that mark a letter; the mark becomes part of its name."""

ROWED: Final = frozenset(
    _all(
        "aligned split gathered multlined align align* gather gather* equation equation* multline multline* eqnarray"
        " eqnarray* flalign flalign* alignat alignat* alignedat displaymath math array dmath dmath*"
    )
)
"""Environments that only set rows below each other."""

WITH_COLUMNS: Final = frozenset({"array", "alignat", "alignat*", "alignedat"})
"""Those of them that have an argument."""

SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱ", "0123456789+-()ni")
SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢᵣᵤᵥⱼ", "0123456789+-()aeoxhklmnpstiruvj")
