"""No file makes the PDF reader raise or hang."""

import contextlib
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grader.reading.document import Document
from grader.reading.pdf import read_pdf
from grader.reading.pdf.crop import CropError, opened_pages, page_image
from tests.reading.making import curve, pdf, picture, rule, submitted, text

GOOD = pdf(
    text(72, 700, "1 Question 1", size=14, font="F2")
    + text(72, 680, "512")
    + text(88.7, 683.6, "2", size=7)
    + rule(72, 670, 100)
    + curve((72, 500), (100, 550), (300, 520))
    + picture(72, 300, 100, 100),
    text(72, 700, "lora") + rule(89.3, 699.9, 3) + text(92.9, 700, "alpha"),
)

SECONDS = 10.0
"""What one hostile page may take here, on a slow machine; a page in good faith takes milliseconds."""

PARTS = st.sampled_from([b"0 0 0", b"[", b"<<", b">>", b"1e38", b"-1", b"R", b"\x00", b"Tj", b"cm", b"Do", b"BI", b"q"])


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """The file with some bytes overwritten, cut out or put in."""
    content = bytearray(GOOD)
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, max(len(content) - 1, 0)))
        what = draw(st.binary(max_size=8) | PARTS)
        content[place : place + draw(st.integers(0, 40))] = what
    return bytes(content)


def read(folder: Path, content: bytes) -> Document:
    return read_pdf(submitted(folder, "report.pdf", content))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=mutated())
def test_mangled_files_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    document = read(tmp_path, content)
    assert document.blocks or document.problems or document.pages is not None
    for block in (*document.blocks, *document.furniture):
        assert all(0 <= repair.start <= repair.end <= len(block.text) for repair in block.repairs)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=mutated(), box=st.tuples(*[st.floats(-1e4, 1e4)] * 4))
def test_mangled_files_are_shown_or_refused(
    tmp_path: Path, content: bytes, box: tuple[float, float, float, float]
) -> None:
    location = submitted(tmp_path, "report.pdf", content).location
    with contextlib.suppress(CropError), opened_pages(location) as opened:
        page = page_image(opened, 1)
        assert page.png(page.passage([box]), [box]).startswith(b"\x89PNG")


WORDS = ("a", "2", "=", "_", "^", "-", "é", "fi-", "81.5")
PLACED = st.tuples(  # one character over another is a bold one
    st.integers(0, 15).map(lambda column: 40 * column + 11),
    st.integers(0, 19).map(lambda row: 40 * row + 31),
    st.sampled_from(WORDS),
    st.floats(0.1, 40).map(lambda size: round(size, 2)),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(PLACED, max_size=40, unique_by=lambda word: word[:2]))
@example(words=[(610, 0, "a", 18.0)])  # nothing else stands on its page, and the edge cuts it
def test_characters_anywhere_are_all_kept(tmp_path: Path, words: list[tuple[int, int, str, float]]) -> None:
    document = read(tmp_path, pdf("".join(text(x, y, word, size=size) for x, y, word, size in words)))
    blocks = (*document.blocks, *document.furniture, *document.hidden)
    said = "".join(block.text + (block.beyond or "") for block in blocks)
    for word in ("a", "="):
        assert said.count(word) == len([1 for _, _, other, _ in words if other == word])


def many(count: int, part: str) -> str:
    return part * count


PAGES = {
    "rules over each other": many(20_000, rule(72, 600, 100)) + text(72, 602, "a") + text(72, 588, "b"),
    "rules everywhere": "".join(rule(x, y, 7) for y in range(0, 790, 4) for x in range(0, 600, 8)),
    "words between rules": "".join(
        rule(x, y, 7) + text(x, y + 2, "1", 3) for y in range(0, 790, 6) for x in range(0, 600, 8)
    ),
    "one line of many words": "".join(text(i % 600, 700, "ab", 3) for i in range(10_000)),
    "many sizes on one line": "".join(text(72 + i % 400, 700, "x", 1 + i % 90) for i in range(8_000)),
    "curves everywhere": "".join(curve((x, y), (x + 2, y + 3)) for y in range(0, 790, 12) for x in range(0, 600, 12)),
    "pictures everywhere": "".join(picture(x, y, 50, 50) for y in range(0, 790, 60) for x in range(0, 600, 60)),
    "hyphens at every end": "".join(text(72, 790 - i * 0.1, "para-", 0.1) for i in range(5_000)),
    "one huge word": text(0, 700, "A" * 29_000, 1),
}


@pytest.mark.parametrize("name", PAGES)
def test_crowded_pages_take_bounded_time(tmp_path: Path, name: str) -> None:
    started = time.process_time()
    document = read(tmp_path, pdf(PAGES[name]))
    seconds = time.process_time() - started
    print(f"{name}: {seconds:.2f} s")
    assert document.pages == 1
    assert seconds < SECONDS


def test_a_page_that_unpacks_to_very_much_is_cut_off(tmp_path: Path) -> None:
    content = "".join(text(1, 700 - 0.5 * line, "A" * 1000, 0.5) for line in range(100))
    packed = zlib.compress(content.encode(), 9)
    length, start = b"<< /Length 1 >>\nstream\n@", b"<< /Length %d /Filter /FlateDecode >>\nstream\n"
    document = read(tmp_path, pdf("@").replace(length, start % len(packed) + packed))
    assert sum(len(block.text) for block in document.blocks) <= 31_000
    assert any("too long" in problem for problem in document.problems)
