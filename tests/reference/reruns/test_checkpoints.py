"""Pretrained weights in both formats, and what is none."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
import torch

from reference.reruns.checkpoints import classifier_from, find_checkpoint, random_classifier
from reference.reruns.fine_tuning import ignore_progress
from reference.reruns.run_record import Hardware, RerunError, RunRecord
from reference.reruns.running import run_job
from reference.reruns.spec import Job
from tests.reference.reruns.making import SIZES, make_data, spec

ROWS = 25
"""Rows that the tiny dictionary needs: 20 pieces, four special symbols and the mask."""

SMALL = SIZES.model_copy(update={"vocabulary": ROWS})
NAMES = {
    "embeddings.word_embeddings": "embed_tokens",
    "embeddings.position_embeddings": "embed_positions",
    "embeddings.LayerNorm": "emb_layer_norm",
    "attention.self.query": "self_attn.q_proj",
    "attention.self.key": "self_attn.k_proj",
    "attention.self.value": "self_attn.v_proj",
    "attention.output.dense": "self_attn.out_proj",
    "attention.output.LayerNorm": "self_attn_layer_norm",
    "intermediate.dense": "fc1",
    "output.dense": "fc2",
    "output.LayerNorm": "final_layer_norm",
    "encoder.layer": "layers",
}


def fairseq_checkpoint(folder: Path, model: Any, **changes: Any) -> Path:
    """The encoder of a model as fairseq saves it, with its settings and a head that is not used."""
    weights = {}
    for name, tensor in model.roberta.state_dict().items():
        if "token_type" in name:
            continue
        for ours, theirs in NAMES.items():
            name = name.replace(ours, theirs) if ours in name else name
        weights[f"encoder.sentence_encoder.{name}"] = tensor
    weights["encoder.lm_head.bias"] = torch.zeros(ROWS)
    folder.mkdir(parents=True)
    torch.save({"args": Namespace(arch="roberta_small"), "model": weights | changes}, folder / "model.pt")
    return folder


def test_fairseq_s_weights_give_the_same_encoder(tmp_path: Path) -> None:
    trained = random_classifier(SMALL, 2, 0.0, 7)
    checkpoint = find_checkpoint(fairseq_checkpoint(tmp_path / "model", trained))
    loaded: Any = classifier_from(checkpoint, 2, 0.0, seed=0, rows=ROWS, heads=2)
    numbers = torch.tensor([[0, 5, 6, 7, 2]])
    with torch.no_grad():
        expected = trained.eval().roberta(numbers).last_hidden_state
        torch.testing.assert_close(loaded.eval().roberta(numbers).last_hidden_state, expected)
    other: Any = classifier_from(checkpoint, 2, 0.0, seed=1, rows=ROWS, heads=2)
    assert not torch.equal(loaded.classifier.dense.weight, other.classifier.dense.weight), "the head is the seed's"


def test_another_vocabulary_is_named_with_both_sizes(tmp_path: Path) -> None:
    checkpoint = find_checkpoint(fairseq_checkpoint(tmp_path / "model", random_classifier(SMALL, 2, 0.0, 7)))
    with pytest.raises(RerunError, match="25 rows of word embeddings, but the dictionary needs 30"):
        classifier_from(checkpoint, 2, 0.0, seed=0, rows=30)


def test_weights_of_another_architecture(tmp_path: Path) -> None:
    folder = fairseq_checkpoint(
        tmp_path / "model",
        random_classifier(SMALL, 2, 0.0, 7),
        **{"encoder.sentence_encoder.layers.0.gate.weight": torch.zeros(2)},
    )
    with pytest.raises(RerunError, match="another architecture"):
        classifier_from(find_checkpoint(folder), 2, 0.0, seed=0, rows=ROWS)


class _Runs:
    def __reduce__(self) -> Any:
        return (print, ("this must not run",))


def test_a_file_that_would_run_code_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({"model": _Runs()}, tmp_path / "model.pt")
    with pytest.raises(RerunError, match="only tensors"):
        classifier_from(find_checkpoint(tmp_path), 2, 0.0, seed=0, rows=ROWS)
    assert capsys.readouterr().out == ""


def test_a_folder_without_a_checkpoint_says_what_belongs_there(tmp_path: Path) -> None:
    with pytest.raises(RerunError, match=r"model\.safetensors"):
        find_checkpoint(tmp_path)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RerunError, match="no weights"):
        find_checkpoint(tmp_path)


def test_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "model.pt").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(RerunError, match="cannot be read"):
        classifier_from(find_checkpoint(tmp_path), 2, 0.0, seed=0, rows=ROWS)


def test_a_whole_run_from_fairseq_s_weights(tmp_path: Path) -> None:
    """The dictionary beside the weights is the one that counts."""
    data = make_data(tmp_path / "data")
    folder = fairseq_checkpoint(tmp_path / "model", random_classifier(SMALL, 2, 0.0, 7))
    (data / "dict.txt").rename(folder / "dict.txt")
    one = spec(id="pretrained", start="pretrained", sizes=SMALL)
    job = Job(spec=one, seed=0, data=data, out=tmp_path / "out", checkpoint=folder, hardware=Hardware(threads=1))
    record = run_job(job, ignore_progress)
    assert isinstance(record, RunRecord)
    assert record.plan.checkpoint_sha256 == find_checkpoint(folder).sha256
    with pytest.raises(RerunError, match="--checkpoint"):
        run_job(job.model_copy(update={"checkpoint": None}), ignore_progress)
