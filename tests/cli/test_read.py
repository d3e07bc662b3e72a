"""`grade read`: the JSON that it prints and the errors that it explains."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.read import read_command


def test_prints_what_was_read(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("## Modèle\n\ntext")
    result = CliRunner().invoke(read_command, [str(report)])
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["documents"][0]["blocks"] == [
        {"kind": "heading", "text": "Modèle", "level": 2, "line": 1},
        {"kind": "line", "text": "text", "line": 3},
    ]
    assert found["files"][0]["state"] == "read"
    assert "runs" not in found


@pytest.mark.parametrize(("name", "words"), [("none.md", "none.md does not exist"), (".", "is not a file")])
def test_what_is_no_file_is_a_usage_error(tmp_path: Path, name: str, words: str) -> None:
    result = CliRunner().invoke(read_command, [str(tmp_path / name)])
    assert result.exit_code == 2
    assert words in result.stderr
