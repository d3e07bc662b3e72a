import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import answer, code, decide

VALUES = {
    "r": "16",
    "lora_alpha": "32",
    "target_modules": '["query_key_value"]',
    "lora_dropout": "0.05",
    "bias": '"none"',
    "task_type": '"CAUSAL_LM"',
}


def judge(lines: list[str]) -> Finding:
    return decide("q2.values", answer("# Question 2\n\n" + "\n".join(lines)))[0]


FORMS = [
    "- `{}` = {}: the meaning of it.",
    "- {} ({}): the meaning of it.",
    "- {} (value: {}): the meaning.",
    "| {} | {} | the meaning |",
    "{} = {}",
    "Le suivant, `{}`, vaut {}. C'est ce qu'il faut.",
]


def test_a_sign_for_percent_alone_is_no_value() -> None:
    lines = [f"- `{name}` = {value}: the meaning of it." for name, value in VALUES.items() if name != "lora_dropout"]
    finding = judge([*lines, "- lora_dropout: % of the inputs that are zeroed."])
    assert "lora_dropout" in str(finding.feedback)
    assert not finding.diagnoses


@pytest.mark.parametrize("form", FORMS)
def test_all_values_stated_are_right(form: str) -> None:
    finding = judge([form.format(name, value) for name, value in VALUES.items()])
    assert finding.status is Status.CORRECT
    assert len(finding.evidence) == 6


def test_underscores_that_a_pdf_loses_cost_nothing() -> None:
    lines = [f"• {name} = {value}: the meaning.".replace("_", " ") for name, value in VALUES.items()]
    assert judge(lines).status is Status.CORRECT


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ('For the bias we put "none", so that no bias of the model is trained.', Status.CORRECT),
        ('The bias says which biases are trained: "none", "all" or "lora_only".', Status.REVIEW),
        ("- `bias`: which biases of the model are trained; with none, they all stay as they are.", Status.CORRECT),
        ("- `bias`: which of the biases are learnt: none / all / lora_only, here none.", Status.CORRECT),
        ("- `bias`: which of the biases are learnt: none, all or lora_only.", Status.REVIEW),
        ("- `bias`: whether the biases are trained: all, some or none.", Status.REVIEW),
        ("- bias: 'none', 'all' or 'lora_only': which biases are trained.", Status.REVIEW),
        ("- bias = none / all / lora_only : les biais entraînés.", Status.REVIEW),
        ("- bias peut valoir 'none', 'all' ou 'lora_only' ; ici 'none'.", Status.REVIEW),
        ("- bias = 'none' ('all' or 'lora_only' would train biases).", Status.CORRECT),
        ("- bias = none, all biases stay frozen.", Status.CORRECT),
    ],
)
def test_a_value_among_the_words_is_stated_where_it_is_the_only_one(words: str, status: Status) -> None:
    lines = [f"- `{name}` = {value}: the meaning of it." for name, value in VALUES.items() if name != "bias"]
    assert judge([*lines, "", words]).status is status


def test_a_value_that_is_only_tried_is_not_the_one_that_is_used() -> None:
    lines = [FORMS[0].format(name, value) for name, value in VALUES.items()]
    assert judge([*lines, "\nWith another week we would try `r=4` as well."]).status is Status.CORRECT


def test_of_two_values_in_definitions_a_person_decides() -> None:
    lines = [FORMS[0].format(name, value) for name, value in VALUES.items()]
    assert judge([*lines, "\n- `r` = 8: the rank of the two matrices."]).status is Status.REVIEW


def test_a_wrong_value_is_named() -> None:
    finding = judge([f"- {name} = {value}: text" for name, value in (VALUES | {"r": "8"}).items()])
    assert finding.status is Status.PARTIAL
    assert [d.text for d in finding.diagnoses] == ["The lab's value of r is 16, not 8."]


def test_what_a_fraction_comes_to_is_no_value_of_its_denominator() -> None:
    lines = [f"- {name} = {value}: text" for name, value in VALUES.items()]
    assert judge([*lines, "The update is multiplied by lora_alpha / r = 2."]).status is Status.CORRECT
    within = [line.replace("text", "it is multiplied by lora_alpha / r = 2") for line in lines]
    assert judge(within).status is Status.CORRECT


def test_values_that_are_not_stated_are_named() -> None:
    finding = judge([f"- {name} = {value}: text" for name, value in VALUES.items() if name != "bias"])
    assert finding.status is Status.PARTIAL
    assert "bias" in finding.feedback


def test_a_value_that_stands_apart_from_its_name_leaves_it_open() -> None:
    lines = [f"- {name} = {value}: text" for name, value in VALUES.items() if name != "lora_alpha"]
    assert judge([*lines, "- lora_alpha: the scale of the update, which for us is 32."]).status is not Status.PARTIAL


@pytest.mark.parametrize(
    "text",
    [
        "LoraConfig(r=16, lora alpha=32, target modules=[”query key value”], lora dropout=0.05, bias=”none”, "
        "task type=”CAUSAL LM”)",
        "r, lora_alpha, target_modules, lora_dropout, bias and task_type, in this order: 16 is the rank, 32 the scale, "
        "query_key_value is adapted, 0,05 is the share of zeros, none says that no bias is trained, CAUSAL_LM is it.",
        "1. 16, the rank\n2. 32 for the scale\n3. query_key_value\n4. 5% of zeros\n5. none\n6. CAUSAL_LM",
    ],
)
def test_a_code_block_or_the_order_of_the_parameters_states_them(text: str) -> None:
    assert judge([text]).status is Status.CORRECT


def test_values_that_are_left_out_state_nothing() -> None:
    left = "LoraConfig(r=..., lora_alpha=..., target_modules=[...], lora_dropout=..., bias=..., task_type=...)"
    assert judge([left]).status is Status.MISSING


def test_no_values_at_all_are_missing() -> None:
    assert judge(["We used LoRA."]).status is Status.MISSING


def test_nothing_handed_in_is_missing() -> None:
    assert decide("q2.values", answer())[0].status is Status.MISSING


def test_all_values_of_one_line_are_read() -> None:
    line = "r = 16, lora_alpha = 32, target_modules = query_key_value, lora_dropout = 5e-2, "
    line += "bias = none, task_type = CAUSAL_LM"
    finding, _ = decide("q2.values", answer(f"# Question 2\n\n{line}\n"))
    assert finding.status is Status.CORRECT


CALL = f"config = LoraConfig({', '.join(f'{name}={value}' for name, value in VALUES.items())})"


def beside_code(lines: list[str]) -> Finding:
    return decide("q2.values", answer("# Question 2\n\n" + "\n".join(lines), [code(CALL)]))[0]


def test_right_code_does_not_take_back_what_the_report_says_plainly() -> None:
    finding = beside_code([f"- {name} = {value}: text" for name, value in (VALUES | {"lora_alpha": "16"}).items()])
    assert finding.status is Status.PARTIAL
    assert [one.text for one in finding.diagnoses] == ["The lab's value of lora_alpha is 32, not 16."]


def test_the_name_of_all_parameters_beside_each_is_no_value() -> None:
    rows = [f"| LoRA | {name} | the meaning of it |" for name in VALUES]
    assert beside_code(["| of | parameter | meaning |", "| --- | --- | --- |", *rows]).status is Status.CORRECT


CALL = (
    "LoraConfig(r=16, lora_alpha=32, target_modules=['query_key_value'], lora_dropout=0.05, bias='none', "
    "task_type='CAUSAL_LM')"
)


@pytest.mark.parametrize(
    ("source", "statuses"),
    [
        (f"config = {CALL}", (Status.CORRECT,)),
        (f"config = {CALL}\nother = Zoo(r=8, bias='all')\nthird = Adapter(r=4)", (Status.CORRECT,)),
        (f"config = {CALL}\nconfig = {CALL}", (Status.CORRECT,)),
        (f"config = {CALL.replace('16', '8')}", (Status.PARTIAL, Status.REVIEW)),
        (f"config = {CALL}\nconfig = {CALL.replace('16', '8')}", (Status.REVIEW, Status.PARTIAL)),
        (CALL.replace("LoraConfig", "Zoo"), (Status.MISSING, Status.REVIEW)),
        (CALL.replace("LoraConfig", "Adapter"), (Status.MISSING, Status.REVIEW)),
        (f"if False:\n    config = {CALL}", (Status.MISSING, Status.REVIEW)),
        (f"config = {CALL.replace('16', 'rank')}", (Status.PARTIAL, Status.REVIEW)),
    ],
)
def test_a_call_of_the_right_name_states_the_values(source: str, statuses: tuple[Status, ...]) -> None:
    assert decide("q2.values", answer(None, [code(source)]))[0].status in statuses
    report = f"# Question 2\n\n```python\n{source}\n```\n"
    assert decide("q2.values", answer(report))[0].status in (*statuses, Status.REVIEW)


OTHERS = 'bias="none", task_type="CAUSAL_LM", target_modules=["query_key_value"].'


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (f"r, lora_alpha, lora_dropout: 16, 32 and 0.05; {OTHERS}", Status.CORRECT),
        (f"r, lora_alpha et lora_dropout valent respectivement 16, 32 et 0,05 ; {OTHERS}", Status.CORRECT),
        ("r / lora_alpha / lora_dropout = 16 / 32 / 5 %; bias and task_type: none and CAUSAL_LM.", Status.PARTIAL),
        (f"r, lora_alpha, lora_dropout: 32, 16 and 0.05; {OTHERS}", Status.PARTIAL),
        (f"The scale lora_alpha / r = 32 / 16 = 2, a dropout of 0.05; {OTHERS}", Status.CORRECT),
        (f"r=16, lora_alpha=32, lora_dropout=0.05, {OTHERS} In the paper r and alpha are 4 and 8.", Status.CORRECT),
        (
            "| | lora_alpha | r | lora_dropout | bias | task_type | target_modules |\n|---|---|---|---|---|---|---|\n"
            "| value | 32 | 8 | 5 % | none | CAUSAL_LM | query_key_value |",
            Status.PARTIAL,
        ),
    ],
)
def test_values_in_the_order_of_their_names_go_to_these(words: str, status: Status) -> None:
    assert judge([words]).status is status


def test_a_variable_in_a_call_is_no_value() -> None:
    set_first = [f"{name} = {value}" for name, value in VALUES.items()]
    passed = ", ".join(f"{name}={name}" for name in VALUES)
    assert judge(["```", *set_first, f"LoraConfig({passed})", "```"]).status is Status.CORRECT


@pytest.mark.parametrize("said", ["See the notebook.", "- bias: which biases are trained (none)"])
def test_lines_of_the_hand_out_alone_are_for_a_person(said: str) -> None:
    arguments = "\n".join(f"    {name}={value}," for name, value in VALUES.items())
    shown = answer(f"# Question 2\n\n{said}\n", (code(f"config = LoraConfig(\n{arguments}\n)"),))
    lines = frozenset(range(1, len(VALUES) + 3))
    given = shown.model_copy(
        update={"code": tuple(cell.model_copy(update={"calls": (), "given": lines}) for cell in shown.code)}
    )
    finding = decide("q2.values", given)[0]
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.CORRECT)
