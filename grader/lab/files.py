"""Load a `Lab` and its `GroundTruth` from a folder. Errors name the file, the key and the remedy.

`seen_by_students` reduces a lab to what students' own checks need, so that it cannot grade. `write_starter` begins a
new lab as a copy of `grader/starter` or of a shipped lab.
"""

import difflib
import hashlib
import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Set
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from grader.lab import definition as templates
from grader.lab import short_answers as decisions
from grader.lab.definition import Item, Lab, LatePolicy, Parameter, Question, Templates
from grader.lab.experiments import ACCURACY
from grader.lab.kinds import problem_sentence
from grader.lab.short_answers import MODEL, Decisions, FrozenModel
from grader.lab.truth import GroundTruth

LABS = Path(__file__).parents[2] / "reference" / "labs"
TRUTH: Final = "truth.json"
Data = TypeVar("Data", bound=BaseModel)
Table = dict[str, Any]


class LabError(Exception):
    """A lab cannot be used. The message names the file and key, the reason and the remedy."""


def lab_folder(name: str, beside: Path = Path()) -> Path:
    """Return the folder of a lab, given as a path relative to `beside` or as the name of a shipped lab. Raises
    LabError."""
    for folder in (beside / name, LABS / name.replace("-", "_")):
        if (folder / "lab.toml").is_file():
            return folder
    shipped = ", ".join(sorted(path.parent.name.replace("_", "-") for path in LABS.glob("*/lab.toml")))
    raise LabError(f"No lab at {name!r}: give a folder that holds lab.toml, or one of the shipped labs: {shipped}.")


def load_lab(folder: Path) -> Lab:
    """Return the lab in a folder. Raises LabError.

    Its `lab.toml` is merged into that of the lab that it extends. `decisions.toml`, `templates.toml` and the frozen
    model of short answers are loaded if they exist.
    """
    return with_files(_validated(Lab, merged_data(folder), folder / "lab.toml"), folder)


def with_files(lab: Lab, folder: Path) -> Lab:
    """Return a lab with the files beside its `lab.toml`. Raises LabError.

    The handouts of labs that it extends are included, because submissions may start from them.
    """
    folders = lab_folders(folder)
    files = [path / "lab.toml" for path in folders]
    decided = folder / decisions.FILE
    if decided.is_file():
        files.append(decided)
        lab = lab.model_copy(update={"decisions": _validated(Decisions, _toml(decided), decided)})
    listed = [path / templates.FILE for path in folders if (path / templates.FILE).is_file()]
    if listed:
        files += listed
        known_templates = [
            notebook for path in listed for notebook in _validated(Templates, _toml(path), path).notebooks
        ]
        lab = lab.model_copy(update={"templates": Templates(notebooks=tuple(known_templates))})
    if lab.short_answers is not None:
        like = lab.short_answers.like
        beside = lab_folder(like, beside=folder) if like else lab_file(folder, MODEL).parent
        if (beside / MODEL).is_file():
            files.append(beside / MODEL)
            frozen = FrozenModel(path=beside / MODEL, sha256=_digest([_bytes(beside / MODEL)]))
            settings = lab.short_answers.model_copy(update={"model": frozen})
            lab = lab.model_copy(update={"short_answers": settings})
    return lab.model_copy(update={"sha256": _digest(_bytes(path) for path in files)})


def lab_folders(folder: Path) -> tuple[Path, ...]:
    """Return the folder of a lab and those of the labs that it extends, the nearest first. Raises LabError."""
    found = [folder]
    while (file := found[-1] / "lab.toml").is_file() and (base := str(_table(found[-1]).get("extends", ""))):
        try:
            nearest = lab_folder(base, beside=found[-1])
        except LabError as error:
            raise LabError(f"{file}: `extends`: {error}") from error
        if any(nearest.resolve() == path.resolve() for path in found):
            circle = " → ".join(candidate.resolve().name for candidate in (*found, nearest))
            raise LabError(f"{file}: `extends`: {base!r} extends this lab itself ({circle}). Take out one of them.")
        found.append(nearest)
    return tuple(found)


def lab_file(folder: Path, name: str) -> Path:
    """Return a file or folder of a lab, or else that of the nearest lab that it extends. Raises LabError."""
    return next((path / name for path in lab_folders(folder) if (path / name).exists()), folder / name)


def merged_data(folder: Path) -> Table:
    """Return the content of `lab.toml`, merged into that of the labs that it extends. Raises LabError."""
    first, *editions = reversed(lab_folders(folder))
    data = _table(first)
    for edition in editions:
        data = _merged(data, _table(edition), edition / "lab.toml")
    return data


def _table(folder: Path) -> Table:
    return _toml(folder / "lab.toml")


def _merged(base: Table, edition: Table, file: Path) -> Table:
    """Return a lab with the changes of an edition. Entries that the edition removes must exist."""
    out = edition.get("leave_out", [])
    known_ids = set(_ids(base))
    for name in out if isinstance(out, list) else ():
        if name not in known_ids:
            near = difflib.get_close_matches(str(name), sorted(known_ids), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise LabError(f"{file}: `leave_out`: {base.get('id')!r} has nothing with the id {name!r}.{hint}")
    return _changed(_without(base, frozenset(map(str, out))), edition)


def _changed(base: Table, edition: Table) -> Table:
    """Return a table with the keys of another one.

    Tables are merged, and so are lists of tables whose entries have ids, or are watches with check names. Other values
    are replaced.
    """
    merged = dict(base)
    for key, value in edition.items():
        old = merged.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            merged[key] = _changed(old, value)
        elif isinstance(value, list) and isinstance(old, list) and all(entry_id(entry) for entry in (*value, *old)):
            changes = {entry_id(entry): entry for entry in value}
            kept = [_changed(entry, changes.pop(entry_id(entry), {})) for entry in old]
            merged[key] = [*kept, *changes.values()]
        else:
            merged[key] = value
    return merged


def entry_id(entry: object) -> str:
    """Return the id of an entry of a list in `lab.toml`; empty if nothing distinguishes it from the others."""
    return str(entry.get("id") or entry.get("check") or "") if isinstance(entry, dict) else ""


def _ids(table: Table) -> Iterator[str]:
    for value in table.values():
        for entry in value if isinstance(value, list) else ():
            if isinstance(entry, dict) and "id" in entry:
                yield str(entry["id"])
                yield from _ids(entry)


def _without(table: Table, out: Set[str]) -> Table:
    """Return a table without entries with some ids. A question without items is removed, too."""
    kept = dict(table)
    for key, value in table.items():
        if isinstance(value, list):
            rest = [_without(entry, out) if isinstance(entry, dict) else entry for entry in value]
            kept[key] = [entry for entry in rest if not isinstance(entry, dict) or _is_kept(entry, out)]
    return kept


def _is_kept(entry: Table, out: Set[str]) -> bool:
    return entry.get("id") not in out and entry.get("items") != []


def load_truth(folder: Path) -> GroundTruth:
    """Return the ground truth in a folder's `truth.json`. Raises LabError.

    The file may be missing for a lab that needs no truth, because its items give their own right values.
    """
    path = folder / TRUTH
    if (folder / "lab.toml").is_file() and not path.is_file() and not _needs_truth(data := merged_data(folder)):
        return GroundTruth(lab=str(data.get("id", "")))
    content = _bytes(path)
    try:
        truth = GroundTruth.model_validate_json(content)
    except ValidationError as error:
        raise LabError(_explained(error, path)) from error
    return truth.model_copy(update={"sha256": _digest([content])})


_TRUE_OPTIONS: Final = frozenset({"truth_id", "model", "parameter", "call", "experiment", "better"})
"""The options of items that refer to entries of `truth.json`."""


def _needs_truth(data: Table) -> bool:
    """Whether `lab.toml` contains something that is counted, measured or looked up for the truth."""
    questions = [question for question in data.get("questions", []) if isinstance(question, dict)]
    items = [item for question in questions for item in question.get("items", []) if isinstance(item, dict)]
    options = [item_options for item in items if isinstance(item_options := item.get("options", {}), dict)]
    return bool(data.get("models") or data.get("parameters") or data.get("experiments")) or any(
        _TRUE_OPTIONS & option.keys() for option in options
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LabError(
            f"{path}: cannot be read ({error.strerror}). A lab's folder holds lab.toml and truth.json."
        ) from error


def _toml(path: Path) -> Table:
    try:
        return tomllib.loads(_bytes(path).decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{path}: not valid TOML: {error}. Mend that place and try again.") from error


def _validated(model: type[Data], data: object, path: Path) -> Data:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise LabError(_explained(error, path)) from error


def _explained(error: ValidationError, path: Path) -> str:
    lines = [
        f"{path}: {'.'.join(str(part) for part in problem['loc']) or 'as a whole'}: {problem_sentence(problem)}"
        for problem in error.errors(include_url=False)
    ]
    return "\n".join([*lines, "Mend these keys and try again; the shipped lab shows every key in use."])


def _digest(contents: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest()


EVIDENCE = "evidence"


def truth_inputs(lab: Lab, folder: Path) -> str:
    """Return the SHA-256 of everything on which the truth depends.

    It includes the counted models, the parameters' values, the checked calls, the inputs of bands, and the files of
    models and bands. Titles, points and the options of checks are not included.
    """
    inputs = {
        "models": lab.models,
        "values": sorted([parameter.id, parameter.value] for parameter in lab.parameters),
        "calls": sorted({str(item.options["call"]) for item in lab.items if "call" in item.options}),
        **({"of": owners} if (owners := sorted([p.id, p.of] for p in lab.parameters if p.of)) else {}),
        "seeds": lab.seeds,
        "splits": sorted([split.id, split.examples] for split in lab.splits),
        **_repeated(lab),
        "files": [
            [path.relative_to(own_path).as_posix(), _inputs_digest(path)] for path, own_path in _files(lab, folder)
        ],
    }
    text = json.dumps(inputs, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _repeated(lab: Lab) -> dict[str, object]:
    """Return the number of repetitions of each experiment, and its measures, if the lab states them."""
    numbers = {experiment.id: lab.repetition_of(experiment.id).number for experiment in lab.experiments}
    measure_ids = {
        experiment.id: [measure.id for measure in lab.measures_of(experiment.id)] for experiment in lab.experiments
    }
    number_entry = {"numbers": numbers} if any(number != lab.seeds for number in numbers.values()) else {}
    usual = all(measures == [ACCURACY.id] for measures in measure_ids.values())
    return number_entry | ({} if usual else {"measures": measure_ids})


_EVIDENCE: Final = (".toml", ".json")


def _files(lab: Lab, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Return the files on which the truth depends, each with the folder of its lab."""
    folders = lab_folders(folder)
    configs = {lab_file(folder, str(model["config"])) for model in lab.models if "config" in model}
    named = (reference_file(str(model["reference"]), folder) for model in lab.models if "reference" in model)
    evidence = lab_file(folder, EVIDENCE).glob("*")
    for some in (
        configs,
        set(filter(None, named)),
        {candidate for candidate in evidence if candidate.suffix in _EVIDENCE},
    ):
        for path in sorted(some):
            yield from ((path, candidate) for candidate in folders if path.is_relative_to(candidate))


def reference_file(name: str, folder: Path) -> Path | None:
    """Return the file in a lab's folder that a reference names, or None for a module of an installed package."""
    module = name.partition(":")[0]
    file = module if module.endswith(".py") else module.replace(".", "/") + ".py"
    inside = (path for path in lab_folders(folder) if (path / file).resolve().is_relative_to(path.resolve()))
    return next((path / file for path in inside if (path / file).is_file()), None)


def _inputs_digest(path: Path) -> str:
    """Return the hash of a file's text with normalised line ends, or an empty text for a missing file."""
    try:
        return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    except OSError:
        return ""


_NUMBER: Final = "987654321"
_WORD: Final = "something"
"""Placeholders for the values of parameters. Only the type of a value matters for reading a text."""


def seen_by_students(lab: Lab) -> Lab:
    """Return the lab without anything that grades.

    Points, titles of items, options, values, summaries, models, symbols, decisions and examples are removed. Each
    question keeps one anonymous item for each check that its items use.
    """
    return lab.model_copy(
        update={
            "questions": tuple(map(_question, lab.questions)),
            "parameters": tuple(
                Parameter(
                    id=parameter.id, names=parameter.names, value=_NUMBER if parameter.value[:1].isdigit() else _WORD
                )
                for parameter in lab.parameters
            ),
            "watches": (),
            "experiments": tuple(experiment.model_copy(update={"rounding": None}) for experiment in lab.experiments),
            "symbols": (),
            "models": (),
            "reruns": (),
            "late": LatePolicy(),
            "short_answers": None,
            "decisions": Decisions(),
            "sha256": "",
        }
    )


def _question(question: Question) -> Question:
    checks = dict.fromkeys(item.check for item in question.items)
    items = tuple(
        Item(id=f"{question.id}.{number}", title=question.title, points=Decimal(0), check=check)
        for number, check in enumerate(checks, 1)
    )
    return question.model_copy(update={"items": items, "words": ()})


STARTER: Final = Path(__file__).parents[1] / "starter"
TEMPLATES: Final = {
    "cnn": LABS / "digits_cnn",
    "transformer": LABS / "small_llama",
    "classical": LABS / "diabetes_regression",
    "blank": Path(__file__).parents[1] / "blank",
}
"""The complete labs from which a new lab can be copied."""

SCHEMA: Final = "lab.schema.json"
"""The JSON Schema of `lab.toml`, which editors use to complete and check keys."""
_SCHEMA_PLACES: Final = (Path(__file__).parents[1] / SCHEMA, Path(__file__).parents[2] / "docs" / SCHEMA)
"""The places of the schema in an installed package and in a checkout."""

CLASSES: Final = ("hand_ins", "answers")
"""The folders of a lab that may contain submissions to grade as a class. The first that exists is used."""

_CODE: Final = ".txt"
"""A second suffix of the starter's code files, which makes them data of the package instead of modules."""
_LONGEST: Final = 40


class StarterError(Exception):
    """A lab cannot be created in a folder. The message says why and what to do."""


def write_starter(folder: Path, template: str | None = None) -> int:
    """Write a lab into a new or empty folder, from a template or the commented starter.

    Return the number of files. Raises StarterError, and OSError if the folder cannot be written.
    """
    name = lab_name(folder)
    source = TEMPLATES[template] if template else STARTER
    files = [path for path in sorted(source.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    source_id = load_lab(source).id if template else "my-lab"
    for path in files:
        place = folder / _renamed(path.relative_to(source).as_posix(), name).removesuffix(_CODE)
        place.parent.mkdir(parents=True, exist_ok=True)
        if template and (path.parent != source or path.suffix not in _NAMED_IN):
            place.write_bytes(path.read_bytes())
        else:
            text = _renamed(path.read_text(encoding="utf-8").replace(source_id, "my-lab"), name)
            place.write_text(with_schema(text, path.name), encoding="utf-8", newline="\n")
    return len(files) + write_schema(folder)


def lab_name(folder: Path) -> str:
    """Return the id of a new lab from its folder's name. Raises StarterError if the folder is not empty or has no
    usable name."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StarterError(f"{folder} is there and is not empty; name a new folder, nothing is overwritten.")
    name = lab_id(folder.resolve().name)
    if not name:
        raise StarterError(
            f"The name {folder.name!r} has no letters that an id can be made of; name it such as my-lab."
        )
    return name


def with_schema(text: str, file: str = "lab.toml") -> str:
    """Return the text of a `lab.toml` with a first line that names its schema for editors. Other files are
    unchanged."""
    return f"#:schema ./{SCHEMA}\n{text}" if file == "lab.toml" else text


def write_schema(folder: Path) -> int:
    """Write the schema of `lab.toml` into a lab's folder. Return the number of files. Raises OSError."""
    found = next(place for place in _SCHEMA_PLACES if place.is_file())
    (folder / SCHEMA).write_bytes(found.read_bytes())
    return 1


_NAMED_IN: Final = frozenset({".toml", ".json", ".md"})
"""The files beside `lab.toml` that contain the lab's name."""


def lab_id(name: str) -> str:
    """Return a lab's id from a folder's name, or an empty text if nothing is left.

    It has lower-case letters without accents, digits and single hyphens, and begins with a letter, because the module
    of its checks has the same name.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-").lstrip("0123456789-")[:_LONGEST].rstrip("-")


def _renamed(text: str, name: str) -> str:
    title = name.replace("-", " ").capitalize()
    return text.replace("my-lab", name).replace("my_lab", name.replace("-", "_")).replace("My lab", title)
