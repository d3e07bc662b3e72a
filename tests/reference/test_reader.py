"""A tiny random model is held to the form of an answer, whatever it would rather write."""

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from grader.pipeline.asking import Consulting, _Desk, _one
from grader.reader.answer import Record, parse_answer
from grader.reader.card import NOTHING
from grader.reader.request import schema
from tests.reader.making import graded, lab_and_truth, lines_of

torch = pytest.importorskip("torch", reason="the libraries of the reference extra are not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from tokenizers.decoders import ByteLevel
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    place = tmp_path_factory.mktemp("models") / "tiny"
    own = Tokenizer(models.BPE())
    own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    own.decoder = ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    own.train_from_iterator([], trainers.BpeTrainer(initial_alphabet=alphabet, special_tokens=["<end>"]))
    PreTrainedTokenizerFast(tokenizer_object=own, eos_token="<end>").save_pretrained(place)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=own.get_vocab_size(),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=20_000,
    )
    LlamaForCausalLM(config).save_pretrained(place)
    return place


def test_a_random_model_answers_in_the_form_and_gives_no_points(folder: Path) -> None:
    from reference.reader import LocalModel

    lab, _ = lab_and_truth()
    model = LocalModel(folder, most_tokens=200)
    form = schema(lab)
    answer = model.ask("Read.", "[1] The mean is 79.3.", form).answer
    jsonschema.validate(json.loads(answer), form)
    assert parse_answer(answer).malformed == 0
    assert model.ask("Read.", "[1] The mean is 79.3.", form).answer == answer
    assert model.leaves is None
    lines = lines_of("hand-03-07")
    before, after = graded(lines), graded(lines, answer)
    known = {one.item: one.status for one in before.findings}
    assert all(one.status == known[one.item] or one.status == "review" for one in after.findings)


def test_a_text_too_long_for_the_model_is_asked_about_in_parts(folder: Path, tmp_path: Path) -> None:
    from reference.reader import LocalModel

    small = shutil.copytree(folder, tmp_path / "small")
    config = json.loads((small / "config.json").read_text())
    (small / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 8_000}))
    lab, _ = lab_and_truth()
    model = LocalModel(small, most_tokens=40)
    lines = [f"Line {number} says nothing of any weight, and says it at some length." for number in range(90)]
    desk = _Desk(model, schema(lab), Consulting(model, NOTHING))
    record = _one(desk, lines, lab, Record(reader="r", inputs=""))
    assert record.failure == ""
    assert len(record.answers) > 1
    assert all(line in "\n".join(record.requests) for line in lines)


def test_a_model_that_breaks_down_costs_nobody_anything(folder: Path) -> None:
    from reference.reader import LocalModel

    lab, _ = lab_and_truth()
    model = LocalModel(folder, most_tokens=40)
    model._model.lm_head = None
    desk = _Desk(model, schema(lab), Consulting(model, NOTHING))
    record = _one(desk, ["A line."], lab, Record(reader="r", inputs=""))
    assert record.failure.startswith("the reader failed (")


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    from reference.reader import LocalModel

    with pytest.raises(OSError, match=r"config\.json"):
        LocalModel(tmp_path)
