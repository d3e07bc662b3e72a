from collections.abc import Sequence
from typing import Any

import pytest

from grader.checks.finding import Finding, Findings, Severity, Status
from grader.checks.foreign_hand_in import Belonging, belonging, other_language
from grader.checks.runner import run_checks
from grader.reading.notebook import Cell
from tests.checks.making import answer, code, concluded, truth
from tests.claims.making import lab

OTHER_LAB = """# Lab 2: Convolutions

## Question 1

We train a convolutional network on pictures of handwritten digits. Each picture has 28 by 28 pixels, and there are ten
classes. The first layer has 32 filters of size three, the second 64; after each comes a pooling of size two. The output
is flattened and goes through a dense layer of 128 units with a dropout of one half. We use stochastic gradient descent
with momentum and a step of 0.01 that is divided by ten after every third epoch, and stop when the loss grows.

## Question 2

The accuracy on the test pictures is 98.7 % after ten epochs. Data augmentation by small rotations and shifts raises it
to 99.2 %. We see in the confusion matrix that fours and nines are mistaken most often. The filters of the first layer
look like edges in several directions, those of the second are harder to interpret. A larger network learns faster but
is no better in the end, since the pictures are simple and the training set is large enough for the smaller one.
"""
HANDOUT = """# Lab: what to do

Deadline: 20 November. Submit your report as one archive. You should work in pairs.

## Question 1 (3 points)

You must count the parameters of RoBERTa-small-fr by hand. Fill in the gaps in the notebook. You will need the book
reviews only later.

## Question 2 (4 points)

You have to define every parameter of LoraConfig. Late submissions lose points. Your answers must be in your own words.
"""
GAPS = [
    code("lr = # fill me", ran=False),
    code("def f():\n    # your code here\n    pass", ran=False),
    code("config = BitsAndBytesConfig(\n  # fill me\n)", ran=False),
    code("import os", ran=False),
]
RIGHT = "# Question 1\n\nThe total is 22,807,552.\n\n# Task 3\n\nWith RoBERTa and fairseq we reach 79.5 % on test.\n"


def judged(report: str | None, cells: Sequence[Cell] = ()) -> Findings:
    found = run_checks(answer(report, cells), truth(), lab())
    concluded(found.flags)
    return found


def ids(found: Findings) -> dict[str, str]:
    return {flag.id: str(flag.severity) for flag in found.flags}


def test_another_lab_s_report_is_told_with_its_beginning_and_earns_nothing() -> None:
    found = judged(OTHER_LAB)
    (flag,) = [flag for flag in found.flags if flag.id == "wrong-lab"]
    assert flag.evidence[0].quote.startswith("# Lab 2") or "Lab 2" in flag.evidence[0].quote
    assert not [one.item for one in found.findings if one.status in (Status.CORRECT, Status.PARTIAL)]


def test_a_title_alone_makes_no_foreign_report() -> None:
    assert "wrong-lab" not in ids(judged(OTHER_LAB.splitlines()[0] + "\n" + RIGHT * 6))


def test_the_hand_out_with_its_gaps_is_told() -> None:
    found = judged(HANDOUT, GAPS)
    assert ids(found)["blank-handout"] == "warning"
    assert not [one.item for one in found.findings if one.status in (Status.CORRECT, Status.PARTIAL)]
    (flag,) = [flag for flag in found.flags if flag.id == "blank-handout"]
    assert {place.cell for place in flag.evidence} == {0, 1, 2}


def test_the_hand_out_s_text_alone_is_told() -> None:
    assert ids(judged(HANDOUT))["blank-handout"] == "warning"


def test_an_empty_template_is_told() -> None:
    titles = "\n\n".join(f"# {name} {number}" for name in ("Question", "Task") for number in (1, 2))
    assert ids(judged(titles))["blank-handout"] == "warning"


def test_a_few_gaps_beside_work_are_no_hand_out() -> None:
    work = [code(f"x = {number}\nprint(x)", str(number)) for number in range(12)]
    assert "blank-handout" not in ids(judged(RIGHT, [*work, *GAPS[:2]]))
    assert "blank-handout" not in ids(judged(RIGHT, work))


def test_short_and_empty_hand_ins_are_neither() -> None:
    assert ids(judged("# Question 1\n\nWe did not finish.\n")) == {}
    assert ids(judged(None)) == {}


def test_a_report_that_answers_is_neither_whatever_its_words() -> None:
    assert ids(judged(RIGHT + OTHER_LAB)).keys().isdisjoint({"wrong-lab", "blank-handout"})


SPANISH = (
    "En este informe se presenta el modelo y los resultados que hemos obtenido con los datos de la práctica. El modelo "
    "se ajusta con tres semillas y se elige el mejor punto según la validación. Los resultados son mejores con el "
    "modelo preentrenado que con pesos al azar, como se ve en la tabla. Para cada semilla se da la exactitud en "
    "la prueba, "
    "y luego la media y la desviación. En la segunda parte se explica la configuración y se definen los parámetros que "
    "se usan para adaptar el modelo más grande con pocos parámetros, sin cambiar los pesos de la red original."
)


def test_a_report_in_another_language_withholds_nothing_for_certain() -> None:
    found = judged(f"# Informe\n\n{SPANISH}\n")
    assert ids(found)["other-language"] == "info"
    assert not [one.item for one in found.findings if one.status in (Status.MISSING, Status.INCORRECT)]


@pytest.mark.parametrize(
    ("text", "language"),
    [(SPANISH, "Spanish"), (OTHER_LAB, None), (HANDOUT * 2, None), ("x " * 500, None), ("", None)],
)
def test_languages(text: str, language: str | None) -> None:
    assert other_language(text, ("English", "French")) == language


def test_another_script_is_told_by_its_letters() -> None:
    chinese = "我们用三个随机种子对预训练模型进行微调,并在测试集上进行评估。" * 6
    assert other_language(f"{chinese} $\\alpha = 32$", ("English", "French")) == "a language with another script"
    assert other_language("α = 32, β = 0.9, " * 60, ("English", "French")) is None


def test_titles_with_a_number_below_them_are_an_answer() -> None:
    terse = "# Question 1\n\n22829056\n\n# Task 3\n\n79.30 (0.65)\n\n# Task 4\n\n66.50 (0.83)\n"
    assert "blank-handout" not in ids(judged(terse))


NEAR_MISS = (
    "# Lab\n\n## Task 3\n\nWe train a transformer with fairseq on IWSLT14 for translation; data are cut with "
    "sentencepiece and the seeds are 1, 2 and 3. The pretrained embeddings are better than random ones. BLEU on test: "
    "29.1, 30.2 and 29.7, on average 29.67 with standard deviation 0.45. Translation with a beam gives more BLEU."
)


def test_a_lab_with_the_same_tools_is_told_by_what_it_speaks_of() -> None:
    (flag,) = [flag for flag in judged(NEAR_MISS).flags if flag.id == "wrong-lab"]
    assert "bleu" in flag.message
    assert "translation" in flag.message
    assert len(flag.evidence) >= 3


def test_a_name_of_this_lab_s_model_or_data_outweighs_them() -> None:
    assert "wrong-lab" not in ids(judged(f"{NEAR_MISS}\n\nUnlike RoBERTa-small, on the book reviews."))
    assert "wrong-lab" not in ids(judged(f"# Question 1\n\nThe total is 22,807,552.\n\n{NEAR_MISS}"))


def test_points_that_nothing_ties_to_this_lab_await_a_person() -> None:
    comments = (
        "# Task 3\n\nThe pretrained model classifies comments. Test accuracy for the seeds 0, 1 and 2: 79.3 %, 78.5 % "
        "and 80.1 %, on average 79.30 % with standard deviation 0.65 %.\n"
    )
    found = judged(comments)
    assert "wrong-lab" not in ids(found)
    assert not [one for one in found.findings if one.status in (Status.CORRECT, Status.PARTIAL)]
    assert [one for one in found.findings if one.suggestion is Status.CORRECT]
    tied = judged(comments + "\n# Question 1\n\nThe total is 22,807,552.\n")
    assert [one for one in tied.findings if one.item.startswith("t3") and one.status is Status.CORRECT]


def test_french_is_understood() -> None:
    french = "Nous avons entraîné le modèle sur les données et la précision est de 80 % pour les trois graines. " * 10
    assert other_language(french, ("English", "French")) is None


NOTHING = Belonging(words=60, terms=8, found=("a", "b"), own=(), others=(("x", "y"),), given=0, items=20)
FIVE, THREE = tuple("abcde"), tuple("abc")


@pytest.mark.parametrize(
    ("changes", "foreign", "unplaced"),
    [
        ({}, True, False),
        ({"words": 59}, True, False),
        ({"words": 59, "others": ()}, False, False),
        ({"words": 59, "others": (), "given": 1}, False, True),
        ({"others": (), "found": FIVE}, False, False),
        ({"others": (), "found": FIVE[:4]}, False, False),
        ({"others": (), "found": FIVE[:3]}, True, False),
        ({"found": FIVE}, True, False),
        ({"found": FIVE, "given": 9}, True, False),
        ({"others": (), "found": FIVE, "own": ("roberta",), "given": 4}, False, False),
        ({"own": ("roberta",)}, True, False),
        ({"own": ("roberta", "books")}, False, False),
        ({"own": ("roberta", "books"), "others": (("x",), ("z",))}, True, False),
        ({"own": ("roberta",), "has_figures": True}, False, False),
        ({"own": ("roberta",), "given": 4}, True, True),
        ({"own": ("roberta",), "given": 5}, False, False),
        ({"given": 9}, True, True),
        ({"given": 10}, False, False),
        ({"is_proven": True, "others": (("x",), ("y",), ("z",))}, False, False),
        ({"may_be_proven": True}, False, False),
        ({"may_be_proven": True, "given": 1}, False, True),
        ({"terms": 0, "found": ()}, False, False),
        ({"can_tell": False}, True, False),
        ({"can_tell": False, "others": (), "found": THREE}, False, False),
        ({"can_tell": False, "given": 1}, False, False),
    ],
)
def test_signs_are_weighed_against_what_else_it_is_about(
    changes: dict[str, Any], *, foreign: bool, unplaced: bool
) -> None:
    signs = NOTHING._replace(**changes)
    assert (signs.is_foreign, signs.is_unplaced) == (foreign, unplaced)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {},
            [
                "The lab is about 8 subjects; the submission mentions only a, b.",
                "Nothing in the submission shows that it is about the model and the data of this lab.",
                "It is about other subjects: x, y.",
                "None of the 20 items is answered rightly.",
            ],
        ),
        (
            {"found": (), "others": (), "can_tell": False, "given": 1},
            [
                "The lab is about 8 subjects; the submission mentions none of them.",
                "Only 1 of 20 items is answered as asked.",
            ],
        ),
        (
            {"own": ("roberta-fr",), "others": (tuple("stu"), tuple("vwxyz")), "given": 2},
            [
                "The lab is about 8 subjects; the submission mentions only a, b.",
                "Of the names of the lab's model and data, it mentions only roberta-fr.",
                "It is about other subjects: s, t, u, v, w, x.",
                "Only 2 of 20 items are answered as asked.",
            ],
        ),
    ],
)
def test_the_signs_are_told(changes: dict[str, Any], told: list[str]) -> None:
    assert list(NOTHING._replace(**changes).describe_signs()) == told


def test_the_signs_are_gathered_from_words_code_and_findings() -> None:
    text = "# Question 1\n\nThe transformer with RoBERTa: BLEU, bleu and Bleus; translation, translation.\n"
    findings = [
        Finding(item="a", status=Status.CORRECT),
        Finding(item="b", status=Status.PARTIAL),
        Finding(item="c", status=Status.REVIEW, suggestion=Status.CORRECT),
        Finding(item="d", status=Status.INCORRECT),
    ]

    def signs(telling: Sequence[str] = (), together: Sequence[str] = ()) -> Belonging:
        made = answer(text, [code("model = transformer()", "fairseq books")])
        words = ("transformer", "fairseq"), ("roberta", "books"), ("bleu|translation", "model")
        return belonging(made, findings, *words, telling, together)

    found = signs()
    assert (found.terms, found.found, found.own) == (2, ("transformer",), ("RoBERTa",))  # an output is no sign
    assert (found.others, found.given, found.items) == ((("bleu", "translation"),), 2, 4)
    assert (found.words, found.signs) == (13, 1 + 2)
    assert [place.line for place in found.places] == [3, 3]
    for telling, together, told in (
        ((), (), (False, False, False)),
        (("a",), (), (True, False, False)),
        (("b", "d"), (), (False, False, False)),  # what is right in part may be so by accident
        (("c",), (), (False, True, False)),
        ((), ("a",), (False, False, False)),
        ((), ("a", "b"), (False, False, True)),
    ):
        one = signs(telling, together)
        assert (one.is_proven, one.may_be_proven, one.has_figures) == told


TUTORIAL = (
    "We fine-tune a causal language model on quotes of famous people with peft. The model is loaded in 4 bits with "
    "bitsandbytes, its layers are frozen, and adapters of rank 16 are put on the attention. After 50 steps the loss "
    "is 1.9, and we compare what the model says before and after it. Quotes with many tags are shortened, and the "
    "author is put in front of each, so that the model learns to imitate all of them one by one."
)
SETTINGS = (
    "config = LoraConfig(\n    r=16, lora_alpha=32, target_modules=['query_key_value'], lora_dropout=0.05, "
    "bias='none', task_type='CAUSAL_LM'\n)\nmodel = get_peft_model(model, config)"
)


def test_the_values_that_every_tutorial_uses_tie_no_hand_in_to_the_lab() -> None:
    found = judged(TUTORIAL, [code(SETTINGS, "trainable params: 2359296 || all params: 1067000000\n")])
    assert "wrong-lab" in ids(found)
    assert not [one.item for one in found.findings if one.status in (Status.CORRECT, Status.PARTIAL)]


@pytest.mark.parametrize(
    "mention", ["# or query_key_value for bloom", "# data: a book review per line", "# see roberta-small"]
)
def test_one_name_of_the_lab_in_a_comment_ties_no_other_lab_to_it(mention: str) -> None:
    assert "wrong-lab" in ids(judged(OTHER_LAB, [code(f"x = 1  {mention}")]))


def test_names_that_only_a_program_prints_are_no_signs() -> None:
    printed = "Downloading bigscience/bloom-560m\nroberta_small_fr loaded\ncls_books: 2000\n"
    assert "wrong-lab" in ids(judged(OTHER_LAB, [code("load(everything)", printed)]))


def test_a_hand_out_of_another_lab_is_told_as_another_lab_s() -> None:
    other = HANDOUT.replace("RoBERTa-small-fr", "the network").replace("book reviews", "digits")
    assert ids(judged(other.replace("LoraConfig", "the optimiser"), GAPS)).keys() & {"wrong-lab", "blank-handout"} == {
        "wrong-lab"
    }


def test_an_unlisted_hand_out_that_was_worked_on_is_not_blank() -> None:
    """A hand-in may start from the hand-out of another year, whose instructions stand between its answers."""
    work = [code(f"evaluate({number})", "done") for number in range(6)]
    answers = "\n# Task 6\n\nBitsAndBytesConfig(load_in_4bit=True)\n"
    assert "blank-handout" not in ids(judged(HANDOUT + answers, work))
    assert "blank-handout" in ids(judged(HANDOUT, [*work, *GAPS]))


def test_a_language_is_told_from_eighty_words_on() -> None:
    words = SPANISH.split()
    assert other_language(" ".join(words[:79]), ("English", "French")) is None
    assert other_language(" ".join(words[:80]), ("English", "French")) == "Spanish"
    assert other_language(" ".join(words), ("English", "Spanish")) is None
    english = "the results of the model are in the table that is on the page " * 5
    mixed = " ".join((*words[:60], english))
    assert other_language(mixed, ("English", "French")) is None
    assert other_language("模" * 80 + "a" * 100, ("English",)) is None
    assert other_language("模" * 81 + "a" * 100, ("English",)) == "a language with another script"
    assert other_language("模" * 81 + "a" * 200, ("English",)) is None


def test_a_flag_shows_how_the_hand_in_begins() -> None:
    """So that a person sees at once what was handed in."""
    (flag,) = (one for one in judged(f"\n\n\n{OTHER_LAB}").flags if one.id == "wrong-lab")
    assert flag.evidence[0].quote.startswith("Lab 2: Convolutions")
    (flag,) = (one for one in judged(f"# Informe\n\n{SPANISH}\n").flags if one.id == "other-language")
    assert flag.evidence[0].quote.startswith("Informe")
    cells = [code("  \n# Digits\n" + "\n".join(f"digit_{n} = 'filter'" for n in range(90))), code("other = 1")]
    script = answer(None, cells).model_copy(update={"sections": ()})
    (flag,) = (one for one in run_checks(script, truth(), lab()).flags if one.id == "wrong-lab")
    assert [(place.cell, place.quote) for place in flag.evidence] == [(0, "# Digits")]


def test_a_blank_notebook_beside_an_answer_is_a_remark_and_withholds_nothing() -> None:
    whole = "\n\n".join(
        [
            RIGHT,
            "Test accuracy for the seeds 0, 1 and 2: 79.3 %, 78.5 % and 80.1 %, on average 79.30 % with standard "
            "deviation 0.65 %. The checkpoint with the best validation accuracy was chosen.",
            "# Task 4\n\nWith random weights, test: 65.4 %, 66.7 % and 67.4 %; average 66.50 %, deviation 0.83 %.",
            "# Task 5\n\nWith Hugging Face, test: 79.9 %, 80.65 % and 80.1 %; average 80.22 %, deviation 0.32 %.",
        ]
    )
    found = judged(whole, GAPS)
    (flag,) = (one for one in found.flags if one.id == "blank-handout")
    assert flag.severity is Severity.INFO
    assert not flag.message.startswith("This seems to be the handout")
    assert {place.cell for place in flag.evidence} == {0, 1, 2}
    assert [one.item for one in found.findings if one.status is Status.CORRECT]


@pytest.mark.parametrize(
    ("below", "is_blank"),
    [("", True), ("one two", True), ("one two three", False), ("1", False)],
)
def test_titles_with_hardly_anything_below_them_are_the_hand_out(below: str, *, is_blank: bool) -> None:
    titles = "".join(f"# {name} {number}\n\n{below}\n\n" for name in ("Question", "Task") for number in (1, 2))
    assert ("blank-handout" in ids(judged(titles))) is is_blank
    two = "".join(f"# Question {number}\n\n{below}\n\n" for number in (1, 2))
    assert "blank-handout" not in ids(judged(two))
