"""Code that is asked for: right, wrong, left as it was, and written to look right."""

from typing import Any

import pytest

from grader.checks.finding import Finding, Status
from grader.claims.handout import template_of
from grader.lab.definition import Templates
from tests.checks.notebook_lab import MODULE, NEIGHBOURS, C, M, found, lab, notebook
from tests.claims.making import document

VECTORISED = {"function": "distances", "calls": [["numpy.dot", "dot", "@"]], "loops": False}
HEAD = "def distances(A, B):\n"


def judge(source: str, options: dict[str, Any], *before: str, is_listed: bool = False, **given: Any) -> Finding:
    """The finding on a cell below the first inline question's heading."""
    cells = [(C, one) for one in ("import numpy as np", *before)]
    own = notebook([*cells, (M, "**Inline Question 1**"), (C, source)])
    the_lab = lab({"cause": {"check": "code-asked", "options": options}}, is_listed=is_listed)
    return found(the_lab, own, **given)["cause.x"]


RIGHT = (
    HEAD + "    return np.dot(A, B.T)",
    HEAD + "    d = A @ B.T\n    return d",
    HEAD + "    return A.dot(B.T)",
    "from numpy import dot as product\n" + HEAD + "    return product(A, B.T)",
    "def squares(A, B):\n    return A @ B.T\n" + HEAD + "    return squares(A, B) * 2",
    "distances = None\n"
    + HEAD
    + '    """No `for` loop: np.dot does it."""\n    return np.dot(A, B.T)\nprint(distances(X, X))',
)
WRONG = {
    HEAD + "    d = A @ B.T\n    for row in d:\n        row += 1\n    return d": Status.PARTIAL,
    HEAD + "    return [[a @ b for b in B] for a in A]": Status.PARTIAL,
    "def one(a, B):\n    for b in B:\n        yield a @ b\n" + HEAD + "    return one(A, B)": Status.PARTIAL,
    HEAD + "    return (A - B).sum()": Status.INCORRECT,
    HEAD + "    for a in A:\n        print(a - B)": Status.INCORRECT,
}
ADVERSARIAL = (
    HEAD + "    if False:\n        return np.dot(A, B)\n    for a in A:\n        a -= B\n    return A",
    HEAD + "    return A - B\n    np.dot(A, B)",
    HEAD + "    def helper():\n        return np.dot(A, B)\n    for a in A:\n        B += a\n    return B",
    HEAD + "    # np.dot(A, B)\n    note = 'np.dot(A, B)'\n    for a in A:\n        B += a\n    return B",
    HEAD + "    np.dot(1, 2)\n    return A * B",
    HEAD + "    return np.dot(1, 2)",
    HEAD + "    return eval('np.d' + 'ot(A, B)')",
    HEAD + "    return np.vectorize(lambda a: a @ B)(A)",
    HEAD + "    return distances(A[1:], B) @ B if len(A) else A",
    HEAD + "    print('All tests passed: np.dot, no loop')\n    return 0",
)


@pytest.mark.parametrize("source", RIGHT)
def test_code_as_it_was_asked_for(source: str) -> None:
    finding = judge(source, VECTORISED)
    assert finding.status is Status.CORRECT, finding.feedback


@pytest.mark.parametrize(("source", "status"), WRONG.items())
def test_code_in_another_way(source: str, status: Status) -> None:
    finding = judge(source, VECTORISED)
    assert finding.status is status, finding.feedback


@pytest.mark.parametrize("source", ADVERSARIAL)
def test_what_only_looks_right_earns_nothing_without_a_person(source: str) -> None:
    finding = judge(source, {**VECTORISED, "without": ["numpy.linalg.norm"]})
    assert finding.status in (Status.REVIEW, Status.INCORRECT) or "@" in source, finding.feedback
    assert judge(source, {"function": "distances", "calls": [["numpy.dot"]]}).status in (
        Status.REVIEW,
        Status.INCORRECT,
        Status.MISSING,
    )


def test_what_is_not_there_earns_nothing_by_itself() -> None:
    loop = HEAD + "    for a in A:\n        B += a\n    return B"
    assert judge(loop, {"function": "distances", "loops": False, "without": ["numpy.dot"]}).status is Status.INCORRECT
    assert judge(loop, {"function": "distances", "calls": [["dot"]], "without": ["x"]}).status is Status.INCORRECT
    assert judge(RIGHT[0], {"function": "distances", "loops": False, "without": ["x"]}).status is Status.CORRECT


def test_a_library_s_name_that_the_student_sets_is_for_a_person() -> None:
    fake = "class np:\n    def dot(*a):\n        return 0\n" + HEAD + "    return np.dot(A, B)"
    assert judge(fake, {"function": "distances", "calls": [["numpy.dot"]]}).status is Status.REVIEW


@pytest.mark.parametrize(
    "source",
    [
        HEAD + "    pass",
        HEAD + "    # TODO\n    raise NotImplementedError",
        HEAD + '    """The distances."""\n    return None',
    ],
)
def test_a_function_that_does_nothing_is_missing(source: str) -> None:
    assert judge(source, VECTORISED).status is Status.MISSING


def test_the_hand_out_s_own_code_earns_nothing() -> None:
    the_lab = lab({"cause": {"check": "code-asked", "options": VECTORISED}})
    assert found(the_lab, notebook(NEIGHBOURS))["cause.x"].status is Status.MISSING
    filled = NEIGHBOURS[3][1].replace("    pass\n", "    d = A @ B.T\n")
    assert found(the_lab, notebook(NEIGHBOURS, {3: filled}))["cause.x"].status is Status.CORRECT
    not_run = notebook(NEIGHBOURS, {3: filled})
    cells = tuple(one.model_copy(update={"execution_count": None}) for one in not_run.cells)
    assert found(the_lab, not_run.model_copy(update={"cells": cells}))["cause.x"].status is Status.CORRECT


def test_what_only_the_hand_out_s_lines_do_is_for_a_person() -> None:
    given = (
        "def total(rows):\n    for row in rows:\n        # TODO: the norm\n        pass\n    return np.dot(rows, rows)"
    )
    listed = Templates(notebooks=(template_of(notebook([(C, "import numpy as np"), (C, given)])),))
    own = notebook([(C, "import numpy as np"), (C, given.replace("pass", "rows = rows + abs(row)"))])
    for options, status in (
        ({"loops": True}, Status.REVIEW),
        ({"calls": [["numpy.dot"]]}, Status.REVIEW),
        ({"calls": [["abs"]]}, Status.CORRECT),
        ({"calls": [["abs"]], "loops": False}, Status.CORRECT),
    ):
        the_lab = lab({"cause": {"check": "code-asked", "options": {"function": "total", **options}}})
        assert found(the_lab.model_copy(update={"templates": listed}), own)["cause.x"].status is status


def test_a_person_looks_where_other_code_may_be_the_answer() -> None:
    the_lab = lab({"cause": {"check": "code-asked", "options": VECTORISED}})
    finding = found(the_lab, notebook([*NEIGHBOURS, (C, "def mine(A, B):\n    return A @ B.T\nmine(X, X)")]))["cause.x"]
    assert finding.status is Status.REVIEW


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("    pass\n", Status.MISSING),
        ("    value = (w @ w) * reg\n", Status.CORRECT),
        ("    value = sum(x * x for x in w) * reg\n", Status.INCORRECT),
    ],
)
def test_a_function_in_a_module(body: str, status: Status) -> None:
    options = {"function": "loss", "calls": [["@"]], "loops": False}
    module = document("```python\n" + MODULE.replace("    pass\n", body) + "```", "linear.py")
    the_lab = lab({"cause": {"check": "code-asked", "options": options}})
    finding = found(the_lab, notebook(NEIGHBOURS), documents=[module])["cause.x"]
    assert finding.status is status, finding.feedback
    assert status is Status.MISSING or finding.evidence[0].file == "linear.py"


def test_code_that_cannot_be_parsed_goes_to_a_person() -> None:
    finding = judge(HEAD + "    return np.dot(A, B.T", VECTORISED)
    assert finding.status is Status.REVIEW
    assert "parsed" in finding.feedback


def test_no_code_at_all_is_for_the_usual_rules() -> None:
    the_lab = lab({"cause": {"check": "code-asked", "options": VECTORISED}}, is_listed=False)
    assert found(the_lab, notebook([(M, "# Notes"), (C, "import numpy")]))["cause.x"].status is Status.MISSING
    assert judge("bright = 'noise'", VECTORISED).status is Status.REVIEW


def test_functions_that_differ_are_for_a_person() -> None:
    module = document("```python\n" + HEAD + "    return A.sum() - B.sum()\n```", "other.py")
    assert judge(RIGHT[0], VECTORISED, documents=[module]).status is Status.REVIEW


@pytest.mark.parametrize(
    ("source", "signature", "status"),
    [
        ("def f(w, reg):\n    return w * reg", ["w", "reg"], Status.CORRECT),
        ("def f(w, reg, eps=1e-5):\n    return w * reg", ["w", "reg"], Status.CORRECT),
        ("def f(w, reg, eps):\n    return w * reg", ["w", "reg"], Status.INCORRECT),
        ("def f(reg, w):\n    return w * reg", ["w", "reg"], Status.INCORRECT),
        ("def f(*all):\n    return all[0]", ["w", "reg"], Status.REVIEW),
        ("class f:\n    def __init__(self, w, reg):\n        self.w = w * reg", ["w", "reg"], Status.CORRECT),
    ],
)
def test_a_signature(source: str, signature: list[str], status: Status) -> None:
    assert judge(source, {"function": "f", "signature": signature}).status is status


PLOT = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\n"


@pytest.mark.parametrize(
    ("source", "status"),
    [
        (PLOT + "plt.plot(x)\nplt.xlabel('epoch')\nplt.ylabel('loss')\nplt.title('Training')", Status.CORRECT),
        (PLOT + "ax.plot(x)\nax.set(xlabel='epoch', ylabel='loss', title='Training')", Status.CORRECT),
        ("frame.plot(x='a', xlabel='epoch', ylabel=name, title='Training')", Status.CORRECT),
        (
            PLOT + "def label():\n    plt.xlabel('a')\n    plt.ylabel('b')\n    plt.title('c')\nplt.plot(x)\nlabel()",
            Status.CORRECT,
        ),
        ("axis = sns.distplot(x, bins=9)\naxis.set(xlabel='kg', ylabel='n')\naxis.set_title('Fish')", Status.CORRECT),
        ("frame.plot.scatter(x='kg', y='cm', title='Fish')", Status.CORRECT),
        ("sns.regplot(x='kg', y='cm', data=frame).set_title('Fish')", Status.CORRECT),
        (PLOT + "plt.scatter(x='kg', y='cm', data=frame)\nplt.title('Fish')", Status.PARTIAL),
        (PLOT + "plt.plot(x)\nplt.xlabel('epoch')\nplt.ylabel('')\n# plt.title('x')", Status.PARTIAL),
        (PLOT + "plt.plot(x)\nif False:\n    plt.xlabel('a')", Status.REVIEW),
        (PLOT + "plt.plot(x)\nprint('xlabel ylabel title: all set')", Status.REVIEW),
        ("print('xlabel', 'ylabel', 'title')", Status.REVIEW),
    ],
)
def test_a_plot_with_labels(source: str, status: Status) -> None:
    finding = judge(source, {"plot": ["xlabel", "ylabel", "title"]})
    assert finding.status is status or (status is Status.REVIEW and finding.status is Status.INCORRECT)
    assert finding.status not in (Status.CORRECT, Status.PARTIAL) or finding.status is status


def test_another_function_may_draw_what_was_asked_for() -> None:
    asked = {"calls": [["hist", "distplot"]], "plot": ["xlabel"]}
    assert judge("sns.histplot(x)\nplt.xlabel('kg')", asked).status is Status.REVIEW
    assert judge("plt.hist(x)\nplt.xlabel('kg')", asked).status is Status.CORRECT
    assert judge("print(x)", asked).status is Status.INCORRECT


def test_a_line_of_the_hand_out_may_use_what_the_student_s_lines_make() -> None:
    head = "def search(X, y):\n    # TODO: make the grid\n    grid = None\n"
    begun = head + "    # Fit it\n    grid = grid.fit(X, y)\n    return grid"
    filled = begun.replace("grid = None", "grid = GridSearchCV(Tree(), {'depth': [1, 2]})")
    asked = {"function": "search", "calls": [["GridSearchCV"]]}
    the_lab = lab({"cause": {"check": "code-asked", "options": asked}}, is_listed=False)
    cells = [(C, "from sklearn.model_selection import GridSearchCV"), (M, "**Inline Question 1**")]
    handed_out = template_of(notebook([*cells, (C, begun)]))
    listed = the_lab.model_copy(update={"templates": Templates(notebooks=(handed_out,))})
    assert found(listed, notebook([*cells, (C, filled)]))["cause.x"].status is Status.CORRECT
    assert found(listed, notebook([*cells, (C, begun)]))["cause.x"].status is not Status.CORRECT


FINDER = "def finder(path):\n    edges = gradient(load(path))\n    return len(edges) > 0"
STUB = "def finder(path):\n    # TODO: complete the function\n    return None"


@pytest.mark.parametrize(
    ("given", "use", "status"),
    [
        (FINDER, "hits = sum(finder(path) for path in paths)", Status.CORRECT),
        (FINDER, "hits = np.vectorize(finder)(paths)", Status.CORRECT),
        (FINDER, "hits = list(map(finder, paths))", Status.CORRECT),
        (FINDER, "hits = len(paths)\nprint('finder', hits)", Status.INCORRECT),
        (STUB, "hits = sum(finder(path) for path in paths)", Status.REVIEW),
    ],
)
def test_a_function_of_the_hand_out_is_called(given: str, use: str, status: Status) -> None:
    cells = [(C, "import numpy as np"), (C, given), (M, "**Inline Question 1**"), (C, "paths = every[:50]")]
    the_lab = lab({"cause": {"check": "code-asked", "options": {"calls": [["finder"]]}}}, is_listed=False)
    listed = the_lab.model_copy(update={"templates": Templates(notebooks=(template_of(notebook(cells)),))})
    own = notebook([*cells[:-1], (C, "paths = every[:50]\n" + use)])
    assert found(listed, own)["cause.x"].status is status


@pytest.mark.parametrize(
    ("labels", "status"),
    [
        ("\nplt.xlabel('kg')\nplt.ylabel('cm')", Status.CORRECT),
        ("\nplt.xlabel('kg')", Status.PARTIAL),
        ("", Status.INCORRECT),
    ],
)
def test_a_function_of_the_hand_out_draws_what_the_student_labels(labels: str, status: Status) -> None:
    shaken = "def shaken(a, b):\n    a = a + noise(a)\n    plt.scatter(a, b)"
    cells = [(C, shaken), (M, "**Inline Question 1**"), (C, "# TODO: draw")]
    asked = {"check": "code-asked", "options": {"plot": ["xlabel", "ylabel"]}}
    the_lab = lab({"cause": asked}, is_listed=False)
    listed = the_lab.model_copy(update={"templates": Templates(notebooks=(template_of(notebook(cells)),))})
    own = notebook([*cells[:-1], (C, f"shaken(fish.kg, fish.cm){labels}")])
    assert found(listed, own)["cause.x"].status is status


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        (["base = wide_net(True)", "base.head = Linear(9, 2)"], Status.CORRECT),
        (["base=wide_net(True)", "head = Linear(9, 2)", "base.head = head"], Status.CORRECT),
        (["head = Linear(9, 2)", "base = wide_net(head)"], Status.CORRECT),
        (["base = wide_net(True)", "other = tiny_net()\nother.head = Linear(9, 2)"], Status.REVIEW),
        (["base = wide_net(True)", "base.head = Bilinear(9, 2)"], Status.PARTIAL),
        (["base = wide_net(True)\nbase.head = Linear(9, 2)", "base = wide_net()\nfail()"], Status.CORRECT),
    ],
)
def test_what_is_asked_for_may_stand_in_cells_that_belong_together(cells: list[str], status: Status) -> None:
    options = {"code": ["base ="], "calls": [["wide_net"], ["Linear"]]}
    the_lab = lab({"cause": {"check": "code-asked", "options": options}}, is_listed=False)
    own = notebook([(C, source) for source in cells])
    own = own.model_copy(
        update={
            "cells": tuple(
                cell.model_copy(update={"error": "NameError: fail"}) if "fail()" in cell.source else cell
                for cell in own.cells
            )
        }
    )
    assert found(the_lab, own)["cause.x"].status is status


def test_a_function_may_be_called_by_another_name() -> None:
    source = HEAD + "    network = model\n    return network(A) - B"
    assert judge(source, {"function": "distances", "calls": [["model"]]}).status is Status.CORRECT
    other = HEAD + "    network = another\n    return network(A) - B"
    assert judge(other, {"function": "distances", "calls": [["model"]]}).status is Status.INCORRECT


def test_a_call_beside_the_function_leaves_it_to_a_person() -> None:
    options = {"function": "show", "calls": [["plot", "scatter"]]}
    own = "def show():\n    return [1, 2]\nvalues = show()\n"
    assert judge(own, options).status is Status.INCORRECT
    assert judge(own + "frame['a'].plot(ax=axis)", options).status is Status.REVIEW
    assert judge(own, options, "def draw(v):\n    axis.plot(v)").status is Status.REVIEW


def test_the_function_of_another_item_says_nothing_about_this_one() -> None:
    checks = {
        "cause": {"check": "code-asked", "options": {"function": "show", "calls": [["plot"]]}},
        "kernel": {"check": "code-asked", "options": {"function": "draw", "calls": [["plot"]]}},
    }
    source = "def show():\n    return [1, 2]\ndef draw():\n    plt.plot([1, 2])\nshow()\ndraw()"
    own = notebook([(C, "import numpy as np"), (M, "**Inline Question 1**"), (C, source)])
    findings = found(lab(checks, is_listed=False), own)
    assert findings["cause.x"].status is Status.INCORRECT
    assert findings["kernel.x"].status is Status.CORRECT
