"""From several paths to one source per student."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from grader.intake.layouts import Layout, Sources, find_sources
from grader.intake.student_ids import unique_ids


def find_all_sources(paths: Iterable[Path], layout: Layout = Layout.AUTO) -> Sources:
    """The hand-ins at several paths in their order; ids that two paths share are numbered. Raises IntakeError."""
    found = [find_sources(path, layout) for path in paths]
    sources = tuple(chain.from_iterable(sources for sources, _ in found))
    refused = tuple(chain.from_iterable(refused for _, refused in found))
    ids = unique_ids(source.student_id for source in sources)
    renamed = (source.model_copy(update={"student_id": id_}) for source, id_ in zip(sources, ids, strict=True))
    return tuple(renamed), refused
