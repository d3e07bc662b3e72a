"""Every sentence that people read has its translation, with the same gaps, and nothing is left over."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message

from grader.message import CATALOGUES, known_languages
from scripts.collect_messages import PROGRAM, TERMINAL, catalogue_of, template, updated_catalogue
from tests.conftest import ROOT
from tests.sources import nodes

LANGUAGES = known_languages()[1:]
TEMPLATE_GAP = re.compile(r"%\((\w+)\)")
MARKUP = re.compile(r"<[^>]*>")


def texts(message: str | tuple[str, ...]) -> tuple[str, ...]:
    return (message,) if isinstance(message, str) else tuple(message)


def gaps(text: str) -> set[tuple[str, str]]:
    """The names of the gaps with their formats."""
    found = {(name, form or "") for _, name, form, _ in Formatter().parse(text) if name is not None}
    return found | {(name, "%") for name in TEMPLATE_GAP.findall(text)}


def sentences(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id]


@pytest.fixture(scope="module")
def today() -> Catalog:
    return template()


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_sentence_is_translated(code: str, today: Catalog) -> None:
    catalogue = catalogue_of(code)
    wanted = {texts(message.id) for message in sentences(today)}
    have = {texts(message.id): message for message in sentences(catalogue)}
    print(f"{code}: {len(wanted)} sentences")
    lacking = [id_ for id_ in wanted if id_ not in have or not all(texts(have[id_].string))]
    assert not lacking, f"run `make messages`, then translate these: {lacking}"
    assert not [id_ for id_ in have if id_ not in wanted], "no longer said: run `make messages`"
    assert not [message.id for message in have.values() if message.fuzzy]
    assert not catalogue.obsolete


@pytest.mark.parametrize("code", LANGUAGES)
def test_translations_have_the_gaps_of_their_sentences(code: str) -> None:
    for message in sentences(catalogue_of(code)):
        known = [gaps(text) for text in texts(message.id)]
        for text in texts(message.string):
            assert not re.search(r"[\x00-\x09\x0b-\x1f]", text), f"{text!r} holds a control character"
            assert gaps(text) in known, f"{text!r} has other gaps than {message.id!r}"
            first = texts(message.id)[0]
            assert MARKUP.findall(text) == MARKUP.findall(first), f"{text!r} has other markup than {message.id!r}"
            if isinstance(message.id, str):
                ends = [(one[:1] == " ", one[-1:] == " ") for one in (text, message.id)]
                assert ends[0] == ends[1], f"{text!r} begins or ends otherwise than {message.id!r}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_compiled_catalogue_is_that_of_the_source(code: str, today: Catalog) -> None:
    folder = CATALOGUES / code / "LC_MESSAGES"
    source, compiled = updated_catalogue(code, today)
    assert (folder / "grader.mo").read_bytes() == compiled, "run `make messages`"
    assert (folder / "grader.po").read_bytes() == source, "run `make messages`"


def test_french_signs_stand_as_they_are_set() -> None:
    """Narrow and non-breaking spaces before high punctuation and within quotation marks, curved apostrophes."""
    for message in sentences(catalogue_of("fr")):
        for text in texts(message.string):
            assert not re.search(r"[ \w)][;?!](?![\w=])| :|« | »|[^\W\d]'\w", MARKUP.sub("", text)), text


SPEAKING = ("say", "say_number", "say_values")


def spoken(path: Path) -> Iterator[ast.Call]:
    calls = (node for node in nodes(path) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    return (node for node in calls if isinstance(node.func, ast.Name) and node.func.id in SPEAKING)


REBUILT = ("pipeline/stages.py",)
"""Modules that make messages again from what was kept of them."""


def test_sentences_are_literals_whose_gaps_are_filled() -> None:
    for path in sorted(PROGRAM.rglob("*.py")):
        if path.relative_to(PROGRAM).as_posix() in REBUILT:
            continue
        for call in spoken(path):
            several = isinstance(call.func, ast.Name) and call.func.id == "say_number"
            literals = call.args[: 2 if several else 1]
            for one in literals:
                assert isinstance(one, ast.Constant), f"{path}:{call.lineno}: the sentence is not a literal"
                given = {keyword.arg for keyword in call.keywords} | ({"number"} if several else set())
                if None not in given:  # else some are given by a mapping
                    assert {name for name, _ in gaps(str(one.value))} <= given, f"{path}:{call.lineno}"


def test_what_is_not_translated_has_no_words() -> None:
    for path in sorted(PROGRAM.rglob("*.py")):
        for call in spoken(path):
            if (
                isinstance(call.func, ast.Name)
                and call.func.id == "say_values"
                and isinstance(call.args[0], ast.Constant)
            ):
                words = "".join(text for text, _, _, _ in Formatter().parse(str(call.args[0].value)))
                assert not re.search(r"[^\W\d]|[:;!?%“”]", words), (
                    f"{path}:{call.lineno}: {words!r} differs by language"
                )


FOR_PEOPLE = {"feedback", "note", "message", "reason", "problem", "found", "expected", "meaning", "word"}
"""Arguments that hold words for people."""

TWO_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}")
MADE_UP = ("report/specimen.py",)
"""What stands for a real result while templates are tried."""


def test_words_for_people_are_messages() -> None:
    """No sentence is handed on as plain text, which no language could change."""
    for path in sorted(PROGRAM.rglob("*.py")):
        if path.relative_to(PROGRAM).as_posix().startswith(TERMINAL + MADE_UP):
            continue
        for node in nodes(path):
            if isinstance(node, ast.keyword) and node.arg in FOR_PEOPLE:
                assert not is_plain(node.value), f"{path}:{node.value.lineno}: build it with `say`"


def is_plain(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return is_plain(node.body) or is_plain(node.orelse)
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return any(isinstance(part, ast.Constant) and TWO_WORDS.search(str(part.value)) for part in parts)


def test_a_percent_sign_in_a_template_is_doubled() -> None:
    """Jinja fills the gaps of its sentences by `%`, and looks a single sign up as another sentence."""
    for path in sorted((ROOT / "templates").glob("*.html")):
        for said in re.findall(
            r'{% trans[^%]*%}(.*?){% endtrans %}|_\("([^"]*)"\)', path.read_text("utf-8"), re.DOTALL
        ):
            assert not re.search(r"(?<!%)%(?![%(])", "".join(said).replace("{%", "")), (path.name, said)
