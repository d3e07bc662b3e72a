"""LaTeX sources: what each construction becomes, and where it stands."""

from pathlib import Path

import pytest

from grader.reading.document import Block, BlockKind, Document
from grader.reading.latex import read_latex
from grader.reading.maths.formula import format_expression
from tests.reading.making_latex import hand_in, latex


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def kinds(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in document.blocks]


def only(document: Document) -> Block:
    (block,) = document.blocks
    return block


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"lora\_alpha is 100\,\% of R\&D \#1", "lora_alpha is 100 % of R&D #1"),
        (r"r\'esum\'e na\"ive gar\c{c}on c\oe ur \`a l'\'{e}cole \^{\i}le", "résumé naïve garçon cœur à l'école île"),
        (r"``quoted'' -- a---b~c", "“quoted” – a—b c"),
        (r"mean \sout{79.65}79.77", "mean 79.77"),
        (r"\textbf{bold} \emph{it} {\bf old} \underline{u} \texttt{--max-epoch}", "bold it old u --max-epoch"),
        (r"\textcolor{red}{kept} \href{https://x.y/a%20b}{link} \url{https://x.y/%7E}", "kept link https://x.y/%7E"),
        (r"see~\cite[p.~3]{a,b} and \ref{x}\label{y} on", "see and ?? on"),
        (r"\verb|a_b%c| and \lstinline!d{e}! and \lstinline{f_g}", "a_b%c and d{e} and f_g"),
        (r"\num{22807552}, \num{22 807 552}, \num{2.28e7}", "22807552, 22807552, 2.28 × 10^7"),
        (r"\SI{80.1}{\percent}, \qty{80.1 \pm 0.7}{\percent}", "80.1 %, 80.1 ± 0.7 %"),
        (r"\SIrange{79}{80}{\percent} \numlist{1;2;3}", "79–80 % 1, 2, 3"),
        (r"the 1\textsuperscript{st} and 512\textsuperscript{2}", "the 1st and 512^{2}"),
        (r"\unknown[opt]{kept} \makebox[3cm][c]{box}", "kept box"),
        (r"\ifthenelse{\equal{a}{b}}{yes}{no} \ifthenelse{\equal{a}{a}}{yes}{no}", "no yes"),
        (r"\resizebox{\textwidth}{!}{wide} \scalebox{0.5}{small}", "wide small"),
        (r"\hypertarget{part-1}{Part one}, \hyperlink{part-1}{see there}", "Part one, see there"),
        (r"a \hspace{1cm} b \vspace*{2mm} c \hskip 1em d", "a b c d"),
    ],
)
def test_running_text(tmp_path: Path, source: str, shown: str) -> None:
    assert " ".join(texts(latex(tmp_path, source))) == shown


def test_each_source_line_is_a_block(tmp_path: Path) -> None:
    blocks = latex(tmp_path, "one\ntwo\n\nthree").blocks
    assert [(block.text, block.line) for block in blocks] == [("one", 3), ("two", 4), ("three", 6)]


def test_comments_join_a_paragraph(tmp_path: Path) -> None:
    blocks = latex(tmp_path, "50\\% of it % a remark\n% another\ngoes on\n\n% only a remark\nnext").blocks
    assert [(block.text, block.line) for block in blocks] == [("50% of it goes on", 3), ("next", 8)]


def test_titles(tmp_path: Path) -> None:
    body = (
        "\\maketitle\n\\section*{Question 1 \\& Task 1}\\label{a}\n\\subsection[short]{Long $d$ title}\n"
        "\\paragraph{Task 3} We train.\n\\paragraph{lora\\_alpha} the scale\n\n\\textbf{Results}\n\n{\\bf Mean:}\n\n"
        "Question 2: LoRA\n\n\\textbf{The mean} is high."
    )
    blocks = latex(tmp_path, body, preamble="\\title{The lab}\\author{A. Person}").blocks
    assert [(block.kind.value, block.level, block.text) for block in blocks] == [
        ("heading", 1, "The lab"),
        ("heading", 1, "Question 1 & Task 1"),
        ("heading", 2, "Long $d$ title"),
        ("heading", 4, "Task 3"),
        ("line", None, "We train."),
        ("line", None, "lora_alpha: the scale"),
        ("heading", 6, "Results"),
        ("heading", 6, "Mean:"),
        ("heading", 1, "Question 2: LoRA"),
        ("line", None, "The mean is high."),
    ]


def test_chapters_are_above_sections(tmp_path: Path) -> None:
    blocks = latex(tmp_path, "\\chapter{A}\n\\section{B}\n\\subsection{C}").blocks
    assert [block.level for block in blocks] == [1, 2, 3]


def test_items_have_the_numbers_that_latex_shows(tmp_path: Path) -> None:
    """Also those of enumitem, of the older package enumerate, and of a label that is defined anew."""
    body = (
        "\\begin{enumerate}\n\\item one\n\\begin{enumerate}\n\\item inner\n\\end{enumerate}\n\\setcounter{enumi}{6}\n"
        "\\item seven\n\\item[Q9] nine\n\\end{enumerate}\n"
        "\\begin{enumerate}[label=\\textbf{Q\\arabic*.}, start=3]\n\\item three\n\\end{enumerate}\n"
        "\\begin{enumerate}[resume]\n\\item four\n\\end{enumerate}\n"
        "\\begin{enumerate}[(a)]\n\\item lettered\n\\end{enumerate}\n"
        "\\renewcommand{\\labelenumi}{\\arabic{enumi})}\n\\begin{enumerate}\n\\item own\n\\end{enumerate}"
    )
    assert [text for _, text in kinds(latex(tmp_path, body))] == [
        "1. one",
        "(a) inner",
        "7. seven",
        "Q9: nine",
        "Q3. three",
        "4. four",
        "(a) lettered",
        "1) own",
    ]


def test_lists(tmp_path: Path) -> None:
    body = (
        "\\begin{itemize}[label=--]\n\\item first\ngoes on\n\\begin{enumerate}\n\\item inner\n\\end{enumerate}\n"
        "\\end{itemize}\n\\begin{description}\n\\item[\\texttt{r}] the rank\n\\item[alpha:] the scale\n"
        "\\item[(a)] lettered\n\\item[$\\bullet$] bullet\n\\end{description}"
    )
    assert kinds(latex(tmp_path, body)) == [
        ("list-item", "first"),
        ("line", "goes on"),
        ("list-item", "1. inner"),
        ("list-item", "r: the rank"),
        ("list-item", "alpha: the scale"),
        ("list-item", "(a) lettered"),
        ("list-item", "bullet"),
    ]


def test_lines_that_end_by_hand_are_apart(tmp_path: Path) -> None:
    assert texts(latex(tmp_path, r"r = 16: the rank \\[2pt] bias: none\newline last")) == [
        "r = 16: the rank",
        "bias: none",
        "last",
    ]


def test_formulas_within_a_line(tmp_path: Path) -> None:
    block = only(latex(tmp_path, "so $\\left(d_{model}\n  + 2\\right)\\!^2$ and \\(V\\times d\\) and 5\\$"))
    assert block.text == r"so $(d_{model} + 2)^2$ and $V\times d$ and 5$"
    shown = [(block.text[f.start : f.end], f.expression and format_expression(f.expression)) for f in block.formulas]
    assert shown == [("(d_{model} + 2)^2", "(d_model + 2)^2"), (r"V\times d", "V × d")]


def test_a_dollar_that_never_closes_hides_nothing(tmp_path: Path) -> None:
    document = latex(tmp_path, "costs $ 5\n\n\\section{Next}\ntext")
    assert kinds(document) == [("line", "costs 5"), ("heading", "Next"), ("line", "text")]


@pytest.mark.parametrize(
    "display",
    [
        "\\begin{align*}\n a &= b + c \\nonumber \\\\\n   &= 12 \\label{x}\\tag{3}\n\\end{align*}",
        "\\[\\begin{aligned}\n a &= b + c \\\\[3pt]\n   &= 12\n\\end{aligned}\\]",
        "$$\\begin{array}{rcl}\n a &=& b + c \\\\\n   &=& 12\\end{array}$$",
        "\\begin{eqnarray}\n a &=& b + c \\\\\n &=& 12\n\\end{eqnarray}",
        "\\begin{equation}\\begin{split}\n a &= b \\\\ & + c \\\\ &= 12\n\\end{split}\\end{equation}",
        "\\begin{alignat}{2}\n a &= b + c \\\\\n &= 12\n\\end{alignat}",
    ],
)
def test_displays_are_a_block_for_each_equation(tmp_path: Path, display: str) -> None:
    blocks = latex(tmp_path, f"so\n{display}\nend").blocks
    assert [block.kind for block in blocks] == [BlockKind.LINE, BlockKind.MATH, BlockKind.MATH, BlockKind.LINE]
    shown = [format_expression(f.expression) for block in blocks for f in block.formulas if f.expression]
    assert shown == ["a = b + c", "= 12"]


def test_a_row_within_brackets_goes_on(tmp_path: Path) -> None:
    body = "\\begin{multline}\nN = 4 \\times \\left[ a \\right. \\\\ \\left. + b \\right] \\\\ = 5 \\end{multline}"
    assert texts(latex(tmp_path, body)) == [r"N = 4 \times [ a + b ]", "= 5"]


def test_cases_stay_whole(tmp_path: Path) -> None:
    body = "\\[ f(x) = \\begin{cases} 1 & x > 0 \\\\ 0 & \\text{else} \\end{cases} \\]"
    block = only(latex(tmp_path, body))
    assert block.kind is BlockKind.MATH
    assert [formula.expression for formula in block.formulas] == [None]


def test_tables(tmp_path: Path) -> None:
    body = (
        "\\begin{table}\n\\begin{tabular*}{\\textwidth}[t]{@{}l|S[table-format=2.1]r@{}}\n\\toprule\n"
        "Seed & {Validation} & Test \\\\ \\cmidrule(lr){2-3}\n0 & 81.0 & \\textbf{79.3} \\\\\n"
        "1 & 80.0 & $78.5 \\pm 0.4$ \\\\[2pt]\n\\bottomrule\n\\end{tabular*}\n"
        "\\caption{With $n=3$ seeds\\footnote{A note.}}\n"
        "\\end{table}"
    )
    blocks = latex(tmp_path, body).blocks
    assert [(block.kind.value, block.text, block.line) for block in blocks] == [
        ("caption", "With $n=3$ seeds", 11),
        ("row", "Seed | Validation | Test", 6),
        ("row", "0 | 81.0 | 79.3", 7),
        ("row", r"1 | 80.0 | $78.5 \pm 0.4$", 8),
        ("line", "A note.", 11),
    ]
    assert blocks[3].cells == ("1", "80.0", r"$78.5 \pm 0.4$")
    (formula,) = blocks[3].formulas
    assert blocks[3].text[formula.start : formula.end] == r"78.5 \pm 0.4"


def test_cells_over_several_columns_and_rows(tmp_path: Path) -> None:
    body = (
        "\\begin{tabular}{lcc}\n\\multirow{2}{*}{Model} & \\multicolumn{2}{c|}{Accuracy} \\\\\n & Valid & Test \\\\\n"
        "\\multirow{2}*{Random} & 65.4 & \\multirow[c]{2}{2cm}{66.7} \\\\\n & 67.1 & \\\\\n\\end{tabular}"
    )
    assert [block.cells for block in latex(tmp_path, body).blocks] == [
        ("Model", "Accuracy", "Accuracy"),
        ("Model", "Valid", "Test"),
        ("Random", "65.4", "66.7"),
        ("Random", "67.1", ""),
    ]


def test_rows_apart_by_rules_are_one_table(tmp_path: Path) -> None:
    body = (
        "\\begin{tabular}{cc}\n\\hline\na & b \\\\\n\\hline\n1 & 2 \\\\\n\\hline\n3 & 4 \\\\\n\\hline\n\\end{tabular}"
    )
    assert {block.line for block in latex(tmp_path, body).blocks} == {5}


def test_long_tables_do_not_repeat_their_head(tmp_path: Path) -> None:
    body = (
        "\\begin{longtable}{ll}\n\\caption{Long}\\\\\nA & B \\\\ \\endfirsthead\nA & B (continued) \\\\ \\endhead\n"
        "\\multicolumn{2}{r}{next page} \\endfoot\n\\endlastfoot\n1 & 2 \\\\\n\\end{longtable}"
    )
    assert kinds(latex(tmp_path, body)) == [("caption", "Long"), ("row", "A | B"), ("row", "1 | 2")]


def test_cells_with_inner_tables_and_lines(tmp_path: Path) -> None:
    body = (
        "\\begin{tabular}{l}\n\\makecell{a \\\\ b} & \\begin{tabular}{c} c \\\\ d \\end{tabular} \\\\\n\\end{tabular}"
    )
    assert only(latex(tmp_path, body)).cells == ("a b", "c d")


def test_figures_have_their_captions(tmp_path: Path) -> None:
    body = (
        "\\begin{figure}[h]\n\\begin{subfigure}{0.5\\textwidth}\n\\includegraphics[width=1cm]{a.png}\n\\caption{Left}\n"
        "\\end{subfigure}\n\\includegraphics{b}\\includegraphics{c}\n\\caption[s]{Both}\n\\end{figure}\n"
        "\\includegraphics{d}"
    )
    assert kinds(latex(tmp_path, body)) == [
        ("figure", "Left"), ("figure", ""), ("figure", ""), ("caption", "Both"), ("figure", ""),
    ]  # fmt: skip


def test_code_keeps_its_lines(tmp_path: Path) -> None:
    body = (
        "\\begin{lstlisting}[language=Python, caption={The configuration}]\nx = {1: '%'}  # $a$\n\n    y = \\n\n"
        "\\end{lstlisting}\n\\begin{minted}[linenos]{python}\nz\n\\end{minted}\n\\begin{pycode}\n\\w\n\\end{pycode}"
    )
    document = latex(tmp_path, body, preamble="\\lstnewenvironment{pycode}{}{}")
    assert [(block.kind.value, block.text, block.line) for block in document.blocks] == [
        ("caption", "The configuration", 3),
        ("code", "x = {1: '%'}  # $a$", 4),
        ("code", "    y = \\n", 6),
        ("code", "z", 9),
        ("code", "\\w", 12),
    ]


PANDOC = r"""\begin{Shaded}\begin{Highlighting}[]
\NormalTok{x }\OperatorTok{=}\NormalTok{ f(\{}\StringTok{\textquotesingle{}a\_b\textquotesingle{}}\NormalTok{: n\_1\})}
\ControlFlowTok{return} \NormalTok{x}
\end{Highlighting}\end{Shaded}"""
PYGMENTS = r"""\begin{Verbatim}[commandchars=\\\{\}]
\PY{n}{x} = f(\PY{p}{\PYZob{}}\PY{s1}{\PYZsq{}}\PY{s1}{a\PYZus{}b}\PY{s1}{\PYZsq{}}: n\PYZus{}1\PYZcb{})
\PY{k}{return} \PY{n}{x}
\end{Verbatim}"""


@pytest.mark.parametrize("body", [PANDOC, PYGMENTS], ids=["pandoc", "pygments"])
def test_code_in_colours_is_read_without_them(tmp_path: Path, body: str) -> None:
    preamble = r"\DefineVerbatimEnvironment{Highlighting}{Verbatim}{commandchars=\\\{\}}"
    assert kinds(latex(tmp_path, body, preamble=preamble)) == [("code", "x = f({'a_b': n_1})"), ("code", "return x")]


def test_what_is_not_shown_is_not_read(tmp_path: Path) -> None:
    body = (
        "a\\iffalse 1 \\ifx\\a\\b 2 \\fi 3 \\else b\\fi\n\\begin{comment}\n4\n\\end{comment}\n"
        "\\begin{tikzpicture}\\draw (0,0) -- (5,5);\\end{tikzpicture}\n\\ifsolution 6\\else c\\fi\\solutiontrue"
        "\\ifsolution d\\else 7\\fi\n\\end{document}\n8"
    )
    document = latex(tmp_path, body, preamble="\\newif\\ifsolution\\date{9}")
    assert kinds(document) == [("line", "ab cd"), ("figure", "")]


def test_notes_follow_their_paragraph(tmp_path: Path) -> None:
    assert texts(latex(tmp_path, "count\\footnote{Without $b$.} it\nall\n\nnext")) == [
        "count it", "all", "Without $b$.", "next",
    ]  # fmt: skip


def test_references_are_their_own_section(tmp_path: Path) -> None:
    body = "text\n\\begin{thebibliography}{9}\n\\bibitem{a} A. Author. \\emph{Title}.\n\\end{thebibliography}"
    assert kinds(latex(tmp_path, body)) == [
        ("line", "text"),
        ("heading", "References"),
        ("list-item", "A. Author. Title."),
    ]


def test_an_accent_over_nothing_is_its_sign(tmp_path: Path) -> None:
    assert texts(latex(tmp_path, "2\\texttt{\\^}3 = 8, a\\^{}b, \\~{}home, \\^e")) == ["2^3 = 8, a^b, ~home, ê"]


def test_references_show_what_they_refer_to(tmp_path: Path) -> None:
    body = (
        "\\section{A}\n\\subsection{B}\\label{b}\n"
        "\\begin{align}1\\label{one}\\\\2\\label{two}\\end{align}\n"
        "\\begin{table}\\begin{tabular}{l}x\\end{tabular}\\caption{C}\\label{c}\\end{table}\n"
        "\\begin{lem}\\label{d}Text.\\end{lem}\n"
        "See \\ref{b}, \\eqref{two}, \\autoref{c}, \\cref{d,c} and \\ref{unknown}."
    )
    document = latex(tmp_path, body, preamble="\\newtheorem{thm}{Theorem}\\newtheorem{lem}[thm]{Lemma}")
    assert texts(document)[-1] == "See 1.1, (2), Table 1, Lemma 1, Table 1 and ??."


def test_references_reach_into_included_files(tmp_path: Path) -> None:
    body = "\\input{results}\nSee Table~\\ref{t} in \\nameref{s}, page~\\pageref{t}, and \\eqref{e}."
    results = (
        "\\section{First}\\section{Test results}\\label{s}\n\\begin{table}\\caption{A}\\label{t}\\end{table}\n"
        "\\begin{equation*}a\\tag{7}\\label{e}\\end{equation*}"
    )
    document = latex(tmp_path, body, results=results)
    assert texts(document)[-1] == "See Table 1 in Test results, page ??, and (7)."
    assert document.problems == ()


def test_numbers_within_chapters_sections_and_the_appendix(tmp_path: Path) -> None:
    body = (
        "\\chapter{A}\\chapter{B}\\section{C}\\label{c}\n\\begin{thm}\\label{t}x\\end{thm}\n"
        "\\begin{figure}\\caption{F}\\label{f}\\end{figure}\n\\chapter{D}\n\\begin{figure}\\caption{G}\\label{g}\\end{figure}\n"
        "\\appendix\\chapter{E}\\section{H}\\label{h}\n\\ref{c} \\ref{t} \\ref{f} \\ref{g} \\ref{h}"
    )
    document = latex(tmp_path, body, preamble="\\newtheorem{thm}{Theorem}[section]")
    assert texts(document)[-1] == "2.1 2.1.1 2.1 3.1 A.1"
    assert "Theorem 2.1.1" in texts(document)


def test_a_number_is_shown_as_the_document_shows_it(tmp_path: Path) -> None:
    body = "\\section{A}\\section{B}\\label{b}\n\\subsection{C}\\label{c}\n\\ref{b} \\ref{c} \\thesection"
    own = "\\renewcommand{\\thesection}{\\Roman{section}}\\renewcommand\\thesubsection{\\thesection-\\alph{subsection}}"
    assert texts(latex(tmp_path, body, preamble=own))[-1] == "II II-a II"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\the\numexpr 512*512\relax{} weights", "262144 weights"),
        (r"\the\numexpr(256 + 2)*512\relax.", "132096."),
        (r"\number\numexpr -7/2\relax{} and \the\numexpr 1/3\relax", "-4 and 0"),
        (r"(\the\numexpr 3*4) and \the\numexpr 3*4 5", "(12) and 125"),
        (r"\newcounter{k}\setcounter{k}{7}\stepcounter{k}\addtocounter{k}{-2}\thek, \roman{k}, \Alph{k}", "6, vi, F"),
        (r"\newcounter{k}\setcounter{k}{4}\the\numexpr\value{k}*2\relax", "8"),
        (r"\newcount\n \n=512 \multiply\n by 512 \the\n", "262144"),
        (r"\newcount\n \n=9 \advance\n by -2 \divide\n by 2 \number\n", "3"),
        (r"\newcommand{\d}{512}\the\numexpr 4*\d*\d\relax", "1048576"),
        (r"\inteval{2*(3+4)} and \the\textwidth wide", "14 and wide"),
        (r"\the\numexpr 1/0\relax, \the\numexpr 99999*99999\relax", "1/0, 99999*99999"),
        (r"\the\numexpr 2*\unknown\relax", "2*"),
    ],
)  # fmt: skip
def test_whole_numbers_are_worked_out(tmp_path: Path, source: str, shown: str) -> None:
    assert " ".join(texts(latex(tmp_path, source))) == shown


def test_a_file_that_the_source_writes_itself_can_be_shown(tmp_path: Path) -> None:
    preamble = (
        "\n\\begin{filecontents*}[overwrite]{conf.py}\na = 1\nb = 2\nc = 3\n\\end{filecontents*}\n"
        "\\begin{filecontents}{part.tex}\nin a part\n\\end{filecontents}\n"
    )
    body = (
        "\\lstinputlisting[caption={The settings}]{conf.py}\n\\input{part}\n"
        "\\inputminted[firstline=2, lastline=2]{python}{conf.py}\n\\verbatiminput{run.sh}\n\\lstinputlisting{gone.py}"
    )
    files = hand_in(
        tmp_path,
        {
            "main.tex": f"\\documentclass{{article}}{preamble}\\begin{{document}}\n{body}\n\\end{{document}}",
            "code/run.sh": "go\n",
        },
    )
    document = read_latex(files[0], files)
    assert [(block.kind.value, block.text, block.line, block.file) for block in document.blocks] == [
        ("caption", "The settings", 11, None),
        ("code", "a = 1", 3, None),
        ("code", "b = 2", 4, None),
        ("code", "c = 3", 5, None),
        ("line", "in a part", 8, None),
        ("code", "b = 2", 4, None),
        ("code", "go", 1, "code/run.sh"),
    ]
    assert document.problems == ("\\lstinputlisting{gone.py}: the file was not handed in",)


def test_theorems_may_share_their_counter(tmp_path: Path) -> None:
    body = "\\begin{thm}\nfirst\n\\end{thm}\n\\begin{lem}\nsecond\n\\end{lem}"
    document = latex(tmp_path, body, preamble="\\newtheorem{thm}{Theorem}\\newtheorem{lem}[thm]{Lemma}")
    assert [text for kind, text in kinds(document) if kind == "heading"] == ["Theorem 1", "Lemma 2"]


def test_a_theorem_that_is_defined_with_a_star_has_no_number(tmp_path: Path) -> None:
    body = "\\begin{rem}\nfirst\n\\end{rem}\n\\begin{thm}\nsecond\n\\end{thm}"
    document = latex(tmp_path, body, preamble="\\newtheorem{thm}{Theorem}\\newtheorem*{rem}{Remark}")
    assert [text for kind, text in kinds(document) if kind == "heading"] == ["Remark", "Theorem 1"]


def test_theorems_and_questions_are_counted(tmp_path: Path) -> None:
    body = (
        "\\begin{exo}\nfirst\n\\end{exo}\n\\begin{exo}[Named]\nsecond\n\\end{exo}\n"
        "\\begin{questions}\n\\question[2] third\n\\end{questions}"
    )
    document = latex(tmp_path, body, preamble="\\newtheorem{exo}{Exercise}[section]")
    assert [text for kind, text in kinds(document) if kind == "heading"] == [
        "Exercise 1",
        "Exercise 2 (Named)",
        "Question 1",
    ]
    assert [text for kind, text in kinds(document) if kind == "line"] == ["first", "second", "third"]


@pytest.mark.parametrize(
    ("preamble", "call", "shown"),
    [
        (r"\newcommand{\dm}{d_{model}}", r"$4\dm^2$", "$4d_{model}^2$"),
        (r"\newcommand\acc[2][test]{#2\% on #1}", r"\acc{79.3}, \acc[valid]{81}", "79.3% on test, 81% on valid"),
        (r"\def\pair#1#2{(#1, #2)}", r"\pair{a}b", "(a, b)"),
        (r"\let\n\num", r"\n{1 000}", "1000"),
        (r"\DeclareMathOperator{\FFN}{FFN}", r"$\FFN(x)$", r"$\operatorname{FFN}(x)$"),
        (r"\NewDocumentCommand{\w}{m O{x}}{#1-#2}", r"\w{a} \w{a}[b]", "a-x a-b"),
        (r"\newenvironment{answer}[1]{\textbf{#1}}{!}", r"\begin{answer}{A} is\end{answer}", "A is!"),
        (r"\newcommand{\outer}{\inner\inner}\newcommand{\inner}{i}", r"\outer", "ii"),
        (r"\renewcommand{\section}[1]{}\def\weird#1:#2;{}", r"\weird{kept}", "kept"),
    ],
)  # fmt: skip
def test_commands_of_ones_own(tmp_path: Path, preamble: str, call: str, shown: str) -> None:
    assert " ".join(texts(latex(tmp_path, call, preamble=preamble))) == shown


def test_included_files_keep_their_place(tmp_path: Path) -> None:
    document = latex(
        tmp_path,
        "\\section{Task 3}\n\\input{results}\nafter\n\\include{gone}\n\\subfile{part}",
        results="\n79.3 on test\n",
        part="\\documentclass[main]{subfiles}\n\\begin{document}\nin part\n\\end{document}\nno more",
    )
    assert [(block.text, block.file, block.line) for block in document.blocks] == [
        ("Task 3", None, 3),
        ("79.3 on test", "results.tex", 2),
        ("after", None, 5),
        ("in part", "part.tex", 3),
    ]
    assert document.evidence(document.blocks[1]).file == "results.tex"
    assert document.evidence(document.blocks[2]).file == "main.tex"
    assert document.problems == ("\\input{gone}: the file was not handed in",)


def test_files_that_include_each_other_are_read_once(tmp_path: Path) -> None:
    document = latex(tmp_path, "\\input{a}", a="a \\input{b}", b="b \\input{a} c")
    assert texts(document) == ["a", "b c"]
    assert document.problems == ("a.tex includes itself; it is read once",)


def test_files_are_found_from_folders(tmp_path: Path) -> None:
    files = hand_in(
        tmp_path,
        {
            "report/main.tex": "\\begin{document}\\input{./parts/one.tex}\\input{two}\\import{parts/}{three}",
            "report/parts/one.tex": "one",
            "elsewhere/two.tex": "two",
            "report/parts/three.tex": "three",
        },
    )
    document = read_latex(files[0], files)
    assert [block.file for block in document.blocks] == [
        "report/parts/one.tex", "elsewhere/two.tex", "report/parts/three.tex",
    ]  # fmt: skip
    assert document.problems == ()


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    files = hand_in(tmp_path, {"a.tex": "\\begin{document}modèle é\\end{document}".encode(encoding)})
    document = read_latex(files[0])
    assert texts(document) == ["modèle é"]
    assert bool(document.problems) == (encoding == "latin-1")


def test_a_part_without_a_preamble_is_read(tmp_path: Path) -> None:
    files = hand_in(tmp_path, {"part.tex": "\\section{Question 2}\r\n\r\nr is the rank\r\n"})
    assert [(block.text, block.line) for block in read_latex(files[0]).blocks] == [
        ("Question 2", 1), ("r is the rank", 3),
    ]  # fmt: skip
