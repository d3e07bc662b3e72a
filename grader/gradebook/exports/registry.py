"""The formats by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from grader.gradebook.exports.canvas import canvas
from grader.gradebook.exports.feedback_zips import canvas_feedback, moodle_feedback
from grader.gradebook.exports.gradescope import gradescope
from grader.gradebook.exports.moodle_grades import moodle_grades
from grader.gradebook.exports.moodle_worksheet import moodle_worksheet
from grader.gradebook.exports.outcome import Exported, Wanted
from grader.gradebook.exports.prairielearn import prairielearn, prairielearn_results
from grader.gradebook.exports.tables import as_csv, as_json, as_xlsx
from grader.result import Result

Export = Callable[[tuple[Result, ...], Wanted], Exported]

EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        "canvas": canvas,
        "canvas-feedback": canvas_feedback,
        "moodle-worksheet": moodle_worksheet,
        "moodle-grades": moodle_grades,
        "moodle-feedback": moodle_feedback,
        "gradescope": gradescope,
        "prairielearn": prairielearn,
        "prairielearn-results": prairielearn_results,
        "csv": as_csv,
        "json": as_json,
        "xlsx": as_xlsx,
    }
)
