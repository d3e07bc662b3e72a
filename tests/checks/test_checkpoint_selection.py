import pytest

from grader.checks.checkpoint_selection import Choice, SaidChoice, said_together
from grader.checks.finding import Finding, Flag, Status
from grader.reading.document import Evidence
from grader.reading.log import Log
from grader.reading.notebook import Cell, CellKind
from tests.checks.experiments import BOTH, CHOSEN, ON_VALID_GRID, SEEDS, STATISTICS, VALID_ONLY, task
from tests.checks.making import answer, code, decide, run

LOGS = [
    *run("pretrained", 0, [64, 81.5, 81], [67.7, 79.3, 79.9]),
    *run("pretrained", 1, [65.5, 80, 79], [72.0, 78.5, 79.5]),
    *run("pretrained", 2, [71, 82, 83.5], [71.5, 79.6, 80.1]),
]


def judge(*parts: str, logs: list[Log] | None = None) -> tuple[Finding, list[Flag]]:
    return decide("t3.selection", answer(task(3, *parts), logs=logs or []))


@pytest.mark.parametrize("parts", [(CHOSEN, SEEDS), (BOTH,), (CHOSEN, STATISTICS)])
def test_a_choice_by_validation_with_test_figures_is_right(parts: tuple[str, ...]) -> None:
    finding, flags = judge(*parts)
    assert (finding.status, flags) == (Status.CORRECT, [])
    assert finding.confidence < 1


@pytest.mark.parametrize(
    "said",
    [
        "The best model on the dev set is kept.",
        "We select the epoch whose validation accuracy is highest.",
        "On choisit le checkpoint avec la meilleure exactitude de validation.",
        "The model with maximum accuracy on the validation set is evaluated.",
        "**fairseq, test acc %** (ckpt = best valid)",
        "Les résultats sur le test (on garde la meilleure époque en validation) :",
        "À la fin de chaque époque fairseq mesure l'exactitude en validation ; c'est elle qui m'a servi à choisir "
        "l'époque, et c'est seulement ensuite que j'ai mesuré le test.",
        f"{CHOSEN} On validation the mean is 81.5. That is higher than on test, but it is where we chose the epoch.",
    ],
)
def test_the_choice_is_understood_in_other_words(said: str) -> None:
    assert judge(said, SEEDS)[0].status is Status.CORRECT


LEGEND = "Table 1: Test accuracy of the checkpoint with the best validation accuracy."
TWO = "| | seed 0 | seed 1 | seed 2 |\n|---|---|---|---|\n| {} | 79.3 | 78.5 | 80.1 |\n| T4 | 66.0 | 67.0 | 66.5 |"


@pytest.mark.parametrize(
    ("table", "status"),
    [
        (f"{TWO.format('T3')}\n\n{LEGEND}", Status.CORRECT),
        (f"{LEGEND}\n\n{TWO.format('pretrained')}", Status.CORRECT),
        (f"{TWO.format('T5')}\n\n{LEGEND}", Status.PARTIAL),
    ],
)
def test_the_legend_of_a_table_below_another_question_speaks_of_its_rows(table: str, status: Status) -> None:
    assert judge(SEEDS, f"# Task 4\n\nNow random.\n\n{table}")[0].status is status


def test_logs_confirm() -> None:
    finding, flags = judge(SEEDS, logs=LOGS)
    assert (finding.status, flags, finding.confidence) == (Status.CORRECT, [], 1.0)
    assert {e.step for e in finding.evidence if e.tag} == {450, 675}


def test_logs_contradict() -> None:
    finding, flags = judge(CHOSEN, SEEDS.replace("79.3", "79.9"), logs=LOGS)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert [flag.id for flag in flags] == ["claim-contradicts-log"]
    assert "79.9" in flags[0].message
    assert "79.3" in flags[0].message


def test_any_epoch_of_a_tie_is_accepted() -> None:
    tied = [*run("pretrained", 0, [81.5, 81.5], [79.0, 79.3]), *LOGS[2:]]
    for figure in ("79.0", "79.3"):
        assert judge(SEEDS.replace("79.3", figure), logs=tied)[0].status is Status.CORRECT


def test_the_best_validation_accuracy_reported_as_test_is_contradicted_by_logs() -> None:
    finding, flags = judge(ON_VALID_GRID, logs=LOGS)
    assert finding.status is Status.INCORRECT
    assert flags


def test_figures_on_the_validation_grid_are_suspected() -> None:
    finding, flags = judge(ON_VALID_GRID)
    assert finding.status is Status.INCORRECT
    assert [flag.id for flag in flags] == ["validation-reported-as-test"]
    assert len(flags[0].evidence) == 3


def test_figures_on_the_validation_grid_that_are_said_to_be_of_test_are_for_a_person() -> None:
    finding, flags = judge(CHOSEN, ON_VALID_GRID)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.INCORRECT)
    assert flags


def test_figures_that_are_said_to_be_of_validation_are_not_suspected() -> None:
    _, flags = judge(VALID_ONLY)
    assert flags == []


@pytest.mark.parametrize(
    "parts", [(CHOSEN,), ("See the figure.",), (CHOSEN, "We always take the last epoch.\n", SEEDS)]
)
def test_what_is_not_understood_is_for_a_person(parts: tuple[str, ...]) -> None:
    assert judge(*parts)[0].status is Status.REVIEW


def test_test_figures_without_a_word_on_the_choice_are_right_in_part() -> None:
    assert judge(SEEDS)[0].status is Status.PARTIAL


def test_validation_figures_alone_are_not_right() -> None:
    assert judge(VALID_ONLY)[0].status is Status.INCORRECT


def test_validation_figures_are_not_all_where_test_figures_of_no_named_experiment_stand_beside_them() -> None:
    told = "On test the three runs gave 79.25, 78.60 and 80.05, on average 79.30 with a standard deviation of 0.59."
    text = f"# Results\n\n{told}\n\n## Appendix\n\nOn validation the pretrained model has 81.5, 80.0 and 83.5.\n"
    finding, _ = decide("t3.selection", answer(text))
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)


def test_what_is_likely_said_counts_where_validation_figures_stand_beside_the_others() -> None:
    said = (
        "Les sauvegardes qui obtiennent la meilleure exactitude en validation atteignent en test 79,25, 78,60 et 80,05."
    )
    finding, _ = judge(said, VALID_ONLY)
    assert finding.status is Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "We keep the checkpoint with the best test accuracy; we did not look at the validation accuracy.",
        "I evaluated all checkpoints on the test set and report the best one.",
    ],
)
def test_a_choice_by_test_accuracy_is_not_right(said: str) -> None:
    assert judge(said, SEEDS)[0].status in (Status.INCORRECT, Status.REVIEW)


@pytest.mark.parametrize(
    "said",
    [
        "We always take the last epoch.",
        "Whatever validation says, the final checkpoint is the one that we evaluated.",
    ],
)
def test_the_last_epoch_whatever_validation_says_is_right_in_part(said: str) -> None:
    finding, _ = judge(said, SEEDS)
    assert (finding.status, [one.id for one in finding.diagnoses]) == (Status.PARTIAL, ["last-epoch"])


def test_the_last_epoch_is_right_where_the_courses_show_that_it_is_best() -> None:
    courses = (
        "| Epoch | s0 valid | s0 test | s1 valid | s1 test | s2 valid | s2 test |\n|---|---|---|---|---|---|---|\n"
        "| 4 | 79.5 | 78.1 | 78.0 | 77.9 | 80.0 | 79.2 |\n| 5 | 81.5 | 79.3 | 80.0 | 78.5 | 83.5 | 80.1 |\n"
    )
    finding, _ = judge("In all runs the last checkpoint is used.", courses, STATISTICS)
    assert finding.status is Status.CORRECT


def test_values_set_off_in_a_course_are_points_of_it_and_each_of_two_best_ones_may_be_taken() -> None:
    courses = (
        "| upd. | s0 val | s0 test | s1 val | s1 test | s2 val | s2 test |\n|---|---|---|---|---|---|---|\n"
        "| 675 | 79.5 | 78.6 | 75.0 | 73.6 | 78.5 | 77.1 |\n"
        "| 900 | **80.0** | **79.65** | 79.0 | 78.05 | **79.5** | **79.6** |\n"
        "| 1125 | 80.0 | 78.05 | **80.5** | **79.95** | 79.0 | 78.5 |\n"
    )
    finding, _ = judge("Bold: the update that is best on validation.", courses, "Test at bold: 79.73, deviation 0.19.")
    assert (finding.status, finding.suggestion) == (Status.CORRECT, None)


def test_the_same_figures_as_validation_and_as_test_are_of_validation() -> None:
    same = "| Seed | Valid | Test |\n|---|---|---|\n| 0 | 81.5 | 81.5 |\n| 1 | 80.0 | 80.0 |\n| 2 | 83.5 | 83.5 |\n"
    finding, flags = judge(CHOSEN, same)
    assert finding.status is Status.INCORRECT
    assert "validation-reported-as-test" in {flag.id for flag in flags}


def test_labels_of_a_table_tell_no_other_choice() -> None:
    table = "| | | | | | |\n|---|---|---|---|---|---|\n| | | graine | | | |\n| Modèle | | | | Moyenne | Écart-type |\n"
    rows = "| | 12 | 34 | 56 | | |\n| préentraîné, fairseq | 79,25 | 78,60 | 80,05 | 79,30 | 0,73 |\n"
    said = "On garde l'époque la meilleure sur la validation. Exactitude sur le test :"
    assert decide("t3.selection", answer(f"# Résultats\n\n{said}\n\n{table}{rows}"))[0].status is Status.CORRECT


def test_what_another_task_says_does_not_count_for_this_one() -> None:
    text = task(3, SEEDS) + "\n\n" + task(2, CHOSEN)
    assert decide("t3.selection", answer(text))[0].status is not Status.CORRECT


def test_nothing_is_missing() -> None:
    assert decide("t3.selection", answer("# Task 4\n\nx"))[0].status is Status.MISSING


LAST = "We take the last checkpoint, after the final epoch, for every seed."
AT_END = SEEDS.replace("79.3", "79.9").replace("78.5", "79.5")


def test_the_last_checkpoint_as_the_text_says_and_the_logs_show_is_right_in_part() -> None:
    finding, flags = judge(LAST, AT_END, logs=LOGS)
    assert finding.status is Status.PARTIAL
    assert [flag.id for flag in flags] == ["claim-contradicts-log"]


def test_a_choice_by_test_that_the_logs_show_is_wrong() -> None:
    said = "For every seed we keep the epoch with the highest accuracy on the test set."
    assert judge(said, AT_END, logs=LOGS)[0].status is Status.INCORRECT
    other = AT_END.replace("79.9", "67.7")
    assert judge(said, other, logs=LOGS)[0].status is Status.REVIEW


def test_what_a_notebook_says_of_the_choice_is_heard_where_the_report_is_silent() -> None:
    cells = [Cell(index=0, kind=CellKind.MARKDOWN, source=CHOSEN)]
    assert decide("t3.selection", answer(task(3, SEEDS)))[0].status is Status.PARTIAL
    assert decide("t3.selection", answer(task(3, SEEDS), cells))[0].status is Status.CORRECT


def test_code_of_a_notebook_says_nothing_of_the_choice() -> None:
    loop = code('for part in ("train", "valid", "test"):\n    print(part)', "train\nvalid\ntest")
    assert decide("t3.selection", answer(task(3, SEEDS), [loop]))[0].status is Status.PARTIAL


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("For each seed we kept the checkpoint with the lowest validation accuracy.", Status.REVIEW),
        ("The checkpoint with the worst validation accuracy was kept.", Status.REVIEW),
        ("Nous avons gardé le checkpoint de plus basse exactitude de validation.", Status.REVIEW),
        ("We kept the checkpoint with the lowest validation loss.", Status.CORRECT),
        ("We kept the checkpoint with the highest validation accuracy, which has the lowest loss.", Status.CORRECT),
        ("In case of a tie in validation accuracy the lowest epoch is taken.", Status.CORRECT),
    ],
)
def test_a_choice_of_the_worst_is_for_a_person(said: str, status: Status) -> None:
    assert judge(said, SEEDS)[0].status is status


PRINTS = "```\nmax: ep 5  valid 62.0  test 66.35\nmax: ep 3  valid 63.5  test 67.90\n```"


@pytest.mark.parametrize(
    "said",
    [
        "We took the last epoch (the best on validation was epoch 3).",
        "Accuracy on the test set, of the checkpoints with best test accuracy (not best validation).",
        "The test accuracy (I did not choose the best on validation)",
        "It is higher than on test, but that is where we chose the epoch.",
    ],
)
def test_what_brackets_or_a_contrast_leave_open_is_for_a_person(said: str) -> None:
    assert judge(said, SEEDS)[0].status is Status.REVIEW


@pytest.mark.parametrize(
    "said",
    [
        "I evaluated the last epoch for each seed, although epoch 3 was higher on validation for two of them.",
        "J'ai gardé la cinquième époque pour tous, bien que la validation ait été meilleure à la troisième.",
    ],
)
def test_what_a_statement_concedes_chose_nothing(said: str) -> None:
    assert judge(said, SEEDS)[0].status in (Status.PARTIAL, Status.REVIEW)


def test_what_is_named_for_another_task_alone_is_not_said_of_this_one() -> None:
    told = "On test I get 79.25 %, 78.6 % and 80.05 % with the pretrained model."
    other = "With Hugging Face I get 82 %, 80 % and 81.5 % (the line eval_accuracy of the validation file)."
    assert decide("t3.selection", answer(f"# Results\n\n{told}\n\n{other}"))[0].status is Status.PARTIAL
    other = "With Hugging Face the checkpoint with the best validation accuracy is kept."
    assert decide("t3.selection", answer(f"# Results\n\n{told}\n\n{other}"))[0].status is Status.REVIEW


def test_what_a_text_says_plainly_stands_above_lines_of_figures() -> None:
    said = "For each seed I took the epoch where the accuracy of test is maximum."
    assert judge(said, PRINTS, SEEDS)[0].status is Status.INCORRECT


def test_a_word_on_the_test_set_behind_the_choice_by_validation_takes_nothing_back() -> None:
    said = (
        "We keep the best checkpoint on validation. I looked at the test figures only once, when the choice was made."
    )
    assert judge(said, SEEDS)[0].status is Status.CORRECT
    said = "We keep the best checkpoint on validation. But then we report the epoch with the best test accuracy of all."
    assert judge(said, SEEDS)[0].status is not Status.CORRECT


def test_an_aside_does_not_change_what_the_text_is_about() -> None:
    said = "One checkpoint is saved for each epoch (and for Hugging Face I asked for the same)."
    assert judge(f"{said} {CHOSEN}", f"Pretrained model:\n\n{SEEDS}")[0].status is Status.CORRECT


def test_a_reason_that_speaks_of_what_was_not_done_hides_no_choice() -> None:
    said = "I evaluated each of the five checkpoints on the test set and I kept the one that has the best accuracy, "
    finding, _ = judge(said + "because sometimes the model overfits and the last one is not the best.", SEEDS)
    assert Status.INCORRECT in (finding.status, finding.suggestion)


def test_a_title_that_may_tell_the_choice_leaves_it_to_a_person_at_least() -> None:
    text = f"## Task 3, fairseq pretrained, three seeds (best checkpoint on valid)\n\n{SEEDS}"
    finding, _ = decide("t3.selection", answer(text))
    assert finding.status is Status.CORRECT or finding.suggestion is Status.CORRECT


BY_VALIDATION, BY_TEST, BY_LAST, OTHERWISE = Choice


@pytest.mark.parametrize(
    ("heard", "told"),
    [
        ([], {}),
        ([(BY_VALIDATION, 0.81)], {BY_VALIDATION: [0.81]}),
        ([(BY_VALIDATION, 0.79)], {}),
        ([(BY_VALIDATION, 0.5), (BY_VALIDATION, 0.7)], {BY_VALIDATION: [0.7, 0.5]}),
        ([(BY_VALIDATION, 0.5), (BY_VALIDATION, 0.5)], {}),
        ([(BY_TEST, 0.86)], {BY_TEST: [0.86]}),
        ([(BY_TEST, 0.84)], {}),
        ([(BY_LAST, 0.7), (BY_LAST, 0.7)], {}),
        ([(BY_TEST, 0.84), (BY_VALIDATION, 0.83)], {}),
        ([(BY_TEST, 0.83), (BY_VALIDATION, 0.84)], {BY_VALIDATION: [0.84], BY_TEST: [0.83]}),
        ([(BY_VALIDATION, 0.9), (BY_TEST, 0.61)], {BY_VALIDATION: [0.9], BY_TEST: [0.61]}),
        ([(BY_VALIDATION, 0.9), (BY_TEST, 0.59)], {BY_VALIDATION: [0.9]}),
        ([(BY_VALIDATION, 0.9), (BY_TEST, 0.58), (BY_TEST, 0.57)], {BY_VALIDATION: [0.9], BY_TEST: [0.58, 0.57]}),
        ([(BY_VALIDATION, 0.9), (BY_TEST, 0.5), (BY_TEST, 0.5)], {BY_VALIDATION: [0.9]}),
        ([(BY_LAST, 0.9), (OTHERWISE, 0.7), (BY_LAST, 0.95)], {BY_LAST: [0.95, 0.9], OTHERWISE: [0.7]}),
    ],
)
def test_what_statements_on_the_choice_tell_together(
    heard: list[tuple[Choice, float]], told: dict[Choice, list[float]]
) -> None:
    found = said_together([SaidChoice(by, sure, Evidence(file="a.md", line=1, quote="x")) for by, sure in heard])
    assert {by: [one.sure for one in own] for by, own in found.items()} == told
