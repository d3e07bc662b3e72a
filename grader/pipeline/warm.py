"""Imported once by the server that workers are forked from: the libraries that every submission needs."""

import contextlib

import babel.numbers

import grader.pipeline.worker
import grader.report.render

# Without Pango WeasyPrint does not load; then reports are not asked for either.
with contextlib.suppress(ImportError, OSError):
    import jinja2
    import pypdfium2
    import weasyprint

    from grader.report.shared_styles import fonts

    fonts()

__all__ = ["babel", "grader", "jinja2", "pypdfium2", "weasyprint"]
