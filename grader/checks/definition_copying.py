"""Definitions that are the library's documentation, word for word, of parameters that the lab does not even set."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from grader.checks.finding import Flag, Severity
from grader.claims.answer import Answer
from grader.claims.definition_openings import MARK, MARK_SIGNS, spelled
from grader.claims.likeness import words
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import say
from grader.reading.evidence import Evidence

_MOST_OF_A_PHRASE = 0.7
_MOST_OF_THE_ANSWER = 0.6
_FEWEST = 3


def copied_documentation(answer: Answer, truth: GroundTruth, lab: Lab) -> Flag | None:
    """A flag where most definitions are near-verbatim documentation and other fields of the library's configuration
    are defined besides. It costs nothing: documentation can be right."""
    defined = {claim.parameter: claim for claim in answer.definitions if claim.text}
    copied = [claim for claim in defined.values() if _is_copied(claim.text, claim.parameter, lab)]
    foreign = list(_foreign(answer, truth, lab))
    if len(copied) < _FEWEST or len(copied) < _MOST_OF_THE_ANSWER * len(defined) or not foreign:
        return None
    names = ", ".join(name for name, _ in foreign)
    return Flag(
        id="copied-documentation",
        severity=Severity.INFO,
        message=say(
            "{copied} of {defined} definitions are the library's documentation almost word for word, and parameters "
            "are defined that the lab's configuration does not set: {names}.",
            copied=len(copied),
            defined=len(defined),
            names=names,
        ),
        evidence=(copied[0].evidence, foreign[0][1]),
    )


def _is_copied(text: str, parameter: str, lab: Lab) -> bool:
    """Whether most of a phrase of the documentation stands in a text, its words in a row."""
    said = words(text)
    for phrase in next((one.documentation for one in lab.parameters if one.id == parameter), ()):
        wanted = words(phrase)
        row = SequenceMatcher(None, said, wanted, autojunk=False).find_longest_match()
        if row.size >= _MOST_OF_A_PHRASE * len(wanted):
            return True
    return False


def _foreign(answer: Answer, truth: GroundTruth, lab: Lab) -> Iterator[tuple[str, Evidence]]:
    """Fields of the configuration class that the lab does not set but the answer defines, and where."""
    own = {name for parameter in lab.parameters for name in (parameter.id, *parameter.names)}
    for field in truth.fields:
        if field.name in own or "_" not in field.name:
            continue
        opening = re.compile(rf"(?<![{MARK_SIGNS}]){MARK[1:]}(?<!\w){spelled(field.name)}(?!\w)\s*[(:=]", re.IGNORECASE)
        for passage in answer.defining:
            match = opening.search(passage.text)
            if match:
                yield field.name, passage.evidence(match.start(), match.end())
                break
