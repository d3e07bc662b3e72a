"""Problems of a lab whose keys and values all have the right form: labels that two questions share, points that nobody
can earn, options that contradict each other, files that are not there, and habits that make a lab hard to answer."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from grader.checks.check import place_label, suggest_name
from grader.claims.numerals import Target, range_target, target
from grader.lab.definition import Item, Lab, Question
from grader.lab.files import EVIDENCE, lab_file, reference_file
from grader.language import lexicon
from grader.message import known_languages
from grader.pipeline.lab_form import LAB, Key, Problem, Source, error, read_source, warning


def habit_problems(lab: Lab, source: Source, folder: Path) -> Iterator[Problem]:
    """All that is wrong with a lab in a folder though its form is right, and what is worth a look."""
    yield from _texts_left_empty(lab, source)
    yield from _labels(lab, source)
    yield from _files_of_questions(lab, source)
    yield from _points(lab, source)
    yield from _contradictions(lab, source)
    yield from _common_words(lab, source)
    yield from _unnamed_lists(lab, source)
    yield from _wrong_numbers_that_are_right(lab, source)
    yield from _files_not_there(lab, source, folder)
    yield from _evidence(lab, folder)
    used = set(_texts([source.data.get(key) for key in ("questions", "watches")]))
    likened = {other for experiment in lab.experiments for other in experiment.like}
    for experiment in lab.experiments:
        if experiment.id not in used | likened:
            line = source.entry("experiments", experiment.id)
            message = f"No item asks for the experiment {experiment.id}. Let one name it, or take it out."
            yield error(LAB, line, message)
    for model in lab.models:
        name = str(model.get("id", ""))
        if name not in used:
            yield warning(LAB, source.entry("models", name), f"No item asks for the model {name}.")
    if lab.experiments and not lab.reported:
        yield warning(
            LAB, source.lines.line_of("splits"), 'No split is reported. Give one `role = "report"`, or the id `test`.'
        )
    yield from _unknown_names(lab, source)


def _unknown_names(lab: Lab, source: Source) -> Iterator[Problem]:
    """Options of items that name a measure or a split that the lab does not have."""
    splits = [split.id for split in lab.splits]
    for item in lab.items if lab.experiments else ():
        experiment = next((item.options[name] for name in ("experiment", "better") if name in item.options), None)
        if experiment is None:
            continue
        ids_by_option = {
            "measure": [measure.id for measure in lab.measures_of(str(experiment))],
            "split": splits,
            "require_split": splits,
        }
        for name, ids in ids_by_option.items():
            value = item.options.get(name)
            if value is not None and value not in ids:
                known_ids, suggested = ", ".join(ids) or "none", suggest_name(str(value), ids)
                message = f"{item.id}: {name} {value!r} is not in the lab. {suggested}Known: {known_ids}."
                yield error(LAB, source.item(item.id, "options", name), message)


def _texts_left_empty(lab: Lab, source: Source) -> Iterator[Problem]:
    """Titles and words without a letter: a report would show nothing there, and an empty word stands in every text."""
    if lab.language not in known_languages():
        message = f"There is no language {lab.language!r}; there are: {', '.join(known_languages())}."
        yield error(LAB, source.lines.line_of("language"), message)
    if not lab.title.strip():
        yield error(LAB, source.lines.line_of("title"), "`title` is empty; write one, as it heads the reports.")
    titled: list[tuple[Question | Item, Key]] = [
        (question, ("questions", at)) for at, question in enumerate(lab.questions)
    ]
    for entry, place in (*titled, *lab.placed_items()):
        if not entry.title.strip():
            line = source.lines.line_of(*place, "title")
            yield error(LAB, line, f"The title of {entry.id} is empty; write one, as reports show it.")
    for place, words in _words(lab):
        if not all(str(word).replace("(s)", "").strip(" *") for word in words):
            message = f"An entry of `{place[-1]}` is empty; it would be found in every text. Take it out."
            yield error(LAB, source.lines.line_of(*place), message)


_WORDS: Final = ("words", "not_of", "label", "code", "heading", "must", "must_not", "about", "contrary", "terms")
"""Options of checks that hold beginnings of words."""


def _words(lab: Lab) -> Iterator[tuple[Key, Sequence[object]]]:
    """All lists of words in a lab, each with its place."""
    for number, question in enumerate(lab.questions):
        yield ("questions", number, "words"), question.words
    for item, place in lab.placed_items():
        option_values = ((name, item.options.get(name)) for name in _WORDS)
        yield from (((*place, "options", name), value) for name, value in option_values if isinstance(value, list))
    for kind in ("measures", "repetitions", "splits", "experiments", "parts", "symbols", "parameters"):
        for number, entry in enumerate(getattr(lab, kind)):
            for key in ("words", "names", "unlike"):
                yield (kind, number, key), getattr(entry, key, ())


def _labels(lab: Lab, source: Source) -> Iterator[Problem]:
    """Labels that two questions share, and questions that only one label tells apart from others of their number."""
    for number, question in enumerate(lab.questions):
        line = source.lines.line_of("questions", number, "labels")
        numbers = set(map(_number, question.labels))
        plain = {_plain(label): label for label in question.labels}
        # Of questions in different files of the hand-out each is looked for in its own.
        others = [
            candidate
            for candidate in lab.questions
            if candidate is not question and len({candidate.file, question.file} - {""}) <= 1
        ]
        for other in others:
            for label in plain.keys() & set(map(_plain, other.labels)):
                message = f"The label {plain[label]!r} is that of {other.id} too. A heading can name one question only"
                yield error(LAB, line, f"{message}; take one of them out.")
        rivals = [other.id for other in others if numbers & set(map(_number, other.labels))]
        if len(question.labels) == 1 and rivals:
            message = f"{question.id} has the number of {', '.join(rivals)}, and only {question.labels[0]!r} tells them"
            yield warning(LAB, line, f"{message} apart. Students write it in other ways too; add some.")


def _files_of_questions(lab: Lab, source: Source) -> Iterator[Problem]:
    """Files of questions that the hand-out does not list."""
    listed = [notebook.name for notebook in lab.templates.notebooks]
    for number, question in enumerate(lab.questions if listed else ()):
        if question.file and question.file not in listed:
            message = f"{question.id}: the handout lists no {question.file!r}. {suggest_name(question.file, listed)}"
            yield error(LAB, source.lines.line_of("questions", number, "file"), f"{message}Known: {', '.join(listed)}.")


def _number(label: str) -> str:
    """A label's number with its part, else its letter."""
    found = re.search(r"\d.*|.$", _plain(label))
    return found[0] if found else ""


def _plain(label: str) -> str:
    """A label as headings are compared with it."""
    return " ".join(label.casefold().split()).rstrip(" .")


def _points(lab: Lab, source: Source) -> Iterator[Problem]:
    for item in lab.items:
        step = item.rounding or lab.rounding
        if not item.points:
            yield warning(LAB, source.item(item.id, "points"), f"{item.id} is worth no points.")
        if item.points % step:
            below = item.points - item.points % step
            message = (
                f"{item.id} is worth {_plain_number(item.points)} points, but points are multiples of "
                f"{_plain_number(step)} (`rounding`). Write {_plain_number(below)} or {_plain_number(below + step)}, "
                "or let `rounding` be finer."
            )
            yield error(LAB, source.item(item.id, "points"), message)
        reach = sum((points for points in item.rubric if points > 0), Decimal(0))
        rows = item.options.get("rubric", ())
        if item.rubric and len(item.rubric) == len(rows) and reach != item.points:
            means = "nobody can earn all of them" if reach < item.points else "some of the criteria are enough"
            message = (
                f"{item.id} is worth {_plain_number(item.points)} points, but the criteria of its rubric together come "
                f"to {_plain_number(reach)}, so {means}. Change `points` of the item or of a criterion."
            )
            yield warning(LAB, source.item(item.id, "options", "rubric"), message)
    if lab.max_score != lab.max_score.to_integral_value():
        yield warning(LAB, None, f"All points together are {lab.max_score.normalize()}, no whole number.")


def _plain_number(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _contradictions(lab: Lab, source: Source) -> Iterator[Problem]:
    """Options of one item that cannot all be meant."""
    for item in lab.items:
        contradictions = _CONTRADICTIONS.get(item.check)
        for option, text in contradictions(item) if contradictions else ():
            yield error(LAB, source.item(item.id, "options", option), f"{place_label(item)}: {text}")


def _common_words(lab: Lab, source: Source) -> Iterator[Problem]:
    """Yield warnings about required words that nearly every answer states: `not`, `the`."""
    for item in lab.items:
        groups = item.options.get("must", ()) if item.check == "contains" else ()
        words = [str(word) for group in groups if isinstance(group, list) for word in group]
        common = [word for word in words if lexicon.fullmatch("<no|article|is|and|or>", word)]
        if common:
            message = (
                f"{place_label(item)}: nearly every answer has {', '.join(map(repr, common))}, which proves nothing."
            )
            line = source.item(item.id, "options", "must")
            yield warning(LAB, line, f"{message} Write what the answer says, such as `not differentiable`.")


def _unnamed_lists(lab: Lab, source: Source) -> Iterator[Problem]:
    """Yield warnings about `names` that do not name every list of required words."""
    for item in lab.items:
        names = item.options.get("names", ()) if item.check == "contains" else ()
        lists = [
            words for option in ("must", "about") for words in item.options.get(option, ()) if isinstance(words, list)
        ]
        if names and len(names) != len(lists):
            message = (
                f"{place_label(item)}: the length of `options.names` is {len(names)}, but there are "
                f"{len(lists)} lists of words. "
                "Write a name for each list of `must`, then of `about`: feedback names what is missing by it."
            )
            yield warning(LAB, source.item(item.id, "options", "names"), message)


def _of_choice(item: Item) -> Iterator[tuple[str, str]]:
    choices, right = item.options.get("choices"), item.options.get("right")
    if not isinstance(choices, dict) or not isinstance(right, list):
        return
    if not right:
        yield "right", "`options.right` is empty; write at least one of `choices`."
    for option in ("right", "why"):
        for name in item.options.get(option, ()):
            if str(name) not in choices:
                choice_names = ", ".join(choices)
                yield (
                    option,
                    f"`options.{option}` names {str(name)!r}, which is none of `choices`. Known: {choice_names}.",
                )


def _of_number(item: Item) -> Iterator[tuple[str, str]]:
    value, wrong = item.options.get("value"), item.options.get("wrong", ())
    for entry in wrong if isinstance(wrong, list) else ():
        if isinstance(entry, dict) and value is not None and entry.get("value") == value:
            yield "wrong", f"{value} stands among `wrong`, but it is the right value. Take it out."


def _wrong_numbers_that_are_right(lab: Lab, source: Source) -> Iterator[Problem]:
    """Yield warnings about known wrong numbers that count as right: within the tolerance or within the bounds."""
    for item in (candidate for candidate in lab.items if candidate.check == "numeric-answer"):
        aim = _aim_of(item)
        for number in _known_wrong(item):
            if aim is None or number == aim.value or not aim.holds(number):
                continue
            right = "`least` and `most`" if aim.is_range else f"the tolerance of the right value {aim.value}"
            message = (
                f"{place_label(item)}: {number} stands among `wrong`, but lies within {right}, so it counts as right."
            )
            line = source.item(item.id, "options", "wrong")
            yield warning(LAB, line, f"{message} Take it out, or let fewer numbers be right.")


def _known_wrong(item: Item) -> Iterator[Decimal]:
    """Yield the numbers that an item lists as wrong."""
    wrong = item.options.get("wrong", ())
    for entry in wrong if isinstance(wrong, list) else ():
        number = _number_in(entry.get("value")) if isinstance(entry, dict) else None
        if number is not None:
            yield number


def _aim_of(item: Item) -> Target | None:
    """Return the numbers that are right for an item; None if `lab.toml` does not state them."""
    value, tolerance, relative, least, most = (
        _number_in(item.options.get(name)) for name in ("value", "tolerance", "relative", "least", "most")
    )
    if value is not None:
        return target(value, tolerance, relative or Decimal(0))
    return None if least is None and most is None else range_target(least, most)


def _number_in(value: object) -> Decimal | None:
    """Return the number that an option holds; None if it holds none, which its form has reported."""
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    number = Decimal(str(value)) if is_number else None
    return number if number is not None and number.is_finite() else None


def _of_length(item: Item) -> Iterator[tuple[str, str]]:
    least, most = item.options.get("least_words"), item.options.get("most_words")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield "most_words", f"no text has at least {least} and at most {most} words."


_CONTRADICTIONS: Final[Mapping[str, Callable[[Item], Iterator[tuple[str, str]]]]] = {
    "choice": _of_choice,
    "numeric-answer": _of_number,
    "printed-value": _of_number,
    "section-present": _of_length,
}
"""For checks with options that can contradict each other: the option to mend, and what is wrong with it."""


def _files_not_there(lab: Lab, source: Source, folder: Path) -> Iterator[Problem]:
    """Files that models name and that are nowhere in the lab's folder, nor in those that it extends."""
    for number, model in enumerate(lab.models):
        config, reference = model.get("config"), str(model.get("reference", ""))
        if config is not None and not lab_file(folder, str(config)).is_file():
            message = (
                f"The file {config} is not in the lab's folder. Put the model's configuration there, or mend the name."
            )
            yield error(LAB, source.lines.line_of("models", number, "config"), message)
        if reference.partition(":")[0].endswith(".py") and reference_file(reference, folder) is None:
            message = (
                f"The file {reference.partition(':')[0]} is not in the lab's folder. Put it there, or mend the name."
            )
            yield error(LAB, source.lines.line_of("models", number, "reference"), message)


def _evidence(lab: Lab, folder: Path) -> Iterator[Problem]:
    """Runs in `evidence` of an experiment that the lab does not have. A lab needs no such folder."""
    experiment_ids = [experiment.id for experiment in lab.experiments]
    for path in sorted(lab_file(folder, EVIDENCE).glob("*.toml")):
        file = f"{EVIDENCE}/{path.name}"
        source = read_source(path.parent, path.name)
        if isinstance(source, Problem):
            yield source.model_copy(update={"file": file})
            continue
        runs = source.data.get("runs", [])
        for number, run in enumerate(runs if isinstance(runs, list) else ()):
            name = run.get("experiment") if isinstance(run, dict) else None
            if name not in experiment_ids:
                hint = f"{suggest_name(str(name), experiment_ids)}Known: {', '.join(experiment_ids) or 'none'}."
                message = f"A run is of the experiment {name!r}, which is not in {LAB}. {hint}"
                yield error(file, source.lines.line_of("runs", number, "experiment"), message)


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
