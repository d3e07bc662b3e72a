"""Pictures of the evidence, cut from real pages."""

import io
from pathlib import Path

import pytest
from PIL import Image

from grader.intake.layouts import find_all_sources
from grader.intake.opening import open_submission
from grader.intake.submission import Submission
from grader.pipeline import pictures as module
from grader.pipeline.pictures import evidence_pictures, pictures_of
from grader.report.render import student_page
from grader.result import Evidence, Result, Status
from tests.conftest import ROOT
from tests.factories import evidence, item, result

BOX = (132.1, 457.6, 463.3, 468.1)


@pytest.fixture(scope="module")
def submission(tmp_path_factory: pytest.TempPathFactory) -> Submission:
    (source,), _ = find_all_sources([ROOT / "submissions" / "student-07"])
    return open_submission(source, tmp_path_factory.mktemp("work"))


def with_evidence(*proofs: Evidence, status: Status = Status.INCORRECT) -> Result:
    return result(items=[item(status=status, evidence=proofs)])


def test_the_claim_is_framed_on_its_page(submission: Submission) -> None:
    pictures = evidence_pictures(with_evidence(evidence(box=BOX)), submission)
    (picture,) = pictures.values()
    assert list(pictures) == [("q1.total", "report.pdf", 1, BOX)]
    image = Image.open(io.BytesIO(picture.png)).convert("RGB")
    assert (image.width, image.height) == (picture.width * 2, picture.height * 2)
    red = [
        (x, y)
        for x in range(image.width)
        for y in range(image.height)
        if image.getpixel((x, y))[0] > 150 > 80 > image.getpixel((x, y))[1]  # type: ignore[index]
    ]
    across, down = {x for x, _ in red}, {y for _, y in red}
    assert max(across) - min(across) == pytest.approx((BOX[2] - BOX[0]) * 2 + 6, abs=3)
    assert max(down) - min(down) == pytest.approx((BOX[3] - BOX[1]) * 2 + 6, abs=3)
    inside = image.crop((min(across) + 4, min(down) + 4, max(across) - 4, max(down) - 4))
    assert int(inside.convert("L").getextrema()[0]) < 80, "the words themselves are in the picture"


def test_claims_that_stand_together_share_a_picture(submission: Submission) -> None:
    below = (BOX[0], BOX[1] + 14, BOX[2], BOX[3] + 14)
    pictures = evidence_pictures(with_evidence(evidence(box=BOX), evidence(box=below)), submission)
    one, other = pictures.values()
    assert one is other


def test_the_same_hand_in_gives_the_same_pictures(submission: Submission) -> None:
    graded = with_evidence(evidence(box=BOX), evidence(box=(70.0, 90.0, 300.0, 120.0)))
    assert evidence_pictures(graded, submission) == evidence_pictures(graded, submission)


@pytest.mark.parametrize(
    "proof",
    [
        evidence(),
        evidence(box=BOX, page=99),
        evidence(box=BOX, page=0),
        evidence(box=BOX, file="../../etc/passwd.pdf"),
        evidence(box=BOX, file="code/notebook.ipynb"),
        evidence(box=(1e9, 1e9, 2e9, 2e9)),
        evidence(box=(float("nan"), 0.0, 10.0, 10.0)),
        evidence(box=(5000.0, 5000.0, 5100.0, 5100.0)),
    ],
)
def test_what_cannot_be_shown_is_left_out(proof: Evidence, submission: Submission) -> None:
    assert evidence_pictures(with_evidence(proof), submission) == {}


@pytest.mark.parametrize("box", [(0.0, 0.0, 595.0, 842.0), (-50.0, -50.0, 5.0, 5.0), (590.0, 830.0, 900.0, 900.0)])
def test_boxes_of_any_size_make_pictures_of_bearable_size(
    box: tuple[float, float, float, float], submission: Submission
) -> None:
    (picture,) = evidence_pictures(with_evidence(evidence(box=box)), submission).values()
    assert picture.height < 200
    assert picture.width < 600


def test_pictures_are_few_and_those_of_lost_points_come_first(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_PICTURES", 3)
    right, wrong = (
        [
            item(f"q1.{status}{n}", status, evidence=(evidence(box=(70.0, top + 30 * n, 200.0, top + 12 + 30 * n)),))
            for n in range(2)
        ]
        for status, top in ((Status.CORRECT, 100.0), (Status.INCORRECT, 300.0))
    )
    pictures = evidence_pictures(result(items=right + wrong), submission)
    assert {place[0].partition(".")[2] for place in pictures} == {"incorrect0", "incorrect1", "correct0"}


def test_an_item_that_is_right_has_one_picture_and_others_two(submission: Submission) -> None:
    proofs = [evidence(box=(70.0, 100.0 + 200 * n, 200.0, 120.0 + 200 * n)) for n in range(4)]
    assert len(evidence_pictures(with_evidence(*proofs, status=Status.CORRECT), submission)) == 1
    assert len(evidence_pictures(with_evidence(*proofs), submission)) == 2


def test_a_new_report_takes_the_pictures_of_the_one_before_in_their_order(submission: Submission) -> None:
    proofs = [evidence(box=(70.0, 100.0 + 200 * n, 200.0, 120.0 + 200 * n)) for n in range(2)]
    statuses = (Status.CORRECT, Status.INCORRECT, Status.CORRECT, Status.PARTIAL)
    items = [item(f"q1.{n}", status, evidence=tuple(proofs)) for n, status in enumerate(statuses)]
    graded = result(items=items)
    pictures = evidence_pictures(graded, submission)
    assert [place[0] for place in pictures] == ["q1.1", "q1.3", "q1.1", "q1.3", "q1.0", "q1.2"]
    assert list(pictures_of(student_page(graded, pictures), graded).items()) == list(pictures.items())


def test_no_file_no_pictures(tmp_path: Path) -> None:
    empty = Submission(student_id="ada", student_name="Ada", sha256="")
    assert evidence_pictures(with_evidence(evidence(box=BOX)), empty) == {}
