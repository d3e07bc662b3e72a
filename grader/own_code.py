"""Keeps a process to installed code: neither it nor what it starts imports, runs or links anything that lies in the
current folder or where PYTHONPATH points, since hand-ins may lie there.

`grade` starts Python with `-P -E`, so that this holds from the first import on. Programs that are started in another
way call `use_only_installed_code` before they import anything else. This module itself needs nothing but what Python
has loaded before.
"""

# ruff: noqa: PTH100, PTH109, PTH117, PTH120 - pathlib would have to be imported
import os
import site
import sys

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_STANDARD = os.path.dirname(os.path.abspath(os.__file__))
_OF_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")


def use_only_installed_code() -> None:
    """Search modules neither in the current folder nor where PYTHONPATH points, and programs and libraries in no
    relative folder; nor does any process that is started from now on. The folder of this package itself stays."""
    first = sys.path[:1] if not sys.flags.safe_path and sys.path[:1] in ([""], [_current_folder()]) else []
    given = os.environ.pop("PYTHONPATH", "")
    named = {os.path.abspath(folder) for folder in given.split(os.pathsep)} if given else set()
    if _HOME in (*first, *named):
        os.environ["PYTHONPATH"] = _HOME
    os.environ["PYTHONSAFEPATH"] = "1"
    if first and first != [_HOME]:
        del sys.path[0]
    if named and not sys.flags.ignore_environment:
        own_folders = (_HOME, _STANDARD, f"{_STANDARD}{os.sep}lib-dynload")
        sys.path[:] = [folder for folder in sys.path if folder not in named or folder in own_folders]
        known_paths = set(map(os.path.normcase, sys.path))
        site.addusersitepackages(known_paths)  # where installed packages lie may have been named, too
        site.addsitepackages(known_paths)
    sys.path[:] = [folder for folder in sys.path if os.path.isabs(folder)]
    for name, otherwise in (("PATH", os.defpath), *((name, "") for name in _OF_LIBRARIES)):
        if name in os.environ:
            folders = os.environ.pop(name).split(os.pathsep)
            if kept := os.pathsep.join(folder for folder in folders if os.path.isabs(folder)) or otherwise:
                os.environ[name] = kept


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""
