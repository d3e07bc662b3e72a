"""The content of `lab.toml`: questions, items, points, facts about the lab, the late policy, and hashes of the
handout."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BeforeValidator, Field, StringConstraints, ValidationInfo, model_validator

from grader.frozen import Frozen
from grader.lab.experiments import (
    ACCURACY,
    SEED,
    Experiment,
    Identifier,
    LogFormat,
    Measure,
    Repetition,
    Role,
    Split,
)
from grader.lab.short_answers import Decisions, ShortAnswers

MOST_STEPS: Final = 1_000
Percent = Annotated[Decimal, Field(ge=0, le=100)]
Release = Annotated[str, StringConstraints(pattern=r"^(\d+(\.\d+)*)?$")]

FORM_ONLY: Final = "form only"
"""The context of a validation that does not check references."""


class Tier(Frozen):
    """A penalty for submissions up to `hours` after the deadline."""

    hours: Annotated[Decimal, Field(gt=0, description="Hours after the deadline.")]
    points: Annotated[Decimal, Field(ge=0, description="Points deducted.")] = Decimal(0)
    percent: Percent | None = Field(default=None, description="Instead, percent deducted.")

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.percent is None) == ("points" not in self.model_fields_set):
            raise ValueError("a tier takes off either points or percent: give one of them")
        return self


class Rate(Frozen):
    """A percentage for each started interval after the deadline."""

    percent: Percent = Field(description="The percentage.")
    every: Annotated[Decimal, Field(gt=0, description="The length of an interval, in hours.")] = Decimal(24)
    until: Annotated[Decimal, Field(gt=0, description="Hours after which submissions are not graded.")]


class Base(StrEnum):
    """The base of a percentage: the earned points, or the maximum."""

    EARNED = "earned"
    MAXIMUM = "maximum"


class LatePolicy(Frozen):
    """The rule for late submissions: `tiers` or a `rate`. With a deadline alone, late submissions get a flag but lose
    no points. Submissions after the last tier, or after `until` of the rate, are not graded.

    A time without a zone, including the deadline, is in `timezone` (such as `Europe/Paris`); if that is empty, a
    submission's time is in the deadline's zone. Within `grace_minutes` after the deadline nothing is late; after that,
    lateness counts from the deadline. A `rate` replaces the tiers. `percent_of` is the base of a percentage: the
    `earned` points, or the `maximum`.
    """

    deadline: datetime | None = Field(
        default=None, description="The deadline, such as 2026-11-21T23:59:00+01:00; also `--deadline`."
    )
    timezone: str = Field(default="", description="The time zone of times without one, such as `Europe/Paris`.")
    grace_minutes: Annotated[Decimal, Field(ge=0, description="Minutes after the deadline without penalty.")] = Decimal(
        0
    )
    tiers: tuple[Tier, ...] = Field(default=(), description="Penalties step by step.")
    rate: Rate | None = Field(default=None, description="Instead of tiers, a percentage for each started interval.")
    percent_of: Base = Field(
        default=Base.EARNED, description="Whether a percentage is taken of the points earned or of the maximum."
    )

    @property
    def due(self) -> datetime | None:
        """The deadline with its zone, or None without a deadline."""
        return self.with_zone(self.deadline) if self.deadline else None

    @property
    def grace(self) -> timedelta:
        """The period after the deadline in which nothing is late."""
        return timedelta(minutes=float(self.grace_minutes))

    @property
    def steps(self) -> tuple[Tier, ...]:
        """The tiers, or those equivalent to the rate."""
        if self.rate is None:
            return self.tiers
        rate, hundred = self.rate, Decimal(100)
        number = min(int(-(-rate.until // rate.every)), MOST_STEPS)
        return tuple(
            Tier(hours=min(rate.every * step, rate.until), percent=min(rate.percent * step, hundred))
            for step in range(1, number + 1)
        )

    def with_zone(self, time: datetime) -> datetime:
        """Return a time with its zone, or else with the policy's or the deadline's zone."""
        if time.tzinfo is not None:
            return time
        if self.timezone:
            return time.replace(tzinfo=ZoneInfo(self.timezone))
        return time.replace(tzinfo=self.deadline.tzinfo if self.deadline else None)

    @model_validator(mode="after")
    def _is_a_rule(self) -> Self:
        if self.timezone:
            try:
                ZoneInfo(self.timezone)
            except (ZoneInfoNotFoundError, ValueError, OSError) as error:
                raise ValueError(f"{self.timezone!r} is no time zone; write one such as Europe/Paris") from error
        if self.deadline and not self.timezone and self.deadline.tzinfo is None:
            raise ValueError(
                f"the deadline {self.deadline.isoformat()} names no time zone; write its offset, as in "
                "2023-11-21T23:59+01:00, or set timezone"
            )
        if self.rate is not None and self.tiers:
            raise ValueError("tiers and rate exclude each other; write one of them")
        if self.rate is not None and self.rate.until > self.rate.every * MOST_STEPS:
            raise ValueError(f"the rate has more than {MOST_STEPS} steps; let it end sooner")
        hours = [tier.hours for tier in self.tiers]
        if hours != sorted(set(hours)):
            raise ValueError("the hours of the tiers must rise from one to the next")
        return self


FILE: Final = "templates.toml"
LENGTH: Final = 12

Hash = Annotated[str, StringConstraints(pattern=rf"^[0-9a-f]{{{LENGTH}}}$")]
Said = Annotated[str, StringConstraints(pattern=rf"^\d{{1,6}}:[0-9a-f]{{{LENGTH}}}$")]


def line_hash(line: str) -> str:
    """Return the hash of a line in a lab's files.

    It is the first 12 hexadecimal digits of the SHA-256 of its words, joined by single spaces.
    """
    return hashlib.sha256(" ".join(line.split()).encode("utf-8", "replace")).hexdigest()[:LENGTH]


class TemplateCell(Frozen):
    """A code cell of the handout: its lines in order, the lines to fill in, and its stored run, given by the hash of
    the whole output and the execution count."""

    lines: tuple[Hash, ...]
    gaps: tuple[Hash, ...] = ()
    output: Hash | None = None
    count: int | None = None


class AnswerCell(Frozen):
    """A text cell of the handout for an answer: its lines, and the labels after which answers are written, such as
    `Your answer:`. `after` is the last line of the cell above it, `before` the first line of the cell below. They
    identify the cell if a student has replaced all its lines."""

    lines: tuple[Hash, ...] = ()
    labels: tuple[Hash, ...] = ()
    after: Hash | None = None
    before: Hash | None = None


class Template(Frozen):
    """A notebook of the handout: the lines of its text cells, its code cells, and the text cells for answers. A module
    of the handout is one code cell with the module's name. `said` are the sentences, lists and tables of the text cells
    as a page shows them, each as the number of its letters and digits and their hash."""

    name: str
    prose: tuple[Hash, ...] = ()
    said: tuple[Said, ...] = ()
    code: tuple[TemplateCell, ...] = ()
    answers: tuple[AnswerCell, ...] = ()

    @property
    def is_module(self) -> bool:
        """Whether it is a program instead of a notebook."""
        return self.name.endswith(".py")

    @cached_property
    def lines(self) -> frozenset[str]:
        """All its lines."""
        return frozenset(self.prose).union(*(cell.lines for cell in self.code))


class RequestPolicy(Frozen):
    """Limits on requests about released reports."""

    days: Annotated[int, Field(ge=0, description="Days in which students can ask; 0: never.")] = 14
    most: Annotated[int, Field(ge=0, description="Maximum number of requests for a submission.")] = 20


class Templates(Frozen):
    """The notebooks of a handout, or none if the lab lists none."""

    notebooks: tuple[Template, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.notebooks)

    @cached_property
    def prose(self) -> frozenset[str]:
        """The lines of all text cells."""
        return frozenset(line for notebook in self.notebooks for line in notebook.prose)

    @cached_property
    def code(self) -> frozenset[str]:
        """The lines of all code cells."""
        return frozenset(line for notebook in self.notebooks for cell in notebook.code for line in cell.lines)

    @cached_property
    def answers(self) -> tuple[AnswerCell, ...]:
        """The text cells for answers."""
        return tuple(cell for notebook in self.notebooks for cell in notebook.answers)

    @cached_property
    def cells(self) -> dict[str, tuple[TemplateCell, ...]]:
        """The code cells of notebooks that contain a line, by line."""
        return _by_line(cell for notebook in self.notebooks if not notebook.is_module for cell in notebook.code)

    @cached_property
    def modules(self) -> dict[str, tuple[TemplateCell, ...]]:
        """The modules that contain a line, by line."""
        return _by_line(cell for notebook in self.notebooks if notebook.is_module for cell in notebook.code)

    def holding(self, line: str, *, is_module: bool) -> tuple[TemplateCell, ...]:
        """The code cells, or the modules, that contain a line."""
        return (self.modules if is_module else self.cells).get(line, ())


def _by_line(cells: Iterable[TemplateCell]) -> dict[str, tuple[TemplateCell, ...]]:
    found: dict[str, tuple[TemplateCell, ...]] = {}
    for cell in cells:
        for line in dict.fromkeys(cell.lines):
            found[line] = (*found.get(line, ()), cell)
    return found


def as_toml(templates: Templates) -> str:
    """Return the text of a lab's `templates.toml`."""
    parts = ["# The lines of the handout's notebooks by their hashes: what they hold is not the students' own."]
    for notebook in templates.notebooks:
        parts += ["", "[[notebooks]]", f"name = {_quoted(notebook.name)}", f"prose = {_listed(notebook.prose)}"]
        parts += [f"said = {_listed(notebook.said)}"] if notebook.said else []
        for cell in notebook.code:
            parts += ["", "[[notebooks.code]]", f"lines = {_listed(cell.lines)}"]
            parts += [f"gaps = {_listed(cell.gaps)}"] if cell.gaps else []
            parts += [f'output = "{cell.output}"'] if cell.output else []
            parts += [f"count = {cell.count}"] if cell.count is not None else []
        for answer in notebook.answers:
            parts += ["", "[[notebooks.answers]]", f"lines = {_listed(answer.lines)}"]
            parts += [f"labels = {_listed(answer.labels)}"] if answer.labels else []
            parts += [f'{key} = "{line}"' for key in ("after", "before") if (line := getattr(answer, key))]
    return "\n".join(parts) + "\n"


def _listed(hashes: tuple[str, ...]) -> str:
    rows = [" ".join(f'"{digest}",' for digest in hashes[at : at + 7]) for at in range(0, len(hashes), 7)]
    return "[\n" + "".join(f"  {row}\n" for row in rows) + "]" if rows else "[]"


def _quoted(text: str) -> str:
    kept = "".join(character for character in text if character.isprintable() and character not in '"\\')
    return f'"{kept}"'


def _in_one_line(value: object) -> object:
    """Return a text with single spaces between its words."""
    return " ".join(value.split()) if isinstance(value, str) else value


Label = Annotated[
    str,
    StringConstraints(pattern=r"(?i)^[^\d(]*(?:\d+(?:\.\d+)*[\s.]*(?:\(?[a-z]\)?)?|\([a-z]\)|\s[a-z])$"),
    BeforeValidator(_in_one_line),  # pydantic runs this before the pattern is checked
]
"""A word and a number or a part's letter by which headings name a question: `task 3`, `problem 1a`, `exercise 3.2`,
`task 2.3.b`, `part (b)`. A number alone, `8`, is found by the sequence of all numbers."""


Witness = Annotated[str, StringConstraints(pattern=r"^(?:(?:otter|nbgrader|gradescope|pytest):.+)?$")]

Rounding = Annotated[Decimal, Field(gt=0, le=1)]
CENT: Final = Decimal("0.01")

EXPERIMENT_OPTIONS: Final = frozenset({"experiment", "better", "worse"})
"""The options by which an item names experiments."""


class Item(Frozen):
    """One item. A partial answer earns `partial` (0 to 1) of its points. `needs` are items without which this one
    cannot be judged. `check` names the check that decides it, and `options` are that check's arguments. With `evidence
    = "logs"`, points for an experiment go to review if no log or output shows a run of it."""

    id: Identifier = Field(description="Do not change it once a class is graded.")
    title: str = Field(description="The title in reports.")
    points: Annotated[Decimal, Field(ge=0, description='The maximum. Write a fraction in quotes: `"1.5"`.')]
    partial: Annotated[
        Decimal, Field(ge=0, le=1, description="The share of the points for a partial answer, 0 to 1.")
    ] = Decimal("0.5")
    check: str = Field(description="The [check](checks.md) that decides it.")
    options: dict[str, Any] = Field(
        default_factory=dict,
        description="The options of the check, such as `options.value = 4`.",
    )
    needs: tuple[str, ...] = Field(
        default=(), description="Ids of earlier items. If one is missing, this one is not assessed."
    )
    rounding: Rounding | None = Field(
        default=None, description="Points are rounded to multiples of this, by default the lab's `rounding`."
    )
    evidence: Literal["report", "logs"] = Field(
        default="report",
        description="With `logs`, points for an experiment go to review if neither a log nor an output shows a run.",
    )
    witness: Witness = Field(
        default="",
        description="A [test of another tool](tests.md), such as `otter:q3`.",
    )

    @property
    def rubric(self) -> tuple[Decimal, ...]:
        """The points of each row of the item's rubric; empty without a rubric."""
        return tuple(points for row in self._rows if (points := _number(row["points"])) is not None)

    @property
    def rubric_texts(self) -> tuple[str, ...]:
        """The text of each row of the item's rubric."""
        return tuple(str(row.get("text", "")) for row in self._rows)

    @property
    def _rows(self) -> list[dict[str, Any]]:
        rows = self.options.get("rubric", ())
        return [row for row in rows if isinstance(row, dict) and "points" in row] if isinstance(rows, list) else []


def _number(value: object) -> Decimal | None:
    """Return a finite number, or None for anything else."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def rubrics_of(items: Iterable[Item]) -> dict[str, int]:
    """Return the numbers of rows in the rubrics of the items that have one."""
    return {item.id: len(item.rubric) for item in items if item.rubric}


class Watch(Frozen):
    """A check of the submission as a whole, which raises flags and decides no item."""

    check: str = Field(description="The [check](checks.md), such as `foreign-hand-in`.")
    options: dict[str, Any] = Field(default_factory=dict, description="The options of the check.")


class Question(Frozen):
    """A question of the handout. A question without a number has no `labels` and is found by its title. `words` are
    prefixes of words on its subject: a text without any of them does not answer it. `asks` is the question in the
    handout's words: copies of it in a submission identify the question and are not part of the answer. `file` is the
    notebook of the handout that asks it, if the lab has several; only this notebook is searched for the answer."""

    id: Identifier = Field(description="Its id.")
    title: str = Field(description="The title in reports.")
    labels: tuple[Label, ...] = Field(description="Its [names in headings](#labels).")
    file: str = Field(
        default="",
        description="The notebook that asks it, if the handout has several.",
    )
    words: tuple[str, ...] = Field(
        default=(),
        description="[Words](#words) for its subject. If everything was read and none of them occurs, the answer "
        "is missing. Without `words`, an answer that is not found goes to review.",
    )
    asks: str = Field(
        default="",
        description="The complete wording of the question, in Markdown. If a student copies it, the answer begins "
        "after the copy.",
    )
    items: Annotated[tuple[Item, ...], Field(min_length=1, description="Its items.")]


class Trend(Frozen):
    """The quantities that grow (`rises`) or shrink (`falls`) when the parameter grows. An answer that says
    the contrary is worth no more than `worth`."""

    of: tuple[str, ...] = Field(
        default=(), description="If the trend depends on something other than the parameter: words for it."
    )
    rises: tuple[str, ...] = Field(default=(), description="Words for what grows.")
    falls: tuple[str, ...] = Field(default=(), description="Words for what shrinks.")
    worth: Literal["partial", "incorrect", "review"] = Field(
        default="partial", description="The best verdict for an answer that says the opposite."
    )


class Contrary(Frozen):
    """Two states, one right and one wrong, in clauses with a word listed in `of`. A sentence with one of the words
    `unless` is left out."""

    of: tuple[str, ...] = Field(default=(), description="The clause must contain one of these words.")
    right: tuple[str, ...] = Field(default=(), description="Words for the right state.")
    wrong: Annotated[tuple[str, ...], Field(min_length=1, description="Words for the wrong state.")]
    behind: bool = Field(
        default=False,
        description="Whether only the first state after a word listed in `of` counts: with the word `rank`, `rank of "
        "the update to the base model` names the state `update`, not `base`.",
    )
    unless: tuple[str, ...] = Field(default=(), description="Sentences with one of these words are ignored.")
    worth: Literal["partial", "incorrect", "review"] = Field(
        default="partial", description="The best verdict for an answer that names the wrong state."
    )
    why: str = Field(default="", description="A sentence on what is right, shown to students who name the wrong state.")


class Form(Frozen):
    """A form of right definitions. Such a definition has one word of each group in `needs`, in any order. Besides, it
    may have words in `allows`, function words such as articles, and the name and the value of the parameter."""

    needs: Annotated[tuple[tuple[str, ...], ...], Field(min_length=2, description="Groups of words.")]
    allows: tuple[str, ...] = Field(default=(), description="Further words that may occur.")


class DefinitionPart(Frozen):
    """A part of a right definition. An answer without a word listed in `words` is told that `says` was not found."""

    says: str = Field(description="The part in words that students read, such as `that it is a probability`.")
    words: Annotated[tuple[str, ...], Field(min_length=1, description="Words of which one shows the part.")]


class Parameter(Frozen):
    """A configuration parameter that the lab sets. `of` is the class that has it, such as `torch.optim.SGD`, from which
    the library's data about it is taken. `spellings` are further ways in which texts write the value. `summary` is a
    right definition for students to read, `facts` are the ids of facts that show what the parameter does, and
    `documentation` are phrases of the library's documentation. `words` are further names of it within a sentence.
    `trends` and `contraries` say what is true of it, and `forms` describe plain right definitions."""

    id: Identifier = Field(description="Its id.")
    names: Annotated[tuple[str, ...], Field(min_length=1, description="Its names in texts and code.")]
    value: str = Field(description="The lab's value, as text.")
    of: str = Field(default="", description="The class it belongs to, such as `peft.LoraConfig`.")
    spellings: tuple[str, ...] = Field(default=(), description="Further spellings of the value.")
    summary: str = Field(default="", description="A right definition, shown to students.")
    facts: tuple[str, ...] = Field(default=(), description="Ids of facts in `truth.json` that show what it does.")
    documentation: tuple[str, ...] = Field(
        default=(), description="Phrases of the library's documentation; copies of them are flagged."
    )
    words: tuple[str, ...] = Field(default=(), description="Further [words](#words) that name it in sentences.")
    trends: tuple[Trend, ...] = Field(default=(), description="What grows and shrinks with it.")
    contraries: tuple[Contrary, ...] = Field(default=(), description="Which of two states is right.")
    forms: tuple[Form, ...] = Field(default=(), description="Forms of plain right definitions.")
    parts: tuple[DefinitionPart, ...] = Field(
        default=(), description="The parts of a right definition; feedback names those that an answer lacks."
    )


class ChangedArgument(Frozen):
    """Arguments that a library accepts from version `since` on and before version `until`. `calls` are the last parts
    of the functions' and classes' names."""

    library: str = Field(description="The name of the package.")
    module: str = Field(default="", description="The name of the module, if it differs.")
    calls: Annotated[tuple[str, ...], Field(min_length=1, description="The last parts of the names of the functions.")]
    arguments: dict[str, str] = Field(description="The arguments, each with its replacement in other versions, if any.")
    since: Release = Field(default="", description="The first version that accepts them, such as `1.8`.")
    until: Release = Field(default="", description="The first version that no longer accepts them.")

    def takes(self, version: str) -> bool | None:
        """Whether a version accepts them; None for an inexact version such as `4` or `5.0.0rc1`."""
        parts = version.partition("+")[0].split(".")
        release = tuple(map(int, takewhile(str.isdecimal, parts)))
        since, until = (tuple(map(int, version.split("."))) if version else () for version in (self.since, self.until))
        for bound in filter(None, (since, until)):
            is_before = len(release) < len(parts) and not any(release[len(bound) :])  # such as `5.0.0rc1`
            if release[: len(bound)] == bound[: len(release)] and (len(release) < len(bound) or is_before):
                return None
        return since <= release and not (until and until <= release)


class PartName(Frozen):
    """The words that students use for a part of a model. Built-in words of a part of the same name are not used
    then."""

    part: str = Field(description="The part, as named in `parts` of a model.")
    words: Annotated[tuple[str, ...], Field(min_length=1, description="[Words](#words) that students use for it.")]


class Symbol(Frozen):
    """A size of the lab's model, such as `d_model`."""

    names: Annotated[tuple[str, ...], Field(min_length=1, description="Its names in formulas.")]
    value: int = Field(description="The size.")


class Lab(Frozen):
    """A whole lab. Ids are stable: results, overrides and gradebooks refer to them."""

    id: Identifier = Field(description="Do not change it once a class is graded.")
    title: str = Field(description="The heading of the reports.")
    extends: str = Field(
        default="",
        description="For an [edition](#editions), the lab that it extends: a folder beside it or the name of a "
        "shipped lab.",
    )
    leave_out: tuple[str, ...] = Field(default=(), description="Ids of entries of the extended lab to leave out.")
    language: str = Field(default="en", description="The language of reports, unless `--lang` names another.")
    seeds: Annotated[int, Field(gt=0, description="The number of seeds, if there are no `repetitions`.")] = 1
    questions: Annotated[tuple[Question, ...], Field(min_length=1, description="The questions, in order.")]
    watches: tuple[Watch, ...] = Field(default=(), description="Checks of the submission as a whole.")
    rounding: Rounding = Field(default=CENT, description="Points are rounded to multiples of this, such as 0.25.")
    names_markers: bool = Field(default=True, description="Whether reports name the marker who decided an item.")
    experiments: tuple[Experiment, ...] = Field(default=(), description="Experiments whose results students report.")
    repetitions: tuple[Repetition, ...] = Field(default=(), description="By default, seeds.")
    measures: tuple[Measure, ...] = Field(default=(), description="By default, an accuracy in percent.")
    splits: tuple[Split, ...] = Field(default=(), description="The parts of the data.")
    parameters: tuple[Parameter, ...] = Field(default=(), description="What students set or define.")
    symbols: tuple[Symbol, ...] = Field(default=(), description="Names of sizes in formulas.")
    parts: tuple[PartName, ...] = Field(default=(), description="Names of the parts of models.")
    logs: tuple[LogFormat, ...] = Field(default=(), description="Log formats that the grader does not know.")
    changed: tuple[ChangedArgument, ...] = Field(
        default=(), description="Arguments that differ between library versions."
    )
    models: tuple[dict[str, Any], ...] = Field(default=(), description="What `grade truth build` counts.")
    reruns: tuple[dict[str, Any], ...] = Field(default=(), description="What `grade truth rerun` runs.")
    late: LatePolicy = Field(default=LatePolicy(), description="The penalty for late submissions.")
    requests: RequestPolicy = Field(default=RequestPolicy(), description="Limits on requests about released reports.")
    short_answers: ShortAnswers | None = Field(
        default=None, description="The model for [short answers](short-answers.md)."
    )
    decisions: Decisions = Decisions()
    templates: Templates = Templates()
    sha256: str = Field(default="", description="Of the files that the lab was read from.")

    @property
    def items(self) -> Iterator[Item]:
        """The items in the order of the lab."""
        return (item for question in self.questions for item in question.items)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that grading reads: the frozen model of short answers, and the marked examples shown to staff as
        the nearest ones."""
        settings = self.short_answers
        if settings is None or settings.model is None:
            return ()
        examples = settings.model.path.parent / settings.examples
        return (settings.model.path, *([examples] if examples.is_file() else []))

    @property
    def max_score(self) -> Decimal:
        """The total points of all items."""
        return sum((item.points for item in self.items), Decimal(0))

    @property
    def measured(self) -> tuple[Measure, ...]:
        """The lab's measures, the usual one first."""
        return self.measures or (ACCURACY,)

    def measures_of(self, experiment: str) -> tuple[Measure, ...]:
        """Return the measures of an experiment, its usual measure first."""
        names = next((candidate.measures for candidate in self.experiments if candidate.id == experiment), ())
        return tuple(measure for name in names for measure in self.measured if measure.id == name) or self.measured

    def measure(self, name: str | None, experiment: str) -> Measure:
        """Return the measure with an id, or without one the usual measure of an experiment. Raises StopIteration for an
        unknown id."""
        return next(measure for measure in self.measures_of(experiment) if name in (None, measure.id))

    def repetition_of(self, experiment: str) -> Repetition:
        """Return the variable that an experiment is repeated over, with the number of repetitions."""
        own_experiment = next((candidate for candidate in self.experiments if candidate.id == experiment), None)
        known_repetitions = self.repetitions or (SEED.model_copy(update={"number": self.seeds}),)
        found = next(
            (
                repetition
                for repetition in known_repetitions
                if own_experiment and repetition.id == own_experiment.repetitions
            ),
            known_repetitions[0],
        )
        return (
            found.model_copy(update={"number": own_experiment.number})
            if own_experiment and own_experiment.number
            else found
        )

    @property
    def selecting(self) -> str | None:
        """The id of the split that selects checkpoints and settings, or None."""
        return next((split.id for split in self.splits if split.serves is Role.SELECT), None)

    @property
    def reported(self) -> tuple[str, ...]:
        """The ids of the splits whose results are asked for, the usual one first."""
        return tuple(split.id for split in self.splits if split.serves is Role.REPORT)

    @property
    def log_formats(self) -> tuple[LogFormat, ...]:
        """The formats of logs, with the ids of the lab's splits."""
        own_splits = {split.id: split.id for split in self.splits}
        return tuple(log.model_copy(update={"splits": own_splits | log.splits}) for log in self.logs)

    @property
    def sizes(self) -> dict[str, int]:
        """The known numbers of examples in the splits, by id."""
        return {split.id: split.examples for split in self.splits if split.examples is not None}

    def question_of(self, item: str) -> str:
        """Return the id of an item's question. Raises StopIteration for an unknown item."""
        return self.asking(item).id

    def asking(self, item: str) -> Question:
        """Return the question of an item. Raises StopIteration for an unknown item."""
        return next(question for question in self.questions if item in {candidate.id for candidate in question.items})

    @model_validator(mode="before")
    @classmethod
    def _items_round_alike(cls, data: Any) -> Any:
        """Give the lab's rounding to items without their own."""
        if not isinstance(data, dict) or "rounding" not in data:
            return data
        questions = [
            {**question, "items": [{"rounding": data["rounding"], **item} for item in question["items"]]}
            if isinstance(question, dict) and all(isinstance(item, dict) for item in question.get("items") or [None])
            else question
            for question in data.get("questions", ())
        ]
        return {**data, "questions": questions}

    @model_validator(mode="after")
    def _references_hold(self, info: ValidationInfo) -> Self:
        wrong = [] if info.context == FORM_ONLY else [reference.text for reference in self.wrong_references()]
        if wrong:
            raise ValueError(" ".join(wrong))
        return self

    def wrong_references(self) -> "Iterator[WrongReference]":
        """Yield ids that occur twice, and references to unknown names, in the order of the lab."""
        if self.leave_out and not self.extends:
            text = "`leave_out` is for editions; name the lab that this one `extends`, or take it out."
            yield WrongReference(("leave_out",), text)
        yield from _repeated(
            [*_numbered("questions", self.questions), *((item.id, place) for item, place in self.placed_items())]
        )
        above: list[str] = []
        for item, place in self.placed_items():
            for need in item.needs:
                if need not in above:
                    text = f"{item.id} needs {need}, which is no item above it."
                    yield WrongReference((*place, "needs"), text, need, tuple(above))
            above.append(item.id)
            if item.evidence == "logs" and EXPERIMENT_OPTIONS.isdisjoint(item.options):
                text = f'{item.id} asks for evidence = "logs", but its options name no experiment; leave it out.'
                yield WrongReference((*place, "evidence"), text)
        groups: dict[str, Sequence[Any]] = {
            "measures": self.measures,
            "repetitions": self.repetitions,
            "splits": self.splits,
            "experiments": self.experiments,
            "parameters": self.parameters,
        }
        for kind, group in groups.items():
            yield from _repeated([*_numbered(kind, group)])
        if self.repetitions and "seeds" in self.model_fields_set:
            text = "`repetitions` and `seeds` exclude each other; write one of them."
            yield WrongReference(("seeds",), text)
        yield from self._named_by_experiments()

    def placed_items(self) -> Iterator[tuple[Item, tuple[str | int, ...]]]:
        """The items, each with its place in `lab.toml`: names of keys, and indices of lists."""
        for number, question in enumerate(self.questions):
            for index, item in enumerate(question.items):
                yield item, ("questions", number, "items", index)

    def _named_by_experiments(self) -> "Iterator[WrongReference]":
        """Yield the references of experiments and log formats to entries that the lab does not have."""
        questions = tuple(question.id for question in self.questions)
        experiments = tuple(lab_experiment.id for lab_experiment in self.experiments)
        repetitions = tuple(repetition.id for repetition in self.repetitions) or (SEED.id,)
        measures = tuple(measure.id for measure in self.measured)
        splits = tuple(dict.fromkeys(("train", "valid", "test", *(split.id for split in self.splits))))
        for number, experiment in enumerate(self.experiments):
            named = (
                ("question", (experiment.question,), questions),
                ("repetitions", (experiment.repetitions,) if experiment.repetitions else (), repetitions),
                ("measures", experiment.measures, measures),
                ("like", experiment.like, experiments),
                ("contrary", (experiment.contrary,) if experiment.contrary else (), experiments),
            )
            for key, names, known_ids in named:
                for name in names:
                    if name not in known_ids:
                        text = f"The experiment {experiment.id} names {name!r} as `{key}`, which is not there."
                        yield WrongReference(("experiments", number, key), text, name, known_ids)
        for number, log in enumerate(self.logs):
            if log.experiment and log.experiment not in experiments:
                text = f"A log names the experiment {log.experiment!r}, which is not there."
                yield WrongReference(("logs", number, "experiment"), text, log.experiment, experiments)
            for name in sorted(set(log.splits.values()) - set(splits)):
                text = f"A log names the split {name!r}, which is not there."
                yield WrongReference(("logs", number, "splits"), text, name, splits)


class WrongReference(NamedTuple):
    """A reference to an unknown name, or a repeated id: its place in the lab, the problem, and the known names."""

    place: tuple[str | int, ...]
    text: str
    name: str = ""
    known: tuple[str, ...] = ()


def _numbered(kind: str, group: Sequence[Any]) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Return the id of each entry of a list, with its place in the lab."""
    return ((entry.id, (kind, number)) for number, entry in enumerate(group))


def _repeated(places: Sequence[tuple[str, tuple[str | int, ...]]]) -> Iterator[WrongReference]:
    often = Counter(id_ for id_, _ in places)
    for id_, place in places:
        if often[id_] > 1:
            text = f"The id {id_!r} is used {often[id_]} times; give each its own."
            yield WrongReference((*place, "id"), text)
