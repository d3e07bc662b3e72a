"""The comparison of verdicts before and after a change of the code."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import replay

_CODE = """
import sys
from pathlib import Path
from tests import replay
replay.KEPT = Path(sys.argv[1])
sheet = next(one for one in replay.hand_ins([]) if one.name == "sheets/001")
if sys.argv[2:] == ["keep"]:
    replay.keep(sheet)
else:
    found = [one for file in replay.KEPT.glob("*") for one in replay.moves(file, without=tuple(sys.argv[2:]))]
    print(*sorted({f"{one.item} {one.judgement}" for one in found if one.judgement != "said otherwise"}), sep="; ")
"""


def _run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _CODE, str(folder), *arguments],
        cwd=replay.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_replay_tells_which_verdicts_moved_and_whether_the_key_allows_it(tmp_path: Path) -> None:
    _run(tmp_path, "keep")
    assert _run(tmp_path) == ""
    assert _run(tmp_path, "grader.claims.definitions.definitions").startswith("q2.bias worse; q2.lora_alpha worse;")


@pytest.mark.parametrize(
    ("before", "after", "judgement"),
    [
        ("review", "correct", "better"),
        ("incorrect", "correct", "better"),
        ("incorrect", "review", "safer"),
        ("correct", "review", "worse"),
        ("review", "incorrect", "worse"),
        ("correct", "partial", "as right"),
    ],
)
def test_a_key_allows_what_is_nearer_to_it(before: str, after: str, judgement: str) -> None:
    assert replay._judgement(f"q | {before}", f"q | {after}", frozenset({"correct", "partial"})) == judgement
