"""Write the README's pictures, first pages of two reports of the sample class: `python -m scripts.make_pictures`."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
SHOWN = {"student.png": "student-11/report.pdf", "class.png": "class.pdf"}
DPI = 100
LARGEST = 150_000


def main() -> None:
    """Grade the sample class and draw the pages."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "grader", "submissions", "--out", folder]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)  # noqa: S603  this project's own code
        PICTURES.mkdir(exist_ok=True)
        for name, report in SHOWN.items():
            _store(_first_page(Path(folder) / report), PICTURES / name)


def _first_page(path: Path) -> Image.Image:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        page: Image.Image = document[0].render(scale=DPI / 72).to_pil()
        return page.convert("RGB")


def _store(page: Image.Image, path: Path) -> None:
    page.quantize(48, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path} is larger than {LARGEST} bytes")


if __name__ == "__main__":
    main()
