"""Names in the order a person expects."""

from grader.intake.names import natural


def test_numbers_count_and_accents_do_not() -> None:
    expected = ["Ada", "Émile", "emma", "student-2", "student-10", "Zoé"]
    assert sorted(set(expected), key=natural) == expected
