#!/bin/sh
# peft reads target_modules="query_key_value" as a pattern for the whole name of a module, so that it matches nothing,
# while ["query_key_value"] matches by the end of the name; in a list, patterns are no patterns.
#
# Versions: peft 0.21.2, transformers 5.23.0, torch 2.13.0 (CPU).
# One might guess that a text is a list of one, or that a pattern works in both:
#
#     ["query_key_value"]                     every layer
#     "query_key_value"                       refused
#     ".*query_key_value"                     every layer
#     [".*query_key_value"]                   refused
#     ["h.0.self_attention.query_key_value"]  the first layer
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check peft==0.21.2 transformers==5.23.0 torch==2.13.0
"$folder/venv/bin/python" - <<'PYTHON'
from peft import LoraConfig, get_peft_model
from transformers import BloomConfig, BloomForCausalLM


def layers(targets):
    model = BloomForCausalLM(BloomConfig(vocab_size=100, hidden_size=64, n_layer=2, n_head=4))
    try:
        adapted = get_peft_model(model, LoraConfig(target_modules=targets))
    except ValueError:
        return 0
    return sum(name.endswith("lora_A.default") for name, _ in adapted.named_modules())


name = "query_key_value"
found = [layers(one) for one in ([name], name, f".*{name}", [f".*{name}"], [f"h.0.self_attention.{name}"])]
print(found)
assert found == [2, 0, 2, 0, 1]
PYTHON
