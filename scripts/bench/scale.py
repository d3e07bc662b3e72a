"""Classes of any size: what the process that steers needs, by the number of students, when the grading itself takes no
time. `python -m scripts.bench scale` measures 1,000 and 10,000; other numbers: `python -m scripts.bench.scale N…`.

Each class is graded in a process of its own. Its hand-ins lie on the disk and are hashed; its results are made up and
come as those of workers do: read, written, entered into the gradebook, summed up, reported. What follows grading is
measured on a folder of such results, each verb in a process of its own: `python -m scripts.bench.scale --after FOLDER`.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from grader.gradebook.keeper import Keeper
from grader.gradebook.store import FILE
from grader.intake.layouts import find_all_sources
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline import class_files, classroom, isolation
from grader.pipeline.isolation import Outcome
from grader.pipeline.order import Order
from grader.pipeline.session import new_run, session
from grader.pipeline.worker import SENT_RESULT
from scripts.bench.figure import Figure
from scripts.made_class import LAB, made_hand_ins, made_results

ROOT = Path(__file__).parents[2]
SIZES = (1_000, 10_000)
MEMORY = 300.0
GROWTH = 1.1
_AFTER = {
    "finish": ("finish", "{graded}"),
    "regrade": ("regrade", "{graded}", "--no-reports"),
    "verify": ("verify", "{graded}", "--from-readings", "--sample", "50"),
    "export json": ("export", "json", "{graded}", "--force"),
    "export xlsx": ("export", "xlsx", "{graded}", "--pending", "score", "--force"),
    "export gradescope": ("export", "gradescope", "{graded}", "--force"),
    "export prairielearn-results": ("export", "prairielearn-results", "{graded}", "--force"),
    "diff": ("diff", "--out", "{graded}"),
}
"""The verbs that go through a class that was graded."""


def figures() -> Iterator[Figure]:
    """Memory and time of two sizes, and how much longer a hand-in takes in the larger class."""
    seconds = []
    for students in SIZES:
        usage = measure_class(students)
        seconds.append(usage["grading"] + usage["class"])
        yield Figure(f"Class of {students:,}: memory of the process that steers", usage["memory"], "MiB", MEMORY)
        yield Figure(f"Class of {students:,}: its CPU time for each hand-in", seconds[-1] / students * 1e3, "ms")
    few, many = (total / students for total, students in zip(seconds, SIZES, strict=True))
    yield Figure("Time for each hand-in, as many times that of the small class", many / few, "times", GROWTH)


def measure_class(students: int, *options: str, folder: Path | None = None) -> dict[str, float]:
    """CPU seconds of planning (`planned`), `grading` and the files of the `class`, with what other processes do for
    these; and the most memory in MiB that the process has had up to the end of each. The option
    `--no-report` leaves the report of the class out. All stays in the `folder`, if one is named."""
    return _apart(*options, "--one", str(students), *([str(folder)] if folder else []))


def measure_verbs(folder: Path, verbs: Iterable[str] = (*_AFTER, "serve")) -> Iterator[tuple[str, dict[str, float]]]:
    """The most memory in MiB and the CPU seconds of each of some verbs, with a folder of graded submissions."""
    for verb in verbs:
        yield verb, _apart("--verb", verb, str(folder))


def _apart(*arguments: str) -> dict[str, float]:
    """Return the figures that this program prints in its last line when it is run with these arguments."""
    command = [sys.executable, "-m", "scripts.bench.scale", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _verb(verb: str, graded: Path) -> dict[str, float]:
    """Run a verb in this process."""
    if verb == "serve":
        _look_through(graded)
    else:
        from grader import cli

        arguments = [candidate.format(graded=graded) for candidate in _AFTER[verb]]
        try:
            cli._grade(arguments)
        except SystemExit as ended:
            if ended.code not in (0, None):
                raise
    return {"memory": _memory(), "cpu": _cpu() + _cpu_of_others()}


def _look_through(graded: Path) -> None:
    """Perform the first steps of the review page: load everything, and show the queue, the class and one group."""
    from grader.gradebook.store import open_database
    from grader.message import ENGLISH
    from grader.serve.group_page import group_page, sections
    from grader.serve.people_pages import class_page
    from grader.serve.sources import Sources
    from grader.serve.standing import Nearest, Presence, Standing

    database = open_database(graded / FILE, create=True)
    standing = Standing(graded, database, load_lab(lab_folder(LAB)))
    queue = standing.queue()
    sections(standing, queue, {}, ENGLISH)
    class_page(standing, ENGLISH)
    group_page(standing, Sources(graded), Nearest(standing), Presence(), queue[0], "ana", ENGLISH)
    database.close()


def _one(students: int, folder: Path, *, with_report: bool) -> dict[str, float]:
    submissions, out = folder / "class", folder / "graded"
    if not submissions.exists():
        made_hand_ins(submissions, students)
    usage = {"memory_start": _memory()}
    results = _made_elsewhere(students)

    def run_isolated(_: object, jobs: Iterator[Any], **__: object) -> Iterator[Outcome]:
        for job in jobs:
            student, content = next(results)
            if student != job.source.student_id:
                raise ValueError(f"the results are of other students: {student}")
            yield Outcome(job, (SENT_RESULT + content,))
        usage["grading"] = _cpu() - usage["planned"]
        usage["memory_graded"] = _memory()
        usage["class"] = -_cpu() - _cpu_of_others()

    class_files.run_isolated = isolation.run_isolated  # type: ignore[attr-defined]  # the report is really made
    isolation.run_isolated = classroom.run_isolated = run_isolated  # type: ignore[assignment,attr-defined]
    lab = lab_folder(LAB)
    order = Order(find_all_sources([submissions])[0], load_lab(lab), load_truth(lab), with_reports=with_report)
    with Keeper(out / FILE) as keeper:
        found = session(order, out, keeper, again=False)
        out.mkdir(exist_ok=True)
        keeper.begin(new_run(found, {"lab": LAB, "no_reports": "True"}))
        usage["planned"], usage["memory_planned"] = _cpu(), _memory()
        classroom.grade_class(found.order, out, workers=1, done=lambda _: None, plan=found.plan, keeper=keeper)
        if keeper.problem:
            raise ValueError(keeper.problem)
    usage["class"] += _cpu() + _cpu_of_others()
    usage["memory"] = _memory()
    return usage


def _made_elsewhere(students: int) -> Iterator[tuple[str, bytes]]:
    """Results that another process makes, so that this one has only what a steering process has."""
    command = [sys.executable, "-m", "scripts.bench.scale", "--make", str(students)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as other:  # noqa: S603
        if other.stdout is None:
            raise ValueError("there is no pipe")
        while head := other.stdout.readline():
            student, size = head.decode().split()
            yield student, other.stdout.read(int(size))


def _make(students: int) -> None:
    for student, content in made_results(students):
        sys.stdout.buffer.write(f"{student} {len(content)}\n".encode() + content)


def _cpu() -> float:
    return time.process_time()


def _cpu_of_others() -> float:
    """Return the CPU seconds of the processes that this one has started and that have ended."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _memory() -> float:
    """The most memory that the process has had so far, in MiB. `getrusage` would count what its parent had when it
    was started."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main(arguments: list[str]) -> None:
    """Measure classes of these sizes; `--one N [FOLDER]` in this process, in a folder that stays if it is named."""
    with_report = "--no-report" not in arguments
    rest = [argument for argument in arguments if argument != "--no-report"]
    if rest[0] == "--make":
        _make(int(rest[1]))
        return
    if rest[0] == "--one":
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(_one(int(rest[1]), Path(*rest[2:] or [folder]), with_report=with_report)))
        return
    if rest[0] == "--verb":
        print("\n" + json.dumps(_verb(rest[1], Path(rest[2]))))
        return
    if rest[0] == "--after":
        for verb, usage in measure_verbs(Path(rest[1]), rest[2:] or (*_AFTER, "serve")):
            print(f"{verb:28} {usage['memory']:6.0f} MiB {usage['cpu']:8.1f} CPU s", flush=True)
        return
    for size in rest:
        print(
            f"{int(size):,}",
            json.dumps(measure_class(int(size), *([] if with_report else ["--no-report"]))),
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
