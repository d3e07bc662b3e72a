"""Score hand-ins that the grader has never met by the keys of whoever wrote them: `make first-sight FOLDER=...`.

    python -m tests.first_sight FOLDER ...

Each folder holds `submissions` and `keys`, as `tests/writers.md` describes. A verdict is right if its status is one of
those that the key allows, and open if a person has to decide. Every wrong one is listed with the check and the sentence
that decided it, so that the mechanism can be found. Once a wrong verdict has been looked into, the folder is known and
measures no more.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from grader.checks.finding import Finding, Status
from grader.claims.results.measures import the_only
from tests.replay import FLAGS, HandIn, in_parallel, judged_again, labelled, standing

_DEFINITIONS: Final = "q2."
_NOTHING: Final = frozenset({Status.MISSING.value, Status.INCORRECT.value})


class Verdict(NamedTuple):
    """A verdict, or a flag, held against its key: `right`, `wrong` or `open`, for a flag also `missed` or `false`."""

    hand_in: str
    item: str
    judgement: str
    status: str
    allowed: frozenset[str]
    suggestion: str = ""
    why: str = ""


def verdicts(hand_in: HandIn) -> list[Verdict]:
    """The verdicts on a hand-in that its key speaks of."""
    judged = judged_again(hand_in)
    checks = {item.id: item.check for item in judged.lab.items}
    findings = [
        Verdict(
            hand_in=hand_in.name,
            item=finding.item,
            judgement=standing(finding.status.value, hand_in.key[finding.item]),
            status=finding.status.value,
            allowed=hand_in.key[finding.item],
            suggestion=finding.suggestion.value if finding.suggestion else "",
            why=_why(finding, checks[finding.item]),
        )
        for finding in judged.found.findings
        if finding.item in hand_in.key
    ]
    return [*findings, *_flags(hand_in, {one.id for one in judged.found.flags})]


def _why(finding: Finding, check: str) -> str:
    """The check, how sure it was, what it read and what it told."""
    found = " ".join(str(finding.found or "").split())[:120]
    return f"{check}, {finding.confidence:.0%}: {found!r} → {' '.join(str(finding.feedback).split())[:200]!r}"


def _flags(hand_in: HandIn, raised: set[str]) -> Iterator[Verdict]:
    for flag in FLAGS:
        wanted = hand_in.key.get(f"flag {flag}")
        if wanted is not None and (flag in raised or "raised" in wanted):
            judgement = "right" if {"raised"} == wanted and flag in raised else "false" if flag in raised else "missed"
            yield Verdict(hand_in.name, f"flag {flag}", judgement, "", wanted)


def lines(found: Iterable[Verdict]) -> Iterator[str]:
    """The report: every wrong verdict, then the figures by item, for the definitions, the flags and in all."""
    found = list(found)
    for one in found:
        if one.judgement in ("wrong", "missed", "false"):
            key = " or ".join(sorted(one.allowed))
            yield f"{one.judgement}: {one.hand_in} {one.item}: {one.status} (key: {key}) by {one.why}".rstrip(" by")
    items = [one for one in found if not one.item.startswith("flag ")]
    by_item: dict[str, list[Verdict]] = defaultdict(list)
    for one in items:
        by_item[one.item].append(one)
    yield from (f"{item:20} {_figures(own)}" for item, own in by_item.items())
    yield f"{'definitions':20} {_figures([one for one in items if one.item.startswith(_DEFINITIONS)])}"
    wrong = [one for one in items if one.judgement == "wrong"]
    paid = sum(one.status == Status.CORRECT.value for one in wrong)
    lost = sum(one.status in _NOTHING and the_only(one.allowed) == Status.CORRECT.value for one in wrong)
    yield f"{'all':20} {_figures(items)}; points for nothing {paid}, right answers given nothing {lost}"
    told = Counter(one.judgement for one in found if one.item.startswith("flag "))
    yield f"{'flags':20} {told['right']} found, {told['missed']} missed, {told['false']} false"


def _figures(own: list[Verdict]) -> str:
    count = Counter(one.judgement for one in own)
    decided = count["right"] + count["wrong"]
    suggested = [one for one in own if one.judgement == "open" and one.suggestion]
    good = sum(standing(one.suggestion, one.allowed) == "right" for one in suggested)
    shares = f"{decided / max(len(own), 1):.0%} decided, {count['right'] / max(decided, 1):.1%} of these right"
    return f"{decided:3} of {len(own):3}: {shares}; suggestions {good} of {len(suggested)} right"


def main() -> int:
    """Score the folders. Return 1 where a hand-in has no key, or a key no hand-in."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    folders: list[Path] = parser.parse_args().folders
    sets = {folder: list(labelled(folder)) for folder in folders}
    strays = [
        f"{folder}: {problem}"
        for folder, own in sets.items()
        for problem in _strays({one.source.student_id: one for one in own}, {one.stem for one in folder.glob("keys/*")})
    ]
    found = in_parallel(verdicts, [one for own in sets.values() for one in own if one.key])
    print(*lines(one for some in found for one in some), *strays, sep="\n")
    return int(bool(strays))


def _strays(handed_in: dict[str, HandIn], keys: set[str]) -> Iterator[str]:
    yield from (f"submissions/{name} has no key in keys/{name}.json" for name in sorted(handed_in.keys() - keys))
    yield from (f"keys/{name}.json has no hand-in in submissions/{name}" for name in sorted(keys - handed_in.keys()))


if __name__ == "__main__":
    sys.exit(main())
