"""Reads produced PDFs back."""

import pypdfium2


def pdf_text(pdf: bytes) -> str:
    """The text of all pages."""
    with pypdfium2.PdfDocument(pdf) as document:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)


def page_texts(pdf: bytes) -> list[str]:
    """The text of each page."""
    with pypdfium2.PdfDocument(pdf) as document:
        return [page.get_textpage().get_text_bounded() for page in document]


def page_count(pdf: bytes) -> int:
    """The number of pages."""
    with pypdfium2.PdfDocument(pdf) as document:
        return len(document)


def font_names(pdf: bytes) -> set[str]:
    """The names of the fonts that the first page uses."""
    with pypdfium2.PdfDocument(pdf) as document:
        texts = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_TEXT])
        return {text.get_font().get_base_name() for text in texts}
