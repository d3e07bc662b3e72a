"""A file of another system comes back byte for byte, but for what was changed."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table, fill_cells, read_table, to_bytes


def table(tmp_path: Path, content: bytes) -> Table:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    return read_table(path)


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n",
        b'\xef\xbb\xbfa;"b; c"\r\n1;2',
        'Nom\tNote\r\n"Zoé ""Z"" É"\t\t\n\n'.encode(),
        "Étudiant,Note\nZoé,12\n".encode("cp1252"),
        "\ufeffa,b\nÉ,2\n".encode("utf-16-le"),
        b'a,b\n"x\ny",2\n,,\n',
        b'a,b\n"unclosed,2\n',
        b"a,b\r1,2\r",
        b'=1+1,"=2"x,\n',
    ],
)
def test_what_is_not_changed_stays_byte_for_byte(tmp_path: Path, content: bytes) -> None:
    assert to_bytes(table(tmp_path, content)) == content


def test_cells_and_lines(tmp_path: Path) -> None:
    read = table(tmp_path, b'a;"b;""c"""\r\n"x\ny"; 1 \r\nz;2')
    assert [read.texts(row) for row in range(3)] == [["a", 'b;"c"'], ["x\ny", "1"], ["z", "2"]]
    assert read.place_of_row(2).endswith("line 4")


def test_a_changed_cell_is_quoted_where_it_must_be(tmp_path: Path) -> None:
    read = table(tmp_path, b"a;b\r\n1\r\nx;y;z\r\n")
    changed = fill_cells(read, {(1, 1): "13,5", (2, 0): 'say "hi"; bye', (2, 2): ""})
    assert to_bytes(changed) == b'a;b\r\n1;13,5\r\n"say ""hi""; bye";y;\r\n'


def test_text_beyond_the_encoding_makes_it_utf_8(tmp_path: Path) -> None:
    read = table(tmp_path, "É,b\nx,y\n".encode("cp1252"))
    assert to_bytes(fill_cells(read, {(1, 1): "李"})) == "\ufeffÉ,b\nx,李\n".encode()


@pytest.mark.parametrize("content", [b"", b"\n\n", b",,\n", b"PK\x03\x04\x00\x00", b"\x00\x01"])
def test_what_is_no_table(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(GradebookError, match=r"table\.csv"):
        table(tmp_path, content)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(GradebookError, match="cannot be read"):
        read_table(tmp_path / "gone.csv")


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.lists(cells, min_size=2, max_size=4), min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_any_table_that_python_writes_is_read_as_python_reads_it(
    tmp_path: Path, rows: list[list[str]], delimiter: str
) -> None:
    rows = [["head", "er"], *rows]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    read = table(tmp_path, text.getvalue().encode())
    assert [read.texts(row) for row in range(len(read.rows))] == [[cell.strip() for cell in row] for row in rows]
    assert to_bytes(read) == text.getvalue().encode()
