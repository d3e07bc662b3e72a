"""Right equations in every notation: how many of them are called wrong?"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from grader.claims.implied_equations import all_equations
from grader.claims.passage import Passage
from grader.reading.document import Document
from grader.reading.formats import read_path
from grader.reading.markdown import markdown_blocks
from scripts.bench.figure import Figure
from tests.generated.equations import line

LINES = 10_000
PRINTED = 2_000
STYLE = "<style>p{font-size:9pt;margin:2pt}</style>"


def figures() -> Iterator[Figure]:
    """False alarms by format, and the share of lines in which an equation was read at all."""
    for name in ("markdown", "latex"):
        random = Random(11)  # noqa: S311
        passages = [_passage(line(random, name)) for _ in range(LINES)]
        yield from _counted(f"right equations in {name}, of {LINES:,} lines", passages, LINES)
    yield from _counted(f"right equations in PDF, of {PRINTED:,} lines", [_printed()], PRINTED)


def _counted(what: str, passages: Iterable[Passage], lines: int) -> Iterator[Figure]:
    read = [equation for passage in passages for equation in all_equations(passage)]
    yield Figure(f"{what}: called wrong", sum(not equation.holds for equation in read), "", 0)
    yield Figure("  equations read for each line", len(read) / lines, "", 0.9, at_least=True)


def _passage(text: str) -> Passage:
    return Passage.from_document(Document(file="a.md", exact=True, blocks=tuple(markdown_blocks(text.split("\n")))))


def _printed() -> Passage:
    import weasyprint

    random = Random(12)  # noqa: S311
    lines = "".join(f"<p>{line(random, 'html')}</p>" for _ in range(PRINTED))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "equations.pdf"
        path.write_bytes(weasyprint.HTML(string=STYLE + lines).write_pdf())
        return Passage.from_document(read_path(path).documents[0])
