"""The values of an adapter are found in every form that peft takes, and those that it refuses are not right."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from grader.checks.parameter_values import select_modules
from tests.checks.making import answer, code, decide, truth
from tests.patience import within

CASES = tomllib.loads((Path(__file__).parent / "cases" / "lora_forms.toml").read_text(encoding="utf-8"))["cases"]
IMPORTS = "import json\nfrom peft import LoraConfig, TaskType, get_peft_config"
REPORT = (
    "# Question 2\n\n`r` is the rank of the update, `lora_alpha` scales it, and `target_modules` names its modules."
)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_form_is_judged_as_peft_takes_it(case: dict[str, Any]) -> None:
    finding, _ = decide("q2.values", answer(REPORT, [code(IMPORTS), code(case["source"])]))
    assert finding.status.value == case["status"], finding.feedback
    assert case.get("states", "") in finding.feedback


def test_a_hostile_pattern_takes_no_time() -> None:
    (model,) = (one for one in truth().models if one.modules)
    with within(5):
        for pattern in ("(a|a)*b", ".*" * 60, "(?:.*){50}x", "(.*)\\1+", ".*.*.*.*x", "[", "x" * 100_000):
            select_modules(pattern, model.modules)
