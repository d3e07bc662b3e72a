"""The same three seeds in forms that are less usual."""

from decimal import Decimal

import pytest

from grader.claims.passage import Passage
from grader.claims.tables import lost_tables, tables
from grader.reading.document import Block, BlockKind
from tests.claims.making import lab, passage
from tests.claims.test_accuracy_prose import found, read, stated, three
from tests.patience import within

RULE = "|---|---|---|---|\n"
FORMS = {
    "seeds in the second column": f"| Model | Seed | Val | Test |\n{RULE}| Pretrained | 1 | 81.5 | 79.3 |\n"
    "| Pretrained | 2 | 80.0 | 78.5 |\n| Pretrained | 3 | 83.5 | 80.1 |\n",
    "one label for several rows": f"| Model | Seed | Val | Test |\n{RULE}| Pretrained | 1 | 81.5 | 79.3 |\n"
    "| | 2 | 80.0 | 78.5 |\n| | 3 | 83.5 | 80.1 |\n",
    "seeds with a hash": "| Seed # | Checkpoint | Test |\n|---|---|---|\n| #1 | checkpoint5 | 79.3 |\n"
    "| #2 | checkpoint3 | 78.5 |\n| #3 | checkpoint4 | 80.1 |\n",
    "names of runs": "| Run | Test accuracy |\n|---|---|\n| small_fr_seed1 | 79.3 |\n| small_fr_seed2 | 78.5 |\n"
    "| small_fr_seed3 | 80.1 |\n",
    "caption below": "We keep the checkpoint with the best validation accuracy.\n\n| Seed | Accuracy |\n|---|---|\n"
    "| 1 | 79.3 |\n| 2 | 78.5 |\n| 3 | 80.1 |\n\nTable 1: Test accuracy of each seed.\n",
    "training set beside": f"| | Train | Valid | Test |\n{RULE}| Seed 1 | 90.1 | 81.5 | 79.3 |\n"
    "| Seed 2 | 91.2 | 80.0 | 78.5 |\n| Seed 3 | 89.9 | 83.5 | 80.1 |\n",
    "nested list": "- Seed 1\n  - best valid acc: 81.5 (epoch 5)\n  - test acc: 79.3\n- Seed 2\n  - test acc: 78.5\n"
    "- Seed 3\n  - test acc: 80.1\n\nThe random model reaches 50% only.",
    "list in brackets": "Test accuracies: [79.3, 78.5, 80.1].",
    "dictionary by seed": "```python\n# test accuracy by seed\npretrained = {1: 0.793, 2: 0.785, 3: 0.801}\n```",
    "output by run": "```\npretrained_1   test_acc = 79.3\npretrained_2   test_acc = 78.5\n"
    "pretrained_3   test_acc = 80.1\n```",
    "seeds first": "Test accuracy (seed 1 / seed 2 / seed 3): 79.3 / 78.5 / 80.1",
    "lost columns": "Seed Epoch Valid Test\n1 5 81.5 79.3\n2 3 80.0 78.5\n3 4 83.5 80.1\nMean test accuracy: 79.3",
    "lost columns with labels": "Valid. Accuracy Test accuracy Step\nPT - SEED 1 81% 79.3% 675\n"
    "PT - SEED 2 80% 78.5% 675\nPT - SEED 3 83.5% 80.1% 900",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_each_seed_is_read(text: str) -> None:
    claims = read(f"# Tasks 3 and 4\n\nThe pretrained model:\n\n{text}")
    own = {(experiment or "pretrained", split, seed, value) for experiment, split, seed, value in found(claims)}
    expected = three("pretrained", "test", "79.3", "78.5", "80.1")
    assert {claim for claim in own if claim[1] == "test"} == expected
    assert {claim[1] for claim in own} <= {"valid", "test"}
    assert not [s for s in claims.summaries if s.mean != Decimal("79.3")]


def test_a_deviation_beside_a_mean_is_its_own() -> None:
    table = "| Model | Average test accuracy | Standard deviation |\n|---|---|---|\n| Pretrained | 79.30% | 0.65% |\n"
    claims = read(f"# Tasks 3 and 4\n\n{table}| Random init | 66.50% | 0.83% |\n")
    assert stated(claims) == {
        ("pretrained", "test", Decimal("79.30"), Decimal("0.65")),
        ("random", "test", Decimal("66.50"), Decimal("0.83")),
    }


def test_validation_that_chose_the_checkpoint_is_no_split_of_the_figures() -> None:
    claims = read("# Task 3\n\nWe keep the checkpoint with the best validation accuracy. We get 79.3% ± 0.65%.")
    assert stated(claims) == {("pretrained", None, Decimal("79.3"), Decimal("0.65"))}


def test_the_deviation_of_a_fraction_in_the_next_sentence_is_a_fraction_too() -> None:
    claims = read("# Task 3\n\n- Mean test accuracy: 0.793\n- Std on test: 0.0065")
    assert stated(claims) == {("pretrained", "test", Decimal("79.3"), Decimal("0.65"))}


def row(page: int, *cells: str) -> Block:
    return Block(kind=BlockKind.ROW, text=" ".join(cells), cells=cells, page=page)


def test_a_table_goes_on_over_the_page() -> None:
    head = [row(1, "Seed", "Valid", "Test"), row(1, "1", "81.5", "79.3")]
    number = Block(kind=BlockKind.LINE, text="4", page=1)
    rest = [row(2, "2", "80.0", "78.5"), row(2, "3", "83.5", "80.1")]
    whole = Passage(file="r.pdf", exact=False, blocks=(*head, number, *rest))
    cells = [cell for table in tables(whole) for cell in table.cells]
    assert [(cell.row, cell.text) for cell in cells if cell.column == "Test"] == [
        ("Seed 1", "79.3"),
        ("Seed 2", "78.5"),
        ("Seed 3", "80.1"),
    ]
    other = Passage(file="r.pdf", exact=False, blocks=(*head, number, row(3, "2", "80.0", "78.5")))
    assert [cell.column for cell in list(tables(other))[1].cells if cell.text == "78.5"] != ["Test"]


@pytest.mark.parametrize(
    "text",
    [
        "Seed Epoch Valid Test\n1 5 81.5\n2 3 80.0",
        "We see these\n1 5 81.5 79.3\n2 3 80.0 78.5",
        "Layer Width Test\n4 512 2000",
        "Valid Test\nattention 1 048 576\nfeed-forward 524 288",
    ],
)
def test_other_lines_of_numbers_are_no_table(text: str) -> None:
    assert list(lost_tables(passage(text), lab())) == []


@pytest.mark.parametrize("line", ["1 2 3", "seed 1 79.3 80", "Seed 1 " + "9" * 180, "% | " * 50, "mean 1 1"])
def test_many_lines_take_no_time(line: str) -> None:
    many, asked = passage("\n".join([line] * 2_000)), lab()
    with within(1.2):
        list(lost_tables(many, asked))
        read(many.text)


@pytest.mark.parametrize(
    "text",
    [
        "On test I get 79.3 % for seed 1, 78.5 % for seed 2 and 80.1 % for seed 3.",
        "Sur le test j'obtiens 79 % pour la graine 1, 78 % pour la graine 2 et 80 % pour la graine 3.",
        "Test pour les trois graines : 79,3 / 78 / 80, c'est-à-dire 79,1 en moyenne avec 0,83 d'écart-type.",
        "run_glue (seed 0 1 2, 7 min each), test: 79.3, 78.5, 80.1.",
    ],
)
def test_three_values_stand_in_one_sentence(text: str) -> None:
    claims = read(f"# Tasks 3 and 4\n\nThe pretrained model:\n\n{text}")
    assert [round(float(claim.value)) for claim in claims.seeds] in ([79, 78, 80], [79, 79, 80])


def test_an_experiment_in_brackets_is_not_what_a_title_is_about() -> None:
    claims = read(
        "# Tasks 3 and 4\n\nrandom, same as before (a copy of the pretrained cell)\n\n- test: 66.1, 65.2, 67.3"
    )
    assert {claim.experiment for claim in claims.seeds} == {"random"}


@pytest.mark.parametrize(
    ("text", "deviation"),
    [
        ("Test : 79,3 / 78,5 / 80,1, moyenne 79,3 écart 0,65", "0.65"),
        ("Test : 79,3 / 78,5 / 80,1, moyenne 79,3, un écart de 1,6 point", None),
        ("Test acc (ckpt = best valid)\n\n- 79.3 78.5 80.1 -> 79.3 (sd 0.7)", "0.7"),
    ],
)
def test_what_follows_an_average_is_its_deviation_where_the_values_have_it(text: str, deviation: str | None) -> None:
    (own,) = (one for one in read(f"# Task 3\n\n{text}").summaries if one.mean is not None)
    assert (own.split, str(own.mean), own.std and str(own.std)) == ("test", "79.3", deviation)


BY_NAME = {
    "nested": "```yaml\nt3_fairseq_pretrained:\n  select: best valid accuracy\n  split: test\n"
    "  seeds: {1: 0.793, 2: 0.785, 3: 0.801}\nt4_fairseq_random:\n  select: best valid accuracy\n  split: test\n"
    "  seeds: {1: 0.654, 2: 0.667, 3: 0.674}\n```",
    "arguments of a call": '```python\ntest = pd.DataFrame({"pretrained": [.793, .785, .801], '
    '"random": [.654, .667, .674]}, index=["s1", "s2", "s3"])\n```',
}


@pytest.mark.parametrize("text", BY_NAME.values(), ids=BY_NAME)
def test_values_are_of_the_name_that_leads_them(text: str) -> None:
    claims = read(f"# Results\n\n{text}")
    assert {(experiment, split, seed, value) for experiment, split, seed, value in found(claims)} == {
        *three("pretrained", "test", "79.3", "78.5", "80.1"),
        *three("random", "test", "65.4", "66.7", "67.4"),
    }


@pytest.mark.parametrize(
    "said",
    [
        "The deviations are -0.05, -0.85 and 0.80.\n\nHence $s=\\sqrt{1.37/2}=0.83$.",
        "The deviations are -0.05, -0.85 and 0.80, hence s = 0.83.",
    ],
)
def test_deviations_of_single_values_and_terms_under_a_root_are_no_standard_deviation(said: str) -> None:
    claims = read(f"# Task 3\n\nTest accuracy of the pretrained model: 79.35, 78.55, 80.2. The mean is 79.37. {said}")
    assert {one.std for one in claims.summaries} == {Decimal("0.83")}
