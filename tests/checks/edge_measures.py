"""Short reports to labs of other measures: errors of folds, perplexities, accuracies on two test sets, a single run;
how many are there, what follows from them and by how much it misses, and how two experiments compare. Each with the
verdicts that a careful marker would accept (`c` correct, `p` partly correct, `i` incorrect, `m` missing); whatever is
not sure may go to a person. `tests/checks/kept/edge_measures.txt` keeps what is made of each.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple


class Measured(NamedTuple):
    """A lab of `tests/labs`, a report to it, what is accepted of some items, and options that replace the lab's."""

    lab: str
    text: str
    accepted: Mapping[str, str] = {}
    options: Mapping[str, Mapping[str, Any]] = {}


_LINEAR: Final = ("2.31", "2.18", "2.44", "2.09", "2.27")
_FOREST: Final = ("1.42", "1.55", "1.38", "1.47", "1.61")


def _row(name: str, values: Sequence[str], *figures: str) -> str:
    return " | ".join(("", name, *values, *figures, "")).strip() + "\n"


def _folds(
    linear: Sequence[str] = _LINEAR,
    forest: Sequence[str] = _FOREST,
    first: tuple[str, ...] = ("2.26", "0.12"),
    second: tuple[str, ...] = ("1.49", "0.08"),
    said: str = "",
) -> str:
    parts = []
    for part, name, values, figures in ((1, "linear", linear, first), (2, "random forest", forest, second)):
        names = ["model", *(f"fold {number + 1}" for number in range(len(values))), *("mean", "std")[: len(figures)]]
        head = f"## Problem {part}\n\nRMSE in °C\n\n| {' | '.join(names)} |\n|{'---|' * len(names)}\n"
        parts.append(head + "| " + _row(name, values, *figures))
    return f"# Problem set 3\n\n{parts[0]}\n{parts[1]}\n{said}\n"


def _perplexities(
    one: Sequence[str],
    other: Sequence[str],
    first: str,
    second: str,
    *,
    chosen: str = "",
    said: str = "",
    of: str = "test",
) -> str:
    told = (
        f"{name}, {of} perplexity: "
        + ", ".join(f"seed {seed}: {value}" for seed, value in enumerate(values))
        + f". {figures}"
        for name, values, figures in (("Transformer", one, first), ("GRU", other, second))
    )
    first_part, second_part = told
    return f"# Report\n\n## Task 1\n\n{chosen}\n\n{first_part}\n\n## Task 2\n\n{second_part}\n\n{said}\n"


_TRANSFORMER: Final = ("113.4", "110.9", "115.2")
_GRU: Final = ("141.7", "139.8", "144.6")
_GOOD: Final = ("Mean 113.17, std 1.76.", "Mean 142.03, std 1.98.")
_KEPT: Final = "For each seed we kept the checkpoint with the lowest validation perplexity."


def _with_figures(mean: str, std: str) -> str:
    return _folds(first=(mean, std))


def _compared(text: str, better: str = "1.49", accepted: Mapping[str, str] = {}) -> Measured:
    return Measured("bearing", _folds(second=(better, "0.08"), said=text), accepted)


def _language(
    *, options: Mapping[str, Mapping[str, Any]] = {}, accepted: Mapping[str, str] = {}, **changes: Any
) -> Measured:
    given = {"one": _TRANSFORMER, "other": _GRU, "first": _GOOD[0], "second": _GOOD[1], "chosen": _KEPT} | changes
    return Measured("language", _perplexities(**given), accepted, options)


def _accuracies(inside: Sequence[str], outside: Sequence[str], figures: str, chosen: str = "") -> str:
    rows = "".join(
        f"| {run + 1} | {one} | {other} |\n" for run, (one, other) in enumerate(zip(inside, outside, strict=True))
    )
    table = f"| run | in-domain | out-of-domain |\n|---|---|---|\n{rows}"
    return f"# Domain shift\n\n## Question 1\n\nResNet. {chosen}\n\n{table}\n{figures}\n"


_INSIDE: Final = ("88.4", "87.9", "89.1", "88.6")
_OUTSIDE: Final = ("71.2", "69.8", "72.5", "70.3")
_BOTH: Final = "In-domain the mean is 88.5 and the std 0.43; out-of-domain the mean is 70.95 and the std 1.03."
_VALUES: Final = {"t1.seeds": {"values": [113.4, 110.9, 115.2], "tolerance": 0.5}}

MEASURED: Final[Mapping[str, Measured]] = {
    **{
        f"folds: {mean} ± {std}": Measured("bearing", _with_figures(mean, std), {"p1.folds": "c", "p1.statistics": how})
        for mean, std, how in (
            ("2.26", "0.12", "c"),
            ("2.25", "0.11", "c"),
            ("2.258", "0.119", "c"),
            ("2.26", "0.13", "c"),
            ("2.3", "0.1", "c"),
            ("2.27", "0.12", "p"),
            ("2.26", "0.14", "c"),
            ("2.26", "0.10", "p"),
            ("2.245", "0.065", ""),
            ("2.21", "0.1", "p"),
            ("2.86", "0.62", "i"),
            ("226", "12", ""),
        )
    },
    **{
        f"folds: {len(values)} of them, {mean} ± {std}": Measured(
            "bearing",
            _folds(linear=values, first=(mean, std)),
            {"p1.folds": how, "p1.statistics": "c" if len(values) > 1 else "i"},
        )
        for values, mean, std, how in (
            (_LINEAR[:4], "2.255", "0.132", "p"),
            (_LINEAR[:3], "2.31", "0.11", "p"),
            (_LINEAR[:2], "2.245", "0.065", "pi"),
            (_LINEAR[:1], "2.31", "0.00", "i"),
        )
    },
    "folds: no figures": Measured("bearing", _folds(first=(), second=()), {"p1.folds": "c", "p1.statistics": "im"}),
    "folds: no deviation": Measured("bearing", _folds(first=("2.26",)), {"p1.folds": "c", "p1.statistics": "p"}),
    "folds: only figures": Measured(
        "bearing", "# Set 3\n\n## Problem 1\n\nLinear: RMSE 2.26 ± 0.12 on average over 5 folds.\n"
    ),
    "folds: only a mean": Measured("bearing", "# Set 3\n\n## Problem 1\n\nLinear: an average RMSE of 2.26.\n"),
    "folds: five said, two shown": Measured(
        "bearing", "# Set 3\n\n## Problem 1\n\nLinear, RMSE of 2.31 in fold 1 and of 2.18 in fold 2 of 5 folds.\n"
    ),
    **{
        f"folds, a forest of {mean}": Measured(
            "bearing", f"# Set 3\n\n## Problem 2\n\nThe forest has an RMSE of {mean} ± 0.10 on average over 5 folds.\n"
        )
        for mean in ("0.9", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "2.1", "3")
    },
    **{
        f"folds: {text}": _compared(text)
        for text in (
            "The forest is better.",
            "The linear model is worse than the forest.",
            "The forest is worse.",
            "The forest has a lower error than the linear model.",
            "Both are about equal.",
            "The forest lowers the error by 0.77 °C.",
            "The forest lowers the error by 0.2 °C.",
            "1.49 against 2.26: the forest wins.",
            "2.26 against 1.49: the forest loses.",
            "I would use the forest, not the linear model.",
            "The forest takes longer.",
        )
    },
    **{
        f"folds: {text}": _compared(text, accepted={"p2.comparison": how})
        for text, how in (
            ("forest < linear", "c"),
            ("linear > forest", "c"),
            ("RMSE: forest < linear", "c"),
            ("RMSE of the forest > RMSE of the linear model", "i"),
            ("forest > linear", ""),
            ("R2: forest > linear", "c"),
            ("The forest is better (p < 0.05).", "c"),
            ("The forest is better: its error is higher.", ""),
            ("The forest is worse: its RMSE is lower.", ""),
            ("The forest beats the linear model by 0.2.", ""),
            ("The forest beats the linear model by 0.77.", "c"),
        )
    },
    "folds: a forest that is worse": _compared("The forest is worse.", "3.49"),
    "folds: a forest as good": Measured(
        "bearing",
        _folds(forest=_LINEAR, second=("2.26", "0.12"), said="The forest is not better than the linear model."),
    ),
    "folds: a better forest, of figures as good": Measured(
        "bearing", _folds(forest=_LINEAR, second=("2.26", "0.12"), said="The forest is better than the linear model.")
    ),
    "perplexities": _language(
        accepted={"t1.seeds": "c", "t1.statistics": "c", "t1.selection": "c", "t2.statistics": "c"}
    ),
    "perplexities: sample form": _language(first="Mean 113.17, std 2.16.", accepted={"t1.statistics": "c"}),
    "perplexities: a wrong mean": _language(first="Mean 112.17, std 1.76.", accepted={"t1.statistics": "p"}),
    "perplexities: two seeds": _language(
        one=_TRANSFORMER[:2], first="Mean 112.15, std 1.25.", accepted={"t1.seeds": "p"}
    ),
    "perplexities: two seeds are right": _language(
        one=_TRANSFORMER[:2],
        first="Mean 112.15, std 1.25.",
        options={"t1.statistics": {"of_fewer": "correct"}, "t1.seeds": {"fewest": 2}},
        accepted={"t1.seeds": "p", "t1.statistics": "c"},
    ),
    "perplexities: two seeds are a part": _language(
        one=_TRANSFORMER[:2],
        first="Mean 112.15, std 1.25.",
        options={"t1.statistics": {"of_fewer": "partial"}, "t1.seeds": {"fewest": 3}},
        accepted={"t1.seeds": "i", "t1.statistics": "p"},
    ),
    "perplexities: one seed": _language(one=_TRANSFORMER[:1], first="", accepted={"t1.seeds": "i"}),
    "perplexities: as known": _language(options=_VALUES, accepted={"t1.seeds": "c"}),
    "perplexities: within the tolerance": _language(
        one=("113.9", "110.4", "115.7"), first="Mean 113.33, std 2.20.", options=_VALUES, accepted={"t1.seeds": "c"}
    ),
    "perplexities: one outside of it": _language(
        one=("114.1", "110.9", "115.2"), first="Mean 113.4, std 1.82.", options=_VALUES, accepted={"t1.seeds": "p"}
    ),
    "perplexities: two outside of it": _language(
        one=("119.1", "119.9", "115.2"), first="Mean 118.07, std 2.05.", options=_VALUES, accepted={"t1.seeds": "p"}
    ),
    "perplexities: none as known": _language(
        one=("119.1", "119.9", "125.2"), first="Mean 121.4, std 2.7.", options=_VALUES, accepted={"t1.seeds": "i"}
    ),
    "perplexities: one value met twice": _language(
        one=("113.4", "113.5", "115.2"), first="Mean 114.03, std 0.83.", options=_VALUES, accepted={"t1.seeds": "p"}
    ),
    "perplexities: four for three": _language(
        one=(*_TRANSFORMER, "119.0"), first="Mean 114.63, std 2.9.", options=_VALUES
    ),
    "perplexities of validation": _language(
        of="validation",
        options={"t1.seeds": {"require_split": "eval"}, "t1.statistics": {"require_split": "eval"}},
        accepted={"t1.seeds": "p", "t1.statistics": "p"},
    ),
    "perplexities of validation, known ones": _language(of="validation", options=_VALUES),
    **{
        f"perplexities: {chosen}": _language(chosen=chosen, accepted={"t1.selection": how})
        for chosen, how in (
            ("The last checkpoint was taken.", "pi"),
            ("We took the checkpoint with the lowest test perplexity.", "i"),
            ("We took the checkpoint with the highest validation perplexity.", ""),
            ("We took the checkpoint with the worst validation perplexity.", ""),
            ("Nous gardons le checkpoint de plus haute perplexité de validation.", ""),
            ("Nous gardons le checkpoint à la perplexité de validation la plus basse.", "c"),
            ("We stopped when the validation perplexity rose, and kept the best checkpoint.", "c"),
            ("", "p"),
            ("The checkpoint after 10 epochs was taken, since the test perplexity was lowest there.", "i"),
        )
    },
    **{
        f"perplexities: {said}": _language(said=said, accepted={"t2.comparison": how})
        for said, how in (
            ("The transformer is better than the GRU.", "c"),
            ("The GRU is worse.", "c"),
            ("The GRU is better.", "i"),
            ("The GRU has the higher perplexity, so it is worse.", "c"),
            ("The GRU has the higher perplexity, so it is better.", "i"),
            ("The transformer gains 28.9 points.", "c"),
            ("The transformer gains 12 points.", "c"),
            ("The transformer: 113.17, the GRU: 142.03.", "m"),
            ("113.17 < 142.03", "cm"),
            ("", "m"),
        )
    },
    "two test sets": Measured(
        "shift", _accuracies(_INSIDE, _OUTSIDE, _BOTH), {"q1.runs": "c", "q1.inside": "c", "q1.outside": "c"}
    ),
    "two test sets, one wrong mean": Measured(
        "shift",
        _accuracies(_INSIDE, _OUTSIDE, _BOTH.replace("70.95", "71.95")),
        {"q1.inside": "c", "q1.outside": "p"},
    ),
    "two test sets, a fraction beside percent": Measured(
        "shift", _accuracies(_INSIDE, _OUTSIDE, _BOTH.replace("0.43", "0.0043")), {"q1.inside": "cp", "q1.outside": "c"}
    ),
    "two test sets, one of them": Measured(
        "shift", _accuracies(_INSIDE, ("",) * 4, "In-domain the mean is 88.5 and the std 0.43."), {"q1.inside": "c"}
    ),
    "two test sets, on the grid of validation": Measured(
        "shift", _accuracies(("88.4", "88.0", "89.2", "88.6"), ("71.2", "69.8", "72.4", "70.4"), "")
    ),
    "two test sets, three runs": Measured(
        "shift",
        _accuracies(_INSIDE[:3], _OUTSIDE[:3], "In-domain the mean is 88.47 and the std 0.49."),
        {"q1.runs": "p", "q1.inside": ""},
    ),
    **{
        f"one run: {text}": Measured("single", f"# Speech\n\n## Part (a)\n\n{text}\n", accepted)
        for text, accepted in (
            ("The CTC model has a WER of 14.8 % and an RTF of 0.21.", {"a.result": "c", "a.speed": "c"}),
            ("The CTC model has an RTF of 0.21.", {"a.result": "m", "a.speed": "c"}),
            ("WER 14.8 %, later 13.9 %.", {}),
            ("WER = 0.148", {"a.result": "c", "a.speed": "m"}),
            ("WER = 148 %", {"a.result": "c"}),
            ("WER = 151 %", {}),
            ("WER 14.8 %, mean of three runs.", {}),
            ("", {"a.result": "m", "a.speed": "m"}),
        )
    },
    **{
        f"one run: a transducer of {wer}": Measured(
            "single", f"# Speech\n\n## Part (a)\n\nCTC: WER 14.8 %\n\n## Part (b)\n\nTransducer: WER {wer}. {said}\n"
        )
        for wer, said in (
            ("9.6 %", "It is better than CTC."),
            ("9.6 %", "It makes 5.2 points fewer errors."),
            ("7.0 %", "It is better than CTC."),
            ("8.0 %", "CTC is worse."),
            ("11.0 %", "CTC is worse."),
            ("12.0 %", "Both are alike."),
            ("14.7 %", "Both are alike."),
            ("14.8 %", "It is better than CTC."),
            ("19.6 %", "It is worse than CTC."),
        )
    },
}
