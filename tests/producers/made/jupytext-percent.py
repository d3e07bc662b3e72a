# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Question 1
#
# Biases and normalisation layers count, the language-model head does not. Let $d = 512$ be the width of the model; the
# feed-forward network has the same width.
#
# **Embeddings.** The vocabulary has 32,000 entries and there are 258 positions:
#
# $$32{,}000 \times 512 = 16{,}384{,}000 \qquad 258 \times 512 = 132{,}096$$
#
# The normalisation behind them has $2 \times 512 = 1{,}024$ parameters, together
# $16{,}384{,}000 + 132{,}096 + 1{,}024 = 16{,}517{,}120$.
#
# **Attention.** Query, key, value and output are projections with a bias each:
#
# $$4 \times (512^2 + 512) = 1{,}050{,}624$$
#
# **Feed-forward.** The two linear layers make $2 \times (512^2 + 512) = 525{,}312$.
#
# **Normalisations.** Two in each layer: $2 \times 2 \times 512 = 2{,}048$.
#
# **One layer:** $1{,}050{,}624 + 525{,}312 + 2{,}048 = 1{,}577{,}984$
#
# **All 4 layers:** $4 \times 1{,}577{,}984 = 6{,}311{,}936$
#
# **Total:**
#
# $$16{,}517{,}120 + 6{,}311{,}936 = 22{,}829{,}056$$
#
# So the model has **22,829,056** parameters.
#
# # Task 1
#
# The same count from code, without the language-model head:

# %%
total = 0
for name, weight in model.named_parameters():
    if "lm_head" not in name:
        total += weight.numel()
print("parameters:", total)

# %% [markdown]
# This prints `parameters: 22829056`, the number counted by hand.
#
# # Task 2
#
# The three parts are tokenised with the given model and binarised:

# %% language="bash"
# for PART in train valid test; do
#     python spm_encode.py --model sp.model --inputs $PART.review --outputs $PART.spm.review
# done
# fairseq-preprocess --only-source --srcdict dict.txt --destdir data-bin/input0 \
#     --trainpref train.spm.review --validpref valid.spm.review --testpref test.spm.review

# %% [markdown]
# # Task 3
#
# The pretrained model was fine-tuned with fairseq. For each seed I keep the checkpoint with the best validation accuracy
# and report the test accuracy of this checkpoint.
#
# | Seed | Best epoch | Validation accuracy | Test accuracy |
# |:----:|:----------:|:-------------------:|:-------------:|
# | 0 | 4 | 81.5 | 79.0 |
# | 1 | 5 | 83.0 | 80.6 |
# | 2 | 3 | 82.5 | 78.8 |
#
# The test accuracy is $79.47 \pm 0.81$ % (average and standard deviation over the three seeds, division by $n$).
#
# # Task 4
#
# The same from random weights:
#
# | Seed | Best epoch | Validation accuracy | Test accuracy |
# |:----:|:----------:|:-------------------:|:-------------:|
# | 0 | 5 | 65.0 | 66.9 |
# | 1 | 4 | 64.5 | 67.8 |
# | 2 | 5 | 66.0 | 65.7 |
#
# The average test accuracy is
#
# $$\mu = \frac{66.9 + 67.8 + 65.7}{3} = 66.80 \qquad \sigma = \sqrt{\frac{0.1^2 + 1.0^2 + 1.1^2}{3}} = 0.86$$
#
# The pretrained model is better than the one from random weights, by $79.47 - 66.80 = 12.67$ points on the test set.
#
# # Task 5
#
# With the `run_glue.py` script of Hugging Face, the same three seeds and the same rule for the checkpoint:
#
# | Seed | Validation accuracy | Test accuracy |
# |:----:|:-------------------:|:-------------:|
# | 0 | 84.0 | 80.10 |
# | 1 | 82.0 | 79.25 |
# | 2 | 84.0 | 79.85 |
#
# The test accuracy is $79.73 \pm 0.36$ %.
#
# # Task 6
#
# BLOOM-560m is loaded in 4 bits:

# %%
import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

bnb_config = BitsAndBytesConfig(
    load_in_4bit=True,
    bnb_4bit_use_double_quant=True,
    bnb_4bit_quant_type="nf4",
    bnb_4bit_compute_dtype=torch.bfloat16,
)
model = AutoModelForCausalLM.from_pretrained("bigscience/bloom-560m", quantization_config=bnb_config, device_map="auto")

# %% [markdown]
# # Task 7
#
# With the adapter, `print_trainable_parameters` counts 1,572,864 trainable parameters of 409,792,512, a share of
#
# $$\frac{1{,}572{,}864}{409{,}792{,}512} = 0.3838\,\%$$
#
# # Question 2

# %%
from peft import LoraConfig, get_peft_model

config = LoraConfig(
    r=16,
    lora_alpha=32,
    target_modules=["query_key_value"],
    lora_dropout=0.05,
    bias="none",
    task_type="CAUSAL_LM",
)
model = get_peft_model(model, config)


# %% [markdown]
# - `r = 16`: the rank of the two low-rank matrices $A$ and $B$, whose product $BA$ is added to the frozen weight.
# - `lora_alpha = 32`: the scaling factor of the update, which is multiplied by $\frac{\alpha}{r} = \frac{32}{16} = 2$.
# - `target_modules = ["query_key_value"]`: the names of the modules to which the adapter is applied.
# - `lora_dropout = 0.05`: the dropout probability of the LoRA layers during training.
# - `bias = "none"`: which biases are trained; with "none", no bias is trained.
# - `task_type = "CAUSAL_LM"`: the kind of task, here causal language modelling: the model predicts the next token.
#
# # Task 8


# %%
def generate_prompt(question, response=""):
    # An empty response leaves the rest to the model.
    return f"<human>: {question}\n<assistant>: {response}"
