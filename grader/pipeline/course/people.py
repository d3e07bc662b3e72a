"""Hand-ins and the people of a roster brought together."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from grader.gradebook.matching import Matching, match
from grader.gradebook.person import Person, apart, known_as
from grader.gradebook.person_names import name_keys
from grader.intake.identity import Identity, Member
from grader.intake.submission import Source

MOST_NAMED = 10


class Known(NamedTuple):
    """The hand-ins with what a roster knows of their students, what staff should be told, who on the roster handed in
    nothing, and what may be told without naming anybody."""

    sources: tuple[Source, ...]
    notes: tuple[str, ...] = ()
    absent: tuple[Person, ...] = ()
    summary: tuple[str, ...] = ()


def person_of(source: Source) -> Person:
    """The person of a hand-in."""
    return known_as(source.identity, source.student_id, source.student_name)


def people_of(sources: Sequence[Source]) -> tuple[tuple[Person, ...], tuple[int, ...]]:
    """The people of the hand-ins, and the place of each one's hand-in: of a team, itself and its members."""
    of = [(person, place) for place, source in enumerate(sources) for person in (person_of(source), *_members(source))]
    return tuple(person for person, _ in of), tuple(place for _, place in of)


def _members(source: Source) -> Iterable[Person]:
    return (known_as(one, "", one.name) for one in source.identity.members) if source.identity else ()


def identified(sources: Sequence[Source], roster: Sequence[Person]) -> Known:
    """Each hand-in with the identity of its student on the roster. Nobody who is in doubt gets one."""
    teams = _teams(sources, roster)
    alone = [source for source in sources if source.student_id not in teams]
    matching = match([person_of(source) for source in alone], roster, several=True)
    owners = {alone[place].student_id: owner for place, owner in matching.found.items()}
    known = tuple(
        _in_team(source, [roster[owner] for owner in teams[source.student_id]])
        if source.student_id in teams
        else _told(source, roster, owners)
        for source in sources
    )
    present = {*owners.values(), *(owner for members in teams.values() for owner in members)}
    absent = tuple(person for place, person in enumerate(roster) if place not in present)
    return Known(
        known, tuple(_notes(alone, roster, matching, absent)), absent, (_summary(matching, len(alone), len(teams)),)
    )


def named(names: Iterable[str]) -> str:
    """Names in a message: the first ones, and how many more there are."""
    listed = list(names)
    more = len(listed) - MOST_NAMED
    return apart(listed[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _teams(sources: Sequence[Source], roster: Sequence[Person]) -> dict[str, list[int]]:
    """The members, by places in the roster, of hand-ins that are called like a group and like nobody."""
    groups: dict[object, list[int]] = defaultdict(list)
    for place, person in enumerate(roster):
        for key in name_keys(person.group).sorted_words if person.group else ():
            groups[key].append(place)
    people = {key for person in roster for name in person.names for key in name_keys(name).sorted_words}
    found: dict[str, list[int]] = {}
    for source in sources:
        keys = name_keys(source.student_name).sorted_words
        members = sorted({place for key in keys for place in groups.get(key, ())})
        if members and not keys & people:
            found[source.student_id] = members
    return found


def _told(source: Source, roster: Sequence[Person], owners: dict[str, int]) -> Source:
    if source.student_id not in owners:
        return source
    owner = owners[source.student_id]
    person, known = roster[owner], source.identity or Identity()
    shared = sum(one == owner for one in owners.values()) > 1
    fields = {**_fields(person), **{key: value for key, value in dict(known).items() if value}}
    fields["name"] = person.name or known.name
    return source.model_copy(
        update={
            "identity": Identity(**fields),
            "student_name": person.name or source.student_name,
            "series": f"roster {owner}" if shared else source.series,
        }
    )


def _in_team(source: Source, people: Sequence[Person]) -> Source:
    known = source.identity or Identity()
    members = tuple(Member(**_fields(person)) for person in people)
    return source.model_copy(update={"identity": known.model_copy(update={"members": members})})


def _fields(person: Person) -> dict[str, str]:
    return {
        "name": person.name,
        "email": person.email,
        "number": person.number or (person.unsaid if "@" not in person.unsaid else ""),
        "login": person.login,
        "moodle_participant": person.participant,
        "canvas_user": person.canvas,
    }


def _summary(matching: Matching, alone: int, teams: int) -> str:
    how = Counter(matching.how.values())
    ways = ", ".join(f"{how[way]} by {way}" for way in ("id", "e-mail", "name") if how[way])
    teams_told = f", {teams} as teams" if teams else ""
    matched, all_ = len(matching.found) + teams, alone + teams
    return f"roster: {matched} of {all_} hand-ins matched ({ways or 'none alone'}{teams_told})"


def _notes(
    sources: Sequence[Source], roster: Sequence[Person], matching: Matching, absent: Sequence[Person]
) -> Iterable[str]:
    for place, owners in sorted(matching.doubtful.items()):
        who = named(roster[owner].label for owner in owners)
        yield f"roster: in doubt, so left as it is: {sources[place].student_id} (perhaps {who})"
    if matching.unmatched:
        yield f"roster: not on it: {named(sources[place].student_id for place in matching.unmatched)}"
    if absent:
        yield f"roster: no hand-in of: {named(person.label for person in absent)}"
