"""Word documents: what a reader of the page cannot see counts for nothing, whatever hides it; what shows stays.

Each entry is the document's body and what else it has (`styles`, `theme`, `settings`, `numbering`); the comments say
what LibreOffice or Word draws where that is not plain.
"""

from pathlib import Path
from typing import Final

import pytest

from grader.reading.document import Document
from grader.reading.docx import read_docx
from tests.reading.making import submitted
from tests.reading.making_docx import STYLES, cell, docx, paragraph, row, run

SECRET: Final = "22,807,552"
THEME: Final = "".join(
    f'<a:{name}><a:srgbClr val="{colour}"/></a:{name}>'
    for name, colour in (
        ("dk1", "000000"), ("lt1", "FFFFFF"), ("dk2", "1F497D"), ("lt2", "EEECE1"), ("accent1", "4F81BD"),
        ("accent2", "C0504D"), ("accent3", "F8F8F8"), ("accent4", "8064A2"), ("accent5", "4BACC6"),
        ("accent6", "F79646"), ("hlink", "0000FF"), ("folHlink", "800080"),
    )
)  # fmt: skip
NAVY: Final = '<w:shd w:val="clear" w:color="auto" w:fill="1F3864"/>'
WHITE: Final = '<w:color w:val="FFFFFF"/>'
MORE_STYLES: Final = (
    '<w:style w:type="character" w:styleId="Pale"><w:name w:val="Pale"/><w:rPr>'
    '<w:color w:val="FFFFFF" w:themeColor="background1"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="PaleToo"><w:name w:val="PaleToo"/><w:basedOn w:val="Pale"/></w:style>'
    '<w:style w:type="character" w:styleId="Ink"><w:name w:val="Ink"/><w:basedOn w:val="Pale"/><w:rPr>'
    '<w:color w:val="auto"/></w:rPr></w:style>'
    f'<w:style w:type="paragraph" w:styleId="Banner"><w:name w:val="Banner"/><w:pPr>{NAVY}</w:pPr>'
    f"<w:rPr>{WHITE}</w:rPr></w:style>"
    '<w:style w:type="paragraph" w:styleId="Bare"><w:name w:val="Bare"/><w:basedOn w:val="Banner"/><w:pPr>'
    '<w:shd w:val="clear" w:color="auto" w:fill="auto"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Flat"><w:name w:val="Flat"/><w:pPr>'
    '<w:spacing w:line="20" w:lineRule="exact"/></w:pPr></w:style>'
    '<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/><w:tblPr><w:tblStyleRowBandSize w:val="1"/>'
    '</w:tblPr><w:tblStylePr w:type="firstRow"><w:rPr><w:b/><w:color w:val="FFFFFF" w:themeColor="background1"/>'
    '</w:rPr><w:tcPr><w:shd w:val="clear" w:color="auto" w:fill="4F81BD" w:themeFill="accent1"/></w:tcPr>'
    '</w:tblStylePr><w:tblStylePr w:type="band1Horz"><w:tcPr><w:shd w:val="clear" w:fill="DBE5F1" '
    'w:themeFill="accent1" w:themeFillTint="33"/></w:tcPr></w:tblStylePr></w:style>'
    '<w:style w:type="table" w:styleId="Darker"><w:name w:val="Darker"/><w:basedOn w:val="Dark"/></w:style>'
)
PAGE: Final = (
    '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:left="1440" w:right="1440" w:top="1440" w:bottom="1440"/>'
    "</w:sectPr>"
)
LOOK: Final = (
    '<w:tblLook w:val="04A0" w:firstRow="1" w:lastRow="0" w:firstColumn="0" w:lastColumn="0" w:noHBand="0" '
    'w:noVBand="1"/>'
)


def text(properties: str = "", words: str = SECRET) -> str:
    return paragraph(run("Total", "") + run(f" {words}", properties))


def alone(properties: str, run_properties: str = "", style: str | None = None) -> str:
    return paragraph(run(SECRET, run_properties), properties, style=style)


def grid(*rows: str, properties: str = "", columns: int = 2, width: int = 4000) -> str:
    columns_ = f'<w:gridCol w:w="{width}"/>' * columns
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr><w:tblGrid>{columns_}</w:tblGrid>{''.join(rows)}</w:tbl>"


def styled(first: str, second: str, style: str = "Dark", look: str = LOOK, more: str = "") -> str:
    top = row(cell(paragraph(run("total", more))), cell(paragraph(run(first, more))))
    rows = top + row(cell("all"), cell(paragraph(run(second, more)))) + row(cell("x"), cell("y"))
    return grid(rows, properties=f'<w:tblStyle w:val="{style}"/>{look}')


def shape(inner: str, fill: str = "<a:noFill/>", *, size: tuple[int, int] = (200, 50), more: str = "") -> str:
    """A text box's shape."""
    width, height = (12700 * side for side in size)
    transform = f'<a:xfrm><a:off x="0" y="0"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'
    box = f"<wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx><wps:bodyPr/>"
    return (
        f'<wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr>{transform}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
        f"{fill}</wps:spPr>{more}{box}</wps:wsp>"
    )


def drawn(
    graphic: str,
    *,
    at: tuple[int, int] = (10, 10),
    size: tuple[int, int] = (200, 50),
    relative: tuple[str, str] = ("page", "page"),
    behind: int = 0,
    off: str = "",
) -> str:
    """A paragraph with an anchored drawing; lengths in points."""
    (x, y), (width, height) = ((12700 * one for one in pair) for pair in (at, size))
    uri = "Group" if graphic.startswith("<wpg") else "Shape"
    return (
        f'<w:p><w:r><w:drawing><wp:anchor distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="2" '
        f'behindDoc="{behind}" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/><wp:positionH '
        f'relativeFrom="{relative[0]}"><wp:posOffset>{x}</wp:posOffset></wp:positionH><wp:positionV relativeFrom='
        f'"{relative[1]}"><wp:posOffset>{y}</wp:posOffset></wp:positionV><wp:extent cx="{width}" cy="{height}"/>'
        f'<wp:effectExtent l="0" t="0" r="0" b="0"/><wp:wrapNone/><wp:docPr id="1" name="a" {off}/>'
        f'<wp:cNvGraphicFramePr/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/'
        f'wordprocessing{uri}">{graphic}</a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>'
    )


def solid(colour: str, name: str = "srgbClr", more: str = "") -> str:
    return f'<a:solidFill><a:{name} val="{colour}">{more}</a:{name}></a:solidFill>'


def old(style: str, more: str = 'filled="f"', inner: str = "") -> str:
    box = f"<v:textbox><w:txbxContent>{inner or alone('')}</w:txbxContent></v:textbox>"
    return f'<w:p><w:r><w:pict><v:rect style="{style}" {more}>{box}</v:rect></w:pict></w:r></w:p>'


def filled_text(fill: str, colour: str = "") -> str:
    return text(f"{colour}<w14:textFill>{fill}</w14:textFill>")


def w14(colour: str, transparency: int = 0) -> str:
    changes = f'<w14:alpha w14:val="{transparency * 1000}"/>' if transparency else ""
    return f'<w14:solidFill><w14:srgbClr w14:val="{colour}">{changes}</w14:srgbClr></w14:solidFill>'


def framed(**places: object) -> str:
    written = " ".join(f'w:{name}="{value}"' for name, value in places.items())
    return alone(f"<w:framePr {written}/>")


def group(inner: str, *, at: tuple[int, int] = (10, 10), size: tuple[int, int] = (300, 100)) -> str:
    width, height = (12700 * side for side in size)
    ends = "".join(
        f'<a:{a} x="0" y="0"/><a:{b} cx="{width}" cy="{height}"/>' for a, b in (("off", "ext"), ("chOff", "chExt"))
    )
    properties = f"<wpg:cNvGrpSpPr/><wpg:grpSpPr><a:xfrm>{ends}</a:xfrm></wpg:grpSpPr>"
    return drawn(f"<wpg:wgp>{properties}{inner}</wpg:wgp>", at=at, size=size)


def field(instruction: str, result: str) -> str:
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    code = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
    return paragraph(run("Total ") + begin + code + separate + run(result) + end)


def exact_row(height: int, inner: str) -> str:
    properties = f'<w:trPr><w:trHeight w:val="{height}" w:hRule="exact"/></w:trPr>'
    return f"<w:tr>{properties}{cell('all')}{cell(inner)}</w:tr>"


def either(choice: str, fallback: str, requires: str = "wps") -> str:
    return (
        f'<mc:AlternateContent><mc:Choice Requires="{requires}">{choice}</mc:Choice><mc:Fallback>{fallback}'
        "</mc:Fallback></mc:AlternateContent>"
    )


BACKGROUND: Final = '</w:body><w:background w:color="{}"/><w:body>'
SHOWN_BACKGROUND: Final = {"settings": "<w:displayBackgroundShape/>"}
TINTED: Final = '<w:color w:val="000000" w:themeColor="{}" w:theme{}="{}"/>'
BLACK_BOX: Final = shape(paragraph("box"), solid("000000"))
NUMBERED: Final = (
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
    '<w:lvlText w:val="The total is 22,807,552. %1"/>{}</w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
)
LISTED: Final = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'

HIDDEN: Final[dict[str, str | tuple[str, dict[str, str]]]] = {
    "white": text(WHITE),
    "background colour of the theme": text('<w:color w:val="000000" w:themeColor="background1"/>'),
    "light colour of the theme": text('<w:color w:val="000000" w:themeColor="light1"/>'),
    "accent that is nearly white": text('<w:color w:val="000000" w:themeColor="accent3"/>'),
    "black of the theme tinted to white": text(TINTED.format("text1", "Tint", "00")),
    "text colour mapped to white": (
        text('<w:color w:val="000000" w:themeColor="text1"/>'),
        {"settings": '<w:clrSchemeMapping w:bg1="light1" w:t1="light1" w:bg2="light2" w:t2="dark2"/>'},
    ),
    "character style in white": text('<w:rStyle w:val="PaleToo"/>'),
    "paragraph style whose ground is taken away": alone("", style="Bare"),
    "white by the document's defaults": (
        alone(""),
        {"styles": f"<w:docDefaults><w:rPrDefault><w:rPr>{WHITE}</w:rPr></w:rPrDefault></w:docDefaults>{STYLES}"},
    ),
    "colour of its highlighter": text('<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>'),
    "colour of a dark highlighter": text('<w:color w:val="000080"/><w:highlight w:val="darkBlue"/>'),
    "white highlighter under white on a dark paragraph": alone(NAVY, WHITE + '<w:highlight w:val="white"/>'),
    "colour of a fill of the theme": text(
        '<w:color w:val="4F81BD"/><w:shd w:val="clear" w:color="auto" w:fill="FFFFFF" w:themeFill="accent1"/>'
    ),
    "black on solid black": text('<w:color w:val="000000"/><w:shd w:val="solid" w:color="000000" w:fill="FFFFFF"/>'),
    "grey on a pattern of half black": text(
        '<w:color w:val="808080"/><w:shd w:val="pct50" w:color="000000" w:fill="FFFFFF"/>'
    ),
    "black on a shown black page": (BACKGROUND.format("000000") + text('<w:color w:val="000000"/>'), SHOWN_BACKGROUND),
    "white on a dark page that is not shown": BACKGROUND.format("203040") + text(WHITE),
    "hidden": text("<w:vanish/>"),
    "one point": text('<w:sz w:val="2"/>'),
    "one point in complex script": text('<w:rtl/><w:sz w:val="22"/><w:szCs w:val="2"/>'),
    "letters of one per cent of their width": text('<w:w w:val="1"/>'),
    "transparent fill of letters": filled_text("<w14:noFill/>"),
    "fill of letters that is fully transparent": filled_text(w14("000000", 100)),
    "fill of letters that is nearly transparent": filled_text(w14("000000", 97)),
    "white fill of letters": filled_text(w14("FFFFFF"), '<w:color w:val="000000"/>'),
    "lines of one twip": alone('<w:spacing w:line="1" w:lineRule="exact"/>'),
    "lines of one point by style": alone("", style="Flat"),
    "third row in the white of its table's first": grid(
        row(cell("a"), cell("b")) + row(cell("c"), cell("d")) + row(cell("e"), cell(paragraph(run(SECRET, WHITE)))),
        properties=f'<w:tblStyle w:val="Dark"/>{LOOK}',
    ),
    "first row whose cell takes the ground away": grid(
        row(cell("a"), cell(paragraph(run(SECRET)), '<w:shd w:val="clear" w:color="auto" w:fill="auto"/>'))
        + row(cell("c"), cell("d")),
        properties=f'<w:tblStyle w:val="Dark"/>{LOOK}',
    ),
    "colour of its cell": grid(
        row(cell("a"), cell(paragraph(run(SECRET, '<w:color w:val="1F3864"/>')), NAVY)) + row(cell("c"), cell("d"))
    ),
    "row of one twip": grid(row(cell("a"), cell("b")) + exact_row(1, paragraph(SECRET))),
    "below the edge of its row": grid(
        row(cell("a"), cell("b")) + exact_row(300, paragraph("ok") + paragraph("") + paragraph(SECRET))
    ),
    "column of one twip": grid(
        row(cell("a"), cell(SECRET, '<w:tcW w:w="1" w:type="dxa"/>')) + row(cell("b"), cell("c")),
        properties='<w:tblLayout w:type="fixed"/>',
    ).replace('<w:gridCol w:w="4000"/></w:tblGrid>', '<w:gridCol w:w="1"/></w:tblGrid>'),
    "table beside the page": grid(
        row(cell("a"), cell(SECRET)) + row(cell("b"), cell("c")), properties='<w:tblInd w:w="-20000" w:type="dxa"/>'
    ),
    "floating table beside the page": grid(
        row(cell("a"), cell(SECRET)) + row(cell("b"), cell("c")),
        properties='<w:tblpPr w:horzAnchor="page" w:vertAnchor="page" w:tblpX="20000" w:tblpY="1000"/>',
    ),
    "text box beside the page": drawn(shape(alone("")), at=(-2000, 10)),
    "text box below the page": drawn(shape(alone("")), at=(10, 3000)),
    "text box above its paragraph's page": drawn(shape(alone("")), at=(0, -2000), relative=("column", "paragraph")),
    "text box without width": drawn(shape(alone(""), size=(0, 50)), size=(0, 50)),
    "text box that is switched off": drawn(shape(alone("")), off='hidden="1"'),
    "text box in the colour of the page": drawn(shape(alone("", WHITE), solid("FFFFFF"))),
    "text box in the colour of the theme": drawn(
        shape(alone("", '<w:color w:val="4F81BD"/>'), solid("accent1", "schemeClr"))
    ),
    "text box whose style makes its text white": drawn(
        shape(alone(""), more='<wps:style><a:fontRef idx="minor"><a:schemeClr val="lt1"/></a:fontRef></wps:style>')
    ),
    "below the edge of a text box": drawn(shape(paragraph("ok") * 6 + alone(""))),
    "text box outside its group and the page": group(
        shape(paragraph("box")) + shape(alone("")).replace('<a:off x="0" y="0"/>', f'<a:off x="{-12700 * 900}" y="0"/>')
    ),
    "old text box beside the page": old("position:absolute;margin-left:-2000pt;margin-top:0;width:200pt;height:50pt"),
    "old text box that is not visible": old("position:absolute;width:200pt;height:50pt;visibility:hidden"),
    "old text box in the colour of the page": old(
        "position:absolute;width:200pt;height:50pt", 'fillcolor="white"', alone("", WHITE)
    ),
    "fallback of a shown alternative that is beside the page": paragraph(
        either(
            drawn(shape(alone("")), at=(-2000, 10)).removeprefix("<w:p>").removesuffix("</w:p>"),
            run(SECRET),
        )
    ),
    "frame beside the page": framed(w=2000, hSpace=0, wrap="around", vAnchor="page", hAnchor="page", x=-9000, y=500),
    "indents beside the page": alone('<w:ind w:left="-9000" w:right="12000"/>'),
    "field without a result": field(" SET x 1 ", SECRET),
    "white number of a list": (
        paragraph("item", LISTED),
        {"numbering": NUMBERED.format(f"<w:rPr>{WHITE}</w:rPr>")},
    ),
}
SHOWN: Final[dict[str, str | tuple[str, dict[str, str]]]] = {
    "plain": text(),
    "grey": text('<w:color w:val="808080"/>'),
    "automatic after a white style": text('<w:rStyle w:val="Ink"/>'),
    "automatic on a black paragraph": alone('<w:shd w:val="clear" w:fill="000000"/>', '<w:color w:val="auto"/>'),
    "text colour of the theme": text('<w:color w:val="FFFFFF" w:themeColor="text1"/>'),
    "text colour of the theme, tinted": text(TINTED.format("text1", "Tint", "80")),
    "background colour of the theme, shaded": text(TINTED.format("background1", "Shade", "80")),
    "accent": text('<w:color w:val="4F81BD" w:themeColor="accent1"/>'),
    "hyperlink": text('<w:color w:val="0000FF" w:themeColor="hyperlink"/>'),
    "white on a dark paragraph": alone("", style="Banner"),
    "white on a dark fill of the theme": text(
        WHITE + '<w:shd w:val="clear" w:color="auto" w:fill="1F497D" w:themeFill="text2"/>'
    ),
    "white on a tint of black": text(
        WHITE + '<w:shd w:val="clear" w:color="auto" w:fill="808080" w:themeFill="text1" w:themeFillTint="80"/>'
    ),
    "white on a pattern of black": text(WHITE + '<w:shd w:val="pct75" w:color="auto" w:fill="FFFFFF"/>'),
    "red on yellow": text('<w:color w:val="FF0000"/><w:highlight w:val="yellow"/>'),
    "white on a dark highlighter": text(WHITE + '<w:highlight w:val="darkYellow"/>'),
    "black on grey": text('<w:shd w:val="clear" w:color="auto" w:fill="D9D9D9"/>'),
    "light on a shown dark page": (BACKGROUND.format("203040") + text(WHITE), SHOWN_BACKGROUND),
    "automatic on a shown dark page": (BACKGROUND.format("203040") + text(), SHOWN_BACKGROUND),
    "hidden on the web only": text("<w:webHidden/>"),
    "not hidden": text('<w:vanish w:val="0"/>'),
    "eight points": text('<w:sz w:val="16"/>'),
    "raised": text('<w:sz w:val="16"/><w:vertAlign w:val="superscript"/>'),
    "half of the letters' width": text('<w:w w:val="50"/>'),
    "condensed": text('<w:spacing w:val="-20"/>'),
    "lowered": text('<w:position w:val="-6"/>'),
    "outline": text('<w:color w:val="000000"/><w:outline/>'),
    "half transparent": filled_text(w14("000000", 50)),
    "white letters with a black outline": text(
        f'{WHITE}<w14:textOutline w14:w="9525">{w14("000000")}</w14:textOutline>'
        f"<w14:textFill>{w14('FFFFFF')}</w14:textFill>"
    ),
    "gradient of letters": filled_text(
        '<w14:gradFill><w14:gsLst><w14:gs w14:pos="0"><w14:srgbClr w14:val="FF0000"/></w14:gs><w14:gs w14:pos="100000">'
        '<w14:srgbClr w14:val="0000FF"/></w14:gs></w14:gsLst></w14:gradFill>'
    ),
    "lines of exactly twelve points": alone('<w:spacing w:line="240" w:lineRule="exact"/>'),
    "lines of at least a point": alone('<w:spacing w:line="20" w:lineRule="atLeast"/>'),
    "collapsed under its heading": paragraph("Heading", "<w15:collapsed xmlns:w15='x'/>", style="Titre1") + text(),
    "white in a dark first row": styled(SECRET, "b"),
    "white in a dark first row by another style": styled(SECRET, "b", "Darker"),
    "first row by the bits of the look": styled(SECRET, "b", look='<w:tblLook w:val="0420"/>'),
    "band of a table": styled("a", SECRET),
    "style that the table does not use": styled(SECRET, "b", look='<w:tblLook w:val="0400" w:firstRow="0"/>'),
    "white in a dark cell": grid(row(cell("a"), cell(paragraph(run(SECRET, WHITE)), NAVY)) + row(cell("c"), cell("d"))),
    "row of exactly its height": grid(row(cell("a"), cell("b")) + exact_row(300, paragraph(SECRET))),
    "narrow column that fits its text": grid(
        row(cell("a"), cell(SECRET, '<w:tcW w:w="1" w:type="dxa"/>')) + row(cell("b"), cell("c"))
    ),
    "table in the margin": grid(
        row(cell("a"), cell(SECRET)) + row(cell("b"), cell("c")), properties='<w:tblInd w:w="-1000" w:type="dxa"/>'
    ),
    "text box": drawn(shape(alone(""))),
    "text box far below the paragraph of its anchor": drawn(
        shape(alone("")), at=(0, 500), relative=("column", "paragraph")
    ),
    "text box above the paragraph of its anchor": (
        paragraph("more") * 6 + drawn(shape(alone("")), at=(0, -60), relative=("margin", "paragraph"))
    ),
    "white text box of the theme": drawn(shape(alone("", WHITE), solid("accent1", "schemeClr"))),
    "white text box of a shape's style": drawn(
        shape(
            alone(""),
            "",
            more='<wps:style><a:fillRef idx="1"><a:schemeClr val="accent1"/></a:fillRef><a:fontRef idx="minor">'
            '<a:schemeClr val="lt1"/></a:fontRef></wps:style>',
        )
    ),
    "shape in a group": group(
        shape(paragraph("box"), solid("000000", more=""), size=(100, 50))
        + shape(alone(""), size=(100, 50)).replace('<a:off x="0" y="0"/>', f'<a:off x="{12700 * 150}" y="0"/>')
    ),
    "old text box": old("position:absolute;margin-left:10pt;margin-top:0;width:200pt;height:50pt"),
    "old text box, dark": old("position:absolute;width:200pt;height:50pt", 'fillcolor="#1f3864"', alone("", WHITE)),
    "alternatives of the same text": paragraph(
        either(
            drawn(shape(alone(""))).removeprefix("<w:p>").removesuffix("</w:p>"),
            old("position:absolute;width:200pt;height:50pt").removeprefix("<w:p>").removesuffix("</w:p>"),
        )
    ),
    "frame": framed(w=2000, wrap="around", vAnchor="page", hAnchor="page", x=1000, y=500),
    "initial letter": alone(
        '<w:framePr w:dropCap="drop" w:lines="3" w:wrap="around" w:vAnchor="text" w:hAnchor="text"/>'
    ),
    "indent into the margin": alone('<w:ind w:left="-720" w:firstLine="360"/>'),
    "field": field(" HYPERLINK x ", SECRET),
    "number of a list": (paragraph("item", LISTED), {"numbering": NUMBERED.format("")}),
}
DOUBTFUL: Final[dict[str, str | tuple[str, dict[str, str]]]] = {
    "letters on one another": text('<w:spacing w:val="-240"/>'),
    "white text where a picture may be behind it": (
        drawn(shape(paragraph("box"), solid("000000")), behind=1) + text(WHITE)
    ),
    "white text box that may lie on a dark one": drawn(BLACK_BOX, size=(300, 60)) + drawn(shape(alone("", WHITE))),
    "text box above the first paragraphs of a page": drawn(
        shape(alone("")), at=(0, -300), relative=("margin", "paragraph")
    ),
    "row that is marked as hidden": grid(
        row(cell("a"), cell("b")) + f"<w:tr><w:trPr><w:hidden/></w:trPr>{cell('c')}{cell(SECRET)}</w:tr>"
    ),
    "raised by half a page": text('<w:position w:val="800"/>'),
    "text of three points": text('<w:sz w:val="5"/>'),
    "white on stripes": text(WHITE + '<w:shd w:val="horzStripe" w:color="000000" w:fill="FFFFFF"/>'),
    "cell of a dark table": grid(
        row(cell("a"), cell(paragraph(run(SECRET, WHITE)))) + row(cell("c"), cell("d")), properties=NAVY
    ),
    "white where the look of the table is not told": styled(SECRET, "b", look="").replace(
        run(SECRET), run(SECRET, WHITE)
    ),
}
LOST: Final = {
    "deleted": paragraph(run("Total ") + f'<w:del w:id="1"><w:r><w:delText>{SECRET}</w:delText></w:r></w:del>'),
    "moved away": paragraph(run("Total ") + f'<w:moveFrom w:id="1">{run(SECRET)}</w:moveFrom>'),
    "instruction of a field": field(f" QUOTE {SECRET} ", "x"),
    "what an alternative shows to programs that lack nothing": either(text(words="is large"), text()),
}


def built(entry: str | tuple[str, dict[str, str]]) -> bytes:
    body, parts = (entry, {}) if isinstance(entry, str) else entry
    parts = {"styles": STYLES + MORE_STYLES, "theme": THEME, **parts}
    return docx(f"{paragraph('before')}{body}{paragraph('after')}{PAGE}", **parts)


def read(folder: Path, entry: str | tuple[str, dict[str, str]]) -> Document:
    return read_docx(submitted(folder, "report.docx", built(entry)))


def words(document: Document) -> str:
    return " ".join(block.text for block in (*document.blocks, *document.furniture))


@pytest.mark.parametrize("way", HIDDEN)
def test_word_hides(tmp_path: Path, way: str) -> None:
    document = read(tmp_path, HIDDEN[way])
    assert SECRET not in words(document)
    hidden = " ".join(block.text for block in document.hidden)
    assert SECRET in hidden
    assert "before" in f"{words(document)} {hidden}"
    assert any("cannot be seen" in problem for problem in document.problems)


@pytest.mark.parametrize("way", SHOWN)
def test_word_shows(tmp_path: Path, way: str) -> None:
    document = read(tmp_path, SHOWN[way])
    assert words(document).count(SECRET) == 1
    assert (document.hidden, document.problems) == ((), ())


@pytest.mark.parametrize("way", DOUBTFUL)
def test_word_leaves_open(tmp_path: Path, way: str) -> None:
    document = read(tmp_path, DOUBTFUL[way])
    assert SECRET not in words(document)
    assert document.hidden == ()
    assert any("could not be established" in problem and SECRET in problem for problem in document.problems)


@pytest.mark.parametrize("way", LOST)
def test_what_is_no_text_of_a_word_document_is_not_read(tmp_path: Path, way: str) -> None:
    assert SECRET not in words(read(tmp_path, LOST[way]))


def test_a_deleted_end_joins_two_paragraphs(tmp_path: Path) -> None:
    begun = paragraph("The total", '<w:rPr><w:del w:id="1"/></w:rPr>')
    document = read(tmp_path, begun + paragraph(run(" is 512.")))
    assert [block.text for block in document.blocks if block.text] == ["before", "The total is 512.", "after"]
