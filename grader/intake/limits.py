"""How much one hand-in may hold."""

from typing import Final

from pydantic import Field

from grader.frozen import Frozen


class Limits(Frozen):
    """Bounds for one hand-in, far above what a lab needs; what lies beyond them is refused with a reason.

    The most telling files (reports, then notebooks, logs and code, the shallow before the deep) are let in first, so
    that a forgotten data set cannot push out the report.
    """

    files: int = Field(default=5_000, ge=0, description="Files let in, those within archives included.")
    total_bytes: int = Field(default=2**30, ge=0, description="Of all files together, after unpacking.")
    file_bytes: int = Field(default=200 * 2**20, ge=0, description="Of one file, after unpacking.")
    depth: int = Field(default=20, ge=0, le=200, description="Folders and archives above a file.")
    nesting: int = Field(default=2, ge=0, description="Archives within the hand-in that lie one in another.")
    ratio: int = Field(default=200, ge=1, description="Size after unpacking over size before, for files above 10 MiB.")


DEFAULT_LIMITS: Final = Limits()
