"""What a notebook loads counts: forms that load 4 bits are right, whatever they look like, and others are not."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.checks.making import answer, code, decide

CASES = tomllib.loads((Path(__file__).parent / "cases" / "quantisation_forms.toml").read_text(encoding="utf-8"))[
    "cases"
]
IMPORTS = """import json, torch, transformers
from transformers import AutoConfig, AutoModelForCausalLM, BitsAndBytesConfig, BloomForCausalLM
name = "bigscience/bloom-560m" """
LOAD = "model = AutoModelForCausalLM.from_pretrained(name, quantization_config=config)"
COUNT = "print(sum(p.numel() for p in model.parameters()))"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_form_is_judged_by_what_it_loads(case: dict[str, Any]) -> None:
    config = [f"config = {case['config']}"] if "config" in case else []
    load = code("\n".join([*config, case.get("load", LOAD)])).model_copy(update={"error": case.get("error")})
    plain = code(f"model = AutoModelForCausalLM.from_pretrained(name)\n{COUNT}", case.get("before", ""))
    version = [code("print(transformers.__version__)", case["version"])] if "version" in case else []
    cells = [code(IMPORTS), *version, *([plain] if "before" in case else []), load]
    cells += [code(COUNT, case["prints"])] if "prints" in case else []
    finding, _ = decide("t6.quantization", answer(case.get("report"), cells))
    assert finding.status.value == case["status"], finding.feedback
    assert "suggestion" not in case or (finding.suggestion and finding.suggestion.value == case["suggestion"])
    assert case.get("states", "") in finding.feedback
