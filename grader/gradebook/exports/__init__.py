"""One module per format in which grades leave the project."""
