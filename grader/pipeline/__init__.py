"""What can be wrong with how the grading is to be done."""


class ClusterError(Exception):
    """A cluster cannot be used; the message says why and what to do."""
