"""Matching of people in lists and results by id, then e-mail address, then name; normalisation of names; detection of a
list's columns by their headings. Uncertain matches are reported, never guessed.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table, read_table
from grader.language.shapes import TOKEN
from grader.result import Identity, Member, Result

_WRITTEN_OUT: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_LETTERS: Final = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_SEPARATORS: Final = re.compile(r"[\s,;_/|]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


class NameKeys(NamedTuple):
    """Keys that equal names share. `sorted_words` is independent of the order of words; `joined` is the name written as
    one word.

    `joined` of a name of one word (`etezoe`) is compared with those of names of several words (`zoeete`, `etezoe`).
    """

    sorted_words: frozenset[tuple[str, ...]]
    joined: frozenset[str]
    is_one_word: bool


@lru_cache(maxsize=100_000)
def name_keys(name: str) -> NameKeys:
    """The keys of a name; none for a name without letters."""
    orders: set[tuple[str, ...]] = set()
    turns: set[str] = set()
    whole: list[str] = []
    for spelling in spellings(name):
        parts = _SEPARATORS.split(spelling)
        whole = [letters for part in parts if (letters := "".join(filter(str.isalnum, part)))]
        split = [word for part in parts for word in TOKEN.findall(part)]
        orders |= {tuple(sorted(words)) for words in (whole, split) if words}
        turns |= {"".join(whole[turn:] + whole[:turn]) for turn in range(min(len(whole), 8))}
    return NameKeys(frozenset(orders), frozenset(turns), len(whole) == 1)


def same_name(first: str, other: str) -> bool:
    """Whether two names may belong to the same person."""
    a, b = name_keys(first), name_keys(other)
    return bool(a.sorted_words & b.sorted_words or a.joined & b.joined)


@lru_cache(maxsize=100_000)
def words(text: str) -> frozenset[str]:
    """The words and numbers in a text such as a folder's name, also those run together as in `EteZoe12`."""
    forms = (form for spelled in (text, _CAMEL.sub(" ", text)) for form in spellings(spelled))
    return frozenset(word for form in forms for word in TOKEN.findall(form))


def spellings(name: str) -> tuple[str, ...]:
    """A name in lower case without accents, and with the letters written out that some keyboards lack: `Müller` is
    written `Muller` and `Mueller`."""
    written_out = unicodedata.normalize("NFC", name.casefold()).translate(_WRITTEN_OUT)
    return tuple(dict.fromkeys((fold_letters(name), fold_letters(written_out))))


def fold_letters(text: str) -> str:
    """Text in lower case without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold()).translate(_LETTERS)
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


class Person(NamedTuple):
    """A person in a list. All fields are text, empty where unknown; `label` is the name in messages.

    `own` is the grader's id. `unsaid` is a value of unknown kind: an id, an e-mail address or a name. `text` is a
    folder's name that may contain a name or an id among other words.
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
        """Ids of a learning management system, with their kind: only ids of the same kind are compared."""
        if self.participant:
            yield "participant", number(self.participant)
        if self.canvas:
            yield "canvas", number(self.canvas)

    @property
    def ids(self) -> Iterator[str]:
        """Other ids, which lists give under many headings."""
        for id_ in (self.own, self.number, self.login, self.unsaid):
            if id_:
                yield number(fold_letters(id_.strip()))

    @property
    def emails(self) -> Iterator[str]:
        """E-mail addresses, including a login or a value of unknown kind that is one."""
        for text in (self.email, self.login, self.unsaid):
            if "@" in text:
                yield text.strip().casefold()

    @property
    def names(self) -> Iterator[str]:
        """Values that may be names."""
        for text in (self.name, self.unsaid):
            if text and "@" not in text:
                yield text


def join_names(names: Iterable[str]) -> str:
    """Names joined by semicolons, as a name may contain a comma."""
    return "; ".join(names)


def number(text: str) -> str:
    """An id for comparing: a number without its leading zeros, any other text as it is."""
    return text.lstrip("0") or "0" if text.isascii() and text.isdigit() else text


def persons_of(result: Result) -> tuple[Person, ...]:
    """The person of a result, or the members of its team."""
    student = result.student
    if student.identity and student.identity.members:
        return tuple(_person(member, label=member.name or student.id) for member in student.identity.members)
    return (known_as(student.identity, student.id, student.name),)


def known_as(identity: Member | None, own_id: str, name: str) -> Person:
    """The person with a hand-in's identity."""
    if identity is None:
        return Person(label=own_id, name=name, own=own_id, text=name)
    entry = identity.entry if isinstance(identity, Identity) else ""
    return _person(identity, label=own_id or name)._replace(name=name, own=own_id, text=entry)


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


_HEADINGS: Final = {
    "email": "email|e mail|mail|email address|e mail address|courriel|adresse de courriel|adresse e mail|adresse mail|"
    "e mail adresse|mailadresse|correo|correo electronico|direccion de correo|direccion de correo electronico",
    "number": "number|id number|idnumber|student number|student no|sid|sis user id|sis id|orgdefinedid|"
    "org defined id|matriculation number|matricule|numero|numero d identification|numero etudiant|no etudiant|"
    "n etudiant|matrikelnummer|matrikelnr|matrikel nr|matrikel|id nummer|matricula|numero de matricula|numero de id|"
    "numero de identificacion",
    "login": "login|login id|username|user name|sis login id|uid|nom d utilisateur|utilisateur|"
    "identifiant de connexion|github username|benutzername|anmeldename|kennung|usuario|nombre de usuario",
    "name": "name|full name|fullname|student name|display name|nom complet|nom et prenom|prenom et nom|nom prenom|"
    "vollstandiger name|vor und nachname|nachname vorname|nombre completo|apellidos y nombre|nombre y apellidos",
    "first": "first name|firstname|given name|prenom|vorname|nombre",
    "last": "last name|lastname|surname|family name|nom|nom de famille|nachname|familienname|apellido|apellidos",
    "group": "group|groups|group name|groupname|team|team name|groupe|groupes|equipe|gruppe|gruppenname|grupo|grupos|"
    "equipo",
    "participant": "identifier|identifiant|participant|participant id|moodle participant|bezeichner|identificador",
    "canvas": "canvas id|canvas user id",
    "unsaid": "student|student id|id|who|etudiant|etudiante|participante|student in|studierende|teilnehmer in|"
    "estudiante|alumno|alumna",
}
_MEANING: Final = {heading: kind for kind, headings in _HEADINGS.items() for heading in headings.split("|")}
_LABELS: Final = ("email", "unsaid", "number", "login", "participant", "canvas")
_TAIL_NUMBER: Final = re.compile(r"(\d+)\s*$")
_SECTION: Final = "section"


_ID_KINDS: Final = ("number", "login", "canvas", "unsaid")


class Columns(NamedTuple):
    """The indices of the columns that identify a person, by kind."""

    places: dict[str, int]

    def person(self, cells: Sequence[str], label: str) -> Person:
        """The person of a row; called `label` where the row has no name."""
        text = {kind: cells[place] if place < len(cells) else "" for kind, place in self.places.items()}
        text |= {kind: _id(text[kind]) for kind in _ID_KINDS if kind in text}
        name = text.get("name") or " ".join(part for part in (text.get("first"), text.get("last")) if part)
        participant = _TAIL_NUMBER.search(text.get("participant", ""))
        return Person(
            label=next(filter(None, (name, *(text.get(kind) for kind in _LABELS))), label),
            name=name,
            participant=participant.group(1) if participant else "",
            **{kind: text.get(kind, "") for kind in ("email", "number", "login", "canvas", "group", "unsaid")},
        )


_MOST_DIGITS: Final = 30


def _id(text: str) -> str:
    """An id as it was before a spreadsheet had it: `="0012"` is 0012, 1234.0 is 1234. 2.02301E+11 lost its last digits,
    so it is nobody's id."""
    plain = text[2:-1] if text.startswith('="') and text.endswith('"') else text
    point = plain.replace(",", ".")
    if not point[:1].isdecimal() or not (point.endswith(".0") or "E+" in point.upper()):
        return plain
    try:
        value = Decimal(point)
    except InvalidOperation:
        return plain
    if not value.is_finite() or value.adjusted() > _MOST_DIGITS:
        return plain
    is_exact = value == value.to_integral_value() and len(value.as_tuple().digits) > value.adjusted()
    return format(value.to_integral_value(), "f") if is_exact else ""


def columns_of(headings: Sequence[str]) -> Columns:
    """The columns under these headings; the first of several of one kind. Canvas calls names `Student`, ids `ID`.

    GitHub Classroom calls its roster's own ids `identifier`. `Name` beside `Vorname` is the last name.
    """
    plain = [heading_key(heading) for heading in headings]
    begins = {"student", "lastname", "last name"} & set(plain[:1])
    canvas = bool(begins) and "id" in plain and any(_SECTION in heading for heading in plain)
    places: dict[str, int] = {}
    for place, heading in enumerate(plain):
        kind = _MEANING.get(heading, "")
        if canvas:
            kind = {"student": "name", "id": "canvas"}.get(heading, kind)
        if heading == "identifier" and "github username" in plain:
            kind = "unsaid"
        if kind:
            places.setdefault(kind, place)
    if "first" in places and "name" in places and "last" not in places:
        places["last"] = places.pop("name")
    if places.keys() == {"group"} and plain[places["group"]].endswith(" name"):  # rows of teams, as PrairieLearn writes
        places["login"] = places["group"]
    return Columns(places)


def heading_key(heading: str) -> str:
    """A heading in lower case without accents, with single spaces, for comparing."""
    return " ".join(re.findall(r"[^\W_]+", fold_letters(heading)))


def keys_of(table: Table) -> list[str]:
    """The headings of a table, for comparing."""
    return [heading_key(heading) for heading in table.texts(table.header)]


def column_called(keys: Sequence[str], names: Iterable[str]) -> int | None:
    """The place of the first of some names among the headings of a table."""
    return next((keys.index(name) for name in names if name in keys), None)


def who_columns(table: Table) -> Columns:
    """The columns that identify a person. Raises GradebookError where there is none."""
    headings = table.texts(table.header)
    found = columns_of(headings)
    if not set(found.places) - {"group"}:
        raise GradebookError(
            f"{table.place_of_row(table.header)}: no column says who a row is about; name one `student`, "
            "`email` or `id` "
            f"(there are: {', '.join(headings)})."
        )
    return found


_SHORTEST_ID: Final = 4
"""Characters of an id; a shorter one may be any number in a folder's name."""

_BLIND: Final = "Participant"


class Matching(NamedTuple):
    """A matching by indices in the two lists: `found` pairs, `how` each pair was matched, and `doubtful` candidates."""

    found: dict[int, int]
    how: dict[int, str]
    doubtful: dict[int, tuple[int, ...]]
    unmatched: tuple[int, ...]


class _Index:
    """Known people by key."""

    def __init__(self, people: Sequence[Person]) -> None:
        self.ids: dict[Hashable, list[int]] = defaultdict(list)
        self.emails: dict[str, list[int]] = defaultdict(list)
        self.names: dict[Hashable, list[int]] = defaultdict(list)
        self.words: dict[str, list[int]] = defaultdict(list)
        for place, person in enumerate(people):
            for id_ in (*person.system_ids, *person.ids):
                self.ids[id_].append(place)
            for email in person.emails:
                self.emails[email].append(place)
            for key in _name_keys(person, one_word="one", several="many"):
                self.names[key].append(place)
            for word in words(person.text):
                self.words[number(word)].append(place)


def match(wanted: Sequence[Person], known_people: Sequence[Person], *, several: bool = False) -> Matching:
    """Matches each person of `wanted` to one of `known_people`. With `several`, ids and addresses may match many to
    one."""
    index = _Index(known_people)
    reverse = _Index([Person(label="", text=person.text) for person in wanted])
    candidates = [_candidates(person, known_people, index) for person in wanted]
    open_ = {place for place, (_, found) in enumerate(candidates) if not found}
    if any(person.text for person in wanted):  # a folder's name may hold the name or id of a known person
        for owner, person in enumerate(known_people):
            for place in _holding(person, reverse) & open_:
                candidates[place][1].add(owner)
    return _matching([(how, _widest(set_, known_people)) for how, set_ in candidates], several=several)


def _candidates(person: Person, known_people: Sequence[Person], index: _Index) -> tuple[str, set[int]]:
    by_id = {place for id_ in (*person.system_ids, *person.ids) for place in index.ids.get(id_, ())}
    by_id = {place for place in by_id if not _contradicts(person, known_people[place])}
    by_email = {place for email in person.emails for place in index.emails.get(email, ())}
    if by_id and by_email:
        return "id", (by_id & by_email) or (by_id | by_email)
    if by_id or by_email:
        return ("id", by_id) if by_id else ("e-mail", by_email)
    # A name in one word matches a name of several words, and the other way round.
    keys = _name_keys(person, one_word="many", several="one")
    return "name", {place for key in keys for place in index.names.get(key, ())} or _holding(person, index)


def _contradicts(first: Person, other: Person) -> bool:
    """Whether two people share only Moodle's number while their names differ: the number may be a group's."""
    if set(first.ids) & set(other.ids) or not first.participant or not other.participant:
        return False
    if not first.name or not other.name or _BLIND in (first.name.split()[0], other.name.split()[0]):
        return False
    a, b = words(first.name), words(other.name)
    return not (same_name(first.name, other.name) or a <= b or b <= a)


def _name_keys(person: Person, *, one_word: str, several: str) -> Iterator[Hashable]:
    """The keys of a person's names; those written as one word with a mark for names of one word or of several."""
    for name in person.names:
        keys = name_keys(name)
        yield from keys.sorted_words
        yield from ((one_word if keys.is_one_word else several, joined) for joined in keys.joined)


def _holding(person: Person, index: _Index) -> set[int]:
    """The known people whose folder name contains all words of a person's name, or the person's id."""
    long = [id_ for id_ in (person.own, person.number, person.login, person.unsaid) if len(id_) >= _SHORTEST_ID]
    by_id = {place for id_ in long for place in index.words.get(number(fold_letters(id_)), ())}
    if by_id:
        return by_id
    return {place for name in person.names for place in _holders(name, index)}


def _holders(name: str, index: _Index) -> set[int]:
    found: set[int] = set()
    for spelling in spellings(name):
        parts = set(TOKEN.findall(spelling))
        if len(parts) > 1:
            found |= set.intersection(*(set(index.words.get(part, ())) for part in parts))
    return found


def _widest(places: set[int], known_people: Sequence[Person]) -> tuple[int, ...]:
    """The candidates without those whose name is part of another's: `Lee Ann Smith` is not `Ann Lee`."""
    if len(places) < 2:
        return tuple(places)
    names = {place: words(known_people[place].name) for place in places}
    return tuple(
        sorted(place for place in places if not any(names[place] < names[other] for other in places - {place}))
    )


def _matching(candidates: Sequence[tuple[str, tuple[int, ...]]], *, several: bool) -> Matching:
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
    """Return all but the strongest match of several people matched to the same person."""
    order = ("id", "e-mail", "name")
    ranks = {place: order.index(single[place][0]) for place in places}
    best = min(ranks.values())
    winners = [place for place, rank in ranks.items() if rank == best]
    if several:
        winners = [place for place, rank in ranks.items() if rank < 2] or winners
    if len(winners) > 1 and not (several and best < 2):
        winners = []
    return [place for place in ranks if place not in winners]


def read_roster(path: Path) -> tuple[Person, ...]:
    """Everybody on a list. Raises GradebookError when the file is no list of people.

    Columns are known by their headings (id, student number, login, e-mail, name or first and last name, group).
    Canvas's row of possible points and its test student are left out.
    """
    table = read_table(path)
    columns = who_columns(table)
    people = (columns.person(table.texts(row), table.place_of_row(row)) for row in table.data_rows)
    roster = tuple(_merged(person for person in people if not is_nobody(person)))
    if not roster:
        raise GradebookError(f"{path}: it lists nobody; name a CSV file with a row for each student.")
    return roster


def _merged(people: Iterable[Person]) -> Iterable[Person]:
    """The people; rows of one person, as of two sections, are one: they share an id or an address, and the name. Of two
    different groups none is known to be right."""
    order: dict[int, Person] = {}
    places: dict[Hashable, int] = {}
    for person in people:
        keys = [*person.system_ids, *person.ids, *person.emails]
        place = next((places[key] for key in keys if key in places), len(order))
        before = order.get(place, person)
        if before.name and person.name and not same_name(before.name, person.name):
            place, before = len(order), person
        fields = {field: old or new for field, old, new in zip(Person._fields, before, person, strict=True)}
        groups = {before.group, person.group} - {""}
        fields["group"] = groups.pop() if len(groups) == 1 else ""
        order[place] = Person(**fields)
        for key in keys:
            places.setdefault(key, place)
    return order.values()


def unused_columns(path: Path) -> tuple[str, ...]:
    """The headings of a list of people that say nothing about who they are."""
    table = read_table(path)
    headings = table.texts(table.header)
    used = set(columns_of(headings).places.values())
    return tuple(heading for place, heading in enumerate(headings) if heading and place not in used)


def shortened_ids(path: Path) -> tuple[str, ...]:
    """The ids in a list of people of which a spreadsheet dropped the last digits, so that they are ignored."""
    table = read_table(path)
    places = [place for kind, place in who_columns(table).places.items() if kind in _ID_KINDS]
    cells = (text[place] for text in map(table.texts, table.data_rows) for place in places if place < len(text))
    return tuple(dict.fromkeys(cell for cell in cells if cell and not _id(cell)))


def similar_person(name: str, people: Sequence[Person]) -> str:
    """The label of the person whose name, or the beginning of whose address, is nearly this one; empty if there is
    none. It is to be shown to somebody who knows: being near matches nobody."""
    labels: dict[str, str] = {}
    for person in people:
        for text in (person.email.partition("@")[0], person.name):
            labels[_plain(text)] = person.label
    labels.pop("", None)
    return next((labels[key] for key in get_close_matches(_plain(name), labels, 1, _NEAR)), "")


_NEAR: Final = 0.85
"""Least similarity, 0 to 1, of a name that may be another one misspelt."""


def _plain(name: str) -> str:
    return " ".join(sorted(word for word in TOKEN.findall(fold_letters(name)) if not word.isdecimal()))


def with_participant_ids(people: Sequence[Person], others: Sequence[Person]) -> tuple[Person, ...]:
    """People with the participant ids of another list, such as Moodle's worksheet. They are matched by e-mail address
    or id, and by name only where it is unambiguous."""
    with_id = [person for person in others if person.participant]
    matching = match([person._replace(participant="") for person in with_id], people)
    found = {owner: with_id[place].participant for place, owner in matching.found.items()}
    return tuple(
        person._replace(participant=person.participant or found.get(place, "")) for place, person in enumerate(people)
    )


def people_in(path: Path) -> tuple[Person, ...]:
    """Everybody in a file of a course; empty where no column identifies a person."""
    try:
        return read_roster(path)
    except GradebookError:
        return ()


def is_nobody(person: Person) -> bool:
    """Whether a row of an export is not a student."""
    name = person.name.strip().casefold()
    return "points possible" in name or name in ("student, test", "test student", "test, student")
