"""A server that stands in for a model behind OpenAI's interface."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Reply = tuple[int, dict[str, str], bytes]
POLL = 0.01
"""Seconds after which a server notices that it is to end: each test waits for that."""


class StandIn(ThreadingHTTPServer):
    """Answers as `reply` says to a request's body; `bodies` are those of all requests, `most` so many at a time."""

    daemon_threads = True

    def __init__(self, reply: Callable[[dict[str, Any], int], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply, self.lock = reply, threading.Lock()
        self.bodies: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.now = self.most = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.keys.add(self.headers.get("authorization", ""))
            number = len(self.server.bodies)
            self.server.now += 1
            self.server.most = max(self.server.most, self.server.now)
        status, headers, content = self.server.reply(body, number)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        with self.server.lock:
            self.server.now -= 1

    def log_message(self, *_: Any) -> None:
        pass


def said(content: object, finish: str = "stop", **more: Any) -> Reply:
    text = content if isinstance(content, str) else json.dumps(content)
    choice = {"message": {"content": text, **more}, "finish_reason": finish}
    return 200, {}, json.dumps({"choices": [choice], "usage": {"total_tokens": 100}}).encode()


Serve = Callable[[Callable[[dict[str, Any], int], Reply]], StandIn]
"""Starts a server that answers so until the test ends."""


@pytest.fixture
def serve() -> Iterator[Serve]:
    running: list[StandIn] = []

    def start(reply: Callable[[dict[str, Any], int], Reply]) -> StandIn:
        server = StandIn(reply)
        running.append(server)
        threading.Thread(target=server.serve_forever, args=(POLL,), daemon=True).start()
        return server

    yield start
    for server in running:
        server.shutdown()
        server.server_close()
