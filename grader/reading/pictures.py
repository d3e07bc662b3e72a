"""The pictures that a file of a hand-in shows, as they were handed in: those kept within it, and those that it names by
the path of another file of the hand-in. Nothing is fetched.
"""

import string
import zipfile
from base64 import b64decode
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from posixpath import join, normpath
from typing import Final, NamedTuple
from urllib.parse import unquote

from grader.intake import NotLetInError
from grader.intake.archive import BAD_ARCHIVE, open_archive
from grader.intake.submission import REPORT_FORMATS, Role, SubmittedFile
from grader.reading.bytes_in import decode_text, lines_of, read_bytes
from grader.reading.notebook_file import join_lines, whole_cells
from grader.reading.office import PartReader, office_parts

LARGEST_PICTURE: Final = 16 * 2**20
"""In bytes, as it was handed in."""
_MOST_LINES: Final = 20_000
_FORMS: Final = ("image/png", "image/jpeg", "image/gif", "image/webp", "png", "jpeg", "image/svg+xml", "svg")
"""The names of pictures among the forms of a notebook's value, those that can be shown first."""
PICTURES: Final = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"})
"""The suffixes of files that are shown as a picture."""
_BASE_64: Final = string.ascii_letters + string.digits + "+/="
_FIGURES: Final = PICTURES | {".pdf"}
_PACKAGES: Final = frozenset({*REPORT_FORMATS["word"], *REPORT_FORMATS["odt"]})


class Picture(NamedTuple):
    """A picture where it stands: the cell of a notebook from 0, the line of the file or cell from 1, as far as known;
    and its bytes, None for one that is only named."""

    cell: int | None
    line: int | None
    content: bytes | None


def pictures_in(file: SubmittedFile, files: Sequence[SubmittedFile]) -> Iterator[Picture]:
    """The pictures that a file shows, in its order; `files` are all of the hand-in."""
    suffix = PurePosixPath(file.path).suffix.lower()
    if suffix in PICTURES:
        yield Picture(None, None, _content(file))
    elif file.role is Role.NOTEBOOK:
        yield from _of_notebook(file, files)
    elif suffix in _PACKAGES:
        yield from _of_package(file)
    else:
        text = decode_text(read_bytes(file.location, LARGEST_PICTURE)[0]).text
        yield from _in_text(lines_of(text), file, files, None)


def _content(file: SubmittedFile) -> bytes | None:
    return read_bytes(file.location, LARGEST_PICTURE)[0] if file.size <= LARGEST_PICTURE else None


def _of_notebook(file: SubmittedFile, files: Sequence[SubmittedFile]) -> Iterator[Picture]:
    """The pictures of a notebook: those that its texts show, those kept with them, and those that were put out."""
    text = decode_text(read_bytes(file.location, 8 * LARGEST_PICTURE)[0]).text
    for index, cell in enumerate(whole_cells(text)):
        if cell["cell_type"] == "markdown":
            yield from _in_text(lines_of(join_lines(cell.get("source"))), file, files, index)
        attached, outputs = cell.get("attachments"), cell.get("outputs")
        listed = [*(attached.values() if isinstance(attached, dict) else ())]
        listed += outputs if isinstance(outputs, list) else ()
        for requirement in listed:
            forms = requirement.get("data", requirement) if isinstance(requirement, dict) else {}
            texts = (join_lines(forms.get(name)) for name in _FORMS) if isinstance(forms, dict) else ()
            if encoded := next(filter(None, texts), ""):
                yield Picture(index, None, _decoded(encoded))


def _decoded(encoded: str) -> bytes | None:
    if len(encoded) > 2 * LARGEST_PICTURE:
        return None
    try:
        return b64decode("".join(encoded.split()))
    except ValueError:
        return None


def _in_text(
    lines: Sequence[str], file: SubmittedFile, files: Sequence[SubmittedFile], cell: int | None
) -> Iterator[Picture]:
    """The pictures that lines hold, or name by the path of a file of the hand-in. Nothing is fetched."""
    figures = [
        candidate
        for candidate in files
        if PurePosixPath(candidate.path).suffix.lower() in _FIGURES and candidate != file
    ]
    by_path = {figure.path: figure for figure in figures}
    by_path = {str(PurePosixPath(path).with_suffix("")): candidate for path, candidate in by_path.items()} | by_path
    folder = str(PurePosixPath(file.path).parent)
    for number, line in enumerate(lines[:_MOST_LINES], start=1):
        for held in line.split("data:image/")[1:]:
            encoded = held.partition(";base64,")[2]
            rest = encoded.lstrip(_BASE_64)
            yield Picture(cell, number, _decoded(encoded.removesuffix(rest)))
        for name in _names(unquote(line[:_MOST_LINES])):
            if found := by_path.get(normpath(join(folder, name))):
                yield Picture(cell, number, _content(found))


def _names(line: str) -> Iterator[str]:
    """Yield the texts that may be the path of a picture: those between brackets or quotes if a line shows one."""
    if any(mark in line for mark in ("![", "<img", "\\includegraphics", "image::", "image(", "figure::")):
        for begin, end in (("(", ")"), ('"', '"'), ("'", "'"), ("{", "}"), ("<", ">"), ("::", "\n")):
            for part in line.split(begin)[1:]:
                yield part.partition(end)[0].strip().partition(' "')[0]


def _of_package(file: SubmittedFile) -> Iterator[Picture]:
    """The pictures of an office document in the order of its text."""
    reader = PartReader(office_parts(file.location, folders=("word/",)).content)
    targets = [node.attributes.get("href", "") for node in reader.root("content.xml").descendants("drawing:image")]
    for name in sorted(reader.content):
        relations = reader.root(f"word/_rels/{name.removeprefix('word/')}.rels").nodes()
        links = {node.attributes.get("Id", ""): node.attributes.get("Target", "") for node in relations}
        for node in reader.root(name).descendants("blip", "imagedata") if name.startswith("word/document") else ():
            target = links.get(node.attributes.get("r:embed", node.attributes.get("r:id", "")), "")
            path = normpath(join("word", target))
            if node.name == "blip" or path not in targets:  # a drawing often stands there in an old form, too
                targets.append(path)
    try:
        with open_archive(file.location) as archive:
            for target in targets:
                yield Picture(None, None, _member(archive, target))
    except (NotLetInError, *BAD_ARCHIVE):
        return


def _member(archive: zipfile.ZipFile, name: str) -> bytes | None:
    try:
        info = archive.getinfo(name)
        return archive.read(info) if info.file_size <= LARGEST_PICTURE else None
    except (KeyError, *BAD_ARCHIVE):
        return None
