"""Blind grading: whoever reads results and reports cannot tell whose they are."""
