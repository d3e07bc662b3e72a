"""Results of which no run was handed in are told to staff, and go to a person where the lab asks for logs."""

from collections.abc import Sequence

import pytest

from grader.checks.finding import Finding, Flag, Severity, Status
from grader.checks.runner import run_checks
from grader.checks.runs_shown import FLAG, with_logs
from grader.lab.definition import Item, Lab
from grader.reading.notebook import Cell
from tests.checks.making import answer, code, truth
from tests.claims.making import lab

REPORT = """# Task 3

With the pretrained model, the test accuracies of seeds 0, 1 and 2 are 79.35, 78.5 and 80.1 %.
The mean is 79.32 % and the standard deviation 0.65 %.

# Task 4

With the random checkpoint, the test accuracies of seeds 0, 1 and 2 are 65.4, 66.7 and 67.4 %.
The mean is 66.5 % and the standard deviation 0.83 %.
"""
TRAINING = "!fairseq-train data --restore-file pretrained.pt --seed 0"
PRINTED = code("evaluate(model)", "seed 0: 79.35\nseed 1: 78.5\nseed 2: 80.1")

LAB = lab().model_copy(update={"watches": ()})
"""So little of a report is not held to be for another lab."""


def graded(
    cells: Sequence[Cell] = (), asking: Lab | None = None, *, lost: str | None = None
) -> tuple[list[Flag], list[Finding]]:
    found = run_checks(answer(REPORT, cells, lost=lost), truth(), asking or LAB)
    return [flag for flag in found.flags if flag.id == FLAG], list(found.findings)


def asking_for_logs() -> Lab:
    """The lab, whose items on the pretrained model ask for logs."""

    def changed(item: Item) -> Item:
        is_asked = item.options.get("experiment") == "pretrained"
        return item.model_copy(update={"evidence": "logs"}) if is_asked else item

    questions = tuple(one.model_copy(update={"items": tuple(map(changed, one.items))}) for one in LAB.questions)
    return LAB.model_copy(update={"questions": questions})


def test_one_flag_names_all_experiments_without_a_run_and_takes_no_points() -> None:
    (flag,), findings = graded()
    assert flag.severity is Severity.INFO
    assert "pretrained" in flag.message
    assert "random" in flag.message
    assert flag.evidence
    assert {one.status for one in findings if one.item in ("t3.seeds", "t3.statistics", "t4.statistics")} == {
        Status.CORRECT
    }


@pytest.mark.parametrize(
    ("cells", "named"),
    [
        ((code(TRAINING, ran=False),), ("random",)),
        ((code("trainer.train()"),), ()),
        ((PRINTED,), ("random",)),
        ((code("print(sum(p.numel() for p in model.parameters()))", "22829056"),), ("pretrained", "random")),
    ],
    ids=["a command for one", "code that names none", "printed values of one", "code that trains nothing"],
)
def test_code_and_outputs_show_runs(cells: tuple[Cell, ...], named: tuple[str, ...]) -> None:
    flags, _ = graded(cells)
    told = " ".join(flag.message for flag in flags)
    assert [one for one in ("pretrained", "random") if one in told] == list(named)


def test_nothing_is_said_where_a_file_could_not_be_read() -> None:
    assert not graded(lost="logs.zip")[0]


def test_a_lab_that_asks_for_logs_leaves_points_without_them_to_a_person() -> None:
    findings = {one.item: one for one in graded(asking=asking_for_logs())[1]}
    for item in ("t3.seeds", "t3.statistics", "t3.band"):
        assert (findings[item].status, findings[item].suggestion) == (Status.REVIEW, Status.CORRECT)
        assert FLAG in {one.id for one in findings[item].diagnoses}
    assert findings["t4.statistics"].status is Status.CORRECT


def test_who_decides_for_another_reason_is_told_that_no_run_is_shown() -> None:
    asking = asking_for_logs()
    item = next(one for one in asking.items if one.id == "t3.statistics")
    unsure = Finding(item=item.id, status=Status.REVIEW, suggestion=Status.PARTIAL, feedback="Look.")
    told = with_logs(unsure, item, answer(REPORT), asking)
    assert (told.status, told.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert str(told.feedback).startswith("Look. No log or printed output")
    wrong = unsure.with_changes(status=Status.INCORRECT, suggestion=None)
    assert with_logs(wrong, item, answer(REPORT), asking) == wrong


def test_printed_values_are_logs_and_code_alone_is_none() -> None:
    asking = asking_for_logs()
    with_output = {one.item: one.status for one in graded((PRINTED,), asking)[1]}
    with_code = {one.item: one.status for one in graded((code(TRAINING, ran=False),), asking)[1]}
    assert with_output["t3.statistics"] is Status.CORRECT
    assert with_code["t3.statistics"] is Status.REVIEW


def test_only_items_of_experiments_can_ask_for_logs() -> None:
    question = LAB.questions[0]
    item = question.items[0].model_copy(update={"evidence": "logs"})
    asking = LAB.model_copy(update={"questions": (question.model_copy(update={"items": (item,)}),)})
    (wrong,) = (one for one in asking.wrong_references() if "evidence" in one.place)
    assert wrong.place == ("questions", 0, "items", 0, "evidence")
    assert "name no experiment" in wrong.text
