"""Collect every sentence that people read, and bring the catalogues up to date: `python -m scripts.collect_messages`.

Sentences stand in the program (`say`, `say_number`), in the templates (`_`, `trans`), and in the shipped labs' files. A
language named on the command line that has no catalogue yet gets one. What is new in a catalogue is empty until someone
translates it; what is no longer said is taken out.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from grader.lab.files import load_lab, load_truth
from grader.message import CATALOGUES

ROOT = Path(__file__).parents[1]
PROGRAM, TEMPLATES, LABS = ROOT / "grader", ROOT / "templates", ROOT / "reference" / "labs"
TERMINAL = (
    "cli/",
    "pipeline/cage.py",
    "pipeline/doctor.py",
    "pipeline/inspection.py",
    "pipeline/lab_form.py",
    "installed.py",
    *(f"checks/{name}.py" for name in ("check", "registry")),
)
"""What speaks to instructors in a terminal only, in English."""

SPOKEN: dict[str, tuple[int, ...] | None] = {"say": None, "say_number": (1, 2)}
IN_TEMPLATES: dict[str, tuple[int, ...] | None] = {"_": None, "gettext": None, "ngettext": (1, 2)}
_DAY = datetime(2024, 1, 1, tzinfo=UTC)
"""In the heads of catalogues, so that the same words give the same bytes."""


class Sentence(NamedTuple):
    """A sentence, or one and its plural, and the file that it stands in."""

    text: str | tuple[str, ...]
    file: str


def collect_sentences() -> Iterator[Sentence]:
    """All sentences, in the order of their files."""
    for path in sorted(PROGRAM.rglob("*.py")):
        if not path.relative_to(PROGRAM).as_posix().startswith(TERMINAL):
            yield from _extracted(path, "python", SPOKEN)
    for path in sorted(TEMPLATES.rglob("*.html")):
        yield from _extracted(path, "jinja2.ext:babel_extract", IN_TEMPLATES)
    for path in sorted(LABS.glob("*/lab.toml")):
        yield from of_lab(path.parent)


def of_lab(folder: Path) -> Iterator[Sentence]:
    """The words for people in a lab's files."""
    lab, truth = load_lab(folder), load_truth(folder)
    titles = [lab.title, *(question.title for question in lab.questions), *(item.title for item in lab.items)]
    titles += [title for item in lab.items for title in _titles(item.options)]
    named = [*(experiment.title for experiment in lab.experiments), *(split.named for split in lab.splits)]
    repeated = [lab.repetition_of(experiment.id) for experiment in lab.experiments]
    named += [measure.title for measure in lab.measured]
    named += [title for repetition in repeated for title in (repetition.title, repetition.titles)]
    for text in (*titles, *named):
        yield Sentence(text, _name(folder / "lab.toml"))
    for parameter in lab.parameters:
        whys = [contrary.why for contrary in parameter.contraries if contrary.why]
        for text in (parameter.summary, *(part.says for part in parameter.parts), *whys):
            yield Sentence(text, _name(folder / "lab.toml"))
    parts = dict.fromkeys(component.part for model in truth.models for component in model.components)
    # A measured fact is said only of a parameter that the lab does not describe.
    unsaid = [parameter.facts[0] for parameter in lab.parameters if parameter.facts and not parameter.summary]
    facts = [fact.sentence for name in unsaid if (fact := truth.fact(name))]
    for text in (*parts, *(count.title for count in truth.counts), *facts):
        yield Sentence(text, _name(folder / "truth.json"))


def _titles(options: Any) -> Iterator[str]:
    """Every `title` among the options of a check."""
    if isinstance(options, dict):
        yield from (value for name, value in options.items() if name == "title" and isinstance(value, str))
    for part in options.values() if isinstance(options, dict) else options if isinstance(options, list) else ():
        yield from _titles(part)


def template() -> Catalog:
    """The sentences as a catalogue without a language."""
    catalogue = Catalog(project="lab-grader", charset="utf-8")
    for sentence in collect_sentences():
        if sentence.text:
            catalogue.add(sentence.text, locations=[(sentence.file, 1)])
    return catalogue


def catalogue_of(code: str) -> Catalog:
    """The catalogue of a language as it stands; an empty one where there is none."""
    path = _path(code)
    if not path.is_file():
        return Catalog(locale=code.replace("-", "_"), charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=code.replace("-", "_"))


def updated_catalogue(code: str, new: Catalog) -> tuple[bytes, bytes]:
    """A language's catalogue with the sentences of a new template, as a `.po` and as a `.mo` file."""
    old = catalogue_of(code)
    today = Catalog(
        locale=old.locale,
        header_comment=f"# The words of the grader in {code}.",
        project="lab-grader",
        version="1",
        msgid_bugs_address="-",
        last_translator="-",
        language_team="-",
        charset="utf-8",
        fuzzy=False,
    )
    for message in new:
        if message.id:
            known_message = old.get(message.id)
            alike = known_message is not None and isinstance(known_message.id, str) == isinstance(message.id, str)
            today.add(message.id, known_message.string if known_message and alike else "", locations=message.locations)
    today.creation_date = today.revision_date = _DAY
    source, compiled = BytesIO(), BytesIO()
    write_po(source, today, width=120, include_lineno=False, sort_by_file=False)
    write_mo(compiled, today)
    return source.getvalue(), compiled.getvalue()


def _extracted(path: Path, method: str, keywords: dict[str, tuple[int, ...] | None]) -> Iterator[Sentence]:
    options = {"trimmed": "true", "silent": "false", "encoding": "utf-8"}
    with path.open("rb") as file:
        for _, text, _, _ in extract(method, file, keywords=keywords, options=options):
            yield Sentence(text, _name(path))


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _path(code: str) -> Path:
    return CATALOGUES / code / "LC_MESSAGES" / "grader.po"


def main(*new: str) -> None:
    """Bring all catalogues up to date, with new languages."""
    codes = (path.parent.parent.name for path in CATALOGUES.glob("*/LC_MESSAGES/grader.po"))
    today = template()
    for code in sorted({*codes, *new}):
        source, compiled = updated_catalogue(code, today)
        path = _path(code)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source)
        path.with_suffix(".mo").write_bytes(compiled)
        missing = [message for message in catalogue_of(code) if message.id and not any(_strings(message.string))]
        print(f"{code}: {len(missing)} of {len(catalogue_of(code))} sentences have no translation yet")


def _strings(text: Any) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
