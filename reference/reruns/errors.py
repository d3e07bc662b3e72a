"""What cannot be run, in words that say what to change."""


class RerunError(Exception):
    """A rerun cannot start or go on. The message says what is wrong and what to change."""
