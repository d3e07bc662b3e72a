"""Find the questions of a handout: their numbers, their text, and their points.

Numbers of questions ascend, and stand after a word for questions, beside points, or before sentences that ask for
something.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

from grader.claims.numbering import Mark, marks_in
from grader.claims.statements import speaks_of
from grader.lab.draft import Draft, DraftedQuestion
from grader.language import lexicon
from grader.reading.document import Block, BlockKind, Document

_FEWEST_WORDS: Final = 4
_FEWEST: Final = 3
"""This many numbers before sentences that ask are no coincidence."""
_LONGEST_TITLE, _LONGEST_WORDING, _MOST_LINES = 70, 60, 6
_CENT: Final = Decimal("0.01")
_CHAPTERS: Final = ("part", "partie", "section", "chapter", "chapitre")
_FURTHER: Final = (*_CHAPTERS, "assignment", "activity", "activité")
"""Words before numbers of questions in handouts that hardly occur in answers."""
_PLACES: Final = (BlockKind.HEADING, BlockKind.LINE, BlockKind.LIST_ITEM)

_ASKING: Final = (
    *(
        "what",
        "why",
        "how",
        "which",
        "when",
        "who",
        "explain",
        "compute",
        "calculate",
        "show",
        "prove",
        "derive",
        "give",
    ),
    *(
        "describe",
        "discuss",
        "compare",
        "plot",
        "draw",
        "implement",
        "write",
        "complete",
        "train",
        "evaluate",
        "report",
    ),
    *(
        "find",
        "define",
        "list",
        "name",
        "state",
        "explor",
        "imagine",
        "suppose",
        "consider",
        "use",
        "run",
        "create",
        "verify",
        "determine",
        "estimate",
        "repeat",
    ),
    *(
        "expliqu",
        "calcul",
        "montr",
        "démontr",
        "prouv",
        "donn",
        "décri",
        "compar",
        "trac",
        "impléme",
        "écri",
        "complét",
    ),
    *(
        "entraîn",
        "évalu",
        "quel",
        "pourquoi",
        "comment",
        "combien",
        "trouv",
        "défini",
        "utilis",
        "vérifi",
        "déterminer",
    ),
)
"""Beginnings of words that begin sentences which ask for something."""

_CHECKS: Final = {
    "figure-present": ("plot", "draw", "curve", "figure", "histogram", "trac", "courbe", "graphique"),
    "parameter-count": ("number of parameters", "how many parameters", "nombre de paramètres", "combien de paramètres"),
    "table": ("table", "tableau", "confusion matrix", "matrice de confusion"),
    "numeric-answer": (
        "compute",
        "calculate",
        "what is the value",
        "how many",
        "calcul",
        "combien",
        "quelle est la valeur",
    ),
    "contains": (
        "explain",
        "why",
        "discuss",
        "describe",
        "compare",
        "expliqu",
        "pourquoi",
        "décri",
        "compar",
        "comment",
    ),
}
"""The checks that may decide a question, by its words, the most specific first."""


class _Scheme(NamedTuple):
    """Ascending numbers of one form, and how certain it is that they number questions; 0 if nothing shows it."""

    marks: tuple[Mark, ...]
    trust: int


def draft_questions(document: Document) -> Draft:
    """Return the questions of a handout in order; empty if they are not recognised."""
    blocks = document.blocks
    words = {word.casefold() for word in lexicon.words("question_label")}
    marks = [
        _without_section(mark, blocks[mark.place].text)
        for mark in marks_in(blocks, words | {*_FURTHER})
        if mark.kind is not BlockKind.CODE
    ]
    schemes = [
        scheme for some in _alike(marks, blocks) for scheme in (_scheme(some, marks, blocks, words),) if scheme.trust
    ]
    best = max(schemes, key=lambda scheme: (scheme.trust, len(scheme.marks)), default=None)
    headings = tuple(block.text for block in blocks if block.kind is BlockKind.HEADING)
    questions = list(_numbered(best, marks, blocks)) if best else list(_titled(blocks))
    return Draft(title=_short(next(iter(headings), "")), questions=tuple(questions), headings=headings)


def _without_section(mark: Mark, text: str) -> Mark:
    """Return a number without that of its section: the first one of `1 Part I`."""
    section = re.match(r"[#*\s]*(\d+(?:\.\d+)*)\.?\s+[^\W\d_]", text)
    path = mark.path[section[1].count(".") + 1 :] if section and mark.word else ()
    return mark._replace(path=path) if path else mark


def _alike(marks: Sequence[Mark], blocks: Sequence[Block]) -> Iterator[list[Mark]]:
    """Return the numbers after the same word, or without a word those of the same form."""
    forms: dict[object, list[Mark]] = {}
    for mark in marks:
        is_apart = mark.is_apart or blocks[mark.place].text[mark.end :].lstrip(" *_")[:1] in ("(", "[")
        if mark.word and not is_apart:
            continue
        forms.setdefault(mark.word or (mark.form, mark.is_alone), []).append(mark)
    yield from forms.values()


def _scheme(alike: Sequence[Mark], marks: Sequence[Mark], blocks: Sequence[Block], words: set[str]) -> _Scheme:
    """Return the ascending ones of some numbers, and how certain it is that they number questions."""
    rising = _rising(_with_chapters(alike, marks))
    word = alike[0].word
    with_points = sum(_points(blocks[mark.place].text) is not None for mark in rising)
    asking = sum(_asks(_wording(mark.place, mark.end, blocks)) for mark in rising)
    is_told = bool(word) or 2 * asking >= len(rising)
    if alike[0].kind is BlockKind.HEADING and not (is_told or with_points):
        return _divided(rising, blocks)
    trusts = (
        (4, word in words),
        (3, 2 * with_points >= len(rising)),
        (1 if word in _CHAPTERS else 2, is_told and len(rising) >= _FEWEST),
        (0, True),
    )
    return _Scheme(tuple(rising), next(trust for trust, is_so in trusts if is_so))


def _divided(sections: Sequence[Mark], blocks: Sequence[Block]) -> _Scheme:
    """Return the sections of a handout with lettered parts, which are questions."""
    places = {mark.place for mark in sections}
    divided = [
        section
        for section in sections
        if len(_parts(section.place + 1, _end(section.place, places, blocks), blocks)) > 1
    ]
    return _Scheme(tuple(divided), 2 if divided else 0)


def _with_chapters(alike: Sequence[Mark], marks: Sequence[Mark]) -> list[Mark]:
    """Return the numbers prefixed with those of their chapters, if they begin again in each: 2.3 for the third in `Part
    2`."""
    chapters = [mark for mark in marks if mark.word in _CHAPTERS and mark.kind is BlockKind.HEADING]
    # Each number with the count of the chapters that begin above it.
    placed = [(mark, bisect_left(chapters, mark.place, key=lambda candidate: candidate.place)) for mark in alike]
    starts = [begun for mark, begun in placed if mark.path == ("1",)]
    begin_anew = len({*starts} - {0}) == len(starts) > 1
    if alike[0].word in _CHAPTERS or not begin_anew:
        return list(alike)
    return [mark._replace(path=(*chapters[begun - 1].path, *mark.path)) for mark, begun in placed if begun]


def _rising(marks: Sequence[Mark]) -> list[Mark]:
    """Return the longest ascending sequence of numbers, the first of several."""
    ranks = [[int(piece) if piece.isdecimal() else ord(piece) for piece in mark.path] for mark in marks]
    best: list[tuple[int, int]] = []
    for place, rank in enumerate(ranks):
        before = [(best[other][0], -other) for other in range(place) if ranks[other] < rank]
        length, other = max(before, default=(0, 1))
        best.append((length + 1, -other))
    last = max(range(len(best)), key=lambda number: (best[number][0], -number), default=-1)
    chain = []
    while last >= 0:
        chain.append(marks[last])
        last = best[last][1]
    return chain[::-1]


def _numbered(scheme: _Scheme, marks: Sequence[Mark], blocks: Sequence[Block]) -> Iterator[DraftedQuestion]:
    """Return the questions of some numbers, or their parts."""
    form = scheme.marks[0].form
    alike = {mark.place for mark in marks if mark.word and mark.form == form} | {mark.place for mark in scheme.marks}
    for mark in scheme.marks:
        first, *further = mark.path
        label = f"{mark.word or 'question'} {first}" + "".join(
            f".{text}" if text.isdecimal() else text for text in further
        )
        end = _end(mark.place, alike, blocks)
        parts = _parts(mark.place + 1, end, blocks) if mark.path[-1].isdecimal() else []
        whole = _question(label, mark.place, mark.end, blocks)
        if len(parts) > 1:
            yield from _shared([_question(f"{label}{letter}", place, at, blocks) for letter, place, at in parts], whole)
        else:
            yield whole


def _end(place: int, alike: set[int], blocks: Sequence[Block]) -> int:
    """Return the block at which a question ends: the next number of the same form, or the next heading of the same
    level."""
    levels = {at: block.level or 1 for at, block in enumerate(blocks) if block.kind is BlockKind.HEADING}
    above = max((at for at in levels if at <= place), default=None)
    highest = levels[above] if above is not None else 0
    headings = (at for at, level in levels.items() if at > place and level <= highest)
    return min((*headings, *(at for at in alike if at > place)), default=len(blocks))


def _shared(parts: list[DraftedQuestion], whole: DraftedQuestion) -> Iterator[DraftedQuestion]:
    """Yield the parts of a question. If no part has points, they share the question's points equally."""
    stated = whole.points if all(candidate.points is None for candidate in parts) else None
    share = (stated / len(parts)).quantize(_CENT) if stated else None
    for part in parts:
        yield part.model_copy(update={"points": share, "shared": stated}) if share else part


def _parts(start: int, end: int, blocks: Sequence[Block]) -> list[tuple[str, int, int]]:
    """Return the lettered parts between two blocks, `(a)`, `b)`, `c.`, in order, each with its block and the label's
    end."""
    found: list[tuple[str, int, int]] = []
    for place in range(start, end):
        text = blocks[place].text.lstrip(" #*_•-([").casefold()
        wanted = chr(ord("a") + len(found))
        if blocks[place].kind in _PLACES and text[:1] == wanted and text[1:2] in (")", ".", "]", ":"):
            found.append((wanted, place, len(blocks[place].text) - len(text) + 2))
    return found


def _question(label: str, place: int, end: int, blocks: Sequence[Block]) -> DraftedQuestion:
    """Return the question whose label ends at an offset of a block."""
    block = blocks[place]
    text = asks = _wording(place, end, blocks)
    if block.kind is BlockKind.HEADING and not _asks(text):
        asks = _first_asking(_below(place, blocks)) or text
    return DraftedQuestion(
        label=label,
        title=_short(text) or label,
        asks=" ".join(asks.split()[:_LONGEST_WORDING]),
        points=_points(block.text),
        check=next((name for name, words in _CHECKS.items() if speaks_of(f"{text} {asks}", words)), ""),
    )


def _titled(blocks: Sequence[Block]) -> Iterator[DraftedQuestion]:
    """Return the questions without numbers: headings with a sentence below that asks for something."""
    headings = [place for place, block in enumerate(blocks) if block.kind is BlockKind.HEADING]
    for place, following in pairwise([*headings, len(blocks)]):
        text = " ".join(block.text for block in blocks[place + 1 : following] if block.kind is not BlockKind.CODE)
        asking = _first_asking(text)
        if (asking and (blocks[place].level or 1) > 1) or blocks[place].text.rstrip().endswith("?"):
            question = _question("", place, 0, blocks)
            yield question.model_copy(update={"asks": " ".join((asking or question.asks).split()[:_LONGEST_WORDING])})


def _wording(place: int, end: int, blocks: Sequence[Block]) -> str:
    """Return the text after a label to the end of its first sentence, or else the text below the label."""
    block = blocks[place]
    text = _plain(block.text[end:])
    for following in blocks[place + 1 : place + 1 + _MOST_LINES]:
        is_text = following.kind in (BlockKind.LINE, BlockKind.LIST_ITEM)
        if not is_text or (
            text and (block.kind is BlockKind.HEADING or text[-1] in ".?!:" or following.starts_paragraph)
        ):
            break
        if following.kind is BlockKind.LIST_ITEM and text:
            break
        text = f"{text} {_plain(following.text)}".strip()
    sentences = re.split(r"(?<=[.?!])\s+(?=[^\W\d_a-z])", text)
    count = next((n for n in range(1, len(sentences)) if len(" ".join(sentences[:n]).split()) >= _FEWEST_WORDS), None)
    return " ".join(sentences[:count])


def _below(place: int, blocks: Sequence[Block]) -> str:
    texts = (block.text for block in blocks[place + 1 : place + 12] if block.kind is not BlockKind.CODE)
    return _plain(" ".join(texts))


def _first_asking(text: str) -> str:
    """Return the first sentence that asks for something, or an empty text."""
    return next((entry for entry in re.split(r"(?<=[.?!:])\s+|\s+-\s+", text) if _asks(entry)), "")


def _asks(sentence: str) -> bool:
    first = speaks_of(sentence[:40], _ASKING)
    return sentence.rstrip(" *_").endswith("?") or (
        first is not None and not sentence[: first.start()].strip(" *_-•\"'(")
    )


def _points(text: str) -> Decimal | None:
    """Return the points in brackets in a line, `(10 points)`, `[0.275pt]`, `(1,5 pts)`, or None."""
    found = re.search(
        r"[(\[]\s*\+?(\d{1,3}(?:[.,]\d+)?)\s*(?:extra credit\s*)?(?:points?|pts?|marks?)\b\.?\s*[)\]]", text, re.I
    )
    return Decimal(found[1].replace(",", ".")) if found else None


def _plain(text: str) -> str:
    """Return a text without emphasis, points and tags in brackets."""
    text = re.sub(
        r"[(\[][^()\[\]]*(?:\bpoints?|pts?|marks?)\b\.?\s*[)\]]|\*\*|__|`|<[^<>]{1,40}>", " ", text, flags=re.I
    )
    return (
        " ".join(text.split()).strip(" :.-–—#")
        if len(text.split()) < 2
        else " ".join(text.split()).lstrip(" :.-–—#)]*")
    )


def _short(text: str) -> str:
    """Return the beginning of a text as a title, cut between words."""
    text = " ".join(_plain(text).split()).rstrip(" :")
    if len(text) <= _LONGEST_TITLE:
        return text
    return f"{text[:_LONGEST_TITLE].rpartition(' ')[0]} …"
