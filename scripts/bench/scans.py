"""Scanned sheets: how many verdicts are as those of the original, how many are open, and that none is wrong.

    python -m scripts.bench scans              the first 10 PDFs among the project's own sheets
    python -m scripts.bench scans=FOLDER       those in a folder

Each sheet is scanned twice, at 150 and at 300 dpi: each page is drawn, turned by up to 2°, given the grain of a sensor
and kept as a JPEG picture alone. The angles and qualities look random, but are the same each time.
"""

import io
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from grader.checks.finding import Finding, Status, in_force
from grader.lab.definition import Lab
from grader.lab.files import load_lab, load_truth
from grader.lab.truth import GroundTruth
from grader.pipeline.one import extract_claims, judge_answer
from grader.reading.formats import read_path
from scripts.bench.figure import Figure

ROOT: Final = Path(__file__).parents[2]
MOST: Final = 10
_EPOCH: Final = time.gmtime(0)


class Look(NamedTuple):
    """The appearance of a scanned page: dots per inch, the angle of the sheet in degrees, and JPEG's quality."""

    dpi: int
    degrees: float
    quality: int


RESOLUTIONS: Final = (150, 300)


def look_of(name: str, dpi: int) -> Look:
    """Return the appearance of the scan of the sheet with this name."""
    chance = random.Random(f"{name} {dpi}")  # noqa: S311 - an angle, not a secret
    return Look(dpi, chance.uniform(-2, 2), chance.randint(60, 90))


def scanned_pdf(path: Path, look: Look, seed: int = 0) -> bytes:
    """A PDF whose pages are pictures of those of another one, with the grain of a sensor."""
    import numpy as np
    import pypdfium2
    from PIL import Image

    grain = np.random.default_rng(seed)
    pages = []
    with closing(pypdfium2.PdfDocument(path)) as pdf:
        for page in pdf:
            drawn = page.render(scale=look.dpi / 72, grayscale=True).to_pil().convert("L")
            turned = drawn.rotate(look.degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
            levels = np.asarray(turned).astype(float) * 0.9 + 12 + grain.normal(0, 4, (turned.height, turned.width))
            jpeg = io.BytesIO()
            Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8)).save(jpeg, "JPEG", quality=look.quality)
            pages.append(Image.open(io.BytesIO(jpeg.getvalue())))
    made = io.BytesIO()
    pages[0].save(
        made,
        "PDF",
        save_all=True,
        append_images=pages[1:],
        resolution=look.dpi,
        quality=look.quality,
        creationDate=_EPOCH,
        modDate=_EPOCH,
    )
    return made.getvalue()


def verdicts(path: Path, lab: Lab, truth: GroundTruth) -> dict[str, Finding]:
    """The findings about a report alone, by item."""
    reading = read_path(path)
    return {
        finding.item: finding
        for finding in in_force(judge_answer(reading, extract_claims(reading, lab), lab, truth), lab).findings
    }


def standing(original: Finding, scan: Finding) -> str:
    """Whether the verdict on a scan is that on the original, or open, else that it is wrong."""
    if scan.status in (Status.REVIEW, Status.ERROR):
        return "open"
    return "same" if (scan.status, scan.share) == (original.status, original.share) else "wrong"


def sheets(folder: Path | None = None) -> Sequence[Path]:
    """The PDFs to be scanned: those in a folder, or some of the project's own."""
    if folder:
        return sorted(folder.rglob("*.pdf"))
    own_paths = sorted((ROOT / "tests" / "sheets").glob("*.pdf"))
    return own_paths[:: len(own_paths) // MOST][:MOST]


def figures(folder: Path | None = None) -> Iterator[Figure]:
    """The shares of the verdicts, for each resolution."""
    if shutil.which("tesseract") is None:
        return
    place = ROOT / "reference" / "labs" / "nlp_frameworks"
    lab, truth = load_lab(place), load_truth(place)
    paths = sheets(folder)
    originals = {path: verdicts(path, lab, truth) for path in paths}
    for dpi in RESOLUTIONS:
        counts: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as made:
            for number, path in enumerate(paths):
                scan = Path(made) / path.name
                scan.write_bytes(scanned_pdf(path, look_of(f"{path.parent.name}/{path.name}", dpi), number))
                found = verdicts(scan, lab, truth)
                counts.update(standing(finding, found[item]) for item, finding in originals[path].items())
        same, open_ones = (100 * counts[kind] / counts.total() for kind in ("same", "open"))
        yield Figure(f"scans at {dpi} dpi: verdicts as on the original", same, "%", 60.0, at_least=True)
        yield Figure(f"scans at {dpi} dpi: open verdicts", open_ones, "%")
        yield Figure(f"scans at {dpi} dpi: wrong verdicts", counts["wrong"], "", 0.0)
