"""Zip archives with fixed times, so that the same files give the same bytes."""

import io
import zipfile

MODIFIED = (2023, 11, 20, 18, 0, 0)


def archive(files: dict[str, bytes]) -> bytes:
    """A zip archive of files by their paths, in the order of the paths."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, MODIFIED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            opened.writestr(entry, files[path])
    return buffer.getvalue()
