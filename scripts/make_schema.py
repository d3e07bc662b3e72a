"""Write the JSON Schemas of result.json and truth.json: `python -m scripts.make_schema`."""

import json
from pathlib import Path

from pydantic import BaseModel

from grader.lab.truth import GroundTruth
from grader.result import Result

DOCS = Path(__file__).parents[1] / "docs"
PUBLISHED: dict[str, type[BaseModel]] = {"result.schema.json": Result, "truth.schema.json": GroundTruth}


def schema(model: type[BaseModel]) -> str:
    """The text of a published schema."""
    described = model.model_json_schema(by_alias=True, mode="serialization")
    described.get("properties", {}).pop("sha256", None)  # of the file itself, which therefore cannot hold it
    if "sha256" in described.get("required", []):
        described["required"].remove("sha256")
    described = {"$schema": "https://json-schema.org/draft/2020-12/schema", **described}
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name, model in PUBLISHED.items():
        (DOCS / name).write_text(schema(model), encoding="utf-8")
