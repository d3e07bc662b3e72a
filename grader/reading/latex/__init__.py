"""LaTeX sources as documents: tokens, the student's own commands expanded, and from those blocks. Nothing is run; of
what TeX would compute only counters and whole numbers are worked out."""
