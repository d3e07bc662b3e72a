"""Web pages: structure, formulas, tables, exported notebooks; and pages that are broken or hostile."""

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.reading.document import BlockKind, Document
from grader.reading.html import page_document, read_html
from grader.reading.notebook import CellKind, exported_notebook
from tests.reading.making import submitted


def page(source: str) -> Document:
    return page_document("report.html", source)


def texts(source: str) -> list[str]:
    return [block.text for block in page(source).blocks if block.text]


def test_titles_paragraphs_and_lines(tmp_path: Path) -> None:
    source = "<!doctype html>\n<title>no</title>\n<h2>Question 1 <a class=anchor-link href=#x>¶</a></h2>\n"
    source += "<p>One\ntwo\n<p>three<br>four"
    document = read_html(submitted(tmp_path, "report.html", source))
    assert [(block.kind, block.text, block.line) for block in document.blocks] == [
        (BlockKind.HEADING, "Question 1", 3),
        (BlockKind.LINE, "One two", 4),
        (BlockKind.LINE, "", 6),
        (BlockKind.LINE, "three", 6),
        (BlockKind.LINE, "four", 6),
    ]
    assert document.exact
    assert document.problems == ()


def test_bold_lines_are_titles_and_bold_words_are_not() -> None:
    blocks = page("<p><b>Question 2</b></p><p><b>Note</b> that</p><div role=heading aria-level=3>Task 1</div>").blocks
    assert [(block.kind, block.level) for block in blocks] == [
        (BlockKind.HEADING, 6),
        (BlockKind.LINE, None),
        (BlockKind.HEADING, 3),
    ]


@pytest.mark.parametrize(
    ("source", "items"),
    [
        ("<ul><li>a<li><p>b</p></ul>", ["• a", "• b"]),
        ("<ol start=3><li>a</li><ul><li>b</li></ul><li>c</ol>", ["3. a", "• b", "4. c"]),
        ("<dl><dt>r</dt><dd>the rank</dd><dt>bias:<dd><p>which</dl>", ["• r: the rank", "• bias: which"]),
        ("<li>alone", ["• alone"]),
    ],
)
def test_lists(source: str, items: list[str]) -> None:
    blocks = page(source).blocks
    assert [block.text for block in blocks] == items
    assert {block.kind for block in blocks} == {BlockKind.LIST_ITEM}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "4&times;512<sup>2</sup> &lt; 10&#178; &amp; a &unknown; &#99999999999;",
            "4×512^{2} < 10² & a &unknown; \ufffd",
        ),
        ("d<sub>model</sub>, 1<sup>st</sup>, 3<sup>e</sup>", "d_{model}, 1st, 3e"),
        ('total<sup class="x"><a href="#fn1">1</a></sup> is 5', "total is 5"),
        ('512<span style="vertical-align: super">2</span>', "512^{2}"),
        ("<style>p{x:y}.c5{vertical-align:super}</style>512<span class='c1 c5'>2</span>", "512^{2}"),
        ("a < b and 3<4 </b>", "a < b and 3<4"),
        ("<b>un<i>closed</b> tags</i>", "unclosed tags"),
        ("x<!-- <p>not</p> -->y<script>if (a<b) {'<p>'}</script>z<![if !x]>!", "xyz!"),
        ("22&nbsp;829&nbsp;056", "22\xa0829\xa0056"),
        ("mean <s>79.65</s> <b>79.77</b><del>, std <i>0.55</i></del>", "mean 79.77"),
    ],
)
def test_running_text(source: str, text: str) -> None:
    assert texts(f"<p>{source}</p>") == [text]


def test_what_is_not_shown_is_left_out_and_reported_when_it_could_have_been_meant_to_count() -> None:
    hidden = '<div style="color:red; display:none">{}</div><p hidden>{}</p>seen'
    assert texts(hidden.format("Copy", "close the menu")) == ["seen"]
    assert page(hidden.format("Copy", "close the menu")).problems == ()
    sentence = page(hidden.format("we choose the checkpoint with the best validation accuracy", "loss 0.31"))
    assert texts("seen") == [block.text for block in sentence.blocks if block.text]
    assert len(sentence.hidden) == 2
    assert any("cannot be seen" in problem for problem in sentence.problems)


def rows(source: str) -> list[tuple[str, ...]]:
    return [block.cells for block in page(source).blocks if block.cells]


def test_tables_with_spans_and_a_caption() -> None:
    source = (
        "<table><caption>Table 1</caption><tfoot><tr><td>Mean<td colspan=2>79.7 ± 0.4</tfoot>"
        "<thead><tr><th rowspan=2>Model<th colspan=2>Test</thead><tr><th>seed 0<th>seed 1\n"
        "<tr><td>Pretrained<td><p>79.3</p><td>80.1<img alt=x></table>"
    )
    document = page(source)
    assert [block.kind for block in document.blocks] == [
        BlockKind.CAPTION, *[BlockKind.ROW] * 4, BlockKind.FIGURE
    ]  # fmt: skip
    assert rows(source) == [
        ("Model", "Test", "Test"),
        ("Model", "seed 0", "seed 1"),
        ("Pretrained", "79.3", "80.1"),
        ("Mean", "79.7 ± 0.4", ""),
    ]
    assert {block.line for block in document.blocks[1:5]} == {1}


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("<figure><table><tr><td>1</table><figcaption><p>Table 1</p></figcaption></figure>", BlockKind.CAPTION),
        ("<table><caption><div><p>Table 1</p></div></caption><tr><td>1</table>", BlockKind.CAPTION),
        ("<h2><div>Table 1</div></h2><p>1</p>", BlockKind.HEADING),
    ],
)
def test_paragraphs_of_a_caption_or_title_are_of_it(source: str, kind: BlockKind) -> None:
    assert [block.kind for block in page(source).blocks if block.text == "Table 1"] == [kind]


@pytest.mark.parametrize(
    "mark",
    [
        '<sup><a href="#fn1">1</a></sup>',
        '<a href="#fn1" class="footnote-ref" role="doc-noteref"><sup>1</sup></a>',
        '<a href="#fn1"><sup>1</sup></a>',
    ],
)
def test_the_number_of_a_note_is_no_power(mark: str) -> None:
    assert texts(f"<p>79.5{mark} of <a href='#t'>Table 1</a></p>") == ["79.5 of Table 1"]


def test_layout_tables_are_seen_through() -> None:
    source = "<table><tr><td><h1>Lab</h1><p>text<td><table><tr><td>a<td>1</table></table>"
    assert [(block.kind, block.text) for block in page(source).blocks] == [
        (BlockKind.HEADING, "Lab"),
        (BlockKind.LINE, "text"),
        (BlockKind.ROW, "a | 1"),
    ]


@pytest.mark.parametrize("inner", ["<pre>LoraConfig(r=16)</pre>", "<table><tr><td>r</td><td>16</td></tr></table>"])
def test_code_or_a_table_in_a_cell_leaves_the_table_whole(inner: str) -> None:
    source = f"<table><tr><th>name</th><th>how</th></tr><tr><td>rank</td><td>{inner}</td></tr></table>"
    head, row = (block.cells for block in page(source).blocks)
    assert head == ("name", "how")
    assert row[0] == "rank"
    assert "16" in row[1]


@pytest.mark.parametrize("inner", ["<pre>r = 16\na = 32</pre>", "<table><tr><td>r</td><td>16</td></tr></table>"])
def test_code_or_a_table_in_front_of_a_row_leaves_a_table_with_a_head_whole(inner: str) -> None:
    source = f"<table><tr><th>code</th><th>meaning</th></tr><tr><td>{inner}</td><td>the rank</td></tr></table>"
    head, row = (block.cells for block in page(source).blocks)
    assert head == ("code", "meaning")
    assert "16" in row[0]
    assert row[1] == "the rank"


def test_neighbouring_tables_stay_apart() -> None:
    one = "<table><tr><td>a<td>b</table>"
    assert [block.kind for block in page(one + one).blocks] == [BlockKind.ROW, BlockKind.LINE, BlockKind.ROW]


def test_preformatted_text_is_code_line_by_line() -> None:
    blocks = page("<p>x\n<pre><code>\ndef <b>f</b>():\n    return 1<br>\n\n</code></pre>").blocks
    assert [(block.kind, block.text, block.line) for block in blocks[1:]] == [
        (BlockKind.CODE, "def f():", 3),
        (BlockKind.CODE, "    return 1", 4),
    ]


KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow>'
    '<annotation encoding="application/x-tex">512^2</annotation></semantics></math></span>'
    '<span class="katex-html" aria-hidden="true"><span>5122</span></span></span>'
)


@pytest.mark.parametrize(
    ("source", "latex"),
    [
        ("<math><msup><mn>512</mn><mn>2</mn></msup></math>", "512^{2}"),
        ("<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>", r"\frac{a+b}{2}"),
        ("<math><msub><mi>𝑑</mi><mi>model</mi></msub><mo>&InvisibleTimes;</mo><mi>b</mi></math>", r"d_{model}\cdot b"),
        ("<math><msqrt><mi>x</mi></msqrt><mroot><mi>y</mi><mn>3</mn></mroot></math>", r"\sqrt{x}\sqrt[3]{y}"),
        ("<math><munderover><mo>∑</mo><mi>i</mi><mi>N</mi></munderover></math>", r"\sum_{i}^{N}"),
        ("<math><mfenced><mi>a</mi><mi>b</mi></mfenced><mover><mi>x</mi><mo>^</mo></mover></math>", r"(a,b)\hat{x}"),
        ("<math><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable><mi>b</mi></math>", r"\begin{matrix} a \end{matrix}b"),
        ("<math><mtext>all weights</mtext><mo>=</mo><mn>79%</mn></math>", r"\text{all weights}=79\%"),
        ("<math><mover><mo>max</mo><msub><mi>x</mi><mn>1</mn></msub></mover></math>", "max^{x_{1}}"),
        (KATEX, "512^2"),
        ('<span class="MathJax">5122</span><script type="math/tex">512^2</script>', "512^2"),
        ('<mjx-container class="MathJax"><mjx-math>?</mjx-math><math><mn>5</mn></math></mjx-container>', "5"),
        (r"<span class='math inline'>\(512^2\)</span>", "512^2"),
        (r'<img class="latex" alt="\frac{1}{2}">', r"\frac{1}{2}"),
    ],
)
def test_formulas_are_read_once_as_latex(source: str, latex: str) -> None:
    assert texts(f"<p>so {source} holds</p>") == [f"so ${latex}$ holds"]


@pytest.mark.parametrize(
    "source",
    [
        "<math display=block><mi>x</mi></math>",
        f'<span class="katex-display">{KATEX.replace("512^2", "x")}</span>',
        '<div class="MathJax_Display">x</div><script type="math/tex; mode=display">x</script>',
        "<p>$$x$$</p>",
        r"<p>\[x\]</p>",
    ],
)
def test_displayed_formulas_stand_apart(source: str) -> None:
    (block,) = page(source).blocks
    assert (block.kind, block.text) == (BlockKind.MATH, "$$x$$")


def test_formulas_that_are_only_drawn_are_reported() -> None:
    document = page("<p>so <mjx-container><svg></svg></mjx-container> holds")
    assert document.blocks[0].text == "so holds"
    assert "at least 1" in document.problems[0]


def test_pictures_captions_and_contents() -> None:
    document = page(
        "<nav><ul><li>Question 1</ul></nav><div id=TOC>Task 1</div>"
        '<figure><img src="http://example.org/x.png" alt="a  curve"><figcaption>Figure 1: loss</figcaption></figure>'
    )
    assert [(block.kind, block.text) for block in document.blocks] == [
        (BlockKind.FIGURE, "a curve"),
        (BlockKind.CAPTION, "Figure 1: loss"),
    ]
    assert [block.text for block in document.furniture] == ["• Question 1", "Task 1"]


LAB = (
    '<div class="jp-Cell jp-MarkdownCell"><div class="jp-InputPrompt"></div><h2>Task 1</h2></div>'
    '<div class="jp-Cell jp-CodeCell"><div class="jp-InputPrompt">In [3]:</div><div class="highlight">'
    '<pre><span>n</span></pre></div><div class="jp-OutputArea"><div class="jp-OutputPrompt">Out[3]:</div>'
    "<pre>22829056</pre><table><tr><th>Epoch<th>Accuracy<tr><td>1<td>0.8</table></div></div>"
)
CLASSIC = (
    '<div class="cell text_cell rendered"><h2>Task 1</h2></div><div class="cell code_cell">'
    '<div class="prompt input_prompt">In&nbsp;[3]:</div><div class="input_area"><div class="highlight">'
    '<pre>n</pre></div></div><div class="output_wrapper"><div class="prompt">Out</div><pre>22829056</pre><div>'
    "<table><tr><th>Epoch<th>Accuracy<tr><td>1<td>0.8</table></div></div>"
)


@pytest.mark.parametrize("source", [LAB, CLASSIC])
def test_exported_notebooks_have_cells_code_and_outputs(source: str) -> None:
    assert [(block.kind, block.cell, block.text, block.cells) for block in page(source).blocks] == [
        (BlockKind.HEADING, 0, "Task 1", ()),
        (BlockKind.CODE, 1, "n", ()),
        (BlockKind.OUTPUT, 1, "22829056", ()),
        (BlockKind.OUTPUT, 1, "Epoch | Accuracy", ("Epoch", "Accuracy")),
        (BlockKind.OUTPUT, 1, "1 | 0.8", ("1", "0.8")),
    ]


@pytest.mark.parametrize("source", [LAB, CLASSIC])
def test_an_exported_notebook_has_the_cells_that_it_was_saved_with(source: str) -> None:
    found = exported_notebook(page(source))
    assert found is not None
    assert [(cell.index, cell.kind, cell.source, cell.execution_count) for cell in found.cells] == [
        (1, CellKind.CODE, "n", 3)
    ]
    assert found.cells[0].output == "22829056\nEpoch | Accuracy\n1 | 0.8"


def test_a_listing_within_words_is_no_cell_and_an_error_is_told() -> None:
    listing = '<div class="jp-Cell jp-MarkdownCell"><pre>pip install</pre></div>'
    failed = LAB.replace("<pre>22829056</pre>", "<pre>Traceback (most recent call last)\nos.error.NameError: n</pre>")
    found = exported_notebook(page(listing + failed))
    assert found is not None
    assert [(cell.index, cell.error) for cell in found.cells] == [(2, "os.error.NameError: n")]
    assert exported_notebook(page("<pre>n</pre><p>words")) is None


@pytest.mark.parametrize(
    "data",
    [
        "<p>modèle".encode(),
        b"\xef\xbb\xbf" + "<p>modèle".encode(),
        "<p>modèle".encode("utf-16"),
        '<meta charset="iso-8859-1"><p>modèle'.encode("latin-1"),
        '<meta http-equiv=x content="text/html; charset=windows-1252"><p>modèle'.encode("cp1252"),
    ],
)
def test_encodings(tmp_path: Path, data: bytes) -> None:
    document = read_html(submitted(tmp_path, "a.html", data))
    assert [block.text for block in document.blocks] == ["modèle"]
    assert document.problems == ()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("<p>before</p><!-- never closed <p>after", "is damaged"),
        ('<p>before</p><a href="never closed <p>after', "is damaged"),
        ("<div id=app></div><script>draw()</script>", "no text of the page"),
    ],
)
def test_what_is_lost_is_said(source: str, reason: str) -> None:
    assert reason in page(source).problems[0]


HOSTILE = {
    "divs": "<div>" * 1_000_000,
    "comments": "<!--" * 2_000_000,
    "quotes": '<a "' * 1_000_000,
    "signs": "<" * 5_000_000,
    "tables": "<table><tr><td>" * 200_000,
    "wrong ends": "<b>x</i></p>" * 200_000,
    "entities": "&#" * 2_000_000,
    "attributes": "<a " + "x " * 3_000_000,
    "spans": "<table>" + "<tr><td colspan=1000 rowspan=1000>label" * 50_000,
    "styles": "<style>" + "}.a{" * 500_000,
    "formulas": "<math><mfrac>" * 200_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_pages_are_read_in_seconds(source: str) -> None:
    start = time.process_time()
    document = page(source)
    spent = time.process_time() - start
    print(f"{len(source) / 1e6:.1f} MB in {spent:.1f} s, {len(document.blocks)} blocks")
    assert spent < 20


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_pages_are_read_at_all(source: str) -> None:
    assert page(source[:50_000]).model_dump_json()


TAGS = st.sampled_from(
    [
        "p",
        "div",
        "table",
        "tr",
        "td",
        "th",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "pre",
        "code",
        "h1",
        "b",
        "sup",
        "sub",
        "math",
        "mfrac",
        "mi",
        "span",
        "script",
        "style",
        "br",
        "img",
        "nav",
        "svg",
        "a",
    ]
)
PIECES = st.one_of(
    st.text(max_size=6),
    TAGS.map("<{}>".format),
    TAGS.map("</{}>".format),
    st.sampled_from(
        ["<", "<!", "<!--", "-->", "&", "&#x", "&lt;", ' class="jp-Cell jp-OutputArea katex"', "<td colspan=9>"]
    ),
)


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=120, deadline=None)
def test_no_tag_soup_makes_the_reader_raise(source: str) -> None:
    document = page(source)
    assert document.model_dump_json()
    assert all(
        block.line is None or 1 <= block.line <= source.count("\n") + source.count("\r") + 1
        for block in document.blocks
    )


@given(st.lists(st.text(st.sampled_from("abc 12.=×"), min_size=1, max_size=12), min_size=1, max_size=6))
@settings(max_examples=50, deadline=None)
def test_every_paragraph_is_read(paragraphs: list[str]) -> None:
    found = texts("".join(f"<p>{paragraph}</p>" for paragraph in paragraphs))
    assert found == [" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.strip()]
