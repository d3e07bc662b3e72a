"""What makes an answer certainly missing, and where a person looks where that is not certain."""

from typing import Any

import pytest

from grader.checks.absence import (
    Absence,
    absence,
    beside_drawn_words,
    concluded_absent,
    nothing_recognised,
    own_sections,
)
from grader.checks.finding import Finding, Status
from grader.lab.definition import Lab
from grader.reading.document import Block, BlockKind, Evidence, Repair, RepairKind
from tests.checks.making import answer, code

LAB = Lab.model_validate(
    {
        "id": "small",
        "title": "Small",
        "seeds": 1,
        "questions": [
            {"id": name, "title": "T", "labels": [label], "words": words, "items": [asked]}
            for name, label, words in (
                ("p1", "problem 1", ["entrop"]),
                ("p2", "problem 2", ["varian"]),
                ("p3", "problem 3", []),
            )
            for asked in [{"id": f"{name}.x", "title": "T", "points": "1", "check": "by-hand"}]
        ],
    }
)


def found(report: str | None, item: str = "p1.x", **more: Any) -> Absence:
    in_code = more.pop("in_code", True)
    return absence(answer(report, more.pop("cells", ()), the_lab=LAB, **more), LAB, item, in_code=in_code)


def said(one: Absence) -> list[str]:
    return [place.quote for place in one.spoken]


SHORT = "we did not get to it all"
LONG = f"{SHORT} today"


@pytest.mark.parametrize(
    "report",
    [
        "",
        "# Problem 1\n\n",
        "# Problem 1\n\n—\n\n:\n\n...",
        f"# Problem 1\n\n{SHORT}",
        "# Problem 1\n\n- no\n- nothing",
        "# Problem 1 and problem 2\n\n3",
        "# Problem 2\n\nThe variance is 3.",
        "# Problem 2\n\n![](a.png)",
        "# Problem 1\n\n![The variance of x](a.png)\n\n# Problem 2\n\n![](b.png)",
        "# References\n\n1. On entropy, 2020",
    ],
)
def test_nothing_of_the_matter_anywhere_is_certain(report: str) -> None:
    one = found(report)
    assert one.is_certain, (one.reason, one.evidence)
    assert one.evidence == ()
    assert concluded_absent(Finding(item="p1.x", status=Status.REVIEW), one).status is Status.MISSING


@pytest.mark.parametrize(
    ("report", "quotes"),
    [
        (f"# Problem 1\n\n{LONG}", [LONG]),
        ("# Problem 1\n\n3", ["3"]),
        ('# Problem 1\n\n"yes"', ['"yes"']),
        ("# Problem 1\n\n```\ny\n```", ["y"]),
        ("# Problem 1\n\n| a |\n|---|\n| b |", ["| a |"]),
        ("# Problem 1\n\n—\n\nnone of 3", ["none of 3"]),
        ("# Problem 2\n\nThe entropy is large.", ["The entropy is large."]),
        ("# Problem 2\n\nLook.\n\nIt is the entropy.", ["It is the entropy."]),
        ("The entropy is large.", ["The entropy is large."]),
        ("# Problem 1\n\n3 of the entropy", ["3 of the entropy"]),
        ("# Problem 1\n\nsee below\n\n# Problem 2\n\nThe entropy is 3.", ["The entropy is 3."]),
    ],
)
def test_what_speaks_of_the_matter_is_shown_to_a_person(report: str, quotes: list[str]) -> None:
    one = found(report)
    assert said(one) == quotes
    assert not one.is_certain
    assert one.reason == "The quoted words may be one. A person decides."
    finding = concluded_absent(Finding(item="p1.x", status=Status.REVIEW), one)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)
    assert finding.feedback == f"No answer was recognised with certainty. {one.reason}"
    assert [place.quote for place in finding.evidence] == quotes


FAR = "# Problem 2\n\nThe variance is 3.\n\n# Problem 3\n\nThe entropy of the entropy is 2.\n"


@pytest.mark.parametrize(
    ("report", "is_certain"),
    [
        (f"# Problem 1\n\n{FAR}", True),
        (f"# Problem 1\n\n—\n\n{FAR}", True),
        (f"# Problem 1\n\nsee below\n\n{FAR}", False),
        (f"# Problem 1\n\n![](a.png)\n\n{FAR}", False),
        (f"# Problem 1\n\n{FAR}\n\nProblem 1: it is there.", False),
        (f"The entropy is 2.\n\n# Problem 1\n\n{FAR}", False),
        ("# Problem 1\n\n# Problem 2\n\nThe entropy is 2.\n\n# Problem 3\n\nYes.", False),
        ("# Problem 1\n\n# Problem 2\n\n# Problem 3\n\nThe entropy is 2.", False),
        ("# Problem 3\n\nThe entropy is 2.\n\n# Problem 1\n\n# Problem 2\n\nYes.", False),
    ],
)
def test_below_an_empty_heading_the_answer_does_not_stand_under_those_of_other_questions(
    report: str, is_certain: bool
) -> None:
    assert found(report).is_certain is is_certain


def test_an_answer_that_could_not_be_read_is_not_missing_below_an_empty_heading() -> None:
    assert not found(f"# Problem 1\n\n{FAR}", lost="part2.pdf").is_certain


def test_code_may_speak_of_it_and_what_it_prints_or_only_sets_does_not() -> None:
    cell = code("x = 1\nentropy(p)\ny = 2")
    assert said(found("# Problem 2\n\nx", cells=[cell])) == ["entropy(p)"]
    assert found("# Problem 2\n\nx", cells=[cell], in_code=False).is_certain
    for cell in (code("f(p)", "start\n the entropy \nend"), code("loss.entropy = True")):
        assert found("# Problem 2\n\nx", cells=[cell]).is_certain


def test_pictures_where_the_answer_would_stand_may_show_it() -> None:
    for report in ("# Problem 1\n\n![](a.png)", "# Notes\n\n![](a.png)", "# Problem 1\n\n![variance x](a.png)"):
        one = found(report)
        assert (len(one.pictures), one.is_certain) == (1, False)
        assert one.reason == "The answer may stand in a picture, which is not read."
    assert len(found("# Problem 1\n\n![The entropy of x](a.png)").pictures) == 1
    many = found("# Problem 1\n\n" + "![](a.png)\n\n" * 9)
    assert (len(many.pictures), len(many.evidence)) == (5, 2)


def test_a_picture_whose_caption_tells_something_else_is_not_looked_at() -> None:
    for caption, pictures in (("The variance of x", 0), ("The entropy of x", 1), ("The variance", 1)):
        assert len(found(f"# Problem 1\n\n![{caption}](a.png)").pictures) == pictures


def test_what_could_not_be_read_is_named() -> None:
    one = found("# Problem 2\n\nx", lost="b.pdf")
    assert (one.is_certain, one.reason) == (False, "Not read: b.pdf: the file is damaged")


def test_without_words_of_its_matter_only_an_empty_hand_in_is_certain() -> None:
    assert found("", "p3.x").is_certain
    for report, cells in (("# Problem 2\n\nx", ()), (None, [code("x = 1")])):
        one = found(report, "p3.x", cells=cells)
        assert (one.is_certain, one.reason) == (False, "A person decides.")


@pytest.mark.parametrize(
    ("between", "pictures"), [("80\n\nseed 3\n\nepoch", 0), ("We had no time for more than this one.", 1)]
)
def test_the_words_of_a_plot_may_stand_before_its_caption(between: str, pictures: int) -> None:
    text = f"# Problem 1\n\n![](a.png)\n\n{between}\n\nFigure 1: The variance of x"
    given = found(text)
    assert len(given.pictures) == pictures


def test_places_and_pictures_are_shown_two_each() -> None:
    places = tuple(Evidence(file="r.md", quote=str(number)) for number in range(4))
    one = Absence(spoken=places, pictures=places[::-1], unread=("b.pdf", "c.pdf"))
    assert [place.quote for place in one.evidence] == ["0", "1", "3", "2"]
    assert one.reason == (
        "The answer may stand in a picture, which is not read. The quoted words may be one. A person decides. "
        "Not read: b.pdf; c.pdf"
    )


@pytest.mark.parametrize(
    ("report", "quotes"),
    [
        ("The code is in the other folder.\n\nThe entropy is 3.", []),
        ("Our notebook and its code are in the other folder.\n\nThe entropy is 3.", []),
        ("The entropy is 3.\n\nOur code finds the same.", ["Our code finds the same."]),
        ("The entropy is 3, and our code finds the same.", ["The entropy is 3, and our code finds the same."]),
    ],
)
def test_what_shares_its_matter_is_spoken_of_behind_it(report: str, quotes: list[str]) -> None:
    checked = LAB.questions[2].model_copy(update={"words": ("code", "notebook")})
    the_lab = LAB.model_copy(update={"questions": (*LAB.questions[:2], checked)})
    assert said(absence(answer(report, the_lab=the_lab), the_lab, "p3.x", stated_in=["p1"])) == quotes


def test_what_was_not_found_is_said_in_the_words_of_the_check() -> None:
    finding = Finding(item="p1.x", status=Status.REVIEW, suggestion=Status.CORRECT)
    missing = concluded_absent(finding, Absence(), "No average was found.")
    assert (missing.status, missing.suggestion) == (Status.MISSING, None)
    assert missing.feedback == "No average was found."
    assert concluded_absent(finding, Absence()).feedback == "No answer to this was found in the submission."


def test_what_stands_there_unrecognised_is_quoted_from_behind_its_label() -> None:
    given = answer(f"# Problem 1\n\n{'long ' * 90}", the_lab=LAB)
    finding = nothing_recognised(Finding(item="p1.x", status=Status.REVIEW), given, LAB)
    assert finding.status is Status.REVIEW
    assert finding.feedback == "What is written there was not recognised as an answer."
    assert finding.evidence[0].quote.startswith("Problem 1 long long")
    empty = answer("# Problem 1\n\n# Problem 2\n\nthe variance", the_lab=LAB)
    assert nothing_recognised(Finding(item="p1.x", status=Status.REVIEW), empty, LAB).status is Status.MISSING


def test_an_answer_stands_under_its_heading_or_else_under_none() -> None:
    texts = {
        "# Problem 1\n\none\n\n# Problem 2\n\ntwo": ["one"],
        "before\n\n# Problem 2\n\ntwo\n\n# References\n\nthree": ["before"],
        "# Problem 1 and problem 2\n\nboth": ["both"],
        "# Problem 2\n\ntwo": [],
    }
    for report, own in texts.items():
        places = own_sections(answer(report, the_lab=LAB), "p1")
        assert [one.passage.text.rpartition("\n")[2] for one in places] == own


def test_what_is_drawn_amid_words_withholds_no_points() -> None:
    report = "# Problem 1\n\nThe entropy is 3.\n\n# Problem 2\n\nThe variance is 4."
    made = answer(report, the_lab=LAB)
    first = made.sections[0]
    drawn = Block(kind=BlockKind.FIGURE, text="", line=3, in_line=True)
    beside = first.model_copy(update={"passage": first.passage.of_blocks([*first.passage.blocks, drawn])})
    made = made.model_copy(update={"sections": (beside, *made.sections[1:])})
    for status, item, expected in (
        (Status.PARTIAL, "p1.x", (Status.REVIEW, Status.PARTIAL)),
        (Status.INCORRECT, "p1.x", (Status.REVIEW, Status.INCORRECT)),
        (Status.MISSING, "p1.x", (Status.REVIEW, None)),
        (Status.CORRECT, "p1.x", (Status.CORRECT, None)),
        (Status.INCORRECT, "p2.x", (Status.INCORRECT, None)),
    ):
        found = beside_drawn_words(Finding(item=item, status=status, feedback="F"), made, LAB)
        assert (found.status, found.suggestion) == expected


def test_an_open_verdict_tells_what_may_have_been_read_wrongly() -> None:
    made = answer("# Problem 1\n\nThe entropy is 3.\n\n# Problem 2\n\nThe variance is 4.", the_lab=LAB)
    first = made.sections[0]
    box = (72.0, 100.0, 300.0, 112.0)
    row = Block(kind=BlockKind.ROW, text="a\tb", cells=("a", "b"), page=1, box=box)
    power = Block(
        kind=BlockKind.LINE, text="2^{3}", page=1, box=box, repairs=(Repair(kind=RepairKind.POWER, start=1, end=5),)
    )
    for block, told in ((row, "table"), (power, "formulas"), (row.model_copy(update={"page": None}), "")):
        beside = first.model_copy(update={"passage": first.passage.of_blocks([*first.passage.blocks, block])})
        changed = made.model_copy(update={"sections": (beside, *made.sections[1:])})
        found = beside_drawn_words(Finding(item="p1.x", status=Status.REVIEW, feedback="F"), changed, LAB)
        assert (told in str(found.note)) if told else not found.note
        other = beside_drawn_words(Finding(item="p2.x", status=Status.REVIEW, feedback="F"), changed, LAB)
        assert not other.note


def test_a_line_that_goes_on_beyond_the_edge_withholds_no_points() -> None:
    made = answer("# Problem 1\n\nThe entropy is 3.\n\n# Problem 2\n\nThe variance is 4.", the_lab=LAB)
    first = made.sections[0]
    cut = Block(kind=BlockKind.LINE, text="mean 3, std", page=1, box=(72.0, 100.0, 600.0, 112.0), line=3, beyond="0.59")
    beside = first.model_copy(update={"passage": first.passage.of_blocks([*first.passage.blocks, cut])})
    changed = made.model_copy(update={"sections": (beside, *made.sections[1:])})
    on_line = beside.passage.block_evidence(len(beside.passage.blocks) - 1)
    for evidence, expected in (((on_line,), Status.REVIEW), ((), Status.PARTIAL)):
        found = Finding(item="p1.x", status=Status.PARTIAL, feedback="F", evidence=evidence)
        assert beside_drawn_words(found, changed, LAB).status is expected
