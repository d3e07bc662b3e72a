"""Short reports of the shipped lab's three experiments, at the edges of what its checks tell apart: how many runs, of
which split, what follows from them and by how much it misses, by what a checkpoint was chosen, what the logs show, and
how two experiments compare. `tests/checks/kept/edge_reports.txt` keeps what is made of each.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from grader.reading.log import Log
from tests.checks.experiments import (
    BOTH,
    CHOSEN,
    ON_VALID_GRID,
    RANDOM,
    RANDOM_STATISTICS,
    SEEDS,
    STATISTICS,
    VALID_ONLY,
    task,
)
from tests.checks.making import run


class Report(NamedTuple):
    """The text of a report, and the logs handed in with it."""

    text: str
    logs: Sequence[Log] = ()


def _seeds(*values: str, split: str = "Test accuracy") -> str:
    rows = "".join(f"| {seed} | {value} |\n" for seed, value in enumerate(values))
    return f"| Seed | {split} |\n|---|---|\n{rows}"


def _both(*rows: tuple[str, str]) -> str:
    told = "".join(f"| {seed} | {valid} | {test} |\n" for seed, (valid, test) in enumerate(rows))
    return f"| Seed | Valid | Test |\n|---|---|---|\n{told}"


def _said(mean: str, std: str, of: str = "On the test set") -> str:
    return f"{of} the average is {mean} and the standard deviation {std}.\n"


_LOGS: Final = tuple(
    chain(
        run("pretrained", 0, [64, 81.5, 81], [67.7, 79.3, 79.9]),
        run("pretrained", 1, [65.5, 80, 79], [72.0, 78.5, 79.5]),
        run("pretrained", 2, [71, 82, 83.5], [71.5, 79.6, 80.1]),
    )
)
_TIED: Final = tuple(
    chain(
        run("pretrained", 0, [81.5, 81.5, 80], [78.9, 79.3, 79.9]),
        run("pretrained", 1, [65.5, 80, 79], [72.0, 78.5, 79.5]),
        run("pretrained", 2, [71, 82, 83.5], [71.5, 79.6, 80.1]),
    )
)
_LAST_IS_BEST: Final = tuple(
    chain(
        run("pretrained", 0, [64, 81, 81.5], [67.7, 79.9, 79.3]),
        run("pretrained", 1, [65.5, 79, 80], [72.0, 79.5, 78.5]),
        run("pretrained", 2, [71, 82, 83.5], [71.5, 79.6, 80.1]),
    )
)
_LAST: Final = _seeds("79.9", "79.5", "80.1")
_T4: Final = task(4, RANDOM, RANDOM_STATISTICS)
_T3: Final = task(3, CHOSEN, SEEDS, STATISTICS)
_FRENCH: Final = "| Graine | Exactitude (test) |\n|---|---|\n| 0 | 79,30 % |\n| 1 | 78,50 % |\n| 2 | 80,10 % |\n"


def _chosen(*sentences: str) -> dict[str, Report]:
    return {f"chosen: {one[:60]}": Report(task(3, SEEDS, STATISTICS, one)) for one in sentences}


def _compared(*sentences: str) -> dict[str, Report]:
    return {f"compared: {one[:60]}": Report(f"{_T3}\n\n{_T4}\n\n{one}\n") for one in sentences}


def _stated(*pairs: tuple[str, str]) -> dict[str, Report]:
    return {f"stated: {one} and {other}": Report(task(3, CHOSEN, SEEDS, _said(one, other))) for one, other in pairs}


def _alone(*pairs: tuple[str, str]) -> dict[str, Report]:
    return {f"alone: {one} and {other}": Report(task(3, CHOSEN, _said(one, other))) for one, other in pairs}


REPORTS: Final[Mapping[str, Report]] = {
    "three said, and fewer further below": Report(
        task(
            3,
            CHOSEN,
            "Over three seeds we get a test accuracy of 79.30 ± 0.65 %.\n\n"
            "The machine was slow, and each epoch took a quarter of an hour.\n\nWe used the script of the lab."
            "\n\nIn the end there was little time; the pretrained model was run with seed 0 only.\n\nThat is all.",
        )
    ),
    "values and an average that is one of them": Report(
        task(3, CHOSEN, _seeds("79.3", "78.5"), "Test: 79.0, 79.3, 78.5")
    ),
    "finer values than are printed": Report(
        task(
            3,
            CHOSEN,
            _seeds("81.5", "80.0", "83.5"),
            task(5, _seeds("80.35", "79.9", "79.85")),
            task(4, _seeds("65.45", "66.7", "67.4")),
        )
    ),
    "nothing": Report(task(3)),
    "no matter": Report(task(3, "We did not have the time for this task, sorry about that one.")),
    "a picture": Report(task(3, "![](curves.png)")),
    "see the notebook": Report(task(3, "The results are in the notebook, see Figure 2.")),
    "one seed": Report(task(3, CHOSEN, _seeds("79.3"))),
    "two seeds": Report(task(3, CHOSEN, _seeds("79.3", "78.5"), _said("78.90 %", "0.40 %"))),
    "three seeds": Report(task(3, CHOSEN, SEEDS)),
    "four seeds": Report(task(3, CHOSEN, _seeds("79.3", "78.5", "80.1", "79.7"))),
    "all": Report(_T3),
    "as shares": Report(task(3, CHOSEN, _seeds("0.793", "0.785", "0.801"), _said("0.793", "0.0065"))),
    "in French": Report(
        task(
            3,
            _FRENCH,
            "On garde le point de contrôle de meilleure exactitude de validation.\n",
            "La moyenne sur le test est de 79,30 % et l'écart-type de 0,65 %.",
        )
    ),
    "in French, cut": Report(task(3, _FRENCH, "Moyenne : 79,3 % ; écart type : 0,6 %.")),
    "both splits": Report(task(3, CHOSEN, BOTH, STATISTICS)),
    "both splits, average of the other": Report(task(3, CHOSEN, BOTH, _said("81.67 %", "1.43 %"))),
    "both splits, average said of the other": Report(
        task(3, CHOSEN, BOTH, _said("81.67 %", "1.43 %", "On the validation set"))
    ),
    "only validation": Report(task(3, CHOSEN, VALID_ONLY, _said("81.67 %", "1.43 %", "On the validation set"))),
    "values on the grid of validation": Report(task(3, CHOSEN, ON_VALID_GRID)),
    "values on the grid of validation, average": Report(task(3, CHOSEN, ON_VALID_GRID, _said("81.67 %", "1.43 %"))),
    "one value off the grid": Report(task(3, CHOSEN, _seeds("81.5", "80.05", "83.5"))),
    "on the grid in all experiments": Report(
        f"{task(3, ON_VALID_GRID)}\n\n{task(4, _seeds('63.5', '64.0', '62.5'))}\n\n"
        f"{task(5, _seeds('82.5', '82.0', '81.5'))}"
    ),
    "on the grid in one experiment": Report(
        f"{task(3, ON_VALID_GRID)}\n\n{_T4}\n\n{task(5, _seeds('80.35', '79.9', '79.85'))}"
    ),
    "the same values for both splits": Report(task(3, CHOSEN, _both(("81.5", "81.5"), ("80", "80"), ("83.5", "83.5")))),
    "almost the same values for both splits": Report(
        task(3, CHOSEN, _both(("81.5", "81.5"), ("80", "80"), ("83.5", "83")))
    ),
    "the same values for both, off the grid": Report(
        task(3, CHOSEN, _both(("79.35", "79.35"), ("80.05", "80.05"), ("81.15", "81.15")))
    ),
    "validation values, average called test": Report(task(3, CHOSEN, VALID_ONLY, _said("81.67 %", "1.43 %"))),
    "validation values, other average called test": Report(task(3, CHOSEN, VALID_ONLY, _said("79.30 %", "0.65 %"))),
    "validation values, average without deviation": Report(
        task(3, CHOSEN, VALID_ONLY, "On the test set the average is 81.67 %.")
    ),
    "the same figure for each seed": Report(task(3, CHOSEN, _seeds("79.3", "79.3", "79.3"))),
    "only an average": Report(task(3, CHOSEN, SEEDS, "On the test set the average is 79.30 %.")),
    "only a deviation": Report(task(3, CHOSEN, SEEDS, "The standard deviation is 0.65 %.")),
    "an average that is none": Report(task(3, CHOSEN, SEEDS, "On the test set the average is 79.80 %.")),
    "an average beside nothing": Report(task(3, CHOSEN, "On the test set the average is 79.30 %.")),
    "an unnamed deviation": Report(
        task(3, CHOSEN, SEEDS, "On the test set the average is 79.30 %, and we note 0.65 as well.")
    ),
    "plus-minus": Report(task(3, CHOSEN, SEEDS, "Test: 79.30 ± 0.65")),
    "plus-minus, three seeds said": Report(
        task(3, CHOSEN, "Over three seeds we get a test accuracy of 79.30 ± 0.65 %.")
    ),
    "plus-minus, two seeds said": Report(task(3, CHOSEN, "Over two seeds we get a test accuracy of 79.30 ± 0.65 %.")),
    "plus-minus, seeds named": Report(task(3, CHOSEN, "With seeds 0, 1 and 2 the test accuracy is 79.30 ± 0.65 %.")),
    "plus-minus, three said, and fewer": Report(
        task(
            3,
            CHOSEN,
            "Over three seeds we get a test accuracy of 79.30 ± 0.65 %; the pretrained model was run with seed 0 only.",
        )
    ),
    "two averages far apart": Report(task(3, CHOSEN, SEEDS, STATISTICS, _said("66.50 %", "0.83 %"))),
    "two averages near each other": Report(task(3, CHOSEN, SEEDS, STATISTICS, _said("79.35 %", "0.65 %"))),
    "two places disagree": Report(task(3, CHOSEN, SEEDS, "With seed 1 the test accuracy is 78.9 %.")),
    "two places disagree by far": Report(task(3, CHOSEN, SEEDS, "With seed 1 the test accuracy is 68.5 %.")),
    "two places agree but for digits": Report(
        task(3, CHOSEN, _seeds("79.35", "78.55", "80.15"), "With seed 1 the test accuracy is 78.5 %.")
    ),
    "one row for two experiments": Report(f"{_T3}\n\n{task(4, SEEDS, STATISTICS)}"),
    "two rows for two experiments": Report(f"{_T3}\n\n{task(4, _seeds('79.3', '78.5', '66.0'))}"),
    "rounded values": Report(task(3, CHOSEN, _seeds("79", "79", "80"), _said("79.30 %", "0.65 %"))),
    "rounded values, far": Report(task(3, CHOSEN, _seeds("79", "79", "80"), _said("80.30 %", "0.65 %"))),
    "by epoch": Report(
        task(
            3,
            "| Epoch | Seed 0 | Seed 1 | Seed 2 | Average |\n|---|---|---|---|---|\n| 1 | 67.7 | "
            "72.0 | 71.5 | 70.4 |\n| 2 | 79.3 | 78.5 | 79.6 | 79.1 |\n",
        )
    ),
    "by epoch, a wrong average": Report(
        task(
            3,
            "| Epoch | Seed 0 | Seed 1 | Seed 2 | Average |\n|---|---|---|---|---|\n| 1 | 67.7 | "
            "72.0 | 71.5 | 70.9 |\n| 2 | 79.3 | 78.5 | 79.6 | 79.1 |\n",
        )
    ),
    "by epoch, a copied deviation": Report(
        task(
            3,
            "| Epoch | Seed 0 | Seed 1 | Seed 2 | Average | Std |\n|---|---|---|---|---|---|\n| 1 "
            "| 67.7 | 72.0 | 71.5 | 70.4 | 1.92 |\n| 2 | 79.3 | 78.5 | 79.6 | 79.1 | 1.92 |\n",
        )
    ),
    "logs alone": Report("# Task 3\n\nWe ran it.", _LOGS),
    "two logs alone": Report("# Task 3\n\nWe ran it.", _LOGS[:4]),
    "logged, at the best": Report(task(3, SEEDS, STATISTICS), _LOGS),
    "logged, at the best, other order": Report(task(3, _seeds("80.1", "79.3", "78.5"), STATISTICS), _LOGS),
    "logged, at the end": Report(task(3, _LAST, _said("79.83 %", "0.25 %")), _LOGS),
    "logged, one at the end": Report(task(3, _seeds("79.3", "79.5", "80.1")), _LOGS),
    "logged, one nowhere": Report(task(3, _seeds("79.3", "77.5", "80.1")), _LOGS),
    "logged, one elsewhere": Report(task(3, _seeds("79.3", "72.0", "80.1")), _LOGS),
    "logged, all of validation": Report(task(3, ON_VALID_GRID, _said("81.67 %", "1.43 %")), _LOGS),
    "logged, called validation": Report(task(3, BOTH, STATISTICS), _LOGS),
    "logged, another one called validation": Report(
        task(3, _both(("81", "79.3"), ("80", "78.5"), ("83.5", "80.1"))), _LOGS
    ),
    "logged, ties": Report(task(3, _seeds("78.9", "78.5", "80.1")), _TIED),
    "logged, other tie": Report(task(3, SEEDS), _TIED),
    "logged, average at the best": Report(task(3, STATISTICS), _LOGS),
    "logged, average at the end": Report(task(3, _said("79.83 %", "0.25 %")), _LOGS),
    "logged, average of the best test": Report(task(3, _said("79.83 %", "0.25 %")), _LOGS),
    "logged, average of validation": Report(task(3, _said("81.67 %", "1.43 %")), _LOGS),
    "logged, average of nothing": Report(task(3, _said("77.30 %", "0.65 %")), _LOGS),
    "logged, two seeds": Report(task(3, _seeds("79.3", "78.5")), _LOGS),
    "logged, last said and best": Report(task(3, SEEDS, "We took the last epoch of each run."), _LAST_IS_BEST),
    "logged, last said and not best": Report(task(3, _LAST, "We took the last epoch of each run."), _LOGS),
    "a fraction beside percents": Report(task(3, CHOSEN, SEEDS, _said("79.30 %", "0.0065"))),
    "a fraction beside percents, no values": Report(task(3, CHOSEN, _said("79.30 %", "0.0065"))),
    "a small deviation, no values": Report(task(3, CHOSEN, _said("79.30 %", "0.04 %"))),
    "below the band": Report(task(3, CHOSEN, _seeds("70.3", "69.55", "71.15"))),
    "above the band": Report(task(3, CHOSEN, _seeds("90.3", "89.55", "91.15"))),
    "at the edge of the band": Report(task(3, CHOSEN, _seeds("77.3", "76.55", "78.15"))),
    "Trainer": Report(task(5, _seeds("80.35", "79.9", "79.85"), _said("80.03 %", "0.22 %"))),
    "Trainer, only validation": Report(
        task(
            5,
            _seeds("82.5", "82.0", "81.5", split="Validation accuracy"),
            _said("82.00 %", "0.41 %", "On the validation set"),
        )
    ),
    "Trainer, split not said": Report(
        task(5, _seeds("82.5", "82.0", "81.5", split="Accuracy"), "Average 82.0 %, std 0.41 %.")
    ),
    "Trainer, two": Report(task(5, _seeds("80.35", "79.9"))),
    **_stated(
        ("79.3 %", "0.7 %"),
        ("79.30 %", "0.80 %"),
        ("79.30 %", "0.8 %"),
        ("79.31 %", "0.65 %"),
        ("79.29 %", "0.66 %"),
        ("79.32 %", "0.64 %"),
        ("79.3 %", "0.9 %"),
        ("79.5 %", "0.65 %"),
        ("79.5 %", "0.95 %"),
        ("0.793", "0.65 %"),
        ("79 %", "1 %"),
    ),
    **_alone(
        ("79.30 %", "0.65 %"),
        ("79.33 %", "0.65 %"),
        ("81.67 %", "1.43 %"),
        ("81.50 %", "1.47 %"),
        ("79.31 %", "0.02 %"),
        ("79.3 %", "6.5 %"),
        ("80 %", "1 %"),
        ("77.44 %", "0.65 %"),
        ("77.50 %", "0.65 %"),
        ("78.14 %", "0.65 %"),
        ("78.20 %", "0.65 %"),
        ("80.90 %", "0.65 %"),
        ("80.96 %", "0.65 %"),
        ("82.20 %", "0.65 %"),
        ("82.26 %", "0.65 %"),
        ("82.90 %", "0.65 %"),
        ("82.96 %", "0.65 %"),
    ),
    **_chosen(
        "For each seed the checkpoint with the best validation accuracy is evaluated.",
        "We keep checkpoint_best.pt.",
        "We evaluate the last checkpoint of each run.",
        "We take the epoch with the best test accuracy.",
        "The checkpoint was chosen at random.",
        "We always take epoch 3.",
        "On prend la dernière époque.",
        "On choisit l'époque dont l'exactitude de validation est la meilleure.",
        "On choisit l'époque dont l'exactitude de test est la meilleure.",
        "We select by validation accuracy, but for the figures above we report the best test accuracy.",
        "The validation accuracy is shown in the appendix.",
        "The validation set has 200 reviews.",
        "Unlike for the random model, where the last epoch was taken, validation chose the checkpoint here.",
        "For the random model the last epoch was taken.",
        "The best model on dev is then scored on test.",
    ),
    **_compared(
        "The pretrained model is better than the random one.",
        "Pretraining helps a lot.",
        "Without pretraining the accuracy drops by 12.8 points.",
        "The random model is better.",
        "Both models are about equally good.",
        "The pretrained model is 12.8 points better than the random one.",
        "The pretrained model is 2 points better than the random one.",
        "Le modèle pré-entraîné est bien meilleur.",
        "Le modèle aléatoire est moins bon de 13 points.",
        "The random model varies more than the pretrained one.",
        "79.3 against 66.5: no surprise.",
        "The random model trains as fast as the other one.",
        "Better than chance.",
        "The pretrained model is better; the random one is better, too, on short reviews.",
        "Pretrained 79.3, random 66.5.",
        "Pretrained = 79.3, random = 66.5, as expected from the small data set of book reviews.",
        "79.3 > 66.5",
        "The gap between the two is thirteen points.",
        "The gap between the two is 256 reviews.",
        "The pretrained model reaches 79.3 % and the random one 66.5 %, so pretraining pays.",
        "The pretrained model reaches 75.3 % and the random one 62.5 %, so pretraining pays.",
        "It is hard to say whether the pretrained model is better than the random one.",
        "Compared with T3, the accuracy falls from 79.3 to 66.5.",
        "The last task took longer, and while we waited for it we compared the two: the pretrained model wins clearly,"
        " which is what one expects of a model that has seen a lot of French text before it is"
        " trained on our reviews, but"
        " we did not have the time to find out how many of these reviews it would have needed "
        "to be as good as it is now.",
    ),
    **_compared(
        "79.3 vs 66.5",
        "66.5 → 79.3 with pretraining",
        "pretrained: 79.3 %, random: 66.5 %. The first one wins.",
        "Pretrained 79.3 and random 66.5, a gap of 12.8.",
        "Pretrained 79.3 and random 66.5, a gap of 14.",
        "The random one is 12.8 % below, the pretrained one has the lead.",
        "The pretrained model gives 256 more right reviews.",
        "The pretrained model gives 400 more right reviews.",
        "The random model is not better.",
        "The pretrained model is not better than the random one.",
        "Is the pretrained model better than the random one?",
        "I expected the random model to be better, but the pretrained one is.",
        "Le pré-entraînement n'apporte rien.",
        "Sans pré-entraînement, on perd treize points.",
        "The random model needs more epochs, and it stays behind by about 13 points.",
        "The random model stays behind by about 3 points.",
        "We compared the runs in TensorBoard.",
    ),
    "compared in a comment": Report(f"{_T3}\n\n{_T4}\n\n```python\n# pretrained 79.3 > random 66.5\n```\n"),
    "compared in code": Report(f"{_T3}\n\n{_T4}\n\n```python\nacc_pretrained > acc_random  # by 12.8 points\n```\n"),
    "compared in a table": Report(f"{_T3}\n\n{_T4}\n\n| | accuracy |\n|---|---|\n| pretrained - random | 12.8 |\n"),
    "compared, figures close": Report(
        f"{_T3}\n\n{task(4, _seeds('78.9', '78.2', '79.6'), _said('78.90 %', '0.57 %'))}\n\nThe"
        f" pretrained model is better."
    ),
    "compared, figures turned": Report(
        f"{task(3, RANDOM, RANDOM_STATISTICS)}\n\n{task(4, SEEDS, STATISTICS)}\n\nThe pretrained model is better."
    ),
    "compared, figures turned, said so": Report(
        f"{task(3, RANDOM, RANDOM_STATISTICS)}\n\n{task(4, SEEDS, STATISTICS)}\n\nThe random model is better."
    ),
    "compared, equal figures": Report(f"{_T3}\n\n{task(4, SEEDS, STATISTICS)}\n\nThe two models do not differ."),
    "compared, one without figures": Report(
        f"{_T3}\n\n{task(4)}\n\nThe pretrained model is better than the random one."
    ),
    "compared, other without figures": Report(
        f"{task(3)}\n\n{_T4}\n\nThe pretrained model is better than the random one."
    ),
    "compared, no figures": Report(f"{task(3)}\n\n{task(4)}\n\nThe pretrained model is better than the random one."),
    "compared, on validation": Report(
        f"{task(3, VALID_ONLY)}\n\n"
        f"{task(4, _seeds('63.5', '64.0', '62.5', split='Validation accuracy'))}\n\nThe "
        f"pretrained model is better."
    ),
    "compared, on different splits": Report(
        f"{task(3, SEEDS)}\n\n"
        f"{task(4, _seeds('63.5', '64.0', '62.5', split='Validation accuracy'))}\n\nThe "
        f"pretrained model is better."
    ),
}
