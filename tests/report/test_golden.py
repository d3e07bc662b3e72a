"""Pages look as they did: pictures of made-up reports are compared with stored ones.

`pytest tests/report --update-golden` stores them anew; look at them before you keep them.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from grader.cohort.statistics import of_class
from grader.report.pdf import missing_libraries
from grader.report.render import class_report, class_views, student_report
from grader.result import Result, Status
from tests.factories import evidence, item, result
from tests.report.made_up import PICTURES, long_quotes, no_data, nothing_earned, ordinary
from tests.report.page_pictures import difference, pages, store

pytestmark = pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's libraries are missing")

GOLDEN = Path(__file__).parent / "golden"
MEAN, MOST = 1.5, 25.0
"""Grey levels of 255 that pages may differ by, on average and in one block. Another rasteriser makes about 0.9 and 20,
one changed number in small print 27 in a block."""


def classroom(size: int) -> list[Result]:
    """Results of all kinds, the same each time."""
    statuses = list(Status)[:6]

    def status(student: int, number: int) -> Status:
        return (
            statuses[(student * 7 + number * (student % 5 + 1)) % len(statuses)]
            if (student + number) % 3
            else (Status.CORRECT)
        )

    return [
        result(
            f"s{student:03}",
            [
                item(f"q{number}.a", status(student, number), str(1 + number / 2), found="42", evidence=(evidence(),))
                for number in range(8)
            ],
            name=f"Student {student}",
        )
        for student in range(size)
    ]


def a_class(size: int) -> bytes:
    results = classroom(size)
    return class_report(class_views(of_class(results)))


REPORTS: dict[str, tuple[Callable[[], bytes], int]] = {
    "student-ordinary": (lambda: student_report(ordinary(), PICTURES), 2),
    "student-quotes": (lambda: student_report(long_quotes()), 2),
    "student-nothing": (lambda: student_report(no_data()), 1),
    "student-zero": (lambda: student_report(nothing_earned()), 1),
    "class-5": (lambda: a_class(5), 3),
    "class-40": (lambda: a_class(40), 3),
}
"""Reports by name, and how many of their pages are compared."""


@pytest.mark.parametrize("name", REPORTS)
def test_pages_look_as_they_did(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    make, most = REPORTS[name]
    for number, page in enumerate(pages(make(), most), 1):
        stored = GOLDEN / f"{name}-{number}.png"
        if request.config.getoption("--update-golden", default=False):
            store(page, stored)
        assert stored.is_file(), f"there is no {stored.name}; make it by: pytest tests/report --update-golden"
        found = difference(page, Image.open(stored))
        if found.mean > MEAN or found.most > MOST:
            page.save(tmp_path / stored.name)
        assert found.mean <= MEAN, f"{stored.name} differs on average by {found.mean:.2f}; see {tmp_path}"
        assert found.most <= MOST, f"{stored.name} differs in a block by {found.most:.0f}; see {tmp_path}"


def test_what_a_person_would_notice_is_noticed() -> None:
    before = pages(student_report(ordinary(), PICTURES), 2)
    for changed in _changed():
        after = pages(student_report(changed, PICTURES), 2)
        differences = [difference(*pair) for pair in zip(before, after, strict=True)]
        assert any(one.mean > MEAN or one.most > MOST for one in differences)


def _changed() -> Iterator[Result]:
    plain = ordinary()
    yield plain.model_copy(update={"score": plain.score + 1})
    items = (plain.items[0].model_copy(update={"found": "22829056, as counted"}), *plain.items[1:])
    yield plain.model_copy(update={"items": items})
    yield plain.model_copy(update={"items": plain.items[:-1]})


def test_the_stored_pictures_are_small() -> None:
    stored = {path.name: path.stat().st_size for path in GOLDEN.glob("*.png")}
    expected = {f"{name}-{number}.png" for name, (_, most) in REPORTS.items() for number in range(1, most + 1)}
    assert set(stored) <= expected, "there are pictures of pages that are no more"
    assert sum(stored.values()) < 400_000
