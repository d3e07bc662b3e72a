"""The base of every value that passes from one stage to the next."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable, fully typed value; unknown keys are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
