"""Bands as a table and a plot for the terminal, or for an SVG file."""

import io
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.lab.definition import Lab
from grader.lab.truth import Band


def show_bands(bands: Sequence[Band], lab: Lab, svg: Path | None = None) -> None:
    """Print the bands and a plot of them for each measure, and the evidence; with `svg`, write all but the evidence to
    that file as well."""
    console = Console(highlight=False)
    _print_bands(console, bands, lab)
    console.print(evidence_table(bands))
    if svg is not None:
        recorder = Console(record=True, width=120, file=io.StringIO(), highlight=False)
        _print_bands(recorder, bands, lab)
        svg.write_text(recorder.export_svg(title="Means that are expected"), encoding="utf-8")


def _print_bands(console: Console, bands: Sequence[Band], lab: Lab) -> None:
    for measure in dict.fromkeys(lab.measure(band.measure, band.experiment) for band in bands):
        own_bands = [band for band in bands if lab.measure(band.measure, band.experiment) == measure]
        unit = f", in {measure.behind.strip()}" if measure.behind else ""
        console.print(table(own_bands, f"Bands for the mean {measure.title} of new repetitions{unit}"))
        console.print()
        console.print(plot(own_bands, console.width))
        console.print()


def table(bands: Sequence[Band], title: str) -> Table:
    """One row for each band; where it is a computed interval, with its degrees of freedom and the standard deviations
    between repetitions and between set-ups. Without a 95 % interval, the last one is a range of what is not
    implausible."""
    shown = _bare(title)
    for heading in ("band", "mean", "95 %", "99 %", "runs", "set-ups", "df"):
        shown.add_column(heading, justify="left" if heading == "band" else "right", no_wrap=True)
    for band in bands:
        numbers = (band.seed_deviation, band.drift_deviation, band.degrees)
        shown.add_row(
            _name(band),
            "" if band.mean is None else f"{band.mean:g}",
            _interval(band.inner),
            _interval(band.outer),
            *("" if number is None else f"{number:.3g}" for number in numbers),
        )
    return shown


def plot(bands: Sequence[Band], width: int) -> Table:
    """`╌` is the 99 % interval or plausible range, `━` the 95 % interval, `●` the mean of what is known; `|` are the
    means of the set-ups behind it."""
    width -= max(len(_name(band)) for band in bands) + 2
    low = min(band.outer[0] for band in bands)
    high = max(band.outer[1] for band in bands)
    scale = Text(f"{low:<{width // 2}g}{high:>{width - width // 2}g}", style="dim")
    shown = _bare("")
    shown.add_column("", no_wrap=True)
    shown.add_column(scale, no_wrap=True)
    for band in bands:
        shown.add_row(_name(band), _line(band, low, high if high > low else low + 1, width))
    return shown


def _line(band: Band, low: float, high: float, width: int) -> Text:
    def place(value: float) -> int:
        return min(width - 1, max(0, round((value - low) / (high - low) * (width - 1))))

    cells = [" "] * width
    for (start, end), sign in ((band.outer, "╌"), *([(band.inner, "━")] if band.inner else [])):
        cells[place(start) : place(end) + 1] = sign * (place(end) - place(start) + 1)
    for known_evidence in band.evidence:
        if known_evidence.values:
            cells[place(fmean(known_evidence.values))] = "|"
    if band.mean is not None:
        cells[place(band.mean)] = "●"
    return Text("".join(cells))


def evidence_table(bands: Sequence[Band]) -> Table:
    """All set-ups that the bands rest on, published ones marked as such."""
    known_evidence = {evidence.id: evidence for band in bands for evidence in band.evidence}
    shown = _bare("Evidence")
    for heading in ("set-up", "kind", "source"):
        shown.add_column(heading, overflow="fold")
    for name in sorted(known_evidence):
        shown.add_row(name, known_evidence[name].kind, Text(known_evidence[name].source))
    return shown


def _name(band: Band) -> str:
    return band.id.removeprefix("band/")


def _bare(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim")


def _interval(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{interval[0]:g} to {interval[1]:g}"
