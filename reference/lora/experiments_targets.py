"""target_modules: how names are matched, and what an adapted layer of BLOOM is."""

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import adapt, adapters, factors, first_adapter, outcome, trained_bloom, update
from reference.lora.models import WIDTH, bloom, inputs, roberta

SUFFIX_DRIFT = (
    "peft 0.4.0 and the lab's commit match any ending of the name, so that value finds query_key_value there; "
    "whole parts of the dotted name are asked for since 0.5.0."
)


def _found(target: object) -> list[str]:
    """The names of RoBERTa's layers that get an adapter."""
    return list(adapters(adapt(roberta(), target_modules=target)))


def _outcome(target: object) -> str:
    return outcome(roberta(), target_modules=target)


def listed_names() -> Figures:
    """target_modules names the layers that get an adapter: a name in a list finds every layer whose dotted name ends in
    it, so that in RoBERTa of 1 layer "query" finds 1, "dense" 4 and "output.dense" 2."""
    return expect(
        {f'["{name}"]': _found([name]) for name in ("query", "dense", "output.dense")},
        {
            '["query"]': ["roberta.encoder.layer.0.attention.self.query"],
            '["dense"]': [
                "roberta.encoder.layer.0.attention.output.dense",
                "roberta.encoder.layer.0.intermediate.dense",
                "roberta.encoder.layer.0.output.dense",
                "classifier.dense",
            ],
            '["output.dense"]': [
                "roberta.encoder.layer.0.attention.output.dense",
                "roberta.encoder.layer.0.output.dense",
            ],
        },
    )


def whole_parts() -> Figures:
    """A name in a list must be whole parts of the dotted name, in the same case, and is no regular expression: "uery",
    "quer", "QUERY" and ".*query" find nothing, which is an error."""
    outcomes = {f'["{name}"]': _outcome([name]) for name in ("query", "uery", "quer", "QUERY", ".*query")}
    return expect(outcomes, {**dict.fromkeys(outcomes, "ValueError"), '["query"]': "accepted"})


def string_is_expression() -> Figures:
    """A single string is a regular expression for the full dotted name: ".*query" finds the layers named query, but
    "query" alone and ".*quer" find nothing, which is an error."""
    outcomes = {f'"{text}"': _outcome(text) for text in (".*query", "query", ".*quer")}
    return expect(outcomes, {'".*query"': "accepted", '"query"': "ValueError", '".*quer"': "ValueError"})


def list_needed() -> Figures:
    """For BLOOM the list with query_key_value is needed: the same name as a single string finds nothing, which is an
    error."""
    return expect(
        {
            "as a list": outcome(bloom(), target_modules=["query_key_value"]),
            "as a string": outcome(bloom(), target_modules="query_key_value"),
        },
        {"as a list": "accepted", "as a string": "ValueError"},
    )


def no_separate_projections() -> Figures:
    """BLOOM has no separate layers named query, key and value: a list of these three names finds nothing, which is an
    error."""
    found = outcome(bloom(), target_modules=["query", "key", "value"])
    return expect({'["query", "key", "value"]': found}, {'["query", "key", "value"]': "ValueError"})


def fused_layer() -> Figures:
    """BLOOM's query_key_value is one layer that computes queries, keys and values together, 3 x 32 = 96 values from 32;
    one adapter changes all three parts."""
    layer = first_adapter(trained_bloom(r=16))
    change = update(layer, inputs()).reshape(-1, 4, 3, WIDTH // 4)
    a, b = factors(layer)
    return expect(
        {
            "A and B": [list(a.shape), list(b.shape)],
            **{part: bool(change[:, :, index].any()) for index, part in enumerate(("query", "key", "value"))},
        },
        {"A and B": [[16, 32], [96, 16]], "query": True, "key": True, "value": True},
    )


def others_untouched() -> Figures:
    """Layers that are not named get no adapter: with query_key_value only the 4 fused attention layers do, and neither
    the attention's output layer dense nor the feed-forward layers."""
    model = adapt(bloom(), target_modules=["query_key_value"])
    names = {name.split(".", 3)[-1] for name in adapters(model)}
    return expect(
        {"adapted layers": len(adapters(model)), "their names": sorted(names)},
        {"adapted layers": 4, "their names": ["self_attention.query_key_value"]},
    )


def unknown_name() -> Figures:
    """An unknown name beside a known one is ignored without a word: ["query", "no_such"] adapts the layer named query
    only."""
    return expect(
        {"adapted layers": _found(["query", "no_such"])},
        {"adapted layers": ["roberta.encoder.layer.0.attention.self.query"]},
    )


def unsupported_targets() -> Figures:
    """Not everything can be adapted: naming a norm is an error, and so is an empty list."""
    return expect(
        {'["LayerNorm"]': _outcome(["LayerNorm"]), "[]": _outcome([])},
        {'["LayerNorm"]': "ValueError", "[]": "ValueError"},
    )


def default() -> Figures:
    """Without target_modules peft chooses by the kind of model: query_key_value for BLOOM, query and value for
    RoBERTa."""
    models = {"BLOOM": adapt(bloom()), "RoBERTa": adapt(roberta())}
    return expect(
        {kind: sorted({name.split(".")[-1] for name in adapters(model)}) for kind, model in models.items()},
        {"BLOOM": ["query_key_value"], "RoBERTa": ["query", "value"]},
    )


def all_linear() -> Figures:
    """The word all-linear adapts every linear layer but the output layer: 4 in each of BLOOM's 4 layers."""
    names = list(adapters(adapt(bloom(), target_modules="all-linear")))
    return expect(
        {"adapted layers": len(names), "their names": sorted({name.split(".")[-1] for name in names})},
        {"adapted layers": 16, "their names": ["dense", "dense_4h_to_h", "dense_h_to_4h", "query_key_value"]},
    )


def excluded_layers() -> Figures:
    """exclude_modules takes layers out again: excluding the one of layer 0 leaves 3 of the 4 adapters."""
    model = adapt(bloom(), target_modules=["query_key_value"], exclude_modules=["h.0.self_attention.query_key_value"])
    return expect({"layers": [int(name.split(".")[2]) for name in adapters(model)]}, {"layers": [1, 2, 3]})


EXPERIMENTS = (
    Experiment("lora/target_modules/listed-names", listed_names),
    Experiment(
        "lora/target_modules/whole-parts",
        whole_parts,
        drift="Up to peft 0.4.0 any ending of the name is found; since 0.5.0 whole parts are asked for.",
    ),
    Experiment("lora/target_modules/string-is-expression", string_is_expression),
    Experiment("lora/target_modules/list-needed", list_needed),
    Experiment("lora/target_modules/no-separate-projections", no_separate_projections, drift=SUFFIX_DRIFT),
    Experiment("lora/target_modules/fused-layer", fused_layer),
    Experiment("lora/target_modules/others-untouched", others_untouched),
    Experiment("lora/target_modules/unknown-name", unknown_name),
    Experiment("lora/target_modules/unsupported", unsupported_targets),
    Experiment("lora/target_modules/default", default),
    Experiment("lora/target_modules/all-linear", all_linear, drift="all-linear exists since peft 0.8.0."),
    Experiment("lora/exclude_modules/excluded", excluded_layers, drift="exclude_modules exists since peft 0.14.0."),
)
