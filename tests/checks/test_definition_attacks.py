"""Changes that make a right definition wrong must cost it its full credit; changes of form must not."""

import random
from collections.abc import Callable, Iterator
from textwrap import wrap

import pytest

from grader.checks.finding import Status
from grader.lab.wording import words
from tests.checks.definition_corpus import PARAMETERS, judge, right_texts
from tests.checks.making import answer, decide
from tests.claims.making import lab

DENIALS = (
    "not {}",
    "It is not {}.",
    "never {}",
    "this is not {}",
    "is by no means {}",
    "the opposite of {}",
    "anything but {}",
    "unlike {}",
    "rather than {}",
    "it has nothing to do with {}",
    "ce n'est pas {}",
    "{}: this is wrong",
    "{} is false",
    "No: {}",
    "it is wrong to say: {}",
)
FALSE = {
    "r": ("the number of layers", "the learning rate", "it is learned during training", "r counts the heads"),
    "lora_alpha": ("the learning rate", "the rank of the matrices", "it also scales the frozen weights", "a penalty"),
    "target_modules": ("these modules are removed", "they stay frozen", "here the feed-forward layers", "all layers"),
    "lora_dropout": (
        "also applied at inference",
        "it prunes the weights",
        "applied to all layers of BLOOM",
        "it is kept",
    ),
    "bias": ("here all of them are trained", "the biases are removed", "the bias of the data", "a bias is added"),
    "task_type": ("the model predicts masked tokens", "it finds causes and effects", "classification", "on the GPU"),
}
ADDITIONS = ("{}. {}.", "{} and {}", "{}, {}", "{} ({})", "{}; {}", "{} or {}", "{}, i.e. {}")
VALUES = {"r": "16", "lora_alpha": "32", "target_modules": '["query_key_value"]', "lora_dropout": "0.05"} | {
    "bias": '"none"',
    "task_type": '"CAUSAL_LM"',
}
FEW = 8


def plain(parameter: str, most: int | None = None) -> list[str]:
    return [text.rstrip(".") for text in right_texts(parameter)[:most]]


def swapped(parameter: str, most: int | None) -> Iterator[str]:
    for other in PARAMETERS:
        if other != parameter:
            yield from plain(other, most)


def denied(parameter: str, most: int | None) -> Iterator[str]:
    for text in plain(parameter, most):
        yield from (form.format(text) for form in DENIALS)


def added_to(parameter: str, most: int | None) -> Iterator[str]:
    for text in plain(parameter, most):
        for false in FALSE[parameter]:
            for form in ADDITIONS:
                yield form.format(text, false)
                yield form.format(false, text)


def listed(parameter: str, most: int | None) -> Iterator[str]:
    draw = random.Random(parameter)
    for text in plain(parameter, most):
        said = [word for word in words(text) if len(word) > 3]
        for _ in range(3 if len(said) > 3 else 0):
            draw.shuffle(said)
            yield from (" ".join(said), ", ".join(said), "; ".join(said))


ATTACKS: dict[str, Callable[[str, int | None], Iterator[str]]] = {
    "definitions of other parameters": swapped,
    "denied definitions": denied,
    "definitions with a false addition": added_to,
    "lists of a definition's words": listed,
}


def keeping_full_credit(attack: str, parameter: str, most: int | None) -> list[str]:
    offered = list(ATTACKS[attack](parameter, most))
    kept = [text for text in offered if lab().grammar.is_right(parameter, text)]
    print(f"\n{parameter}: {len(kept)} of {len(offered)} {attack} keep full credit (bar 0)")
    return kept


@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_keeps_full_credit(attack: str, parameter: str) -> None:
    assert keeping_full_credit(attack, parameter, FEW) == []


@pytest.mark.slow
@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_on_any_right_definition_keeps_full_credit(attack: str, parameter: str) -> None:
    assert keeping_full_credit(attack, parameter, None) == []


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_whole_check_gives_no_attack_full_credit(attack: str) -> None:
    for parameter in PARAMETERS:
        for text in list(ATTACKS[attack](parameter, 2))[::7]:
            assert judge(parameter, f"- {parameter}: {text}").status is not Status.CORRECT, text


NOISE: dict[str, Callable[[str, str], str]] = {
    "Markdown": lambda name, text: f"* **{name}** : {text}",
    "LaTeX": lambda name, text: rf"\item \texttt{{{escaped(name)}}} : {escaped(text)}",
    "a table": lambda name, text: f"| parameter | definition |\n|---|---|\n| {name} | {text} |",
    "a heading": lambda name, text: f"### {name}\n\n{text}",
    "capitals": lambda name, text: f"{name}: {text[:1].upper()}{text[1:]}",
    "lost underscores": lambda name, text: f"• {name} : {text}".replace("_", " "),
    "typographic quotes": lambda name, text: f"{name}: " + text.replace('"', "”").replace("'", "’"),
    "spaces": lambda name, text: f"{name}:  " + text.replace(" ", "   "),
    "wrapped lines": lambda name, text: f"- {name}: " + "\n  ".join(wrap(text, 30)),
    "a comment in code": lambda name, text: f"```python\n{name}={VALUES[name]},  # {text}\n```",
}


def escaped(text: str) -> str:
    return text.replace("_", r"\_").replace("%", r"\%")


@pytest.mark.parametrize("noise", NOISE)
def test_form_makes_no_difference(noise: str) -> None:
    lost, tried = [], 0
    for parameter in PARAMETERS:
        for text in plain(parameter, FEW):
            tried += 1
            finding = decide(f"q2.{parameter}", answer(f"# Question 2\n\n{NOISE[noise](parameter, text)}\n"))[0]
            if finding.status is not Status.CORRECT:
                lost.append((text, finding.found, finding.note, finding.feedback))
    print(f"\n{noise}: {len(lost)} of {tried} right definitions are no longer understood (bar 0)")
    assert lost == []


def test_words_cut_at_the_end_of_a_line_are_put_together() -> None:
    for line in ("r : rank of the decom- position matrices", "r : rank of the low- rank matri- ces"):
        assert judge("r", line).status is Status.CORRECT


def test_the_same_text_gives_the_same_bytes() -> None:
    lines = [f"- {parameter}: {text}" for parameter in PARAMETERS for text in right_texts(parameter)[:3]]
    report = "# Question 2\n\n" + "\n".join(lines)
    once, again = (
        [decide(f"q2.{parameter}", answer(report))[0].model_dump_json() for parameter in PARAMETERS] for _ in range(2)
    )
    assert once == again
