"""Results that stand in a notebook beside a report that says little of them."""

from grader.checks.finding import Severity, Status
from grader.claims.answer import Answer
from grader.reading.log import Log, Series, Subset
from grader.reading.notebook import Cell, CellKind
from tests.checks.making import NOTEBOOK, REPORT, answer, code, decide

SHORT = "# Tasks 3 to 5\n\nTest accuracy of the checkpoint with the best validation accuracy: see the notebook."
FRAME = """      pretrained  random     HF
11         79.00   66.70  80.40
22         79.90   66.00  79.10
33         79.70   67.50  80.75
mean       79.53   66.73  80.08
std         0.39    0.61   0.71"""


def markdown(text: str) -> Cell:
    return Cell(index=0, kind=CellKind.MARKDOWN, source=text)


def decided(given: Answer, *items: str) -> list[Status]:
    return [decide(item, given)[0].status for item in items]


def trained(experiment: str, *values: float) -> Log:
    """A log in the output of the notebook's first cell."""
    series = Series(
        tag="accuracy",
        subset=Subset.TEST,
        steps=tuple(225 * number for number in range(1, len(values) + 1)),
        values=values,
        lines=tuple(range(1, len(values) + 1)),
        cell=0,
    )
    return Log(file=NOTEBOOK, name=f"{experiment}/seed_1", seed=1, series=(series,))


def test_a_frame_with_averages_is_read_where_the_report_is_silent() -> None:
    given = answer(SHORT, [code("table.round(2)", FRAME)])
    items = ["t3.seeds", "t3.statistics", "t4.seeds", "t4.statistics", "t5.seeds", "t5.statistics"]
    assert decided(given, *items) == [Status.CORRECT] * 6
    finding, _ = decide("t4.statistics", given)
    assert {place.file for place in finding.evidence} == {NOTEBOOK}


def test_values_without_an_average_stay_open() -> None:
    frame = "\n".join(FRAME.split("\n")[:4])
    given = answer(SHORT, [code("table", frame)])
    assert decided(given, "t3.seeds", "t3.statistics") == [Status.REVIEW, Status.REVIEW]


def test_two_sets_of_runs_in_a_notebook_stay_open() -> None:
    first = FRAME.replace("79.00", "70.00").replace("79.53", "76.53").replace("0.39", "4.62")
    given = answer(SHORT, [code("table", first), code("table", FRAME)])
    assert decided(given, "t3.statistics", "t4.statistics") == [Status.REVIEW, Status.CORRECT]


def test_the_values_of_a_reported_average_stand_in_the_notebook() -> None:
    report = "# Task 3\n\nPretrained, test: mean 79.53, std 0.39."
    given = answer(report, [code("table.round(2)", FRAME)])
    assert decided(given, "t3.seeds", "t3.statistics") == [Status.CORRECT, Status.CORRECT]
    assert len(decide("t3.statistics", given)[0].evidence) > 1


def test_what_the_report_says_counts_where_the_notebook_shows_something_else() -> None:
    report = "# Task 3\n\n| seed | test |\n|---|---|\n| 1 | 80.1 |\n| 2 | 79.3 |\n| 3 | 78.5 |\n\nMean 79.30, std 0.65."
    given = answer(report, [code("table.round(2)", FRAME)])
    assert [str(one.value) for one in given.results.seeds if one.experiment == "pretrained"] == ["80.1", "79.3", "78.5"]
    assert decided(given, "t3.statistics") == [Status.CORRECT]
    (flag,) = (one for one in decide("t3.seeds", given)[1] if one.id == "table-contradiction")
    assert flag.severity is Severity.INFO
    assert {place.file for place in flag.evidence} == {REPORT, NOTEBOOK}


def test_an_average_of_other_values_is_not_taken_for_that_of_the_reported_ones() -> None:
    report = "# Task 3\n\n| seed | test |\n|---|---|\n| 1 | 80.1 |\n| 2 | 79.3 |\n| 3 | 78.5 |"
    alone = answer(report)
    assert decided(alone, "t3.statistics") == [Status.MISSING]
    given = answer(report, [code("table.round(2)", FRAME)])
    assert decided(given, "t3.statistics") == [Status.REVIEW]


def test_figures_in_code_do_not_hide_what_it_prints() -> None:
    source = (
        'hf = pd.DataFrame([[1, 0.81, 0.8], [2, 0.83, 0.8115], [3, 0.81, 0.794]], columns=["seed", "valid", "test"])'
    )
    frame = "   seed  valid    test\n0     1   0.81  0.8000\n1     2   0.83  0.8115\n2     3   0.81  0.7940"
    averages = "valid    0.816667\ntest     0.801833\n\nvalid    0.011547\ntest     0.008893"
    given = answer(SHORT, [code(source, f"{frame}\n{averages}")])
    assert decided(given, "t5.seeds", "t5.statistics") == [Status.CORRECT, Status.CORRECT]


def test_values_typed_into_code_count_where_nothing_is_printed_of_them() -> None:
    source = 'random = [66.7, 66.0, 67.5]  # test\nprint("random", np.mean(random), np.std(random))'
    given = answer(SHORT, [code(source, "random 66.73 0.61")])
    assert decided(given, "t4.seeds", "t4.statistics") == [Status.CORRECT, Status.CORRECT]


def test_a_training_log_is_no_table_of_results() -> None:
    log = "\n".join(f"epoch {epoch} | pretrained | test accuracy {60 + epoch}.5" for epoch in range(1, 6))
    given = answer("# Task 3\n\nNothing to say.", [code("train()", log)], [trained("pretrained", 61.5, 62.5, 63.5)])
    assert not [one for one in given.results.loose if one.evidence.file == NOTEBOOK]


def test_values_of_no_named_experiment_are_of_the_one_that_the_notebook_trains() -> None:
    shown = code("accuracies", "test accuracies [79.0, 79.9, 79.7] mean 79.53 std 0.39")
    cells = [code("train()", "epoch 1"), shown]
    report = "# Results\n\nSee the notebook."
    assert decided(answer(report, cells), "t3.seeds", "t4.seeds") == [Status.REVIEW, Status.REVIEW]
    given = answer(report, cells, [trained("pretrained", 61.5, 79.0)])
    assert decided(given, "t3.seeds", "t3.statistics") == [Status.CORRECT, Status.CORRECT]
    assert {one.experiment for one in given.results.seeds} == {"pretrained"}


def test_a_comparison_in_a_cell_of_text_is_heard() -> None:
    said = markdown("As expected, random initialisation is far below the pretrained model.")
    given = answer(SHORT, [code("table.round(2)", FRAME), said])
    finding, _ = decide("t4.comparison", given)
    assert finding.status is Status.CORRECT
    assert finding.evidence[0].file == NOTEBOOK


def test_what_the_report_compares_counts_before_what_a_notebook_says() -> None:
    report = "# Task 4\n\nPretrained: 79.5. Random: 66.7. The pretrained model is clearly better than the random one."
    given = answer(report, [markdown("The random model is better than the pretrained one.")])
    finding, _ = decide("t4.comparison", given)
    assert {place.file for place in finding.evidence} != {NOTEBOOK}
