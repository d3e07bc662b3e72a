"""Evaluations after training: of which weights they are, and what they say of the run."""

from pathlib import Path

import pytest

from grader.intake.submission import Role
from grader.reading.document import Evidence
from grader.reading.events import read_event_file
from grader.reading.log import Log, LoggedText, Origin, Series, Setting, Subset
from grader.reading.runs import runs_of
from reference.reruns import fairseq_logs
from reference.reruns.fairseq_logs import Scalars
from tests.reading.making import submitted

STEPS = (225, 450, 675)
ARGUMENTS = '{"load_best_model_at_end": true, "metric_for_best_model": "accuracy", "seed": 1}'


def series(tag: str, *values: float, steps: tuple[int, ...] = STEPS) -> Series:
    subset = Subset.TRAIN if tag.startswith("train") else Subset.VALID
    return Series(tag=tag, subset=subset, steps=steps[-len(values) :], values=values)


def event_file(started: float, *found: Series, texts: tuple[LoggedText, ...] = ()) -> Log:
    origin = Origin(started_at=started, host="vm", pid=1)
    return Log(file=f"hf/events.out.tfevents.{started:.0f}.vm", name="hf", series=found, texts=texts, origin=origin)


def trained(texts: tuple[LoggedText, ...] = (LoggedText(tag="args/text_summary", step=0, text=ARGUMENTS),)) -> Log:
    return event_file(
        *(
            1.0,
            series("eval/accuracy", 0.80, 0.81, 0.795),
            series("eval/loss", 0.5, 0.45, 0.6),
            series("train/loss", 3, 2, 1),
        ),
        *(series("train/learning_rate", 2e-5, 1e-5, 1e-8),),
        texts=texts,
    )


def accuracies(*logs: Log) -> list[tuple[tuple[int, ...], tuple[float, ...], Subset | None]]:
    (run,) = runs_of(logs)
    assert run.problems == ()
    return [(one.steps, one.values, one.subset) for log in run.logs for one in log.series if one.tag == "eval/accuracy"]


def test_what_is_evaluated_after_training_is_of_the_best_weights() -> None:
    later = event_file(2.0, series("eval/accuracy", 0.81), series("eval/loss", 0.45), series("eval/runtime", 0.3))
    course = (STEPS, (0.80, 0.81, 0.795), Subset.VALID)
    assert accuracies(trained(), later) == [course, ((450,), (0.81,), Subset.VALID)]
    assert accuracies(trained(()), later) == [course, ((450,), (0.81,), Subset.VALID)]


def test_other_examples_are_no_validation() -> None:
    later = event_file(2.0, series("eval/accuracy", 0.7845), series("eval/loss", 0.52))
    assert accuracies(trained(), later)[1] == ((450,), (0.7845,), None)
    timed = event_file(
        *(2.0, series("eval/accuracy", 0.7845), series("eval/runtime", 8.0), series("eval/samples_per_second", 250.0))
    )
    (run,) = runs_of((trained(), timed))
    assert ("eval_samples", "2000") in [(one.name, one.value) for log in run.logs for one in log.settings]


def test_a_command_that_evaluates_says_nothing_of_the_training_seed() -> None:
    def told(cell: int, **settings: str) -> tuple[Setting, ...]:
        place = Evidence(file="lab.ipynb", cell=cell, quote="")
        return tuple(Setting(name=name, value=value, evidence=place) for name, value in settings.items())

    course = series("eval/accuracy", 0.80, 0.81, 0.795).model_copy(update={"lines": (1, 2, 3), "cell": 1})
    final = Series(tag="eval/accuracy", subset=Subset.VALID, steps=(0,), values=(0.78,), lines=(1,), cell=2)
    training = Log(
        file="lab.ipynb",
        name="hf1",
        series=(course, series("train/loss", 3, 2, 1)),
        settings=told(1, seed="1", output_dir="hf1"),
    )
    tested = told(2, seed="42", model_name_or_path="hf1", output_dir="hf1_test", validation_file="test.json")
    (run,) = runs_of((training, Log(file="lab.ipynb", name="hf1_test", series=(final,), settings=tested)))
    assert (run.seed and run.seed.value, run.unclear) == ("1", ())


def test_a_tag_of_evaluations_alone_does_not_name_the_trainer() -> None:
    own = Log(file="runs/a/events.out.tfevents.1.vm", name="runs/a", series=(series("eval/accuracy", 0.8, 0.81, 0.82),))
    timed = own.model_copy(update={"series": (*own.series, series("eval/runtime", 1, 2, 3))})
    assert [runs_of((log,))[0].framework is None for log in (own, timed)] == [True, False]


def test_the_rate_of_the_update_just_made_ends_at_the_last_one() -> None:
    total, warmup, peak = 675, 41, 3e-3

    def rate(step: int) -> float:
        return peak * step / warmup if step < warmup else peak * (total - step) / (total - warmup)

    for shift in (0, 1):  # older Trainers log the rate of the next update
        steps = (20, *STEPS)
        rates = tuple(rate(step - shift) for step in steps)
        log = Log(
            file="hf/x",
            name="hf",
            series=(Series(tag="train/learning_rate", subset=Subset.TRAIN, steps=steps, values=rates),),
        )
        (run,) = runs_of((log,))
        assert run.schedule is not None
        assert (run.schedule.total_updates, run.schedule.warmup_updates, run.problems) == (675, 41, ())


def test_several_evaluations_of_one_process_are_told_apart(tmp_path: Path) -> None:
    def evaluated(accuracy: float, loss: float, seconds: float) -> list[Scalars]:
        values = {"eval/accuracy": accuracy, "eval/loss": loss, "eval/runtime": seconds}
        rates = {"eval/samples_per_second": 250.0, "train/epoch": 3.0}
        return [Scalars(2.0, 675, {tag: value}) for tag, value in (values | rates).items()]

    of_validation, of_test = evaluated(0.81, 0.45, 0.8), evaluated(0.7845, 0.52, 8.0)
    name = "hf/events.out.tfevents.2.vm.1.1"
    file = submitted(tmp_path, name, fairseq_logs.event_file(2.0, {}, [*of_validation, *of_test]), Role.LOG)
    (run,) = runs_of((trained(), read_event_file(file).model_copy(update={"name": "hf"})))
    assert run.problems == ()
    later = {
        next((one.value for one in log.settings if one.name == "eval_samples"), ""): [
            (one.steps, one.values) for one in log.series if one.tag == "eval/accuracy"
        ]
        for log in run.logs
        if len(log.series[0].steps) == 1
    }
    assert later == {"200": [((450,), (pytest.approx(0.81),))], "2000": [((450,), (pytest.approx(0.7845),))]}
