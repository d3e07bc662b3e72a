"""Who is who: by id, then e-mail address, then name; in doubt nobody."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.gradebook.people import Matching, Person, match

ROSTER = (
    Person("Zoé D'Été", name="D'Été, Zoé", email="Zoe@Example.org", number="00123", login="zdete", canvas="12"),
    Person("Ann Lee", name="Ann Lee", email="ann@example.org", number="00124", participant="7"),
    Person("Lee Ann Smith", name="Lee Ann Smith", number="00125"),
    Person("Jean-Paul Ng", name="Jean-Paul Ng", email="jp@example.org", participant="9"),
    Person("Bob Ng", name="Bob Ng", number="7"),
    Person("Bob Ng again", name="Ng, Bob", number="8"),
)


def who(person: Person) -> tuple[str, ...]:
    """The labels of those who are meant: one who is certain, or several who may be."""
    found = match([person], ROSTER)
    return tuple(ROSTER[place].label for place in (found.doubtful.get(0) or found.found.values()))


@pytest.mark.parametrize(
    ("person", "labels"),
    [
        (Person("", number="123"), ["Zoé D'Été"]),
        (Person("", own="00123"), ["Zoé D'Été"]),
        (Person("", email="ZOE@example.ORG"), ["Zoé D'Été"]),
        (Person("", unsaid="zoe@example.org"), ["Zoé D'Été"]),
        (Person("", unsaid="ZDETE"), ["Zoé D'Été"]),
        (Person("", name="zoe d'ete"), ["Zoé D'Été"]),
        (Person("", name="DEte Zoe"), ["Zoé D'Été"]),
        (Person("", name="détézoé", canvas="12"), ["Zoé D'Été"]),
        (Person("", name="detezoe"), ["Zoé D'Été"]),
        (Person("", name="Lee, Ann"), ["Ann Lee"]),
        (Person("", name="Jean Paul Ng"), ["Jean-Paul Ng"]),
        (Person("", name="Bob Ng"), ["Bob Ng", "Bob Ng again"]),
        (Person("", name="Bob Ng", number="8"), ["Bob Ng again"]),
        (Person("", name="x", text="Lab4_ng_jeanPaul"), ["Jean-Paul Ng"]),
        (Person("", text="Lab4_lee_ann_smith"), ["Lee Ann Smith"]),
        (Person("", text="Lab4_lee_ann"), ["Ann Lee"]),
        (Person("", text="lab4-00124-final"), ["Ann Lee"]),
        (Person("", text="Lab4_lee"), []),
        (Person("", text="lab4_7"), []),
        (Person("", name="Ann Lee", participant="7"), ["Ann Lee"]),
        (Person("", name="Group A-Ann Lee", participant="7"), ["Ann Lee"]),
        (Person("", name="", participant="7"), ["Ann Lee"]),
        (Person("", name="Group A", participant="7"), []),
        (Person("", canvas="7"), []),
        (Person("", canvas="124"), []),
        (Person("", number="123", email="ann@example.org"), ["Zoé D'Été", "Ann Lee"]),
        (Person("", name="An Nlee"), []),
        (Person("", name="Eve"), []),
        (Person(""), []),
    ],
)
def test_who_is_meant(person: Person, labels: list[str]) -> None:
    assert sorted(who(person)) == sorted(labels)


def matched(wanted: list[Person], *, several: bool = False) -> Matching:
    return match(wanted, ROSTER, several=several)


def test_the_stronger_reason_wins_and_equal_ones_leave_a_doubt() -> None:
    by_id, by_name = Person("a", number="124"), Person("b", name="Ann Lee")
    assert matched([by_name, by_id]).found == {1: 1}
    assert matched([by_name, by_id]).doubtful == {0: (1,)}
    assert matched([by_name, by_name]).found == {}
    assert matched([by_id, by_id]).found == {}


def test_several_hand_ins_are_one_persons_by_id_only() -> None:
    by_id, by_email, by_name = Person("", number="124"), Person("", email="ann@example.org"), Person("", name="Ann Lee")
    assert matched([by_id, by_email, by_name], several=True).found == {0: 1, 1: 1}
    assert matched([by_name, by_name], several=True).found == {}
    assert matched([by_name], several=True).found == {0: 1}


people = st.builds(
    Person,
    st.just("x"),
    name=st.sampled_from(["", "Ann Lee", "Lee, Ann", "Bob Ng", "Éve", "=1"]) | st.text(max_size=5),
    number=st.sampled_from(["", "1", "01", "2"]),
    email=st.sampled_from(["", "a@b", "A@B", "c@d"]),
    text=st.sampled_from(["", "lab_ann_lee", "0001", "x"]),
)


@given(st.lists(people, max_size=8), st.lists(people, max_size=8))
def test_nobody_is_given_to_two_and_everybody_is_accounted_for(wanted: list[Person], known: list[Person]) -> None:
    found = match(wanted, known)
    assert len(set(found.found.values())) == len(found.found)
    accounted = [*found.found, *found.doubtful, *found.unmatched]
    assert sorted(accounted) == list(range(len(wanted)))


@given(st.lists(people, max_size=6), st.lists(people, max_size=6))
def test_the_order_of_the_lists_does_not_matter(wanted: list[Person], known: list[Person]) -> None:
    there = {(place, owner) for place, owner in match(wanted, known).found.items()}
    turned = match(wanted[::-1], known[::-1]).found.items()
    back = {(len(wanted) - 1 - place, len(known) - 1 - owner) for place, owner in turned}
    assert there == back


WRITTEN_OUT = [
    ("Jörg Müller", "Mueller_Joerg"),
    ("Jörg Müller", "Muller Jorg"),
    ("Weiß, Anna", "Anna Weiss"),
    ("Bjørn Åsen", "Aasen-Bjoern"),
    ("Bjørn Åsen", "Asen Bjorn"),
    ("Can Özdemir", "oezdemircan"),
]


@pytest.mark.parametrize(("name", "written"), WRITTEN_OUT)
def test_letters_that_some_keyboards_lack_are_written_out(name: str, written: str) -> None:
    for one, other in ((name, written), (written, name)):
        assert match([Person("", name=one)], [Person("", name=other), Person("", name="Ann Lee")]).found == {0: 0}
    in_words = match([Person("", text=f"Lab4_{written}_final")], [Person("", name=name)])
    assert bool(in_words.found) == (written != "oezdemircan"), "one word among others is no whole name"


@pytest.mark.parametrize(("one", "other"), [("Michael Nowak", "Michal Nowak"), ("Samuel Roy", "Samul Roy")])
def test_names_that_only_look_like_it_are_others(one: str, other: str) -> None:
    assert match([Person("", name=one)], [Person("", name=other)]).found == {}
