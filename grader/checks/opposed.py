"""Recognise which of two opposite options, such as `helps` and `does not help`, an answer states.

For example, `Decreasing ε helps training` answers the question whether decreasing ε helps training.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from typing import Final, NamedTuple

from grader.checks.affirmed import yes_no_options, yes_no_questions
from grader.claims.passage import Passage
from grader.claims.statements import Polarity, polarity, statements
from grader.lab.definition import Question
from grader.language import lexicon
from grader.language.shapes import TOKEN
from grader.language.stems import stems

_SUBJECT: Final = 0.5
"""The least share of the subject's words that a sentence must name before the verb."""
_FEWEST_OF_OBJECT: Final = 3
"""With at least this many words of the question after the verb, the subject may have another name."""
_LONG: Final = 4
_PAIR: Final = 2


class StatedOption(NamedTuple):
    """An option that a sentence states, and the place of its words in the passage's text.

    `is_scoped`: the sentence says so only of some cases or to some degree.
    """

    option: str
    start: int
    end: int
    is_scoped: bool


class _Asked(NamedTuple):
    """A yes-or-no question, by the stems of its words: its subject, its predicate, and what follows.

    `rival` is the predicate of the option for no if this has words of its own, such as `different values`.
    """

    subject: tuple[Set[str], ...]
    predicate: tuple[Set[str], ...]
    behind: tuple[Set[str], ...]
    rival: tuple[Set[str], ...]


def stated_options(
    passage: Passage, lead: int, question: Question, choices: Mapping[str, str]
) -> Iterator[StatedOption]:
    """Yield the options that the sentences of a passage after `lead` state or deny, in order.

    The options must be yes and no, and the question must ask for them with the words of one of them: `Does the loss
    decrease?` for `decreases` and `does not decrease`. A sentence counts if it has the question's subject and verb,
    and if the author asserts it. A denial that restricts the question is scoped.
    """
    options = yes_no_options(question, choices)
    asked = _asked(question, [choices[options[form]] for form in _FORMS] if options else [])
    if asked is None:
        return
    for statement in statements(passage):
        if statement.end <= lead or statement.text.rstrip(" *_)").endswith("?"):
            continue
        for predicate, form in ((asked.predicate, "<yes>"), (asked.rival, "<no>")):
            for start, end in _places(statement.text, asked, predicate):
                first = max(0, lead - statement.start)
                how = _told(statement.text, first, start, end) if start >= first else Polarity.OPEN
                if how is Polarity.OPEN:
                    continue
                is_yes = (how is Polarity.STATED) == (form == "<yes>")
                is_scoped = _is_scoped(
                    statement.text[first:], start - first, end - first, asked, is_denied=how is Polarity.DENIED
                )
                place = statement.start + start, statement.start + end
                yield StatedOption(options[_FORMS[not is_yes]], *place, is_scoped)


_FORMS: Final = ("<yes>", "<no>")


def are_opposed(question: Question, choices: Mapping[str, str]) -> bool:
    """Whether the options are yes and no, and one of them has the words of the question."""
    options = yes_no_options(question, choices)
    return _asked(question, [choices[options[form]] for form in _FORMS] if options else []) is not None


def _asked(question: Question, forms: Sequence[str]) -> _Asked | None:
    """Return the question that the option for yes answers with its own words, or None."""
    if len(forms) != _PAIR:
        return None
    predicate, rival = (tuple(map(stems, _words_of_option(words))) for words in forms)
    of_predicate = frozenset().union(*predicate)
    for sentence in yes_no_questions(question.asks):
        words = [stems(word) for word in TOKEN.findall(sentence)][1:]  # without the auxiliary
        at = next((at for at in range(len(words)) if _fits(words[at : at + len(predicate)], predicate)), 0)
        subject, behind = _less_companions(words[:at]), _less_companions(words[at + len(predicate) :])
        if predicate and subject:
            return _Asked(subject, predicate, behind, () if all(word & of_predicate for word in rival) else rival)
    return None


def _less_companions(words: Sequence[Set[str]]) -> tuple[Set[str], ...]:
    """Return the stems without those of articles and auxiliaries."""
    left_out = {stems(word) for word in lexicon.words("article", "verb_companion")}
    return tuple(word for word in words if word not in left_out)


def _words_of_option(words: str) -> list[str]:
    """Return the words of an option without articles, negations and auxiliaries."""
    left_out = {*lexicon.words("article"), *lexicon.words("verb_companion")}
    return [word for word in TOKEN.findall(words.casefold()) if word not in left_out]


def _fits(words: Sequence[Set[str]], sought: Sequence[Set[str]]) -> bool:
    return len(words) == len(sought) and all(word & other for word, other in zip(words, sought, strict=True))


def _places(text: str, asked: _Asked, predicate: Sequence[Set[str]]) -> Iterator[tuple[int, int]]:
    """Yield the places of the predicate right after the subject of the question, or before its object."""
    tokens = list(TOKEN.finditer(_less_asides(text)))
    found = [stems(token.group()) for token in tokens]
    for at in range(len(tokens) if predicate else 0):
        end = at + len(predicate)
        if _fits(found[at:end], predicate) and _is_verb(text, tokens[at]) and _is_said_of(text, tokens, at, asked):
            yield tokens[at].start(), tokens[end - 1].end()


def _is_verb(text: str, word: re.Match[str]) -> bool:
    """Whether a word is no noun such as `learning`."""
    is_progressive = lexicon.search(r"<progressive>(?:\s+\w+ly)?\W+\Z", text, 0, word.start())
    return is_progressive is not None or lexicon.fullmatch("<gerund>", word.group()) is None


def _is_said_of(text: str, tokens: Sequence[re.Match[str]], at: int, asked: _Asked) -> bool:
    """Whether the subject of the question stands before a verb, or its object behind it."""
    above = at
    while above and lexicon.fullmatch("<verb_companion>|<article>|\\w+ly", tokens[above - 1].group()):
        above -= 1
    if not above:
        return False
    before, behind = ([stems(token.group()) for token in several] for several in (tokens[:above], tokens[at:]))
    is_joined = lexicon.fullmatch("<and>|then", tokens[above - 1].group())
    beside = _first_words(text, tokens, above) if is_joined else before[-1:]
    number = sum(_is_among(word, before) for word in asked.subject)
    if any(_is_among(word, beside) for word in asked.subject) and number >= _SUBJECT * len(asked.subject):
        return True
    of_object = sum(_is_among(word, behind) for word in asked.behind)
    return of_object >= max(_FEWEST_OF_OBJECT, _SUBJECT * len(asked.behind))


def _first_words(text: str, tokens: Sequence[re.Match[str]], above: int) -> Sequence[Set[str]]:
    """Return the stems of the subject that a sentence begins with and that verbs joined by `and then` share."""
    start = 0
    for clause in lexicon.find_all(r"<that_clause>\s|[,;:]\s", text, 0, tokens[above - 1].start()):
        start = clause.end()
    words = [token.group() for token in tokens[:above] if token.start() >= start]
    return [stems(word) for word in words if not lexicon.fullmatch("<article>", word)][:_PAIR]


def _is_among(word: Set[str], others: Sequence[Set[str]]) -> bool:
    """Whether a word has a stem in common with one of some others, or both name what learns."""
    wanted = word | _learners() if word & _learners() else word
    return any(wanted & other for other in others)


@cache
def _learners() -> frozenset[str]:
    return frozenset().union(*map(stems, lexicon.words("learner")))


def _less_asides(text: str) -> str:
    """Return a text with blanks for words in brackets."""
    return re.sub(r"\([^()]*\)", lambda match: " " * len(match.group()), text)


def _told(text: str, first: int, start: int, end: int) -> Polarity:
    """Return whether a sentence that begins at `first` states or denies the predicate, or leaves it open."""
    before = re.split(r"[,;:]\s", text[first:start])[-1]
    if lexicon.search("<not_asserted>", before) or lexicon.search("<doubt>", text):
        return Polarity.OPEN
    how = polarity(text, start, end)
    denial = None if how is Polarity.STATED else lexicon.search(r"<negation>|n['’]t\b", before)
    if denial and lexicon.search(r"\A\W*(?:<every>|<article>|<verb_companion>)\b", before, denial.end()) is None:
        rest = TOKEN.findall(before[denial.end() :])
        return (
            how if all(lexicon.fullmatch(r"<verb_companion>|<article>|\w+ly", word) for word in rest) else Polarity.OPEN
        )
    return how


def _is_scoped(text: str, start: int, end: int, asked: _Asked, *, is_denied: bool) -> bool:
    """Whether a sentence says something only of some cases or to some degree.

    A denial must have no other words behind the predicate than those of the question.
    """
    before = "".join(lexicon.split(r"<in_all_cases>[^,]*(?:,|\Z)", text[:start]))
    behind = re.split(r"[.,;:]\s|\.(?=[^\W\da-z])|\(", next(iter(lexicon.split("<reason_opening>", text[end:]))))[0]
    if lexicon.search("<condition|only_if|some_of>", before) or lexicon.search("<only_if|only>", text[end:]):
        return True
    if lexicon.match(r"\W+(?:\w+\W+)?<barely|little>", behind):
        return True
    words = [stems(word) for word in TOKEN.findall(behind) if len(word) >= _LONG]
    of_question = (*asked.subject, *asked.behind)
    return is_denied and not all(any(word & other for other in of_question) for word in words)
