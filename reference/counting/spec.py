"""What an instructor writes about a model: its configuration, and the conventions by which it is counted."""

import tomllib
from pathlib import Path

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from grader.frozen import Frozen
from reference.counting.conventions import Convention
from reference.counting.errors import CountError
from reference.counting.lora import Lora


class ModelSpec(Frozen):
    """A model to be counted: `config` is the path of its `config.json` from the lab's folder on, `overrides` replace
    some of its values, and `task` picks the Auto class (by default the one that the configuration names)."""

    id: str
    title: str
    config: str
    task: str | None = None
    overrides: dict[str, JsonValue] = Field(default_factory=dict)
    lora: Lora | None = None
    conventions: tuple[Convention, ...] = Field(min_length=1)


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
