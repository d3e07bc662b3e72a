"""Results under names and under pseudonyms in one folder would tell who is who."""

import re
from pathlib import Path
from typing import Final

from grader.gradebook.errors import GradebookError
from grader.gradebook.key import key_file, read_key
from grader.pipeline.outputs import RESULT

_PSEUDONYM: Final = re.compile(r"anon-[0-9a-f]{6}")


def keep_apart(out: Path, *, anonymous: bool) -> None:
    """Make sure that a folder holds results of one kind only. Raises GradebookError."""
    graded = {path.parent.name for path in out.glob(f"*/{RESULT}")}
    if anonymous:
        if not all(_PSEUDONYM.fullmatch(student) for student in graded):
            raise GradebookError(f"{out}: results under names lie there; choose another --out to grade blind.")
        return
    key = key_file(out)
    if graded and key.is_file() and graded & set(read_key(key).students):
        raise GradebookError(
            f"{out}: results under pseudonyms lie there, and names beside them would tell whose they are; add "
            "--anonymous, or choose another --out."
        )
