"""Folders laid out as course systems lay them out, and programs run in them as somebody without rights."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.conftest import ROOT
from tests.environments import environment

NOBODY = "65534"


def plainly(command: list[str], root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program without the superuser's rights, and without a network for pip. Started as the superuser, it becomes
    nobody; of all rights it keeps that to read, as the interpreter may lie in a home."""
    prefix: list[str] = []
    if os.geteuid() == 0:
        prefix = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
        prefix += ["--inh-caps", "-all,+dac_read_search", "--ambient-caps", "+dac_read_search"]
        for path in (root, *root.rglob("*")):
            if not path.is_symlink():
                os.chown(path, int(NOBODY), int(NOBODY))
    own = {
        "PATH": f"{_interpreter(root)}:{os.environ['PATH']}",
        "HOME": str(root),
        "PIP_NO_INDEX": "1",
        "LANG": "C.UTF-8",
        **environment,
    }
    return subprocess.run(
        [*prefix, *command], cwd=root, env=own, capture_output=True, text=True, timeout=280, check=False
    )


def _interpreter(root: Path) -> Path:
    """A folder with this interpreter under its usual names, as an image has it where everybody may look. It also sees
    what is installed in the root's `site`."""
    folder = root.parent / f"interpreter-of-{root.name}"
    if not folder.is_dir():
        programs = environment(folder / "venv", root / "site")
        for name in ("python3", "python"):
            (folder / name).write_text(f'#!/bin/sh\nexec {programs / name} "$@"\n')
            (folder / name).chmod(0o755)
    return folder


def hand_in(folder: Path, sample: str) -> None:
    """A sample of the class as a system's folder of submitted files."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "submissions" / sample, folder)


def seen_from(root: Path) -> str:
    """The folder above, which nobody may enter otherwise."""
    for path in (root, *root.parents):
        if path.is_relative_to("/tmp") and path != Path("/tmp"):
            path.chmod(0o755)
    return str(root)
