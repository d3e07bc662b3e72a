from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

cfg = LlamaConfig(vocab_size=6000, hidden_size=256, intermediate_size=704, num_hidden_layers=4, num_attention_heads=8, num_key_value_heads=2)
peft_cfg = LoraConfig(r=4, lora_alpha=16, target_modules=["q_proj", "v_proj"], lora_dropout=0.05)
m = get_peft_model(LlamaForCausalLM(cfg), peft_cfg)
m.print_trainable_parameters()

# task 3
out = gpt.generate(ids, do_sample=True, max_new_tokens=40, top_p=0.9)
