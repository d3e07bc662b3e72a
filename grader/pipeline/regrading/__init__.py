"""Grading once more what was graded before, from what was kept of it, and confirming what is there."""
