"""Lines of logs by the patterns that a lab gives."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.lab.log_format import COUNTS, LogFormat, measure_of
from grader.reading.log import Subset
from grader.reading.logs.said import Opening, Said, Statistics, Told
from grader.reading.logs.written import number, subset_named, whole

_LONGEST: Final = 2_000
"""In characters; a pattern is not sought in a longer line."""

EXPERIMENT: Final = "lab_experiment"
"""The setting that holds which of the lab's experiments logs so."""

_PERCENT: Final = "%"


class PatternReader:
    """Reads lines in order by some formats; remembers the step, the epoch and the part of the data that were named
    last, for lines that name none."""

    def __init__(self, formats: Sequence[LogFormat]) -> None:
        self._formats = [(one, re.compile(one.pattern)) for one in formats if one.pattern]
        self._run: dict[str, str] = {}
        self._counts: dict[str, float] = {}
        self._part: Subset | None = None

    def __bool__(self) -> bool:
        return bool(self._formats)

    def said(self, line: str) -> Iterator[Said]:
        """What the first format that fits says of a line."""
        if len(line) > _LONGEST:
            return
        for one, pattern in self._formats:
            found = pattern.search(line)
            if found:
                yield from self._of(one, found)
                return

    def _of(self, one: LogFormat, found: re.Match[str]) -> Iterator[Said]:
        told = {name: value.strip() for name, value in found.groupdict().items() if value is not None}
        yield from self._begun(told, found.group().strip())
        own = {count: value for count in COUNTS if (value := number(told.get(count, ""))) is not None}
        if not one.final:
            self._counts |= own
        at = own if one.final else self._counts
        if "split" in told:
            self._part = part_called(told["split"], one)
        groups: dict[Subset | None, dict[str, float]] = {}
        for name in one.measures:
            value = number(told[name].removesuffix(_PERCENT)) if name in told else None
            measure = measure_of(name)
            part = Subset(measure.part) if measure.part else self._part
            if value is not None:
                tag = f"{part.value}/{measure.name}" if part else measure.name
                groups.setdefault(part, {})[tag] = value
        step = whole(str(at["step"])) if "step" in at else None
        for part, values in groups.items():
            source = part.value if part else "all"
            yield Statistics(
                source, part, values, step, at.get("epoch"), final=one.final or not at, of_weights=one.final
            )
        if groups:
            yield from (Told(setting, value, found.group().strip()) for setting, value in self._run.items())
            yield from (Told(EXPERIMENT, one.experiment, found.group().strip()) for _ in range(bool(one.experiment)))

    def _begun(self, told: dict[str, str], quote: str) -> Iterator[Said]:
        """That a run begins, where a line names another seed than before, or calls the run something else."""
        named = {setting: told[name] for name, setting in (("run", "output_dir"), ("seed", "seed")) if name in told}
        if any(self._run.get(setting) != value for setting, value in named.items()):
            self._run = {**(self._run if "output_dir" not in named else {}), **named}
            self._counts, self._part = {}, None
            yield Told("", "", quote, Opening.COMMAND)


def part_called(name: str, one: LogFormat) -> Subset | None:
    """The part of the data that a program calls so."""
    own = {called.lower(): part for called, part in one.splits.items()}.get(name.lower())
    return Subset(own) if own else subset_named(name)
