#!/bin/sh
# transformers loads a BitsAndBytesConfig in 4 bits whatever load_in_4bit says, also for load_in_4bit=False, and ignores
# one that is passed as config=.
#
# Versions: transformers 5.23.0, bitsandbytes 0.50.2, accelerate 1.15.0, torch 2.13.0 (CPU).
# One might guess that a configuration without a flag, with a misspelt one, or with load_in_4bit=False loads full
# precision, and that a configuration passed as config= is used or refused. Only load_in_8bit=True loads something else:
#
#     quantization_config=BitsAndBytesConfig(load_in_4bit=True)     Linear4bit
#     quantization_config=BitsAndBytesConfig()                      Linear4bit
#     quantization_config=BitsAndBytesConfig(load_in_4bits=True)    Linear4bit
#     quantization_config=BitsAndBytesConfig(load_in_4bit=False)    Linear4bit
#     config=BitsAndBytesConfig(load_in_4bit=True)                  Linear
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    transformers==5.23.0 bitsandbytes==0.50.2 accelerate==1.15.0 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, BloomConfig, BloomForCausalLM

BloomForCausalLM(BloomConfig(vocab_size=100, hidden_size=64, n_layer=2, n_head=4)).half().save_pretrained("tiny")


def loaded(**arguments):
    model = AutoModelForCausalLM.from_pretrained("tiny", device_map="cpu", **arguments)
    return type(model.transformer.h[0].self_attention.query_key_value).__name__


settings = ({"load_in_4bit": True}, {}, {"load_in_4bits": True}, {"load_in_4bit": False})
found = [loaded(quantization_config=BitsAndBytesConfig(**one)) for one in settings]
found.append(loaded(config=BitsAndBytesConfig(load_in_4bit=True)))
print(found)
assert found == ["Linear4bit"] * 4 + ["Linear"]
PYTHON
