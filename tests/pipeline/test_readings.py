"""Stages kept as files: read back as they were, whatever happens to the bytes."""

import contextlib
import gzip
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.checks.finding import Finding, Status
from grader.claims.answer import Answer
from grader.frozen import Frozen
from grader.intake.layouts import find_all_sources
from grader.intake.opening import open_submission
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.message import Message, Words, join_messages, language_of, say, say_number
from grader.pipeline.one import Stages, stages
from grader.pipeline.stages import (
    MOST_BYTES,
    READING,
    HandInFindings,
    Maker,
    StoredReadingError,
    kept_in,
    pack_stage,
    seen_by_checks,
    seen_by_claims,
    unpack_stage,
)
from grader.reading.document import Block, BlockKind, Document
from grader.reading.log import Log, Run, Series
from grader.reading.reading import Reading
from tests.conftest import ROOT

MAKER = Maker(grader="0.1.0+0123456789ab", libraries={"python": "3.11.2"})
LAB = load_lab(lab_folder("nlp-frameworks"))
TRUTH = load_truth(lab_folder("nlp-frameworks"))


def back(value: Frozen) -> Frozen:
    content = pack_stage(value, "key", MAKER)
    assert content is not None
    kept = unpack_stage(content, type(value))
    assert (kept.key, kept.maker) == ("key", MAKER)
    return kept.value


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Stages]:
    """All stages of the sample class."""
    sources, _ = find_all_sources([ROOT / "submissions"])
    work = tmp_path_factory.mktemp("work")
    return {
        source.student_id: stages(open_submission(source, work / str(number)), LAB, TRUTH)
        for number, source in enumerate(sources)
    }


def test_every_stage_of_the_sample_class_is_read_back_equal(samples: dict[str, Stages]) -> None:
    sizes = []
    for student, found in samples.items():
        for value in found:
            assert back(value) == value, student
        sizes.append(len(pack_stage(found.reading, "key", MAKER) or b""))
    print(f"stored readings: at most {max(sizes):,} bytes, {sum(sizes) / len(sizes):,.0f} on average")
    assert max(sizes) < 100_000


def test_the_same_value_gives_the_same_bytes(samples: dict[str, Stages]) -> None:
    reading = samples["student-07"].reading
    content = pack_stage(reading, "key", MAKER)
    assert content == pack_stage(Reading.model_validate(reading.model_dump()), "key", MAKER)
    assert content is not None
    assert content[4:8] == bytes(4), "no time in it"
    assert json.loads(gzip.decompress(content))["schema"] == 1


def test_what_is_no_number_is_kept() -> None:
    series = Series(tag="loss", steps=(1, 2, 3), values=(float("nan"), float("inf"), -0.5))
    kept = back(Reading(runs=(Run(name="run", logs=(Log(file="a", name="run", series=(series,)),)),)))
    assert isinstance(kept, Reading)
    values = kept.runs[0].logs[0].series[0].values
    assert repr(values) == "(nan, inf, -0.5)"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(BlockKind), TEXTS, st.none() | st.integers(1, 99))), TEXTS)
def test_any_document_is_read_back_equal(lines: list[tuple[BlockKind, str, int | None]], file: str) -> None:
    blocks = tuple(Block(kind=kind, text=text, page=page) for kind, text, page in lines)
    reading = Reading(documents=(Document(file=file, exact=True, blocks=blocks),))
    assert back(reading) == reading


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_damage_is_said_and_never_raises_anything_else(data: st.DataObject) -> None:
    block = Block(kind=BlockKind.LINE, text="The total is 42. " * 20, page=1)
    whole = pack_stage(Reading(documents=(Document(file="a.pdf", exact=True, blocks=(block,)),)), "k", MAKER)
    content = bytearray(whole or b"")
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    cut = data.draw(st.integers(0, len(content)))
    for damaged in (bytes(content), bytes(content[:cut])):
        with contextlib.suppress(StoredReadingError):
            unpack_stage(damaged, Reading)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[]", "does not hold"),
        (b'{"schema":2,"key":"k","maker":{},"value":{}}', "schema 2"),
        (b'{"schema":1,"key":"k","maker":{},"value":{"documents":[{"file":1}]}}', "does not hold"),
        (b"[" * 100_000, "does not hold"),
    ],
)
def test_what_is_no_reading_is_said(text: bytes, said: str) -> None:
    with pytest.raises(StoredReadingError, match=said):
        unpack_stage(gzip.compress(text), Reading)


def test_a_bomb_is_not_unpacked() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join([packer.compress(bytes(2**20)) for _ in range(MOST_BYTES // 2**20 + 8)]) + packer.flush()
    with pytest.raises(StoredReadingError, match="larger"):
        unpack_stage(bomb, Reading)


def test_what_is_too_large_is_not_kept() -> None:
    block = Block(kind=BlockKind.LINE, text="x" * (MOST_BYTES + 1))
    assert pack_stage(Reading(documents=(Document(file="a", exact=True, blocks=(block,)),)), "k", MAKER) is None


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoredReadingError, match="is not there"):
        kept_in(tmp_path / READING, Reading)


class _Said(Frozen):
    words: Words
    more: tuple[Words, ...] = ()
    plain: str = ""


def test_words_are_still_messages() -> None:
    inner = say_number("{number} seed", "{number} seeds", 3)
    words = join_messages("; ", [say("{count:,} parameters", count=22807552), inner])
    value = _Said(words=words, more=(say("It holds."),), plain="It holds.")
    kept = back(value)
    assert isinstance(kept, _Said)
    assert isinstance(kept.words, Message)
    assert dict(kept.words.values)["part1"].plural == "{number} seeds"  # type: ignore[attr-defined]
    assert isinstance(kept.more[0], Message)
    assert not isinstance(kept.plain, Message)


def test_findings_can_be_said_in_another_language_after_they_are_read_back(samples: dict[str, Stages]) -> None:
    french = language_of("fr")
    for found in samples.values():
        kept = back(found.found)
        assert isinstance(kept, HandInFindings)
        said = [french.say(one.feedback) for one in found.found.findings]
        assert [french.say(one.feedback) for one in kept.findings] == said


@pytest.mark.parametrize("sentence", ["{x.__class__}", "{x[0]}", "{x:>999999999}", "{x!r}", "{"])
def test_a_made_up_sentence_stays_plain_words(sentence: str) -> None:
    content = {
        "schema": 1,
        "key": "k",
        "maker": {},
        "words": [{"sentence": sentence, "values": {"x": 1}}],
        "value": {"words": "{x}"},
    }
    kept = unpack_stage(gzip.compress(json.dumps(content).encode()), _Said).value
    assert not isinstance(kept.words, Message)


def test_checks_see_no_points_and_claims_no_options() -> None:
    for item in (*seen_by_checks(LAB).items, *seen_by_claims(LAB).items):
        assert (item.points, item.partial) == (0, 0)
    assert any(item.options for item in seen_by_checks(LAB).items)
    assert not any(item.options for item in seen_by_claims(LAB).items)


def test_a_finding_with_a_share_is_kept_exactly() -> None:
    from decimal import Decimal

    found = HandInFindings(findings=(Finding(item="a", status=Status.PARTIAL, share=Decimal("0.35")),), flags=())
    kept = back(found)
    assert isinstance(kept, HandInFindings)
    assert kept.findings[0].share == Decimal("0.35")
    assert isinstance(back(Answer()), Answer)
