"""A hand-out of a whole lab, invented: blank, run, half filled in and with answers, as the lab lists it and as another
edition of it that the lab does not list."""

from decimal import Decimal

from grader.checks.finding import UNDECIDED, Findings, Severity, Status
from grader.checks.runner import run_checks
from grader.claims.answer import extract
from grader.claims.handout import template_of
from grader.intake.submission import Role
from grader.lab.definition import Templates
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import truth
from tests.claims.making import lab

TEXT, CODE = CellKind.MARKDOWN, CellKind.CODE
HANDED_OUT: list[tuple[CellKind, str]] = [
    (TEXT, "# Practical session\n\nYou will hand in your report before the deadline. You should work alone."),
    (TEXT, "You will fine-tune RoBERTa-small-fr on CLS-Books, and adapt BLOOM-560m with LoRA, loaded in 4 bits."),
    (TEXT, "### Task 1\n\nCheck with code that your count of Question 1 is right."),
    (
        CODE,
        'def count_params(model):\n    """Returns the number of parameters."""\n    # fill the gap\n    return total',
    ),
    (TEXT, "### Task 2: preparing the data\n\nTokenize the reviews, then binarize them with fairseq-preprocess."),
    (
        CODE,
        "import sentencepiece as spm\ns = spm.SentencePieceProcessor(model_file='fr/bpe.model')\n"
        "for split in SPLITS:\n    with open(f'data/{split}.review') as f:\n        reviews = f.readlines()\n"
        "        # fill me: encode the reviews",
    ),
    (CODE, "!fairseq-preprocess --only-source \\\n  --trainpref # fill me \\\n  --workers 8"),
    (TEXT, "### Tasks 3 and 4\n\nUse three seeds. Report the average of the test accuracy. Which one is better?"),
    (CODE, "METRIC = 'accuracy'\nLR = 1e-5\nSEED = # fill me"),
    (CODE, '!fairseq-train data-bin/ --adam-betas "(0.9, 0.98)" --lr $LR --seed $SEED --max-epoch 5'),
    (CODE, "# {'label': 0, 'sentence': 'Ce livre est mieux que le premier'}\nimport json\n# fill me"),
    (TEXT, "### Task 6\n\nComplete the configuration so that the model is loaded in 4-bit precision."),
    (
        CODE,
        "import torch\nfrom transformers import AutoModelForCausalLM, BitsAndBytesConfig\n"
        "bnb_config = BitsAndBytesConfig(\n    # fill me\n)\n"
        "model = AutoModelForCausalLM.from_pretrained('bigscience/bloom-560m', quantization_config=bnb_config)",
    ),
    (TEXT, "### Task 7\n\nComplete the function that prints the number of trainable parameters."),
    (
        CODE,
        'def print_trainable_parameters(model):\n    """\n    Prints the number of trainable parameters in the model.\n'
        '    """\n    trainable_params = 0\n    all_param = 0\n    for _, param in model.named_parameters():\n'
        "        # fill the gap\n"
        "    print(f'trainable params: {trainable_params} || all params: {all_param}')",
    ),
    (TEXT, "### Question 2\n\nDefine each parameter of LoraConfig. r is the rank of the update matrices, as you know."),
    (
        CODE,
        "config = LoraConfig(\n    r=16,\n    lora_alpha=32,\n    target_modules=['query_key_value'],\n"
        "    lora_dropout=0.05,\n    bias='none',\n    task_type='CAUSAL_LM'\n)\n"
        "model = get_peft_model(model, config)\nprint_trainable_parameters(model)\nprint(config)",
    ),
    (
        TEXT,
        "### Task 8\n\nWrite the prompt in the form that the lecture has shown, a line for each of the two "
        "speakers:\n\n`<human>: question?`\n`<assistant>: response`",
    ),
    (CODE, "def generate_prompt(data_point):\n    return # fill me"),
    (CODE, "prompt = # fill me\nencoding = tokenizer(prompt, return_tensors='pt')\nprint(model.generate(encoding))"),
]
PRINTED = (
    "LoraConfig(peft_type=<PeftType.LORA: 'LORA'>, task_type='CAUSAL_LM', r=16, target_modules={'query_key_value'}, "
    "lora_alpha=32, lora_dropout=0.05, bias='none')\n"
)
COUNTED = "trainable params: 1572864 || all params: 409792512\n"
ANSWERS = {
    "BitsAndBytesConfig(\n    # fill me": "BitsAndBytesConfig(\n    load_in_4bit=True, bnb_4bit_quant_type='nf4'",
    "        # fill the gap": "        all_param += param.numel()\n        if param.requires_grad:\n"
    "            trainable_params += param.numel()",
    "    return # fill me": "    return f\"<human>: {data_point['q']}\\n<assistant>: {data_point['a']}\"",
}
NO_ANSWERS = {
    "SEED = # fill me": "SEED = 1",
    "--trainpref # fill me": "--trainpref data/train",
    "# fill me: enc": "# enc",
}
ANSWERED = {"t6.quantization", "t7.trainable", "t8.prompt"}


def session(
    filled: dict[str, str] | None = None, *, ran: bool = False, printed: str = "", new: bool = False
) -> Notebook:
    """The notebook with some gaps filled in; the output is that of the cell with the configuration. A `new` edition
    says some things otherwise, and more."""
    cells = [*HANDED_OUT, (TEXT, "### Task 9\n\nDescribe what you would try next.")] if new else HANDED_OUT
    made: list[Cell] = []
    for index, (kind, given) in enumerate(cells):
        source = given.replace("Complete the", "Please complete the") if new else given
        for gap, text in (filled or {}).items():
            source = source.replace(gap, text)
        source = source.replace("# fill me", "# your code here") if new else source
        output = printed if "LoraConfig(" in source else ""
        count = index + 1 if ran and kind is CODE else None
        made.append(Cell(index=index, kind=kind, source=source, output=output, execution_count=count))
    return Notebook(file="code/lab.ipynb", cells=tuple(made))


LISTED = lab().model_copy(update={"templates": Templates(notebooks=(template_of(session()),))})


def judged(notebook: Notebook) -> Findings:
    file = FileRecord(path=notebook.file, role=Role.NOTEBOOK, state=FileState.READ)
    return run_checks(extract(Reading(notebooks=(notebook,), files=(file,)), LISTED), truth(), LISTED)


def given(found: Findings) -> set[str]:
    return {one.item for one in found.findings if one.status in (Status.CORRECT, Status.PARTIAL)}


def pending(found: Findings) -> Decimal:
    points = {item.id: item.points for item in LISTED.items}
    return sum((points[one.item] for one in found.findings if one.status in UNDECIDED), Decimal(0))


def warnings(found: Findings) -> set[str]:
    return {flag.id for flag in found.flags if flag.severity is Severity.WARNING} & {"blank-handout", "wrong-lab"}


def test_the_blank_hand_out_earns_nothing_and_leaves_hardly_anything_open() -> None:
    for notebook in (session(), session(ran=True), session(ran=True, printed=PRINTED)):
        found = judged(notebook)
        assert not given(found)
        assert pending(found) <= 1
        assert warnings(found) == {"blank-handout"}


def test_gaps_that_answer_nothing_earn_nothing() -> None:
    for notebook in (session(NO_ANSWERS), session(NO_ANSWERS, ran=True, printed=PRINTED)):
        found = judged(notebook)
        assert not given(found)
        assert pending(found) <= 1
        assert "wrong-lab" not in warnings(found)


def test_answers_in_the_hand_out_earn_what_they_are_worth() -> None:
    found = judged(session(ANSWERS, ran=True, printed=COUNTED + PRINTED))
    assert given(found) == ANSWERED
    assert not warnings(found)


def test_another_edition_with_answers_is_neither_blank_nor_foreign() -> None:
    for ran in (False, True):
        found = judged(session(ANSWERS, ran=ran, new=True))
        assert given(found) == ANSWERED
        assert not warnings(found)


def test_another_edition_that_is_blank_is_told_as_that() -> None:
    found = judged(session(new=True))
    assert not given(found)
    assert warnings(found) == {"blank-handout"}
