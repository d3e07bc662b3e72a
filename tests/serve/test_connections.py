"""No client keeps others out of `grade serve` and `grade serve --check`, and every refusal can be read. All of it is on
127.0.0.1, and every wait ends."""

import contextlib
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conftest import ROOT, run_grade
from tests.serve.serving import CHROMIUM, Client, Served, serving
from tests.serve.test_check import BOUNDARY, Checking, checking, form

CROWD = 450
"""More than the servers hold at a time."""
PATIENCE = 40.0
"""In seconds: for so long at most a client may owe something."""


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    out = tmp_path_factory.mktemp("review") / "graded"
    done = run_grade(ROOT / "submissions" / "student-04", "--as", "student", "--out", out, "--no-reports")
    assert done.returncode == 0, done.stderr
    with serving(out) as one:
        yield one


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checking]:
    with checking(tmp_path_factory.mktemp("tmp"), "--largest", "1", "--hourly", "0") as one:
        yield one


@pytest.fixture(params=["review", "check"])
def port(request: pytest.FixtureRequest) -> int:
    if request.param == "check":
        served: Checking = request.getfixturevalue("check")
        return served.port
    return urlsplit(request.getfixturevalue("review").base).port or 0


def connected(port: int, sent: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=20)
    made.sendall(sent)
    return made


def status_of(port: int, request: bytes) -> int:
    """The status of the answer to a request that is sent whole before anything is read."""
    with connected(port) as made:
        made.sendall(request)
        return int(made.makefile("rb").readline().split()[1])


def head(port: int, method: str = "GET", path: str = "/", *more: str) -> bytes:
    lines = (f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Origin: http://127.0.0.1:{port}", *more)
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1")


def is_served(port: int) -> bool:
    started = time.monotonic()
    status = status_of(port, head(port))
    return status in (200, 401) and time.monotonic() - started < 10


def is_closed(one: socket.socket) -> bool:
    one.setblocking(False)
    try:
        while data := one.recv(65536):
            del data
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def test_those_who_send_no_whole_head_keep_nobody_out(port: int) -> None:
    with contextlib.ExitStack() as stack:
        crowd = [stack.enter_context(connected(port, head(port)[:20])) for _ in range(CROWD)]
        assert all(is_served(port) for _ in range(20))
        upload = head(port, "POST", "/check", "Content-Length: 200000", "Content-Type: text/plain")
        crowd += [stack.enter_context(connected(port, upload)) for _ in range(CROWD)]
        assert all(is_served(port) for _ in range(20))
        assert sum(map(is_closed, crowd)) >= CROWD, "the oldest have made room"


def test_what_is_owed_for_too_long_ends_the_connection(port: int) -> None:
    """A silent client, half a head, one byte of a head or of a body a second, and a second request that never ends."""
    upload = head(port, "POST", "/check", "Content-Length: 200000", "Content-Type: text/plain")
    with contextlib.ExitStack() as stack:
        silent, half, slow, body, second = (
            stack.enter_context(connected(port, sent))
            for sent in (b"", head(port)[:20], head(port)[:9], upload, head(port) + b"G")
        )
        left = {"silent": silent, "half": half, "slow": slow, "body": body, "second": second}
        until = time.monotonic() + PATIENCE
        while left and time.monotonic() < until:
            time.sleep(1)
            for one in (slow, body):
                with contextlib.suppress(OSError):
                    one.send(b"x")
            left = {name: one for name, one in left.items() if not is_closed(one)}
        assert not left
    assert is_served(port)


def test_a_large_upload_that_is_sent_to_the_end_finds_the_page_that_refuses_it(check: Checking) -> None:
    status, page = check.upload(("report.pdf", bytes(33 * 2**20)))
    assert (status, "1 MiB" in page, "</html>" in page) == (413, True, True)


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
@pytest.mark.parametrize("options", [[], ["-H", "Expect:"], ["--http1.0"], ["-H", "Transfer-Encoding: chunked"]])
def test_curl_shows_the_page_that_refuses_an_upload(check: Checking, tmp_path: Path, options: list[str]) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(bytes(33 * 2**20))
    base = f"http://127.0.0.1:{check.port}"
    command = ["curl", "-sS", "-m", "60", "-w", "%{http_code}", "-H", f"Origin: {base}", "-F", f"files=@{file}"]
    done = subprocess.run([*command, *options, f"{base}/check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "</html>" in done.stdout
    assert done.stdout.endswith("413")


@pytest.mark.skipif(CHROMIUM is None, reason="no browser")
def test_a_browser_shows_the_page_that_refuses_an_upload(check: Checking, tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    file = tmp_path / "report.pdf"
    file.write_bytes(bytes(33 * 2**20))
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{check.port}/")
        page.set_input_files("input[type=file]", str(file))
        page.click("button.button")
        page.wait_for_selector("[role=alert]", timeout=30_000)
        assert "1 MiB" in page.inner_text("[role=alert]")
        browser.close()


def test_a_length_beside_chunks_does_not_count(port: int) -> None:
    """The chunks are what is read, whatever length is told."""
    many = b"".join(b"10000\r\n" + bytes(65536) + b"\r\n" for _ in range(64)) + b"0\r\n\r\n"
    lengths = (
        "Content-Length: 10",
        "Transfer-Encoding: chunked",
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}",
    )
    assert status_of(port, head(port, "POST", "/check", *lengths) + many) in (400, 413)
    assert is_served(port)


@pytest.mark.parametrize(
    "request_",
    [
        head(0, "GET", "/", "Content-Length: 99999999999999999999999"),
        head(0, "POST", "/check", "Content-Length: -1"),
        head(0, "POST", "/check", "Content-Length: \xb2"),
        head(0, "POST", "/check", "Content-Length: 5", "Content-Length: 6"),
        head(0, "GET", "/", *(f"X-{number}: {'x' * 1000}" for number in range(100))),
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n" * 50,
        head(0) * 50,
        head(0, "POST") * 50,
        head(0, "GET", "/", "Content-Length: 5") + b"hello" + head(0),
    ],
    ids=[
        "huge",
        "negative",
        "no digit",
        "two lengths",
        "large head",
        "bytes",
        "tls",
        "version",
        "many",
        "posts",
        "body",
    ],
)
def test_nonsense_is_refused_and_nobody_is_kept_out(port: int, request_: bytes) -> None:
    with connected(port) as made, contextlib.suppress(OSError):
        made.sendall(request_.replace(b"127.0.0.1:0", f"127.0.0.1:{port}".encode()))
        first = made.makefile("rb").readline()
        assert not first or first.split()[1] in (b"200", b"400", b"401", b"413", b"421", b"431"), first
    assert is_served(port)


ODD = (
    "%00",
    "%FF",
    "..",
    "-1",
    "1" * 12,
    "1" * 19,
    "1" * 5000,
    "x" * 300,
    "%F0%9F%98%80",
    "%C2%B2",
    "%D9%A1",
    "%2e%2e%2f",
)
PATHS = (
    *("/groups/{odd}", "/groups/{odd}/presence", "/groups/{odd}/more", "/groups/{group}/more?start={odd}", "/{odd}"),
    *("/students/{odd}", "/students/{odd}/readings", "/students/{odd}/surroundings/q2.total/0", "/static/{odd}"),
    *("/students/student-04/surroundings/{odd}/0", "/students/student-04/surroundings/q2.total/{odd}"),
    *("/crops/{odd}/q2.total/0.png", "/crops/student-04/{odd}/0.png", "/crops/student-04/q2.total/{odd}.png"),
    *("/class?page={odd}", "/class?q={odd}&order={odd}", "/history?until={odd}", "/history?student={odd}&author={odd}"),
)


def test_no_address_is_an_error_of_the_server(review: Served) -> None:
    grader = Client(review, "ana")
    group = grader.get("/")[2].partition('href="/groups/')[2].partition('"')[0]
    for path in PATHS:
        for odd in ODD:
            status, headers, text = grader.get(path.format(odd=odd, group=group))
            assert status in (200, 303, 307, 400, 404), (path, odd[:20], status, text[:300])
            if status in (400, 404) and not path.startswith(("/static/", "/crops/")):
                assert headers["content-type"].startswith("text/html"), (path, odd[:20])
    for odd in ODD:
        for path in (f"/requests/{odd}/answer", f"/students/{odd}/whole", f"/groups/{odd}/decide"):
            sent = {"answer": "x", "student": "student-04", "seen": odd, "verdict": "correct", "points": odd}
            status, _, text = grader.post(path, sent)
            assert status in (200, 400, 404), (path, odd[:20], status, text[:300])


def test_no_address_of_the_check_is_an_error_of_the_server(check: Checking) -> None:
    for odd in ODD:
        for path in (f"/{odd}", f"/static/{odd}", f"/check?{odd}", f"/check/{odd}"):
            status, page = check.ask("GET", path)
            assert status in (200, 307, 400, 404, 405), (path, status)
            assert status != 404 or path.startswith("/static/") or "</html>" in page


def test_many_upload_at_the_same_time(check: Checking) -> None:
    one = ("report.md", b"# Question 1\n\nThe model has 22,000,001 parameters in total.\n" + b"x" * 200_000)
    with ThreadPoolExecutor(30) as pool:
        answers = list(pool.map(lambda _: check.upload(one), range(30)))
    assert {status for status, _ in answers} <= {200, 503}
    assert sum(status == 200 for status, _ in answers) >= 10
    assert check.left() == []
    assert len(form(one)) < 2**20
