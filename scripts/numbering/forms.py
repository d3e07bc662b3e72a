"""The forms in which students number their answers: how a label is written and where it stands."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from scripts.numbering.sheets import Block, Question, Sheet

FLAT: Final = (1,)
DEEP: Final = (2, 3)
ANY: Final = (1, 2, 3)


class Form(NamedTuple):
    """`label` writes a question's number. `place` says where it stands: `heading` and `line` above the answer, `same`
    at the beginning of its first paragraph, `bold` likewise and in bold, `bullet` in a bullet point, `row` in the first
    cell of a table's row, `list` as a list that numbers itself, `comment` in code, `part` below a heading with the
    first part of the number. `title` puts the question's title behind the label, `restated` its wording, where the
    sheet does so. `depths` are the lengths of the numbers that can be written so."""

    name: str
    label: Callable[[Question], str]
    place: str
    depths: tuple[int, ...] = ANY
    title: bool = False

    def suits(self, sheet: Sheet) -> bool:
        """Whether the sheet can be written so. A list that numbers itself leaves no number out."""
        return sheet.depth in self.depths and (self.place != "list" or sheet.answered == sheet.answers)


def _dotted(question: Question) -> str:
    return ".".join(question.number)


def _written(pattern: str) -> Callable[[Question], str]:
    """A label with `{n}` for the number, `{r}` for its Roman form, `{first}` and `{rest}` for its parts, and `{before}`
    for the number before it."""

    def label_of(question: Question) -> str:
        return pattern.format(
            n=_dotted(question),
            r=question.roman,
            first=question.number[0],
            rest=".".join(question.number[1:]),
            before=int(question.number[0]) - 1,
        )

    return label_of


FORMS: Final = tuple(
    Form(name, _written(pattern), place, depths, title)
    for name, pattern, place, depths, title in (
        ("8. text", "{n}.", "same", ANY, False),
        ("8) text", "{n})", "same", ANY, False),
        ("(8) text", "({n})", "same", ANY, False),
        ("**8.** text", "{n}.", "bold", ANY, False),
        ("8 - text", "{n} -", "same", ANY, False),
        ("8/ text", "{n}/", "same", ANY, False),
        ("8: text", "{n}:", "same", ANY, False),
        ("[8] text", "[{n}]", "same", FLAT, False),
        ("8°) text", "{n}°)", "same", FLAT, False),
        ("list that numbers itself", "", "list", FLAT, False),
        ("8. / text", "{n}.", "line", ANY, False),
        ("**8** / text", "{n}", "boldline", ANY, False),
        ("# 8. Title", "{n}.", "heading", ANY, True),
        ("# 8 Title", "{n}", "heading", ANY, True),
        ("# Title, numbered by itself", "", "numbered", FLAT, True),
        ("# Question 8 Title", "Question {n}", "heading", ANY, True),
        ("# Question 8", "Question {n}", "heading", ANY, False),
        ("Question 8 / text", "Question {n}", "line", ANY, False),
        ("Question 8 / wording / text", "Question {n}", "wording", ANY, False),
        ("Question 8: text", "Question {n}:", "same", ANY, False),
        ("**Question 8.** text", "Question {n}.", "bold", ANY, False),
        ("Q. 8 text", "Q. {n}", "same", ANY, False),
        ("Q8 text", "Q{n}", "same", ANY, False),
        ("Q8) text", "Q{n})", "same", ANY, False),
        ("# Q8 - Title", "Q{n} -", "heading", ANY, True),
        ("Question n° 8", "Question n° {n}", "line", ANY, False),
        ("Question #8", "Question #{n}", "line", ANY, False),
        ("# Question VIII", "Question {r}", "heading", ANY, False),
        ("Answer 8: text", "Answer {n}:", "same", ANY, False),
        ("Answer to question 8", "Answer to question {n}", "line", ANY, False),
        ("- Q8: text", "Q{n}:", "bullet", ANY, False),
        ("| 8 | text |", "{n}", "row", ANY, False),
        ("| Question 8 | text |", "Question {n}", "row", ANY, False),
        ("# Question 8 in code", "Question {n}", "comment", ANY, False),
        ("Exercise 2, question 3", "Exercise {first}, question {rest}", "heading", DEEP, False),
        ("Exercice 2 question 3 : text", "Exercice {first} question {rest} :", "same", DEEP, False),
        ("Q2-1.8 text", "Q2-1.{n}", "same", FLAT, False),
        ("Q2-3 text", "Q{first}-{rest}", "same", DEEP, False),
        ("Task II.4", "Task {r}", "heading", DEEP, True),
        ("Exercise 2 / 3) text", "{rest})", "part", DEEP, False),
        ("2.3.b text", "{n}", "same", DEEP, False),
        ("# Title", "", "heading", ANY, True),
        ("# 7 Title, one off", "{before}.", "heading", FLAT, True),
    )
)
"""The name shows the eighth question, or the third of exercise 2, as it looks in the form; `/` is a new line."""


def write_sheet(sheet: Sheet, form: Form) -> tuple[Block, ...]:
    """The sheet with its answers labelled in the form, from title to references."""
    return (
        Block("title", (sheet.title,)),
        *_contents(sheet, form),
        *((Block("heading", ("1. Introduction",)),) if sheet.outline else ()),
        Block("paragraph", (sheet.introduction,)),
        *((Block("heading", ("2. Answers",)),) if sheet.outline else ()),
        *_answers(sheet, form),
        *_references(sheet),
    )


def label(form: Form, question: Question) -> str:
    """The label with the title, if that stands behind it."""
    return " ".join(filter(None, (form.label(question), question.title if form.title else "")))


def line(sheet: Sheet, form: Form, question: Question) -> str:
    """The label with what stands behind it on its line, of the question only."""
    asked = question.asks if sheet.restated and form.place in ("heading", "line", "boldline") and not form.title else ""
    return f"{label(form, question)} {asked}".strip()


def _contents(sheet: Sheet, form: Form) -> Iterator[Block]:
    """A table of contents: of the labels where they are headings, else of the report's parts."""
    labels = tuple(line(sheet, form, question) for question in sheet.answered)
    if sheet.contents:
        yield Block("contents", labels if form.place == "heading" else ("1 Introduction", "2 Answers", "3 Sources"))
    elif sheet.outline:
        yield Block("contents", ("1. Introduction", "2. Answers", "3. References"))


def _references(sheet: Sheet) -> Iterator[Block]:
    if sheet.references:
        yield Block("heading", ("3. References" if sheet.outline else "References",))
        yield from (Block("paragraph", (reference,)) for reference in sheet.references)


def _answers(sheet: Sheet, form: Form) -> Iterator[Block]:
    if form.place == "row":
        cells = (text for entry in sheet.answered for text in (form.label(entry), plain_text(entry)))
        yield Block("rows", ("No.", "Answer", *cells), 2)
        return
    if form.place == "list":
        yield Block("ordered", tuple(plain_text(entry) for entry in sheet.answered))
        return
    first = ""
    for question in sheet.answered:
        if form.place == "part" and question.number[0] != first:
            first = question.number[0]
            yield Block("heading", (f"Exercise {first}",))
        yield from _answer(sheet, form, question)


def _answer(sheet: Sheet, form: Form, question: Question) -> Iterator[Block]:
    """An answer with its label before or in it."""
    opening_line = line(sheet, form, question)
    kinds = {"heading": "heading", "line": "paragraph", "boldline": "bold"}
    if form.place in kinds:
        yield Block(kinds[form.place], (opening_line,))
        yield from question.blocks
    elif form.place == "numbered":
        yield Block("numbered", (question.title,), int(question.number[0]))
        yield from question.blocks
    elif form.place == "wording":
        yield Block("bold", (label(form, question),))
        yield from (Block("paragraph", (text,)) for text in (question.asks,) if sheet.restated)
        yield from question.blocks
    elif form.place == "bullet":
        yield Block("bullets", (f"{opening_line} {plain_text(question)}",))
    elif form.place == "comment":
        yield Block("code", (f"# {opening_line}\n# {plain_text(question)}",))
    else:
        opening = question.blocks[0] if question.blocks[0].kind == "paragraph" else Block("paragraph", ("As follows.",))
        rest = question.blocks[1:] if opening is question.blocks[0] else question.blocks
        bold = opening_line if form.place == "bold" else ""
        yield Block("paragraph", (f"{opening_line} {opening.texts[0]}",), bold=bold)
        yield from rest


def plain_text(question: Question) -> str:
    """The answer's paragraphs and items as one paragraph, for a cell, an item or a comment."""
    return " ".join(text for block in question.blocks if block.kind != "code" for text in block.texts)


def expected_blocks(form: Form, question: Question) -> tuple[Block, ...]:
    """The parts of the answer as the form has them."""
    if form.place in ("row", "list", "bullet", "comment"):
        return (Block("paragraph", (plain_text(question),)),)
    if form.place in ("heading", "line", "boldline", "numbered", "wording") or question.blocks[0].kind == "paragraph":
        return question.blocks
    return (Block("paragraph", ("As follows.",)), *question.blocks)
