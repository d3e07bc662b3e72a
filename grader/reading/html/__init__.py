"""Web pages as documents, among them exported notebooks. Nothing is fetched and no script runs."""

import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Final, NamedTuple
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from grader.intake.submission import SubmittedFile
from grader.message import Words, say
from grader.reading.bytes_in import DAMAGED, TOO_LONG, Text, decode_text, lines_of, read_bytes
from grader.reading.document import Document
from grader.reading.flow import MOST_BLOCKS, separate_groups
from grader.reading.html.cascade import Find, Styles
from grader.reading.html.parse import MOST_NODES, Tree, parse
from grader.reading.html.sheets import MOST_SHEET
from grader.reading.html.walk import Context, Walker, mattering
from grader.reading.structure import with_notes_in_place
from grader.reading.visibility import as_written

_HEAD: Final = 4096
_NAMED: Final = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s?=\s?["']?\s?([\w-]{2,30})""", re.IGNORECASE
)
_KNOWN: Final = re.compile(
    r"iso-8859-\d{1,2}|latin-?\d|windows-125\d|cp125\d|koi8-[ru]|macintosh|gb2312|gbk|gb18030|big5|shift[_-]jis"
    r"|euc-(?:jp|kr)",
    re.IGNORECASE,
)
_AS_BROWSERS_DO: Final = {"iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "macintosh": "mac_roman"}


def page_text(data: bytes) -> Text:
    """A page as text: UTF-8 or UTF-16 where it is, else the encoding that the page names."""
    named = _NAMED.search(data[:_HEAD])
    name = named[1].decode("ascii", "replace").lower() if named else ""
    if _KNOWN.fullmatch(name) and not _is_utf8(data) and b"\0" not in data:
        text = data.decode(_AS_BROWSERS_DO.get(name, name), errors="replace")
        problem = say("some of its characters are damaged")
        return Text(text, (problem,) if "\ufffd" in text else ())
    return decode_text(data)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


MOST_BYTES = 50_000_000
"""Of a page: pictures may be kept inside."""


def read_html(file: SubmittedFile, others: Sequence[SubmittedFile] = ()) -> Document:
    """The blocks of a web page with their lines in its source, from 1; the rows of a table have the line on which the
    table begins, and the blocks of an exported notebook their cell from 0. Titles are those that are marked, set in
    bold, or numbered. Style sheets that the page names are read where `others` of the hand-in have them; nothing is
    fetched and nothing runs. Never raises for any content."""
    data, trouble = read_bytes(file.location, MOST_BYTES)
    text, problems = page_text(data)
    document = page_document(file.path, text, find=lambda address: sheet_text(address, file.path, others))
    return document.model_copy(update={"problems": (*trouble, *problems, *document.problems)})


def sheet_text(address: str, page: str, files: Sequence[SubmittedFile]) -> str | None:
    """The text of the style sheet that a page names by an address: within the address, or in a file of the hand-in."""
    kind, comma, content = address.strip().partition(",")
    if kind.lower().startswith("data:"):
        data = unquote_to_bytes(content if comma else "")
        if kind.lower().endswith(";base64"):
            try:
                data = b64decode(data)
            except ValueError:
                return None
        return decode_text(data).text
    parts = urlsplit(address.strip())
    if parts.scheme not in ("", "file") or parts.netloc or not parts.path:
        return None
    path = normpath(PurePosixPath(page).parent / unquote(parts.path))
    location = next((file.location for file in files if normpath(file.path) == path), None)
    return None if location is None else decode_text(read_bytes(location, MOST_SHEET)[0]).text


class Page(NamedTuple):
    """A page as a document, with all texts that it does not show, and the problems with those that it may not show."""

    document: Document
    unseen: tuple[str, ...]
    doubts: tuple[Words, ...]


def page_document(path: str, source: str, find: Find = lambda _: None) -> Document:
    """A page's source as a document. `find` gives the style sheets that the page names and that are at hand."""
    return read_page(path, source, find=find).document


def read_page(
    path: str, source: str, most_nodes: int = MOST_NODES, find: Find = lambda _: None, *, is_output: bool = False
) -> Page:
    """A page's source, or a piece of one, with what it does not show. `is_output`: a library made the page to show a
    value."""
    tree = parse("\n".join(lines_of(source)), most_nodes)
    styles = Styles(tree.root, find)
    walker = Walker()
    walker.walk(styles.root.node, Context(styles.root))
    walker.flush()
    blocks, doubts = as_written(with_notes_in_place(list(islice(separate_groups(walker.groups), MOST_BLOCKS))))
    unseen = mattering(walker.unseen, (*blocks, *walker.furniture), is_output=is_output)
    problems = tuple(_problems(tree, walker.drawn, empty=not blocks and bool(source.strip())))
    document = Document(
        file=path,
        exact=True,
        blocks=tuple(blocks),
        furniture=tuple(walker.furniture),
        hidden=unseen.hidden,
        problems=(*problems, *unseen.problems, *doubts),
    )
    return Page(document, tuple(candidate.block.text for candidate in walker.unseen), (*unseen.doubts, *doubts))


def _problems(tree: Tree, drawn: int, *, empty: bool) -> Iterator[Words]:
    if tree.cut:
        yield TOO_LONG
    if tree.broken_off:
        yield DAMAGED
    if drawn:
        yield say(
            "some formulas cannot be read (at least {count}): hand it in as PDF as well",
            count=drawn,
        )
    if empty:
        yield say("no text of the page can be read: print it to PDF and hand that in")
