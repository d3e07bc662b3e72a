from grader.cohort.statistics import of_class
from tests.factories import result


def test_identical_hand_ins_form_a_group() -> None:
    results = [result("ann", sha256="1" * 64), result("bob", sha256="2" * 64), result("cyd", sha256="1" * 64)]
    (group,) = of_class(results).summary.similarity.identical_submissions
    assert (group.sha256, group.students) == ("1" * 64, ("ann", "cyd"))


def test_two_empty_hand_ins_are_not_alike() -> None:
    results = [result(name, sha256="0" * 64, files=()) for name in ("ann", "bob")]
    assert of_class(results).summary.similarity.identical_submissions == ()
