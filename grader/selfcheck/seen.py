"""The result of a self-check: what was read of a hand-in, as data for its author. It holds nothing of what is right."""

from enum import StrEnum

from pydantic import Field

from grader.frozen import Frozen
from grader.message import Words
from grader.reading.reading import FileState


class Level(StrEnum):
    """The weight of a remark: something is missing or cannot be read, or something is worth a look."""

    MEND = "mend"
    LOOK = "look"


class Place(Frozen):
    """A place in a hand-in. Pages and lines count from 1, cells from 0, as in results and reports."""

    file: str
    page: int | None = None
    line: int | None = None
    cell: int | None = None


class SeenFile(Frozen):
    """A file of the hand-in; `size` in bytes, None where it was not let in."""

    path: str
    role: str
    state: FileState
    size: int | None = None
    reason: Words = ""


class SeenQuestion(Frozen):
    """A question of the lab and the heading under which the report answers it, if one names it; `beginning` are the
    first words of the answer, of which it has so many `words`."""

    id: str
    title: Words
    heading: str = ""
    place: Place | None = None
    beginning: str = ""
    words: int = 0


class SeenNumber(Frozen):
    """A number that may be the total that a question asks for; `is_total`: words call it so."""

    question: str
    text: str
    is_total: bool
    place: Place
    quote: str


class SeenResults(Frozen):
    """Results of one experiment by one measure on one part of the data, as the report states them: the values of the
    repetitions, which are called `runs`, their mean and deviation. Shares are in percent."""

    experiment: Words
    measure: Words
    split: str
    runs: Words
    values: tuple[str, ...] = ()
    mean: str = ""
    deviation: str = ""
    place: Place | None = None


class SeenFigure(Frozen):
    """A number that may be a result; the text does not say of what."""

    text: str
    place: Place


class SeenDefinition(Frozen):
    """A parameter that the lab asks about; `text` is empty where no definition was found."""

    parameter: str
    text: str = ""
    place: Place | None = None


class SeenLogged(Frozen):
    """The number of times that a measure was logged on a part of the data."""

    measure: Words
    split: Words
    number: int


class SeenRun(Frozen):
    """A training run in the logs. Unknown values are empty or None. Some logs count epochs in place of updates."""

    name: str
    framework: str = ""
    experiment: Words = ""
    seed: str = ""
    updates: int | None = None
    by_epoch: bool = False
    logged: tuple[SeenLogged, ...] = ()
    place: Place | None = None
    problems: tuple[Words, ...] = ()


class SeenNotebook(Frozen):
    """The state of a notebook: its code cells, those that show a run, and those that ended in an error."""

    file: str
    cells: int
    ran: int
    errors: tuple[int, ...] = ()
    still_open: int = 0
    holds_outputs: bool = True


class Remark(Frozen):
    """A remark on something that a student may want to look at before handing in."""

    level: Level
    text: Words


class SeenSubmission(Frozen):
    """All that was read of a hand-in. `words` are those of the report. Without a report there are no questions, and
    definitions only where one was found in another file."""

    schema_version: int = Field(default=1, alias="schema")
    lab: str
    title: Words
    report: str | None
    report_reason: Words = ""
    words: int = 0
    files: tuple[SeenFile, ...] = ()
    questions: tuple[SeenQuestion, ...] = ()
    numbers: tuple[SeenNumber, ...] = ()
    results: tuple[SeenResults, ...] = ()
    loose: tuple[SeenFigure, ...] = ()
    definitions: tuple[SeenDefinition, ...] = ()
    runs: tuple[SeenRun, ...] = ()
    notebooks: tuple[SeenNotebook, ...] = ()
    remarks: tuple[Remark, ...] = ()
