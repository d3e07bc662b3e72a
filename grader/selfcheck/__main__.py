"""`python -m grader.selfcheck` is `lab-check`, but for what Python imports from the current folder before it begins."""

# ruff: noqa: E402
from grader.own_code import use_only_installed_code

use_only_installed_code()

from grader.selfcheck.command import main

if __name__ == "__main__":
    main()
