"""The review page: what a page and a decision cost, for a class and for a very large one. CPU time, in milliseconds."""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from grader.gradebook.store import FILE, open_database
from grader.message import ENGLISH
from grader.pipeline.finishing import FinishOutcome
from grader.serve.review import Access, Guard, Review
from grader.serve.serving import application
from grader.serve.standing import Finisher, Standing
from scripts.bench.figure import Figure
from scripts.made_class import made_class, shipped_lab

CLASSES = ((150, 300.0, 150.0), (2000, 500.0, 500.0))
"""Students, and the most milliseconds that a page and a decision may take."""
_ORIGIN = "http://127.0.0.1:1"


def figures() -> Iterator[Figure]:
    """For each class: the slowest page, and the slowest of a few decisions."""
    for students, page_bar, decision_bar in CLASSES:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            made_class(out, students, pages=30)
            database = open_database(out / FILE, create=True, durable=True)
            began = time.process_time()
            standing = Standing(out, database, shipped_lab())
            yield Figure(f"review, {students} students: opened", time.process_time() - began, "s")
            app, cookie = _application(
                Review(standing, database, ENGLISH, Finisher(lambda report_progress: FinishOutcome(0, 0, ())))
            )
            groups = [group.id for group in standing.queue()]
            pages = ("/", f"/groups/{groups[0]}", "/class", "/students/made-0000", "/history")
            for path in pages:
                asyncio.run(_asked(app, cookie, path))  # templates are compiled once
            slowest = max((_cost(app, cookie, path), path) for path in pages)
            yield Figure(f"review, {students} students: slowest page ({_kind(slowest[1])})", slowest[0], "ms", page_bar)
            costs = [
                _cost(app, cookie, f"/groups/{id_}/decide", {"seen": standing.seen, "verdict": "partial"})
                for id_ in groups[:10]
            ]
            yield Figure(f"review, {students} students: slowest of 10 decisions", max(costs), "ms", decision_bar)
            database.close()


def _application(review: Review) -> tuple[Any, str]:
    access = Access(["ana"])
    cookie = access.enter(access.token("ana"))
    return Guard(application(review), access, [_ORIGIN], cookie="c", secure=False), f"c={cookie}"


def _cost(app: Any, cookie: str, path: str, fields: dict[str, object] | None = None) -> float:
    began = time.process_time()
    asyncio.run(_asked(app, cookie, path, fields))
    return (time.process_time() - began) * 1000


async def _asked(app: Any, cookie: str, path: str, fields: dict[str, object] | None = None) -> None:
    body = urlencode(fields).encode() if fields else b""
    headers = {"host": _ORIGIN.partition("://")[2], "cookie": cookie, "origin": _ORIGIN, "hx-request": "true"}
    if fields:
        headers |= {"content-type": "application/x-www-form-urlencoded", "content-length": str(len(body))}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST" if fields else "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "server": ("127.0.0.1", 1),
        "client": ("127.0.0.1", 2),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    statuses = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await app(scope, receive, send)
    if statuses != [200]:
        raise RuntimeError(f"{path}: {statuses}")


def _kind(path: str) -> str:
    return path.split("/")[1] or "queue"
