"""The check for students in the browser: limits, nothing kept, and an answer for everybody."""

import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.hostile.generate import hand_ins

SAMPLE = ROOT / "submissions" / "student-07"
BOUNDARY = "----------------boundary"


@dataclass
class Checking:
    """A running server, the folder of its temporary files, and where it is."""

    port: int
    temporary: Path

    def ask(
        self, method: str, path: str, body: bytes = b"", source: str = "127.0.0.1", **headers: str
    ) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=280, source_address=(source, 0))
        own = {
            "Origin": f"http://127.0.0.1:{self.port}",
            **{key.replace("_", "-"): one for key, one in headers.items()},
        }
        connection.request(method, path, body, own)
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        connection.close()
        return response.status, text

    def upload(self, *files: tuple[str, bytes], source: str = "127.0.0.1", **headers: str) -> tuple[int, str]:
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        return self.ask("POST", "/check", form(*files), source, Content_Type=kind, **headers)

    def left(self) -> list[str]:
        """What lies in the temporary folder that is not the program's own."""
        return sorted(path.name for path in self.temporary.iterdir() if path.name.startswith("check-"))


def form(*files: tuple[str, bytes]) -> bytes:
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n".encode()
        + content
        + b"\r\n"
        for name, content in files
    ]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


@contextmanager
def checking(temporary: Path, *options: str) -> Iterator[Checking]:
    command = [sys.executable, "-m", "grader", "serve", "--check", *options]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = next(match for line in process.stdout if (match := re.match(r"  http://127\.0\.0\.1:(\d+)/", line)))
        threading.Thread(target=process.stdout.read, daemon=True).start()
        served = Checking(int(found[1]), temporary)
        for _ in range(100):
            try:
                served.ask("GET", "/")
                break
            except OSError:
                time.sleep(0.1)
        yield served
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checking]:
    with checking(tmp_path_factory.mktemp("tmp"), "--largest", "1", "--hourly", "0") as one:
        yield one


REPORT = ("report.pdf", (SAMPLE / "report.pdf").read_bytes())
NOTEBOOK = ("notebook.ipynb", (SAMPLE / "code" / "notebook.ipynb").read_bytes())


def test_it_shows_what_was_read_and_keeps_nothing(served: Checking) -> None:
    status, page = served.upload(REPORT, NOTEBOOK)
    assert status == 200
    for words in ("22,807,552", "79.75, 79.25, 80.6", "Question 1", "the scaling factor", "seed 3"):
        assert words in page
    assert served.left() == []
    status, text = served.upload(REPORT, Accept="application/json")
    assert json.loads(text)["report"] == "report.pdf"


def test_an_empty_file_is_told_apart_from_none(served: Checking) -> None:
    status, page = served.upload(("report.pdf", b""))
    assert (status, "report.pdf: the file is empty" in page) == (200, True)
    status, page = served.upload(("", b""))
    assert (status, "Choose your files first." in page) == (400, True)
    assert served.left() == []


def test_nothing_of_the_truth_is_served(served: Checking) -> None:
    _, page = served.upload(("report.md", b"# Question 1\n\nThe model has 22,000,001 parameters in total.\n"))
    assert "22,000,001" in page
    assert "22,807,552" not in page
    assert "22807552" not in page
    assert "points" not in page.split("Your files are deleted")[1]


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Origin": "http://evil.example"}, 403), ({"Host": "evil.example"}, 421), ({"Content_Length": "9999999"}, 413)],
)
def test_who_may_not_upload(served: Checking, headers: dict[str, str], status: int) -> None:
    assert served.ask("POST", "/check", b"", **headers)[0] == status


def test_a_large_upload_is_refused_before_it_is_read(served: Checking) -> None:
    status, text = served.ask("POST", "/check", b"", Content_Length=str(2 << 20))
    assert (status, "1 MiB" in text) == (413, True)


def test_too_many_files_are_told_apart_from_a_broken_upload(served: Checking) -> None:
    status, page = served.upload(*((f"run{number}.log", b"epoch 1\n") for number in range(61)))
    assert (status, "An upload may have 60 files" in page) == (413, True)
    assert served.left() == []


def test_other_pages_and_methods(served: Checking) -> None:
    assert served.ask("GET", "/students/x")[0] == 404
    assert served.ask("GET", "/static/review.js")[0] == 404
    assert served.ask("GET", "/static/..%2Freview.css")[0] == 404
    assert served.ask("DELETE", "/check")[0] == 405
    assert served.ask("POST", "/check", b"no form", Content_Type="text/plain")[0] == 400


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "", ".hidden", "a" * 500 + ".pdf", "x\\y\\report.pdf", "<b>.md", "con.md"]
)
def test_any_name_is_taken(served: Checking, name: str) -> None:
    status, page = served.upload((name, b"# Question 1\n\nTotal: 22,000,001 parameters\n"), ("other.md", b"# Task 1\n"))
    assert status in (200, 400)
    assert "<b>.md" not in page
    assert served.left() == []


@pytest.mark.parametrize("name", ["zip-listing", "pdf-empty", "nested", "digits-md"])
def test_hostile_uploads_are_answered(served: Checking, tmp_path: Path, name: str) -> None:
    make = dict(hand_ins()).get(name) or next(make for key, make in hand_ins() if name in key)
    make(tmp_path)
    files = [(path.name, path.read_bytes()) for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    status, page = served.upload(*[one for one in files if len(one[1]) < 900_000][:20])
    assert status in (200, 400, 422)
    assert "Traceback" not in page
    assert served.left() == []


def test_a_broken_upload_leaves_nothing(served: Checking) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    body = form(REPORT)
    connection.putrequest("POST", "/check")
    for key, value in (
        ("Origin", f"http://127.0.0.1:{served.port}"),
        ("Content-Type", f"multipart/form-data; boundary={BOUNDARY}"),
        ("Content-Length", str(len(body))),
    ):
        connection.putheader(key, value)
    connection.endheaders()
    connection.send(body[: len(body) // 2])
    connection.close()
    for _ in range(50):
        time.sleep(0.1)
        if not served.left():
            break
    assert served.left() == []
    assert served.upload(REPORT)[0] == 200


def test_an_address_may_ask_so_often(tmp_path: Path) -> None:
    with checking(tmp_path, "--hourly", "2") as one:
        small = ("report.md", b"# Question 1\n")
        assert [one.upload(small)[0] for _ in range(3)] == [200, 200, 429]
        assert one.upload(small, source="127.0.0.2")[0] == 200
        assert "You may check 2 submissions an hour" in one.upload(small)[1]
        assert 'action="/check"' in one.upload(small)[1], "with the form, for later"


def test_in_french_for_another_lab(tmp_path: Path) -> None:
    with checking(tmp_path, "--lang", "fr", "--lab", "small-gpt2") as one:
        page = one.ask("GET", "/")[1]
        assert 'lang="fr"' in page
        assert "Vérifier un rendu" in page


def many(served: Checking, number: int) -> list[tuple[int, str, float]]:
    """Uploads side by side, each from an address of its own and with a total of its own."""
    start = time.perf_counter()

    def one(place: int) -> tuple[int, str, float]:
        text = f"# Question 1\n\nThe model has 22,000,{place:03} parameters in total.\n".encode()
        status, page = served.upload(("report.md", text), NOTEBOOK, source=f"127.0.1.{place + 1}")
        own = f"22,000,{place:03}" in page and all(
            f"22,000,{other:03}" not in page for other in range(number) if other != place
        )
        return status, "own" if own else page[:300], time.perf_counter() - start

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(one, range(number)))


def test_uploads_side_by_side_get_their_own_answers(served: Checking) -> None:
    assert {(status, own) for status, own, _ in many(served, 12)} == {(200, "own")}
    assert served.left() == []


@pytest.mark.slow
def test_a_hundred_uploads_side_by_side_are_all_answered(tmp_path: Path) -> None:
    with checking(tmp_path, "--hourly", "30") as one:
        found = many(one, 100)
        assert {(status, own) for status, own, _ in found} == {(200, "own")}
        times = [took for *_, took in found]
        print(f"the first after {min(times):.1f} s, the last after {max(times):.1f} s")
        assert one.left() == []
