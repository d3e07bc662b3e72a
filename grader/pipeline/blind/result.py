"""A result without the names in it: of the student, of files, and of folders."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from grader.pipeline.blind.cutting import without_names
from grader.result import Result

_WORDS: Final = frozenset(
    {"quote", "found", "feedback", "note", "message", "reason", "text", "report_reason", "error", "tag", "time_from"}
)
"""The keys under which a result holds words that may be, or quote, a student's."""

_PATHS: Final = frozenset({"file", "path", "report"})
_ENDINGS: Final = frozenset(
    {".pdf", ".ipynb", ".py", ".md", ".tex", ".txt", ".docx", ".odt", ".html", ".log", ".json", ".csv", ".zip"}
)


def without_identity(result: Result, names: Collection[str], called: Mapping[str, str]) -> Result:
    """The result with names cut from what it quotes and says. `called` are the neutral names of its files."""
    longest_first = sorted(called, key=len, reverse=True)
    bases = {PurePosixPath(path).name: called[path] for path in reversed(longest_first)}
    plain = {**{base: name for base, name in bases.items() if "." in base}, **called}
    told = {path: plain[path] for path in sorted(plain, key=len, reverse=True)}
    return Result.model_validate(_cut(result.model_dump(by_alias=True), "", names, called, told))


def neutral_names(result: Result) -> dict[str, str]:
    """A name for every file of a hand-in that tells only what it is: `report-1.pdf`, `notebook-2.ipynb`."""
    roles = {file.path: file.role for file in result.submission.files}
    paths = dict.fromkeys((*roles, *_cited(result)))
    return {path: _neutral(path, roles.get(path, "file"), number) for number, path in enumerate(paths, start=1)}


def _neutral(path: str, role: str, number: int) -> str:
    ending = PurePosixPath(path).suffix.lower()
    return f"{role}-{number}{ending if ending in _ENDINGS else ''}"


def _cited(result: Result) -> Iterator[str]:
    yield from (proof.file for item in result.items for proof in item.evidence)
    yield from (proof.file for flag in result.flags for proof in flag.evidence)


def _cut(value: Any, key: str, names: Collection[str], called: Mapping[str, str], told: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _cut(one, name, names, called, told) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cut(one, key, names, called, told) for one in value]
    if not isinstance(value, str):
        return value
    if key in _PATHS:
        return called.get(value, value)
    return _words(value, names, told) if key in _WORDS else value


def _words(text: str, names: Collection[str], told: Mapping[str, str]) -> str:
    for path, name in told.items():
        text = text.replace(path, name)
    return without_names(text, names)
