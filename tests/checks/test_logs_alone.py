"""Logs of three seeds beside a text that says nothing prove what they hold."""

from pathlib import Path

import pytest

from grader.checks.finding import Status
from grader.claims.answer import Answer, extract
from grader.intake.submission import Role, Submission
from grader.reading.formats import read
from grader.reading.log import Log
from tests.checks.making import answer, decide, run
from tests.claims.making import lab
from tests.reading.making import notebook, submitted

COURSES = {
    1: ([65.5, 69, 80, 80.5, 79.5], [71.2, 75.7, 79.4, 78.4, 79.8]),
    2: ([70.5, 74, 79, 82.5, 81.5], [70.2, 74.7, 78.1, 79.1, 78.9]),
    3: ([71, 78, 80, 81, 81.5], [71.5, 77.7, 79.4, 79.9, 80.2]),
}
LOGS = [log for seed, (valid, test) in COURSES.items() for log in run("pretrained", seed, valid, test)]
COMMAND = """!fairseq-train data/cls.books-bin --restore-file models/RoBERTa_small_fr/model.pt --arch roberta_small \\
    --optimizer adam --adam-betas "(0.9, 0.98)" --lr 1e-05 --max-update 1125 --seed {seed} --save-dir ckpt/seed{seed}"""


def printed(seed: int) -> str:
    lines = [
        f"| INFO | fairseq_cli.train | {{'seed': {seed}, 'lr': [1e-05], 'adam_betas': '(0.9, 0.98)', 'sample': 0.75}}",
        "| INFO | fairseq.trainer | Loaded checkpoint models/RoBERTa_small_fr/model.pt (epoch 35 @ 0 updates)",
    ]
    for epoch, pair in enumerate(zip(*COURSES[seed], strict=True), start=1):
        for split, value in zip(("valid", "test"), pair, strict=True):
            told = f"epoch {epoch:03d} | valid on '{split}' subset | loss 0.65 | accuracy {value}"
            lines.append(f"| INFO | {split} | {told} | num_updates {225 * epoch}")
    lines.append("| INFO | fairseq_cli.train | done training in 87.4 seconds")
    return "".join(f"2026-11-14 17:02:20 {line}\n" for line in lines)


def statuses(given: Answer, *items: str) -> list[Status]:
    return [decide(item, given)[0].status for item in items]


def test_seeds_choice_and_band_follow_from_a_notebook_of_logs(tmp_path: Path) -> None:
    cells = [
        {
            "cell_type": "code",
            "source": COMMAND.format(seed=seed),
            "outputs": [{"output_type": "stream", "text": printed(seed)}],
        }
        for seed in COURSES
    ]
    file = submitted(
        tmp_path, "lab.ipynb", notebook({"cell_type": "markdown", "source": "# Task 3"}, *cells), Role.NOTEBOOK
    )
    given = extract(read(Submission(student_id="ada", student_name="", files=(file,), sha256="")), lab())
    asked = ("t3.seeds", "t3.selection", "t3.statistics", "t3.band", "t4.seeds", "t4.comparison", "t5.statistics")
    assert statuses(given, *asked) == [
        *(
            Status.CORRECT,
            Status.PARTIAL,
            Status.MISSING,
            Status.CORRECT,
            Status.MISSING,
            Status.MISSING,
            Status.MISSING,
        )
    ]
    assert (given.results.seeds, given.results.loose) == ((), ())
    finding, flags = decide("t3.band", given)
    assert ("79.23" in str(finding.found), flags) == (True, [])


def test_the_evaluation_of_the_selected_checkpoints_alone_shows_the_choice() -> None:
    def only_best(seed: int) -> list[Log]:
        valid, test = run("pretrained", seed, *COURSES[seed])
        best = COURSES[seed][0].index(max(COURSES[seed][0]))
        (series,) = test.series
        chosen = series.model_copy(update={"steps": (225 * (best + 1),), "values": (COURSES[seed][1][best],)})
        return [valid, test.model_copy(update={"series": (chosen,)})]

    given = answer("# Task 3\n", logs=[log for seed in COURSES for log in only_best(seed)])
    assert statuses(given, "t3.selection", "t3.band") == [Status.CORRECT, Status.CORRECT]


@pytest.mark.parametrize("logs", [LOGS[:4], LOGS[::2]])
def test_two_seeds_or_validation_alone_prove_no_average(logs: list[Log]) -> None:
    assert statuses(answer("# Task 3\n", logs=logs), "t3.band") != [Status.CORRECT]


def test_of_epochs_that_tie_any_counts() -> None:
    tied = [log for seed in COURSES for log in run("pretrained", seed, [80, 82, 82], [60, 79.3, 40])]
    assert statuses(answer("# Task 3\n", logs=tied), "t3.band") == [Status.CORRECT]
