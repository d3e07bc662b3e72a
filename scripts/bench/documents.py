"""PDFs to measure with: those of the sample class, and a report of several pages made for the purpose."""

import hashlib
from pathlib import Path

from grader.intake.submission import Role, SubmittedFile
from scripts.samples.pdf import pdf

ROOT = Path(__file__).parents[2]

_SECTION = """
<h2>{number} Task {number}</h2>
<p>For each seed we kept the checkpoint with the best validation accuracy, and we report its accuracy on the test set.
The matrices of one layer hold 4 × 512<sup>2</sup> = 1,048,576 weights, and d<sub>model</sub> is 512.</p>
<table><tr><th>Seed</th><th>Validation</th><th>Test</th></tr>
<tr><td>1</td><td>81.5</td><td>79.90</td></tr><tr><td>2</td><td>80.0</td><td>78.50</td></tr></table>
<ul><li>r: the rank of the update</li><li>lora_alpha: its scaling factor</li></ul>
<p>{words}</p>
"""
_WORDS = "The pretrained model is better than the random one, as the words and the figures of this paragraph tell. " * 6
_LOOK = "<style>@page { @bottom-center { content: counter(page) } } td { padding: 0 8pt }</style>"


def document_at(path: Path) -> SubmittedFile:
    """A file on disk as intake would hand it on."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return SubmittedFile(path=path.name, role=Role.REPORT, size=len(data), sha256=digest, location=path)


def pdfs(folder: Path) -> list[Path]:
    """The PDFs of the sample class that are whole, and one of ten pages or so that is written to a folder."""
    made = folder / "report.pdf"
    made.write_bytes(pdf(_LOOK + "".join(_SECTION.format(number=n, words=_WORDS) for n in range(1, 25))))
    samples = sorted((ROOT / "submissions").glob("*/*.pdf"))
    return [*(path for path in samples if b"%%EOF" in path.read_bytes()[-64:]), made]
