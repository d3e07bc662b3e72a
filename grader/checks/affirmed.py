"""Recognise an answer that says yes or no in a sentence.

For example, `the model has captured the variation` affirms the question whether the model has captured it.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from grader.claims.passage import Passage
from grader.claims.statements import Polarity, is_doubtful, polarity, statements
from grader.lab.definition import Question
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.language.shapes import TOKEN

_LONG: Final = 5
_STEM: Final = 6
"""Words with the same first six letters count as one word: `captured`, `captures`."""
_FEWEST: Final = 3
_SHARE: Final = 0.7
"""The least share of the question's words in a sentence that certainly affirms it."""
_MENTIONED: Final = 0.5
"""The least share of the question's words in a sentence that is about it."""


class AffirmedOption(NamedTuple):
    """An option, and the sentence that chooses it."""

    option: str
    start: int
    end: int
    is_certain: bool


def affirmed_option(
    passage: Passage, lead: int, question: Question, choices: Mapping[str, str]
) -> AffirmedOption | None:
    """Return the option, `yes` or `no`, that a passage chooses by affirming or denying the question, or None.

    The question must contain exactly one yes-or-no question about the options, and the options must be yes and no. A
    denial is certain only if it denies the words of an option: `is not sufficient` for `sufficient`. Text before `lead`
    is ignored.
    """
    options = yes_no_options(question, choices)
    asked = [words for words in _asked(question, choices) if len(words) >= _FEWEST]
    if not options or len(asked) != 1:
        return None
    replies = sorted(_told(passage, lead, asked[0]), reverse=True)
    if len({how for *_, how in replies}) != 1 or replies[0][-1] == Polarity.OPEN.value:
        return None
    number, start, end, how = replies[0]
    is_stated = how == Polarity.STATED.value
    is_told = is_stated or _is_denied(passage.text[start:end], asked[0] & _content(" ".join(choices.values())))
    return AffirmedOption(options[_FORMS[not is_stated]], start, end, is_told and number >= _SHARE * len(asked[0]))


def _is_denied(sentence: str, matter: frozenset[str]) -> bool:
    """Whether a sentence denies a word that the question and the options have in common, right before the word."""
    words = [match for match in TOKEN.finditer(sentence) if fold_text(match.group())[:_STEM] in matter]
    is_open = is_doubtful(f", {sentence}", 0, 0)  # no clause of it, so that the denial is no doubt
    return bool(words) and not is_open and all(polarity(sentence, *word.span()) is Polarity.DENIED for word in words)


def _asked(question: Question, choices: Mapping[str, str]) -> list[frozenset[str]]:
    """Return the words of each yes-or-no question, only of those that share a word with the options if any does."""
    every = [_content(text) for text in yes_no_questions(question.asks)]
    option_words = _content(" ".join(choices.values()))
    return [words for words in every if words & option_words] or every


def yes_no_options(question: Question, choices: Mapping[str, str]) -> Mapping[str, str]:
    """Return the options by their forms, `<yes>` and `<no>`, which are their texts or their names.

    The result is empty unless the question contains exactly one yes-or-no question about the options.
    """
    options = {
        form: name
        for form in _FORMS
        for name, words in choices.items()
        if lexicon.fullmatch(form, words) or lexicon.fullmatch(form, name)
    }
    is_one = len(_asked(question, choices)) == 1 or not question.asks
    return options if is_one and len(options) == len(choices) == len(_FORMS) else {}


def _told(passage: Passage, lead: int, asked: frozenset[str]) -> Iterator[tuple[int, int, int, str]]:
    """Yield each sentence after the lead that is about the question: the number of shared words, its place and its
    polarity.

    Questions are ignored.
    """
    least = max(_FEWEST, _MENTIONED * len(asked))
    for statement in statements(passage):
        number = len(asked & _content(statement.text))
        if statement.end > lead and number >= least and not statement.text.rstrip(" *_)").endswith("?"):
            yield number, statement.start, statement.end, _polarity(statement.text, asked).value


_FORMS: Final = ("<yes>", "<no>")


def yes_no_questions(text: str) -> Iterator[str]:
    """Yield the sentences of a text that begin with a verb, so that yes or no answers them."""
    for part in text.replace("\n", " ").split("?")[:-1]:
        sentence = part.rpartition(". ")[2]
        if lexicon.match(r"[\W_]*<asks_whether>", sentence):
            yield sentence


def _content(text: str) -> frozenset[str]:
    words = (fold_text(word) for word in TOKEN.findall(text))
    question_words = frozenset(lexicon.words("asks_whether"))
    return frozenset(word[:_STEM] for word in words if len(word) >= _LONG and word not in question_words)


def _polarity(sentence: str, asked: frozenset[str]) -> Polarity:
    """Return the polarity of a sentence towards the question's words.

    Only the part before a contrast counts. It is open if the part after the contrast denies something about the same
    words.
    """
    contrast = lexicon.search("<contrast|but_or_while>", sentence, 1)
    clause, behind = (sentence[: contrast.start()], sentence[contrast.end() :]) if contrast else (sentence, "")
    is_taken_back = lexicon.search(_DENIAL, behind) and not asked.isdisjoint(_content(behind))
    if lexicon.search(_DENIAL, clause):
        return Polarity.DENIED
    is_open = lexicon.search("<short_of_most|other_choice>", clause) or is_doubtful(clause, 0, len(clause))
    return Polarity.OPEN if is_taken_back or is_open else Polarity.STATED


_DENIAL: Final = r"<negation|failing|barely>|n['’]t\b"
