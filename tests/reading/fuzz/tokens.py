"""Pieces that readers look for, and values that are seldom thought of."""

from typing import Final

NUMBERS: Final = (
    "0", "-1", "1", "00", "2147483648", "18446744073709551616", "9" * 400, "9" * 5000, "1e999", "-1e999",
    "1e-999", "NaN", "Infinity", "0.1.2", "1,2,3", "٣", "²", "½", "1_000", "0x10", "--1", "+", "1e", ".5", "5.",
)  # fmt: skip

ODD: Final = (
    "\0", "\ufeff", "\u2028", "\u200b", "\x85", "\x0b", "\x1c", "\ud7ff", "\uffff", "\U0010ffff", "́" * 30, "ﬁ",
    "İ", "ß", "\r", "\r\n", "\n\n\n", "\t", " " * 50, "\x1b[31m", "\x08", "‮", "{" * 40, "(" * 40, "[" * 40,
    "<" * 40, "|" * 40, "`" * 9, "*" * 40, "_" * 40, "$" * 7, "\\" * 9, "-" * 40, "=" * 40, "#" * 9, ">" * 40,
    "&" * 9, "%", "~~~", "'\"",
)  # fmt: skip

MARKDOWN: Final = (
    "# ", "###### ", "```\n", "~~~python\n", "| a | b |\n|---|---|\n", "|", "- ", "1. ", "> ", "$$", "$x^2$",
    "![a](b)", "[a](b)", "<br>", "\\[", "\\]", "\\(", "\\)", "    ", "---\n", "<details>", "[^1]", "* * *",
    "&nbsp;", "<!--", "-->", "Question 1", "Task 2: ", "1,024 × 512 = 524,288", "87.5 ± 0.3 %", "r = 16",
    "lora_alpha", "O(n^2)",
)  # fmt: skip

LATEX: Final = (
    "\\begin{document}", "\\end{document}", "\\section{", "\\begin{tabular}{ll}", "\\end{tabular}", "&", "\\\\",
    "\\hline", "\\begin{align}", "\\end{align}", "\\frac{1}{", "\\sqrt[3]{", "\\newcommand{\\a}{\\a\\a}",
    "\\def\\a#1{#1\\a}", "\\input{a}", "\\begin{verbatim}", "\\verb|", "%", "\\item", "\\begin{itemize}",
    "\\left(", "\\text{", "\\'e", "\\textbf{", "}", "{", "\\multicolumn{3}{c}{", "\\footnote{", "\\ref{",
    "\\cite{", "\\begin{", "\\end{", "^{", "_{", "\\char`", "\\lstinputlisting{x}",
)  # fmt: skip

HTML: Final = (
    "<html>", "<body>", "<p>", "</p>", "<table>", "<tr>", "<td colspan=99999>", "<td rowspan=99999>",
    "</table>", "<ul>", "<li>", "<script>", "</script>", "<style>", "<!--", "-->", "<![CDATA[", "]]>", "<math>",
    "<mfrac>", "<msup>", "<mi>", "<mn>", "</math>", "&#xD800;", "&#0;", "&#99999999999;", "&amp;", "&notit;",
    "<pre>", "<h1>", "<svg>", "<template>", "<plaintext>", "<textarea>", "<a href='file:///etc/passwd'>",
    "<meta charset=utf-7>", "<?xml", "<!DOCTYPE", "<img alt='", "<div class='jp-Cell'>", "<span class='katex'>",
    "<annotation encoding='application/x-tex'>", "<b" + "<b" * 30,
)  # fmt: skip

XML: Final = (
    "<w:p><w:r><w:t>1 x</w:t></w:r></w:p>", "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>",
    "<w:r><w:t>x</w:t></w:r>", "<w:tbl><w:tr><w:tc>", "<m:oMath><m:r><m:t>a</m:t></m:r></m:oMath>",
    "<m:f><m:num>", "<m:oMath><m:sSup><m:e>", "<text:p>1 x</text:p>", "<text:list><text:list-item>",
    "<table:table><table:table-row><table:table-cell>", "<text:span>", "<w:sdt><w:sdtContent>",
    "<w:txbxContent>", "<w:p><w:pPr><w:numPr><w:ilvl w:val='99'/></w:numPr></w:pPr></w:p>",
    '<?xml version="1.0"?>', '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]>', "&c;",
    '<!ENTITY x SYSTEM "file:///etc/passwd">', "<w:p>", "</w:p>", "<w:r><w:t>", "</w:t></w:r>", "<w:tbl>",
    "<w:tr>", "<w:tc>", '<w:gridSpan w:val="99999"/>', '<w:vMerge w:val="restart"/>', "<m:oMath>",
    "<m:f><m:num>", "</m:num><m:den>", "<m:sSup>", "<m:e>", "<m:sup>", '<w:pStyle w:val="Heading1"/>',
    '<w:outlineLvl w:val="-1"/>', "<w:del>", "<w:numId w:val='7'/>",
    '<table:table-cell table:number-columns-repeated="999999999">',
    '<table:table-row table:number-rows-repeated="999999999">', '<text:s text:c="999999999"/>', "<text:p>",
    "</text:p>", "<text:h text:outline-level='0'>", "<draw:frame>",
)  # fmt: skip

JSON: Final = (
    "null", "true", "[]", "{}", '""', '"\\ud800"', '"\\u0000"', "[" * 200, '{"a":' * 200, '"cells"',
    '"nbformat": 4', '"log_history"', '"step": 1', '"loss": NaN', '"output_type": "stream"',
    '"data": {"text/plain": "', '"source": [', "]", "}", ",", ":",
)  # fmt: skip

LOG: Final = (
    "2023-11-20 10:00:00 | INFO | fairseq_cli.train | ", "| epoch 001 | loss 0.5 | accuracy 70",
    "{'loss': 0.5, 'epoch': 1.0}", "Namespace(seed=1, lr=[1e-05])",
    " 50%|#####     | 5/10 [00:01<00:01,  5.0it/s]", "trainable params: 1572864 || all params: 1",
    "Traceback (most recent call last):\n", "valid on 'valid' subset", "num_updates 225", "seed=",
    "--max-update 1125", "[2023-11-20", "12:00:60", "{'a': " * 30, "epoch: nan",
    '{"epoch": 1, "train_loss": "0.5"}',
)  # fmt: skip

PDF: Final = (
    "BT", "ET", "(abc) Tj", "[(a) -9999 (b)] TJ", "1 0 0 1 72 700 Tm", "0 0 0 0 0 0 Tm", "1e30 0 0 1e30 0 0 cm",
    "/F1 0 Tf", "/F1 -10 Tf", "/F1 1e9 Tf", "q", "Q", "3 Tr", "5 Ts", "0 Tz", "9999 Tc", "1e10 TL T*",
    "0 0 m 500 0 l S", "0 0 500 1 re f", "/Im1 Do", "/Rotate 90", "/MediaBox [0 0 0 0]",
    "/MediaBox [0 0 1e9 1e9]", "/CropBox [9 9 1 1]", "/UserUnit 1000", "/Count -1", "/Kids [3 0 R 3 0 R]",
    "/Parent 3 0 R", "/Encrypt 1 0 R", "/ToUnicode", "endstream", "endobj", "stream", "/Filter /FlateDecode",
    "/Length 0", "<FEFF>", "startxref\n0\n%%EOF", "(" * 30, "/Type /Page", "\\000\\377", "%PDF-1.9",
)  # fmt: skip

FAMILIES: Final = (MARKDOWN, LATEX, HTML, XML, JSON, LOG, PDF)

BY_SUFFIX: Final = {
    ".md": MARKDOWN, ".txt": MARKDOWN, ".tex": LATEX, ".html": HTML, ".docx": XML, ".odt": XML, ".ipynb": JSON,
    ".json": JSON, ".log": LOG, ".out": LOG, ".pdf": PDF,
}  # fmt: skip
