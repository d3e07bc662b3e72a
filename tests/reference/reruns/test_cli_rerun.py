"""From an order on the command line to bands: what an instructor with another lab does."""

from pathlib import Path

import pytest

from grader.lab.files import load_lab, load_truth
from reference.bands import bands
from reference.evidence import load_evidence
from tests.conftest import run_grade
from tests.reference.reruns.making import make_data, make_lab


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab after `rerun` and `collect`; its data is in `data`, its runs in `out`."""
    folder = make_lab(tmp_path_factory.mktemp("lab"))
    make_data(folder / "data", {"train": 48, "valid": 20, "test": 100})
    done = run_grade("truth", "rerun", "random", "--lab", folder, "--data", folder / "data", "--out", folder / "out")
    assert done.returncode == 0, done.stderr
    assert "sample deviation" in done.stdout
    collected = run_grade("truth", "collect", folder / "out", "--lab", folder, "--name", "here")
    assert collected.returncode == 0, collected.stderr
    assert "2 whole runs" in collected.stdout
    return folder


def test_reruns_alone_make_bands(lab: Path) -> None:
    found = {band.id: band for band in bands(load_evidence(lab / "evidence"), load_lab(lab), "2026-11-20")}
    assert set(found) >= {"band/random/test/36", "band/random/test/any"}
    (one,) = found["band/random/test/36"].evidence
    assert (one.id, one.kind, len(one.values)) == ("here-36-random", "rerun", 2)


def test_bands_are_shown_with_their_evidence(lab: Path, tmp_path: Path) -> None:
    done = run_grade("truth", "bands", "--lab", lab, "--svg", tmp_path / "bands.svg")
    assert done.returncode == 0, done.stderr
    for words in ("random/test/36", "here-36-random", "rerun", "●"):
        assert words in done.stdout
    assert (tmp_path / "bands.svg").read_text(encoding="utf-8").startswith("<svg")


def test_they_are_frozen_by_build(lab: Path) -> None:
    done = run_grade("truth", "build", "--lab", lab)
    assert done.returncode == 0, done.stderr
    assert {band.id for band in load_truth(lab).bands} >= {"band/random/test/36", "band/random/test/any"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing",), "it has random, pretrained"),
        (("pretrained",), "--checkpoint"),
        (("random", "--precision", "tf32", "--device", "cpu"), "float32 or bfloat16"),
        (("random", "--seeds", "1,1"), "named twice"),
        (("random", "--seeds", "one"), "--seeds"),
    ],
)
def test_what_cannot_be_run_says_what_to_change(
    lab: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = run_grade("truth", "rerun", *arguments, "--lab", lab, "--data", lab / "data", "--out", tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_lab_without_evidence_is_told_how_to_get_some(tmp_path: Path) -> None:
    done = run_grade("truth", "bands", "--lab", make_lab(tmp_path))
    assert done.returncode == 1
    assert "grade truth rerun" in done.stderr


def test_a_table_that_is_wrong_is_named(tmp_path: Path) -> None:
    folder = make_lab(tmp_path)
    text = (folder / "lab.toml").read_text(encoding="utf-8").replace("layers = 1", "layers = 0", 1)
    (folder / "lab.toml").write_text(text, encoding="utf-8")
    done = run_grade("truth", "rerun", "random", "--lab", folder, "--data", folder, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "reruns.0.classifier.sizes.layers" in done.stderr
