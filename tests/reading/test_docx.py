"""Word documents: titles, lists, tables, formulas, changes, notes; and files that are broken or hostile."""

import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.reading.document import Block, BlockKind, Document
from grader.reading.docx import read_docx
from tests.reading.making import submitted
from tests.reading.making_docx import (
    cell,
    docx,
    item,
    letters,
    lowered,
    math,
    paragraph,
    part,
    raised,
    row,
    run,
    table,
    zipped,
)

LISTS = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/>'
    '</w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="1">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>'
    '</w:abstractNum><w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
    '<w:numFmt w:val="decimal"/><w:lvlText w:val="Question %1:"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>'
    '<w:num w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
    "</w:lvlOverride>"
    "</w:num>"
)


def read(folder: Path, body: str, **parts: str) -> Document:
    return read_docx(submitted(folder, "report.docx", docx(body, **parts)))


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks if block.text]


def test_titles_are_known_by_style_outline_and_bold_type(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        paragraph("Lab", style="Titre1")
        + paragraph("Question 1", style="Mien")
        + paragraph("By outline", '<w:outlineLvl w:val="2"/>')
        + paragraph("")
        + paragraph(run("Question 2", "<w:b/>"))
        + paragraph("Own words", style="Heading3")
        + paragraph("Text", style="Loop"),
    )
    assert [(block.kind, block.text, block.level, block.line) for block in document.blocks] == [
        (BlockKind.HEADING, "Lab", 1, 1),
        (BlockKind.HEADING, "Question 1", 2, 2),
        (BlockKind.HEADING, "By outline", 3, 3),
        (BlockKind.HEADING, "Question 2", 6, 4),
        (BlockKind.HEADING, "Own words", 3, 5),
        (BlockKind.LINE, "Text", None, 6),
    ]
    assert document.exact
    assert document.problems == ()


def test_paragraphs_do_not_run_together(tmp_path: Path) -> None:
    document = read(tmp_path, paragraph("one") + paragraph(run("two") + "<w:r><w:br/></w:r>" + run("three")))
    assert [(block.text, block.line) for block in document.blocks] == [("one", 1), ("", 2), ("two", 2), ("three", 2)]


def test_lists_have_their_numbers(tmp_path: Path) -> None:
    body = (
        item("bullet", 1)
        + item("first", 2)
        + item("inner", 2, 1)
        + item("second", 2)
        + item("inner again", 2, 1)
        + item("fifth", 4)
        + item("no number", 0)
        + item("unknown", 99)
    )
    document = read(tmp_path, body, numbering=LISTS)
    assert texts(document) == [
        "• bullet",
        "1. first",
        "1.a) inner",
        "2. second",
        "2.a) inner again",
        "5. fifth",
        "no number",
        "• unknown",
    ]
    assert document.blocks[0].kind is BlockKind.LIST_ITEM


def test_a_titles_number_is_shown_when_it_has_words(tmp_path: Path) -> None:
    numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{}"/></w:numPr>'
    body = paragraph("Counting", numbered.format(3), style="Titre1") + paragraph(
        "Plain", numbered.format(2), style="Titre1"
    )
    assert texts(read(tmp_path, body, numbering=LISTS)) == ["Question 1: Counting", "Plain"]


def test_a_number_that_a_word_processor_took_for_a_list_s_is_read(tmp_path: Path) -> None:
    """`22829056. I sum the embeddings` becomes a list that begins with this number, and is shown with it."""
    body = paragraph("I sum the embeddings", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="4"/></w:numPr>')
    lists = LISTS.replace('startOverride w:val="5"', 'startOverride w:val="22829056"')
    assert texts(read(tmp_path, body, numbering=lists)) == ["22829056. I sum the embeddings"]


def test_raised_and_lowered_text(tmp_path: Path) -> None:
    inner = (
        run("4 × 512") + raised("2") + run(" = 1048576, d") + lowered("mod") + lowered("el") + run(", 1") + raised("st")
    )
    (block,) = read(tmp_path, paragraph(inner)).blocks
    assert block.text == "4 × 512^{2} = 1048576, d_{model}, 1st"


def fraction(above: str, below: str) -> str:
    return f"<m:f><m:num>{above}</m:num><m:den>{below}</m:den></m:f>"


def power(base: str, exponent: str) -> str:
    return f"<m:sSup><m:e>{letters(base)}</m:e><m:sup>{letters(exponent)}</m:sup></m:sSup>"


@pytest.mark.parametrize(
    ("inner", "latex"),
    [
        (power("512", "2"), "512^{2}"),
        (power("ab+c", "2"), "{ab+c}^{2}"),
        (fraction(letters("a"), power("b", "2")), r"\frac{a}{b^{2}}"),
        (f"<m:sSub><m:e>{letters('𝑑')}</m:e><m:sub>{letters('model')}</m:sub></m:sSub>", "d_{model}"),
        (f'<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>{letters("x")}</m:e></m:rad>', r"\sqrt{x}"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{letters("i=1")}</m:sub>'
            f"<m:sup>{letters('N')}</m:sup><m:e>{letters('x')}</m:e></m:nary>",
            r"\sum_{i=1}^{N} x",
        ),
        (f"<m:d><m:e>{letters('a+b')}</m:e></m:d>", "(a+b)"),
        (f'<m:d><m:dPr><m:begChr m:val="{{"/><m:endChr m:val=""/></m:dPr><m:e>{letters("a")}</m:e></m:d>', r"\{a"),
        (f'<m:acc><m:accPr><m:chr m:val="̂"/></m:accPr><m:e>{letters("x")}</m:e></m:acc>', r"\hat{x}"),
        (
            f"<m:limLow><m:e><m:groupChr><m:e>{letters('ab')}</m:e></m:groupChr></m:e><m:lim>{letters('t')}"
            "</m:lim></m:limLow>",
            r"\underbrace{ab}_{t}",
        ),
        (
            f"<m:limLow><m:e><m:limLow><m:e>{letters('ab')}</m:e><m:lim>{letters('⏟')}</m:lim></m:limLow></m:e>"
            f"<m:lim>{letters('t')}</m:lim></m:limLow>",
            r"\underbrace{ab}_{t}",
        ),
        (letters("79.3%"), r"79.3\%"),
        ("<m:r><m:rPr><m:nor/></m:rPr><m:t>total weights</m:t></m:r>" + letters("=2"), r"\text{total weights}=2"),
        ("<m:unknown>" + letters("kept") + "</m:unknown>", "kept"),
    ],
)
def test_formulas_become_latex(tmp_path: Path, inner: str, latex: str) -> None:
    shown, inline = read(
        tmp_path, paragraph(math(inner, displayed=True)) + paragraph(run("so ") + math(inner) + run(" holds"))
    ).blocks
    assert (shown.kind, shown.text) == (BlockKind.MATH, f"$${latex}$$")
    assert (inline.kind, inline.text) == (BlockKind.LINE, f"so ${latex}$ holds")


def test_a_formula_over_several_lines_is_several_blocks(tmp_path: Path) -> None:
    array = f"<m:eqArr><m:e>{letters('a&=b')}</m:e><m:e>{letters('c&=d')}</m:e></m:eqArr>"
    assert texts(read(tmp_path, paragraph(math(array, displayed=True)))) == ["$$a=b$$", "$$c=d$$"]


def rows(document: Document) -> list[tuple[str, ...]]:
    return [block.cells for block in document.blocks if block.kind is BlockKind.ROW]


def test_tables_with_cells_over_several_columns_and_rows(tmp_path: Path) -> None:
    body = table(
        row(cell("Model", '<w:vMerge w:val="restart"/>'), cell("Test accuracy", '<w:gridSpan w:val="2"/>')),
        row(cell("", "<w:vMerge/>"), "seed 0", "seed 1"),
        row("Pretrained", "79.3", "80.1"),
        row("Mean", cell("79.7 ± 0.4", '<w:gridSpan w:val="2"/>')),
    )
    document = read(tmp_path, paragraph("Table 1: results", style="Lgende") + body)
    assert document.blocks[0].kind is BlockKind.CAPTION
    assert rows(document) == [
        ("Model", "Test accuracy", "Test accuracy"),
        ("Model", "seed 0", "seed 1"),
        ("Pretrained", "79.3", "80.1"),
        ("Mean", "79.7 ± 0.4", ""),
    ]
    assert {block.line for block in document.blocks[1:]} == {2}


def test_neighbouring_tables_stay_apart_and_layout_is_seen_through(tmp_path: Path) -> None:
    inner = table(row("seed", "test"), row("0", "79.3"))
    document = read(tmp_path, inner + inner + table(row(cell(paragraph("In a frame") + inner))))
    assert [block.kind for block in document.blocks] == [
        *[BlockKind.ROW] * 2,
        BlockKind.LINE,
        *[BlockKind.ROW] * 2,
        BlockKind.LINE,
        *[BlockKind.ROW] * 2,
    ]
    assert document.blocks[5].text == "In a frame"


def test_neighbouring_paragraphs_with_tabs_are_a_table(tmp_path: Path) -> None:
    def tabbed(*texts: str) -> str:
        return paragraph("<w:r><w:tab/></w:r>".join(run(text) for text in texts))

    body = (
        tabbed("seed", "test") + tabbed("0", "79.3") + tabbed("1", "80.1") + tabbed("Total", "5", "6") + paragraph("x")
    )
    document = read(tmp_path, body)
    assert rows(document) == [("seed", "test"), ("0", "79.3"), ("1", "80.1")]
    assert texts(document)[3:] == ["Total 5 6", "x"]


def test_a_tab_in_a_cell_leaves_the_table_whole(tmp_path: Path) -> None:
    tabbed = paragraph(run("79.9") + "<w:r><w:tab/></w:r>" + run("%"))
    document = read(tmp_path, table(row("seed", "test"), row(cell(paragraph(run("0"))), cell(tabbed))))
    assert rows(document) == [("seed", "test"), ("0", "79.9 %")]


def test_names_set_as_code_leave_the_table_whole(tmp_path: Path) -> None:
    def code(name: str) -> str:
        return cell(paragraph(run(name, '<w:rFonts w:ascii="Consolas"/>')))

    words = "A text that is longer than the names beside it and in the usual font of the report."
    lines = (row(code("bias"), code('"none"'), cell(paragraph(run(words)))), row("r", "16", "the rank"))
    document = read(tmp_path, table(*lines))
    assert rows(document) == [("bias", '"none"', words), ("r", "16", "the rank")]


def test_tracked_changes_show_the_final_text(tmp_path: Path) -> None:
    body = (
        paragraph(
            run("total ")
            + '<w:del w:id="1"><w:r><w:delText>wrong</w:delText></w:r></w:del>'
            + f'<w:ins w:id="2">{run("right")}</w:ins>'
            + f"<w:moveFrom>{run('moved')}</w:moveFrom>"
        )
        + table(row("a", "b"), f"<w:tr><w:trPr><w:del/></w:trPr>{cell('gone')}{cell('too')}</w:tr>")
        + paragraph(run("hidden", "<w:vanish/>") + run("shown", '<w:vanish w:val="0"/>'))
        + paragraph(run("79.65", "<w:strike/>") + run("79.6", "<w:dstrike/>") + run("79.77", '<w:strike w:val="0"/>'))
    )
    assert texts(read(tmp_path, body)) == ["total right", "a | b", "shown", "79.77"]


def test_links_fields_symbols_and_controls(tmp_path: Path) -> None:
    inner = (
        f'<w:hyperlink w:anchor="x">{run("link")}</w:hyperlink>'
        + run(" page ")
        + '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF x </w:instrText></w:r>'
        + '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        + run("12")
        + '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        + f'<w:fldSimple w:instr="SEQ">{run(" 3")}</w:fldSimple>'
        + '<w:r><w:sym w:font="Symbol" w:char="F0B4"/><w:noBreakHyphen/><w:sym w:font="Odd" w:char="zz"/></w:r>'
        + f"<w:sdt><w:sdtContent>{run('kept')}</w:sdtContent></w:sdt>"
        + f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{run('Click here')}</w:sdtContent></w:sdt>"
    )
    assert texts(read(tmp_path, paragraph(inner))) == ["link page 12 3×-\ufffdkept"]


def test_notes_stand_behind_their_paragraph_and_their_marks_are_no_digits(tmp_path: Path) -> None:
    mark = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r>'
    document = read(
        tmp_path,
        table(row(cell(paragraph(run("79.3") + mark)), "x")) + paragraph("after"),
        footnotes='<w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote>'
        + f'<w:footnote w:id="2">{paragraph("with biases")}</w:footnote>',
    )
    assert texts(document) == ["79.3 | x", "with biases", "after"]


def test_text_boxes_and_pictures_are_not_lost(tmp_path: Path) -> None:
    box = f"<w:drawing><wps:txbx><w:txbxContent>{paragraph('in a box')}</w:txbxContent></wps:txbx></w:drawing>"
    old = "<w:pict><w:txbxContent><w:p/></w:txbxContent></w:pict>"
    picture = '<w:drawing><a:docPr descr="training  curve"/><a:blip/></w:drawing>'
    both = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{old}</mc:Fallback></mc:AlternateContent>"
    document = read(tmp_path, paragraph(run("before") + f"<w:r>{both}{picture}</w:r>"))
    assert [(block.kind, block.text) for block in document.blocks if block.text] == [
        (BlockKind.LINE, "before"),
        (BlockKind.FIGURE, "training curve"),
        (BlockKind.LINE, "in a box"),
    ]


def test_old_equations_are_reported(tmp_path: Path) -> None:
    embedded = '<w:r><w:object><a:OLEObject ProgID="Equation.3"/></w:object></w:r>'
    document = read(tmp_path, paragraph(run("so ") + embedded))
    assert "at least 1" in document.problems[0]
    assert document.blocks[-1].kind is BlockKind.FIGURE


def test_contents_headers_and_footers_are_furniture(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        paragraph("Question 1\t3", style="TM1") + paragraph("Text"),
        header1=paragraph("Lab 4"),
        header2=paragraph("Lab 4"),
        footer1=paragraph("Page 1"),
    )
    assert texts(document) == ["Text"]
    assert [block.text for block in document.furniture] == ["Question 1\t3", "Page 1", "Lab 4"]


def test_code_is_known_by_style_and_by_font(tmp_path: Path) -> None:
    font = '<w:rFonts w:ascii="Consolas"/>'
    body = (
        paragraph("def f():", style="Code")
        + paragraph("    return 1", style="Code")
        + paragraph("A longer sentence in the usual font of the report, which is no code at all.")
        + paragraph(run("  print(x)", font))
        + paragraph(run("mixed ") + run("code", font))
    )
    assert [(block.kind, block.text) for block in read(tmp_path, body).blocks if block.text] == [
        (BlockKind.CODE, "def f():"),
        (BlockKind.CODE, "    return 1"),
        (BlockKind.LINE, "A longer sentence in the usual font of the report, which is no code at all."),
        (BlockKind.CODE, "  print(x)"),
        (BlockKind.LINE, "mixed code"),
    ]
    typewriter = paragraph(run("All is set like this.", font))
    assert [block.kind for block in read(tmp_path, typewriter).blocks] == [BlockKind.LINE]


def test_other_names_for_the_namespaces_and_the_main_part(tmp_path: Path) -> None:
    strict = (
        '<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:body><x:p><x:r><x:t>strict</x:t></x:r>'
        "</x:p></x:body></x:document>"
    )
    relations = '<R><Relationship Type="http://x/officeDocument" Target="/word/other.xml"/></R>'
    data = zipped({"_rels/.rels": relations.encode(), "word/other.xml": strict.encode()})
    assert texts(read_docx(submitted(tmp_path, "a.docx", data))) == ["strict"]


BODY = "".join(paragraph(f"Paragraph number {number}, rather {zlib.crc32(bytes([number]))}") for number in range(60))


def test_a_truncated_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = docx(BODY)
    document = read_docx(submitted(tmp_path, "a.docx", whole[: len(whole) // 2]))
    assert document.blocks[0].text.startswith("Paragraph number 0")
    assert 10 < len(texts(document)) < 60
    assert "damaged" in document.problems[0]


def test_damaged_xml_is_read_up_to_the_damage(tmp_path: Path) -> None:
    broken = part("document", f"<w:body>{paragraph('before')}<w:p></w:body>").encode()
    document = read_docx(submitted(tmp_path, "a.docx", zipped({"word/document.xml": broken})))
    assert texts(document) == ["before"]
    assert "damaged" in document.problems[0]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"plain text", "not an office document"),
        (b"{\\rtf1 x}", "save it as .docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "save it as .docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "password"),
        (zipped({"a.txt": b"x"}), "not an office document"),
    ],
)
def test_what_is_no_word_document_says_what_to_do(tmp_path: Path, data: bytes, reason: str) -> None:
    document = read_docx(submitted(tmp_path, "a.docx", data))
    assert document.blocks == ()
    assert reason in document.problems[0]


def test_entities_are_refused(tmp_path: Path) -> None:
    entities = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    data = zipped({"word/document.xml": f"{entities}<w:document>&b;&f;</w:document>".encode()})
    document = read_docx(submitted(tmp_path, "a.docx", data))
    assert document.blocks == ()
    assert "document type" in document.problems[0]


def test_a_bomb_and_a_tower_are_bounded(tmp_path: Path) -> None:
    bomb = read_docx(submitted(tmp_path, "a.docx", zipped({"word/document.xml": b" " * 60_000_000})))
    assert any("too long" in problem for problem in bomb.problems)
    depth = 5_000
    tower = f"{'<w:tbl><w:tr><w:tc>' * depth}{paragraph('deep')}{'</w:tc></w:tr></w:tbl>' * depth}{paragraph('after')}"
    document = read(tmp_path, tower)
    assert texts(document) == ["after"]
    assert "too deeply" in document.problems[0]


WHOLE = docx(
    paragraph("Title", style="Titre1") + table(row("a", "b")) + paragraph(math(power("5", "2"))) + item("x", 2),
    numbering=LISTS,
)


@given(
    cut=st.integers(min_value=0, max_value=len(WHOLE)),
    changes=st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(1, 255)), max_size=8),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_makes_the_reader_raise(tmp_path: Path, cut: int, changes: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for at, mask in changes:
        data[at] ^= mask
    document = read_docx(submitted(tmp_path, "a.docx", bytes(data[:cut])))
    assert document.blocks or document.problems
    assert document.model_dump_json()


NAMES = (
    "w:p",
    "w:r",
    "w:t",
    "w:tbl",
    "w:tr",
    "w:tc",
    "w:pPr",
    "w:numPr",
    "m:oMath",
    "m:f",
    "m:e",
    "w:sdt",
    "mc:Choice",
)
SOUP = st.recursive(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="<&>"), max_size=8),
    lambda inner: st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>", st.sampled_from(NAMES), st.lists(inner, max_size=4)
    ),
    max_leaves=25,
)


@given(soup=SOUP)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_elements_in_odd_places_do_no_harm(tmp_path: Path, soup: str) -> None:
    document = read(tmp_path, soup + paragraph("the end"))
    last: Block = document.blocks[-1]
    assert last.text == "the end"
