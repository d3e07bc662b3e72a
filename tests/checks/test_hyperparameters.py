import pytest

from grader.checks.finding import Flag, Severity
from grader.checks.registry import check_of
from grader.reading.notebook import Cell
from tests.checks.making import answer, code, truth
from tests.claims.making import lab

RIGHT = "--batch-size 8 --max-epoch 5 --lr 1e-05 --warmup-updates 67 --total-num-update 1125 --max-update 1125"
GLUE = "--per_device_train_batch_size 8 --learning_rate 1e-5 --num_train_epochs 5 --warmup_ratio 0.06"


def flags(*cells: Cell) -> list[Flag]:
    watch = next(one for one in lab().watches if one.check == "hyperparameters")
    conclusions = check_of(watch).bound(watch)(answer=answer(None, cells), truth=truth(), lab=lab(), findings=())
    return [one for one in conclusions if isinstance(one, Flag)]


@pytest.mark.parametrize(
    "sources",
    [
        (f"!fairseq-train data {RIGHT}",),
        (f"!fairseq-train data {RIGHT} --restore-file model.pt",),
        (f"!fairseq-train data {RIGHT}".replace("1125", "3125").replace("67", "187"),),
        (f"!python run_glue.py {GLUE}",),
        ("LR = 1e-5\nBATCH = 4 * 2", "!fairseq-train data --lr {LR} --batch-size $BATCH"),
        (f"!fairseq-train data {RIGHT}".replace("--batch-size 8", "--batch-size 4 --update-freq 2"),),
        ("!fairseq-train data --lr {rate}",),
        (f"!fairseq-train data {RIGHT}".replace("--max-epoch 5", "--max-epoch 4"),),
        ("!fairseq-eval --lr 1", "lr = 3", "TrainingArguments(learning_rate=2e-4, per_device_train_batch_size=4)"),
        ("!fairseq-train data --lr # fill me",),
        ("!fairseq-train data --lr 3e-4", f"!fairseq-train data {RIGHT}"),
    ],
)
def test_the_lab_s_hyper_parameters_raise_no_warning(sources: tuple[str, ...]) -> None:
    assert [one.message for one in flags(*map(code, sources)) if one.severity is Severity.WARNING] == []


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ((f"!fairseq-train data {RIGHT}".replace("--batch-size 8", "--batch-size 32"),), "32"),
        ((f"!fairseq-train data {RIGHT} --restore-file m.pt".replace("1e-05", "5e-5"),), "5e-05"),
        ((f"!fairseq-train data {RIGHT}".replace("--max-epoch 5", "--max-epoch 20"),), "20"),
        (("LR = 1e-3", "!fairseq-train data --lr {LR}"), "0.001"),
        (("%%bash\nLR=0.1\nfor s in 0 1 2; do fairseq-train data --lr $LR --seed $s; done",), "0.1"),
        (("import os\nlr = 2e-5\nos.system(f'python run_glue.py --learning_rate {lr}')",), "2e-05"),
        (("def go(lr):\n    !fairseq-train data --lr {lr}", "go(0.5)"), "0.5"),
    ],
)
def test_other_ones_are_named_with_their_place(sources: tuple[str, ...], said: str) -> None:
    (flag,) = [one for one in flags(*map(code, sources)) if one.severity is Severity.WARNING]
    assert flag.id == "hyperparameter-mismatch"
    assert said in flag.message
    assert flag.evidence


def test_what_was_not_run_raises_nothing() -> None:
    assert flags(code("!fairseq-train data --lr 3", ran=False)) == []
