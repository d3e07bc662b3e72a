"""Hand-ins of all kinds: of other labs, of this one in many states and languages, and none at all."""

import random
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field

from grader.claims.answer import Answer
from grader.reading.notebook import Cell
from tests.checks.making import answer, code
from tests.generated.foreign_texts import CODE, FAR, NEAR, UNLISTED
from tests.generated.lab_texts import LANGUAGES, PARTS, TERSE

FORMS = 8


@dataclass(frozen=True)
class HandIn:
    """A hand-in, and what it is: `foreign` (of another lab), `near` (of another lab that shares much with this one),
    `unlisted` (of one whose subject the lab does not name), `handout`, `right` (this lab, all of it or in part),
    `language` (this lab, in a language that is not understood)."""

    kind: str
    name: str
    report: str | None
    cells: tuple[Cell, ...] = field(default=())

    @property
    def answer(self) -> Answer:
        """The claims of it."""
        return answer(self.report, self.cells)


def hand_ins(draw: random.Random) -> Iterator[HandIn]:
    """The whole family."""
    for kind, topics in (("foreign", FAR), ("near", NEAR), ("unlisted", UNLISTED)):
        for topic, sentences in topics.items():
            for _ in range(FORMS):
                yield HandIn(kind, topic, _report(topic, sentences, draw), _cells(topic, draw))
    yield from _handouts(draw)
    yield from _right(draw)
    for language, text in LANGUAGES.items():
        kind = "right" if language == "French" else "language"
        yield HandIn(kind, f"this lab in {language}", text)
        yield HandIn(kind, f"this lab in {language}, with code", text, (code("import fairseq"), code("x = 1", "1\n")))


def _report(topic: str, sentences: tuple[str, ...], draw: random.Random) -> str:
    """A report under this lab's headings, under headings of its own, or without any."""
    chosen = [_filled(one, draw) for one in draw.sample(sentences, len(sentences))]
    chosen += [_filled(one, draw) for one in draw.choices(sentences, k=draw.randrange(6))]
    style = draw.choice(["questions", "tasks", "own", "none", "table"])
    title = draw.choice([f"# Lab 2: {topic}", f"# Report on {topic}", "# Lab 4: NLP frameworks", f"# {topic.title()}"])
    if style == "none":
        return f"{title}\n\n{' '.join(chosen)}\n"
    size = max(1, len(chosen) // 4)
    groups = [chosen[at : at + size] for at in range(0, len(chosen), size)]
    names = {"questions": "## Question {}", "tasks": "## Task {}", "own": "## Part {}", "table": "## Exercise {}"}
    parts = [f"{names[style].format(n)}\n\n{' '.join(group)}\n" for n, group in enumerate(groups, start=1)]
    if style == "table":
        values = [_accuracy(draw) for _ in range(3)]
        rows = "".join(f"| {seed} | {value:.1f} |\n" for seed, value in enumerate(values, start=1))
        parts.append(f"| seed | test accuracy |\n|---|---|\n{rows}")
    return f"{title}\n\n" + "\n".join(parts)


def _cells(topic: str, draw: random.Random) -> tuple[Cell, ...]:
    if topic not in CODE or draw.random() < 0.3:
        return ()
    return tuple(code(_filled(source, draw, source=True), _filled(output, draw)) for source, output in CODE[topic])


def _filled(text: str, draw: random.Random, *, source: bool = False) -> str:
    if source and "{c}" not in text:
        return text
    values = [round(_accuracy(draw), 1) for _ in range(3)]
    numbers = {
        "a": f"{_accuracy(draw):.1f}",
        "n": str(draw.randrange(2, 10)),
        "c": f"{draw.randrange(10_000, 200_000_000):,}",
        "x": str(values[0]),
        "y": str(values[1]),
        "z": str(values[2]),
        "m": f"{statistics.fmean(values):.2f}",
        "s": f"{statistics.pstdev(values):.2f}",
    }
    return re.sub(r"\{([anxyzmsc])\}", lambda match: numbers[match[1]], text)


def _accuracy(draw: random.Random) -> float:
    return draw.uniform(60, 99)


HANDOUT = """# Lab 4: what to do

Deadline: 20 November. Submit your report as one archive with your code. You should work in pairs.

## Question 1 (3 points)

You must count the parameters of RoBERTa-small-fr by hand. You may omit biases. Fill in the table.

## Task 3 (2 points)

You will fine-tune the pretrained model with fairseq and three seeds on the CLS books reviews. You have to report the
average and the standard deviation of the test accuracy.

## Question 2 (4 points)

You have to define every parameter of LoraConfig. Late submissions lose points. Your answers must be in your own words.
"""
BLANKS = (
    code("SEED = # fill me\n!fairseq-train data-bin --seed $SEED", ran=False),
    code("def print_trainable_parameters(model):\n    # fill the gap\n    pass", ran=False),
    code("bnb_config = BitsAndBytesConfig(\n    # fill me\n)", ran=False),
    code("def generate_prompt(data_point):\n    return # fill me", ran=False),
    code("import transformers", ran=False),
)


def _handouts(draw: random.Random) -> Iterator[HandIn]:
    yield HandIn("handout", "the hand-out", HANDOUT)
    yield HandIn("handout", "the hand-out and its notebook", HANDOUT, BLANKS)
    yield HandIn("handout", "the blank notebook", None, BLANKS)
    yield HandIn("handout", "the blank notebook, opened", None, (*BLANKS[:4], code("import transformers")))
    for labels in (("Question 1", "Task 1", "Task 3", "Question 2"), ("Q1", "T1", "T2", "T3", "Q2")):
        titles = "\n\n".join(f"# {label}" for label in labels)
        yield HandIn("handout", "titles only", titles)
        yield HandIn("handout", "titles and names", f"Names: A and B\n\n{titles}")
    for _ in range(2):
        yield HandIn("handout", "notebook, some cells", None, tuple(draw.sample(BLANKS, 4)))


def _right(draw: random.Random) -> Iterator[HandIn]:
    """This lab: whole, in parts, and terse."""
    names = list(PARTS)
    for _ in range(6):
        yield HandIn("right", "all parts", "\n".join(PARTS[name] for name in names))
    for name in names:
        yield HandIn("right", f"only {name}", PARTS[name])
    for count in (2, 3, 4):
        for _ in range(4):
            kept = sorted(draw.sample(names, count), key=names.index)
            yield HandIn("right", f"only {', '.join(kept)}", "\n".join(PARTS[name] for name in kept))
    for number, text in enumerate(TERSE):
        yield HandIn("right", f"terse {number}", text)
