"""The classifier of the lab: RoBERTa with fairseq's head, built by transformers and initialised as fairseq does."""

from typing import TYPE_CHECKING

from reference.reruns.recipe import Sizes

if TYPE_CHECKING:
    import torch
    from transformers import RobertaConfig, RobertaForSequenceClassification

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
