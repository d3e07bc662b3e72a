"""`python -m grader` is the `grade` command, but for what Python imports from the current folder before this begins."""

# ruff: noqa: E402
from grader.own_code import use_only_installed_code

use_only_installed_code()

from grader.cli import main

if __name__ == "__main__":
    main()
