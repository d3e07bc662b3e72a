"""The settings and data of short answers: marked examples, stored decisions, allowed risk, and the frozen model."""

import hashlib
import json
import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, ValidationError

from grader.frozen import Frozen
from grader.message import Message, label_text, say_values
from grader.model.answers import Scorer, load_scorer
from grader.model.linear import FORM

MODEL: Final = "answers.npz"
CARD: Final = "answers.card.json"
Label = Literal["correct", "partial", "incorrect"]
Share = Annotated[float, Field(gt=0, lt=1)]


class Example(Frozen):
    """A marked answer to a question. `source` names its class, file or author. A model is never measured on examples of
    a source on which it was trained."""

    topic: str
    text: Annotated[str, Field(min_length=1)]
    label: Label
    reason: str = ""
    source: str = "lab"


class ClassCount(Frozen):
    """For answers to which the model gives one label: the probability threshold of a decision, and the outcomes."""

    threshold: float
    decided: int
    wrong: int


class SourceCount(Frozen):
    """The decisions on some answers; `credited` are incorrect answers called correct, `zeroed` correct answers called
    incorrect."""

    answers: int
    decided: int
    wrong: int
    credited: int
    zeroed: int

    @property
    def coverage(self) -> float:
        """The share of answers that are decided."""
        return self.decided / self.answers if self.answers else 0.0


class Harm(Frozen):
    """The measured error rate of a verdict: how many of the answers for which it would be wrong received it, the
    one-sided 95 % upper bound of that share, and the bound that the lab allows."""

    answers: int
    harmed: int
    bound: float
    allowed: float


class Card(Frozen):
    """The model's performance on answers from unseen sources. `bound` is the one-sided 95 % bound of the share of wrong
    verdicts among the automatic ones, on answers as students write them; `credit` counts incorrect answers of any
    source called correct, `withhold` correct answers called something else; `decisions` is the number of `examples`
    that are decisions of people; `contradictions` are examples with the same words and different labels, which are left
    out. For `seal` see there."""

    inputs: str
    seal: str = ""
    risk: float
    examples: int
    decisions: int = 0
    natural: SourceCount
    bound: float
    credit: Harm
    withhold: Harm
    other: SourceCount
    topics: dict[str, dict[str, ClassCount]]
    sources: dict[str, SourceCount]
    contradictions: tuple[tuple[str, str], ...] = ()


class FrozenModel(Frozen):
    """The file of a model and its hash. The path is not part of a lab's identity."""

    path: Path = Field(exclude=True)
    sha256: str


class ShortAnswers(Frozen):
    """The model of [short answers](short-answers.md) and its allowed risks. `like` names a lab whose frozen model
    serves this one too."""

    examples: str = Field(default="answers.jsonl", description="The file of marked examples, one JSON object per line.")
    like: str = Field(default="", description="Instead, another lab whose model is used.")
    risk: Share = Field(default=0.02, description="The share of automatic verdicts that may be wrong.")
    credit: Share = Field(default=0.05, description="The share of incorrect answers that may be called correct.")
    withhold: Share = Field(default=0.05, description="The share of correct answers that may be called something else.")
    natural: tuple[str, ...] = Field(default=(), description="Names of sources with unedited answers of a class.")
    audit: Share = Field(default=0.05, description="The share of automatic verdicts that become spot checks.")
    model: FrozenModel | None = Field(default=None, description="Found beside the lab; not written in lab.toml.")

    def scorer(self) -> Scorer | None:
        """Return the frozen model, or None if none has been trained. Raises OSError or ValueError."""
        return load_scorer(self.model.path, self.model.sha256) if self.model else None


def read_examples(path: Path) -> tuple[Example, ...]:
    """Return the marked examples in a file with one JSON object per line. Raises OSError, or ValueError with the
    line."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            found += [Example.model_validate_json(line)] if line.strip() else []
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            place = ".".join(map(str, problem["loc"])) or "the line"
            raise ValueError(f"{path}:{number}: {place}: {problem['msg']}") from error
    return tuple(found)


@lru_cache(maxsize=4)
def example_texts(settings: ShortAnswers | None) -> tuple[str, ...]:
    """Return the texts of the examples beside a frozen model, or none if the file does not exist."""
    if settings is None or settings.model is None:
        return ()
    try:
        return tuple(example.text for example in read_examples(settings.model.path.parent / settings.examples))
    except (OSError, ValueError):
        return ()


def model_inputs(examples: Iterable[Example], settings: ShortAnswers) -> str:
    """Return the hash of all training inputs of a model."""
    inputs = {
        "form": FORM,
        "risks": (settings.risk, settings.credit, settings.withhold),
        "natural": settings.natural,
        "examples": [example.model_dump(exclude={"reason"}) for example in examples],
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def seal(settings: ShortAnswers, model: FrozenModel) -> str:
    """Return the hash of a model's file, its examples and its settings, or an empty text if the examples cannot be
    read.

    On a card, it proves that the card belongs to this model and the model to these examples.
    """
    try:
        examples = (model.path.parent / settings.examples).read_bytes().replace(b"\r\n", b"\n")
    except OSError:
        return ""
    inputs = (model.sha256, hashlib.sha256(examples).hexdigest(), FORM, settings.natural)
    risks = (settings.risk, settings.credit, settings.withhold)
    return hashlib.sha256(json.dumps([*inputs, *risks]).encode()).hexdigest()


def read_card(path: Path) -> Card:
    """Return the card beside a model. Raises OSError or ValueError."""
    return Card.model_validate_json(path.read_bytes())


FILE = "decisions.toml"
_HEAD = """# What people decided about answers that the grader left to them: one entry for each text, by the hash of its
# normalised form. An answer with the same text is decided in the same way from then on. Written by
# `grade serve review --remember`; entries may be edited or taken out by hand.
"""

Group = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_.-]+:[0-9a-f]{8,64}$")]
"""The form of a key: the subject of the answer, and the first digits of the hash of its text."""


class Decision(Frozen):
    """A decision about similar answers: `group` is their key, `text` their common normalised text. `automatic` is the
    grader's own verdict if a marker audited it."""

    group: Group
    label: Literal["correct", "partial", "incorrect"]
    automatic: Literal["correct", "partial", "incorrect"] | None = None
    text: str
    why: Annotated[str, Field(min_length=1)]
    author: Annotated[str, Field(min_length=1)]
    date: date

    @property
    def signature(self) -> Message:
        """The author, date and reason of the decision for readers."""
        return label_text(say_values("{author}, {date:%Y-%m-%d}", author=self.author, date=self.date), self.why)


class Decisions(Frozen):
    """All decisions of a lab. The last one about a group counts."""

    decisions: tuple[Decision, ...] = ()

    def decision_for(self, group: str) -> Decision | None:
        """Return the decision about a group of similar answers, or None."""
        return next((decision for decision in reversed(self.decisions) if decision.group == group), None)


def decisions_toml(decisions: Iterable[Decision]) -> str:
    """Return the entries as TOML."""
    lines = []
    for decision in decisions:
        texts = decision.model_dump(exclude={"date"}, exclude_none=True)
        lines += ["", "[[decisions]]", *(f"{name} = {toml_string(text)}" for name, text in texts.items())]
        lines.append(f"date = {decision.date:%Y-%m-%d}")
    return "".join(f"{line}\n" for line in lines)


def append(folder: Path, decisions: Iterable[Decision]) -> Path:
    """Append decisions to a lab's file, which is created if missing, and return its path. Raises OSError."""
    path = folder / FILE
    before = path.read_text(encoding="utf-8") if path.exists() else _HEAD
    partial = path.with_suffix(".toml.part")
    partial.write_text(before.rstrip("\n") + "\n" + decisions_toml(decisions), encoding="utf-8")
    partial.replace(path)
    return path


def toml_string(text: str) -> str:
    """Return a text as a basic TOML string. JSON's escapes are valid in TOML, except for DEL and lone surrogates."""
    plain = re.sub(r"[\ud800-\udfff]", "\ufffd", text)
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
