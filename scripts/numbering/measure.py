"""The share of answers whose question is found with exactly the right text, for each form and format."""

import argparse
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from grader.claims.answer import extract
from grader.claims.sections import Section
from grader.intake.submission import Role, Submission, SubmittedFile
from grader.reading.formats import read
from scripts.numbering.formats import FORMATS
from scripts.numbering.forms import FORMS, Form, expected_blocks, label, write_sheet
from scripts.numbering.sheets import Block, Sheet, sheets

SHARE: Final = 0.95
"""Of the answers, the share that has to be found."""


class Outcome(NamedTuple):
    """One answer in one form and format: what stands under its question, and whether that is the answer."""

    sheet: str
    form: str
    format: str
    question: str
    is_found: bool
    text: str


def outcomes(sheet: Sheet, form: Form, suffix: str, folder: Path) -> Iterator[Outcome]:
    """Write a sheet in a form and a format, read it, and look at each answer."""
    return found_in(write_sheet(sheet, form), sheet, form, suffix, folder)


def found_in(report: Sequence[Block], sheet: Sheet, form: Form, suffix: str, folder: Path) -> Iterator[Outcome]:
    """Read a report in a format, in which a sheet stands in a form, and look at each answer of the sheet."""
    path = folder / f"{sheet.id}.{suffix}"
    content = FORMATS[suffix](report)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    cut = _sections(path, sheet)
    for answer in filter(lambda question: question.is_graded, sheet.answers):
        own_sections = [
            section
            for section in cut
            if answer.id in section.questions and section.passage.text[section.lead :].strip()
        ]
        text = "\n".join(section.passage.text[section.lead :] for section in own_sections)
        alone = all(section.questions == (answer.id,) for section in own_sections)
        found = (
            not text
            if not answer.blocks
            else alone and _is_answer(text, label(form, answer), expected_blocks(form, answer))
        )
        yield Outcome(sheet.id, form.name, suffix, answer.id, found, text)


def _sections(path: Path, sheet: Sheet) -> tuple[Section, ...]:
    """The sections of a hand-in that is this file."""
    content = path.read_bytes()
    file = SubmittedFile(
        path=path.name, role=Role.REPORT, size=len(content), sha256=sha256(content).hexdigest(), location=path
    )
    reading = read(Submission(student_id="ada", student_name="", files=(file,), sha256=file.sha256))
    return extract(reading, sheet.lab).sections


def letters(text: str) -> str:
    """The letters and digits of a text, so that signs and blanks make no difference."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(candidate for candidate in folded if candidate.isalnum())


def _is_answer(text: str, label: str, blocks: Iterable[Block]) -> bool:
    """Whether a text is an answer, behind the end of its label or all of it."""
    parts = []
    for block in blocks:
        is_list = block.kind == "steps"
        marks = (f"(?:{number})?" if is_list else "" for number in range(1, len(block.texts) + 1))
        parts += [mark + re.escape(letters(candidate)) for mark, candidate in zip(marks, block.texts, strict=True)]
    match = re.search(f"{''.join(parts)}$", letters(text))
    return match is not None and letters(label).endswith(letters(text)[: match.start()])


def measure_forms(forms: Sequence[Form], formats: Sequence[str], of: Sequence[Sheet]) -> Iterator[Outcome]:
    """Every answer in every form that suits its number, and every format."""
    with tempfile.TemporaryDirectory() as folder:
        for form in forms:
            for sheet in of:
                if form.suits(sheet):
                    for suffix in formats:
                        yield from outcomes(sheet, form, suffix, Path(folder))


def main() -> int:
    """Print the table; the exit status is 1 where less than 95 % are found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--form", action="append", help="only forms whose name contains this")
    parser.add_argument("--format", action="append", choices=list(FORMATS))
    parser.add_argument("--sheet", action="append", help="only this sheet")
    parser.add_argument("--missed", action="store_true", help="print what stands under each question not found")
    chosen = parser.parse_args()
    forms = [candidate for candidate in FORMS if not chosen.form or any(part in candidate.name for part in chosen.form)]
    formats = chosen.format or list(FORMATS)
    of = [sheet for sheet in sheets() if not chosen.sheet or sheet.id in chosen.sheet]
    right, all_ = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for outcome in measure_forms(forms, formats, of):
        for key in ((outcome.form, outcome.format), ("all", outcome.format), (outcome.form, "all"), ("all", "all")):
            all_[key] += 1
            right[key] += outcome.is_found
        if chosen.missed and not outcome.is_found:
            print(f"{outcome.form} | {outcome.format} | {outcome.sheet} {outcome.question}: {outcome.text!r}")
    columns = (*formats, "all")
    print(f"{'':32}" + "".join(f"{column:>7}" for column in columns))
    for form in (*(candidate.name for candidate in forms if all_[candidate.name, "all"]), "all"):
        print(f"{form:32}" + "".join(f"{100 * right[form, column] / all_[form, column]:7.1f}" for column in columns))
    print(f"{right['all', 'all']} of {all_['all', 'all']} answers")
    return int(right["all", "all"] < SHARE * all_["all", "all"])
