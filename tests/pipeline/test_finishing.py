"""Decisions in force on a result are the same as if it were graded again with them, to the last byte."""

import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path

from grader.gradebook.decisions import TAKEN_BACK, Target, Verdict, decide
from grader.gradebook.store import FILE, open_database
from grader.lab.files import lab_folder, load_lab
from grader.pipeline.finishing import with_decisions
from grader.result import Override, Status
from tests.conftest import results_in, run_grade

LAB = load_lab(lab_folder("nlp-frameworks"))
STUDENT = "student-04"


def test_finished_grades_are_those_of_grading_again(graded_samples: Path, tmp_path: Path) -> None:
    graded = tmp_path / "graded"
    shutil.copytree(graded_samples, graded)
    before = results_in(graded)[STUDENT]
    some = [item for item in before.items if item.max_score][:3]
    database = open_database(graded / FILE, create=True)
    verdicts = (
        Verdict(Status.PARTIAL, None, "half"),
        Verdict(None, Decimal("0.25"), "p"),
        Verdict(Status.MISSING, None, "m"),
    )
    wanted = [
        (Target(STUDENT, item.id, item.finding, "", ""), verdict) for item, verdict in zip(some, verdicts, strict=True)
    ]
    saved = decide(database, LAB.id, "ana", wanted, seen=0).saved
    database.close()
    done = run_grade("regrade", "finish", graded)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 of ")
    after = results_in(graded)[STUDENT]
    decided = {item.id: item for item in after.items if item.override}
    assert {id_: item.override.author for id_, item in decided.items() if item.override} == dict.fromkeys(
        [item.id for item in some], "ana"
    )
    verified = run_grade("regrade", "verify", graded, "--from-readings")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    again = run_grade("submissions", "--out", graded, "--no-reports")
    everybody = len(results_in(graded))
    assert f"{everybody} of {everybody} submissions are unchanged" in again.stdout + again.stderr
    database = open_database(graded / FILE, create=True)
    decide(database, LAB.id, "ana", [(one[0], TAKEN_BACK) for one in wanted], seen=saved[-1].id)
    database.close()
    assert run_grade("regrade", "finish", graded).returncode == 0
    assert results_in(graded)[STUDENT] == before


def test_overrides_are_replaced_never_added(graded_samples: Path) -> None:
    result = results_in(graded_samples)[STUDENT]
    item = next(one for one in result.items if one.max_score)
    given = Override(points=Decimal(0), reason="r", author="a", date=date(2026, 1, 2))
    once = with_decisions(result, LAB, {item.id: given})
    assert once.score == result.score - item.score
    assert with_decisions(once, LAB, {item.id: given}) == once
    assert with_decisions(once, LAB, {}) == result
