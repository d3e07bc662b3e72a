"""Every training run of the sample class comes back from its notebooks and event files, once, as it was declared."""

from pathlib import Path

import pytest

from grader.claims.logged import LoggedRun, logged_runs
from grader.intake.submission import Role, SubmittedFile
from grader.reading.bytes_in import lines_of
from grader.reading.events import read_event_file
from grader.reading.log import Log
from grader.reading.logs.code import CodeReader
from grader.reading.logs.text import logs_in_text
from grader.reading.notebook_file import read_notebook
from grader.reading.runs import runs_of
from scripts.samples.experiment import read_hand_in
from tests.claims.making import lab
from tests.conftest import ROOT

SOURCES = ROOT / "scripts/samples/sources"


def logs_of(folder: Path) -> list[Log]:
    logs: list[Log] = []
    for path in sorted(folder.rglob("*")):
        file = SubmittedFile(path=path.as_posix(), role=Role.LOG, size=0, sha256="", location=path)
        if "tfevents" in path.name:
            logs.append(read_event_file(file))
        elif path.suffix == ".ipynb":
            code = CodeReader()
            for cell in read_notebook(file).cells:
                output, source = lines_of(cell.output), lines_of(cell.source)
                logs += logs_in_text(output, file.path, file.path, cell.index, source, code=code)
    return logs


@pytest.mark.parametrize("student", ["01", "02", "03", "04", "05", "06", "07"])
def test_every_declared_run_comes_back_once(student: str) -> None:
    declared = read_hand_in(SOURCES / f"student-{student}")
    found = logged_runs(runs_of(logs_of(ROOT / declared.folder)), lab())
    by_seed: dict[tuple[str | None, int | None], LoggedRun] = {(run.experiment, run.seed): run for run in found}
    assert len(by_seed) == len(found)
    print(f"student-{student}: {len(found)} of {len(declared.runs)} runs")
    assert by_seed.keys() == {(run.experiment, run.seed) for run in declared.runs}
    for run in declared.runs:
        logged = by_seed[run.experiment, run.seed]
        assert tuple(point.value for point in logged.selecting) == run.valid
        assert logged.schedule is not None
        assert logged.schedule.total_updates == 1125
        if logged.reported:
            assert logged.at_best[0].value == pytest.approx(run.selected_test, abs=0.005)
