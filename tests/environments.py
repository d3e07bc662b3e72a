"""Virtual environments that see the libraries of this one, and have `grade` as it is installed."""

import shutil
import sys
import venv
import zipfile
from pathlib import Path

from tests.conftest import ROOT

LAUNCHER = ROOT / "grader" / "packages" / "files" / "launch.sh"


def environment(folder: Path, *places: Path) -> Path:
    """The folder with the programs of a new environment, which also sees the packages in some places."""
    venv.create(folder, with_pip=False, symlinks=True)
    here = [path for path in sys.path if path.endswith("site-packages")]
    lines = [f"import site; site.addsitedir({path!r})" for path in map(str, (*places, *here, ROOT))]
    (site_packages(folder) / "here.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shutil.copy(LAUNCHER, folder / "bin" / "grade")
    return folder / "bin"


def installed(wheel: Path, folder: Path) -> Path:
    """The folder with the programs of a new environment with a wheel of the grader, put there as pip would do it."""
    programs = environment(folder, folder / "site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    for program in (folder / "site").glob("*.data/scripts/*"):
        program.chmod(0o755)
        program.replace(programs / program.name)
    return programs


def site_packages(folder: Path) -> Path:
    """Where an environment's packages lie."""
    (found,) = folder.glob("lib/python3*/site-packages")
    return found
