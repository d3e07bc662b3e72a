"""Imported once by the server that workers are forked from: the libraries that every submission needs."""

import babel.numbers
import jinja2
import pypdfium2

import grader.pipeline.worker
import grader.report.render
from grader.report.pdf import missing_libraries
from grader.report.shared_styles import fonts

# Without Pango WeasyPrint does not load; then reports are not asked for either.
if missing_libraries() is None:
    fonts()

__all__ = ["babel", "grader", "jinja2", "pypdfium2"]
