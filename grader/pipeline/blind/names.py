"""What would betray a student: the words of all names by which the course and the hand-in know them."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from grader.gradebook.person_names import words
from grader.intake.generic_names import names_nobody
from grader.intake.submission import Source

_LONG_NUMBER = 5
"""Shorter numbers are those of labs, groups and attempts, and may be figures of an answer."""


def betraying(source: Source) -> frozenset[str]:
    """The words, folded as by `words`, that must not be seen: of names, addresses, logins, and of the file's name."""
    found = {word for text in _texts(source) for word in words(text)}
    return frozenset(word for word in found if not _is_harmless(word))


def _texts(source: Source) -> Iterator[str]:
    yield source.student_id
    yield source.student_name
    for path in (source.path.name, source.inside, *(part.path.name for part in source.parts)):
        yield PurePosixPath(path).stem
    if source.identity:
        yield source.identity.entry
        for member in (source.identity, *source.identity.members):
            yield from (member.name, member.number, member.login, member.email.partition("@")[0])


def _is_harmless(word: str) -> bool:
    if word.isdecimal():
        return len(word) < _LONG_NUMBER
    return len(word) < 2 or names_nobody(word)
