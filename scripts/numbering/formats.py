"""Reports in the formats that students hand in, from the same parts."""

import html
import json
from collections.abc import Callable, Sequence
from typing import Final

from scripts.numbering.sheets import Block
from tests.reading import making_docx

Report = Sequence[Block]
_STYLE: Final = (
    "@page{size:A4;margin:25mm;@bottom-center{content:counter(page)}}body{font:10pt 'DejaVu Sans'}"
    "table{border-collapse:collapse}td{padding:2pt 6pt;border:0.5pt solid}"
    "pre{white-space:pre-wrap;font:9pt 'DejaVu Sans Mono'}"
)


def markdown(report: Report) -> str:
    """Markdown as people type it."""
    return "\n\n".join(map(_markdown, report)) + "\n"


def _markdown(block: Block) -> str:
    text = block.texts[0]
    match block.kind:
        case "title":
            return f"# {text}"
        case "heading":
            return f"## {text}"
        case "numbered":
            return f"## {block.width} {text}"
        case "bold":
            return f"**{text}**"
        case "bullets":
            return "\n".join(f"- {candidate}" for candidate in block.texts)
        case "steps" | "ordered":
            return "\n".join(f"{number}. {candidate}" for number, candidate in enumerate(block.texts, 1))
        case "contents":
            return "\n".join(f"- [{candidate}](#{number})" for number, candidate in enumerate(block.texts, 1))
        case "rows":
            head, *rows = block.rows
            return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * block.width, *rows))
        case "code":
            return f"```python\n{text}\n```"
    return text.replace(block.bold, f"**{block.bold}**", 1) if block.bold else text


def notebook(report: Report) -> bytes:
    """A Markdown cell for each paragraph, and code in code cells."""
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": block.texts[0]}
        if block.kind == "code"
        else {"cell_type": "markdown", "metadata": {}, "source": _markdown(block)}
        for block in report
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def page(report: Report) -> str:
    """A web page."""
    body = "\n".join(map(_html, report))
    return f"<!DOCTYPE html><html><head><meta charset='utf-8'><style>{_STYLE}</style></head><body>{body}</body></html>"


def _html(block: Block) -> str:
    texts = [html.escape(text) for text in block.texts]
    tags = {"title": "h1", "heading": "h2", "code": "pre"}
    match block.kind:
        case "title" | "heading" | "code":
            return f"<{tags[block.kind]}>{texts[0]}</{tags[block.kind]}>"
        case "numbered":
            return f"<h2>{block.width} {texts[0]}</h2>"
        case "bold":
            return f"<p><b>{texts[0]}</b></p>"
        case "bullets" | "steps" | "ordered":
            tag = "ul" if block.kind == "bullets" else "ol"
            return f"<{tag}>{''.join(f'<li>{text}</li>' for text in texts)}</{tag}>"
        case "contents":
            return "".join(f"<p>{text} . . . . . . . . {number}</p>" for number, text in enumerate(texts, 1))
        case "rows":
            rows = ("".join(f"<td>{cell}</td>" for cell in row) for row in block._replace(texts=tuple(texts)).rows)
            return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    bold = html.escape(block.bold)
    return f"<p>{texts[0].replace(bold, f'<b>{bold}</b>', 1) if bold else texts[0]}</p>"


def pdf(report: Report) -> bytes:
    """The web page, printed."""
    import weasyprint

    printed: bytes = weasyprint.HTML(string=page(report)).write_pdf()
    return printed


def latex(report: Report) -> str:
    """An article. Its contents are made by LaTeX, so its source lists none."""
    body = "\n\n".join(map(_latex, report))
    return f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


_SPECIAL: Final = str.maketrans({sign: f"\\{sign}" for sign in "#%&$_{}"} | {"^": "\\^{}", "°": "\\textdegree{}"})


def _latex(block: Block) -> str:
    texts = [text.translate(_SPECIAL) for text in block.texts]
    lists = {"bullets": "itemize", "steps": "enumerate", "ordered": "enumerate"}
    match block.kind:
        case "title":
            return f"\\title{{{texts[0]}}}\\maketitle"
        case "heading":
            return f"\\section*{{{texts[0]}}}"
        case "numbered":
            return f"\\setcounter{{section}}{{{block.width - 1}}}\n\\section{{{texts[0]}}}"
        case "bold":
            return f"\\textbf{{{texts[0]}}}"
        case "bullets" | "steps" | "ordered":
            kind = lists[block.kind]
            items = "\n".join(f"\\item {{}}{text}" for text in texts)
            return f"\\begin{{{kind}}}\n{items}\n\\end{{{kind}}}"
        case "contents":
            return "\\tableofcontents"
        case "rows":
            rows = " \\\\\n".join(" & ".join(row) for row in block._replace(texts=tuple(texts)).rows)
            return f"\\begin{{tabular}}{{{'l' * block.width}}}\n{rows}\n\\end{{tabular}}"
        case "code":
            return f"\\begin{{verbatim}}\n{block.texts[0]}\n\\end{{verbatim}}"
    bold = block.bold.translate(_SPECIAL)
    return texts[0].replace(bold, f"\\textbf{{{bold}}}", 1) if bold else texts[0]


def word(report: Report) -> bytes:
    """A Word document. Lists number themselves."""
    lists = [block for block in report if block.kind in ("bullets", "steps", "ordered", "numbered")]
    body = "".join(_word(block, lists) for block in report)
    return making_docx.docx(body, numbering=_numbering(lists))


def _numbering(lists: Sequence[Block]) -> str:
    """One definition for each list, so that each begins at 1."""
    kinds = [("bullet", "\u2022") if block.kind == "bullets" else ("decimal", "%1.") for block in lists]
    abstract = "".join(
        f'<w:abstractNum w:abstractNumId="{number}"><w:lvl w:ilvl="0"><w:start w:val="{block.width}"/>'
        f'<w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl></w:abstractNum>'
        for number, (block, (kind, text)) in enumerate(zip(lists, kinds, strict=True), 1)
    )
    numbers = "".join(
        f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>' for number in range(1, len(lists) + 1)
    )
    return abstract + numbers


def _word(block: Block, lists: Sequence[Block]) -> str:
    bold = "<w:b/>"
    match block.kind:
        case "title" | "heading":
            return making_docx.paragraph(
                making_docx.run(block.texts[0]), style="Titre1" if block.kind == "title" else "Titre2"
            )
        case "numbered":
            number = next(at for at, candidate in enumerate(lists, 1) if candidate is block)
            list_ = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>'
            return making_docx.paragraph(making_docx.run(block.texts[0]), list_, style="Titre2")
        case "bold":
            return making_docx.paragraph(making_docx.run(block.texts[0], bold))
        case "bullets" | "steps" | "ordered":
            number = next(at for at, candidate in enumerate(lists, 1) if candidate is block)
            return "".join(making_docx.item(making_docx.run(text), number) for text in block.texts)
        case "contents":
            return "".join(
                making_docx.paragraph(
                    f"{making_docx.run(text)}<w:r><w:tab/></w:r>{making_docx.run(str(at))}", style="TM1"
                )
                for at, text in enumerate(block.texts, 1)
            )
        case "rows":
            return making_docx.table(*(making_docx.row(*row) for row in block.rows))
        case "code":
            return "".join(
                making_docx.paragraph(making_docx.run(text), style="Code") for text in block.texts[0].split("\n")
            )
    rest = block.texts[0].removeprefix(block.bold)
    runs = (making_docx.run(block.bold, bold) if block.bold else "") + making_docx.run(rest)
    style = "Lgende" if block.kind == "caption" else None
    return making_docx.paragraph(runs, style=style)


FORMATS: Final[dict[str, Callable[[Report], str | bytes]]] = {
    "md": markdown,
    "docx": word,
    "pdf": pdf,
    "ipynb": notebook,
    "tex": latex,
    "html": page,
}
