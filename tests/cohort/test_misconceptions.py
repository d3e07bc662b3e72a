"""Diagnoses counted over a class."""

from grader.cohort.statistics import Misconception, of_class
from grader.result import Diagnosis, ItemResult, Status
from tests.factories import evidence, item, result


def slip(text: str = "The head is counted.", id_: str = "with-head") -> Diagnosis:
    return Diagnosis(id=id_, text=text)


def wrong(*diagnoses: Diagnosis, status: Status = Status.INCORRECT, quote: str = "") -> ItemResult:
    return item(status=status, diagnoses=diagnoses, evidence=(evidence(quote),) if quote else ())


def misconceptions(*items: ItemResult) -> tuple[Misconception, ...]:
    """Those of a class in which each student has one item."""
    return of_class(result(f"s{number}", [one]) for number, one in enumerate(items)).summary.misconceptions


def test_students_are_counted_and_the_most_frequent_comes_first() -> None:
    found = misconceptions(wrong(slip()), wrong(slip(id_="other")), wrong(slip(), slip("Twice.")), wrong(slip()))
    assert [(one.id, one.students) for one in found] == [("with-head", ("s0", "s2", "s3")), ("other", ("s1",))]


def test_what_explains_a_right_answer_is_no_misconception() -> None:
    assert not misconceptions(wrong(slip(), status=Status.CORRECT))


def test_those_that_await_a_person_are_counted_apart() -> None:
    (found,) = misconceptions(wrong(slip()), wrong(slip(), status=Status.REVIEW))
    assert (len(found.students), found.undecided) == (2, 1)


def test_the_usual_sentence_is_shown_with_an_example_that_has_no_other_diagnosis() -> None:
    usual, rare = slip("16 is said; 32 is right."), slip("17 is said; 32 is right.")
    all_found = misconceptions(
        wrong(rare, quote="17"), wrong(usual, slip(id_="other"), quote="a"), wrong(usual, quote="16"), wrong(usual)
    )
    found = next(one for one in all_found if one.id == "with-head")
    assert found.text == usual.text
    assert found.example
    assert (found.example_student, found.example.quote) == ("s2", "16")


def test_a_diagnosis_without_a_place_has_no_example() -> None:
    (found,) = misconceptions(wrong(slip()))
    assert (found.example, found.example_student) == (None, "")
