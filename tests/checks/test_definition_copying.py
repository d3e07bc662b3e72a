"""Near-verbatim documentation of parameters that the lab does not set is flagged; the rest is not."""

from grader.checks.finding import Flag
from tests.checks.making import answer, decide

COPIED = """# Question 2

- **r** (Type: `int`): the Lora attention dimension.
- **target_modules** (Type: `List[str]`): the names of the modules to apply Lora to.
- **lora_alpha** (Type: `int`): the alpha parameter for Lora scaling.
- **lora_dropout** (Type: `float`): the dropout probability for Lora layers.
"""
FOREIGN = "- **fan_in_fan_out** (Type: `bool`): whether the weights are stored as (fan_in, fan_out).\n"
OWN = """# Question 2

- r: how many columns B has
- lora_alpha: the factor before the product of B and A
- lora_dropout: the share of the adapter's inputs that are zeroed
"""


def flags(report: str) -> list[str]:
    return [flag.id for flag in flagged(report)]


def flagged(report: str) -> list[Flag]:
    return decide("q2.values", answer(report))[1]


def test_documentation_of_foreign_parameters_is_flagged() -> None:
    (flag,) = flagged(COPIED + FOREIGN)
    assert flag.id == "copied-documentation"
    assert "fan_in_fan_out" in flag.message
    assert flag.evidence[0].line == 3


def test_documentation_wording_alone_is_not() -> None:
    assert flags(COPIED) == []


def test_own_words_are_not() -> None:
    assert flags(OWN + FOREIGN) == []
    assert flags("# Question 2\n\nNothing.\n") == []
