lora_config = LoraConfig(r=4, lora_alpha=16, lora_dropout=0.05, target_modules=["q_proj", "v_proj", "up_proj"], task_type="CAUSAL_LM")
model = get_peft_model(model, lora_config)
model.print_trainable_parameters()
