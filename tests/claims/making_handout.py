"""A made-up hand-out's notebook, and ways to fill it in."""

from collections.abc import Mapping, Sequence

from grader.reading.notebook import Cell, CellKind, Notebook

FILE = "code/lab.ipynb"

GIVEN: tuple[tuple[CellKind, str, str], ...] = (
    (CellKind.MARKDOWN, "# Practical work on language models\n\nGroups of two. The model has 22,807,552 or so.", ""),
    (CellKind.MARKDOWN, "## Question 1\n\nHow many parameters has the model?\n\nYour answer:", ""),
    (CellKind.CODE, "!pip install -q transformers peft bitsandbytes", "installing\n"),
    (CellKind.CODE, "import torch\nfrom transformers import AutoModelForCausalLM, BitsAndBytesConfig", ""),
    (
        CellKind.CODE,
        "# An 8-bit example\nexample = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4')",
        "",
    ),
    (CellKind.MARKDOWN, "## Task 6\n\nConfigure the quantisation. We use r = 16 and lora_alpha = 32 below.", ""),
    (CellKind.CODE, "bnb_config = BitsAndBytesConfig(\n    # fill me\n)", ""),
    (
        CellKind.CODE,
        "def print_trainable_parameters(model):\n    trainable, total = 0, 0\n"
        "    for _, p in model.named_parameters():\n        # fill the gap\n"
        "    print(f'trainable params: {trainable} || all params: {total}')",
        "",
    ),
    (CellKind.CODE, "print_trainable_parameters(model)", ""),
    (CellKind.CODE, "def generate_prompt(row):\n    return # fill me", ""),
    (CellKind.CODE, "for row in data:\n    print(generate_prompt(row))", ""),
    (CellKind.MARKDOWN, "## Task 3\n\n| seed | valid | test |\n|---|---|---|\n| | | |\n\nAverage on the test set:", ""),
)
"""Kind, source and output of each cell as it is handed out: no cell was run but the third."""

FILLED: Mapping[int, tuple[str, str]] = {
    1: ("## Question 1\n\nHow many parameters has the model?\n\nYour answer: 22,829,056", ""),
    6: ("bnb_config = BitsAndBytesConfig(\n    load_in_4bit=True,\n    bnb_4bit_quant_type='nf4',\n)", ""),
    7: (
        "def print_trainable_parameters(model):\n    trainable, total = 0, 0\n"
        "    for _, p in model.named_parameters():\n        total += p.numel()\n        if p.requires_grad:\n"
        "            trainable += p.numel()\n    print(f'trainable params: {trainable} || all params: {total}')",
        "",
    ),
    8: ("print_trainable_parameters(model)", "trainable params: 1572864 || all params: 409792512\n"),
    9: (
        "def generate_prompt(row):\n    return f\"<human>: {row['question']}\\n<assistant>: {row['answer']}\"",
        "",
    ),
    11: (
        "## Task 3\n\n| seed | valid | test |\n|---|---|---|\n| 1 | 83.5 | 79.30 |\n| 2 | 81.0 | 78.50 |\n"
        "| 3 | 82.5 | 80.10 |\n\nAverage on the test set: 79.30 %, standard deviation 0.65 %",
        "",
    ),
}


def handed_out(file: str = FILE) -> Notebook:
    """The notebook as students get it."""
    return _notebook(file, [*GIVEN], {2: 1})


def filled(changes: Mapping[int, tuple[str, str]] = FILLED, file: str = FILE) -> Notebook:
    """The notebook with some cells changed, and run from top to bottom."""
    cells = [(kind, *changes.get(number, (source, output))) for number, (kind, source, output) in enumerate(GIVEN)]
    return _notebook(file, cells, {number: number + 10 for number in range(len(cells))})


def _notebook(file: str, cells: Sequence[tuple[CellKind, str, str]], counts: Mapping[int, int]) -> Notebook:
    return Notebook(
        file=file,
        cells=tuple(
            Cell(
                index=number,
                kind=kind,
                source=source,
                output=output,
                execution_count=counts.get(number) if kind is CellKind.CODE else None,
            )
            for number, (kind, source, output) in enumerate(cells)
        ),
    )
