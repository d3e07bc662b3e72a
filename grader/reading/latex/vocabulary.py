"""What the commands and environments of LaTeX and its usual packages do to a text."""

from typing import Final


def names(text: str) -> frozenset[str]:
    """Names that are parted by spaces."""
    return frozenset(text.split())


SECTIONS: Final = {"part": 0, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3, "frametitle": 2}
"""Levels of headings in a document without chapters."""

RUN_IN: Final = {"paragraph": 4, "subparagraph": 5}
"""Headings that stand at the beginning of their paragraph."""

DROPPED: Final = {
    **dict.fromkeys(
        names(
            "label ref eqref pageref autoref cref Cref nameref vref cite citep citet citealp citeauthor citeyear"
            " parencite textcite footcite autocite nocite vspace hspace color pagestyle thispagestyle"
            " bibliographystyle bibliography addbibresource usepackage RequirePackage"
            " documentclass hypersetup geometry graphicspath index pagenumbering thanks author date institute"
            " affiliation email selectlanguage captionsetup lstset usetikzlibrary pgfplotsset sisetup setlist"
            " setminted usemintedstyle rowcolor cellcolor columncolor arrayrulecolor linespread phantom hphantom"
            " vphantom stepcounter refstepcounter markboth lhead rhead chead lfoot"
            " rfoot cfoot fancyhf fancyhead fancyfoot DeclareGraphicsExtensions hyphenation includeonly"
            " newcounter newlength newcolumntype subtitle logo theoremstyle numberwithin"
            " setstretch bookmark pdfbookmark directlua pgfmathparse sout st xout"
        ),
        1,
    ),
    **dict.fromkeys(
        names("setlength addtolength setcounter addtocounter fontsize rule markright settowidth pgfmathsetmacro"), 2
    ),
    **dict.fromkeys(names("addcontentsline"), 2),
    **dict.fromkeys(names("definecolor specialrule titlespacing addtocontents titleformat"), 3),
}
"""Commands that say nothing, with the number of their arguments in braces."""

DECLARATIONS: Final = names(
    "noindent indent centering raggedright raggedleft small footnotesize scriptsize tiny normalsize large Large"
    " LARGE huge Huge rm sf sl it em mdseries upshape itshape slshape scshape rmfamily sffamily normalfont"
    " selectfont newpage clearpage cleardoublepage pagebreak nopagebreak nolinebreak hfill hfil vfill smallskip"
    " medskip bigskip null maketitle tableofcontents listoffigures listoftables appendix frontmatter mainmatter"
    " backmatter makeatletter makeatother protect relax ignorespaces unskip leavevmode strut hline toprule"
    " midrule bottomrule endhead endfirsthead endfoot endlastfoot sloppy fussy onehalfspacing doublespacing"
    " singlespacing FloatBarrier displaystyle textstyle limits nolimits qed null bgroup egroup begingroup"
    " endgroup allowbreak titlepage newblock balance @ / - xspace hrulefill dotfill par"
    " addlinespace qedhere allowdisplaybreaks printbibliography"
)
"""Commands without arguments that show nothing."""

UNWRAPPED_OPTION: Final = names(
    "makebox framebox parbox raisebox includegraphics sqrt textcolor colorbox resizebox scalebox rotatebox tcbox"
    " cite citep citet parencite textcite autocite footcite usepackage documentclass vspace footnotetext todo"
    " rule lstset marginpar printbibliography addlinespace allowdisplaybreaks bibitem linebreak pagebreak caption"
)
"""Commands whose options in square brackets say nothing."""

KEPT_AFTER: Final = {"textcolor": 1, "colorbox": 1, "fcolorbox": 2, "resizebox": 2, "scalebox": 1, "rotatebox": 1,
                     "raisebox": 1, "parbox": 1, "foreignlanguage": 1, "adjustbox": 1, "hyperref": 0}  # fmt: skip
"""Commands whose last argument is text, with the number of those before it."""

BOLD: Final = names("textbf underline uline textsc bfseries bf scshape")
TYPEWRITER: Final = names("texttt ttfamily tt lstinline code")

TABLES: Final = {
    **dict.fromkeys(names("tabular longtable supertabular tabu longtabu tblr longtblr talltblr NiceTabular"), 1),
    **dict.fromkeys(names("tabularx tabulary xltabular NiceTabularX"), 2),
}
"""Environments of rows and cells, with the number of their arguments; `tabular*` has one more."""

DISPLAYS: Final = names(
    "equation align gather multline eqnarray flalign alignat displaymath dmath dgroup IEEEeqnarray empheq numcases"
)
ROWED: Final = names("aligned split gathered multlined alignedat align gather alignat")
"""Environments within a display that set rows below each other."""

FLOATS: Final = names(
    "figure table wrapfigure wraptable sidewaystable sidewaysfigure subfigure subtable SCfigure floatrow"
    " marginfigure measuredfigure threeparttable"
)  # fmt: skip
ENVIRONMENT_ARGUMENTS: Final = {
    "minipage": 1, "multicols": 1, "wrapfigure": 2, "wraptable": 2, "subfigure": 1, "subtable": 1, "thebibliography": 1,
    "adjustbox": 1, "spacing": 1, "column": 1, "alignat": 1, "alignedat": 1, "IEEEeqnarray": 1, "empheq": 1, "array": 1,
    "numcases": 1, "list": 2, "adjustwidth": 2, "textblock": 1, "otherlanguage": 1, "savenotes": 0, "tasks": 0,
}  # fmt: skip
"""Arguments of an environment that say nothing."""
