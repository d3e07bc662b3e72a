"""The sample class and the reference answers: what is committed is what the script makes, and it agrees with itself."""

import io
import re
import statistics
import tomllib
import zipfile
from pathlib import Path

import pytest

from grader.lab.files import load_lab
from scripts.make_samples import ROOT, SOURCES, hand_ins, made_files
from scripts.samples.experiment import HandIn, Run, read_hand_in
from scripts.samples.notebook import notebook

CLASS = ROOT / "submissions"
LAB = ROOT / "reference" / "labs" / "nlp_frameworks"
ANSWERS = LAB / "answers"
MADE_KINDS = ("*.ipynb", "*.pdf", "*.zip", "*tfevents*")
KEYS = ("full", "not_full", "not_zero", "missing")
EXPERIMENTS = ("pretrained", "random", "huggingface")

STATED = [
    ("answers", [("79.57", "0.77"), ("66.90", "0.99"), ("80.15", "0.50")]),
    ("student-01", [("79.67", "0.45"), ("66.77", "0.78"), ("79.73", "0.36")]),
    ("student-02", [("79.50", "0.61"), ("65.80", "1.56"), ("79.27", "0.53")]),
    ("student-03", [("79.67", "0.65"), ("67.10", "0.73"), ("80.40", "0.39")]),
    ("student-06", [("79.73", "0.52"), ("66.57", "0.76"), ("79.82", "0.42")]),
    ("student-07", [("79.80", "0.37"), ("67.57", "0.74"), ("79.87", "0.56")]),
    ("student-10", [("79.13", "0.45"), ("67.90", "1.10"), ("80.32", "0.55")]),
]
"""The mean and the deviation, in percent, that each report states for each experiment."""


def content_of(path: str, content: bytes) -> object:
    """What must be equal in a file: a PDF's text and an archive's members, since libraries pack differently."""
    if path.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            return {entry.filename: opened.read(entry) for entry in opened.infolist()}
    return pdf_text(content) if path.endswith(".pdf") else content


def pdf_text(content: bytes) -> list[str] | str:
    import pypdfium2

    try:
        return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(content)]
    except pypdfium2.PdfiumError:
        return "unreadable"


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    return made_files()


def test_committed_files_are_what_the_script_makes(made: dict[str, bytes]) -> None:
    differing = [
        path
        for path, content in made.items()
        if content_of(path, (ROOT / path).read_bytes()) != content_of(path, content)
    ]
    assert differing == [], "run python -m scripts.make_samples"


def test_nothing_is_left_over_from_an_earlier_make(made: dict[str, bytes]) -> None:
    committed = {path for folder in (CLASS, ANSWERS) for kind in MADE_KINDS for path in folder.rglob(kind)}
    assert {path.relative_to(ROOT).as_posix() for path in committed} == set(made)


def test_only_the_damaged_report_is_unreadable() -> None:
    assert pdf_text((CLASS / "student-07" / "report.pdf").read_bytes()) != "unreadable"
    damaged = (CLASS / "student-09" / "report.pdf").read_bytes()
    assert damaged.startswith(b"%PDF-")
    assert pdf_text(damaged) == "unreadable"


@pytest.mark.parametrize("hand_in", [each for each in hand_ins() if each.runs], ids=lambda each: each.source.name)
def test_no_validation_tie_makes_the_selected_checkpoint_unclear(hand_in: HandIn) -> None:
    assert [run for run in hand_in.runs if run.valid.count(max(run.valid)) > 1] == []


@pytest.mark.parametrize(("name", "stated"), STATED)
def test_reports_state_what_follows_from_their_runs(name: str, stated: list[tuple[str, str]]) -> None:
    hand_in = read_hand_in(SOURCES / name)
    report = report_text(hand_in)
    for experiment, (mean, deviation) in zip(EXPERIMENTS, stated, strict=True):
        assert follows(hand_in.runs_of(experiment), mean, deviation)
        assert re.search(rf"{mean}\D.*?{deviation}", report), f"{mean} and {deviation} are not in the report"


def follows(runs: tuple[Run, ...], mean: str, deviation: str) -> bool:
    """Whether a mean and a deviation, of either form, are those of the selected checkpoints' test accuracies."""
    tests = [run.selected_test for run in runs]
    deviations = {f"{form(tests):.2f}" for form in (statistics.pstdev, statistics.stdev)}
    return mean == f"{statistics.mean(tests):.2f}" and deviation in deviations


def report_text(hand_in: HandIn) -> str:
    """A report as one line of text with decimal points."""
    folder = hand_in.source if hand_in.archive else ROOT / hand_in.folder
    report = next(path for path in sorted(folder.rglob("*")) if path.suffix in (".md", ".pdf"))
    text = "".join(pdf_text(report.read_bytes())) if report.suffix == ".pdf" else report.read_text(encoding="utf-8")
    return re.sub(r"(?<=\d),(?=\d{2}\b)", ".", " ".join(text.split()))


def test_event_files_hold_the_accuracies_of_their_runs(made: dict[str, bytes]) -> None:
    from tbparse import SummaryReader

    run = read_hand_in(SOURCES / "student-07").runs_of("random")[0]
    (path,) = (path for path in made if f"random_seed{run.seed}/test/" in path and "student-07" in path)
    scalars = SummaryReader(str(ROOT / path)).scalars
    accuracies = scalars[scalars["tag"] == "accuracy"]
    assert list(accuracies["step"]) == [225, 450, 675, 900, 1125]
    assert list(accuracies["value"]) == pytest.approx(run.test)


def test_an_output_needs_a_code_cell() -> None:
    with pytest.raises(ValueError, match="without a code cell"):
        notebook("# %% [markdown]\ntext\n# %% [output]\nlost\n")


def test_expectations_name_known_items_and_every_hand_in() -> None:
    expected = tomllib.loads((Path(__file__).parent / "samples_expected.toml").read_text(encoding="utf-8"))
    handed_in = {path.stem for path in CLASS.iterdir() if path.name != "README.md"}
    assert set(expected) == handed_in
    items = {item.id for item in load_lab(LAB).items}
    named = {item for entry in expected.values() for key in KEYS for item in entry.get(key, [])}
    assert named <= items
    assert all(not set(entry.get("full", [])) & set(entry.get("not_full", [])) for entry in expected.values())
