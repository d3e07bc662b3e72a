"""Files that nobody would write, for every reader."""
