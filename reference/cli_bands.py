"""`grade truth bands`."""

from datetime import UTC, datetime
from pathlib import Path

import click

from reference.cli_next import quoted, told_next


@click.command("bands")
@click.option("--lab", default="nlp-frameworks", show_default=True, help="A shipped lab's name, or its folder.")
@click.option("--svg", type=click.Path(path_type=Path, dir_okay=False), help="Write table and plot to an SVG file too.")
def bands_command(lab: str, svg: Path | None) -> None:
    """Show where the means of repetitions are expected, and the evidence that this rests on.

    The bands are computed from the lab's evidence as it is now; `grade truth build` freezes them.
    """
    from grader.lab.files import LabError, lab_folder, load_lab
    from reference.band_view import show_bands
    from reference.bands import bands
    from reference.evidence import load_evidence

    try:
        folder = lab_folder(lab)
        own = load_lab(folder)
        found = bands(load_evidence(folder / "evidence"), own, datetime.now(UTC).date().isoformat())
    except LabError as error:
        raise click.UsageError(str(error)) from error
    if not found:
        raise click.ClickException(
            f"{folder / 'evidence'} holds no evidence from two repetitions that differ. Perform reruns with "
            f"`grade truth rerun` and collect them, or write published figures into a TOML file there."
        )
    show_bands(found, own, svg)
    told_next(f"grade truth build --lab {quoted(lab)}   (freeze them)")
