"""Definitions of configuration parameters: which words define which parameter, and the value they state.

A definition opens a line, a list item, a table row or a comment with the parameter's name, or stands in prose; one
that names no parameter is taken where the lab's grammar knows whose it is. No text is given to two parameters.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from grader.claims.definition_openings import Opening, opened, opens_another, wraps
from grader.claims.definition_prose import Part, parts
from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.lab.definition import Lab, Parameter
from grader.reading.document import BlockKind
from grader.reading.evidence import Evidence

_LONGEST = 1_500
_NUMBER = r"\d+(?:[.,]\d+)?\s?%?|\.\d+"
_PROSE = (BlockKind.LINE, BlockKind.LIST_ITEM)
_FEWEST_WORDS = 3
_MOST = 60
"""More definitions, or paragraphs beside them, are not looked at: no lab asks for near as many."""


class DefinitionClaim(Frozen):
    """What a text says about one parameter. `text` is the definition alone, normalised, without name and value;
    `value` is the value that it states, as written, and `in_text` whether only the definition's own words state it.
    `named` is false where no name stands there and the meaning alone tells the parameter; `apart` is false where the
    definition was cut out of running text, so that some of it may be missing."""

    parameter: str
    text: str
    value: str | None
    evidence: Evidence
    in_text: bool = False
    named: bool = True
    apart: bool = True


class _Cut(NamedTuple):
    """A definition's place in a passage: from `start`, where it is opened, and its words from `begin` to `end`."""

    parameter: str
    start: int
    begin: int
    end: int
    value: str | None = None
    named: bool = True
    apart: bool = True
    written: str = ""


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
        cuts += _of_prose(passage, start, end, lab)
    known = {cut.parameter for cut in cuts}
    for start, end in islice(_left(passage, _places(cuts)), _MOST):
        owner = _owner(passage.text[start:end], known, lab)
        if owner is not None:
            cuts.append(_Cut(owner, start, start, end, named=False))
    return cuts


def _places(cuts: Iterable[_Cut]) -> list[tuple[int, int]]:
    return [(cut.start, cut.end) for cut in cuts]


def _of_opening(passage: Passage, opening: Opening, lab: Lab) -> Iterator[_Cut]:
    """The definition that a line opens; two, where it goes on to define another parameter."""
    whole = _Cut(opening.parameter, opening.start, opening.begin, opening.end, opening.value, written=opening.written)
    text = passage.text[whole.begin : whole.end]
    further = [part for part in parts(text, lab, begun=True) if part.parameter != opening.parameter]
    first = min((part.start for part in further), default=None)
    if (
        first is None
        or lab.grammar.understood(opening.parameter, text).whole
        or not _each_is_understood(opening.parameter, text[:first], further, text, lab)
    ):
        yield whole
        return
    yield whole._replace(end=whole.begin + first)
    yield from (_placed(part, whole.begin) for part in further)


def _each_is_understood(parameter: str, text: str, further: Iterable[Part], whole: str, lab: Lab) -> bool:
    """A definition is only cut where something of it is understood on both sides of the cut."""
    return lab.grammar.understood(parameter, text).whole and any(
        lab.grammar.understood(part.parameter, whole[part.begin : part.end]).is_right for part in further
    )


def _of_prose(passage: Passage, start: int, end: int, lab: Lab) -> Iterator[_Cut]:
    yield from (_placed(part, start) for part in parts(passage.text[start:end], lab))


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


def _owner(text: str, known: set[str], lab: Lab) -> str | None:
    """The only parameter, among those not defined yet, whose definition stands in a text without a name."""
    if not len(text.split()) >= _FEWEST_WORDS or len(text) > _LONGEST or len(known) == len(lab.parameters):
        return None
    understood = {one.id: lab.grammar.understood(one.id, text) for one in lab.parameters}
    for owners in (
        [name for name, one in understood.items() if one.is_right],
        [name for name, one in understood.items() if one.holds_right],
    ):
        if owners:
            return owners[0] if len(owners) == 1 and owners[0] not in known else None
    return None


def _claim(passage: Passage, cut: _Cut, lab: Lab) -> DefinitionClaim:
    text = _joined(_renamed(passage.text[cut.begin : cut.end][:_LONGEST], cut))
    asked = next(one for one in lab.parameters if one.id == cut.parameter)
    stated = None if cut.value else _stated(text, asked, lab)
    if stated and _is_another_number(stated, text, asked, lab):
        stated = None
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


def _stated(text: str, parameter: Parameter, lab: Lab) -> str | None:
    """The value that a definition's own words state. What something is set to 0 is never the parameter."""
    known = lab.grammar.of(parameter.id)
    called = known.words.get("value_name", ()) if known else ()
    nouns = "|".join(re.escape(word) for word in (*called, *parameter.names) if word.replace(" ", "").isalpha())
    setting = (
        r"set (?:it |this |here )*(?:to|at)|we (?:use|set|take|chose|choose)|equals?(?: to)?|fixé à|vaut"
        rf"|on (?:utilise|prend)|(?:{nouns}) (?:of|de|=)"
    )
    pattern = (
        rf"(?:(?<!\w)(?:{setting})\s*:?\s*(?:(?:a|un|une) \w+ (?:of|de) )?|\(=?\s*)(?P<value>{_NUMBER}|\"[^\"]+\")"
    )
    matches = re.finditer(pattern, text, re.IGNORECASE)
    return next((match["value"] for match in matches if match["value"].strip("% ") not in ("0", "0.0")), None)


def _is_another_number(stated: str, text: str, asked: Parameter, lab: Lab) -> bool:
    """Whether a text that states no other value than the lab's, as the grammar reads it, has a number of another kind
    there: `a scaling factor of 2`."""
    understood = lab.grammar.understood(asked.id, text)
    return understood.whole and not understood.other_value and stated.strip('"') not in (asked.value, *asked.spellings)


def _joined(text: str) -> str:
    return " ".join(text.split()).lstrip(" :-|,=→>#").rstrip(" :-|,=→")
