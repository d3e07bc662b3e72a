"""The gradebook: stored grades, decisions of persons, rosters and exports."""


class GradebookError(Exception):
    """A file of the staff cannot be used: which one, in which line, what is wrong with it, and what to do."""
