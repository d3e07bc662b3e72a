"""The real `grade serve` in a process of its own, and a plain client for it."""

import http.client
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.conftest import ROOT

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""A browser, where one is installed."""

LINK = re.compile(r"^  (\S+): (http\S+)$")


@dataclass
class Served:
    """A running server: each grader's link."""

    process: subprocess.Popen[str]
    links: dict[str, str]

    @property
    def base(self) -> str:
        return next(iter(self.links.values())).partition("/enter")[0]

    def kill(self) -> None:
        """As hard as it goes."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(graded: Path, graders: str = "ana", *options: str) -> Iterator[Served]:
    command = [sys.executable, "-m", "grader", "serve", str(graded), "--graders", graders, *options]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        links: dict[str, str] = {}
        assert process.stdout is not None
        for line in process.stdout:
            found = LINK.match(line)
            if found:
                links[found[1]] = found[2]
            if len(links) == len(graders.split(",")):
                break
        assert links, process.stderr.read() if process.stderr else ""
        threading.Thread(target=process.stdout.read, daemon=True).start()
        served = Served(process, links)
        _wait(served)
        yield served
    finally:
        process.kill()
        process.communicate()


def _wait(served: Served) -> None:
    parts = urlsplit(served.base)
    for _ in range(100):
        try:
            connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
            connection.request("GET", "/")
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.1)


class Client:
    """A grader without a browser."""

    def __init__(self, served: Served, grader: str | None) -> None:
        parts = urlsplit(served.base)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
        self.origin = served.base
        self.cookie = ""
        if grader:
            _, headers, _ = self.get(served.links[grader].removeprefix(served.base))
            self.cookie = headers["set-cookie"].partition(";")[0]

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
        return self._request("GET", path, None, headers)

    def post(self, path: str, fields: dict[str, object], **headers: str) -> tuple[int, dict[str, str], str]:
        own = {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
        return self._request("POST", path, urlencode(fields, doseq=True), {**own, **headers})

    def _request(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], str]:
        sent = {**({"Cookie": self.cookie} if self.cookie else {}), **headers}
        self._connection.request(method, path, body, sent)
        response = self._connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        return response.status, {name.lower(): value for name, value in response.getheaders()}, text


def groups_of(page: str) -> list[str]:
    """The groups that a page of the queue links to, in its order."""
    return list(dict.fromkeys(re.findall(r'href="/groups/([0-9a-f]+)"', page)))


def seen_of(page: str) -> str:
    """The number that a form sends back."""
    return re.findall(r'name="seen" value="(\d+)"', page)[0]


def opened(browser: Any, served: Served, grader: str = "ana", **context: Any) -> Any:
    """A page of a grader's own, on which nothing may go wrong in the console."""
    page = browser.new_context(**context).new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda line: page.problems.append(line.text) if line.type == "error" else None)
    page.goto(served.links[grader])
    page.wait_for_url(f"{served.base}/")
    return page
