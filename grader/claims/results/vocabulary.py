"""Find the words that give a number its role: experiments and splits, with their abbreviations.

The lab gives each word in one form. Words are compared by their stems in English and in French, so one entry matches
all inflections. The meaning of an abbreviation is also taken from the text that introduces it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from itertools import chain, groupby, pairwise
from typing import Final, NamedTuple

from grader.claims.numerals import text_before
from grader.claims.results.measures import any_of, overlaps, the_only
from grader.frozen import memoise
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.language.lexicon import concepts
from grader.language.stems import stems

_TOKEN: Final = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_CAMEL: Final = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])")
_NEGATION: Final = re.compile(
    r"(?:\b(?:without|no|not|non|sans|w/o|never|pas|aucune?"
    r"|(?:take|took|throw|threw|put|give|gave)\w* (?:away|aside|up)"
    r"|(?:remov|discard|delet|dropp|enlev|retir|supprim|jet|abandonn)\w*)\b[\s'’]*"
    rf"(?:{any_of('beginning')}\s+(?:(?:from|with)\s+)?)?"
    r"(?:\b(?:any|the|a|its|de|d|le|la|les|des|du|been|poids)\b['’\s]*){0,3}"
    r"|\bnon[- ]?)$",
    re.IGNORECASE,
)


_WITH_AND_WITHOUT: Final = re.compile(r"\b(?:with (?:and|or|vs\.?) without|avec (?:et|ou) sans)\b", re.IGNORECASE)


class Kind(Enum):
    """The role that a word gives to a number beside it."""

    EXPERIMENT = "experiment"
    SPLIT = "split"
    HINT = "hint"
    NOTHING = "nothing"


class Mention(NamedTuple):
    """A place, `text[start:end]`, that names a value of a role."""

    kind: Kind
    value: str
    start: int
    end: int


Abbreviations = tuple[tuple[str, Kind, str], ...]
"""A text's own short names with what they stand for."""


class _Token(NamedTuple):
    text: str
    start: int
    end: int


class _Entry(NamedTuple):
    """A word of the lab as stems, or as a beginning with a star for any ending.

    `exact`: an entry with capitals or underscores is a name or abbreviation and must match exactly, so `the best
    accuracy` is not `best_accuracy`. `cut`: a short abbreviation has no inflections, so `près` is not `pre`.
    """

    kind: Kind
    value: str
    stems: tuple[frozenset[str], ...]
    exact: str
    cut: str = ""

    @classmethod
    def from_word(cls, kind: Kind, value: str, word: str) -> "_Entry":
        """Return a word of the lab. It has no stems if it has no letters or digits."""
        tokens = _tokens(word)
        are_open = [word.startswith("*", token.end) for token in tokens]
        forms = tuple(
            frozenset({f"{fold_text(token.text)}*"}) if is_open else stems(token.text)
            for token, is_open in zip(tokens, are_open, strict=True)
        )
        if any(are_open):
            return cls(kind, value, forms, "")
        is_exact = any(letter.isupper() or letter == "_" for letter in word)
        is_cut = len(tokens) == 1 and len(word) <= _CUT
        return cls(kind, value, forms, word if is_exact else "", fold_text(tokens[0].text) if is_cut else "")


def _tokens(text: str) -> list[_Token]:
    """Return the words and numbers of a text. A name in camel case is divided into words."""
    found: list[_Token] = []
    for match in _TOKEN.finditer(text):
        start, word = match.start(), match.group()
        for part in (word,) if word.islower() else _CAMEL.split(word):
            found.append(_Token(part, start, start + len(part)))
            start += len(part)
    return found


def _broken(text: str, tokens: Sequence[_Token]) -> list[_Token]:
    """Return the words that the end of a line divides: `ran- dom`."""
    return [
        _Token(first.text + rest.text, first.start, rest.end)
        for first, rest in pairwise(tokens)
        if text[first.end : rest.start] == "- " and rest.text.islower()
    ]


_CUT: Final = 3
"""The most letters of a short abbreviation."""


class _Index(dict[str, tuple[_Entry, ...]]):
    """The lab's words by the stems of their first word. Words of texts are cached."""

    def __init__(self, lab_words: tuple[tuple[Kind, str, tuple[str, ...]], ...]) -> None:
        index: dict[str, list[_Entry]] = {}
        for kind, value, words in lab_words:
            for word in words:
                entry = _Entry.from_word(kind, value, word.replace("(s)", ""))  # inflections are matched anyway
                for stem in chain.from_iterable(entry.stems[:1]):
                    index.setdefault(stem, []).append(entry)
        self.open = tuple(stem for stem in index if stem.endswith("*"))
        super().__init__({stem: tuple(dict.fromkeys(entries)) for stem, entries in index.items()})
        self.of_token = lru_cache(maxsize=20_000)(self._of_token)

    def _of_token(self, token: str) -> tuple[_Entry, ...]:
        if token.isdigit():
            return ()
        begun = (stem for stem in self.open if fold_text(token).startswith(stem[:-1]))
        return tuple(dict.fromkeys(entry for stem in (*_first_stems(token), *begun) for entry in self.get(stem, ())))


_indexed: Final = lru_cache(maxsize=64)(_Index)


@memoise
def _index(lab: Lab) -> _Index:
    return _indexed(lab_words(lab))


@memoise
def lab_words(lab: Lab) -> tuple[tuple[Kind, str, tuple[str, ...]], ...]:
    """Return the lab's words for its experiments and splits.

    An experiment is also named by its question: `Task 3`. A label of one letter, `t3`, must be a capital, unlike in
    names of files.
    """
    labels = {question.id: question.labels for question in lab.questions}
    experiments = tuple(
        (
            Kind.EXPERIMENT,
            experiment.id,
            (
                *experiment.words,
                *(
                    label.upper() if re.fullmatch(r"[a-z]\d+", label) else label
                    for label in labels.get(experiment.question, ())
                ),
            ),
        )
        for experiment in lab.experiments
    )
    hints = tuple((Kind.HINT, experiment.id, experiment.hints) for experiment in lab.experiments if experiment.hints)
    unlike = [
        *((experiment.id, experiment.unlike) for experiment in lab.experiments),
        *((split.id, split.unlike) for split in lab.splits),
    ]
    nothing = tuple((Kind.NOTHING, name, words) for name, words in unlike if words)
    return (*experiments, *hints, *nothing, *((Kind.SPLIT, split.id, split.words) for split in lab.splits))


def mentions(text: str, lab: Lab, abbreviations: Abbreviations = ()) -> list[Mention]:
    """Return the places where a text names experiments or splits, in order.

    A negated word names the experiment that is its `contrary` in the lab: `without pre-training`. `abbreviations` are
    those that the text introduces.
    """
    return list(_mentions(text, lab, tuple(abbreviations)))


def names_split(text: str, lab: Lab) -> bool:
    """Whether some word of a text may name a split. This is faster than `mentions`."""
    index, tokens = _index(lab), _tokens(text)
    return any(
        entry.kind is Kind.SPLIT for token in (*tokens, *_broken(text, tokens)) for entry in index.of_token(token.text)
    )


@memoise
def _mentions(text: str, lab: Lab, abbreviations: Abbreviations) -> tuple[Mention, ...]:
    index = _index(lab)
    contrary = _contraries(lab)
    tokens = _tokens(text)
    tokens += _broken(text, tokens)
    meanings = {short: (kind, value) for short, kind, value in abbreviations}
    found: list[Mention] = [
        Mention(*meant, match.start(), match.end())
        for name, meant in meanings.items()
        if len(_tokens(name)) != 1
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    ]
    for position, token in enumerate(tokens):
        entries = index.of_token(token.text)
        ends = [_matched(entry, tokens, position, text) for entry in entries]
        is_own = token.text in meanings and not _numbers_line(text[token.end :])
        if is_own and all(end is None or end == token.end for end in ends):  # `T3` is not `T` for test
            found.append(Mention(*meanings[token.text], token.start, token.end))
            continue
        for entry, end in zip(entries, ends, strict=True):
            if entry.kind is Kind.NOTHING and text_before(text, token.start, 1) in ("_", "/", "-"):
                continue
            if entry.kind is Kind.NOTHING and end is not None and "," in text[token.start : end]:
                continue
            if end is None or _is_graphics_card(entry, text, token.start, end):
                continue
            value = entry.value
            negation = _NEGATION.search(text_before(text, token.start, 45))
            if entry.kind is Kind.EXPERIMENT and value in contrary and negation:
                if _WITH_AND_WITHOUT.search(text_before(text, token.start, 40)):
                    found.append(Mention(entry.kind, value, token.start - 1, token.start))
                value = contrary[value]
            found.append(Mention(entry.kind, value, token.start, end))
            found += _listed(entry, tokens[position:], text, index)
    addresses = [match.span() for match in _ADDRESS.finditer(text)]
    found = _longest([mention for mention in found if not overlaps(mention.start, mention.end, addresses)])
    return tuple(sorted((*found, *_ellipses(text, found, contrary)), key=lambda mention: (mention.start, mention.end)))


def _numbers_line(behind: str) -> bool:
    """Whether the number of a line goes on behind its letter: in `R6: HF`, R is no abbreviation."""
    return re.match(r"\d{1,2}\s?[:.)]\s+[^\W\d]", behind) is not None


@memoise
def _contraries(lab: Lab) -> Mapping[str, str]:
    """Return a mapping from each experiment to the one that its negated words name.

    The lab states it, or the other experiment's words show it, such as `without augmentation`.
    """
    stated_contraries = {experiment.contrary: experiment.id for experiment in lab.experiments if experiment.contrary}
    denied = {word: experiment.id for experiment in lab.experiments for word in experiment.words}
    negations = {*lexicon.words("negation")}
    pairs = ((experiment.id, *word.partition(" ")[::2]) for experiment in lab.experiments for word in experiment.words)
    inferred = {denied[rest]: id_ for id_, first, rest in pairs if first in negations and rest in denied}
    return inferred | stated_contraries


_ADDRESS: Final = re.compile(r"\b\w{1,20}://\S+|\b(?:[\w-]{1,60}\.){1,8}(?:com?|edu|io|net|org)\b(?:/\S*)?")
"""A web address, which names no experiment: `https://huggingface.co/datasets/emotion`."""


_ELLIPSIS: Final = re.compile(
    r"\b(?:without(?: it)?|w/o|sans|(?:when|if|where) (?:it is )?not|otherwise|sinon)\b"
    r"(?=\s*(?:[,;:)]|\.(?:\s|$)|$|≈?\s?\d|(?:it|is|was|gives?|only|seulement|on|il|elle|c'est)\b))",
    re.IGNORECASE,
)


_RAISED: Final = (
    r"\s+(?:\w+\s+)?<raising>\s+(?:[^\W\d]+\s+){1,6}?(?P<before>from|de)\s+\d[\d.,]*\s?%?\s+(?P<behind>to|à)\s+\d"
)


def _ellipses(text: str, found: Sequence[Mention], contrary: Mapping[str, str]) -> Iterator[Mention]:
    """Yield the contrary of an experiment named before, if only its negation is stated: `79.9 when pretrained but 67.5
    when not`."""
    for mention in found:
        match = lexicon.match(_RAISED, text, mention.end) if mention.value in contrary else None
        if match:  # `augmentation raises the accuracy from 71.2 to 75.3`
            yield Mention(Kind.EXPERIMENT, contrary[mention.value], *match.span("before"))
            yield Mention(Kind.EXPERIMENT, mention.value, *match.span("behind"))
    for match in _ELLIPSIS.finditer(text):
        before = [
            candidate for candidate in found if candidate.kind is Kind.EXPERIMENT and candidate.end <= match.start()
        ]
        if before and before[-1].value in contrary and not re.search(r"[.;]\s", text[before[-1].end : match.start()]):
            yield Mention(Kind.EXPERIMENT, contrary[before[-1].value], *match.span())


_LIST_JOINT: Final = re.compile(r"\s*(?:,|/|&|-|\+|\band\b|\bet\b|,\s*and\b)?\s*", re.IGNORECASE)


def _listed(entry: _Entry, tokens: list[_Token], text: str, index: dict[str, tuple[_Entry, ...]]) -> Iterator[Mention]:
    """Yield the further labels in a list such as `tasks 3, 4 and 5`."""
    last = tokens[len(entry.stems) - 1]
    for token in tokens[len(entry.stems) :]:
        if token.text in ("and", "et"):
            continue
        if not token.text.isdecimal() or not _LIST_JOINT.fullmatch(text[last.end : token.start]):
            return
        wanted = (*entry.stems[:-1], stems(token.text))
        for other in index.get(next(iter(entry.stems[0])), ()):
            if other.stems == wanted:
                yield Mention(other.kind, other.value, token.start, token.end)
        last = token


_CARD: Final = re.compile(r"\b(?:an?|the|une?|le|la|on|sur|colab|tesla|nvidia|gpus?)\s+$", re.IGNORECASE)


def _is_graphics_card(entry: _Entry, text: str, start: int, end: int) -> bool:
    """Whether a label of one letter and a number is a graphics card: `on a T4`, `T4 GPU`."""
    short = bool(re.fullmatch(r"[A-Z]\d", entry.exact))
    return short and bool(_CARD.search(text[:start]) or re.match(r"\s*(?:gpu|card|colab)", text[end:], re.IGNORECASE))


_COMPOUND: Final = re.compile(r"(.{5,}?)(?:s|-)?(?:init|start|model|weight|checkpoint|gewicht|lauf|run)\w*")
"""A compound word as in Germanic languages: `randominitialised`."""


@lru_cache(maxsize=20_000)
def _first_stems(token: str) -> frozenset[str]:
    """Return the stems of a word, or of the first part of a compound."""
    compound = _COMPOUND.fullmatch(token.casefold())
    return stems(compound.group(1)) if compound else stems(token)


def _matched(entry: _Entry, tokens: list[_Token], position: int, text: str) -> int | None:
    """Return the end of an entry that begins at a token, in characters of the text, or None."""
    last = position + len(entry.stems) - 1
    if last >= len(tokens):
        return None
    window = tokens[position : last + 1]
    if not all(_is_form(token.text, wanted) for token, wanted in zip(window[1:], entry.stems[1:], strict=True)):
        return None
    ends = r"[;:\n]" if entry.kind is Kind.NOTHING else r"[.;:\n]"  # `std. dev.` is not the development set
    if any(re.search(ends, text[a.end : b.start]) for a, b in pairwise(window)):
        return None
    written = text[window[0].start : window[-1].end]
    if entry.cut and fold_text(written) != entry.cut:
        return None
    if entry.exact and _TOKEN.findall(written) != _TOKEN.findall(entry.exact):
        return None
    if "_" in entry.exact and "_" not in written:
        return None
    return window[-1].end


def _is_form(word: str, wanted: frozenset[str]) -> bool:
    """Whether a word has one of some stems, or begins like one with a star."""
    beginnings = tuple(text[:-1] for text in wanted if text.endswith("*"))
    return bool(stems(word) & wanted) or (bool(beginnings) and fold_text(word).startswith(beginnings))


def _longest(found: Iterable[Mention]) -> list[Mention]:
    """Return the longest of overlapping mentions of a kind. A mention of `NOTHING` overlaps with all kinds."""
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda candidate: (candidate.start - candidate.end, candidate.start)):
        rivals = (
            (candidate.start, candidate.end) for candidate in kept if candidate.kind in (mention.kind, Kind.NOTHING)
        )
        if not overlaps(mention.start, mention.end, rivals):
            kept.append(mention)
    telling = (candidate for candidate in kept if candidate.kind is not Kind.NOTHING)
    return sorted(telling, key=lambda candidate: (candidate.start, candidate.end))


_INTRODUCED: Final = re.compile(
    r"\b(?P<short>[A-Z]{1,4}|[a-z]{2,5})\s*"
    r"(?:=|:|[-=]>|→|\bfor\b|\bstands for\b|\bpour\b|\()\s*(?P<long>[^,;.()=\n]{3,40})"
    r"|[\"'](?P<quoted>\w{1,12}(?: \w{1,12}){0,2})[\"']\s*"
    r"(?:[-=]>|→|[=:(]|is\b|means\b|for\b|pour\b|est\b)\s*(?:the\b|la\b|le\b|l')?\s*(?P<long_quoted>[^,;.()=\n\"]{3,40})"
    r"|\b(?P<phrase>[a-z]+ (?:init\w*|start|weights|model|run))\s*\(\s*=?\s*(?P<long_phrase>[^()]{3,40})\)"
    r"|(?P<long_before>(?:\b[^\W\d_]{3,}[ -]){1,4})\((?P<short_behind>[A-Z]{1,4})\)"
)


_INTRODUCED_PAIR: Final = re.compile(
    r"\b(\w{1,4}) ?/ ?(\w{1,4})(?:,? respectively)? ?(?:=|:|for|pour) ?([^,;.=/\n]{3,50}?) ?/ ?([^,;.=/()\n]{3,40})"
)
"""Two abbreviations that are introduced together: `va / te = accuracy on valid / test`."""


@memoise
def abbreviations_in(text: str, lab: Lab, shown: str = "") -> Abbreviations:
    """Return the abbreviations that a text introduces for experiments and splits: `PT = pretrained`, `random init
    (RI)`. `shown` is the text with the tables in code and output, if it differs."""
    found: dict[str, tuple[Kind, str]] = {}
    values = {parameter.value.casefold() for parameter in lab.parameters}
    for match in _INTRODUCED.finditer(text):
        short = match["short"] or match["quoted"] or match["phrase"] or match["short_behind"]
        long = match["long"] or match["long_quoted"] or match["long_phrase"] or match["long_before"]
        is_explicit = re.search("=|->|→", match.group()) or match["quoted"] is not None or match["phrase"] is not None
        if (
            short.casefold() in _NO_ABBREVIATION | values
            or _COUNTS.fullmatch(short)
            or not (is_explicit or _begins(short, long))
        ):
            continue
        named = _meant(long, lab)
        # `ckpt = best valid` does not make a word for an experiment the name of a split.
        is_of_experiment = any(mention.kind in (Kind.EXPERIMENT, Kind.HINT) for mention in mentions(short, lab))
        if named and not (named[0] is Kind.SPLIT and is_of_experiment):
            found.setdefault(short, named)
    for match in _INTRODUCED_PAIR.finditer(text):
        first, other = (_meant(long, lab) for long in match.group(3, 4))
        if first and other and first != other:
            found |= {match[1]: first, match[2]: other}
    found.update(_symbols(text, lab))
    found.update(_legends(text, lab))
    found.update(_lettered_names(text, lab))
    found.update(_numbered_names(text, lab))
    found.update(_names_of_rows(shown or text, text, lab))
    return tuple((short, *meant) for short, meant in found.items())


def _meant(long: str, lab: Lab) -> tuple[Kind, str] | None:
    """Return the only experiment or split that words name, or None."""
    return the_only((mention.kind, mention.value) for mention in mentions(long, lab) if mention.kind is not Kind.HINT)


_SYMBOL: Final = re.compile(r"(?<![\w\\])[A-Za-z]{1,3}_(?:\{(?P<braced>[a-z]{1,5})\}|(?P<sub>[a-z]{1,5})\b)")
_OF_SYMBOL: Final = 40


def _symbols(text: str, lab: Lab) -> dict[str, tuple[Kind, str]]:
    """Return symbols whose index begins the name of a split beside them: `the validation accuracy a_v`."""
    found: dict[str, tuple[Kind, str]] = {}
    for match in _SYMBOL.finditer(text):
        index = match["braced"] or match["sub"]
        near = re.split(r"[.;]\s", text_before(text, match.start(), _OF_SYMBOL))[-1]
        near += " " + re.split(r"[.;]\s", text[match.end() : match.end() + _OF_SYMBOL])[0]
        begun = the_only(
            (mention.kind, mention.value)
            for mention in mentions(near, lab)
            if mention.kind is Kind.SPLIT and fold_text(near[mention.start : mention.end]).startswith(index)
        )
        if begun:
            found.setdefault(match.group(), begun)
    return found


_LETTERED: Final = re.compile(
    r"(?<!\w)(?P<name>[A-H])(?:\s?\((?P<within>[^()\n]{3,60})\)"
    r"|\s?[:=]\s(?P<behind>[^:=\n]{3,60}?)(?=[.;,]?\s+[A-H]\s?[:=]\s|[.;](?:\s|$)|$))",
    re.MULTILINE,
)


def _lettered_names(text: str, lab: Lab) -> dict[str, tuple[Kind, str]]:
    """Return letters that a text gives to several experiments: `A (pretrained), B (random)`, `A: pretrained. B:
    random.`"""
    found: dict[str, tuple[Kind, str]] = {}
    for match in _LETTERED.finditer(text):
        meaning = match["within"] or match["behind"]
        if named := the_only(named_experiments(mentions(meaning, lab), lab)):
            found.setdefault(match["name"], (Kind.EXPERIMENT, named))
    return found if len(set(found.values())) == len(found) > 1 else {}


_ENTRY: Final = re.compile(
    r"\W{0,4}(?P<name>[^\W\d_][\w'’-]{0,20})\s*(?:(?::|[-=]>|=|→|–|—|\|)\s*|(?=\([^()]{3,80}\)\Z))(?P<meaning>[^|:=]{3,120})"
)
_LETTERS: Final = 2
"""The most letters of a name that may be an ordinary word, such as `A`."""
_FIGURE: Final = re.compile(r"\d[.,]\d|\d\s?%")


def _legends(text: str, lab: Lab) -> dict[str, tuple[Kind, str]]:
    """Return a student's own names for experiments, each explained in a list or a sentence.

    For example, `Nessie: fairseq, given weights` or `we call Nessie the pretrained one, Yeti the random one`. In a list
    with one entry per experiment, an entry that names none means the remaining experiment.
    """
    found: dict[str, tuple[Kind, str]] = {}
    for meant in _explanations(text, lab):
        left = {experiment.id for experiment in lab.experiments} - set(meant.values())
        if (len(meant), len(left)) == (len(lab.experiments), 1):
            meant = {name: min(left) if value is None else value for name, value in meant.items()}
        if 1 < len(meant) == len(set(meant.values()) - {None, ""}):
            found |= {name: (Kind.EXPERIMENT, str(value)) for name, value in meant.items()}
    return found


def _explanations(text: str, lab: Lab) -> Iterator[dict[str, str | None]]:
    """Yield the names that each list and sentence of a text explains, with their experiments."""
    for is_entry, lines in groupby(map(_ENTRY.fullmatch, text.split("\n")), bool):
        if is_entry:
            yield {line["name"]: _explained(line["name"], line["meaning"], lab) for line in lines if line}
    for sentence in lexicon.split(r"[.!?](?=\s)|\n\s*\n|\n(?=[-*•])", text):
        *_, names = lexicon.split(r"\b<calling>\s+|:\s", sentence)
        parts = _ENTRY_END.split(" ".join(names.split()).rstrip("."))
        if lexicon.search("<calling>", sentence):
            called = (part.partition(" ") for part in parts)
            yield {name: _explained(name, meaning, lab, is_called=True) for name, _, meaning in called if meaning}
        else:
            entries = filter(None, map(_ENTRY.fullmatch, parts))
            yield {entry["name"]: _explained(entry["name"], entry["meaning"], lab) for entry in entries}


_ENTRY_END: Final = re.compile(r"(?:[,;]\s+(?:(?:and|et|und)\s+)?|\s(?:and|et|und)\s(?=\w+\s?=|[A-ZÀ-Ý]))(?![^()]*\))")


def _explained(name: str, meaning: str, lab: Lab, *, is_called: bool = False) -> str | None:
    """Return the only experiment in an entry for its name, or an empty text if it explains no name.

    A name may be any word if the text says that something is called so.
    """
    is_word = not is_called and len(name) > _LETTERS and concepts(name)
    meant = the_only(named_experiments(mentions(meaning, lab), lab))
    is_otherwise = mentions(name, lab) and meant not in named_experiments(mentions(name, lab), lab)
    return "" if is_otherwise or is_word or _FIGURE.search(meaning) else meant


_NUMBERED_NAME: Final = re.compile(r"\b(?P<word>[^\W\d_]{3,})\.? ?(?P<label>[A-H]|\d|I{1,3}|IV)\b(?![.,]\d)")
_MODELS: Final = frozenset(
    {"model", "modele", "exp", "experiment", "experience", "setup", "variant", "variante", "config", "configuration"}
    | {"system", "systeme", "init"}
)


def _numbered_names(text: str, lab: Lab) -> dict[str, tuple[Kind, str]]:
    """Return names such as `model B` and `exp 2` with the experiment in the words after their first mention.

    Any other word, such as `trial 1`, is a name if it has a label for each of several experiments.
    """
    places = list(_NUMBERED_NAME.finditer(text))
    first: dict[str, dict[str, re.Match[str]]] = {}
    for match in places:
        first.setdefault(match["word"].casefold(), {}).setdefault(match["label"].casefold(), match)
    found: dict[str, tuple[Kind, str]] = {}
    for word, labels in first.items():
        if not _may_be_names(text, word, labels.values(), lab):
            continue
        others = [*labels.values(), *(place for place in places if place["word"].casefold() != word)]
        meant = _with_rest({label: _told_behind(text, match, others, lab) for label, match in labels.items()}, lab)
        if fold_text(word) in _MODELS or 1 < len(meant) == len(labels) == len({*meant.values()}):
            for label, value in meant.items():
                found |= dict.fromkeys((f"{word} {label}", f"{word}{label}"), (Kind.EXPERIMENT, value))
    return found


def _may_be_names(text: str, word: str, labels: Collection[re.Match[str]], lab: Lab) -> bool:
    """Whether a word may name experiments with its labels, unlike `seed 1` and `table 2`."""
    if any(mentions(match.group(), lab) for match in labels):
        return False
    is_new = fold_text(word) in _MODELS or not concepts(word) - {"plain", "abbreviation"}
    return is_new or _are_explained(text, labels)


_ROW: Final = (
    r"(?m)^[^\w\n]{0,8}(?P<name>[^\W\d_][\w'’-]{2,20}|\\[A-Za-z]+(?:_\{?[\w×]+\}?|\s?\{?[A-Z]\}?)?)"
    r"\s*(?:[|,;:=]|\s)\W{0,4}\d*[.,]\d"
)
"""A line with figures below a name of one word, or below a symbol such as `\\theta_0`."""


def _names_of_rows(shown: str, text: str, lab: Lab) -> dict[str, tuple[Kind, str]]:
    """Return names of rows of figures that sentences explain: `schooled | 79.1` and `the schooled one is pretrained`.

    Different rows have different experiments. If only one row is not explained, it is of the remaining experiment.
    """
    names = dict.fromkeys(match["name"].casefold() for match in re.finditer(_ROW, shown))
    plain = {name: the_only(named_experiments(mentions(name, lab), lab)) for name in names if mentions(name, lab)}
    usual = _usual_names(names, lab)
    first = _first_outside_rows(names, text)
    places = list(first.values())
    explained = {
        name: plain[name] if name in plain else _told_behind(text, match, places, lab)
        for name, match in first.items()
        if name in plain or name not in usual
    }
    meant = _with_rest(explained, lab)
    if not 1 < len(meant) == len({*meant.values()}):
        return {}
    return {
        match.group(): (Kind.EXPERIMENT, meant[name])
        for name, match in first.items()
        if name in meant.keys() - plain.keys()
    }


def _usual_names(names: Iterable[str], lab: Lab) -> set[str]:
    """Return the names that mean something else than an experiment: parameters, and words that the lexicon has."""
    settings = {name.casefold() for parameter in lab.parameters for name in parameter.names}
    return settings | {name for name in names if "_" not in name and concepts(name) - {"plain", "participle"}}


def _first_outside_rows(names: Iterable[str], text: str) -> dict[str, re.Match[str]]:
    """Return the first place of each name in a text, outside rows of figures."""
    rows = [match.span() for match in re.finditer(_ROW, text)]
    first: dict[str, re.Match[str]] = {}
    for match in re.finditer(rf"(?<!\w)(?:{'|'.join(map(re.escape, names)) or '(?!)'})(?!\w)", text, re.IGNORECASE):
        if not overlaps(*match.span(), rows):
            first.setdefault(match.group().casefold(), match)
    return first


def _are_explained(text: str, names: Iterable[re.Match[str]]) -> bool:
    """Whether words in brackets follow each name, as in `Run I (pretrained), Run II (random)`."""
    return all(text.startswith(" (", name.end()) for name in names)


def _told_behind(text: str, match: re.Match[str], places: Sequence[re.Match[str]], lab: Lab) -> str | None:
    """Return the only experiment in the words after a name, up to the next name or the end of the sentence, or None."""
    end = min((other.start() for other in places if other.start() >= match.end()), default=len(text))
    behind = re.split(r"[.;\n](?=\s)|\n", text[match.end() : min(end, match.end() + 160)])[0]
    return the_only(named_experiments(mentions(behind, lab), lab))


def _with_rest(meant: Mapping[str, str | None], lab: Lab) -> dict[str, str]:
    """Return the experiments of labels, without unknown ones.

    Of two labels, the unknown one is the contrary. If there is a label for each experiment, a single unknown one is the
    remaining experiment.
    """
    named = {label: value for label, value in meant.items() if value}
    rest = _remaining(len(meant), list(named.values()), lab)
    return {label: value or rest for label, value in meant.items()} if rest else named


def _remaining(number: int, named: Sequence[str], lab: Lab) -> str | None:
    """Return the experiment of the only one of some labels that none is named for, or None."""
    experiments = [experiment for experiment in lab.experiments if experiment.id in named]
    if number == _PAIR and len(named) == 1:
        return experiments[0].contrary
    is_single = number == len(lab.experiments) and len(named) == len(experiments) == number - 1
    return next((experiment.id for experiment in lab.experiments if experiment.id not in named and is_single), None)


_PAIR: Final = 2


_NO_ABBREVIATION: Final = {
    "m", "sd", "std", "avg", "mean", "the", "and", "for", "acc", "val", "test", "lr", "we", "so", "is",
    "one", "two", "three", "un", "deux", "trois", "best", "last", "max", "min",
}  # fmt: skip
_COUNTS: Final = re.compile(
    any_of("run", "epoch", "step", "layer", "choosing", "accuracy", "mean", "deviation", "other_statistic", "interval"),
    re.IGNORECASE,
)
"""Words that make numbers something else, even as keys in code."""


def _begins(short: str, long: str) -> bool:
    """Whether the letters of an abbreviation occur in its long form in order, the first one at its start."""
    letters = iter(fold_text(re.sub(r"[^\w]", "", long)))
    plain = fold_text(short)
    return fold_text(long.strip()).startswith(plain[0]) and all(letter in letters for letter in plain)


def experiments_in(text: str, lab: Lab, abbreviations: Abbreviations = ()) -> tuple[str, ...]:
    """Return the ids of the experiments that a text names. An experiment's own words hide words that it shares with
    others."""
    return named_experiments(mentions(text, lab, abbreviations), lab)


def named_experiments(found: Iterable[Mention], lab: Lab) -> tuple[str, ...]:
    """Return the ids of the experiments among some mentions, without those that another one is `like`."""
    named = dict.fromkeys(mention.value for mention in found if mention.kind is Kind.EXPERIMENT)
    hidden = {other for experiment in lab.experiments if experiment.id in named for other in experiment.like}
    return tuple(text for text in named if text not in hidden)


_NOT_COMPARED: Final = re.compile(
    r"(?:\b(?:not|cannot|never|hardly|ne|pas|jamais)\b|n['’]t\b)[^.;:]{0,40}\bcompar\w*[^.;:]{0,40}$", re.IGNORECASE
)


def less_compared(text: str, found: Iterable[Mention]) -> list[Mention]:
    """Return the mentions of a text without experiments to which its results cannot be compared.

    For example, `these are of validation and not to be compared with T3`, or `random instead of pretrained`.
    """
    return [
        mention
        for mention in found
        if mention.kind is not Kind.EXPERIMENT
        or not (
            _NOT_COMPARED.search(before := text_before(text, mention.start, 120))
            or lexicon.search(r"\b<instead_of>\s+(?:\w+\s+)?\Z", before)
        )
    ]
