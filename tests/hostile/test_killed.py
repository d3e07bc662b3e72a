"""Kill -9 at any moment: no grade is lost, the database is whole, and nothing stays behind."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.hostile.killing import Campaign, temporary


# Only Linux lists a process's children in /proc; without them nothing shows that none goes on alone.
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("kills", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_nothing_is_lost_whenever_processes_are_killed(tmp_path: Path, kills: int) -> None:
    """Of a whole run, of single processes of it, and of the review page."""
    campaign = Campaign(tmp_path)
    try:
        campaign.batch(kills)
    finally:
        shutil.rmtree(temporary(tmp_path))
    assert campaign.done.total() == kills
