"""Find arguments that only some versions of a library accept, and judge them by the version that a submission shows."""

import ast
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from grader.claims.answer import Answer
from grader.claims.code import Call
from grader.claims.code.syntax import parse_statements
from grader.claims.handout import versions_of
from grader.lab.definition import ChangedArgument, Lab
from grader.message import Words, join_messages, say

_LONGEST: Final = 1_000


class VersionedArgument(NamedTuple):
    """An argument of a call that only some versions accept.

    `versions` are those that the submission shows. `is_taken` says whether they accept the argument. It is None if the
    submission shows none, or several that differ.
    """

    call: str
    name: str
    change: ChangedArgument
    versions: tuple[str, ...]
    is_taken: bool | None

    @property
    def refusal(self) -> Words:
        """The message that the shown version does not accept the argument, and which one it has instead."""
        library = f"{self.change.library} {self.versions[0]}" if self.versions else self.change.library
        text = say("{call} of {library} has no argument {name}.", call=self.call, library=library, name=self.name)
        near = self.change.arguments[self.name]
        return join_messages(" ", (text, say("It has {near}.", near=near))) if near else text


def changed_arguments(call: Call, answer: Answer, lab: Lab) -> Iterator[VersionedArgument]:
    """Yield the arguments of a call that only some versions accept."""
    for change in (candidate for candidate in lab.changed if call.name in candidate.calls):
        for name in sorted(change.arguments.keys() & call.keywords.keys()):
            if _is_foreign(call, change.module or change.library, answer):
                continue
            versions = _shown(change.library, call.evidence.file, answer)
            taken = {change.takes(version) for version in versions}
            is_taken = taken.pop() if len(taken) == 1 else None
            if _is_warned_of(name, call.evidence.file, answer):
                is_taken = True
            yield VersionedArgument(call.name, name, change, versions, is_taken)


def _is_foreign(call: Call, module: str, answer: Answer) -> bool:
    """Whether the called object was imported from another library, such as `FastLanguageModel.from_pretrained` of
    unsloth."""
    name = (call.receiver or call.name).partition(".")[0]
    cells = (cell.source for cell in answer.code if cell.file == call.evidence.file and name in cell.source)
    imports = (node for source in cells for top in parse_statements(source) or () for node in ast.walk(top))
    return next((text != module for node in imports for alias, text in _imported(node) if alias == name), False)


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement imports, each with its library."""
    match node:
        case ast.ImportFrom(module=str(place), names=names):
            yield from ((name.asname or name.name, place.partition(".")[0]) for name in names)
        case ast.Import(names=names):
            yield from ((name.asname or name.name, name.name.partition(".")[0]) for name in names)


def _shown(library: str, file: str, answer: Answer) -> tuple[str, ...]:
    """Return the versions of a library that a file shows, or else those in the rest of the submission."""
    file_versions = (version for state in answer.notebooks if state.file == file for version in state.versions)
    rest = (version for state in answer.notebooks for version in state.versions)
    return versions_of(file_versions, library) or versions_of((*rest, *answer.versions), library)


def _is_warned_of(name: str, file: str, answer: Answer) -> bool:
    """Whether a warning in the file's outputs names the argument together with a deprecated one.

    The version that warns accepts both, the deprecated argument and its replacement.
    """
    lines = (line for cell in answer.code if cell.file == file for line in cell.output.split("\n"))
    return any("deprecated" in line and name in re.split(r"\W+", line[:_LONGEST]) for line in lines)
