"""In which language a text is written, by its commonest words."""

import re
from collections import Counter
from typing import Final

from grader.message import say

_COMMON: Final = {
    "English": "the of and to is in that for with are this we as be by on it from which our",
    "French": "le la les des et est une un que pour dans nous avec sur par du ce cette qui sont",
    "German": "der die das und ist ein eine nicht mit von den wir zu auf für dem werden sich im sind",
    "Spanish": "el los las y es una que para con por se como del más hemos esta son al lo pero",
    "Italian": "il di che è per una con non sono della del si come più nel gli abbiamo questo le dei",
    "Portuguese": "o os uma que para com não por como mais dos das foi são ao nós em um do da",
    "Dutch": "de het een en van is niet met voor op zijn dat wij te aan wordt deze bij ook naar",
    "Polish": "i w na z się że do jest nie o od dla przez są to jak oraz po jako jest",
    "Turkish": "ve bir bu için ile olarak da de daha çok olan gibi ne biz kadar sonra her en ya model",
}
_WORD: Final = re.compile(r"[^\W\d_]+")
_FEWEST_WORDS: Final = 80
_FOREIGN_LETTERS: Final = 0.3
_LATIN: Final = "\u0400"
"""The letters before it are Latin or Greek; Greek ones stand in formulas."""

_MARGIN: Final = 1.8
_MOST: Final = 200_000


def other_language(text: str, understood: tuple[str, ...]) -> str | None:
    """The language of a text where it is none of those that are understood; None where it is, or cannot be told."""
    found = _WORD.findall(text[:_MOST].lower())
    letters = "".join(found)
    foreign = sum(character > _LATIN for character in letters)
    if foreign > max(_FEWEST_WORDS, _FOREIGN_LETTERS * len(letters)):
        return say("a language with another script")
    words = Counter(found)
    total = len(found)
    if total < _FEWEST_WORDS:
        return None
    counts = {name: sum(words[word] for word in common.split()) for name, common in _COMMON.items()}
    best = max(counts, key=lambda name: counts[name])
    known = max(counts[name] for name in understood)
    return best if best not in understood and counts[best] > max(_MARGIN * known, 0.08 * total) else None
