"""Many decide at once, programs are killed: nothing that was confirmed is lost, and every conflict is shown."""

import re
import threading
from pathlib import Path

import pytest

from grader.gradebook.decisions import decided_since, standing
from grader.gradebook.store import FILE, open_database
from scripts.made_class import LAB, made_class
from tests.serve.serving import Client, groups_of, seen_of, serving

CONFIRMED = re.compile(r"(\d+) answers?: ")


def kept(graded: Path) -> int:
    database = open_database(graded / FILE, create=False)
    try:
        return len(decided_since(database, LAB))
    finally:
        database.close()


def test_a_killed_server_loses_nothing_that_was_confirmed(made: Path) -> None:
    confirmed = 0
    for _ in range(2):
        with serving(made) as served:
            ana = Client(served, "ana")
            for group in groups_of(ana.get("/")[2])[:3]:
                fields = {"seen": seen_of(ana.get(f"/groups/{group}")[2]), "verdict": "partial"}
                status, _, text = ana.post(f"/groups/{group}/decide", fields)
                assert status == 200
                told = CONFIRMED.search(text)
                assert told
                confirmed += int(told[1])
            served.kill()
        assert kept(made) == confirmed


def test_the_second_of_two_gets_a_conflict_with_both(made: Path) -> None:
    with serving(made, "ana,ben") as served:
        ana, ben = Client(served, "ana"), Client(served, "ben")
        group = groups_of(ana.get("/")[2])[0]
        seen = seen_of(ana.get(f"/groups/{group}")[2])
        looked = ben.get(f"/groups/{group}")[2]
        assert "ana looks at this too" in looked
        assert ana.post(f"/groups/{group}/decide", {"seen": seen, "verdict": "correct"})[0] == 200
        status, _, text = ben.post(f"/groups/{group}/decide", {"seen": seen, "verdict": "incorrect"})
        assert status == 200
        assert "Decided meanwhile by somebody else" in text
        assert re.search(r"ana decided <strong>Correct.*you wanted <strong>Incorrect", text, re.DOTALL)
        log = ben.get("/history")[2]
        assert 'author=ana"' in log
        assert 'author=ben"' not in log


@pytest.mark.parametrize("turns", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_twenty_graders_lose_nothing(made: Path, tmp_path: Path, turns: int) -> None:
    """Each decides so many students' items, many of them those of others at the same time."""
    students = 12 if turns < 12 else 60
    graded = made if students == 12 else tmp_path / "large"
    if students > 12:
        made_class(graded, students)
    names = [f"grader{number}" for number in range(20)]
    saved, conflicts, answers = [0] * 20, [0] * 20, [0] * 20
    errors: list[str] = []
    with serving(graded, ",".join(names)) as served:
        items = re.findall(r'id="((?:q|t)\d\.\w+)"', Client(served, names[0]).get("/students/made-0000")[2])

        def work(number: int) -> None:
            client = Client(served, names[number])
            for turn in range(turns):
                student = f"made-{(number // 2 + turn) % students:04}"  # two meet at each student
                item = items[turn % len(items)]
                seen = seen_of(client.get(f"/students/{student}")[2])
                verdict = "correct" if number % 2 else "incorrect"
                fields = {"seen": seen, "verdict": verdict}
                status, _, text = client.post(f"/students/{student}/items/{item}/decide", fields)
                answers[number] += 1
                saved[number] += bool(CONFIRMED.search(text))
                conflicts[number] += "Decided meanwhile" in text
                if status != 200:
                    errors.append(f"{status} {text[:200]}")

        threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors, errors[:3]
    assert sum(answers) == 20 * turns
    print(f"{sum(saved)} kept, {sum(conflicts)} conflicts shown")
    assert sum(saved) + sum(conflicts) == 20 * turns, "each decision is kept or shown as a conflict"
    assert kept(graded) == sum(saved)
    database = open_database(graded / FILE, create=False)
    versions = [(one.student, one.item, one.version) for one in decided_since(database, LAB)]
    database.close()
    assert len(versions) == len(set(versions))
    assert standing(()) == {}
