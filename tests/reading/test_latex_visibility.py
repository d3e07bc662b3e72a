"""LaTeX: what a person would not see on the page counts for nothing; what a person sees is read."""

from pathlib import Path

import pytest

from grader.reading.document import Document
from grader.reading.latex import read_latex
from grader.reading.visibility import HIDDEN_TEXT
from tests.reading.latex_visibility import DOUBTFUL, HIDDEN, SHOWN, UNREAD, Snippet
from tests.reading.making_latex import hand_in

ANSWER = "22,807,552"


def read(folder: Path, snippet: Snippet) -> Document:
    source = (
        f"\\documentclass{{{snippet.style}}}\n{snippet.preamble}\n\\begin{{document}}\n{snippet.body}\n\\end{{document}}\n"
    ).replace("§", ANSWER)
    files = hand_in(folder, {"main.tex": source, "part.tex": ANSWER})
    return read_latex(files[0], files)


def shown(document: Document) -> str:
    return " ".join(block.text for block in document.blocks)


@pytest.mark.parametrize("name", HIDDEN)
def test_disguised_text_is_hidden_and_flagged(tmp_path: Path, name: str) -> None:
    document = read(tmp_path, HIDDEN[name])
    assert ANSWER not in shown(document)
    assert any(ANSWER in block.text and block.line for block in document.hidden)
    assert document.problems == (HIDDEN_TEXT,)


@pytest.mark.parametrize("name", UNREAD)
def test_text_that_is_no_part_of_the_page_is_not_read(tmp_path: Path, name: str) -> None:
    document = read(tmp_path, UNREAD[name])
    assert ANSWER not in shown(document)
    assert shown(document)
    assert document.hidden == ()
    assert document.problems == ()


@pytest.mark.parametrize("name", SHOWN)
def test_text_that_a_person_sees_is_read(tmp_path: Path, name: str) -> None:
    document = read(tmp_path, SHOWN[name])
    assert ANSWER in shown(document)
    assert document.hidden == ()
    assert document.problems == ()


@pytest.mark.parametrize("name", DOUBTFUL)
def test_text_that_may_not_show_is_left_to_a_person(tmp_path: Path, name: str) -> None:
    document = read(tmp_path, DOUBTFUL[name])
    assert ANSWER not in shown(document)
    assert document.hidden == ()
    assert any(ANSWER in problem and "could not be established" in problem for problem in document.problems)


def test_a_package_of_the_hand_in_is_read_for_its_definitions(tmp_path: Path) -> None:
    main = "\\documentclass{article}\\usepackage{mine}\\begin{document}a \\hush{§} \\pale{§ §}\\end{document}"
    files = hand_in(
        tmp_path,
        {
            "main.tex": main.replace("§", ANSWER),
            "mine.sty": "\\newcommand{\\hush}[1]{}\\newcommand{\\pale}[1]{\\textcolor{white}{#1}}",
        },
    )
    document = read_latex(files[0], files)
    assert shown(document) == "a"
    assert [block.text for block in document.hidden] == [f"{ANSWER} {ANSWER}"]


def test_the_colours_of_a_theme_that_is_handed_in_are_followed(tmp_path: Path) -> None:
    main = "\\documentclass{beamer}\\usetheme{night}\\begin{document}\\color{white}§\\end{document}"
    theme = "\\mode<presentation>\n\\setbeamercolor*{normal text}{fg=white,bg=black}"
    files = hand_in(tmp_path, {"main.tex": main.replace("§", ANSWER), "beamerthemenight.sty": theme})
    document = read_latex(files[0], files)
    assert shown(document) == ANSWER
    assert document.problems == ()


def test_a_hidden_text_has_its_file_and_line(tmp_path: Path) -> None:
    files = hand_in(
        tmp_path,
        {
            "main.tex": "\\documentclass{article}\n\\begin{document}\n\\input{part}\n\\end{document}",
            "part.tex": "a\n\n\\textcolor{white}{the total is 5}\n",
        },
    )
    document = read_latex(files[0], files)
    assert [(block.text, block.file, block.line) for block in document.hidden] == [("the total is 5", "part.tex", 3)]


def test_digits_and_signs_that_keep_a_place_are_no_disguise(tmp_path: Path) -> None:
    body = r"\phantom{00.0}a \textcolor{white}{0}79.3 \hphantom{$-$}b $\phantom{={}}c$"
    document = read(tmp_path, Snippet(body, r"\usepackage{xcolor}"))
    assert document.hidden == ()
    assert document.problems == ()
