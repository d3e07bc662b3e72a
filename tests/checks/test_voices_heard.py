"""What programs print, code, and what code holds state nothing: verdicts are those of the student's words."""

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.registry import check_of
from grader.claims.answer import Answer
from grader.reading.notebook import Cell, CellKind
from tests.checks.making import answer, code, truth
from tests.claims.making import lab

RESULTS = """## Task 3

Pretrained, accuracy on test: 79.3, 78.5, 80.1. Mean 79.3, standard deviation 0.65. The checkpoint with the best
validation accuracy was taken for each seed.

## Task 4

Random weights, accuracy on test: 65.4, 66.7, 67.4. Mean 66.5, standard deviation 0.83.
"""
INSTALLED = """Collecting target-rank==2.1
  Downloading https://files.example.org/target_rank-2.1-py3-none-any.whl (7.1 MB)
     |████████████████████████████████| 7.1 MB 79.3 MB/s
  Found existing installation: transformers 4.35.0
remote: Counting objects: 100% (62/62), done.
Successfully installed target-rank-2.1"""
DUMPED = (
    "2024-05-02 16:31:40 | INFO | trainer | {'_name': None, 'quantization_config_path': None, 'load_in_4bit': False}\n"
    "LoraConfig(peft_type='LORA', inference_mode=False, r=8, target_modules=['q_proj'], lora_alpha=64, "
    "lora_dropout=0.5, bias='all', task_type='SEQ_CLS')"
)
SHOWN = """                                                text  label
0  the pretrained one is far better than the random one, said my neighbour of the two novels  positive
▁the ▁random ▁one ▁is ▁better ▁than ▁the ▁pretrained ▁one
The pretrained model is better than the random one."""
TRAINED = """class Net(nn.Module):
    # apply dropout to the hidden states before they are compared with the target
    def __init__(self, rank, bias=True):
        self.drop = nn.Dropout(0.1)

for param in net.parameters():
    param.requires_grad = False
best = torch.load("checkpoint_best.pt")
trainer = Loop(net, precision=16, load_best_model_at_end=True, metric_for_best_model="valid_f1")"""


def decided(item: str, given: Answer) -> Finding:
    asked = next(one for one in lab().items if one.id == item)
    conclusions = list(check_of(asked).bind_options(asked)(answer=given, truth=truth(), lab=lab()))
    return next(one for one in conclusions if isinstance(one, Finding))


def text(source: str) -> Cell:
    return Cell(index=0, kind=CellKind.MARKDOWN, source=source)


def statuses(*cells: Cell) -> dict[str, Status]:
    given = answer(cells=cells)
    items = (
        "t3.selection",
        "t3.statistics",
        "t4.comparison",
        "t5.seeds",
        "t6.quantization",
        "t7.trainable",
        "q2.values",
    )
    return {item: decided(item, given).status for item in (*items, "q2.r", "q2.lora_dropout", "q2.target_modules")}


@pytest.mark.parametrize(
    "noise",
    [
        code("!pip install target-rank", INSTALLED),
        code("train(net)", DUMPED),
        code("show(reviews)", SHOWN),
        code(TRAINED, "TRAIN Dataset: (38057, 20000)\n225/225 [=======>] - 12s 53ms/step - accuracy: 0.81"),
        code('config = """\nname: small\ndropout: 0.3\nalpha: 1.0\nrank: 4\nbias: all\n"""'),
    ],
)
def test_a_verdict_is_the_same_beside_what_programs_print_and_other_code(noise: Cell) -> None:
    alone = statuses(text(RESULTS))
    assert alone["t3.statistics"] is Status.CORRECT
    assert {alone[item] for item in ("t5.seeds", "t6.quantization", "t7.trainable", "q2.r")} == {Status.MISSING}
    before, behind = RESULTS.split("## Task 4")
    assert statuses(noise, text(RESULTS)) == alone
    assert statuses(text(before), noise, text(f"## Task 4{behind}"), noise) == alone


def test_what_a_student_prints_in_words_of_the_code_is_an_answer() -> None:
    said = "The pretrained model is better than the random one."
    silent, printed = code("report(runs)", said), code(f'print("{said}")', said)
    assert decided("t4.comparison", answer(cells=[text(RESULTS), silent])).status is not Status.CORRECT
    assert decided("t4.comparison", answer(cells=[text(RESULTS), printed])).status is Status.CORRECT


def test_figures_that_code_prints_count_where_the_text_gives_none() -> None:
    source = 'print("pretrained, test accuracy", accuracies)\nprint("mean", mean, "std", std)'
    shown = "pretrained, test accuracy [79.3, 78.5, 80.1]\nmean 79.3 std 0.65"
    given = answer(cells=[text("## Task 3"), code(source, shown)])
    assert [decided(item, given).status for item in ("t3.seeds", "t3.statistics")] == [Status.CORRECT] * 2
    stray = "pretrained, test accuracy [89.3, 88.5, 90.1]\nmean 89.3 std 0.65"
    beside = answer(cells=[text(RESULTS), code(source, stray)])
    assert decided("t3.statistics", beside).found == decided("t3.statistics", answer(cells=[text(RESULTS)])).found


GIVEN = '''def print_trainable_parameters(model):
    """
    Prints the number of trainable parameters in the model.
    """
    # fill the gap here
    ...'''


def test_docstrings_and_comments_define_only_what_they_name() -> None:
    assert answer(cells=[text("## Question 2"), code(GIVEN)]).definitions == ()
    named = "config = LoraConfig(\n    r=16,  # the rank of the two small matrices that are trained\n)"
    (claim,) = answer(cells=[text("## Question 2"), code(named)]).definitions
    assert (claim.parameter, claim.text) == ("r", "the rank of the two small matrices that are trained")


def test_a_logger_s_line_counts_no_parameters_and_a_print_does() -> None:
    counting = "print(sum(p.numel() for p in model.parameters()))"
    logged = "2024-05-02 16:31:40 | INFO | trainer | num. model params: 22,829,056 (num. trained: 22,829,056)"
    for shown, status in ((logged, Status.CORRECT), ("22829056", Status.CORRECT)):
        found = decided("t1.verified", answer(cells=[code(counting, shown)])).status
        assert (found is status) is (shown != logged)
