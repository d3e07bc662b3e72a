"""Nobody without a link, no change from elsewhere, and nothing a student writes does anything."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from grader.result import Result
from grader.serve.serving import Place, UnsafePlaceError, check
from tests.conftest import run_grade
from tests.serve.serving import Client, groups_of, seen_of, serving


def test_who_may_look_and_change(made: Path) -> None:
    with serving(made) as served:
        stranger, ana = Client(served, None), Client(served, "ana")
        for path in ("/", "/class", "/history", "/decisions.toml", "/static/review.js", "/crops/made-0000/q2.r/0.png"):
            assert stranger.get(path)[0] == 401, path
        assert stranger.get("/enter?token=wrong")[0] == 403
        assert stranger.get("/enter")[0] == 403
        status, headers, page = ana.get("/")
        assert status == 200
        policy = headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        group = groups_of(page)[0]
        fields = {"seen": seen_of(ana.get(f"/groups/{group}")[2]), "verdict": "correct"}
        address = f"/groups/{group}/decide"
        assert stranger.post(address, fields)[0] == 401
        assert ana.post(address, fields, Origin="https://elsewhere.example")[0] == 403
        assert ana.post(address, fields, Origin="null")[0] == 403
        assert ana.get("/", Host="elsewhere.example")[0] == 421
        assert ana.post(address, {**fields, "comment": "x" * 300_000})[0] == 413
        assert "Nobody decided anything" in ana.get("/history")[2]
        assert ana.post(address, fields)[0] == 200
        assert "Nobody decided anything" not in ana.get("/history")[2]


def test_the_cookie_is_the_browsers_alone(made: Path) -> None:
    with serving(made) as served:
        entered = Client(served, None)
        _, headers, _ = entered.get(served.links["ana"].removeprefix(served.base))
        told = headers["set-cookie"].lower()
        assert "httponly" in told
        assert "samesite=strict" in told
        assert entered.get("/", Cookie="grade_review_1=made-up")[0] == 401


def test_nothing_outside_the_results_is_served(made: Path) -> None:
    (made.parent / "secret.txt").write_text("secret")
    with serving(made) as served:
        ana = Client(served, "ana")
        for path in (
            "/students/..%2F..%2Fsecret.txt",
            "/students/%2E%2E",
            "/crops/../q2.r/0.png",
            "/crops/%2E%2E%2F%2E%2E/q2.r/0.png",
            "/static/..%2F..%2Flayout.html",
            "/static/../../pyproject.toml",
            "/students/nobody/readings",
            "/groups/0123456789",
        ):
            status, _, text = ana.get(path)
            assert status == 404, path
            assert "secret" not in text


HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="alert(1)'


def test_what_a_student_writes_is_text(few: Path) -> None:
    path = few / "made-0003" / "result.json"
    result = Result.from_json(path.read_bytes())
    items = tuple(
        item.model_copy(
            update={
                "found": HOSTILE,
                "note": HOSTILE,
                "evidence": tuple(one.model_copy(update={"quote": HOSTILE, "file": HOSTILE}) for one in item.evidence),
            }
        )
        for item in result.items
    )
    student = result.student.model_copy(update={"name": HOSTILE})
    path.write_text(result.model_copy(update={"items": items, "student": student}).to_json(), encoding="utf-8")
    with serving(few) as served:
        ana = Client(served, "ana")
        queue = ana.get("/")[2]
        pages = [queue, ana.get("/class")[2], ana.get("/students/made-0003")[2]]
        pages += [ana.get(f"/groups/{group}")[2] for group in groups_of(queue)]
        assert any("&lt;script&gt;" in page for page in pages)
        for page in pages:
            assert Code.within(page) == []


class Code(HTMLParser):
    """Finds what would run or restyle: attributes that hold code, scripts and styles within the page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        self.found += [f"{tag} {name}" for name in names if name.startswith("on") or name in ("style", "srcdoc")]
        if tag in ("style", "iframe", "object", "embed") or (tag == "script" and "src" not in names):
            self.found.append(tag)
        if tag == "img" and not (names.get("src") or "").startswith(("/crops/", "/pages/")):
            self.found.append("img")

    @classmethod
    def within(cls, page: str) -> list[str]:
        parser = cls()
        parser.feed(page)
        return parser.found


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "grades.example.org"])
def test_others_are_served_only_under_tls_or_when_asked_for(host: str) -> None:
    with pytest.raises(UnsafePlaceError):
        check(Place(host=host), plain=False)
    check(Place(host=host), plain=True)
    check(Place(host=host, certificate=Path("c.pem"), key=Path("k.pem")), plain=False)
    check(Place(), plain=False)
    with pytest.raises(UnsafePlaceError):
        check(Place(certificate=Path("c.pem")), plain=False)


def test_the_verb_refuses_what_is_unsafe_or_empty(tmp_path: Path, made: Path) -> None:
    refused = run_grade("serve", made, "--host", "0.0.0.0")
    assert refused.returncode == 2
    assert "--certificate" in refused.stderr
    empty = run_grade("serve", tmp_path / "nothing")
    assert empty.returncode == 2
    assert "no graded submissions" in empty.stderr
