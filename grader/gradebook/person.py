"""One person as a list or a result knows them, and the keys by which two lists are brought together."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from grader.gradebook.person_names import folded
from grader.result import Identity, Member, Result


class Person(NamedTuple):
    """Everything is text, and empty where it is not known; `label` is what messages call them.

    `own` is the id that the grader gave. `unsaid` may be an id, an e-mail address or a name: the list does not say.
    `text` is a folder's name that may hold a name or an id among other words.
    """

    label: str
    name: str = ""
    email: str = ""
    number: str = ""
    login: str = ""
    participant: str = ""
    canvas: str = ""
    group: str = ""
    own: str = ""
    unsaid: str = ""
    text: str = ""

    @property
    def system_ids(self) -> Iterator[tuple[str, str]]:
        """Ids of a learning management system: they equal only their own kind."""
        if self.participant:
            yield "participant", number(self.participant)
        if self.canvas:
            yield "canvas", number(self.canvas)

    @property
    def ids(self) -> Iterator[str]:
        """Ids that lists name in many ways."""
        for id_ in (self.own, self.number, self.login, self.unsaid):
            if id_:
                yield number(folded(id_.strip()))

    @property
    def emails(self) -> Iterator[str]:
        """Addresses, also where a login or an unnamed id is one."""
        for text in (self.email, self.login, self.unsaid):
            if "@" in text:
                yield text.strip().casefold()

    @property
    def names(self) -> Iterator[str]:
        """What may be a name."""
        for text in (self.name, self.unsaid):
            if text and "@" not in text:
                yield text


def apart(names: Iterable[str]) -> str:
    """Several names in a message: with semicolons, as a name may hold a comma."""
    return "; ".join(names)


def number(text: str) -> str:
    """An id for comparing: a number without its leading zeros, any other text as it is."""
    return text.lstrip("0") or "0" if text.isascii() and text.isdigit() else text


def persons_of(result: Result) -> tuple[Person, ...]:
    """The person of a result, or the members of its team."""
    student = result.student
    identity = student.identity
    if identity is None:
        return (Person(label=student.id, name=student.name, own=student.id, text=student.name),)
    if identity.members:
        return tuple(_person(member, label=member.name or student.id) for member in identity.members)
    known = _person(identity, label=student.id)
    return (known._replace(name=student.name, own=student.id, text=identity.entry),)


def known_as(identity: Member | None, own: str, name: str) -> Person:
    """The person of a hand-in."""
    if identity is None:
        return Person(label=own, name=name, own=own, text=name)
    entry = identity.entry if isinstance(identity, Identity) else ""
    return _person(identity, label=own or name)._replace(name=name, own=own, text=entry)


def _person(member: Member, label: str) -> Person:
    return Person(
        label=label,
        name=member.name,
        email=member.email,
        number=member.number,
        login=member.login,
        participant=member.moodle_participant,
        canvas=member.canvas_user,
    )
