"""Where the templates lie, and which of them a page may reach."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

PACKAGED = Path(__file__).parents[1] / "templates"
CHECKOUT = Path(__file__).parents[2] / "templates"


def templates_folder() -> Path:
    """The folder of the templates: inside the installed package, or at the root of the checkout."""
    return PACKAGED if PACKAGED.is_dir() else CHECKOUT


def template_file(url: str) -> Path:
    """The template, stylesheet or font that a `file:` URL names.

    Raises ValueError for anything that is not a file in the templates folder, wherever links may lead, and OSError for
    what does not exist.
    """
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc:
        raise ValueError(f"Pages may load nothing but the project's own templates, not {url[:200]!r}")
    path = Path(unquote(parts.path)).resolve(strict=True)
    if not path.is_relative_to(templates_folder().resolve()) or not path.is_file():
        raise ValueError(f"Pages may load nothing outside the templates folder, not {url[:200]!r}")
    return path
