#!/bin/sh
# prepare_model_for_kbit_training freezes an adapter that is already in the model, without a word, and training goes on
# with nothing to train.
#
# Versions: peft 0.21.2, transformers 5.23.0, torch 2.13.0 (CPU).
# One might guess that it freezes the base model only, as get_peft_model does. It sets requires_grad=False on every
# parameter, the adapter's included:
#
#     prepared, then adapted    768 trainable parameters
#     adapted, then prepared    0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check peft==0.21.2 transformers==5.23.0 torch==2.13.0
"$folder/venv/bin/python" - <<'PYTHON'
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import BloomConfig, BloomForCausalLM


def made():
    return BloomForCausalLM(BloomConfig(vocab_size=100, hidden_size=64, n_layer=1, n_head=4))


adapter = LoraConfig(r=3, target_modules=["query_key_value"])
usual = get_peft_model(prepare_model_for_kbit_training(made()), adapter).get_nb_trainable_parameters()[0]
last = prepare_model_for_kbit_training(get_peft_model(made(), adapter)).get_nb_trainable_parameters()[0]
print(usual, last)
assert (usual, last) == (3 * (64 + 192), 0)
PYTHON
