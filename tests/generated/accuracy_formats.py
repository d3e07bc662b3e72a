"""The ways in which students report the accuracies of three seeds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

CHOSEN = "For each seed we keep the checkpoint with the best validation accuracy."


@dataclass(frozen=True)
class Shown:
    """The accuracy of one seed, in percent, with the epoch of its checkpoint."""

    seed: int
    value: float
    epoch: int = 0


@dataclass(frozen=True)
class Result:
    """What is reported of one experiment. `again` is a second figure for the first seed; `valid` may be empty."""

    test: tuple[Shown, ...]
    valid: tuple[Shown, ...]
    mean: float
    std: float
    courses: tuple[tuple[int, tuple[float, ...]], ...]
    std_digits: int = 2
    again: float | None = None


@dataclass(frozen=True)
class Format:
    """A way to write a result, and whether it gives the accuracies of single seeds."""

    write: Callable[[str, Result, Random], str]
    shows_seeds: bool = True


def _table(header: str, *rows: str) -> str:
    return "\n".join([f"| {header} |", "|" + "---|" * (header.count("|") + 1), *(f"| {row} |" for row in rows)])


def _number(value: float) -> str:
    return f"{value:.2f}" if round(value * 10) != round(value * 10, 6) else f"{value:.1f}"


def _std(result: Result) -> str:
    return f"{result.std:.{result.std_digits}f}"


def _again(result: Result) -> str:
    if result.again is None:
        return ""
    return f"\n\nOn the test set seed {result.test[0].seed} reaches {_number(result.again)}%."


def _mean(result: Result) -> str:
    return f"{result.mean:.2f}"


def _rows(_: str, r: Result, random: Random) -> str:
    rows = [f"{one.seed} | {_number(one.value)}" for one in r.test]
    stated = [f"Mean | {_mean(r)}", f"{random.choice(('Std', 'Standard deviation', 'σ'))} | {_std(r)}"]
    return f"{CHOSEN}\n\n{_table('Seed | Test accuracy (%)', *rows, *stated)}{_again(r)}"


def _columns(_: str, r: Result, random: Random) -> str:
    header = " | ".join(f"Seed {one.seed}" for one in r.test)
    values = " | ".join(f"{_number(one.value)}%" for one in r.test)
    table = _table(f" | {header} | Mean | Std", f"Test | {values} | {_mean(r)}% | {_std(r)}%")
    return f"{CHOSEN}\n\n{table}{_again(r)}"


def _items(_: str, r: Result, random: Random) -> str:
    items = "\n".join(f"- Seed {one.seed}: {_number(one.value)}%" for one in r.test)
    stated = f"- Average: {_mean(r)}%\n- Standard deviation: {_std(r)}%"
    return f"{CHOSEN}\n\nTest accuracies:\n\n{items}\n{stated}{_again(r)}"


def _respectively(_: str, r: Result, random: Random) -> str:
    seeds = ", ".join(str(one.seed) for one in r.test[:-1]) + f" and {r.test[-1].seed}"
    values = ", ".join(f"{_number(one.value)}%" for one in r.test[:-1]) + f" and {_number(r.test[-1].value)}%"
    said = f"The test accuracies for seeds {seeds} are {values} respectively."
    return f"{CHOSEN} {said} The average on test is {_mean(r)}% and the standard deviation {_std(r)}%.{_again(r)}"


def _fractions(_: str, r: Result, random: Random) -> str:
    rows = [f"{one.seed} | {one.value / 100:.4f}" for one in r.test]
    std = f"{r.std / 100:.4f}" if r.std_digits == 2 else f"{r.std * 100:.2f}"
    unit = f"{r.mean / 100:.4f} and the standard deviation {std}"
    return f"{CHOSEN}\n\n{_table('Seed | Test accuracy', *rows)}\n\nThe mean on test is {unit}.{_again(r)}"


def _french(_: str, r: Result, random: Random) -> str:
    rows = [f"{one.seed} | {_number(one.value)}" for one in r.test]
    table = _table("Graine | Exactitude sur le test", *rows, f"Moyenne | {_mean(r)}", f"Écart-type | {_std(r)}")
    text = f"Pour chaque graine on choisit le checkpoint de meilleure exactitude de validation.\n\n{table}"
    return text.replace(".", ",").replace("validation,", "validation.") + _again(r)


def _epochs(_: str, r: Result, random: Random) -> str:
    rows = [f"{one.seed} | {one.epoch} | {225 * one.epoch} | {_number(one.value)}" for one in r.test]
    table = _table("Seed | Best epoch | Step | Test", *rows)
    return f"{CHOSEN}\n\n{table}\n\nOn test we obtain {_mean(r)}% ± {_std(r)}%.{_again(r)}"


def _course(_: str, r: Result, random: Random) -> str:
    seeds = " | ".join(f"Seed {seed}" for seed, _ in r.courses)
    rows = [
        f"{n + 1} | " + " | ".join(_number(values[n]) for _, values in r.courses) for n in range(len(r.courses[0][1]))
    ]
    course = f"Test accuracy by epoch:\n\n{_table(f'Epoch | {seeds}', *rows)}"
    own = _table("Seed | Test accuracy", *(f"{one.seed} | {_number(one.value)}" for one in r.test))
    stated = f"Average test accuracy: {_mean(r)} (±{_std(r)})"
    return f"{CHOSEN}\n\n{course}\n\nAt the selected checkpoints:\n\n{own}\n\n{stated}{_again(r)}"


def _both(_: str, r: Result, random: Random) -> str:
    if not r.valid:
        return _rows(_, r, random)
    rows = [f"{t.seed} | {_number(v.value)} | {_number(t.value)}" for v, t in zip(r.valid, r.test, strict=True)]
    table = _table("Seed | Valid | Test", *rows)
    return f"{CHOSEN}\n\n{table}\n\nTest: mean {_mean(r)}, std {_std(r)}.{_again(r)}"


def _inline(_: str, r: Result, random: Random) -> str:
    return f"{CHOSEN} Average accuracy on the test set = {_mean(r)}% ± {_std(r)}%."


def _latex(_: str, r: Result, random: Random) -> str:
    values = "\n".join(rf"- seed {one.seed}: ${_number(one.value)}\%$" for one in r.test)
    return f"{CHOSEN} On the test set:\n\n{values}\n\nOverall, ${_mean(r)} \\pm {_std(r)}\\%$ on test.{_again(r)}"


def _plain(_: str, r: Result, random: Random) -> str:
    return f"The average test accuracy is {_mean(r)} with a standard deviation of {_std(r)}."


def _nested(_: str, r: Result, random: Random) -> str:
    items = "\n".join(f"- Seed {one.seed}\n  - test accuracy: {_number(one.value)}%" for one in r.test)
    return f"{CHOSEN}\n\n{items}\n\nMean test accuracy: {_mean(r)}%, std: {_std(r)}%.{_again(r)}"


def _lost(_: str, r: Result, random: Random) -> str:
    lines = "\n".join(f"{one.seed} {one.epoch} {_number(one.value)}" for one in r.test)
    return f"{CHOSEN}\n\nSeed Epoch Test\n{lines}\n\nMean test accuracy: {_mean(r)}, std {_std(r)}.{_again(r)}"


def _below(_: str, r: Result, random: Random) -> str:
    table = _table("Seed | Accuracy", *(f"#{one.seed} | {_number(one.value)}" for one in r.test))
    stated = f"The mean on test is {_mean(r)} and the std {_std(r)}."
    return f"{CHOSEN}\n\n{table}\n\nTable 1: Test accuracy of each seed.\n\n{stated}{_again(r)}"


FORMATS: Mapping[str, Format] = {
    "seeds as rows": Format(_rows),
    "seeds as columns": Format(_columns),
    "list": Format(_items),
    "respectively": Format(_respectively),
    "fractions": Format(_fractions),
    "French": Format(_french),
    "with epochs and steps": Format(_epochs),
    "with a table of epochs": Format(_course),
    "with validation": Format(_both),
    "inline": Format(_inline, shows_seeds=False),
    "LaTeX": Format(_latex),
    "nested list": Format(_nested),
    "lost columns": Format(_lost),
    "caption below": Format(_below),
    "sentence": Format(_plain, shows_seeds=False),
}
