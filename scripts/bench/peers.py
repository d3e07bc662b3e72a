"""Other programs to compare with, each in an environment of its own, since their requirements would exclude ours."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def interpreter_with(requirement: str) -> Path | None:
    """The interpreter of an environment that holds one pinned package (`name==version`), made where there is none yet;
    None where it cannot be installed."""
    folder = ROOT / "build" / "peers" / requirement.replace("==", "-")
    python = folder / "bin" / "python"
    commands: tuple[list[str | Path], ...] = (
        [sys.executable, "-m", "venv", folder],
        [python, "-m", "pip", "install", "--quiet", requirement],
    )
    try:
        for command in () if python.exists() else commands:
            subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{requirement} cannot be installed, and is not compared: {error}", file=sys.stderr)
        return None
    return python
