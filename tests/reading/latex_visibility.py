"""LaTeX snippets with what a person sees of them on the page, for the tests: `§` stands for the text in question."""

from typing import Final, NamedTuple


class Snippet(NamedTuple):
    """The body of a document, what stands before it, and the document's class."""

    body: str
    preamble: str = ""
    style: str = "article"


HIDDEN: Final = {
    "word by word": Snippet("\\textcolor{white}{" + "word " * 6_000 + "§}", r"\usepackage{xcolor}"),
    "current colour": Snippet(r"\color{white}a \textcolor{.}{§}", r"\usepackage{xcolor}"),
    "white table": Snippet(r"{\color{white}\begin{tabular}{cc}a & § \\ c & d\end{tabular}}", r"\usepackage{xcolor}"),
    "default argument": Snippet(
        r"\hush{§}", r"\usepackage{xcolor}\newcommand{\hush}[2][white]{\textcolor{#1}{#2}}"
    ),
    "font of LaTeX": Snippet(r"{\newfont{\dust}{cmr10 at 0.1pt}\dust §}"),
    "adjusted box": Snippet(r"\adjustbox{scale=0.01}{§}", r"\usepackage{adjustbox}"),
    "above the page by a space": Snippet(r"a\par\vspace*{-60cm}§"),
    "far right in a box": Snippet(r"a\rlap{\hspace{80cm}§}"),
    "far left in a box": Snippet(r"\makebox[0pt][r]{§\hspace*{80cm}}"),
    "margin": Snippet("§", r"\setlength{\hoffset}{100cm}"),
    "placed off the page": Snippet(
        r"\begin{textblock*}{5cm}(100cm,100cm)§\end{textblock*}", r"\usepackage{textpos}"
    ),
    "every formula": Snippet(r"$§$", r"\usepackage{xcolor}\everymath{\color{white}}"),
    "column of a cell over several": Snippet(
        r"\begin{tabular}{cc}\multicolumn{2}{>{\color{white}}c}{§} \\ a & b\end{tabular}",
        r"\usepackage{xcolor,array}",
    ),
    "set list": Snippet(
        r"\begin{itemize}\item §\end{itemize}",
        r"\usepackage{xcolor,enumitem}\setlist[itemize]{before=\color{white}}",
    ),
    "format of titles": Snippet(
        r"\section{§}", r"\usepackage{xcolor,titlesec}\titleformat{\section}{\color{white}}{}{0pt}{}"
    ),
    "white links": Snippet(r"\href{http://x.org}{§}", r"\usepackage[colorlinks,urlcolor=white]{hyperref}"),

    "colour by name": Snippet(r"\textcolor{white}{§}", r"\usepackage{xcolor}"),
    "colour without braces": Snippet(r"{\color{white}§}", r"\usepackage{xcolor}"),
    "mixed colour": Snippet(r"\textcolor{white!99!black}{§}", r"\usepackage{xcolor}"),
    "faint mixture": Snippet(r"{\color{black!2}§}", r"\usepackage{xcolor}"),
    "complement": Snippet(r"\textcolor{-black}{§}", r"\usepackage{xcolor}"),
    "grey model": Snippet(r"\textcolor[gray]{1}{§}", r"\usepackage{xcolor}"),
    "rgb model": Snippet(r"\color[rgb]{1,1,1}§", r"\usepackage{xcolor}"),
    "cmyk model": Snippet(r"\textcolor[cmyk]{0,0,0,0}{§}", r"\usepackage{xcolor}"),
    "HTML model": Snippet(r"\textcolor[HTML]{FDFEFE}{§}", r"\usepackage{xcolor}"),
    "own rgb colour": Snippet(
        r"\textcolor{paper}{§}", r"\usepackage{xcolor}\definecolor{paper}{rgb}{0.99,0.99,0.99}"
    ),
    "own grey colour": Snippet(r"\textcolor{paper}{§}", r"\usepackage{xcolor}\definecolor{paper}{gray}{0.99}"),
    "own HTML colour": Snippet(r"\textcolor{paper}{§}", r"\usepackage{xcolor}\definecolor{paper}{HTML}{FFFFFE}"),
    "own cmyk colour": Snippet(
        r"\textcolor{paper}{§}", r"\usepackage{xcolor}\definecolor{paper}{cmyk}{0,0,0.01,0}"
    ),
    "other name of a colour": Snippet(r"\textcolor{ink}{§}", r"\usepackage{xcolor}\colorlet{ink}{white}"),
    "colour named by a macro": Snippet(r"\textcolor{\mine}{§}", r"\usepackage{xcolor}\newcommand{\mine}{white}"),
    "macro that colours": Snippet(r"\hush{§}", r"\usepackage{xcolor}\newcommand{\hush}[1]{\textcolor{white}{#1}}"),
    "alias of a command": Snippet(r"\hush{white}{§}", r"\usepackage{xcolor}\let\hush\textcolor"),
    "command by its name": Snippet(r"\csname textcolor\endcsname{white}{§}", r"\usepackage{xcolor}"),
    "redefined bold": Snippet(
        r"\textbf{§}", r"\usepackage{xcolor}\let\old\textbf\renewcommand{\textbf}[1]{\old{\color{white}#1}}"
    ),
    "environment of one's own": Snippet(
        r"\begin{hush}§\end{hush}", r"\usepackage{xcolor}\newenvironment{hush}{\color{white}}{}"
    ),
    "colour as an environment": Snippet(r"\begin{color}{white}§\end{color}", r"\usepackage{xcolor}"),
    "white at the beginning": Snippet("§", r"\usepackage{xcolor}\AtBeginDocument{\color{white}}"),
    "hook of an environment": Snippet(
        r"\begin{quote}§\end{quote}",
        r"\usepackage{xcolor,etoolbox}\AtBeginEnvironment{quote}{\color{white}}",
    ),
    "white box": Snippet(r"\colorbox{white}{\color{white}§}", r"\usepackage{xcolor}"),
    "black on black": Snippet(r"\colorbox{black}{§}", r"\usepackage{xcolor}"),
    "framed white box": Snippet(r"\fcolorbox{black}{white}{\textcolor{white}{§}}", r"\usepackage{xcolor}"),
    "colour of the page, set in the text": Snippet(r"\pagecolor{black}§", r"\usepackage{xcolor}"),
    "colour of the page": Snippet(r"\textcolor{teal}{§}", r"\usepackage{xcolor}\pagecolor{teal}"),
    "white formula": Snippet(r"$\color{white}§$", r"\usepackage{xcolor}"),
    "white in a formula": Snippet(r"$N = \textcolor{white}{§}$", r"\usepackage{xcolor}"),
    "white display": Snippet(r"{\color{white}\[ N = § \]}", r"\usepackage{xcolor}"),
    "white equation": Snippet(
        r"\begin{equation}\color{white} N = § \end{equation}", r"\usepackage{xcolor}"
    ),
    "white cell": Snippet(r"\begin{tabular}{cc}a & \color{white}§ \\ b & c\end{tabular}", r"\usepackage{xcolor}"),
    "white column": Snippet(
        r"\begin{tabular}{c>{\color{white}}c}a & § \\ b & c\end{tabular}", r"\usepackage{xcolor,array}"
    ),
    "white cell colour": Snippet(
        r"\begin{tabular}{cc}a & \cellcolor{white}\textcolor{white}{§} \\ b & c\end{tabular}",
        r"\usepackage[table]{xcolor}",
    ),
    "white item": Snippet(
        r"\begin{itemize}\color{white}\item § \end{itemize}", r"\usepackage{xcolor}"
    ),
    "white listing": Snippet(
        "\\begin{lstlisting}[basicstyle=\\color{white}]\n§\n\\end{lstlisting}", r"\usepackage{xcolor,listings}"
    ),
    "white listings": Snippet(
        "\\begin{lstlisting}\n§\n\\end{lstlisting}",
        r"\usepackage{xcolor,listings}\lstset{basicstyle=\ttfamily\color{white}}",
    ),
    "white verbatim text": Snippet(
        "{\\color{white}\\begin{verbatim}\n§\n\\end{verbatim}}", r"\usepackage{xcolor}"
    ),
    "white verb": Snippet(r"{\color{white}\verb|§|}", r"\usepackage{xcolor}"),
    "white note": Snippet(r"a\footnote{\color{white}§}", r"\usepackage{xcolor}"),
    "white caption": Snippet(
        r"\begin{table}\caption{A \textcolor{white}{§}}\end{table}", r"\usepackage{xcolor}"
    ),
    "white title": Snippet(r"\section{A \textcolor{white}{§}}", r"\usepackage{xcolor}"),
    "tiny font": Snippet(r"{\fontsize{0.1pt}{0.1pt}\selectfont §}", r"\usepackage{fix-cm}"),
    "tiny font without a unit": Snippet(r"{\fontsize{1}{1}\selectfont §}", r"\usepackage{fix-cm}"),
    "tiny scale": Snippet(r"\scalebox{0.001}{§}", r"\usepackage{graphicx}"),
    "tiny scale across": Snippet(r"\scalebox{0.001}[1]{§}", r"\usepackage{graphicx}"),
    "tiny width": Snippet(r"\resizebox{0.1pt}{!}{§}", r"\usepackage{graphicx}"),
    "tiny height": Snippet(r"\resizebox{!}{0.5pt}{§}", r"\usepackage{graphicx}"),
    "tiny scales within each other": Snippet(r"\scalebox{0.3}{\scalebox{0.3}{§}}", r"\usepackage{graphicx}"),
    "tiny font of TeX": Snippet(r"{\font\dust=cmr10 at 0.2pt \dust §}"),
    "tiny scaled font": Snippet(r"{\font\dust=cmr10 scaled 10 \dust §}"),
    "phantom": Snippet(r"\phantom{the total is §}"),
    "phantom across": Snippet(r"\hphantom{the total is §}"),
    "phantom upright": Snippet(r"\vphantom{the total is §}"),
    "alias of a phantom": Snippet(r"\hush{the total is §}", r"\let\hush\phantom"),
    "phantom in a formula": Snippet(r"$N = \phantom{§}$"),
    "left of the page": Snippet(r"a\hspace*{-100cm}§"),
    "left by a kern": Snippet(r"a\kern-100cm §"),
    "right of the page": Snippet(r"a\hspace*{100cm}§"),
    "above the page": Snippet(r"\raisebox{100cm}[0pt][0pt]{§}"),
    "below the page": Snippet(r"\raisebox{-100cm}[0pt][0pt]{§}"),
    "moved down": Snippet(r"a \lower100cm\hbox to 0pt{§}"),
    "no opacity": Snippet(r"\texttransparent{0}{§}", r"\usepackage{transparent}"),
    "no opacity from here on": Snippet(r"{\transparent{0}§}", r"\usepackage{transparent}"),
    "rendering mode": Snippet(r"\pdfliteral direct{3 Tr}§\pdfliteral direct{0 Tr}"),
    "white by an operator": Snippet(r"\pdfliteral{1 g}§\pdfliteral{0 g}"),
    "invisible slides": Snippet(r"\begin{frame}a \invisible{the total is §}\end{frame}", style="beamer"),
    "on no slide": Snippet(r"\begin{frame}a \visible<0>{§}\end{frame}", style="beamer"),
    "white slide": Snippet(r"\begin{frame}a {\color{white}§}\end{frame}", style="beamer"),
    "style of a listing": Snippet(
        "\\begin{lstlisting}[style=quiet]\n§\n\\end{lstlisting}",
        r"\usepackage{xcolor,listings}\lstdefinestyle{quiet}{basicstyle=\color{white}}",
    ),
    "box of one's own with a text colour": Snippet(
        r"\begin{banner}§\end{banner}",
        r"\usepackage{tcolorbox}\tcbset{quiet/.style={coltext=black!5}}\newtcolorbox{banner}[1][]{quiet,#1}",
    ),
    "framed box of one's own with a text colour": Snippet(
        r"\begin{banner}§\end{banner}",
        r"\usepackage{xcolor,mdframed}\newmdenv[fontcolor=white,linecolor=red]{banner}",
    ),
    "white box with a text colour": Snippet(
        r"\begin{tcolorbox}[colback=white,coltext=white]§\end{tcolorbox}", r"\usepackage{tcolorbox}"
    ),
}  # fmt: skip
"""Disguises: the text is counted for nothing and flagged."""

UNREAD: Final = {
    "environment that takes its content": Snippet(r"a \begin{x}§\end{x} c", r"\usepackage{environ}\NewEnviron{x}{}"),
    "comment by another name": Snippet(
        "a \\begin{x}\n§\n\\end{x} c", r"\usepackage{comment}\newenvironment{x}{\comment}{\endcomment}"
    ),
    "false condition by other names": Snippet(r"a \hide § \unhide b", r"\def\hide{\iffalse}\def\unhide{\fi}"),
    "negated condition": Snippet(r"a \unless\iftrue § \else b \fi c"),
    "long argument": Snippet("a \\hush{" + "word " * 6_000 + "§} b", r"\newcommand{\hush}[1]{}"),
    "written to a file": Snippet(r"a\immediate\write18{echo §} b"),
    "behind the last command": Snippet("a\n\\stop\n§"),
    "measured": Snippet(r"a\newlength{\w}\settowidth{\w}{§} b"),
    "other mode": Snippet(r"\begin{frame}a \mode<article>{§} b\end{frame}", style="beamer"),

    "comment": Snippet("a % §"),
    "false condition": Snippet(r"a \iffalse § \fi b"),
    "numbers": Snippet(r"a \ifnum0=1 § \fi b"),
    "greater number": Snippet(r"a \ifnum 3 > 7 § \else b\fi"),
    "odd number": Snippet(r"a \ifodd 2 § \fi b"),
    "lengths": Snippet(r"a \ifdim 1cm < 2pt § \fi b"),
    "different tokens": Snippet(r"a \ifx\one\two § \fi b", r"\def\one{1}\def\two{2}"),
    "different characters": Snippet(r"a \if xy§ \fi b"),
    "case": Snippet(r"a \ifcase 1 §\or b\or §\fi c"),
    "switch": Snippet(r"a \ifmine § \fi b", r"\newif\ifmine\minefalse"),
    "switch that was never set": Snippet(r"a \ifmine § \fi b", r"\newif\ifmine"),
    "boolean": Snippet(r"a \ifthenelse{\boolean{false}}{§}{b}", r"\usepackage{ifthen}"),
    "own boolean": Snippet(
        r"a \ifthenelse{\boolean{key}}{§}{b}", r"\usepackage{ifthen}\newboolean{key}\setboolean{key}{false}"
    ),
    "unequal texts": Snippet(r"a \ifthenelse{\equal{a}{b}}{§}{b}", r"\usepackage{ifthen}"),
    "both tests": Snippet(r"a \ifthenelse{1 < 2 \AND 3 < 2}{§}{b}", r"\usepackage{ifthen}"),
    "switch of etoolbox": Snippet(r"a \ifbool{key}{§}{b}", r"\usepackage{etoolbox}\newbool{key}"),
    "toggle": Snippet(r"a \iftoggle{key}{§}{b}", r"\usepackage{etoolbox}\newtoggle{key}\togglefalse{key}"),
    "unequal strings": Snippet(r"a \ifstrequal{a}{b}{§}{b}", r"\usepackage{etoolbox}"),
    "blank string": Snippet(r"a \ifblank{x}{§}{b}", r"\usepackage{etoolbox}"),
    "comment environment": Snippet("a\n\\begin{comment}\n§\n\\end{comment}\nb", r"\usepackage{comment}"),
    "excluded environment": Snippet(
        "a\n\\begin{answer}\n§\n\\end{answer}\nb", r"\usepackage{comment}\excludecomment{answer}"
    ),
    "behind the end": Snippet("a\n\\end{document}\n§"),
    "behind an end in a macro": Snippet(r"a \stopped §", r"\newcommand{\stopped}{\end{document}}"),
    "unused macro": Snippet("a", r"\newcommand{\mine}{§}"),
    "gobbled": Snippet(r"\makeatletter a \@gobble{§} b\makeatother"),
    "gobbled by an alias": Snippet(r"a \hush{§} b", r"\makeatletter\let\hush\@gobble\makeatother"),
    "second of two": Snippet(r"\makeatletter a \@secondoftwo{§}{b}\makeatother"),
    "macro without its argument": Snippet(r"a \hush{§} b", r"\newcommand{\hush}[1]{}"),
    "macro up to a mark": Snippet(r"a \hush § \endhush b", r"\long\def\hush#1\endhush{}"),
    "redefined bold": Snippet(r"a \textbf{§} b", r"\renewcommand{\textbf}[1]{}"),
    "redefined title": Snippet(r"a \section{§} b", r"\renewcommand{\section}[1]{}"),
    "empty definition": Snippet(r"a \mine b", r"\def\mine{§}\def\mine{}"),
    "stored box": Snippet(r"a \sbox\mybox{§} b", r"\newsavebox{\mybox}"),
    "saved box": Snippet(r"a \savebox{\mybox}[3cm]{§} b", r"\newsavebox{\mybox}"),
    "box of TeX": Snippet(r"a \setbox0=\hbox{§} b"),
    "box around an environment": Snippet(
        r"a \begin{hush}§\end{hush} b", r"\newenvironment{hush}{\setbox0\vbox\bgroup}{\egroup}"
    ),
    "box as an environment": Snippet(r"a \begin{lrbox}{\mybox}§\end{lrbox} b", r"\newsavebox{\mybox}"),
    "hidden column": Snippet(
        r"\begin{tabular}{cH}a & § \\ b & c\end{tabular}",
        r"\usepackage{array}\newcolumntype{H}{>{\setbox0=\hbox\bgroup}c<{\egroup}@{}}",
    ),
    "label": Snippet(r"a\label{§} b"),
    "index": Snippet(r"a\index{§} b"),
    "message": Snippet(r"a\typeout{§} b"),
    "facts of the PDF": Snippet(r"a\pdfinfo{/Title (§)} b"),
    "settings": Snippet(r"\hypersetup{pdftitle={§}} a", r"\usepackage{hyperref}"),
    "on slide zero": Snippet(r"\begin{frame}a \only<0>{§} b\end{frame}", style="beamer"),
    "note of a slide": Snippet(r"\begin{frame}a \note{§} b\end{frame}", style="beamer"),
    "break of a word": Snippet(r"a \discretionary{§}{}{} b"),
    "only some files": Snippet(r"a \include{part} b", r"\includeonly{other}"),
}  # fmt: skip
"""Texts that are no part of the page, as in drafts: they count for nothing, and there is nothing to flag."""

SHOWN: Final = {
    "header of a table": Snippet(
        "\\begin{tabular}{cc}\\hline\n\\rowcolor{black}\n\\color{white}a "
        "& \\color{white}§\\\\ \\hline c & d\\end{tabular}",
        r"\usepackage[table]{xcolor}",
    ),
    "aligned by a phantom": Snippet(
        r"\begin{align*} N_{total} &= 3 \\ \phantom{N_{total}} &= § \end{align*}", r"\usepackage{amsmath}"
    ),
    "environment for answers": Snippet(
        r"\begin{answer}§\end{answer}",
        r"\usepackage{xcolor}\newenvironment{answer}{\par\color{blue}\textbf{Answer. }}{\par}",
    ),
    "content that is kept": Snippet(r"\begin{x}§\end{x} c", r"\usepackage{environ}\NewEnviron{x}{\fbox{\BODY}}"),
    "is it empty": Snippet(r"\x{}\x{§}", r"\newcommand{\x}[1]{\if\relax\detokenize{#1}\relax none\else #1\fi}"),
    "theme": Snippet(r"\begin{frame}{T}§\end{frame}", r"\usetheme{Madrid}\usecolortheme{dolphin}", "beamer"),

    "plain text": Snippet("a § b"),
    "coloured": Snippet(r"\textcolor{red}{§}", r"\usepackage{xcolor}"),
    "grey": Snippet(r"\textcolor{gray}{§} \textcolor[gray]{0.6}{a}", r"\usepackage{xcolor}"),
    "light grey": Snippet(r"\textcolor{lightgray}{§}", r"\usepackage{xcolor}"),
    "yellow": Snippet(r"{\color{yellow}§}", r"\usepackage{xcolor}"),
    "named palette": Snippet(r"\textcolor{ForestGreen}{§}", r"\usepackage[dvipsnames]{xcolor}"),
    "white on a box": Snippet(r"\colorbox{blue}{\color{white}§}", r"\usepackage{xcolor}"),
    "white on a framed box": Snippet(r"\fcolorbox{red}{black}{\textcolor{white}{§}}", r"\usepackage{xcolor}"),
    "white on a row": Snippet(
        r"\begin{tabular}{cc}\rowcolor{blue}\color{white}a & \color{white}§ \\ b & c\end{tabular}",
        r"\usepackage[table]{xcolor}",
    ),
    "white on a cell": Snippet(
        r"\begin{tabular}{cc}a & \cellcolor{black}\textcolor{white}{§} \\ b & c\end{tabular}",
        r"\usepackage[table]{xcolor}",
    ),
    "white on a column": Snippet(
        r"\begin{tabular}{c>{\columncolor{teal}\color{white}}c}a & § \\ b & c\end{tabular}",
        r"\usepackage[table]{xcolor}",
    ),
    "cell behind a white one": Snippet(
        r"\begin{tabular}{cc}\color{white}. & § \\ b & c\end{tabular}", r"\usepackage{xcolor}"
    ),
    "row behind a white one": Snippet(
        r"\begin{tabular}{c}\rowcolor{blue}\color{white}a \\ § \end{tabular}", r"\usepackage[table]{xcolor}"
    ),
    "behind a white group": Snippet(r"{\color{white}.} §", r"\usepackage{xcolor}"),
    "behind a white environment": Snippet(
        r"\begin{center}\color{white}.\end{center} §", r"\usepackage{xcolor}"
    ),
    "dark page": Snippet(r"\pagecolor{black}\color{white}§", r"\usepackage{xcolor}"),
    "dark pages": Snippet("§", r"\usepackage{xcolor}\pagecolor{black}\AtBeginDocument{\color{white}}"),
    "coloured title page": Snippet(
        r"\pagecolor{blue}\color{white}Title\newpage\nopagecolor\color{black}§", r"\usepackage{xcolor,pagecolor}"
    ),
    "dark listing": Snippet(
        "\\begin{lstlisting}[backgroundcolor=\\color{black},basicstyle=\\color{white}]\n§\n\\end{lstlisting}",
        r"\usepackage{xcolor,listings}",
    ),
    "listing on grey": Snippet(
        "\\begin{lstlisting}\n§\n\\end{lstlisting}",
        r"\usepackage{xcolor,listings}\lstset{backgroundcolor=\color{gray!10},basicstyle=\ttfamily}",
    ),
    "dark box": Snippet(
        r"\begin{tcolorbox}[colback=black,coltext=white]§\end{tcolorbox}", r"\usepackage{tcolorbox}"
    ),
    "dark box of one's own": Snippet(
        r"\begin{banner}\color{white}§\end{banner}",
        r"\usepackage{tcolorbox}\newtcolorbox{banner}{colback=blue!50!black}",
    ),
    "dark box by a style": Snippet(
        r"\begin{banner}\color{white}§\end{banner}",
        r"\usepackage{tcolorbox}\tcbset{dark/.style={colback=black}}\newtcolorbox{banner}[1]{dark,title=#1}",
    ),
    "dark theorem": Snippet(
        r"\begin{answer}{Total}{total}\color{white}§\end{answer}",
        r"\usepackage{tcolorbox}\newtcbtheorem{answer}{Answer}{colback=blue!50!black}{ans}",
    ),
    "dark framed box of one's own": Snippet(
        r"\begin{banner}\color{white}§\end{banner}",
        r"\usepackage{xcolor,mdframed}\mdfdefinestyle{dark}{backgroundcolor=black}\newmdenv[style=dark]{banner}",
    ),
    "box with a title": Snippet(
        r"\begin{tcolorbox}[title=Answer,colback=white,coltitle=white]§\end{tcolorbox}", r"\usepackage{tcolorbox}"
    ),
    "marked": Snippet(r"\hl{§}", r"\usepackage{xcolor,soul}"),
    "link": Snippet(r"\href{https://x.org}{§}", r"\usepackage{hyperref}"),
    "small print": Snippet(r"{\tiny §} {\fontsize{6}{7}\selectfont a}"),
    "scaled": Snippet(r"\scalebox{0.8}{§}", r"\usepackage{graphicx}"),
    "fitted table": Snippet(
        r"\resizebox{\textwidth}{!}{\begin{tabular}{cc}a & § \\ b & c\end{tabular}}", r"\usepackage{graphicx}"
    ),
    "half of the width": Snippet(r"\resizebox{0.5\textwidth}{!}{§}", r"\usepackage{graphicx}"),
    "phantom digit": Snippet(r"\phantom{0}§ \hphantom{-}3"),
    "phantom in a formula": Snippet(r"$\phantom{0}§\vphantom{\int}$"),
    "phantom of what is shown": Snippet(r"The total is §\\\phantom{The total is }a"),
    "box of a width": Snippet(r"\hbox to 3cm{§}"),
    "lowered": Snippet(r"\raisebox{-0.5ex}{§}"),
    "small moves": Snippet(r"a \hspace*{-1cm} b \hspace{2cm} §"),
    "overlap": Snippet(r"\rlap{§} \hspace{3cm} a"),
    "half opaque": Snippet(r"\texttransparent{0.5}{§}", r"\usepackage{transparent}"),
    "smashed": Snippet(r"\smash{§}"),
    "stored and used": Snippet(r"\sbox\mybox{§}a \usebox{\mybox}", r"\newsavebox{\mybox}"),
    "box of TeX that is used": Snippet(r"\setbox0=\hbox{§}a \box0"),
    "environment in a box": Snippet(
        r"\begin{lrbox}{\mybox}§\end{lrbox}\fbox{\usebox{\mybox}}", r"\newsavebox{\mybox}"
    ),
    "true condition": Snippet(r"a \ifnum 2>1 § \else b \fi"),
    "other branch": Snippet(r"a \iffalse b \else § \fi"),
    "switch that is set": Snippet(r"a \ifmine § \fi", r"\newif\ifmine\minetrue"),
    "mode": Snippet(r"\R{}§", r"\newcommand{\R}{\ifmmode x\else $x$\fi}"),
    "equal texts": Snippet(r"\ifthenelse{\equal{a}{a}}{§}{b}", r"\usepackage{ifthen}"),
    "toggle that is set": Snippet(r"\iftoggle{key}{§}{b}", r"\usepackage{etoolbox}\newtoggle{key}\toggletrue{key}"),
    "included environment": Snippet(
        "\\begin{answer}\n§\n\\end{answer}", r"\usepackage{comment}\includecomment{answer}"
    ),
    "first of two": Snippet(r"\makeatletter\@firstoftwo{§}{b}\makeatother"),
    "alias of nothing": Snippet(r"\hush{§}", r"\let\hush\relax"),
    "argument up to a mark": Snippet(r"\total § done a", r"\def\total #1 done{#1}"),
    "end in a false condition": Snippet("a \\iffalse\\endinput\\fi §"),
    "slide two": Snippet(r"\begin{frame}a \only<2->{§}\end{frame}", style="beamer"),
    "white on a block": Snippet(r"\begin{frame}\begin{block}{b}§\end{block}\end{frame}", style="beamer"),
    "dark slides": Snippet(
        r"\begin{frame}§\end{frame}", r"\setbeamercolor{normal text}{fg=white,bg=black}", "beamer"
    ),
    "kept macro": Snippet(r"\keep{§}", r"\newcommand{\keep}[1]{\textbf{#1}}"),
    "redefined bold": Snippet(
        r"\textbf{§}", r"\usepackage{xcolor}\let\old\textbf\renewcommand{\textbf}[1]{\old{\color{blue}#1}}"
    ),
}  # fmt: skip
"""Honest constructs: the text is read, and nothing is flagged."""

DOUBTFUL: Final = {
    "unknown switch": Snippet(r"a \ifthenelse{\boolean{@twoside}}{§}{b}", r"\usepackage{ifthen}"),
    "catcode": Snippet("{\\catcode`\\Q=14 Q §\n}"),
    "covered by a rule": Snippet(r"\rlap{§}\rule[-2pt]{4cm}{12pt}"),
    "covered by a box": Snippet(r"§\llap{\colorbox{white}{\hspace{3cm}}}", r"\usepackage{xcolor}"),
    "moved up with its line": Snippet(r"a \raise100cm\hbox to 0pt{§}"),
    "barely readable": Snippet(r"{\fontsize{2.5pt}{3pt}\selectfont §}", r"\usepackage{fix-cm}"),
    "unknown palette": Snippet(r"\textcolor{nosuchname}{§}", r"\usepackage{xcolor}"),
    "some mode": Snippet(r"a\ifhmode § \fi"),
}
"""What the source does not tell: the text is not read, and a person is told."""
