import pytest

from grader.checks.finding import Flag, Severity
from grader.checks.registry import check_of
from grader.reading.document import Evidence
from grader.reading.log import Log, Series, Setting, Subset
from grader.reading.notebook import Cell
from tests.checks.making import answer, code, concluded, truth
from tests.claims.making import lab

RIGHT = "--batch-size 8 --max-epoch 5 --lr 1e-05 --warmup-updates 67 --total-num-update 1125 --max-update 1125"
GLUE = "--per_device_train_batch_size 8 --learning_rate 1e-5 --num_train_epochs 5 --warmup_ratio 0.06"


def flags(*cells: Cell) -> list[Flag]:
    watch = next(one for one in lab().watches if one.check == "hyperparameters")
    conclusions = check_of(watch).bind_options(watch)(answer=answer(None, cells), truth=truth(), lab=lab(), findings=())
    return concluded(conclusions)


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


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (("for s in (0, 0, 1):\n    !fairseq-train data --restore-file m.pt --seed {s}",), "have the seed 0"),
        (("!for s in 0 1 2; do fairseq-train data --save-dir c$s; done",), "none of the 3"),
        (("import os\nos.environ['S'] = '7'", *["!python run_glue.py --do_train --seed $S"] * 3), "have the seed 7"),
    ],
)
def test_seeds_that_repeat_are_named(sources: tuple[str, ...], said: str) -> None:
    (flag,) = flags(*map(code, sources))
    assert flag.id == "repeated-seed"
    assert said in flag.message


@pytest.mark.parametrize(
    "sources",
    [
        ("!for s in 0 1 2; do fairseq-train data --seed $s; done",),
        ("%%bash\nfor s in $(seq 3); do fairseq-train data --seed $s; done",),
        ("for s in [1, 2, 3]:\n    json.dump({'seed': s}, open('a.json', 'w'))\n    !python run_glue.py a.json",),
        ("!fairseq-train data --seed $UNKNOWN",) * 3,
        ("!python run_glue.py --do_predict --seed 1",) * 3,
        ("!for s in 0 1 2 1; do fairseq-train data --seed $s; done",),
    ],
)
def test_different_or_unknown_seeds_are_not(sources: tuple[str, ...]) -> None:
    assert flags(*map(code, sources)) == []


def test_commands_and_logs_that_say_the_same_are_one_flag() -> None:
    log = Log(
        file="pretrained/seed_0/train.log",
        name="pretrained/seed_0",
        seed=0,
        series=(Series(tag="accuracy", subset=Subset.VALID, steps=(225,), values=(64.0,)),),
        settings=(Setting(name="batch_size", value="32", evidence=Evidence(file="train.log", quote="batch_size=32")),),
    )
    given = answer(None, [code(f"!fairseq-train data --restore-file m.pt {RIGHT.replace('size 8', 'size 32')}")], [log])
    watch = next(one for one in lab().watches if one.check == "hyperparameters")
    found = list(check_of(watch).bind_options(watch)(answer=given, truth=truth(), lab=lab(), findings=()))
    same = [one for one in concluded(found) if "batch size is 32" in one.message]
    assert len(same) == 1
    assert {place.file for place in same[0].evidence} == {"code/lab.ipynb", "train.log"}


CLASSIFIER = "model = AutoModelForSequenceClassification.from_pretrained(path, num_labels=2)\n"
RIGHT_TRAINER = "learning_rate=1e-5, per_device_train_batch_size=8, num_train_epochs=5, warmup_ratio=0.06"
PARSER = """parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default={lr})
parser.add_argument("-b", "--batch-size", type=int, default=8)
args = parser.parse_args()
training = TrainingArguments("out", learning_rate=args.lr, per_device_train_batch_size=args.batch_size)
"""


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("TrainingArguments('out', learning_rate=5e-5, num_train_epochs=5)", "rate is 5e-05"),
        ("Seq2SeqTrainingArguments(output_dir='o', per_device_train_batch_size=16)", "batch size is 16"),
        ("EPOCHS = 10\nargs = TrainingArguments(output_dir='o', num_train_epochs=EPOCHS)", "epochs is 10"),
        (PARSER.format(lr="3e-5"), "rate is 3e-05"),
    ],
)
def test_other_settings_of_the_trainer_in_python_are_named(source: str, said: str) -> None:
    (flag,) = flags(code(CLASSIFIER + source))
    assert said in flag.message
    assert flag.severity is Severity.WARNING


@pytest.mark.parametrize(
    "sources",
    [
        (f"{CLASSIFIER}TrainingArguments('out', {RIGHT_TRAINER})",),
        (f"{CLASSIFIER}TrainingArguments('out', {RIGHT_TRAINER.replace('=8', '=4')}, gradient_accumulation_steps=2)",),
        (f"{CLASSIFIER}TrainingArguments('out', learning_rate=best_rate)",),
        (CLASSIFIER, "lora = LoraConfig(r=16)", "TrainingArguments('out', learning_rate=2e-4)"),
        (f"{CLASSIFIER}TrainingArguments('o', learning_rate=5e-5)", f"TrainingArguments('o', {RIGHT_TRAINER})"),
        (CLASSIFIER + PARSER.format(lr="1e-5"),),
    ],
)
def test_right_unknown_and_others_settings_in_python_are_not(sources: tuple[str, ...]) -> None:
    assert [one.message for one in flags(*map(code, sources)) if one.severity is Severity.WARNING] == []


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        ((None, None, None), True),
        ((None, None), False),
        ((None, None, "1"), False),
        (("1", "1", "2"), True),
        (("1", "2", "3"), False),
        (("1", "2", "3", "3"), False),
        (("1", "1"), True),
        (("1",), False),
        (("{s}", "1", "1"), False),
    ],
)
def test_too_few_different_seeds_are_told(seeds: tuple[str | None, ...], *, told: bool) -> None:
    commands = [code("!fairseq-train data" + (f" --seed {seed}" if seed else "")) for seed in seeds]
    assert ("repeated-seed" in [flag.id for flag in flags(*commands)]) is told


@pytest.mark.parametrize("option", ["--do_eval", "--do_predict"])
def test_commands_that_do_not_train_have_no_seed_to_repeat(option: str) -> None:
    seeds = [code(f"!python run_glue.py {option} --seed 1") for _ in range(3)]
    assert flags(*seeds) == []
    trained = [code(f"!python run_glue.py --do_train {option} --seed 1") for _ in range(3)]
    assert [flag.id for flag in flags(*trained)] == ["repeated-seed"]


def test_a_seed_in_a_file_of_settings_may_be_another() -> None:
    assert flags(*(code("!python run_glue.py settings.json --do_train") for _ in range(3))) == []


@pytest.mark.parametrize(
    ("names", "rate", "told"),
    [
        ("'--lr'", "3e-4", True),
        ("'-l', '--lr'", "3e-4", True),
        ("'--lr', '-l'", "3e-4", True),
        ("'--lr', '--rate'", "3e-4", True),
        ("'--rate', '--lr'", "3e-4", False),
        ("'-lr'", "3e-4", True),
        ("'--lr'", "1e-5", False),
    ],
)
def test_an_option_has_the_name_of_its_first_long_form(names: str, rate: str, *, told: bool) -> None:
    option = f"parser.add_argument({names}, default={rate})\n"
    found = flags(code(CLASSIFIER + option + "TrainingArguments('o', learning_rate=args.lr, num_train_epochs=5)"))
    assert any("rate is 0.0003" in one.message for one in found) is told


@pytest.mark.parametrize("other", ["--task translation", "--arch transformer", "--arch=fconv_iwslt_de_en"])
def test_commands_that_train_something_else_raise_nothing(other: str) -> None:
    strange = f"!fairseq-train data {other} --lr 5e-4 --lr-scheduler inverse_sqrt --max-epoch 30"
    assert flags(code(strange), code(strange), code(strange)) == []
    assert flags(code(strange.replace(other, "--task sentence_prediction --arch roberta_small"))) != []
    assert flags(code(strange.replace(other, "--task $TASK --arch {arch}"))) != []
