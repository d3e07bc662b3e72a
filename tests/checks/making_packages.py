"""Installed packages that offer checks or exporters, made by hand: a module and the metadata that pip would write."""

from pathlib import Path

from grader.installed import CHECKS

CODE = '''
from collections.abc import Iterator

from grader.plugins import Conclusion, Finding, Status, check


@check("{name}")
def custom(*, item: str, status: str = "correct") -> Iterator[Conclusion]:
    """The answer pleases."""
    {before}
    yield Finding(item=item, status=Status(status), feedback="Decided by a package.")
'''


def install(
    folder: Path,
    name: str,
    *,
    code: str | None = None,
    before: str = "pass",
    package: str = "pleasing",
    group: str = CHECKS,
) -> Path:
    """Put a package with one check, or what else the group is for, offered under `name`, into a folder; put that on
    sys.path to have it installed."""
    module = package.replace("-", "_")
    folder.mkdir(exist_ok=True)
    source = CODE.format(name=name, before=before) if code is None else code
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}:custom\n", encoding="utf-8")
    return folder
