"""Whether the keys and values of `lab.toml` have the form that a lab has."""

from collections import Counter
from collections.abc import Iterator
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from grader.checks.suggestion import meant
from grader.lab.definition import Lab
from grader.message import joined, say
from grader.pipeline.inspection.problem import Problem, error
from grader.pipeline.inspection.source import LAB, Source

_NOT_A_NUMBER: Final = frozenset({"decimal_parsing", "decimal_type", "int_parsing", "int_type", "float_parsing"})
_OF_OTHER_FILES: Final = frozenset({"decisions", "templates", "sha256"})
_BELOW: Final = frozenset({"greater_than", "greater_than_equal"})


def form_problems(source: Source) -> tuple[Problem, ...]:
    """Every key that is missing, unknown or of the wrong kind, every id that is there twice, and every reference that
    leads nowhere."""
    try:
        Lab.model_validate(source.data)
    except ValidationError as failure:
        found = failure.errors(include_url=False)
        shaped = [_of_form(one, source) for one in found if one["loc"]]
        if shaped:
            return tuple(shaped)
        whole = (error(LAB, None, say("{reason}.", reason=one["msg"])) for one in found)
        return (*_references(source),) or tuple(whole)
    return ()


def _of_form(problem: Any, source: Source) -> Problem:
    place = tuple(problem["loc"])
    key, line = _name(place), source.lines.of(*place)
    kind = problem["type"]
    if kind == "missing":
        return error(LAB, line, say("`{key}` is missing here; add it.", key=key))
    if kind == "extra_forbidden":
        known = _keys(place[:-1])
        said = say("`{key}` is no key of this table. {meant}", key=key, meant=meant(key, known))
        accepted = say("{said}It takes: {known}.", said=said, known=joined(", ", known))
        return error(LAB, line, accepted)
    if kind in _NOT_A_NUMBER:
        given = problem["input"]
        return error(
            LAB, line, say('`{key}` is {given!r}, which is no number. Write one, such as "1.5".', key=key, given=given)
        )
    if kind in _BELOW:
        return error(
            LAB, line, say("`{key}` is {given}: {reason}.", key=key, given=problem["input"], reason=problem["msg"])
        )
    if kind == "string_pattern_mismatch" and key == "id":
        said = say(
            "The id {given!r} has to be of small letters, digits, `.`, `_` and `-`, a letter or a digit first.",
            given=problem["input"],
        )
        return error(LAB, line, said)
    if kind == "string_pattern_mismatch" and "labels" in place:
        said = say("The label {given!r} has to end with the question's number, as in `task 3`.", given=problem["input"])
        return error(LAB, line, said)
    return error(LAB, line, say("`{key}`: {reason}.", key=key, reason=problem["msg"].removeprefix("Value error, ")))


def _name(place: tuple[str | int, ...]) -> str:
    return next((part for part in reversed(place) if isinstance(part, str)), LAB)


def _keys(place: tuple[str | int, ...]) -> list[str]:
    """The keys of the table at a place."""
    model: type[BaseModel] = Lab
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            model = _table(model.model_fields[part].annotation) or model
    hidden = _OF_OTHER_FILES if model is Lab else frozenset[str]()
    return [name for name in model.model_fields if name not in hidden]


def _table(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation holds, itself or in a tuple or a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    parts = get_args(annotation) if get_origin(annotation) in (tuple, Union, UnionType) else ()
    return next((found for part in parts if (found := _table(part))), None)


def _references(source: Source) -> Iterator[Problem]:
    """What the lab as a whole is refused for, each with its line."""
    questions = source.data.get("questions", [])
    places = [(q["id"], ("questions", n)) for n, q in enumerate(questions)] + [
        (i["id"], ("questions", n, "items", m)) for n, q in enumerate(questions) for m, i in enumerate(q["items"])
    ]
    often = Counter(id_ for id_, _ in places)
    for id_, place in places:
        if often[id_] > 1:
            yield error(
                LAB,
                source.lines.of(*place, "id"),
                say("The id {id!r} is used {times} times; give each its own.", id=id_, times=often[id_]),
            )
    above: list[str] = []
    for item in (item for question in questions for item in question["items"]):
        for need in item.get("needs", []):
            if need not in above:
                said = say(
                    "{item} needs {need}, which is no item above it. {meant}",
                    item=item["id"],
                    need=need,
                    meant=meant(need, above),
                )
                yield error(LAB, source.item(item["id"], "needs"), said)
        above.append(item["id"])
    known = [question["id"] for question in questions]
    for experiment in source.data.get("experiments", []):
        if experiment["question"] not in known:
            line = source.entry("experiments", experiment["id"], "question")
            said = say(
                "The experiment {id} belongs to the question {question!r}, which is not there. {meant}Known: {known}.",
                id=experiment["id"],
                question=experiment["question"],
                meant=meant(experiment["question"], known),
                known=joined(", ", known),
            )
            yield error(LAB, line, said)
