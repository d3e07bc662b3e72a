"""What makes a lab hard to answer or to read, though nothing in it is wrong by its form."""

from collections.abc import Iterator
from typing import Any

from grader.lab.definition import Lab
from grader.message import joined, say
from grader.pipeline.inspection.problem import Problem, error, warning
from grader.pipeline.inspection.source import LAB, Source


def habit_problems(lab: Lab, source: Source) -> Iterator[Problem]:
    """Headings that could mean two questions or are named in one way only; experiments and models that nothing asks
    for; points."""
    yield from _labels(lab, source)
    yield from _points(lab, source)
    used = set(_texts([item.options for item in lab.items])) | set(_texts([watch.options for watch in lab.watches]))
    likened = {other for experiment in lab.experiments for other in experiment.like}
    for experiment in lab.experiments:
        if experiment.id not in used | likened:
            line = source.entry("experiments", experiment.id)
            said = say("No item asks for the experiment {id}. Let one name it, or take it out.", id=experiment.id)
            yield error(LAB, line, said)
    for other in sorted(likened - {experiment.id for experiment in lab.experiments}):
        yield error(LAB, None, say("An experiment is `like` {id!r}, which is no experiment.", id=other))
    for model in lab.models:
        name = str(model.get("id", ""))
        if name not in used:
            yield warning(LAB, source.entry("models", name), say("No item asks for the model {id}.", id=name))
    if lab.experiments and "test" not in {split.id for split in lab.splits}:
        yield warning(
            LAB,
            source.lines.of("splits"),
            say("No split has the id `test`. Accuracies are told apart by the ids `test` and `valid`."),
        )


def _labels(lab: Lab, source: Source) -> Iterator[Problem]:
    owners: dict[str, list[str]] = {}
    for question in lab.questions:
        for label in question.labels:
            owners.setdefault(label, []).append(question.id)
    for number, question in enumerate(lab.questions):
        line = source.lines.of("questions", number, "labels")
        for label in question.labels:
            others = [id_ for id_ in owners[label] if id_ != question.id]
            if others:
                said = say("The label {label!r} is that of {others} too.", label=label, others=joined(", ", others))
                yield error(LAB, line, say("{said} A heading can name one question only.", said=said))
        if len(question.labels) == 1:
            said = say(
                "{id} is only found under the heading {label!r}. Students write it in other ways too; add some.",
                id=question.id,
                label=question.labels[0],
            )
            yield warning(LAB, line, said)


def _points(lab: Lab, source: Source) -> Iterator[Problem]:
    for item in lab.items:
        if not item.points:
            yield warning(LAB, source.item(item.id, "points"), say("{id} is worth no points.", id=item.id))
    if lab.max_score != lab.max_score.to_integral_value():
        yield warning(
            LAB, None, say("All points together are {total}, no whole number.", total=lab.max_score.normalize())
        )


def _texts(value: Any) -> Iterator[str]:
    """All strings in options, keys included: an experiment may be named by either."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
