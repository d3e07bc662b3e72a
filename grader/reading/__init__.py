"""Readers of submitted files: the content of each file, with places."""
