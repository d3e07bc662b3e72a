"""The packages for course systems: entry points run in folders laid out as the systems do, by one without rights."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from importlib.metadata import packages_distributions, requires, version
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from grader import __version__
from grader.packages.autograders import run_gradescope, run_prairielearn
from tests.conftest import ROOT, results_in, run_grade, warm_server
from tests.environments import installed
from tests.hostile.generate import hand_ins
from tests.packages.systems import hand_in, plainly, seen_from

GRADESCOPE_FORM = {
    # https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format
    "type": "object",
    "additionalProperties": False,
    "required": ["score"],
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": {"$ref": "#/$defs/format"},
        "test_output_format": {"$ref": "#/$defs/format"},
        "test_name_format": {"$ref": "#/$defs/format"},
        "visibility": {"$ref": "#/$defs/visibility"},
        "stdout_visibility": {"$ref": "#/$defs/visibility"},
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "name_format": {"$ref": "#/$defs/format"},
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": {"$ref": "#/$defs/format"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "visibility": {"$ref": "#/$defs/visibility"},
                    "extra_data": {"type": "object"},
                },
            },
        },
        "leaderboard": {"type": "array"},
    },
    "$defs": {
        "format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
        "visibility": {"enum": ["hidden", "after_due_date", "after_published", "visible"]},
    },
}
PRAIRIELEARN_FORM = {
    # https://github.com/PrairieLearn/PrairieLearn/blob/master/docs/externalGrading.md, "Grading results"
    "type": "object",
    "properties": {
        "gradable": {"type": "boolean"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "format_errors": {"type": ["string", "array"]},
        "message": {"type": "string"},
        "output": {"type": "string"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "points", "max_points"],
                "properties": {
                    "name": {"type": "string"},
                    "description": {"type": "string"},
                    "points": {"type": "number"},
                    "max_points": {"type": "number"},
                    "message": {"type": "string"},
                    "output": {"type": "string"},
                },
            },
        },
    },
    "if": {"properties": {"gradable": {"const": False}}, "required": ["gradable"]},
    "else": {"required": ["score"]},
}
INFO_FORM = {
    # https://github.com/PrairieLearn/PrairieLearn: infoQuestion.json; docs/externalGrading.md
    "type": "object",
    "required": ["uuid", "title", "topic", "type"],
    "properties": {
        "uuid": {"pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"},
        "type": {"const": "v3"},
        "gradingMethod": {"enum": ["Internal", "External", "Manual"]},
        "externalGradingOptions": {
            "type": "object",
            "required": ["image"],
            "additionalProperties": False,
            "properties": {
                "enabled": {"type": "boolean"},
                "image": {"type": "string"},
                "entrypoint": {"pattern": "^/"},
                "timeout": {"type": "integer", "maximum": 600},
            },
        },
    },
}
METADATA = {
    # https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
    "id": 123456,
    "created_at": "2026-11-22T03:15:00.000000-08:00",
    "assignment": {
        "due_date": "2026-11-21T23:00:00.000000-08:00",
        "group_size": None,
        "group_submission": False,
        "id": 25828,
        "course_id": 1234,
        "late_due_date": None,
        "release_date": "2026-11-01T00:00:00.000000-08:00",
        "title": "Lab 4",
        "total_points": "20.0",
    },
    "submission_method": "upload",
    "users": [{"email": "ada@example.org", "id": 1234, "name": "Ada Byron"}],
    "previous_submissions": [],
}
HOSTILE = dict(hand_ins())
ATTACKS = [name for name in HOSTILE if name.split("-")[0] not in ("flood",)][:400:9]
"""Some of all kinds; all of them are graded in `tests/hostile`."""


@pytest.fixture(scope="module")
def autograder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`/autograder` after the image was built, without a network and without rights."""
    root = tmp_path_factory.mktemp("gradescope")
    done = run_grade("package", "gradescope", "--out", root / "autograder.zip")
    assert done.returncode == 0, done.stderr
    (root / "source").mkdir()
    subprocess.run(["unzip", "-q", str(root / "autograder.zip"), "-d", str(root / "source")], check=True)
    assert os.access(root / "source" / "setup.sh", os.X_OK)
    shutil.copy(root / "source" / "run_autograder", root)
    built = plainly(["bash", "source/setup.sh"], Path(seen_from(root)), AUTOGRADER_ROOT=str(root))
    assert built.returncode == 0, built.stderr
    return root


def graded(root: Path, metadata: Any = METADATA, *, started: bool = True) -> dict[str, Any]:
    """What is written for the hand-in that lies there: by the system's own program, or by what it calls, within this
    process."""
    (root / "submission_metadata.json").write_text(json.dumps(metadata))
    shutil.rmtree(root / "results", ignore_errors=True)
    (root / "results").mkdir()
    if started:
        done = plainly(["./run_autograder"], root, AUTOGRADER_ROOT=str(root))
        assert done.returncode == 0, done.stderr
    else:
        warm_server()
        run_gradescope(root)
    data: dict[str, Any] = json.loads((root / "results" / "results.json").read_text())
    jsonschema.validate(data, GRADESCOPE_FORM)
    return data


def test_an_image_is_asked_only_for_libraries_that_the_grader_depends_on() -> None:
    script = (ROOT / "grader" / "packages" / "files" / "gradescope-setup.sh").read_text()
    listed = [line for line in re.findall(r"'import (.+?)'", script) if "sys" not in line]
    asked = {name.strip() for line in listed for name in line.split(",")}
    needed = {canonical(line) for line in requires("lab-grader") or () if "extra ==" not in line}
    by_module = packages_distributions()
    assert asked >= {"pydantic", "numpy"}
    assert {name for name in asked if not {canonical(one) for one in by_module[name]} & needed} == set()


def canonical(line: str) -> str:
    """The name of the distribution that a requirement names, as indexes write it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[<>=!~;\[ ]", line)[0]).lower()


def bare_wheel(line: str, folder: Path) -> None:
    """A wheel that fulfils a requirement and holds nothing: its modules are had from the interpreter."""
    name = canonical(line)
    info = f"{name.replace('-', '_')}-{version(name)}.dist-info"
    files = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version(name)}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files["RECORD"] = "".join(f"{info}/{one},,\n" for one in (*files, "RECORD"))
    with zipfile.ZipFile(folder / f"{info.removesuffix('.dist-info')}-py3-none-any.whl", "w") as wheel:
        for one, text in files.items():
            wheel.writestr(f"{info}/{one}", text)


def test_wheels_in_the_zip_make_an_image_without_a_network(tmp_path: Path) -> None:
    wheels, root = tmp_path / "wheels", tmp_path / "root"
    wheels.mkdir()
    root.mkdir()
    for line in requires("lab-grader") or ():
        if "extra ==" not in line:
            bare_wheel(line, wheels)
    options = ["--lab", "small-gpt2", "--wheels", wheels, "--out", root / "autograder.zip"]
    done = run_grade("package", "gradescope", *options)
    assert done.returncode == 0, done.stderr
    subprocess.run(["unzip", "-q", str(root / "autograder.zip"), "-d", str(root / "source")], check=True)
    built = plainly(["bash", "source/setup.sh"], Path(seen_from(root)), AUTOGRADER_ROOT=str(root))
    assert built.returncode == 0, built.stderr
    installed = {path.name.partition("-")[0] for path in (root / "site").glob("*.dist-info")}
    assert {"lab_grader", "pydantic", "weasyprint"} <= installed, "by pip, from the wheels alone"
    (tmp_path / "empty").mkdir()
    refused = run_grade("package", "gradescope", "--wheels", tmp_path / "empty", "--out", tmp_path / "x.zip")
    assert (refused.returncode, "holds no wheels" in refused.stderr) == (2, True)


@pytest.fixture(scope="module")
def in_time(tmp_path_factory: pytest.TempPathFactory) -> float:
    """What `grade` itself gives the fourth sample for the points that are decided."""
    out = tmp_path_factory.mktemp("plain")
    run_grade(ROOT / "submissions" / "student-04", "--as", "student", "--out", out, "--no-reports")
    (result,) = results_in(out).values()
    return float(result.score)


def test_gradescope_grades_an_upload(autograder: Path, in_time: float) -> None:
    hand_in(autograder / "submission", "student-04")
    data = graded(autograder)
    assert data["score"] == pytest.approx(in_time - 5), "four hours late by Gradescope's own times: 5 points"
    tests = {test["name"]: test for test in data["tests"]}
    assert {test["visibility"] for test in data["tests"]} == {"after_published"}
    waiting = [test for test in data["tests"] if "number" in test and "score" not in test]
    assert waiting, "what awaits a person has no points"
    assert all("A person decides." in test["output"] for test in waiting)
    assert "pending review" in tests["Report"]["output"]
    assert (tests["Report"]["output_format"], data["visibility"]) == ("html", "visible")
    assert "what was read of this submission" in data["output"]
    assert "Right:" not in data["output"]


def test_gradescope_knows_an_extension(autograder: Path, in_time: float) -> None:
    hand_in(autograder / "submission", "student-04")
    own = {**METADATA["users"][0], "assignment": {"due_date": "2026-11-23T23:00:00.000000-08:00"}}  # type: ignore[index]
    assert graded(autograder, {**METADATA, "users": [own]}, started=False)["score"] == pytest.approx(in_time)


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        pytest.param([], marks=pytest.mark.slow),
        {"users": 7, "created_at": {}, "assignment": []},
        pytest.param({"users": [{"name": "../../x"}]}, marks=pytest.mark.slow),
    ],
)
def test_gradescope_takes_any_metadata(autograder: Path, metadata: Any) -> None:
    hand_in(autograder / "submission", "student-11")
    assert graded(autograder, metadata, started=False)["score"] > 5


def test_a_lab_that_cannot_be_read_is_no_zero_without_a_word(autograder: Path) -> None:
    hand_in(autograder / "submission", "student-01")
    lab = autograder / "source" / "lab" / "lab.toml"
    kept = lab.read_text()
    lab.write_text("broken = [")
    try:
        data = graded(autograder, started=False)
    finally:
        lab.write_text(kept)
    assert "This is no grade" in data["output"]
    assert "score" not in data["tests"][0]


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=() if one in ATTACKS[::12] else pytest.mark.slow) for one in ATTACKS]
)
def test_gradescope_survives(autograder: Path, name: str) -> None:
    folder = autograder / "submission"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    HOSTILE[name](folder)
    data = graded(autograder, started=name == ATTACKS[0])
    assert data["score"] == 0
    assert (autograder / "source" / "setup.sh").is_file()


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `grade package prairielearn` writes."""
    folder = tmp_path_factory.mktemp("prairielearn") / "course"
    done = run_grade("package", "prairielearn", "--out", folder, "--registry", "ghcr.io/course")
    assert done.returncode == 0, done.stderr
    return folder


def as_prairielearn(question: Path, root: Path, sample: str) -> Path:
    """`/grade` as PrairieLearn lays it out, and the image's programs beside it."""
    site = root / "site"
    with zipfile.ZipFile(next((question / "image").glob("*.whl"))) as wheel:
        wheel.extractall(site)
    grade = root / "grade"
    shutil.copytree(question / "questions" / "nlp-frameworks" / "tests", grade / "tests")
    (grade / "data").mkdir()
    (grade / "serverFilesCourse").mkdir()
    data = {"params": {}, "submitted_answers": {"_files": []}, "options": {}}
    (grade / "data" / "data.json").write_text(json.dumps(data))
    hand_in(grade / "student", sample)
    return grade


def prairielearn_results(
    question: Path, root: Path, sample: str | Callable[[Path], object], *, started: bool = True
) -> dict[str, Any]:
    """What is written for a sample of the class, or for what a function puts into the folder: by the image's own
    program, or by what it calls, within this process."""
    grade = as_prairielearn(question, root, sample if isinstance(sample, str) else "student-01")
    if not isinstance(sample, str):
        shutil.rmtree(grade / "student")
        (grade / "student").mkdir()
        sample(grade / "student")
    if started:
        command = ["sh", str(question / "image" / "grade-upload")]
        done = plainly(command, Path(seen_from(root)), GRADE_ROOT=str(grade))
        assert done.returncode == 0, done.stderr
    else:
        warm_server()
        run_prairielearn(grade)
    results = grade / "results" / "results.json"
    assert results.stat().st_size <= 1_000_000
    data: dict[str, Any] = json.loads(results.read_text())
    jsonschema.validate(data, PRAIRIELEARN_FORM)
    return data


def test_prairielearn_gives_no_zero_for_what_is_open(question: Path, tmp_path: Path) -> None:
    seen_from(question)
    data = prairielearn_results(question, tmp_path, "student-04")
    open_ = [test for test in data["tests"] if "A person decides." in test["message"]]
    assert open_
    assert {(test["points"], test["max_points"]) for test in open_} == {(0, 0)}, "shown as neutral"
    decided = sum(test["max_points"] for test in data["tests"])
    assert data["score"] == pytest.approx(sum(test["points"] for test in data["tests"]) / decided)
    assert "pending review" in data["message"]


def test_prairielearn_takes_no_attempt_for_what_cannot_be_graded(question: Path, tmp_path: Path) -> None:
    seen_from(question)
    for number, sample in enumerate(("student-08", "student-09")):
        (tmp_path / str(number)).mkdir()
        data = prairielearn_results(question, tmp_path / str(number), sample, started=False)
        assert (data["gradable"], "score" in data) == (False, False)
        assert data["format_errors"]


@pytest.mark.parametrize("name", [ATTACKS[2], *(pytest.param(one, marks=pytest.mark.slow) for one in ATTACKS[1::6])])
def test_prairielearn_survives(question: Path, tmp_path: Path, name: str) -> None:
    seen_from(question)
    data = prairielearn_results(question, tmp_path, HOSTILE[name])
    assert data.get("score", 0) == 0
    assert (question / "questions" / "nlp-frameworks" / "info.json").is_file()


def test_prairielearns_question(question: Path) -> None:
    info = json.loads((question / "questions" / "nlp-frameworks" / "info.json").read_text())
    jsonschema.validate(info, INFO_FORM)
    assert info["externalGradingOptions"]["image"] == "ghcr.io/course/lab-grader"
    page = (question / "questions" / "nlp-frameworks" / "question.html").read_text()
    for element in ("pl-question-panel", "pl-file-upload", "pl-submission-panel", "pl-external-grader-results"):
        assert f"<{element}" in page
        assert f"</{element}>" in page
    docker = (question / "image" / "Dockerfile").read_text()
    copied = [line.split()[1] for line in docker.splitlines() if line.startswith("COPY")]
    assert all((question / "image" / name).is_file() for name in copied)


@pytest.fixture(scope="module")
def workflows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("github") / "out"
    done = run_grade("package", "github", "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


def steps(workflow: Path) -> list[dict[str, Any]]:
    data = yaml.safe_load(workflow.read_text())
    assert {"name", "permissions", "jobs"} <= set(data)
    (job,) = data["jobs"].values()
    assert job["runs-on"] == "ubuntu-latest"
    found: list[dict[str, Any]] = job["steps"]
    assert all(("uses" in step) != ("run" in step) for step in found)
    return found


def test_a_students_repository_holds_no_truth(workflows: Path) -> None:
    names = [path.name for path in (workflows / "template").rglob("*") if path.is_file()]
    assert sorted(names) == ["check.sh", "check.yml", f"lab_check_nlp_frameworks-{__version__}-py3-none-any.whl"]
    assert any(path.name == "truth.json" for path in (workflows / "course").rglob("*"))


def test_a_push_shows_what_was_read(workflows: Path, tmp_path: Path) -> None:
    """The workflow's own commands, in a clone as the runner makes it."""
    workspace = tmp_path / "work"
    shutil.copytree(workflows / "template", workspace)
    shutil.copytree(ROOT / "submissions" / "student-09", workspace, dirs_exist_ok=True)
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b.c commit -qm hand-in"):
        subprocess.run(["git", *command.split()], cwd=workspace, check=True)
    tools = installed(next((workspace / ".check").glob("*.whl")), tmp_path / "venv")
    run = steps(workspace / ".github" / "workflows" / "check.yml")[-1]["run"]
    done = plainly(
        ["bash", "-e", "-c", f"git config --global --add safe.directory '*'; PATH={tools}:$PATH; {run}"],
        Path(seen_from(tmp_path)) / "work",
        GITHUB_WORKSPACE=str(workspace),
        GITHUB_STEP_SUMMARY=str(workspace / "summary.md"),
    )
    assert done.returncode == 1, done.stderr
    assert "damaged or not a PDF" in done.stdout
    assert "check.sh" not in done.stdout, "the check itself is no part of the hand-in"
    assert "damaged or not a PDF" in (workspace / "summary.md").read_text()


GH = """\
#!/bin/sh
# Answers as `gh` does for repositories, one of another assignment, one with a push after the deadline, one hostile.
case "$*" in
  "repo list"*) printf 'lab4-ada\\nlab4-bob\\nlab4-eve\\nlab3-ada\\nlab4-$(id)\\n' ;;
  *lab4-ada/activity*)
    printf '2026-11-20T10:00:00Z\\tc1\\trefs/heads/main\\n'
    printf '2026-11-25T10:00:00Z\\tc2\\trefs/heads/main\\n' ;;
  *lab4-eve/activity*) printf '2026-11-20T10:00:00Z\\tc4\\trefs/heads/main\\n' ;;
  *lab4-bob/activity*) printf '2026-11-22T10:00:00Z\\tc3\\trefs/heads/main\\n' ;;
  *lab4-ada/tarball/c1*) tar -cz -C "$SAMPLES" --transform 's,^student-01,org-ada-c1,' student-01 ;;
  *lab4-bob/tarball/c3*) tar -cz -C "$SAMPLES" --transform 's,^student-02,org-bob-c3,' student-02 ;;
  *lab4-eve/tarball/c4*) tar -cz -C "$SAMPLES" --transform 's,^hostile,org-eve-c4,' hostile ;;
  *) echo "unknown: $*" >&2; exit 1 ;;
esac
"""


def test_the_course_grades_what_was_pushed_in_time(workflows: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    shutil.copytree(workflows / "course", workspace)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "gh").write_text(GH)
    (tools / "gh").chmod(0o755)
    programs = installed(next((workspace / "grader").glob("*.whl")), tmp_path / "venv")
    (tools / "grade").write_text(f'#!/bin/sh\nexec {programs / "grade"} "$@" --no-reports\n')
    (tools / "grade").chmod(0o755)
    samples = tmp_path / "samples"
    for name in ("student-01", "student-02"):
        shutil.copytree(ROOT / "submissions" / name, samples / name)
    (samples / "hostile").mkdir()
    HOSTILE["zip-listing"](samples / "hostile")
    fetch, grade = (step["run"] for step in steps(workspace / ".github" / "workflows" / "grade.yml")[3:5])
    done = plainly(
        ["bash", "-e", "-c", f"PATH={tools}:$PATH; {fetch}; {grade}"],
        Path(seen_from(tmp_path)) / "work",
        OWNER="org",
        PREFIX="lab4-",
        DEADLINE="2026-11-21T23:59+01:00",
        SAMPLES=str(samples),
        GITHUB_STEP_SUMMARY=str(workspace / "summary.md"),
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert sorted(path.name for path in (workspace / "graded").iterdir() if path.is_dir()) == ["ada", "bob", "eve"]
    ada, bob, eve = (
        json.loads((workspace / "graded" / who / "result.json").read_text()) for who in ("ada", "bob", "eve")
    )
    assert float(eve["score"]) == 0
    assert (ada["lateness"]["late_by"], bob["late_penalty"]) == (0, 5)
    assert "pending review" in (workspace / "summary.md").read_text()
