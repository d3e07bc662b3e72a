"""What the grader makes of invented answers, kept in text files beside the tests, so that every change of it is seen.

`python -m tests.kept` writes the files anew: look at the difference before you keep it. They hold verdicts, figures and
quotes. Of the sentences for people they hold a mark only: it changes with the wording, and with which sentence is said.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final
from zlib import crc32

from grader.checks.finding import Finding, Flag
from grader.message import Message
from grader.reading.document import Evidence

_LONGEST: Final = 40
"""So much of a quote tells which place it is; of a longer one, its length tells where it ends."""

LEARNED: Final = "q2."
"""How the items begin that a model of marked examples judges: its probabilities change whenever it is trained."""


def lines_of(findings: Iterable[Finding], flags: Iterable[Flag] = ()) -> Iterator[str]:
    """What the checks conclude, a line each; of what a learned model judges, only the verdict."""
    for one in findings:
        parts = [one.item, one.status.value]
        parts += [f"found {_short(one.found)}"] if one.found else []
        parts += [f"share {one.share}"] if one.share is not None else []
        parts += [f"suggests {one.suggestion.value}"] if one.suggestion else []
        parts += [f"is {diagnosis.id}" for diagnosis in one.diagnoses]
        is_learned = one.item.startswith(LEARNED)
        said = (one.feedback, *(d.text for d in one.diagnoses))
        parts += [f"says {told(said)}"] if any(said) else []
        parts += [f"note {told((one.note,))}"] if not is_learned and one.note else []
        parts += [f"expects {told((one.expected.text,))}"] if one.expected else []
        parts += [f"by {', '.join(one.expected.truths)}"] if one.expected and one.expected.truths else []
        parts += [f"tags {', '.join(one.tags)}"] if one.tags and not is_learned else []
        parts += [f"sure {one.confidence:.2f}"] if one.confidence < 1 and not is_learned else []
        yield " | ".join((*parts, *map(place, one.evidence)))
    for flag in flags:
        yield " | ".join((f"flag {flag.id}", flag.severity.value, told((flag.message,)), *map(place, flag.evidence)))


def place(evidence: Evidence) -> str:
    """Where something stands, in short."""
    where = [evidence.page, evidence.cell, evidence.line, evidence.tag, evidence.step]
    longer = f" [{len(evidence.quote)}]" if len(evidence.quote) > _LONGEST else ""
    return f"@{':'.join(str(part) for part in where if part is not None)} {_short(evidence.quote)}{longer}"


def told(texts: Iterable[str]) -> str:
    """The mark of some sentences, and the values in their gaps."""
    texts = tuple(texts)
    mark = crc32("\n".join(sentence for text in texts for sentence in _sentences(text)).encode()) & 0xFFFF
    return " ".join((f"{mark:04x}", _values_in(texts))).rstrip()


def _sentences(text: object) -> Iterator[str]:
    if isinstance(text, Message):
        yield text.sentence
        for one in text.values.values():
            yield from _sentences(one)


def _values_in(texts: Iterable[str]) -> str:
    """The values in the gaps of some sentences, each once."""
    return ", ".join(dict.fromkeys(value for text in texts for value in _leaves(text)))


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, Message) and (value.values or value.endswith(".")):
        for one in value.values.values():
            yield from _leaves(one)
    elif not isinstance(value, str) or value.strip():
        yield _short(f"{value:g}" if isinstance(value, float) else str(value))


def texts(name: str) -> list[tuple[str, str]]:
    """The texts of a file of sheets, with their names."""
    file = Path(__file__).with_name("generated") / f"{name}.toml"
    return [(sheet["name"], sheet["text"]) for sheet in tomllib.loads(file.read_text(encoding="utf-8"))["sheets"]]


@cache
def kept(file: Path) -> Mapping[str, list[str]]:
    """What a file keeps, by the name of each answer."""
    sections: dict[str, list[str]] = {}
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line.startswith("=== "):
            sections[line.removeprefix("=== ")] = []
        elif line:
            sections[next(reversed(sections))].append(line)
    return sections


def write(file: Path, sections: Mapping[str, Iterable[str]]) -> None:
    """Keep what there is now."""
    text = "\n".join("\n".join((f"=== {name}", *lines)) for name, lines in sections.items())
    file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    from tests.checks import keeping, test_handed_in_sheets, test_kept_verdicts

    test_handed_in_sheets.write_anew()
    test_kept_verdicts.write_anew()
    keeping.write_anew()
