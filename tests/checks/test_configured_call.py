from decimal import Decimal

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.registry import check_of
from grader.checks.runner import run_checks
from grader.claims.answer import extract
from grader.lab.truth import Provenance, Signature
from grader.reading.notebook import Notebook
from grader.reading.reading import Reading
from tests.checks.making import answer, code, concluded, decide, truth
from tests.checks.test_basic_checks import judged, lab_with
from tests.claims.making import lab


def judge(*sources: str, report: str | None = None) -> Finding:
    return decide("t6.quantization", answer(report, [code(source) for source in sources]))[0]


@pytest.mark.parametrize(
    "arguments",
    [
        "load_in_4bit=True",
        "load_in_4bit=True, bnb_4bit_quant_type='nf4', bnb_4bit_compute_dtype=torch.bfloat16",
        "\n    load_in_4bit=True,\n    bnb_4bit_use_double_quant=True,\n",
        "load_in_4bit = True, **more",
    ],
)
def test_four_bits_with_arguments_that_exist_are_right(arguments: str) -> None:
    finding = judge(f"import torch\nbnb_config = transformers.BitsAndBytesConfig({arguments})")
    assert finding.status is Status.CORRECT
    assert "load_in_4bit=True" in (finding.found or "")
    assert finding.evidence[0].line == 2


def test_an_invented_argument_is_named() -> None:
    finding = judge("BitsAndBytesConfig(load_in_4bit=True, quant_4bit_type='nf4')")
    assert (finding.status, [d.id for d in finding.diagnoses]) == (Status.PARTIAL, ["unknown-argument"])
    assert "quant_4bit_type" in finding.diagnoses[0].text


@pytest.mark.parametrize("arguments", ["", "load_in_8bit=True", "load_in_4bit=False", "load_in_4bit=1"])
def test_four_bits_that_are_not_asked_for_are_named(arguments: str) -> None:
    finding = judge(f"BitsAndBytesConfig({arguments})")
    assert (finding.status, [d.id for d in finding.diagnoses]) == (Status.INCORRECT, ["not-set"])


@pytest.mark.parametrize(
    "source",
    [
        "BitsAndBytesConfig(load_in_8bit=True, **more)",
        "config = BitsAndBytesConfig()\nsettings = {'load_in_4bit': True}",
        "BitsAndBytesConfig(load_in_4bit=flags.small)",
        "if False:\n    BitsAndBytesConfig(load_in_8bit=True)",
    ],
)
def test_nothing_is_decided_against_code_that_may_do_it_otherwise(source: str) -> None:
    assert judge(source).status is Status.REVIEW


def test_a_gap_that_is_left_open_is_missing() -> None:
    assert judge("config = BitsAndBytesConfig(\n    # fill me\n)").status is Status.MISSING


def test_nothing_is_decided_where_a_file_was_not_read() -> None:
    given = answer(None, [code("BitsAndBytesConfig(load_in_8bit=True)")], lost="report.pdf")
    finding = next(one for one in run_checks(given, truth(), lab()).findings if one.item == "t6.quantization")
    concluded((), finding)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.INCORRECT)


def test_a_gap_in_another_cell_is_none_of_a_call_that_could_not_be_read() -> None:
    gap = "print 'config'\nrun(BitsAndBytesConfig, rate=____)"
    assert judge(gap).status is Status.MISSING
    assert judge("config = BitsAndBytesConfig(load_in_4bit=True", gap).status is Status.REVIEW


def test_an_argument_unlike_all_known_ones_may_be_of_another_version() -> None:
    finding = judge("BitsAndBytesConfig(load_in_4bit=True, checkpointing=False)")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert judge("BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_typ='nf4')").status is Status.PARTIAL
    assert judge("BitsAndBytesConfig(load_in_8bit=True, checkpointing=False)").status is Status.INCORRECT


def test_the_best_of_several_calls_counts() -> None:
    finding = judge("BitsAndBytesConfig(load_in_8bit=True)", "BitsAndBytesConfig(load_in_4bit=True)")
    assert finding.status is Status.CORRECT


def test_a_listing_in_the_report_counts() -> None:
    report = "# Task 6\n\n```python\nconfig = BitsAndBytesConfig(load_in_4bit=True)\n```\n"
    assert judge(report=report).status is Status.CORRECT


def test_a_call_that_cannot_be_read_is_for_a_person() -> None:
    assert judge("config = BitsAndBytesConfig(load_in_4bit=True").status is Status.REVIEW


def test_what_is_not_spoken_of_is_missing_and_what_is_goes_to_a_person() -> None:
    assert judge("model = load()").status is Status.MISSING
    assert judge("model = load(quantized=True)").status is Status.REVIEW
    assert judge(report="# Task 6\n\nWe loaded it.").status is Status.MISSING
    finding = judge(report="# Task 6\n\nWe used BitsAndBytesConfig.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)


def test_a_picture_may_hold_the_answer() -> None:
    assert judge(report="# Task 6\n\n![](screenshot.png)").status is Status.REVIEW
    assert judge(report="# Task 3\n\n![](curves.png)\n\n# Task 6\n").status is Status.MISSING
    assert judge(report="![The validation accuracy of three seeds](curves.png)").status is Status.MISSING


def test_a_call_in_a_comment_or_a_string_is_none() -> None:
    source = "# BitsAndBytesConfig(load_in_4bit=True)\ns = 'BitsAndBytesConfig(load_in_4bit=True)'"
    assert judge(source).status is Status.REVIEW


@pytest.mark.parametrize(
    ("said", "suggestion"),
    [
        ("Maybe we should have loaded the model in 4 bits?", Status.PARTIAL),
        ("We did not load the model in 4 bits.", None),
    ],
)
def test_what_is_not_plainly_said_is_suggested_and_what_is_denied_is_not(said: str, suggestion: Status | None) -> None:
    finding = judge(report=f"# Task 6\n\n{said}\n")
    assert finding.status in (Status.REVIEW, Status.MISSING)
    assert finding.suggestion is suggestion


SEVERAL = {"call": "SGD", "required": {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.0001}}


@pytest.mark.parametrize(
    ("arguments", "status", "share"),
    [
        ("lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4", Status.CORRECT, None),
        ("lr=1e-1, momentum=.9, nesterov=True, weight_decay=0.0001, dampening=0", Status.CORRECT, None),
        ("lr=0.1, momentum=0.9, nesterov=True", Status.PARTIAL, "0.75"),
        ("lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-3", Status.PARTIAL, "0.75"),
        ("lr=0.1, momentum=0.9", Status.PARTIAL, "0.5"),
        ("lr=0.1, momentum=0.8, nesterov=False, weight_decay=1e-4", Status.PARTIAL, "0.5"),
        ("lr=0.1", Status.INCORRECT, None),
        ("lr=0.01, momentum=0.8, nesterov=False, weight_decay=0", Status.INCORRECT, None),
        ("lr=0.1, momentum=0.9, nesterov=True, weight_decay=decay", Status.REVIEW, None),
        ("lr=0.1, momentum=0.9, **more", Status.REVIEW, None),
    ],
)
def test_of_several_arguments_at_least_half_earn_their_share(arguments: str, status: Status, share: str | None) -> None:
    cells = [code(f"optimiser = SGD(model.parameters(), {arguments})")]
    finding = judged(lab_with("configured-call", SEVERAL, ("optimi",)), None, cells)
    assert finding.status is status
    assert finding.share == (None if share is None else Decimal(share))


@pytest.mark.parametrize(
    ("options", "arguments", "status"),
    [
        ({"allowed": {"lr": [0.1, 0.01]}}, "lr=0.01", Status.CORRECT),
        ({"allowed": {"lr": [0.1, 0.01]}}, "lr=0.02", Status.INCORRECT),
        ({"forbidden": {"momentum": []}}, "lr=0.1, momentum=0.9", Status.PARTIAL),
        ({"forbidden": {"momentum": [0.9]}}, "lr=0.1, momentum=0.9", Status.PARTIAL),
        ({"forbidden": {"momentum": [0.9]}}, "lr=0.1, momentum=0.8", Status.CORRECT),
        ({"excluded": {"fused": True}}, "lr=0.1, fused=True", Status.PARTIAL),
        ({"excluded": {"fused": True}}, "lr=0.1, fused=False", Status.CORRECT),
        ({"values": {"mode": ["a", "b"]}}, "lr=0.1, mode='b'", Status.CORRECT),
        ({"values": {"mode": ["a", "b"]}}, "lr=0.1, mode='c'", Status.PARTIAL),
        ({"values": {"mode": ["a", "b"]}}, "lr=0.1, mode=c", Status.CORRECT),
        ({"instead": ["torch.optim.Adam"]}, "lr=0.1", Status.CORRECT),
    ],
)
def test_what_else_is_asked_of_arguments(options: dict[str, object], arguments: str, status: Status) -> None:
    required = {} if "allowed" in options else {"lr": 0.1}
    asked = {"call": "SGD", "required": required, **options}
    finding = judged(lab_with("configured-call", asked, ("optimi",)), None, [code(f"SGD(p, {arguments})")])
    assert finding.status is status


def test_another_class_in_its_place_is_wrong_and_named() -> None:
    asked = {"call": "SGD", "required": {"lr": 0.1}, "instead": ["torch.optim.Adam", "torch.optim.AdamW"]}
    lab_ = lab_with("configured-call", asked, ("optimi",))
    for source, found in (("Adam(p, lr=0.1)", "Adam"), ("a = Adam(p)\nb = torch.optim.AdamW(p)", "AdamW")):
        finding = judged(lab_, None, [code(source)])
        assert (finding.status, finding.found) == (Status.INCORRECT, found)
    assert judged(lab_, None, [code("Adagrad(p, lr=0.1)")]).status is not Status.INCORRECT


def test_values_given_by_place_are_not_bound_to_arguments_given_by_name_only() -> None:
    provenance = Provenance(how="made up", versions={"halves": "1"}, date="2030-01-01")
    known = Signature(
        id="halves/split",
        callable="split",
        arguments=("test_size", "seed"),
        defaults={"test_size": "None", "seed": "None"},
        by_name=("test_size", "seed"),
        provenance=provenance,
    )
    the_lab = lab_with("configured-call", {"call": "halves.split", "required": {"test_size": 0.3}}, ("halves",))
    (asked,) = the_lab.items
    given = truth().model_copy(update={"signatures": (known,)})

    def status(source: str) -> Status:
        notebook = Notebook(file="lab.ipynb", cells=(code(source),))
        answer = extract(Reading(notebooks=(notebook,)), the_lab)
        found = check_of(asked).bind_options(asked)(answer=answer, truth=given, lab=the_lab)
        return next(one for one in found if isinstance(one, Finding)).status

    assert status("a, b = split(x, y, seed=1)") is Status.INCORRECT
    assert status("a, b = split(x, y, test_size=0.3, seed=1)") is Status.CORRECT


def test_an_argument_that_the_lab_or_an_output_names_exists() -> None:
    provenance = Provenance(how="made up", versions={"ridges": "2"}, date="2030-01-01")
    known = Signature(id="ridges/Ridge", callable="Ridge", arguments=("alpha", "copy"), provenance=provenance)
    given = truth().model_copy(update={"signatures": (known,)})

    def status(required: dict[str, object], output: str = "") -> Status:
        the_lab = lab_with("configured-call", {"call": "ridges.Ridge", "required": required}, ("ridge",))
        (asked,) = the_lab.items
        cells = (code("Ridge(alpha=4, old=True)", output),)
        answer = extract(Reading(notebooks=(Notebook(file="lab.ipynb", cells=cells),)), the_lab)
        found = check_of(asked).bind_options(asked)(answer=answer, truth=given, lab=the_lab)
        return next(one for one in found if isinstance(one, Finding)).status

    assert status({"old": True}) is Status.CORRECT
    assert status({"alpha": 4}) is Status.REVIEW
    assert status({"alpha": 4}, "Ridge(alpha=4.0, copy=True, old=True)") is Status.CORRECT
