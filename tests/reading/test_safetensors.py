"""Safetensors files: headers sound and damaged, and whether values are zero."""

import json
import struct
from math import isnan, sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.submission import Role
from grader.reading.adapters.adapter import Weights
from grader.reading.adapters.safetensors_file import read_safetensors
from grader.reading.adapters.safetensors_header import MOST_HEADER, MOST_TENSORS
from tests.claims.patience import within
from tests.reading.making import submitted
from tests.reading.making_adapters import lora, ones, safetensors, with_header, zeros

B = "base_model.model.h.0.x.lora_B.weight"


def read(folder: Path, data: bytes) -> Weights:
    return read_safetensors(submitted(folder, "adapter_model.safetensors", data, Role.MODEL))


def of(name: str, **changes: Any) -> bytes:
    """A file with one tensor of four values whose description is changed."""
    return with_header({name: {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]} | changes}, bytes(16))


def test_names_types_and_shapes(tmp_path: Path) -> None:
    data = safetensors({"b": ones(2, 3), "a": zeros(4, dtype="BF16"), "s": zeros()}, __metadata__={"format": "pt"})
    weights = read(tmp_path, data)
    assert [(tensor.name, tensor.dtype, tensor.shape, tensor.elements) for tensor in weights.tensors] == [
        ("a", "BF16", (4,), 4),
        ("b", "F32", (2, 3), 6),
        ("s", "F32", (), 1),
    ]
    assert (weights.metadata, weights.whole, weights.problems) == ({"format": "pt"}, True, ())


@pytest.mark.parametrize(
    ("dtype", "one"),
    [
        ("F64", struct.pack("<d", 1)),
        ("F32", struct.pack("<f", 1)),
        ("F16", struct.pack("<e", 1)),
        ("BF16", struct.pack("<f", 1)[2:]),
        ("I8", b"\xff"),
        ("U8", b"\x01"),
        ("I64", struct.pack("<q", -1)),
    ],
)
def test_the_norm_of_a_matrix_that_starts_at_zero(tmp_path: Path, dtype: str, one: bytes) -> None:
    data = safetensors({B: ones(300, 500, value=one, dtype=dtype), "h.lora_A.weight": ones(2, 2)})
    of_b, of_a = read(tmp_path, data).tensors
    assert of_b.zero is False
    assert of_b.norm == pytest.approx(sqrt(150_000))
    assert (of_a.zero, of_a.norm) == (None, None)


def test_one_value_that_is_not_zero_is_found(tmp_path: Path) -> None:
    shape = (200, 300)
    for place in (0, 123_456, 239_996):
        values = bytearray(4 * 200 * 300)
        values[place : place + 4] = struct.pack("<f", -3e-30)
        tensor = read(tmp_path, safetensors({B: ("F32", shape, bytes(values))})).tensors[0]
        assert tensor.zero is False
        assert tensor.norm == pytest.approx(3e-30)


@pytest.mark.parametrize(
    ("tensor", "zero"),
    [
        (zeros(8, 4), True),
        (ones(8, 4, value=struct.pack("<f", -0.0)), True),
        (zeros(8, 4, dtype="F8_E4M3"), True),
        (ones(8, 4, value=b"\x38", dtype="F8_E4M3"), None),
        (zeros(0, 4), None),
    ],
)
def test_zeros(tmp_path: Path, tensor: tuple[str, tuple[int, ...], bytes], zero: bool | None) -> None:
    assert read(tmp_path, safetensors({B: tensor})).tensors[0].zero is zero


def test_values_that_are_no_numbers_are_not_zero(tmp_path: Path) -> None:
    tensor = read(tmp_path, safetensors({B: ones(2, 2, value=struct.pack("<f", float("nan")))})).tensors[0]
    assert tensor.zero is False
    assert tensor.norm is not None
    assert isnan(tensor.norm)


def test_a_cut_file_keeps_its_shapes(tmp_path: Path) -> None:
    whole = safetensors(lora())
    weights = read(tmp_path, whole[:-100])
    assert len(weights.tensors) == 4
    assert [tensor.zero for tensor in weights.tensors] == [None, False, None, None]
    assert weights.problems == (
        "the file is cut off: the values of 1 of 4 tensors are missing; save or upload it again",
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"\x10\0\0", "not in the safetensors format"),
        (b"\x80\x02}q\x00(X\x01\0\0\0aq\x01", "not in the safetensors format"),
        (b"PK\x03\x04" + bytes(100), "not in the safetensors format"),
        (struct.pack("<Q", 2**63) + b"{" + bytes(50), "claims 9223372036854775808 bytes"),
        (struct.pack("<Q", MOST_HEADER + 1) + b"{}", f"more than {MOST_HEADER}"),
        (struct.pack("<Q", 1000) + b'{"a": 1}', "ends within its header"),
        (with_header(b"{nonsense}"), "not valid JSON"),
        (with_header(b'{"a\xff": 1}'), "not valid JSON"),
        (with_header(b'{"a":' * 100_000), "nested too deeply"),
        (with_header(b'{"a": ' + b"1" * 5000 + b"}"), "not valid JSON"),
        (with_header({}), "holds no tensors"),
        (with_header({"__metadata__": {"format": "pt"}}), "holds no tensors"),
        (with_header({"a": 3}), "1 of 1 tensors are not described"),
        (of("a", dtype="F31"), "a: its type is unknown"),
        (of("a", dtype=["F32"]), "a: its type is unknown"),
        (of("a", shape=None), "its shape is no list of sizes"),
        (of("a", shape=[-2, -2]), "its shape is no list of sizes"),
        (of("a", shape=[True, 4]), "its shape is no list of sizes"),
        (of("a", shape=[1] * 200 + [4]), "its shape is no list of sizes"),
        (of("a", shape=[2**60, 2**60]), "its shape is no list of sizes"),
        (of("a", shape=[2, 3]), "does not have the size of its shape"),
        (of("a", data_offsets=[16, 0]), "does not have the size of its shape"),
        (of("a", data_offsets=[0]), "its place in the file is not given"),
        (of("a", data_offsets=[0.0, 16.0]), "its place in the file is not given"),
        (of("a", data_offsets=[16, 32]), "the file is cut off"),
        (of("a" * 1000), "a name that is too long"),
        (safetensors({"a": zeros(2)}) + b"more", "bytes that belong to no tensor"),
    ],
)
def test_damage_is_said(tmp_path: Path, data: bytes, words: str) -> None:
    weights = read(tmp_path, data)
    assert any(words in problem for problem in weights.problems), weights.problems
    assert "\ufffd" not in weights.model_dump_json()


def test_one_bad_description_costs_one_tensor(tmp_path: Path) -> None:
    weights = read(tmp_path, safetensors(lora(), odd={"dtype": "F32"}))
    assert (len(weights.tensors), weights.whole) == (4, False)
    assert weights.problems[0].startswith(
        "1 of 5 tensors are not described as the format asks and are left out; first odd"
    )


def test_shared_bytes_are_not_read_again_and_again(tmp_path: Path) -> None:
    """Thousands of tensors that all lie on the same bytes cost no more than their names."""
    size = 8_000_000
    place = {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]}
    data = with_header({f"m{number}.lora_B.weight": place for number in range(15_000)}, b"\1" * size)
    with within(5):
        weights = read(tmp_path, data)
    assert len(weights.tensors) == 15_000
    assert "share bytes" in weights.problems[0]


def test_many_tensors_are_bounded(tmp_path: Path) -> None:
    empty = {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}
    weights = read(tmp_path, with_header({f"m{number}": empty for number in range(MOST_TENSORS + 5)}))
    assert (len(weights.tensors), weights.whole) == (MOST_TENSORS, False)
    assert "only 20000 are listed" in weights.problems[0]


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    file = submitted(tmp_path, "a.safetensors", b"", Role.MODEL)
    file.location.unlink()
    assert read_safetensors(file).problems[0].startswith("the file cannot be opened")


_HEADER = st.dictionaries(
    st.sampled_from(["a", B, "__metadata__"]) | st.text(max_size=5),
    st.fixed_dictionaries(
        {},
        optional={
            "dtype": st.sampled_from(["F32", "F16", "F4", "x"]) | st.none(),
            "shape": st.lists(st.integers(-1, 4), max_size=3) | st.text(max_size=2),
            "data_offsets": st.lists(st.integers(-2, 40), max_size=3) | st.none(),
        },
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=200)
@given(_HEADER, st.binary(max_size=60))
def test_any_header_is_read(tmp_path_factory: pytest.TempPathFactory, header: dict[str, Any], values: bytes) -> None:
    weights = read(tmp_path_factory.getbasetemp(), with_header(header, values))
    json.loads(weights.model_dump_json())
    assert weights.whole == (len(weights.tensors) == len(header.keys() - {"__metadata__"}) > 0)
    assert weights.whole or weights.problems
