"""Brings the sheet out with libraries that take no Markdown: `python writers.py KIND FILE` beside sheet.md.

Pandoc reads the sheet; a formula becomes text, with its powers raised where the library can raise text.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

SIGNS = {
    r"\times": "×", r"\qquad": "    ", r"\mu": "μ", r"\sigma": "σ", r"\alpha": "α", r"\pm": "±", r"\,": " ", r"\%": "%",
    "{,}": ",",
}  # fmt: skip
Block = tuple[str, object]


def blocks() -> Iterator[Block]:
    """The sheet's headings, paragraphs, list items, tables and listings; text is a list of (style, words)."""
    done = subprocess.run(["pandoc", "sheet.md", "-t", "json"], check=True, capture_output=True, text=True)
    for block in json.loads(done.stdout)["blocks"]:
        yield from _block(block["t"], block.get("c"))


def _block(kind: str, content: list) -> Iterator[Block]:
    if kind == "Header":
        yield "heading", list(_inlines(content[2]))
    elif kind in ("Para", "Plain"):
        yield "paragraph", list(_inlines(content))
    elif kind == "CodeBlock":
        yield "code", content[1]
    elif kind == "BulletList":
        yield from (("item", list(_inlines(item[0]["c"]))) for item in content)
    elif kind == "Table":
        rows = [*content[3][1], *(row for body in content[4] for row in body[3])]
        yield "table", [["".join(words for _, words in _inlines(cell[4][0]["c"])) for cell in row[1]] for row in rows]


def _inlines(inlines: list) -> Iterator[tuple[str, str]]:
    for inline in inlines:
        kind, content = inline["t"], inline.get("c")
        if kind == "Strong":
            yield "strong", "".join(words for _, words in _inlines(content))
        elif kind == "Code":
            yield "code", content[1]
        elif kind == "Math":
            yield from formula(content[1])
        elif kind == "Quoted":
            yield "plain", '"' + "".join(words for _, words in _inlines(content[1])) + '"'
        else:
            yield "plain", content if kind == "Str" else " "


def formula(tex: str) -> Iterator[tuple[str, str]]:
    """A formula as words, with its powers as words of their own."""
    for sign, written in SIGNS.items():
        tex = tex.replace(sign, written)
    tex = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", lambda match: f"{_grouped(match[1])}/{_grouped(match[2])}", tex)
    tex = re.sub(r"\\sqrt\{([^{}]*)\}", r"√(\1)", tex)
    for part in re.split(r"(\^\d)", tex):
        yield ("power", part[1:]) if part.startswith("^") else ("plain", part)


def _grouped(words: str) -> str:
    return f"({words})" if "+" in words else words


def docx(path: str) -> None:
    """Write the sheet with python-docx."""
    from docx import Document
    from docx.shared import Pt

    document = Document()
    for kind, content in blocks():
        if kind == "table":
            table = document.add_table(len(content), len(content[0]), style="Table Grid")
            for row, cells in zip(table.rows, content, strict=True):
                for cell, words in zip(row.cells, cells, strict=True):
                    cell.text = words
        elif kind == "code":
            run = document.add_paragraph().add_run(content)
            run.font.name, run.font.size = "Courier New", Pt(9)
        elif kind == "heading":
            document.add_heading("".join(words for _, words in content), 1)
        else:
            paragraph = document.add_paragraph(style="List Bullet" if kind == "item" else None)
            for style, words in content:
                run = paragraph.add_run(words)
                run.bold, run.font.superscript = style == "strong", style == "power"
    document.save(path)


def reportlab(path: str, columns: int = 1) -> None:
    """Write the sheet with ReportLab's Platypus."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Preformatted, Spacer, Table

    pdfmetrics.registerFont(TTFont("Serif", "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf"))
    pdfmetrics.registerFont(TTFont("Bold", "/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf"))
    sheet = getSampleStyleSheet()
    body = ParagraphStyle("body", sheet["BodyText"], fontName="Serif", fontSize=9)
    code = ParagraphStyle("code", sheet["Code"], fontSize=8 if columns == 1 else 5.2, leftIndent=0)
    marked = {
        "strong": '<font name="Bold">{}</font>',
        "power": "<super>{}</super>",
        "code": '<font name="Courier">{}</font>',
    }
    story = []
    for kind, content in blocks():
        if kind == "table":
            story += [
                Table(content, style=[("GRID", (0, 0), (-1, -1), 0.5, "black"), ("FONTSIZE", (0, 0), (-1, -1), 7)])
            ]
        elif kind == "code":
            story += [Preformatted(content, code), Spacer(1, 6)]
        else:
            words = "".join(marked.get(style, "{}").format(escape(words)) for style, words in content)
            bullet = {"bulletText": "•"} if kind == "item" else {}
            story += [Paragraph(words, sheet["Heading1"] if kind == "heading" else body, **bullet)]
    width, height = A4
    step = (width - 100) / columns
    frames = [Frame(50 + step * place, 50, step - 10 * (columns > 1), height - 100) for place in range(columns)]
    BaseDocTemplate(path, pagesize=A4, pageTemplates=[PageTemplate(frames=frames)]).build(story)


def fpdf(path: str) -> None:
    """Write the sheet with fpdf2."""
    from fpdf import FPDF

    page = FPDF()
    page.add_font("Serif", "", "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf")
    page.add_font("Serif", "B", "/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf")
    page.add_page()
    for kind, content in blocks():
        page.set_font("Serif", size=16 if kind == "heading" else 10)
        if kind == "table":
            with page.table() as table:
                for cells in content:
                    table.row(cells)
        elif kind == "code":
            page.set_font("Courier", size=9)
            page.multi_cell(0, 5, content, new_x="LMARGIN", new_y="NEXT", align="L")
        else:
            page.set_x(page.l_margin)
            page.write(6, "- " if kind == "item" else "")
            for style, words in content:
                page.char_vpos = "SUP" if style == "power" else "LINE"
                page.write(6, words)
            page.ln(8)
        page.ln(2)
    page.output(path)


def notebook(path: str, fenced: bool = False) -> None:
    """Write the sheet as a notebook: code in cells of its own, or fenced in Markdown."""
    parts = re.split(r"(?ms)^(```(?:python|bash)\n.*?^```\n)", Path("sheet.md").read_text("utf-8").split("---\n", 2)[2])
    cells = []
    for part in [parts[0] + "".join(parts[1:])] if fenced else parts:
        if part.startswith("```"):
            words = part.split("\n", 1)[1].rsplit("```", 1)[0].strip()
            words = "%%bash\n" + words if part.startswith("```bash") else words
            cells.append({"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": words})
        elif part.strip():
            cells.append({"cell_type": "markdown", "metadata": {}, "source": part.strip()})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    language = {"language_info": {"name": "python", "file_extension": ".py", "nbconvert_exporter": "python"}}
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    content = {"cells": cells, "metadata": kernel | language, "nbformat": 4, "nbformat_minor": 5}
    Path(path).write_text(json.dumps(content), "utf-8")


KINDS: dict[str, Callable[[str], None]] = {
    "docx": docx,
    "reportlab": reportlab,
    "reportlab-columns": lambda path: reportlab(path, 2),
    "fpdf": fpdf,
    "notebook": notebook,
    "fenced-notebook": lambda path: notebook(path, True),
}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
