import pytest

from grader.checks.parameter_values import same_value
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
