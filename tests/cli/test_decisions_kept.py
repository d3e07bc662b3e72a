"""A person's decision counts for the answer that was judged, of the student who gave it, and is never lost."""

import csv
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.gradebook.store import FILE
from grader.lab.files import lab_folder
from grader.result import ItemResult, Result
from tests.conftest import ROOT, Ended, results_in, run_grade

COPY = "gradebook.decisions.toml"
REPORT = (ROOT / "submissions" / "student-11" / "report.txt").read_text(encoding="utf-8")
VAGUE = "r: it tells how much LoRA is squeezed."
CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,Lab 4 (777)\n    Points Possible,,,,,20\n"


def hand_in(folder: Path, student: str, text: str | bytes, name: str = "report.md") -> None:
    (folder / student).mkdir(parents=True, exist_ok=True)
    (folder / student / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def grade(folder: Path, out: Path, *options: object) -> Ended:
    return run_grade(folder, "--as", "class", "--no-reports", "--jobs", "1", "--out", out, *options)


def decide_all(out: Path, verdict: str, why: str, student: str = "") -> int:
    """Decide every group that waits, or those about one student alone; returns their number."""
    parts = [
        part.strip().splitlines() for part in run_grade("serve", "review", out).stdout.split("\n\n") if part.strip()
    ]
    groups = [part[0].split()[0] for part in parts if len(part) > 1 and (not student or student == part[-1].strip())]
    settings = [word for group in groups for word in ("--set", f"{group}={verdict}")]
    done = run_grade("serve", "review", out, *settings, "--why", why, "--author", "Dupont")
    assert done.returncode == 0, done.stderr
    return len(groups)


def items_of(out: Path, student: str) -> dict[str, ItemResult]:
    return {item.id: item for item in results_in(out)[student].items}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A class of two: one report can be read, the other one is a damaged PDF."""
    hand_in(tmp_path / "class", "dan", "# Question 1\nThe total is 22807552 parameters.\n")
    hand_in(tmp_path / "class", "eve", b"%PDF-1.4\nthis is no page\n%%EOF\n", "report.pdf")
    return tmp_path / "class"


def decided(folder: Path, out: Path) -> dict[str, Result]:
    """The class, graded, with every answer about the damaged PDF decided and brought into the results."""
    assert grade(folder, out).returncode == 0
    assert decide_all(out, "missing", "The file cannot be opened.", "eve") > 0
    assert run_grade("regrade", "finish", out).returncode == 0
    found = results_in(out)
    assert (found["eve"].score, found["eve"].pending) == (0, 0)
    return found


def test_a_decision_about_a_damaged_file_is_none_about_the_report_sent_later(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    decided(folder, out)
    again = grade(folder, out)
    assert "2 of 2 submissions are unchanged" in again.stdout
    shutil.rmtree(folder / "eve")
    hand_in(folder, "eve", REPORT)
    graded = grade(folder, out)
    assert "decisions were about another answer" in graded.stdout + graded.stderr
    assert "grade serve" in graded.stderr
    eve = results_in(out)["eve"]
    assert eve.needs_review
    assert eve.pending == eve.max_score
    for item in eve.items:
        assert item.override is None
        assert item.earlier
        assert (item.status, item.suggestion, item.earlier.author) == ("review", "missing", "Dupont")
        assert item.earlier.reason == "The file cannot be opened."
    row = next(row for row in csv.DictReader((out / "grades.csv").open()) if row["student_id"] == "eve")
    assert (row["needs_review"], row["pending"]) == ("true", "20")
    assert "eve" in (out / "class.json").read_text()
    listed = run_grade("serve", "review", out).stdout
    assert "Dupont decided on" in listed
    assert "The file cannot be opened." in listed
    finished = run_grade("regrade", "finish", out)
    assert "pending review" in finished.stdout
    assert results_in(out)["eve"] == eve
    before = (out / "eve" / "result.json").read_bytes()
    assert run_grade("regrade", out).returncode == 0
    assert (out / "eve" / "result.json").read_bytes() == before
    assert run_grade("regrade", "verify", out).returncode == 0

    book = tmp_path / "canvas.csv"
    book.write_text(CANVAS + '"Eve",502,eve,eve,S1,\n"Dan",503,dan,dan,S1,\n')
    exported = run_grade("export", "canvas", out, "--into", book, "--out", tmp_path / "filled.csv")
    assert "left out: " in exported.stderr
    assert "eve" in exported.stderr
    assert '"Eve",502,eve,eve,S1,\n' in (tmp_path / "filled.csv").read_text()
    skipped = run_grade("export", "csv", out, "--pending", "skip", "--out", tmp_path / "all.csv")
    assert "eve" in skipped.stderr

    assert decide_all(out, "correct", "Now it can be read.", "eve") > 0
    assert run_grade("regrade", "finish", out).returncode == 0
    eve = results_in(out)["eve"]
    assert (eve.score, eve.pending) == (eve.max_score, 0)
    assert "unchanged" in grade(folder, out).stdout or results_in(out)["eve"].pending == 0


def test_a_decision_about_a_damaged_file_is_none_about_another_damaged_file(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    decided(folder, out)
    hand_in(folder, "eve", b"%PDF-1.4\nthis is another one\n%%EOF\n", "report.pdf")
    grade(folder, out)
    assert results_in(out)["eve"].pending == 20


def test_a_decision_about_an_archive_that_cannot_be_opened_is_none_about_another(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "graded"
    hand_in(folder, "dan", REPORT)
    for content in (b"PK\3\4 cut off", b"PK\3\4 cut off elsewhere"):
        hand_in(folder, "eve", content, "all.zip")
        grade(folder, out)
        assert results_in(out)["eve"].pending == 20
        decide_all(out, "missing", "The archive is damaged.", "eve")
        grade(folder, out)
        assert results_in(out)["eve"].pending == 0


def test_words_that_were_not_judged_wait_and_those_that_were_do_not(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "graded"
    hand_in(folder, "dan", REPORT)
    hand_in(folder, "eve", f"# Question 2\n{VAGUE}\n")
    grade(folder, out)
    left = [item for item in items_of(out, "eve").values() if item.pending and item.found]
    assert left
    decide_all(out, "0.2", "Partly.", "eve")
    grade(folder, out)
    before = items_of(out, "eve")
    # Another question is answered and a notebook comes along: the words that were judged are the same.
    hand_in(folder, "eve", f"A first line.\n\n# Question 2\n{VAGUE}\n\n# Notes\nThe sun shone.\n")
    hand_in(folder, "eve", '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "code.ipynb")
    grade(folder, out)
    for item in left:
        now = items_of(out, "eve")[item.id]
        if now.found == item.found:
            assert now.override
            assert now.score == before[item.id].score
    hand_in(folder, "eve", "# Question 2\nr: the rank of the update matrices.\n")
    grade(folder, out)
    rank = items_of(out, "eve")["q2.r"]
    if before["q2.r"].override:
        assert rank.earlier
        assert rank.pending == rank.max_score
        assert rank.earlier.about in VAGUE or VAGUE in rank.earlier.about


def test_the_same_words_in_another_file_format_keep_their_decision(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "graded"
    text = '## Question 2\n\nr = 16, how much LoRA is squeezed. bias = "none".\n'
    hand_in(folder, "dan", text)
    assert grade(folder, out).returncode == 0
    assert decide_all(out, "0.3", "Half of it.") > 0
    shutil.rmtree(folder / "dan")
    page = "<h2>Question 2</h2><p>r\u00a0= 16, how much <b>LoRA</b> is squeezed. bias = \u201cnone\u201d.</p>"
    hand_in(folder, "dan", page, "report.html")
    assert grade(folder, out).returncode == 0
    kept = items_of(out, "dan")["q2.r"]
    assert kept.override is not None
    assert kept.pending == 0
    hand_in(folder, "dan", page.replace("how much", "how little"), "report.html")
    assert grade(folder, out).returncode == 0
    waits = items_of(out, "dan")["q2.r"]
    assert waits.override is None
    assert waits.pending == waits.max_score


def test_a_lab_that_is_changed_or_told_in_french_takes_back_no_decision(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    decided(folder, out)
    grade(folder, out, "--lang", "fr")
    assert results_in(out)["eve"].pending == 0
    lab = tmp_path / "lab"
    shutil.copytree(lab_folder("nlp-frameworks"), lab)
    toml = lab / "lab.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + "\n# A remark.\n", encoding="utf-8")
    assert run_grade("regrade", out, "--lab", lab).returncode == 0
    assert results_in(out)["eve"].pending == 0


def test_an_entry_of_the_file_is_bound_to_what_it_was_first_applied_to(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "graded"
    hand_in(folder, "dan", REPORT)
    hand_in(folder, "eve", REPORT)
    grade(folder, out)
    entry = '[[override]]\nstudent = "eve"\nitem = "t8.prompt"\nstatus = "correct"\nreason = "Said in class."\n'
    (out / "overrides.toml").write_text(f'{entry}author = "MD"\ndate = 2026-01-12\n')
    for _ in range(2):
        grade(folder, out)
        assert items_of(out, "eve")["t8.prompt"].override
    assert "2 of 2 submissions are unchanged" in grade(folder, out).stdout
    hand_in(folder, "eve", "# Question 1\nNothing else.\n")
    grade(folder, out)
    item = items_of(out, "eve")["t8.prompt"]
    assert item.override is None
    assert item.earlier
    assert (item.earlier.author, item.suggestion) == ("MD", "correct")
    assert run_grade("regrade", "verify", out).returncode == 0
    (out / "overrides.toml").write_text(f'{entry}author = "MD"\ndate = 2026-01-19\n')  # looked at again
    grade(folder, out)
    assert items_of(out, "eve")["t8.prompt"].override


def test_a_verdict_on_a_request_is_bound_to_the_answer(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "graded"
    hand_in(folder, "dan", REPORT)
    hand_in(folder, "eve", REPORT)
    grade(folder, out)
    (tmp_path / "asked.csv").write_text("student,item,reason\neve,q1.total,It is right.\n")
    run_grade("serve", "requests", out, "--import", tmp_path / "asked.csv")
    done = run_grade("serve", "requests", out, "--answer", "1", "--text", "You are right.", "--verdict", "0.5")
    assert done.returncode == 0, done.stderr
    grade(folder, out)
    assert items_of(out, "eve")["q1.total"].override
    hand_in(folder, "eve", "# Question 1\nThe total is 5 parameters.\n")
    grade(folder, out)
    assert items_of(out, "eve")["q1.total"].earlier


def test_blind_grading_binds_decisions_too(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    grade(folder, out, "--anonymous")
    before = {student for student, result in results_in(out).items() if result.pending == 20}
    decide_all(out, "missing", "It cannot be opened.")
    grade(folder, out, "--anonymous")
    assert all(result.pending == 0 for result in results_in(out).values())
    shutil.rmtree(folder / "eve")
    hand_in(folder, "eve", REPORT)
    grade(folder, out, "--anonymous")
    (eve,) = before
    assert results_in(out)[eve].pending == 20
    assert '"eve"' not in (out / COPY).read_text()


@pytest.mark.parametrize(
    "verb",
    ["grade", "regrade finish", "regrade", "regrade verify", "serve review", "serve", "serve requests", "export"],
)
def test_an_entry_about_an_unknown_student_is_refused_everywhere(folder: Path, tmp_path: Path, verb: str) -> None:
    out = tmp_path / "graded"
    grade(folder, out)
    (out / "overrides.toml").write_text(
        '[[override]]\nstudent = "evee"\nitem = "q1.total"\npoints = 1\nreason = "r"\nauthor = "a"\ndate = 2026-01-12\n'
    )
    if verb == "grade":
        done = grade(folder, out)
    elif verb == "export":
        done = run_grade("export", "csv", out, "--out", tmp_path / "grades.csv")
    else:
        done = run_grade(*verb.split(), out)
    assert done.returncode == 2
    assert "overrides.toml, line " in done.stderr
    assert "no submission of 'evee' is graded here; did you mean 'eve'? Correct `student`" in done.stderr


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _garbled(path: Path) -> None:
    path.write_bytes(os.urandom(50_000))


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [_truncated, _garbled, _emptied, _folder, Path.unlink])
def test_no_damage_to_the_gradebook_loses_a_decision(
    folder: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    out = tmp_path / "graded"
    assert grade(folder, out).returncode == 0
    decide_all(out, "0.2", "Told in the office hour.", "eve")  # and nobody finishes
    score = sum(item.max_score > 0 for item in results_in(out)["eve"].items)
    for end in ("-wal", "-shm"):
        (out / f"{FILE}{end}").unlink(missing_ok=True)
    damage(out / FILE)
    for verb in ("regrade finish", "serve review", "regrade"):
        assert run_grade(*verb.split(), out).returncode == 2
    done = grade(folder, out)
    assert done.returncode == 2
    for words in (FILE, COPY, "--restore"):
        assert words in done.stderr
    restored = run_grade("serve", "review", out, "--restore")
    assert restored.returncode == 0, restored.stderr
    assert f"restored from {COPY}" in restored.stdout
    assert grade(folder, out).returncode == 0
    eve = results_in(out)["eve"]
    assert eve.pending == 0
    assert abs(float(eve.score) - 0.2 * score) < 0.001
    assert run_grade("serve", "review", out, "--restore").returncode == 2


def test_decisions_come_back_from_the_results_where_the_copy_is_gone_too(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    decided(folder, out)
    for path in out.glob("gradebook*"):
        path.unlink()
    refused = grade(folder, out)
    assert refused.returncode == 2
    assert "the gradebook is not there" in refused.stderr
    assert "restored from the results in" in run_grade("serve", "review", out, "--restore").stdout
    grade(folder, out)
    assert results_in(out)["eve"].pending == 0


def test_an_older_backup_is_noticed(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    grade(folder, out)
    with sqlite3.connect(out / FILE) as source, sqlite3.connect(tmp_path / "old.sqlite") as target:
        source.backup(target)
    decide_all(out, "missing", "It cannot be opened.", "eve")
    for path in out.glob(f"{FILE}*"):
        path.unlink()
    shutil.copy(tmp_path / "old.sqlite", out / FILE)
    done = grade(folder, out)
    assert done.returncode == 2
    assert "older than" in done.stderr
    assert f"Restore {FILE} and {COPY} from the same backup" in done.stderr
    (out / COPY).unlink()  # of the time of that backup, in which nobody had decided anything
    assert grade(folder, out).returncode == 0


def test_a_gradebook_that_is_begun_anew_beside_results_is_reported(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    assert "a new gradebook begins" not in grade(folder, out).stderr
    for arguments in (["regrade", out], [folder, "--as", "class", "--no-reports", "--out", out]):
        for path in out.glob("gradebook*"):
            path.unlink()
        dry = run_grade("regrade", out, "--dry-run")
        assert dry.returncode == 0
        assert not (out / FILE).exists()
        done = run_grade(*arguments)
        assert done.returncode == 0
        assert "was not there, so a new gradebook begins" in done.stdout + done.stderr
        assert "a new gradebook begins" not in "".join(map(str, run_grade(*arguments)))


def test_a_name_like_another_one_takes_no_decision(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "graded"
    hand_in(folder, "ana", b"%PDF-1.4 damaged", "report.pdf")
    hand_in(folder, "ana.", REPORT)
    grade(folder, out)
    ids = {result.student.origin: student for student, result in results_in(out).items()}
    decide_all(out, "missing", "It cannot be opened.", ids["ana"])
    for newcomer in ("ana ", "ANA", "an\u0061\u0301 "):
        hand_in(folder, newcomer, b"%PDF-1.4 damaged", "report.pdf")
        grade(folder, out)
        found = results_in(out)
        now = {result.student.origin: student for student, result in found.items()}
        assert {name: now[name] for name in ids} == ids
        assert found[ids["ana"]].pending == 0
        assert len(set(now.values())) == len(now)
        ids = now
    assert all(found[student].pending == 20 for name, student in ids.items() if name not in ("ana", "ana."))


def test_without_a_gradebook_a_decision_is_not_handed_to_a_like_name(tmp_path: Path) -> None:
    folder, out, other = tmp_path / "class", tmp_path / "graded", tmp_path / "other"
    hand_in(folder, "ana.", b"%PDF-1.4 damaged", "report.pdf")
    hand_in(folder, "bob", REPORT)
    grade(folder, out)
    decide_all(out, "missing", "It cannot be opened.", "ana")
    run_grade("serve", "review", out, "--export", tmp_path / "decisions.toml")
    (folder / "ana.").rename(folder / "ana ")
    other.mkdir()
    shutil.copy(tmp_path / "decisions.toml", other / "overrides.toml")
    grade(folder, other)
    found = results_in(other)["ana"]
    assert found.pending == 20
    assert all(item.earlier for item in found.items if item.suggestion == "missing" and item.override is None)


ENTRY = """\
[[override]]
student = "eve"
item = "q2.r"
points = 0.25
reason = "Told me."
author = "MD"
date = 2026-01-12
"""
"""About an item that the grader found missing."""


@pytest.mark.parametrize("is_stale", [False, True])
def test_an_entry_of_the_file_is_bound_also_where_the_gradebook_is_gone(tmp_path: Path, is_stale: bool) -> None:
    folder, out = tmp_path / "class", tmp_path / "graded"
    hand_in(folder, "dan", REPORT)
    hand_in(folder, "eve", "# Question 1\nThe total is 22807552 parameters.\n")
    grade(folder, out)
    (out / "overrides.toml").write_text(ENTRY)
    grade(folder, out)
    assert items_of(out, "eve")["q2.r"].override
    if is_stale:
        hand_in(folder, "eve", REPORT)
        grade(folder, out)
        assert items_of(out, "eve")["q2.r"].earlier
    for path in out.glob("gradebook*"):
        path.unlink()
    hand_in(folder, "eve", REPORT + "\nA last line.\n")
    assert grade(folder, out).returncode == 0
    item = items_of(out, "eve")["q2.r"]
    assert item.override is None
    assert item.earlier
    assert item.pending == item.max_score
    assert run_grade("regrade", "finish", out).returncode == 0
    assert items_of(out, "eve")["q2.r"] == item
    hand_in(folder, "eve", "# Question 1\nThe total is 22807552 parameters.\n")
    grade(folder, out)
    assert items_of(out, "eve")["q2.r"].override, "and counts for what it was written about"


def test_a_gradebook_that_lay_elsewhere_is_missed(tmp_path: Path) -> None:
    folder, out, book = tmp_path / "class", tmp_path / "graded", tmp_path / "books" / "lab.db"
    book.parent.mkdir()
    hand_in(folder, "dan", REPORT)
    hand_in(folder, "eve", f"# Question 2\n{VAGUE}\n")
    grade(folder, out, "--gradebook", book)
    group = run_grade("serve", "review", out, "--gradebook", book).stdout.split()[0]
    assert (
        run_grade("serve", "review", out, "--gradebook", book, "--set", f"{group}=correct", "--why", "w").returncode
        == 0
    )
    assert run_grade("regrade", "finish", out, "--gradebook", book).returncode == 0
    before = results_in(out)
    for path in book.parent.iterdir():
        path.unlink()
    done = grade(folder, out, "--gradebook", book)
    assert done.returncode == 2
    assert "the gradebook is not there" in done.stderr
    assert results_in(out) == before


def test_a_second_attempt_is_the_same_student(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "graded"
    hand_in(folder, "dan", REPORT)
    hand_in(folder, "eve", f"# Question 2\n{VAGUE}\n")
    grade(folder, out)
    decide_all(out, "0.2", "Partly.", "eve")
    (folder / "eve" / "report.md").unlink()
    for attempt in ("attempt 1", "attempt 2"):
        hand_in(folder / "eve", attempt, f"# Question 2\n{VAGUE}\n")
    grade(folder, out)
    assert set(results_in(out)) == {"dan", "eve"}
    assert items_of(out, "eve")["q2.r"].override


def test_a_lab_that_asks_for_logs_now_asks_something_else(tmp_path: Path) -> None:
    folder, out, lab = tmp_path / "class", tmp_path / "graded", tmp_path / "lab"
    shutil.copytree(lab_folder("nlp-frameworks"), lab)
    hand_in(folder, "dan", REPORT)
    grade(folder, out, "--lab", lab)
    entry = ENTRY.replace("eve", "dan").replace("0.25", "0.1")
    (out / "overrides.toml").write_text("".join(entry.replace("q2.r", one) for one in ("t3.seeds", "t4.seeds")))
    grade(folder, out, "--lab", lab)
    assert all(items_of(out, "dan")[one].override for one in ("t3.seeds", "t4.seeds"))
    toml = lab / "lab.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace('id = "t3.seeds"\n', 'id = "t3.seeds"\nevidence = "logs"\n'), encoding="utf-8")
    assert run_grade("regrade", out, "--lab", lab).returncode == 0
    items = items_of(out, "dan")
    assert items["t3.seeds"].earlier
    assert items["t3.seeds"].pending > 0
    assert items["t4.seeds"].override
    assert run_grade("regrade", "verify", out, "--lab", lab).returncode == 0


def _cut_behind_an_entry(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.rindex("[[override]]")], encoding="utf-8")


@pytest.mark.parametrize("damage_copy", [_truncated, _garbled, _emptied, _folder, Path.unlink, _cut_behind_an_entry])
def test_no_damage_to_the_gradebook_and_its_copy_loses_a_decision(
    folder: Path, tmp_path: Path, damage_copy: Callable[[Path], None]
) -> None:
    """The results hold them, too; where the copy is damaged it says what to do."""
    out = tmp_path / "graded"
    before = decided(folder, out)
    for end in ("-wal", "-shm"):
        (out / f"{FILE}{end}").unlink(missing_ok=True)
    damage_copy(out / COPY)
    whole = grade(folder, out)
    if whole.returncode:
        assert f"move {COPY} away" in whole.stderr
    else:
        assert (out / COPY).read_text(encoding="utf-8").count("[[override]]") == 25, "written anew"
        damage_copy(out / COPY)
    _truncated(out / FILE)
    assert grade(folder, out).returncode == 2
    restored = run_grade("serve", "review", out, "--restore")
    if restored.returncode:
        assert f"move {COPY} away" in restored.stderr
        (out / COPY).rename(tmp_path / COPY)
        restored = run_grade("serve", "review", out, "--restore")
    assert restored.returncode == 0, restored.stderr
    assert "25 decisions about 1 student restored from the results" in restored.stdout
    assert grade(folder, out).returncode == 0
    assert results_in(out)["eve"].items == before["eve"].items


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of two megabytes. Only the superuser may mount one, so elsewhere there is nothing to try."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if mount is None or subprocess.run([mount, *options], capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("way", ["full", "read-only"])
def test_a_disk_that_takes_nothing_is_told_and_loses_nothing(folder: Path, small_disk: Path, way: str) -> None:
    out = small_disk / "graded"
    decided(folder, out)
    before = {path.name: path.read_bytes() for path in (*out.glob("*/result.json"), out / FILE, out / COPY)}
    if way == "full":
        subprocess.run(["dd", "if=/dev/zero", f"of={small_disk / 'filler'}", "bs=1k"], capture_output=True, check=False)
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for command in (("serve", "review", out), ("regrade", "finish", out), ("regrade", out)):
        done = run_grade(*command)
        assert (done.returncode, way in done.stderr) == (2, True), done.stderr
    done = grade(folder, out, "--again")
    assert (done.returncode, way in done.stderr) == (2, True), done.stderr
    assert before == {path.name: path.read_bytes() for path in (*out.glob("*/result.json"), out / FILE, out / COPY)}
    if way == "full":
        (small_disk / "filler").unlink()
        assert grade(folder, out).returncode == 0
        assert results_in(out)["eve"].pending == 0


def test_blind_grades_whose_key_is_gone_are_not_graded_anew(folder: Path, tmp_path: Path) -> None:
    out, key = tmp_path / "graded", tmp_path / "graded-key.json"
    grade(folder, out, "--anonymous")
    decide_all(out, "missing", "It cannot be opened.")
    before = set(results_in(out))
    key.rename(tmp_path / "kept.json")
    done = grade(folder, out, "--anonymous")
    assert (done.returncode, "Put their key back" in done.stderr) == (2, True)
    assert not key.exists()
    (tmp_path / "kept.json").rename(key)
    assert grade(folder, out, "--anonymous").returncode == 0
    assert set(results_in(out)) == before
    assert all(result.pending == 0 for result in results_in(out).values())


def test_an_export_names_the_grade_of_a_hand_in_that_was_renamed(tmp_path: Path) -> None:
    hand_in(tmp_path / "class", "ana", REPORT)
    hand_in(tmp_path / "class", "ben", REPORT)
    grade(tmp_path / "class", tmp_path / "out")
    (tmp_path / "class" / "ana").rename(tmp_path / "class" / "anna")
    grade(tmp_path / "class", tmp_path / "out")
    told = run_grade("export", "csv", tmp_path / "out", "--out", tmp_path / "grades.csv").stderr
    assert "ana: no submission of the last run" in told
    shutil.rmtree(tmp_path / "out" / "ana")
    told = run_grade("export", "csv", tmp_path / "out", "--out", tmp_path / "grades.csv", "--force").stderr
    assert "last run" not in told
