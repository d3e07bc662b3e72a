"""Pages of the review as HTML: a whole page for the browser, its main part for htmx."""

import hashlib
from functools import cache
from mimetypes import guess_type
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse

from grader.language import Language
from grader.report.environment import environment
from grader.report.presentation import Presentation
from grader.report.resources import find_template

_STATIC: Final = {
    "review.css": "review/static/review.css",
    "review.js": "review/static/review.js",
    "htmx.js": "review/static/htmx.min.js",
    "sans.woff2": "fonts/web/Inter-Regular.woff2",
    "sans-strong.woff2": "fonts/web/Inter-SemiBold.woff2",
    "mono.woff2": "fonts/web/DejaVuSansMono.woff2",
    "math.woff2": "fonts/web/NotoSansMath-Regular.woff2",
}
"""All that is served beside pages, by the name it is asked for."""


class Asset(NamedTuple):
    """A file of the page's own."""

    content: bytes
    kind: str
    version: str


@cache
def asset(name: str) -> Asset | None:
    """A file by its name; None for any that is not ours."""
    if name not in _STATIC:
        return None
    content = find_template(_STATIC[name]).read_bytes()
    kind = "font/woff2" if name.endswith(".woff2") else guess_type(name)[0] or "application/octet-stream"
    return Asset(content, kind, hashlib.sha256(content).hexdigest()[:12])


def link(name: str) -> str:
    """Where a file of ours is; another version is another address."""
    found = asset(name)
    return f"/static/{name}?{found.version}" if found else ""


def rendered(
    request: Request, template: str, language: Language, *, address: str = "", status: int = 200, **values: Any
) -> HTMLResponse:
    """A page; only its main part where htmx asks. `address` is what the browser's bar should then show."""
    part = request.headers.get("hx-request") == "true" and request.headers.get("hx-history-restore-request") != "true"
    made = environment(Presentation(language=language.code)).get_template(f"review/{template}.html")
    text = made.render(frame="review/part.html" if part else "review/page.html", link=link, **values)
    response = HTMLResponse(text, status)
    if part and address:
        response.headers["HX-Push-Url"] = address
    return response
