"""How the sample class and the reference answers are made."""
