"""Answers to small questions of a course on statistics, one on measuring and one on image models, each with what it
is: `R`, right; `W`, wrong; `N`, no answer. They were written before the checks were, in the forms that students use. A
report is the text of a question that has a section of its own unless it begins with `#`.
"""

from typing import Any, Final, NamedTuple

R, W, N = "right", "wrong", "none"


class Case(NamedTuple):
    """A check with its options, and answers with what they are. `words` are those of the question."""

    check: str
    options: dict[str, Any]
    words: tuple[str, ...]
    answers: tuple[tuple[str, str], ...]


NUMBERS: Final = (
    Case(
        "numeric-answer",
        {"value": 0.811, "tolerance": 0.002, "words": ["entropy", "H"], "unit": "bits", "units": {"bit": 1}}
        | {"wrong": [{"value": 0.562, "why": "natural logarithms give nats"}]},
        ("entrop",),
        (
            (R, "The entropy is 0.811 bits."),
            (R, "H = 0.8113"),
            (R, "H(X) = -0.25 log2 0.25 - 0.75 log2 0.75 = 0.5 + 0.311 = 0.811 bits"),
            (R, "$H(X) = -\\sum p \\log_2 p \\approx 0.81$"),
            (R, "We have p = 1/4.\n\nSo the entropy is **0.811** bit, below the maximum of 1 bit."),
            (R, "0.811"),
            (R, "L'entropie vaut 0,811 bits."),
            (R, "H = 0.8112781"),
            (R, "Entropy: 0.81128 bits (p = 0.25)"),
            (R, "With p = 0.25 and q = 0.75, H = 0.811."),
            (R, "| quantity | value |\n| --- | --- |\n| entropy | 0.811 |"),
            (W, "The entropy is 0.562 bits."),
            (W, "H = 0.5623"),
            (W, "H(X) = -0.25 log2 0.25 = 0.5"),
            (W, "The entropy is 1.2 bits."),
            (W, "Entropy: 0.75"),
            (W, "either 0.811 or 0.562, I am not sure"),
            (W, "The entropy would be 0.811 only if the coin were not fair, but it is 1 bit."),
            (W, "H = 8.11"),
            (N, ""),
        ),
    ),
    Case(
        "numeric-answer",
        {"value": 0.375, "words": ["probability", "P"]},
        ("probab", "chance"),
        (
            (R, "3/8"),
            (R, "P = 3/8"),
            (R, "$P = \\frac{3}{8}$"),
            (R, "37.5 %"),
            (R, "The probability is 37.5%."),
            (R, "0.375"),
            (R, "P(X = 2) = 0.375"),
            (R, "P(X=2) = C(3,2) × 0.5^3 = 3 × 0.125 = 0.375"),
            (R, "Three eighths."),
            (R, "The probability of two heads is 3 out of 8, that is 0.375."),
            (R, "P = 6/16 = 3/8"),
            (R, "- 0.375"),
            (R, "La probabilité est de 37,5 %"),
            (R, "(3 choose 2) / 2^3 = 3/8 = 0.375"),
            (W, "0.25"),
            (W, "The probability is 1/8."),
            (W, "P = 2/3"),
            (W, "50 %"),
            (W, "P(X=2) = 0.5 × 0.5 = 0.25"),
            (W, "3/8 is what one would expect, but the probability is 1/2."),
        ),
    ),
    Case(
        "numeric-answer",
        {"value": 9.81, "relative": 0.02, "unit": "m/s^2", "words": ["g", "acceleration"]},
        ("accel", "gravit"),
        (
            (R, "g = 9.79 m/s²"),
            (R, "g = 9.8 m/s^2"),
            (R, "The acceleration is (9.85 ± 0.04) m/s²."),
            (R, "g = 4π²L/T² = 9.76 m/s²"),
            (R, "$g = 9.81\\,\\mathrm{m/s^2}$"),
            (R, "From the slope 4.03 s²/m we get g = 9.79 m/s²."),
            (R, "L = 1.00 m, T = 2.006 s, so g = 9.81 m/s²"),
            (R, "9.8"),
            (R, "g ≈ 981 cm/s²"),
            (W, "g = 8.9 m/s²"),
            (W, "g = 98.1 m/s²"),
            (W, "The acceleration is 10.4 m/s²."),
            (W, "g = 4.9 m/s²"),
            (W, "L = 1.00 m, T = 2.1 s, so g = 8.95 m/s²"),
            (W, "g = 0.981 m/s²"),
        ),
    ),
    Case(
        "numeric-answer",
        {"value": 0.012, "relative": 0.05, "unit": "s", "words": ["time", "tau"]},
        ("time", "tau"),
        (
            (R, "tau = 12 ms"),
            (R, "The time constant is 0.012 s."),
            (R, "tau = 1.2e-2 s"),
            (R, "τ = RC = 12 ms"),
            (R, "tau = 1.2 × 10^-2 s"),
            (R, "12000 μs"),
            (W, "tau = 12 s"),
            (W, "tau = 1.2 ms"),
            (W, "The time constant is 83 ms."),
            (W, "tau = 0.12 s"),
        ),
    ),
    Case(
        "numeric-answer",
        {"value": 1024, "words": ["features", "flatten"], "wrong": [{"value": 4096, "why": "the pooling is left out"}]},
        ("feature", "flatten"),
        (
            (R, "1,024"),
            (R, "16 × 8 × 8 = 1024"),
            (R, "The flattened layer has 1024 features."),
            (R, "After pooling the map is 8 x 8 with 16 channels, so there are 16*8*8 = 1,024 features."),
            (R, "features: 1 024"),
            (R, "We get $16 \\cdot 8 \\cdot 8 = 1024$."),
            (R, "2^10 = 1024"),
            (W, "16 × 16 × 16 = 4096"),
            (W, "The number of features is 4096."),
            (W, "512"),
            (W, "features = 16 × 8 = 128"),
            (W, "There are 1025 features."),
        ),
    ),
    Case(
        "numeric-answer",
        {"value": -1.5, "tolerance": 0.01, "words": ["slope"]},
        ("slope",),
        (
            (R, "The slope is -1.5."),
            (R, "slope = −1.50"),
            (R, "slope = (2 - 5)/(3 - 1) = -3/2"),
            (R, "slope: -3/2"),
            (W, "slope = 1.5"),
            (W, "The slope is 1.5."),
            (W, "slope = -0.67"),
            (W, "-15"),
        ),
    ),
)

CHOICE: Final = (
    Case(
        "choice",
        {
            "choices": {"a": "L1 regularisation", "b": "dropout", "c": "early stopping", "d": "data augmentation"},
            "right": ["b"],
            "why": {"a": "L1 changes the loss and not the activations"},
        },
        ("dropout", "regulari", "augment"),
        (
            (R, "b"),
            (R, "b)"),
            (R, "(b)"),
            (R, "B"),
            (R, "Answer: B"),
            (R, "The answer is b)."),
            (R, "Dropout."),
            (R, "b) dropout"),
            (R, "b) because it sets activations to zero at random"),
            (R, "It is dropout, since units are switched off at random."),
            (R, "- [ ] a) L1 regularisation\n- [x] b) dropout\n- [ ] c) early stopping\n- [ ] d) data augmentation"),
            (R, "a) L1 regularisation\nb) dropout\nc) early stopping\nd) data augmentation\n\nAnswer: b"),
            (R, "**B.**"),
            (R, "Option B"),
            (R, "Réponse : b"),
            (W, "a"),
            (W, "C)"),
            (W, "Answer: d"),
            (W, "early stopping"),
            (W, "a) L1 regularisation"),
            (W, "b or c"),
            (W, "Not b, but c."),
            (W, "- [x] a) L1 regularisation\n- [ ] b) dropout\n- [ ] c) early stopping\n- [ ] d) data augmentation"),
            (W, "I think that a model needs augmentation."),
            (W, "It is data augmentation and not dropout."),
            (N, ""),
        ),
    ),
    Case(
        "choice",
        {"choices": {"a": "precision", "b": "recall", "c": "accuracy", "d": "F1"}, "right": ["a", "d"]},
        ("precision", "recall", "accura", "f1"),
        (
            (R, "a and d"),
            (R, "a, d"),
            (R, "(a) and (d)"),
            (R, "A, D"),
            (R, "Precision and F1."),
            (R, "a) d)"),
            (R, "Answers: a, d"),
            (R, "a + d"),
            (W, "b and c"),
            (W, "c"),
            (W, "b)"),
            (W, "recall"),
            (W, "b, c"),
            (W, "Accuracy."),
            (W, "B and C"),
            (W, "all of them"),
        ),
    ),
)

CELLS = [
    {"row": "linear", "column": "RMSE", "value": 0.72, "tolerance": 0.01},
    {"row": "linear", "column": "R2", "value": 0.61, "tolerance": 0.01},
    {"row": "forest", "column": "RMSE", "value": 0.51, "tolerance": 0.01},
    {"row": "forest", "column": "R2", "value": 0.80, "tolerance": 0.01},
]
TABLES: Final = (
    Case(
        "table",
        {"cells": CELLS},
        ("rmse", "r2"),
        (
            (R, "| Model | RMSE | R2 |\n|---|---|---|\n| Linear regression | 0.72 | 0.61 |\n| Forest | 0.51 | 0.80 |"),
            (R, "| Model | R2 | RMSE |\n|---|---|---|\n| Random forest | 0.80 | 0.511 |\n| Linear | 0.612 | 0.719 |"),
            (R, "| | Linear | Forest |\n|---|---|---|\n| RMSE | 0.72 | 0.51 |\n| R2 | 0.61 | 0.80 |"),
            (R, "| Model | RMSE | R² |\n|---|---|---|\n| linear | 0,72 | 0,61 |\n| forest | 0,51 | 0,8 |"),
            (R, "| Model | RMSE | R2 |\n|---|---|---|\n| Linear | 0.72 ± 0.02 | 61 % |\n| Forest | 0.51 | 80 % |"),
            (
                R,
                "| model | RMSE test | R2 |\n|---|---|---|\n| linear | 0.7234 | 0.6091 |\n| forest | 0.5071 | 0.8 |",
            ),
            (R, "| Model | Score | RMSE | R2 |\n|-|-|-|-|\n| Linear | 1 | 0.72 | 0.61 |\n| Forest | 2 | 0.51 | 0.80 |"),
            (W, "| Model | RMSE | R2 |\n|---|---|---|\n| Linear | 0.92 | 0.31 |\n| Forest | 0.81 | 0.40 |"),
            (W, "| Model | RMSE | R2 |\n|---|---|---|\n| Linear | 1.72 | 0.11 |\n| Forest | 1.51 | 0.20 |"),
            (W, "| Model | RMSE | R2 |\n|---|---|---|\n| Linear | 0.51 | 0.80 |\n| Forest | 0.72 | 0.61 |"),
            (W, "| | Linear | Forest |\n|---|---|---|\n| RMSE | 2.72 | 2.51 |\n| R2 | 0.1 | 0.2 |"),
            (W, "We did not get the table done, as the RMSE was odd."),
            (N, ""),
        ),
    ),
)


class Run(NamedTuple):
    """An answer in a notebook: what it is, the code of a cell, and what that printed."""

    kind: str
    code: str
    output: str


PRINTED_OPTIONS: Final[dict[str, Any]] = {"value": 0.512, "tolerance": 0.005, "label": ["rmse"]}
PRINTED: Final = (
    Run(R, "print('RMSE:', rmse(y, model.predict(x)))", "RMSE: 0.5121"),
    Run(R, "print(f'test rmse = {score:.3f}')", "test rmse = 0.512"),
    Run(R, "rmse = fit()\nprint('epochs', 5)\nprint('RMSE', rmse)", "epochs 5\nRMSE 0.5098"),
    Run(R, "pd.Series(scores)", "mae     0.40\nrmse    0.51\nr2      0.80\ndtype: float64"),
    Run(
        R,
        "for k in range(3): print('fold', k, 'rmse', s[k])\nprint('RMSE mean', m)",
        "fold 0 rmse 0.50\nfold 1 rmse 0.52\nfold 2 rmse 0.514\nRMSE mean 0.512",
    ),
    Run(R, "print('root mean squared error (RMSE)', r)", "root mean squared error (RMSE) 0.514"),
    Run(R, "print('RMSE', r)", "RMSE 5.12e-01"),
    Run(R, "print({'rmse': r, 'mae': m})", "{'rmse': 0.5123, 'mae': 0.4}"),
    Run(R, "print('RMSE:')\nprint(r)", "RMSE:\n0.512"),
    Run(W, "print('RMSE:', r)", "RMSE: 0.83"),
    Run(W, "print('RMSE:', 0.512)", "RMSE: 0.512"),
    Run(W, "print('MSE', m)\nprint('RMSE', r)", "MSE 0.512\nRMSE 0.716"),
    Run(W, "print('rmse', r)", "rmse 51.2"),
    Run(W, "print({'rmse': r, 'mae': m})", "{'rmse': 0.83, 'mae': 0.512}"),
    Run(W, "print('train RMSE', a)\nprint('test RMSE', b)", "train RMSE 0.512\ntest RMSE 0.9"),
    Run(N, "x = load()", ""),
)

WORDS: Final = (
    Case(
        "contains",
        {"must": [["overfit", "over-fit", "surapprentissage"], ["validation"]], "must_not": ["underfit"]},
        ("overfit", "validation"),
        (
            (R, "The model overfits: the validation loss rises while the training loss falls."),
            (R, "Overfitting, since validation accuracy drops."),
            (R, "On VALIDATION data it is worse, so it is over-fitting."),
            (R, "Il y a surapprentissage: la perte de validation augmente."),
            (W, "The model learns well."),
            (W, "The validation loss rises, so it underfits and does not overfit."),
            (W, "There is no overfitting; the validation loss is fine."),
            (W, "It overfits."),
            (W, "Underfitting and overfitting show on validation data."),
            (N, ""),
        ),
    ),
    Case(
        "figure-present",
        {"words": ["loss", "learning curve"]},
        ("loss", "curve"),
        (
            (R, "![loss of training](a.png)"),
            (R, "![](a.png)\n\nFigure 1: Loss over the epochs."),
            (R, "![learning curves](curve.png)\n\nThe loss falls."),
            (W, "The loss falls, see the figure."),
            (W, "![a confusion matrix of the model](cm.png)"),
            (N, ""),
        ),
    ),
    Case(
        "section-present",
        {"least_words": 5},
        ("limit",),
        (
            (R, "The model was trained on one data set only, so it may fail on others."),
            (R, "- small data\n- one seed only\n- no other models"),
            (W, "None."),
            (N, ""),
        ),
    ),
)
