"""Trained adapters as peft saves them: a configuration and a file of tensors. No value is ever unpickled or run."""

from grader.reading.adapters.adapter import Adapter, AdapterConfig, Weights
from grader.reading.adapters.config_file import read_adapter_config
from grader.reading.adapters.grouping import adapters_of
from grader.reading.adapters.safetensors_file import read_safetensors

__all__ = ["Adapter", "AdapterConfig", "Weights", "adapters_of", "read_adapter_config", "read_safetensors"]
