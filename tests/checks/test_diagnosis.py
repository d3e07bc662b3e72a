from itertools import combinations

import pytest

from grader.checks.diagnosis import MOST_PARTS, additions, omissions
from tests.checks.making import truth

MODEL = "roberta-small-fr"


def test_every_omission_of_one_or_two_parts_is_found_again() -> None:
    for count in truth().counts_of(MODEL):
        sizes: dict[str, int] = {}
        for component in truth().components(MODEL, count.convention):
            sizes[component.part] = sizes.get(component.part, 0) + component.values * component.times
        for parts in (*combinations(sizes, 1), *combinations(sizes, MOST_PARTS)):
            total = count.total - sum(sizes[part] for part in parts)
            stories = omissions(total, truth().counts_of(MODEL), truth())
            assert (count.convention, parts) in [(story.convention, story.parts) for story in stories]


def test_the_shortest_story_comes_first() -> None:
    lengths = [len(story.parts) for story in omissions(22_807_552 - 132_096, truth().counts_of(MODEL), truth())]
    assert lengths == sorted(lengths)


@pytest.mark.parametrize("total", [0, 1, 12_345_678, 22_807_553])
def test_a_number_that_no_omission_gives_has_no_story(total: int) -> None:
    assert omissions(total, truth().counts_of(MODEL), truth()) == ()


def test_a_story_is_told_with_its_numbers() -> None:
    (story,) = (s for s in omissions(22_675_456, truth().counts_of(MODEL), truth()) if s.convention == "weights-only")
    assert story.sentence.startswith("It equals 22,807,552 ")
    assert story.sentence.endswith("without position embedding.")


def test_parts_counted_besides_are_named() -> None:
    """Encoder and both heads, as one framework prints it: 22,829,056 + 295,680 + 263,682."""
    accepted = [count for count in truth().counts_of(MODEL) if count.convention == "all-but-head"]
    stories = additions(23_388_418, accepted, truth())
    assert [set(story.parts) for story in stories] == [{"language-model head", "classification head"}]
    assert additions(23_388_419, accepted, truth()) == ()
