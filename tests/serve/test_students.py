"""Students read their own released reports and ask about them; nothing of others answers, whatever is sent."""

import csv
import http.client
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from urllib.parse import urlencode

import pytest

from grader.gradebook.requests import answer, every_request
from grader.gradebook.store import FILE, Database, open_database
from grader.pipeline.blind import Key, KeyEntry
from grader.result import Identity, Member, Result, Status
from scripts.made_class import LAB, made_class
from tests.conftest import ROOT, run_grade
from tests.serve.serving import CHROMIUM

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
GROUP = "made-0003"
MEMBERS = (Member(name="Ada One", email="ada@example.org"), Member(name="Bo Two", number="0042"))
ADDRESS = re.compile(r"^  (http\S+)/$")


@dataclass
class Door:
    """A running students' door: its address, all that it printed, and the gradebook behind it."""

    port: int
    graded: Path
    printed: list[str]

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, path: str, token: str = "", method: str = "GET", fields: dict[str, Any] | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """The answer to a request that carries a token as a browser would."""
        sent = {"Cookie": f"report_{self.port}={token}"} if token else {}
        body = None
        if fields is not None:
            body, method = urlencode(fields), "POST"
            sent |= {"Origin": self.base, "Content-Type": "application/x-www-form-urlencoded"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in {
                **sent,
                **headers,
                **({} if body is None else {"Content-Length": str(len(body))}),
            }.items():
                connection.putheader(name, value)
            connection.endheaders(body.encode() if body else None)
            response = connection.getresponse()
            text = response.read().decode("latin-1")
            return response.status, {name.lower(): value for name, value in response.getheaders()}, text
        finally:
            connection.close()


@contextmanager
def students_door(graded: Path, *options: str) -> Iterator[Door]:
    command = [str(ROOT / ".venv/bin/python"), "-m", "grader", "serve", str(graded), "--students", *options]
    process = Popen(command, cwd=ROOT, stdout=PIPE, stderr=PIPE, text=True)
    printed: list[str] = []
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        port = 0
        for line in process.stdout:
            printed.append(line)
            if found := ADDRESS.match(line):
                port = int(found[1].rpartition(":")[2])
                break
        assert port, process.stderr.read()
        for stream in (process.stdout, process.stderr):
            threading.Thread(target=lambda from_=stream: printed.extend(from_), daemon=True).start()
        door = Door(port, graded, printed)
        for _ in range(100):
            try:
                door.ask("/static/review.css")
                break
            except OSError:
                threading.Event().wait(0.1)
        yield door
    finally:
        process.kill()
        process.wait()


def decided(result: Result) -> Result:
    """A result in which nothing is pending."""
    items = tuple(
        one.model_copy(
            update={"pending": Decimal(0), "score": Decimal(0), "status": Status.INCORRECT, "suggestion": None}
        )
        if one.pending
        else one
        for one in result.items
    )
    questions = tuple(one.model_copy(update={"pending": Decimal(0)}) for one in result.questions)
    told = {"items": items, "questions": questions, "pending": Decimal(0), "needs_review": False}
    return result.model_copy(update=told)


@pytest.fixture(scope="session")
def class_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four hand-ins, one of them of a group of two; that of made-0002 has an item pending review."""
    out = tmp_path_factory.mktemp("door") / "graded"
    made_class(out, 4, pages=4)
    for path in out.glob("*/result.json"):
        result = Result.from_json(path.read_bytes())
        if result.student.id == "made-0002":
            continue
        result = decided(result)
        if result.student.id == GROUP:
            student = result.student.model_copy(update={"identity": Identity(members=MEMBERS)})
            result = result.model_copy(update={"student": student})
        path.write_text(result.to_json(), encoding="utf-8")
        (path.parent / "report.html").write_text(f"<!DOCTYPE html><p>secret of {result.student.id}", encoding="utf-8")
        (path.parent / "report.pdf").write_bytes(b"%PDF secret of " + result.student.id.encode())
    return out


@pytest.fixture
def graded(class_once: Path, tmp_path: Path) -> Path:
    import shutil

    return Path(shutil.copytree(class_once, tmp_path / "graded"))


def grade(*arguments: object) -> str:
    done = run_grade(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def links(graded: Path, *options: object) -> dict[str, str]:
    """The tokens in a file of links, by the person's name."""
    file = graded.parent / f"links-{len(list(graded.parent.glob('links-*')))}.csv"
    grade("serve", "links", graded, "--at", "https://grades.example.org", "--export", file, *options)
    assert file.stat().st_mode & 0o077 == 0
    with file.open(encoding="utf-8", newline="") as lines:
        return {row["name"]: row["link"].partition("/#")[2] for row in csv.DictReader(lines)}


@contextmanager
def gradebook(graded: Path) -> Iterator[Database]:
    database = open_database(graded / FILE, create=False)
    try:
        yield database
    finally:
        database.close()


def item_of(graded: Path, student: str) -> str:
    return Result.from_json((graded / student / "result.json").read_bytes()).items[0].id


def test_released_reports_are_read_by_their_owners_alone(graded: Path) -> None:
    """Every path with every token: what answers is the owner's, and the rest tells nothing."""
    told = grade("serve", "release", graded)
    assert "3 reports released" in told
    assert "pending review: made-0002" in told
    tokens = links(graded)
    owner = {name: GROUP if name in ("Ada One", "Bo Two") else name.lower().replace(" ", "-") for name in tokens}
    students = sorted({*owner.values()})
    assert students == ["made-0000", "made-0001", "made-0002", GROUP]
    hashes = [path.name for path in (graded / ".released").iterdir()]
    paths = ["/", "/report.html", "/report.pdf", "/result.json", "/class", "/history", "/decisions.toml", "/finish"]
    for student in students:
        paths += [f"/students/{student}", f"/{student}/report.html", f"/report.html?student={student}"]
        paths += [
            f"/{student}",
            f"/../{student}/report.html",
            f"/report.html/{student}",
            f"/crops/{student}/q2.r/0.png",
        ]
    paths += [f"/.released/{hashes[0]}", f"/{hashes[0]}", f"/static/..%2f.released%2f{hashes[0]}"]
    with students_door(graded) as door:
        for name, token in tokens.items():
            own = owner[name]
            for path in paths:
                status, headers, text = door.ask(path, token)
                others = [one for one in students if one != own and (f"secret of {one}" in text or f">{one}<" in text)]
                assert not others, (name, path)
                is_open = own != "made-0002" and path.partition("?")[0] in ("/", "/report.html", "/report.pdf")
                assert status == (200 if is_open or path == "/" else 404), (name, path, status)
                assert headers["cache-control"] == "no-store"
                if path.startswith("/report.html") and is_open and status == 200:
                    assert text.endswith(f"secret of {own}")
                    assert "sandbox" in headers["content-security-policy"]
                    assert "script" not in headers["content-security-policy"]
                    assert headers["referrer-policy"] == "no-referrer"
                if own == "made-0002":
                    assert "points" not in text
        printed = "".join(door.printed)
        assert not any(token in printed or token[12:] in printed for token in tokens.values())
    content = b"".join(path.read_bytes() for path in graded.glob("gradebook*"))
    assert not any(token[12:].encode() in content for token in tokens.values()), "no secret is kept"


def foreign(tokens: list[str], number: int) -> str:
    """A token that is none: made of parts of true ones, of another length, of odd signs."""
    one, other = tokens[number % len(tokens)], tokens[(number + 1) % len(tokens)]
    kinds = (
        one[:12] + other[12:],
        one[:-1],
        one + "A",
        one.swapcase(),
        one[:12] + "A" * 43,
        "A" * 55,
        f"{number:055}",
        one[::-1],
        "A" * 5000,
        "%00" + one[3:],
        f"{one[:54]}\u00e9",
        "../" + one[3:],
        "' OR 1=1 --".ljust(55, "-"),
    )
    return kinds[number % len(kinds)]


def test_a_thousand_requests_with_foreign_tokens_are_answered_by_none(graded: Path) -> None:
    grade("serve", "release", graded)
    tokens = list(links(graded).values())
    item = item_of(graded, GROUP)
    with students_door(graded) as door:

        def one(number: int) -> tuple[int, str]:
            token = foreign(tokens, number)
            path = ("/", "/report.html", "/report.pdf", "/ask", "/enter")[number % 5]
            sent = {"Cookie": f"report_{door.port}={token}".encode("latin-1", "replace").decode("latin-1")}
            if path == "/ask":
                status, _, text = door.ask(path, "", fields={"item": item, "text": "x"}, **sent)
            elif path == "/enter":
                status, _, text = door.ask(path, "", fields={"token": token})
            else:
                status, _, text = door.ask(path, "", **sent)
            return status, text

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(one, range(1000)))
        print(f"1,000 requests with foreign tokens: {sum(status < 400 for status, _ in found)} answered")
        assert {status for status, _ in found} <= {401, 429}
        assert not [text for _, text in found if "secret" in text or "made-" in text or "Ada" in text]
        assert sum(status == 429 for status, _ in found) > 800, "an address that guesses is slowed down"
        assert door.ask("/", tokens[0])[0] == 200, "who has a link is not kept out by those who guess"
    with gradebook(graded) as database:
        assert every_request(database, LAB) == ()


def test_methods_headers_and_places_that_carry_no_token(graded: Path) -> None:
    grade("serve", "release", graded)
    token = links(graded)["Ada One"]
    item = item_of(graded, GROUP)
    with students_door(graded) as door:
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"):
            assert door.ask("/report.html", token, method)[0] == 405, method
        status, headers, text = door.ask("/report.html", token, "HEAD")
        assert (status, text) == (200, "")
        assert door.ask("/report.html", "", "HEAD")[0] == 401
        elsewhere = (
            (f"/report.html?token={token}", {}),
            (f"/{token}/report.html", {}),
            ("/report.html", {"Authorization": f"Bearer {token}"}),
            ("/report.html", {"X-Token": token}),
            ("/report.html", {"Cookie": f"report={token}"}),
            ("/report.html", {"Cookie": f"report_{door.port}=%20{token}"}),
        )
        for path, sent in elsewhere:
            assert door.ask(path, "", **sent)[0] in (401, 404), (path, sent)
        assert door.ask("/", token, Host="elsewhere.example")[0] == 421
        question = {"item": item, "text": "Why?"}
        for origin in ("https://elsewhere.example", "null", ""):
            assert door.ask("/ask", token, fields=question, Origin=origin)[0] == 403
            assert door.ask("/enter", "", fields={"token": token}, Origin=origin)[0] == 403
        assert door.ask("/ask", token, fields={**question, "text": "x" * 40_000})[0] == 413
        assert door.ask("/ask", token, fields={**question, "text": "x" * 2_001})[0] == 400
        assert door.ask("/ask", token, fields={**question, "text": " \x00\u200b "})[0] == 400
        assert door.ask("/ask", token, fields={"item": "../made-0000", "text": "x"})[0] == 400
        for path in (
            "/static/htmx.js",
            "/static/%2e%2e%2freview.css",
            "/%2e%2e/",
            "/report%2ehtml%00",
            "/%ff",
            "/" + "x" * 3000,
        ):
            status, _, text = door.ask(path, token)
            assert status == 404, path
            assert "secret" not in text
        status, headers, _ = door.ask("/enter", "", fields={"token": token})
        assert (status, headers["location"]) == (303, "/")
        cookie = headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        status, headers, _ = door.ask("/leave", token, fields={})
        assert status == 303
        assert "max-age=0" in headers["set-cookie"].lower()
    with gradebook(graded) as database:
        assert every_request(database, LAB) == ()


def test_a_question_its_limits_and_its_answer(graded: Path) -> None:
    grade("serve", "release", graded)
    tokens = links(graded)
    ada, bo = tokens["Ada One"], tokens["Bo Two"]
    item = item_of(graded, GROUP)
    with students_door(graded) as door:
        with ThreadPoolExecutor(8) as pool:
            sent = list(
                pool.map(
                    lambda n: door.ask("/ask", (ada, bo)[n % 2], fields={"item": item, "text": f"Why {n}?"}), range(16)
                )
            )
        assert sorted({status for status, _, _ in sent}) == [303, 400]
        assert sum(status == 303 for status, _, _ in sent) == 1, "one question about an item waits at a time"
        listed = grade("serve", "requests", graded)
        assert listed.count(GROUP) == 1
        number = listed.split()[0]
        for token in (ada, bo):
            assert "Somebody will read this" in door.ask("/", token)[2]
        grade(
            "serve", "requests", graded, "--answer", number, "--text", "You <b>are</b> right.", "--author", "Marker M"
        )
        for token in (ada, bo):
            page = door.ask("/", token)[2]
            assert "You &lt;b&gt;are&lt;/b&gt; right." in page
            assert "Marker M" not in page
        assert "are right" not in door.ask("/", next(t for n, t in tokens.items() if n not in ("Ada One", "Bo Two")))[2]
        with gradebook(graded) as database:
            for _ in range(19):
                assert door.ask("/ask", bo, fields={"item": item, "text": "And now?"})[0] == 303
                answer(database, LAB, every_request(database, LAB)[0].id, "No.", "ana")
            assert door.ask("/ask", bo, fields={"item": item, "text": "And now?"})[0] == 400, "twenty are enough"
            assert {one.entered_by for one in every_request(database, LAB)} <= {"Ada One", "Bo Two"}


def test_the_page_tells_no_finding_that_a_granted_request_replaced(graded: Path) -> None:
    result = Result.from_json((graded / GROUP / "result.json").read_bytes())
    wrong = next(one for one in result.items if one.status is Status.INCORRECT and one.feedback)
    (graded.parent / "asked.csv").write_text(f"student,item,reason\n{GROUP},{wrong.id},Why?\n", encoding="utf-8")
    number = grade("serve", "requests", graded, "--import", graded.parent / "asked.csv").split("\n")[1].split()[0]
    grade("serve", "requests", graded, "--answer", number, "--text", "Right, too.", "--verdict", "correct")
    grade("regrade", "finish", graded)
    grade("serve", "release", graded)
    with students_door(graded) as door:
        page = door.ask("/", links(graded)["Ada One"])[2]
    entry = page.split(f'id="{wrong.id}"')[1].split("</article>")[0]
    assert "Right, too." in entry
    assert escape(str(wrong.feedback)) not in entry


def test_withdrawn_revoked_renewed_and_closed(graded: Path) -> None:
    grade("serve", "release", graded, "--until", "2020-01-01")
    tokens = links(graded)
    one = next(name for name in tokens if name not in ("Ada One", "Bo Two") and "2" not in name)
    item = item_of(graded, GROUP)
    with students_door(graded) as door:
        page = door.ask("/", tokens["Ada One"])[2]
        assert "The time for questions ended on 1 January 2020" in page
        assert "Ask about this" not in page
        assert door.ask("/ask", tokens["Ada One"], fields={"item": item, "text": "Why?"})[0] == 403

        grade("serve", "links", graded, "--revoke", "ada@example.org")
        assert door.ask("/", tokens["Ada One"])[0] == 401
        assert door.ask("/enter", fields={"token": tokens["Ada One"]})[0] == 401
        assert door.ask("/", tokens["Bo Two"])[0] == 200, "the other member reads on"
        again = links(graded, "--renew", GROUP)
        assert set(again) == {"Ada One", "Bo Two"}
        assert door.ask("/", tokens["Bo Two"])[0] == 401
        assert door.ask("/", again["Bo Two"])[0] == 200

        path = graded / GROUP / "report.html"
        path.write_text("<p>graded anew", encoding="utf-8")
        assert "graded anew" not in door.ask("/report.html", again["Bo Two"])[2], "only what was released is shown"
        grade("serve", "release", graded)
        assert "graded anew" in door.ask("/report.html", again["Bo Two"])[2]

        result = Result.from_json((graded / GROUP / "result.json").read_bytes())
        left = result.student.model_copy(update={"identity": Identity(members=MEMBERS[:1])})
        (graded / GROUP / "result.json").write_text(result.model_copy(update={"student": left}).to_json())
        grade("serve", "release", graded)
        assert door.ask("/", again["Ada One"])[0] == 200
        assert door.ask("/report.html", again["Bo Two"])[0] == 401, "who has left the group reads no more"

        grade("serve", "release", graded, "--withdraw", "--only", GROUP)
        status, _, page = door.ask("/", again["Ada One"])
        assert status == 200
        assert "not published at the moment" in page
        assert "points" not in page
        assert door.ask("/report.html", again["Ada One"])[0] == 404
        assert door.ask("/ask", again["Ada One"], fields={"item": item, "text": "Why?"})[0] == 404
        assert door.ask("/report.html", tokens[one])[0] == 200
        for path in (graded / ".released").iterdir():
            path.write_bytes(b"tampered with")
        assert door.ask("/report.html", tokens[one])[0] == 503


def test_what_is_released_is_locked(graded: Path, tmp_path: Path) -> None:
    grade("serve", "release", graded)
    item = item_of(graded, GROUP)
    file = tmp_path / "decisions.toml"
    file.write_text(
        f'[[override]]\nstudent = "{GROUP}"\nitem = "{item}"\nstatus = "correct"\nreason = "x"\nauthor = "ana"\n'
        "date = 2026-11-29\n",
        encoding="utf-8",
    )
    refused = run_grade("serve", "review", graded, "--import", file)
    assert refused.returncode == 2
    assert f"the reports of {GROUP} are released" in refused.stderr
    asked = tmp_path / "asked.csv"
    asked.write_text(f"student,item,reason\n{GROUP},{item},Please\n", encoding="utf-8")
    grade("serve", "requests", graded, "--import", asked)
    number = grade("serve", "requests", graded).split()[0]
    grade("serve", "requests", graded, "--answer", number, "--text", "Yes.", "--verdict", "correct")
    told = grade("serve", "release", graded)
    assert f"decisions are not in the report yet (grade regrade finish): {GROUP}" in told
    grade("serve", "release", graded, "--withdraw")
    grade("serve", "review", graded, "--import", file)


def test_blind_grading_stays_blind(class_once: Path, tmp_path: Path) -> None:
    """Members of a group have a link each, and the folder that markers get tells no name."""
    graded = tmp_path / "blind"
    path = graded / "anon-0a0b0c" / "result.json"
    path.parent.mkdir(parents=True)
    result = Result.from_json((class_once / GROUP / "result.json").read_bytes())
    student = result.student.model_copy(update={"id": "anon-0a0b0c", "name": "anon-0a0b0c", "identity": None})
    path.write_text(result.model_copy(update={"student": student}).to_json(), encoding="utf-8")
    group = KeyEntry(id="group-7", name="Group 7", identity=Identity(members=MEMBERS))
    key = tmp_path / "blind-key.json"
    key.write_text(Key(students={"anon-0a0b0c": group}).model_dump_json(by_alias=True), encoding="utf-8")
    grade("serve", "release", graded)
    tokens = links(graded, "--key", key)
    assert set(tokens) == {"Ada One", "Bo Two"}
    content = b"".join(one.read_bytes() for one in graded.rglob("*") if one.is_file())
    assert b"Ada" not in content
    assert b"example.org" not in content
    with students_door(graded) as door:
        for token in tokens.values():
            assert door.ask("/", token)[0] == 200
        assert door.ask("/ask", tokens["Bo Two"], fields={"item": result.items[0].id, "text": "Why?"})[0] == 303
    with gradebook(graded) as database:
        assert [(one.student, one.entered_by) for one in every_request(database, LAB)] == [("anon-0a0b0c",) * 2]


def test_links_are_never_written_over(graded: Path) -> None:
    file = graded.parent / "links.csv"
    at = ("--at", "https://grades.example.org")
    grade("serve", "links", graded, *at, "--export", file)
    before = file.read_text(encoding="utf-8")
    again = run_grade("serve", "links", graded, *at, "--export", file, "--renew", GROUP)
    assert again.returncode == 2
    assert file.read_text(encoding="utf-8") == before
    assert "Everybody has a link" in grade("serve", "links", graded, *at, "--export", graded.parent / "more.csv")
    assert not (graded.parent / "more.csv").exists()
    listed = grade("serve", "links", graded)
    assert "Ada One <ada@example.org>" in listed
    assert not any(line.rpartition("#")[2] in listed for line in before.splitlines()[1:])


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (800, "dark"), (1440, "light")])
def test_by_the_link_in_a_browser(browser: Any, graded: Path, width: int, scheme: str) -> None:
    """The link opens the report, leaves no token in the address, and axe finds nothing on any page."""
    grade("serve", "release", graded)
    token = links(graded)["Ada One"]
    with students_door(graded) as door:
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
        page = context.new_page()
        referred: list[str] = []
        page.on("request", lambda one: referred.append(f"{one.url} {one.headers.get('referer', '')}"))

        def is_fine() -> None:
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.evaluate(AXE.read_text(encoding="utf-8"))
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(told => told.violations)")
            assert not [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]

        page.goto(f"{door.base}/")
        is_fine()
        page.goto(f"{door.base}/#{token}")
        page.reload()
        page.wait_for_selector("article.entry")
        assert page.url == f"{door.base}/"
        is_fine()
        page.locator("summary").first.click()
        page.locator("textarea").first.fill("On page 2 I wrote what it does.")
        page.locator("article.entry form button").first.click()
        page.wait_for_selector(".request")
        assert "Thank you" in page.locator("[role=status]").inner_text()
        is_fine()
        assert not [one for one in referred if token in one]
        page.locator("header form button").click()
        page.wait_for_selector("form[data-enter]")
        page.locator("input[name=token]").fill("wrong")
        page.locator("main button").click()
        page.wait_for_selector("[role=alert]")
        is_fine()
