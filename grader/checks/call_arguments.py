"""What speaks against the arguments of a call: invented names, values that the library does not know, and gaps."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Final

from grader.checks.finding import Diagnosis
from grader.claims.code import Call
from grader.frozen import Frozen
from grader.lab.truth import Signature
from grader.message import joined, say

_CONSTANT: Final = re.compile(r"-?[\d.]+(?:e-?\d+)?|True|False|None|'[^']*'|\"[^\"]*\"")
_LONGEST: Final = 60
_MOST: Final = 10
_ALIKE: Final = 0.7

UNDECIDABLE: Final = "not-followed"
"""The diagnosis that an argument's value could not be followed, so that it may be right."""


class Asked(Frozen):
    """What is asked of a call: arguments with the source of their values; those that go ill with them; and for some
    arguments the values that the library knows."""

    required: dict[str, str]
    excluded: dict[str, str]
    values: dict[str, tuple[str, ...]]


def problems(call: Call, signature: Signature | None, asked: Asked) -> tuple[Diagnosis, ...]:
    """Everything that speaks against the arguments of a call."""
    invented = () if signature is None else islice(_invented(call, signature), _MOST)
    return (*invented, *_lacking(call, asked), *_excluded(call, asked), *_unknown_values(call, asked.values))


def lacks(call: Call, asked: Asked) -> Iterator[Diagnosis]:
    """What is asked and certainly not given."""
    return (one for one in _lacking(call, asked) if one.id != UNDECIDABLE and not call.open)


def library_of(signature: Signature | None) -> str:
    """The library and its version that a signature was taken from."""
    versions = signature.provenance.versions if signature else {}
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _invented(call: Call, signature: Signature) -> Iterator[Diagnosis]:
    for name in (name for name in call.keywords if name not in signature.arguments):
        near = get_close_matches(_plain(name), signature.arguments, n=1, cutoff=_ALIKE)
        library = library_of(signature)
        text = say("{call} of {library} has no argument {name}.", call=call.name, library=library, name=name[:_LONGEST])
        if near:
            text = joined(" ", [text, say("It has {near}.", near=near[0])])
        yield Diagnosis(id="unknown-argument", text=text)


def _plain(name: str) -> str:
    return name[:_LONGEST].lower()


def _lacking(call: Call, asked: Asked) -> Iterator[Diagnosis]:
    for name, value in asked.required.items():
        found = call.keywords.get(name)
        if found == value:
            continue
        if found is None:
            yield Diagnosis(id="not-set", text=say("{name}={value} is not set.", name=name, value=value))
        elif _CONSTANT.fullmatch(found):
            text = say("{name} is {found}, not {value}.", name=name, found=found[:_LONGEST], value=value)
            yield Diagnosis(id="not-set", text=text)
        else:
            text = say("What {name}={found} gives could not be followed.", name=name, found=found[:_LONGEST])
            yield Diagnosis(id=UNDECIDABLE, text=text)


def _excluded(call: Call, asked: Asked) -> Iterator[Diagnosis]:
    """Arguments that the library refuses beside what is asked."""
    wanted = ", ".join(f"{name}={value}" for name, value in asked.required.items())
    for name, value in asked.excluded.items():
        if call.keywords.get(name) == value and not tuple(_lacking(call, asked)):
            text = say(
                "The library does not take {name}={value} beside {wanted}.", name=name, value=value, wanted=wanted
            )
            yield Diagnosis(id="excluded", text=text)


def _unknown_values(call: Call, values: Mapping[str, tuple[str, ...]]) -> Iterator[Diagnosis]:
    """Values that the library does not know. One that is no constant may be any."""
    for name, accepted in values.items():
        value = call.keywords.get(name)
        if value and _CONSTANT.fullmatch(value) and value.strip("'\"") not in accepted:
            text = say(
                "{name}={value} is no value that is known; known are {accepted}.",
                name=name,
                value=value[:_LONGEST],
                accepted=", ".join(accepted),
            )
            yield Diagnosis(id="unknown-value", text=text)
