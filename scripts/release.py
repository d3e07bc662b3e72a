"""Build a release and check it: `python -m scripts.release`, or `make release`."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

from grader import __version__

ROOT: Final = Path(__file__).parents[1]
DIST: Final = ROOT / "dist"


def main() -> int:
    """Build wheel and source distribution into `dist`, check them and write the release notes; 1 if something is
    wrong."""
    problem = _disagreement()
    if problem:
        print(f"No release: {problem}", file=sys.stderr)
        return 1
    shutil.rmtree(DIST, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(ROOT))
    _run(sys.executable, "-m", "twine", "check", "--strict", *map(str, DIST.glob("lab_grader-*")))
    (DIST / "notes.md").write_text(notes(__version__), encoding="utf-8")
    print(f"dist holds lab-grader {__version__}, and its notes in dist/notes.md. To publish it:")
    print(f"  git tag -a v{__version__} --cleanup=whitespace -F dist/notes.md && git push origin v{__version__}")
    print("  .venv/bin/python -m twine upload dist/lab_grader-*")
    return 0


def notes(version: str, changelog: str | None = None) -> str:
    """The section of the changelog about a version, without its heading; empty if there is none."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8") if changelog is None else changelog
    found = re.search(rf"^## {re.escape(version)}(?: .*)?\n((?:(?!## ).*\n?)*)", text, re.MULTILINE)
    return found[1].strip() + "\n" if found and found[1].strip() else ""


def _disagreement() -> str:
    """The reason against a release of this version, or an empty text."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if declared != __version__:
        return f"pyproject.toml names version {declared}, grader/__init__.py {__version__}."
    if not notes(__version__):
        return f"CHANGELOG.md has no section `## {__version__}`."
    tags = _output("git", "tag", "--list", f"v{__version__}")
    return f"the tag v{__version__} exists; raise the version." if tags.strip() else ""


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S603  own commands


def _run(*command: str) -> None:
    subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603  this project's own tools


if __name__ == "__main__":
    sys.exit(main())
