"""Statistics and comparisons across the students of a class."""
