"""README and docs lead where they say, name what is there, and their commands work on the sample class."""

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from grader import __version__
from scripts.release import notes
from tests.conftest import ROOT, results_in, run_grade

DOCS = ROOT / "docs"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")] + [*DOCS.glob("*.md")]
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\((?!\w+:)([^()\s#]*)(?:#([^()\s]*))?\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them, and those that it sets itself."""
    text = page.read_text(encoding="utf-8")
    made = {f"{name}" for name in re.findall(r'<a id="([^"]+)">', text)}
    for heading in re.findall(r"^#{1,4} (.+)$", FENCE.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        made.add(re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", words)).strip("-"))
    return made


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for path, anchor in LINK.findall(text):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {path} is not there"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {path}#{anchor} is not there"


def test_every_page_of_the_docs_is_reached_from_the_readme() -> None:
    linked = {path.removeprefix("docs/") for path, _ in LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))}
    pages = {path.name: LINK.findall(path.read_text(encoding="utf-8")) for path in DOCS.glob("*.md")}
    reached, waiting = set[str](), [name for name in linked if name in pages]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += [path for path, _ in pages[name] if path in pages and path not in reached]
    assert reached == set(pages)


def test_the_docs_list_every_finding_once() -> None:
    text = (DOCS / "findings.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| \[`([\w.]+)`\]\(\.\./findings/\1\) \| .+\. \|$", text, re.MULTILINE)
    assert sorted(named) == sorted(path.name for path in (ROOT / "findings").glob("*.sh"))


def commands_of(page: Path) -> list[str]:
    """The lines of a page's shell blocks and indented lines that begin with `grade`, without their comments."""
    text = page.read_text(encoding="utf-8")
    shown = [
        line for language, body in FENCE.findall(text) if language in ("console", "bash") for line in body.split("\n")
    ]
    shown += re.findall(r"^ {4}(grade .*)$", FENCE.sub("", text), re.MULTILINE)
    lines = (re.sub(r"^\$ |\s+#.*$", "", line).removeprefix(".venv/bin/") for line in shown)
    return [line for line in lines if line.startswith("grade ")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_exists(page: Path) -> None:
    """Each `grade` command that a page shows names a verb and options that there are."""
    helps: dict[str, str] = {}
    for command in commands_of(page):
        words = shlex.split(command.split(" && ")[0].replace("…", ""))[1:]
        pair = " ".join(words[:2])
        verb = pair if pair in PAIRS else words[0] if words[0] in VERBS else "run"
        told = helps.setdefault(verb, run_grade(*verb.split(), "--help").stdout)
        assert told.startswith("Usage: grade"), command
        for option in (word.partition("=")[0] for word in words if re.match(r"--\w", word)):
            assert option == "--help" or re.search(rf"(?m)^\s+(?:-\w, )?{option}\b", told), f"{page.name}: {command}"


VERBS = ("run", "check", "regrade", "read", "serve", "export", "lab", "truth", "package", "doctor")
PAIRS = {
    *("regrade verify", "regrade finish", "export history", "export diff"),
    *(f"serve {verb}" for verb in ("review", "class", "requests", "markers", "release", "links")),
    *(f"lab {verb}" for verb in ("init", "check", "train", "template", "qualify")),
    *(f"truth {verb}" for verb in ("build", "show", "verify", "count", "bands", "rerun", "collect")),
    *(f"package {verb}" for verb in ("students", "gradescope", "prairielearn", "github")),
}


WAITS = ("grade serve graded",)
"""Commands that serve until somebody ends them; `tests/serve` runs them."""
SYSTEM = (
    "grade lab init my-lab --from handout.pdf",
    "grade lab check my-lab",
    "grade submissions --lab my-lab --out graded",
)
"""Commands of the README about a lab of one's own, which the tutorial's test runs (tests/test_new_lab_page.py)."""


@pytest.mark.parametrize("name", ["README.md", "docs/get-started.md", "docs/grade-a-class.md"])
def test_the_commands_of_the_first_pages_work_on_the_sample_class(name: str, tmp_path: Path) -> None:
    for student in ("student-11", "student-14"):
        shutil.copytree(ROOT / "submissions" / student, tmp_path / "submissions" / student)
    commands = commands_of(ROOT / name)
    if not any(command.startswith("grade submissions") and command not in SYSTEM for command in commands):
        commands.insert(0, "grade submissions --out graded")
    for command in commands:
        if command in (*WAITS, *SYSTEM):
            continue
        done = run_grade(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode in ((0, 1) if command == "grade doctor" else (0,)), command + done.stdout + done.stderr
    assert set(results_in(tmp_path / "graded")) == {"student-11", "student-14"}


def test_the_notes_of_a_release_are_its_section_of_the_changelog() -> None:
    text = "# Changelog\n\n## 1.0.0\n\n### Added\n\n- One.\n\n## 0.9.0\n\n- Two.\n"
    assert notes("1.0.0", text) == "### Added\n\n- One.\n"
    assert notes("0.9.0", text) == "- Two.\n"
    assert notes("1.0", text) == notes("2.0.0", text) == ""


def test_the_version_is_the_same_everywhere() -> None:
    """`make release` refuses otherwise; the tag of the version is no matter of the tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__
    assert notes(__version__)
