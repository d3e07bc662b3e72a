"""Exceptions by layer: layers_to_transform, layers_pattern, rank_pattern, alpha_pattern."""

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import adapt, adapters, factors, fill, multiple, outcome, update
from reference.lora.models import bloom, inputs

NAMES = ["query_key_value"]


def _layers(**fields: object) -> list[int]:
    """The numbers of the layers that get an adapter."""
    return [int(name.split(".")[2]) for name in adapters(adapt(bloom(), **fields))]


def _outcome(**fields: object) -> str:
    return outcome(bloom(), **fields)


def layers_to_transform() -> Figures:
    """layers_to_transform keeps the adapters of some layers only: [0, 2] those of layers 0 and 2, 1 that of layer 1. A
    number that the model does not have is ignored; if none is left, that is an error."""
    return expect(
        {
            "[0, 2]": _layers(target_modules=NAMES, layers_to_transform=[0, 2]),
            "1": _layers(target_modules=NAMES, layers_to_transform=1),
            "[0, 9]": _layers(target_modules=NAMES, layers_to_transform=[0, 9]),
            "[9]": _outcome(target_modules=NAMES, layers_to_transform=[9]),
        },
        {"[0, 2]": [0, 2], "1": [1], "[0, 9]": [0], "[9]": "ValueError"},
    )


def not_with_a_string() -> Figures:
    """layers_to_transform needs target_modules as a list: with a regular expression it is refused."""
    found = _outcome(target_modules=".*query_key_value", layers_to_transform=[1])
    return expect({"with a string": found}, {"with a string": "ValueError"})


def layers_pattern() -> Figures:
    """layers_pattern says where the layer's number stands in the dotted name: in BLOOM after h. With another word
    nothing is found, and without layers_to_transform it is refused; both are errors."""
    return expect(
        {
            '"h"': _layers(target_modules=NAMES, layers_to_transform=[1], layers_pattern="h"),
            '"layers"': _outcome(target_modules=NAMES, layers_to_transform=[1], layers_pattern="layers"),
            "without layers_to_transform": _outcome(target_modules=NAMES, layers_pattern="h"),
        },
        {'"h"': [1], '"layers"': "ValueError", "without layers_to_transform": "ValueError"},
    )


def rank_pattern() -> Figures:
    """rank_pattern gives some layers another r: with r = 4, and 2 for layer 1, the rows of A are 4, 2, 4, 4."""
    model = adapt(bloom(), r=4, rank_pattern={"h.1.self_attention.query_key_value": 2})
    return expect(
        {"rows of A by layer": [factors(layer)[0].shape[0] for layer in adapters(model).values()]},
        {"rows of A by layer": [4, 2, 4, 4]},
    )


def alpha_pattern() -> Figures:
    """alpha_pattern gives some layers another lora_alpha, and the scale is each layer's own lora_alpha / r: 8 / 4 = 2,
    but 8 / 2 = 4 where r is 2 and 32 / 4 = 8 where lora_alpha is 32."""
    model = fill(
        adapt(
            bloom(),
            r=4,
            lora_alpha=8,
            rank_pattern={"h.1.self_attention.query_key_value": 2},
            alpha_pattern={"h.2.self_attention.query_key_value": 32},
        )
    )
    pairs = [(layer, *factors(layer)) for layer in adapters(model).values()]
    scales = [multiple(inputs() @ a.T @ b.T, update(layer, inputs())) for layer, a, b in pairs]
    return expect({"factor by layer": scales}, {"factor by layer": [2.0, 4.0, 8.0, 2.0]})


SINCE = "rank_pattern and alpha_pattern exist since peft 0.6.0; the lab's commit has neither."

EXPERIMENTS = (
    Experiment("lora/layers_to_transform/some-layers", layers_to_transform),
    Experiment(
        "lora/layers_to_transform/not-with-a-string",
        not_with_a_string,
        drift="peft 0.4.0 ignores layers_to_transform there.",
    ),
    Experiment(
        "lora/layers_pattern/place-of-the-number",
        layers_pattern,
        drift="peft 0.4.0 ignores layers_pattern without layers_to_transform.",
    ),
    Experiment("lora/rank_pattern/own-rank", rank_pattern, drift=SINCE),
    Experiment("lora/alpha_pattern/own-scale", alpha_pattern, drift=SINCE),
)
