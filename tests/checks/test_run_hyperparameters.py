"""What the logged runs tell of how they were trained, and on what."""

import pytest

from grader.checks.finding import Flag, Severity
from grader.checks.hyperparameters import is_near, on_grid, run_mismatches
from grader.claims.logged import LoggedRun, LoggedValue
from grader.reading.document import Evidence
from grader.reading.log import Schedule, Setting
from tests.checks.making import concluded
from tests.claims.making import lab


def place(quote: str) -> Evidence:
    return Evidence(file="log", quote=quote)


def logged(
    seed: int = 0,
    valid: tuple[float, ...] = (64.0, 81.5, 81.0),
    test: tuple[float, ...] = (67.7, 79.3, 79.9),
    total: int | None = None,
    **told: str,
) -> LoggedRun:
    points = [
        tuple(LoggedValue(step=225 * (n + 1), value=value, evidence=place(f"{value}")) for n, value in enumerate(of))
        for of in (valid, test)
    ]
    return LoggedRun(
        name="run",
        experiment="pretrained",
        seed=seed,
        schedule=Schedule(total_updates=total, evidence=place(str(total))) if total else None,
        settings=tuple(Setting(name=k, value=v, evidence=place(f"{seed}: {k}={v}")) for k, v in told.items()),
        split="test",
        selecting=points[0],
        reported=points[1],
    )


def flags(*runs: LoggedRun) -> list[Flag]:
    return concluded(run_mismatches(runs, "pretrained", lab()))


def test_weights_that_were_not_found_are_told_but_where_random_ones_are_asked_for() -> None:
    lost = logged(restore_file="model.pt", checkpoint_not_found="model.pt")
    assert [flag.id for flag in flags(lost)] == ["hyperparameter-mismatch"]
    assert run_mismatches([lost], "random", lab()) == []


@pytest.mark.parametrize("total", [None, 1125, 1200, 1250, 3125])
def test_runs_as_the_lab_asks_raise_nothing(total: int | None) -> None:
    assert flags(logged(total=total, batch_size="8", max_epoch="5", lr="[1e-05]", restore_file="model.pt")) == []


def test_what_all_seeds_have_wrong_is_one_flag_with_all_places() -> None:
    (flag,) = flags(*(logged(seed, batch_size="32") for seed in range(3)))
    assert (flag.id, flag.severity, len(flag.evidence)) == ("hyperparameter-mismatch", Severity.WARNING, 3)
    assert "32" in flag.message
    assert "8 was asked for" in flag.message


def test_an_unusual_schedule_is_a_remark() -> None:
    (flag,) = flags(logged(total=20_000))
    assert flag.severity is Severity.INFO
    assert "20000" in flag.message


def test_weights_that_were_not_found() -> None:
    (flag,) = flags(logged(restore_file="small.pt", checkpoint_not_found="small.pt"))
    assert "small.pt were asked for but not found" in flag.message
    assert flags(logged(restore_file="checkpoint_last.pt", checkpoint_not_found="checkpoint_last.pt")) == []


def test_other_data_shows_in_the_values() -> None:
    (flag,) = flags(logged(valid=(71.3, 83.6, 85.4), test=(67.7, 79.3, 79.9)))
    assert "not possible on 200 examples" in flag.message
    assert flags(logged(task_name="mrpc"))[0].message.endswith("not on the lab's data.")


@pytest.mark.parametrize(
    ("valid", "told"),
    [
        ((71.3,), False),
        ((71.5, 83.6), False),
        ((71.3, 83.6), True),
        ((71.3, 83.6, 85.5), True),
        ((71.3, 83.6, 85.5, 86.0), False),
        ((71.3, 83.6, 85.4, 86.0, 86.5), True),
    ],
)
def test_more_than_half_of_several_impossible_accuracies_tell_of_other_data(
    valid: tuple[float, ...], *, told: bool
) -> None:
    assert bool(flags(logged(valid=valid))) is told


@pytest.mark.parametrize(
    ("value", "examples", "possible"),
    [(81.5, 200, True), (81.49999, 200, True), (81.3, 200, False), (79.35, 2000, True), (79.37, 2000, False)],
)
def test_which_accuracies_a_set_allows(value: float, examples: int, *, possible: bool) -> None:
    assert on_grid(value, examples) is possible


@pytest.mark.parametrize("total", [1023, 1125, 1237])
def test_schedules_that_are_near(total: int) -> None:
    assert is_near(total, 1125)
    assert is_near(1125, total)


@pytest.mark.parametrize("total", [1, 1022, 1238, 3125])
def test_schedules_that_are_not(total: int) -> None:
    assert not is_near(total, 1125)
    assert not is_near(1125, total)
