"""A lab as its instructor wrote it down in `lab.toml`: questions, rubric items, points, and the lab's own facts."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, StringConstraints, model_validator

from grader.frozen import Frozen
from grader.lab.decisions import Decisions
from grader.lab.late_policy import LatePolicy
from grader.lab.log_format import LogFormat
from grader.lab.short_answers import ShortAnswers
from grader.lab.templates import Templates

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]*$")]

Label = Annotated[str, StringConstraints(pattern=r"\d+$")]
"""A word and a number, such as `task 3`, by which headings name a question."""


class Item(Frozen):
    """One rubric item. A partial answer earns `partial` (0 to 1) of its points; `needs` are items without which
    this one cannot be judged. `check` names the check that decides it and `options` are that check's arguments."""

    id: Identifier
    title: str
    points: Annotated[Decimal, Field(ge=0)]
    partial: Annotated[Decimal, Field(ge=0, le=1)] = Decimal("0.5")
    check: str
    options: dict[str, Any] = Field(default_factory=dict)
    needs: tuple[str, ...] = ()


class Watch(Frozen):
    """A check of the hand-in as a whole, which decides no item but may raise flags; `options` are its arguments."""

    check: str
    options: dict[str, Any] = Field(default_factory=dict)


class Question(Frozen):
    """A question of the hand-out; `labels` are the heading labels under which students answer it, such as `task 3`.
    `words` are beginnings of words that speak of its matter: an answer without any of them is none."""

    id: Identifier
    title: str
    labels: Annotated[tuple[Label, ...], Field(min_length=1)]
    words: tuple[str, ...] = ()
    items: Annotated[tuple[Item, ...], Field(min_length=1)]


class Experiment(Frozen):
    """A training experiment: the question that asks for it and the words that name it in a text. One form of a word
    stands for its inflections; a word with capitals is an abbreviation or a name, written just so. Words of the
    experiments in `like` describe this one as well, so they do not tell the two apart. `contrary` is the experiment
    whose negated words name this one: `without pretraining`. `hints` are words that suggest this experiment where a
    text names none; `unlike` are phrases with its words that mean something else: `random seed`."""

    id: Identifier
    title: str
    question: str
    words: Annotated[tuple[str, ...], Field(min_length=1)]
    like: tuple[str, ...] = ()
    contrary: str | None = None
    hints: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()


class Split(Frozen):
    """A part of the data set: its name in texts, and its number of examples, which fixes the possible accuracies.
    `unlike` are phrases with its words that mean something else: `std dev`."""

    id: Identifier
    examples: Annotated[int, Field(gt=0)]
    words: Annotated[tuple[str, ...], Field(min_length=1)]
    unlike: tuple[str, ...] = ()


class Parameter(Frozen):
    """A configuration parameter that the lab sets. `spellings` are further ways in which texts write the value.
    `summary` is a right definition for students to read, `facts` are the ids of facts that show what the parameter
    does, and `documentation` are phrases of the library's own documentation."""

    id: Identifier
    names: Annotated[tuple[str, ...], Field(min_length=1)]
    value: str
    spellings: tuple[str, ...] = ()
    summary: str = ""
    facts: tuple[str, ...] = ()
    documentation: tuple[str, ...] = ()


class Symbol(Frozen):
    """A size of the lab's model and the names by which formulas call it, such as `d_model`."""

    names: Annotated[tuple[str, ...], Field(min_length=1)]
    value: int


class Lab(Frozen):
    """A whole lab. Ids are stable: results, overrides and gradebooks refer to them."""

    id: Identifier
    title: str
    language: str = Field(default="en", description="Of the reports, where `--lang` names no other.")
    seeds: Annotated[int, Field(gt=0, description="How many seeds each experiment is to be run with.")]
    questions: Annotated[tuple[Question, ...], Field(min_length=1)]
    watches: tuple[Watch, ...] = ()
    experiments: tuple[Experiment, ...] = ()
    splits: tuple[Split, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    logs: tuple[LogFormat, ...] = ()
    models: tuple[dict[str, Any], ...] = Field(
        default=(), description="What `truth build` counts; their form is checked there, where models are known."
    )
    reruns: tuple[dict[str, Any], ...] = Field(
        default=(), description="What `truth rerun` performs; their form is checked there, where training is known."
    )
    late: LatePolicy = LatePolicy()
    short_answers: ShortAnswers | None = None
    decisions: Decisions = Decisions()
    templates: Templates = Templates()
    sha256: str = Field(default="", description="Of the files that the lab was read from.")

    @property
    def items(self) -> Iterator[Item]:
        """All rubric items in the order of the lab."""
        return (item for question in self.questions for item in question.items)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are read while a hand-in is judged: the frozen model of its short answers, and the marked
        examples that staff are shown as the nearest ones."""
        settings = self.short_answers
        if settings is None or settings.model is None:
            return ()
        examples = settings.model.path.parent / settings.examples
        return (settings.model.path, *([examples] if examples.is_file() else []))

    @property
    def max_score(self) -> Decimal:
        """The points of all items together."""
        return sum((item.points for item in self.items), Decimal(0))

    def question_of(self, item: str) -> str:
        """The id of the question that an item belongs to. Raises StopIteration when the lab has no such item."""
        return next(question.id for question in self.questions if item in {one.id for one in question.items})

    @model_validator(mode="after")
    def _references_hold(self) -> Self:
        items = [item.id for item in self.items]
        questions = {question.id for question in self.questions}
        ids = items + [question.id for question in self.questions]
        repeated = sorted({name for name in ids if ids.count(name) > 1})
        if repeated:
            raise ValueError(f"ids must be unique, but these are repeated: {', '.join(repeated)}")
        for item in self.items:
            for need in item.needs:
                if need not in items[: items.index(item.id)]:
                    raise ValueError(f"item {item.id} needs {need}, which is no item above it")
        for experiment in self.experiments:
            if experiment.question not in questions:
                raise ValueError(f"experiment {experiment.id} names the unknown question {experiment.question}")
        for log in self.logs:
            if log.experiment and log.experiment not in {experiment.id for experiment in self.experiments}:
                raise ValueError(f"a log names the unknown experiment {log.experiment}")
        return self
