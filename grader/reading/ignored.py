"""Why a file is not read, in words for the student."""

from pathlib import PurePosixPath
from typing import Final

_KINDS: Final = {
    "a picture": (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".tif", ".tiff", ".heic"),
    "model weights or saved arrays": (
        ".pt", ".pth", ".bin", ".ckpt", ".safetensors", ".h5", ".onnx", ".pkl", ".pickle", ".npy", ".npz", ".model",
    ),
    "an archive within the hand-in": (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar"),
    "data": (".csv", ".tsv", ".idx", ".spm", ".label", ".parquet", ".arrow"),
    "a video or sound": (".mp4", ".mov", ".avi", ".mp3", ".wav"),
}  # fmt: skip

_OFFICE: Final = frozenset({".doc", ".docx", ".odt", ".rtf", ".pages", ".ppt", ".pptx", ".odp", ".xls", ".xlsx"})
_WEB: Final = frozenset({".html", ".htm", ".mhtml"})


def why_ignored(path: str) -> str:
    """The reason, by the kind of file that its name tells."""
    suffix = PurePosixPath(path).suffix.lower()
    kind = next((kind for kind, suffixes in _KINDS.items() if suffix in suffixes), None)
    return f"not read: {kind}" if kind else "not read: no kind of file that the grader knows"


def why_no_report(suffix: str) -> str | None:
    """Why a report of this kind cannot be read and what to do; None where nothing speaks against it."""
    if suffix in _OFFICE:
        return "office documents are not read: export the report as PDF and hand that in"
    if suffix in _WEB:
        return "web pages are not read: print the report to PDF and hand that in"
    return None
