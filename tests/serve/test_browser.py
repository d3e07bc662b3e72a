"""The review page in a real browser, by keys alone where that can be. Skipped, and said so, where no Chromium is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.gradebook.decisions import decided_since, standing
from grader.gradebook.store import FILE, open_database
from grader.result import Result
from scripts.made_class import LAB, made_class
from tests.conftest import ROOT, run_grade
from tests.serve.serving import CHROMIUM, Served, opened, serving
from tests.serve.test_check import checking

AXE = Path(__file__).parent / "vendor" / "axe.min.js"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: the review page is not tried in a browser")
NEXT = """seen => {
  const field = document.querySelector('#group input[name=seen]');
  return !field || field.value !== seen;
}"""


@pytest.fixture
def served(made: Path) -> Iterator[Served]:
    with serving(made, "ana,ben") as running:
        yield running


@pytest.fixture
def served_few(few: Path) -> Iterator[Served]:
    with serving(few, "ana,ben") as running:
        yield running


def decided(graded: Path) -> dict[tuple[str, str], Any]:
    database = open_database(graded / FILE, create=False)
    try:
        return standing(decided_since(database, LAB))
    finally:
        database.close()


def press_and_wait(page: Any, *keys: str) -> None:
    seen = page.locator("#group input[name=seen]").input_value()
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function(NEXT, arg=seen)


def test_the_whole_queue_is_settled_by_two_keys_a_group(browser: Any, served_few: Served, few: Path) -> None:
    page = opened(browser, served_few)
    groups, keys = 0, 0
    page.keyboard.press("Enter")
    page.wait_for_selector(".card.current")
    while page.locator("#group").count():
        suggested = page.locator("#group").get_attribute("data-suggested")
        press_and_wait(page, "a" if suggested else "1", "Enter")
        groups, keys = groups + 1, keys + 2
        assert groups < 500
    print(f"{groups} groups by {keys} keys")
    assert keys <= 2 * groups
    assert page.locator("h1").inner_text() == "All is decided"
    results = [Result.from_json(path.read_bytes()) for path in few.glob("*/result.json")]
    waiting = {(one.student.id, item.id) for one in results for item in one.items if item.pending}
    assert set(decided(few)) == waiting, "every answer that waited was reached"
    assert not page.problems


def test_keys_take_out_comment_points_undo(browser: Any, served: Served, made: Path) -> None:
    page = opened(browser, served)
    page.keyboard.press("Enter")
    page.wait_for_selector(".card.current")
    count = int(page.locator("[data-decide]").get_attribute("data-count"))
    assert count > 1
    out = page.locator(".card").nth(1).get_attribute("data-student")
    page.keyboard.press(" ")
    page.keyboard.press("x")
    assert page.locator(".card.is-out").get_attribute("data-student") == out
    page.keyboard.press("c")
    page.keyboard.type("Say why.")
    page.keyboard.press("Escape")
    press_and_wait(page, "1", "Enter")
    first = decided(made)
    assert len(first) == count - 1
    assert all(one.verdict.reason == "Say why." for one in first.values())
    assert out not in {student for student, _ in first}
    assert page.locator(".card").get_attribute("data-student") == out, "who was taken out is asked next"
    page.keyboard.press("p")
    page.keyboard.type("0,25")
    press_and_wait(page, "Enter", "Enter")  # below full points a remark is asked for, once
    assert str(decided(made)[out, next(iter(first))[1]].verdict.points) == "0.25"
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('#told').innerText.includes('Undone')")
    assert len(decided(made)) == count - 1
    page.keyboard.press("u")
    page.wait_for_function("count => document.querySelector('[data-count]').dataset.count == count", arg=str(count))
    assert decided(made) == {}
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    assert not page.problems


def test_one_answer_of_a_group_at_a_time(browser: Any, served: Served, made: Path) -> None:
    page = opened(browser, served)
    page.keyboard.press("Enter")
    page.wait_for_selector(".card.current")
    student = page.locator(".card.current").get_attribute("data-student")
    press_and_wait(page, "3", "Shift+Enter", "Enter")
    assert {one for one, _ in decided(made)} == {student}
    assert page.locator(".crop img").first.evaluate("image => image.complete && image.naturalWidth > 0")


def test_a_remark_is_asked_for_below_full_points_and_offered_by_one_key(
    browser: Any, served: Served, made: Path
) -> None:
    page = opened(browser, served)
    page.keyboard.press("Enter")
    page.wait_for_selector(".card.current")
    page.evaluate("document.querySelector('#group').dataset.suggested = ''")
    seen = page.locator("#group input[name=seen]").input_value()
    page.keyboard.press("3")
    page.keyboard.press("Shift+Enter")
    assert "the student reads it" in page.locator("#told").inner_text()
    assert decided(made) == {}
    page.keyboard.type("The heads are no factor.")
    page.keyboard.press("Enter")
    page.wait_for_function(NEXT, arg=seen)
    (first,) = decided(made).values()
    assert first.verdict.reason == "The heads are no factor."
    press_and_wait(page, "r", "3", "Shift+Enter")  # the same item, the next answer
    assert [one.verdict.reason for one in decided(made).values()] == [first.verdict.reason] * 2
    assert not page.problems


def test_by_touch_and_without_scripts(browser: Any, served: Served, made: Path) -> None:
    page = opened(browser, served, has_touch=True, viewport={"width": 360, "height": 780})
    page.locator(".groups a").first.tap()
    page.wait_for_selector(".card.current")
    page.locator(".choice.half").tap()
    page.locator("[data-decide]").tap()
    page.wait_for_function("() => document.querySelector('#told').innerText.includes('answer')")
    before = len(decided(made))
    assert before
    plain = opened(browser, served, "ben", java_script_enabled=False)
    plain.locator(".groups a").first.click()
    plain.locator(".choice.check input").check(force=True)
    plain.locator("[data-decide]").click()
    plain.wait_for_load_state()
    assert len(decided(made)) > before
    assert plain.locator("h1").is_visible()


def test_a_student_is_decided_asked_about_and_finished(browser: Any, served_few: Served, few: Path) -> None:
    page = opened(browser, served_few)
    page.goto(f"{served_few.base}/students/made-0001")
    entry = page.locator("article.entry").first
    item = entry.get_attribute("id")
    if not entry.locator("details.change").evaluate("one => one.open"):
        entry.locator("summary").click()
    entry.locator("textarea[name=comment]").fill("Seen on page 1.")
    entry.locator("button[value=correct]").click()
    page.wait_for_function("() => document.querySelector('.events').innerText.includes('Seen on page 1.')")
    assert decided(few)["made-0001", item].author == "ana"
    page.locator("summary", has_text="Enter a request").click()
    page.locator("textarea[name=text]").fill("Please look at page 2.")
    page.locator("button", has_text="Keep").click()
    page.locator("textarea[name=answer]").fill("It stays as it is.")
    page.locator("form:has(textarea[name=answer]) button").click()
    page.wait_for_selector(".answer")
    page.goto(f"{served_few.base}/students/made-0002")
    page.locator("button[value=blank]").click()
    page.wait_for_function("() => document.querySelector('.score strong').innerText === '0'")
    done = run_grade("regrade", "finish", few)
    assert done.returncode == 0, done.stderr
    assert "2 of 4 students have new results" in done.stdout or "4 of 4" in done.stdout
    result = Result.from_json((few / "made-0002" / "result.json").read_bytes())
    assert result.score == 0
    assert result.pending == 0
    first = Result.from_json((few / "made-0001" / "result.json").read_bytes()).items[0]
    assert first.override is not None
    assert first.override.reason == "Seen on page 1."
    assert "Seen on page 1." in (few / "made-0001" / "report.html").read_text(encoding="utf-8")
    assert "data:image/png" in (few / "made-0001" / "report.html").read_text(encoding="utf-8"), "pictures stay"
    assert not page.problems


PAGES = ("/", "group", "/students/made-0001", "/class", "/history", "/finish")


SCREENS = [
    pytest.param(width, scheme, marks=() if (width, scheme) in ((360, "light"), (1440, "dark")) else pytest.mark.slow)
    for width in (360, 768, 1440)
    for scheme in ("light", "dark")
]


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_axe_finds_nothing(browser: Any, served_few: Served, scheme: str, width: int) -> None:
    page = opened(browser, served_few, color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
    for path in PAGES:
        if path == "group":
            page.goto(f"{served_few.base}/")
            page.locator(".groups a").first.click()
            page.wait_for_selector(".card.current")
            page.keyboard.press("1")
            page.keyboard.press("c")
            page.wait_for_timeout(300)
        else:
            page.goto(f"{served_few.base}{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is wider than {width}"
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(told => told.violations)")
        told = [(one["id"], one["impact"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]
        assert not told, f"{path} at {width}, {scheme}: {told}"


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the check for students."""
    with checking(tmp_path_factory.mktemp("tmp"), "--hourly", "0") as one:
        yield f"http://127.0.0.1:{one.port}/"


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1440, "dark")])
def test_a_student_checks_a_hand_in(browser: Any, check: str, tmp_path: Path, width: int, scheme: str) -> None:
    """By keys alone; what is to be mended comes first, and nothing is wider than the screen."""
    screen = {"width": width, "height": 900}
    page = browser.new_context(color_scheme=scheme, viewport=screen, bypass_csp=True).new_page()
    page.goto(check)
    folder = ROOT / "submissions" / "student-07"
    (tmp_path / "locked.pdf").write_text("no PDF", encoding="utf-8")
    files = [folder / "report.pdf", folder / "code" / "notebook.ipynb", tmp_path / "locked.pdf"]
    page.locator("input[type=file]").set_input_files(files)
    page.locator("input[type=file]").press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#remarks")
    headings = page.locator("h2").all_inner_texts()
    assert headings[:3] == ["! To fix", "Files", "Questions"], "one file is no PDF, and nothing else stands out"
    assert page.locator("#remarks li").all_inner_texts()[0].startswith("locked.pdf: it is damaged or not a PDF")
    assert page.locator("#remarks strong").inner_text() == "Next: fix what is marked with !, then check again."
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(told => told.violations)")
    assert not [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]


def test_french(browser: Any, tmp_path: Path) -> None:
    graded = tmp_path / "graded"
    made_class(graded, 3)
    with serving(graded, "ana", "--lang", "fr") as running:
        page = opened(browser, running)
        assert page.locator("html").get_attribute("lang") == "fr"
        assert "à décider" in page.locator("h1").inner_text()
