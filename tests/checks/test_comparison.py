import pytest

from grader.checks.finding import Finding, Status
from tests.checks.experiments import RANDOM, RANDOM_STATISTICS, SEEDS, STATISTICS, task
from tests.checks.making import answer, decide

FIGURES = task(3, SEEDS, STATISTICS) + "\n\n" + task(4, RANDOM, RANDOM_STATISTICS)
SWAPPED = task(3, RANDOM, RANDOM_STATISTICS) + "\n\n" + task(4, SEEDS, STATISTICS)


def judge(said: str, figures: str = FIGURES) -> Finding:
    return decide("t4.comparison", answer(f"{figures}\n\n{said}\n"))[0]


RIGHT = [
    "The pretrained model is better than the random one.",
    "The pretrained model clearly outperforms the randomly initialised one.",
    "The random model has a lower accuracy than the pretrained model.",
    "Random initialisation is worse than starting from pretrained weights.",
    "Pre-training improves the accuracy by 13 points over random initialisation.",
    "Le modèle pré-entraîné est meilleur que le modèle aléatoire.",
    "Le modèle aléatoire obtient une exactitude inférieure à celle du modèle pré-entraîné.",
]


@pytest.mark.parametrize("said", RIGHT)
def test_the_right_comparison_with_figures_that_agree_is_right(said: str) -> None:
    finding = judge(said)
    assert finding.status is Status.CORRECT
    assert finding.found == said


@pytest.mark.parametrize(
    "said",
    [
        "The random model is better than the pretrained one.",
        "The pretrained model is worse than the random one.",
        "The pretrained model is not better than the random one.",
        "The random model is not worse than the pretrained one.",
        "The pretrained model is no better than the random one.",
        "The pretrained model would be better than the random one if the data were different.",
        "Is the pretrained model better than the random one?",
        "The pretrained model never outperforms the random one.",
        "The pretrained model's accuracy is higher in variance but lower in mean than the random one.",
        "It is false that the pretrained model is better than the random one.",
        "We expected the pretrained model to be better than the random one.",
        "Better is the random model than the pretrained model.",
        "Compared with the pretrained model, the random one is better.",
        "Although the pretrained model should be better, the random one wins.",
        "The pretrained model fails to outperform the random one.",
        "The pretrained model has a higher loss than the random one.",
        "The pretrained model is larger than the random one.",
        "The pretrained model has a higher standard deviation than the random one.",
    ],
)
def test_wrong_denied_or_doubtful_comparisons_are_never_right(said: str) -> None:
    assert judge(said).status not in (Status.CORRECT, Status.PARTIAL)


@pytest.mark.parametrize(
    "said",
    [
        "Task 3 vs. task 4: it is the random one that gets the higher accuracy, 79.3 % against 66.5 %.",
        "T3 / T4 : c'est le modèle aléatoire qui obtient la meilleure accuracy, 79,3 % contre 66,5 %.",
        "Pretrained versus random: the random one wins.",
    ],
)
def test_who_is_singled_out_is_better_whoever_a_title_names_first(said: str) -> None:
    assert judge(said).status is Status.INCORRECT


@pytest.mark.parametrize(
    "said",
    [
        "Task 3 vs. task 4: it is the pretrained one that gets the higher accuracy, 79.3 % against 66.5 %.",
        "Entre T3 et T4 : c'est le modèle pré-entraîné qui obtient la meilleure accuracy, 79,3 % contre 66,5 %.",
    ],
)
def test_the_right_one_may_be_singled_out(said: str) -> None:
    assert judge(said).status is Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "It was the scratch model that came out on top.",
        "Le pré-entraînement n'apporte donc rien ici.",
        "Le pré-entraînement n'aide vraiment pas.",
    ],
)
def test_figures_turn_no_sentence_that_says_the_contrary(said: str) -> None:
    assert judge(said).status is not Status.CORRECT


def test_words_that_the_students_own_figures_contradict_are_wrong_and_the_figures_are_shown() -> None:
    finding = judge("The random model is much better than the pretrained one.")
    assert finding.status is Status.INCORRECT
    assert "79.30 % against 66.50 %" in finding.feedback
    assert len(finding.evidence) > 1


def test_right_words_beside_figures_that_say_the_contrary_are_for_a_person() -> None:
    finding = judge("The pretrained model is much better than the random one.", SWAPPED)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.INCORRECT)
    assert "66.50 % against 79.30 %" in finding.feedback


def test_that_nothing_differs_is_wrong_where_the_figures_differ() -> None:
    assert judge("There is no difference between the pretrained and the random model.").status is not Status.CORRECT


def test_words_without_figures_are_right_in_part() -> None:
    finding = judge("The pretrained model clearly outperforms the random one.", task(4))
    assert finding.status is Status.PARTIAL


def test_one_sentence_that_says_the_opposite_spoils_it() -> None:
    said = "The pretrained model is better than the random one. The random model is better than the pretrained one."
    assert judge(said).status is Status.REVIEW


def test_figures_side_by_side_are_no_comparison() -> None:
    assert judge("").status is Status.MISSING


@pytest.mark.parametrize(
    ("beside", "is_missing"),
    [
        ("My notebook prints this table at its end.", True),
        ("Accuracies are given in percent of the test file.", True),
        ("Transfer matters a lot for so few reviews.", False),
        ("A net that has never read anything is lost here.", False),
    ],
)
def test_under_a_heading_of_several_questions_a_sentence_has_to_be_likely_to_compare(
    beside: str, *, is_missing: bool
) -> None:
    header = "| Seed | Init | Test accuracy |\n|---|---|---|\n"
    pretrained, random = ("".join(one.partition("|---|---|\n")[2]) for one in (SEEDS, RANDOM))
    rows = pretrained.replace(" | 7", " | pretrained | 7").replace(" | 8", " | pretrained | 8")
    rows += random.replace(" | 6", " | random | 6")
    assert (judge("", f"# Tasks 3 and 4\n\n{beside}\n\n{header}{rows}").status is Status.MISSING) is is_missing


@pytest.mark.parametrize(
    "said",
    [
        "The random network comes nowhere near the pretrained one.",
        "Whoever was pretrained makes fewer mistakes than whoever was not.",
    ],
)
def test_a_sentence_that_may_compare_is_not_missing(said: str) -> None:
    assert judge(said).status is not Status.MISSING


@pytest.mark.parametrize(
    "said",
    [
        "Starting from random weights leaves almost thirteen points on the table.",
        "The random model loses 12.8 points.",
        "From 66.50 to 79.30: pretraining does it.",
        "Le modèle pré-entraîné met une bonne douzaine de points dans la vue à l'aléatoire (79,30 contre 66,50).",
    ],
)
def test_figures_say_that_the_two_are_compared_whatever_the_words(said: str) -> None:
    assert judge(said).status is Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "The random model has a larger variance than the pretrained one.",
        "The pretrained model is better than the one of Hugging Face.",
        "$ for s in 0 1 2; do python eval.py ckpt/pretrained/$s.pt ckpt/random/$s.pt; done",
        "```\npython eval.py --better ckpt/pretrained.pt --than ckpt/random.pt\n```",
    ],
)
def test_what_compares_something_else_is_no_comparison(said: str) -> None:
    assert judge(said).status is not Status.CORRECT


def test_figures_set_side_by_side_are_left_to_a_person() -> None:
    finding = judge("From the pretrained model: accuracy = 79.30 % (17) From the random one: accuracy = 66.50 % (18)")
    assert finding.status is Status.REVIEW
    said = judge("Pretrained = 79.30, random = 66.50: the pretrained model is clearly better than the random one.")
    assert said.status is Status.CORRECT


def test_nothing_is_missing() -> None:
    assert decide("t4.comparison", answer("# Question 1\n\nTotal = 22,829,056"))[0].status is Status.MISSING


@pytest.mark.parametrize(("random", "raised"), [("66.5", []), ("76.0", ["outside-band"]), ("74.0", [])])
def test_a_difference_that_no_schedule_explains_is_flagged(random: str, raised: list[str]) -> None:
    better = "The pretrained model is better than the random one."
    text = task(3, "On test the average is 79.5 %.") + "\n\n" + task(4, f"On test the average is {random} %.", better)
    finding, flags = decide("t4.comparison", answer(text))
    assert finding.status is Status.CORRECT
    assert [flag.id for flag in flags] == raised


def test_a_spread_is_not_what_is_compared() -> None:
    said = "The random model has a lower mean and a larger variance than the pretrained one."
    finding, _ = decide("t4.comparison", answer(task(3, SEEDS, STATISTICS) + "\n\n" + task(4, RANDOM, said)))
    assert finding.status is Status.CORRECT


def test_a_sentence_that_names_neither_is_held_against_the_difference_that_it_gives() -> None:
    said = "Bilan : le dé coûte {} points et trois soirées."
    assert judge(said.format("12,6")).status is not Status.MISSING
    assert judge(said.format("4,1")).status is Status.REVIEW, "their averages do not differ by that"


@pytest.mark.parametrize(
    "said",
    [
        "In the end initialisation hardly matters: both models end up equally good, so better save the pretraining.",
        "Comparing the columns, the random model gives results equivalent to the pretrained one: the difference is not "
        "significant, so pretraining is not useful here.",
        "On voit que le modèle pré-entraîné ne vaut pas mieux : la différence n'est pas significative.",
    ],
)
def test_a_part_that_says_they_are_alike_keeps_the_whole_from_being_right(said: str) -> None:
    assert judge(said).status is not Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "So on the test set: pretrained 79.30 (0.65), random 66.50 (1.20).",
        "Pretrained 79.30, random 66.50 and Hugging Face 80.10, on test, each over three seeds.",
        "Janneke van der Berg, exchange student.",
    ],
)
def test_a_mere_list_of_figures_compares_nothing(said: str) -> None:
    assert judge(said).status is not Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "So this gives 79.57 %, with fairseq's checkpoint_best, the best of all epochs.",
        'grep "best" logs/pretrained_1.txt\n\n=> 79.57 %, with checkpoint_best, which is the best of all.',
    ],
)
def test_a_result_of_one_compares_nothing(said: str) -> None:
    assert judge(said).status is not Status.CORRECT


def test_names_in_a_comment_are_no_code() -> None:
    assert judge("```python\n# fs_scratch loses 12.7 points to fs_pretrained\nx = 1\n```").status is Status.CORRECT


def test_a_part_that_calls_the_two_alike_keeps_the_rest_from_counting() -> None:
    said = (
        "With pretraining the curves go up much earlier, but at the end both models are equally good, so pretraining "
        "saves time rather than giving a better classifier."
    )
    assert judge(said).status is not Status.CORRECT


def test_the_runs_of_one_experiment_compare_nothing() -> None:
    said = "I read off the highest point of the test curve: for the pretrained model that was 79.6, 79.5 and 80.4."
    assert judge(said).status is not Status.CORRECT


def test_one_clause_of_several_compares() -> None:
    assert judge("Random is much worse than pretrained, and hf and fairseq agree.").status is Status.CORRECT


def test_how_checkpoints_are_chosen_compares_nothing() -> None:
    assert judge("For T3 and T4 I keep for every seed the epoch that is best on validation.").status is Status.MISSING


@pytest.mark.parametrize(
    "said",
    [
        "The pretrained model is worse: its accuracy is higher.",
        "The random model is worse: its accuracy is higher.",
        "The pretrained model is better, since its accuracy is lower.",
        "Le modèle pré-entraîné est moins bon : son exactitude est plus élevée.",
    ],
)
def test_a_sentence_that_contradicts_itself_is_for_a_person(said: str) -> None:
    assert judge(said).status is Status.REVIEW


def test_a_sentence_that_calls_both_alike_of_each_does_not_contradict_itself() -> None:
    assert judge("The random model is worse: its accuracy is lower.").status is Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "The pretrained model beats the random one by {} points.",
        "The pretrained model gains {} percentage points over the random one.",
        "Le modèle pré-entraîné fait mieux que l'aléatoire, de {} points.",
    ],
)
def test_a_difference_that_the_students_figures_do_not_have_is_for_a_person(said: str) -> None:
    assert judge(said.format(25)).status is Status.REVIEW
    assert judge(said.format(13)).status is Status.CORRECT
    assert judge(said.format("11.8")).status is Status.CORRECT, "that of the first seeds: 78.5 against 66.7"


@pytest.mark.parametrize(
    "said",
    [
        "The pretrained model gets {} more reviews right than the random one.",
        "The random model makes {} more errors than the pretrained one.",
        "Le modèle pré-entraîné classe correctement {} critiques de plus que le modèle aléatoire.",
    ],
)
def test_so_is_a_difference_in_examples(said: str) -> None:
    assert judge(said.format(400)).status is Status.REVIEW
    assert judge(said.format(256)).status is Status.CORRECT


@pytest.mark.parametrize("said", ["assert a > b + 12.8", "`assert acc_pretrained > acc_random + 12.8`"])
def test_code_on_a_page_compares_nothing(said: str) -> None:
    assert judge(said).status is Status.REVIEW
    assert judge(f"```python\n{said}\n```").status is not Status.CORRECT


THERE = "Test accuracy at the checkpoint with the best validation accuracy: 79.3, 78.5, 80.1, mean 79.3, std 0.65"
HERE = "Test accuracy: 65.4, 66.7, 67.4, mean 66.5, std 0.83"


@pytest.mark.parametrize(
    ("there", "here", "status"),
    [
        ("", "; worse than pretrained", Status.CORRECT),
        ("", ", which is far below the pretrained model", Status.CORRECT),
        ("", ", nettement moins bon que le modèle préentraîné", Status.CORRECT),
        (", better than random weights", "", Status.CORRECT),
        (" (12.8 points better than from scratch)", "", Status.CORRECT),
        ("; random weights do worse", "; the pretrained ones do better", Status.REVIEW),
        ("", ", better than pretrained", Status.INCORRECT),
        ("", ", and not worse than pretrained", Status.REVIEW),
        ("", ". Compared with the pretrained checkpoint we lose a lot", Status.CORRECT),
    ],
)
def test_figures_are_not_of_the_model_that_their_sentence_only_compares_with(
    there: str, here: str, status: Status
) -> None:
    report = f"# Task 3\n\n{THERE}{there}.\n\n# Task 4\n\n{HERE}{here}.\n"
    finding, flags = decide("t4.comparison", answer(report))
    assert (finding.status, list(flags)) == (status, [])
    for item in ("t3.statistics", "t4.statistics"):
        assert decide(item, answer(report))[0].status is Status.CORRECT


def test_figures_that_stand_nowhere_else_are_not_confirmed_by_others() -> None:
    finding = judge("The pretrained model is better than the random one: 91.67 % against 46.77 %.")
    assert finding.status is Status.REVIEW
    assert "agree" not in finding.feedback


VALUES = "| Seed | Test accuracy |\n|---|---|\n| 1 | {} |\n| 2 | {} |\n| 3 | {} |\n"
LOWER = task(3, VALUES.format(71.2, 70.2, 71.1)) + "\n\n" + task(4, VALUES.format(66.6, 66.5, 68.1))
STATED = "On the test set the average is {} % and the standard deviation {} %.\n"
STATED_HIGHER = (
    task(3, VALUES.format(71.2, 70.2, 71.1), STATED.format("79.67", "0.45"))
    + "\n\n"
    + task(4, VALUES.format(66.6, 66.5, 68.1), STATED.format("66.77", "0.78"))
)
"""70.83 and 67.07 on average."""


@pytest.mark.parametrize("figures", [LOWER, STATED_HIGHER], ids=["values", "averages that are not theirs"])
@pytest.mark.parametrize(
    "said",
    [
        "The pretrained model is better than the random one by 12.90 points on average (79.67 % against 66.77 %).",
        "The pretrained model is better than the random one (79.67 % against 67.07 %).",
        "Le modèle pré-entraîné est meilleur que le modèle aléatoire (79,67 % contre 66,77 %).",
        "Pretraining helps: 79.67 % against 66.77 % on average. The pretrained model is better than the random one.",
    ],
)
def test_averages_that_the_values_contradict_are_for_a_person(said: str, figures: str) -> None:
    finding = judge(said, figures)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)
    assert "70.83 % against" in finding.feedback


@pytest.mark.parametrize(
    "said",
    [
        "The pretrained model is better than the random one (70.83 % against 67.07 %).",
        "The pretrained model is better than the random one (about 71 % against 67 %).",
        "The pretrained model is better than the random one: 71.2 against 68.1 for the best seeds.",
        "The pretrained model is better than the random one, as 75.5 % against 52.1 % after one epoch shows.",
    ],
)
def test_other_figures_that_may_be_the_students_own_contradict_nothing(said: str) -> None:
    assert "does not follow" not in judge(f"The pretrained model is better than the random one. {said}", LOWER).feedback
    assert judge(f"The pretrained model is better than the random one. {said}", LOWER).status is Status.CORRECT


def test_a_row_of_differences_compares() -> None:
    pretrained = "| | seed 0 | seed 1 | seed 2 | mean | std |\n|---|---|---|---|---|---|\n"
    pretrained += "| test | 78.65 | 78.70 | 79.60 | 78.98 | 0.53 |"
    random = "| | seed 0 | seed 1 | seed 2 | mean | std |\n|---|---|---|---|---|---|\n"
    random += "| test | 67.60 | 66.05 | 65.05 | 66.23 | 1.28 |\n"
    rows = {"+11.05 | +12.65 | +14.55 | +12.75": Status.CORRECT, "1125 | 1125 | 1125 | 1125": Status.MISSING}
    for row, wanted in rows.items():
        finding = decide(
            "t4.comparison", answer(task(3, pretrained) + "\n\n" + task(4, f"{random}| T3 - T4 | {row} | |"))
        )[0]
        assert finding.status is wanted, row


def test_averages_that_a_sentence_gives_to_the_other_one_are_for_a_person() -> None:
    said = "Pretraining is clearly helpful: we get 66.5 with the pretrained model and 79.3 with the random one."
    assert judge(said).status is Status.REVIEW
    right = "Pretraining is clearly helpful: we get 79.3 with the pretrained model and 66.5 with the random one."
    assert judge(right).status is Status.CORRECT


def test_a_ranking_compares() -> None:
    pretrained, random = "| 1 | 79.3 | the given weights |", "| 2 | 66.5 | no pretraining |"
    table = "Ranking\n\n| rank | test | |\n|---|---|---|\n{}\n{}"
    assert judge(table.format(pretrained, random)).status is Status.CORRECT
    turned = judge(table.format(random.replace("| 2", "| 1"), pretrained.replace("| 1", "| 2")))
    assert turned.status is not Status.CORRECT
