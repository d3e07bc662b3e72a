"""TensorBoard event files: the scalar series and texts in them, read in one pass that accounts for every byte."""

from grader.reading.events.file import read_event_file

__all__ = ["read_event_file"]
