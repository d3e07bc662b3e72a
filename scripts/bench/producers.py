"""One answer sheet as many programs bring it out: how many verdicts are as those on the sheet itself.

python -m scripts.bench producers           what is kept in tests/producers/made
python -m scripts.bench producers=FOLDER    what `scripts.make_producers --all FOLDER` made, a folder for each
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scripts.bench.figure import Figure

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ROOT / "tests" / "producers"
_ACCUSING: Final = frozenset(("arithmetic", "statistics-mismatch", "table-contradiction", "outside-band"))


def figures(folder: Path | None = None) -> Iterator[Figure]:
    """The numbers of verdicts, over all combinations of programs and settings."""
    made = {path.parent.name: path for path in folder.glob("*/report.*")} if folder else {}
    made = {name: path for name, path in made.items() if path.stat().st_size}
    made = made or {path.stem: path for path in (SOURCES / "made").iterdir()}
    results = _graded({"sheet": SOURCES / "sheet.md", **made})
    expected = {item["id"]: item["status"] for item in results.pop("sheet")["items"]}
    counts: Counter[str] = Counter()
    for name, result in sorted(results.items()):
        moved = [item for item in result["items"] if item["status"] != expected[item["id"]]]
        lost = [item for item in moved if item["status"] != "review" and expected[item["id"]] != "review"]
        accusing = [flag["id"] for flag in result["flags"] if flag["id"] in _ACCUSING]
        counts["same"] += len(result["items"]) - len(moved)
        counts.update(lost=len(lost), open=len(moved) - len(lost), accusing=len(accusing))
        if lost or accusing:
            print(f"  {name}: {', '.join([*(item['id'] for item in lost), *accusing])}")
    yield Figure("producers: combinations", len(results), "")
    yield Figure("producers: verdicts as on the sheet", counts["same"], "")
    yield Figure("producers: verdicts left to a person", counts["open"], "")
    yield Figure("producers: verdicts lost by extraction", counts["lost"], "", 0.0)
    yield Figure("producers: false flags on figures", counts["accusing"], "")


def _graded(files: dict[str, Path]) -> dict[str, Any]:
    """The results of some files, each as the report of a hand-in, by their names."""
    with tempfile.TemporaryDirectory() as work:
        for name, path in files.items():
            (Path(work) / "class" / name).mkdir(parents=True)
            shutil.copyfile(path, Path(work) / "class" / name / f"report{path.suffix}")
        out = Path(work) / "out"
        command = [sys.executable, "-m", "grader", str(Path(work) / "class"), "--as", "class", "--no-reports"]
        subprocess.run([*command, "--out", str(out)], check=True, cwd=ROOT, capture_output=True)  # noqa: S603
        return {path.parent.name: json.loads(path.read_text("utf-8")) for path in out.glob("*/result.json")}
