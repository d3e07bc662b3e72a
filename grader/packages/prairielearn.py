"""PrairieLearn: a question that is graded outside, the image that grades it, and what its entry point does.

Layout and formats: https://docs.prairielearn.com/externalGrading/. The hand-in lies in `/grade/student`, the question's
`tests` in `/grade/tests`, and `/grade/results/results.json` is read back. `/grade/results` is ours to make.
"""

import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from grader.gradebook.exports.prairielearn import grading_json
from grader.intake.identity import Identity
from grader.lab.definition import Lab
from grader.packages.upload import LAB, Settings, graded_upload, json_file, object_in, settings_in, text_in
from grader.packages.wheel import PROJECT, grader_wheel, packaged, wheel_name
from grader.pipeline.outputs import write_atomically

IMAGE: Final = "lab-grader"
ENTRY: Final = "/usr/local/bin/grade-upload"
_SECONDS: Final = 120
_NAMESPACE: Final = uuid.UUID("6f0b3f62-7c1e-5b0e-9a53-2d3f2c0f4f6a")
_PATTERNS: Final = "*.zip, *.ipynb, *.py, *.txt, *.log, *.json, *.tex, *.md, *tfevents*"


def prairielearn_files(lab: Lab, lab_files: Mapping[str, bytes], settings: Settings, registry: str) -> dict[str, bytes]:
    """A question's folder, and a folder from which its image is built."""
    question = f"questions/{lab.id}"
    return {
        f"{question}/info.json": _info(lab, registry),
        f"{question}/question.html": _page(lab).encode(),
        f"{question}/tests/settings.json": settings.model_dump_json(indent=1).encode() + b"\n",
        **{f"{question}/tests/{LAB}/{path}": content for path, content in lab_files.items()},
        "image/Dockerfile": packaged("prairielearn.Dockerfile"),
        "image/grade-upload": packaged("prairielearn-run.sh"),
        f"image/{wheel_name(PROJECT)}": grader_wheel(),
    }


def run_prairielearn(root: Path) -> None:
    """Grade the hand-in below a root laid out as PrairieLearn does, and write `results/results.json`."""
    tests = root / "tests"
    settings = settings_in(tests)
    try:
        _, result = graded_upload(root / "student", tests / LAB, settings, who=_who(root))
        content = grading_json(result)
    except Exception as error:  # a failure of ours costs no attempt
        content = unreadable(error)
    (root / "results").mkdir(exist_ok=True)
    write_atomically(root / "results" / "results.json", content)


def unreadable(error: Exception) -> bytes:
    """`results.json` where our program failed: nothing is graded, and no attempt is lost."""
    told = "The grader failed, through no fault of yours. No attempt is lost: a person will grade your hand-in."
    data: dict[str, Any] = {"gradable": False, "format_errors": [told], "output": f"{type(error).__name__}"}
    return (json.dumps(data) + "\n").encode()


def _who(root: Path) -> Identity | None:
    options = object_in(json_file(root / "data" / "data.json"), "options")
    uid = text_in(options, "uid")
    return Identity(email=uid) if "@" in uid else None


def _info(lab: Lab, registry: str) -> bytes:
    image = f"{registry.rstrip('/')}/{IMAGE}" if registry else IMAGE
    data = {
        "uuid": str(uuid.uuid5(_NAMESPACE, lab.id)),
        "title": lab.title,
        "topic": "Labs",
        "type": "v3",
        "singleVariant": True,
        "gradingMethod": "External",
        "externalGradingOptions": {"enabled": True, "image": image, "entrypoint": ENTRY, "timeout": _SECONDS},
    }
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def _page(lab: Lab) -> str:
    from html import escape

    return f"""\
<pl-question-panel>
  <p>{escape(lab.title)}: hand in your report as a PDF, and your notebooks and logs, or a zip of them (5 MB in all).</p>
  <pl-file-upload file-patterns="*.pdf" optional-file-patterns="{_PATTERNS}"></pl-file-upload>
</pl-question-panel>
<pl-submission-panel>
  <pl-external-grader-results></pl-external-grader-results>
  <pl-file-preview></pl-file-preview>
</pl-submission-panel>
"""
