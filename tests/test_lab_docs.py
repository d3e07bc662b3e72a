"""docs/lab-reference.md and docs/lab.schema.json are what the definition of a lab says, and the schema accepts what the
grader accepts."""

import datetime
import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator  # type: ignore[import-untyped]  # comes without types
from pydantic import BaseModel

from grader.checks.registry import CHECKS
from grader.lab.definition import Lab
from grader.lab.files import LABS, write_starter
from scripts.make_lab_docs import (
    PAGE,
    SCHEMA,
    SHIPPED,
    example_of,
    fields_of,
    models_in,
    page,
    schema,
    schema_text,
    shipped_page,
)
from tests.conftest import ROOT

OWN = [*LABS.glob("*/lab.toml"), *(ROOT / "tests").glob("**/lab.toml")]


def test_page_and_schema_are_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: make lab-docs"
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), "run: make lab-docs"
    assert SHIPPED.read_text(encoding="utf-8") == shipped_page(), "run: make lab-docs"


def test_every_key_is_explained() -> None:
    models: list[type[BaseModel]] = [Lab]
    models += [one for field in fields_of(Lab).values() for one in models_in(field.annotation)]
    for model in models:
        assert [name for name, field in fields_of(model).items() if not field.description] == [], model


def test_the_page_has_an_example_of_what_labs_use() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for heading in ("[[questions]]", "[[questions.items]]", "[[experiments]]", "[[measures]]", "[[models]]", "[late]"):
        assert f"\n### `{heading}`\n" in text
    assert "[[runs]]" in text
    assert example_of.__doc__


@cache
def validator() -> Draft7Validator:
    Draft7Validator.check_schema(schema())
    return Draft7Validator(schema())


def as_editors_see(value: Any) -> Any:
    """TOML as an editor hands it to a schema: dates are text."""
    if isinstance(value, dict):
        return {key: as_editors_see(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_editors_see(one) for one in value]
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value


def errors(text: str) -> list[str]:
    return [
        f"{'.'.join(map(str, one.absolute_path))}: {one.message}"
        for one in validator().iter_errors(as_editors_see(tomllib.loads(text)))
    ]


@pytest.mark.parametrize("path", OWN, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_every_lab_of_the_repository_is_valid(path: Path) -> None:
    assert errors(path.read_text(encoding="utf-8")) == []


@pytest.fixture
def blank(tmp_path: Path) -> str:
    write_starter(tmp_path / "my-lab", "blank")
    return (tmp_path / "my-lab" / "lab.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('title = "My lab"', 'titel = "My lab"'),
        ('id = "q1.mean"', 'id = "Q1 mean"'),
        ('labels = ["question 1", "q1"]', 'labels = ["8)"]'),
        ('labels = ["question 1", "q1"]', 'labels = "question 1"'),
        ('words = ["mean", "average"]', 'words = "mean"'),
        ('points = "1"', "points = -1"),
        ('points = "1"', 'points = "one"'),
        ("options.value = 4", "value = 4"),
        ("options.value = 4", 'options.value = "four"'),
        ("options.value = 4\n", ""),
        ("options.wrong", "options.wron"),
        ('options.right = ["a"]', 'options.right = "a"'),
        ('options.right = ["a"]\n', ""),
        ("points = 1 }", 'points = "two" }'),
        ('check = "choice"', 'check = "contains"'),
        ('title = "My lab"', 'title = "My lab"\nseeds = 0'),
        ('title = "My lab"', 'title = "My lab"\nlate = { tiers = [{ points = 1 }] }'),
        ('title = "My lab"', 'title = "My lab"\nmodels = [{ id = "m", title = "M", confg = "x", conventions = [] }]'),
    ],
)
def test_a_wrong_lab_is_underlined(blank: str, old: str, new: str) -> None:
    assert errors(blank) == []
    assert old in blank
    assert errors(blank.replace(old, new, 1))


def test_an_edition_says_only_what_differs() -> None:
    edition = (
        'id = "next"\nextends = "nlp-frameworks"\n[[questions]]\nid = "q1"\n[[questions.items]]\nid = "q1.total"\n'
    )
    assert errors(f'{edition}points = "3"\n') == []
    assert errors(f'{edition}pionts = "3"\n')


def test_options_are_completed_for_every_check() -> None:
    items = schema()["definitions"]["Item"]
    known = items["properties"]["options"]["properties"]
    for one in CHECKS.values():
        if one.decides:
            assert set(one.options) <= set(known)
    assert json.dumps(items).count('"const"') == sum(one.decides for one in CHECKS.values())
