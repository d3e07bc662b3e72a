"""Write the JSON Schema of result.json: `python -m scripts.make_schema`."""

import json
from pathlib import Path

from grader.result import Result

TARGET = Path(__file__).parents[1] / "docs" / "result.schema.json"


def schema() -> str:
    """The text of the published schema."""
    described = Result.model_json_schema(by_alias=True, mode="serialization")
    described = {"$schema": "https://json-schema.org/draft/2020-12/schema", **described}
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(schema(), encoding="utf-8")
