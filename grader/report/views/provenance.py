"""How a grade came about: what was read, and against which versions of lab and truth."""

from grader.frozen import Frozen
from grader.report.views.wording import clip, clip_middle
from grader.result import GradedFile, Result

MOST_FILES = 30
HASH_LENGTH = 12
STATES = {"read": "read", "partly": "read in part", "unreadable": "could not be read", "ignored": "not needed"}


class FileView(Frozen):
    """A submitted file and what became of it."""

    path: str
    state: str
    reason: str | None


class Provenance(Frozen):
    """`facts` are labels with values; `more_files` tells of files that are left out."""

    facts: tuple[tuple[str, str], ...]
    files: tuple[FileView, ...]
    more_files: str | None


def provenance(result: Result) -> Provenance:
    """What went into a result. Files that were not read whole come first, as they may explain a missing answer."""
    files = sorted(
        result.submission.files, key=lambda file: (file.state in ("read", "ignored"), file.state == "ignored")
    )
    left_out = len(files) - MOST_FILES
    return Provenance(
        facts=_facts(result),
        files=tuple(map(_file, files[:MOST_FILES])),
        more_files=f"+ {left_out} more in result.json" if left_out > 0 else None,
    )


def _facts(result: Result) -> tuple[tuple[str, str], ...]:
    facts = (
        ("Grader", f"version {result.grader_version}"),
        ("Lab", f"{result.lab.id}, {_short(result.lab.sha256)}"),
        ("Ground truth", _short(result.truth_sha256)),
        ("Submission", _short(result.submission.sha256)),
        ("Answer sheet", _answer_sheet(result)),
        ("Handed in", _handed_in(result)),
        ("Deadline", result.lateness.text if result.lateness else ""),
    )
    return tuple((label, clip(value, 240)) for label, value in facts if value)


def _handed_in(result: Result) -> str:
    """When, and who says so."""
    submitted = result.submission.submitted_at
    if submitted is None:
        return ""
    source = result.lateness.time_from if result.lateness else ""
    return f"{submitted:%d %B %Y, %H:%M %Z}".strip() + (f" (by {source})" if source else "")


def _answer_sheet(result: Result) -> str:
    """The file taken as the report, and why where there was a choice."""
    path, reason = result.submission.report or "none was found", result.submission.report_reason
    return f"{clip_middle(path, 72)} ({reason})" if reason else clip_middle(path, 72)


def _short(sha256: str) -> str:
    return sha256[:HASH_LENGTH] or "unknown"


def _file(file: GradedFile) -> FileView:
    return FileView(
        path=clip_middle(file.path, 72),
        state=STATES[file.state],
        reason=clip(file.reason, 200) if file.reason else None,
    )
