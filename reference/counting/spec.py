"""What an instructor writes about a model: where it comes from, and the conventions by which it is counted."""

import tomllib
from pathlib import Path
from typing import Self

from pydantic import Field, JsonValue, TypeAdapter, ValidationError, model_validator

from grader.frozen import Frozen
from reference.counting.components import HandWritten
from reference.counting.conventions import Convention
from reference.counting.errors import CountError
from reference.counting.lora import Lora


class ModelSpec(Frozen):
    """A model to be counted, which comes from one of three places.

    `config` is the path of a Hugging Face `config.json` from the lab's folder on; `overrides` replace some of its
    values, and `task` picks the Auto class (by default the one that the configuration names). `reference` names a
    function of the lab's own code that returns a torch module, such as `models.py:cnn` or `my_lab.models:cnn`;
    `overrides` are its arguments. `components` are written by hand. `parts` say for modules of the first two, given by
    their names with `*` for any signs, which part of the model they are in the words of students."""

    id: str
    title: str
    config: str | None = None
    reference: str | None = None
    components: tuple[HandWritten, ...] = ()
    task: str | None = None
    overrides: dict[str, JsonValue] = Field(default_factory=dict)
    lora: Lora | None = None
    parts: dict[str, str] = Field(default_factory=dict)
    conventions: tuple[Convention, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if sum(map(bool, (self.config, self.reference, self.components))) != 1:
            raise ValueError("a model comes from `config`, `reference` or `components`: give one of them")
        if self.task and not self.config:
            raise ValueError("`task` is for a model with a `config`")
        built = self.config or self.reference
        if not built and (self.overrides or self.lora or self.parts):
            raise ValueError("`components` take no `overrides`, `lora` or `parts`")
        if not built and any(c.overrides or c.task or c.prepared or c.packed_bits for c in self.conventions):
            raise ValueError("of `components`, conventions can only leave some out")
        return self


def load_specs(path: Path) -> tuple[ModelSpec, ...]:
    """The `[[models]]` tables of a TOML file. Raises CountError for a file that cannot be read or says too little."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("models", [])
        return TypeAdapter(tuple[ModelSpec, ...]).validate_python(tables)
    except OSError as error:
        raise CountError(f"{path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(key) for key in first["loc"])
        raise CountError(f"{path}: `models.{place}`: {first['msg']}.") from error
    except ValueError as error:
        raise CountError(f"{path} is not TOML: {error}.") from error
