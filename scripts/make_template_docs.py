"""Write docs/templates.md, what templates can show, from the view models: `python -m scripts.make_template_docs`."""

import re
from collections.abc import Iterator
from inspect import getdoc
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from grader.report.render import Standalone
from grader.report.resources import templates_folder
from grader.report.views.classroom import ClassView
from grader.report.views.student import StudentView

PAGE = Path(__file__).parents[1] / "docs" / "templates.md"
ROOTS: dict[str, type[BaseModel]] = {"student.html": StudentView, "class.html": ClassView}

INTRODUCTION = """# Templates of the reports

Reports are made of [Jinja](https://jinja.palletsprojects.com/) templates and CSS. `grade --templates FOLDER` replaces
the project's templates, stylesheets, fonts and pictures by files of the same name in FOLDER.

- `tokens.css`: fonts, sizes, colours; `student.css`, `class.css`: one stylesheet for each report; `screen.css`: rules
  for the HTML files.
- `base.html`: the frame of every page; `student.html`, `class.html`: the two reports; `macros.html`, `chart.html`:
  shapes of the statuses, bars, charts.
- `fonts/`: the fonts, with subsets for HTML files in `fonts/web/`.

To change colours, write a `tokens.css`. To change a paragraph, extend the project's template and fill one of its
blocks. The names of the project's templates begin with `project/`:

    {% extends "project/student.html" %}
    {% block disagree %}<p>Come to room 12 on Fridays.</p>{% endblock %}

- `{{ asset("logo.png") }}` is the URL of a file in FOLDER. Nothing else can be reached.
- Every value is escaped. `{{ _("…") }}` and `{% trans %}…{% endtrans %}` translate; `language.code` is the language.
- The filter `small_characters` prints `512^{2}` as a power; `direction` is the writing direction of a text.
- `asset` and `view` are not available inside macros.

Before grading starts, the grader renders invented results with your templates. It reports errors with file and line.

Every template gets `view`, which is one of the models below, and `standalone`, which is empty in PDFs. Texts are in the
language of the report and already shortened. Lengths are CSS percentages; coordinates of charts are SVG units. Fields
named `more…` say how much is not shown. `told` describes a chart in words. `anchor` is the target of links.

A field is a text unless it links to a model or a type follows. `[]` marks lists, and `?` fields that may be empty.
"""


def document() -> str:
    """The text of the page."""
    parts = [INTRODUCTION]
    seen_models: dict[type[BaseModel], None] = {}
    for name, root in ROOTS.items():
        parts.append(f"## `{name}`\n\n`view` is a `{root.__name__}`. Blocks: {_blocks(name)}.\n")
        new = [model for model in dict.fromkeys(_reached(root)) if model not in seen_models]
        seen_models.update(dict.fromkeys(new))
        parts += map(_model, new)
    parts.append("## HTML files\n\n`standalone` is a `Standalone` there.\n")
    parts.append(_model(Standalone))
    return "\n".join(parts)


def _blocks(name: str) -> str:
    """The blocks of a template and of the frame that it extends."""
    texts = ((templates_folder() / template).read_text(encoding="utf-8") for template in ("base.html", name))
    found = dict.fromkeys(block for text in texts for block in re.findall(r"{% block (\w+)", text))
    return ", ".join(f"`{block}`" for block in found)


def _reached(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """The model, and those in its fields, each after the one that first mentions it."""
    yield model
    for field in model.model_fields.values():
        for inner in _models(field.annotation):
            yield from _reached(inner)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


def _model(model: type[BaseModel]) -> str:
    fields = ", ".join(_field(name, field.annotation) for name, field in model.model_fields.items())
    docstring = " ".join((getdoc(model) or "").split())
    sentence = f"{docstring}\n\n" if len(docstring.split()) > _TOO_SHORT else ""
    return f"### {model.__name__}\n\n{sentence}{fields}.\n"


_TOO_SHORT = 6
"""Words of a sentence that tells no more than the name of its model."""


def _field(name: str, annotation: Any) -> str:
    """A field with its type, where that is not simply text; the name of a field with a model links to the model."""
    kind = _kind(annotation)
    rest = kind.removesuffix("?").strip().removeprefix("list of ")
    marks = "[]" * ("list of" in kind) + "?" * kind.endswith("?")
    if link := re.fullmatch(r"\[\w+\](\(#\w+\))", rest):
        return f"[`{name}{marks}`]{link[1]}"
    return f"`{name}{marks}`" + ("" if rest == "text" else f" ({rest})")


def _kind(annotation: Any) -> str:
    """A type in words; a question mark at the end stands for one that may be empty."""
    arguments = [argument for argument in get_args(annotation) if argument not in (NoneType, Ellipsis)]
    if isinstance(annotation, UnionType) or NoneType in get_args(annotation):
        return f"{' or '.join(map(_kind, arguments))} ?"
    if get_origin(annotation) is tuple:
        many = len(set(arguments)) == 1 and Ellipsis in get_args(annotation)
        return f"list of {_kind(arguments[0])}" if many else " and ".join(map(_kind, arguments))
    plain = {str: "text", bool: "boolean", int: "integer", float: "number"}
    return plain.get(annotation) or f"[{annotation.__name__}](#{annotation.__name__.lower()})"


if __name__ == "__main__":
    PAGE.write_text(document(), encoding="utf-8")
