"""Classifiers with random weights as fairseq draws them, and with pretrained weights from a folder, as transformers or
fairseq keep them; nothing is downloaded.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from reference.reruns.run_record import RerunError, Sizes

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, RobertaConfig, RobertaForSequenceClassification


DEVIATION = 0.02
"""Standard deviation of BERT's initial weights."""


def random_classifier(sizes: Sizes, classes: int, dropout: float, seed: int) -> "RobertaForSequenceClassification":
    """A classifier with random weights drawn from a seed.

    fairseq draws all weights of the encoder from N(0, 0.02²) with zero biases, and leaves the head, which it adds
    later, as PyTorch makes it. transformers always has a token-type row, which fairseq lacks: it is zero and stays so.
    """
    import torch
    from transformers import RobertaForSequenceClassification

    torch.manual_seed(seed)
    model = RobertaForSequenceClassification(_config(sizes, classes, dropout))
    for module in model.roberta.modules():
        _initialise(module)
    for module in model.classifier.modules():
        if isinstance(module, torch.nn.Linear):
            module.reset_parameters()
    types = model.roberta.embeddings.token_type_embeddings.weight
    torch.nn.init.zeros_(types)
    types.requires_grad_(False)
    return model


def _config(sizes: Sizes, classes: int, dropout: float) -> "RobertaConfig":
    from transformers import RobertaConfig

    config = RobertaConfig(
        vocab_size=sizes.vocabulary,
        hidden_size=sizes.width,
        num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads,
        intermediate_size=sizes.feed_forward,
        max_position_embeddings=sizes.positions + 2,  # positions are numbered from 2 on
        type_vocab_size=1,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        classifier_dropout=0.0,
        layer_norm_eps=1e-5,
    )
    config.num_labels = classes
    return config


def _initialise(module: "torch.nn.Module") -> None:
    import torch

    if isinstance(module, torch.nn.Linear):
        torch.nn.init.normal_(module.weight, 0.0, DEVIATION)
        torch.nn.init.zeros_(module.bias)
    elif isinstance(module, torch.nn.Embedding):
        torch.nn.init.normal_(module.weight, 0.0, DEVIATION)
        if module.padding_idx is not None:
            with torch.no_grad():
                module.weight[module.padding_idx].zero_()


Tensors = Mapping[str, "torch.Tensor"]

_LAYERS = {
    "self_attn.q_proj": "attention.self.query",
    "self_attn.k_proj": "attention.self.key",
    "self_attn.v_proj": "attention.self.value",
    "self_attn.out_proj": "attention.output.dense",
    "self_attn_layer_norm": "attention.output.LayerNorm",
    "fc1": "intermediate.dense",
    "fc2": "output.dense",
    "final_layer_norm": "output.LayerNorm",
}
_EMBEDDINGS = {
    "embed_tokens": "word_embeddings",
    "embed_positions": "position_embeddings",
    "layernorm_embedding": "LayerNorm",
    "emb_layer_norm": "LayerNorm",
}
_ENCODER = re.compile(r"^(?:encoder|decoder)\.sentence_encoder\.")


class Checkpoint(NamedTuple):
    """A folder with weights: its kind, the file that holds them, and that file's hash."""

    folder: Path
    fairseq: bool
    file: Path
    sha256: str


def find_checkpoint(folder: Path) -> Checkpoint:
    """The checkpoint in a folder. Raises RerunError that says what such a folder holds."""
    if (folder / "config.json").is_file():
        files = sorted([*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")])
        if files:
            return Checkpoint(folder, False, files[0], _digest(*files))
        raise RerunError(f"{folder} has a config.json but no weights: model.safetensors is missing.")
    file = next((path for name in ("model.pt", "checkpoint_best.pt") if (path := folder / name).is_file()), None)
    if file is None:
        raise RerunError(
            f"{folder} holds no checkpoint. Name with --checkpoint a folder with config.json and model.safetensors "
            f"(transformers), or with model.pt and dict.txt (fairseq)."
        )
    return Checkpoint(folder, True, file, _digest(file))


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def classifier_from(
    checkpoint: Checkpoint, classes: int, dropout: float, seed: int, rows: int, heads: int | None = None
) -> "PreTrainedModel":
    """A classifier with the checkpoint's encoder and a head drawn from the seed; `rows` is what the dictionary needs.
    fairseq's weights do not tell the number of `heads`; by default each has 64 values, as in all published RoBERTas.

    Raises RerunError when the weights cannot be read or belong to another vocabulary.
    """
    import torch
    from transformers import AutoModelForSequenceClassification

    torch.manual_seed(seed)
    if checkpoint.fairseq:
        return _from_fairseq(checkpoint, classes, dropout, seed, rows, heads)
    try:
        model: PreTrainedModel = AutoModelForSequenceClassification.from_pretrained(
            str(checkpoint.folder), num_labels=classes, local_files_only=True
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise RerunError(f"transformers cannot load a classifier from {checkpoint.folder}: {error}") from error
    embedded = cast("torch.Tensor", model.get_input_embeddings().weight).shape[0]
    if embedded < rows:
        raise _wrong_vocabulary(checkpoint, embedded, rows)
    return model


def _from_fairseq(
    checkpoint: Checkpoint, classes: int, dropout: float, seed: int, rows: int, heads: int | None
) -> "PreTrainedModel":
    import torch

    weights = translate_weights(_fairseq_weights(checkpoint))
    sizes = sizes_of(weights, checkpoint, heads)
    if sizes.vocabulary != rows:
        raise _wrong_vocabulary(checkpoint, sizes.vocabulary, rows)
    model = random_classifier(sizes, classes, dropout, seed)
    missing, unexpected = model.roberta.load_state_dict(dict(weights), strict=False)
    lacking = [name for name in missing if "token_type" not in name and "position_ids" not in name]
    if lacking or unexpected:
        names = ", ".join([*lacking, *unexpected][:4])
        raise RerunError(f"{checkpoint.file} is of another architecture than RoBERTa: {names}.")
    with torch.no_grad():
        model.roberta.embeddings.token_type_embeddings.weight.zero_()
    return model


def _wrong_vocabulary(checkpoint: Checkpoint, rows: int, needed: int) -> RerunError:
    return RerunError(
        f"The weights in {checkpoint.folder} have {rows} rows of word embeddings, but the dictionary needs {needed}. "
        f"Use the dict.txt or the tokenizer that came with the weights, and texts tokenised with it."
    )


def _fairseq_weights(checkpoint: Checkpoint) -> Tensors:
    """The tensors of a fairseq checkpoint, read without running anything that it holds but its settings."""
    import pickle
    from argparse import Namespace

    import torch

    try:
        with torch.serialization.safe_globals([Namespace]):
            content = torch.load(checkpoint.file, map_location="cpu", weights_only=True)
        weights: Tensors = content["model"]
    except (pickle.UnpicklingError, RuntimeError, KeyError, EOFError, TypeError) as error:
        raise RerunError(
            f"{checkpoint.file} cannot be read as a fairseq checkpoint ({type(error).__name__}). Save one that holds "
            f"only tensors: torch.save({{'model': model.state_dict()}}, 'model.pt')."
        ) from error
    return weights


def translate_weights(weights: Tensors) -> "dict[str, torch.Tensor]":
    """The encoder's tensors under transformers' names; heads are left out."""
    found = {}
    for name, tensor in weights.items():
        inner = _ENCODER.sub("", name)
        if inner != name and (new := _translated(inner)) is not None:
            found[new] = tensor.float()
    return found


def _translated(name: str) -> str | None:
    if name.startswith("layers."):
        _, number, rest = name.split(".", 2)
        module, _, kind = rest.rpartition(".")
        return f"encoder.layer.{number}.{_LAYERS.get(module, module)}.{kind}"
    module, _, kind = name.partition(".")
    return f"embeddings.{_EMBEDDINGS[module]}.{kind}" if module in _EMBEDDINGS else None


def sizes_of(weights: Tensors, checkpoint: Checkpoint, heads: int | None) -> Sizes:
    """The sizes of an encoder, read from its tensors."""
    try:
        rows, width = weights["embeddings.word_embeddings.weight"].shape
        positions = weights["embeddings.position_embeddings.weight"].shape[0]
        feed_forward = weights["encoder.layer.0.intermediate.dense.weight"].shape[0]
    except KeyError as error:
        raise RerunError(f"{checkpoint.file} is of another architecture than RoBERTa: it has no {error}.") from error
    layers = len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})
    return Sizes(
        layers=layers,
        width=width,
        feed_forward=feed_forward,
        heads=heads or max(1, width // 64),
        positions=positions - 2,
        vocabulary=rows,
    )
