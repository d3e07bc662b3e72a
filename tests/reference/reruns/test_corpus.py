"""Data folders: formats, splits, and what is wrong with them in words that help."""

import json
from collections import Counter
from pathlib import Path

import pytest

from reference.reruns.coding import UNKNOWN, dictionary_coder, sentencepiece_pieces
from reference.reruns.corpus import load_corpus
from reference.reruns.run_record import RerunError
from tests.reference.reruns.making import make_data


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A data folder that a test may spoil."""
    return make_data(tmp_path / "data")


def test_all_reviews_are_there(data: Path) -> None:
    corpus = load_corpus(data)
    assert (len(corpus.train), len(corpus.valid), len(corpus.test), corpus.classes) == (22, 8, 16, 2)
    first = (data / "train.review.spm").read_text(encoding="utf-8").splitlines()[0]
    assert corpus.train[0].pieces == tuple(first.split())


def test_json_lines_hold_the_same(own: Path) -> None:
    before = load_corpus(own)
    for split in ("train", "valid", "test"):
        texts = (own / f"{split}.review.spm").read_text(encoding="utf-8").splitlines()
        labels = (own / f"{split}.label").read_text(encoding="utf-8").split()
        (own / f"{split}.review.spm").unlink()
        lines = [json.dumps({"text": text, "label": int(label)}) for text, label in zip(texts, labels, strict=True)]
        (own / f"{split}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert load_corpus(own, tokenise=str.split).sha256 == before.sha256


def test_raw_text_is_tokenised(own: Path) -> None:
    for split in ("train", "valid", "test"):
        (own / f"{split}.review.spm").rename(own / f"{split}.review")
    assert load_corpus(own, tokenise=list).train[0].pieces[:2] == (
        "▁",
        load_corpus(own, tokenise=list).train[0].pieces[1],
    )
    with pytest.raises(RerunError, match="sentencepiece"):
        load_corpus(own)


def test_what_is_too_much_for_validation_joins_the_training_split(data: Path) -> None:
    whole, cut = load_corpus(data), load_corpus(data, valid=4)
    assert (len(cut.train), len(cut.valid)) == (26, 4)
    assert Counter(review.label for review in cut.valid) == {0: 2, 1: 2}
    assert Counter(whole.train + whole.valid) == Counter(cut.train + cut.valid), "no review is lost or doubled"
    assert cut == load_corpus(data, valid=4), "the choice is always the same"
    assert "4 of 8 reviews" in cut.how


def test_without_a_validation_file_it_is_drawn_from_train(own: Path) -> None:
    (own / "valid.review.spm").unlink()
    with pytest.raises(RerunError, match="no validation split"):
        load_corpus(own)
    corpus = load_corpus(own, valid=6)
    assert (len(corpus.train), len(corpus.valid)) == (16, 6)


def test_lines_and_labels_that_do_not_match(own: Path) -> None:
    file = own / "test.label"
    file.write_text(file.read_text(encoding="utf-8") + "1\n", encoding="utf-8")
    with pytest.raises(RerunError, match=r"16 lines but test.label has 17"):
        load_corpus(own)


def test_a_class_without_reviews(own: Path) -> None:
    (own / "valid.label").write_text("1\n" * 8, encoding="utf-8")
    with pytest.raises(RerunError, match=r"valid split .* no review of class 0"):
        load_corpus(own)


@pytest.mark.parametrize("label", ["good", "-1", "", "0.5", "²"])
def test_a_label_that_is_no_class_is_named_with_its_line(own: Path, label: str) -> None:
    lines = (own / "train.label").read_text(encoding="utf-8").splitlines()
    (own / "train.label").write_text("\n".join([*lines[:2], label, *lines[3:]]) + "\n", encoding="utf-8")
    with pytest.raises(RerunError, match=r"train\.label, line 3"):
        load_corpus(own)


def test_one_class_only(own: Path) -> None:
    for split, count in (("train", 22), ("valid", 8), ("test", 16)):
        (own / f"{split}.label").write_text("0\n" * count, encoding="utf-8")
    with pytest.raises(RerunError, match="nothing to learn"):
        load_corpus(own)


@pytest.mark.parametrize("missing", ["train.review.spm", "test.review.spm", "test.label"])
def test_files_that_are_missing_are_named(own: Path, missing: str) -> None:
    (own / missing).unlink()
    with pytest.raises(RerunError, match=missing.partition(".")[0]):
        load_corpus(own)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RerunError, match="--data"):
        load_corpus(tmp_path / "nowhere")


def test_text_that_is_not_utf_8(own: Path) -> None:
    (own / "train.review.spm").write_bytes("é".encode("latin-1") * 3)
    with pytest.raises(RerunError, match="not UTF-8"):
        load_corpus(own)


def test_a_record_without_text(own: Path) -> None:
    (own / "test.review.spm").unlink()
    (own / "test.jsonl").write_text('{"text": "a", "label": 0}\n{"label": 1}\n', encoding="utf-8")
    with pytest.raises(RerunError, match="line 2"):
        load_corpus(own, tokenise=str.split)


def test_a_dictionary_of_another_tokenisation_is_refused(own: Path) -> None:
    (own / "dict.txt").write_text("un 1\nautre 1\n", encoding="utf-8")
    with pytest.raises(RerunError, match="another tokenisation"):
        dictionary_coder(load_corpus(own), (own,), None, 12)


def test_a_dictionary_that_is_too_long_loses_what_occurs_least(own: Path) -> None:
    corpus = load_corpus(own)
    counts = Counter(piece for review in corpus.train for piece in review.pieces)
    rows = 5 + len(counts) - 1
    coder = dictionary_coder(corpus, (own,), rows, 1000)
    codes = [number for review in corpus.train for number in coder.encode(review)]
    assert coder.rows == rows
    assert max(codes) < rows - 1, "the last row is the mask's"
    assert codes.count(UNKNOWN) == min(counts.values())


def test_texts_are_cut_after_their_marks_are_added(own: Path) -> None:
    corpus = load_corpus(own)
    longest = max(corpus.train, key=lambda review: len(review.pieces))
    code = dictionary_coder(corpus, (own,), None, 10).encode(longest)
    assert len(code) == 10
    assert code[0] == 0
    assert code[-1] != 2, "fairseq cuts the end mark off as well"


def test_a_file_that_is_no_sentencepiece_model(own: Path) -> None:
    with pytest.raises(RerunError, match="no sentencepiece model"):
        sentencepiece_pieces(own / "dict.txt")
