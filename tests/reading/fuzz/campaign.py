"""Fuzzing for some time: `python -m tests.reading.fuzz.campaign WORK FOUND SECONDS SEED`.

WORK/current holds what is being read, so that a parent knows it when this process dies or hangs. What fails is made
small, kept in FOUND, and told; the same failure is kept once.
"""

import sys
import time
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from grader.intake.submission import Role
from tests.reading.fuzz.case import Case, keep
from tests.reading.fuzz.floods import flooded, floods
from tests.reading.fuzz.mutation import mutated
from tests.reading.fuzz.seeds import seeds
from tests.reading.fuzz.shrinking import shrunk
from tests.reading.fuzz.trial import Failure, trial

ADDRESS_SPACE: Final = 4 << 30
"""In bytes, as a hand-in has it when it is graded."""

MOST_KEPT: Final = 40
PROGRESS: Final = 1000
FLOODS: Final = 0.05
"""The share of files that are one token again and again."""
_SEPARATOR: Final = b"\n--\n"


class Arguments(NamedTuple):
    """The command line."""

    work: Path
    found: Path
    seconds: int
    seed: int


class Campaign:
    """What was tried and what failed so far."""

    def __init__(self, arguments: Arguments, patience: float = 1.0) -> None:
        """`patience` multiplies the limit on time."""
        self.arguments, self.patience = arguments, patience
        self.seeds = seeds()
        self.known: set[str] = set()
        self.tried = 0

    def attempt(self, case: Case) -> None:
        """Try one case; make it small and keep it when it fails in a new way."""
        self.tried += 1
        if self.tried % PROGRESS == 0:
            print(f"{self.tried} files tried, {len(self.known)} ways to fail", flush=True)
        note(self.arguments.work, case)
        failure = trial(case, self.arguments.work, self.patience)
        if failure is None or failure.signature in self.known:
            return
        self.known.add(failure.signature)
        if len(self.known) > MOST_KEPT:
            return
        small = self._small(case, failure)
        detail = (trial(small, self.arguments.work, self.patience) or failure).detail
        print(f"{failure.signature}\n    {keep(small, self.arguments.found)}\n    {detail}", flush=True)

    def _small(self, case: Case, failure: Failure) -> Case:
        def breaks(data: bytes) -> bool:
            found = trial(case._replace(data=data), self.arguments.work, self.patience, located=False)
            return found is not None and found.kind == failure.kind and found.where in (failure.where, "")

        return case._replace(data=shrunk(case.data, breaks)) if breaks(case.data) else case


def note(work: Path, case: Case) -> None:
    """Write down what is about to be read."""
    name = case.name.encode("utf-8", "replace")
    (work / "current").write_bytes(_SEPARATOR.join([name, case.role.value.encode(), case.data]))


def noted(work: Path) -> Case | None:
    """What was being read when a process ended."""
    path = work / "current"
    if not path.exists():
        return None
    name, role, data = path.read_bytes().split(_SEPARATOR, 2)
    return Case(name.decode(), Role(role.decode()), data)


def arguments() -> Arguments:
    """Read the command line, and bound this process."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    return Arguments(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))


def main() -> None:
    """Change the seeds at random until the time is over; some files are floods instead."""
    given = arguments()
    until = time.monotonic() + given.seconds
    campaign, rng, every = Campaign(given), Random(given.seed), floods()
    for case in campaign.seeds:
        campaign.attempt(case)
    while time.monotonic() < until:
        flood = rng.random() < FLOODS
        campaign.attempt(
            flooded(rng.choice(every)) if flood else mutated(rng.choice(campaign.seeds), rng, campaign.seeds)
        )


if __name__ == "__main__":
    main()
