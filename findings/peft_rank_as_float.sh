#!/bin/sh
# LoraConfig takes r=16.0, and get_peft_model refuses it later; lora_alpha=32.0 works all along.
#
# Versions: peft 0.21.2, transformers 5.23.0, torch 2.13.0 (CPU).
# One might guess that a configuration that could be made, or saved and read again, can be used. LoraConfig checks no
# types: the rank goes unseen until the matrices are made, where torch raises a TypeError about the size of a tensor
# that names neither `r` nor the configuration.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check peft==0.21.2 transformers==5.23.0 torch==2.13.0
"$folder/venv/bin/python" - <<'PYTHON'
from peft import LoraConfig, get_peft_model
from transformers import BloomConfig, BloomForCausalLM


def trainable(**settings):
    model = BloomForCausalLM(BloomConfig(vocab_size=100, hidden_size=64, n_layer=1, n_head=4))
    adapter = LoraConfig(target_modules=["query_key_value"], **settings)
    return get_peft_model(model, adapter).get_nb_trainable_parameters()[0]


assert LoraConfig(r=16.0).r == 16.0
assert trainable(r=3, lora_alpha=32.0) == 3 * (64 + 192)
try:
    trainable(r=3.0)
except TypeError as refused:
    print(refused)
    assert "LoraConfig" not in str(refused)
else:
    raise AssertionError("a rank of 3.0 is taken now")
PYTHON
