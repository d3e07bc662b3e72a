"""The term of a large course, in the forms of four course systems."""

from pathlib import Path

import pytest

from grader.intake.layouts import find_sources
from scripts.term import COURSES, made_class, play


@pytest.mark.parametrize("system", COURSES)
def test_each_download_is_taken_for_a_class(system: str, tmp_path: Path) -> None:
    people = made_class(150, 30)
    sources, refused = find_sources(COURSES[system].download(people, tmp_path))
    assert len(sources) == sum(one.hands_in for one in people) == 111
    assert not refused
    assert all(source.identity for source in sources)
    if system == "prairielearn":
        first = next(one for one in sources if one.identity and one.identity.login == "pair1")
        assert len(first.parts) == 3


@pytest.mark.slow
@pytest.mark.parametrize("system", COURSES)
def test_a_term_of_150_students(system: str, tmp_path: Path) -> None:
    played = play(system, made_class(150, 30), tmp_path, reports=False, jobs=2)
    assert played.wrong == []
