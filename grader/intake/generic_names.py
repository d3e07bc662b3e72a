"""Names that say what a thing is, not whose: `code`, `Lab report`, `answer_sheet`."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Final


def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PARTS: Final = _vocabulary("""
    annexe annexes appendices appendix attachment attachments checkpoint checkpoints code codes config configs
    data dataset datasets event events experiment experiments fig figs figure figures image images img imgs
    ipynb latex log logs notebook notebooks output outputs part picture pictures plot plots python readme
    result results resultats run runs screenshot screenshots script scripts source sources src supplement
    supplementary tb tensorboard tex utils weights draft drafts fairseq huggingface hf v version versions
""")
"""What a hand-in is made of."""

_WHOLES: Final = _vocabulary("""
    answer answers assignment compte rendu cr document documents exercise exercises final homework hw lab
    project projet question questions rapport report reponse reponses response responses sheet solution
    solutions td tp write writeup up pdf nlp dl ml and et of the de
""")
"""What a hand-in is called; with numbers to tell them apart (`report-1`, `report-2`) they are several hand-ins."""

_CONTAINERS: Final = _vocabulary("""
    all archive archives class classe cohort download downloads export file files group groups hand in handin
    handins inbox ins moodle rendus students submission submissions tmp temp upload uploads zip
""")
"""What folders of hand-ins are called."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DIGITS: Final = re.compile(r"\d+")


def is_part(name: str) -> bool:
    """Whether a name (without suffix) is one for a part of a hand-in."""
    words = _words(name)
    return words <= _PARTS | _WHOLES and bool(words & _PARTS)


def generic_among(names: Iterable[str]) -> frozenset[str]:
    """Those of the names beside each other (without suffixes) that do not tell whose they are."""
    distinct = frozenset(names)
    alike = Counter(_pattern(name) for name in distinct)
    return frozenset(name for name in distinct if is_part(name) or (_is_whole(name) and alike[_pattern(name)] == 1))


def names_nobody(name: str) -> bool:
    """Whether a name is no good as a student's: generic, or one for a folder of hand-ins."""
    return _words(name) <= _PARTS | _WHOLES | _CONTAINERS and bool(_words(name))


def _is_whole(name: str) -> bool:
    words = _words(name)
    return bool(words) and words <= _WHOLES


def _pattern(name: str) -> str:
    """What names have in common that differ in their numbers only."""
    return _DIGITS.sub("#", name)


def _words(name: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKD", _CAMEL.sub(" ", name))
    letters = "".join(character for character in plain if not unicodedata.combining(character))
    return frozenset(_WORD.findall(letters.casefold()))
