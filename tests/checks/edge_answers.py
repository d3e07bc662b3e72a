"""Answers at the edges of what the checks for every course tell apart, in English and French: few and many, both sides
of each bound, exchanged order, other words, and what only looks like an answer. `tests/checks/kept/edges.txt` keeps
what is made of each.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class Asked(NamedTuple):
    """Items of one question, by the ends of their ids, each with its check and options, and answers to it."""

    items: Mapping[str, tuple[str, dict[str, Any]]]
    words: tuple[str, ...]
    answers: tuple[str, ...]

    @property
    def forms(self) -> Mapping[str, str]:
        """Where the answers stand."""
        is_table = any(check == "table" for check, _ in self.items.values())
        return FORMS if is_table else {**FORMS, "in one part": IN_ONE_PART}


_LAYERS: Final = {"a": "dropout", "b": "batch normalisation", "c": "max pooling", "d": "weight decay"}
_CELLS: Final = [
    {"row": ["none", "aucun"], "column": "accuracy", "value": 94.5, "tolerance": 0.05},
    {"row": ["shifted", "décal"], "column": "accuracy", "value": 93.7, "tolerance": 0.05},
    {"row": ["rotated", "tourn"], "column": "accuracy", "value": 90.2, "tolerance": 0.05},
]
_MATRIX: Final = [
    {"row": row, "column": column, "value": value}
    for row, column, value in (("cat", "cat", 50), ("cat", "dog", 7), ("dog", "cat", 4), ("dog", "dog", 39))
]
_ERRORS: Final = [
    {"row": row, "column": column, "value": value, "tolerance": 0.005}
    for row, column, value in (
        ("linear", "train", 0.72),
        ("linear", "test", 0.81),
        ("forest", "train", 0.21),
        ("forest", "test", 0.54),
    )
]

EDGES: Final[Mapping[str, Asked]] = {
    "one option": Asked(
        {"x": ("choice", {"choices": _LAYERS, "right": ["b"], "why": {"c": "Pooling has no parameters."}})},
        ("dropout", "normal", "pool", "decay"),
        (
            "b",
            "(b).",
            "Answer: (c)",
            "B, since it keeps means and variances.",
            "C because it has no weights",
            "Batch normalisation",
            "batch-normalisation.",
            "It is batch normalisation, because the running mean is kept between batches.",
            "The layer with state is max pooling, I think.",
            "Max pooling, not batch normalisation.",
            "Not dropout. Batch normalisation.",
            "Either b or d.",
            "b, c",
            "b) Is it batch normalisation?",
            "All but b.",
            "Everything except c and d",
            "Tous sauf a, c et d.",
            "Unlike batch normalisation, max pooling has no state. So c.",
            "It is the opposite of dropout: b.",
            "a) no\nb) yes\nc) no\nd) no",
            "a: false\nb: false\nc: true\nd: false",
            "a ✗, b ✓, c ✗, d ✗",
            "a) non, b) oui, c) non, d) non",
            "a) yes\nb) yes\nc) no\nd) no",
            "a) yes\nb) no",
            "- [ ] dropout\n- [x] batch normalisation\n- [ ] max pooling\n- [ ] weight decay",
            "☐ a ☑ b ☐ c ☐ d",
            "- [x] a) dropout\n- [x] b) batch normalisation\n- [ ] c) max pooling\n- [ ] d) weight decay",
            "- [ ] a) dropout\n- [ ] b) batch normalisation\n- [ ] c) max pooling\n- [ ] d) weight decay",
            "a) dropout\nb) batch normalisation\nc) max pooling\nd) weight decay",
            "a) dropout\nb) batch normalisation\nc) max pooling\nd) weight decay\n\nI choose c.",
            "Batch normalisation (dropout: 0.71, max pooling: 0.83) is best.",
            "Batch normalisation reaches 0.91, against 0.71 for dropout.",
            "Dropout: 0.71, batch normalisation: 0.91, max pooling: 0.83, weight decay: 0.80. Batch normalisation.",
            "La normalisation par lots, b.",
            "Réponse b, parce que les moyennes sont gardées.",
            "A model with b layers is what we need.",
            "I would say that, all things considered, and after some thought about what is kept, "
            "it must be option b here.",
            "Normalisation of the batch is the one that keeps a running state between the batches of an epoch.",
            "Pooling.",
            "d. Weight decay shrinks the weights. Dropout does not.",
            "b. Dropout has no state.",
            "In our network (b) was used.\n\nThe rest is dropout.",
            "We tried dropout and max pooling with the network of the last week, and both had no state at all; what is"
            " left after that is only batch normalisation, which has a running mean and a running variance that are"
            " kept between batches and used when the model is evaluated later.",
            "none of them",
            "e",
            "All but B.",
            "Everything except A, C and D.",
            "Tous sauf A, C et D.",
            "Either B or D.",
            "Unlike B, option C has no state.",
            "Option D has no state, so it must be B.",
            "A: false\nB: true\nC: false\nD: false",
            "Réponse : B, parce que les moyennes sont gardées.",
            "Is it B?",
            "Possibly B.",
            "B is right. A, C and D have no state.",
            "C is right. A and D have no state.",
            "(A) and (D) have no state; (C) has no weights.",
            "Since A has no state, C has no weights and D only changes the loss, B is left.",
            "C: 3/7, B: 5/7, A: 1/7, D: 2/7",
            "A has 0.71, B has 0.91, C has 0.83 and D has 0.80, so B.",
            "0.91 for B against 0.71 for A",
            "",
        ),
    ),
    "several options": Asked(
        {"x": ("choice", {"choices": _LAYERS, "right": ["a", "d"], "mixed": "partial", "contrary": ["worst"]})},
        ("dropout", "normal", "pool", "decay"),
        (
            "a, d",
            "d and a",
            "(a), (d)",
            "a",
            "d)",
            "a, b, d",
            "a, b",
            "a, b, c, d",
            "a, b, c",
            "b, c",
            "Dropout and weight decay.",
            "Dropout, batch normalisation and weight decay.",
            "Both dropout and weight decay regularise, b and c do not.",
            "The worst are a and d.",
            "a) yes b) no c) no d) yes",
            "- [x] a\n- [ ] b\n- [ ] c\n- [x] d",
            "- [x] a\n- [x] b\n- [ ] c\n- [x] d",
            "All except b and c.",
            "le dropout et la décroissance des poids (a et d)",
            "a ou d",
            "A and D, not B.",
            "A, D and C, because of the noise",
            "A. D.",
            "A\nD",
            "A and D because B and C do something else.",
            "dropout; weight decay; max pooling",
        ),
    ),
    "two numbers": Asked(
        {
            "mean": ("numeric-answer", {"value": 12.4, "tolerance": 0.05, "words": ["mean", "average", "moyenne"]}),
            "sd": (
                "numeric-answer",
                {
                    "value": 3.1,
                    "tolerance": 0.05,
                    "words": ["standard deviation", "sd", "écart"],
                    "wrong": [{"value": 9.61, "why": "This is the variance.", "share": 0.5}],
                    "not_of": ["train"],
                },
            ),
        },
        ("mean", "deviation"),
        (
            "The mean is 12.4 and the standard deviation is 3.1.",
            "The standard deviation is 3.1 and the mean is 12.4.",
            "mean = 12.4, sd = 3.1",
            "sd = 12.4, mean = 3.1",
            "The mean and the standard deviation are 12.4 and 3.1, respectively.",
            "The mean and the standard deviation are 3.1 and 12.4, respectively.",
            "La moyenne est de 12,4 et l'écart-type de 3,1.",
            "| quantity | value |\n|---|---|\n| mean | 12.4 |\n| standard deviation | 3.1 |",
            "| mean | standard deviation |\n|---|---|\n| 12.4 | 9.61 |",
            "| part | mean | sd |\n|---|---|---|\n| train | 12.4 | 2.2 |\n| test | 12.4 | 3.1 |",
            "On the training part the sd is 2.2; on the test part it is 3.1. The mean is 12.4.",
            "mean = (10 + 12 + 15.2)/3 = 12.4\n\nsd = sqrt(9.61) = 3.1",
            "mean = (10 + 12 + 15.2)/3 = 12.9\n\nsd = 9.61",
            "12.4 is the mean; 3.1 the standard deviation.",
            "We get 12.4 for the mean (3.1 for the sd).",
            "The mean is about 12.4, or 12.9 if the outlier is kept. The sd is 3.1.",
            "The mean is 12.44. The sd is 3.14.",
            "The mean is 12.46. The sd is 3.16.",
            "The mean is 12. The sd is 3.",
            "The mean is not 12.4. The sd should be 3.1.",
            "The mean is 12.4 (n = 10 patients), the sd 3.1 (n = 10 patients).",
            "mean: 124; sd: 31",
            "mean: -12.4; sd: -3.1",
            "mean is twelve",
            "12.4 ± 3.1",
            "12.4\n3.1",
            "The mean of 10 and 14.8 is 12.4. Its sd, 3.1, is small.",
            "The mean is 11.2 and the sd is 2.8.",
            "The mean was 11.2, later 12.4.",
            "",
        ),
    ),
    "a share": Asked(
        {
            "x": (
                "numeric-answer",
                {
                    "value": 0.625,
                    "also": [62.5],
                    "words": ["recall", "rappel"],
                    "forms": ["decimal", "percent", "fraction"],
                },
            )
        },
        ("recall", "rappel"),
        (
            "recall = 10/16 = 0.625",
            "Recall: 62.5 %",
            "The recall is 10 of 16.",
            "Le rappel vaut 62,5 %.",
            "The recall is 62.5.",
            "The recall is 0.63.",
            "The recall is 0.62.",
            "The recall is 0.6.",
            "The recall is 6.25.",
            "The recall is 0.375.",
            "p = 10/16 = 0.625 is the recall.",
            "For the recall we count p = 10/16 = 0.625 and q = 6/16 = 0.375.",
            "The recall is 5/8.",
            "The recall is 0.625 (0.71 with the other threshold).",
            "The recall is 0.71 (0.625 with the other threshold).",
            "recall 0.625, precision 0.71",
            "Of 16 cats 10 are found, which is a recall of 0.625.",
            "Of 16 cats 10 are found.",
            "0.625",
            "0.4",
            "Is the recall 0.625?",
        ),
    ),
    "a whole number": Asked(
        {
            "x": (
                "numeric-answer",
                {
                    "value": 4608,
                    "words": ["parameters", "weights", "paramètres"],
                    "wrong": [{"value": 4640, "why": "Biases are counted."}],
                },
            )
        },
        ("param", "weight"),
        (
            "3 × 3 × 16 × 32 = 4608",
            "3 · 3 · 16 · 32 = 4,608 parameters",
            "There are 4 608 weights.",
            "4608 weights in 1 layer",
            "The layer has 32 filters, 16 channels and 4608 parameters.",
            "The layer has 4640 parameters.",
            "3*3*16*32 + 32 = 4640 weights",
            "The layer has 4609 parameters.",
            "3 × 3 × 16 × 32 = 4806",
            "About 4.6k parameters.",
            "Il y a 4608 paramètres.",
            "Il y a 3 × 3 × 16 × 30 = 4320 paramètres.",
            "There are 4608 or 4640 parameters.",
            "Without biases 4608, with them 4640 parameters.",
            "4608 without the 32 biases",
            "The number of parameters is 2^9 × 9 = 4608.",
            "The answer follows from the shape of the kernel.",
        ),
    ),
    "a unit": Asked(
        {
            "x": (
                "numeric-answer",
                {"value": 25, "unit": "ms", "words": ["latency", "latence"], "unit_needed": True, "relative": 0.02},
            )
        },
        ("laten",),
        (
            "The latency is 25 ms.",
            "The latency is 0.025 s.",
            "latency = 25000 µs",
            "The latency is 25.",
            "The latency is 25 s.",
            "The latency is 25 %.",
            "The latency is 24.6 ms.",
            "The latency is 24.4 ms.",
            "The latency is 25.4 ms.",
            "The latency is 25.6 ms.",
            "La latence est de 25 ms.",
            "latency: 40 requests per s",
        ),
    ),
    "one column": Asked(
        {"x": ("table", {"cells": _CELLS, "not_of": ["train"]})},
        ("accura",),
        (
            "| augmentation | accuracy |\n|---|---|\n| none | 94.5 |\n| shifted | 93.7 |\n| rotated | 90.2 |",
            "| augmentation | accuracy |\n|---|---|\n| rotated | 90.2 |\n| none | 94.5 |\n| shifted | 93.7 |",
            "| | none | shifted | rotated |\n|---|---|---|---|\n| accuracy | 94.5 | 93.7 | 90.2 |",
            "| none | shifted | rotated |\n|---|---|---|\n| 94.5 | 93.7 | 90.2 |",
            "| augmentation | accuracy |\n|---|---|\n| none | 94.5 |\n| shifted | 93.7 |\n| rotated | 80.2 |",
            "| augmentation | accuracy |\n|---|---|\n| none | 94.5 |\n| shifted | 90.2 |\n| rotated | 93.7 |",
            "| augmentation | accuracy |\n|---|---|\n| none | 4.5 |\n| shifted | 3.7 |\n| rotated | 0.2 |",
            "| augmentation | accuracy |\n|---|---|\n| none | 94.54 |\n| shifted | 93.66 |\n| rotated | 90 |",
            "| augmentation | accuracy |\n|---|---|\n| none | 0.945 |\n| shifted | 0.937 |\n| rotated | 0.902 |",
            "| augmentation | accuracy |\n|---|---|\n| none | 94.5 |\n| shifted | 93.7 |\n| turned | 90.2 |",
            "| augmentation | accuracy |\n|---|---|\n| A | 94.5 |\n| B | 93.7 |\n| C | 90.2 |",
            "| augmentation | accuracy |\n|---|---|\n| A | 94.5 |\n| B | 90.2 |\n| C | 93.7 |",
            "| augmentation | accuracy |\n|---|---|\n| none | 94.5 |\n| shifted | 93.7 |",
            "| augmentation | train accuracy | accuracy |\n|---|---|---|\n| none | 99 | 94.5 |\n| "
            "shifted | 98 | 93.7 |\n| rotated | 97 | 90.2 |",
            "| augmentation | train accuracy |\n|---|---|\n| none | 94.5 |\n| shifted | 93.7 |\n| rotated | 90.2 |",
            "none: 94.5, shifted: 93.7, rotated: 90.2",
            "Without augmentation (none) it is 94.5, shifted images give 93.7 and rotated ones 90.2.",
            "94.5 for none, 93.7 for shifted, 90.2 for rotated",
            "We get 94.5, 93.7 and 90.2.",
            "We get 94.5, 90.2 and 93.7.",
            "none: 94.5, shifted: 93.7, rotated: 89.2",
            "aucun : 94,5 ; décalées : 93,7 ; tournées : 90,2",
            "- none: 94.5\n- shifted: 93.7\n- rotated: 90.2",
            "In training: none 94.5, shifted 93.7, rotated 90.2.",
            "The accuracy falls with the augmentation.",
            "| augmentation | accuracy |\n|---|---|\n| none | 94.5 |\n| none | 80.1 |\n| shifted |"
            " 93.7 |\n| rotated | 90.2 |",
            "| augmentation | accuracy |\n|---|---|\n| none | 80.1 |\n| none | 70.1 |\n| shifted |"
            " 93.7 |\n| rotated | 90.2 |",
            "| augmentation | accuracy |\n|---|---|\n| none | 94.5 ± 0.3 |\n| shifted | 93.7 ± 0.2 |\n| rotated | – |",
        ),
    ),
    "measured": Asked(
        {
            "x": (
                "table",
                {
                    "cells": [
                        {"row": "short", "column": "g", "between": [9.5, 10.1]},
                        {"row": "long", "column": "g", "between": [9.7, 9.9]},
                    ]
                },
            )
        },
        ("pendulum",),
        (
            "| pendulum | g |\n|---|---|\n| short | 9.8 |\n| long | 9.8 |",
            "| pendulum | g |\n|---|---|\n| short | 9.5 |\n| long | 9.9 |",
            "| pendulum | g |\n|---|---|\n| short | 9.4 |\n| long | 9.8 |",
            "| pendulum | g |\n|---|---|\n| short | 10.1 |\n| long | 10.0 |",
            "| pendulum | g |\n|---|---|\n| short | 10.2 |\n| long | 9.6 |",
            "| pendulum | g |\n|---|---|\n| short | 9.8 |",
            "short: 9.8, long: 9.75",
            "short: 9.8, long: 9.65",
            "We found 9.8 and 9.7.",
        ),
    ),
    "a matrix": Asked(
        {"x": ("table", {"cells": _MATRIX, "rows_are": ["true", "vrai"], "columns_are": ["predicted", "prédi"]})},
        ("cat", "dog"),
        (
            "| true \\ predicted | cat | dog |\n|---|---|---|\n| cat | 50 | 7 |\n| dog | 4 | 39 |",
            "| predicted \\ true | cat | dog |\n|---|---|---|\n| cat | 50 | 4 |\n| dog | 7 | 39 |",
            "| | cat | dog |\n|---|---|---|\n| cat | 50 | 7 |\n| dog | 4 | 39 |",
            "| | cat | dog |\n|---|---|---|\n| cat | 50 | 4 |\n| dog | 7 | 39 |",
            "| | cat | dog |\n|---|---|---|\n| cat | 50 | 4 |\n| dog | 7 | 39 |\n\nRows are the predicted classes.",
            "| | cat | dog |\n|---|---|---|\n| cat | 50 | 4 |\n| dog | 7 | 39 |\n\nRows are true "
            "and rows are predicted.",
            "| | predicted cat | predicted dog |\n|---|---|---|\n| true cat | 50 | 7 |\n| true dog | 4 | 39 |",
            "| | cat | dog |\n|---|---|---|\n| cat | 50 | 8 |\n| dog | 4 | 38 |",
            "[[50, 7], [4, 39]]",
            "[[50, 4], [7, 39]]",
            "[[50, 4], [7, 39]], with the predicted class in the rows and the true one in the columns",
            "[[39, 4], [7, 50]]",
            "[[50, 7], [4, 38]]",
            "[[50, 7, 4, 39]]",
            "[[1, 2], [3, 4]]",
            "Les lignes sont les classes prédites.\n\n| | chat | chien |\n|---|---|---|\n| cat | "
            "50 | 4 |\n| dog | 7 | 39 |",
        ),
    ),
    "two columns": Asked(
        {"x": ("table", {"cells": _ERRORS})},
        ("error", "rmse"),
        (
            "| | train | test |\n|---|---|---|\n| linear | 0.72 | 0.81 |\n| forest | 0.21 | 0.54 |",
            "| | linear | forest |\n|---|---|---|\n| train | 0.72 | 0.21 |\n| test | 0.81 | 0.54 |",
            "| | test | train |\n|---|---|---|\n| linear | 0.81 | 0.72 |\n| forest | 0.54 | 0.21 |",
            "| | train | test |\n|---|---|---|\n| linear | 0.81 | 0.72 |\n| forest | 0.54 | 0.21 |",
            "| | train | test |\n|---|---|---|\n| linear | 0.72 | 0.81 |\n| trees | 0.21 | 0.54 |",
            "| | train | test |\n|---|---|---|\n| linear | 0.72 | 0.81 |\n| forest | 0.21 | |",
            "The linear model has 0.72 in train and 0.81 in test; the forest 0.21 in train and 0.54 in test.",
            "linear: train 0.72, test 0.81\nforest: train 0.21, test 0.55",
            "| | train | test |\n|---|---|---|\n| linear | 0.72 | 0.81 |\n| forest | 0.21 | 0.54 |"
            "\n\nBefore:\n\n| | train | test |\n|---|---|---|\n| linear | 0.9 | 0.9 |\n| forest | "
            "0.9 | 0.9 |",
        ),
    ),
    "words": Asked(
        {
            "said": ("contains", {"must": [["overfit", "surapprent"], ["validation"]], "must_not": ["underfit"]}),
            "section": ("section-present", {"heading": ["limit"], "least_words": 4, "most_words": 8}),
            "figure": ("figure-present", {"words": ["loss", "perte"], "shows": [["train"], ["valid"]]}),
        },
        ("overfit", "loss"),
        (
            "It overfits on validation data.",
            "It does not overfit on validation data.",
            "It overfits on validation data and underfits elsewhere.",
            "It overfits.",
            "Il y a surapprentissage, vu la validation.",
            "## Limits\n\none two three",
            "## Limits\n\none two three four",
            "## Limits\n\none two three four five six seven eight",
            "## Limits\n\none two three four five six seven eight nine",
            "## Limits\n\n## Other\n\nwords words words words",
            "## Limits\n\none two\n\n### Data\n\nthree four five\n\n## Other\n\nmany many many many many many",
            "![](a.png)\n\nFigure 1: loss in training and validation",
            "![](a.png)\n\nFigure 1: loss in training",
            "![](a.png)\n\nFigure 1: loss",
            "![](a.png)\n\nFigure 1: accuracy",
            "The loss falls:\n\n![](a.png)",
            "![perte](a.png)",
            "![loss](a.png)\n\n![accuracy](b.png)",
            "The loss is shown in the figure.",
            "",
        ),
    ),
    "two figures": Asked(
        {"x": ("figure-present", {"words": ["loss"], "least": 2})},
        ("loss",),
        (
            "![loss](a.png)",
            "![loss](a.png)\n\n![loss of the second run](b.png)",
            "![loss](a.png)\n\n![accuracy](b.png)",
            "![loss](a.png)\n\n![loss](b.png)\n\n![loss](c.png)",
        ),
    ),
}


_EXPLANATION: Final = (
    "We first thought about what the question asks for and read the notes of the lecture again. Our notebook holds all "
    "steps with a comment for each of them, and whoever runs it from top to bottom sees the same as we did. The first "
    "try went wrong, since the data were not shuffled, and after this was mended everything looked as expected."
)
IN_A_NOTEBOOK: Final = "## Problem 1\n\n{0}\n"
"""In a cell of text."""

FORMS: Final = {
    "alone": "# Problem 1\n\n{0}\n",
    "in a notebook": IN_A_NOTEBOOK,
    "explained": f"# Problem 1\n\n{_EXPLANATION}\n\n{{0}}\n\n# Problem 2\n\nYes.\n",
}
"""Where an answer stands."""

IN_ONE_PART: Final = "# Problems 1 and 2\n\n{0}\n"
"""With the answer to another question: an answer that names nothing may be to that one."""

BESIDE: Final = (
    {
        "id": "p2",
        "title": "Another one",
        "labels": ["problem 2"],
        "words": ["shuffle", "epoch"],
        "items": [
            {
                "id": "p2.x",
                "title": "Epochs",
                "points": "1",
                "check": "numeric-answer",
                "options": {"value": 17, "words": ["epoch", "number"]},
            },
            {
                "id": "p2.y",
                "title": "Shuffled",
                "points": "1",
                "check": "choice",
                "options": {"choices": {"a": "yes", "b": "no"}, "right": ["a"]},
            },
        ],
    },
)
"""Another question of the lab."""


class Printed(NamedTuple):
    """Options of a check of what code printed, and cells, each with what it printed."""

    options: dict[str, Any]
    cells: tuple[tuple[tuple[str, str], ...], ...]


PRINTED_EDGES: Final = Printed(
    {
        "value": 0.512,
        "tolerance": 0.005,
        "label": ["test rmse", "rmse"],
        "not_of": ["train"],
        "wrong": [
            {"value": 0.262, "why": "This is the MSE."},
            {"value": 0.9, "why": "It was not trained.", "share": 0.2},
        ],
    },
    (
        (("print('RMSE', r)", "RMSE 0.517"),),
        (("print('RMSE', r)", "RMSE 0.518"),),
        (("print('RMSE', r)", "RMSE 0.507"),),
        (("print('RMSE', r)", "RMSE 0.506"),),
        (("print('RMSE', r)", "RMSE 0.262"),),
        (("print('RMSE', r)", "RMSE 0.9"),),
        (("print('RMSE', r)", "RMSE 0.5"),),
        (("print('RMSE', r)", "RMSE -0.512"),),
        (("print('RMSE', r)", "RMSE 51.2 %"),),
        (("print('train RMSE', r)\nprint('RMSE', s)", "train RMSE 0.3\nRMSE 0.512"),),
        (("print('train RMSE', r)", "train RMSE 0.512"),),
        (("print('RMSE', r)", "RMSE 0.9"), ("print('RMSE', r)", "RMSE 0.512")),
        (("print('RMSE', r)", "RMSE 0.512"), ("print('RMSE', r)", "RMSE 0.9")),
        (("print('RMSE', r)", "RMSE 0.512"), ("print('test RMSE', r)", "test RMSE 0.7")),
        (("print('RMSE:'); print(r)", "RMSE:\n0.512"),),
        (("print('RMSE:'); print(r)", "RMSE:\n\n0.512"),),
        (("rmse = f()\nrmse", "0.5121"),),
        (("print(rmse)", "0.5121"),),
        (("print(rmse, mae)", "0.4 0.512"),),
        (("print(r)", "0.512"),),
        (("print('RMSE', 0.512)", "RMSE 0.512"),),
        (("print('RMSE', r)", ""),),
        (("print('RMSE', r, 'of fold', 3)", "RMSE 0.512 of fold 3"),),
    ),
)
