"""Two lists of people brought together: by id, then e-mail address, then name. Doubts are told, never guessed away."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from grader.gradebook.person import Person, number
from grader.gradebook.person_names import folded, name_keys, same_name, words

_SHORTEST_ID: Final = 4
"""In characters: a shorter one may be any number in a folder's name."""

_BLIND: Final = "Participant"


class Matching(NamedTuple):
    """By places in the two lists. `found` says who is who, `how` by what, `doubtful` who might be meant."""

    found: dict[int, int]
    how: dict[int, str]
    doubtful: dict[int, tuple[int, ...]]
    unmatched: tuple[int, ...]


class _Index:
    """Known people by key."""

    def __init__(self, known: Sequence[Person]) -> None:
        self.ids: dict[Hashable, list[int]] = defaultdict(list)
        self.emails: dict[str, list[int]] = defaultdict(list)
        self.names: dict[Hashable, list[int]] = defaultdict(list)
        self.words: dict[str, list[int]] = defaultdict(list)
        for place, person in enumerate(known):
            for id_ in _ids(person):
                self.ids[id_].append(place)
            for email in person.emails:
                self.emails[email].append(place)
            for key in _names(person):
                self.names[key].append(place)
            for word in words(person.text):
                self.words[number(word)].append(place)


def match(wanted: Sequence[Person], known: Sequence[Person], *, several: bool = False) -> Matching:
    """Who of `known` each of `wanted` is. With `several`, ids and addresses may bring many to one."""
    index = _Index(known)
    reverse = _text_index(wanted)
    candidates = [_candidates(person, known, index) for person in wanted]
    open_ = {place for place, (_, found) in enumerate(candidates) if not found}
    for place, owner in _in_texts(known, wanted, reverse):
        if place in open_:
            candidates[place][1].add(owner)
    return _settled([(how, _widest(set_, known)) for how, set_ in candidates], several=several)


def _candidates(person: Person, known: Sequence[Person], index: _Index) -> tuple[str, set[int]]:
    by_id = {place for id_ in _ids(person) for place in index.ids.get(id_, ())}
    contradicted = {place for place in by_id if _contradicts(person, known[place])}
    by_id -= contradicted
    by_email = {place for email in person.emails for place in index.emails.get(email, ())}
    if by_id and by_email:
        return "id", (by_id & by_email) or (by_id | by_email)
    if by_id or by_email:
        return ("id", by_id) if by_id else ("e-mail", by_email)
    by_name = {place for key in _sought(person) for place in index.names.get(key, ())}
    if by_name:
        return "name", by_name
    return "name", _holding(person, index)


def _contradicts(one: Person, other: Person) -> bool:
    """Whether only Moodle's number speaks for it and the names speak against: the number may be a group's."""
    if set(one.ids) & set(other.ids) or not one.participant or not other.participant:
        return False
    if not one.name or not other.name or _BLIND in (one.name.split()[0], other.name.split()[0]):
        return False
    a, b = words(one.name), words(other.name)
    return not (same_name(one.name, other.name) or a <= b or b <= a)


def _ids(person: Person) -> Iterator[Hashable]:
    yield from person.system_ids
    yield from person.ids


def _names(person: Person) -> Iterator[Hashable]:
    """The keys under which a known person is filed."""
    for name in person.names:
        keys = name_keys(name)
        yield from keys.sorted_words
        yield from (("one" if keys.is_one_word else "many", joined) for joined in keys.joined)


def _sought(person: Person) -> Iterator[Hashable]:
    """The keys by which somebody is looked up: a name in one word finds names of many words, and the other way."""
    for name in person.names:
        keys = name_keys(name)
        yield from keys.sorted_words
        yield from (("many" if keys.is_one_word else "one", joined) for joined in keys.joined)


def _holding(person: Person, index: _Index) -> set[int]:
    """Known people whose folder's name holds all words of a person's name, or their id."""
    long = [id_ for id_ in (person.own, person.number, person.login, person.unsaid) if len(id_) >= _SHORTEST_ID]
    by_id = {place for id_ in long for place in index.words.get(number(folded(id_)), ())}
    if by_id:
        return by_id
    return {place for name in person.names for place in _holders(name, index)}


def _holders(name: str, index: _Index) -> set[int]:
    parts = words(name)
    if len(parts) < 2:
        return set()
    holders = [set(index.words.get(part, ())) for part in parts]
    return set.intersection(*holders)


def _text_index(wanted: Sequence[Person]) -> _Index:
    return _Index([Person(label="", text=person.text) for person in wanted])


def _in_texts(known: Sequence[Person], wanted: Sequence[Person], reverse: _Index) -> Iterator[tuple[int, int]]:
    """For those wanted of whom there is a folder's name: whose name or id of the known it holds."""
    if not any(person.text for person in wanted):
        return
    for owner, person in enumerate(known):
        for place in _holding(person, reverse):
            yield place, owner


def _widest(places: set[int], known: Sequence[Person]) -> tuple[int, ...]:
    """Without those whose name is only a part of another's: `Lee Ann Smith` is not `Ann Lee`."""
    if len(places) < 2:
        return tuple(places)
    names = {place: words(known[place].name) for place in places}
    return tuple(
        sorted(place for place in places if not any(names[place] < names[other] for other in places - {place}))
    )


def _settled(candidates: Sequence[tuple[str, tuple[int, ...]]], *, several: bool) -> Matching:
    single = {place: (how, found[0]) for place, (how, found) in enumerate(candidates) if len(found) == 1}
    doubtful = {place: found for place, (_, found) in enumerate(candidates) if len(found) > 1}
    claims: dict[int, list[int]] = defaultdict(list)
    for place, (_, owner) in single.items():
        claims[owner].append(place)
    for owner, places in claims.items():
        for place in _losers(places, single, several=several):
            del single[place]
            doubtful[place] = (owner,)
    return Matching(
        found={place: owner for place, (_, owner) in single.items()},
        how={place: how for place, (how, _) in single.items()},
        doubtful=doubtful,
        unmatched=tuple(place for place, (_, found) in enumerate(candidates) if not found),
    )


def _losers(places: Iterable[int], single: dict[int, tuple[str, int]], *, several: bool) -> list[int]:
    """Of those who claim one and the same person: all but the one with the strongest reason."""
    order = ("id", "e-mail", "name")
    ranks = {place: order.index(single[place][0]) for place in places}
    best = min(ranks.values())
    winners = [place for place, rank in ranks.items() if rank == best]
    if several:
        winners = [place for place, rank in ranks.items() if rank < 2] or winners
    if len(winners) > 1 and not (several and best < 2):
        winners = []
    return [place for place in ranks if place not in winners]
