"""How the sample class and the reference answers are made: one module per kind of file."""
