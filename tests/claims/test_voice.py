"""Who speaks in each line of a document, told by the shape of the line and by the words of the code."""

import pytest

from grader.claims.code import CodeCell
from grader.claims.passage import Passage
from grader.claims.voice import cells_heard, voices, with_voices, words, words_and_comments, words_of_code
from grader.reading.document import Block, BlockKind, Document, Voice
from grader.reading.notebook import Cell, CellKind, Notebook, notebook_document

CODE = words_of_code(
    [
        "scores = evaluate(model, split)",
        "print('mean test accuracy', mean, 'std', std)",
        "print(f'seed {seed}: {value}')",
        "!trainer --criterion label --best-metric accuracy --seed 3",
    ]
)


@pytest.mark.parametrize(
    ("voice", "line"),
    [
        (Voice.PRINT, "mean test accuracy 79.5 std 0.6"),
        (Voice.PRINT, "seed 3: 79.3"),
        (Voice.PRINT, "test accuracy: 85% (170/200)"),
        (Voice.FIGURES, "79.5 0.6"),
        (Voice.FIGURES, "2024-01-01 10:00:00 79.5"),
        (Voice.FIGURES, "[79.3, 80.1, 78.5]"),
        (Voice.FIGURES, "[[79.3 80.1 78.5]"),
        (Voice.FIGURES, "tensor(79.3)"),
        (Voice.FIGURES, "      warm    cold"),
        (Voice.FIGURES, "{'eval_loss': 0.53, 'eval_accuracy': 0.795, 'epoch': 1.0}"),
        (Voice.FIGURES, "Total params: 22,829,056"),
        (Voice.FIGURES, "Parameters to train: 1.572.864"),
        (Voice.FIGURES, "trainable params: 1572864 || all params: 409792512 || trainable%: 0.3838"),
        (Voice.BAR, "epoch 003 | check on 'test' part:  86% 6/7 [00:00<00:00,  8.7it/s]"),
        (Voice.BAR, "225/225 [==============================] - 12s 53ms/step - loss: 0.41 - accuracy: 0.80"),
        (Voice.BAR, "Epoch 2/5:  40%|████      | 90/225 [00:12<00:19]"),
        (Voice.BAR, "     |████████████████████████████████| 901kB 30.0MB/s"),
        (Voice.BAR, "weights.tar.gz      100%[===================>] 271.28K  --.-KB/s"),
        (Voice.BAR, "remote: Counting objects: 100% (62/62), done."),
        (Voice.LOG, "2024-05-02 16:31:40 | INFO | trainer.cli | accuracy 80.5 | best 81.0"),
        (Voice.LOG, "[WARNING|model.py:1234] Some weights were not used: ['head.bias']"),
        (Voice.LOG, "/usr/lib/python3/site-packages/x.py:55: UserWarning: the dropout option has no effect"),
        (Voice.LOG, "| num. model params: 5063568 (num. trained: 5063568)"),
        (Voice.LOG, "  Found existing installation: tokens 1.26.4"),
        (Voice.LOG, "  Downloading https://files.example.org/a/accuracy-2.1-py3-none-any.whl (7.1 MB)"),
        (Voice.LOG, "Successfully installed accuracy-2.1 rank-0.9"),
        (Voice.SETTINGS, "Namespace(lr=[1e-05], seed=1, bias='none', arch='small', dropout=0.1, norm=None)"),
        (Voice.SETTINGS, "{'_name': None, 'common': {'cpu': False, 'fp16': True}, 'betas': '(0.9, 0.98)', 'q': 0}"),
        (Voice.MODULES, "      (fc1): Linear(in_features=512, out_features=512, bias=True)"),
        (Voice.MODULES, "decoder.layers.0.fc1.weight   torch.Size([512, 512])   262144"),
        (Voice.MODULES, "429 | model.decoder.block.8.layer.1 | Attention | 589 K"),
        (Voice.MODULES, " dense_1 (Dense)             (None, 128)               65664"),
        (Voice.DATA, "▁Ce ▁livre ▁est ▁meilleur ▁que ▁le ▁premier"),
        (Voice.DATA, "##ing B-per"),
        (Voice.DATA, "[-0.3575, -0.6484, -0.0618,  ..., -0.3040,  0.3508,  0.5221],"),
        (Voice.DATA, "          0.0662,  0.5470],"),
        (Voice.DATA, "0 17 4 99 3 1 1 5 200 8 4 13 2 7"),
        (Voice.DATA, "this second novel of hers is clearly better than the first one which had bored me to tears"),
    ],
)  # fmt: skip
def test_a_line_of_an_output_is_told_by_its_shape_and_its_words(voice: Voice, line: str) -> None:
    assert voices([line], CODE) == [voice]


def test_settings_below_each_other_are_a_configuration_and_results_are_none() -> None:
    dump = ["{", '  "activation": "gelu",', '  "bias": true,', '  "dropout": 0.1,', '  "labels": [', '    "a"', "  ],"]
    assert voices([*dump, '  "size": 512', "}"], frozenset()) == [Voice.SETTINGS] * 9
    results = [f"run {number}: 79.{number}" for number in range(8)]
    assert voices(results, frozenset()) == [Voice.FIGURES] * 8


def test_words_of_shell_commands_are_not_the_students() -> None:
    assert "label" not in CODE
    assert voices(["label accuracy 80.1"], CODE) == [Voice.FIGURES]


CONFIG = 'config = """\nname: small\nencoder:\n  dropout: 0.3\n  layers: 6  # as before\n  type: plain\n"""'
SOURCE = f"# the rank stays as it is\nr = 16  # the inner dimension\nprint('best on validation', best)\n{CONFIG}"
OUTPUT = "best on validation 81.0\nTotal params: 5000\n40%|████   | 2/5 [00:01<00:02]\n81.0"


def notebook(*cells: Cell) -> Document:
    placed = (cell.model_copy(update={"index": index}) for index, cell in enumerate(cells))
    return notebook_document(Notebook(file="a.ipynb", cells=tuple(placed)))


def cell(source: str, output: str = "", kind: CellKind = CellKind.CODE) -> Cell:
    return Cell(index=0, kind=kind, source=source, output=output)


def test_what_is_not_heard_is_left_out_and_the_rest_has_its_voice() -> None:
    document = with_voices(notebook(cell("The rank is 16.", kind=CellKind.MARKDOWN), cell(SOURCE, OUTPUT)))
    assert [(block.voice, block.text) for block in document.blocks] == [
        (None, "The rank is 16."),
        (Voice.CODE, "# the rank stays as it is"),
        (Voice.TYPED, "r = 16  # the inner dimension"),
        (Voice.TYPED, "print('best on validation', best)"),
        (Voice.TYPED, 'config = """'),
        (Voice.TYPED, '"""'),
        (Voice.PRINT, "best on validation 81.0"),
        (Voice.FIGURES, "Total params: 5000"),
        (Voice.FIGURES, "81.0"),
    ]
    passage = Passage.from_document(document)
    assert words(passage).text == "The rank is 16."
    assert words_and_comments(passage).text.split("\n") == [
        "The rank is 16.", "# the rank stays as it is", "# the inner dimension"
    ]  # fmt: skip
    assert [block.line for block in words_and_comments(passage).blocks] == [1, 1, 2]


def test_of_a_long_output_the_beginning_and_the_end_are_kept_of_what_is_heard() -> None:
    bar = "\n".join(f"{n}/99 [00:0{n % 9}<00:09]" for n in range(1, 99))
    printed = "\n".join(f"seed {number}: {number}.5" for number in range(10))
    document = with_voices(notebook(cell("print(f'seed {seed}: {value}')", f"{bar}\n{printed}")), most=3)
    texts = [block.text for block in document.blocks if block.kind is BlockKind.OUTPUT]
    assert texts == [f"seed {number}: {number}.5" for number in (0, 1, 2, 7, 8, 9)]


def test_a_listing_is_code_where_it_was_followed_and_an_output_in_a_report_is_the_students() -> None:
    lines = ("config = Config(r=16)", "accuracy 79.5", "2/5 [00:01<00:02]")
    blocks = [Block(kind=kind, text=text, line=1) for kind in (BlockKind.CODE, BlockKind.OUTPUT) for text in lines]
    document = with_voices(
        Document(file="a.md", exact=True, blocks=tuple(blocks)), frozenset({"config = Config(r=16)"})
    )
    assert [block.voice for block in document.blocks] == [Voice.CODE, *[None] * 5]


def test_lines_that_are_not_heard_leave_their_places_blank() -> None:
    (piece,) = cells_heard([CodeCell(file="a.ipynb", cell=0, source=SOURCE, output=OUTPUT)])
    assert piece.heard.split("\n") == ["best on validation 81.0", "Total params: 5000", "", "81.0"]
    assert CodeCell(file="a.ipynb", cell=0, source="", output=OUTPUT).heard == OUTPUT


def test_a_listing_in_a_text_cell_is_what_the_student_shows() -> None:
    cells = (
        Cell(index=0, kind=CellKind.MARKDOWN, source="I call:\n\n```python\nload(bits=4)\n```"),
        Cell(index=1, kind=CellKind.CODE, source="load(bits=8)"),
    )
    said = with_voices(notebook_document(Notebook(file="a.ipynb", cells=cells))).blocks
    assert [(block.text, block.voice) for block in said if block.kind is BlockKind.CODE] == [
        ("load(bits=4)", None),
        ("load(bits=8)", Voice.CODE),
    ]
