"""Which logs are of one run, and what is known of it."""

import pytest

from grader.reading.document import Evidence
from grader.reading.log import Log, LoggedText, Origin, Run, Series, Setting, Subset
from grader.reading.logs.text import logs_in_text
from grader.reading.runs import runs_of
from tests.reading.making_logs import Script, configuration, fairseq_run, namespace, rate, stamp, trainer_run

ACCURACIES = ((64.0, 67.7), (68.5, 73.9), (81.0, 79.3), (77.0, 78.9), (81.5, 79.9))
OTHERS = ((65.5, 72.0), (71.0, 76.4), (80.0, 78.5), (76.0, 78.7), (79.0, 79.5))
VALID = tuple(valid for valid, _ in ACCURACIES)
COMMAND = "fairseq-train data-bin --arch roberta_small --task sentence_prediction --criterion sentence_prediction"


def printed(
    *opening: str, accuracies: tuple[tuple[float, float], ...] = ACCURACIES, cell: int | None = 3
) -> tuple[Log, ...]:
    script = Script([stamp("fairseq_cli.train", line) for line in opening])
    fairseq_run(script, accuracies)
    return logs_in_text(script.lines, "lab.ipynb", "lab.ipynb", cell)


def events(
    folder: str,
    subset: Subset = Subset.VALID,
    values: tuple[float, ...] = VALID,
    *,
    command: str = "",
    started: float = 1.0,
    pid: int = 7,
    seed: int | None = None,
) -> Log:
    """An event file as fairseq leaves it."""
    steps = tuple(225 * n for n in range(1, len(values) + 1))
    losses = tuple(round(1.6 - value / 100, 3) for value in values)
    rates = tuple(rate(step) for step in steps)
    series = [Series(tag="accuracy", subset=subset, steps=steps, values=values)]
    series += [Series(tag="loss", subset=subset, steps=steps, values=losses)]
    series += [Series(tag="wps", subset=subset, steps=steps, values=losses)]
    series += [Series(tag="lr", subset=subset, steps=steps, values=rates)] if subset is Subset.TRAIN else []
    return Log(
        file=f"{folder}/{subset}/events.out.tfevents.{started:g}.h.{pid}.0",
        name=folder,
        seed=seed,
        series=tuple(series),
        texts=(LoggedText(tag="sys.argv/text_summary", step=0, text=command),) if command else (),
        origin=Origin(started_at=started, host="h", pid=pid),
    )


def one(*logs: Log) -> Run:
    (run,) = runs_of(logs)
    return run


def known(run: Run) -> tuple[str | None, ...]:
    return tuple(what.value if what else None for what in (run.framework, run.start, run.seed))


def test_what_event_files_tell() -> None:
    command = f"{COMMAND} --restore-file models/model.pt --seed 2 --max-update 1125"
    run = one(events("tb/a", command=command), events("tb/a", Subset.TRAIN, (1.0, 2.0, 3.0), command=command))
    assert known(run) == ("fairseq", "pretrained", "2")
    assert run.seed is not None
    assert (run.seed.evidence.tag, run.seed.evidence.quote) == ("sys.argv/text_summary", "--seed 2")
    assert run.schedule is not None
    assert run.schedule.total_updates == 1125
    assert run.problems == ()


@pytest.mark.parametrize(
    ("opening", "start"),
    [
        (["Loaded checkpoint models/model.pt (epoch 35 @ 0 updates)"], "pretrained"),
        (["Loaded checkpoint models/random_init.pt (epoch 1 @ 0 updates)"], "random"),
        (["No existing checkpoint found checkpoints/checkpoint_last.pt"], "random"),
        (["Loaded checkpoint checkpoints/checkpoint_last.pt (epoch 2 @ 450 updates)"], None),
        ([namespace(1)], "random"),
        ([namespace(1, restore_file="models/model.pt")], "pretrained"),
        ([configuration(1)], "random"),
        ([configuration(1, restore_file="models/model.pt")], "pretrained"),
        ([configuration(1, finetune_from_model="models/model.pt")], "pretrained"),
        ([configuration(1), "Loaded checkpoint checkpoints/checkpoint_last.pt (epoch 2 @ 450 updates)"], None),
        ([], None),
    ],
)
def test_the_weights_that_fairseq_began_from(opening: list[str], start: str | None) -> None:
    assert known(one(*printed(*opening)))[1] == start


def test_weights_that_were_asked_for_but_not_found_are_a_problem() -> None:
    run = one(*printed(namespace(1, restore_file="models/model.pt"), "No existing checkpoint found models/model.pt"))
    assert known(run)[1] == "random"
    assert "not found" in run.problems[0]


def test_a_folder_that_contradicts_what_happened() -> None:
    run = one(
        *printed(
            namespace(1, tensorboard_logdir="tb/pretrained_seed1"), "No existing checkpoint found x/checkpoint_last.pt"
        )
    )
    assert (run.start, run.unclear) == (None, ("start",))
    assert "not clear" in run.problems[0]


def test_the_name_of_a_notebook_says_nothing_of_its_runs() -> None:
    script = Script()
    fairseq_run(script, ACCURACIES)
    assert one(*logs_in_text(script.lines, "pretrained.ipynb", "pretrained.ipynb", 3)).start is None
    assert known(one(*logs_in_text(script.lines, "pretrained.log", "pretrained")))[1] == "pretrained"


def test_the_settings_seed_beats_the_path() -> None:
    run = one(events("tb/seed1", command=f"{COMMAND} --seed 2", seed=1))
    assert known(run)[2] == "2"
    assert run.problems == ("its path names the seed 1, its settings 2",)


def test_the_same_run_in_event_files_and_in_a_notebook_is_one() -> None:
    text = printed("Loaded checkpoint models/model.pt (epoch 35 @ 0 updates)", namespace(4))
    run = one(*text, events("tb/a"), events("tb/a", Subset.TEST, tuple(test for _, test in ACCURACIES)))
    assert (run.name, len(run.logs)) == ("tb/a", 3)
    assert known(run) == ("fairseq", "pretrained", "4")


def test_a_notebook_that_was_handed_in_twice_shows_its_runs_once() -> None:
    script = Script()
    fairseq_run(script, ACCURACIES, opening=[namespace(1)])
    logs = [log for file in ("a.ipynb", "b.ipynb") for log in logs_in_text(script.lines, file, file, 1)]
    assert len(one(*logs).logs) == 2


def test_equal_values_of_different_seeds_are_two_runs() -> None:
    logs = (*printed(namespace(1)), *printed(namespace(2), cell=4))
    assert [known(run)[2] for run in runs_of(logs)] == ["1", "2"]


def test_runs_that_wrote_to_the_same_folder_are_told_apart_by_their_values() -> None:
    logs = (
        *printed(namespace(1, save_dir="ckpt_lab")),
        *printed(namespace(2, save_dir="ckpt_lab"), accuracies=OTHERS, cell=4),
    )
    assert [known(run)[2] for run in runs_of(logs)] == ["1", "2"]


def test_processes_of_several_seeds_in_one_folder_are_several_runs() -> None:
    one_run = events("tb", command=f"{COMMAND} --seed 1", pid=1)
    other = events("tb", values=(60.0, 61.0), command=f"{COMMAND} --seed 2", pid=2, started=100.0)
    assert [known(run)[2] for run in runs_of((one_run, other))] == ["1", "2"]


def test_a_restart_is_one_run_and_its_later_file_comes_last() -> None:
    late = events("tb/a", values=(60.0, 61.0), started=100.0, pid=9)
    run = one(late, events("tb/a", started=1.0))
    assert run.logs[-1] == late
    assert "2 steps were logged again" in run.problems[0]


def test_the_trainer_and_an_evaluation_of_its_weights() -> None:
    script = Script()
    trainer_run(script, [0.7, 0.8, 0.75, 0.79, 0.785], seed=1, best=2)
    source = ["!python run_glue.py --model_name_or_path models/hf --output_dir out_1"]
    trained = logs_in_text(script.lines, "lab.ipynb", "lab.ipynb", 1, source)
    table = ["***** eval metrics *****", "  eval_accuracy = 0.7915", "  eval_samples = 2000"]
    source = ["!python run_glue.py --model_name_or_path out_1 --validation_file test.json --do_eval"]
    run = one(*trained, *logs_in_text(table, "lab.ipynb", "lab.ipynb", 2, source))
    assert known(run) == ("trainer", "pretrained", "1")
    assert run.schedule is not None
    assert (run.schedule.total_updates, run.schedule.warmup_updates) == (1125, 68)
    assert run.logs[-1].series[0].steps == (450,)


@pytest.mark.parametrize(
    ("weights", "metric", "step"),
    [
        ("ckpt/pre1/checkpoint_best.pt", "--best-checkpoint-metric accuracy --maximize-best-checkpoint-metric", 1125),
        ("/content/ckpt/pre1/checkpoint_best.pt", "--best-checkpoint-metric accuracy", 225),
        ("ckpt/pre1/checkpoint_best.pt", "", 1125),  # the least loss
        ("ckpt/pre1/checkpoint3.pt", "", 675),
        ("ckpt/pre1/checkpoint_2_450.pt", "", 450),
        ("ckpt/pre1/checkpoint_last.pt", "", 1125),
        ("ckpt/pre2/checkpoint_last.pt", "", None),
    ],
)
def test_fairseq_and_an_evaluation_of_its_weights(weights: str, metric: str, step: int | None) -> None:
    script = Script()
    fairseq_run(script, ACCURACIES)
    source = [f"!{COMMAND} --restore-file model.pt {metric} --seed 1 --save-dir ckpt/pre1"]
    trained = logs_in_text(script.lines, "lab.ipynb", "lab.ipynb", 1, source)
    said = [
        stamp("fairseq_cli.validate", f"loading model(s) from {weights}"),
        stamp("valid", " | valid on 'test2' subset | loss 0.67 | accuracy 78.4 | wps 41000"),
    ]
    runs = runs_of([*trained, *logs_in_text(said, "lab.ipynb", "lab.ipynb", 2)])
    assert len(runs) == (1 if step else 2)
    assert [log.series[0].steps for log in runs[0].logs[1:]] == ([(step,)] if step else [])


@pytest.mark.parametrize(
    ("told", "start"),
    [
        ({"model_name_or_path": "models/hf"}, "pretrained"),
        ({"config_name": "models/hf"}, "random"),
        ({"trained_from_scratch": "True"}, "random"),
        ({"model_name_or_path": "models/hf_random"}, "random"),
        ({"model_name_or_path": "models/hf", "trained_from_scratch": "True"}, None),
    ],
)
def test_the_weights_that_the_trainer_began_from(told: dict[str, str], start: str | None) -> None:
    place = Evidence(file="f", quote="q")
    settings = tuple(Setting(name=name, value=value, evidence=place) for name, value in told.items())
    series = (Series(tag="eval/accuracy", subset=Subset.VALID, steps=(1, 2), values=(0.7, 0.8)),)
    assert known(one(Log(file="f", name="out", series=series, settings=settings)))[1] == start


def test_the_subset_that_a_tag_of_the_trainer_tells() -> None:
    series = (
        Series(tag="eval/accuracy", steps=(1,), values=(0.7,)),
        Series(tag="train/loss", steps=(1,), values=(0.7,)),
    )
    run = one(Log(file="f", name="out", series=series))
    assert [one.subset for one in run.logs[0].series] == [Subset.VALID, Subset.TRAIN]


def test_an_adapter() -> None:
    series = (Series(tag="eval/accuracy", steps=(1,), values=(0.7,)),)
    setting = Setting(name="peft_type", value="PeftType.LORA", evidence=Evidence(file="f", quote="q"))
    adapter = one(Log(file="f", name="out", series=series, settings=(setting,))).adapter
    assert adapter is not None
    assert adapter.value == "lora"


def test_rates_count_for_more_than_settings() -> None:
    script = Script()
    fairseq_run(script, ACCURACIES, opening=[namespace(1, total_num_update=3125, lr_scheduler="polynomial_decay")])
    run = one(*logs_in_text(script.lines, "f", "f"))
    assert run.schedule is not None
    assert (run.schedule.total_updates, run.schedule.peak, run.schedule.warmup_updates) == (1125, 1e-5, 67)
    assert "3125" in run.problems[0]


def test_settings_tell_the_schedule_where_no_rate_was_logged() -> None:
    run = one(events("tb/a", command=f"{COMMAND} --total-num-update 1200 --lr-scheduler polynomial_decay --lr 1e-5"))
    assert run.schedule is not None
    assert (run.schedule.total_updates, run.schedule.peak) == (1200, 1e-5)
    assert one(events("tb/a", command=f"{COMMAND} --max-update 1200 --lr-scheduler fixed")).schedule is None


def test_folders_of_the_same_name_in_different_places_are_different_runs() -> None:
    """Nothing in common can be compared, for the frameworks name their values differently."""
    series = (Series(tag="eval/accuracy", subset=Subset.VALID, steps=(225, 450), values=(0.7, 0.8)),)
    trainer = Log(file="hf/seed_1/runs/Nov16/events", name="hf/seed_1/runs/Nov16", seed=1, series=series)
    assert len(runs_of((events("pretrained/seed_1", seed=1), trainer))) == 2


def test_a_state_file_joins_the_events_of_its_folder_but_two_launches_stay_apart() -> None:
    series = (Series(tag="eval/accuracy", subset=Subset.VALID, steps=(225, 450), values=(0.7, 0.8)),)
    state = Log(file="out/trainer_state.json", name="out", series=series)
    launches = [
        Log(file=f"out/runs/{day}/events", name=f"out/runs/{day}", series=(one.model_copy(update={"values": values}),))
        for day, values, one in (("Nov16", (0.7, 0.8), series[0]), ("Nov17", (0.6, 0.9), series[0]))
    ]
    assert [len(run.logs) for run in runs_of((state, launches[0]))] == [2]
    assert len(runs_of(launches)) == 2


def test_no_logs_are_no_runs() -> None:
    assert runs_of(()) == ()


def test_evaluations_of_several_weights_in_one_output_stay_apart() -> None:
    """As old versions print them, without a logger's name."""
    said: list[str] = []
    for number, accuracy in ((0, 79.9), (1, 78.5), (2, 79.0)):
        said += [f"| loading model(s) from ckpt/pre{number}/checkpoint_best.pt"]
        said += [f" | valid on 'test' subset | loss 0.67 | accuracy {accuracy}"]
    found = logs_in_text(said, "lab.ipynb", "lab.ipynb", 2)
    assert [[series.values for series in log.series if series.tag == "accuracy"] for log in found] == [
        [(79.9,)],
        [(78.5,)],
        [(79.0,)],
    ]


@pytest.mark.parametrize(("losses", "runs"), [((0.51, 0.62), 2), ((0.51, 0.51), 1)])
def test_a_second_evaluation_with_another_loss_is_of_another_run(losses: tuple[float, float], runs: int) -> None:
    said: list[str] = []
    for loss in losses:
        said += ["***** eval metrics *****", "  eval_accuracy = 0.81", f"  eval_loss = {loss}", "  eval_samples = 200"]
    assert len(logs_in_text(said, "lab.ipynb", "lab.ipynb", 2)) == runs
