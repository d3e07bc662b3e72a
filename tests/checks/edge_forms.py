"""Forms in which students answer small questions, each filled in with right and wrong answers: what may be decided
follows from what was filled in. `tests/checks/kept/edge_courses.txt` keeps what is made of each.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from grader.reading.notebook import Cell
from tests.checks.edge_courses import Course, cell, notebook, table

Answers = tuple[tuple[str, str | tuple[Cell, ...]], ...]


def filled(forms: Iterable[str], accepted: Mapping[str, str], **named: str) -> Answers:
    """Each form with each answer, and what may be decided of it."""
    return tuple(
        (letters, form.replace("{x}", one).replace("{y}", named.get("other", "")))
        for form in forms
        for one, letters in accepted.items()
    )


def printed(forms: Iterable[Sequence[str]], accepted: Mapping[str, str]) -> Answers:
    """Cells of a notebook, a pair of code and output each, with each answer in the output."""
    return tuple(
        (
            letters,
            notebook(*(cell(code, out.replace("{x}", one)) for code, out in zip(form[::2], form[1::2], strict=True))),
        )
        for form in forms
        for one, letters in accepted.items()
    )


_LATENCY: Final[dict[str, Any]] = {
    "value": 12.5,
    "tolerance": 0.05,
    "unit": "ms",
    "words": ["laten"],
    "not_of": ["train", "memory"],
    "wrong": [{"value": 8.3, "why": "One run was left out.", "share": 0.5}, {"value": 25, "why": "Not halved."}],
}
_ABOUT_LATENCY: Final = (
    "The latency is {x} ms.",
    "The latency is {x}.",
    "latency = {x}",
    "{x} ms",
    "It takes {x} ms.",
    "We measured a latency of {x} ms in 3 runs.",
    "In 3 runs we measured a latency of {x} ms.",
    "{x} ms of latency",
    "{x} ms is the latency",
    "The latency on train is 7.1 ms; on test it is {x} ms.",
    "The latency on test is {x} ms, while on train it is 7.1 ms.",
    "latency (mean of 5 runs) = {x} ms",
    "latency = 25 / 2 = {x} ms",
    "The latency is about {x} ms.",
    "The latency drops from 31.7 ms to {x} ms.",
    "With t = {x} ms the latency is as asked.",
    "The latency t is given by t = {x} ms.",
    "The mean latency (t) is t = 0.5 * 25 = {x} ms, as 2 runs were made.",
    "For 8 of 10 users the latency is {x} ms.",
    "For 8 of 10 users, {x} ms.",
    "A latency of {x} ms, which is 2 times faster than before.",
    "The latency is {x} ms, or {x} ms again.",
    "La latence est de {x} ms.",
    "The latency is {x} ms.\n\nThe latency is {x} ms.",
    "A first try gave 31.7 ms.\n\nThe latency is {x} ms.",
    "| quantity | value |\n|---|---|\n| latency | {x} ms |\n| memory | 3 GB |",
    "| | train | test |\n|---|---|---|\n| latency | 7.1 | {x} |",
    "| latency (ms) |\n|---|\n| {x} |",
    "- latency: {x} ms\n- memory: 3 GB",
    "Memory: 3 GB, latency: {x} ms.",
    "```\nlatency {x}\n```",
    "# Problem 2\n\nYes.\n\n# Other\n\nThe latency is {x} ms.",
)
_PERHAPS_LATENCY: Final = (
    "The latency may be {x} ms.",
    "The latency is not {x} ms.",
    "The latency is {x} ms or 31.7 ms.",
    "The latency is 31.7 ms ({x} ms with a warm cache).",
    "The latency is {x} ms (31.7 ms with a cold cache).",
    "First 31.7 ms, then {x} ms.",
    "The latency on train is {x} ms.",
    "The latency is {x} s.",
    "The latency is {x} GB.",
    "Is the latency {x} ms?",
    "The latency would be {x} ms.",
    "31.7 {x} 14",
    "# Problem 1 and problem 2\n\nThe latency is {x} ms.",
    "The latency takes {x} days for 12 people.",
    "It has {x} latency for 12 people.",
    "It has 12 people for {x} latency.",
)
_LATENCIES: Final = {"12.5": "cp", "12.54": "cp", "8.3": "ip", "25": "i", "31.7": "i", "12.6": "i"}
_SURE_OF_LITTLE: Final = {"12.5": "cip", "8.3": "ip", "31.7": "ip"}

_PATIENTS: Final[dict[str, Any]] = {"value": 14, "words": ["patient"], "wrong": [{"value": 20, "why": "All of them."}]}
_ABOUT_PATIENTS: Final = (
    "{x} patients",
    "There are {x} patients.",
    "There are {x} patients with 3 beds.",
    "{x} of 30 patients",
    "{x} patients for 3 beds and 2.5 kg",
    "{x}  patients for 3 nurses",
    "Patients: {x}",
    "Number of patients = 30 - 16 = {x}",
    "Of 30 beds, {x} are taken by patients.",
    "The patients, all in all, were {x}.",
    "{x}",
    "There are {x} patients (16 with the other rule).",
)
_SPREAD: Final[dict[str, Any]] = {"value": 0.625, "words": ["share"]}
_ABOUT_SHARES: Final = (
    "The share is {x}.",
    "The share p is p = {x}.",
    "share = 10/16 = {x}",
    "The share p = 10 of 16, so {x}.",
    "10 of 16 gives a share of {x}.",
    "The share is {x} with 16 people.",
    "The share is 10 out of 16, {x}.",
    "La part (share) est de {x}.",
    "The share is 3 times as large: {x}.",
    "Let n = 16; the share is {x}.",
    "The share q, with n = 16 and k = 10, is q = {x}.",
    "The share is q = {x}, for n = 16.",
)
_LOSS: Final[dict[str, Any]] = {
    "value": 0.31,
    "tolerance": 0.005,
    "label": ["valid loss", "loss"],
    "not_of": ["train"],
    "wrong": [{"value": 0.62, "why": "Twice.", "share": 0.5}, {"value": 3.1, "why": "Not divided."}],
}
_PRINTS: Final = (
    ("evaluate(m)", "valid loss: {x}"),
    ("evaluate(m)", "valid loss: {x} (epoch 3)"),
    ("evaluate(m)", "loss {x}"),
    ("evaluate(m)", "train loss 0.9\nloss {x}"),
    ("evaluate(m)", "train loss 0.9, valid loss {x}"),
    ("evaluate(m)", "valid loss\n{x}"),
    ("evaluate(m)", "valid loss = '{x}'"),
    ("print('loss', loss)", "loss {x}", "x = 1", "7"),
    ("loss = f()\nprint(loss)", "{x}"),
    ("loss = f()\nloss", "{x}"),
    ("print(acc, loss)", "0.5 {x}"),
    ("evaluate(m)", "accuracy 0.5\nvalid loss {x}\ndone in 3 s"),
    ("evaluate(m)", "valid loss {x}\nvalid loss {x}"),
)
_LOSSES: Final = {"0.31": "c", "0.312": "c", "0.62": "pi", "3.1": "i", "0.9": "i", "0.32": "i"}

_OPTIONS: Final = {"A": "shuffle the rows", "B": "scale the columns", "C": "drop the labels", "D": "add some noise"}
_ONE: Final[dict[str, Any]] = {"choices": _OPTIONS, "right": ["B"], "why": {"C": "Nothing is left to learn."}}
_CHOSEN: Final = (
    "{x}",
    "({x})",
    "{x}.",
    "{x})",
    "Answer: {x}",
    "Answer: ({x})",
    "The answer is {x}.",
    "Option {x} is right.",
    "{x}, because it keeps the order.",
    "{x}: it keeps the order.",
    "I choose {x} since the others change the data.",
    "It must be ({x}), as the lecture said.",
    "Réponse : {x}",
    "Both hints lead to {x}.",
    "After some thought about what the network sees of it, the answer is {x}.",
    "{x} is right, the others are not.",
    "{x}\n\nThe others change the data.",
    "- [x] {x}",
    "So {x}!",
    "A: no. B: no. C: no. D: no. Or rather {x}.",
    "Perhaps {x}.",
)
_LETTERS: Final = {"B": "c", "A": "i", "C": "i", "D": "i"}
_IN_WORDS: Final = {words: _LETTERS[letter] for letter, words in _OPTIONS.items()}
_SAID: Final = (
    "{x}",
    "We {x}.",
    "We have to {x}, because it keeps the order.",
    "One should {x} first, as seen in the lecture.",
    "Answer: {x}",
    "{x}: it keeps the order.",
    "Of the four, only to {x} keeps the order, and so it is what we would do with the data of this lab.",
)
_DOUBTED: Final = (
    "Not {x}.",
    "{x}?",
    "All but {x}.",
    "Unlike {x}, the rest is fine.",
    "A or {x}",
    "Either {x} or D.",
)
_OPEN: Final = {"B": "", "A": "i", "C": "i"}
_OPEN_WORDS: Final = {_OPTIONS[letter]: letters for letter, letters in _OPEN.items()}


def _matrix(one: Sequence[Sequence[object]], corner: str = "") -> tuple[str, ...]:
    """A table of two rows and two columns in several forms."""
    (a, b), (c, d) = one
    return (
        table((corner, "train", "test"), ("linear", a, b), ("forest", c, d)),
        table((corner, "linear", "forest"), ("train", a, c), ("test", b, d)),
        table((corner, "test", "train"), ("forest", d, c), ("linear", b, a)),
        table(("model", "train", "test", "n"), ("linear", a, b, 9), ("forest", c, d, 9), ("other", 5, 6, 9)),
        f"linear: train {a}, test {b}; forest: train {c}, test {d}",
        f"linear: train {a}, test {b}\n\nforest: train {c}, test {d}",
        f"linear {a} {b}\nforest {c} {d}",
        f"[[{a}, {b}], [{c}, {d}]]",
        f"```\n        train  test\nlinear  {a}  {b}\nforest  {c}  {d}\n```",
        f"```\n{a}  {b}\n{c}  {d}\n```",
        f"The rows are {a}, {b}; {c}, {d}.",
        table((corner, "train", "test"), ("M1", a, b), ("M2", c, d)),
        table((corner, "train", "test"), ("linear", a, b), ("M2", c, d)),
        table(
            (corner, "train", "test"), ("linear", f"{a} ± 0.1", f"{b} ± 0.2"), ("forest", f"{c} ± 0.1", f"{d} ± 0.3")
        ),
    )


_ERRORS: Final = [
    {"row": row, "column": column, "value": value, "tolerance": 0.005}
    for row, column, value in (
        ("linear", "train", 0.72),
        ("linear", "test", 0.81),
        ("forest", "train", 0.21),
        ("forest", "test", 0.54),
    )
]
_MATRICES: Final = {
    "c": ((0.72, 0.81), (0.21, 0.54)),
    "p": ((0.72, 0.81), (0.21, 0.64)),
    "pi": ((0.72, 0.21), (0.81, 0.54)),
    "ip": ((0.11, 0.12), (0.13, 0.14)),
    "": ((0.72, 0.81), ("", 0.54)),
    "cp": ((72, 81), (21, 54)),
}
_COLUMN: Final = [
    {"row": row, "column": "score", "value": value} for row, value in (("red", 31), ("green", 42), ("blue", 53))
]
_IN_A_COLUMN: Final = (
    ("c", "red 31, green 42, blue 53"),
    ("c", "31 for red, 42 for green and 53 for blue"),
    ("c", "The scores are 31, 42 and 53."),
    ("", "The scores are 53, 42 and 31."),
    ("", "The scores are 31 and 42."),
    ("", "31, 7, 42, 53"),
    ("c", "7, 31, 42, 53"),
    ("c", table(("", "score"), ("red", 31), ("green", 42), ("blue", 53))),
    ("c", table(("red", "green", "blue"), (31, 42, 53))),
    ("p", table(("red", "green", "blue"), (31, 42, 54))),
    ("i", table(("red", "green", "blue"), (1, 2, 3))),
    ("c", table(("score", 31, 42, 53), ("colour", "red", "green", "blue"))),
    ("c", table(("", "red", "green", "blue"), ("score", 31, 42, 53))),
    ("c", table(("", "red", "green", "navy"), ("score", 31, 42, 53))),
    ("c", table(("colour", "score", "n"), ("red", 31, 5), ("green", 42, 5), ("blue", 53, 5))),
    ("", table(("colour", "score"), ("red", 31), ("red", 32), ("green", 42), ("blue", 53))),
    ("c", table(("colour", "score"), ("dark red", 30), ("red", 31), ("green", 42), ("blue", 53))),
    ("c", "red = 30 + 1 = 31\ngreen = 40 + 2 = 42\nblue = 50 + 3 = 53"),
    ("", "red = 30 + 1 = 32\ngreen = 40 + 2 = 42\nblue = 50 + 3 = 53"),
    ("c", "red: 31\n\ngreen: 42\n\nblue: 53"),
    ("", "red: 31\n\ngreen: 42"),
    ("", "red: 42, green: 31, blue: 53"),
    ("c", "We found 31 (red), 42 (green) and 53 (blue)."),
    ("c", "# Problem 2\n\nYes.\n\n# Scores\n\nred 31, green 42, blue 53"),
    ("c", "Scores.\n\nred 31, green 42, blue 53\n\n# Problem 2\n\nYes."),
    ("m", ""),
)

_GREEK: Final = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "kappa")
_SIGNS: Final = {one[0].upper(): f"the {one} term" for one in _GREEK}
_LONG_TABLE: Final = [{"row": one, "column": "n", "value": 11 * at} for at, one in enumerate(_GREEK, 1)]
_MUST: Final = [[one] for one in _GREEK[:6]]


def _counted(*values: int) -> str:
    return table(("term", "n"), *zip(_GREEK, values, strict=False))


_RIGHT: Final = tuple(11 * at for at in range(1, 9))
_FIGURES: Final = "\n\n".join(f"![picture {number}]({number}.png)" for number in range(7))

FORMS: Final[Mapping[str, Course]] = {
    "eight terms to choose": Course(
        "choice",
        {"choices": _SIGNS, "right": list(_SIGNS)[:6], "mixed": "partial"},
        ("term",),
        (
            ("c", "A, B, G, D, E, Z"),
            ("p", "A, B, G, D, E"),
            ("p", "A, B, G, D, E, Z, T"),
            ("p", "A, B, G, D, E, Z, T, K"),
            ("p", "A, B, T"),
            ("p", "A, T"),
            ("i", "T, K"),
            ("c", "All but T and K."),
            ("c", " ".join(f"{one}) {'no' if one in 'TK' else 'yes'}" for one in _SIGNS)),
            ("p", " ".join(f"{one}) {'no' if one in 'TKZ' else 'yes'}" for one in _SIGNS)),
            ("p", " ".join(f"{one}) yes" for one in list(_SIGNS)[:7])),
            ("c", ", ".join(_GREEK[:6])),
            ("c", "The alpha term, the beta term, the gamma term, the delta term, the epsilon term, the zeta term."),
            ("p", "The alpha term, the beta term, the gamma term."),
            ("c", "\n".join(f"- [{' ' if one in 'TK' else 'x'}] {one}" for one in _SIGNS)),
        ),
    ),
    "eight terms in a table": Course(
        "table",
        {"cells": _LONG_TABLE},
        ("alpha", "beta"),
        (
            ("c", _counted(*_RIGHT)),
            ("p", _counted(1, *_RIGHT[1:])),
            ("p", _counted(*_RIGHT[:1], 1, 2, 3, 4, 5, 6, 7)),
            ("i", _counted(1, 2, 3, 4, 5, 6, 7, 8)),
            ("", _counted(*_RIGHT[:7])),
            ("c", ", ".join(f"{one} {value}" for one, value in zip(_GREEK, _RIGHT, strict=True))),
            ("c", "\n".join(f"{one}: {value}" for one, value in zip(_GREEK, _RIGHT, strict=True))),
            ("", "\n".join(f"{one}: {value}" for one, value in zip(_GREEK, _RIGHT[:7], strict=False))),
            ("c", ", ".join(map(str, _RIGHT))),
            ("c", ", ".join(f"{value} of {one}" for one, value in zip(_GREEK, _RIGHT, strict=True))),
        ),
    ),
    "six words and three others": Course(
        "contains",
        {"must": _MUST, "must_not": ["theta", "kappa", "mu"]},
        ("alpha", "beta"),
        (
            ("c", "We need alpha, beta, gamma, delta, epsilon and zeta."),
            ("c", "\n\n".join(f"We need {one}." for one in _GREEK[:6])),
            ("", "\n\n".join(f"We need {one}." for one in _GREEK[:5])),
            ("", "\n\n".join(f"We need {one}." for one in _GREEK)),
            ("", "\n\n".join(f"We need {one}." for one in (*_GREEK, "mu", "theta again"))),
            ("", "We need no alpha, but beta, gamma, delta, epsilon and zeta."),
            ("", "theta\n\nkappa\n\nmu"),
            ("c", "Notes.\n\nWe need alpha, beta, gamma, delta, epsilon and zeta.\n\n# Problem 2\n\nYes."),
            ("", "# Notes\n\nWe need alpha, beta, gamma, delta, epsilon and zeta.\n\n# Problem 2\n\nYes."),
            ("", "# Notes\n\nWe need alpha.\n\n# Problem 2\n\nYes."),
        ),
    ),
    "two figures of a loss": Course(
        "figure-present",
        {"words": ["loss"], "least": 2},
        ("loss",),
        (
            ("c", "![loss](a.png)\n\n![loss, later](b.png)"),
            ("", "![loss](a.png)"),
            ("c", "![loss](a.png)\n\n![other](b.png)\n\n![loss, later](c.png)"),
            ("", _FIGURES),
            ("c", f"{_FIGURES}\n\n![loss](a.png)\n\n![loss, later](b.png)"),
            ("", "![](a.png)"),
            ("m", "Nothing."),
        ),
    ),
    "any figure": Course(
        "figure-present",
        {},
        ("loss",),
        (("c", "![](a.png)"), ("c", _FIGURES), ("m", f"# Problem 2\n\n{_FIGURES}"), ("m", ""), ("m", "Nothing.")),
    ),
    "a limitation of ten words": Course(
        "section-present",
        {"heading": ["limit"], "least_words": 3, "most_words": 10},
        ("limit",),
        (
            ("", "# Limits\n\none two"),
            ("c", "# Limits\n\none two three"),
            ("c", "# Limits\n\none two three four five six seven eight nine ten"),
            ("p", "# Limits\n\none two three four five six seven eight nine ten eleven"),
            ("c", "# Limits\n\none two three\n\n# More\n\nfour five six seven eight nine ten eleven twelve"),
            ("p", "# Limits\n\none two three\n\n## More\n\nfour five six seven eight nine ten eleven twelve"),
            ("c", "### Limits\n\none two three\n\n## More\n\nfour five six seven eight nine ten eleven twelve"),
            ("", "# Limits\n\none\n\n# Limits\n\none two three"),
            ("m", "# More\n\none two three"),
            ("m", ""),
        ),
    ),
    "a latency in many forms": Course(
        "numeric-answer",
        _LATENCY,
        ("laten",),
        filled(_ABOUT_LATENCY, _LATENCIES) + filled(_PERHAPS_LATENCY, _SURE_OF_LITTLE),
    ),
    "patients in many forms": Course(
        "numeric-answer", _PATIENTS, ("patient",), filled(_ABOUT_PATIENTS, {"14": "cp", "20": "i", "17": "i"})
    ),
    "a share in many forms": Course(
        "numeric-answer", _SPREAD, ("share",), filled(_ABOUT_SHARES, {"0.625": "cp", "62.5 %": "cp", "0.5": "i"})
    ),
    "a printed loss in many forms": Course("printed-value", _LOSS, ("loss",), printed(_PRINTS, _LOSSES)),
    "a printed loss without a label": Course(
        "printed-value", {"value": 0.31}, ("loss",), printed(_PRINTS[:6], {"0.31": "c", "0.9": "i"})
    ),
    "an option in many forms": Course("choice", _ONE, ("row",), filled(_CHOSEN, _LETTERS) + filled(_DOUBTED, _OPEN)),
    "an option in its words": Course(
        "choice",
        _ONE,
        ("row",),
        filled(_SAID, _IN_WORDS) + filled(_DOUBTED, _OPEN_WORDS),
    ),
    "two rows and two columns": Course(
        "table",
        {"cells": _ERRORS},
        ("linear", "forest"),
        tuple((letters, text) for letters, one in _MATRICES.items() for text in _matrix(one)),
    ),
    "a column of three": Course("table", {"cells": _COLUMN}, ("red", "green"), _IN_A_COLUMN),
}
