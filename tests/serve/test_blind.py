"""A blind class stays blind in the review and after it."""

from pathlib import Path

from tests.conftest import results_in, run_grade
from tests.serve.serving import Client, groups_of, seen_of, serving

REPORT = """# Lab 4, by Marie Curiosa

## Question 1

I, Marie Curiosa, count 22,807,551 or so.

## Question 2

- r: Marie Curiosa thinks that it is a number of the adapter.
"""


def test_pages_and_finished_results_name_nobody(tmp_path: Path) -> None:
    hand_in = tmp_path / "in" / "Lab4_Curiosa_Marie"
    hand_in.mkdir(parents=True)
    (hand_in / "report.md").write_text(REPORT, encoding="utf-8")
    graded = tmp_path / "graded"
    done = run_grade(tmp_path / "in", "--anonymous", "--out", graded, "--as", "class")
    assert done.returncode == 0, done.stderr
    (student,) = results_in(graded)
    with serving(graded) as served:
        ana = Client(served, "ana")
        queue = ana.get("/")[2]
        groups = groups_of(queue)
        assert groups
        paths = ["/class", "/history", f"/students/{student}", f"/students/{student}/readings", "/decisions.toml"]
        pages = [queue, *(ana.get(path)[2] for path in [*paths, *(f"/groups/{group}" for group in groups)])]
        seen = seen_of(ana.get(f"/groups/{groups[0]}")[2])
        status, _, decided = ana.post(f"/groups/{groups[0]}/decide", {"seen": seen, "verdict": "correct"})
        assert status == 200
        for page in [*pages, decided]:
            assert "curiosa" not in page.casefold()
    finished = run_grade("regrade", "finish", graded)
    assert finished.returncode == 0, finished.stderr
    result = results_in(graded)[student]
    assert any(item.override for item in result.items)
    for name in ("result.json", "report.html"):
        assert "curiosa" not in (graded / student / name).read_text(encoding="utf-8").casefold()
