"""The sample class and the reference answers, and how they are made."""
