from pathlib import Path

import pytest

from grader.lab.files import LabError, load_lab
from grader.lab.sharing import shared
from tests.lab.test_files import GRAMMAR, LAB, folder

BASE = {
    "words": {"the": ["the"], "model": ["bloom"]},
    "parameters": [{"id": "r", "summary": "S", "words": {"value": ["16"], "rank": ["rank"]}}, {"id": "bias"}],
}


def test_what_is_not_changed_stays() -> None:
    made = shared(BASE, {"like": "x", "words": {"model": ["gpt"]}, "parameters": {"r": {"words": {"value": ["8"]}}}})
    assert made["words"] == {"the": ["the"], "model": ["gpt"]}
    assert made["parameters"][0] == {"id": "r", "summary": "S", "words": {"value": ["8"], "rank": ["rank"]}}
    assert made["parameters"][1] == {"id": "bias"}
    assert "like" not in made
    assert BASE["words"]["model"] == ["bloom"]  # type: ignore[call-overload]


def test_a_parameter_of_its_own_is_added() -> None:
    made = shared(BASE, {"parameters": {"use_rslora": {"summary": "T"}}})
    assert made["parameters"][-1] == {"id": "use_rslora", "summary": "T"}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"wrods": {}}, "wrods"),
        ({"words": {"modell": ["x"]}}, "words.modell"),
        ({"parameters": {"r": {"words": {"vlaue": ["8"]}}}}, "parameters.r.words.vlaue"),
        ({"parameters": [{"id": "r"}]}, "single brackets"),
    ],
)
def test_an_entry_without_effect_is_refused(changes: dict[str, object], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        shared(BASE, changes)


def labs(path: Path, changes: str) -> Path:
    """A lab beside another one whose definitions it shares."""
    (path / "first").mkdir()
    (path / "second").mkdir()
    folder(path / "first", definitions=GRAMMAR)
    return folder(path / "second", LAB, definitions=changes)


def test_a_lab_beside_it_is_named_by_path(tmp_path: Path) -> None:
    second = labs(tmp_path, 'like = "../first"\n[parameters.r]\nsummary = "Other."\n')
    lab = load_lab(second)
    assert lab.grammar.of("r").summary == "Other."  # type: ignore[union-attr]
    assert lab.grammar.is_right("r", "the rank")
    before = lab.sha256
    (tmp_path / "first" / "definitions.toml").write_text(GRAMMAR + "\n", encoding="utf-8")
    assert load_lab(second).sha256 != before, "the hash covers the shared file"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ('like = "nowhere"', ["nowhere", "shipped labs"]),
        ('like = "../first"\n[words]\nteh = ["the"]', ["definitions.toml", "words.teh", "first"]),
        ('like = "../second"', ["like another lab itself"]),
    ],
)
def test_mistakes_are_named(tmp_path: Path, changes: str, words: list[str]) -> None:
    with pytest.raises(LabError) as error:
        load_lab(labs(tmp_path, changes))
    assert [word for word in words if word not in str(error.value)] == []
