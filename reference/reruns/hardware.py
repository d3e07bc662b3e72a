"""The capabilities of the machine, and how torch is told to represent its numbers."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from reference.reruns.run_record import Hardware, RerunError

if TYPE_CHECKING:
    from torch import nn


def best_hardware(device: str | None = None, elsewhere: bool = False) -> Hardware:
    """The settings for a device, by default a GPU where there is one: bfloat16 and a compiled model there; on a CPU one
    thread with plain floats, where the same seed gives the same bits. `elsewhere` leaves it to another machine whether
    it has that device. Raises RerunError when there is none here."""
    import torch

    found = torch.cuda.is_available()
    if device == "cuda" and not (found or elsewhere):
        raise RerunError("There is no GPU that torch can use. Choose --device cpu, or install torch for your GPU.")
    if device == "cpu" or not (found or device == "cuda"):
        return Hardware(threads=1)
    precision = "bfloat16" if elsewhere or torch.cuda.is_bf16_supported() else "tf32"
    return Hardware.model_validate({"device": "cuda", "precision": precision, "compiled": True, "micro_batch": 8})


def prepare(hardware: Hardware) -> None:
    """Set threads and matrix precision for this process. Raises RerunError when the device is not there."""
    import torch

    if hardware.device == "cuda" and not torch.cuda.is_available():
        raise RerunError("There is no GPU that torch can use. Choose --device cpu, or install torch for your GPU.")
    if hardware.threads:
        torch.set_num_threads(hardware.threads)
    torch.backends.cuda.matmul.allow_tf32 = hardware.precision == "tf32"


def numbers_as(hardware: Hardware) -> "AbstractContextManager[object]":
    """The context in which a model is computed."""
    import torch

    if hardware.precision != "bfloat16":
        return nullcontext()
    return torch.autocast(hardware.device, torch.bfloat16)


def place_model(model: "nn.Module", hardware: Hardware) -> "nn.Module":
    """The model on its device, compiled where that is asked for; its parameters stay the same objects."""
    model.to(hardware.device)
    if hardware.compiled:
        model.compile(dynamic=True)
    return model


def device_name(hardware: Hardware) -> str:
    """The device in words for evidence: `NVIDIA H100, bfloat16` or `CPU (x86_64), 1 thread, float32`."""
    import platform

    import torch

    if hardware.device == "cuda":
        return f"{torch.cuda.get_device_name()}, {hardware.precision}"
    threads = torch.get_num_threads()
    return f"CPU ({platform.machine()}), {threads} thread{'s' * (threads > 1)}, {hardware.precision}"


def out_of_memory(micro_batch: int) -> RerunError:
    """Return the error that says what to do when the memory of the device is too small."""
    return RerunError(
        f"The memory of the device is too small for this run. Lower --micro-batch (now {micro_batch}), which changes "
        f"no result, run fewer seeds side by side, or lower the sizes of the model."
    )
