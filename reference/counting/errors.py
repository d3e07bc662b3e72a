"""What cannot be counted, in words for the person who asked."""


class CountError(Exception):
    """A configuration, task or adapter that no model can be built from: what is wrong, where, and what is accepted."""
