"""Configurations written by hand, and short ways to count them."""

from pathlib import Path

from pydantic import JsonValue

from reference.counting.components import TakenApart, take_apart
from reference.counting.configs import read_values
from reference.counting.conventions import Convention, total
from reference.counting.lora import Lora
from reference.counting.model import build

CONFIGS = Path(__file__).parents[1] / "configs"

ROBERTA_SMALL: dict[str, JsonValue] = {
    "model_type": "roberta",
    "vocab_size": 32000,
    "hidden_size": 512,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "intermediate_size": 512,
    "max_position_embeddings": 258,
    "type_vocab_size": 1,
}


def values_of(name: str, **overrides: JsonValue) -> dict[str, JsonValue]:
    return {**read_values(CONFIGS / f"{name}.json"), **overrides}


def taken(
    name: str, task: str | None = None, *, r: int = 0, targets: str = "", save: str = "", **overrides: JsonValue
) -> TakenApart:
    """A model of a configuration file taken apart, with an adapter if a rank is given."""
    saved = (save,) if save else ()
    lora = Lora(r=r, target_modules=tuple(targets.split()), modules_to_save=saved) if r else None
    return take_apart(build(values_of(name, **overrides), task), lora)


def trainable(apart: TakenApart) -> int:
    return total(apart.groups, Convention(id="", title="", trainable=True))


def without(apart: TakenApart, *names: str) -> int:
    return total(apart.groups, Convention(id="", title="", without=names))
