"""No file whatever makes a reader raise, hang, swell or fall silent."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.submission import Role
from grader.reading.formats import read
from tests.reading.fuzz.case import NAMES, Case, kept, natural, submission
from tests.reading.fuzz.containers import taken_apart
from tests.reading.fuzz.floods import Flood, flooded, floods
from tests.reading.fuzz.mutation import mutated
from tests.reading.fuzz.seeds import seeds
from tests.reading.fuzz.shrinking import shrunk
from tests.reading.fuzz.tokens import FAMILIES, NUMBERS, ODD
from tests.reading.fuzz.trial import trial

SEEDS = seeds()
FOUND = tuple(kept())
STEADY = settings(deadline=None, derandomize=True, database=None)
"""The same files in every run, so that a run of the tests fails for what was changed; `scripts.fuzz` looks further."""

_TOKENS = st.lists(st.sampled_from([*NUMBERS, *ODD, *(token for family in FAMILIES for token in family)]), max_size=12)


@pytest.mark.parametrize("case", FOUND, ids=[f"{case.role.value}-{case.name}-{len(case.data)}" for case in FOUND])
def test_what_once_broke_a_reader_does_not(case: Case, tmp_path: Path) -> None:
    assert trial(case, tmp_path) is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"PK\x03\x04", b"%PDF-1.7", b"{", b"\x80" * 99]
)
def test_next_to_nothing(name: str, data: bytes, tmp_path: Path) -> None:
    assert trial(natural(name, data), tmp_path) is None


@settings(STEADY, max_examples=80)
@given(st.sampled_from(NAMES), st.sampled_from([*Role, None]), st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, name: str, role: Role | None, data: bytes) -> None:
    case = natural(name, data) if role is None else Case(name, role, data)
    assert trial(case, tmp_path_factory.getbasetemp()) is None


@settings(STEADY, max_examples=80)
@given(st.sampled_from(NAMES), _TOKENS)
def test_any_tokens(tmp_path_factory: pytest.TempPathFactory, name: str, tokens: list[str]) -> None:
    data = "".join(tokens).encode("utf-8", "surrogatepass")
    assert trial(natural(name, data), tmp_path_factory.getbasetemp()) is None


@settings(STEADY, max_examples=80)
@given(st.sampled_from(SEEDS), st.integers(0, 2**32))
def test_changed_files(tmp_path_factory: pytest.TempPathFactory, seed: Case, chance: int) -> None:
    case = mutated(seed, Random(chance), SEEDS)
    assert trial(case, tmp_path_factory.getbasetemp()) is None


@settings(STEADY, max_examples=40)
@given(st.sampled_from(floods()))
def test_one_token_again_and_again(tmp_path_factory: pytest.TempPathFactory, flood: Flood) -> None:
    assert trial(flooded(flood, 20_000), tmp_path_factory.getbasetemp()) is None


@pytest.mark.parametrize("case", SEEDS[:23], ids=lambda case: case.name)
def test_the_same_bytes_read_the_same(case: Case, tmp_path: Path) -> None:
    handed_in = submission(case, tmp_path)
    assert read(handed_in).model_dump_json() == read(handed_in).model_dump_json()


def test_shrinking_keeps_only_what_breaks() -> None:
    assert shrunk(b"some text with a needle in it" * 20, lambda data: b"needle" in data) == b"needle"
    archive = next(case.data for case in SEEDS if case.name == "report.docx")

    def breaks(data: bytes) -> bool:
        parts = taken_apart(data)
        return parts is not None and any(b"delText" in content for _, content in parts.parts)

    small = taken_apart(shrunk(archive, breaks, seconds=5))
    assert small is not None
    assert small.parts == [("word/document.xml", b"delText")]
