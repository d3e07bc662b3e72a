"""Every file that is made for one hand-in, from the sources in its folder: notebooks from templates, PDFs from HTML,
event files from numbers, one archive of them all.
"""

import io
import zipfile
from pathlib import Path, PurePosixPath

from scripts.samples.experiment import HandIn, Run
from scripts.samples.fairseq_run import fairseq_event_files, label_log, preprocess_log, training_log
from scripts.samples.notebook import notebook
from scripts.samples.trainer_run import test_log, trainer_event_files, trainer_log

MODIFIED = (2023, 11, 20, 18, 0, 0)


def archive(files: dict[str, bytes]) -> bytes:
    """A zip archive of files by their paths, in the order of the paths."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, MODIFIED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            opened.writestr(entry, files[path])
    return buffer.getvalue()


def pdf(html: str) -> bytes:
    """An HTML text as a PDF. The bytes depend on WeasyPrint's version and on the fonts installed."""
    from weasyprint import HTML

    content: bytes = HTML(string=html).write_pdf()
    return content


def cut_off(content: bytes) -> bytes:
    """The first half of a file, as an upload that broke leaves it."""
    return content[: len(content) // 2]


def render(hand_in: HandIn, template: Path) -> str:
    """The text of a template of a hand-in. Raises jinja2.UndefinedError when it names something unknown."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    sources = hand_in.source.parent
    environment = Environment(  # noqa: S701 - the result is a notebook's source, in which nothing may be escaped
        loader=FileSystemLoader(sources), undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template(template.relative_to(sources).as_posix()).render(
        pretrained=hand_in.runs_of("pretrained"),
        random=hand_in.runs_of("random"),
        huggingface=hand_in.runs_of("huggingface"),
        preprocess_log=preprocess_log,
        label_log=label_log,
        fairseq_log=training_log,
        trainer_log=trainer_log,
        trainer_test_log=test_log,
    )


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
