"""Several markers: each is led to their own groups, and looks at others' decisions without seeing them."""

import re
from pathlib import Path

import pytest

from grader.gradebook.marking import looks_of
from grader.gradebook.store import FILE, open_database
from scripts.made_class import LAB
from tests.conftest import run_grade
from tests.serve.serving import CHROMIUM, Client, groups_of, opened, seen_of, serving
from tests.serve.test_students import AXE


def share(graded: Path, *options: str) -> str:
    done = run_grade("serve", "markers", graded, *options)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


@pytest.mark.parametrize("kind", ["item", "student"])
def test_each_marker_is_led_through_their_own_groups(few: Path, kind: str) -> None:
    told = share(few, "--share", "ana,ben", "--by", kind)
    counts = {name: int(groups) for name, groups in re.findall(r"^(\w+): (\d+) groups", told, re.MULTILINE)}
    assert set(counts) == {"ana", "ben"}
    assert all(counts.values())
    with serving(few, "ana,ben") as served:
        for name in counts:
            marker = Client(served, name)
            page = marker.get("/")[2]
            assert page.count(f'<span class="tag">{name}</span>') == counts[name]
            first = re.findall(r'class="button" href="/groups/([0-9a-f]+)"', page)[0]
            tagged = re.findall(r'<li><a href="/groups/([0-9a-f]+)".*?<span class="tag">(\w+)</span>', page, re.DOTALL)
            owner = dict(tagged)
            assert owner[first] == name
            group = first
            for _ in range(counts[name]):
                assert owner[group] == name, "the others' groups come last"
                seen = seen_of(marker.get(f"/groups/{group}")[2])
                status, headers, _ = marker.post(f"/groups/{group}/decide", {"seen": seen, "verdict": "correct"})
                assert status == 200
                group = headers.get("hx-push-url", "").removeprefix("/groups/")
    told = share(few)
    assert re.search(r"^ana: 0 groups", told, re.MULTILINE)
    assert re.search(r"^ana: \d+ decisions, mean 100 %, spread 0 %", told, re.MULTILINE)


def test_what_is_no_item_or_student_is_not_given(few: Path) -> None:
    refused = run_grade("serve", "markers", few, "--give", "q99=ana")
    assert refused.returncode == 2
    assert "no item and no student" in refused.stderr
    assert "made-0001" in share(few, "--give", "made-0001=cy", "--give", "q2.r=ben")
    assert "cy" not in share(few, "--give", "made-0001=")


def test_a_second_look_is_blind_and_another_marker_s(few: Path) -> None:
    with serving(few, "ana,ben") as served:
        ana = Client(served, "ana")
        for group in groups_of(ana.get("/")[2])[:8]:
            fields = {"seen": seen_of(ana.get(f"/groups/{group}")[2]), "verdict": "correct", "comment": "Well said."}
            assert ana.post(f"/groups/{group}/decide", fields)[0] == 200
        ben = Client(served, "ben")
        assert 'href="/markers/' not in ana.get("/markers")[2], "nobody looks at their own decisions"
        looks = re.findall(r'href="/markers/(\d+)"', ben.get("/markers")[2])
        assert ana.get(f"/markers/{looks[0]}")[0] == 404
        assert ana.post(f"/markers/{looks[0]}/look", {"verdict": "correct"})[0] == 404
        number, taken = looks[0], 0
        while number:
            page = ben.get(f"/markers/{number}")[2]
            assert "Well said." not in page
            assert ">ana<" not in page
            assert "checked" not in page
            verdict = "incorrect" if taken % 2 else "correct"
            status, headers, _ = ben.post(f"/markers/{number}/look", {"verdict": verdict})
            assert status == 303
            number, taken = headers["location"].removeprefix("/markers").strip("/"), taken + 1
        assert taken == 5
        page = ben.get("/markers")[2]
        assert "5 of 5 decisions" in page
        assert "60 %" in page
        assert "Second looks agree with ana in 60 % only." in page
        assert page.count("ben: Incorrect") == 2
        assert ben.post(f"/markers/{looks[0]}/look", {"verdict": "incorrect"})[0] == 404, "one look each"
    told = run_grade("serve", "markers", few)
    assert "5 second looks, agreement 60 %" in told.stdout
    assert "agree with ana" in told.stderr
    database = open_database(few / FILE, create=False)
    assert len(looks_of(database, LAB)) == 5
    database.close()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize("width", [360, 800, 1440])
def test_axe_finds_nothing_on_the_pages_of_markers(browser: object, few: Path, width: int) -> None:
    share(few, "--share", "ana,ben")
    with serving(few, "ana,ben") as served:
        ana = Client(served, "ana")
        for group in groups_of(ana.get("/")[2])[:3]:
            fields = {"seen": seen_of(ana.get(f"/groups/{group}")[2]), "verdict": "partial"}
            ana.post(f"/groups/{group}/decide", fields)
        page = opened(browser, served, "ben", viewport={"width": width, "height": 900}, bypass_csp=True)
        for path in ("/markers", "look"):
            if path == "look":
                page.locator("a[data-start]").click()
                page.wait_for_selector("input[name=points]")
            else:
                page.goto(f"{served.base}{path}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.evaluate(AXE.read_text(encoding="utf-8"))
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(told => told.violations)")
            assert not [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]
        assert not page.problems
