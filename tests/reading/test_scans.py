"""Pages that are pictures: what OCR reads there, what it may decide, and what happens without it.

Most tests feed what Tesseract once wrote about the very picture (`scans/*.hocr`), so that they run where it is not
installed.
"""

import re
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from grader.checks.finding import Finding, Flag, Status, in_force
from grader.lab.files import load_lab, load_truth
from grader.pipeline.one import extract_claims, judge_answer
from grader.reading.document import Document, RepairKind
from grader.reading.formats import read_path
from grader.reading.pdf import scans
from grader.reading.reading import FileState
from grader.reading.tesseract import Failure, Recognise, Word, asks_for_help, recognising_by, text_lines
from scripts.bench.scans import Look, scanned_pdf
from tests.conftest import ROOT, results_in, run_grade
from tests.replay import SHIPPED

SHEET = ROOT / "tests" / "sheets" / "013.pdf"
LOOK = Look(dpi=150, degrees=0.7, quality=75)
STORED = Path(__file__).parent / "scans"
WITH_TESSERACT = pytest.mark.skipif(not shutil.which("tesseract"), reason="needs Tesseract")


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scans") / "report.pdf"
    path.write_bytes(scanned_pdf(SHEET, LOOK))
    return path


def stored(*changes: tuple[str, str]) -> Recognise:
    """What Tesseract wrote about the pages of the scan, one after the other, with some words changed."""
    number = count(1)

    def recognise(_picture: bytes, _in_columns: bool) -> bytes:
        text = (STORED / f"013-{next(number)}.hocr").read_text(encoding="utf-8")
        for old, new in changes:
            text = text.replace(old, new)
        return text.encode()

    return recognise


def nothing(_picture: bytes, _in_columns: bool) -> Failure:
    return Failure.ABSENT


def document(path: Path, recognise: Recognise) -> Document:
    with recognising_by(recognise):
        (found,) = read_path(path).documents
    return found


def verdicts(path: Path, recognise: Recognise) -> tuple[dict[str, Finding], tuple[Flag, ...]]:
    lab, truth = load_lab(SHIPPED), load_truth(SHIPPED)
    with recognising_by(recognise):
        reading = read_path(path)
    found = in_force(judge_answer(reading, extract_claims(reading, lab), lab, truth), lab)
    return {one.item: one for one in found.findings}, found.flags


def test_a_scan_is_read_as_text_with_places_on_the_page_as_it_lies(scan: Path) -> None:
    read, printed = document(scan, stored()), document(SHEET, nothing)
    assert all(block.recognised for block in read.blocks)
    assert not any(block.recognised for block in printed.blocks)
    for words in ("It is the same number which my program", "The quantization is configured as below."):
        own, original = (next(one for one in of.blocks if words in one.text) for of in (read, printed))
        assert own.page == original.page
        assert own.box
        assert original.box
        assert abs(own.box[1] - original.box[1]) < 12  # turned by 0.7° about the page's middle
        assert abs(own.box[0] - original.box[0]) < 8
    assert any("79.73 ± 0.83" in block.text for block in read.blocks)
    assert any("OCR" in problem for problem in read.problems)


def test_without_tesseract_a_scan_is_left_to_a_person(scan: Path) -> None:
    with recognising_by(nothing):
        (file,) = read_path(scan).files
    assert file.state is FileState.UNREADABLE
    assert file.reason
    assert "a scan?" in file.reason
    found, _ = verdicts(scan, nothing)
    assert {one.status for one in found.values()} == {Status.REVIEW}


def test_what_ocr_reads_decides_in_favour_only(scan: Path) -> None:
    original, _ = verdicts(SHEET, nothing)
    found, flags = verdicts(scan, stored())
    decided = {item for item, one in found.items() if one.status is not Status.REVIEW}
    assert {found[item].status for item in decided} == {Status.CORRECT}
    assert {original[item].status for item in decided} == {Status.CORRECT}
    for item in ("q1.total", "t3.statistics", "t5.band", "q2.task_type"):
        assert item in decided
        assert any(place.recognised for place in found[item].evidence)
        assert "OCR" in found[item].note
    partial = next(item for item, one in original.items() if one.status is Status.PARTIAL)
    assert found[partial].status is Status.REVIEW
    assert found[partial].suggestion is Status.PARTIAL
    assert not any(place.recognised for flag in flags for place in flag.evidence)


def test_a_figure_that_may_be_misread_takes_no_points(scan: Path) -> None:
    """One digit of the total, and one of an accuracy, from which the average then does not follow."""
    found, flags = verdicts(scan, stored(("22,807,552", "22,807,562"), ("78.65%", "76.65%")))
    assert found["q1.total"].status is Status.REVIEW
    assert found["t3.statistics"].status is Status.REVIEW
    assert found["t3.seeds"].status is Status.REVIEW
    assert found["t3.seeds"].suggestion is Status.CORRECT
    assert found["t5.seeds"].status is Status.CORRECT
    assert not {"arithmetic", "statistics-mismatch"} & {flag.id for flag in flags}


def test_words_decide_only_if_they_are_read_with_confidence(scan: Path) -> None:
    def unsure(picture: bytes, in_columns: bool) -> bytes | Failure:
        read = recognise(picture, in_columns)
        assert isinstance(read, bytes)
        return re.sub(rb"x_wconf \d+'>(another|generates)", rb"x_wconf 40'>\1", read)

    recognise = stored()
    found, _ = verdicts(scan, unsure)
    assert found["q2.task_type"].status is Status.REVIEW
    assert found["q2.task_type"].suggestion is Status.CORRECT


def test_a_worker_without_helper_asks_for_one(scan: Path) -> None:
    from grader.reading.tesseract import Wish

    with recognising_by(Wish()):
        read_path(SHEET)
        assert not asks_for_help()
        read_path(scan)
        assert asks_for_help()


def test_nonsense_in_place_of_hocr_holds_no_line() -> None:
    for text in (
        "",
        "\0\0",
        "<span class='ocrx_word' title='bbox 1 2 3 4'>a</span>",
        "<span class='ocr_line' title='x'>",
    ):
        assert text_lines(text) == []
    line = "<span class='ocr_line' title='bbox 0 0 9 {}'><span class='ocrx_word' title='bbox {}'>a</span></span>"
    assert text_lines(line.format("9", "5 5 5 5")) == []
    assert text_lines(line.format("1.2.3", "0 0 5 5")) == []
    assert len(text_lines(line.format("9", "0 0 5 5"))) == 1


def drawn(*strokes: tuple[int, int, int, int]) -> np.ndarray:
    image = Image.new("L", (40, 40), 255)
    for stroke in strokes:
        ImageDraw.Draw(image).line(stroke, fill=0, width=4)
    return np.array(image) < 128


FLAT, UPRIGHT = (5, 18, 35, 18), (20, 5, 20, 31)


@pytest.mark.parametrize(
    ("sign", "strokes"),
    [
        ("+", (FLAT, UPRIGHT)),
        ("±", (FLAT, UPRIGHT, (5, 36, 35, 36))),
        ("=", ((5, 14, 35, 14), (5, 24, 35, 24))),
        ("×", ((6, 6, 34, 34), (6, 34, 34, 6))),
        ("", (UPRIGHT,)),
    ],
)
def test_signs_of_arithmetic_are_told_by_their_lines(sign: str, strokes: tuple[tuple[int, int, int, int], ...]) -> None:
    assert scans._sign(drawn(*strokes), Word("+", (3, 3, 38, 39), 90), 3, 38) == sign


def test_ink_that_a_box_cuts_off_from_its_word_belongs_to_it() -> None:
    """A letter further off than letters of a word are does not."""
    ink = np.zeros((60, 200), dtype=bool)
    ink[20:40, 10:54] = ink[20:40, 56:62] = True  # a word whose box ends at 50
    ink[20:40, 80:90] = True
    line = scans.TextLine((Word("and", (10, 20, 50, 40), 90),), (10, 20, 50, 40), 0.0, 0.0)
    unread = scans._unread([line], scans._Picture(np.zeros((60, 200), dtype=np.uint8), ink, []))
    assert not unread[:, :70].any()
    assert unread[:, 80:90].sum() == 200


def test_a_point_above_the_line_is_a_sign_of_arithmetic() -> None:
    dot = drawn((17, 18, 23, 18), (17, 20, 23, 20), (17, 22, 23, 22))
    assert scans._sign(dot, Word("-", (17, 3, 24, 39), 90), 17, 24) == "·"
    assert scans._sign(drawn(FLAT), Word("-", (5, 3, 36, 39), 90), 5, 36) == ""


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("16,384,OOO", "16,384,000"),
        ("@.8010", "0.8010"),
        ("lora_dropout=@.05", "lora_dropout=0.05"),
        ("a@b.c", "a@b.c"),
    ],
)
def test_letters_among_figures_are_figures(text: str, read: str) -> None:
    assert scans._figures(text) == read


def page(path: Path, draw: Image.Image) -> Path:
    draw.save(path, "PDF", resolution=150)
    return path


def pictures() -> Iterator[tuple[str, Image.Image]]:
    noise = np.random.default_rng(1).integers(0, 255, (1754, 1240), dtype=np.uint8)
    yield "noise", Image.fromarray(noise)
    yield "black", Image.new("L", (1240, 1754), 0)
    scribble = Image.new("L", (1240, 1754), 255)
    points = np.random.default_rng(2).integers(100, 1100, (60, 2)).tolist()
    ImageDraw.Draw(scribble).line([tuple(one) for one in points], fill=0, width=5)
    yield "scribble", scribble
    small = Image.new("L", (1240, 1754), 255)
    ImageDraw.Draw(small).text((100, 100), "Q1. The total is 22,807,552 parameters.", fill=245, font_size=40)
    ImageDraw.Draw(small).text((100, 300), "Q1. The total is 22,807,552 parameters.", fill=0, font_size=5)
    yield "unseen", small


@WITH_TESSERACT
@pytest.mark.parametrize(("name", "picture"), list(pictures()), ids=lambda one: one if isinstance(one, str) else "")
def test_pictures_without_an_answer_that_can_be_seen_are_for_a_person(
    name: str, picture: Image.Image, tmp_path: Path
) -> None:
    lab, truth = load_lab(SHIPPED), load_truth(SHIPPED)
    reading = read_path(page(tmp_path / f"{name}.pdf", picture))
    found = judge_answer(reading, extract_claims(reading, lab), lab, truth)
    assert {one.status for one in in_force(found, lab).findings} == {Status.REVIEW}


@WITH_TESSERACT
def test_tesseract_reads_a_scan_in_the_cage(scan: Path, tmp_path: Path) -> None:
    shutil.copytree(scan.parent, tmp_path / "class" / "ada", ignore=lambda _, names: {*names} - {scan.name})
    done = run_grade(tmp_path / "class", "--out", tmp_path / "out", "--no-reports")
    assert done.returncode == 0, done.stderr
    (result,) = results_in(tmp_path / "out").values()
    assert [file.state for file in result.submission.files] == ["partly"]
    statuses = {item.id: item.status for item in result.items}
    assert statuses["q1.total"] is Status.CORRECT
    assert set(statuses.values()) == {Status.CORRECT, Status.REVIEW}


def test_words_that_are_struck_out_or_stand_beside_unread_ink_are_in_doubt(scan: Path) -> None:
    read = document(scan, stored((">not<", "> <")))
    lines = [block for block in read.blocks if "the LM head is considered" in block.text]
    assert lines
    assert all(any(mark.kind is RepairKind.RECOGNISED for mark in block.repairs) for block in lines)


@pytest.mark.parametrize(
    ("text", "confidence", "known", "expected"),
    [
        ("l’exactitude,", 60, {"exactitude"}, True),
        ("Rank", 30, {"rank"}, True),
        ("rank", 30, {"rang"}, False),
        ("rank", 60, {"rang"}, True),
        ("p(x", 60, set(), True),
        ("l'entropie", 0, set(), True),
        ("d'un", 0, set(), False),
        ("n’apprend", 60, set(), False),
        ("nat", 60, set(), False),
        ("cannat", 60, set(), False),
        ("jamais", 60, set(), False),
        ("79.65", 60, {"79.65"}, False),
        ("a", 60, {"a"}, False),
    ],
)
def test_a_word_is_known_unless_it_may_be_a_number_or_a_denial(
    text: str, confidence: int, known: set[str], expected: bool
) -> None:
    assert scans._is_known(Word(text, (0, 0, 50, 10), confidence), frozenset(known)) is expected


def begin(before: str, gap: int, word: str) -> int:
    """Where a word begins that stands so many tenths of an em behind another one, which ends at 30."""
    return scans._begin(Word(before, (0, 0, 30, 10), 90), Word(word, (30 + gap, 0, 60, 10), 90), 30 + gap, 10.0)


def test_a_narrow_gap_behind_a_comma_is_within_a_number() -> None:
    assert begin("80,", 3, "53%") == 32
    assert begin("80,", 5, "53%") == 35
    assert begin("so,", 3, "53%") == 33


@pytest.mark.parametrize(
    ("before", "gap", "word", "expected"),
    [
        ("(1050", 3, "624", 30),
        ("16", 3, "384000.", 30),
        ("16", 3, "384", 33),  # groups that were parted stay as they are
        ("1050", 6, "624", 36),
        ("3", 3, "1125", 33),
        ("seed", 3, "384000", 33),
    ],
)
def test_groups_of_figures_that_were_parted_in_part_are_one_number(
    before: str, gap: int, word: str, expected: int
) -> None:
    assert begin(before, gap, word) == expected


def test_a_point_that_was_overlooked_is_as_wide_as_high_and_between_figures() -> None:
    eight, point, piece, nine = (0, 0, 18, 30), (20, 26, 24, 30), (20, 28, 34, 30), (36, 0, 54, 30)
    assert scans._with_points("89", [eight, point, nine], 24) == "8.9"
    assert scans._with_points("89", [eight, piece, nine], 24) == "89"
    assert scans._with_points("89", [point, eight, nine], 24) == "89"
    assert scans._with_points("8", [eight, point, piece, nine], 24) == "8"


def test_a_piece_of_a_rule_is_no_sign() -> None:
    ink = np.zeros((40, 40), dtype=bool)
    assert scans._is_border(Word("-", (5, 18, 15, 20), 0), ink, 40.0)
    assert not scans._is_border(Word("-", (5, 18, 15, 20), 60), ink, 40.0)
    assert scans._figures("_0.8125") == "0.8125"
    assert scans._figures("_x") == "_x"
