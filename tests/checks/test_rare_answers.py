"""Rare answers to the shipped lab, with what a careful marker accepts: `c` correct, `p` partly correct, `i` incorrect,
`m` missing, `r` for review. What else is told of each, `tests/checks/kept/units` keeps."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.registry import check_of
from grader.claims.answer import Answer, StatedChoice, StatedComparison, StatedValue
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.reading.document import Evidence
from grader.reading.log import Log
from grader.reading.notebook import Cell
from tests.checks.experiments import CHOSEN, RANDOM, RANDOM_STATISTICS, SEEDS, STATISTICS, VALID_ONLY, task
from tests.checks.making import answer, code, concluded, run, truth
from tests.claims.making import lab

_STATUSES: Final = {"c": "correct", "p": "partial", "i": "incorrect", "m": "missing", "r": "review"}
HERE: Final = Evidence(file="report.md", line=1, quote="as stated")
ONCE: Final = lab().model_copy(update={"seeds": 1})
"""The lab where each experiment is run once."""


def judged(item: str, given: Answer, used: Lab | None = None, known: GroundTruth | None = None, **options: Any) -> str:
    """The status of an item, as a letter."""
    used = used or lab()
    asked = next(one for one in used.items if one.id == item)
    asked = asked.model_copy(update={"options": {**asked.options, **options}})
    found = list(check_of(asked).bind_options(asked)(answer=given, truth=known or truth(), lab=used))
    (finding,) = (one for one in found if isinstance(one, Finding))
    concluded(found, finding)
    return next(letter for letter, status in _STATUSES.items() if status == finding.status.value)


class Rare(NamedTuple):
    """An item, what may be decided, and the answer: a report, the cells of a notebook, and logs."""

    item: str
    accepted: str
    report: str | None = None
    cells: Sequence[Cell] = ()
    logs: Sequence[Log] = ()
    lab: Lab | None = None


_COUNT: Final = "def count(m):\n    return sum(p.numel() for p in m.parameters())"
_COUNTING: Final = "print(sum(p.numel() for p in model.parameters()))"
_TRAINED: Final = "print_trainable_parameters(model)"
_PROMPT: Final = "return f'<human>: {question}\\n<assistant>: {answer}'"
_EPOCHS: Final = "| Epoch | Average test accuracy |\n|---|---|\n| 1 | 70.4 |\n| 2 | 79.1 |\n| 3 | 79.8 |\n"
_NAMES: Final = "r, lora_alpha, target_modules, lora_dropout, bias and task_type"
_PARTS: Final = "token embedding: 32000 × 512 = 16,384,000\n\npositions: 258 × 512 = 132,096\n\n"
_LAYERS: Final = "attention: 4 × 512² = 1,048,576\n\nfeed-forward: 2 × 512² = 524,288\n\n"


def _ordered(*cells: Cell) -> list[Cell]:
    """Cells that were run in another order."""
    return [cell.model_copy(update={"execution_count": len(cells) - at}) for at, cell in enumerate(cells)]


def _prompt(*body: str) -> list[Cell]:
    return [code("def generate_prompt(question, answer=''):\n    " + "\n    ".join(body))]


ANSWERS: Final = {
    "chosen by validation, figures of whole percents": Rare(
        "t3.selection", "cr", task(3, CHOSEN, "| Seed | Accuracy |\n|---|---|\n| 0 | 79 |\n| 1 | 78 |\n| 2 | 80 |\n")
    ),
    "chosen by validation, two figures of one seed": Rare(
        "t3.selection", "r", task(3, CHOSEN, SEEDS, "With seed 1 the test accuracy is 76.9 %.")
    ),
    "one run, its result": Rare("t3.statistics", "c", task(3, "On test we obtain 79.3 %."), lab=ONCE),
    "one run, its average": Rare("t3.statistics", "c", task(3, "On test the average is 79.3 %."), lab=ONCE),
    "one run, its seed": Rare("t3.seeds", "c", task(3, "On test seed 0 reaches 79.3 %."), lab=ONCE),
    "one run, in a table": Rare("t3.statistics", "c", task(3, SEEDS.split("| 1 |")[0]), lab=ONCE),
    **{
        f"averages of epochs alone, {item}": Rare(
            f"t3.{item}",
            "r",
            task(3, _EPOCHS),
        )
        for item in ("statistics", "seeds", "band", "selection")
    },
    "values, and averages of epochs": Rare("t3.statistics", "r", task(3, CHOSEN, SEEDS, _EPOCHS)),
    "an average and values in whole percents": Rare(
        "t3.statistics", "cr", task(3, CHOSEN, SEEDS.replace("79.3", "79").replace("78.5", "79"), STATISTICS)
    ),
    "the random one is called better, without figures": Rare(
        "t4.comparison", "ir", f"{task(3)}\n\n{task(4)}\n\nThe random model is better than the pretrained one.\n"
    ),
    "the difference alone, below a reference": Rare(
        "t4.comparison",
        "cr",
        f"{task(3, SEEDS, STATISTICS)}\n\n{task(4, RANDOM, RANDOM_STATISTICS)}\n\nThat makes 12.8 points.\n\n"
        "# References\n\nThe random model, 2020\n",
    ),
    "parts without a word": Rare("q1.derivation", "r", "# Question 1\n\n16384000\n132096\n1048576\n524288\n22807552\n"),
    "parts without a total": Rare("q1.total", "mr", f"# Question 1\n\n{_PARTS}{_LAYERS}"),
    "one part without a total": Rare("q1.total", "mr", f"# Question 1\n\n{_PARTS}"),
    "printed, defined in a cell that did not run": Rare(
        "t1.verified", "cr", None, [code(_COUNT, ran=False), code("print(count(model))", "22829056")]
    ),
    "printed, defined in a cell that ran later": Rare(
        "t1.verified", "cr", None, _ordered(code(_COUNT), code("print(count(model))", "22829056"))
    ),
    "printed, defined in a cell that ran before": Rare(
        "t1.verified", "c", None, [code(_COUNT), code("print(count(model))", "22829056")]
    ),
    "printed, with a gap": Rare("t1.verified", "r", None, [code(f"{_COUNTING}\nx = # fill me", "22829056")]),
    "printed by a cell that prints nothing": Rare("t1.verified", "r", None, [code("x = 1", "22829056")]),
    "trainable, before the adapter": Rare(
        "t7.trainable", "r", None, [code(_TRAINED, "trainable: 786432 all: 408219648 share: 0.19")]
    ),
    "trainable, of another model": Rare(
        "t7.trainable", "r", None, [code(_TRAINED, "trainable params: 1000 || all params: 2000000 || 0.05")]
    ),
    "trainable, numbers of something else": Rare("t7.trainable", "r", None, [code(_TRAINED, "1000 2000000 0.05")]),
    "trainable, rank 8 on all linear modules": Rare(
        "t7.trainable", "ir", None, [code(_TRAINED, "trainable: 4718592 all: 412938240 share: 1.14")]
    ),
    "a prompt that is made in two ways": Rare(
        "t8.prompt", "r", None, _prompt("if answer:", f"    {_PROMPT}", "return f'{question}: {answer}'")
    ),
    "a prompt beside a gap": Rare("t8.prompt", "r", None, _prompt("x = # fill me", _PROMPT)),
    "a prompt and another one in the report": Rare(
        "t8.prompt", "cr", "# Task 8\n\n```\nUSER: Who?\nBOT: Me.\n```\n", _prompt(_PROMPT)
    ),
    "a prompt that a later definition replaces": Rare(
        "t8.prompt", "r", None, [*_prompt(_PROMPT), *_prompt("return f'{question} {answer}'")]
    ),
    "a prompt over several lines": Rare(
        "t8.prompt",
        "c",
        None,
        _prompt(
            "first = f'<human>: {question}'", "second = f'<assistant>: {answer}'", "", "return first + '\\n' + second"
        ),
    ),
    "the values that the library takes": Rare(
        "q2.values",
        "cr",
        "# Question 2\n\nbias: 'none', 'all' or 'lora_only'.\n\nr = 16, lora_alpha = 32, lora_dropout = 0.05, "
        "target_modules = query_key_value, task_type = CAUSAL_LM",
    ),
    **{
        f"values {name}": Rare("q2.values", accepted, f"# Question 2\n\n{text}\n")
        for name, accepted, text in (
            ("behind all names", "c", f"We set {_NAMES} to 16, 32, query_key_value, 0.05, none and CAUSAL_LM."),
            (
                "behind all names, one wrong",
                "ipr",
                f"We set {_NAMES} to 8, 32, query_key_value, 0.05, none, CAUSAL_LM.",
            ),
            (
                "behind all names, exchanged",
                "ipr",
                f"We set {_NAMES} to 32, 16, query_key_value, 0.05, none, CAUSAL_LM.",
            ),
            ("in a list", "cr", "1. 16\n2. 32\n3. query_key_value\n4. 0.05\n5. none\n6. CAUSAL_LM"),
            (
                "in a list with a first item",
                "cr",
                "1. x\n2. 16\n3. 32\n4. query_key_value\n5. 0.05\n6. none\n7. CAUSAL_LM",
            ),
            ("in a list with points", "cr", "- 16\n- 32\n- query_key_value\n- 0.05\n- none\n- CAUSAL_LM"),
            ("in a list, two missing", "mpr", "1. 16\n2. 32\n3. query_key_value\n4. 0.05"),
            (
                "in a list of sentences",
                "cr",
                "1. The rank is 16.\n2. It scales by 32.\n3. Only query_key_value.\n"
                "4. A dropout of 0.05.\n5. There is none.\n6. CAUSAL_LM, as always.",
            ),
        )
    },
    **{
        f"trainable parameters said, {name}": Rare("t7.trainable", accepted, f"# Task 7\n\n{text}\n")
        for name, accepted, text in (
            ("exchanged", "ipr", "409,792,512 trainable parameters of 1,572,864 in all."),
            (
                "exchanged, after words",
                "ipr",
                "First we look. There are 1,572,864 parameters in total, 409,792,512 trainable.",
            ),
            ("in French", "cp", "1 572 864 paramètres entraînables sur 409 792 512 au total."),
            ("exchanged in French", "ipr", "409 792 512 paramètres entraînables sur 1 572 864 au total."),
            ("with labels", "cp", "trainable: 1,572,864; all: 409,792,512"),
            ("of another total", "cpr", "There are 1,572,864 trainable parameters of 409,792,513."),
            ("alone", "cp", "There are 1,572,864 trainable parameters."),
            ("rounded", "pr", "There are 1.6 million trainable parameters."),
            ("rounded finely", "pr", "There are 1.573 million trainable parameters."),
            ("rounded otherwise", "ipr", "There are 1.7 million trainable parameters."),
            ("without a word", "mr", "1,572,864."),
            ("far from their words", "cpr", f"The trainable parameters, {'as we saw, ' * 30}are 1,572,864."),
            ("in the sentence before", "cpr", "The trainable parameters are a sum of sizes. It is 1,572,864."),
            ("by a method", "pr", "We sum p.numel() over all parameters with requires_grad."),
            ("as those of all", "ipr", "All 409,792,512 parameters are trained."),
        )
    },
    "arguments in a table with further columns": Rare(
        "t6.quantization",
        "cp",
        "# Task 6\n\nBitsAndBytesConfig\n\n"
        "| load_in_4bit | bnb_4bit_quant_type | n |\n|---|---|---|\n| True | nf4 | 1 |\n",
    ),
    "arguments in a table, off": Rare(
        "t6.quantization",
        "ipr",
        "# Task 6\n\nBitsAndBytesConfig\n\n| load_in_4bit | bnb_4bit_quant_type |\n|---|---|\n| False | nf4 |\n",
    ),
    "arguments in a table without the call": Rare(
        "t6.quantization", "pr", "# Task 6\n\n| load_in_4bit | note |\n|---|---|\n| True | - |\n"
    ),
    "a number of trials among the values": Rare(
        "q2.values",
        "cr",
        "# Question 2\n\nr = 16, then r = 4, lora_alpha = 32, lora_dropout = 0.05, bias = 'none', "
        "target_modules = query_key_value, task_type = CAUSAL_LM",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_decided_is_what_a_marker_accepts(name: str) -> None:
    one = ANSWERS[name]
    given = answer(one.report, one.cells, one.logs, the_lab=one.lab)
    assert judged(one.item, given, one.lab) in one.accepted


@pytest.mark.parametrize(
    ("by", "letter"), [("valid", "c"), ("test", "i"), ("last", "p"), (None, "r")], ids=["valid", "test", "last", "none"]
)
def test_how_somebody_read_the_choice_of_checkpoints_counts_like_its_words(by: str | None, letter: str) -> None:
    given = answer(task(3, SEEDS, STATISTICS))
    for experiments, expected in (((), letter), (("pretrained",), letter), (("random",), "p")):
        choices = (StatedChoice(experiments=experiments, by=by, evidence=HERE),)
        assert judged("t3.selection", given.model_copy(update={"choices": choices})) == expected


@pytest.mark.parametrize(("better", "letter"), [("pretrained", "c"), ("random", "i"), (None, "i"), ("other", "m")])
def test_how_somebody_read_a_comparison_counts_like_its_words(better: str | None, letter: str) -> None:
    given = answer(f"{task(3, SEEDS, STATISTICS)}\n\n{task(4, RANDOM, RANDOM_STATISTICS)}")
    read = (StatedComparison(better=better, evidence=HERE),)
    assert judged("t4.comparison", given.model_copy(update={"comparisons": read})) == letter


def test_how_somebody_read_a_value_counts_like_its_words() -> None:
    lines = ("lora_alpha = 32", "lora_dropout = 0.05", "bias = none", "target_modules = query_key_value")
    given = answer("# Question 2\n\n" + "\n\n".join((*lines, "task_type = CAUSAL_LM")))
    for value, letters in (("16", "c"), ("8", "pir"), ("many", "pr")):
        read = {"r": StatedValue(value=value, evidence=HERE)}
        assert judged("q2.values", given.model_copy(update={"values": read})) in letters


def test_without_a_band_an_average_is_for_a_person() -> None:
    given = answer(task(3, SEEDS, STATISTICS))
    assert judged("t3.band", given, known=truth().model_copy(update={"bands": ()})) == "r"


@pytest.mark.parametrize(("text", "letter"), [("79.3", "c"), ("81.5", "c")])
def test_figures_of_the_wrong_split_earn_a_part_where_the_split_is_required(text: str, letter: str) -> None:
    figures = VALID_ONLY + "On validation the average is 81.67 % and the standard deviation 1.43 %.\n"
    for item in ("t3.seeds", "t3.statistics", "t3.band"):
        assert judged(item, answer(task(3, SEEDS, STATISTICS)), require_split="test") == letter
        assert judged(item, answer(task(3, figures)), require_split="test") == "p"
        assert judged(item, answer(task(3, figures))) == "c"
    assert text


@pytest.mark.parametrize(
    ("values", "letter"),
    [((79.3, 78.5, 80.1), "c"), ((80.1, 79.3, 78.5), "c"), ((79.3, 78.5, 60), "p"), ((1, 2, 3), "i"), ((79.3,), "r")],
)
def test_results_that_are_known_beforehand(values: Sequence[float], letter: str) -> None:
    assert judged("t3.seeds", answer(task(3, SEEDS)), values=list(values)) == letter


def test_by_how_much_known_results_may_differ() -> None:
    """By less than the last digit that is written, and by the tolerance, the bound included."""
    for off, tolerance, letter in (("0.09", 0, "c"), ("0.10", 0, "p"), ("0.25", 0.25, "c"), ("0.35", 0.25, "p")):
        values = [79.3 - float(off), 78.5, 80.1]
        assert judged("t3.seeds", answer(task(3, SEEDS)), values=values, tolerance=tolerance) == letter, off


def test_a_right_total_is_for_a_person_where_the_text_of_a_pdf_is_all_there_is() -> None:
    given = answer("# Question 1\n\nThe total is 12,345,671.\n", exact=False)
    assert judged("q1.total", given) == "r"
    assert judged("q1.total", answer("# Question 1\n\nThe total is 12,345,671.\n")) == "i"


def test_a_lab_may_give_a_share_for_a_slip() -> None:
    given = answer("# Question 1\n\nThe total is 22,675,456.\n")
    assert judged("q1.total", given, slips={"without-position-embedding": 0.5}) in "pi"
    assert judged("q1.total", given) == "i"


def test_nothing_is_decided_without_a_model_of_marked_examples() -> None:
    given = answer("# Question 2\n\n- r: the rank of the added matrices\n")
    assert judged("q2.r", given) == "c"
    untrained = lab().model_copy(update={"short_answers": None})
    assert judged("q2.r", given, untrained) == "r"


@pytest.mark.parametrize(("opinion", "letter"), [("correct", "c"), ("incorrect", "r"), ("partial", "r"), ("", "c")])
def test_an_opinion_decides_nothing_alone(opinion: str, letter: str) -> None:
    given = answer("# Question 2\n\n- r: the rank of the added matrices\n")
    claims = tuple(one.model_copy(update={"opinion": opinion}) for one in given.definitions)
    assert judged("q2.r", given.model_copy(update={"definitions": claims})) == letter


def test_a_lab_says_what_a_wrong_value_and_a_turned_quotient_are_worth() -> None:
    wrong = answer("# Question 2\n\n- r = 64: the rank of the added matrices\n")
    for worth, letter in (("correct", "c"), ("partial", "p"), ("incorrect", "i"), ("review", "r")):
        assert judged("q2.r", wrong, wrong_value=worth) == letter
    turned = answer("# Question 2\n\n- lora_alpha: the update of the adapter is multiplied by r / lora_alpha\n")
    for worth in ("partial", "incorrect", "review"):
        assert judged("q2.lora_alpha", turned, turned_round=worth) in (_letter(worth), "p", "r")


def _letter(status: str) -> str:
    return next(letter for letter, one in _STATUSES.items() if one == status)


def test_every_status_has_a_letter() -> None:
    assert set(_STATUSES.values()) == {one.value for one in Status} - {"not_run", "error"}


_SENTENCES: Final = {
    "The pretrained model is better than the random one.": "better",
    "The random model is better than the pretrained one.": "worse",
    "The pretrained model and the random one perform alike.": "alike",
    "Pretraining helps.": "better",
    "Pretraining changes nothing.": "alike",
    "Without pretraining the accuracy is lower.": "better",
    "The pretrained model reaches {0} % and the random one {1} %, so pretraining pays.": "better",
    "The pretrained model reaches {0} % and the random one {1} %, so pretraining changes nothing.": "alike",
    "The difference between the two is {2} points.": "open",
    "Pretrained {0}, random {1}: no surprise.": "open",
    "The pretrained model gains {2} points; so it is better.": "better",
    "On short reviews the pretrained model is better; on long ones the random one is.": "open",
    "The pretrained model is a bit better than the random one, but not by much.": "better",
}
_FIGURES: Final = {"better": ("79.3", "66.5"), "alike": ("79.3", "79.0"), "worse": ("66.5", "79.3")}


@pytest.mark.parametrize("sentence", _SENTENCES)
def test_what_is_said_of_two_experiments_is_held_against_their_figures(sentence: str) -> None:
    """Never right where it says that the worse one is better, never wrong where it says what the figures show."""
    for shown, (one, other) in _FIGURES.items():
        told = sentence.format(one, other, f"{float(one) - float(other):.1f}")
        figures = (f"On the test set the average is {value} % and the deviation 0.6 %." for value in (one, other))
        first, second = figures
        letter = judged("t4.comparison", answer(f"{task(3, first)}\n\n{task(4, second)}\n\n{told}\n"))
        said = _SENTENCES[sentence]
        assert letter != "c" or said in ("better", "open")
        assert letter not in "pim" or said != "better" or shown == "worse"


_CHOICES: Final = {
    "For each seed the checkpoint with the best validation accuracy is kept.": "valid",
    "We keep checkpoint_best.pt.": "open",
    "The epoch with the best accuracy on the validation set is taken for the random and the pretrained model.": "valid",
    "We always take the last epoch.": "last",
    "We take the epoch with the best test accuracy.": "test",
    "We take the epoch with the best validation accuracy, but the figures are of the last epoch.": "open",
    "We take the epoch with the best validation accuracy, not the one with the best test accuracy.": "valid",
    "The validation accuracy is highest after epoch 3.": "open",
    "On garde le point de contrôle dont l'exactitude de validation est la meilleure.": "valid",
    "Selection: best valid accuracy.": "valid",
    "For the random model the last epoch was taken.": "open",
    "We looked at the curves.": "open",
    "": "open",
}


@pytest.mark.parametrize("sentence", _CHOICES)
def test_by_what_a_checkpoint_was_chosen_is_held_against_the_figures(sentence: str) -> None:
    """Points for a choice by validation with figures of test; never for one by test, never all for the last epoch."""
    for figures in (SEEDS, VALID_ONLY, SEEDS.replace("Test accuracy", "Accuracy"), STATISTICS):
        letter = judged("t3.selection", answer(task(3, sentence, figures)))
        said = _CHOICES[sentence]
        assert letter != "c" or said in ("valid", "open")
        assert letter not in "pim" or said != "valid" or figures == VALID_ONLY


_LOOP: Final = "    for n, p in model.named_parameters():\n        a += p.numel()\n"
_START: Final = "def print_trainable_parameters(model):\n    t, a = 0, 0\n"
_COUNTED: Final = f"{_START}{_LOOP}        if p.requires_grad:\n            t += p.numel()\n"
_FROZEN: Final = f"{_START}{_LOOP}        if not p.requires_grad:\n            t += p.numel()\n"
FUNCTIONS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "both printed": ("c", (f"{_COUNTED}    print(t, a)",)),
    "both returned": ("c", (f"{_COUNTED}    return t, a",)),
    "both with labels": ("c", (f"{_COUNTED}    print(f'trainable: {{t}} all: {{a}}')",)),
    "both with labels, all first": ("c", (f"{_COUNTED}    print(f'all: {{a}}, trainable: {{t}}')",)),
    "labels exchanged": ("pir", (f"{_COUNTED}    print(f'trainable: {{a}} all: {{t}}')",)),
    "labels exchanged, with commas": ("pir", (f"{_COUNTED}    print(f'trainable: {{a:,}} all: {{t:,}}')",)),
    "labels of those that are not trained": ("ipr", (f"{_COUNTED}    print(f'non-trainable: {{a - t}} all: {{a}}')",)),
    "trained ones alone": ("pr", (f"{_COUNTED}    print(t)",)),
    "all alone": ("ir", (f"{_START}{_LOOP}    print(a)",)),
    "frozen ones and all": ("ir", (f"{_FROZEN}    print(t, a)",)),
    "frozen ones alone": ("ir", (f"{_FROZEN}    print(t)",)),
    "all less the frozen ones": ("cr", (f"{_FROZEN}    print(a - t, a)",)),
    "shares alone": ("cpr", (f"{_COUNTED}    print(100 * t / a)",)),
    "parameters that it makes trainable itself": (
        "pr",
        (
            f"{_START}{_LOOP}        p.requires_grad = True\n"
            "        if p.requires_grad:\n            t += p.numel()\n    print(t, a)",
        ),
    ),
    "arrays, not their values": (
        "pir",
        (
            f"{_START}    for p in model.parameters():\n        a += 1\n"
            "        if p.requires_grad:\n            t += 1\n    print(t, a)",
        ),
    ),
    "nothing": ("imr", ("def print_trainable_parameters(model):\n    print('done')",)),
    "what another function counts": (
        "cr",
        (
            "def print_trainable_parameters(model):\n    print(count(model))",
            f"{_COUNTED}    return t, a".replace("print_trainable_parameters", "count"),
        ),
    ),
    "in a function of another name": (
        "cr",
        (f"{_COUNTED}    print(t, a)".replace("print_trainable_parameters", "show"),),
    ),
    "a later definition that is wrong": ("pr", (f"{_COUNTED}    print(t, a)", f"{_FROZEN}    print(t, a)")),
    "a later definition that is right": ("c", (f"{_FROZEN}    print(t, a)", f"{_COUNTED}    print(t, a)")),
    "in a cell": (
        "cr",
        (
            "t = sum(p.numel() for p in model.parameters() if p.requires_grad)\n"
            "a = sum(p.numel() for p in model.parameters())\nprint(t, a)",
        ),
    ),
    "in a cell, all": ("ir", ("print(sum(p.numel() for p in model.parameters()))",)),
    "with a gap": ("mr", ("def print_trainable_parameters(model):\n    t = # fill me\n    print(t)",)),
    "with a gap beside a right one": (
        "cr",
        (f"{_COUNTED}    print(t, a)", "def other(model):\n    t = # fill me\n    print(t)"),
    ),
    "by a library": ("cpr", ("model.print_trainable_parameters()",)),
    "never": ("mr", ("x = 1",)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_a_function_counts_is_what_it_earns(name: str) -> None:
    accepted, sources = FUNCTIONS[name]
    assert judged("t7.trainable", answer(None, [code(one) for one in sources])) in accepted
    called = [*(code(one) for one in sources), code("print_trainable_parameters(model)", "1572864 409792512")]
    assert judged("t7.trainable", answer(None, called)) in {*accepted, "c", "r"}


_RIGHT_TOTALS: Final = ("22,807,552", "22,829,056", "22.807.552", "22 829 056")
_WRONG_TOTALS: Final = ("21,758,976", "24,380,416", "22,807,551", "12,345,678")
TOTALS: Final = (
    "The total is {x}.",
    "Total: {x}",
    "In total the model has {x} parameters.",
    "We count {x} parameters.",
    "Le modèle a {x} paramètres.",
    "So there are {x} weights in all, of which 16,384,000 are embeddings.",
    "The embeddings have 16,384,000 weights; together with the rest there are {x}.",
    "16,384,000 + the rest = {x}",
    "The number of parameters is {x} (BERT has 110 million).",
    "Unlike BERT with 110,000,000 parameters, it has {x}.",
    "Answer: {x}.\n\nThe layers have 6,291,456 of them.",
    "| part | parameters |\n|---|---|\n| embeddings | 16,516,096 |\n| total | {x} |",
    "By hand: {x}.",
    "{x}",
)


@pytest.mark.parametrize("form", TOTALS)
def test_a_total_is_read_in_every_form(form: str) -> None:
    """Never wrong where it is right, never right where it is wrong."""
    for total in _RIGHT_TOTALS:
        assert judged("q1.total", answer(f"# Question 1\n\n{form.format(x=total)}\n")) in "cr"
    for total in _WRONG_TOTALS:
        assert judged("q1.total", answer(f"# Question 1\n\n{form.format(x=total)}\n")) in "pir"


_LOGS: Final = tuple(
    log
    for seed, (valid, test) in enumerate(
        (
            ([64, 81.5, 81, 80], [67.7, 79.3, 80.9, 79.9]),
            ([65.5, 80, 79, 78.5], [72.0, 78.5, 80.2, 79.5]),
            ([71, 82, 83.5, 83], [71.5, 81.6, 80.1, 79.7]),
        )
    )
    for log in run("pretrained", seed, valid, test)
)
_OF_RUNS: Final = {
    "at the best validation": (("79.3", "78.5", "80.1"), "c"),
    "at the best validation, rounded": (("79", "79", "80"), "cr"),
    "at the best validation, in another order": (("80.1", "79.3", "78.5"), "cr"),
    "at the end": (("79.9", "79.5", "79.7"), "pr"),
    "best on test": (("80.9", "80.2", "81.6"), "ir"),
    "one best on test": (("80.9", "78.5", "80.1"), "pir"),
    "one at the end": (("79.9", "78.5", "80.1"), "pir"),
    "of the first epoch": (("67.7", "72.0", "71.5"), "pir"),
    "nowhere": (("77.1", "77.2", "77.3"), "pir"),
    "best of validation": (("81.5", "80.0", "83.5"), "ir"),
    "two of three": (("79.3", "78.5"), "cpr"),
}


@pytest.mark.parametrize("name", _OF_RUNS)
def test_logs_tell_of_which_checkpoint_figures_are(name: str) -> None:
    values, accepted = _OF_RUNS[name]
    rows = "".join(f"| {seed} | {value} |\n" for seed, value in enumerate(values))
    table = f"| Seed | Test accuracy |\n|---|---|\n{rows}"
    for said in ("", CHOSEN, "We always take the last epoch.", "We take the epoch with the best test accuracy."):
        letter = judged("t3.selection", answer(task(3, said, table), logs=_LOGS))
        assert letter in accepted or said not in ("", CHOSEN), said
    mean = sum(map(float, values)) / len(values)
    for item in ("t3.statistics", "t3.seeds", "t3.band"):
        assert judged(item, answer(task(3, table, f"The average is {mean:.2f} %."), logs=_LOGS)) in "cpri"


@pytest.mark.parametrize(
    ("mean", "std", "accepted"),
    [
        ("79.30", "0.65", "c"),
        ("79.3", "0.7", "cr"),
        ("79.70", "0.16", "pr"),
        ("80.90", "0.57", "ir"),
        ("81.67", "1.43", "ir"),
        ("77.00", "0.50", "pir"),
        ("79.30", "0.01", "cpr"),
    ],
)
def test_logs_tell_of_which_checkpoint_an_average_is(mean: str, std: str, accepted: str) -> None:
    told = f"On test the average is {mean} % and the standard deviation {std} %."
    assert judged("t3.selection", answer(task(3, CHOSEN, told), logs=_LOGS)) in accepted
    for item in ("t3.statistics", "t3.seeds", "t3.band"):
        assert judged(item, answer(task(3, told), logs=_LOGS)) in "cpri"
