"""A file in, what it says and where out."""
