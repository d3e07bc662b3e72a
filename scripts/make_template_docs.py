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

Reports are made of [Jinja](https://jinja.palletsprojects.com/) templates and CSS. `grade --templates FOLDER` puts files
of your own in place of the project's, file by file: a file of the same name in `FOLDER` stands in for the one in
`templates/`, be it a template, a stylesheet, a font or a picture. What you do not replace stays as it is.

| file | what it is |
| --- | --- |
| `tokens.css` | the design system: faces, sizes, colours, and what both reports share |
| `student.css`, `class.css` | one stylesheet for each report |
| `screen.css` | what differs on a screen, for the HTML files |
| `base.html` | the frame of every page |
| `macros.html`, `chart.html` | shapes of the statuses, bars, charts |
| `student.html`, `class.html` | the two reports |
| `fonts/` | the fonts, and `fonts/web/`, the same cut down for HTML files |

To change little, replace little. Other colours are a `tokens.css`; another paragraph is a template that extends the
project's own, which is called `project/…`, and fills one of its blocks:

    {% extends "project/student.html" %}
    {% block disagree %}<p>Come to room 12 on Fridays.</p>{% endblock %}

`{{ asset("logo.png") }}` is the URL of a file of your folder, in PDFs and in HTML files: `<img src="{{
asset("logo.png") }}" alt="Our school">`. A page can reach nothing else: no other folder, no link that leads out of
yours, no network. Every value is escaped. `{{ _("…") }}` and `{% trans %}…{% endtrans %}` translate; `language.code` is
the language of the report. The filter `small_characters` prints `512^{2}` as a power, `direction` says from which side
a text is written. `asset` and `view` are not known inside macros.

Before anything is graded, made-up results are rendered once with your templates. What is wrong is told with its file
and line.

Every template gets `view`, one of the models below, and `standalone`, which is none in PDFs. All texts are ready to be
shown: in the report's language, cut to a bearable length, numbers and days as people write them. Lengths are in CSS
percent, coordinates of charts in SVG units. Fields may be added in later versions; none is renamed or taken away
without a note in the changelog.
"""


def document() -> str:
    """The text of the page."""
    parts = [INTRODUCTION]
    known: dict[type[BaseModel], None] = {}
    for name, root in ROOTS.items():
        parts.append(f"## `{name}`\n\n`view` is a `{root.__name__}`. Blocks: {_blocks(name)}.\n")
        new = [model for model in dict.fromkeys(_reached(root)) if model not in known]
        known.update(dict.fromkeys(new))
        parts += map(_model, new)
    parts.append("## HTML files\n\n`standalone` is a `Standalone` there.\n")
    parts.append(_model(Standalone))
    return "\n".join(parts)


def _blocks(name: str) -> str:
    """The blocks of a template and of the frame that it extends."""
    texts = ((templates_folder() / one).read_text(encoding="utf-8") for one in ("base.html", name))
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
    rows = (f"| `{name}` | {_kind(field.annotation)} |" for name, field in model.model_fields.items())
    told = " ".join((getdoc(model) or "").split("\n"))
    return "\n".join([f"### {model.__name__}\n", f"{told}\n", "| field | holds |", "| --- | --- |", *rows, ""])


def _kind(annotation: Any) -> str:
    """A type in words."""
    arguments = [one for one in get_args(annotation) if one not in (NoneType, Ellipsis)]
    if isinstance(annotation, UnionType) or NoneType in get_args(annotation):
        return f"{' or '.join(map(_kind, arguments))}, or none"
    if get_origin(annotation) is tuple:
        many = len(set(arguments)) == 1 and Ellipsis in get_args(annotation)
        return (
            f"a list: {_kind(arguments[0])}" if many else f"{len(arguments)} values: {', '.join(map(_kind, arguments))}"
        )
    plain = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
    return plain.get(annotation) or f"[{annotation.__name__}](#{annotation.__name__.lower()})"


if __name__ == "__main__":
    PAGE.write_text(document(), encoding="utf-8")
