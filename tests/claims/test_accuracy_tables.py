from decimal import Decimal

import pytest

from grader.claims.results.claimed import ResultClaims, result_claims
from grader.claims.sections import sections
from grader.reading.document import Block, BlockKind, Document
from tests.claims.making import document, lab

TEST = {1: "79.3", 2: "78.5", 3: "80.1"}
VALID = {1: "81", 2: "80", 3: "83.5"}
RANDOM = {1: "65.4", 2: "66.7", 3: "67.4"}


def read(markdown: str) -> ResultClaims:
    return result_claims(sections(document(markdown), lab()), lab())


def table(*rows: str) -> str:
    """Rows as a Markdown table; cells are given with a bar between them."""
    ruler = "|" + "---|" * (rows[0].count("|") + 1)
    return "\n".join([f"|{rows[0]}|", ruler, *(f"|{row}|" for row in rows[1:])])


def seeds(claims: ResultClaims, experiment: str = "pretrained", split: str | None = "test") -> dict[int, Decimal]:
    return {c.seed: c.value for c in claims.seeds if (c.experiment, c.split) == (experiment, split)}


def summary(claims: ResultClaims, experiment: str = "pretrained", split: str | None = "test") -> tuple[object, ...]:
    (one,) = (s for s in claims.summaries if (s.experiment, s.split) == (experiment, split))
    return one.mean, one.std


def decimals(values: dict[int, str]) -> dict[int, Decimal]:
    return {seed: Decimal(value) for seed, value in values.items()}


STATISTICS = (Decimal("79.3"), Decimal("0.65"))

ONE_EXPERIMENT = {
    "seeds as rows": table("Seed|Test accuracy", "1|79.3", "2|78.5", "3|80.1", "mean|79.3", "std|0.65"),
    "seeds named in rows": table("|Test", "seed 1|79.3", "seed 2|78.5", "seed 3|80.1", "Average|79.3", "σ|0.65"),
    "seeds as columns": table("|Seed 1|Seed 2|Seed 3|Mean|Std", "Test|79.3|78.5|80.1|79.3|0.65"),
    "bare seeds as columns": table("Seed|1|2|3|Mean|Std", "Test accuracy|79.3|78.5|80.1|79.3|0.65"),
    "mean ± std column": table("|Seed 1|Seed 2|Seed 3|Mean ± std", "Test|79.3|78.5|80.1|79.3 ± 0.65"),
    "mean (std) column": table("|Seed 1|Seed 2|Seed 3|Mean (std)", "Test|79.3|78.5|80.1|79.3 (0.65)"),
    "LaTeX ± column": table(r"|Seed 1|Seed 2|Seed 3|Mean $\pm$ Std", r"Test|79.3|78.5|80.1|$79.3 \pm 0.65$"),
    "± row": table("Seed|Test", "1|79.3", "2|78.5", "3|80.1", "mean ± std|79.3 ± 0.65"),
    "percent signs": table("Seed|Test (%)", "1|79.3 %", "2|78.5 %", "3|80.1 %", "Mean|79.3 %", "Std|0.65 %"),
    "decimal commas": table("Graine|Test", "1|79,3", "2|78,5", "3|80,1", "Moyenne|79,3", "Écart-type|0,65"),
    "fractions": table("Seed|Test", "1|0.793", "2|0.785", "3|0.801", "mean|0.793", "std|0.0065"),
    "bold": table("**Seed**|**Test**", "1|**79.3**", "2|**78.5**", "3|**80.1**", "**Mean**|**79.3**", "**Std**|0.65"),
    "with validation": table(
        "Seed|Valid|Test", "1|81|79.3", "2|80|78.5", "3|83.5|80.1", "Mean|81.5|79.3", "Std|1.47|0.65"
    ),
    "with the epoch": table(
        "Seed|Best epoch|Test", "1|5|79.3", "2|3|78.5", "3|4|80.1", "Mean||79.3", "Standard deviation||0.65"
    ),
    "with the loss": table(
        "Seed|Test accuracy|Test loss", "1|79.3|0.61", "2|78.5|0.65", "3|80.1|0.66", "Mean|79.3|0.64", "Std|0.65|0.02"
    ),
}


@pytest.mark.parametrize("markdown", ONE_EXPERIMENT.values(), ids=ONE_EXPERIMENT)
def test_seeds_and_statistics_are_read_in_any_orientation(markdown: str) -> None:
    claims = read(f"# Task 3\n\nTest accuracies of three seeds.\n\n{markdown}")
    assert seeds(claims) == decimals(TEST)
    assert summary(claims) == STATISTICS


TWO_EXPERIMENTS = {
    "as columns": table(
        "Seed|Pretrained|Random", "1|79.3|65.4", "2|78.5|66.7", "3|80.1|67.4", "Mean|79.3|66.5", "Std|0.65|0.83"
    ),
    "as rows": table(
        "Model|Seed 1|Seed 2|Seed 3|Mean|Std", "Pretrained|79.3|78.5|80.1|79.3|0.65", "Random|65.4|66.7|67.4|66.5|0.83"
    ),
    "as rows with ±": table(
        "Model|Seed 1|Seed 2|Seed 3|Mean ± Std",
        "Pretrained|79.3|78.5|80.1|79.3 ± 0.65",
        "Random|65.4|66.7|67.4|66.5 ± 0.83",
    ),
    "with splits in the headers": table(
        "Seed|Pretrained (valid)|Pretrained (test)|Random (valid)|Random (test)",
        "1|81|79.3|62|65.4",
        "2|80|78.5|65|66.7",
        "3|83.5|80.1|63|67.4",
        "Mean|81.5|79.3|63.3|66.5",
        "Std|1.47|0.65|1.25|0.83",
    ),
}


@pytest.mark.parametrize("markdown", TWO_EXPERIMENTS.values(), ids=TWO_EXPERIMENTS)
def test_two_experiments_in_one_table_are_told_apart(markdown: str) -> None:
    claims = read(f"# Tasks 3 and 4\n\nAll figures are test accuracies unless said otherwise:\n\n{markdown}")
    for experiment, values, statistics in (
        ("pretrained", TEST, STATISTICS),
        ("random", RANDOM, (Decimal("66.5"), Decimal("0.83"))),
    ):
        own = [c for c in claims.seeds if c.experiment == experiment and c.split in ("test", None)]
        assert {c.seed: c.value for c in own} == decimals(values)
        assert statistics in [(s.mean, s.std) for s in claims.summaries if s.experiment == experiment]


def test_splits_are_told_by_column_headers() -> None:
    claims = read("# Task 3\n\n" + ONE_EXPERIMENT["with validation"])
    assert seeds(claims, split="valid") == decimals(VALID)
    assert summary(claims, split="valid") == (Decimal("81.5"), Decimal("1.47"))


def test_splits_are_told_by_the_line_before_each_table() -> None:
    valid = table("Seed|Accuracy", "1|81", "2|80", "3|83.5")
    test = table("Seed|Accuracy", "1|79.3", "2|78.5", "3|80.1")
    claims = read(f"# Task 3\n\nValidation accuracy:\n\n{valid}\n\nTest accuracy:\n\n{test}")
    assert seeds(claims) == decimals(TEST)
    assert seeds(claims, split="valid") == decimals(VALID)


def test_validation_that_only_chooses_is_not_the_split() -> None:
    claims = read(
        "# Task 3\n\n" + table("Seed|Test accuracy at the best validation epoch", "1|79.3", "2|78.5", "3|80.1")
    )
    assert seeds(claims) == decimals(TEST)


def test_eval_accuracy_of_the_trainer_is_validation() -> None:
    claims = read("# Task 5\n\n" + table("Seed|eval_accuracy", "1|0.815", "2|0.80", "3|0.835"))
    assert {c.split for c in claims.seeds} == {"valid"}


EPOCHS = [
    table("Epoch|Seed 1|Seed 2|Seed 3", "1|67.7|72.0|71.5", "2|73.9|76.4|75.9", "3|79.3|78.5|79.6"),
    table("Seed|Epoch 1|Epoch 2|Epoch 3", "1|67.7|73.9|79.3", "2|72.0|76.4|78.5", "3|71.5|75.9|79.6"),
    table("Epoch|1|2|3", "Seed 1|67.7|73.9|79.3", "Seed 2|72.0|76.4|78.5", "Seed 3|71.5|75.9|79.6"),
    table("Step|Valid|Test", "225|64|67.7", "450|68.5|73.9", "675|81|79.3"),
    table("Epoch|Mean|Std", "1|70.4|1.92", "2|75.4|1.08", "3|79.13|0.46"),
    table("Époque|Test", "1|67.7", "2|73.9", "3|79.3"),
]


@pytest.mark.parametrize("markdown", EPOCHS)
def test_the_course_of_training_is_no_headline(markdown: str) -> None:
    claims = read(f"# Task 3\n\n{markdown}")
    assert (claims.seeds, claims.summaries) == ((), ())
    assert claims.course


NO_ACCURACIES = [
    table("Parameter|Value", "batch size|8", "epochs|5", "learning rate|0.00001", "seeds|3"),
    table("Split|Reviews", "train|1800", "valid|200", "test|2000"),
    table("Seed|Time (s)", "1|86", "2|88", "3|87"),
    table("Seed|Test loss", "1|0.61", "2|0.65", "3|0.66"),
]


@pytest.mark.parametrize("markdown", NO_ACCURACIES)
def test_other_tables_hold_no_accuracies(markdown: str) -> None:
    assert read(f"# Task 3\n\n{markdown}") == ResultClaims()


def test_a_header_is_never_taken_for_figures() -> None:
    for markdown in (*ONE_EXPERIMENT.values(), *TWO_EXPERIMENTS.values()):
        claims = read(f"# Tasks 3 and 4\n\n{markdown}")
        assert all(claim.value > 50 for claim in claims.seeds)


def test_a_deviation_with_a_unit_slip_stays_as_written() -> None:
    claims = read("# Task 3\n\n" + table("Seed|Test", "1|79.3 %", "2|78.5 %", "mean|79.3 %", "std|0.0065 %"))
    assert summary(claims) == (Decimal("79.3"), Decimal("0.0065"))


def test_a_cell_is_quoted_with_its_row() -> None:
    claims = read("# Task 3\n\n" + table("Seed|Test", "1|79.3", "2|78.5"))
    assert [(c.evidence.line, c.evidence.quote) for c in claims.seeds] == [(5, "1 | 79.3"), (6, "2 | 78.5")]


def test_a_value_repeated_elsewhere_is_one_claim() -> None:
    one = table("Seed|Test", "1|79.3", "2|78.5", "3|80.1")
    assert len(read(f"# Task 3\n\n{one}\n\nAgain:\n\n{one}").seeds) == 3


@pytest.mark.parametrize("are_below", [True, False])
def test_captions_that_take_turns_with_tables_belong_to_their_own(are_below: bool) -> None:
    pretrained = table("Seed|Valid|Test", "1|81|79.3", "2|80|78.5", "3|83.5|80.1")
    random = table("Seed|Valid|Test", "1|64|65.4", "2|63.5|66.7", "3|66.5|67.4")
    first, second = "Table 1: the pretrained model", "Table 2: random initialisation"
    parts = (pretrained, first, random, second) if are_below else (first, pretrained, second, random)
    claims = read("# Tasks 3 and 4\n\n" + "\n\n".join(parts))
    assert seeds(claims) == decimals(TEST)
    assert seeds(claims, "random") == decimals(RANDOM)


def test_a_caption_does_not_take_averages_from_another_table() -> None:
    """The averages stand behind the caption of the second table, and are of both."""
    pretrained = table("Seed|Valid|Test", "1|81|79.3", "2|80|78.5", "3|83.5|80.1")
    random = table("Seed|Valid|Test", "1|64|65.4", "2|63.5|66.7", "3|66.5|67.4")
    blocks = [
        *document(f"# Results\n\n{pretrained}").blocks,
        Block(kind=BlockKind.CAPTION, text="Pretrained model"),
        *document(random).blocks,
        Block(kind=BlockKind.CAPTION, text="Random initialisation"),
        *document("The mean test accuracies are 79.30 ± 0.65 and 66.50 ± 0.83.").blocks,
    ]
    claims = result_claims(sections(Document(file="report.tex", exact=True, blocks=tuple(blocks)), lab()), lab())
    assert (seeds(claims), seeds(claims, "random")) == (decimals(TEST), decimals(RANDOM))
    assert summary(claims) == (Decimal("79.30"), Decimal("0.65"))
    assert summary(claims, "random") == (Decimal("66.50"), Decimal("0.83"))


def test_seeds_0_and_1_below_two_headers_are_no_answers() -> None:
    """The first column is called `Model` over `Seed`; 0 and 1 are seeds there, not `no` and `yes`."""
    found = read(
        "# Task 3\n\n"
        + table(
            "Model|Pretrained|Pretrained|Random|Random",
            "Seed|valid|test|valid|test",
            "0|81.0|79.3|64.0|65.4",
            "1|80.0|78.5|63.5|66.7",
            "2|83.5|80.1|66.5|67.4",
        )
    )
    assert seeds(found) == {0: Decimal("79.3"), 1: Decimal("78.5"), 2: Decimal("80.1")}
    assert seeds(found, "random") == {0: Decimal("65.4"), 1: Decimal("66.7"), 2: Decimal("67.4")}


@pytest.mark.parametrize(
    ("lead", "cells"),
    [
        ("", ("79.85 [81.5]", "79.10 [80.5]", "80.45 [83.0]")),
        ("Test accuracy; in brackets the validation accuracy.", ("79.85 (81.5)", "79.10 (80.5)", "80.45 (83.0)")),
        ("The validation accuracy stands before the one on test.", ("81.5 / 79.85", "80.5 / 79.10", "83.0 / 80.45")),
    ],
)
def test_figures_in_pairs_are_of_the_splits_that_they_can_be_of(lead: str, cells: tuple[str, ...]) -> None:
    text = f"# Task 3\n\n{lead}\n\n" + table("|seed 0|seed 1|seed 2|mean (std)", "|".join(("", *cells, "79.80 (0.68)")))
    claims = read(text)
    assert sorted(seeds(claims).values()) == [Decimal("79.10"), Decimal("79.85"), Decimal("80.45")]
    assert sorted(seeds(claims, split="valid").values()) == [Decimal("80.5"), Decimal("81.5"), Decimal("83.0")]
    assert summary(claims) == (Decimal("79.80"), Decimal("0.68"))


def test_the_word_for_seeds_may_stand_over_the_middle_of_their_numbers() -> None:
    rows = ("Model||||Average|Std", "|21|43|65||", "pretrained|79.15|80.60|79.70|79.82|0.60")
    random = "random|65.35|66.90|64.25|65.10|1.08"  # the average does not follow from the three
    found = read("# Results on test\n\n" + table("||seed|||", *rows, random))
    assert seeds(found) == decimals({21: "79.15", 43: "80.60", 65: "79.70"})
    assert seeds(found, "random") == decimals({21: "65.35", 43: "66.90", 65: "64.25"})


def test_a_deviation_without_a_split_of_its_own_is_of_the_average_beside_it() -> None:
    text = "# Task 3\n\nThe checkpoint is the one whose validation accuracy is best.\n\n"
    claims = read(text + table("Model|Average test accuracy|Standard deviation", "pretrained|79.62 %|± 0.72 %"))
    assert summary(claims) == (Decimal("79.62"), Decimal("0.72"))


def test_the_rows_of_a_frame_have_numbers_that_are_no_results() -> None:
    rows = ("18|random|0|4|64.5|68.05", "24|random|1|5|62.0|66.40", "29|random|2|5|63.5|67.00")
    claims = read("# Task 4\n\n" + table("|init|seed|epoch|valid|test", *rows))
    assert sorted(seeds(claims, "random").values()) == [Decimal("66.40"), Decimal("67.00"), Decimal("68.05")]


@pytest.mark.parametrize(
    "caveat",
    ["They are not to be compared with T3:", "Ils ne se comparent pas directement à T3 :", "Unlike any other:"],
)
def test_what_figures_cannot_be_compared_with_is_not_what_they_are_of(caveat: str) -> None:
    text = f"# Task 5\n\nThe figures below are validation accuracies. {caveat}\n\n"
    claims = read(text + table("seed|3|4|5", "accuracy|81.0|79.5|82.5"))
    assert seeds(claims, "huggingface", split="valid") == decimals({3: "81.0", 4: "79.5", 5: "82.5"})


def test_a_cell_may_name_its_own_run() -> None:
    claims = read("# Task 3\n\nTest:\n\n" + table("||", "graine 0 : 80,45|graine 1 : 79,20|graine 2 : 81,15"))
    assert seeds(claims) == decimals({0: "80.45", 1: "79.20", 2: "81.15"})


UNSTACKED = table("|seed|0|1|2", "|step|||", "valid|225|68.5|66.0|71.0", "|1125|82.0|80.0|82.0",
                  "test|225|66.85|65.10|69.40", "|1125|79.85|80.15|80.05")  # fmt: skip


def test_labels_in_two_levels_name_splits_and_runs_and_a_word_below_them_the_steps() -> None:
    points = read(f"# Task 3\n\n{UNSTACKED}\n").course
    assert len(points) == 12
    last = {(one.split, one.seed): one.value for one in points if one.moment.step == 1125}
    assert last["valid", 2] == Decimal("82.0")
    assert last["test", 1] == Decimal("80.15")


def test_labels_that_name_the_experiment_of_a_section_leave_the_others_theirs() -> None:
    rows = ("pretrained|79.73|0.73", "random|66.10|1.28", "hf|80.75|1.15")
    claims = read("# Task 5 (run_glue)\n\nThe three together, on test:\n\n" + table("|mean|std", *rows))
    assert {one.experiment: str(one.mean) for one in claims.summaries} == {
        "pretrained": "79.73", "random": "66.10", "huggingface": "80.75",
    }  # fmt: skip


def test_a_name_that_code_gives_to_the_best_figures_is_no_experiment() -> None:
    code = "best = runs_pretrained.groupby('seed').test.max()\n\n# Task 4\n\nbest: 67.2, 68.4, 66.1"
    assert {one.experiment for one in read(f"# Task 3\n\n{code}").seeds} == {"random"}


def test_two_experiments_in_one_cell_stand_as_their_label_names_them() -> None:
    rows = ("0|79.3 / 66.5", "1|78.5 / 65.0", "2|80.1 / 68.0", "mean|79.3 / 66.5")
    claims = read("# Accuracy on the test set\n\n" + table("seed|fairseq pretrained / random", *rows))
    assert seeds(claims) == decimals({0: "79.3", 1: "78.5", 2: "80.1"})
    assert seeds(claims, "random") == decimals({0: "66.5", 1: "65.0", 2: "68.0"})


def test_a_deviation_in_the_column_of_another_experiment_is_not_the_last_average_s() -> None:
    rows = ("1|79.20|80.90", "2|80.35|79.75", "3|78.90|81.60", "mean|79.48|80.75", "std|0.76|0.93")
    claims = read("# Accuracy on the test set\n\n" + table("seed|pretrained|hugging face", *rows))
    assert summary(claims) == (Decimal("79.48"), Decimal("0.76"))
    assert summary(claims, "huggingface") == (Decimal("80.75"), Decimal("0.93"))


def test_the_figures_of_one_run_s_epochs_are_no_runs() -> None:
    printed = "\n".join(f"test accuracy {value}" for value in ("66.85", "76.30", "79.10"))
    assert not seeds(read(f"# Task 3\n\nPretrained, three epochs:\n```\n{printed}\n```\n\nOn test: 79.48 ± 0.62."))


def on_a_page(*lines: str) -> ResultClaims:
    """The claims of lines below each other; one with bars is a row of a table as a page's reader found it."""
    blocks = [
        Block(
            kind=BlockKind.ROW if "|" in text else BlockKind.LINE,
            text=text.replace("|", "\t"),
            cells=tuple(text.split("|")) if "|" in text else (),
            page=1,
            box=(70, 100 + 14 * number, 500, 110 + 14 * number),
        )
        for number, text in enumerate(lines)
    ]
    return result_claims(sections(Document(file="r.pdf", exact=False, blocks=tuple(blocks)), lab()), lab())


def test_quantities_over_their_units_symbols_with_an_index_and_uncertainties_of_single_runs_are_read() -> None:
    lines = ("81.0|79.3(91)", "80.0|78.5(92)", "83.5|80.1(89)")
    claims = on_a_page(
        "Task 3. A_{v} is the validation accuracy and A_{t} that on the test set; brackets hold the uncertainty.",
        "model|seed / 1|A_{v} / %|A_{t} / %",
        *(f"{'' if seed else 'pretrained'}|{seed + 1}|{values}" for seed, values in enumerate(lines)),
        "In all:",
        "model|Ā / %|s / %|95 % CI (%)",
        "pretrained|79.30|0.80|[77.31; 81.29]",
        "random|66.50|1.01|[63.98; 69.02]",
    )
    assert seeds(claims) == decimals(TEST)
    assert seeds(claims, split="valid") == decimals(VALID)
    assert summary(claims) == (Decimal("79.30"), Decimal("0.80"))
    assert {(one.mean, one.std) for one in claims.summaries if one.experiment == "random"} == {
        (Decimal("66.50"), Decimal("1.01"))
    }


def test_a_sentence_far_from_the_values_gives_their_average_in_its_own_words() -> None:
    rows = ("pretrained|1|0.793", "|2|0.785", "|3|0.801", "random|1|0.639", "|2|0.652", "|3|0.659")
    prose = (
        "All was run on one card.\n\nIt took an hour.\n\nThe pretrained model gets 79.30 % of the reviews of the test "
        "set right on average, with a standard deviation of 0.65 points. From random weights I get 65.00 % on test, "
        "give or take 0.83."
    )
    claims = read("# Tasks 3 and 4\n\n" + table("start|seed|test", *rows) + f"\n\n{prose}")
    assert summary(claims) == (Decimal("79.30"), Decimal("0.65"))
    assert summary(claims, "random") == (Decimal("65.00"), Decimal("0.83"))


def test_a_number_of_runs_beside_an_average_makes_no_value_of_it() -> None:
    claims = read("# Tasks 3 and 4\n\n" + table("model|seeds|test", "pretrained|3|79.3 ± 0.65", "random|3|66.5 ± 0.83"))
    assert not claims.seeds
    assert summary(claims) == STATISTICS


def test_each_average_has_the_deviations_of_its_own_row() -> None:
    values = table("start|seed|test", "pretrained|1|79.3", "|2|78.5", "|3|80.1", "random|1|65.4", "|2|66.7", "|3|67.4")
    both = table("runs|mean|$s$|$\\sigma$", "1–3|79.30|0.80|0.65", "4–6|66.50|1.01|0.83")
    claims = read(f"# Tasks 3 and 4\n\nOn test:\n\n{values}\n\nOf these:\n\n{both}")
    assert {one.std for one in claims.summaries if one.experiment == "random"} == {Decimal("1.01")}


DEFINED = ("Param|Value|Role", "r|16|the rank of the update", "bias|none|no bias is trained")


@pytest.mark.parametrize(
    "rows",
    [
        ("run_glue, test|run_glue, test|run_glue, test", "seed 1: 79.4 %||", "seed 2: 80.0 %||"),
        ("A||79.15% 67.05% 78.90%", "B||80.35% 65.35% 80.25%"),
        ("run_glue|3 seeds|79.4 / 80.0 / 78.8 on test",),
        ("run_glue, test||79% 80% 81%",),
        ("|pretrained random|pretrained random", "seed 1||78.9 66.1 79.4", "seed 2||80.2 65.3 80.0"),
    ],
)
def test_figures_among_definitions_leave_a_trace(rows: tuple[str, ...]) -> None:
    claims = on_a_page(*DEFINED, *rows)
    assert claims.seeds or claims.loose


@pytest.mark.parametrize("sign", ["×", "*", "✓", "★", "•"])
def test_an_average_of_the_rows_that_a_sign_sets_off_is_of_these_runs(sign: str) -> None:
    rows = ("1|80.5|78.90|", f"2|82.0|79.55|{sign}", "3|79.0|77.80|", f"4|81.5|80.20|{sign}", f"5|83.0|79.85|{sign}")
    told = f"Test accuracy of the three kept seeds ({sign}): average 79.87, standard deviation 0.33."
    claims = read(f"# Task 3\n\nPretrained.\n\n{table('seed|validation|test|', *rows)}\n\n{told}\n")
    assert seeds(claims) == decimals({2: "79.55", 4: "80.20", 5: "79.85"})
    assert summary(claims) == (Decimal("79.87"), Decimal("0.33"))
    assert claims.loose == ()


def test_names_in_the_line_above_are_those_of_the_columns() -> None:
    rows = ("pretrained|1|5|81,0|79,30", "pretrained|2|3|80,0|78,55", "pretrained|3|4|83,5|80,10")
    claims = on_a_page("Init Seed Best epoch Valid Test", *rows)
    assert seeds(claims) == decimals({1: "79.30", 2: "78.55", 3: "80.10"})
    assert seeds(claims, split="valid") == decimals({1: "81.0", 2: "80.0", 3: "83.5"})


def test_what_a_table_reports_comes_before_an_earlier_trial_that_a_text_tells() -> None:
    text = (
        "# Lab 4: fairseq, Hugging Face\n\nThe pretrained runs were done twice: with the wrong schedule test gave "
        "81.4, 80.4 and 80.1 (mean 80.63, std 0.56).\n\n"
    )
    rows = ("run | init | framework | seed | test", "a0 | pretrained | fairseq | 0 | 79.2")
    rows += ("a1 | pretrained | fairseq | 1 | 79.1", "a2 | pretrained | fairseq | 2 | 80.4")
    rows += ("c0 | pretrained | Hugging Face | 0 | 80.55", "c1 | pretrained | Hugging Face | 1 | 79.7")
    claims = read(f"{text}{table(*rows)}\n\nTask 3: test 79.57 ± 0.59.")
    assert seeds(claims) == decimals({0: "79.2", 1: "79.1", 2: "80.4"})


def test_the_name_of_a_spreadsheets_function_tells_a_deviation() -> None:
    rows = ("graine | test", "11 | 79.30", "22 | 79.60", "33 | 80.20", "MOYENNE | 79.70", "ECARTYPE.PEARSON | 0.37")
    assert summary(read(f"# Tâche 3\n\n{table(*rows)}")) == (Decimal("79.70"), Decimal("0.37"))


def test_a_float_in_a_later_section_is_of_what_its_caption_and_its_labels_tell() -> None:
    both = table(
        "start | seed 0 | seed 1 | seed 2 | mean | std",
        "Pretrained | 79.9 | 78.5 | 80.1 | 79.50 | 0.87",
        "Random initialisation | 65.4 | 66.7 | 67.4 | 66.50 | 1.01",
    )
    own = table("seed | test accuracy (%)", "0 | 80.35", "1 | 79.20", "2 | 80.90", "mean ± std | 80.15 ± 0.87")
    claims = read(f"# Task 5: Hugging Face\n\nOn the test file:\n\n{both}\n\nTable 2: fairseq results\n\n{own}")
    assert seeds(claims) == decimals({0: "79.9", 1: "78.5", 2: "80.1"})
    assert seeds(claims, "huggingface") == decimals({0: "80.35", 1: "79.20", 2: "80.90"})


def test_a_line_at_which_two_tables_were_joined_tells_of_what_the_second_one_is() -> None:
    rows = ("graine | époque | acc. test", "11 | 4 | 79,8", "22 | 5 | 80,2", "33 | 4 | 80,5")
    rows += ("T4. Idem sans –restore-file. | | ", "graine | époque | acc. test")
    rows += ("11 | 5 | 67,3", "22 | 5 | 68,4", "33 | 5 | 66,4", "moyenne | | 67,37")
    claims = read(f"# Résultats\n\nT3. Trois graines, modèle pré-entraîné.\n\n{table(*rows)}")
    assert seeds(claims) == decimals({11: "79.8", 22: "80.2", 33: "80.5"})
    assert seeds(claims, "random") == decimals({11: "67.3", 22: "68.4", 33: "66.4"})
    assert summary(claims, "random") == (Decimal("67.37"), None)


@pytest.mark.parametrize(
    ("names", "experiments"),
    [("T3 pretr. T4 rand. T5 HF", {"pretrained", "random", "huggingface"}), ("pretrained random pretrained", set())],
)
def test_a_line_above_a_table_may_name_the_experiment_of_each_column(names: str, experiments: set[str]) -> None:
    rows = "\n".join(f"seed {10 * n}   79.{n}5   67.{n}0   80.{n}5" for n in (1, 2, 3))
    found = read(f"# Accuracy on test\n\n```\n{names}\n{rows}\n```").seeds
    assert {one.experiment for one in found} - {None} == experiments
    assert all(one.value < 70 for one in found if one.experiment == "random")


def test_the_names_of_figures_may_stand_above_those_of_the_rows() -> None:
    printed = """                           count   mean   std
framework    init
fairseq      pretrained      3  79.35  1.23
             random          3  66.33  1.43
transformers pretrained      3  80.10  0.61"""
    claims = read(f"# Accuracy on test\n\n```\n{printed}\n```")
    assert summary(claims)[:2] == (Decimal("79.35"), Decimal("1.23"))


def test_a_table_may_be_set_with_wide_blanks_in_plain_text() -> None:
    lines = [
        "seed      pretrained     scratch",
        "1111        80.55          63.85",
        "2222        78.05          66.10",
        "3333        79.60          64.90",
        "-----------------------------------",
        "avg         79.40          64.95",
        "std          1.03           0.92",
    ]
    blocks = tuple(Block(kind=BlockKind.LINE, text=text, line=at) for at, text in enumerate(lines, start=1))
    claims = result_claims(sections(Document(file="a.txt", exact=True, blocks=blocks), lab()), lab())
    assert seeds(claims, split=None) == decimals({1111: "80.55", 2222: "78.05", 3333: "79.60"})
    assert summary(claims, "random", None) == (Decimal("64.95"), Decimal("0.92"))


def test_chosen_epochs_without_a_run_are_no_course() -> None:
    """A run whose number is not told is another run all the same, so that its figures stay open."""
    rows = ("seed | 3 | 14 159 3 | 14 159 3", "kept epoch | 5 | 3 | 4", "valid | 82.0 | 80.5 | 83.0")
    claims = read("# Task 3\n\n" + table(*rows, "test | 79.35 | 78.60 | 80.15"))
    assert (len(claims.course), len(claims.loose)) == (0, 6)


def test_a_printed_frame_in_plain_text_keeps_its_names_whole() -> None:
    lines = [
        "      fs_pre  fs_rand  hf_pre",
        "seed",
        "3      81.05    68.35   80.60",
        "14     79.40    66.90   78.95",
        "15     80.15    69.75   79.75",
    ]
    blocks = tuple(Block(kind=BlockKind.LINE, text=text, line=at) for at, text in enumerate(lines, start=1))
    claims = result_claims(sections(Document(file="a.txt", exact=True, blocks=blocks), lab()), lab())
    assert seeds(claims, split=None) == decimals({3: "81.05", 14: "79.40", 15: "80.15"})
    assert seeds(claims, "random", None) == decimals({3: "68.35", 14: "66.90", 15: "69.75"})
    assert seeds(claims, "huggingface", None) == decimals({3: "80.60", 14: "78.95", 15: "79.75"})


def test_a_remark_in_a_row_does_not_say_what_its_figures_measure() -> None:
    rows = (
        "Try|Changed|Seed 1|Seed 2|Seed 3|Mean|Remark",
        "a|half of the batch size, by mistake|74.3|74.5|75.1|74.63|the loss was still high at the end",
        "b|learning rate as it was asked for|79.3|78.5|80.1|79.3|loss .41, std 0.65",
    )
    claims = read(f"## Fine-tuning of the pretrained model\n\n{table(*rows)}\n\nAll figures are test accuracies.\n")
    assert {Decimal("79.3"), Decimal("78.5"), Decimal("80.1")} <= {one.value for one in claims.seeds}
    named = read(f"## Pretrained\n\n{table('|1|2|3', 'test loss|0.51|0.52|0.55', 'test|79.3|78.5|80.1')}\n")
    assert {one.value for one in named.seeds} == set(decimals(TEST).values()), "a short label names the measure"


LEGEND = "- P: fairseq, given weights\n- A: fairseq, weights by chance\n- H: Hugging Face, given weights\n\n"


def test_a_list_gives_the_experiments_names_of_a_student_s_own() -> None:
    rows = ("seed|P|A|H", "1|79.3|65.4|80.2", "2|78.5|66.7|79.9", "3|80.1|67.4|80.6")
    claims = read(f"# Accuracy on the test set\n\n{LEGEND}{table(*rows)}\n")
    assert seeds(claims) == decimals(TEST)
    assert seeds(claims, "random") == decimals(RANDOM)
    assert seeds(claims, "huggingface") == decimals({1: "80.2", 2: "79.9", 3: "80.6"})


@pytest.mark.parametrize(
    "said",
    [
        "Names: Pia = pretrained fairseq model, Ada = the one with the random checkpoint, Hugo = Hugging Face.",
        "We call Pia the model that was pretrained, Ada the one that was not, and Hugo the one in Hugging Face.",
        "On appelle Pia le modèle pré-entraîné, Ada celui qui part de poids aléatoires et Hugo celui de Hugging Face.",
    ],
)
def test_a_sentence_gives_them_too(said: str) -> None:
    rows = ("seed|Pia|Ada|Hugo", "1|79.3|65.4|80.2", "2|78.5|66.7|79.9", "3|80.1|67.4|80.6")
    claims = read(f"# Accuracy on the test set\n\n{said}\n\n{table(*rows)}\n")
    assert seeds(claims) == decimals(TEST)
    assert seeds(claims, "random") == decimals(RANDOM)
    assert seeds(claims, "huggingface") == decimals({1: "80.2", 2: "79.9", 3: "80.6"})


def test_the_line_that_names_no_experiment_means_the_one_that_is_left() -> None:
    legend = LEGEND.replace("fairseq, given weights", "the usual thing").replace("P:", "Nessie:")
    claims = read(f"# Test\n\n{legend}{table('seed|Nessie|A|H', '1|79.3|65.4|80.2', '2|78.5|66.7|79.9')}\n")
    assert seeds(claims) == decimals({1: "79.3", 2: "78.5"})


def test_names_that_nobody_explains_get_no_experiment_from_beside_the_table() -> None:
    said = "- Nessie: by fairseq\n- Yeti: by fairseq, too\n- Kraken: in run_glue\n\n"
    rows = ("seed|Nessie|Yeti|Kraken", "1|79.3|65.4|80.2", "2|78.5|66.7|79.9")
    claims = read(f"# Test\n\n{said}{table(*rows)}\n\nNessie: mean 78.9, std 0.57.\n")
    assert {one.experiment for one in claims.seeds} == {None}
    assert {one.experiment for one in claims.summaries} == {None}


@pytest.mark.parametrize("repetition", ["seed", "rep", "répétition"])
def test_rows_of_epochs_belong_to_the_repetition_above_and_the_mean_s_row_to_its_group(repetition: str) -> None:
    shown = {
        "pretrained": ("79.30 ± 0.65", [("78.45", "79.30"), ("78.10", "78.50"), ("78.90", "80.10")]),
        "random": ("66.10 ± 0.78", [("65.35", "66.20"), ("66.15", "67.00"), ("64.70", "65.10")]),
    }
    rows = [f"experiment|{repetition}|epoch|valid|test"]
    for experiment, (mean, runs) in shown.items():
        for number, (first, chosen) in enumerate(runs, start=1):
            rows.append(f"{experiment if number == 1 else ''}|{number}|1|61.0|{first}")
            rows.append(f"||2|**62.0**|**{chosen}**")
        rows.append(f"mean ± std||||{mean}")
    claims = read("# T3\n\n" + table(*rows) + "\n\nThe epoch in bold has the best validation accuracy.\n")
    for experiment, (mean, runs) in shown.items():
        assert seeds(claims, experiment) == decimals({n: chosen for n, (_, chosen) in enumerate(runs, start=1)})
        assert summary(claims, experiment) == tuple(map(Decimal, mean.split(" ± ")))
