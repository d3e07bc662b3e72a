"""Reports as PDF, typeset from HTML, whole or cut off."""


def pdf(html: str) -> bytes:
    """An HTML text as a PDF. The bytes depend on WeasyPrint's version and on the fonts installed."""
    from weasyprint import HTML

    content: bytes = HTML(string=html).write_pdf()
    return content


def cut_off(content: bytes) -> bytes:
    """The first half of a file, as an upload that broke leaves it."""
    return content[: len(content) // 2]
