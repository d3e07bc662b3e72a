"""Experiments on tiny models with the installed libraries, which show what every field of peft's LoraConfig does."""
