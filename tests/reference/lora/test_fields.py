"""The table of LoraConfig's fields and the signatures are those of the installed libraries."""

import dataclasses
import json

import pytest
from peft import LoraConfig

from grader.lab.files import lab_folder
from grader.lab.truth import ConfigField
from reference.lora.fields import fields, signature

DATE = "2030-01-01"
TABLE: dict[str, ConfigField] = {field.name: field for field in fields("peft.LoraConfig", DATE)}


def test_every_field_is_there_once_and_in_order() -> None:
    names = [field.name for field in fields("peft.LoraConfig", DATE)]
    assert names == sorted({field.name for field in dataclasses.fields(LoraConfig)})
    assert all(field.id == f"peft/LoraConfig/{name}" for name, field in TABLE.items())
    assert all(list(field.provenance.versions) == ["peft"] for field in TABLE.values())


@pytest.mark.parametrize(
    ("name", "kind", "default"),
    [
        ("r", "int", "8"),
        ("lora_alpha", "int", "8"),
        ("lora_dropout", "float", "0.0"),
        ("bias", "Literal['none', 'all', 'lora_only']", "'none'"),
        ("fan_in_fan_out", "bool", "False"),
        ("rank_pattern", "Optional[dict]", "{}"),
        ("target_modules", "Optional[Union[list[str], str]]", "None"),
    ],
)
def test_types_and_defaults_are_source_text(name: str, kind: str, default: str) -> None:
    assert (TABLE[name].type, TABLE[name].default) == (kind, default)


def test_defaults_are_those_of_a_configuration() -> None:
    """What the table calls the default is what a configuration has when nothing is given, unless the library itself
    fills the field in."""
    config = LoraConfig()
    filled_in = {"peft_type", "peft_version"}
    for name, field in TABLE.items():
        if name not in filled_in:
            assert repr(getattr(config, name)) == field.default, name


def test_allowed_values() -> None:
    assert set(TABLE["bias"].allowed) == {"none", "all", "lora_only"}
    assert "False" not in TABLE["bias"].allowed
    assert {"CAUSAL_LM", "SEQ_CLS", "TOKEN_CLS"} <= set(TABLE["task_type"].allowed)
    assert TABLE["peft_type"].allowed == ("LORA",), "every other method is overruled"
    assert {"True", "False", "gaussian", "olora"} <= set(TABLE["init_lora_weights"].allowed)
    assert TABLE["r"].allowed == TABLE["target_modules"].allowed == TABLE["use_dora"].allowed == ()


def test_the_arguments_of_a_class() -> None:
    known = signature("transformers.BitsAndBytesConfig", DATE)
    assert known.id == "transformers/BitsAndBytesConfig"
    assert known.callable == "BitsAndBytesConfig"
    assert "bnb_4bit_quant_type" in known.arguments
    assert "kwargs" not in known.arguments
    assert list(known.provenance.versions) == ["transformers"]


def test_the_shipped_signatures_are_reproduced() -> None:
    shipped = json.loads((lab_folder("nlp-frameworks") / "truth.json").read_text(encoding="utf-8"))["signatures"]
    for entry in shipped:
        name = entry["provenance"]["how"].rpartition(" ")[2]
        assert list(signature(name, DATE).arguments) == entry["arguments"]


def test_arguments_behind_a_star_are_given_by_name_only() -> None:
    known = signature("torch.optim.SGD", DATE)
    assert known.by_place[:3] == ("params", "lr", "momentum")
    assert "fused" in known.by_name
    assert not set(known.by_place) & set(known.by_name)


def test_the_library_need_not_be_named() -> None:
    assert signature("BitsAndBytesConfig", DATE) == signature("transformers.BitsAndBytesConfig", DATE)
    assert signature("LoraConfig", DATE).id == "peft/LoraConfig"


def test_a_name_that_does_not_exist() -> None:
    for name in ("transformers.NoSuchThing", "NoSuchThing"):
        with pytest.raises(LookupError, match="NoSuchThing is no class"):
            signature(name, DATE)
