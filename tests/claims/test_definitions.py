import pytest

from grader.claims.definitions import DefinitionClaim, definitions
from tests.claims.making import lab, passage
from tests.patience import within


def found(markdown: str) -> list[DefinitionClaim]:
    return list(definitions(passage(markdown), lab()))


def read(markdown: str) -> tuple[str, str, str | None]:
    (claim,) = found(markdown)
    return claim.parameter, claim.text, claim.value


SAYS = "the scaling factor of the update"

FORMS = [
    "lora_alpha: {}",
    "lora_alpha = 32: {}",
    "lora_alpha=32 : {}",
    "lora_alpha (32): {}",
    "lora_alpha (=32): {}",
    "lora_alpha: 32, {}",
    "- lora_alpha (32): {}",
    "* `lora_alpha` (32): {}",
    "• lora_alpha (32): {}",
    "1. lora_alpha = 32: {}",
    "2) **lora_alpha** = 32: {}",
    "a) lora_alpha = 32: {}",
    "**lora_alpha=32**: {}",
    "**lora_alpha**: {}",
    r"\texttt{lora\_alpha} = 32: {}",
    r"$lora\_alpha = 32$: {}",
    "lora alpha (32): {}",
    "lora alpha = 32: {}",
    "Alpha = 32: {}",
    "lora_alpha (int): {}",
    "lora_alpha (`int`): {}",
    "lora_alpha - {}",
    "lora_alpha – {}",
    "lora_alpha → {}",
    "| lora_alpha | 32 | {} |",
    "Scaling (lora_alpha=32): {}",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_definition_is_told_from_its_name_and_value(form: str) -> None:
    parameter, text, value = read(form.replace("{}", SAYS).replace(r"\texttt" + SAYS, r"\texttt{lora\_alpha}"))
    assert (parameter, text.rstrip(" |")) == ("lora_alpha", SAYS)
    assert value in ("32", None)
    assert (value is None) == ("32" not in form)


@pytest.mark.parametrize(
    ("line", "parameter", "value"),
    [
        ("r = 16: the rank.", "r", "16"),
        ("r: the rank, here we use 16.", "r", "16"),
        ("r is the rank of the update.", "r", None),
        ("R (16): the rank.", "r", "16"),
        ("r 16: the rank.", "r", "16"),
        ("bias none: which biases", "bias", "none"),
        ("Rank (r=16): the rank.", "r", "16"),
        ('target_modules = ["query_key_value"]: the layers', "target_modules", '["query_key_value"]'),
        ('target modules=["query key value"]: the layers', "target_modules", '["query key value"]'),
        ("lora_dropout = 0.05: the dropout", "lora_dropout", "0.05"),
        ("lora_dropout = 0,05 : le dropout", "lora_dropout", "0,05"),
        ("lora dropout (5%): the dropout", "lora_dropout", "5%"),
        ("dropout: the dropout", "lora_dropout", None),
        ('bias = "none": which biases', "bias", "none"),
        ("bias (none): which biases", "bias", "none"),
        ('task_type = "CAUSAL_LM": the task', "task_type", "CAUSAL_LM"),
        ("task type=“CAUSAL LM”: the task", "task_type", "CAUSAL LM"),
        ("task_type: the kind of task", "task_type", None),
        ("r : fixé à 16, le rang", "r", "16"),
    ],
)
def test_each_parameter_and_its_value_are_known(line: str, parameter: str, value: str | None) -> None:
    name, _, stated = read(line)
    assert (name, stated) == (parameter, value)


def test_a_definition_that_begins_with_the_value_stays_whole() -> None:
    _, text, _ = read("bias: none of the biases is trained")
    assert text == "none of the biases is trained"


def test_definitions_end_where_the_next_begins() -> None:
    claims = found("- r (16): the rank\n  of the update\n- lora_alpha (32): the scale\n\nAnother paragraph.\n")
    assert [(c.parameter, c.text) for c in claims] == [("r", "the rank of the update"), ("lora_alpha", "the scale")]


def test_a_parameter_that_was_not_asked_for_ends_a_definition() -> None:
    claims = found("r: the rank\nmodules_to_save: other modules\nbias: which biases are trained")
    assert [(c.parameter, c.text) for c in claims] == [("r", "the rank"), ("bias", "which biases are trained")]


@pytest.mark.parametrize(
    "line",
    [
        "Rank matters more than anything.",
        "Results are shown below.",
        "Alpha male",
        "R2 is 0.5",
        "# r",
        "regularisation = 0.05",
        "32: the value of something",
    ],
)
def test_a_common_word_that_begins_a_sentence_defines_nothing(line: str) -> None:
    assert found(line) == []


def test_a_whole_call_in_code_is_no_definition() -> None:
    claims = found("```python\nconfig = LoraConfig(r=16, lora_alpha=32)\n```")
    assert claims == []


def test_a_definition_is_quoted_with_all_its_lines() -> None:
    (claim,) = found("Words.\n\n- **r** (16): the rank\n  of the update.")
    assert claim.evidence.line == 3
    assert claim.evidence.quote == "- **r** (16): the rank of the update."


@pytest.mark.parametrize(
    "text", ["-" * 10_000, "r = " * 5_000, "\n".join(["r = 16: the rank"] * 2_000), "| r " * 3_000]
)
def test_no_text_takes_time(text: str) -> None:
    with within(1.5):
        found(text)


def test_items_below_a_name_that_stands_alone_are_all_its_own() -> None:
    claims = found(
        "- r\n  - value: 16\n  - meaning: the rank\n- bias\n  - value: none\n  - meaning: which biases are trained\n"
    )
    assert [(c.parameter, "the rank" in c.text, "trained" in c.text) for c in claims] == [
        ("r", True, False),
        ("bias", False, True),
    ]


def test_a_name_that_another_sentence_takes_up_is_no_definition() -> None:
    claims = found(
        "lora_dropout: inputs are dropped. Finally, bias and task_type: the former tells which biases are trained."
    )
    assert "bias" not in {c.parameter for c in claims}


MEANT = {
    "r": ("16", "the rank of the two low-rank matrices A and B"),
    "lora_alpha": ("32", "the scaling factor of the update, multiplied by alpha / r"),
    "lora_dropout": ("0.05", "the probability that an input of the LoRA layers is set to zero"),
    "task_type": ('"CAUSAL_LM"', "causal language modelling, where the next token is predicted"),
}


def code(lines: list[str]) -> str:
    return "\n".join(["```python", *lines, "```"])


LAYOUTS = {
    "a table with the names over the columns": "\n".join(
        (
            f"| | {' | '.join(MEANT)} |",
            "|---" * 5 + "|",
            f"| value | {' | '.join(value for value, _ in MEANT.values())} |",
            f"| meaning | {' | '.join(words for _, words in MEANT.values())} |",
        )
    ),
    "a table with values and no names": "\n".join(
        ("| value | meaning |", "|---|---|", *(f"| {value} | {words} |" for value, words in MEANT.values()))
    ),
    "comments with names": code([f"# {name}: {words}" for name, (_, words) in MEANT.items()]),
    "comments above": code(
        [line for name, (value, words) in MEANT.items() for line in (f"# {words}", f"{name}={value},")]
    ),
    "comments below": code(
        [
            "# Question 2",
            *(line for name, (value, words) in MEANT.items() for line in (f"{name} = {value}", f"# {words}")),
        ]
    ),
    "a long string": code(['"""', *(f"{name}: {words}" for name, (_, words) in MEANT.items()), '"""']),
    "a dictionary": code(["defined = {", *(f'    "{name}": "{words}",' for name, (_, words) in MEANT.items()), "}"]),
    "names on comment lines of their own": code(
        [line for name, (_, words) in MEANT.items() for line in (f"# {name}", f"#   {words[:30]}", f"#   {words[30:]}")]
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_each_definition_is_given_to_its_own_parameter(layout: str) -> None:
    said = {claim.parameter: "".join(claim.text.split()) for claim in found(layout) if claim.text}
    assert said == {name: "".join(words.split()) for name, (_, words) in MEANT.items()}


def test_the_number_of_a_row_is_no_value() -> None:
    numbered = (
        "| 1 | parameter | value | meaning |\n|---|---|---|---|\n| 3 | lora_alpha | 32 | the scale of the update |"
    )
    assert [(one.parameter, one.value) for one in found(numbered)] == [("lora_alpha", "32")]
    bare = "| no. | parameter | meaning |\n|---|---|---|\n| 3 | lora_alpha | the scale of the update that is added |"
    assert [(one.parameter, one.value) for one in found(bare)] == [("lora_alpha", None)]
