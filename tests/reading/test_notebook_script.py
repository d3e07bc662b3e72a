"""Notebooks saved as scripts are read as the cells that they stand for, and programs stay programs."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.claims.answer import extract
from grader.intake.submission import Role, Submission
from grader.reading.formats import read
from grader.reading.notebook import CellKind
from grader.reading.notebook_script import form_of, read_notebook_script
from grader.reading.reading import Reading
from tests.claims.making import lab
from tests.reading.making import submitted

WORDS = "## Question 1\n\nThe model has **22,807,552** parameters."
COMMAND = "!fairseq-preprocess --only-source \\\n    --destdir data"
CODE = "d = 512\n\n# a remark of the student's\nprint(32000 * d)"
HEADER = "# ---\n# jupyter:\n#   jupytext:\n#     text_representation:\n#       format_name: {}\n# ---\n\n"
PERCENT = """# %% [markdown]
# ## Question 1
#
# The model has **22,807,552** parameters.

# %%
# !fairseq-preprocess --only-source \\
#     --destdir data

# %% tags=["x"]
d = 512

# a remark of the student's
print(32000 * d)
"""
LIGHT = """# ## Question 1
#
# The model has **22,807,552** parameters.

# !fairseq-preprocess --only-source \\
#     --destdir data

# +
d = 512

# a remark of the student's
print(32000 * d)
# -
"""
QUOTED = '''# %% [markdown]
"""
## Question 1

The model has **22,807,552** parameters.
"""
# %%
!fairseq-preprocess --only-source \\
    --destdir data
# %%
d = 512

# a remark of the student's
print(32000 * d)
'''
DATABRICKS = """# Databricks notebook source
# MAGIC %md
# MAGIC ## Question 1
# MAGIC
# MAGIC The model has **22,807,552** parameters.

# COMMAND ----------

# MAGIC !fairseq-preprocess --only-source \\
# MAGIC     --destdir data

# COMMAND ----------

# DBTITLE 1,Count
d = 512

# a remark of the student's
print(32000 * d)
"""
MARIMO = '''import marimo

__generated_with = "0.25.2"
app = marimo.App()


@app.cell
def _():
    import marimo as mo

    return (mo,)


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Question 1

    The model has **22,807,552** parameters.
    """)
    return


@app.cell
def _():
    d = 512

    # a remark of the student's
    print(32000 * d)
    return (d,)
'''
SPIN = """#' ## Question 1
#'
#' The model has **22,807,552** parameters.

#+ echo=FALSE
d <- 512
"""


def reading_of(folder: Path, name: str, text: str) -> Reading:
    return read(
        Submission(student_id="ada", student_name="", files=(submitted(folder, name, text, Role.CODE),), sha256="")
    )


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("lab.py", HEADER.format("percent") + PERCENT, [COMMAND, CODE]),
        ("lab.py", PERCENT, [COMMAND, CODE]),
        ("lab.py", PERCENT.replace("\n", "\r\n"), [COMMAND, CODE]),
        ("lab.py", QUOTED, [COMMAND, CODE]),
        ("lab.py", HEADER.format("light") + LIGHT, [COMMAND, CODE]),
        ("lab.py", LIGHT, [COMMAND, CODE]),
        ("lab.py", DATABRICKS, [COMMAND, CODE]),
        ("lab.py", MARIMO, [CODE]),
        ("lab.R", SPIN, ["d <- 512"]),
    ],
)
def test_cells_are_those_of_the_notebook(name: str, text: str, code: list[str], tmp_path: Path) -> None:
    found = reading_of(tmp_path, name, text)
    (notebook,) = found.notebooks
    words, *others = notebook.cells
    assert (words.kind, words.source) == (CellKind.MARKDOWN, WORDS)
    assert [(one.kind, one.source) for one in others] == [(CellKind.CODE, source) for source in code]
    assert notebook.problems == ()
    answer = extract(found, lab())
    assert (answer.report, {one.value for one in answer.counts("q1")} >= {22807552}) == (name, True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", "# %%\nimport torch\n# %%\ntrain()\n"),
        ("train.py", "# the model is trained here\nimport marimo_tools\n"),
        ("train.py", '"""Cells of %% [markdown] are described here."""\n'),
        ("plot.R", "# a plot\nplot(1)\n"),
    ],
)
def test_a_program_stays_a_program(name: str, text: str, tmp_path: Path) -> None:
    assert reading_of(tmp_path, name, text).notebooks == ()


def test_shell_cells_of_jupytext_are_commands(tmp_path: Path) -> None:
    text = f'{PERCENT}\n# %% language="bash"\n# fairseq-train data\n'
    *_, last = reading_of(tmp_path, "lab.py", text).notebooks[0].cells
    assert last.source == "%%bash\nfairseq-train data"


MARKS = st.sampled_from(
    [
        "# %% [markdown]\n",
        "# %%\n",
        "# +\n",
        "# -\n",
        "# MAGIC %md\n",
        "# COMMAND ----------\n",
        "#' ",
        "@app.cell\n",
        '"""',
    ]
)


@given(st.lists(MARKS | st.text(max_size=8), max_size=20).map("".join), st.sampled_from(["a.py", "a.R"]))
def test_any_script_can_be_read(tmp_path_factory: pytest.TempPathFactory, text: str, name: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    for start in ("", HEADER.format("light"), "# Databricks notebook source\n", "app = marimo.App()\n", "# %% [md]\n"):
        file = submitted(folder, name, (start + text).encode("utf-8", "replace"), Role.CODE)
        form = form_of(file)
        if form:
            cells = read_notebook_script(file, form).cells
            assert [one.index for one in cells] == list(range(len(cells)))


def test_words_that_marimo_shows_in_a_box_are_words(tmp_path: Path) -> None:
    boxed = MARIMO.replace("mo.md(", "mo.callout(mo.md(", 1).replace('""")', '"""), kind="info")', 1)
    ast.parse(boxed)
    assert reading_of(tmp_path, "lab.py", boxed).notebooks[0].cells[0].source == WORDS


def test_each_kind_of_cell_of_marimo_is_read(tmp_path: Path) -> None:
    cells = (
        "@app.cell\nasync def _():\n    await load()\n    return\n",
        "@app.function\ndef total(rows):\n    return rows * 512\n",
        "@app.class_definition\nclass Head:\n    size = 512\n",
        "with app.setup:\n    import torch\n",
        "@app.cell\ndef _(\n    a,\n):\n    # before\n\n    @a.b\n    def f(): ...\n    # behind\n    return (f,)\n",
        "@app.cell\ndef _():\n    # TODO\n    return\n",
        'app._unparsable_cell(\n    r"""\n    total  22,807,552\n    """,\n    name="_"\n)\n',
        'if __name__ == "__main__":\n    app.run()\n',
    )
    (notebook,) = reading_of(tmp_path, "lab.py", "\n\n".join((MARIMO, *cells))).notebooks
    assert [one.source for one in notebook.cells[2:]] == [
        "await load()",
        "def total(rows):\n    return rows * 512",
        "class Head:\n    size = 512",
        "import torch",
        "# before\n\n@a.b\ndef f(): ...\n# behind",
        "# TODO",
        "total  22,807,552",
    ]


def test_options_of_knitr_begin_a_cell(tmp_path: Path) -> None:
    (notebook,) = reading_of(tmp_path, "lab.R", f"{SPIN}\n#+ plots\nplot(d)\n").notebooks
    assert [one.source for one in notebook.cells[1:]] == ["d <- 512", "plot(d)"]
