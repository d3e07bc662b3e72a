"""The hook of MkDocs that `make docs` uses: the files above `docs` become pages too, with links that lead there.

Links are written as they work in a repository; here they are turned into those of the site. A link to another file of
the repository leads to a copy of it, one to a folder becomes plain words. A link that leads nowhere is left as it is:
MkDocs, which is strict, then ends with an error.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parents[1]
DOCS: Final = ROOT / "docs"
PAGES: Final = {"README.md": "index.md"} | {
    name: name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md") if (ROOT / name).is_file()
}
"""Where the files above `docs` lie in the site."""

_LINK: Final = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:|#)([^()\s#]+)(#[^()\s]*)?\)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages above `docs`, and the files of the repository that any page links to."""
    for name, there in PAGES.items():
        files.append(File.generated(config, there, abs_src_path=str(ROOT / name)))
    sources = (*DOCS.glob("*.md"), *(ROOT / name for name in PAGES))
    for target in sorted({target for source in sources for target in _linked(source)}):
        if target.is_file() and _place(target) not in files.src_uris:
            files.append(File.generated(config, _place(target), abs_src_path=str(target)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page's text with the links of the site."""
    source = Path(page.file.abs_src_path or "")

    def changed(link: re.Match[str]) -> str:
        picture, words, path, anchor = link.groups()
        target = (source.parent / path).resolve()
        if target.is_dir():
            return words
        if not target.is_file() or not target.is_relative_to(ROOT):
            return link[0]
        return f"{picture}[{words}]({os.path.relpath(_place(target), Path(page.file.src_uri).parent)}{anchor or ''})"

    return _LINK.sub(changed, markdown)


def _linked(source: Path) -> Iterator[Path]:
    for link in _LINK.finditer(source.read_text(encoding="utf-8")):
        target = (source.parent / link[3]).resolve()
        if target.is_relative_to(ROOT):
            yield target


def _place(target: Path) -> str:
    """Return the place of a file of the repository in the site."""
    if target.is_relative_to(DOCS):
        return target.relative_to(DOCS).as_posix()
    name = target.relative_to(ROOT).as_posix()
    return PAGES.get(name, name)
