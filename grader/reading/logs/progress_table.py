"""The table that the Trainer shows in a notebook while it trains, as text or as HTML."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final

from grader.reading.log import Subset
from grader.reading.logs.said import Statistics, Told
from grader.reading.logs.written import number, whole

_HEAD: Final = re.compile(r"\W{0,4}(Epoch|Step)\b\W{1,20}Training Loss\b", re.IGNORECASE)
_BAR: Final = re.compile(r"\[\s{0,3}(\d{1,9})/(\d{1,9}) [^\]]{0,60}Epoch ([\d.]{1,10})/(\d{1,6})")
_GAP: Final = re.compile(r"\t|\s{2,}|\s?\|\s?")
_PHRASE: Final = re.compile(
    r"Training Loss|Validation Loss|Model Preparation Time|Samples Per Second|\S{1,60}", re.IGNORECASE
)
_NO_VALUE: Final = re.compile(r"no log", re.IGNORECASE)
_TAGS: Final = {"training loss": "train/loss", "validation loss": "eval/loss"}
_MOST_COLUMNS: Final = 30


def progress_bar(text: str) -> Iterator[Told]:
    """The totals in the bar over the table: `[1125/1125 03:20, Epoch 5/5]`."""
    found = _BAR.search(text, 0, 1000)
    if found:
        yield Told("total_optimization_steps", found[2], found.group())
        yield Told("num_train_epochs", found[4], found.group())


class ProgressTable:
    """A table whose heading was seen, fed with the lines below it."""

    def __init__(self, columns: list[str]) -> None:
        self._by_steps = columns[0].lower() == "step"
        self._tags = [_TAGS.get(name.lower(), f"eval/{name.lower().replace(' ', '_')}") for name in columns[1:]]

    @classmethod
    def begun_by(cls, text: str) -> "ProgressTable | None":
        """A table whose heading the line is."""
        if not _HEAD.match(text[:400]):
            return None
        return cls(_cells(text, spaced=False)[:_MOST_COLUMNS])

    def row(self, text: str) -> list[Statistics] | None:
        """The statistics of a row; None when the line is none. An empty list: a rule between heading and rows."""
        if text and not text.strip(" \t|-:+"):
            return []
        cells = _cells(_NO_VALUE.sub("-", text[:1000]), spaced=True)
        at = whole(cells[0]) if cells else None
        if at is None or at < 0 or len(cells) != len(self._tags) + 1:
            return None
        read = {tag: number(cell) for tag, cell in zip(self._tags, cells[1:], strict=True)}
        step, epoch = (at, None) if self._by_steps else (None, float(at))
        return [
            Statistics(source, subset, part, step, epoch)
            for source, subset in (("train", Subset.TRAIN), ("eval", Subset.VALID))
            if (part := {tag: value for tag, value in read.items() if value is not None and tag.startswith(source)})
        ]


def _cells(text: str, *, spaced: bool) -> list[str]:
    """The cells of a row. Where only single spaces are left between them, every word is one, known names apart."""
    bare = text[:1000].strip().strip("|").strip()
    parts = [part.strip() for part in _GAP.split(bare) if part.strip()]
    if len(parts) > 1 and not (spaced and any(" " in part for part in parts)):
        return parts
    return _PHRASE.findall(bare)


class _Rows(HTMLParser):
    """Collects the text of a page: table rows as lines with tabs, all else as it comes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("tr", "div", "p", "br", "table"):
            self.lines.append("")
        elif tag in ("td", "th") and self.lines[-1]:
            self.lines[-1] += "\t"

    def handle_data(self, data: str) -> None:
        self.lines[-1] += " ".join(data.split())


def lines_of_html(html: str) -> list[str]:
    """The text of a notebook's HTML output, a line for each row of a table. Nothing is rendered or fetched."""
    rows = _Rows()
    rows.feed(html[:1_000_000])
    return [line for line in rows.lines if line.strip()]
