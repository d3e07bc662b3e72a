"""What people decided about answers that the grader could not: kept with the lab, applied to every like answer."""

import json
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from grader.frozen import Frozen
from grader.message import Message, say

FILE = "decisions.toml"
_HEAD = """# What people decided about answers that the grader left to them: one entry for each text, by the hash of its
# normalised form. An answer with the same text is decided in the same way from then on. Written by
# `grade review --remember`; entries may be edited or taken out by hand.
"""

Group = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_.-]+:[0-9a-f]{8,64}$")]
"""What the answer is about, and the beginning of its text's hash."""


class Decision(Frozen):
    """One decision: `group` is the key of the like answers that it settles, `text` their common normalised text.
    `automatic` is the grader's own verdict, where there was one that a person looked at all the same."""

    group: Group
    label: Literal["correct", "partial", "incorrect"]
    automatic: Literal["correct", "partial", "incorrect"] | None = None
    text: str
    why: Annotated[str, Field(min_length=1)]
    author: Annotated[str, Field(min_length=1)]
    date: date

    @property
    def signature(self) -> Message:
        """Who decided, when and why, for people."""
        return say("{author}, {date:%Y-%m-%d}: {why}", author=self.author, date=self.date, why=self.why)


class Decisions(Frozen):
    """All decisions of a lab; of several about one group the last counts."""

    decisions: tuple[Decision, ...] = ()

    def of(self, group: str) -> Decision | None:
        """The decision about a group of like answers, if there is one."""
        return next((one for one in reversed(self.decisions) if one.group == group), None)


def written(decisions: Iterable[Decision]) -> str:
    """The entries as TOML."""
    return "".join(
        f"\n[[decisions]]\n"
        f"group = {_string(one.group)}\n"
        f"label = {_string(one.label)}\n"
        + (f"automatic = {_string(one.automatic)}\n" if one.automatic else "")
        + f"text = {_string(one.text)}\n"
        f"why = {_string(one.why)}\n"
        f"author = {_string(one.author)}\n"
        f"date = {one.date:%Y-%m-%d}\n"
        for one in decisions
    )


def append(folder: Path, decisions: Iterable[Decision]) -> Path:
    """Add decisions to a lab's file, which is made when there is none. Raises OSError."""
    path = folder / FILE
    before = path.read_text(encoding="utf-8") if path.exists() else _HEAD
    partial = path.with_suffix(".toml.part")
    partial.write_text(before.rstrip("\n") + "\n" + written(decisions), encoding="utf-8")
    partial.replace(path)
    return path


def _string(text: str) -> str:
    """A basic TOML string: JSON's escapes are TOML's, but for DEL and lone surrogates."""
    plain = re.sub(r"[\ud800-\udfff]", "\ufffd", text)
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
