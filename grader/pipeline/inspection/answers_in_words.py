"""Whether a lab's model of short answers is there and of the examples as they are now, and what its card says."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.lab.definition import Lab
from grader.lab.scorer import LABELS, Scorer
from grader.lab.short_answers import CARD, MODEL, Card, Example, ShortAnswers, model_inputs, read_card, read_examples
from grader.message import say
from grader.pipeline.inspection.problem import Problem, error, warning
from grader.pipeline.inspection.source import LAB


def short_answer_problems(lab: Lab, folder: Path) -> Iterator[Problem]:
    """What is wrong with the model of short answers of a lab that asks for one."""
    asked = {str(item.options.get("topic", "")) for item in lab.items if item.check == "short-answer"}
    settings = lab.short_answers
    if settings is None:
        if asked:
            yield warning(
                LAB, None, say("No [short_answers]: every answer that is to be judged by its words goes to a person.")
            )
        return
    remedy = say("Train it anew: grade lab train {folder}", folder=folder)
    if settings.model is None:
        yield error(MODEL, None, say("The file is not there. {remedy}", remedy=remedy))
        return
    try:
        scorer = settings.scorer()
        examples = () if settings.like else read_examples(folder / settings.examples)
    except (OSError, ValueError) as failure:
        yield error(MODEL, None, say("{reason}. {remedy}", reason=str(failure), remedy=remedy))
        return
    if scorer is None:
        return
    for topic in sorted(asked - set(scorer.topics)):
        yield error(LAB, None, say("The model knows no example of {topic}. {remedy}", topic=topic, remedy=remedy))
    if not settings.like:
        yield from _stale(lab, settings, scorer, examples, remedy)


def _stale(
    lab: Lab, settings: ShortAnswers, scorer: Scorer, examples: Sequence[Example], remedy: str
) -> Iterator[Problem]:
    """Whether a model is of the examples and settings as they are now, and what its card tells."""
    if settings.model is None:
        return
    if scorer.inputs != model_inputs(examples, settings):
        said = say("It is stale: examples or settings have changed since it was trained. {remedy}", remedy=remedy)
        yield error(MODEL, None, said)
    card = _card(settings.model.path.parent)
    if card is None or card.inputs != scorer.inputs:
        yield error(CARD, None, say("It is not the card of this model. {remedy}", remedy=remedy))
        return
    decided = sum(one.group.partition(":")[0] in scorer.topics for one in lab.decisions.decisions)
    if decided > card.decisions + len(card.contradictions):
        said = say("People decided since it was trained, and it can learn from that. {remedy}", remedy=remedy)
        yield warning(MODEL, None, said)
    for topic, text in card.contradictions:
        said = say(
            "{topic}: the same words are marked differently: {text!r}. They teach nothing.", topic=topic, text=text
        )
        yield warning(settings.examples, None, said)


def shown_card(lab: Lab) -> Iterator[str]:
    """The card of a lab's model, where there is one."""
    if lab.short_answers and lab.short_answers.model:
        card = _card(lab.short_answers.model.path.parent)
        if card is not None:
            yield from card_lines(card)


def card_lines(card: Card) -> Iterator[str]:
    """The card in words: what is decided without a person, of sources that the model has not seen."""
    natural, other = card.natural, card.other
    yield say(
        "Short answers: {decided} of {answers} decided ({share:.0%}), {wrong} wrongly; with 95 % certainty at most "
        "{bound:.1%} of automatic verdicts are wrong (allowed: {risk:.1%}). Trained on {examples} examples, "
        "{decisions} of them decisions.",
        decided=natural.decided,
        answers=natural.answers,
        share=natural.coverage,
        wrong=natural.wrong,
        bound=card.bound,
        risk=card.risk,
        examples=card.examples,
        decisions=card.decisions,
    )
    if other.answers:
        yield say(
            "On the other examples, mostly harder than a class's: {decided} of {answers} decided, {wrong} wrongly, "
            "{credited} of these incorrect and called correct.",
            decided=other.decided,
            answers=other.answers,
            wrong=other.wrong,
            credited=other.credited,
        )
    yield say(
        "Of {incorrect} incorrect answers of any source, {credited} are called correct (with 95 % certainty at most "
        "{credit:.1%}; allowed: {credit_allowed:.1%}); of {correct} correct ones, {withheld} are called something else "
        "(at most {withhold:.1%}; allowed: {withhold_allowed:.1%}).",
        incorrect=card.credit.answers,
        credited=card.credit.harmed,
        credit=card.credit.bound,
        credit_allowed=card.credit.allowed,
        correct=card.withhold.answers,
        withheld=card.withhold.harmed,
        withhold=card.withhold.bound,
        withhold_allowed=card.withhold.allowed,
    )
    for topic, counts in card.topics.items():
        parts = (f"{label} {counts[label].decided} ({counts[label].wrong})" for label in LABELS)
        yield say("  {topic}: decided (wrongly): {counts}", topic=topic, counts=", ".join(parts))


def _card(folder: Path) -> Card | None:
    try:
        return read_card(folder / CARD)
    except (OSError, ValueError):
        return None
