"""Readers behind a server, with one that stands in for it."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grader.pipeline.asking import Consulting, _Desk, _one, answers_about
from grader.reader.answer import Record, kept_in
from grader.reader.card import NOTHING
from grader.reader.readers import KEYS, ReaderChoiceError, ReaderError, Server, choose_reader
from grader.reader.request import requests, schema
from tests.conftest import results_in, run_grade
from tests.reader.making import answer_of, lab_and_truth, lines_of
from tests.reader.serving import Reply, StandIn, said, serve

__all__ = ["serve"]


def reader(server: StandIn, **more: Any) -> Server:
    return Server(server.url, "stand-in", wait=lambda _: None, **{"timeout": 5.0, **more})


def test_an_answer_held_to_the_form(serve: Any) -> None:
    server = serve(lambda *_: said({"results": []}))
    asked = reader(server, key="secret").ask("read", "[1] text", {"type": "object"})
    assert (json.loads(asked.answer), asked.tokens) == ({"results": []}, 100)
    (body,) = server.bodies
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert [one["content"] for one in body["messages"]] == ["read", "[1] text"]
    assert server.keys == {"Bearer secret"}


@pytest.mark.parametrize(
    ("reply", "asked", "reason"),
    [
        (lambda *_: (500, {}, b"broken"), 4, "status 500"),
        (lambda *_: (429, {"Retry-After": "1"}, b""), 4, "status 429"),
        (lambda *_: (401, {}, b"no"), 1, "refuses the key"),
        (lambda *_: (404, {}, b"no"), 1, "no such model"),
        (lambda *_: (302, {"Location": "http://example.org/"}, b""), 1, "status 302"),
        (lambda *_: (400, {}, b"maximum context length is 4096"), 1, "too long"),
        (lambda *_: (200, {}, b"<html>"), 1, "no JSON"),
        (lambda *_: (200, {}, b'{"choices": []}'), 1, "another form"),
        (lambda *_: said("", refusal="I cannot"), 1, "refuses"),
        (lambda *_: said('{"results": [', "length"), 1, "cut off"),
        (lambda *_: said(""), 1, "empty"),
    ],
    ids=range(11),
)
def test_no_answer_is_told_with_its_reason(serve: Any, reply: Any, asked: int, reason: str) -> None:
    server = serve(reply)
    with pytest.raises(ReaderError, match=reason):
        reader(server).ask("read", "text", {})
    assert len(server.bodies) == asked


def test_a_server_that_is_away_or_slow() -> None:
    away = Server("http://127.0.0.1:9/v1", "m", timeout=1.0, wait=lambda _: None)
    with pytest.raises(ReaderError, match="cannot be reached"):
        away.ask("read", "text", {})


def test_a_server_that_never_ends(serve: Any) -> None:
    ended = threading.Event()
    server = serve(lambda *_: (ended.wait(10), said("late"))[1])
    with pytest.raises(ReaderError, match="within"):
        reader(server, timeout=0.2).ask("read", "text", {})
    ended.set()


def test_a_server_without_schemas_is_asked_without(serve: Any) -> None:
    server = serve(lambda body, _: (400, {}, b"unknown field") if "response_format" in body else said({"parts": []}))
    assert reader(server).ask("read", "text", {}).answer == '{"parts": []}'


def test_a_moment_of_trouble_costs_nothing(serve: Any) -> None:
    server = serve(lambda _, number: (503, {}, b"") if number < 3 else said({}))
    assert reader(server).ask("read", "text", {}).answer == "{}"


def desk(server: StandIn, cache: Path | None = None, **more: Any) -> _Desk:
    lab, _ = lab_and_truth()
    own = reader(server)
    return _Desk(own, schema(lab), Consulting(own, NOTHING, cache, **more))


UNASKED = Record(reader="r", inputs="")


def test_sixty_texts_eight_at_a_time_and_none_twice(serve: Any, tmp_path: Path) -> None:
    lab, _ = lab_and_truth()
    together = threading.Barrier(8)

    def reply(_: Any, number: int) -> Reply:
        if number <= 8:
            together.wait(timeout=20)
        return said({})

    server = serve(reply)
    texts = [[f"The text of student {number % 50}."] for number in range(60)]
    counter = desk(server, tmp_path)
    with ThreadPoolExecutor(8) as pool:
        records = list(pool.map(lambda lines: _one(counter, lines, lab, UNASKED), texts))
    assert [record.failure for record in records] == [""] * 60
    assert (len(server.bodies), server.most, counter.tokens) == (50, 8, 5_000)
    again = desk(server, tmp_path)
    assert _one(again, texts[0], lab, UNASKED).answers == ("{}",)
    assert len(server.bodies) == 50


def test_a_text_too_long_for_the_model_is_asked_about_in_parts(serve: Any) -> None:
    lab, _ = lab_and_truth()
    lines = [f"Line {number} of a long text about seeds." for number in range(400)]
    server = serve(
        lambda body, _: (400, {}, b"context") if len(body["messages"][1]["content"]) > 6_000 else said({"parts": []})
    )
    record = _one(desk(server), lines, lab, UNASKED)
    assert (record.failure, len(record.answers) > 2) == ("", True)
    asked = "\n".join(record.requests)
    assert all(line in asked for line in lines)


def test_no_more_is_asked_beyond_the_limit_of_tokens(serve: Any) -> None:
    lab, _ = lab_and_truth()
    server = serve(lambda *_: said({}))
    own = desk(server, most_tokens=150)
    failures = [_one(own, [f"Text {number}"], lab, UNASKED).failure for number in range(4)]
    assert failures[:2] == ["", ""]
    assert "150 tokens" in failures[3]
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    "spec",
    [
        "openai:",
        "openai:localhost#m",
        "openai:http://localhost/v1",
        "openai:http://me:secret@host/v1#m",
        "magic:x",
        "x",
    ],
)
def test_a_reader_that_cannot_be_meant(spec: str) -> None:
    with pytest.raises(ReaderChoiceError) as error:
        choose_reader(spec)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("host", "leaves"),
    [("localhost:1", None), ("127.0.0.9", None), ("[::1]:80", None), ("10.0.0.2", "10.0.0.2"), ("a.org", "a.org")],
)
def test_what_is_another_machine(host: str, leaves: str | None) -> None:
    found = choose_reader(f"openai:http://{host}/v1#m")
    assert isinstance(found, Server)
    assert found.leaves == leaves


def _class(folder: Path) -> Path:
    for student, example in (("ada", "hand-03-07"), ("grace", "hand-04-01")):
        (folder / student).mkdir(parents=True)
        (folder / student / "report.md").write_text("\n\n".join(lines_of(example)), encoding="utf-8")
    return folder


def test_a_class_is_read_once_and_kept(serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEYS[0], "top-secret")
    answers = {line: answer_of(name) for name in ("hand-03-07", "hand-04-01") for line in lines_of(name)[:3]}

    def reply(body: dict[str, Any], _: int) -> Reply:
        text = body["messages"][1]["content"]
        return said(next(answer for line, answer in answers.items() if line in text))

    server = serve(reply)
    given, out = _class(tmp_path / "given"), tmp_path / "out"
    spec = ("--reader", f"openai:{server.url}#stand-in", "--no-reports")
    plain = run_grade(given, "--out", tmp_path / "plain", "--no-reports")
    done = run_grade(given, "--out", out, *spec)
    assert (plain.returncode, done.returncode) == (0, 0), done.stderr
    assert len(server.bodies) == 2
    assert not any({"ada", "grace"} & set(body["messages"][1]["content"].split()) for body in server.bodies)
    results = results_in(out)
    assert all(one.reader and one.reader.stated and not one.reader.failure for one in results.values())
    kept = kept_in(out / "ada")
    assert kept is not None
    assert kept.answers
    everything = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert b"top-secret" not in everything + done.stdout.encode() + done.stderr.encode()
    again = run_grade(given, "--out", out, *spec, "--again")
    verified = run_grade("regrade", "verify", out)
    assert (again.returncode, verified.returncode, len(server.bodies)) == (0, 0, 2), verified.stdout
    plain_results = results_in(tmp_path / "plain")
    assert all(one.reader is None for one in plain_results.values())


def test_without_an_answer_the_grade_is_that_without_a_reader(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda *_: (401, {}, b""))
    given = _class(tmp_path / "given")
    run_grade(given, "--out", tmp_path / "plain", "--no-reports")
    done = run_grade(given, "--out", tmp_path / "out", "--reader", f"openai:{server.url}#m", "--no-reports")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("refuses the key") == 1
    for student, plain in results_in(tmp_path / "plain").items():
        found = results_in(tmp_path / "out")[student]
        assert found.items == plain.items
        assert found.reader is not None
        assert "refuses the key" in found.reader.failure


@pytest.mark.parametrize(
    "answer", ['{"total": {"value": "3", "quote": "3"', "Sorry.", '{"grade": 20}', '{"r": {"quote": "x"}}']
)
def test_what_is_no_answer_is_a_failure_and_asked_for_again(serve: Any, tmp_path: Path, answer: str) -> None:
    lab, _ = lab_and_truth()
    server = serve(lambda _, number: said(answer if number == 1 else {"parts": []}))
    first = _one(desk(server, tmp_path), ["A text."], lab, UNASKED)
    assert ("of the form asked for" in first.failure, first.answers) == (True, ())
    second = _one(desk(server, tmp_path), ["A text."], lab, UNASKED)
    assert (second.failure, len(server.bodies)) == ("", 2)


def test_recordings_of_all_kinds_are_told_once_each(tmp_path: Path) -> None:
    given, recorded = tmp_path / "given", tmp_path / "recorded"
    recorded.mkdir()
    answers = {
        "ada": json.dumps(answer_of("hand-04-01")),
        "bea": '{"total": {"value": "22',
        "cyd": "I cannot help with that.",
        "dan": None,
        "eve": "{}",
    }
    for name, answer in answers.items():
        (given / name).mkdir(parents=True)
        (given / name / "report.md").write_text("\n\n".join(lines_of("hand-03-07")), encoding="utf-8")
        if answer is not None:
            (recorded / f"{name}.json").write_text(answer, encoding="utf-8")
    spec = ("--reader", f"recordings:{recorded}", "--no-reports")
    done = run_grade(given, "--out", tmp_path / "out", *spec)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("gave no answer for 2 of 5 submissions") == 1
    assert done.stdout.count("gave no answer for 1 of 5 submissions") == 1
    found = results_in(tmp_path / "out")
    assert [name for name, one in found.items() if one.reader and not one.reader.failure] == ["ada", "eve"]
    assert [name for name, one in found.items() if "reader-astray" in {flag.id for flag in one.flags}] == ["ada"]
    alike = [[item.model_copy(update={"subject": ""}) for item in found[name].items] for name in ("bea", "cyd", "dan")]
    assert alike[0] == alike[1] == alike[2], "but for whose they are"


def test_nothing_is_sent_elsewhere_without_leave(tmp_path: Path) -> None:
    given = _class(tmp_path / "given")
    done = run_grade(given, "--out", tmp_path / "out", "--reader", "openai:https://api.example.org/v1#m")
    assert done.returncode == 2
    assert "--allow-upload" in done.stderr
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").rglob("result.json"))


def test_examples_are_asked_about_several_at_a_time_and_failures_are_told(serve: Any) -> None:
    lab, _ = lab_and_truth()

    def reply(body: dict[str, Any], _: int) -> Reply:
        text = body["messages"][1]["content"]
        if "refused" in text:
            return said("", refusal="I cannot")
        return (400, {}, b"context") if len(text) > 6_000 else said({"parts": []})

    long = [f"Line {number} of a long text about seeds." for number in range(400)]
    server = serve(reply)
    short, refused, cut = answers_about([["short"], ["refused"], long], lab, reader(server), 3)
    assert short == ('{"parts": []}',)
    assert isinstance(refused, ReaderError)
    assert not isinstance(cut, ReaderError)
    assert len(cut) > 2


def test_a_long_text_is_cut_between_its_parts() -> None:
    lab, _ = lab_and_truth()
    parts = [[f"part {part} line {line}" for line in range(10)] for part in range(4)]
    parts[2] = [f"part 2 line {line}" for line in range(60)]
    lines = [line for part in parts for line in ("", *part)][1:]
    texts = [one.text.split("\n") for one in requests(lines, lab, longest=500)]
    assert max(sum(map(len, text)) + len(text) for text in texts) <= 500
    assert [line.partition("] ")[2] for line in texts[0]] == [*parts[0], *parts[1]]
    assert texts[1][0] == "[21] part 2 line 0"
    assert any(text[0] == "[81] part 3 line 0" for text in texts)
    assert {line.partition("] ")[2] for text in texts for line in text} == {line for line in lines if line}


def test_requests_hold_the_lines_and_nothing_else() -> None:
    lab, _ = lab_and_truth()
    (request,) = requests(["one", "", "two"], lab)
    assert request.text == "[1] one\n[2] two"
    assert all(one.id in request.instruction for one in lab.experiments)
