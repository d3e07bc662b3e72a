"""Claims against truth: one module for each check."""
