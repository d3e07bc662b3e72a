"""Nothing leaves the machine where no reader is on; with one, nothing but lines without names, to the host named."""

import json
import re
from pathlib import Path

import pytest

from grader.reader.readers import KEYS
from tests.conftest import results_in, run_grade
from tests.reader.closed import KILLED, can_close, run_closed
from tests.reader.making import answer_of, lines_of
from tests.reader.serving import Serve, said, serve

__all__ = ["serve"]
EXAMPLE = "hand-03-07"
CALLING = """<html><head><link rel="stylesheet" href="http://example.org/style.css"></head>
<body style="background: url(http://example.org/paper.png)"><img src="http://example.org/seen.png"><p>RoBERTa</p>
<script src="https://example.org/run.js"></script><iframe src="http://example.org/"></iframe></body></html>
"""
"""A page that asks whoever shows it to fetch something."""

closed = pytest.mark.skipif(not can_close(), reason="the kernel cannot close the network")


@pytest.fixture
def hand_ins(tmp_path: Path) -> Path:
    folder = tmp_path / "given"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / "report.md").write_text(
        "\n\n".join([*lines_of(EXAMPLE), "![figure](http://example.org/figure.png)"]), encoding="utf-8"
    )
    (folder / "grace").mkdir()
    (folder / "grace" / "report.html").write_text(CALLING, encoding="utf-8")
    return folder


@closed
@pytest.mark.parametrize(
    "reaches",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.create_connection(('::1', 9))",
        "socket.getaddrinfo('example.org', 80)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "urllib.request.urlopen('http://127.0.0.1:9/')",
        "subprocess.run([sys.executable, '-c', 'import socket; socket.getaddrinfo(\"a.org\", 80)'], check=True)",
    ],
)
def test_the_closed_network_is_closed(reaches: str) -> None:
    done = run_closed("-c", f"import socket, subprocess, sys, urllib.request; print('begun', flush=True); {reaches}")
    assert done.stdout == "begun\n"
    assert done.returncode == KILLED or f"{-KILLED}" in done.stderr or "SIGSYS" in done.stderr
    assert run_closed("-c", "import socket; socket.socket(socket.AF_UNIX); print('open')").stdout == "open\n"


@closed
def test_nothing_is_sent_where_no_reader_is_on(hand_ins: Path, tmp_path: Path) -> None:
    done = run_closed("-m", "grader", hand_ins, "--out", tmp_path / "out", **{KEYS[0]: "a key"})
    assert done.returncode == 0, done.stderr
    assert {path.parent.name for path in (tmp_path / "out").glob("*/*.pdf")} >= {"ada", "grace"}
    run_grade(hand_ins, "--out", tmp_path / "plain", "--no-reports")
    assert results_in(tmp_path / "out") == results_in(tmp_path / "plain")
    assert all(one.error is None and one.reader is None for one in results_in(tmp_path / "out").values())


@closed
def test_recordings_need_no_network(hand_ins: Path, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "ada.json").write_text(json.dumps(answer_of(EXAMPLE)), encoding="utf-8")
    spec = ("--reader", f"recordings:{folder}", "--no-reports")
    done = run_closed("-m", "grader", hand_ins, "--out", tmp_path / "out", *spec)
    assert done.returncode == 0, done.stderr
    read = results_in(tmp_path / "out")["ada"].reader
    assert read is not None
    assert read.stated
    assert done.stdout.count("1 of 2 submissions") == 1


@closed
@pytest.mark.parametrize("command", [[], ["lab", "qualify"]])
def test_nothing_is_sent_elsewhere_without_leave(hand_ins: Path, tmp_path: Path, command: list[str]) -> None:
    """Not even the host's name is looked up."""
    rest = [hand_ins, "--out", tmp_path / "out"] if not command else ["--card", tmp_path / "card.json"]
    spec = ("--reader", "openai:https://api.example.org/v1#m")
    done = run_closed("-m", "grader", *command, *rest, *spec)
    assert done.returncode == 2, done.stderr
    assert "api.example.org" in done.stderr
    assert "--allow-upload" in done.stderr


@closed
def test_what_was_answered_is_used_again_without_a_network(serve: Serve, hand_ins: Path, tmp_path: Path) -> None:
    server = serve(lambda *_: said(answer_of(EXAMPLE)))
    spec = ("--reader", f"openai:{server.url}#m", "--no-reports")
    first = run_grade(hand_ins, "--out", tmp_path / "out", *spec)
    assert first.returncode == 0, first.stderr
    asked = len(server.bodies)
    before = results_in(tmp_path / "out")
    verified = run_closed("-m", "grader", "regrade", "verify", tmp_path / "out")
    again = run_closed("-m", "grader", hand_ins, "--out", tmp_path / "out", *spec, "--again")
    assert (verified.returncode, again.returncode) == (0, 0), (verified.stdout, again.stderr)
    assert results_in(tmp_path / "out") == before
    assert len(server.bodies) == asked


def test_what_leaves_is_lines_without_names_and_to_the_host_alone(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda *_: said({}))
    elsewhere = server.url.replace("127.0.0.1", "0.0.0.0")  # reaches this machine, but is not known to
    folder = tmp_path / "Lab4_lovelace_ada"
    folder.mkdir()
    (folder / "report.md").write_text(
        "Ada Lovelace, ada.lovelace@example.org\n\nLovelace's run lies in /home/alovelace/lab.\n\nThe rank r is 16.\n"
    )
    (folder / "notes.bin").write_bytes(b"\0secret\0")
    spec = ("--reader", f"openai:{elsewhere}#m", "--no-reports")
    refused = run_grade(folder, "--out", tmp_path / "refused", *spec)
    assert (refused.returncode, server.bodies) == (2, [])
    done = run_grade(folder, "--out", tmp_path / "out", *spec, "--allow-upload")
    assert done.returncode == 0, done.stderr
    assert "are sent to 0.0.0.0" in done.stdout + done.stderr
    (body,) = server.bodies
    sent: str = body["messages"][1]["content"]
    assert "The rank r is 16." in sent
    words = set(re.split(r"[\W_]+", json.dumps(body).lower()))
    assert not words & {"ada", "lovelace", "alovelace", "secret", "lab4"}
