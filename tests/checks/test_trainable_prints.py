"""What current libraries print about the model with its adapter is recognised, and named by what prints it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from grader.claims.answer import extract
from grader.intake.submission import Role
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import answer, code, decide
from tests.claims.making import lab

CASES = tomllib.loads((Path(__file__).parent / "cases" / "trainable_prints.toml").read_text(encoding="utf-8"))["cases"]
FUNCTION = """def print_trainable_parameters(model):
    trainable, total = 0, 0
    for _, parameter in model.named_parameters():
        total += parameter.numel()
        if parameter.requires_grad:
            trainable += parameter.numel()
    print(f"trainable params: {trainable} || all params: {total} || trainable%: {100 * trainable / total}")"""
LOADED = """model = AutoModelForCausalLM.from_pretrained("bigscience/bloom-560m", quantization_config=bnb_config)"""
ADAPTED = """model = get_peft_model(prepare_model_for_kbit_training(model), LoraConfig(**{**values, %s}))"""


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_print_is_told_by_what_prints_it(case: dict[str, Any]) -> None:
    lora = case.get("lora", "bias='none'").partition("=")
    cells = [code(LOADED), code(ADAPTED % f"'{lora[0]}': {lora[2]}")]
    cells += [code(FUNCTION)] if case.get("function", True) else []
    finding, _ = decide("t7.trainable", answer(None, [*cells, code(case.get("prints", _CALL), case["output"])]))
    suggestion = finding.suggestion.value if finding.suggestion else None
    assert (finding.status.value, suggestion) == (case["status"], case.get("suggestion")), finding.feedback
    assert case.get("states", "") in finding.feedback
    if "never" in case:
        assert case["never"] not in f"{finding.feedback} {finding.note}"


_CALL = "print_trainable_parameters(model)"


def test_what_another_notebook_counts_is_no_answer() -> None:
    other = Cell(index=0, kind=CellKind.CODE, source=FUNCTION.replace("print_trainable_parameters", "count_parameters"))
    cells = tuple(
        one.model_copy(update={"index": at}) for at, one in enumerate((code(LOADED), code(ADAPTED % "'r': 16")))
    )
    notebooks = (Notebook(file="code/a.ipynb", cells=(other,)), Notebook(file="code/b.ipynb", cells=cells))
    files = tuple(FileRecord(path=one.file, role=Role.NOTEBOOK, state=FileState.READ) for one in notebooks)
    finding, _ = decide("t7.trainable", extract(Reading(notebooks=notebooks, files=files), lab()))
    assert finding.status.value == "missing"


def test_peft_says_nothing_about_a_function_that_is_not_called() -> None:
    wrong = "def count(model):\n    return sum(p.numel() for p in model.parameters())"
    printed = "trainable params: 1,572,864 || all params: 560,787,456 || trainable%: 0.2805"
    cells = [code(LOADED), code(ADAPTED % "'r': 16"), code(f"{wrong}\nmodel.print_trainable_parameters()", printed)]
    finding, _ = decide("t7.trainable", answer(None, cells))
    assert (finding.status.value, finding.note) == ("correct", "")
