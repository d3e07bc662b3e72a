"""The templates' places, the files of them that a page may load, and the language and templates of reports."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from grader.frozen import Frozen

PACKAGED = Path(__file__).parents[1] / "templates"
CHECKOUT = Path(__file__).parents[2] / "templates"


def templates_folder() -> Path:
    """The project's own templates: inside the installed package, or at the root of the checkout."""
    return PACKAGED if PACKAGED.is_dir() else CHECKOUT


def find_template(name: str, own_path: Path | None = None) -> Path:
    """The file of a template, stylesheet, font or picture: an instructor's own, else the project's.

    Raises ValueError for a name that leads out of the folders, by dots or by links, and OSError where there is none.
    """
    folders = (templates_folder(),) if own_path is None else (own_path, templates_folder())
    for folder in folders:
        path = folder / name
        if path.is_symlink() or path.exists():
            found = path.resolve(strict=True)
            if not any(found.is_relative_to(candidate.resolve()) for candidate in folders) or not found.is_file():
                raise ValueError(f"Pages may load nothing outside the templates folder, not {str(path)[:200]!r}")
            return found
    raise FileNotFoundError(f"There is no {name[:200]!r} among the templates")


def template_file(url: str, own_path: Path | None = None) -> Path:
    """The file that a `file:` URL in the project's templates folder refers to, an instructor's own first.

    Raises ValueError for anything else, wherever links may lead, and OSError for what does not exist.
    """
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc:
        raise ValueError(f"Pages may load nothing but the project's own templates, not {url[:200]!r}")
    path, project = Path(unquote(parts.path)), templates_folder().resolve()
    if not path.is_relative_to(project):
        raise ValueError(f"Pages may load nothing outside the templates folder, not {url[:200]!r}")
    return find_template(str(path.relative_to(project)), own_path)


class Presentation(Frozen):
    """The language of reports (two-letter code), and a folder of templates that replace the project's own."""

    language: str = "en"
    templates: Path | None = None


PLAIN = Presentation()
