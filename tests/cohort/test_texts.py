"""Reports whose prose is alike."""

import random
from collections.abc import Iterable
from itertools import combinations

import pytest

from grader.claims.likeness import text_print
from grader.claims.sections import sections
from grader.cohort import likeness
from grader.cohort.likeness import FEWEST_RUNS, LEAST_SHARE, LikeTexts, Texts
from grader.result import Result
from tests.claims.making import document, lab
from tests.factories import result
from tests.patience import within

WORDS = [f"{first}{second}{third}" for first in "bdfgklm" for second in "aeiou" for third in "nrstxyz"]


def words(seed: int, count: int) -> str:
    chance = random.Random(seed)
    return " ".join(chance.choice(WORDS) for _ in range(count))


def wrote(student: str, text: str) -> Result:
    return result(student, prose=text_print(sections(document(text), lab()), lab()))


def like_texts(results: Iterable[Result]) -> tuple[LikeTexts, ...]:
    texts = Texts()
    for one in results:
        texts.add(one)
    return texts.similar_groups()


def test_a_text_with_few_other_words_is_alike_and_its_share_is_told() -> None:
    own, others = words(1, 600), words(2, 200)
    (pair,) = like_texts([wrote("ann", own), wrote("bob", f"{own} {others}"), wrote("cyd", words(3, 600))])
    assert pair.students == ("ann", "bob")
    assert pair.least == pair.most > 0.9
    assert pair.runs == (596, 796)
    assert "no proof of copying" in pair.meaning


@pytest.mark.parametrize("part", [0.5, 0.6, 0.8])
def test_the_share_is_estimated_well(part: float) -> None:
    shared = int(1000 * part)
    errors = []
    for seed in range(5):
        both = words(seed, shared)
        first, second = (f"{both} {words(seed + at, 1000 - shared)}" for at in (100, 200))
        (pair,) = like_texts([wrote("ann", first), wrote("bob", second)])
        errors.append(abs(pair.most - part))
    print(f"largest error of a share of {part:.0%}: {max(errors):.3f}")
    assert max(errors) < 0.12


def test_other_words_are_not_alike_nor_are_short_texts() -> None:
    assert not like_texts([wrote(f"s{n}", words(n, 500)) for n in range(20)])
    short = words(1, FEWEST_RUNS)
    assert not like_texts([wrote("ann", short), wrote("bob", short)])


def test_what_many_share_is_the_course_s_and_does_not_count() -> None:
    handed_out = words(0, 400)
    assert not like_texts([wrote(f"s{n:02}", f"{handed_out} {words(n + 1, 150)}") for n in range(30)])


def test_a_pair_stands_out_among_texts_that_share_the_hand_out() -> None:
    handed_out, copied = words(0, 200), words(1, 300)
    others = [wrote(f"s{n:02}", f"{handed_out} {words(n + 5, 300)}") for n in range(30)]
    (pair,) = like_texts([*others, wrote("ann", f"{handed_out} {copied}"), wrote("bob", f"{handed_out} {copied}")])
    assert pair.students == ("ann", "bob")
    assert pair.most == 1


def test_identical_hand_ins_are_told_elsewhere() -> None:
    text = words(1, 300)
    twins = [wrote(name, text).model_copy(update={"submission": result("one").submission}) for name in ("ann", "bob")]
    assert not like_texts(twins)


def test_results_without_a_print_are_left_out() -> None:
    assert not like_texts([result("ann"), result("bob"), wrote("cyd", words(1, 300))])


def test_a_large_class_is_compared_in_two_seconds() -> None:
    shared = [words(n, 300) for n in range(10)]  # ten circles of friends, and a hand-out
    class_ = [wrote(f"s{n:03}", f"{words(99, 100)} {shared[n % 10]} {words(1000 + n, 300)}") for n in range(500)]
    with within(2):
        groups = like_texts(class_)
    assert [len(group.students) for group in groups] == [50] * 10
    assert all(group.pairs > 900 for group in groups)


def test_those_who_are_alike_by_turns_are_one_group() -> None:
    parts = [words(n, 300) for n in range(4)]
    class_ = [wrote(name, f"{parts[at]} {parts[at + 1]}") for at, name in enumerate(("ann", "bob", "cyd"))]
    (group,) = like_texts([*class_, wrote("dan", words(9, 600))])
    assert (group.students, group.pairs) == (("ann", "bob", "cyd"), 2)
    assert 0.4 <= group.least <= group.most < 0.6


def test_a_class_on_the_disk_is_compared_like_one_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own."""
    shared = [words(n, 300) for n in range(6)]
    class_ = [wrote(f"s{n:02}", f"{shared[n % 6]} {words(100 + n, 250)}") for n in range(24)]
    before = like_texts(class_)
    monkeypatch.setattr(likeness, "_MOST_HELD", 1_000)
    assert like_texts(class_) == before
    assert [len(group.students) for group in before] == [4] * 6


def test_no_planted_copy_is_missed() -> None:
    """Against every pair of texts compared with each other."""
    chance = random.Random(7)
    texts = [words(1000 + n, 500) for n in range(60)]
    for n in range(30):  # each has a part of another's text, from a third to all of it
        whole = texts[n].split()
        begin = chance.randrange(0, 300)
        texts.append(f"{' '.join(whole[begin : begin + 150 + 12 * n])} {words(2000 + n, 200)}")
    prints = [wrote(f"s{n:02}", text).prose for n, text in enumerate(texts)]
    alike = set()
    for (first, one), (second, other) in combinations(enumerate(prints), 2):
        assert one
        assert other
        ends = [print_.hashes[-1] for print_ in (one, other) if not print_.is_whole]
        both = [[one_ for one_ in print_.hashes if one_ <= min(ends, default=2**32)] for print_ in (one, other)]
        smaller = min(map(len, both))
        if smaller >= FEWEST_RUNS and len(set(both[0]) & set(both[1])) >= LEAST_SHARE * smaller:
            alike.add((first, second))
    found = likeness.Texts()
    for n, text in enumerate(texts):
        found.add(wrote(f"s{n:02}", text))
    assert set(found.pairs()) == alike
    assert len(alike) >= 15
