"""How a grade came about: what was read, and against which versions of lab and truth."""

from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import say
from grader.report.views.wording import clip, clip_middle, left_out, moment
from grader.result import GradedFile, Result

MOST_FILES = 16
HASH_LENGTH = 12
STATES = {
    "read": say("read"),
    "partly": say("read in part"),
    "unreadable": say("could not be read"),
    "ignored": say("not needed"),
}


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


def provenance(result: Result, language: Language = ENGLISH) -> Provenance:
    """What went into a result. Files that were not read whole come first, as they may explain a
    missing answer; logs, of which there may be many, last."""
    files = sorted(
        result.submission.files,
        key=lambda file: (file.state in ("read", "ignored"), file.state == "ignored", file.role == "log"),
    )
    return Provenance(
        facts=_facts(result, language),
        files=tuple(_file(file, language) for file in files[:MOST_FILES]),
        more_files=left_out(len(files) - MOST_FILES, "result.json", language),
    )


def _facts(result: Result, language: Language) -> tuple[tuple[str, str], ...]:
    facts = (
        (say("Grader"), say("version {version}", version=result.grader_version)),
        (say("Lab"), f"{result.lab.id}, {_short(result.lab.sha256)}"),
        (say("Ground truth"), _short(result.truth_sha256)),
        (say("Submission"), _short(result.submission.sha256)),
        (say("Answer sheet"), _answer_sheet(result, language)),
        (say("Handed in"), _handed_in(result, language)),
        (say("Deadline"), result.lateness.text if result.lateness else ""),
    )
    return tuple((language.say(label), clip(language.say(value), 240)) for label, value in facts if value)


def _handed_in(result: Result, language: Language) -> str:
    """When, and who says so."""
    submitted = result.submission.submitted_at
    if submitted is None:
        return ""
    source = language.say(result.lateness.time_from) if result.lateness else ""
    at = moment(submitted, language)
    return say("{moment} (by {source})", moment=at, source=source) if source else at


def _answer_sheet(result: Result, language: Language) -> str:
    """The file taken as the report, and why where there was a choice."""
    path, reason = result.submission.report, language.say(result.submission.report_reason)
    name = clip_middle(path, 72) if path else language.say(say("none was found"))
    return f"{name} ({reason})" if reason else name


def _short(sha256: str) -> str:
    return sha256[:HASH_LENGTH] or say("unknown")


def _file(file: GradedFile, language: Language) -> FileView:
    return FileView(
        path=clip_middle(file.path, 72),
        state=language.say(STATES[file.state]),
        reason=clip(language.say(file.reason), 200) if file.reason else None,
    )
