"""Write docs/lab-reference.md and docs/lab.schema.json from the definition of a lab, and docs/shipped-labs.md from the
shipped labs: `python -m scripts.make_lab_docs`.

The reference lists every key with its kind, its default and its meaning. The JSON Schema is for editors: the options of
an item or a watch depend on its `check`. The other page lists the questions of the labs that ship without a handout.
"""

import copy
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args, get_type_hints

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from grader.checks.check import Check
from grader.checks.registry import CHECKS
from grader.lab.definition import Form, Lab, LatePolicy
from grader.lab.experiments import LogFormat
from grader.lab.files import LABS, load_lab
from grader.lab.kinds import kind_of
from grader.pipeline.inspection import ExpectedAnswer
from reference.counting.conventions import ModelSpec
from reference.evidence import BandRecipe, KnownRun
from reference.reruns.run_record import Settings, Sizes
from reference.reruns.spec import ClassifierSpec, GenerationSpec
from scripts.make_check_docs import STAR, toml, type_and_default

DOCS: Final = Path(__file__).parents[1] / "docs"
PAGE: Final = DOCS / "lab-reference.md"
SCHEMA: Final = DOCS / "lab.schema.json"
SHIPPED: Final = DOCS / "shipped-labs.md"
FILE: Final = "lab.toml"
OF_OTHER_FILES: Final = ("decisions", "templates", "sha256")
ELSEWHERE: Final[Mapping[str, Any]] = {"models": ModelSpec, "reruns": ClassifierSpec | GenerationSpec}
"""Lists of tables whose form only the package knows that computes the truth."""

_INTRO: Final = """\
# Lab reference

A lab is a folder with a `lab.toml`. This page lists every key of that file and of the files beside it. To write your
first lab, follow [the tutorial](new-lab.md); [checks](checks.md) lists the options of each check.

After a key stand its type and its default. `*` marks required keys, and `a|b` a choice. If no type follows, a key is a
string, and a list or table holds strings.

## In your editor

`grade lab init` writes a JSON Schema, `lab.schema.json`, into the new lab, and `lab.toml` begins with

```toml
#:schema ./lab.schema.json
```

Editors with TOML support, such as VS Code with *Even Better TOML*, then complete keys and underline mistakes. To an
older lab, add [this schema](lab.schema.json).

## Words

`words` are the names that texts use for something. Case and accents do not count. A space matches any white space, `*`
any ending, and `(s)` is optional. A literal `*` cannot be matched. A word without `*` matches

| in | matches | example |
| --- | --- | --- |
| questions, `[[parts]]`, options of checks | longer words that begin with it | `"param"`: *parameters* |
| experiments, splits | its inflections in English and French | `"pretrain"`: *pretrained* |
| measures, repetitions, parameters | only itself | `"seed"`: not *seedling* |

In experiments and splits, a word with a capital or an underscore, such as `"PT"`, is a name and matches exactly.

## Labels

| `labels` | the answer begins at |
| --- | --- |
| `["question 1"]` | `Question 1`, `Q1`, `1)` … |
| `["problem 1a"]` | `Problem 1a`, `1a)` …, or `(a)` below `Problem 1` |
| `["3"]` | `3.`, if the numbers of all questions follow each other |
| `[]` | a heading that is the `title`, with or without a number (`5. Model`), or a copy of `asks` |

If no question of the lab has labels, a heading with all words of the title is enough. Two questions must not have the
same label unless they name different `file`s. If a student uses a label twice, both parts are the answer.

## Editions

With `extends`, a lab states only how it differs from another lab. Tables are merged key by key, lists of tables by
`id`, and watches by `check`. Any other value is replaced. Configurations, evidence and the model of short answers come
from the other lab unless the edition has its own; `truth.json`, answers and decisions never do.
"""


_SHIPPED: Final = """\
# Questions of the shipped lab

The sample class answers this lab, which has no handout. Begin each answer with its heading. The [worked
labs](tutorials.md) have handouts.
"""


def shipped_page() -> str:
    """The page on the shipped labs without a handout: their questions with subject, points and items."""
    folders = sorted(path.parent for path in LABS.glob("*/lab.toml") if not (path.parent / "hand_out.md").exists())
    return "\n".join([_SHIPPED, *(line for folder in folders for line in _questions_of(folder))])


def _questions_of(folder: Path) -> Iterator[str]:
    lab = load_lab(folder)
    yield f"## `{lab.id}`\n\n[{lab.title}](../reference/labs/{folder.name}/lab.toml)\n"
    yield "| heading | subject | items | points |\n| --- | --- | --- | --- |"
    titles = {str(model["id"]): str(model["title"]) for model in lab.models}
    for question in lab.questions:
        models = [titles[str(item.options["model"])] for item in question.items if "model" in item.options]
        subject = question.asks or (f"{question.title}: {models[0]}" if models else question.title)
        items = "; ".join(item.title for item in question.items)
        points = _points(sum((item.points for item in question.items), Decimal(0)))
        yield f"| {question.labels[0].capitalize()} | {subject} | {items} | {points} |"
    yield ""


def _points(number: Decimal) -> str:
    return f"{number.normalize():f}"


_TOLD_WHOLE: Final = (LogFormat, LatePolicy, ClassifierSpec, GenerationSpec, BandRecipe, Form)
"""Tables whose keys belong together, so that their whole docstring is shown."""


class _Table(NamedTuple):
    """A table of a file: the heading by which a file opens it, and the model of its keys."""

    heading: str
    model: type[BaseModel]


def page() -> str:
    """The whole page."""
    parts = [_INTRO, "## `lab.toml`\n"]
    described: set[type[BaseModel]] = set()
    for table in _tables(Lab, ""):
        parts += [] if table.model in (*described, Sizes, Settings, GenerationSpec) else _described(table)
        described.add(table.model)
    parts.append("## `evidence/*.toml`\n\nKnown results, from which `grade truth build` computes bands.\n")
    parts += [*_described(_Table("[[runs]]", KnownRun)), *_described(_Table("[[bands]]", BandRecipe))]
    parts.append(
        "## `answers.toml`\n\nReference answers and the verdicts expected on them. Without this file, the folder "
        "`answers/` is one\nreference answer, whose items should be correct; `by-hand` items should be in review.\n"
    )
    parts += _described(_Table("[[answers]]", ExpectedAnswer))
    return "\n".join(parts)


def _tables(model: type[BaseModel], heading: str) -> Iterator[_Table]:
    """A table and all that may stand in it, in the order of its keys."""
    yield _Table(heading, model)
    for name, field in fields_of(model).items():
        place = f"{heading.strip('[]')}.{name}".lstrip(".")
        for inner in models_in(ELSEWHERE.get(name, field.annotation) if model is Lab else field.annotation):
            is_list = "list of" in kind_of(field.annotation)
            yield from _tables(inner, f"[[{place}]]" if is_list else f"[{place}]")


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The keys that a file may hold of a table."""
    hidden = OF_OTHER_FILES if model is Lab else ("model",) if model.__name__ == "ShortAnswers" else ()
    return {name: field for name, field in model.model_fields.items() if name not in hidden}


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that an annotation names, however deep."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def _described(table: _Table) -> list[str]:
    """The part of the page about a table."""
    sentence = " ".join((table.model.__doc__ or "").split("\n\n")[0].split())
    first = sentence if table.model in _TOLD_WHOLE else re.split(r"(?<=[.])\s", sentence)[0]
    lines = [f"### `{table.heading}`\n" if table.heading else "### The lab itself\n", f"{first}\n"]
    fields = fields_of(table.model)
    tables = {name: field for name, field in fields.items() if _inner(name, field, table.model)}
    rows = [_row(name, field) for name, field in fields.items() if name not in tables]
    below = ", ".join(f"`{name}`{STAR * field.is_required()}" for name, field in tables.items())
    rows += [f"- Tables: {below}."] if below else []
    is_told = any(field.description for field in fields.values())
    lines += rows if is_told else ["The [JSON Schema](lab.schema.json) lists the keys."]
    example = example_of(table)
    return ["\n".join(lines) + "\n", *([f"```toml\n{example}\n```\n"] if example else [])]


def _inner(name: str, field: FieldInfo, model: type[BaseModel]) -> list[type[BaseModel]]:
    """The models of the tables that a key holds."""
    return list(models_in(ELSEWHERE.get(name, field.annotation) if model is Lab else field.annotation))


def _row(name: str, field: FieldInfo) -> str:
    meaning = " ".join((field.description or "").split())
    kind = type_and_default(field.annotation, _default(field), is_required=field.is_required())
    return f"- `{name}`{kind}{f': {meaning}' if meaning not in _NAMED_SO else ''}"


_NAMED_SO: Final = ("", "Its id.", "The id of the experiment.", "The id of the split.", "The size.", "Its shape.")
"""Descriptions that the name of the key already says."""


def _default(field: FieldInfo) -> str:
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if default in (None, "", (), {}, False) or isinstance(default, BaseModel):
        return ""
    if isinstance(default, Enum):
        return str(default.value)
    return toml(list(default) if isinstance(default, tuple) else default)


_ON_OTHER_PAGES: Final = (
    "[[questions.items]]",
    "[[watches]]",
    "[[parameters.trends]]",
    "[[parameters.contraries]]",
    "[[parameters.parts]]",
    "[[models]]",
    "[[models.conventions]]",
    "[short_answers]",
)
"""Tables of which the tutorials show examples."""
_EXAMPLES: Final = {
    **dict.fromkeys((*_ON_OTHER_PAGES, "[[late.tiers]]"), ""),
    "[late]": "[late]\ndeadline = 2026-11-21T23:59:00+01:00\n\n[[late.tiers]]\nhours = 24\npercent = 10",
}
"""Examples that show more than one table, and tables without an example of their own."""


def example_of(table: _Table) -> str:
    """The shortest entry of a shipped lab under the table's heading among those that set the most keys, up to
    `_FEWEST`; empty where none is of a readable size."""
    if table.heading in _EXAMPLES:
        return _EXAMPLES[table.heading]
    *path, last = table.heading.strip("[]").split(".")
    found: list[list[str]] = []
    for file in sorted(LABS.glob("*/lab.toml"), reverse=True):
        entries: list[Any] = [tomllib.loads(file.read_text(encoding="utf-8"))]
        for name in (*path, last):
            entries = [candidate for entry in entries for candidate in _listed(entry.get(name))]
        fitting = [entry for entry in entries if isinstance(entry, dict) and len(str(entry)) < _LONGEST]
        found += [[f"{name} = {toml(value)}" for name, value in _flat(entry, table.model)] for entry in fitting if last]
    sizes = [(-min(len(rows), _FEWEST), sum(map(len, rows)) * (1 if len(rows) > 1 else -1), rows) for rows in found]
    rows = min(sizes)[2] if sizes else []
    return "\n".join([table.heading, *rows]) if rows else ""


_FEWEST: Final = 3
_LONGEST: Final = 260


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _flat(entry: Mapping[str, Any], model: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    """The keys of an entry, but those with tables of their own; options by dotted keys."""
    for name, value in entry.items():
        if name == "options":
            yield from ((f"options.{inner}", candidate) for inner, candidate in value.items())
        elif name in model.model_fields and not any(models_in(model.model_fields[name].annotation)):
            yield name, value


def schema() -> dict[str, Any]:
    """The JSON Schema of `lab.toml`."""
    forms: list[Any] = [("lab", "validation", TypeAdapter(Lab))]
    forms += [(name, "validation", TypeAdapter(form)) for name, form in ELSEWHERE.items()]
    forms += [
        (f"{check.name}.{name}", "validation", TypeAdapter(_options(check)[name]))
        for check in CHECKS.values()
        for name in check.options
    ]
    made, shared = TypeAdapter.json_schemas(forms)
    named = {str(name): form for (name, _), form in made.items()}
    definitions = shared["$defs"]
    lab = _resolved(named["lab"], definitions)
    for name in OF_OTHER_FILES:
        del lab["properties"][name]
    for name in ELSEWHERE:
        lab["properties"][name]["items"] = named[name]
    del definitions["ShortAnswers"]["properties"]["model"]
    for check in CHECKS.values():
        definitions[f"options-of-{check.name}"] = _options_schema(check, named)
    for table, watches in (("Item", False), ("Watch", True)):
        _with_options(
            definitions[table], [candidate for candidate in CHECKS.values() if candidate.decides is not watches]
        )
    definitions["whole-lab"] = {**lab, "required": [*lab["required"]]}
    _add_edition(definitions)
    described = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": FILE,
        "description": "A lab of lab-grader. docs/lab-reference.md explains every key.",
        "type": "object",
        "if": {"required": ["extends"]},
        "then": {"$ref": "#/$defs/edition-of-whole-lab"},
        "else": {"$ref": "#/$defs/whole-lab"},
        "$defs": _used(definitions),
    }
    return dict(_for_editors(described))


def _options(check: Check) -> dict[str, Any]:
    hints = get_type_hints(check.function, include_extras=True)
    return {name: hints[parameter.name] for name, parameter in check.options.items()}


def _resolved(form: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    name = str(form.get("$ref", "")).rpartition("/")[2]
    return copy.deepcopy(definitions[name] if name else form)


def _options_schema(check: Check, named: Mapping[str, Any]) -> dict[str, Any]:
    """The form of a check's options."""
    descriptions = _options_told(check)
    properties = {
        name: {**named[f"{check.name}.{name}"], **({"description": descriptions[name]} if name in descriptions else {})}
        for name in check.options
    }
    needed = [name for name, parameter in check.options.items() if parameter.default is parameter.empty]
    form: dict[str, Any] = {"type": "object", "description": check.sentence, "properties": properties}
    form |= {"additionalProperties": False, "required": needed}
    if check.one_of:
        form["oneOf"] = [{"anyOf": [{"required": [name]} for name in each.split("|")]} for each in check.one_of]
    return form


def _options_told(check: Check) -> dict[str, str]:
    """Return the descriptions of a check's options from its docstring."""
    bullets = re.findall(r"^\s*- `(\w+)`: (.*(?:\n\s{6,}.*)*)", check.function.__doc__ or "", re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in bullets}


def _with_options(form: dict[str, Any], checks: list[Check]) -> None:
    """Let the options of a table be those of its check. What each option is for stands with the key itself, too, since
    many editors complete by nothing else."""
    form["properties"]["check"] |= {"anyOf": [{"enum": [check.name for check in checks]}, {"type": "string"}]}
    names = dict.fromkeys(name for check in checks for name in check.options)
    form["properties"]["options"] |= {
        "additionalProperties": True,
        "properties": {
            name: {"description": "Of: " + ", ".join(check.name for check in checks if name in check.options)}
            for name in names
        },
    }
    form["allOf"] = [
        {
            "if": {"properties": {"check": {"const": check.name}}, "required": ["check"]},
            "then": {
                "properties": {"options": {"$ref": f"#/$defs/options-of-{check.name}"}},
                **({"required": ["options"]} if _needs_options(check) else {}),
            },
        }
        for check in checks
    ]


def _needs_options(check: Check) -> bool:
    return bool(check.one_of) or any(option.default is option.empty for option in check.options.values())


def _add_edition(definitions: dict[str, Any]) -> None:
    """The tables as an edition may write them: nothing is needed but what tells entries apart."""
    names = ["whole-lab", *_reached(definitions, "whole-lab")]
    for name in names:
        form = json.loads(
            re.sub(r'"#/\$defs/([^"]+)"', r'"#/$defs/edition-of-\1"', json.dumps(definitions[name])),
        )
        if form.get("type") == "object":
            form.pop("oneOf", None)
            form.pop("allOf", None)
            form["required"] = [key for key in form.get("required", ()) if key == "id"]
        definitions[f"edition-of-{name}"] = form


def _reached(definitions: Mapping[str, Any], name: str) -> Iterator[str]:
    """The definitions that one leads to."""
    seen, waiting = {name}, [name]
    while waiting:
        for other in re.findall(r'"#/\$defs/([^"]+)"', json.dumps(definitions[waiting.pop()])):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
                yield other


def _used(definitions: Mapping[str, Any]) -> dict[str, Any]:
    used = ["whole-lab", "edition-of-whole-lab"]
    used += [name for start in tuple(used) for name in _reached(definitions, start)]
    return {name: definitions[name] for name in sorted(set(used))}


_NUMBER: Final = r"^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$"


def _for_editors(form: Any) -> Any:
    """A form without the titles that only repeat the names of keys, with patterns that editors understand, and with
    numbers in quotes that are numbers."""
    if isinstance(form, list):
        return [_for_editors(entry) for entry in form]
    if not isinstance(form, dict):
        return form
    renamed = {"$defs": "definitions", "prefixItems": "items"}
    kept = {
        renamed.get(key, key): _for_editors(entry)
        for key, entry in form.items()
        if key != "title" or entry == FILE or isinstance(entry, dict)
    }
    kinds = [entry.get("type") for entry in kept.get("anyOf", ())]
    for alternative in kept.get("anyOf", ()):
        if alternative == {"type": "string"} and "number" in kinds and {*kinds} <= {"number", "string", "null"}:
            alternative["pattern"] = _NUMBER
    if "$ref" in kept and isinstance(kept["$ref"], str):
        kept["$ref"] = kept["$ref"].replace("$defs", "definitions")
    if str(kept.get("pattern", "")).startswith("(?i)"):
        kept["pattern"] = kept["pattern"].removeprefix("(?i)").replace("a-z", "A-Za-z")
    return kept


def schema_text() -> str:
    """The text of the schema's file."""
    return json.dumps(schema(), indent=1, ensure_ascii=False, default=str) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    SHIPPED.write_text(shipped_page(), encoding="utf-8")
