import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

targets = ["q_proj", "v_proj"]
config = LoraConfig(r=4, lora_alpha=16, target_modules=targets, lora_dropout=0.05, task_type="CAUSAL_LM")
model = get_peft_model(LlamaForCausalLM(LlamaConfig()), config)
model.print_trainable_parameters()

gpt = AutoModelForCausalLM.from_pretrained("gpt2")
tokenizer = AutoTokenizer.from_pretrained("gpt2")
ids = tokenizer("In a hole in the ground", return_tensors="pt").input_ids
new = gpt.generate(ids, max_new_tokens=40, do_sample=True, top_p=0.9, temperature=0.7)
print(tokenizer.decode(new[0]))
