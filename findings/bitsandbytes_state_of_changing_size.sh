#!/bin/sh
# The number of elements in the state_dict of a 4-bit model depends on the values of its weights.
#
# Versions: bitsandbytes 0.50.2, torch 2.13.0 (CPU).
# One might guess that two layers of one shape have state_dicts of one size. With nested quantisation bitsandbytes keeps
# the mean of the scales as decimal digits in a text of bytes (quant_state.bitsandbytes__nf4), and how many digits a float
# has depends on its value. So the sum over a state_dict identifies no model: for BLOOM-560m it differed by some dozens
# between two sets of random weights.
#
#     sizes of the text for eight layers of one shape    171, 171, 172, 172, 172, 171, 171, 171
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bitsandbytes==0.50.2 torch==2.13.0
"$folder/venv/bin/python" - <<'PYTHON'
import torch
from bitsandbytes.functional import quantize_4bit

sizes = []
for seed in range(8):
    weights = 0.02 * torch.randn(1024, 1024, generator=torch.Generator().manual_seed(seed)).half()
    state = quantize_4bit(weights, quant_type="nf4", compress_statistics=True)[1].as_dict(packed=True)
    sizes.append(state["quant_state.bitsandbytes__nf4"].numel())
print(sizes)
assert len(set(sizes)) > 1
PYTHON
