"""Why a file is not read, in words for the student."""

from pathlib import PurePosixPath
from typing import Final

from grader.message import Message, say
from grader.reading.office_zip import AS_PDF

_KINDS: Final = {
    say("a picture"): (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".tif", ".tiff", ".heic"),
    say("a pickled file, which is never opened"): (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle"),
    say("model weights or saved arrays"): (".safetensors", ".h5", ".onnx", ".npy", ".npz", ".model"),
    say("an archive within the hand-in"): (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar"),
    say("data"): (".csv", ".tsv", ".json", ".idx", ".spm", ".label", ".parquet", ".arrow"),
    say("a video or sound"): (".mp4", ".mov", ".avi", ".mp3", ".wav"),
}  # fmt: skip

_UNREAD_REPORTS: Final = {
    (".doc", ".dot", ".wps", ".wpd"): say(
        "old word processors' documents are not read: save it as .docx, or {remedy}", remedy=AS_PDF
    ),
    (".pages", ".hwp", ".fodt"): say("this kind of office document is not read: {remedy}", remedy=AS_PDF),
    (".ppt", ".pptx", ".odp", ".key"): say("slides are not read: {remedy}", remedy=AS_PDF),
    (".xls", ".xlsx", ".ods", ".numbers"): say("spreadsheets are not read as a report: {remedy}", remedy=AS_PDF),
    (".mht", ".mhtml", ".webarchive"): say(
        "archives of web pages are not read: print the page to PDF and hand that in"
    ),
    (".gdoc", ".url", ".webloc"): say(
        "this file is only a link, and the text itself is not in it: {remedy}", remedy=AS_PDF
    ),
    (".ps", ".eps", ".djvu", ".xps", ".oxps"): say("this format is not read: {remedy}", remedy=AS_PDF),
}
"""Formats of texts for which there is no reader, and what to do."""


def why_ignored(path: str) -> Message:
    """The reason, by the kind of file that its name tells."""
    suffix = PurePosixPath(path).suffix.lower()
    kind = next((kind for kind, suffixes in _KINDS.items() if suffix in suffixes), None)
    return say("not read: {kind}", kind=kind or say("no kind of file that the grader knows"))


def why_no_report(suffix: str) -> Message | None:
    """Why a report of this kind cannot be read and what to do; None where nothing speaks against it."""
    return next((reason for suffixes, reason in _UNREAD_REPORTS.items() if suffix in suffixes), None)
