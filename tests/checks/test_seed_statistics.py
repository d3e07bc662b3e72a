import pytest

from grader.checks.finding import Finding, Flag, Status
from grader.checks.registry import check_of
from grader.reading.log import Log
from tests.checks.experiments import BOTH, CHOSEN, RANDOM, SEEDS, STATISTICS, VALID_ONLY, task
from tests.checks.making import answer, concluded, decide, run, truth
from tests.claims.making import lab


def judge(*parts: str, item: str = "t3.statistics", logs: list[Log] | None = None) -> tuple[Finding, list[Flag]]:
    number = int(item[1])
    return decide(item, answer(task(number, *parts), logs=logs or []))


STATED = [
    "On test the average is 79.3 % and the standard deviation is 0.65 %.",
    "On test the average is 79.30 and the standard deviation is 0.80 (sample form).",
    "Test accuracy: 79.3 ± 0.7.",
    "Test accuracy: 79.3 ± 0.6.",
    "We obtain 79.3 % (±0.65 %) on the test set.",
    "Mean test accuracy 0.793, standard deviation 0.0065.",
    "On test the mean is 79.3 %. The standard deviation is 0.65 %.",
    "Mean test accuracy: 79.3\n\nStandard deviation: 0.65",
    "- Mean: 79.3\n- Std: 0.65",
    "79.3% average accuracy (0.65% std) on test.",
    "| Metric | Value |\n|---|---|\n| Mean test accuracy | 79.3 |\n| Std | 0.65 |",
    "La moyenne sur le test est 79,3 % et l'écart-type 0,65 %.",
    "| | Mean | Std |\n|---|---|---|\n| Test | 79.3 | 0.65 |",
]


@pytest.mark.parametrize("stated", STATED)
def test_statistics_that_follow_are_right(stated: str) -> None:
    finding, flags = judge(SEEDS, stated)
    assert (finding.status, flags) == (Status.CORRECT, [])
    assert finding.expected is not None
    assert "0.65 (population form) or 0.80 (sample form)" in finding.expected.text


def test_the_statistics_of_validation_and_test_are_told_apart() -> None:
    stated = "On validation the mean is 81.67 and the std 1.43. On test the mean is 79.3 and the std 0.65."
    finding, flags = judge(BOTH, stated)
    assert (finding.status, finding.found, flags) == (Status.CORRECT, "79.3 ± 0.65 %", [])


@pytest.mark.parametrize("std", ["0.0065", "0.0065 %", "0.008"])
def test_a_deviation_in_the_wrong_unit_is_named(std: str) -> None:
    finding, flags = judge(SEEDS, f"On test the average is 79.3 % and the standard deviation is {std}.")
    assert finding.status is Status.CORRECT
    assert "fraction" in finding.feedback
    assert [flag.id for flag in flags] == ["std-unit"]


@pytest.mark.parametrize(
    ("stated", "status", "suggestion"),
    [
        ("On test the average is 81.2 % and the standard deviation is 0.65 %.", Status.PARTIAL, None),
        ("On test the average is 79.3 % and the standard deviation is 1.9 %.", Status.PARTIAL, None),
        ("On test the average is 70.0 % and the standard deviation is 5.0 %.", Status.REVIEW, None),
    ],
)
def test_statistics_that_do_not_follow_are_flagged(stated: str, status: Status, suggestion: Status | None) -> None:
    finding, flags = judge(SEEDS, stated)
    assert (finding.status, finding.suggestion) == (status, suggestion)
    assert [flag.id for flag in flags] == ["statistics-mismatch"]
    assert "79.30 %" in flags[0].message


def test_an_average_alone_is_partial() -> None:
    finding, flags = judge(SEEDS, "On test the average is 79.3 %.")
    assert (finding.status, [d.id for d in finding.diagnoses], flags) == (Status.PARTIAL, ["no-std"], [])


@pytest.mark.parametrize(
    "said",
    [
        "On test the average is 79.3 %. The deviation over the three seeds is small: 0.65 %.",
        "On test the average is 79.3 %.\n\nIts spread is shown in figure 2 (std).",
    ],
)
def test_an_average_is_not_called_alone_where_a_deviation_is_spoken_of(said: str) -> None:
    assert judge(SEEDS, said)[0].status in (Status.CORRECT, Status.REVIEW)


def test_a_wrong_average_alone_is_not_partial() -> None:
    finding, flags = judge(SEEDS, "On test the average is 75.0 %.")
    assert finding.status is Status.REVIEW
    assert [flag.id for flag in flags] == ["statistics-mismatch"]


def test_logs_stand_in_for_seeds_that_are_not_written_down() -> None:
    logs = [
        *run("pretrained", 0, [64, 81.5], [67.7, 79.3]),
        *run("pretrained", 1, [65.5, 80], [72.0, 78.5]),
        *run("pretrained", 2, [71, 83.5], [71.5, 80.1]),
    ]
    assert judge(STATISTICS, logs=logs)[0].status is Status.CORRECT


def test_what_cannot_be_recomputed_is_right_where_nothing_contradicts_it() -> None:
    finding, _ = judge(STATISTICS)
    assert finding.status is Status.CORRECT
    assert finding.found in ("79.3 ± 0.65 %", "79.30 ± 0.65 %")


def test_statistics_that_no_values_can_have_are_for_a_person() -> None:
    finding, _ = judge("On test the average is 71.39 % and the standard deviation 0.82 %.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)


def test_what_is_not_stated_is_missing_unless_a_picture_may_show_it() -> None:
    assert judge(SEEDS)[0].status is Status.MISSING
    finding, _ = judge(SEEDS, "![results](results.png)")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)


def test_nothing_is_missing() -> None:
    assert decide("t3.statistics", answer(task(4, SEEDS)))[0].status is Status.MISSING


def test_where_test_is_required_validation_alone_is_partial() -> None:
    stated = "On validation the mean is 81.67 and the standard deviation is 1.43."
    finding, _ = judge(VALID_ONLY, stated, item="t5.statistics")
    assert (finding.status, [d.id for d in finding.diagnoses]) == (Status.PARTIAL, ["valid-only"])


def test_where_test_is_required_and_a_test_figure_is_not_understood_a_person_looks() -> None:
    stated = "On validation the mean is 81.67 and the std 1.43. The final test accuracy is about 80 %."
    assert judge(VALID_ONLY, stated, item="t5.statistics")[0].status is Status.REVIEW


def test_where_test_is_required_an_unnamed_split_is_taken_for_it() -> None:
    table = SEEDS.replace("Test accuracy", "Accuracy")
    finding, _ = judge(table, "The mean is 79.3 and the standard deviation is 0.65.", item="t5.statistics")
    assert finding.status is Status.CORRECT


def test_where_test_is_required_and_given_it_is_right() -> None:
    assert judge(SEEDS, STATISTICS, item="t5.statistics")[0].status is Status.CORRECT


def test_a_loss_beside_the_accuracy_changes_nothing() -> None:
    rows = "| 0 | 79.3 | 0.61 |\n| 1 | 78.5 | 0.65 |\n| 2 | 80.1 | 0.66 |\n"
    finding, flags = judge(f"| Seed | Test accuracy | Test loss |\n|---|---|---|\n{rows}", STATISTICS)
    assert (finding.status, flags) == (Status.CORRECT, [])


def test_an_average_is_not_right_beside_values_whose_runs_were_not_understood() -> None:
    line = "{}: best valid acc {} @ epoch {} -> test acc {}"
    rows = [("alpha", 81.0, 4, 79.6), ("beta", 80.5, 3, 78.8), ("gamma", 83.5, 4, 79.9)]
    values = "```\n" + "\n".join(line.format(*row) for row in rows) + "\n```"
    finding, _ = judge(values, "Mean test accuracy = 79.93 %, std = 0.46 %")
    assert finding.status is not Status.CORRECT
    finding, _ = judge("Mean test accuracy = 79.93 %, std = 0.46 %")
    assert finding.status is Status.CORRECT


def rows(*values: str) -> str:
    told = "".join(f"| {seed} | {value} |\n" for seed, value in enumerate(values))
    return f"| Seed | Test accuracy |\n|---|---|\n{told}"


@pytest.mark.parametrize(
    ("values", "stated", "accepted"),
    [
        (("79.3", "78.5", "80.1"), "79.30 % ± 0.65 %", "correct"),
        (("79.3", "78.5", "80.1"), "79.30 % ± 0.80 %", "correct"),
        (("79.3", "78.5", "80.1"), "79.30 % ± 0.72 %", "partial"),
        (("79.3", "78.5", "80.1"), "79.60 % ± 0.65 %", "partial"),
        (("79.3", "78.5", "80.1"), "79.60 % ± 0.95 %", "review"),
        (("79.3", "78.5", "80.1"), "79.30 % ± 0.0065", "correct"),
        (("79.3", "78.5", "80.1"), "0.793 ± 0.65", "correct"),
        (("79.3", "78.5", "80.1"), "79.30 %", "partial"),
        (("79.3", "78.5", "80.1"), "about 79 %, that is 79.30 % ± 0.65 %", "correct"),
        (("79.3", "78.5", "80.1"), "66.30 % ± 0.65 %", "review partial"),
        (("79.3", "78.5"), "78.90 % ± 0.40 %", "correct"),  # the other runs are asked for elsewhere
        (("79.3", "78.5"), "78.90 % ± 0.57 %", "correct"),
        (("79.3", "78.5", "80.1", "79.7"), "79.40 % ± 0.59 %", "correct"),
        (("79", "79", "80"), "79.30 % ± 0.65 %", "review"),
        (("79.3", "78.5", "80.1"), "79.33 % ± 0.67 %", "correct"),
        (("79.30", "78.50", "80.10"), "79.33 % ± 0.67 %", "review"),
        (("79.3", "78.5", "80.1"), "79.33 % ± 0.95 %", "review partial"),
        (("79.3", "78.5", "80.1"), "79.30 % ± 0.77 %", "partial"),
        (("79", "79", "80"), "79.33 % ± 0.47 %", "correct"),
        (("79", "79", "80"), "81.30 % ± 0.65 %", "review partial"),
        (("79.35", "78.55", "80.15"), "79.35 % ± 0.65 %", "correct"),
        (("79.35", "78.55", "80.15"), "79.3 % ± 0.6 %", "correct"),
        (("79.35", "78.55", "80.15"), "79.4 % ± 0.7 %", "correct"),
        (("79.35", "78.55", "80.15"), "79.5 % ± 0.65 %", "partial"),
        (("80", "80", "80"), "80.0 % ± 0.0 %", "correct"),
        (("0.793", "0.785", "0.801"), "0.793 ± 0.0065", "correct"),
        (("0.793", "0.785", "0.801"), "79.3 % ± 0.65 %", "correct"),
        (("0.793", "0.785", "0.801"), "0.793 ± 0.065", "partial"),
    ],
)
def test_an_average_and_a_deviation_follow_from_the_values_or_do_not(
    values: tuple[str, ...], stated: str, accepted: str
) -> None:
    finding, _ = judge(rows(*values), f"The average on test is {stated}.")
    assert finding.status.value in accepted, finding.feedback


@pytest.mark.parametrize(
    ("stated", "accepted"),
    [
        ("79.30 % ± 0.65 %", "correct"),
        ("79.31 % ± 0.65 %", "correct"),
        ("79.30 % ± 0.02 %", "correct review"),
        ("79.30 % ± 0.0065", "correct review"),
        ("79.30 % ± 4.90 %", "correct"),
        ("79.30 % ± 9.90 %", "correct review"),
        ("79.3 % ± 0.7 %", "correct"),
        ("79 % ± 1 %", "correct"),
        ("79.30 %", "partial"),
    ],
)
def test_without_values_figures_that_some_can_have_are_right(stated: str, accepted: str) -> None:
    finding, _ = judge(f"The average on test over three seeds is {stated}.")
    assert finding.status.value in accepted, finding.feedback


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("Without seed 2 the average is 78.90 % and the deviation 0.40 %.", True),
        ("Without the last one the average is 78.90 % and the deviation 0.40 %.", True),
        ("Seed 2 diverged and is left out. The average of the others is 78.90 % ± 0.40 %.", True),
        ("Seed 2 diverged; the others have an average of 78.90 and a standard deviation of 0.40.", True),
        ("La moyenne des graines 0 et 1 est de 78,90 % ± 0,40 %.", True),
        ("The average is 78.90 % ± 0.40 %.", False),
        ("The average is 78.90 % ± 0.40 %, seed 2 with 84.9 % being the best.", False),
        ("Without seed 1 the average is 78.90 % ± 0.40 %.", False),
    ],
)
def test_an_average_of_all_runs_but_one_is_right_where_the_text_names_that_one(said: str, is_told: bool) -> None:
    finding, flags = judge(rows("79.3", "78.5", "84.9"), said)
    assert (finding.status.value == "correct") is is_told, finding.feedback
    assert bool(flags) is not is_told


@pytest.mark.parametrize(("worth", "status"), [("correct", "correct"), ("partial", "partial"), ("review", "review")])
def test_a_lab_says_what_figures_of_fewer_runs_are_worth(worth: str, status: str) -> None:
    asked = next(one for one in lab().items if one.id == "t3.statistics")
    asked = asked.model_copy(update={"options": {**asked.options, "of_fewer": worth}})
    text = task(3, rows("79.3", "78.5"), "The average on test is 78.90 % ± 0.40 %.")
    found = list(check_of(asked).bind_options(asked)(answer=answer(text), truth=truth(), lab=lab()))
    (finding,) = (one for one in found if isinstance(one, Finding))
    concluded(found, finding)
    assert finding.status.value == status
    assert ("They are of 2 of 3 seeds." in finding.feedback) is (worth != "correct")


@pytest.mark.parametrize(
    "said",
    [
        "The averages are {} and {}, the deviations 0.65 and 0.83.",
        "Averages: {} % and {} %; standard deviations: 0.65 and 0.83.",
        "Les moyennes sont {} et {}, les écarts types 0,65 et 0,83.",
    ],
)
def test_averages_and_deviations_in_two_lists_are_of_the_experiments_above(said: str) -> None:
    above = f"# Results\n\n## Pretrained\n\n{SEEDS}\n\n## Random\n\n{RANDOM}\n\n"
    for first, second, status in (("79.30", "66.50", Status.CORRECT), ("79.43", "66.62", Status.PARTIAL)):
        given = answer(above + said.format(first, second))
        for item, figures in (("t3.statistics", f"{first} ± 0.65"), ("t4.statistics", f"{second} ± 0.83")):
            finding = decide(item, given)[0]
            assert finding.status is status
            assert figures in str(finding.found)


@pytest.mark.parametrize(
    "said",
    [
        "81.67 (val) and 79.30 (test) on average, std 1.43 and 0.65.",
        "81.67 (val) and 79.30 (test) on average, std 1.43 (val) and 0.65 (test).",
        "Average: 81.67 (val) / 79.30 (test), std: 1.43 / 0.65",
        "81,67 (validation) et 79,30 (test) en moyenne, écarts types 1,43 et 0,65.",
    ],
)
def test_averages_of_two_splits_have_their_own_deviations(said: str) -> None:
    for shown in (BOTH, ""):
        results = answer(task(3, CHOSEN, shown, said)).results
        told = {(one.split, float(one.mean or 0), float(one.std or 0)) for one in results.summaries}
        assert told == {("valid", 81.67, 1.43), ("test", 79.3, 0.65)}
        assert decide("t3.statistics", answer(task(3, CHOSEN, shown, said)))[0].status is Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "On average 1586.7 of 2000 reviews are right, with a standard deviation of 0.69 %.",
        "En moyenne 1586,7 critiques sur 2000 sont bien classées, écart type 0,69 %.",
        "En moyenne 1586,7 critiques sur 2000 sont bien classées, écart type de 13,9 critiques.",
        "The mean is 79.33 % with a standard deviation of 0.69, that is 1586.7 of 2000 reviews on average.",
    ],
)
def test_an_average_of_counts_is_held_against_values_in_percent(said: str) -> None:
    assert decide("t3.statistics", answer(task(3, SEEDS.replace("80.1", "80.2"), said)))[0].status is Status.CORRECT


NAMED = "Pretrained: seeds 0 to 2 have on average {} % on test, with a standard deviation of 0.65 %."
TRIED = "| Seed | Init | Best epoch | Test accuracy |\n|---|---|---|---|\n| 7 | pretrained | 2 | 76.15 |\n" + "".join(
    f"| {seed} | {init} | 4 | {value} |\n"
    for init, values in (("pretrained", ("79.4", "78.5", "80.1")), ("random", ("65.4", "66.7", "67.4")))
    for seed, value in enumerate(values)
)


@pytest.mark.parametrize(
    ("said", "status", "raised"),
    [
        (NAMED.format("79.33"), Status.CORRECT, []),
        (NAMED.format("79.33").replace("seeds 0 to 2 have on average", "the average is"), Status.REVIEW, []),
        (NAMED.format("77.98"), Status.REVIEW, ["statistics-mismatch"]),
    ],
)
def test_of_more_runs_than_asked_for_an_average_may_be_of_some(said: str, status: Status, raised: list[str]) -> None:
    finding, flags = judge(TRIED, said)
    assert finding.status is status
    assert [flag.id for flag in flags] == raised


def test_a_rounded_repetition_with_a_deviation_in_the_wrong_unit_is_named() -> None:
    stated = (
        "On test the average is 79.30 % and the standard deviation is 0.65 %.\n\nIn short: 79.3 % ± 0.0065 % on test."
    )
    finding, flags = judge(SEEDS, stated)
    assert finding.status is Status.CORRECT
    assert [flag.id for flag in flags] == ["std-unit"]
    assert not judge(SEEDS, stated.replace("79.3 % ±", "about 79 % ±"))[1]


def test_a_wrong_average_beside_a_deviation_in_the_wrong_unit_has_both_flags() -> None:
    finding, flags = judge(SEEDS, "On test the average is 79.9 % and the standard deviation is 0.0065 %.")
    assert finding.status is Status.PARTIAL
    assert {flag.id for flag in flags} == {"statistics-mismatch", "std-unit"}


def test_a_variance_on_the_way_is_no_other_average() -> None:
    way = "The squares are 0.0025, 0.49 and 0.5625; they average 1.055 / 3 ≈ 0.35, so the deviation is √0.35 ≈ 0.59."
    told = "Seed 4: 79.25, seed 5: 78.60, seed 6: 80.05 on test, 79.30 on average."
    finding, _ = decide("t3.statistics", answer(f"# Task 3\n\n{told}\n\n{way}\n\n**79.30 ± 0.59**"))
    assert finding.status is Status.CORRECT


def test_a_figure_told_again_without_its_split_leaves_nothing_open() -> None:
    rows = "| 1 | 80.5 |\n| 2 | 82.0 |\n| 3 | 81.0 |\n| mean | 81.17 |\n| std | 0.76 |\n"
    told = "There was no time to predict on the test file. run_glue (81.17) is to be held against 82.00."
    text = f"# Hugging Face\n\n| seed | validation accuracy |\n|---|---|\n{rows}\n\n{told}"
    assert decide("t5.statistics", answer(text))[0].status is Status.PARTIAL


@pytest.mark.parametrize(
    ("stated", "status"),
    [
        ("On test we get 79.3 ± 0.46 (standard error of the mean).", Status.PARTIAL),
        ("Test: 79.3 ± 1.99, a 95 % confidence interval by Student's t.", Status.PARTIAL),
        ("Test: 79.3 ± 0.91 (95% CI).", Status.PARTIAL),
        ("Sur le test : 79,3 ± 0,38 (erreur type).", Status.PARTIAL),
        ("Sur le test : 79,3 ± 1,99 (intervalle de confiance à 95 %).", Status.PARTIAL),
        ("On test 79.3 ± 2.7 (95 % confidence interval, bootstrap).", Status.REVIEW),
    ],
)
def test_another_spread_than_the_deviation_is_told_as_what_it_is(stated: str, status: Status) -> None:
    finding, flags = judge(SEEDS, stated)
    assert (finding.status, flags) == (status, [])
    assert "not with a standard deviation" in finding.feedback


@pytest.mark.parametrize(
    "stated",
    [
        "On test the average is 79.3 ± 0.65 (standard deviation, no confidence interval).",
        "Les résultats ci-dessous sont ceux du test : 79,3 ± 0,65.",
        "Test: mean 79.3 +/- 0.65 (std).",
        "Test: 79.3 +- 0.65",
    ],
)
def test_a_deviation_beside_the_word_of_another_spread_is_one(stated: str) -> None:
    assert judge(SEEDS, stated)[0].status is Status.CORRECT


def test_a_deviation_below_zero_is_for_a_person() -> None:
    finding, _ = judge(SEEDS, "On test the average is 79.3 %, the standard deviation -0.65 %.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)


@pytest.mark.parametrize(
    "said",
    [
        "Test accuracy with seed 1: 79.3 %. Average 79.3, standard deviation 0.",
        "Test accuracy of seed 2: 79.3. So 79.3 ± 0.0 on test.",
        "| seed | test accuracy |\n|---|---|\n| 1 | 79.3 |\n| mean | 79.3 |\n| std | 0.0 |",
    ],
)
def test_one_run_has_no_deviation(said: str) -> None:
    finding, flags = judge(said)
    assert (finding.status, flags) == (Status.INCORRECT, [])
    assert "one run" in finding.feedback


@pytest.mark.parametrize(
    "said",
    [
        "Test accuracy: 79, 80, 78. Mean 79, std 0.82.",
        "Test accuracy: 79.5, 80.5, 77. The mean is 79 and the std 1.47.",
        "Test accuracy at the best epoch: 79, 80, 78. Average: 79 (std 0.8).",
        "Accuracy on test at the epoch of the best validation: 80, 79, 80, so 79.67 on average, std 0.47.",
    ],
)
def test_whole_numbers_are_values_and_averages_too(said: str) -> None:
    assert judge(said)[0].status is Status.CORRECT
    assert judge(said, item="t3.seeds")[0].status is Status.CORRECT


@pytest.mark.parametrize("figures", ["79, 80, 79, mean 79.33, std 0.47", "79.3, 80.1, 79.2, mean 79.53, std 0.40"])
def test_two_experiments_may_have_equal_figures(figures: str) -> None:
    parts = (
        f"## Task {n}\nTest accuracy with {name}: {figures}."
        for n, name in ((3, "pretrained fairseq"), (5, "Hugging Face"))
    )
    text = "\n\n".join(["RoBERTa on the reviews.", *parts])
    statuses = [
        decide(f"{task}.{item}", answer(text))[0].status for task in ("t3", "t5") for item in ("seeds", "statistics")
    ]
    assert statuses == [Status.CORRECT] * 4


def test_rounded_figures_of_two_splits_may_be_equal() -> None:
    rows = "| seed | valid | test |\n|---|---|---|\n| 0 | 79 | 79 |\n| 1 | 80 | 80 |\n| 2 | 79 | 79 |\n"
    finding, flags = judge(f"{CHOSEN}\n\n{rows}", item="t3.selection")
    assert (finding.status, flags) == (Status.CORRECT, [])
    exact = rows.replace("79", "79.5").replace("80", "80.5")
    assert [flag.id for flag in judge(f"{CHOSEN}\n\n{exact}", item="t3.selection")[1]] == [
        "validation-reported-as-test"
    ]


def test_a_program_leaves_zeros_away_in_a_table() -> None:
    rows = "| seed | test |\n|---|---|\n| 0 | 0.8 |\n| 1 | 0.7855 |\n| 2 | 0.79 |\n| mean | 0.7918 |\n| std | 0.0061 |"
    assert [judge(rows, item=item)[0].status for item in ("t3.seeds", "t3.statistics")] == [Status.CORRECT] * 2
