"""Fuzzing led by coverage: as `campaign`, but libFuzzer chooses what to change, by the ways through the readers that an
input opens up. Needs atheris."""

import sys
import time
from random import Random
from typing import Final

SLOWER: Final = 5.0
"""How much more time instrumented code may take."""


def main() -> None:
    """Fuzz until the time is over; libFuzzer ends the process."""
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]

    with atheris.instrument_imports(include=["grader.reading"]):
        import grader.reading.formats  # noqa: F401 - before anything else imports it
    from tests.reading.fuzz.campaign import Campaign, arguments
    from tests.reading.fuzz.case import NAMES, Case, natural
    from tests.reading.fuzz.mutation import mutated

    given = arguments()
    until = time.monotonic() + given.seconds
    campaign = Campaign(given, SLOWER)
    names = [*dict.fromkeys([*NAMES, *(case.name for case in campaign.seeds)])][:256]

    def case_of(data: bytes) -> Case:
        return natural(names[data[0] % len(names)], data[1:]) if data else natural("", b"")

    def bytes_of(case: Case) -> bytes:
        return bytes([names.index(case.name) if case.name in names else 0]) + case.data

    def change(data: bytes, most: int, chosen: int) -> bytes:
        rng = Random(chosen)
        if rng.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        return bytes_of(mutated(case_of(data), rng, campaign.seeds))[:most]

    def attempt(data: bytes) -> None:
        if time.monotonic() < until:
            campaign.attempt(case_of(data))

    corpus = given.work / "corpus"
    corpus.mkdir(exist_ok=True)
    for number, case in enumerate(campaign.seeds):
        (corpus / f"seed{number}").write_bytes(bytes_of(case))
    options = ["-max_len=160000", "-len_control=0", "-timeout=300", "-rss_limit_mb=0", "-verbosity=0"]
    options += [f"-max_total_time={given.seconds}", f"-seed={given.seed + 1}", f"-artifact_prefix={given.work}/"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], attempt, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
