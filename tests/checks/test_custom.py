"""Checks of installed packages: found by name, loaded only then, and never trusted to behave."""

import sys
import time
from pathlib import Path

import pytest

from grader.checks.check import Check
from grader.checks.finding import Status
from grader.checks.registry import CHECKS, check_of, clashes, find_check
from grader.intake.layouts import Layout, find_sources
from grader.lab.definition import Item, Lab
from grader.lab.files import LabError
from grader.lab.truth import GroundTruth
from grader.pipeline.isolation import run_isolated
from grader.pipeline.one import grade_source
from grader.pipeline.worker import Job, grade_job
from tests.checks.making_packages import install

TRUTH = GroundTruth(lab="small")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pleasing", "other_one"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages."""
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def item(check: str = "pleases", **options: object) -> Item:
    return Item.model_validate({"id": "q1.x", "title": "T", "points": "1", "check": check, "options": options})


def lab(*items: Item) -> Lab:
    question = {"id": "q1", "title": "Q", "labels": ["question 1"], "items": items}
    return Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question]})


def test_an_installed_check_decides_its_item(site: Path, tmp_path: Path) -> None:
    install(site, "pleases")
    hand_in = tmp_path / "report.md"
    hand_in.write_text("# Question 1\n\nYes.\n", encoding="utf-8")
    (source,), _ = find_sources(hand_in, Layout.STUDENT)
    (tmp_path / "work").mkdir()
    result = grade_source(source, lab(item(status="partial")), TRUTH, tmp_path / "work")
    assert [(one.status, one.feedback) for one in result.items] == [(Status.PARTIAL, "Decided by a package.")]


def test_its_options_are_checked_like_any_others(site: Path) -> None:
    install(site, "pleases")
    with pytest.raises(LabError, match=r"q1\.x.*'statsu'.*Did you mean 'status'"):
        check_of(item(statsu="x")).bind_options(item(statsu="x"))


def test_nothing_is_loaded_for_a_lab_that_does_not_ask(site: Path) -> None:
    install(site, "pleases", code="raise SystemExit('loaded')")
    assert check_of(item("short-answer")) is CHECKS["short-answer"]
    assert clashes() == ()
    with pytest.raises(LabError, match="pleases"):
        check_of(item("unpleasing"))
    assert "pleasing" not in sys.modules


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("1 / 0", ["cannot be loaded", "ZeroDivisionError", "pleasing:custom"]),
        ("import no_such_library", ["cannot be loaded", "no_such_library"]),
        ("other = 1", ["cannot be loaded", "custom"]),
        ("def custom(answer, *, item):\n    yield 1", ["no check", "@check('pleases')"]),
        (
            "from grader.checks.check import check\n@check('likes')\ndef custom(*, item):\n    yield",
            ["'likes'", "same name"],
        ),
    ],
)
def test_a_package_that_is_no_good_is_explained(site: Path, code: str, words: list[str]) -> None:
    install(site, "pleases", code=code)
    with pytest.raises(LabError) as error:
        check_of(item())
    assert [word for word in ("lab.toml", "q1.x", "pleasing", *words) if word not in str(error.value)] == []


def test_what_lies_in_the_working_folder_is_not_installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m grader` has that folder on its path, and a hand-in may look like a package."""
    install(site, "pleases")
    monkeypatch.chdir(site)
    with pytest.raises(LabError, match="no check named 'pleases'"):
        check_of(item())
    assert "pleasing" not in sys.modules


def test_two_packages_with_one_name_are_a_doubt(site: Path) -> None:
    install(site, "pleases")
    install(site, "pleases", package="other-one")
    with pytest.raises(LabError, match=r"several packages.*other-one, pleasing"):
        check_of(item())


def test_a_built_in_name_stays_built_in(site: Path) -> None:
    install(site, "short-answer")
    assert find_check("short-answer") is CHECKS["short-answer"]
    (clash,) = clashes()
    assert [word for word in ("pleasing", "'short-answer'", "built in") if word not in clash] == []
    assert "pleasing" not in sys.modules


def test_a_check_that_raises_is_an_error_of_its_item_only(site: Path, tmp_path: Path) -> None:
    install(site, "pleases", before="raise RuntimeError('out of order')")
    hand_in = tmp_path / "report.md"
    hand_in.write_text("# Question 1\n\nYes.\n", encoding="utf-8")
    (source,), _ = find_sources(hand_in, Layout.STUDENT)
    (tmp_path / "work").mkdir()
    two = lab(item(), item("seeds-reported", experiment="e").model_copy(update={"id": "q1.y"}))
    first, second = grade_source(source, two, TRUTH, tmp_path / "work").items
    assert first.status is Status.ERROR
    assert "out of order" in first.note
    assert first.pending == 1
    assert second.id == "q1.y"


def test_a_check_that_hangs_is_cut_off(site: Path, tmp_path: Path) -> None:
    install(site, "pleases", before="while True: pass")
    hand_in = tmp_path / "report.md"
    hand_in.write_text("# Question 1\n\nYes.\n", encoding="utf-8")
    (source,), _ = find_sources(hand_in, Layout.STUDENT)
    (tmp_path / "work").mkdir()
    started = time.monotonic()
    job = Job(source, lab(item()), TRUTH, tmp_path / "work", with_report=False)
    (outcome,) = run_isolated(grade_job, [job], workers=1, seconds=40)
    assert time.monotonic() - started < 40
    assert outcome.failure is None
    assert any(b'"status": "error"' in message for message in outcome.messages)


def test_what_is_found_is_a_check(site: Path) -> None:
    install(site, "pleases")
    found = find_check("pleases")
    assert isinstance(found, Check)
    assert found.sentence == "The answer pleases."
