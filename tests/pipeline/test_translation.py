"""Whatever a result says in the grader's own words can be said in another language: no English leaks."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from grader.intake.layouts import Layout, find_sources
from grader.intake.opening import open_submission
from grader.intake.submission import Source, Submission
from grader.lab.files import load_lab, load_truth
from grader.lab.short_answers import example_texts
from grader.message import ENGLISH, Language, Message, Words, language_of
from grader.pipeline.one import grade_submission
from grader.pipeline.order import failed_result
from grader.reading.formats import read
from grader.result import Result
from scripts.collect_messages import catalogue_of
from tests.conftest import ROOT

FOLDER = ROOT / "reference" / "labs" / "nlp_frameworks"
LAB, TRUTH = load_lab(FOLDER), load_truth(FOLDER)
SOURCES = {source.student_id: source for source in find_sources(ROOT / "submissions", Layout.CLASS)[0]}
FEW = ("student-03", "student-06", "student-09")
CATALOGUE = catalogue_of("fr")
WORD, GAP = re.compile(r"[^\W\d_]{2,}"), re.compile(r"\{\w+[^}]*\}")
SENTENCE = re.compile(r"[^\W\d_]{2,} [^\W\d_]{2,}")
MARK = get_args(Words)[1]


class Pseudo(Language):
    """Says every sentence in brackets, and keeps the plain words that filled the gaps."""

    def __init__(self) -> None:
        super().__init__("xx")
        self.plain: set[str] = set()
        self.sentences: set[str] = set()

    def say(self, text: str) -> str:
        self.plain.update(leaves(text))
        super().say(text)
        return f"⟦{text}⟧"

    def gettext(self, text: str) -> str:
        self.sentences.add(text)
        return text

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        self.sentences.add(singular)
        return super().ngettext(singular, plural, number)


def leaves(value: object) -> Iterator[str]:
    """All words in a message that no language changes."""
    if isinstance(value, Message):
        for part in value.values.values():
            yield from leaves(part)
    elif isinstance(value, str):
        yield value


def words(model: BaseModel) -> Iterator[str]:
    """All fields of a model that hold words for people."""
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, str) and (MARK in field.metadata or Words in get_args(field.annotation)):
            yield value
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, BaseModel):
                yield from words(one)


def own_words(submission: Submission) -> str:
    """All words that stand in a hand-in or in the lab's marked examples, in their order and in lower case."""
    reading = read(submission)
    texts = [block.text for document in reading.documents for block in document.blocks]
    texts += [cell.source + " " + (cell.output or "") for book in reading.notebooks for cell in book.cells]
    texts += [file.path for file in reading.files]
    texts += example_texts(LAB.short_answers)
    return plain(" ".join(texts)).casefold()


def plain(text: str) -> str:
    """The words of a text alone, with one space between them."""
    return " ".join(re.findall(r"\w+", text))


def leaked(result: Result, pseudo: Pseudo, own: str) -> list[str]:
    """Plain words that are sentences and not the student's own."""
    kept = {text for text in words(result) if not text.startswith("⟦")} | pseudo.plain
    return [text for text in kept if SENTENCE.search(text) and not is_own(text, own)]


def is_own(text: str, own: str) -> bool:
    """Whether words are a quotation, perhaps cut, or of several places."""
    return all(plain(part).casefold() in own for part in re.split(r" / |⏎|…|⟨|⟩|\|\|", text))


def graded(source: Source, work: Path, language: Language) -> tuple[Result, Submission]:
    submission = open_submission(source, work / source.student_id)
    return grade_submission(submission, LAB, TRUTH, language=language), submission


def check_nothing_leaks(student: str, work: Path) -> None:
    pseudo = Pseudo()
    result, submission = graded(SOURCES[student], work, pseudo)
    said = [text for text in words(result) if text.startswith("⟦")]
    print(f"{student}: {len(said)} sentences")
    assert len(said) >= len(result.items)
    assert not leaked(result, pseudo, own_words(submission))
    known = {text if isinstance(text, str) else text[0] for text in (message.id for message in CATALOGUE) if text}
    assert not {text for text in pseudo.sentences - known if WORD.search(GAP.sub("", text))}


@pytest.mark.parametrize("student", FEW)
def test_no_english_leaks(student: str, tmp_path: Path) -> None:
    check_nothing_leaks(student, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("student", sorted(SOURCES))
def test_no_english_leaks_from_any_sample(student: str, tmp_path: Path) -> None:
    check_nothing_leaks(student, tmp_path)


def test_a_failed_result_is_said_as_well() -> None:
    pseudo = Pseudo()
    result = failed_result(SOURCES["student-03"], LAB, TRUTH, "", language=pseudo)
    assert all(text.startswith("⟦") for text in words(result) if text)


def test_the_language_changes_words_only(tmp_path: Path) -> None:
    """Points, statuses and fingerprints are the same, so an override holds in every language."""
    (english, _), (french, _) = (
        graded(SOURCES["student-03"], tmp_path / code, language_of(code)) for code in (ENGLISH.code, "fr")
    )
    assert (english.language, french.language) == ("en", "fr")
    assert (english.score, english.pending) == (french.score, french.pending)
    for one, other in zip(english.items, french.items, strict=True):
        assert (one.status, one.finding, one.group, one.tags) == (other.status, other.finding, other.group, other.tags)
        assert one.evidence == other.evidence
    assert english.items[0].feedback != french.items[0].feedback
    assert Result.from_json(french.to_json()).language == "fr"
