"""A package for students: the self-check of one lab, installed by pip, that holds nothing of what is right.

It holds only the modules that the check needs, without comments, the lab as students may see it, and of each catalogue
the sentences that these modules say.
"""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.lab.definition import Lab
from grader.lab.for_students import seen_by_students
from grader.language import CATALOGUE, CATALOGUES, ENGLISH, known_languages
from grader.packages.modules import PACKAGE, bare, foreign, needed_by
from grader.packages.wheel import PYTHON, requirements, wheel, wheel_name

_ENTRY = "grader.selfcheck.command"
_CALLED_BY_NAME = ("grader.selfcheck.reading",)
README = "README.md"


def package_name(lab: Lab) -> str:
    """What pip calls the package of a lab."""
    return f"lab-check-{lab.id.replace('.', '-').replace('_', '-')}"


def students_package(lab: Lab) -> dict[str, bytes]:
    """The files to hand out by name: the wheel, and how to use it."""
    seen = seen_by_students(lab)
    modules = needed_by((_ENTRY, *_CALLED_BY_NAME))
    files = {path.relative_to(PACKAGE.parent).as_posix(): bare(path) for path in modules}
    files["grader/selfcheck/lab.json"] = (seen.model_dump_json(indent=1, exclude_defaults=True) + "\n").encode()
    files |= _catalogues(seen, {f"grader/{path.relative_to(PACKAGE).as_posix()}" for path in modules})
    name = package_name(lab)
    content = wheel(name, files, requirements(foreign(modules)), {"lab-check": f"{_ENTRY}:main"})
    return {wheel_name(name): content, README: _readme(lab, wheel_name(name)).encode()}


def _catalogues(lab: Lab, modules: Iterable[str]) -> Mapping[str, bytes]:
    """Of each catalogue the sentences of some modules, and the lab's own titles."""
    said = frozenset(modules)
    titles = {lab.title, *(one.title for one in lab.questions), *(one.title for one in lab.experiments)}
    found = {}
    for code in known_languages():
        source = (CATALOGUES / code / CATALOGUE).with_suffix(".po")
        if code != ENGLISH.code and source.is_file():
            place = Path("grader", "locale", code, CATALOGUE).as_posix()
            found[place] = _compiled(source, said, titles)
    return found


def _compiled(source: Path, said: frozenset[str], titles: set[str]) -> bytes:
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with source.open("rb") as file:
        whole = read_po(file)
    kept = Catalog(locale=whole.locale)
    for message in whole:
        text = message.id if isinstance(message.id, str) else message.id[0]
        places = {str(place) for place, _ in message.locations}
        if text and (places & said or text in titles):
            kept.add(message.id, message.string)
    buffer = io.BytesIO()
    write_mo(buffer, kept)
    return buffer.getvalue()


def _readme(lab: Lab, file: str) -> str:
    return f"""\
# {lab.title}: check your hand-in before you hand it in

It shows what the grader reads in your hand-in: files, headings, numbers, results, definitions, training logs, and what
it cannot read. It does not know what is right, gives no points, and sends nothing anywhere.

With Python {PYTHON} or newer, in an environment of its own:

    python -m venv check
    check/bin/pip install {file}          # on Windows: check\\Scripts\\pip
    check/bin/lab-check report.pdf code/

A folder or a zip that holds everything does as well: `lab-check Lab.zip`. `--lang fr` speaks French, `--json` is for
programs. What looks wrong in the list is worth mending in the hand-in: if a number is not found here, the grader does
not find it either, and a person has to look for it.
"""
