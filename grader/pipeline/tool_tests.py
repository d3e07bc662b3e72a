"""Results of tests that staff ran, brought to the hand-ins that they are of."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from grader.checks.outcomes import Outcome, Outcomes, named_tests
from grader.gradebook import GradebookError
from grader.gradebook.people import Person, join_names, match
from grader.gradebook.tool_results import StudentTests, tool_results
from grader.intake.submission import Source
from grader.lab.definition import Lab

_MOST_NAMED = 10


class ResultsOfTests(NamedTuple):
    """The results by student id, and what staff should be told."""

    records: Mapping[str, Outcomes]
    notes: tuple[str, ...] = ()


def results_of_tests(
    specs: Sequence[str],
    sources: Sequence[Source],
    people: tuple[Sequence[Person], Sequence[int]],
    handed_in: Sequence[Source],
    lab: Lab,
) -> ResultsOfTests:
    """The results that some `TOOL:PATH` name, of the tests that a lab names. `people` are those of the sources, each
    with the place of their hand-in. No file is taken that lies in anything `handed_in`. Raises GradebookError."""
    wanted = named_tests(lab)
    given: dict[str, list[StudentTests]] = {}
    for spec in specs:
        tool, found = tool_results(spec)
        _refuse_handed_in(found, handed_in, spec)
        given.setdefault(tool, []).extend(found)
    lacking = {name.partition(":")[0] for name in wanted} - given.keys()
    notes = [
        f"tests: the lab names tests of {tool}; give their results by --tests {tool}:PATH" for tool in sorted(lacking)
    ]
    records: dict[str, dict[str, Outcome]] = defaultdict(dict)
    for tool, students in given.items():
        asked = sorted(name.removeprefix(f"{tool}:") for name in wanted if name.startswith(f"{tool}:"))
        _refuse_unknown(tool, asked, students)
        notes += _taken(tool, students, sources, people, asked, records)
    return ResultsOfTests(
        {student: Outcomes(results=own_outcomes) for student, own_outcomes in records.items()}, tuple(notes)
    )


def _refuse_handed_in(found: Sequence[StudentTests], handed_in: Sequence[Source], spec: str) -> None:
    places = {source.path.resolve() for source in handed_in}
    for path in dict.fromkeys(path.resolve() for tests in found for path in tests.paths):
        if not places.isdisjoint((path, *path.parents)):
            raise GradebookError(
                f"--tests {spec}: {path} lies in a submission, so it proves nothing; name the folder into which you "
                "ran the tests."
            )


def _taken(
    tool: str,
    students: Sequence[StudentTests],
    sources: Sequence[Source],
    people: tuple[Sequence[Person], Sequence[int]],
    asked: Sequence[str],
    records: dict[str, dict[str, Outcome]],
) -> Iterator[str]:
    """Enter the results of one tool into the records, and yield what staff should be told."""
    matching = match([candidate.person for candidate in students], people[0], several=True)
    found: dict[str, list[dict[str, Outcome]]] = defaultdict(list)
    for place, owner in sorted(matching.found.items()):
        tests = students[place].tests
        own_outcomes = {f"{tool}:{name}": Outcome(**tests[name]._asdict()) for name in asked if name in tests}
        found[sources[people[1][owner]].student_id].append(own_outcomes)
    equal = {student: several[0] for student, several in found.items() if several == several[:1] * len(several)}
    for student, own_outcomes in equal.items():
        records[student] |= own_outcomes
    yield f"tests: {tool}: results of {len(found)} of {len(sources)} submissions"
    doubtful = [*(students[place].person.label for place in matching.doubtful), *sorted(found.keys() - equal.keys())]
    yield from _told(f"tests: {tool}: in doubt, so not used", doubtful)
    yield from _told(f"tests: {tool}: no submission of", [students[place].person.label for place in matching.unmatched])
    yield from _told(
        f"tests: {tool}: no results of", [source.student_id for source in sources if source.student_id not in found]
    )


def _refuse_unknown(tool: str, asked: Sequence[str], students: Sequence[StudentTests]) -> None:
    """Raise GradebookError where no result has a test that the lab names."""
    test_names = {name for student in students for name in student.tests}
    unclear = {name for student in students for name in student.unclear}
    for name in asked:
        if name not in test_names:
            reason = "is the name of several tests" if name in unclear else "is in no result"
            raise GradebookError(
                f"tests: {tool}:{name} {reason}. Known: {', '.join(sorted(test_names)[:40]) or 'none'}."
            )


def _told(what: str, names: Sequence[str]) -> Iterator[str]:
    more = len(names) - _MOST_NAMED
    if names:
        yield f"{what}: {join_names(names[:_MOST_NAMED])}" + (f" and {more} more" if more > 0 else "")
