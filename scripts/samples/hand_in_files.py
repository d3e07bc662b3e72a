"""Every file that is made for one hand-in, from the sources in its folder."""

from pathlib import Path, PurePosixPath

from scripts.samples.archive import archive
from scripts.samples.experiment import HandIn, Run
from scripts.samples.fairseq_events import fairseq_event_files
from scripts.samples.notebook import notebook
from scripts.samples.pdf import cut_off, pdf
from scripts.samples.template import render
from scripts.samples.trainer_run import trainer_event_files


def hand_in_files(hand_in: HandIn) -> dict[str, bytes]:
    """The files made for a hand-in by their paths from the checkout's root; one archive where it declares one."""
    made = dict(_made(hand_in, path) for path in _sources(hand_in))
    made |= _event_files(hand_in)
    placed = {(PurePosixPath(hand_in.folder) / path).as_posix(): content for path, content in made.items()}
    return {hand_in.archive: archive(placed)} if hand_in.archive else placed


def _sources(hand_in: HandIn) -> list[Path]:
    found = (path for path in hand_in.source.rglob("*") if path.is_file() and path.name != "hand-in.toml")
    return sorted(found)


def _made(hand_in: HandIn, source: Path) -> tuple[str, bytes]:
    """A template becomes a notebook and an HTML file a PDF; anything else is taken as it is."""
    path = source.relative_to(hand_in.source)
    if source.suffix == ".jinja":
        return path.with_suffix("").as_posix(), notebook(render(hand_in, source))
    if source.suffix == ".html":
        name = path.with_suffix(".pdf").as_posix()
        content = pdf(source.read_text(encoding="utf-8"))
        return name, cut_off(content) if name in hand_in.truncated else content
    return path.as_posix(), source.read_bytes()


def _event_files(hand_in: HandIn) -> dict[str, bytes]:
    if hand_in.event_files is None:
        return {}
    folder = PurePosixPath(hand_in.event_files)
    return {
        (folder / path).as_posix(): content
        for run in hand_in.runs
        for path, content in _event_files_of(run, hand_in.host).items()
    }


def _event_files_of(run: Run, host: str) -> dict[str, bytes]:
    return (trainer_event_files if run.experiment == "huggingface" else fairseq_event_files)(run, host)
