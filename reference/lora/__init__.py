"""What every field of peft's LoraConfig does, shown by experiments on tiny models with the installed libraries."""
