"""OpenDocument texts: what a reader of the page cannot see counts for nothing, whatever hides it; what shows stays.

Each entry is the document's body, the properties of its automatic styles by their names, and the page's properties.
"""

from pathlib import Path
from typing import Final

import pytest

from grader.reading.document import Document
from grader.reading.odt import read_odt
from tests.reading.making import submitted
from tests.reading.making_odt import odt

SECRET: Final = "22,807,552"
Entry = str | tuple[str, dict[str, str]]
PAGE: Final = 'fo:page-width="21cm" fo:page-height="29.7cm" fo:margin="2cm"'

LOOKS: Final = {
    "white": ("text", '<style:text-properties fo:color="#ffffff"/>'),
    "pale": ("text", '<style:text-properties fo:color="#fafafa"/>'),
    "grey": ("text", '<style:text-properties fo:color="#808080"/>'),
    "marked": ("text", '<style:text-properties fo:color="#ffff00" fo:background-color="#ffff00"/>'),
    "red": ("text", '<style:text-properties fo:color="#ff0000" fo:background-color="#ffff00"/>'),
    "on-dark": ("text", '<style:text-properties fo:color="#ffffff" fo:background-color="#203040"/>'),
    "tiny": ("text", '<style:text-properties fo:font-size="1pt"/>'),
    "tiny-cm": ("text", '<style:text-properties fo:font-size="0.03cm"/>'),
    "tenth-span": ("text", '<style:text-properties fo:font-size="10%"/>'),
    "larger": ("text", '<style:text-properties fo:font-size="150%"/>'),
    "eight": ("text", '<style:text-properties fo:font-size="8pt"/>'),
    "narrow": ("text", '<style:text-properties style:text-scale="1%"/>'),
    "half": ("text", '<style:text-properties style:text-scale="50%"/>'),
    "speck": ("text", '<style:text-properties style:text-position="super 1%"/>'),
    "raised": ("text", '<style:text-properties style:text-position="super 58%"/>'),
    "heaped": ("text", '<style:text-properties fo:letter-spacing="-12pt"/>'),
    "condensed": ("text", '<style:text-properties fo:letter-spacing="-0.5pt"/>'),
    "clear": ("text", '<style:text-properties fo:color="#000000" loext:opacity="0%"/>'),
    "faint": ("text", '<style:text-properties fo:color="#204060" loext:opacity="2%"/>'),
    "half-clear": ("text", '<style:text-properties fo:color="#000000" loext:opacity="50%"/>'),
    "off": ("text", '<style:text-properties text:display="none"/>'),
    "automatic": ("text", '<style:text-properties fo:color="#ffffff" style:use-window-font-color="true" '
                  'loext:opacity="0%"/>'),
    "banner": ("paragraph", '<style:paragraph-properties fo:background-color="#1f3864"/>'),
    "bare": ("paragraph", '<style:paragraph-properties fo:background-color="transparent"/>'),
    "beside": ("paragraph", '<style:paragraph-properties fo:margin-left="-40cm" fo:margin-right="30cm"/>'),
    "outdent": ("paragraph", '<style:paragraph-properties fo:margin-left="-1cm" fo:text-indent="0.5cm"/>'),
    "flat": ("paragraph", '<style:paragraph-properties fo:line-height="0.01cm"/>'),
    "airy": ("paragraph", '<style:paragraph-properties fo:line-height="120%"/>'),
    "dark-section": ("section", '<style:section-properties fo:background-color="#1f3864"/>'),
    "dark-table": ("table", '<style:table-properties style:width="10cm" table:align="left" '
                   'fo:background-color="#1f3864"/>'),
    "table": ("table", '<style:table-properties style:width="10cm" table:align="left"/>'),
    "far-table": ("table", '<style:table-properties style:width="10cm" fo:margin-left="-40cm" table:align="left"/>'),
    "dark-row": ("table-row", '<style:table-row-properties fo:background-color="#1f3864"/>'),
    "flat-row": ("table-row", '<style:table-row-properties style:row-height="0.002cm"/>'),
    "low-row": ("table-row", '<style:table-row-properties style:row-height="0.6cm"/>'),
    "least-row": ("table-row", '<style:table-row-properties style:min-row-height="0.002cm"/>'),
    "column": ("table-column", '<style:table-column-properties style:column-width="5cm"/>'),
    "thin": ("table-column", '<style:table-column-properties style:column-width="0.002cm"/>'),
    "dark": ("table-cell", '<style:table-cell-properties fo:background-color="#1f3864">'
             "<style:background-image/></style:table-cell-properties>"),
    "frame": ("graphic", '<style:graphic-properties style:horizontal-pos="from-left" style:horizontal-rel="page" '
              'style:vertical-pos="from-top" style:vertical-rel="page" style:wrap="run-through" '
              'style:run-through="foreground" drawing:fill="none" fo:border="none"/>'),
    "dark-frame": ("graphic", '<style:graphic-properties style:horizontal-pos="from-left" style:horizontal-rel="page" '
                   'style:vertical-pos="from-top" style:vertical-rel="page" style:wrap="run-through" '
                   'style:run-through="foreground" drawing:fill="solid" drawing:fill-color="#1f3864" fo:border="none" '
                   'fo:background-color="#1f3864"/>'),
    "clear-frame": ("graphic", '<style:graphic-properties style:horizontal-pos="from-left" style:horizontal-rel="page" '
                    'style:vertical-pos="from-top" style:vertical-rel="page" drawing:fill="solid" drawing:opacity="0%" '
                    'drawing:fill-color="#1f3864" fo:border="none"/>'),
    "behind": ("graphic", '<style:graphic-properties style:wrap="run-through" style:run-through="background" '
               'drawing:fill="solid" drawing:fill-color="#1f3864"/>'),
}  # fmt: skip


def span(look: str, words: str = SECRET) -> str:
    return f'<text:span text:style-name="{look}">{words}</text:span>'


def text(inner: str = SECRET, look: str = "") -> str:
    named = f' text:style-name="{look}"' if look else ""
    return f"<text:p{named}>{inner}</text:p>"


def section(more: str, inner: str = text()) -> str:
    return f'<text:section text:name="s" {more}>{inner}</text:section>'


def cell(inner: str = "x", look: str = "") -> str:
    named = f' table:style-name="{look}"' if look else ""
    return f"<table:table-cell{named}>{inner if inner.startswith('<') else text(inner)}</table:table-cell>"


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def grid(*rows: str, look: str = "table", columns: tuple[str, str] = ("column", "column"), more: str = "") -> str:
    made = "".join(f'<table:table-column table:style-name="{name}" {more}/>' for name in columns)
    return f'<table:table table:name="t" table:style-name="{look}">{made}{"".join(rows)}</table:table>'


def frame(
    inner: str = text(), look: str = "frame", x: str = "2cm", y: str = "5cm", width: str = "8cm", height: str = "2cm",
    least: str = "",
) -> str:  # fmt: skip
    grows = f'fo:min-height="{least}"' if least else ""
    return (
        f'<text:p><drawing:frame drawing:style-name="{look}" drawing:name="f" text:anchor-type="paragraph" svg:x="{x}" '
        f'svg:y="{y}" svg:width="{width}" {"" if least else f"svg:height={chr(34)}{height}{chr(34)}"}>'
        f"<drawing:text-box {grows}>{inner}</drawing:text-box></drawing:frame></text:p>"
    )


def shape(inner: str, look: str = "dark-frame", x: str = "2cm") -> str:
    path = "M 0 0 L 100 0 100 100 0 100 Z N"
    geometry = f'<drawing:enhanced-geometry drawing:type="rectangle" drawing:enhanced-path="{path}"/>'
    return (
        f'<text:p><drawing:custom-shape drawing:style-name="{look}" text:anchor-type="paragraph" svg:x="{x}" '
        f'svg:y="5cm" svg:width="8cm" svg:height="2cm">{inner}{geometry}</drawing:custom-shape></text:p>'
    )


FIRST: Final = row(cell("a"), cell("b"))
HIDDEN: Final[dict[str, Entry]] = {
    "white": text(span("white")),
    "nearly white": text(span("pale")),
    "white paragraph style": text(SECRET, "white-paragraph"),
    "white by the default style": (
        text(span("plain")), {"default": '<style:text-properties fo:color="#ffffff"/>'}
    ),
    "colour of its mark": text(span("marked")),
    "white whose ground is taken away": text(span("white"), "bare"),
    "white on a dark mark that is taken away": text(span("on-dark", span("white-bare"))),
    "hidden": text(span("off")),
    "one point": text(span("tiny")),
    "a third of a millimetre": text(span("tiny-cm")),
    "letters of one per cent of their width": text(span("narrow")),
    "raised letters of one per cent": text(span("speck")),
    "letters that are nearly transparent": text(span("faint")),
    "hidden section": section('text:display="none"'),
    "section that its condition hides": section(
        'text:display="condition" text:condition="ooow:1==1" text:is-hidden="true"'
    ),
    "variable that is set without being shown": text(
        f'x <text:variable-set text:name="v" text:display="none">{SECRET}</text:variable-set>'
    ),
    "row without height": grid(FIRST, row(cell("c"), cell(SECRET), more='table:style-name="flat-row"')),
    "below the edge of its row": grid(
        FIRST, row(cell("c"), cell(text("a") + text("b") + text()), more='table:style-name="low-row"')
    ),
    "column without width": grid(FIRST, row(cell("c"), cell(SECRET)), columns=("column", "thin")),
    "colour of its cell": grid(FIRST, row(cell("c"), cell(text(span("navy")), "dark"))),
    "colour of its row": grid(FIRST, row(cell("c"), cell(text(span("navy"))), more='table:style-name="dark-row"')),
    "table beside the page": grid(FIRST, row(cell("c"), cell(SECRET)), look="far-table"),
    "frame without size": frame(width="0.001cm", height="0.001cm"),
    "frame in the colour of its text": frame(text(span("navy")), "dark-frame"),
    "transparent frame with white text": frame(text(span("white")), "clear-frame"),
    "indents beside the page": text(SECRET, "beside"),
    "black on a black page": (text(span("black")), {"page": 'fo:background-color="#000000"'}),
    "white on another page's colour": (text(span("white")), {"unused": 'fo:background-color="#000000"'}),
}  # fmt: skip
SHOWN: Final[dict[str, Entry]] = {
    "plain": text(),
    "grey": text(span("grey")),
    "automatic": text(span("automatic")),
    "white on a dark paragraph": text(span("white"), "banner"),
    "white on a dark mark": text(span("on-dark")),
    "mark around a white span": text(span("on-dark", f"a {span('white')} b")),
    "red on yellow": text(span("red")),
    "eight points": text(span("eight")),
    "larger than the text around": text(span("larger")),
    "half of the letters' width": text(span("half")),
    "raised": text(span("raised")),
    "condensed": text(span("condensed")),
    "half transparent": text(span("half-clear")),
    "lines with room": text(SECRET, "airy"),
    "indent into the margin": text(SECRET, "outdent"),
    "section": section(""),
    "white in a dark section": section('text:style-name="dark-section"', text(span("white"))),
    "white in a dark cell": grid(FIRST, row(cell("c"), cell(text(span("white")), "dark"))),
    "white in a dark row": grid(FIRST, row(cell("c"), cell(text(span("white"))), more='table:style-name="dark-row"')),
    "white in a dark table": grid(FIRST, row(cell("c"), cell(text(span("white")))), look="dark-table"),
    "row of a height": grid(FIRST, row(cell("c"), cell(SECRET), more='table:style-name="low-row"')),
    "row of at least a height": grid(FIRST, row(cell("c"), cell(SECRET), more='table:style-name="least-row"')),
    "frame": frame(),
    "frame that grows": frame(text("a") * 6 + text(), least="0.1cm"),
    "white in a dark frame": frame(text(span("white")), "dark-frame"),
    "white in a dark shape": shape(text(span("white"))),
    "white on a dark page": (text(span("white")), {"page": 'fo:background-color="#203040"'}),
    "note": text(
        'x<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
        f"{text()}</text:note-body></text:note>"
    ),
    "variable": text(f'<text:variable-set text:name="v" office:value-type="string">{SECRET}</text:variable-set>'),
}
DOUBTFUL: Final[dict[str, Entry]] = {
    "a tenth of its parent's size": text(SECRET, "tenth"),
    "a tenth of the size around": text(span("tenth-span")),
    "letters that are transparent": text(span("clear")),
    "frame beside the page": frame(x="-40cm"),
    "frame below the page": frame(y="60cm"),
    "shape beside the page": shape(text(), "frame", x="-40cm"),
    "hidden paragraph": text(f'<text:hidden-paragraph text:condition="ooow:1==1" text:is-hidden="true"/>{SECRET}'),
    "hidden text": text(
        f'x <text:hidden-text text:condition="ooow:1==1" text:string-value="{SECRET}" text:is-hidden="true">{SECRET}'
        "</text:hidden-text>"
    ),
    "script": text(f'x <text:script script:language="x" xmlns:script="s">{SECRET}</text:script>'),
    "collapsed row": grid(FIRST, row(cell("c"), cell(SECRET), more='table:visibility="collapse"')),
    "filtered row": grid(FIRST, row(cell("c"), cell(SECRET), more='table:visibility="filter"')),
    "lines on one another": text(SECRET, "flat"),
    "letters on one another": text(span("heaped")),
    "section under a condition": section('text:display="condition" text:condition="ooow:1==2"'),
    "text under a condition": text(
        'x <text:conditional-text text:condition="ooow:1==2" text:string-value-if-true="a" '
        f'text:string-value-if-false="b">{SECRET}</text:conditional-text>'
    ),
    "white where a shape is behind the text": (
        '<text:p><drawing:frame drawing:style-name="behind" text:anchor-type="paragraph" svg:width="8cm" '
        f'svg:height="2cm"><drawing:text-box>{text("box")}</drawing:text-box></drawing:frame></text:p>{text(span("white"))}'
    ),
    "white frame where another may be behind it": frame(text("box"), "dark-frame") + frame(text(span("white"))),
}
LOST: Final[dict[str, Entry]] = {
    "deleted": (
        f'<text:tracked-changes><text:changed-region text:id="c"><text:deletion>{text()}</text:deletion>'
        "</text:changed-region></text:tracked-changes>" + text('x<text:change text:change-id="c"/>')
    ),
    "annotation": text(f"x<office:annotation>{text()}</office:annotation>"),
}
MORE: Final = {
    "tenth": ("paragraph", '<style:text-properties fo:font-size="10%"/>'),
    "white-paragraph": ("paragraph", '<style:text-properties fo:color="#ffffff"/>'),
    "white-bare": ("text", '<style:text-properties fo:color="#ffffff" fo:background-color="transparent"/>'),
    "navy": ("text", '<style:text-properties fo:color="#1f3864"/>'),
    "black": ("text", '<style:text-properties fo:color="#000000"/>'),
    "plain": ("text", "<style:text-properties/>"),
}

PARENTS: Final = {"paragraph": ' style:parent-style-name="Standard"'}


def built(entry: Entry) -> bytes:
    body, parts = (entry, {}) if isinstance(entry, str) else entry
    looks = "".join(
        f'<style:style style:name="{name}" style:family="{family}"{PARENTS.get(family, "")}>{look}</style:style>'
        for name, (family, look) in (LOOKS | MORE).items()
    )
    layouts = "".join(
        f'<style:page-layout style:name="{name}"><style:page-layout-properties {PAGE} {parts.get(key, "")}/>'
        "</style:page-layout>"
        for name, key in (("pm1", "page"), ("pm2", "unused"))
    )
    whole = (
        f'<office:styles><style:default-style style:family="paragraph">{parts.get("default", "")}'
        '</style:default-style><style:style style:name="Standard" style:family="paragraph">'
        '<style:text-properties fo:font-size="12pt"/></style:style></office:styles>'
        f"<office:automatic-styles>{layouts}</office:automatic-styles>"
        '<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="pm1"/>'
        '<style:master-page style:name="Other" style:page-layout-name="pm2"/></office:master-styles>'
    )
    return odt(f"{text('before')}{body}{text('after')}", styles=looks, whole=whole)


def read(folder: Path, entry: Entry) -> Document:
    return read_odt(submitted(folder, "report.odt", built(entry)))


def words(document: Document) -> str:
    return " ".join(block.text for block in (*document.blocks, *document.furniture))


@pytest.mark.parametrize("way", HIDDEN)
def test_an_open_document_hides(tmp_path: Path, way: str) -> None:
    document = read(tmp_path, HIDDEN[way])
    hidden = " ".join(block.text for block in document.hidden)
    assert SECRET not in words(document)
    assert SECRET in hidden
    assert "before" in f"{words(document)} {hidden}"
    assert any("cannot be seen" in problem for problem in document.problems)


@pytest.mark.parametrize("way", SHOWN)
def test_an_open_document_shows(tmp_path: Path, way: str) -> None:
    document = read(tmp_path, SHOWN[way])
    assert words(document).count(SECRET) == 1
    assert (document.hidden, document.problems) == ((), ())


@pytest.mark.parametrize("way", DOUBTFUL)
def test_an_open_document_leaves_open(tmp_path: Path, way: str) -> None:
    document = read(tmp_path, DOUBTFUL[way])
    assert SECRET not in words(document)
    assert document.hidden == ()
    assert any("could not be established" in problem and SECRET in problem for problem in document.problems)


@pytest.mark.parametrize("way", LOST)
def test_what_is_no_text_of_an_open_document_is_not_read(tmp_path: Path, way: str) -> None:
    assert SECRET not in words(read(tmp_path, LOST[way]))
