"""Markdown typeset as PDF, as far as the reports of the sample class need it."""

import html
import re

_LOOK = """
@page { size: A4; margin: 25mm 20mm; @bottom-center { content: counter(page) } }
body { font-size: 10pt; hyphens: auto; text-align: justify } table { border-collapse: collapse }
td, th { padding: 2pt 9pt; text-align: left } tr { border-bottom: 0.5pt solid }
.fraction { display: inline-block; vertical-align: middle; text-align: center; padding: 0 2pt }
.fraction span { display: block } .fraction i { display: block; height: 0.5pt; background: black }
.columns { columns: 2; column-gap: 10mm }
"""
_SIGNS = {"times": "×", "cdot": "·", "pm": "±", "approx": "≈", "le": "≤", "sum": "∑", "mu": "μ", "sigma": "σ"}


def typeset(markdown: str, columns: bool = False) -> bytes:
    """A PDF with running feet, in one column or two."""
    import weasyprint

    body = "\n".join(_paragraph(part) for part in re.split(r"\n\s*\n", markdown))
    content: bytes = weasyprint.HTML(
        string=f'<html lang="en"><style>{_LOOK}</style><div class="{"columns" if columns else ""}">{body}</div></html>'
    ).write_pdf()
    return content


def _paragraph(part: str) -> str:
    lines = part.strip().splitlines()
    if not lines:
        return ""
    if lines[0].startswith("#"):
        depth = len(lines[0]) - len(lines[0].lstrip("#"))
        rest = _paragraph("\n".join(lines[1:]))
        return f"<h{depth}>{_inline(lines[0].lstrip('# '))}</h{depth}>{rest}"
    if lines[0].startswith("|"):
        rows = [line.strip().strip("|").split(" | ") for line in lines if not re.fullmatch(r"[\s|:-]+", line)]
        return (
            "<table>"
            + "".join(f"<tr>{''.join(f'<td>{_inline(c)}</td>' for c in row)}</tr>" for row in rows)
            + "</table>"
        )
    if lines[0].startswith("```"):
        return f"<pre>{html.escape(chr(10).join(lines[1:-1]))}</pre>"
    items = re.split(r"(?m)^(?=\s*(?:[-*]|\d+\.)\s)", part.strip())
    return "".join(f"<p>{_inline(' '.join(item.split()))}</p>" for item in items if item.strip())


def _inline(text: str) -> str:
    parts = re.split(r"(\${1,2}[^$]+\${1,2})", text)
    return "".join(_formula(part.strip("$")) if part.startswith("$") else _words(part) for part in parts)


def _words(text: str) -> str:
    return re.sub(r"\*\*|`", "", html.escape(text)).replace("\\_", "_").replace("\\", "")


def _formula(text: str) -> str:
    """A formula with powers, indices and fractions set as such."""
    text = html.escape(re.sub(r"\\(?:text|mathrm|textbf|mathbf)\{([^{}]*)\}", r"\1", text).replace("{,}", ","))
    text = re.sub(
        r"\\[dt]?frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}",
        r'<span class="fraction"><span>\1</span><i></i><span>\2</span></span>',
        text,
    )
    for sign, tag in (("^", "sup"), ("_", "sub")):
        text = re.sub(rf"\{sign}(?:\{{([^{{}}]*)\}}|(\w))", rf"<{tag}>\1\2</{tag}>", text)
    text = re.sub(r"\\([a-z]+)", lambda found: _SIGNS.get(found[1], ""), text)
    return re.sub(r"\\[,;%! ]?", lambda found: "%" if "%" in found[0] else " ", text)
