"""`grade truth …` reaches the verbs of the package that knows the real libraries."""

import json

from tests.conftest import ROOT, run_grade

CONFIG = ROOT / "tests/reference/configs/gpt2.json"


def test_truth_count_is_a_verb_of_grade() -> None:
    done = run_grade("truth", "count", str(CONFIG), "--without", "head", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["total"] == 124_439_808


def test_mistakes_and_help_are_those_of_the_verb() -> None:
    helped = run_grade("truth", "count", "--help")
    assert helped.returncode == 0
    assert "CONFIG.json" in helped.stdout
    assert run_grade("truth", "nonsense").returncode == 2
    assert "truth" in run_grade("--help").stdout
