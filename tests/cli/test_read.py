"""`grade read`: the JSON that it prints and the errors that it explains."""

import json
from pathlib import Path

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


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(read_command, [str(tmp_path / "none.md")])
    assert result.exit_code == 2
    assert "none.md does not exist" in result.stderr


def test_a_folder_is_a_usage_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(read_command, [str(tmp_path)])
    assert result.exit_code == 2
    assert "is not a file" in result.stderr
