import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.lab.files import LABS
from grader.pipeline.lab_form import TomlLines

TEXT = '''# a comment with [brackets] and a = sign
id = "x" # id = 3

[late]
tiers = [
    { hours = 24, points = 1 }, # [late]
    { hours = 48, points = 2 },
]
text = """
[[questions]]
id = "no heading"
"""
path = 'C:\\["'

[[questions]]
id = "q1"
[[questions.items]]
id = "a"
options.model = "m"
[questions.items.options.deep]
"odd key" = 1
[[questions.items]]
id = "b"

[[questions]]
"id" = "q2"
[[questions.items]]
  points = "1"
'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("id",), 2),
        (("late",), 4),
        (("late", "tiers"), 5),
        (("late", "tiers", 1, "points"), 5),
        (("late", "path"), 13),
        (("questions",), 15),
        (("questions", 0, "id"), 16),
        (("questions", 0, "items", 0), 17),
        (("questions", 0, "items", 0, "options", "model"), 19),
        (("questions", 0, "items", 0, "options", "deep", "odd key"), 21),
        (("questions", 0, "items", 1, "id"), 23),
        (("questions", 1, "id"), 26),
        (("questions", 1, "items", 0, "points"), 28),
        (("questions", 1, "items", 0, "title"), 27),
        (("nowhere",), None),
    ],
)
def test_a_key_is_found_or_what_holds_it(place: tuple[str | int, ...], line: int | None) -> None:
    assert TomlLines(TEXT).line_of(*place) == line


def leaves(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*place, key))
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*place, number))
    else:
        yield place, value


@pytest.mark.parametrize("path", sorted(LABS.glob("*/*.toml")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_key_of_the_shipped_files_stands_where_it_is_said_to(path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    lines, known = text.split("\n"), TomlLines(text)
    for place, _ in leaves(tomllib.loads(text)):
        line = known.line_of(*place)
        assert line is not None
        names = [part for part in place if isinstance(part, str)]
        assert any(name in lines[line - 1] for name in names), (place, line)


KEYS = st.lists(st.from_regex(r"[a-z]{1,4}", fullmatch=True), min_size=1, max_size=6, unique=True)
VALUES = st.sampled_from(
    ['"a # b"', "3", "[1,\n 2, # ]\n 3]", '"""\n[x]\ny = 1\n"""', "{ a = 1, b = [2] }", "'['", "1.5"]
)


@settings(deadline=None)
@given(KEYS, st.data())
def test_the_lines_of_any_keys(keys: list[str], data: st.DataObject) -> None:
    text, wanted = "", {}
    for key in keys:
        wanted[key] = text.count("\n") + 1
        text += f"{key} = {data.draw(VALUES)}\n" + data.draw(st.sampled_from(["", "\n", "# note\n"]))
    tomllib.loads(text)
    known = TomlLines(text)
    assert {key: known.line_of(key) for key in keys} == wanted
