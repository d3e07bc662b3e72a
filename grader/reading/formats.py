"""Reads a submission: every file goes to a reader chosen by its role and content, and the outcome is recorded with the
reason.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from grader.intake.names import is_of_tracker
from grader.intake.opening import may_hold_answers
from grader.intake.submission import (
    HEAD_BYTES,
    MARKED_TEXTS,
    MOST_PROSE,
    REPORT_FORMATS,
    Refusal,
    Role,
    Submission,
    SubmittedFile,
    is_prose,
    is_read_me,
    may_be_report,
    office_format,
    role_of,
)
from grader.lab.experiments import LogFormat
from grader.message import Message, Words, join_messages, say, say_number
from grader.reading.bytes_in import TOO_LONG, lines_of, read_bytes, text_of
from grader.reading.converted import read_converted
from grader.reading.document import BlockKind, Document
from grader.reading.docx import read_docx
from grader.reading.events import read_event_file
from grader.reading.exports import notebook_of
from grader.reading.html import read_html
from grader.reading.latex import main_files, read_latex
from grader.reading.log import Log
from grader.reading.logs.code import CodeReader
from grader.reading.logs.files import read_log_file
from grader.reading.logs.text import logs_in_text
from grader.reading.markdown import read_lines, read_markdown, read_text, read_unknown_text
from grader.reading.notebook import Notebook, exported_notebook
from grader.reading.notebook_file import read_notebook
from grader.reading.notebook_script import form_of, read_notebook_script
from grader.reading.odt import read_odt
from grader.reading.office import AS_PDF
from grader.reading.pandoc import FORMATS
from grader.reading.pdf import read_pdf
from grader.reading.pdf.scans import MOST_SCANNED
from grader.reading.reading import FileRecord, FileState, Reading
from grader.reading.runs import runs_of
from grader.reading.structure import with_lost_formulas
from grader.reading.terminal import as_shown
from grader.reading.tesseract import is_there
from grader.reading.trackers.databases import MAGIC as DATABASE
from grader.reading.trackers.databases import read_database
from grader.reading.trackers.folders import read_run_folder
from grader.reading.trackers.kept import RunFolder, kept_by_trackers
from grader.reading.trackers.weights_and_biases import MAGIC as WANDB
from grader.reading.trackers.weights_and_biases import read_wandb
from grader.time_limit import TooSlowError, limit_time

_PICTURES: Final = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".tif", ".tiff", ".heic")
_KINDS: Final = {
    say("a picture"): _PICTURES,
    say("a pickled file, which is never opened"): (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle"),
    say("model weights or saved arrays"): (".safetensors", ".h5", ".onnx", ".npy", ".npz", ".model"),
    say("an archive within the submission"): (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar"),
    say("data"): (".csv", ".tsv", ".json", ".idx", ".spm", ".label", ".parquet", ".arrow"),
    say("a video or sound"): (".mp4", ".mov", ".avi", ".mp3", ".wav"),
}  # fmt: skip

_UNREAD_REPORTS: Final = {
    (".doc", ".dot", ".wps", ".wpd"): say(
        "documents in this format are not read: save it as .docx, or {remedy}", remedy=AS_PDF
    ),
    (".pages", ".hwp", ".fodt"): say("this format is not read: {remedy}", remedy=AS_PDF),
    (".ppt", ".pptx", ".odp", ".key"): say("this format is not read: {remedy}", remedy=AS_PDF),
    (".xls", ".xlsx", ".ods", ".numbers"): say("this format is not read: {remedy}", remedy=AS_PDF),
    (".mht", ".mhtml", ".webarchive"): say("no text of the page can be read: print it to PDF and hand that in"),
    (".gdoc", ".url", ".webloc"): say(
        "this file is only a link, and the text itself is not in it: {remedy}", remedy=AS_PDF
    ),
    (".deepnote", ".dbc"): say("notebooks of this kind are not read: export it as .ipynb, with its outputs"),
    (".ps", ".eps", ".djvu", ".xps", ".oxps", *MARKED_TEXTS): say("this format is not read: {remedy}", remedy=AS_PDF),
    _PICTURES: say("photographs and other pictures are read only within a PDF: put them into one and hand that in"),
}
"""Formats of texts for which there is no reader, and what to do."""


def why_ignored(path: str) -> Message:
    """Return the reason why a file is ignored, by the kind of file according to its name."""
    suffix = PurePosixPath(path).suffix.lower()
    kind = next((kind for kind, suffixes in _KINDS.items() if suffix in suffixes), None)
    return say("not read: {kind}", kind=kind or say("an unknown kind of file"))


def why_no_report(suffix: str) -> Message | None:
    """Return the reason why a report with this suffix cannot be read and advice on what to do; None if it can be
    read."""
    return next((reason for suffixes, reason in _UNREAD_REPORTS.items() if suffix in suffixes), None)


Content = Document | Notebook | Log
Reader = Callable[[SubmittedFile], Sequence[Content]]
_Single = Callable[[SubmittedFile], Content]

HEAD: Final = 4096
"""Number of a file's first bytes that decide about its reader."""

_READERS: Final[dict[str, _Single]] = {
    "pdf": read_pdf,
    "markdown": read_markdown,
    "text": read_text,
    "word": read_docx,
    "odt": read_odt,
    **dict.fromkeys(FORMATS, read_converted),
}
"""The reader of each format of reports; those of LaTeX and web pages need the other files, too."""
_REPORTS: Final = {suffix: reader for name, reader in _READERS.items() for suffix in REPORT_FORMATS[name]}
_TEXT_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_PRINTED: Final = frozenset({".csv", ".json", ".yaml", ".yml"})
"""Suffixes of logs that are data, not lines that a program printed."""


def reader_of(file: SubmittedFile, others: Sequence[SubmittedFile], formats: Sequence[LogFormat] = ()) -> Reader | None:
    """The reader for a file of a hand-in whose other files are `others`; None where there is none. `formats` are those
    of the lab's own logs. Raises OSError."""
    with file.location.open("rb") as opened:
        head = opened.read(HEAD)
    suffix = PurePosixPath(file.path).suffix.lower()
    match file.role:
        case Role.REPORT:
            single = None if _is_packed_notebook(file, suffix) else _report_reader(head, suffix, others)
        case Role.LOG:
            return _log_reader(file, head, suffix, others, formats_for(file.path, formats))
        case Role.NOTEBOOK:
            form = form_of(file)
            single = partial(read_notebook_script, cells_in=form) if form else read_notebook
        case Role.CODE:
            single = partial(read_lines, kind=BlockKind.CODE)
        case _:
            return None
    return None if single is None else lambda candidate: (single(candidate),)


_PACKED: Final = ".dbc"
_PACKED_AS: Final = b"__DATABRICKS_NOTEBOOK_MODEL"


def _is_packed_notebook(file: SubmittedFile, suffix: str) -> bool:
    """Whether a web page holds a notebook of Databricks, which only its script shows. Raises OSError."""
    if suffix not in REPORT_FORMATS["html"]:
        return False
    with file.location.open("rb") as opened:
        return _PACKED_AS in opened.read(MOST_TEXT)


def _report_reader(head: bytes, suffix: str, others: Sequence[SubmittedFile]) -> _Single | None:
    if b"%PDF" in head[:1024]:
        return read_pdf
    if suffix in REPORT_FORMATS["latex"]:
        return partial(read_latex, others=others)
    if suffix in REPORT_FORMATS["html"]:
        return partial(read_html, others=others)
    if suffix == ".ipynb":
        return read_notebook
    by_content = _READERS.get(office_format(head))
    return _REPORTS.get(suffix) or by_content or (None if why_no_report(suffix) else read_unknown_text)


def formats_for(path: str, formats: Sequence[LogFormat]) -> tuple[LogFormat, ...]:
    """Return the lab's log formats that match a file's path."""
    return tuple(log_format for log_format in formats if not log_format.files or log_format.is_of(path))


def _log_reader(
    file: SubmittedFile, head: bytes, suffix: str, others: Sequence[SubmittedFile], formats: Sequence[LogFormat]
) -> Reader:
    if head.startswith(WANDB):
        return lambda candidate: (read_wandb(candidate),)
    if head.startswith(DATABASE):
        return partial(read_database, others=others)
    if (b"\0" in head and not head.startswith(_TEXT_MARKS)) or "tfevents" in PurePosixPath(file.path).name:
        return lambda candidate: (read_event_file(candidate),)
    if suffix in _PRINTED:
        return partial(read_log_file, formats=formats)
    return partial(_printed, formats=formats)


def _printed(file: SubmittedFile, formats: Sequence[LogFormat]) -> Sequence[Content]:
    """Return a program's print: its lines, and the training logs among them, or the signs of a log that cannot be
    read."""
    logs = (log for log in read_log_file(file, formats) if log.series or log.settings or log.problems)
    return (read_lines(file, BlockKind.OUTPUT), *logs)


MOST_PROBLEMS: Final = 8
"""Problems that are reported for one file."""

SECONDS: Final = 5.0
"""Seconds of processor time for one file; a harmless file takes a fraction of it."""
MOST_TEXT: Final = 2_000_000
"""Characters: some thousand pages."""
_STEADY_PACE: Final = 2e6
"""In bytes a second."""
_SECONDS_OF_SCAN: Final = 2.0
_MOST_SEARCHED: Final = 50_000_000
"""In bytes."""
TOO_MUCH: Final = say("reading it takes too much time or memory; hand it in as a plain PDF")
"""Of a file that is left out."""

MOST_READ: Final = {Role.REPORT: 40, Role.NOTEBOOK: 30}
"""More documents and notebooks of one hand-in are not read."""

Watch = Callable[[SubmittedFile, float], AbstractContextManager[None]]
"""A context manager around the reading of each file, given the seconds of processor time that it may take."""


def null_watch(_file: SubmittedFile, _seconds: float) -> AbstractContextManager[None]:
    """A `Watch` that does nothing."""
    return nullcontext()


class _Outcome(NamedTuple):
    record: FileRecord
    contents: Sequence[Content] = ()


def read(
    submission: Submission,
    formats: Sequence[LogFormat] = (),
    *,
    leave_out: Collection[str] = (),
    watch: Watch = null_watch,
) -> Reading:
    """Everything that a submission says. Each file is read on its own: a reader that fails costs that file only.
    `formats` are those of the lab's own logs; files that they name are logs. Files to `leave_out`, by their paths, are
    unreadable; `watch` goes around the reading of each other."""
    kept = kept_by_trackers(submission.files)
    files = _with_report(list(_with_roles(submission.files, formats, kept.roles)))
    included = {**_included(files), **kept.parts}
    passed = _passed_over([file for file in files if file.path not in included])
    blank = _blank_beside_report(files)
    # A folder of a tracker that is not read may show what was trained.
    untold = (
        FileRecord(path=f"{folder or '.'}/", role=Role.LOG, state=FileState.UNREADABLE, reason=_unread(title))
        for folder, title in kept.unread_folders.items()
    )
    outcomes = [_Outcome(record) for record in (*_told_of(passed), *untold)]
    for file in files:
        if file.path in kept.unread:
            outcomes.append(_outcome(file, FileState.IGNORED, _unread(kept.unread[file.path])))
        elif file.path in passed:
            outcomes.append(_outcome(file, FileState.IGNORED, passed[file.path][1]))
        elif file.path in included:
            reason = say("read as part of {file}", file=included[file.path])
            outcomes.append(_outcome(file, FileState.READ, reason))
        elif file.path in blank:
            outcomes.append(_outcome(file, FileState.IGNORED, say("the file is empty")))
        elif file.path in leave_out:
            outcomes.append(_outcome(file, FileState.UNREADABLE, TOO_MUCH))
        else:
            outcomes.append(_read_file(file, files, formats, watch, kept.folders.get(file.path)))
    outcomes += [_refused(refusal) for refusal in submission.refused]
    outcomes.sort(key=lambda outcome: outcome.record.path)
    contents = [content for outcome in outcomes for content in outcome.contents]
    notebooks = tuple(content for content in contents if isinstance(content, Notebook))
    every = [content for content in contents if isinstance(content, Document)]
    exports = {example.file: of.file for example in every if notebooks and (of := notebook_of(example, notebooks))}
    documents = tuple(example for example in every if example.file not in exports)
    logs = [content for content in contents if isinstance(content, Log)]
    pages = (page for document in documents if (page := exported_notebook(document)))
    return Reading(
        documents=documents,
        notebooks=notebooks,
        runs=runs_of([*logs, *(log for notebook in (*notebooks, *pages) for log in _logs_in(notebook, formats))]),
        files=tuple(_as_export(outcome.record, exports) for outcome in outcomes),
    )


def _as_export(record: FileRecord, exports: Mapping[str, str]) -> FileRecord:
    """The record of a file, which tells of which notebook it is only an export."""
    if record.path not in exports:
        return record
    return record.model_copy(update={"reason": say("read as part of {file}", file=exports[record.path])})


def _blank_beside_report(files: Sequence[SubmittedFile]) -> frozenset[str]:
    """The plain texts without a letter that lie beside a report, as programs leave them (`stderr.txt`). Alone, such a
    file is a report that got lost, as is an empty file of any other format."""
    reports = [file for file in files if file.role is Role.REPORT]
    plain = REPORT_FORMATS["text"]
    short = [file for file in reports if file.size <= HEAD and file.path.lower().endswith(plain)]
    blank = set()
    for file in short:
        with suppress(OSError):  # reported when it is read
            blank |= {file.path} if not file.location.read_bytes().strip() else set()
    return frozenset(blank) if len(blank) < len(reports) else frozenset()


def _with_roles(
    files: Sequence[SubmittedFile], formats: Sequence[LogFormat], kept: Mapping[str, Role]
) -> Iterator[SubmittedFile]:
    """The files with their roles: logs of the lab's own, what trackers keep, and notebooks saved as scripts."""
    names = [PurePosixPath(file.path) for file in files if file.role is Role.REPORT]
    has_report = any(name.suffix.lower() not in _SAVED[Role.REPORT] for name in names)
    for file in files:
        if any(log_format.is_of(file.path) for log_format in formats):
            yield _as(Role.LOG, file)
        elif file.path in kept:
            yield _as(kept[file.path], file)
        elif form_of(file):
            yield _as(Role.NOTEBOOK, file)
        else:
            yield _as(Role.LOG, file) if _is_saved_output(file, least=0 if has_report else _LOGGED) else file


_SAVED: Final = {Role.REPORT: (".txt",), Role.OTHER: (".out", ".err", "")}
"""Suffixes that texts and programs' saved output share, by the role that their names give them."""
_SEARCHED: Final = 1_000_000
_LOGGED: Final = 0.3
"""The share of lines with logged values from which a text is a log also where no other file is a report: a student's
answer may look like a terminal, and quote the course of a run."""


def _is_saved_output(file: SubmittedFile, least: float) -> bool:
    """Whether a text is what a program printed: training is logged in more than a share of its lines, and hardly a
    sentence stands in it."""
    if PurePosixPath(file.path).suffix.lower() not in _SAVED.get(file.role, ()) or not _is_text(file):
        return False
    lines = lines_of(as_shown(text_of(file.location, _SEARCHED).text))
    prose = sum(map(is_prose, set(lines)))
    if prose > MOST_PROSE or 10 * prose > len(lines):
        return False
    logs = logs_in_text(lines, file.path, file.path)
    logged = {line for log in logs for series in log.series for line in series.lines}
    return len(logged) > least * sum(1 for line in lines if line.strip())


def _passed_over(files: Sequence[SubmittedFile]) -> dict[str, tuple[Role, Words]]:
    """The documents and notebooks that are not read since there are too many, with the reason. Those nearest to the top
    of the hand-in are read."""
    found: dict[str, tuple[Role, Words]] = {}
    for role, most in MOST_READ.items():
        own_files = sorted(
            (file for file in files if file.role is role), key=lambda file: (file.path.count("/"), file.path)
        )
        reason = say(
            "not read: {number:,} files of this kind were handed in, of which the grader reads the {most} nearest to "
            "the top",
            number=len(own_files),
            most=most,
        )
        found |= {file.path: (role, reason) for file in own_files[most:]}
    return found


def _told_of(passed: Mapping[str, tuple[Role, Words]]) -> Iterator[FileRecord]:
    """One record for all files of a role that are not read: an answer may stand there."""
    for role in MOST_READ:
        unread_files = [(path, reason) for path, (its, reason) in passed.items() if its is role]
        if unread_files:
            name = f"{unread_files[0][0]} …"
            yield FileRecord(path=name, role=role, state=FileState.UNREADABLE, reason=unread_files[0][1])


def _unread(title: str) -> Message:
    """Return the reason why the runs that a tracker keeps are not read, and advice on what to do."""
    return say("the runs that {tracker} keeps are not read: export them as CSV, and hand that in", tracker=title)


def read_path(path: Path, formats: Sequence[LogFormat] = ()) -> Reading:
    """One file on this machine as if it were a whole submission, in a lab with such logs. Raises OSError when it cannot
    be opened."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    size, name = path.stat().st_size, path.as_posix()
    submitted = SubmittedFile(path=name, role=role_of(path.name, head), size=size, sha256=digest, location=path)
    return read(Submission(student_id="", student_name="", files=(submitted,), sha256=digest), formats)


def _with_report(files: Sequence[SubmittedFile]) -> list[SubmittedFile]:
    """The files; if none is a report, the least deeply nested texts that may be reports become reports, else slides and
    other documents that cannot be read. Where there is no notebook either, so do files without a suffix that are no
    text, and pictures: one may be the report."""
    others = [file for file in files if file.role is Role.OTHER and not is_of_tracker(file.path)]
    has_notebook = any(file.role is Role.NOTEBOOK for file in files)
    aside = MARKED_TEXTS if has_notebook else ()  # beside a notebook these are settings
    possible = [file for file in others if may_be_report(file.path) and not file.path.lower().endswith(aside)]
    unread = [file for file in others if why_no_report(PurePosixPath(file.path).suffix.lower())]
    texts = [file for file in possible if _is_text(file)]
    texts = texts or [file for file in unread if not file.path.lower().endswith((*_PICTURES, *aside))]
    if not texts and not has_notebook:
        texts = possible or unread
    if any(file.role is Role.REPORT for file in files):
        return [_as(Role.REPORT, file) if file in others and _labels_answers(file) else file for file in files]
    if not texts:
        return list(files)
    depth = min(file.path.count("/") for file in texts)
    chosen = {file.path for file in texts if file.path.count("/") == depth}
    return [_as(Role.REPORT, file) if file.path in chosen else file for file in files]


def _labels_answers(file: SubmittedFile) -> bool:
    """Whether a file is a README in plain text in which lines or headings begin with the same word and several
    numbers, such as `Task 3` and `Task 4`. Whether these are the lab's questions is not known here."""
    if not (is_read_me(file.path) and file.path.lower().endswith(_TEXTS) and _is_text(file)):
        return False
    labels = set(_LABEL.findall(text_of(file.location, _SEARCHED).text.casefold()))
    return any(count >= _FEWEST_LABELS for count in Counter(word for word, _ in labels).values())


_TEXTS: Final = REPORT_FORMATS["markdown"] + REPORT_FORMATS["text"]
_LABEL: Final = re.compile(r"^[#*_>\s-]*([^\W\d_]+) ?(\d+)\b", re.MULTILINE)
_FEWEST_LABELS: Final = 2


def _is_text(file: SubmittedFile) -> bool:
    try:
        with file.location.open("rb") as opened:
            head = opened.read(HEAD)
    except OSError:
        return False
    return bool(head.strip()) and b"\0" not in head


def _as(role: Role, file: SubmittedFile) -> SubmittedFile:
    return file.model_copy(update={"role": role})


def _included(files: Sequence[SubmittedFile]) -> dict[str, Words]:
    """The LaTeX sources that another one includes, each with the reason that names it."""
    sources = [file for file in files if PurePosixPath(file.path).suffix.lower() in REPORT_FORMATS["latex"]]
    main = main_files(sources)
    name = join_messages(say(" or "), (file.path for file in main[:3]))
    return {file.path: name for file in sources if main and file not in main}


def _logs_in(notebook: Notebook, formats: Sequence[LogFormat]) -> Iterator[Log]:
    """The training logs in a notebook's outputs."""
    known_log_formats, code = formats_for(notebook.file, formats), CodeReader()
    for cell in notebook.cells:
        printed, source = lines_of(cell.output), lines_of(cell.source)
        logs = logs_in_text(printed, notebook.file, notebook.file, cell.index, source, known_log_formats, code)
        yield from logs if cell.output else ()


def _refused(refusal: Refusal) -> _Outcome:
    """The record of a refused file: unreadable if it may hold an answer, else ignored."""
    state = FileState.UNREADABLE if may_hold_answers(refusal) else FileState.IGNORED
    role = role_of(refusal.path, b"")
    return _Outcome(FileRecord(path=refusal.path, role=role, state=state, reason=refusal.reason))


def _read_file(
    file: SubmittedFile,
    files: Sequence[SubmittedFile],
    formats: Sequence[LogFormat],
    watch: Watch,
    folder: RunFolder | None = None,
) -> _Outcome:
    """Read a file, or the run whose folder it stands for."""
    try:
        reader = (lambda _: (read_run_folder(folder),)) if folder else reader_of(file, files, formats)
        if reader is None:
            return _without_reader(file)
        seconds = _seconds_for(file)
        with watch(file, seconds), limit_time(seconds):
            contents = [_with_gaps_told(_within_bounds(content)) for content in reader(file)]
    except (TooSlowError, MemoryError):
        reason = TOO_MUCH
    except Exception as error:  # readers should not raise; if one does, the other files are still read
        reason = say(
            "the grader could not read this file ({error}); this is the grader's fault", error=type(error).__name__
        )
    else:
        return _judged(file, contents)
    return _outcome(file, FileState.UNREADABLE, reason)


def _seconds_for(file: SubmittedFile) -> float:
    """The processor time for a file, in seconds: it grows with the size of event files, and with the number of pictures
    in a PDF, each of which may be a page to be drawn for Tesseract. Raises OSError."""
    if ".tfevents." in file.path or file.path.endswith(".wandb"):
        return SECONDS + file.size / _STEADY_PACE
    if not file.path.lower().endswith(".pdf") or not is_there():
        return SECONDS
    pictures = read_bytes(file.location, _MOST_SEARCHED)[0].count(b"/Image")
    return SECONDS + _SECONDS_OF_SCAN * min(pictures, MOST_SCANNED)


def _without_reader(file: SubmittedFile) -> _Outcome:
    """Return the outcome of a file that has no reader: a report is unreadable, any other file is ignored. Raises
    OSError."""
    suffix = PurePosixPath(file.path).suffix.lower()
    suffix = _PACKED if _is_packed_notebook(file, suffix) else suffix
    reason = why_no_report(suffix) if file.role is Role.REPORT else None
    state = FileState.UNREADABLE if reason else FileState.IGNORED
    return _outcome(file, state, reason or why_ignored(file.path))


def _within_bounds(content: Content) -> Content:
    """The content; a document longer than any report is truncated."""
    if not isinstance(content, Document):
        return content
    left = MOST_TEXT
    for number, block in enumerate(content.blocks):
        left -= len(block.text)
        if left < 0:
            problem = TOO_LONG
            problems = (*content.problems, problem)
            return content.model_copy(update={"blocks": content.blocks[:number], "problems": problems})
    return content


def _with_gaps_told(content: Content) -> Content:
    """The content; a document that lost formulas on its way has pictures in their places. In a source of LaTeX only
    references are left out of sentences."""
    if not isinstance(content, Document) or any(block.recognised for block in content.blocks):
        return content
    is_pdf = content.pages is not None
    if not (content.exact or is_pdf) or content.file.lower().endswith(REPORT_FORMATS["latex"]):
        return content
    blocks, lost = with_lost_formulas(content.blocks)
    if not lost:
        return content
    problem = say(
        "some formulas cannot be read (at least {count}): hand it in as PDF as well",
        count=lost,
    )
    return content.model_copy(update={"blocks": blocks, "problems": (*content.problems, problem)})


def _judged(file: SubmittedFile, contents: Sequence[Content]) -> _Outcome:
    problems = list(dict.fromkeys(problem for content in contents for problem in content.problems))
    left = len(problems) - MOST_PROBLEMS
    more = (say_number("and {number} more problem", "and {number} more problems", left),) if left > 0 else ()
    reason = join_messages(say("; "), (*problems[:MOST_PROBLEMS], *more)) or None
    if any(_says_something(content) for content in contents):
        return _outcome(file, FileState.PARTLY if reason else FileState.READ, reason, contents)
    if reason is None and file.role is Role.LOG:  # programs open logs that nothing is ever written to
        return _outcome(file, FileState.READ, None, contents)
    state = FileState.READ if reason is None and file.role is Role.CODE else FileState.UNREADABLE
    return _outcome(file, state, reason or say("the file is empty"), contents)


def _says_something(content: Content) -> bool:
    match content:
        case Document():
            return bool(content.blocks)
        case Notebook():
            return any(cell.source or cell.output for cell in content.cells)
        case Log():
            return bool(content.series or content.texts or content.settings)


def _outcome(file: SubmittedFile, state: FileState, reason: Words | None, contents: Sequence[Content] = ()) -> _Outcome:
    return _Outcome(
        FileRecord(path=file.path, role=file.role, state=state, reason=reason, sha256=file.sha256), contents
    )
