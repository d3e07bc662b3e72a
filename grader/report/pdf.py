"""HTML to PDF through WeasyPrint, which can reach nothing but the project's own templates, stylesheets and fonts."""

import ctypes.util
import io
import mimetypes
import re
import shutil
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

from grader.report.pictures import IndexedPng, indexed_png
from grader.report.resources import template_file, templates_folder

if TYPE_CHECKING:
    from weasyprint import CSS, HTML
    from weasyprint.images import RasterImage, SVGImage
    from weasyprint.text.fonts import FontConfiguration
    from weasyprint.urls import URLFetcher

_LINK: Final = re.compile(r'<link rel="stylesheet" href="([a-z]+\.css)"/>\n')


@cache
def fonts() -> "FontConfiguration":
    """The font configuration of this process. WeasyPrint copies the fonts to a temporary folder, which is removed when
    the process ends; forked processes share it."""
    from weasyprint.text.fonts import FontConfiguration

    made = FontConfiguration()
    Finalize(None, _remove, args=[made], exitpriority=1)
    return made


_VARIABLE: Final = re.compile(r"(--[a-z-]+): ([^;]+);")
_VALUE: Final = re.compile(r"var\((--[a-z-]+)\)")
_NOTES: Final = re.compile(r"^::(?:footnote|note)-[a-z]+ \{[^}]*\}\n", re.MULTILINE)


@cache
def _sheet(name: str) -> "CSS":
    """A stylesheet of the project. The variables of the design system stand in it by their values: WeasyPrint would
    look each up and parse it anew for every element."""
    from weasyprint import CSS

    values = dict(_VARIABLE.findall(_text("tokens.css")))
    text = _VALUE.sub(lambda named: values.get(named[1], named[0]), _text(name))
    return CSS(string=text, base_url=f"{templates_folder().resolve().as_uri()}/", font_config=fonts())


def _text(name: str) -> str:
    return (templates_folder() / name).read_text(encoding="utf-8")


@cache
def _defaults() -> "CSS":
    """Return the styles that WeasyPrint gives elements without a stylesheet, except for notes and marks of lists: their
    rules hold for every element there is, and the project's pages have none."""
    import weasyprint
    from weasyprint import CSS

    text = (Path(weasyprint.__file__).parent / "css" / "html5_ua.css").read_text(encoding="utf-8")
    return CSS(string=_NOTES.sub("", text).replace("\n::marker {", "\nli::marker {"))


def _project_page(html: str, base: str, fetcher: "URLFetcher") -> "HTML":
    """A page of the project's own templates, which are well-formed as XML: Python reads that in a tenth of the time
    that WeasyPrint's HTML parser takes. What is not, by a control character for instance, is left to the latter."""
    from weasyprint import HTML

    class ProjectPage(HTML):  # type: ignore[misc] # WeasyPrint publishes no types
        """Styled by fewer rules."""

        def _ua_stylesheets(self, *_: Any, **__: Any) -> list["CSS"]:
            return [_defaults()]

    try:
        root = ElementTree.fromstring(html)  # noqa: S314  our own template; every text in it is escaped
    except ElementTree.ParseError:
        return ProjectPage(string=html, base_url=base, url_fetcher=fetcher)
    page = ProjectPage(string="", base_url=base, url_fetcher=fetcher)
    page.wrapper_element = type(page.wrapper_element).from_html_root(root)
    page.etree_element = root
    return page


def _kept_pictures(pictures: Mapping[str, bytes]) -> dict[str, "RasterImage | SVGImage"]:
    """Pictures of few colours as WeasyPrint's cache of images takes them, by URL. They get into the PDF as they are:
    WeasyPrint itself would write each twice more as a PNG of all colours, which takes long and is larger."""
    from weasyprint.images import RasterImage, pydyf

    class IndexedImage(RasterImage):  # type: ignore[misc] # WeasyPrint publishes no types
        """A picture with a palette."""

        def __init__(self, url: str, picture: IndexedPng) -> None:
            self.id = url.replace(":", "-")
            self.width, self.height = picture.width, picture.height
            self.ratio = picture.width / picture.height
            self._dpi = None
            self._picture = picture

        def get_x_object(self, interpolate: bool, _: float) -> Any:
            shown = self._picture
            last = len(shown.palette) // 3 - 1
            rows = {"Predictor": 15, "Columns": shown.width, "Colors": 1, "BitsPerComponent": shown.bits}
            extra = {
                "Type": "/XObject",
                "Subtype": "/Image",
                "Width": shown.width,
                "Height": shown.height,
                "ColorSpace": pydyf.Array(("/Indexed", "/DeviceRGB", last, f"<{shown.palette.hex()}>")),
                "BitsPerComponent": shown.bits,
                "Interpolate": "true" if interpolate else "false",
                "Filter": "/FlateDecode",
                "DecodeParms": pydyf.Dictionary(rows),
            }
            return pydyf.Stream([shown.levels], pydyf.Dictionary(extra))

    found = {url: indexed_png(png) for url, png in pictures.items()}
    return {url: IndexedImage(url, candidate) for url, candidate in found.items() if candidate}


_SIDE: Final = 12
"""Of the view box of a shape."""


def _shapes(base: str) -> dict[str, "RasterImage | SVGImage"]:
    """The shapes that stand beside statuses, by URL. Each is drawn once, and the pages refer to the drawing: WeasyPrint
    itself would draw it anew wherever it stands."""
    from weasyprint.images import SVGImage, pydyf
    from weasyprint.svg import SVG

    class Shape(SVGImage):  # type: ignore[misc] # WeasyPrint publishes no types
        """A drawing that a PDF holds once."""

        def __init__(self, path: Path) -> None:
            self.id = f"shape-{path.stem}"
            self._path = path
            self._drawn: Any = None

        def get_intrinsic_size(self, *_: object) -> tuple[None, None, float]:
            return None, None, 1.0

        def draw(self, stream: Any, width: float, height: float, _: object) -> None:
            name = stream.add_image(self, interpolate=False, ratio=1)
            if self._drawn is None:
                resources = {kind: pydyf.Dictionary() for kind in ("ExtGState", "XObject", "Pattern", "Shading")}
                extra = {
                    "Type": "/XObject",
                    "Subtype": "/Form",
                    "BBox": pydyf.Array((0, 0, _SIDE, _SIDE)),
                    "Resources": pydyf.Dictionary(resources),
                }
                self._drawn = stream.clone(resources=extra["Resources"], extra=pydyf.Dictionary(extra))
                tree = ElementTree.fromstring(self._path.read_bytes())  # noqa: S314  the project's own file
                SVG(tree, "", None, None).draw(self._drawn, _SIDE, _SIDE, "", None)
            stream.transform(a=width / _SIDE, d=height / _SIDE)
            stream.draw_x_object(name)

        def get_x_object(self, *_: object) -> Any:
            return self._drawn

    return {f"{base}shapes/{path.name}": Shape(path) for path in sorted((templates_folder() / "shapes").glob("*.svg"))}


def _remove(made: "FontConfiguration") -> None:
    folder: Path | None = made._folder
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
        made._folder = None  # otherwise WeasyPrint tries again while the interpreter shuts down


REMEDY = (
    "PDF reports need the Pango library, which is not installed. On Debian or Ubuntu run: "
    "sudo apt-get install -y libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 (on macOS: brew install pango)."
)


class ReportError(Exception):
    """A report cannot be made; the message says why and what to do."""


def missing_libraries() -> str | None:
    """A sentence with the command that installs the system libraries WeasyPrint lacks, or None when all are there."""
    try:
        # WeasyPrint prints its own complaint before it raises.
        with redirect_stdout(io.StringIO()), _without_compiler():
            import weasyprint  # noqa: F401
    except OSError:
        return REMEDY
    return None


_LIBRARIES: Final = (
    *("libgobject-2.0.so.0", "libpango-1.0.so.0", "libharfbuzz.so.0", "libfontconfig.so.1", "libpangoft2-1.0.so.0"),
)


def libraries_are_there() -> bool:
    """Whether the loader of Linux finds all of these libraries; False says nothing. To ask takes milliseconds, and
    WeasyPrint itself a fifth of a second to load, which who makes no report need not do."""
    try:
        return sys.platform == "linux" and all(ctypes.CDLL(name) for name in _LIBRARIES)
    except OSError:
        return False


@contextmanager
def _without_compiler() -> Iterator[None]:
    """On Linux, lets only the system's loader search for shared libraries. Python's own search, which WeasyPrint first
    tries with the names of other systems, runs a compiler and a linker for each name."""
    search = ctypes.util.find_library
    if sys.platform == "linux":
        ctypes.util.find_library = lambda name: None
    try:
        yield
    finally:
        ctypes.util.find_library = search


def html_to_pdf(
    html: str, pictures: Mapping[str, bytes] = MappingProxyType({}), templates: Path | None = None
) -> bytes:
    """An accessible PDF (PDF/UA-1) of a page whose relative URLs start at the templates folder.

    The same page gives the same bytes. `pictures` are PNGs by URL; files in the folder `templates` replace the
    project's own. Any other URL is refused and left out. Raises ReportError when WeasyPrint's system libraries are
    missing.
    """
    if problem := missing_libraries():
        raise ReportError(problem)
    from weasyprint import HTML

    base = f"{templates_folder().resolve().as_uri()}/"
    sheets: tuple[CSS, ...] = ()
    if templates is None:  # the project's own stylesheets, to which the head of a page links, are parsed once
        head, title, rest = html.partition("<title>")
        sheets = tuple(map(_sheet, _LINK.findall(head)))
        html = _LINK.sub("", head) + title + rest
    fetcher = _fetcher(pictures, templates)
    page = _project_page(html, base, fetcher) if sheets else HTML(string=html, base_url=base, url_fetcher=fetcher)
    document = page.render(
        font_config=fonts() if sheets else None,
        stylesheets=sheets,
        pdf_variant="pdf/ua-1",
        cache=_kept_pictures(pictures) | (_shapes(base) if sheets else {}),
    )
    for rendered_page in document.pages:
        rendered_page.links = [(kind, target.removeprefix(base), *rest) for kind, target, *rest in rendered_page.links]
    pdf: bytes = document.write_pdf(pdf_variant="pdf/ua-1", finisher=_compress)
    return pdf


_LEVEL: Final = 5
"""Of zlib: a fortieth larger than the highest level, which WeasyPrint takes, in a quarter of its time."""


def _compress(_: Any, pdf: Any) -> None:
    """Compress what WeasyPrint would compress while it writes the file."""
    for entry in pdf.objects:
        if getattr(entry, "compress", False):
            entry.compress = False
            content = entry.data.partition(b"stream\n")[2].removesuffix(b"\nendstream")
            entry.stream = [zlib.compress(content, _LEVEL)]
            entry.extra["Filter"] = "/FlateDecode"


def _fetcher(pictures: Mapping[str, bytes], templates: Path | None) -> "URLFetcher":
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class TemplatesAndPictures(URLFetcher):  # type: ignore[misc] # WeasyPrint publishes no types
        """Opens given pictures and files of the templates folder; WeasyPrint logs any refusal and goes on."""

        def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
            if url in pictures:
                return URLFetcherResponse(url, pictures[url], {"Content-Type": "image/png"})
            path = template_file(url, templates)
            kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            return URLFetcherResponse(url, path.read_bytes(), {"Content-Type": kind})

    return TemplatesAndPictures()
