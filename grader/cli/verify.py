"""`grade verify`: confirm that results are what they follow from."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.commands import quoted, told_next
from grader.cli.gradebook_options import place
from grader.cli.replay_options import replay_options

if TYPE_CHECKING:
    from grader.pipeline.verification import Verdict
    from grader.pipeline.verification_causes import Why


@click.command("verify")
@replay_options
@click.option("--from-readings", is_flag=True, help="Start from the stored readings, not from the submissions.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Confirm N students only.  [default: all]")
@click.option("--seed", default=0, show_default=True, help="Which ones: the same for the same seed.")
@click.option("--reports", is_flag=True, help="Confirm the reports too, from the submissions.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_context
def verify_command(
    context: click.Context,
    /,
    graded: Path,
    from_readings: bool,
    sample: int | None,
    seed: int,
    reports: bool,
    as_json: bool,
    jobs: int | None,
    gradebook: str | None,
    **options: Any,
) -> None:
    """Compute the results in GRADED once more and confirm that they are the same, byte for byte.

    Where one is not, it is told why: another version of the grader, its libraries, the lab or its truth, another
    submission, overrides, lateness or language; a file that was changed since; or a defect of the grader. The exit
    status is 0 if all are the same, else 1.
    """
    from dataclasses import replace

    from grader.cli.preparation import explained
    from grader.cli.replay_options import before, last_run, recalled
    from grader.gradebook.keeper import Keeper
    from grader.pipeline.verification import chosen, verified

    with explained(graded, debug=options["debug"]), Keeper(place(gradebook, graded)) as keeper:
        run = last_run(keeper, graded)
        given = bool(options["submissions"])
        options = recalled(context, options, run)
        if from_readings:
            options["submissions"] = ()
        found = before(graded, options, keeper, given=given and not from_readings, run=run)
        opened = None if from_readings or not (given or found.opened) else found.opened
        if reports and opened is None:
            raise click.UsageError("--reports needs the submissions, for their pictures: add --submissions PATH.")
        order = replace(chosen(found.order, sample, seed), with_reports=reports)
        known = keeper.known(order.lab.id).standings
        recorded = {student: standing.grade.result_sha256 for student, standing in known.items()}
        workers = jobs or os.cpu_count() or 1
        verdicts = sorted(
            verified(order, found.graded, opened, recorded=recorded, workers=workers, with_reports=reports),
            key=lambda one: one.student,
        )
    source = "stored readings" if opened is None else "submissions"
    if as_json:
        import json

        click.echo(json.dumps(_data(verdicts, source), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(_told(verdicts, source, len(found.graded))))
        whole = all(one.same for one in verdicts)
        told_next(f"grade export FORMAT {quoted(graded)} --into FILE" if whole else f"grade regrade {quoted(graded)}")
    sys.exit(0 if all(one.same for one in verdicts) else 1)


def _data(verdicts: "Sequence[Verdict]", source: str) -> dict[str, Any]:
    same = sum(one.same for one in verdicts)
    return {"from": source, "same": same, "different": len(verdicts) - same, "students": [
        one.model_dump(mode="json") for one in verdicts
    ]}  # fmt: skip


def _told(verdicts: "Sequence[Verdict]", source: str, all_: int) -> Iterator[str]:
    for one in verdicts:
        if not one.same:
            yield f"{one.student}: not the same"
            yield from (f"    {_words(why)}" for why in one.why)
            if one.first:
                yield f"    first difference: {one.first.key}: stored {one.first.stored}, computed {one.first.computed}"
        if one.kept:
            yield (f"{one.student}: kept as an earlier grading left them, so not computed again: {', '.join(one.kept)}")
    same = sum(one.same for one in verdicts)
    sampled = f", of {all_:,}" if len(verdicts) < all_ else ""
    yield f"{same:,} of {len(verdicts):,} results{sampled} are the same, byte for byte, computed from the {source}."


def _words(why: "Why") -> str:
    """A cause with what is known of it."""
    from grader.pipeline.verification_causes import Cause

    then, now = _short(why.then), _short(why.now)
    match why.cause:
        case Cause.NO_READING:
            return f"{now}; name the hand-ins by --submissions"
        case Cause.UNREADABLE | Cause.FAILED:
            return now
        case Cause.NO_HAND_IN:
            return "its hand-in is not among the submissions"
        case Cause.CHANGED:
            return "result.json was changed after it was written; the gradebook has the one that was (grade history)"
        case Cause.DEFECT:
            doubt = f" ({then})" if then else ""
            return f"nothing that it follows from differs{doubt}: this is a defect of the grader; please report it"
        case Cause.REPORT:
            return now or f"{then} is not the one that is rendered now"
        case Cause.SUBMISSION:
            return f"the submission is another: {then} then, {now} now"
        case Cause.OVERRIDES | Cause.LATENESS | Cause.STUDENT:
            return f"{why.cause.value}: {then} then, {now} now"
    return f"another {why.cause.value}: {then} then, {now} now"


def _short(text: str) -> str:
    """Hashes as reports show them, other words up to a line."""
    if len(text) == 64 and set(text) <= set("0123456789abcdef"):
        return text[:12]
    return text if len(text) <= 160 else f"{text[:159]}…"
