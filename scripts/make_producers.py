"""Bring one answer sheet out with every program that makes reports: `python -m scripts.make_producers [NAME ...]`.

tests/producers/recipes.toml says how each program is called; docs/producers.md, how to install them.
The results that the tests read lie in tests/producers/made; with --all FOLDER the others are made there, too.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
SOURCES: Final = ROOT / "tests" / "producers"
MADE: Final = SOURCES / "made"
PATIENCE: Final = 300
"""In seconds, for one program."""


def main() -> int:
    """Make what the command line names; 1 when a program failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", help="recipes to follow (default: those whose results are kept)")
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="follow all recipes; a folder for each result")
    parser.add_argument("--programs", type=Path, required=True, help="folder with bin/ and node_modules/")
    arguments = parser.parse_args()
    recipes: dict[str, Any] = tomllib.loads((SOURCES / "recipes.toml").read_text())
    functions = recipes.pop("functions")["text"]
    failed = []
    for name in arguments.names or recipes:
        recipe = recipes[name]
        if not arguments.names and not arguments.all and not recipe.get("kept", True):
            continue
        with tempfile.TemporaryDirectory() as folder:
            made = _followed(functions + recipe["run"], Path(folder), arguments.programs.resolve())
            if made is None:
                failed.append(name)
                continue
            target = arguments.all / name / f"report{made.suffix}" if arguments.all else MADE / f"{name}{made.suffix}"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made, target)
    print(f"Nothing was made by: {', '.join(failed)}" if failed else "Everything was made.")
    return 1 if failed else 0


def _followed(script: str, folder: Path, programs: Path) -> Path | None:
    """The file that a recipe leaves in a folder."""
    for name in ("sheet.md", "writers.py", "writers.js"):
        shutil.copyfile(SOURCES / name, folder / name)
    environment = os.environ | {
        "PATH": f"{programs / 'bin'}:{os.environ['PATH']}",
        "NODE": str(programs / "node_modules"),
        "SOURCE_DATE_EPOCH": "1700000000",
        "HOME": str(folder),
    }
    subprocess.run(["/bin/sh", "-c", script], cwd=folder, env=environment, timeout=PATIENCE, check=False)  # noqa: S603
    kinds = [
        path for path in folder.glob("out.*") if path.suffix not in (".aux", ".log", ".toc", ".out", ".nav", ".snm")
    ]
    return next(iter(sorted(kinds, key=lambda path: path.stat().st_mtime, reverse=True)), None)


if __name__ == "__main__":
    sys.exit(main())
