"""Why a file is not read, in words for the student."""

from pathlib import PurePosixPath
from typing import Final

_KINDS: Final = {
    "a picture": (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".tif", ".tiff", ".heic"),
    "a pickled file, which is never opened": (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle"),
    "model weights or saved arrays": (".h5", ".onnx", ".npy", ".npz", ".model"),
    "an archive within the hand-in": (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar"),
    "data": (".csv", ".tsv", ".idx", ".spm", ".label", ".parquet", ".arrow"),
    "a video or sound": (".mp4", ".mov", ".avi", ".mp3", ".wav"),
}  # fmt: skip

_AS_PDF: Final = "export the report as PDF and hand that in"
_UNREAD_REPORTS: Final = {
    (".doc", ".dot", ".wps", ".wpd"): f"old word processors' documents are not read: save it as .docx, or {_AS_PDF}",
    (".rtf",): f"rich text (RTF) is not read: save it as .docx, or {_AS_PDF}",
    (".pages", ".hwp", ".fodt"): f"this kind of office document is not read: {_AS_PDF}",
    (".ppt", ".pptx", ".odp", ".key"): f"slides are not read: {_AS_PDF}",
    (".xls", ".xlsx", ".ods", ".numbers"): f"spreadsheets are not read as a report: {_AS_PDF}",
    (".mht", ".mhtml", ".webarchive"): "archives of web pages are not read: print the page to PDF and hand that in",
    (".gdoc", ".url", ".webloc"): f"this file is only a link, and the text itself is not in it: {_AS_PDF}",
    (".ps", ".eps", ".djvu", ".xps", ".oxps", ".epub"): f"this format is not read: {_AS_PDF}",
}
"""Formats of texts for which there is no reader, and what to do."""


def why_ignored(path: str) -> str:
    """The reason, by the kind of file that its name tells."""
    suffix = PurePosixPath(path).suffix.lower()
    kind = next((kind for kind, suffixes in _KINDS.items() if suffix in suffixes), None)
    return f"not read: {kind}" if kind else "not read: no kind of file that the grader knows"


def why_no_report(suffix: str) -> str | None:
    """Why a report of this kind cannot be read and what to do; None where nothing speaks against it."""
    return next((reason for suffixes, reason in _UNREAD_REPORTS.items() if suffix in suffixes), None)
