"""Invented labs and answer sheets, from `sheets.toml`."""

import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from grader.frozen import Frozen
from grader.lab.definition import Lab

_ONES: Final = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")


class Block(NamedTuple):
    """A part of a report. `kind` is `heading`, `paragraph`, `bold` (a paragraph in bold), `bullets`, `steps` (a
    numbered list), `rows`, `code`, `caption`, or `contents`; `texts` are its paragraph, items or lines, or the cells
    of `rows` line by line, `width` to a line."""

    kind: str
    texts: tuple[str, ...]
    width: int = 1
    bold: str = ""

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The texts in lines of `width` cells."""
        return [self.texts[at : at + self.width] for at in range(0, len(self.texts), self.width)]


class Question(NamedTuple):
    """A question with its answer, which has no blocks where the student left it out. Not all are graded."""

    number: tuple[str, ...]
    title: str
    asks: str
    blocks: tuple[Block, ...]
    is_graded: bool = True

    @property
    def id(self) -> str:
        """Its id in the lab."""
        return "q" + "-".join(self.number)

    @property
    def roman(self) -> str:
        """Its number, the first part of it in Roman numerals."""
        return ".".join((_roman(int(self.number[0])), *self.number[1:]))


class Sheet(Frozen):
    """An answer sheet and its lab."""

    id: str
    title: str
    language: str
    word: str
    introduction: str
    questions: list[dict[str, Any]]
    contents: bool = False
    outline: bool = False
    restated: bool = False
    references: tuple[str, ...] = ()

    @cached_property
    def answers(self) -> tuple[Question, ...]:
        """The questions in order."""
        return tuple(
            Question(
                tuple(question["number"].split(".")),
                question["title"],
                question.get("asks", ""),
                tuple(map(_block, question["blocks"])),
                question.get("graded", True),
            )
            for question in self.questions
        )

    @property
    def answered(self) -> tuple[Question, ...]:
        """The questions that the student answered."""
        return tuple(answer for answer in self.answers if answer.blocks)

    @property
    def depth(self) -> int:
        """The number of parts of a number."""
        return len(self.answers[0].number)

    @cached_property
    def lab(self) -> Lab:
        """The lab, as an instructor would write it."""
        return Lab.model_validate(
            {
                "id": self.id,
                "title": self.title,
                "questions": [
                    {
                        "id": answer.id,
                        "title": answer.title,
                        "labels": [
                            f"{word} {'.'.join(answer.number)}" for word in {self.word: 1, "question": 1, "q": 1}
                        ],
                        "asks": answer.asks,
                        "items": [
                            {"id": f"{answer.id}.text", "title": answer.title, "points": "1", "check": "by-hand"}
                        ],
                    }
                    for answer in self.answers
                    if answer.is_graded
                ],
            }
        )


def _roman(number: int) -> str:
    """A number below 40 in Roman numerals."""
    return "X" * (number // 10) + _ONES[number % 10]


def sheets() -> tuple[Sheet, ...]:
    """All sheets."""
    table = tomllib.loads(Path(__file__).with_name("sheets.toml").read_text(encoding="utf-8"))
    return tuple(map(Sheet.model_validate, table["sheets"]))


def _block(entry: Any) -> Block:
    if isinstance(entry, str):
        return Block("paragraph", (entry,))
    if isinstance(entry, list):
        return Block("bullets", tuple(entry))
    ((kind, content),) = entry.items()
    if kind == "rows":
        return Block(kind, tuple(cell for row in content for cell in row), len(content[0]))
    return Block(kind, tuple(content) if isinstance(content, list) else (content,))
