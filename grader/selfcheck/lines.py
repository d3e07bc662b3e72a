"""A self-check as lines of text, in its reader's language."""

import math
import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import Final

from grader.message import Language, Message, Words, join_messages, label_text, say, say_number, say_values
from grader.reading.reading import FileState
from grader.selfcheck.seen import Level, Place, SeenFile, SeenNotebook, SeenResults, SeenRun, SeenSubmission

NOTE: Final = say("This is only what was read. It says nothing about what is right, and gives no points.")
_STATES: Final = {
    FileState.READ: say("read"),
    FileState.PARTLY: say("read in part"),
    FileState.UNREADABLE: say("could not be read"),
    FileState.IGNORED: say("not looked at"),
}
_DULL: Final = (FileState.READ, FileState.IGNORED)
_MOST_OF_A_KIND: Final = 8
_NARROWEST: Final = 30
"""Columns of a terminal; longer lines are wrapped."""
_MARKS: Final = {Level.MEND: "!", Level.LOOK: "?"}


def place_words(place: Place | None) -> Words:
    """Return the words for a place: `report.pdf, page 2`."""
    if place is None:
        return ""
    if place.page is not None:
        part = say("page {page}", page=place.page)
    elif place.cell is not None:
        part = say("cell {cell}", cell=place.cell)
    elif place.line is not None:
        part = say("line {line}", line=place.line)
    else:
        return place.file
    return say_values("{file}, {part}", file=place.file, part=part)


def state_words(state: FileState) -> Message:
    """Return the message that says what became of a file."""
    return _STATES[state]


def size_words(file: SeenFile, language: Language) -> str:
    """The size of a file; empty where the file was refused."""
    return "" if file.size is None else f"{language.number(math.ceil(file.size / 1000), ',')} kB"


def notebook_words(notebook: SeenNotebook) -> Message:
    """One line on how many cells of a notebook show that they were run."""
    if not notebook.holds_outputs:
        return say("{file} is a script, which cannot show a run.", file=notebook.file)
    return say(
        "{file}: {ran} of {cells} code cells show a run", file=notebook.file, ran=notebook.ran, cells=notebook.cells
    )


def result_words(results: SeenResults) -> Message:
    """The figures of an experiment in a line: those of its repetitions, mean, deviation."""
    parts: list[Words] = []
    if results.values:
        parts.append(
            label_text(
                say_values("{number} {runs}", number=len(results.values), runs=results.runs), ", ".join(results.values)
            )
        )
    if results.mean:
        parts.append(say("mean {value}", value=results.mean))
    if results.deviation:
        parts.append(say("standard deviation {value}", value=results.deviation))
    return join_messages("; ", parts)


def run_words(run: SeenRun) -> Message:
    """One line on a logged run: framework, experiment, seed, what was measured."""
    parts: list[Words] = [run.framework or say("framework not told"), run.experiment or say("an unknown experiment")]
    parts.append(say("seed {seed}", seed=run.seed) if run.seed else say("seed unknown"))
    if run.updates and run.by_epoch:
        parts.append(say_number("{number:,} epoch", "{number:,} epochs", run.updates))
    elif run.updates is not None:
        parts.append(say_number("{number:,} update", "{number:,} updates", run.updates))
    parts += (
        say_number(
            "{measure} on {split}: once",
            "{measure} on {split}: {number:,} times",
            count.number,
            measure=count.measure,
            split=count.split,
        )
        for count in run.logged
    )
    if not run.logged:
        parts.append(say("nothing measured"))
    return join_messages(", ", parts)


def lines(found: SeenSubmission, language: Language) -> Iterator[str]:
    """The whole check, for a terminal."""
    translated = language.say
    yield translated(say("{title}: what was read of this submission", title=found.title))
    yield translated(NOTE)
    yield ""
    if not found.remarks:
        yield language.say(say("Nothing stands out."))
    for remark in found.remarks:
        yield f"{_MARKS[remark.level]} {remark.text}"
    yield from _headed(translated(say("Files")), _files(found, language))
    yield from _headed(translated(say("Questions")), _questions(found, language))
    yield from _headed(translated(say("Numbers that may be the total")), _numbers(found, language))
    yield from _headed(translated(say("Results")), _results(found, language))
    yield from _headed(translated(say("Definitions")), _definitions(found, language))
    yield from _headed(translated(say("Training logs")), _logs(found, language))
    yield from _headed(
        translated(say("Notebooks")), (language.say(notebook_words(notebook)) for notebook in found.notebooks)
    )
    yield ""
    yield translated(next_words(found))


def wrap_line(line: str, width: int | None) -> str:
    """A line wrapped at words to `width` columns, None for no limit; continuation lines are indented, except in
    prose."""
    if width is None or len(line) < width:
        return line
    is_prose = line[:1].isalpha()
    indent = "" if is_prose else " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(
        line, max(width - 1, _NARROWEST), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def next_words(found: SeenSubmission) -> Message:
    """Return the message that tells the author what to do now."""
    levels = {remark.level for remark in found.remarks}
    if Level.MEND in levels and Level.LOOK in levels:
        return say("Next: fix what is marked with !, look at what is marked with ?, then check again.")
    if Level.MEND in levels:
        return say("Next: fix what is marked with !, then check again.")
    return say("Next: look at what is marked with ?, then hand in.") if levels else say("Next: hand in.")


def _headed(title: str, body: Iterator[str]) -> Iterator[str]:
    listed = list(body)
    if listed:
        yield ""
        yield title
        yield from (f"  {line}" for line in listed)


def _files(found: SeenSubmission, language: Language) -> Iterator[str]:
    """A line for each file; many files of one kind that were read are only counted."""
    kinds = Counter((file.role, file.state) for file in found.files)
    many = {kind for kind, number in kinds.items() if number > _MOST_OF_A_KIND and kind[1] in _DULL}
    for kind in sorted(many):
        state = language.say(state_words(kind[1]))
        yield language.say(
            say_number(
                "{role}: {number} file, {state}",
                "{role}: {number} files, {state}",
                kinds[kind],
                role=kind[0],
                state=state,
            )
        )
    for file in found.files:
        if (file.role, file.state) in many:
            continue
        state = language.say(state_words(file.state))
        size = f", {size_words(file, language)}" if file.size is not None else ""
        taken = language.say(say(", taken as the report")) if file.path == found.report else ""
        yield f"{file.path}: {file.role}{size}, {state}{taken}"


def _questions(found: SeenSubmission, language: Language) -> Iterator[str]:
    for question in found.questions:
        if question.place is None:
            yield f"{question.id}  {question.title}: " + language.say(say("no heading of the report names it"))
        else:
            words = language.say(say_number("{number:,} word", "{number:,} words", question.words))
            begins = f" {question.beginning} …" if question.beginning else ""
            place = language.say(place_words(question.place))
            yield f"{question.id}  {question.title}: “{question.heading}” ({place}; {words}){begins}"


def _numbers(found: SeenSubmission, language: Language) -> Iterator[str]:
    for number in found.numbers:
        mark = language.say(say("called the total")) + ", " if number.is_total else ""
        yield f"{number.question}  {number.text} ({mark}{language.say(place_words(number.place))}): “{number.quote}”"


def _results(found: SeenSubmission, language: Language) -> Iterator[str]:
    for result in found.results:
        split = result.split or language.say(say("data not named"))
        result_text, place = language.say(result_words(result)), language.say(place_words(result.place))
        yield f"{result.experiment}, {result.measure}, {split}: {result_text} ({place})"
    if found.loose:
        for figure in found.loose[:_MOST_OF_A_KIND]:
            place = language.say(place_words(figure.place))
            quoted = say("“{words}”", words=figure.text)
            yield language.say(
                label_text(say("not understood"), say_values("{quoted} ({place})", quoted=quoted, place=place))
            )


def _definitions(found: SeenSubmission, language: Language) -> Iterator[str]:
    for definition in found.definitions:
        if definition.text:
            yield f"{definition.parameter}: “{definition.text}” ({language.say(place_words(definition.place))})"
        else:
            yield f"{definition.parameter}: " + language.say(
                say("not found in a list or table; the text is read as a whole")
            )


def _logs(found: SeenSubmission, language: Language) -> Iterator[str]:
    for run in found.runs:
        place = language.say(place_words(run.place))
        yield f"{run.name} ({place}): {language.say(run_words(run))}"
        yield from (f"  {problem}" for problem in run.problems)
