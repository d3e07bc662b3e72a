"""No LaTeX source makes the reader raise, hang or fill the memory; and which files are read at all."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.reading.document import Document
from grader.reading.latex import main_files, read_latex
from tests.patience import within
from tests.reading.making_latex import hand_in, latex

BOMB = "".join(
    rf"\def\{name}{{\{after}\{after}\{after}}}" for name, after in zip("abcdefghij", "bcdefghijk", strict=True)
)

HOSTILE = {
    "groups": "{" * 13_333,
    "closed groups": "{" * 3_333 + "x" + "}" * 3_333,
    "dollars": "$" * 13_333,
    "dollars apart": "$ a " * 5_000,
    "unclosed formulas": "${" * 6_666,
    "displays": r"\[" * 6_666,
    "environments": r"\begin{itemize}" * 1_666,
    "unclosed tables": r"\begin{tabular}{c} a & b \\" * 666,
    "wide table": r"\begin{tabular}{c}" + "a & " * 5_000 + r"\end{tabular}",
    "tall table": r"\begin{tabular}{c}" + "a & b \\\\\n" * 2_000 + r"\end{tabular}",
    "spans": r"\begin{tabular}{c}" + r"\multicolumn{999}{c}{\multirow{999}{*}{a}} & \\" * 300 + r"\end{tabular}",
    "notes in notes": r"\footnote{" * 3_333,
    "sections in sections": r"\section{" * 3_333,
    "captions": r"\begin{figure}" + r"\includegraphics{a}\caption{b}" * 666,
    "floats in floats": r"\begin{figure}\caption{a}" * 333 + r"\end{figure}" * 333,
    "options": r"\item[" * 3_333,
    "brackets": "[" * 13_333,
    "commands": r"\x" * 10_000,
    "backslashes": "\\" * 13_333,
    "hashes": "#1" * 6_666,
    "comments": "%" * 33_333,
    "verbs": r"\verb|" * 3_333,
    "verbatims": r"\begin{verbatim}" * 3_333,
    "beginnings": r"%\begin{document}" * 3_333,
    "conditions": r"\iffalse" * 3_333,
    "accents": r"\'" * 6_666,
    "numbers": r"\num{" * 3_333,
    "bomb": BOMB + r"\def\k{xxxxxxxxxx}\a\a\a\a" + r"\begin{document}\a",
    "loop": r"\def\a{\a\a}\a",
    "growing loop": r"\def\a#1{\a{#1#1}}\a{x}",
    "own environments": r"\newenvironment{a}{\begin{a}}{\end{a}}\begin{a}",
    "inputs": r"\input{x}" * 1_666,
    "one long line": "word " * 16_666,
    "many lines": "word\n" * 10_000,
    "many formulas": "$a+b$ \n" * 3_333,
}


def read_within(seconds: float, tmp_path: Path, source: str) -> None:
    files = hand_in(tmp_path, {"a.tex": source})
    with within(seconds):
        document = read_latex(files[0], files)
        main_files(files)
    assert sum(len(block.text) for block in document.blocks) < 8_000_000


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sources_end_soon(tmp_path: Path, name: str) -> None:
    read_within(5, tmp_path, HOSTILE[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_large_hostile_sources_end(tmp_path: Path, name: str) -> None:
    read_within(30, tmp_path, HOSTILE[name] * 60)


def test_a_bomb_of_commands_is_a_problem(tmp_path: Path) -> None:
    document = latex(tmp_path, r"before \a after", preamble=BOMB + r"\def\k{xxxxxxxxxx}")
    assert "expand to too much" in " ".join(document.problems)
    assert document.blocks[0].text.startswith("before")
    assert document.blocks[-1].text.endswith("after")


NAMES = (
    "begin{tabular}{cc} end{tabular} begin{align} end{align} begin{itemize} end{itemize} begin{figure} end{figure}"
    " item item[a] section{b} caption{c} footnote{d} newcommand{\\x}[1]{#1#1} x{1} def\\y#1{#1} y input{a} input{b}"
    " multirow{2}*{q} multicolumn{3}{c}{r} textbf{ verb|a| num{1e3} frac{1}{2} left( right. [ ] ( ) \\ \\[2pt] % & _"
    " hline iffalse else fi ' c begin{verbatim} end{verbatim} begin{document} end{document} let\\z\\x z"
)
SIGNS = "$ $$ { } & % # ~ [ ] * a 512 \n \n\n"
PIECES = [*(f"\\{name}" for name in NAMES.split(" ")), *SIGNS.split(" ")]


def is_sound(document: Document) -> bool:
    files = {None, "b.tex"}
    return all(
        block.file in files
        and (block.line is None or block.line > 0)
        and all(0 <= formula.start < formula.end <= len(block.text) for formula in block.formulas)
        for block in document.blocks
    )


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.lists(st.sampled_from(PIECES), max_size=8))
def test_nothing_makes_the_reader_raise(tmp_path: Path, one: list[str], two: list[str]) -> None:
    files = hand_in(tmp_path, {"a.tex": " ".join(one), "b.tex": "".join(two)})
    assert is_sound(read_latex(files[0], files))
    assert main_files(files)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_no_bytes_make_the_reader_raise(tmp_path: Path, data: bytes) -> None:
    files = hand_in(tmp_path, {"a.tex": b"\\section{a}" + data})
    assert is_sound(read_latex(files[0], files))


def test_the_main_file_is_the_one_that_no_other_includes(tmp_path: Path) -> None:
    files = hand_in(
        tmp_path,
        {
            "tex/a.tex": "\\section{Part}",
            "tex/main.tex": "\\documentclass{x}\\begin{document}\\input{a}%\\input{notes}\n\\subfile{b}\\end{document}",
            "tex/b.tex": "\\documentclass[main]{subfiles}\\begin{document}B\\end{document}",
            "tex/notes.tex": "notes",
            "report.pdf": "",
        },
    )
    assert [file.path for file in main_files(files)] == ["tex/main.tex", "tex/notes.tex"]


def test_in_a_circle_the_main_file_has_the_class(tmp_path: Path) -> None:
    sources = {"a.tex": "\\input{b}", "b.tex": "\\documentclass{article}\\input{a}"}
    assert [file.path for file in main_files(hand_in(tmp_path, sources))] == ["b.tex"]
    assert main_files([]) == ()


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    files = hand_in(tmp_path, {"a.tex": "x"})
    files[0].location.unlink()
    assert read_latex(files[0]).problems == ("it cannot be opened (No such file or directory)",)
