"""What a hand-out that the lab does not list asks is no answer; whatever a student adds to it is heard."""

from decimal import Decimal

import pytest

from grader.checks.finding import UNDECIDED, Findings, Severity, Status
from grader.checks.runner import run_checks
from grader.claims.answer import Answer, extract
from grader.claims.sections import sections
from grader.claims.unanswered import State, states
from grader.claims.voice import with_voices
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.reading.notebook import Cell, CellKind, Notebook, notebook_document
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import truth
from tests.claims.making import lab

TEXT, CODE = CellKind.MARKDOWN, CellKind.CODE
UNLISTED: Lab = lab().model_copy(update={"templates": lab().templates.model_copy(update={"notebooks": ()})})

ENGLISH: list[tuple[CellKind, str]] = [
    (TEXT, "# Session 4\n\nRoBERTa-small-fr has 4 layers, dimension 512 and 32,000 tokens. Hand in this notebook."),
    (TEXT, "## Question 1\n\nCount the parameters by hand, embeddings and attention included. Biases may be omitted."),
    (TEXT, "*Double-click to answer*"),
    (TEXT, "**Task 1.** Let PyTorch confirm your result."),
    (CODE, "total = GAP\nprint(total)"),
    (TEXT, "**Task 2.** Tokenise the reviews, then binarise them with `fairseq-preprocess`."),
    (
        TEXT,
        "**Task 3.** Fine-tune the pretrained model with three seeds. For each seed, select the checkpoint with the "
        "best validation accuracy. What is the mean on the test set, and what is the standard deviation? Write them as "
        "`mean ± std`, for instance 50.00 ± 0.00.\n\n| seed | valid | test |\n|---|---|---|\n| | | |\n| mean | | |",
    ),
    (CODE, "SEEDS = GAP\nLR = GAP"),
    (TEXT, "**Task 4.** Do the same from random weights. Is pretraining worth it? Say why you think so."),
    (TEXT, "**Task 5.** Use `run_glue.py` to reproduce Task 3.\n\n- seeds: ____\n- mean on test: ____"),
    (TEXT, "**Task 6.** Configure the 4-bit quantisation of BLOOM-560m: NF4, double quantisation."),
    (CODE, "from transformers import BitsAndBytesConfig\nbnb_config = GAP"),
    (TEXT, "**Task 7.** Complete the function."),
    (
        CODE,
        'def print_trainable_parameters(model):\n    """Prints the number of trainable parameters."""\n    return GAP\n'
        "print_trainable_parameters(model)",
    ),
    (
        TEXT,
        "**Question 2.** LoRA trains two small matrices. Its arguments are to be defined in your own words:\n\n"
        "| argument | definition | value |\n|---|---|---|\n| `r` | ... | ... |\n| `bias` | ... | ... |\n"
        "| `lora_dropout` | ... | ... |",
    ),
    (TEXT, "**Task 8.** Write the prompt: the question of the human, then the answer of the assistant."),
    (CODE, "def generate_prompt(example):\n    return GAP"),
]
FRENCH: list[tuple[CellKind, str]] = [
    (
        TEXT,
        "# TP 4\n\nLe modèle RoBERTa-small-fr compte 4 couches et s'affine avec fairseq, puis avec Hugging Face, sur "
        "les critiques CLS-Books découpées par sentencepiece. BLOOM-560m s'adapte par LoRA. Rendez ce notebook.",
    ),
    (TEXT, "### Q1.\nCombien de paramètres compte ce modèle ? Détaillez le calcul. On pourra négliger les biais."),
    (TEXT, "*Votre réponse ici*"),
    (TEXT, "### T1.\nVérifiez votre résultat à l'aide de PyTorch."),
    (CODE, "n = GAP"),
    (
        TEXT,
        "### T3.\nLancez l'apprentissage avec trois graines. Pour chaque graine, retenez le point de contrôle dont la "
        "précision de validation est la meilleure. Indiquez la moyenne et l'écart-type en test.",
    ),
    (CODE, "GRAINES = GAP"),
    (TEXT, "### T4.\nRecommencez avec des poids tirés au hasard, puis comparez. Que constatez-vous ?"),
    (TEXT, "### T6.\nComplétez la configuration afin que le modèle soit chargé en 4 bits."),
    (CODE, "bnb_config = GAP"),
    (TEXT, "### Q2.\nÀ quoi servent les paramètres suivants ?\n\n* `r` :\n* `lora_alpha` :\n* `bias` :"),
    (TEXT, "### T8.\nConstruisez l'invite à partir de la question et de la réponse."),
]


def notebook(cells: list[tuple[CellKind, str]], gap: str = "None  # your code") -> Notebook:
    made = (Cell(index=at, kind=kind, source=text.replace("GAP", gap)) for at, (kind, text) in enumerate(cells))
    return Notebook(file="lab.ipynb", cells=tuple(made))


def answered(cells: list[tuple[CellKind, str]], label: str, answer: str, way: str) -> list[tuple[CellKind, str]]:
    """The cells with an answer to what begins with a label: in a cell of its own, in a paragraph, or in its line."""
    at = next(index for index, (_, text) in enumerate(cells) if text.startswith(label))
    if way == "cell":
        return [*cells[: at + 1], (TEXT, answer), *cells[at + 1 :]]
    text = f"{cells[at][1]}{' ' if way == 'line' else chr(10) * 2}{answer}"
    return [*cells[:at], (TEXT, text), *cells[at + 1 :]]


def claims(made: Notebook) -> Answer:
    file = FileRecord(path=made.file, role=Role.NOTEBOOK, state=FileState.READ)
    return extract(Reading(notebooks=(made,), files=(file,)), UNLISTED)


def judged(made: Notebook) -> Findings:
    return run_checks(claims(made), truth(), UNLISTED)


def pending(found: Findings) -> Decimal:
    points = {item.id: item.points for item in UNLISTED.items}
    return sum((points[one.item] for one in found.findings if one.status in UNDECIDED), Decimal(0))


@pytest.mark.parametrize("cells", [ENGLISH, FRENCH])
@pytest.mark.parametrize("gap", ["None  # your code", "...", "# TODO", "????", "<FILL>"])
def test_an_unlisted_hand_out_earns_nothing_and_leaves_hardly_anything_open(
    cells: list[tuple[CellKind, str]], gap: str
) -> None:
    found = judged(notebook(cells, gap))
    assert not [one.item for one in found.findings if one.status in (Status.CORRECT, Status.PARTIAL)]
    assert pending(found) <= 1
    assert {flag.id for flag in found.flags if flag.severity is Severity.WARNING} == {"blank-handout"}


@pytest.mark.parametrize("way", ["cell", "paragraph", "line"])
@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("## Question 1", "One layer: 4 × 512² + 2 × 512 × 512 = 1,572,864."),
        ("## Question 1", "Consider one layer: 4 × 512^2"),
        ("## Question 1", "22.8M"),
        ("## Question 1", "Token embeddings, positions, attention and feed-forward of each layer are counted."),
        ("**Task 3", "79.3, 78.5 and 80.1"),
        ("**Task 3", "For every seed we took the epoch that did best on the dev set."),
        ("**Task 4", "Yes."),
        ("**Task 4", "It gains 13 points."),
        ("**Task 4", "Pretraining helps a lot."),
        ("**Task 4", "The network that has read French before ends up far ahead of the other one."),
        ("**Question 2", "r is the rank"),
        ("**Question 2", "Note that r fixes the rank of the matrices that are learned."),
        ("**Question 2", "Set the rank of the update; the share of inputs that are zeroed; no bias is trained."),
        ("**Question 2", "lora_alpha = 32"),
        ("**Task 6", "We load it in 4 bits with nf4, computing in bfloat16."),
        ("**Task 8", "The tag of the human comes first, and that of the assistant in the next line."),
    ],
)
def test_what_a_student_adds_is_heard(label: str, answer: str, way: str) -> None:
    given = claims(notebook(answered(ENGLISH, label, answer, way)))
    said = "\n".join(one.passage.text for one in given.sections)
    assert answer.split()[-1].strip(".") in said
    assert not any(answer in one.text for one in given.asked)


def test_answers_earn_in_a_hand_out_as_in_a_notebook_without_it() -> None:
    cells = answered(ENGLISH, "**Question 2", "r: rank of the two matrices A and B", "cell")
    cells = answered(cells, "## Question 1", "32000 × 512 + 258 × 512 + 4 × (6 × 512 × 512) = 22807552", "paragraph")
    right = {one.item for one in judged(notebook(cells)).findings if one.status is Status.CORRECT}
    assert right >= {"q1.total", "q1.derivation", "q2.r"}


def test_rows_and_lines_that_are_filled_in_answer() -> None:
    table = [(kind, text.replace("| `r` | ... |", "| `r` | rank |")) for kind, text in ENGLISH]
    line = [(kind, text.replace("mean on test: ____", "mean on test: 79.3")) for kind, text in ENGLISH]
    assert "rank" in "".join(one.passage.text for one in claims(notebook(table)).sections)
    assert "79.3" in "".join(one.passage.text for one in claims(notebook(line)).sections)


def test_a_printed_result_keeps_the_words_around_it() -> None:
    cells = [*notebook(ENGLISH).cells]
    cells[7] = cells[7].model_copy(update={"source": "print('mean', mean(test))", "output": "mean 79.30\n"})
    said = "".join(one.passage.text for one in claims(Notebook(file="lab.ipynb", cells=tuple(cells))).sections)
    assert "best validation accuracy" in said


def test_a_notebook_without_gaps_was_not_left_blank() -> None:
    found = claims(notebook(ENGLISH, "1"))
    assert not found.asked
    assert not found.blank


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("**Task 4.** Compare the two.", State.ASKED),
        ("**Task 4.** How do the two compare?", State.ASKED),
        ("**Task 4.** A comparison of the two is expected here.", State.ASKED),
        ("**Task 4.** Compare the two.\n\n*Hint.* The script prints the accuracy of each epoch.", State.ASKED),
        ("**Task 4.** Your comparison: ____", State.ASKED),
        ("**Task 4.** Your comparison: it helps", State.ANSWERED),
        ("**Task 4.** Compare the two. The curves of the random weights start at one half.", State.MENTIONED),
        ("**Task 4.** From the random checkpoint, the same.", State.UNCLEAR),
        ("**Task 7.** It trains 1,572,864 of 409,792,512.", State.ANSWERED),
    ],
)
def test_states_of_a_part(text: str, state: State) -> None:
    cut = sections(with_voices(notebook_document(notebook([(TEXT, text)]))), UNLISTED)
    assert states(cut, (), UNLISTED) == (state,)
