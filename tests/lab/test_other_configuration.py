"""The interpreter knows nothing of LoRA: three parameters of another library class, in a lab of their own."""

import pytest

from grader.checks.definition import definition
from grader.checks.finding import Finding, Status
from grader.claims.answer import Answer
from grader.claims.definitions import definitions
from grader.lab.definition import Lab
from grader.lab.grammar import Grammar
from grader.lab.truth import Fact, GroundTruth, ParameterValue, Provenance
from tests.claims.making import passage

GRAMMAR = Grammar.model_validate(
    {
        "version": 2,
        "policy": {"wrong_value": "incorrect"},
        "spelling": {"weight": ["weights"], "number": ["numbers"]},
        "opening": ["({it}) [is|sets|says|tells]", "the option [that|which] (says|sets)"],
        "neutral": ["(here|we use|set to)* {value}"],
        "joining": ["and", "so (that)"],
        "words": {
            "the": ["the", "a"],
            "it": ["it", "this", "(the option) {name}"],
            "stored": ["stored", "kept", "loaded"],
        },
        "parameters": [
            {
                "id": "load_in_4bit",
                "summary": "Whether the weights are stored in 4 bits.",
                "right": [
                    "[whether|if] {the} (model s) weight is {stored} [in|with] [4|four] bits",
                    "loads {the} model in [4|four] bits",
                ],
                "says": {"effect": ["({it}) [saves|needs less] memory"]},
                "partial": [{"id": "effect-only", "needs": "effect", "missing": "How memory is saved is not said."}],
                "words": {"name": ["load_in_4bit"], "value": ["true"], "other_value": ["false"]},
                "facts": ["bits/fewer"],
            },
            {
                "id": "bnb_4bit_quant_type",
                "summary": "The kind of 4-bit numbers: fp4, or nf4 for weights that are normally distributed.",
                "right": ["{the} [kind|data type|type] of ({the}) (4 bit)* number (in the storage)"],
                "words": {"name": ["bnb_4bit_quant_type", "quant_type"], "value": ["nf4"], "other_value": ["fp4"]},
                "misconceptions": [{"id": "optimizer", "words": ["optimizer"], "fact": "bits/fewer"}],
            },
            {
                "id": "bnb_4bit_compute_dtype",
                "summary": "The type of number in which products are computed.",
                "right": ["{the} type of number (used) [for|in] [{the} products|computing|computation]"],
                "words": {"name": ["bnb_4bit_compute_dtype"], "value": ["bfloat16"], "other_value": ["float32"]},
            },
        ],
    }
)
LAB = Lab.model_validate(
    {
        "id": "quantisation",
        "title": "Quantisation",
        "seeds": 1,
        "questions": [
            {
                "id": "q1",
                "title": "Define them",
                "labels": ["question 1"],
                "items": [
                    {"id": f"q1.{name}", "title": name, "points": "1", "check": "definition"}
                    for name in ("load_in_4bit", "bnb_4bit_quant_type", "bnb_4bit_compute_dtype")
                ],
            }
        ],
        "parameters": [
            {"id": "load_in_4bit", "names": ["load_in_4bit"], "value": "True"},
            {"id": "bnb_4bit_quant_type", "names": ["bnb_4bit_quant_type", "quant_type"], "value": "nf4"},
            {"id": "bnb_4bit_compute_dtype", "names": ["bnb_4bit_compute_dtype"], "value": "bfloat16"},
        ],
        "grammar": GRAMMAR,
    }
)
KNOWN = Provenance(how="made up", date="2024-01-01")
TRUTH = GroundTruth(
    lab="quantisation",
    values=tuple(
        ParameterValue(id=f"bits/{one.id}", parameter=one.id, value=one.value, provenance=KNOWN)
        for one in LAB.parameters
    ),
    facts=(Fact(id="bits/fewer", field="load_in_4bit", sentence="4 is less than 16.", figures={}, provenance=KNOWN),),
)


def decide(parameter: str, report: str) -> Finding:
    read = passage(f"# Question 1\n\n{report}\n")
    answer = Answer(report="report.md", defining=(read,), definitions=tuple(definitions(read, LAB)))
    (finding,) = definition.function(answer, TRUTH, LAB, item=f"q1.{parameter}", parameter=parameter)
    assert isinstance(finding, Finding)
    return finding


@pytest.mark.parametrize(
    ("parameter", "line", "status"),
    [
        ("load_in_4bit", "- load_in_4bit=True: whether the weights is stored in 4 bits", Status.CORRECT),
        ("load_in_4bit", "- load_in_4bit: it loads the model in 4 bits, so it saves memory", Status.REVIEW),
        (
            "load_in_4bit",
            "- `load_in_4bit` (True): loads the model in 4 bits, so it needs less memory",
            Status.CORRECT,
        ),
        ("load_in_4bit", "- load_in_4bit: saves memory", Status.PARTIAL),
        ("load_in_4bit", "- load_in_4bit=False: loads the model in four bits", Status.INCORRECT),
        ("load_in_4bit", "- load_in_4bit = True", Status.INCORRECT),
        ("load_in_4bit", "- load_in_4bit: the type of number used for computing", Status.REVIEW),
        ("bnb_4bit_quant_type", "- quant_type (nf4): the kind of 4-bit numbers", Status.CORRECT),
        ("bnb_4bit_quant_type", "- quant_type: the kind of optimizer", Status.REVIEW),
        ("bnb_4bit_quant_type", "| bnb_4bit_quant_type | nf4 | data type of the numbers |", Status.REVIEW),
        ("bnb_4bit_quant_type", "| bnb_4bit_quant_type | nf4 | the data type of the numbers |", Status.CORRECT),
        (
            "bnb_4bit_compute_dtype",
            "The option bnb_4bit_compute_dtype sets the type of number for computing.",
            Status.CORRECT,
        ),
        (
            "bnb_4bit_compute_dtype",
            "bnb 4bit compute dtype: a type of number for computing, float32",
            Status.INCORRECT,
        ),
    ],
)
def test_another_configuration_is_judged_by_its_own_grammar(parameter: str, line: str, status: Status) -> None:
    finding = decide(parameter, line)
    assert finding.status is status, finding


def test_a_mistake_there_is_refuted_by_its_own_fact() -> None:
    finding = decide("bnb_4bit_quant_type", "- quant_type: the kind of optimizer")
    assert [one.id for one in finding.diagnoses] == ["optimizer"]
    assert "4 is less than 16. (bits/fewer)" in finding.diagnoses[0].text
    assert finding.suggestion is Status.INCORRECT
