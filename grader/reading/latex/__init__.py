"""LaTeX sources as documents: tokens, the student's own commands expanded, and from those blocks. Nothing is run: what
TeX would compute is not computed."""
