import pytest

from grader.checks.parameter_values import may_be_value, same_value
from tests.claims.making import lab

PARAMETERS = {parameter.id: parameter for parameter in lab().parameters}


RIGHT = {
    "r": ["16", "16.0", " 16 "],
    "lora_alpha": ["32"],
    "lora_dropout": ["0.05", "0,05", ".05", "5%", "5 %", "0.050", "1/20"],
    "bias": ["none", '"none"', "'none'", "None", "NONE"],
    "task_type": ["CAUSAL_LM", "CAUSAL LM", '"CAUSAL_LM"', "causal_lm", "CAU SAL LM"],
    "target_modules": ['["query_key_value"]', "query key value", "query_key_value", "[query_key_value]"],
}
WRONG = {
    "r": ["8", "1.6", "160", "-16", "", "NaN", "Infinity", "1e999999"],
    "lora_alpha": ["16", "64"],
    "lora_dropout": ["0.5", "0.05%", "5", "%"],
    "bias": ["all", "lora_only", ""],
    "task_type": ["SEQ_CLS"],
    "target_modules": ["query", '["q_proj", "v_proj"]'],
}


@pytest.mark.parametrize("parameter", RIGHT)
def test_the_labs_value_is_known_in_every_spelling(parameter: str) -> None:
    assert [stated for stated in RIGHT[parameter] if not same_value(stated, PARAMETERS[parameter])] == []


@pytest.mark.parametrize("parameter", WRONG)
def test_any_other_value_is_another(parameter: str) -> None:
    assert [stated for stated in WRONG[parameter] if same_value(stated, PARAMETERS[parameter])] == []


@pytest.mark.parametrize(
    ("stated", "is_same"),
    [("10%", True), ("10 %", True), ("0.1", True), ("1/10", False), ("10", False), ("0.1%", False)],
)
def test_a_percentage_is_a_fraction_where_the_lab_spells_it_once(stated: str, *, is_same: bool) -> None:
    asked = PARAMETERS["lora_dropout"].model_copy(update={"value": "0.1", "spellings": ()})
    assert same_value(stated, asked) is is_same


@pytest.mark.parametrize(
    ("stated", "value", "is_same"),
    [
        ('["q_proj", "v_proj"]', '["q_proj", "v_proj"]', True),
        ('["v_proj", "q_proj"]', '["q_proj", "v_proj"]', True),
        ("v_proj, q_proj", "q_proj,v_proj", True),
        ("q_proj", '["q_proj", "v_proj"]', False),
        ("q_proj, k_proj", '["q_proj", "v_proj"]', False),
        ("q_proj, v_proj, v_proj", '["q_proj", "v_proj"]', False),
        ("TaskType.SEQ_CLS", "SEQ_CLS", True),
        ("peft.TaskType.SEQ_CLS", "SEQ_CLS", True),
        ("TaskType.CAUSAL_LM", "SEQ_CLS", False),
        ("1e-4", "0.0001", True),
        ("1e-5", "0.0001", False),
        ("0.01 %", "0.0001", True),
        ("True", "true", True),
    ],
)
def test_lists_constants_and_numbers_are_compared_by_what_they_mean(stated: str, value: str, *, is_same: bool) -> None:
    asked = PARAMETERS["r"].model_copy(update={"value": value, "spellings": ()})
    assert same_value(stated, asked) is is_same


@pytest.mark.parametrize(
    ("parameter", "stated", "allowed", "may_be"),
    [
        ("r", "8", (), True),
        ("r", "8.5", (), True),
        ("r", "int", (), False),
        ("r", "...", (), False),
        ("bias", "all", ("none", "all", "lora_only"), True),
        ("bias", '"lora_only"', ("none", "all", "lora_only"), True),
        ("bias", "None", ("all",), True),
        ("bias", "str", ("none", "all", "lora_only"), False),
        ("bias", "lora", ("none", "all", "lora_only"), False),
        ("target_modules", "q_proj", (), True),
        ("target_modules", "query key value", (), True),
        ("target_modules", "list", (), False),
    ],
)
def test_what_may_be_meant_as_a_value(parameter: str, stated: str, allowed: tuple[str, ...], *, may_be: bool) -> None:
    assert may_be_value(stated, PARAMETERS[parameter], allowed) is may_be
