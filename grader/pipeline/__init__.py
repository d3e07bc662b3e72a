"""The pipeline, which grades submissions from any stage on, and the error for a grading that cannot be set up."""


class ClusterError(Exception):
    """A cluster cannot be used; the message says why and what to do."""
