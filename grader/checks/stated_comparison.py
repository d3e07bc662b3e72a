"""Find the text's statements about which of two experiments is better.

`heard_of` returns them, each as a `StatedComparison` with a probability from a model of sentences, the student's own
averages and rules for statements that the model misreads. `told_by` combines them into the text's stand."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from itertools import chain, pairwise
from math import copysign
from typing import Final, NamedTuple

from grader.claims.answer import Answer
from grader.claims.code.syntax import is_command
from grader.claims.commitment import of_statement
from grader.claims.meaning import choice_tokens, comparison_tokens
from grader.claims.numerals import Numeral
from grader.claims.passage import Passage
from grader.claims.results.fact import digit_in_unit, in_unit
from grader.claims.results.measures import may_be_value, told_of
from grader.claims.results.numbers import numbers_in
from grader.claims.results.roles import subject_told
from grader.claims.results.vocabulary import Kind, Mention, abbreviations_in, mentions
from grader.claims.sections import Section
from grader.claims.statements import Statement, all_statements, is_of_cell
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.language import lexicon
from grader.language.lexicon import mentions as mentions_in
from grader.language.shapes import LONG_WORD
from grader.model.sentences import NOTHING, PLACEHOLDERS, Tokens, families, probability_of_any, topics
from grader.reading.document import BlockKind, Evidence

_TOLD: Final = 0.85
"""From this probability on, a statement is taken to say what it seems to say."""
SHOWN: Final = 0.75
"""The same threshold if the words hardly allow the contrary and the averages agree."""
_ROOM: Final = 0.05
_DOUBT: Final = 0.2
"""From this probability on, words that call the two equal outweigh the averages."""
_FEW: Final = 3
"""This number of values beside one name are the values of its runs."""
_PERHAPS_ALIKE: Final = 0.4
"""From this probability on, a part that calls the two equal makes the whole statement uncertain."""
_HEARD: Final = 0.2
"""From this probability on, a statement that may compare the two prevents the conclusion that nothing is said."""
_PLAIN: Final = 0.9
"""From this probability on, the words alone are enough, whatever the averages."""
AGAINST: Final = 0.7
"""From this probability on, a statement counts against another one."""
SENTENCE: Final = 5
"""The fewest words of a sentence."""
_POINTS: Final = r"<points>|\s?(?:%|<percent>)"
_WORD_POINTS: Final = r"(<number>)(?=[^.;]{0,24}<points|percent>)"
_COUNT: Final = rf"(?<![\d.,])\d{{2,4}}(?!\d|[.,]\d|\s?{_POINTS})"
_LIKELY: Final = 0.4
"""The least probability of a statement that counts together with others."""
_CODE_SIGNS: Final = frozenset("/\\$;{}[]_=`|")
"""The characters of commands and code, which compare nothing. A comment after them may."""
_ARROW: Final = re.compile(r"[-=]+>")
_BRACKETS: Final = frozenset("[]{}_")
_IS_PATH: Final = re.compile(r"\w/[\w/.*-]+\.[a-z]{2,4}\b")
"""A file name. A page may show a command as a line of text."""


class Stand(StrEnum):
    """A statement's claim about the first of two experiments: better, worse, or no different."""

    BETTER = "better"
    WORSE = "worse"
    NEITHER = "neither"


class StatedComparison(NamedTuple):
    """The most probable meaning of a statement, its probability, and its place.

    `words` are the probabilities by the words alone. `is_unfounded`: the statement gives averages that the student's
    own results contradict.
    """

    stand: Stand
    sure: float
    words: Mapping[Stand, float]
    evidence: Evidence
    is_unfounded: bool = False


class Averages(NamedTuple):
    """The student's own averages of two experiments by a measure.

    `pairs` are all pairs of their values, and `logged` are all values in the logs. `is_disputed`: the stated averages
    differ from these.
    """

    better: float
    worse: float
    measure: Measure
    pairs: tuple[tuple[float, float], ...] = ()
    logged: tuple[float, ...] = ()
    is_disputed: bool = False

    @property
    def lead(self) -> float:
        """The difference in favour of the experiment that should be better; negative if it is worse."""
        lead = self.better - self.worse
        return -lead if self.measure.is_lower_better else lead

    @property
    def is_clear(self) -> bool:
        """Whether the difference is large enough to be called one."""
        return self.measure.is_clear(self.better, self.worse)

    def is_about(self, lead: float) -> bool:
        """Whether a stated difference has the right sign and is between half and twice the true one."""
        return self.lead * lead > 0 and abs(self.lead) / 2 <= abs(lead) <= abs(self.lead) * 2

    @property
    def both(self) -> tuple[float, float]:
        """Both averages, the one that should be better first."""
        return self.better, self.worse


def heard_of(
    answer: Answer,
    two: tuple[str, str],
    averages: Averages | None,
    lab: Lab,
    measure: Measure,
    *,
    in_notes: bool = False,
) -> list[StatedComparison]:
    """Return the statements that may compare the two experiments.

    They come from a reader if there is one, otherwise from the text, or with `in_notes` from the notebooks beside a
    report.
    """
    if answer.comparisons is not None:
        stands = {two[0]: Stand.BETTER, two[1]: Stand.WORSE, None: Stand.NEITHER}
        read = (
            (stands[comparison.better], comparison.evidence)
            for comparison in answer.comparisons
            if comparison.better in stands
        )
        return [StatedComparison(stand, 1.0, {stand: 1.0}, evidence) for stand, evidence in read]
    asked = {experiment.question for experiment in lab.experiments}
    own_questions = {experiment.question for experiment in lab.experiments if experiment.id in two}
    hosts: dict[tuple[str, ...], str] = {
        (experiment.question,): experiment.id for experiment in lab.experiments if experiment.id in two
    }
    places = [claim.evidence for claim in answer.results.seeds if claim.experiment in two]
    places += [place for claim in answer.results.summaries if claim.experiment in two for place in claim.evidence]

    def is_elsewhere(section: Section) -> bool:
        """Whether a section answers another question and does not contain the experiments' results."""
        if not section.questions or not own_questions.isdisjoint(section.questions):
            return False
        return not asked.isdisjoint(section.questions) or not any(map(section.passage.holds, places))

    return [
        first
        for section in (answer.noted if in_notes else answer.sections)
        if not section.is_closing
        for first in _statements(
            section.passage,
            two,
            averages,
            lab,
            measure,
            elsewhere=is_elsewhere(section),
            host=hosts.get(section.questions),
        )
        if not _is_definition(first.evidence, answer)
    ]


def _is_definition(place: Evidence, answer: Answer) -> bool:
    """Whether a sentence is part of a parameter's definition, which compares nothing."""
    return any(
        (claim.evidence.file, claim.evidence.line, claim.evidence.page) == (place.file, place.line, place.page)
        and place.quote in claim.evidence.quote
        for claim in answer.definitions
        if claim.text
    )


def told_by(heard: Sequence[StatedComparison]) -> dict[Stand, float]:
    """Return the text's stands, each with the probability that some statement takes it. Empty if nothing is sure.

    Two likely statements are surer together; many unlikely ones are not. A stand that the words alone take against the
    averages is included.
    """
    likely = _once([section for section in heard if section.sure >= _LIKELY])
    sure = {
        stand: probability_of_any(candidate.sure for candidate in likely if candidate.stand is stand) for stand in Stand
    }
    alone = {stand: max((section.words.get(stand, 0.0) for section in heard), default=0.0) for stand in Stand}
    if sure[Stand.BETTER] >= SHOWN and any(
        section.sure >= SHOWN and _contrary(section) <= _ROOM for section in heard if section.stand is Stand.BETTER
    ):
        return {Stand.BETTER: sure[Stand.BETTER]} | {
            stand: share for stand, share in alone.items() if stand is not Stand.BETTER and share >= AGAINST
        }
    doubted = [section for section in heard if section.stand is Stand.BETTER and section.sure >= _TOLD]
    if doubted and all(statement.words[Stand.NEITHER] > _DOUBT for statement in doubted):
        return {}
    if max(sure.values()) < _TOLD:
        sure = alone if max(alone.values()) >= _PLAIN else {}
    return {stand: share for stand, share in sure.items() if share >= _TOLD or alone[stand] >= AGAINST}


def _once(heard: Iterable[StatedComparison]) -> list[StatedComparison]:
    """Return the surest statement of each place and stand. A sentence and its parts are one statement."""
    surest: dict[tuple[Evidence, Stand], StatedComparison] = {}
    for statement in sorted(heard, key=lambda each: -each.sure):
        surest.setdefault((statement.evidence, statement.stand), statement)
    return list(surest.values())


def _contrary(statement: StatedComparison) -> float:
    """Return the probability that the words of a statement say something else than its stand."""
    return sum(share for stand, share in statement.words.items() if stand is not statement.stand)


def _statements(
    passage: Passage,
    two: tuple[str, str],
    averages: Averages | None,
    lab: Lab,
    measure: Measure,
    *,
    elsewhere: bool,
    host: str | None,
) -> Iterator[StatedComparison]:
    """Yield the statements of a passage that may compare the two experiments, in order.

    `elsewhere`: the passage answers another question, so a statement must name one of the two. `host` is the experiment
    that the passage is about.
    """
    abbreviations = abbreviations_in(passage.text, lab)
    every = (
        with_subject(candidate, host, lab, measure) if host else candidate for candidate in all_statements(passage)
    )
    for statement in _with_clauses(every, lambda text: _says_more(text, two, averages, lab)):
        text, kind = _without_title(statement.text, two, lab, measure), passage.block_at(statement.start).kind
        found = mentions(text, lab, abbreviations)
        named = {mention.value for mention in found if mention.kind is Kind.EXPERIMENT}
        is_of_others = bool(named - set(two)) and not set(two) <= named
        if is_of_others or ((elsewhere or is_of_cell(passage, statement)) and not named):
            continue
        if kind is BlockKind.HEADING or _IS_PATH.search(text) or _is_code(text, kind, found):
            continue
        tokens = comparison_tokens(text, found, two, lab, measure)
        if _may_compare(text, tokens, found, two, averages, lab, measure):
            place = passage.evidence(statement.start, statement.end)
            is_stated = of_statement(passage, statement).is_committed
            yield from _read(text, tokens, found, two, averages, lab, measure, place, is_stated=is_stated)


def _without_title(text: str, two: tuple[str, str], lab: Lab, measure: Measure) -> str:
    """Return a statement without a title before its colon: `pretrained vs. random: it is the random one`.

    The order of the names in a title means nothing.
    """
    title = lexicon.match(r"[^:]{1,60}:\s+", text)
    if title is None or not any(mention.value in two for mention in mentions(text[title.end() :], lab)):
        return text
    named = text[: title.end()]
    found = mentions(named, lab)
    words = comparison_tokens(named, found, two, lab, measure).words
    is_title = set(two) <= {mention.value for mention in found} and _COMPARING.isdisjoint(words)
    is_title = is_title and all({"versus"}.issuperset(families(word)) for word in words)
    return text[title.end() :] if is_title else text


def _may_compare(
    text: str,
    tokens: Tokens,
    found: Sequence[Mention],
    two: tuple[str, str],
    averages: Averages | None,
    lab: Lab,
    measure: Measure,
) -> bool:
    """Whether a statement is more than a title, a list of values or a remark on the choice of checkpoints."""
    named = {mention.value for mention in found if mention.kind is Kind.EXPERIMENT}
    is_of_both = set(two) <= named or (averages is not None and _states_both(text, averages))
    if _is_bare(tokens) or not (is_of_both or weighs(tokens)) or _only_reports(text, tokens, averages, measure):
        return False
    return is_of_both or not chooses(text, found, lab, measure)


def _read(
    text: str,
    tokens: Tokens,
    found: Sequence[Mention],
    two: tuple[str, str],
    averages: Averages | None,
    lab: Lab,
    measure: Measure,
    place: Evidence,
    *,
    is_stated: bool,
) -> Iterator[StatedComparison]:
    """Yield the stands of a statement by its words, its parts and the averages."""
    sizes = [split.examples for split in lab.splits if split.examples]
    read = topics()["comparison"].read(tokens).probabilities
    probabilities = _apart(_by_stand(read, tokens, two), text, averages, sizes)
    if (signed := _by_sign(text, found, two, measure)) is not None:
        probabilities = {stand: SHOWN if stand is signed else 0.0 for stand in Stand}
    # `It is the random one that ...` contrasts the two, whatever the averages are.
    likely = (
        probabilities if _is_cleft(text, found) else _with_figures(probabilities, read[NOTHING], text, averages, sizes)
    )
    stand = max(Stand, key=lambda candidate: likely[candidate])
    lists = averages is not None and (_lists_both(text, tokens, found, averages) or _swaps(text, found, two, averages))
    is_odd = _contradicts_itself(tokens, stand, two) or _may_rank(tokens, stand, averages)
    is_nothing = sum(likely.values()) < _HEARD
    if lists or (not is_nothing and (not is_stated or is_odd)):
        yield StatedComparison(stand, _HEARD, {}, place)
        return
    if is_nothing or (read[NOTHING] >= _HARDLY and chooses(text, found, lab, measure, SHOWN)):
        return
    is_missed = stand is Stand.BETTER and averages is not None and misses_difference(text, averages, sizes)
    is_unfounded = averages is not None and _is_unfounded(text, averages)
    if is_missed or is_unfounded or _gives_other_figures(text, averages, fewest=_FEW if tokens.lead else 1):
        yield StatedComparison(stand, _HEARD, {}, place, is_unfounded)
        return
    parts = [_of_part(part, two, lab, measure) for part in _parts(text)]
    alike = max((part[Stand.NEITHER] for part in parts), default=0.0)
    is_worse = stand is Stand.BETTER and (_denies_benefit(text) or any(part[Stand.WORSE] >= _TOLD for part in parts))
    is_open = stand is not Stand.NEITHER and (alike >= _PERHAPS_ALIKE or is_worse)
    yield (
        StatedComparison(stand, _HEARD, {}, place)
        if is_open
        else StatedComparison(stand, likely[stand], probabilities, place)
    )
    if alike >= _TOLD:
        # The part contradicts the whole statement, but is not decisive: the rest may deny it.
        yield StatedComparison(Stand.NEITHER, min(alike, likely[Stand.NEITHER]), {Stand.NEITHER: _TOLD}, place)


def _by_sign(text: str, found: Iterable[Mention], two: tuple[str, str], measure: Measure) -> Stand | None:
    """The stand that a sign between the names of the two takes, as `pretrained > random`; None where there is none or
    the measure is one of which less is better."""
    named = [mention for mention in found if mention.kind is Kind.EXPERIMENT]
    stands = {
        Stand.BETTER if (first.value == two[0]) == (sign == ">") else Stand.WORSE
        for first, second in pairwise(named)
        for sign in [text[first.end : second.start].strip(" *_`")]
        if {first.value, second.value} == set(two) and sign in ("<", ">")
    }
    return next(iter(stands)) if len(stands) == 1 and not measure.is_lower_better else None


def _is_cleft(text: str, found: Iterable[Mention]) -> bool:
    """Whether a sentence singles out an experiment: `it is the random one that wins`, `c'est l'aléatoire qui gagne`."""
    return any(
        lexicon.search(r"<it_is>\W+(?:\w+\W+){0,3}\Z", text, max(0, mention.start - _BESIDE), mention.start)
        and lexicon.match(r"\W+(?:\w+\W+){0,4}?<relative>\W", text, mention.end)
        for mention in found
        if mention.kind is Kind.EXPERIMENT
    )


_DENIED_IN_FRENCH: Final = r"\bn(?:e\s|['’])\s?(?:\w+\W+)?<benefit>\W+(?:\w+\W+){0,2}?<negation>"
"""In French, the verb stands between the two words of the negation: `n'aide donc pas`."""


def _denies_benefit(text: str) -> bool:
    """Whether a text denies a benefit: `so pretraining does not help`."""
    if lexicon.search(_DENIED_IN_FRENCH, text):
        return True
    return any(
        mention.concept == "no_benefit" or (mention.concept == "benefit" and mention.negated)
        for mention in mentions_in(text)
    )


def with_subject(statement: Statement, host: str, lab: Lab, measure: Measure) -> Statement:
    """Return a statement with its implied subject named, if it compares the passage's experiment with another one."""
    figures = [(number.start, number.end) for number in numbers_in(statement.text, told_of(measure))]
    name = next(
        word for known_experiment in lab.experiments if known_experiment.id == host for word in known_experiment.words
    )
    text = subject_told(statement.text, mentions(statement.text, lab), figures or [(0, 0)], host, name)
    return statement if text is statement.text else statement.model_copy(update={"text": text})


def chooses(text: str, found: Sequence[Mention], lab: Lab, measure: Measure, least: float = _TOLD) -> bool:
    """Whether a statement says how a checkpoint is chosen: `the one with the highest validation accuracy`."""
    return topics()["choice"].read(choice_tokens(text, found, lab, measure)).probabilities[NOTHING] <= 1 - least


_HARDLY: Final = 0.6
"""From this probability of no comparison on, a statement may be about the choice of checkpoints."""


def _apart(
    probabilities: dict[Stand, float], text: str, averages: Averages | None, sizes: Sequence[int]
) -> dict[Stand, float]:
    """Return the probabilities of the stands, with `NEITHER` reduced if the statement gives a clear difference."""
    if averages is None or not averages.is_clear or not states_difference(text, averages, sizes):
        return probabilities
    return {**probabilities, Stand.NEITHER: probabilities[Stand.NEITHER] * _APART}


def _is_code(text: str, kind: BlockKind, found: Iterable[Mention]) -> bool:
    """Whether a line is code or a command and compares nothing.

    A page may show code as text, so the characters of code are counted. Names of experiments, such as `run_scratch`,
    are words.
    """
    if "#" not in text and is_command(text.strip(" `")):
        return True
    names = {
        place for mention in found if mention.kind is Kind.EXPERIMENT for place in range(mention.start, mention.end)
    }
    bare = re.sub(r"\w+", lambda name: "" if names & set(range(*name.span())) else name.group(), text)
    if kind in (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.ROW):
        return not _CODE_SIGNS.isdisjoint(_ARROW.sub(" ", bare.rpartition("#")[2]))
    return sum(map(bare.count, _BRACKETS)) * 2 >= max(len(LONG_WORD.findall(bare)), 1)


def _parts(text: str) -> Iterator[str]:
    """Yield the parts of a sentence that are long enough to say something, if there are several."""
    parts = _PART_END.split(text)
    return (part for part in parts if len(parts) > 1 and len(part.split()) >= _SHORTEST_PART)


_PART_END: Final = re.compile(r"[,;:]\s+|\s[–—-]\s")
_SHORTEST_PART: Final = 4


def _of_part(text: str, two: tuple[str, str], lab: Lab, measure: Measure) -> dict[Stand, float]:
    """Return the probabilities of the stands of a part of a sentence."""
    tokens = comparison_tokens(text, mentions(text, lab), two, lab, measure)
    read = topics()["comparison"].read(tokens).probabilities
    return _by_stand(read if tokens.lead else {**read, "second": 0.0}, tokens, two)


def _by_stand(read: Mapping[str, float], tokens: Tokens, two: tuple[str, str]) -> dict[Stand, float]:
    """Return the probability of each stand. The model's probabilities refer to the experiment named first."""
    ahead, other = (Stand.WORSE, Stand.BETTER) if tokens.lead == two[1] else (Stand.BETTER, Stand.WORSE)
    return {ahead: read["first"], other: read["second"], Stand.NEITHER: read["neither"]}


def _contradicts_itself(tokens: Tokens, stand: Stand, two: tuple[str, str]) -> bool:
    """Whether a statement contradicts itself, as in `better because its loss is higher`."""
    if tokens.judging is None or tokens.is_at_odds:
        return tokens.is_at_odds
    read = topics()["comparison"].read(tokens._replace(words=tokens.judging)).probabilities
    probabilities = _by_stand(read, tokens, two)
    judged = max(probabilities, key=lambda candidate: probabilities[candidate])
    return {judged, stand} == {Stand.BETTER, Stand.WORSE} and probabilities[judged] > read[NOTHING]


def _may_rank(tokens: Tokens, stand: Stand, averages: Averages | None) -> bool:
    """Whether a sign may rank the experiments by quality instead of by the measure, as in `forest > linear` for a
    loss."""
    if averages is None or not averages.measure.is_lower_better or tokens.is_measured:
        return False
    contradicted = Stand.WORSE if averages.lead > 0 else Stand.BETTER
    return stand is contradicted and not _SIZES.isdisjoint(tokens.words)


_SIZES: Final = frozenset("<>≤≥")


def _says_more(text: str, two: tuple[str, str], averages: Averages | None, lab: Lab) -> bool:
    """Whether a statement names a third experiment as well, or gives the difference of the two averages."""
    named = {mention.value for mention in mentions(text, lab) if mention.kind is Kind.EXPERIMENT}
    return set(two) < named or (averages is not None and states_difference(text, averages, ()))


def _with_clauses(found: Iterable[Statement], says_more: Callable[[str], bool]) -> Iterator[Statement]:
    """Yield each statement, and after a long one its clauses, one of which may compare."""
    for statement in found:
        yield statement
        clauses = lexicon.split(r"[,;]\s+(?=<clause_opening>)|;\s+|\s#\s+", statement.text)
        if len(clauses) < 2 or (len(statement.text) <= _LONG and not says_more(statement.text)):
            continue
        for clause in clauses:
            if len(clause.split()) >= SENTENCE:
                yield statement.model_copy(update={"text": clause})


_LONG: Final = 250
"""The number of characters from which a sentence says several things."""


def _is_bare(tokens: Tokens) -> bool:
    """Whether a statement is only a name or a title."""
    words = [word for word in tokens.words if word not in PLACEHOLDERS]
    if tokens.lead:
        return not any(word.isalpha() or word in _COMPARING for word in words)
    return sum(word.isalpha() for word in words) < _FEWEST_WORDS and not any(word in _COMPARING for word in words)


_COMPARING: Final = frozenset("<>=≈≤≥+-")
_FEWEST_WORDS: Final = 3


def _with_figures(
    probabilities: Mapping[Stand, float], nothing: float, text: str, averages: Averages | None, sizes: Sequence[int]
) -> dict[Stand, float]:
    """Return the probabilities of the stands, given the student's own averages.

    Nearly all students say what their averages show. The weights are guesses, and the words outweigh them.
    """
    if averages is None:
        return dict(probabilities)
    weights = _WEIGHTS[1 if not averages.is_clear else 0 if averages.lead > 0 else 2]
    if states_difference(text, averages, sizes) or _states_both(text, averages):
        nothing *= _STATED
    likely = {stand: share * weights[stand] for stand, share in probabilities.items()}
    total = sum(likely.values()) + nothing
    return {stand: share / total for stand, share in likely.items()}


_WEIGHTS: Final = (
    {Stand.BETTER: 2.0, Stand.WORSE: 0.2, Stand.NEITHER: 0.4},
    {Stand.BETTER: 0.7, Stand.WORSE: 0.7, Stand.NEITHER: 2.0},
    {Stand.BETTER: 0.6, Stand.WORSE: 3.0, Stand.NEITHER: 0.5},
)
"""The factors for the probability of each stand if the first experiment is clearly better, about equal, or clearly
worse."""
_APART: Final = 0.5
"""The factor for the probability that a statement with a clear difference calls the two equal."""
_STATED: Final = 0.2


def _states_both(text: str, averages: Averages) -> bool:
    """Whether a statement gives both averages, with any number of digits."""
    return all(_places(text, average, averages) for average in averages.both)


def _places(text: str, average: float, averages: Averages) -> list[tuple[int, int]]:
    """Return the positions at which a statement gives an average so exactly that it cannot be the other one."""
    measure = averages.measure
    finest = 0.011 if measure.is_share else 1e-9
    return [
        (number.start, number.end)
        for number in numbers_in(text, told_of(measure))
        if may_be_value(number, measure)
        and float(digit_in_unit(number)) < abs(averages.lead)
        and abs(float(in_unit(number)) - average) <= max(float(digit_in_unit(number)), finest)
    ]


def _lists_both(text: str, tokens: Tokens, found: Sequence[Mention], averages: Averages) -> bool:
    """Whether a statement only lists both averages, as in `pretrained 79.3, random 66.5`.

    No word weighs them against each other, and only names stand between them, or each follows a sign such as `=`.
    """
    places = [_places(text, average, averages) for average in averages.both]
    if not all(places):
        return False
    (_, first), (second, _) = sorted(average_places[0] for average_places in places)
    words = {
        match.start(): match.group() for match in re.finditer(r"[^\W\d_]+", text[:second]) if match.start() >= first
    }
    between = {
        word.casefold() for at, word in words.items() if not any(mention.start <= at < mention.end for mention in found)
    } - _JOINING
    if not between and not weighs(tokens):
        return True
    if not all(re.search(r"[=:]\s?$", text[:start]) for average_places in places for start, _ in average_places):
        return False
    rest = text[max(end for average_places in places for _, end in average_places) :]
    return len(re.findall(r"[^\W\d_]{2,}", rest)) < SENTENCE


_GIVEN_TO: Final = r"\s?%?\s(?:with|for|by|using|from|avec|pour|chez|par)\s[^\d.,;:()]{0,30}\Z"


def _swaps(text: str, found: Sequence[Mention], two: tuple[str, str], averages: Averages) -> bool:
    """Whether a statement gives each average to the other experiment: `66.5 with the pretrained model and 79.3 with the
    random one`."""

    def is_given(average: float, name: str) -> bool:
        named = [mention for mention in found if mention.value == name]
        ends = [end for _, end in _places(text, average, averages)]
        return any(
            lexicon.match(_GIVEN_TO, text[end : mention.start])
            for end in ends
            for mention in named
            if mention.start > end
        )

    return is_given(averages.better, two[1]) and is_given(averages.worse, two[0])


_JOINING: Final = frozenset({"and", "et"})


def _only_reports(text: str, tokens: Tokens, averages: Averages | None, measure: Measure) -> bool:
    """Whether a statement gives values of the measure without comparing them."""
    if averages is None or weighs(tokens) or _states_both(text, averages) or states_difference(text, averages, ()):
        return False
    return sum(may_be_value(number, measure) for number in numbers_in(text, told_of(measure))) > 1


def weighs(tokens: Tokens) -> bool:
    """Whether some word or sign compares two things."""
    words = (word for word in tokens.words if word != "over")  # mostly `over three seeds`
    return any(word in _WEIGHING_SIGNS or not _WEIGHING.isdisjoint(families(word)) for word in words)


_WEIGHING: Final = frozenset({"better", "worse", "best", "equal", "gap", "versus", "contrast", "not", "knows"})
"""Families of words, at least one of which stands in every comparison."""
_WEIGHING_SIGNS: Final = frozenset("<>≈≤≥+-→")


def states_difference(text: str, averages: Averages, sizes: Sequence[int]) -> bool:
    """Whether a sentence gives the difference of the averages.

    The difference may be in points, as a word, or as a number of examples; `sizes` are the numbers of examples in the
    splits.
    """
    difference = abs(averages.lead) if not averages.measure.is_share else averages.better - averages.worse
    if not averages.measure.is_share:
        numbers = numbers_in(text, told_of(averages.measure))
        return any(
            abs(float(numeral.value) - difference) <= float(numeral.resolution) < difference / 2 for numeral in numbers
        )
    counts = [abs(difference) * size / 100 for size in sizes]
    if any(
        abs(int(match.group()) - count) <= _SAME_COUNT for match in lexicon.find_all(_COUNT, text) for count in counts
    ):
        return True
    for number in numbers_in(text):
        behind = lexicon.match(_POINTS, text[number.end :].lstrip(" +"))
        is_in_points = number.percent or behind is not None
        value = number.value if is_in_points else number.value * 100
        is_told = is_in_points or number.value < 1
        if is_told and abs(float(value) - difference) <= _tolerance(number.resolution):
            return True
    word_numbers = (lexicon.number(match[1]) for match in lexicon.find_all(_WORD_POINTS, text))
    return any(value is not None and abs(value - difference) <= 1.2 for value in word_numbers)


def misses_difference(text: str, averages: Averages, sizes: Sequence[int]) -> bool:
    """Whether a sentence gives a difference that no two values of the experiments have, not even relative to one of
    them."""
    gaps = [number for number in numbers_in(text, told_of(averages.measure)) if _is_gap(text, number, averages)]
    is_counted = bool(sizes and lexicon.search(_MORE, text) and lexicon.search("<error|right_or_wrong>", text))
    in_words = averages.measure.is_share and any(
        lexicon.match(_POINTS, text[match.end() :].lstrip()) for match in lexicon.find_all(_WORD_POINTS, text)
    )
    is_told = gaps or is_counted or in_words
    if not is_told or _states_both(text, averages):
        return False
    pairs = {pair for first, other in (averages.both, *averages.pairs) for pair in ((first, other), (other, first))}
    if any(states_difference(text, Averages(*pair, averages.measure), sizes) for pair in pairs):
        return False
    part = [abs(averages.lead) / whole * 100 for value in averages.both for whole in (value, 100 - value) if whole > 0]
    shares = [gap for gap in gaps if gap.percent or "perc" in text]
    return not any(abs(float(gap.value) - value) <= _tolerance(gap.resolution) for gap in shares for value in part)


def _is_gap(text: str, number: Numeral, averages: Averages) -> bool:
    """Whether a number is given as a difference: `12 points`, `by 0.2`."""
    measure = averages.measure
    behind = text[number.end :].lstrip(" +")
    is_by = lexicon.search(_BY, text, number.start - _BESIDE, number.start) is not None
    points = lexicon.match(_POINTS, behind)
    if measure.is_share:
        in_points = points is not None and points.group()[:1].isalpha()
        is_part = is_by and (number.percent or points is not None)
        return (in_points or is_part) and not may_be_value(number, measure)
    known_values = (value for pair in (averages.both, *averages.pairs) for value in pair)
    is_bare = not behind[:1].isalnum() or behind.startswith(measure.unit or "\0")
    is_told = (is_by and is_bare) or (points is not None and points.group()[:1].isalpha())
    return is_told and all(abs(float(number.value) - value) > float(number.resolution) for value in known_values)


_BESIDE: Final = 30
_BY: Final = r"<by>\s?(?:[^\W\d_]+\s){0,2}[~≈]?\s?\Z"
_MORE: Final = r"(?<![\d.,])\d{2,4} (?:[^\W\d_]+ ){0,2}?<more_of_them>"


def _gives_other_figures(text: str, averages: Averages | None, fewest: int) -> bool:
    """Whether a sentence gives values or points that are neither both averages nor their difference."""
    if averages is None or states_difference(text, averages, ()) or _states_both(text, averages):
        return False
    measure = averages.measure
    given = [number for number in numbers_in(text, told_of(measure)) if may_be_value(number, measure)]
    if len(given) == _TWO and not any(_is_known(number, averages) for number in given):
        return True
    if not given and measure.is_share:
        given = [number for number in numbers_in(text) if lexicon.match(_POINTS, text[number.end :].lstrip(" +"))]
    return len(given) >= fewest


_TWO: Final = 2


def _is_unfounded(text: str, averages: Averages) -> bool:
    """Whether a sentence gives two averages that compare differently from the student's own and are not all known.

    Sentences about an epoch, and percentages without decimals, are not examined.
    """
    measure = averages.measure
    given = [number for number in numbers_in(text, told_of(measure)) if may_be_value(number, measure)]
    if (
        len(given) != _TWO
        or _states_both(text, averages)
        or any(mention.concept == "epoch" for mention in mentions_in(text))
    ):
        return False
    is_rough = measure.is_share and any(digit_in_unit(number) >= 1 for number in given)
    if is_rough or all(_is_known(number, averages) for number in given):
        return False
    return not averages.is_about(copysign(float(in_unit(given[0]) - in_unit(given[1])), averages.lead))


def _is_known(number: Numeral, averages: Averages) -> bool:
    """Whether a number is a value or an average of one of the experiments, to all its digits."""
    digit = float(digit_in_unit(number))
    own_values = chain(averages.logged, *averages.pairs)
    return any(abs(float(in_unit(number)) - value) <= digit for value in own_values)


_SAME_COUNT: Final = 1.5
"""The allowed error of a difference that is given in examples."""


def _tolerance(resolution: Decimal) -> float:
    return 1.2 if resolution >= 1 else 0.11
