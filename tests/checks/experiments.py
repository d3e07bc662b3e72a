"""Realistic reports of an experiment, for the tests of the checks that judge one."""

SEEDS = "| Seed | Test accuracy |\n|---|---|\n| 0 | 79.3 |\n| 1 | 78.5 |\n| 2 | 80.1 |\n"
BOTH = "| Seed | Valid | Test |\n|---|---|---|\n| 0 | 81.5 | 79.3 |\n| 1 | 80 | 78.5 |\n| 2 | 83.5 | 80.1 |\n"
VALID_ONLY = "| Seed | Validation accuracy |\n|---|---|\n| 0 | 81.5 |\n| 1 | 80.0 |\n| 2 | 83.5 |\n"
ON_VALID_GRID = "| Seed | Test accuracy |\n|---|---|\n| 0 | 81.5 |\n| 1 | 80.0 |\n| 2 | 83.5 |\n"
CHOSEN = "For each seed we keep the checkpoint with the best validation accuracy.\n"
STATISTICS = "On the test set the average is 79.30 % and the standard deviation 0.65 %.\n"
RANDOM = "| Seed | Test accuracy |\n|---|---|\n| 0 | 65.4 |\n| 1 | 66.7 |\n| 2 | 67.4 |\n"
RANDOM_STATISTICS = "On the test set the average is 66.50 % and the standard deviation 0.83 %.\n"


def task(number: int, *parts: str) -> str:
    """The answer to one task."""
    return f"# Task {number}\n\n" + "\n".join(parts)
