from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.claims.results.claimed import ResultClaims, result_claims
from grader.claims.sections import sections
from tests.claims.making import document, lab
from tests.patience import within


def read(markdown: str) -> ResultClaims:
    return result_claims(sections(document(markdown), lab()), lab())


def found(claims: ResultClaims) -> set[tuple[str | None, str | None, int, Decimal]]:
    return {(c.experiment, c.split, c.seed, c.value) for c in claims.seeds}


def stated(claims: ResultClaims) -> set[tuple[str | None, str | None, Decimal | None, Decimal | None]]:
    return {(s.experiment, s.split, s.mean, s.std) for s in claims.summaries}


def three(experiment: str, split: str | None, *values: str, first: int = 1) -> set[tuple[object, ...]]:
    return {(experiment, split, seed, Decimal(value)) for seed, value in enumerate(values, start=first)}


LISTS = {
    "items": "On the test set:\n- Seed 1: 79.3%\n- Seed 2: 78.5%\n- Seed 3: 80.1%",
    "sentence": "On the test set seed 1 gives 79.3%, seed 2 gives 78.5% and seed 3 gives 80.1%.",
    "equals": "Test: seed 1 = 79.3, seed 2 = 78.5, seed 3 = 80.1.",
    "commas": "Sur le test : graine 1 : 79,3 %, graine 2 : 78,5 %, graine 3 : 80,1 %.",
    "fractions": "Test accuracy: seed 1: 0.793, seed 2: 0.785, seed 3: 0.801.",
    "with epochs": "On test seed 1 has 79.3% at epoch 5, seed 2 has 78.5% at epoch 3 and seed 3 has 80.1% at epoch 4.",
    "lines": "Test\nseed 1 test 79.3\nseed 2 test 78.5\nseed 3 test 80.1",
    "respectively": "The test accuracies for seeds 1, 2 and 3 are 79.3%, 78.5% and 80.1% respectively.",
    "respectively, values first": "We obtain 79.3%, 78.5% and 80.1% on test for seeds 1, 2 and 3 respectively.",
    "French respectively": "Pour les graines 1, 2 et 3 on obtient respectivement 79,3 %, 78,5 % et 80,1 % sur le test.",
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_the_accuracy_of_each_seed_is_read(text: str) -> None:
    assert found(read(f"# Task 3\n\n{text}")) == three("pretrained", "test", "79.3", "78.5", "80.1")


def test_whole_percents_in_lines_that_each_begin_with_a_seed_are_read() -> None:
    lines = "seed 1 valid 83.5 test 81\nseed 2 valid 81.5 test 81\nseed 3 valid 83 test 80.75"
    told = found(read(f"# Task 3\n\n{lines}"))
    assert told == three("pretrained", "test", "81", "81", "80.75") | three("pretrained", "valid", "83.5", "81.5", "83")


ONLY_VALID = {
    "only": "I could only evaluate on the validation set, as predicting crashed. The seeds gave 81.5, 80.0 and 82.5 %.",
    "alone": "It ran on the validation set only. Its three seeds reached 81.5, 80.0 and 82.5 %.",
    "French": "Je n'ai regardé que la validation, faute de temps. Les trois graines donnent 81,5 %, 80,0 % et 82,5 %.",
    "not test": "The accuracies are 81.5, 80.0 and 82.5 % on validation. I know this is not the test set.",
}


@pytest.mark.parametrize("text", ONLY_VALID.values(), ids=ONLY_VALID)
def test_a_sentence_that_names_the_only_split_tells_it_of_those_behind_it(text: str) -> None:
    before = "# Task 3\n\nOn test the accuracies are 79.3, 78.5 and 80.1 %."
    assert {one for one in found(read(f"{before}\n\n# Task 5\n\n{text}")) if one[0] == "huggingface"} == three(
        "huggingface", "valid", "81.5", "80.0", "82.5"
    )


def test_the_only_split_of_one_experiment_is_not_told_of_another_one() -> None:
    text = "Run_glue ran on validation only. On test the pretrained model has 79.3, 78.5 and 80.1 % with fairseq."
    assert found(read(text)) == three("pretrained", "test", "79.3", "78.5", "80.1")


@pytest.mark.parametrize("said", ["I know this is not the test set.", "Ce n'est pas le test."])
def test_figures_that_are_said_not_to_be_of_a_split_are_not_of_it(said: str) -> None:
    told = read(f"# Task 5\n\nThe three seeds gave 81.5, 80.0 and 82.5 %. {said}")
    assert {split for _, split, _, _ in found(told)} == {None}


def test_seeds_may_begin_at_zero() -> None:
    text = "# Task 3\n\nOn test: seed 0: 79.3, seed 1: 78.5, seed 2: 80.1."
    assert found(read(text)) == three("pretrained", "test", "79.3", "78.5", "80.1", first=0)


def test_a_figure_against_which_another_one_is_held_is_of_no_experiment_that_the_sentence_names() -> None:
    text = (
        "Pretrained model, on test: 79.1, 80.2 and 79.5 for seeds 1, 2 and 3, 79.6 ± 0.57 on average.\n\n"
        "An empty model, the same seeds: 65.9, 66.75 and 67.1 on test, 66.58 ± 0.61 on average.\n\n"
        "Pretraining gains 13 points (79.60 against 66.58)."
    )
    means = {(one.experiment, one.mean) for one in read(f"# Results\n\n{text}").summaries}
    assert ("pretrained", Decimal("79.6")) in means
    assert not {experiment for experiment, mean in means if mean == Decimal("66.58")} & {"pretrained"}


def test_pairs_with_an_arrow_are_of_the_splits_that_the_line_above_names_in_order() -> None:
    lists = "\n".join(f"{run}. seed {run}: {pair}" for run, pair in ((1, "81.0 → 79.35 %"), (2, "82.5 → 80.15 %")))
    claims = found(read(f"# Task 3\n\nPer seed: best validation accuracy → its test accuracy.\n\n{lists}\n"))
    assert claims == three("pretrained", "valid", "81.0", "82.5") | three("pretrained", "test", "79.35", "80.15")


STATISTICS = {
    "words": "The average test accuracy is 79.3% and the standard deviation is 0.65%.",
    "in letters": "On test that is 79.3 pct on average, with a standard deviation of 0.65 per cent.",
    "two sentences": "On test the mean is 79.3 %. On test the standard deviation is 0.65 %.",
    "plus-minus": "We obtain a test accuracy of 79.3 ± 0.65.",
    "plus-minus with percent": "We obtain 79.3% ± 0.65% on the test set.",
    "ASCII plus-minus": "Test accuracy: 79.3 +/- 0.65.",
    "LaTeX": r"The average test accuracy is $79.3 \pm 0.65 \%$.",
    "brackets": "Over the seeds we get 79.3 (±0.65) % on test.",
    "std in brackets": "On test the mean is 79.3 (std 0.65).",
    "pair": "The mean and standard deviation on test are 79.3 and 0.65.",
    "French": "La moyenne sur le test est de 79,3 % et l'écart-type de 0,65 %.",
    "fractions": "The mean test accuracy is 0.793 with a standard deviation of 0.0065.",
    "symbols": "On test μ = 79.3 and σ = 0.65.",
    "LaTeX symbols": r"On test $\mu = 79.3$ and $\sigma = 0.65$.",
    "labels": "Test set - Mean: 79.3, Std: 0.65",
    "letters": "On test x̄ = 79.3 % and s = 0.65 points.",
    "behind": "We reach 79.3% on average on the test set, with a std of 0.65%.",
}


@pytest.mark.parametrize("text", STATISTICS.values(), ids=STATISTICS)
def test_mean_and_deviation_are_read(text: str) -> None:
    claims = read(f"# Task 3\n\n{text}")
    means = {s.mean for s in claims.summaries if s.mean is not None}
    stds = {s.std for s in claims.summaries if s.std is not None}
    assert (means, stds) == ({Decimal("79.3")}, {Decimal("0.65")})
    assert {(s.experiment, s.split) for s in claims.summaries} == {("pretrained", "test")}
    assert not claims.seeds


@given(
    values=st.lists(st.decimals(min_value=50, max_value=99, places=1), min_size=3, max_size=3),
    mark=st.sampled_from([".", ","]),
    percent=st.sampled_from(["", "%", " %"]),
)
def test_any_three_accuracies_are_read_back(values: list[Decimal], mark: str, percent: str) -> None:
    items = "\n".join(f"- seed {n}: {value}{percent}".replace(".", mark) for n, value in enumerate(values, start=1))
    assert found(read(f"# Task 4\n\nTest accuracy:\n{items}")) == three("random", "test", *map(str, values))


def test_both_splits_of_a_seed_are_told_apart() -> None:
    text = "# Task 3\n\n" + "\n".join(
        f"- seed {seed}: {valid} on validation, {test} on test."
        for seed, valid, test in ((1, "81.0", "79.3"), (2, "80.0", "78.5"), (3, "83.5", "80.1"))
    )
    assert found(read(text)) == three("pretrained", "test", "79.3", "78.5", "80.1") | three(
        "pretrained", "valid", "81.0", "80.0", "83.5"
    )


@pytest.mark.parametrize("titles", [("## Validation", "## Test"), ("Validation accuracies:", "Test accuracies:")])
def test_a_title_says_which_split_follows(titles: tuple[str, str]) -> None:
    valid, test = titles
    text = (
        f"# Task 3\n\n{valid}\n\n- seed 1: 81.0\n- seed 2: 80.0\n- seed 3: 83.5\n\n"
        f"{test}\n\n- seed 1: 79.3\n- seed 2: 78.5\n- seed 3: 80.1\n"
    )
    assert found(read(text)) == three("pretrained", "test", "79.3", "78.5", "80.1") | three(
        "pretrained", "valid", "81.0", "80.0", "83.5"
    )


def test_each_experiment_of_a_comparison_keeps_its_own_mean() -> None:
    text = "# Task 4\n\nOn test random weights have a mean of 66.5 (std 0.83), pretrained ones of 79.3 (std 0.65)."
    assert stated(read(text)) == {
        ("random", "test", Decimal("66.5"), Decimal("0.83")),
        ("pretrained", "test", Decimal("79.3"), Decimal("0.65")),
    }


def test_a_comparison_gives_the_other_experiment_none_of_this_ones_figures() -> None:
    text = "# Task 4\n\nThe average test accuracy is 66.5%, against an average of 79.3% for the pretrained model."
    assert ("random", "test", Decimal("79.3"), None) not in stated(read(text))
    assert ("pretrained", "test", Decimal("66.5"), None) not in stated(read(text))


@pytest.mark.parametrize(
    "said",
    [
        "In Task 3 the average test accuracy was 79.3%.",
        "Unlike in Task 3, where the average test accuracy was 79.3%, it is lower here.",
        "Compared with task 3 (79.3% on average on test) this is low.",
    ],
)
def test_a_figure_of_another_task_is_not_taken_for_this_one(said: str) -> None:
    claims = read(f"# Task 4\n\n{said}")
    assert [s for s in claims.summaries if s.experiment == "random"] == []


def test_each_pair_of_mean_and_deviation_has_its_own_split() -> None:
    claims = read("# Task 3\n\nMean ± std over the seeds: 79.3 ± 0.65 (test) and 81.67 ± 1.43 (validation).")
    assert ("pretrained", "test", Decimal("81.67"), Decimal("1.43")) not in stated(claims)
    assert ("pretrained", "valid", Decimal("79.3"), Decimal("0.65")) not in stated(claims)


def test_validation_in_brackets_does_not_swap_the_splits() -> None:
    text = "On test, seed 1: 79.3 (val 81.5), seed 2: 78.5 (val 80.0), seed 3: 80.1 (val 83.5)."
    for said in (text, text.replace("On test, ", "").replace(").", ") on the test set.")):
        claims = found(read(f"# Task 3\n\n{said}"))
        wrong = three("pretrained", "valid", "79.3", "78.5", "80.1") | three(
            "pretrained", "test", "81.5", "80.0", "83.5"
        )
        assert claims & wrong == set()


def test_a_small_percentage_is_no_fraction() -> None:
    claims = read("# Task 3\n\nThe average is 79.3% with a mean deviation of 0.65%. On average it moves by 0.65%.")
    assert all(s.mean is None or s.mean != 65 for s in claims.summaries)


def test_words_of_the_pretrained_model_do_not_lead_away_from_hugging_face() -> None:
    text = "# Task 5\n\nFine-tuning the pretrained model again: the average test accuracy is 80.0%, std 0.86%."
    assert stated(read(text)) == {("huggingface", "test", Decimal("80.0"), Decimal("0.86"))}


NOTHING = [
    "79.3 78.5 80.1 81 80 83.5",
    "We train with batch size 8, 5 epochs, 1125 steps, a rate of 1e-5 and a warm-up of 0.06.",
    "There are 1,800 training, 200 validation and 2,000 test reviews.",
    "The pretrained model is 12.8 points better; it improves by 13 points on average.",
    "See figure 3, table 2 and section 4.1.",
    "We ran seeds 1, 2 and 3 for 5 epochs each.",
    "Seed 1 took 86 seconds, seed 2 took 88 seconds and seed 3 took 87 seconds.",
    "Seed 1 has a loss of 0.61, seed 2 of 0.65 and seed 3 of 0.66.",
    "The accuracy of seed 1 goes from 67.7 to 79.9 over 73.9 and 78.9.",
    "We used 3 seeds.",
    "The average loss is 0.61.",
    "On average an epoch takes 17 s.",
    "The average length is 67 tokens.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_clear_accuracy_is_not_taken_for_one(text: str) -> None:
    claims = read(f"# Task 3\n\n{text}")
    assert (claims.seeds, claims.summaries, claims.course) == ((), (), ())


def test_a_claim_is_quoted_with_its_words() -> None:
    claims = read("# Task 3\n\nOn test, **seed 1** gives $79.3\\%$.")
    assert [(c.evidence.line, c.evidence.quote) for c in claims.seeds] == [(3, "On test, **seed 1** gives $79.3\\%$.")]


def test_a_pasted_log_takes_no_time() -> None:
    log = "\n".join(f"epoch {n} | loss 0.512 | accuracy 79.{n % 10} | num_updates {n * 225}" for n in range(3_000))
    with within(2):
        read(f"# Task 3\n\n{log}")


@pytest.mark.parametrize("text", ["79.9 " * 5_000, "seed 1 79.9 " * 2_000, "mean 79.9 std 0.3 " * 2_000, "±" * 10_000])
def test_no_row_of_figures_takes_time(text: str) -> None:
    with within(1):
        read(f"# Task 3\n\n{text}")


def test_a_split_in_brackets_with_a_number_is_of_that_number() -> None:
    text = "With one single seed, on the test set:\n\n- pretrained: 79.6 % (validation 81.0)\n"
    assert found(read(text)) == {
        ("pretrained", "test", 1, Decimal("79.6")),
        ("pretrained", "valid", 1, Decimal("81.0")),
    }


def test_a_deviation_is_of_the_experiment_that_its_own_item_is_about() -> None:
    text = "Results on the test set:\n\n- pretrained: 79.3 %, s = 0.71 points\n- random: 65.4 %, s = 1.32 points"
    assert {(e, s) for e, _, _, s in stated(read(f"# Results\n\n{text}"))} == {
        ("pretrained", Decimal("0.71")),
        ("random", Decimal("1.32")),
    }


def test_the_ends_of_a_range_are_no_values_of_runs() -> None:
    claims = read("# Task 3\n\nOn the test set: mean 79.30, sd 0.80 [78.50 .. 80.10]\n")
    assert (found(claims), stated(claims)) == (set(), {("pretrained", "test", Decimal("79.30"), Decimal("0.80"))})


TWO_LIVES = (
    "# Three lives of a pretrained model\n\nThe test accuracies of seeds 1, 2 and 3 were 79.2 %, 80.4 % and 78.9 %. "
    "Their average is 79.50 % and their standard deviation 0.79.\n\n# Three lives of a newborn\n\n{} The test "
    "gave 66.1 % with seed 1, 67.8 % with seed 2 and 65.9 % with seed 3, on average 66.60 %, with a deviation of 1.04."
)


@pytest.mark.parametrize(
    ("lead", "second"),
    [
        ("I then took away the pretrained weights and repeated the exercise.", "random"),
        ("Everything else is as for the pretrained model of the first section.", None),
    ],
)
def test_the_first_of_two_sections_is_of_the_experiment_that_its_title_names(lead: str, second: str | None) -> None:
    own = three("pretrained", "test", "79.2", "80.4", "78.9")
    other = {(second, "test", seed, Decimal(value)) for seed, value in ((1, "66.1"), (2, "67.8"), (3, "65.9"))}
    assert found(read(TWO_LIVES.format(lead))) == own | other


@pytest.mark.parametrize(
    "text",
    [
        "Tasks 3 and 4: 78.8 % (± 1.2) on test when we start from weights that were pretrained, 65.8 % (± 0.9) else.",
        "Tâches 3 et 4 : 78,8 % (± 1,2) sur le test en partant du modèle pré-entraîné, 65,8 % (± 0,9) sinon.",
        "T3, T4: 78.8 ± 1.2 and 65.8 ± 0.9 on test",
        "T3 and T4: random weights give 65.8 ± 0.9 on test, the pretrained ones 78.8 ± 1.2.",
    ],
)
def test_the_last_name_of_a_title_is_not_that_of_the_first_figure(text: str) -> None:
    figures = {
        ("pretrained", "test", Decimal("78.8"), Decimal("1.2")),
        ("random", "test", Decimal("65.8"), Decimal("0.9")),
    }
    assert stated(read(text)) == figures


@pytest.mark.parametrize(
    ("note", "split"),
    [
        ("Note that this is validation accuracy.", "valid"),
        ("Attention, c'est l'accuracy de validation.", "valid"),
        ("It is chosen on validation.", "test"),
        ("C'est la validation qui choisit l'époque.", "test"),
        ("\n\nThis is the validation accuracy of another run.", "test"),
    ],
)
def test_a_sentence_may_say_what_the_figures_before_it_are_of(note: str, split: str) -> None:
    text = f"# Results\n\nThe test set has 2,000 reviews.\n\nrun_glue: 80.8 % (± 1.0). {note}"
    assert {one.split for one in read(text).summaries} == {split}


@pytest.mark.parametrize(
    ("printed", "seeds"),
    [
        ("0 2000 0.7785\n1 2000 0.799\n2 2000 0.792", {0, 1, 2}),
        ("7 77.85\n42 79.90\n1234 79.20", {7, 42, 1234}),
        ("1 0.7785\n2 0.799\n3 0.792", set()),  # perhaps epochs
        ("0 0.7785\n1 0.799\n2 0.792\n3 0.801", set()),
        ("7 77.85\n7 79.90\n1234 79.20", set()),
    ],
)
def test_lines_of_a_whole_number_and_a_decimal_are_runs(printed: str, seeds: set[int]) -> None:
    claims = read(f"# Task 5\n\n```\n{printed}\n```")
    assert {one.seed for one in claims.seeds} == seeds
    assert not seeds or {one.value for one in claims.seeds} == {Decimal("77.85"), Decimal("79.90"), Decimal("79.20")}


@pytest.mark.parametrize("name", ["run_glue", "glue", "my_script"])
def test_a_name_with_an_underscore_keeps_the_deviation(name: str) -> None:
    assert stated(read(f"# Task 5\n\n{name}: 79.0 ± 0.4 on test")) == {
        ("huggingface", "test", Decimal("79.0"), Decimal("0.4"))
    }


@pytest.mark.parametrize(
    ("headings", "second"),
    [
        (("## With the pretrained weights", "## With something else"), None),
        (("## With the pretrained weights", "### With something else"), "pretrained"),
        (("### With the pretrained weights", "## With something else"), None),
    ],
)
def test_a_heading_without_a_name_begins_something_else(headings: tuple[str, str], second: str | None) -> None:
    text = "{}\n\nOn test: 77.35, 78.60 and 79.95. Mean 78.63, deviation 1.06.\n\n{}\n\nOn test: 76.90, 76.15, 78.05."
    values = {one.value: one.experiment for one in read(text.format(*headings)).seeds}
    assert values[Decimal("77.35")] == "pretrained"
    assert values.get(Decimal("76.90")) == second


def test_a_heading_before_any_figures_leaves_the_one_above_in_force() -> None:
    text = "## The pretrained model\n\nAs asked for.\n\n## Results\n\nOn test: 77.35, 78.60 and 79.95."
    assert {one.experiment for one in read(text).seeds} == {"pretrained"}


@pytest.mark.parametrize(
    ("lead", "split"),
    [
        ("The following figures are those that run_glue prints at the end, so of validation.", "valid"),
        ("Les chiffres suivants sont ceux que le script affiche, donc sur la validation.", "valid"),
        ("The following figures are not of validation.", "test"),
        ("The weights of each run are chosen on validation.", "test"),
    ],
)
def test_a_sentence_may_say_what_the_figures_below_it_are_of(lead: str, split: str) -> None:
    text = f"# Task 5\n\nThe test set has 2,000 reviews.\n\n{lead}\n\n- seed 1: 82.5\n- seed 2: 81.0\n- seed 3: 83.0"
    assert {one.split for one in read(text).seeds} == {split}


def test_a_story_of_trials_takes_no_figures_that_have_an_average() -> None:
    text = """## Fine-tuning

My first try gave 50.5 % everywhere, even from the pretrained model. In the second one it was 74.2 %.

**Task 3, pretrained**

- seed 7: 78.8
- seed 77: 79.3
- seed 777: 80.2
- on average 79.43, standard deviation 0.58"""
    found = {one.value: one.experiment for one in read(text).seeds}
    assert {found[Decimal(value)] for value in ("78.8", "79.3", "80.2")} == {"pretrained"}


def test_seeds_may_be_listed_with_blanks() -> None:
    text = "# Task 3\n\n```\npre = [0.7935, 0.8060, 0.7890]  # test, seeds 7 8 9\n```"
    assert {one.seed for one in read(text).seeds} == {7, 8, 9}


def test_the_number_of_another_task_names_it_also_within_the_section_of_one_like_it() -> None:
    text = "# Task 5\n\nWith run_glue.\n\nT3 test: seed 0 → 78.95; seed 1 → 80.10; seed 2 → 79.45"
    assert {one.experiment for one in read(text).seeds} == {"pretrained"}


def test_a_seed_in_brackets_before_all_figures_is_that_of_them() -> None:
    claims = read("# Task 4: random\n\nI finished only one run (seed 123): validation 67.5%, test 66.75%.\n")
    found = {(one.split, one.seed, str(one.value)) for one in claims.seeds}
    assert found == {("valid", 123, "67.5"), ("test", 123, "66.75")}


def test_pairs_have_the_splits_in_the_order_in_which_the_sentence_names_them() -> None:
    claims = read("# T3\n\nValid / Test pairs: 82.0 / 79.3, 81.5 / 78.5, 83.0 / 80.1. Test mean 79.3, std 0.65.\n")
    for split, values in (("valid", ("82.0", "81.5", "83.0")), ("test", ("79.3", "78.5", "80.1"))):
        own = {one.seed: str(one.value) for one in claims.seeds if one.split == split}
        assert own == dict(enumerate(values, start=1))


def test_a_sentence_that_only_refers_to_another_task_leads_nothing() -> None:
    claims = read("**T5, Hugging Face.** I ran this before T4. Test accuracies: 79.7, 81.2, 79.35.\n")
    assert {one.experiment for one in claims.seeds} == {"huggingface"}


@pytest.mark.parametrize("run", ["seed", "graine"])
def test_numbers_of_runs_are_no_numbers_of_questions(run: str) -> None:
    rows = f"{run} 3   0.8100\n\n{run} 4   0.8030\n\n{run} 5   0.7945\n\nmean 0.8023   std 0.0063"
    claims = read(f"# Q\n\nAccuracy on test\n\nHugging Face\n\n{rows}\n\nDone.")
    assert {claim.experiment for claim in claims.seeds} == {"huggingface"}
    assert {claim.seed for claim in claims.seeds} == {3, 4, 5}


def test_a_third_value_near_the_average_of_two_is_a_value() -> None:
    claims = read("# Q\n\nPretrained, test\n\n78.8  78.2  78.6\n\nmean 78.53  std 0.25")
    assert {claim.value for claim in claims.seeds} == {Decimal("78.8"), Decimal("78.2"), Decimal("78.6")}


@pytest.mark.parametrize("instead", ["random instead of pretrained", "aléatoires au lieu de préentraînés"])
def test_what_is_replaced_owns_no_results(instead: str) -> None:
    claims = read(f"# Q\n\nThe weights are {instead}: on test 65.15, 67.05 and 65.25.")
    assert {claim.experiment for claim in claims.seeds} == {"random"}
