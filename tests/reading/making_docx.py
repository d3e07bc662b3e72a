"""Word documents written by hand: parts of XML in a zip archive."""

import io
import zipfile
from collections.abc import Iterable
from xml.sax.saxutils import escape

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
WPS = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
WP = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
WPG = "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup"
V = "urn:schemas-microsoft-com:vml"
NAMESPACES = (
    f'xmlns:w="{W}" xmlns:m="{M}" xmlns:mc="{MC}" xmlns:wps="{WPS}" xmlns:a="{A}" xmlns:wp="{WP}" xmlns:w14="{W14}" '
    f'xmlns:wpg="{WPG}" xmlns:v="{V}" mc:Ignorable="w14"'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Target="word/document.xml" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/officeDocument"/></Relationships>'
)
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
    'ContentType="application/xml"/><Override PartName="/word/document.xml" '
    f'ContentType="{WORD_TYPE}.document.main+xml"/></Types>'
)
STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="{id_}" w:default="{int(id_ == "Normal")}">'
    f'<w:name w:val="{name}"/>{more}</w:style>'
    for id_, name, more in (
        ("Normal", "Normal", ""),
        ("Titre1", "heading 1", '<w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr>'),
        ("Titre2", "heading 2", '<w:basedOn w:val="Titre1"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr>'),
        ("Mien", "Mon titre", '<w:basedOn w:val="Titre2"/>'),
        ("Loop", "Loop", '<w:basedOn w:val="Loop"/>'),
        ("TM1", "toc 1", ""),
        ("Lgende", "caption", ""),
        ("Code", "Source Code", ""),
    )
)


def part(name: str, inner: str) -> str:
    """A part whose root has the namespaces."""
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{name} {NAMESPACES}>{inner}</w:{name}>'


def _own_relations(names: Iterable[str]) -> str:
    """The relations of the main part to others."""
    every = "".join(
        f'<Relationship Id="p{number}" Type="{OFFICE}/{name.rstrip("0123456789")}" '
        f'Target="{"theme/theme1" if name == "theme" else name}.xml"/>'
        for number, name in enumerate(names)
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{every}</Relationships>'
    )


def docx(body: str, *, styles: str = STYLES, theme: str = "", **parts: str) -> bytes:
    """A document with a body and further parts, such as `footnotes`, by the inside of their root; `theme` is the inside
    of the theme's colours."""
    contents = {
        "[Content_Types].xml": TYPES,
        "word/_rels/document.xml.rels": _own_relations(("styles", *parts, *(["theme"] if theme else []))),
        "_rels/.rels": RELATIONS,
        "word/document.xml": part("document", f"<w:body>{body}</w:body>"),
        "word/styles.xml": part("styles", styles),
        **{f"word/{name}.xml": part(name.rstrip("0123456789"), inner) for name, inner in parts.items()},
    }
    if theme:
        elements = f"<a:themeElements><a:clrScheme name='t'>{theme}</a:clrScheme></a:themeElements>"
        contents["word/theme/theme1.xml"] = f'<a:theme xmlns:a="{A}">{elements}</a:theme>'
    return zipped({name: content.encode() for name, content in contents.items()})


def zipped(contents: dict[str, bytes]) -> bytes:
    """Files in a zip archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def raised(text: str) -> str:
    """A run in superscript."""
    return run(text, '<w:vertAlign w:val="superscript"/>')


def lowered(text: str) -> str:
    """A run in subscript."""
    return run(text, '<w:vertAlign w:val="subscript"/>')


def paragraph(inner: str, properties: str = "", *, style: str | None = None) -> str:
    """A paragraph of runs, or of plain text where there is no markup."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{inner if inner.startswith('<') else run(inner)}</w:p>"


def item(inner: str, list_id: int, level: int = 0) -> str:
    """A paragraph of a list."""
    return paragraph(inner, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>')


def table(*rows: str) -> str:
    """A table of rows."""
    return f"<w:tbl><w:tblPr/>{''.join(rows)}</w:tbl>"


def row(*cells: str) -> str:
    """A row of plain texts, or of cells as XML."""
    made = (one if one.startswith("<w:tc>") else cell(one) for one in cells)
    return f"<w:tr>{''.join(made)}</w:tr>"


def cell(inner: str, properties: str = "") -> str:
    """A cell of plain text, or of paragraphs as XML."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inner if inner.startswith('<w:') else paragraph(inner)}</w:tc>"


def math(inner: str, *, displayed: bool = False) -> str:
    """An equation."""
    one = f"<m:oMath>{inner}</m:oMath>"
    return f"<m:oMathPara>{one}</m:oMathPara>" if displayed else one


def letters(text: str) -> str:
    """A run of an equation."""
    return f"<m:r><m:t>{escape(text)}</m:t></m:r>"
