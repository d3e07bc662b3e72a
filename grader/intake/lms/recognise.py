"""Which system a folder or archive was downloaded from, if from any."""

from collections.abc import Iterable

from grader.intake.lms.canvas import canvas_download
from grader.intake.lms.download import sources
from grader.intake.lms.gradescope import gradescope_download
from grader.intake.lms.moodle import moodle_download
from grader.intake.lms.prairielearn import prairielearn_download
from grader.intake.places import Place
from grader.intake.submission import Refusal, Source

_SYSTEMS = (gradescope_download, moodle_download, canvas_download, prairielearn_download)


def downloaded(way: Iterable[Place]) -> tuple[tuple[Source, ...], tuple[Refusal, ...]] | None:
    """The sources of the outermost of some places that is a download. Raises OSError when one cannot be read."""
    for place in way:
        for system in _SYSTEMS:
            download = system(place)
            if download is not None:
                return sources(place, download)
    return None
