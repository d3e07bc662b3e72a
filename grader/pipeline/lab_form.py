"""Whether the keys and values of `lab.toml` have the form that a lab has, and on which line each problem stands."""

import copy
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from grader.checks.check import Check, nearest, suggest_name
from grader.checks.registry import find_check
from grader.frozen import Frozen
from grader.lab.definition import FORM_ONLY, Lab
from grader.lab.files import LabError, entry_id, merged_data
from grader.lab.kinds import problem_sentence


class Severity(StrEnum):
    """With an error, grades would be wrong or there would be none; a warning is worth a look."""

    ERROR = "error"
    WARNING = "warning"


class Problem(Frozen):
    """One thing, in the words that the instructor reads. `line` counts from 1; None where no one line is to blame."""

    severity: Severity
    file: str
    text: str
    line: int | None = None

    @property
    def place(self) -> str:
        """As compilers write it, so that editors can jump there."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def report_line(self, folder: Path) -> str:
        """The line that tells the problem of a lab's folder."""
        return f"{folder / self.place}: {self.severity.value}: {self.text.rstrip()}"


def error(file: str, line: int | None, text: str) -> Problem:
    """Return a problem that must be mended."""
    return Problem(severity=Severity.ERROR, file=file, line=line, text=text)


def warning(file: str, line: int | None, text: str) -> Problem:
    """Return a problem that is worth a look."""
    return Problem(severity=Severity.WARNING, file=file, line=line, text=text)


Key = tuple[str | int, ...]
"""Where a value stands: names of tables and keys, and places in arrays of tables."""

_PIECE: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"""'
    r"|'''.*?'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|\n|[^\S\n]+|[\[\]{}=.,]|[^\s\[\]{}=.,\"'\#]+|.",
    re.DOTALL,
)
_OPEN, _CLOSE = frozenset("[{"), frozenset("]}")


class TomlLines:
    """The lines, counted from 1, of all keys and headings of a valid TOML text. Keys of inline tables are not known by
    themselves; they stand with the key that holds them."""

    def __init__(self, text: str, place_in_file: Callable[[Key], Key] = lambda place: place) -> None:
        self._text: str | None = text
        self._place_in_file = place_in_file
        self._lines: dict[Key, int] = {}
        self._sizes: dict[Key, int] = {}

    def line_of(self, *place: str | int) -> int | None:
        """The line of a place, or of the nearest thing around it that has one."""
        # A sound lab needs no lines, and to find them takes longer than all else.
        text, self._text = self._text, None
        table: Key = ()
        for line, pieces in _statements(text or ""):
            if pieces[0] == "[":
                table = self._headed(_names(pieces), is_array=pieces[1:2] == ["["], line=line)
            else:
                self._known((*table, *_names(pieces[: pieces.index("=")])), line, above=len(table))
        place = self._place_in_file(place)
        return next((self._lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in self._lines), None)

    def _headed(self, names: list[str], *, is_array: bool, line: int) -> Key:
        """The table that a heading opens; a name on its way that is an array of tables means the array's last one."""
        table: Key = ()
        for name in names:
            table = (*table, name)
            if table in self._sizes and not (is_array and table == self._path(names)):
                table = (*table, self._sizes[table] - 1)
        if is_array:
            self._lines.setdefault(table, line)
            number = self._sizes.get(table, 0)
            self._sizes[table] = number + 1
            table = (*table, number)
        self._known(table, line)
        return table

    def _path(self, names: list[str]) -> Key:
        """Return the place of an array of tables before one more table is put into it."""
        place: Key = ()
        for name in names[:-1]:
            place = (*place, name)
            if place in self._sizes:
                place = (*place, self._sizes[place] - 1)
        return (*place, names[-1])

    def _known(self, place: Key, line: int, above: int = 0) -> None:
        for end in range(above + 1, len(place) + 1):
            self._lines.setdefault(place[:end], line)


def _statements(text: str) -> Iterator[tuple[int, list[str]]]:
    """Headings and `key = value` pairs as pieces, each with the line that it begins on."""
    line, depth, start = 1, 0, 1
    pieces: list[str] = []
    for match in _PIECE.finditer(text + "\n"):
        piece = match.group()
        if piece == "\n" and not depth:
            if pieces:
                yield start, pieces
            pieces = []
        elif not piece.isspace() and not piece.startswith("#"):
            start = start if pieces else line
            depth += (piece in _OPEN) - (piece in _CLOSE)
            pieces.append(piece)
        line += piece.count("\n")


def _names(pieces: list[str]) -> list[str]:
    """The parts of a dotted key."""
    return [piece[1:-1] if piece[0] in "\"'" else piece for piece in pieces if piece not in (*"[].",)]


LAB: Final = "lab.toml"


class Source(NamedTuple):
    """The content of `lab.toml`, with the lines of its keys."""

    data: dict[str, Any]
    lines: TomlLines

    def item(self, id_: str, *keys: str) -> int | None:
        """The line of a key of an item, or of the item."""
        for number, question in enumerate(self.data.get("questions", [])):
            for index, item in enumerate(question.get("items", [])):
                if item.get("id") == id_:
                    return self.lines.line_of("questions", number, "items", index, *keys)
        return None

    def entry(self, array: str, id_: str, *keys: str) -> int | None:
        """The line of a key of an entry of an array of tables, such as an experiment, by the entry's id."""
        for number, entry in enumerate(self.data.get(array, [])):
            if entry.get("id") == id_:
                return self.lines.line_of(array, number, *keys)
        return None


def read_source(folder: Path, file: str = LAB) -> Source | Problem:
    """A TOML file of a lab, merged into that of the lab that it extends, or why it cannot be read."""
    text = ""
    try:
        text = (folder / file).read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        data = tomllib.loads(text)
        if file != LAB or "extends" not in data:
            return Source(data, TomlLines(text))
        merged = merged_data(folder)
        return Source(merged, TomlLines(text, partial(_place_in_edition, merged, data)))
    except LabError as failure:
        message = str(failure).removeprefix(f"{folder / file}: ")
        return error(file, TomlLines(text).line_of("leave_out" if "leave_out" in message else "extends"), message)
    except OSError as failure:
        return error(file, None, f"The file cannot be read ({failure.strerror or ''}).")
    except UnicodeDecodeError:
        return error(file, None, "The file is not UTF-8 text; save it as UTF-8.")
    except (tomllib.TOMLDecodeError, RecursionError) as failure:
        at = re.search(r"at line (\d+)", str(failure))
        line = int(at[1]) if at else None
        is_double = "Cannot overwrite" in str(failure)
        remedy = _remedy(text.split(chr(10)), line, is_double=is_double)
        message = f"This is not valid TOML: {failure!s}. {remedy or 'Mend this place.'}"
        return error(file, line, message)


def _remedy(lines: Sequence[str], number: int | None, *, is_double: bool) -> str:
    """Return advice on a line that keeps a file from being TOML, if a usual mistake explains it. `is_double`: a key
    stands there twice."""
    before, line = (lines[: number - 1], lines[number - 1]) if number and number <= len(lines) else (lines, "")
    name, _, value = (part.strip() for part in line.partition("="))
    if not {*"“”„«»‘’"}.isdisjoint(line):
        return 'Write text between straight quotes: "…".'
    if is_double and "=" in line and any(text.partition("=")[0].strip() == name for text in before):
        return f"`{name}` stands there already: take out one of the two."
    if line.count('"') % 2:
        return "A quote is missing in this line."
    if re.fullmatch(r"\d+,\d+", value):
        return f"Write the number with a point: {value.replace(',', '.')}."
    if re.match(r"[^\W\d_]", value):
        return f'Write text between quotes: {name} = "{value}".'
    return _misspelt_heading([*before, line])


def _misspelt_heading(lines: Iterable[str]) -> str:
    """Return the likely name of the first heading that names no table of a lab; empty if all headings do."""
    for heading in (line.strip() for line in lines if line.lstrip().startswith("[")):
        name = heading.strip("[] ").partition(".")[0]
        nearest_name = nearest(name, Lab.model_fields)
        if nearest_name and nearest_name != name:
            return f"The heading {heading} names no table of a lab. Did you mean {heading.replace(name, nearest_name)}?"
    return ""


def _place_in_edition(merged: Any, edition: Any, place: Key) -> Key:
    """The place in an edition's file of what stands at a place of the merged lab, as far as the edition says it."""
    found: list[str | int] = []
    for part in place:
        merged, at = _at(merged, part), part
        if isinstance(part, int) and isinstance(edition, list) and entry_id(merged):
            at = next(
                (number for number, entry in enumerate(edition) if entry_id(entry) == entry_id(merged)), len(edition)
            )
        edition = _at(edition, at)
        if edition is None:
            break
        found.append(at)
    return tuple(found)


_FILES: Final = {"runs": "evidence/*.toml", "bands": "evidence/*.toml", "answers": "answers.toml"}
_OF_OTHER_FILES: Final = frozenset({"decisions", "templates", "sha256"})


class Form(NamedTuple):
    """The problems with the form of `lab.toml`, and the lab that it holds. Placeholders replace what is wrong, so that
    the rest can still be inspected (`is_whole` is false then); `lab` is None if too much is wrong for that. `replaced`
    are the ids and placeholders about which nothing more can be said."""

    problems: tuple[Problem, ...]
    lab: Lab | None
    source: Source
    is_whole: bool
    replaced: frozenset[str] = frozenset()

    def is_about_these(self, problem: Problem) -> bool:
        """Whether a problem would not be there, or may not be, if what is told already were mended."""
        if self.is_whole:
            return False
        return (
            problem.severity is not Severity.ERROR
            or any(repr(placeholder) in problem.text for placeholder in self.replaced)
            or (_PLACEHOLDER in problem.text)
        )


_PLACEHOLDER: Final = "unreadable-value-"
_MOST_ROUNDS: Final = 12


def form_of(source: Source) -> Form:
    """Every key that is missing, unknown or of the wrong kind, every id that is there twice, and every name that leads
    nowhere."""
    data = copy.deepcopy(source.data)
    problems: list[Problem] = []
    touched: set[Key] = set()
    replaced: set[str] = set()
    for _ in range(_MOST_ROUNDS):
        try:
            lab = Lab.model_validate(data, context=FORM_ONLY)
        except ValidationError as failure:
            found = _first_ones(failure.errors(include_url=False), data)
            problems += (_of_form(entry, source) for entry in found if not _table_of(entry, data) & touched)
            for problem in reversed(found):
                touched |= _table_of(problem, data)
                replaced |= set(_mend(data, problem))
        else:
            form = Form(tuple(problems), lab, source._replace(data=data), not problems, frozenset(replaced))
            wrong = [reference for reference in _references(lab, source) if not form.is_about_these(reference)]
            return form._replace(problems=(*problems, *wrong), is_whole=form.is_whole and not wrong)
    return Form(tuple(problems), None, source, is_whole=False)


def _first_ones(problems: Sequence[Any], data: Any) -> list[Any]:
    """The problems without those that only follow from others: a list is too short as what it holds is wrong, and an
    item has what the lab says for all of them."""
    places = [tuple(problem["loc"]) for problem in problems]

    def follows(problem: Any) -> bool:
        place = tuple(problem["loc"])
        is_hollow = problem["type"] == "too_short" and any(
            other != place and other[: len(place)] == place for other in places
        )
        return is_hollow or (
            problem["type"] != "missing" and place[-1:] == ("rounding",) and _value(data, place) is None
        )

    return [problem for problem in problems if not follows(problem)]


def _table_of(problem: Any, data: Any) -> set[Key]:
    """The place of the table in which a problem stands."""
    place: Key = ()
    for end, part in enumerate(problem["loc"]):
        data = _at(data, part)
        if isinstance(data, dict):
            place = tuple(problem["loc"][: end + 1])
    return {place}


def _at(data: Any, part: str | int) -> Any:
    if isinstance(data, dict):
        return data.get(part)
    return data[part] if isinstance(data, list) and isinstance(part, int) and part < len(data) else None


def _mend(data: dict[str, Any], problem: Any) -> Iterator[str]:
    """Takes out what is wrong, or puts a placeholder where something has to be; yields ids that are lost by that."""
    place = tuple(problem["loc"])
    while place and _at(_value(data, place[:-1]), place[-1]) is None and problem["type"] != "missing":
        place = place[:-1]
    if not place:
        return
    table, key, model = _value(data, place[:-1]), place[-1], _model(place[:-1])
    value, field = _at(table, key), model.model_fields.get(str(key))
    if isinstance(value, dict) and problem["type"] == "value_error":  # of a table as a whole
        needed = {name for name, candidate in _model(place).model_fields.items() if candidate.is_required()}
        table[key] = {name: inner for name, inner in value.items() if name in needed}
        if "id" not in needed:
            del table[key]
    elif isinstance(table, dict) and field is not None and field.is_required():
        if key == "id" and isinstance(value, str):
            yield value
        table[key] = _placeholder(field, len(str(data)))
    elif isinstance(table, dict | list):
        del table[key]
    if isinstance(table, dict):
        _mend_options(table, str(key), value, model)


def _mend_options(table: dict[str, Any], key: str, value: object, model: type[BaseModel]) -> None:
    """Puts an option that stood among the keys of its item where it belongs; of an item whose options are not known
    nothing more is said."""
    if key not in model.model_fields and key in _options_of(table):
        table["options"] = {**table.get("options", {}), key: value}
    elif key == "options" or nearest(key, list(model.model_fields)) == "options":
        table["check"] = _PLACEHOLDER


def _value(data: Any, place: Key) -> Any:
    for part in place:
        data = _at(data, part)
    return data


def _placeholder(field: FieldInfo, number: int) -> Any:
    """A value that a required field can have, with text that is nowhere else."""
    text = f"{_PLACEHOLDER}{number}"
    item = {"id": f"{text}.1", "title": text, "points": 1, "check": text}
    kind: TypeAdapter[Any] = TypeAdapter(Annotated[field.annotation, field])  # type: ignore[arg-type]
    for candidate in (text, 1, [text], [item]):
        try:
            kind.validate_python(candidate)
        except ValidationError:
            continue
        return candidate
    return None


def _of_form(problem: Any, source: Source) -> Problem:
    place = tuple(problem["loc"])
    key = next((part for part in reversed(place) if isinstance(part, str)), LAB)
    kind, given = problem["type"], problem["input"]
    if kind == "extra_forbidden":
        message = _unknown_key(str(key), place, source)
    elif kind == "string_pattern_mismatch" and key == "id":
        message = f"The id {given!r} has to be of small letters, digits, `.`, `_` and `-`, a letter or a digit first."
    elif kind == "string_pattern_mismatch" and "labels" in place:
        message = f"The label {given!r} has to end with the question's number or part, as in {_label(given)}."
    else:
        message = problem_sentence(problem)
    return error(LAB, source.lines.line_of(*place), message)


def _unknown_key(key: str, place: Key, source: Source) -> str:
    """Return what is wrong with a key that its table does not have: it is an option of the item's check, or
    misspelt."""
    model = _model(place[:-1])
    if model is Lab and key in _FILES:
        return f"`{key}` is no key of {LAB}; put it into a file of its own, {_FILES[key]}."
    hidden = _OF_OTHER_FILES if model is Lab else frozenset[str]()
    known_keys = [name for name in model.model_fields if name not in hidden]
    is_option = "check" in known_keys and key in _options_of(_value(source.data, place[:-1]))
    likely = f"Did you mean `options.{key}`? " if is_option else suggest_name(key, known_keys)
    return f"`{key}` is no key of this table. {likely}It takes: {', '.join(known_keys)}."


def _options_of(table: Any) -> Collection[str]:
    """The options of the check that a table names."""
    check = find_check(table["check"]) if isinstance(table, dict) and isinstance(table.get("check"), str) else ""
    return check.options if isinstance(check, Check) else ()


_SIGNS_BEHIND: Final = r"[\s.:)\]-]*|.*\bp(?:oin)?ts?\b.*"
_ROMAN: Final = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")


def _label(given: object) -> str:
    """Return advice on what to write in place of a label, as far as it can be told, and examples of right labels."""
    text = " ".join(str(given).split()).lstrip("([*# ")
    word, _, last = text.rpartition(" ")
    if last.upper() in _ROMAN:
        return f"`{word} {_ROMAN.index(last.upper()) + 1}`".replace("` ", "`") + "; students may write Roman numerals"
    number = re.match(r"(?i)[^\d]*\d+(?:\.\d+)*(?:\s?[a-z](?![^\W_]))?", text)
    if number and re.fullmatch(_SIGNS_BEHIND, text[number.end() :]):
        return f"`{number[0]}`; signs around the number are left out, as students may write any"
    return "`task 3`, `problem 1a`, `exercise 3.2` or `part (b)`"


def _model(place: tuple[str | int, ...]) -> type[BaseModel]:
    """The model of the table at a place."""
    model: type[BaseModel] = Lab
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            model = _table(model.model_fields[part].annotation) or model
    return model


def _table(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation holds, itself or in a tuple or a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    parts = get_args(annotation) if get_origin(annotation) in (tuple, Union, UnionType) else ()
    return next((found for part in parts if (found := _table(part))), None)


def _references(lab: Lab, source: Source) -> Iterator[Problem]:
    """Names that lead nowhere, each with its line."""
    for wrong in lab.wrong_references():
        text: str = wrong.text
        if wrong.name:
            text += f" {suggest_name(wrong.name, wrong.known)}Known: {', '.join(wrong.known) or 'none'}."
        yield error(LAB, source.lines.line_of(*wrong.place), text)
