"""GitHub Classroom: a check in every student's repository, and grading in one that only the course can read.

A workflow in a student's repository can be read and changed by the student, and so can all that it fetches; the truth
and the points therefore stay in a private repository of the course.
"""

from collections.abc import Mapping

from grader.lab.definition import Lab
from grader.packages.students import students_package
from grader.packages.upload import LAB
from grader.packages.wheel import PROJECT, grader_wheel, packaged, wheel_name


def github_files(lab: Lab, lab_files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Two folders: one to put into the template repository, one into a private repository of the course."""
    check = {name: content for name, content in students_package(lab).items() if name.endswith(".whl")}
    return {
        "template/.github/workflows/check.yml": packaged("github-check.yml"),
        "template/.check/check.sh": packaged("github-check.sh"),
        **{f"template/.check/{name}": content for name, content in check.items()},
        "course/.github/workflows/grade.yml": packaged("github-grade.yml"),
        "course/grader/fetch.sh": packaged("github-fetch.sh"),
        "course/grader/grade.sh": packaged("github-grade.sh"),
        f"course/grader/{wheel_name(PROJECT)}": grader_wheel(),
        **{f"course/grader/{LAB}/{path}": content for path, content in lab_files.items()},
    }
