"""Every wording of the shipped lab is tried: it must be accepted, and no longer be when its head noun is another."""

import random
import re
from collections.abc import Iterator
from functools import cache

import pytest

from grader.lab.patterns import NUMBER, Choice, Class, Gap, Part, Repeat, Row, Word, parsed
from tests.claims.making import lab

HEADS = {
    "r": r"rank|rang|dimension|size|width|column|row|number|nombre",
    "lora_alpha": r"scal\w+|rescal\w+|multipl\w+|factor|coefficient|weigh\w*|strength|amplitude|magnitude|importance"
    r"|force|ponder\w*|echelle|numerat\w+|influence|impact|contribution|effect|intensit\w+|constant|parameter|modulat\w+|number"
    r"|amplif\w+|value|amount|scalar|balance|hyperparameter|alpha|32|trade|facteur|numerateur|count|counts|matters?"
    r"|contributes?|affect|modif\w+|changes?|has",
    "target_modules": r"module|layer|submodule|part|block|component|sublayer|place|couche|partie|parties|projection"
    r"|matrix|weight|lora|adapter|low|parts|ones",
    "lora_dropout": r"dropout|zero\w*|dropp?\w*|deactivat\w+|disabl\w+|ignor\w+|mask\w*|omitt\w+|switch\w*"
    r"|turn\w*|shut\w*|mut\w+|desactiv\w+|0|annul\w*|etei\w+|mis|mise|mises|off|regularis\w+",
    "bias": r"bias",
    "task_type": r"causal|causale|next|following|subsequent|upcoming|prochains?|suivants?|continu\w+|autoregress\w+"
    r"|auto|previous|preceding|past|prior|earlier|left|precedents?|already|seen|token|word|mots?|sequentially|tokens"
    r"|comes|follow|venir|history|passe|passes|before|precede|gauche|anterieurs|generated|another|gauche",
}
"""The words that carry a right definition, as the grammar spells them. A few have none: `they are not trained`."""

OTHERS = ("learning rate", "gradients", "optimizer", "dataset", "tokenizer", "temperature")
DRAWS = 3


def phrases(parameter: str) -> Iterator[str]:
    """Some phrases of each pattern of each statement that by itself makes a right definition."""
    known = lab().grammar.of(parameter)
    assert known is not None
    draw = random.Random(parameter)
    for patterns in known.right.values():
        for pattern in patterns:
            yield from (" ".join(drawn(parsed(pattern, spelling()), parameter, draw)) for _ in range(DRAWS))


def drawn(part: Part, parameter: str, draw: random.Random) -> list[str]:
    """A phrase of a pattern. What may be left out or repeated mostly is left out, so that phrases stay short."""
    match part:
        case Word(text):
            return [text]
        case Class(name):
            return ["2"] if name == NUMBER else drawn(draw.choice(classes(parameter)[name]), parameter, draw)
        case Gap():
            return [","]
        case Row(parts):
            return [word for one in parts for word in drawn(one, parameter, draw)]
        case Choice(options, optional):
            left_out = optional and draw.random() < 0.7
            return [] if left_out else drawn(draw.choice(options), parameter, draw)
        case Repeat(inner):
            return drawn(inner, parameter, draw) if draw.random() < 0.2 else []


@cache
def spelling() -> dict[str, str]:
    return {variant: word for word, variants in lab().grammar.spelling.items() for variant in variants}


@cache
def classes(parameter: str) -> dict[str, list[Row]]:
    known = lab().grammar.of(parameter)
    assert known is not None
    words = {**lab().grammar.words, **known.words}
    return {name: [parsed(one, spelling()) for one in phrases] for name, phrases in words.items()}


@pytest.mark.parametrize("parameter", HEADS)
def test_every_wording_is_accepted_and_no_longer_when_its_head_is_exchanged(parameter: str) -> None:
    grammar, tried, refused, kept = lab().grammar, 0, [], []
    for phrase in dict.fromkeys(phrases(parameter)):
        tried += 1
        if not grammar.is_right(parameter, phrase):
            refused.append(phrase)
        if not re.search(rf"\b(?:{HEADS[parameter]})\b", phrase):
            continue
        for other in OTHERS:
            exchanged = re.sub(rf"\b(?:{HEADS[parameter]})\b", other, phrase)
            if grammar.is_right(parameter, exchanged):
                kept.append((phrase, exchanged))
    print(
        f"\n{parameter}: of {tried} phrases {len(refused)} are not accepted (bar 0); {len(kept)} are with another head"
    )
    assert refused == []
    assert kept == []


@pytest.mark.parametrize("parameter", HEADS)
def test_no_phrase_of_one_parameter_is_right_for_another(parameter: str) -> None:
    """The phrases of task_type and bias may be true of no other parameter, and so on round."""
    others = [one for one in HEADS if one != parameter]
    offered = [phrase for other in others for phrase in dict.fromkeys(phrases(other))]
    kept = [phrase for phrase in offered if lab().grammar.is_right(parameter, phrase)]
    print(f"\n{parameter}: {len(kept)} of {len(offered)} phrases of other parameters are accepted (bar 0)")
    assert kept == []
