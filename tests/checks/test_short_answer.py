"""Answers in words: decided where the marked examples carry it, else left to a person with a suggestion and reasons."""

from datetime import date
from typing import Final

import pytest

from grader.checks.finding import AUTOMATIC, Finding, Status, decided_text
from grader.checks.short_answer import Parts, feedback, parts_of, quote_texts, short_answer
from grader.claims.likeness import group_key, is_word_list
from grader.claims.relations import says_trend
from grader.lab.short_answers import Decision, Decisions
from tests.checks.making import answer, decide, truth
from tests.claims.making import lab

RIGHT = {
    "r": "the rank of the two low-rank matrices A and B",
    "lora_alpha": "the scaling factor: the update BA is multiplied by alpha / r before it is added",
    "target_modules": "the names of the modules to which the LoRA matrices are added",
    "lora_dropout": "the probability that an input of the LoRA layers is set to zero during training",
    "task_type": "the type of task, here causal language modelling: the next token is predicted from the previous ones",
}
WORDS = "how thin the added matrices are, one could say"
UNCLEAR = f"# Question 2\n\n- r: {WORDS}\n"


def judge(parameter: str, line: str) -> Finding:
    return decide(f"q2.{parameter}", answer(f"# Question 2\n\n{line}\n"))[0]


@pytest.mark.parametrize("parameter", RIGHT)
def test_a_usual_right_answer_is_decided_with_its_reasons(parameter: str) -> None:
    finding = judge(parameter, f"- {parameter}: {RIGHT[parameter]}")
    assert finding.status is Status.CORRECT, finding.note
    assert finding.tags == (f"{AUTOMATIC}correct",)
    assert finding.group
    assert "Nearest correct example" in str(finding.note)
    assert "Nearest incorrect example" in str(finding.note)
    assert "%" not in str(finding.feedback), "a student is told no probability"


@pytest.mark.parametrize("parameter", RIGHT)
def test_another_parameters_definition_earns_nothing(parameter: str) -> None:
    for other, text in RIGHT.items():
        if other != parameter:
            assert judge(parameter, f"- {parameter}: {text}").status is not Status.CORRECT, (parameter, text)


def test_a_parameter_that_the_text_names_is_never_missing() -> None:
    lines = "\n".join(f"- {name}: {RIGHT[name]}" for name in RIGHT if name != "lora_dropout")
    named = f"# Question 1\n\nWhat lora_dropout does we found out late.\n\n# Question 2\n\n{lines}\n"
    assert decide("q2.lora_dropout", answer(named))[0].status is Status.REVIEW
    assert decide("q2.lora_dropout", answer(f"# Question 2\n\n{lines}\n"))[0].status is Status.MISSING


def test_a_wrong_value_costs_a_right_answer_a_part() -> None:
    finding = judge("r", f"- r = 64: {RIGHT['r']}")
    assert finding.status is Status.PARTIAL
    assert [one.id for one in finding.diagnoses] == ["wrong-value"]


@pytest.mark.parametrize(
    ("parameter", "right", "wrong"),
    [
        ("lora_dropout", "the dropout probability of the LoRA layers", "it lowers the number of trainable parameters"),
        ("target_modules", "the modules adapted by LoRA", "their original weights are unfrozen and trained too"),
    ],
)
def test_the_part_that_makes_an_answer_wrong_is_shown(parameter: str, right: str, wrong: str) -> None:
    finding = judge(parameter, f"- {parameter}: {right}; {wrong}")
    assert finding.status is Status.PARTIAL, finding.note
    assert str(finding.feedback) == f"“{right}” is right, but “{wrong}” is not."


def test_what_is_true_beside_what_is_right_is_not_what_makes_an_answer_wrong() -> None:
    found = judge("r", "rank of the low-rank matrices, a bigger r means more trainable parameters")
    assert found.status is not Status.PARTIAL
    assert found.suggestion in (None, Status.CORRECT)


@pytest.mark.parametrize(
    ("parameter", "said", "is_right"),
    [
        ("r", "the rank of the update matrices; if it is smaller, there are less parameters to train.", True),
        ("r", "rank of low rank matrix, big r have less trainable parameter.", False),
        ("r", "rank of low rank matrix, big r is more attention head.", False),
        ("r", "number of the layers, big r have more trainable parameter.", False),
        ("lora_alpha", "scale of lora update. If alpha is more, then lora have more influence on result.", True),
        ("lora_alpha", "scale of lora update. If alpha is more, then lora is more ignored in the result.", False),
    ],
)
def test_what_truly_grows_with_a_parameter_leaves_a_right_answer_right(
    parameter: str, said: str, *, is_right: bool
) -> None:
    assert (judge(parameter, f"- {parameter}: {said}").status is Status.CORRECT) is is_right


def test_an_answer_is_taken_apart_at_the_smallest_part_that_makes_it_wrong() -> None:
    def is_right(text: str) -> bool:
        return "false" not in text

    assert parts_of("true as it is, true again; false here, and true", is_right) == Parts(
        "true as it is, true again; and true", "false here"
    )
    assert parts_of("quite false, and false", is_right) is None
    assert parts_of("true, false", is_right) is None, "a word alone is no answer"
    assert parts_of(", ".join(["true"] * 8 + ["false"]), is_right) is None


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("bias", 'The third one, bias, equals "none" and specifies which biases are trained.'),
        ("bias", "bias tells which biases are trained."),
        ("lora_alpha", "The next one, lora_alpha, is 32 and multiplies the update BA by alpha / r."),
        ("target_modules", "target_modules says to which modules the LoRA matrices are added."),
    ],
)
def test_what_only_opens_a_definition_takes_nothing_from_it(parameter: str, said: str) -> None:
    assert judge(parameter, f"{said}").status is Status.CORRECT


def test_what_only_opens_a_definition_adds_nothing_to_it() -> None:
    assert judge("bias", "bias tells which biases are removed.").status is not Status.CORRECT


def test_a_calculation_that_names_a_parameter_defines_nothing() -> None:
    counted = "# Question 1\n\n- three maps (all with bias): 3 * (640 * 640 + 640) = 1,230,720\n\n"
    defined = "# Question 2\n\n- bias: which biases are trained\n"
    assert decide("q2.bias", answer(counted + defined))[0].status is Status.CORRECT


def test_a_configuration_alone_defines_nothing() -> None:
    listing = "LoraConfig(\n    r=16,\n    lora_alpha=32,\n    lora_dropout=0.05,\n    bias='none',\n)"
    shown = f"# Question 2\n\n```python\nconfig = {listing}\n```\n"
    assert decide("q2.lora_alpha", answer(shown))[0].status is Status.MISSING
    told = f"{shown}\nIt scales how much the added part counts, in words of my own.\n"
    assert decide("q2.lora_alpha", answer(told))[0].status is Status.REVIEW


def test_a_value_alone_is_no_answer() -> None:
    assert judge("r", "- r: 16\n- lora_alpha: 32").status is Status.INCORRECT


def test_a_list_of_words_is_none() -> None:
    assert is_word_list("rank, matrices, low rank, update")
    assert not is_word_list("the rank of A, that of B, and no more")
    finding = judge("r", "- r: rank; matrices; low-rank; update; A, B")
    assert finding.status in (Status.REVIEW, Status.INCORRECT)


def test_what_is_not_like_the_examples_goes_to_a_person_with_the_reason() -> None:
    finding, _ = decide("q2.r", answer(UNCLEAR))
    assert finding.status is Status.REVIEW
    assert finding.group == group_key("r", WORDS)
    assert "No marked example is close enough" in str(finding.note)


def test_form_makes_no_difference_to_the_group() -> None:
    assert group_key("r", "The rank, of A") == group_key("r", "the *rank* of  “a”.")
    keys = {group_key("r", "rank of A"), group_key("r", "rank of B"), group_key("bias", "rank of A")}
    assert len(keys | {group_key("r", "rank of A", "8")}) == 4


def decided(**changes: object) -> Decision:
    group = group_key("r", WORDS.upper())
    made = {"group": group, "label": "partial", "text": "x", "why": "It counts nothing.", "author": "A. Tutor"}
    return Decision.model_validate({**made, "date": date(2026, 1, 2), **changes})


def finding_with(text: str, parameter: str, *decisions: Decision) -> Finding:
    shipped = lab().model_copy(update={"decisions": Decisions(decisions=decisions)})
    found = list(short_answer.function(answer(text), truth(), shipped, item=f"q2.{parameter}", topic=parameter))
    assert isinstance(found[0], Finding)
    return decided_text(found[0], shipped)


def test_a_decision_settles_all_that_are_alike() -> None:
    settled = finding_with(UNCLEAR, "r", decided())
    assert settled.status is Status.PARTIAL
    assert "A. Tutor" in str(settled.decided_by)


def test_audits_that_find_too_many_errors_withdraw_a_question() -> None:
    text = f"# Question 2\n\n- r: {RIGHT['r']}\n"
    overruled = [
        decided(group=group_key("r", f"text {number}"), label="incorrect", automatic="correct") for number in range(4)
    ]
    confirmed = [
        decided(group=group_key("r", f"other {number}"), label="correct", automatic="correct") for number in range(16)
    ]
    assert finding_with(text, "r", *confirmed, overruled[0]).status is Status.CORRECT
    withdrawn = finding_with(text, "r", *confirmed, *overruled)
    assert withdrawn.status is Status.REVIEW
    assert withdrawn.suggestion is Status.CORRECT
    assert "overruled" in str(withdrawn.note)


def test_a_wrong_value_beside_a_right_explanation_is_told_apart_from_it() -> None:
    asked = next(one for one in lab().parameters if one.id == "lora_alpha")
    said = [str(feedback(Status.PARTIAL, one, asked, "8", None)) for one in (Status.CORRECT, Status.PARTIAL)]
    assert said == [
        "The explanation is right. The lab's value of lora_alpha is 32, not 8.",
        "This is right in part. The lab's value of lora_alpha is 32, not 8.",
    ]


def test_a_bibliography_and_other_questions_do_not_keep_a_value_alone_from_being_decided() -> None:
    others = "\n".join(f"- {name}: {said}" for name, said in RIGHT.items() if name not in ("r", "bias"))
    sheet = f"# Question 2\n\n- r = 16\n{others}\n\n[1] Low-Rank Adaptation: the rank of the update.\n"
    finding, _ = decide("q2.r", answer(sheet))
    assert finding.status is Status.INCORRECT
    left, _ = decide("q2.r", answer(sheet.replace("[1] Low-Rank Adaptation:", "It is, as we learned,")))
    assert left.status is not Status.INCORRECT, "what is left may be the definition"


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["the rank"], "“the rank”"),
        (["the rank", "of A"], "“the rank / of A”"),
        (["x" * 79 + " " + "y" * 80], "“" + "x" * 79 + " " + "y" * 80 + "”"),
        (["x" * 79 + " " + "y" * 81], "“" + "x" * 79 + " …”"),
        (["word " * 40], "“" + " ".join(["word"] * 31) + " …”"),
    ],
)
def test_a_long_text_is_cut_at_a_word(texts: list[str], shown: str) -> None:
    assert str(quote_texts(texts)) == shown


ALL: Final = [f"- {name}: {text}" for name, text in RIGHT.items()]


@pytest.mark.parametrize("number", range(len(RIGHT)))
def test_a_value_alone_is_decided_once_most_others_are_defined(number: int) -> None:
    lines = "\n".join((*ALL[1 : 1 + number], "- r = 16", "", "It is what one multiplies by in the middle of it all."))
    finding, _ = decide("q2.r", answer(f"# Question 2\n\n{lines}\n"))
    assert finding.status is not Status.CORRECT
    assert finding.status is not Status.MISSING
    if number == 0:
        assert finding.status is Status.REVIEW


@pytest.mark.parametrize("said", ["r / lora_alpha", "r over alpha", "r divided by alpha", "$\\frac{r}{\\alpha}$"])
def test_a_quotient_that_is_turned_round_is_named_and_never_given_full_points(said: str) -> None:
    text = "scaling factor of the update: BA is multiplied by {} before it is added to the frozen weights"
    finding = judge("lora_alpha", f"- lora_alpha (32): {text.format(said)}")
    assert Status.PARTIAL in (finding.status, finding.suggestion)
    assert [one.id for one in finding.diagnoses] == ["turned-quotient"]
    assert judge("lora_alpha", f"- lora_alpha (32): {text.format('lora_alpha / r')}").status is Status.CORRECT


@pytest.mark.parametrize(
    ("parameter", "said", "status", "suggestion"),
    [
        ("r", f"{RIGHT['r']}. The smaller r is, the more parameters are trained.", Status.PARTIAL, None),
        ("r", f"{RIGHT['r']}. The smaller r is, the fewer parameters are trained.", Status.CORRECT, None),
        ("lora_dropout", "probabilité de conserver une entrée des couches LoRA", Status.REVIEW, Status.INCORRECT),
        (
            "lora_dropout",
            "the dropout probability of the LoRA layers. Each input is kept with probability 0.05.",
            Status.REVIEW,
            Status.INCORRECT,
        ),
        (
            "bias",
            'which biases are trained. "none" means that none of them is frozen.',
            Status.REVIEW,
            Status.INCORRECT,
        ),
        ("target_modules", "the modules that get an adapter; in BLOOM all the linear layers", Status.PARTIAL, None),
        (
            "task_type",
            "causal language modelling: the model is trained to predict a masked token",
            Status.REVIEW,
            Status.INCORRECT,
        ),
    ],
)
def test_what_is_turned_round_is_never_given_full_points(
    parameter: str, said: str, status: Status, suggestion: Status | None
) -> None:
    finding = judge(parameter, f"- {parameter}: {said}")
    assert (finding.status, finding.suggestion) == (status, suggestion), finding.note
    assert [one.id for one in finding.diagnoses] == ["contrary"] * (status is not Status.CORRECT)


def test_a_quotient_that_is_turned_round_costs_a_right_answer_a_part() -> None:
    finding = judge("lora_alpha", "- lora_alpha (32): the update is multiplied by r / lora_alpha, a scaling factor")
    assert finding.status is Status.PARTIAL


def test_a_definition_is_missing_where_a_report_names_hardly_any_parameter() -> None:
    rest = (
        "# Question 1\n\nWith biases, 22,829,056 parameters.\n\n# Task 7\n\n1,572,864 are trained.\n\n# Question 2\n\n"
    )
    assert decide("q2.lora_alpha", answer(f"{rest}No time left.\n"))[0].status is Status.MISSING
    for said in (
        "It tells how much of what was learned counts beside the old weights, by a factor of two.",
        "![the settings](settings.png)",
    ):
        assert decide("q2.lora_alpha", answer(f"{rest}{said}\n"))[0].status is not Status.MISSING


def test_a_sentence_unlike_all_examples_leaves_a_right_definition_open() -> None:
    right = "the factor by which the LoRA update is scaled: it gets multiplied by alpha/r."
    more = "The pretrained weights are multiplied by one minus that, so that the two always add up to one."
    assert judge("lora_alpha", f"- lora_alpha: {right}").status is Status.CORRECT
    opened = judge("lora_alpha", f"- lora_alpha: {right} {more}\n- bias: which biases are trained.")
    assert (opened.status, opened.suggestion) == (Status.REVIEW, Status.CORRECT)


@pytest.mark.parametrize(
    ("parameter", "more"),
    [
        ("r", ", and the batches get sorted by their length with it before each epoch starts"),
        ("lora_dropout", " (les échantillons trop longs sont rangés dans un autre fichier)"),
        ("task_type", "; the optimizer is told by it how warm the graphics card may become"),
    ],
)
def test_a_clause_unlike_all_examples_leaves_a_right_definition_open(parameter: str, more: str) -> None:
    opened = judge(parameter, f"- {parameter}: {RIGHT[parameter]}{more}.")
    assert (opened.status, opened.suggestion) == (Status.REVIEW, Status.CORRECT)
    assert more.strip(" ,;().")[4:] in str(opened.feedback)


def test_a_wrong_number_in_a_sentence_of_its_own_is_the_value() -> None:
    assert judge("lora_dropout", f"- lora_dropout: {RIGHT['lora_dropout']}. 0.2.").status is Status.PARTIAL
    assert judge("lora_dropout", f"- lora_dropout: {RIGHT['lora_dropout']}. 5 %.").status is Status.CORRECT


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        ("lora_alpha", "the coefficient by which the frozen weights are multiplied before the LoRA update is added"),
        ("task_type", "causal language modelling, which means a classification of texts"),
    ],
)
def test_a_wrong_object_of_a_definition_is_never_credited(parameter: str, text: str) -> None:
    assert judge(parameter, f"- {parameter}: {text}.").status is not Status.CORRECT


def test_a_wrong_value_right_behind_the_name_is_found() -> None:
    told = "lora_alpha, which is 16, is the factor that scales the LoRA update before it is added to the output."
    assert judge("lora_alpha", told).status is Status.PARTIAL
    assert judge("lora_alpha", told.replace("16", "32")).status is Status.CORRECT


def test_definitions_under_another_number_count_where_the_question_names_one_parameter() -> None:
    report = (
        "# Question 2\n\nThe code prints the same number without bias.\n\n# 9\n\n"
        "r = 16: the rank of the low-rank matrices.\n\n"
        "lora_alpha = 32: the scaling factor of the LoRA update, alpha / r.\n\n"
        "target_modules: the modules that get the LoRA matrices.\n\n"
        "lora_dropout: the dropout probability of the LoRA layers.\n"
    )
    assert decide("q2.r", answer(report))[0].status is Status.CORRECT


@pytest.mark.parametrize(
    "text",
    [
        "the rank of the two matrices that are added; it determines how many parameters are trained",
        "le rang des deux matrices ajoutées ; il détermine combien de paramètres sont entraînés",
    ],
)
def test_a_dependence_without_direction_adds_nothing_wrong(text: str) -> None:
    parameter = next(one for one in lab().parameters if one.id == "r")
    assert says_trend(text.partition("; ")[2] or text, parameter)
    assert not says_trend("it determines how many weights stay frozen", parameter)
