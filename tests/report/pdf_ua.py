"""Structural checks of tagged PDFs after the Matterhorn Protocol 1.1, the PDF Association's list of what PDF/UA-1
(ISO 14289-1) demands. They read the file with pypdf, which shares no code with what wrote it."""

import io
import re
from collections.abc import Iterator
from typing import Any

from pypdf import PdfReader
from pypdf.generic import ArrayObject, ContentStream, DictionaryObject

STANDARD = {
    *(
        "Document",
        "Part",
        "Art",
        "Sect",
        "Div",
        "BlockQuote",
        "Caption",
        "TOC",
        "TOCI",
        "Index",
        "NonStruct",
        "Private",
    ),
    *("P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody", "Table", "TR", "TH", "TD", "THead"),
    *("TBody", "TFoot", "Span", "Quote", "Note", "Reference", "BibEntry", "Code", "Link", "Annot", "Ruby", "Warichu"),
    *("Figure", "Formula", "Form", "Private"),
}
PARENTS = {
    "TR": {"Table", "THead", "TBody", "TFoot"},
    "TH": {"TR"},
    "TD": {"TR"},
    "THead": {"Table"},
    "TBody": {"Table"},
    "LI": {"L"},
    "LBody": {"LI"},
    "Lbl": {"LI"},
}
SHOWING = {b"Tj", b"TJ", b"'", b'"', b"Do", b"f", b"f*", b"F", b"S", b"s", b"B", b"B*", b"b", b"b*", b"sh", b"EI"}
HEADING = re.compile(r"H([1-6])$")


def problems(pdf: bytes) -> list[str]:
    """What a PDF lacks, in words, with the Matterhorn checkpoint; empty where nothing is found."""
    reader = PdfReader(io.BytesIO(pdf))
    checks = (_catalogue, _metadata, _tree, _tables, _headings, _contents, _fonts, _links, _outline)
    return [problem for check in checks for problem in check(reader)]


def elements(reader: PdfReader) -> Iterator[tuple[DictionaryObject, str, str]]:
    """All structure elements with their type and that of the one they are in."""

    def walk(node: Any, parent: str) -> Iterator[tuple[DictionaryObject, str, str]]:
        node = node.get_object()
        if isinstance(node, ArrayObject):
            for kid in node:
                yield from walk(kid, parent)
        elif isinstance(node, DictionaryObject) and "/S" in node:
            kind = str(node["/S"])[1:]
            yield node, kind, parent
            if "/K" in node:
                yield from walk(node["/K"], kind)

    yield from walk(reader.trailer["/Root"]["/StructTreeRoot"]["/K"], "")


def _catalogue(reader: PdfReader) -> Iterator[str]:
    root = reader.trailer["/Root"]
    if not root.get("/MarkInfo", {}).get("/Marked"):
        yield "06: it is not marked as tagged"
    if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]+)*", str(root.get("/Lang", ""))):
        yield "11: it has no language"
    if not root.get("/ViewerPreferences", {}).get("/DisplayDocTitle"):
        yield "07: its title is not shown"
    if reader.is_encrypted:
        yield "26: it is encrypted"


def _metadata(reader: PdfReader) -> Iterator[str]:
    text = reader.trailer["/Root"]["/Metadata"].get_object().get_data().decode()
    if 'pdfuaid:part="1"' not in text:
        yield "06: it does not say that it is PDF/UA-1"
    if not re.search(r"<dc:title>.*?<rdf:li[^>]*>[^<]+</rdf:li>", text, re.DOTALL):
        yield "06: its metadata have no title"
    if not reader.metadata or not reader.metadata.author:
        yield "its metadata have no author"


def _tree(reader: PdfReader) -> Iterator[str]:
    for element, kind, parent in elements(reader):
        if kind not in STANDARD:
            yield f"02: {kind} is no standard type"
        if kind in PARENTS and parent not in PARENTS[kind]:
            yield f"09: {kind} stands in {parent}"
        if kind == "Figure" and not str(element.get("/Alt", "")).strip():
            yield "13: a figure has no alternative"
        if kind == "Figure" and "/BBox" not in element.get("/A", {}):
            yield "13: a figure has no box"


def _tables(reader: PdfReader) -> Iterator[str]:
    """Each cell of a table with heads knows its own: by their ids, which is one of the two ways to tell (15-003)."""
    heads = {str(one["/ID"]) for one, kind, _ in elements(reader) if kind == "TH" and "/ID" in one}
    for element, kind, _ in elements(reader):
        if kind == "TH" and "/ID" not in element and "/Scope" not in element.get("/A", {}):
            yield "15: a head of a table is the head of nothing"
        named = [str(one) for one in element.get("/A", {}).get("/Headers", [])] if kind == "TD" else []
        if not set(named) <= heads:
            yield "15: a cell names a head that is not there"


def _headings(reader: PdfReader) -> Iterator[str]:
    last = 0
    for _, kind, _ in elements(reader):
        if found := HEADING.match(kind):
            level = int(found[1])
            if level > last + 1:
                yield f"14: H{level} follows {f'H{last}' if last else 'nothing'}"
            last = level


def _contents(reader: PdfReader) -> Iterator[str]:
    """Nothing is drawn outside marked content, and all of that is an artifact or known to the tree."""
    tree = reader.trailer["/Root"]["/StructTreeRoot"]["/ParentTree"]["/Nums"]
    known = {int(tree[at]): tree[at + 1].get_object() for at in range(0, len(tree), 2)}
    for number, page in enumerate(reader.pages, 1):
        if page.get("/Tabs") != "/S" and "/Annots" in page:
            yield f"28: page {number} does not order its links by structure"
        mapped = known.get(int(page.get("/StructParents", -1)))
        depth, ids = 0, set()
        for operands, operator in ContentStream(page.get_contents(), reader).operations:
            if operator in (b"BMC", b"BDC"):
                depth += 1
                if len(operands) > 1 and isinstance(operands[1], DictionaryObject) and "/MCID" in operands[1]:
                    ids.add(int(operands[1]["/MCID"]))
            elif operator == b"EMC":
                depth -= 1
            elif operator in SHOWING and not depth:
                yield f"01: page {number} draws by {operator.decode()} outside of marked content"
        if mapped is None or len(mapped) < len(ids):
            yield f"01: page {number} has {len(ids)} marked contents, the tree knows {len(mapped or ())}"


def _fonts(reader: PdfReader) -> Iterator[str]:
    for font in _all_fonts(reader):
        name = str(font.get("/BaseFont"))
        inner = font["/DescendantFonts"][0].get_object() if "/DescendantFonts" in font else font
        descriptor = inner["/FontDescriptor"].get_object()
        if not {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor):
            yield f"31: {name} is not embedded"
        if not re.match(r"/[A-Z]{6}\+", name):
            yield f"31: {name} is not cut down to what is used"
        if "/ToUnicode" not in font:
            yield f"31: {name} cannot be read as text"


def _all_fonts(reader: PdfReader) -> Iterator[DictionaryObject]:
    seen = set()
    for page in reader.pages:
        for name, font in page["/Resources"].get("/Font", {}).items():
            if name not in seen:
                seen.add(name)
                yield font.get_object()


def _links(reader: PdfReader) -> Iterator[str]:
    for page in reader.pages:
        for one in page.get("/Annots", []):
            link = one.get_object()
            if not link.get("/Contents"):
                yield "28: a link does not say where it leads"
            if "/StructParent" not in link:
                yield "28: a link is not in the tree"
            if str(link.get("/A", {}).get("/URI", "")).startswith("file:"):
                yield f"a link leads into this machine: {link['/A']['/URI']}"


def _outline(reader: PdfReader) -> Iterator[str]:
    if not reader.outline:
        yield "it has no bookmarks"
    if not any(isinstance(one, list) for one in reader.outline):
        yield "its bookmarks are not nested"
