from collections.abc import Iterator
from typing import Any

import pytest

from grader.checks.check import Conclusion, check
from grader.checks.finding import Finding, Status
from grader.checks.registry import check_of
from grader.checks.runner import verify
from grader.lab.definition import Item, Lab
from grader.lab.files import LabError
from tests.checks.making import truth
from tests.claims.making import lab


@check("example")
def example(answer: str, truth: str, *, item: str, model: str, accept: tuple[str, ...] = ()) -> Iterator[Conclusion]:
    """The example holds.

    More for programmers.
    """
    yield Finding(item=item, status=Status.CORRECT, found=f"{answer} {truth} {model} {accept}")


def item(**options: Any) -> Item:
    return Item.model_validate({"id": "q1.x", "title": "T", "points": "1", "check": "example", "options": options})


def test_the_first_line_of_the_docstring_is_for_students() -> None:
    assert example.sentence == "The example holds."


def test_a_check_is_called_with_what_it_needs_and_the_items_options() -> None:
    bound = example.bind_options(item(model="m", accept=["a", "b"]))
    (finding,) = bound(answer="A", truth="T", lab="L")
    assert isinstance(finding, Finding)
    assert (finding.item, finding.found) == ("q1.x", "A T m ('a', 'b')")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, ["q1.x", "'model'", "missing", "model, accept"]),
        ({"model": "m", "modle": "x"}, ["q1.x", "'modle'", "unknown", "model, accept"]),
        ({"model": 3}, ["q1.x", "`options.model`", "text in quotes"]),
        ({"model": "m", "accept": "abc"}, ["q1.x", "`options.accept`", "a list"]),
        ({"model": "m", "item": "other"}, ["q1.x", "'item'", "unknown"]),
    ],
)
def test_wrong_options_are_named_with_item_and_remedy(options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(LabError) as error:
        example.bind_options(item(**options))
    for word in (*words, "lab.toml"):
        assert word in str(error.value)


def test_an_unknown_check_is_named_beside_the_known_ones() -> None:
    with pytest.raises(LabError) as error:
        check_of(item())
    for word in ("lab.toml", "q1.x", "'example'", "parameter-count", "short-answer"):
        assert word in str(error.value)


@check("one-of-two", one_of=("value", "truth_id"))
def one_of_two(*, item: str, value: float = 0, truth_id: str = "") -> Iterator[Conclusion]:
    """One of two."""
    yield Finding(item=item, status=Status.CORRECT)


@pytest.mark.parametrize("options", [{}, {"value": 1, "truth_id": "x"}])
def test_of_options_that_exclude_each_other_exactly_one_is_needed(options: dict[str, Any]) -> None:
    (misuse,) = one_of_two.misuses(item(**options))
    assert misuse.text.startswith("give one of the options 'value' or 'truth_id'. The check one-of-two takes: value, ")
    assert misuse.option == ""
    assert list(one_of_two.misuses(item(value=1))) == []


def test_a_check_without_options_says_so() -> None:
    @check("plain")
    def plain(*, item: str) -> Iterator[Conclusion]:
        """Nothing to set."""
        yield Finding(item=item, status=Status.CORRECT)

    (misuse,) = plain.misuses(item(model="m"))
    assert misuse.text == "unknown option 'model'. The check plain takes: no options."


def test_the_nearest_name_is_offered_where_one_is_like_it() -> None:
    (misuse,) = (one for one in example.misuses(item(model="m", acept=["a"])) if one.option == "acept")
    assert "Did you mean 'accept'? " in misuse.text
    (misuse,) = (one for one in example.misuses(item(model="m", colour=1)) if one.option == "colour")
    assert "Did you mean" not in misuse.text


def changed(check_name: str, **options: Any) -> Lab:
    """The shipped lab with one item of another check or other options."""
    first, *others = lab().questions
    item = first.items[0].model_copy(update={"check": check_name, "options": options})
    question = first.model_copy(update={"items": (item, *first.items[1:])})
    return lab().model_copy(update={"questions": (question, *others)})


@pytest.mark.parametrize(
    ("name", "options", "word"),
    [
        ("no-such-check", {}, "no-such-check"),
        ("seeds-reported", {}, "experiment"),
        ("steps-ran", {"steps": [{"title": "x"}]}, "steps"),
        ("expected-band", {"experiment": "no-such-experiment"}, "no-such-experiment"),
        ("parameter-count", {"model": "no-such-model", "accept": ["weights-only"]}, "no-such-model"),
    ],
)
def test_a_lab_that_asks_for_what_does_not_exist_is_refused_before_grading(
    name: str, options: dict[str, Any], word: str
) -> None:
    with pytest.raises(LabError, match=word):
        verify(changed(name, **options), truth())
