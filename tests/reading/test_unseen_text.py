"""What Word documents, OpenDocument texts and web pages do not show counts for nothing; what they show stays."""

from pathlib import Path

import pytest

from grader.reading.document import Document
from grader.reading.docx import read_docx
from grader.reading.html import page_document
from grader.reading.odt import read_odt
from tests.reading.making import submitted
from tests.reading.making_docx import STYLES, WPS, A, cell, docx, math, paragraph, row, run, table
from tests.reading.making_odt import odt

SECRET = "r is the rank"
WHITE = '<w:color w:val="FFFFFF"/>'
NAVY = '<w:shd w:val="clear" w:fill="1F3864"/>'


def assert_hidden(document: Document) -> None:
    assert [block.text for block in document.blocks if block.text] == ["before", "after"]
    assert [block.text for block in document.hidden] == [SECRET]
    assert any("cannot be seen" in problem for problem in document.problems)


def assert_shown(document: Document) -> None:
    assert SECRET in " ".join(block.text for block in document.blocks)
    assert document.hidden == ()
    assert document.problems == ()


STYLED = STYLES + (
    f'<w:style w:type="character" w:styleId="Pale"><w:name w:val="Pale"/><w:rPr>{WHITE}</w:rPr></w:style>'
    f'<w:style w:type="paragraph" w:styleId="Banner"><w:name w:val="Banner"/><w:pPr>{NAVY}</w:pPr>'
    f"<w:rPr>{WHITE}</w:rPr></w:style>"
    '<w:style w:type="table" w:styleId="Grid"><w:name w:val="Grid"/></w:style>'
    '<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/><w:basedOn w:val="Grid"/>'
    f'<w:tblStylePr w:type="firstRow"><w:tcPr>{NAVY}</w:tcPr></w:tblStylePr></w:style>'
)


def word(folder: Path, body: str, **parts: str) -> Document:
    content = docx(paragraph("before") + body + paragraph("after"), styles=STYLED, **parts)
    return read_docx(submitted(folder, "report.docx", content))


def boxed(inner: str, fill: str) -> str:
    shown = f"<wps:spPr>{fill}</wps:spPr><wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx>"
    return f'<w:p><w:r><w:drawing><wps:wsp xmlns:wps="{WPS}" xmlns:a="{A}">{shown}</wps:wsp></w:drawing></w:r></w:p>'


def styled_table(style: str, inner: str) -> str:
    rows = row(cell("a"), cell("b")) + row(cell(paragraph(inner)), cell("c"))
    look = '<w:tblLook w:val="0020"/>'
    return f'<w:tbl><w:tblPr><w:tblStyle w:val="{style}"/>{look}</w:tblPr>{rows}</w:tbl>'


@pytest.mark.parametrize(
    "body",
    [
        paragraph(run(SECRET, WHITE)),
        paragraph(run(SECRET, '<w:color w:val="FBFBFB"/>')),
        paragraph(run(SECRET, "<w:vanish/>")),
        paragraph(run(SECRET, '<w:sz w:val="2"/>')),
        paragraph(run(SECRET, '<w:rStyle w:val="Pale"/>')),
        paragraph(run("r is", WHITE) + run(" the rank", WHITE)),
        paragraph(run(SECRET, '<w:color w:val="1F3864"/>'), NAVY),
        paragraph(run(SECRET, '<w:color w:val="1F3864"/>' + NAVY)),
        boxed(paragraph(run(SECRET, WHITE)), "<a:noFill/>"),
        boxed(paragraph(run(SECRET, WHITE)), '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>'),
    ],
)
def test_word_hides(tmp_path: Path, body: str) -> None:
    assert_hidden(word(tmp_path, body))


@pytest.mark.parametrize(
    "body",
    [
        paragraph(run(SECRET, WHITE), NAVY),
        paragraph(run(SECRET, WHITE + NAVY)),
        paragraph(run(SECRET, WHITE + '<w:highlight w:val="darkBlue"/>')),
        paragraph(run(SECRET, '<w:color w:val="auto"/>')),
        paragraph(run(SECRET), style="Banner"),
        paragraph(run(SECRET, '<w:sz w:val="8"/>')),
        boxed(paragraph(run(SECRET, WHITE)), '<a:solidFill><a:schemeClr val="accent1"/></a:solidFill>'),
        boxed(paragraph(run(SECRET, WHITE)), '<a:solidFill><a:srgbClr val="002060"/></a:solidFill>'),
        table(row(cell("a"), cell("b")), row(cell(paragraph(run(SECRET, WHITE)), NAVY), cell("c"))),
    ],
)
def test_word_shows(tmp_path: Path, body: str) -> None:
    assert_shown(word(tmp_path, body))


def test_white_text_in_a_plain_table_leaves_its_cell_empty(tmp_path: Path) -> None:
    document = word(tmp_path, styled_table("Grid", run(SECRET, WHITE)))
    assert [block.cells for block in document.blocks if block.cells] == [("a", "b"), ("", "c")]
    assert [block.text for block in document.hidden] == [SECRET]


def test_a_white_formula_is_hidden(tmp_path: Path) -> None:
    shown, white = (math(f"<m:r>{more}<m:t>x=1</m:t></m:r>") for more in ("", f"<w:rPr>{WHITE}</w:rPr>"))
    document = word(tmp_path, paragraph(shown) + paragraph(white))
    assert [block.text for block in document.blocks if block.text] == ["before", "$x=1$", "after"]
    assert [block.text for block in document.hidden] == ["$x=1$"]


def test_white_text_shows_on_coloured_pages_only_where_the_settings_show_the_colour(tmp_path: Path) -> None:
    def read(settings: str) -> Document:
        content = docx(
            f'</w:body><w:background w:color="203040"/><w:body>{paragraph(run(SECRET, WHITE))}', settings=settings
        )
        return read_docx(submitted(tmp_path, "report.docx", content))

    assert_shown(read("<w:displayBackgroundShape/>"))
    assert [block.text for block in read("").hidden] == [SECRET]


@pytest.mark.parametrize(
    "page",
    [
        '<p style="color:white">{}</p>',
        '<p><font color="#fffffe">{}</font></p>',
        '<p style="color: RGB(255, 255, 255) !important">{}</p>',
        '<p style="color:transparent">{}</p>',
        '<p style="opacity:0"><b>{}</b></p>',
        '<p style="font-size:1px">{}</p>',
        '<p style="font-size:10%"><span style="font-size:.5em">{}</span></p>',
        '<p style="background:#000">{}</p>',
        '<style>.quiet, .x {{color: #FFF}}</style><p class="quiet">{}</p>',
        "<style>p {{color: #FFF}} body {{background: white}}</style><p>{}</p>",
        '<p><a style="color:white" href="x">{}</a></p>',
        '<style>.dark .card {{background:#111}} p {{color:#fff}}</style><div class="card"><p>{}</p></div>',
    ],
)
def test_a_web_page_hides(page: str) -> None:
    assert_hidden(page_document("report.html", "<div>before</div>" + page.format(SECRET) + "<div>after</div>"))


@pytest.mark.parametrize(
    "page",
    [
        '<div style="background:navy"><p style="color:white">{}</p></div>',
        '<p style="color:var(--text)">{}</p>',
        '<p style="font-size:0"><span style="font-size:12px">{}</span></p>',
        "<style>body {{background:#111; color:#eee}} b {{color:#fff}}</style><body><p>a <b>{}</b></p></body>",
        '<style>.card p {{color:#333}} p {{color:#fff}}</style><div class="card"><p>{}</p></div>',
        "<style>p {{color:#fff}} @media screen {{ p {{color:#000}} }}</style><p>{}</p>",
        '<table bgcolor="#000"><tr><td></td><td><font color="white">{}</font></td></tr></table>',
        '<p><mark style="color:white">{}</mark></p>',
    ],
)
def test_a_web_page_shows(page: str) -> None:
    assert_shown(page_document("report.html", page.format(SECRET)))


@pytest.mark.parametrize(
    "page",
    [
        '<p style="color:white;background:url(paper.png)">{}</p>',
        '<link rel="stylesheet" href="x.css"><div class="bg-dark"><p style="color:white">{}</p></div>',
        "<style>@import 'https://example.org/x.css';</style><div class=bg-dark><p style='color:white'>{}</p></div>",
    ],
)
def test_light_text_on_an_unknown_ground_is_for_a_person(page: str) -> None:
    document = page_document("report.html", "<p>before</p>" + page.format(SECRET))
    assert [block.text for block in document.blocks if block.text] == ["before"]
    assert document.hidden == ()
    assert [SECRET in problem for problem in document.problems] == [True]


def test_lines_of_code_keep_their_places_when_one_is_hidden() -> None:
    page = page_document(
        "report.html", '<pre>a = 1\n<span style="color:#fff">b = 2\nc = 3</span>\nd = 4<br>e = 5\n</pre>'
    )
    assert [(block.text, block.line) for block in page.blocks if block.text] == [
        ("a = 1", 1),
        ("d = 4", 4),
        ("e = 5", 4),
    ]
    assert [(block.text, block.line) for block in page.hidden] == [("b = 2 c = 3", 2)]


LOOKS = {
    "white": '<style:text-properties fo:color="#ffffff"/>',
    "tiny": '<style:text-properties fo:font-size="1pt"/>',
    "off": '<style:text-properties text:display="none"/>',
    "automatic": '<style:text-properties fo:color="#ffffff" style:use-window-font-color="true"/>',
    "banner": '<style:paragraph-properties fo:background-color="#1f3864"/>',
    "dark": '<style:table-cell-properties fo:background-color="#1f3864"/>',
}


def open_text(folder: Path, body: str) -> Document:
    named = "".join(f'<style:style style:name="{name}">{look}</style:style>' for name, look in LOOKS.items())
    body = f"<text:p>before</text:p>{body}<text:p>after</text:p>"
    return read_odt(submitted(folder, "report.odt", odt(body, styles=named)))


def span(look: str) -> str:
    return f'<text:span text:style-name="{look}">{SECRET}</text:span>'


@pytest.mark.parametrize("look", ["white", "tiny", "off"])
def test_an_open_document_hides(tmp_path: Path, look: str) -> None:
    assert_hidden(open_text(tmp_path, f"<text:p>{span(look)}</text:p>"))


@pytest.mark.parametrize(
    "body",
    [
        f"<text:p>{span('automatic')}</text:p>",
        f'<text:p text:style-name="banner">{span("white")}</text:p>',
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell "
        f'table:style-name="dark"><text:p>{span("white")}</text:p></table:table-cell></table:table-row></table:table>',
    ],
)
def test_an_open_document_shows(tmp_path: Path, body: str) -> None:
    assert_shown(open_text(tmp_path, body))
