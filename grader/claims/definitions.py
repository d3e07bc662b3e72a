"""Definitions of configuration parameters: which words define which parameter, and the value they state.

A definition opens a line, a list item, a table row or a comment with the parameter's name, or stands in prose; one
that names no parameter is taken where the lab's grammar knows whose it is. No text is given to two parameters.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from grader.claims.definition_cells import wrapped_cell
from grader.claims.definition_flow import own_end, runs
from grader.claims.definition_openings import Opening, opened, opens_another, wraps
from grader.claims.definition_prose import Part, about, parts, valued
from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.lab.definition import Lab, Parameter
from grader.reading.document import BlockKind
from grader.reading.evidence import Evidence

_LONGEST = 1_500
_NUMBER = r"\d+(?:[.,]\d+)?(?:e[-+]?\d+|\s?%)?|\.\d+"
_SETTING = re.compile(r"[\s,;)]*\w+\s?=\s?[\[\"'\w.]|[\s,;]*\)|[ \t]*[,)]+[ \t]*(?:\n|$)")
"""In code, another argument follows."""
_NUMBERED = re.compile(r"^(?:\(\d{1,2}\)|\d{1,2}[.)])\s+(?=[^\W\d])")
_PROSE = (BlockKind.LINE, BlockKind.LIST_ITEM)
_FEWEST_WORDS = 3
_MOST = 60
_NEAR = 1_200
"""How far from the other definitions one without a line of its own may stand."""
"""More definitions, or paragraphs beside them, are not looked at: no lab asks for near as many."""


class DefinitionClaim(Frozen):
    """What a text says about one parameter. `text` is the definition alone, normalised, without name and value;
    `value` is the value that it states, as written, and `in_text` whether only the definition's own words state it.
    `named` is false where no name stands there and the meaning alone tells the parameter; `apart` is false where the
    definition was cut out of running text, so that some of it may be missing; `opinion` is the label that somebody
    gives it who has read it before."""

    parameter: str
    text: str
    value: str | None
    evidence: Evidence
    in_text: bool = False
    named: bool = True
    apart: bool = True
    opinion: str = ""


class _Cut(NamedTuple):
    """A definition's place in a passage: from `start`, where it is opened, and its words from `begin` to `end`;
    where they stand in the lines of a table's cell, these are the `pieces`."""

    parameter: str
    start: int
    begin: int
    end: int
    value: str | None = None
    named: bool = True
    apart: bool = True
    written: str = ""
    pieces: tuple[tuple[int, int], ...] = ()


def definitions(passage: Passage, lab: Lab) -> Iterator[DefinitionClaim]:
    """The definitions of a passage, in reading order."""
    for cut in sorted(_cuts(passage, lab), key=lambda cut: cut.start):
        yield _claim(passage, cut, lab)


def unassigned(passage: Passage, lab: Lab) -> Iterator[Evidence]:
    """The text of a passage that was not taken for any definition, headings and announcements (`…:`) left out."""
    cuts = list(_cuts(passage, lab))
    for start, end in _left(passage, _places(cuts)):
        text = passage.text[start:end].strip()
        if len(text.split()) >= _FEWEST_WORDS and not text.endswith(":"):
            yield passage.evidence(start, end)


def _cuts(passage: Passage, lab: Lab) -> list[_Cut]:
    openings = islice(opened(passage, lab.parameters), _MOST)
    cuts = [cut for opening in openings for cut in _of_opening(passage, opening, lab)]
    for start, end in islice(_left(passage, _places(cuts)), _MOST):
        cuts += _together(passage, start, end, lab)
    defined = {cut.parameter for cut in cuts if _says_something(passage, cut)}
    wanted = [one.id for one in lab.parameters if one.id not in defined]
    said = [cut for cut in cuts if _says_something(passage, cut)]
    near = range(min(cut.start for cut in said) - _NEAR, max(cut.end for cut in said) + _NEAR) if said else None
    free = [place for place in _left(passage, _places(said)) if near is None or place[0] in near or place[1] in near]
    for run in runs(passage.text, free, wanted, lab):
        cuts.append(_Cut(run.parameter, run.start, run.start, run.end, named=run.named, apart=False))
    return cuts


def _says_something(passage: Passage, cut: _Cut) -> bool:
    return any(len(word) > 1 for word in re.findall(r"[^\W\d_]+", passage.text[cut.begin : cut.end]))


def _places(cuts: Iterable[_Cut]) -> list[tuple[int, int]]:
    return [(cut.start, cut.end) for cut in cuts]


def _of_opening(passage: Passage, opening: Opening, lab: Lab) -> Iterator[_Cut]:
    """The definition that a line opens; two, where it goes on to define another parameter."""
    whole = _Cut(opening.parameter, opening.start, opening.begin, opening.end, opening.value, written=opening.written)
    text = passage.text[whole.begin : whole.end]
    if (lines := wrapped_cell(passage, opening.start)) is not None:
        pieces = (*lines[0], (whole.begin, whole.end), *lines[1])
        yield whole._replace(start=pieces[0][0] if lines[0] else whole.start, end=pieces[-1][1], pieces=pieces)
        return
    if _SETTING.match(text) or _is_code(passage.text[opening.start : opening.begin], text):
        yield whole._replace(end=whole.begin)
        return
    further = [part for part in parts(text, lab, begun=True) if part.parameter != opening.parameter]
    first = min((part.start for part in further), default=None)
    whole = whole._replace(end=own_end(passage.text, whole.begin, whole.end, whole.parameter, lab))
    if first is None or len(text[:first].split()) < _FEWEST_WORDS or not _are_their_own(further, text, lab):
        yield whole
        return
    yield whole._replace(end=whole.begin + first)
    yield from (_placed(part, whole.begin) for part in further)


def _is_code(opening: str, text: str) -> bool:
    """Whether a line is nothing but a setting in code, `bias="none")`: what stands below it is no definition of it."""
    is_setting = "=" in opening and opening.rstrip().endswith((",", ")")) and opening.count("(") < opening.count(")")
    return is_setting and not text.partition("\n")[0].strip()


def _are_their_own(further: Iterable[Part], text: str, lab: Lab) -> bool:
    """A definition is only cut where what is behind the cut is about the parameter that is named there."""
    return any(part.leads for part in further) or any(
        about(text[part.begin : part.end], lab) == part.parameter for part in further
    )


def _together(passage: Passage, start: int, end: int, lab: Lab) -> Iterator[_Cut]:
    """The definitions in brackets behind a name, those of two parameters that are named together, and values."""
    text = passage.text[start:end]
    found = [_placed(part, start) for part in parts(text, lab) if part.apart]
    yield from found
    for part in valued(text, lab):
        if all(not one.start <= part.start + start < one.end for one in found):
            yield _placed(part, start)


def _placed(part: Part, offset: int) -> _Cut:
    return _Cut(
        part.parameter,
        part.start + offset,
        part.begin + offset,
        part.end + offset,
        part.value,
        apart=part.apart,
        written=part.written,
    )


def _left(passage: Passage, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The paragraphs and list items of a passage without what is taken."""
    waiting = sorted(taken, reverse=True)
    for start, end in _paragraphs(passage):
        begin = start
        while waiting and waiting[-1][0] < end:
            taken_start, taken_end = waiting[-1]
            if passage.text[begin:taken_start].strip():
                yield begin, taken_start
            begin = max(begin, taken_end)
            if taken_end > end:
                break
            waiting.pop()
        if passage.text[begin:end].strip():
            yield begin, end


def _paragraphs(passage: Passage) -> Iterator[tuple[int, int]]:
    """Start and end of each list item and of each run of lines that follow each other."""
    start: int | None = None
    for index, block in enumerate(passage.blocks):
        if start is None and block.kind in _PROSE and not opens_another(passage, index):
            start = passage.offset_of(index)
        following = passage.blocks[index + 1] if index + 1 < len(passage.blocks) else None
        if start is not None and (following is None or not wraps(block, following)):
            yield start, passage.offset_of(index + 1) - 1 if following is not None else len(passage.text)
            start = None


def _claim(passage: Passage, cut: _Cut, lab: Lab) -> DefinitionClaim:
    pieces = cut.pieces or ((cut.begin, cut.end),)
    text = _joined(_renamed(" ".join(passage.text[one:two] for one, two in pieces)[:_LONGEST], cut))
    asked = next(one for one in lab.parameters if one.id == cut.parameter)
    stated = None if cut.value else _stated(text, asked)
    value = cut.value or stated
    return DefinitionClaim(
        parameter=cut.parameter,
        text=text,
        value=value.strip(" \"'") if value else None,
        evidence=passage.evidence(cut.start, max(cut.start + 1, cut.end)),
        in_text=stated is not None,
        named=cut.named,
        apart=cut.apart,
    )


def _renamed(text: str, cut: _Cut) -> str:
    """A text in which the parameter's name, where it was written in several words, is as in code again: `lora dropout`
    says nothing of LoRA, but is a name."""
    if " " not in cut.written.strip():
        return text
    return re.sub(rf"(?<!\w){re.escape(cut.written.strip())}(?!\w)", cut.parameter, text)


def _stated(text: str, parameter: Parameter) -> str | None:
    """The value that a definition's own words state. What something is set to 0 is never the parameter."""
    nouns = "|".join(re.escape(word) for word in parameter.names if word.replace(" ", "").isalpha())
    setting = (
        r"set (?:it |this |here )*(?:to|at)|we (?:use|set|take|chose|choose)|equals?(?: to)?|fixé à|vaut"
        rf"|on (?:utilise|prend)|(?:{nouns}) (?:of|de|=)"
    )
    pattern = (
        rf"(?:(?<!\w)(?:{setting})\s*:?\s*(?:(?:a|un|une) \w+ (?:of|de) )?)(?P<value>{_NUMBER}|\"[^\"]+\")"
        rf"|\(=?\s*(?P<inside>{_NUMBER})\)|^(?P<first>{_NUMBER})(?=[.;,:]\s|$)"
    )
    matches = re.finditer(pattern, text, re.IGNORECASE)
    found = (match["value"] or match["inside"] or match["first"] for match in matches)
    return next((value for value in found if value.strip("% ") not in ("0", "0.0")), None)


def _joined(text: str) -> str:
    return _NUMBERED.sub("", " ".join(text.split())).lstrip(" :-|,=→>#").rstrip(" :-|,=→")
