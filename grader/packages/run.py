"""What a course system starts: `python -m grader.packages.run SYSTEM ROOT`."""

import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Grades the hand-in in a course system's folder; returns the exit status."""
    if len(arguments) != 2 or arguments[0] not in ("gradescope", "prairielearn"):
        print("usage: python -m grader.packages.run gradescope|prairielearn ROOT", file=sys.stderr)
        return 2
    system, root = arguments[0], Path(arguments[1])
    if system == "gradescope":
        from grader.packages.autograders import run_gradescope

        run_gradescope(root)
    else:
        from grader.packages.autograders import run_prairielearn

        run_prairielearn(root)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
