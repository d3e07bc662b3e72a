"""Downloads of Moodle, Canvas and Gradescope, as folders and as archives, become one source per student."""

from datetime import datetime
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from grader.intake.layouts import Layout, find_sources
from grader.intake.opening import open_submission
from grader.intake.submission import Source
from tests.intake.making import contents, plant, zipped

Files = dict[str, bytes]

MOODLE_FOLDERS = {
    "Zoé D'Été_12_assignsubmission_file/report.md": b"zoe",
    "Zoé D'Été_12_assignsubmission_file/code/lab.ipynb": b"{}",
    "Zoé D'Été_12_assignsubmission_onlinetext/onlinetext.html": b"<p>see file",
    "李雷_7_assignsubmission_file/Lab4.zip": zipped({"Lab4/report.md": b"li"}),
}
MOODLE_BEFORE_4_1 = {path.replace("/", "_/", 1): content for path, content in MOODLE_FOLDERS.items()}
MOODLE_FLAT = {
    "Zoé D'Été_12_assignsubmission_file_report.md": b"zoe",
    "Zoé D'Été_12_assignsubmission_file_lab_2.ipynb": b"{}",
    "Zoé D'Été_12_assignsubmission_onlinetext_onlinetext.html": b"<p>see file",
    "李雷_7_assignsubmission_file_Lab4.zip": zipped({"Lab4/report.md": b"li"}),
}
CANVAS = {
    "étézoé_12_3401_report.pdf": b"%PDF-1.4",
    "étézoé_12_3402_2023_run_1.ipynb": b"{}",
    "leeann_LATE_7_3403_Lab4.zip": zipped({"report.md": b"ann"}),
    "o_brienpat_LATE_99_text.html": b"<p>text",
}
YAML = """\
---
submission_401:
  :submitters:
  - :name: Zoé D'Été
    :sid: '00123'
    :email: zoe@example.org
  :created_at: 2023-11-21 22:58:10.123456789 Z
  :score: 3.0
  :results:
    tests:
    - score: 1.0
      name: &name "x: [y"
  :history:
  - :created_at: 2023-11-20 10:00:00.000000000 +01:00
    :score: 1.0
submission_402:
  :submitters:
  - :name: Ann Lee
    :sid: 0042
  - :name: Bob Ng
    :email: bob@example.org
  :created_at: 2023-11-22 01:02:03 -08:00
submission_403.pdf:
  :submitters: []
submission_404:
  :submitters: []
"""
GRADESCOPE = {
    "submission_metadata.yml": YAML.encode(),
    "submission_401/report.md": b"zoe",
    "submission_402/report.md": b"team",
    "submission_403.pdf": b"%PDF-1.4",
    ".DS_Store": b"x",
}


def places(tmp_path: Path, files: Files, wrapping: str = "") -> list[Path]:
    """The same download as a folder, as an archive, and as an archive with a folder in it."""
    folder = plant(tmp_path / "inbox", files)
    (tmp_path / "course-Lab 4-1234.zip").write_bytes(zipped(files))
    (tmp_path / "wrapped.zip").write_bytes(
        zipped({f"{wrapping or 'assignment_9_export'}/{n}": c for n, c in files.items()})
    )
    return [folder, tmp_path / "course-Lab 4-1234.zip", tmp_path / "wrapped.zip"]


def opened(source: Source, tmp_path: Path) -> Files:
    return contents(open_submission(source, tmp_path / "work" / source.path.name / source.student_id))


@pytest.mark.parametrize("files", [MOODLE_FOLDERS, MOODLE_BEFORE_4_1, MOODLE_FLAT], ids=["4.1", "older", "flat"])
def test_moodle(tmp_path: Path, files: Files) -> None:
    for path in places(tmp_path, files):
        (zoe, li), refused = find_sources(path)
        assert (zoe.student_name, zoe.student_id, refused) == ("Zoé D'Été", "Zoé D'Été_12", ())
        assert (li.student_name, li.student_id) == ("李雷", "李雷_7")
        assert [one.identity.moodle_participant for one in (zoe, li) if one.identity] == ["12", "7"]
        handed_in = opened(zoe, tmp_path)
        assert (handed_in["report.md"], handed_in["onlinetext.html"]) == (b"zoe", b"<p>see file")
        assert len(handed_in) == 3
        assert list(opened(li, tmp_path).values()) == [b"li"]


def test_moodle_blind_with_logins_and_with_a_chosen_group(tmp_path: Path) -> None:
    names = ["Participant_3", "alee_Ann Lee_4", "Group A-Bob Ng_5", "__6"]
    files = {f"{name}_assignsubmission_file/report.md": b"x" for name in names}
    sources, refused = find_sources(plant(tmp_path / "c", {**files, "notes.txt": b"x"}))
    told = {one.student_id: (one.student_name, one.identity.login if one.identity else "") for one in sources}
    assert told == {
        "alee_Ann Lee_4": ("Ann Lee", "alee"),
        "Group A-Bob Ng_5": ("Group A-Bob Ng", ""),
        "Participant_3": ("Participant 3", ""),
    }
    assert [one.path for one in refused] == ["__6_assignsubmission_file", "notes.txt"]


def test_moodle_with_one_student(tmp_path: Path) -> None:
    path = plant(tmp_path / "c", ["Ann Lee_4_assignsubmission_file/Lab4.zip"])
    (only,), _ = find_sources(path)
    assert (only.student_id, only.student_name) == ("Ann Lee_4", "Ann Lee")


def test_canvas(tmp_path: Path) -> None:
    folder, archive, wrapped = places(tmp_path, CANVAS)
    for path in (folder, archive, wrapped):
        sources, refused = find_sources(path)
        assert ([one.student_id for one in sources], refused) == (["étézoé_12", "leeann_7", "o_brienpat_99"], ())
        assert [one.identity.canvas_user for one in sources if one.identity] == ["12", "7", "99"]
        zoe, ann, pat = (opened(one, tmp_path) for one in sources)
        assert (ann, pat) == ({"report.md": b"ann"}, {"text.html": b"<p>text"})
        assert zoe == {"report.pdf": b"%PDF-1.4", "2023_run_1.ipynb": b"{}"}


def test_canvas_anonymous(tmp_path: Path) -> None:
    files = ["anon_aB3x9_55_report.pdf", "anon_LATE_Q1w2e_56_report.pdf"]
    sources, _ = find_sources(plant(tmp_path / "c", files))
    assert [one.student_id for one in sources] == ["anon_aB3x9", "anon_Q1w2e"]
    assert [one.identity.canvas_user for one in sources if one.identity] == ["", ""]


@pytest.mark.parametrize(
    "files",
    [
        ["leeann_7_3403_report.pdf", "notes.pdf"],
        ["leeann_7_3403_report.pdf", "code/x.py"],
        ["Run_7_3403_a.log", "Run_8_3403_a.log"],
        ["loss_7_3403_a.png", "loss_8_3403_a.png"],
    ],
)
def test_what_only_looks_a_little_like_canvas_is_none(tmp_path: Path, files: list[str]) -> None:
    sources, _ = find_sources(plant(tmp_path / "Ada", files))
    assert all(source.identity is None for source in sources)


def test_gradescope(tmp_path: Path) -> None:
    for path in places(tmp_path, GRADESCOPE):
        sources, refused = find_sources(path)
        team, lonely, zoe = sources
        assert [one.path for one in refused] == ["submission_404"]
        assert (zoe.student_id, zoe.student_name) == ("Zoé D'Été_00123", "Zoé D'Été")
        assert zoe.identity
        assert (zoe.identity.number, zoe.identity.email) == ("00123", "zoe@example.org")
        assert zoe.submitted_at == datetime.fromisoformat("2023-11-21T22:58:10.123456+00:00")
        assert zoe.earlier == (datetime.fromisoformat("2023-11-20T10:00+01:00"),)
        assert team.identity
        assert [(one.name, one.number) for one in team.identity.members] == [("Ann Lee", "0042"), ("Bob Ng", "")]
        assert (team.student_name, team.student_id) == ("Ann Lee + Bob Ng", "Ann Lee + Bob Ng_0042_bob")
        assert team.submitted_at == datetime.fromisoformat("2023-11-22T01:02:03-08:00")
        assert lonely.student_id == "submission_403.pdf"
        assert opened(zoe, tmp_path) == {"report.md": b"zoe"}


@pytest.mark.parametrize(
    "metadata",
    [
        b"",
        b"\xff\xfe\x00",
        b"- a\n- b\n",
        b"submission_401: " + b"[" * 100_000,
        b"a: &a [x]\nb: &b [*a, *a]\n: - : -\n",
        b"!ruby/object:Gem::Installer\ni: x\n",
        b"submission_401: {':created_at': 2023-13-45 99:99:99 Z, ':submitters': {}}",
    ],
)
def test_metadata_that_is_none_does_not_stop_the_rest(tmp_path: Path, metadata: bytes) -> None:
    sources, _ = find_sources(plant(tmp_path / "c", {**GRADESCOPE, "submission_metadata.yml": metadata}))
    assert {"submission_401", "submission_402"} <= {one.student_id for one in sources}
    assert all(one.submitted_at is None for one in sources)


def test_hostile_names_in_a_download(tmp_path: Path) -> None:
    names = ["=cmd|'calc'!A0_1", "..\u202e_2", "a\nb_3", "<b>x_4", "CON_5", "x" * 150 + "_6"]
    entries = [(f"{name}_assignsubmission_file/report.md", b"x") for name in names]
    escapes = [("../Eve_9_assignsubmission_file/report.md", b"x"), ("/Eve_9_assignsubmission_file/a.md", b"x")]
    (tmp_path / "c.zip").write_bytes(zipped([*entries, *escapes]))
    sources, refused = find_sources(tmp_path / "c.zip")
    assert len(sources) == len(names)
    assert len(refused) == 2
    for source in sources:
        assert Path(source.student_id).name == source.student_id
        assert opened(source, tmp_path) == {"report.md": b"x"}
        assert "\n" not in source.student_name
        TypeAdapter(Source).dump_json(source)


def test_a_download_can_be_forced_to_be_one_hand_in(tmp_path: Path) -> None:
    (only,), _ = find_sources(plant(tmp_path / "c", MOODLE_FOLDERS), Layout.STUDENT)
    assert only.student_id == "c"


STRAYS = ["roster.csv", "late by mail.md", "notes/solution.md"]


def test_what_lies_beside_a_canvas_download_is_named_and_left_out(tmp_path: Path) -> None:
    beside = {**CANVAS, "leeann_LATE_7_3405_report.md": b"x", **dict.fromkeys(STRAYS, b"x")}
    (tmp_path / "c.zip").write_bytes(zipped(beside))
    for path in (plant(tmp_path / "download", beside), tmp_path / "c.zip"):
        for layout in (Layout.AUTO, Layout.CLASS):
            sources, refused = find_sources(path, layout)
            assert [one.student_id for one in sources] == ["étézoé_12", "leeann_7", "o_brienpat_99"]
            assert [one.marked_late for one in sources] == [False, True, True]
            assert sorted(one.path for one in refused) == ["late by mail.md", "notes", "roster.csv"]


@pytest.mark.parametrize(
    "files",
    [
        ["exp_1_2_notes.md", "run_1_3_notes.md", "report.md"],
        ["exp_1_2_notes.md", "exp_2_2_notes.md", "report.md"],
        ["loss_7_3403_a.png", "loss_8_3404_a.png", "report.md"],
    ],
)
def test_numbered_files_of_one_student_are_no_canvas_download(tmp_path: Path, files: list[str]) -> None:
    assert all(source.identity is None for source in find_sources(plant(tmp_path / "Ada", files))[0])


def team_download(**other: bytes) -> Files:
    of = {"Red-Bears-Zoé D'Été_12": b"one", "Red-Bears-Ann Lee_7": b"one", "Red-Owls-Bob Ng_8": b"two"}
    return {f"{name}_assignsubmission_file/report.md": content for name, content in (of | other).items()}


def test_a_moodle_team_is_one_hand_in_of_all_its_members(tmp_path: Path) -> None:
    for path in places(tmp_path, team_download()):
        bears, owls = find_sources(path)[0]
        assert bears.identity
        assert [(one.name, one.moodle_participant) for one in bears.identity.members] == [
            ("Ann Lee", "7"),
            ("Zoé D'Été", "12"),
        ]
        assert opened(bears, tmp_path) == {"report.md": b"one"}
        assert opened(owls, tmp_path) == {"report.md": b"two"}


def test_copies_within_a_chosen_group_are_no_team(tmp_path: Path) -> None:
    names = {"A-Zoé_1": b"one", "A-Ann_2": b"one", "A-Bob_3": b"two"}
    files = {f"{name}_assignsubmission_file/report.md": content for name, content in names.items()}
    assert len(find_sources(plant(tmp_path / "chosen", files))[0]) == 3
    assert len(find_sources(plant(tmp_path / "no groups", team_download(Eve_9=b"one")))[0]) == 4
