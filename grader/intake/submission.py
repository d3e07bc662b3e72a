"""One student's hand-in: identity, files with their roles, and refused files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

from pydantic import Field

from grader.frozen import Frozen
from grader.message import Words


class Member(Frozen):
    """One person. All fields are text as found, empty where unknown.

    `number` is the school's student number, `login` a user name. Moodle's participant id is valid for one assignment
    only; Canvas's user id for one Canvas installation.
    """

    name: str = ""
    email: str = ""
    number: str = ""
    login: str = ""
    moodle_participant: str = ""
    canvas_user: str = ""


class Identity(Member):
    """A submitter, or a team. `entry` is the name under which the hand-in was downloaded.

    Moodle writes a group's id in the place of a participant's, so a number is taken as a participant's only if nothing
    contradicts it.
    """

    entry: str = ""
    members: tuple[Member, ...] = ()


class Role(StrEnum):
    """The purpose of a file, by its content and name."""

    REPORT = "report"
    NOTEBOOK = "notebook"
    CODE = "code"
    LOG = "log"
    MODEL = "model"
    OTHER = "other"


class Part(Frozen):
    """One of several separate pieces of a hand-in; see `Source` for `path` and `inside`.

    `name` is a file's name in the hand-in, or the prefix of the paths of a folder's content.
    """

    path: Path
    inside: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The location of one student's hand-in, before any of it is opened.

    `inside` names a folder, a nested archive or a single file within the archive at `path`; it is empty when all of
    `path` is meant. A hand-in in several pieces lists them all in `parts`. `submitted_at` and `time_from` are the time
    and its source, where known; `earlier` are the times of attempts whose files are not present. `attempt` is what a
    name says of which attempt it is: `2`, or a time; hand-ins with the same `series`, not empty, are attempts of one
    student. `origin` is the name that it was found under, as the disk, the archive or the course system writes it.
    `marked_late` is set where a course system calls the hand-in late without its time. A class has as many as students,
    all in memory, so it is no model, but slots.
    """

    student_id: str
    student_name: str
    path: Path
    inside: str = ""
    parts: tuple[Part, ...] = ()
    identity: Identity | None = None
    submitted_at: datetime | None = None
    time_from: Words = ""
    attempt: str = ""
    series: str = ""
    earlier: tuple[datetime, ...] = ()
    origin: str = ""
    marked_late: bool = False

    def submission(self, sha256: str, unopened_sha256: str = "") -> "Submission":
        """Return the submission's student and time, without any files."""
        return Submission(
            student_id=self.student_id,
            student_name=self.student_name,
            identity=self.identity,
            submitted_at=self.submitted_at,
            origin=self.origin,
            sha256=sha256,
            unopened_sha256=unopened_sha256,
        )


class SubmittedFile(Frozen):
    """One file of a hand-in. `path` is relative to the hand-in, with forward slashes; `size` in bytes."""

    path: str
    role: Role
    size: int
    sha256: str
    location: Path = Field(description="Where the bytes lie on this machine while it is graded.")


class Refusal(Frozen):
    """A refused file or folder, with the reason in words for the student."""

    path: str
    reason: Words
    is_many: bool = Field(
        default=False, description="Whether files of any kind may be behind it, so that its name says nothing of them."
    )


class Submission(Frozen):
    """One student's hand-in. `sha256` covers all paths and contents, so equal hand-ins have equal hashes; what was
    refused is covered by `unopened_sha256`, the hash of the hand-in as it lies. For `origin` see `Source`."""

    student_id: str
    student_name: str
    identity: Identity | None = None
    submitted_at: datetime | None = None
    origin: str = ""
    files: tuple[SubmittedFile, ...] = ()
    refused: tuple[Refusal, ...] = ()
    sha256: str
    unopened_sha256: str = ""


HEAD_BYTES: Final = 65_536
"""Bytes at the start of a file that `role_of` uses. The first line of a log may hold a program's settings, 11 kB."""
_MARKED: Final = 4096
"""Bytes in which a format shows its mark."""

REPORT_FORMATS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "pdf": (".pdf",),
        "markdown": (".md", ".markdown", ".mdown", ".rmd", ".qmd"),
        "text": (".txt",),
        "latex": (".tex", ".ltx", ".latex"),
        "html": (".html", ".htm", ".xhtml"),
        "word": (".docx", ".docm", ".dotx", ".doc"),
        "odt": (".odt", ".ott"),
        "typst": (".typ",),
        "rst": (".rst",),
        "org": (".org",),
        "rtf": (".rtf",),
        "epub": (".epub",),
        "mediawiki": (".wiki", ".mediawiki"),
        "textile": (".textile",),
    }
)
"""The suffixes of reports by format; `reading/formats.py` names the reader of each."""

_UNREAD_REPORTS: Final = (".pages", ".mht", ".mhtml", ".webarchive", ".gdoc", ".wps", ".fodt", ".deepnote", ".dbc")
_SUFFIXES: Final = {
    Role.REPORT: (*(suffix for suffixes in REPORT_FORMATS.values() for suffix in suffixes), *_UNREAD_REPORTS),
    Role.NOTEBOOK: (".ipynb",),
    Role.CODE: (".py", ".sh", ".bash", ".zsh", ".ksh", ".yaml", ".yml", ".slurm", ".sbatch", ".pbs", ".mk"),
    Role.LOG: (".log",),
    Role.MODEL: (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".h5", ".onnx"),
}
_ROLE: Final = {suffix: role for role, suffixes in _SUFFIXES.items() for suffix in suffixes}
KNOWN_SUFFIXES: Final = frozenset({*_ROLE, ".json", ".csv", ".zip"})
"""Those that say what kind of file it is, and nothing of whose."""

_NAMED: Final = {
    "trainer_state.json": Role.LOG,
    **dict.fromkeys(("adapter_config.json", "hparams.yaml", "hparams.yml"), Role.LOG),
    **dict.fromkeys(("Makefile", "makefile", "GNUmakefile"), Role.CODE),
}

_RUN_FILE: Final = re.compile(
    r"(?:(?:all|train|eval|test|predict)_results|(?:training_|train_)?args|hparams|hyperparams|hyperparameters)\.json",
    re.IGNORECASE,
)
"""Files of results and arguments that training scripts write beside a model."""

_RUN_SETTINGS: Final = re.compile(r"(?:config|hydra|overrides|(?:training_)?args|hparams)\.ya?ml", re.IGNORECASE)

_READ_ME: Final = re.compile(r"(?:readme|lisezmoi)(?![a-z]).*", re.IGNORECASE)
_PLAIN_TEXTS: Final = frozenset({"", ".text", ".adoc", ".asciidoc", ".md~", ".me"})
MARKED_TEXTS: Final = (".xml", ".docbook", ".dbk")
"""Suffixes of texts that are not read, and of settings of programs."""
_NO_TEXTS: Final = re.compile(r"\..*|makefile|dockerfile|licen[sc]e.*|copying.*|notice.*", re.IGNORECASE)

_REQUIREMENTS: Final = ("requirements*.txt", "environment*.y*ml")

_NO_REPORT: Final = re.compile(
    r"(readme|lisezmoi|licen[sc]e)(?![a-z]).*\.(txt|md|markdown|html?|rst|org)|(dict|vocab|merges|cmakelists)(?![a-z]).*\.txt",
    re.IGNORECASE,
)
_LOGGED_TEXTS: Final = frozenset({".txt", ".out", ".err", ""})
_SETTINGS_FOLDER: Final = ".hydra"
_CSV_HEADER: Final = re.compile(rb'"?Wall time"?,"?Step"?,"?Value"?\s')
"""The header of CSV files from TensorBoard's web page."""

_CSV_LOG: Final = re.compile(
    rb"(?=[^\n]{0,400}(?:loss|acc))(?:[^\n]{0,400}[,;\t])?\"?(?:epoch|step|global_step|iteration)\"?\s{0,2}[,;\t\r\n]",
    re.I,
)
"""A column that counts epochs or steps, and one with what was measured then."""

_PRINTED: Final = re.compile(rb"^.{0,60}\bepochs?\W{0,4}\d.{0,200}(?:loss|acc)", re.IGNORECASE | re.MULTILINE)

_ENTRY: Final = re.compile(rb'\{[^{}]{0,400}"(?:epoch|step|num_updates|global_step)": ?"?\d[^{}]{0,400}\}')
_MEASURE: Final = re.compile(rb'"(?:[a-z]{1,12}_){0,3}(?:loss|acc|accuracy|lr|learning_rate)": ?"?[\d.-]')
_METRIC: Final = re.compile(
    rb"^(?:(?:eval|train|test)_\w{1,40} += +\S|\{'(?:loss|(?:eval|train|test)_\w{1,40})': |\*{5} )", re.MULTILINE
)
_TIME: Final = re.compile(rb"^.{0,40}\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d", re.MULTILINE)
_FEWEST_TIMES: Final = 3
_TEX_LOG: Final = re.compile(rb"This is [^\n]{0,20}TeX")


def lists_libraries(name: str) -> bool:
    """Whether a file of this name lists libraries with their versions."""
    return any(fnmatch(name.lower(), text) for text in _REQUIREMENTS)


def role_of(path: str, head: bytes) -> Role:
    """The role of the file at a relative path whose content begins with `head` (empty if it was not read)."""
    name = PurePosixPath(path)
    return _by_content(name, head[:HEAD_BYTES]) or _by_name(name)


def is_read_me(path: str) -> bool:
    """Whether a file is a README by its name, in whatever format."""
    return _READ_ME.fullmatch(PurePosixPath(path).name) is not None


def may_be_report(path: str) -> bool:
    """Whether a file without the name of a report may be the report of a hand-in that has no other: a README or plain
    text."""
    name = PurePosixPath(path)
    is_text = name.suffix.lower() in (*_PLAIN_TEXTS, *MARKED_TEXTS) and not _NO_TEXTS.fullmatch(name.name)
    return is_text or (is_read_me(path) and name.suffix.lower() in (*_ROLE, ""))


def _by_content(name: PurePosixPath, head: bytes) -> Role | None:
    # An archive that does not compress its files shows the beginning of the first one.
    is_pdf = b"%PDF-" in head[:1024] and not head.startswith(_ZIP)
    if is_pdf or (name.suffix.lower() not in KNOWN_SUFFIXES and office_format(head)):
        return Role.REPORT
    if head.startswith((b"#!/", b"#! /")):
        return Role.CODE
    beginning = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    text = beginning[:_MARKED]
    if text.startswith(b"{"):
        if b'"log_history"' in text:
            return Role.LOG
        if _is_json_log(text):
            return Role.LOG
        cells = b'"cells"' in text or b'"worksheets"' in text
        if b'"nbformat"' in text or (cells and b'"cell_type"' in text):
            return Role.NOTEBOOK
    if name.suffix.lower() == ".json":
        return Role.LOG if _is_json_table(text) else None
    if name.suffix.lower() == ".csv":
        return Role.LOG if _CSV_HEADER.match(text) or _CSV_LOG.match(text) else None
    if name.suffix.lower() == ".log" and _TEX_LOG.match(text):
        return Role.OTHER
    return Role.LOG if name.suffix.lower() in _LOGGED_TEXTS and _is_log(beginning) else None


_ZIP: Final = b"PK\x03\x04"
_ZIP_NAME: Final = 30
"""Where the name of the first file stands in an archive; its length stands at 26 (PKWARE APPNOTE 4.3.7)."""
_PARTS_OF_WORD: Final = (b"[Content_Types].xml", b"_rels/", b"word/", b"docProps/", b"customXml/")


def office_format(head: bytes) -> str:
    """The format of the document of an office program that begins so, by its name among the formats of reports; empty
    for anything else."""
    if not head.startswith(_ZIP):
        return ""
    first = head[_ZIP_NAME : _ZIP_NAME + int.from_bytes(head[26:28], "little")]
    if first == b"mimetype":
        return "odt" if b"mimetypeapplication/vnd.oasis.opendocument.text" in head[:200] else ""
    return "word" if first.startswith(_PARTS_OF_WORD) and b"word/" in head else ""


def _is_json_log(text: bytes) -> bool:
    """Whether text is JSON lines: at least two objects, each with a count of updates or epochs and a measurement."""
    lines = text.splitlines()[:2]
    return len(lines) == 2 and all(_ENTRY.fullmatch(line.strip()) and _MEASURE.search(line) for line in lines)


def _is_json_table(text: bytes) -> bool:
    """Whether JSON holds a course over training, as a list for each scalar (Keras) or an object for each epoch, or the
    result of one evaluation (`evaluate`)."""
    if text.startswith(b"["):
        return bool(_ENTRY.match(text[1:].lstrip()) and _MEASURE.search(text))
    is_listed = re.search(rb'"[^"]{0,40}(?:loss|acc)[^"]{0,40}":\s*(?:\[|\{\s*"0":)\s*-?\d', text, re.IGNORECASE)
    return text.startswith(b"{") and (is_listed is not None or b'"_evaluate_version"' in text)


def _is_log(text: bytes) -> bool:
    """Whether text is the saved output of a run: many lines begin with a date and time, or name an epoch or a script's
    results. Lines of printed models and settings and states of bars speak neither for it nor against it."""
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = text.decode("utf-16", "ignore").encode()
    rows = text.replace(b"\r\n", b"\n").split(b"\n")
    prose = sum(is_prose(row.decode("utf-8", "ignore")) for row in set(rows))
    if prose > MOST_PROSE and 5 * prose > len(rows):  # a report that quotes a log
        return False
    lines = sum(not _is_printed_object(row.strip()) for row in rows)
    times = len(_TIME.findall(text))
    metrics = len(_METRIC.findall(text))
    printed = len(_PRINTED.findall(text))
    of_script = printed >= _FEWEST_TIMES and 3 * printed >= lines
    return (times >= _FEWEST_TIMES and 3 * times >= lines) or (metrics > 1 and 2 * metrics >= lines) or of_script


MOST_PROSE: Final = 8
"""Some libraries warn in whole sentences."""
_FEWEST_WORDS: Final = 6


def is_prose(line: str) -> bool:
    """Whether a line is a sentence, or a part of one, rather than what a program prints."""
    words = line.split()
    if words and ("/" in words[0] or words[0].startswith("[")):  # a warning with its place, a logger's line
        return False
    plain = sum(word.strip(".,;:!?()'\"*").isalpha() for word in words)
    return plain >= _FEWEST_WORDS and 5 * plain >= 4 * len(words)


def _is_printed_object(line: bytes) -> bool:
    """Whether a line is blank, a bar's, or a part of a printed object: `(fc1): Linear(…)`, `seed=1,`, `)`."""
    name, equals, _ = line.partition(b"=")
    is_argument = bool(equals) and name.replace(b"_", b"").isalnum() and line.endswith(b",")
    is_module = line.startswith(b"(") and b"): " in line
    return not line.strip(b")]},") or is_argument or is_module or b"%|" in line


def _by_name(name: PurePosixPath) -> Role:
    if ".tfevents." in name.name and not name.name.endswith(".profile-empty"):
        return Role.LOG
    if _RUN_FILE.fullmatch(name.name) or (_SETTINGS_FOLDER in name.parts and _RUN_SETTINGS.fullmatch(name.name)):
        return Role.LOG
    if _NO_REPORT.fullmatch(name.name):
        return Role.OTHER
    if lists_libraries(name.name):
        return Role.CODE
    return _NAMED.get(name.name) or _ROLE.get(name.suffix.lower(), Role.OTHER)
