"""docs/checks.md is what the checks say of themselves, and each tells what a lab's author needs."""

import tomllib

import pytest

from grader.checks.registry import CHECKS
from grader.lab.definition import Item, Watch
from scripts.make_check_docs import DECIDES, LEAVES, PAGE, example_of, page, sections_of


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: make checks"


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_tells_what_it_decides_and_its_example_is_accepted(name: str) -> None:
    check = CHECKS[name]
    told = sections_of(check)
    assert told[DECIDES]
    assert told[LEAVES]
    options = tomllib.loads(example_of(check)).get("options", {})
    asked = (
        Item.model_validate({"id": "q1.x", "title": "T", "points": "1", "check": name, "options": options})
        if check.decides
        else Watch(check=name, options=options)
    )
    assert [str(one.text) for one in check.misuses(asked)] == []
