"""`grade doctor`: what this machine offers, and what it lacks."""

import sys

import click

from grader.cli.commands import told_next


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def doctor_command(as_json: bool) -> None:
    """Tell what this machine has for grading, and what a hand-in that takes over its process could do here.

    The second is tried out, not looked up. The exit status is 1 when something is lacking that grading needs or that
    protects, else 0. What is merely useful to some is told, and does no harm when it is missing.
    """
    from grader.pipeline.doctor import examined

    found = examined()
    if as_json:
        import json

        click.echo(json.dumps([one.model_dump(mode="json") for one in found], indent=2, ensure_ascii=False))
    else:
        for one in found:
            click.echo(f"{one.state.value:<9} {one.what}" + (f": {one.remedy}" if one.remedy else ""))
        again = () if all(one.is_well for one in found) else ("do what stands beside `lacking`, then: grade doctor",)
        told_next(*again, "grade PATH   (a folder, a zip, or a download of a course system)")
    sys.exit(0 if all(one.is_well for one in found) else 1)
