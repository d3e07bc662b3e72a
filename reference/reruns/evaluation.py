"""Loss and accuracy of a classifier on a split."""

from typing import TYPE_CHECKING, NamedTuple

from reference.reruns.batches import Example, tensors
from reference.reruns.hardware import numbers_as
from reference.reruns.run_record import Hardware

if TYPE_CHECKING:
    from torch import nn

BATCH = 16


class Score(NamedTuple):
    """Mean loss in nats, and the number of right answers among `examples`."""

    loss: float
    right: int
    examples: int

    @property
    def accuracy(self) -> float:
        """In percent."""
        return 100 * self.right / self.examples


def evaluate(model: "nn.Module", examples: list[Example], hardware: Hardware, pad: int) -> Score:
    """Score a classifier without dropout. Examples of like length are computed together, which changes no result."""
    import torch

    model.eval()
    ordered = sorted(examples, key=lambda example: len(example.numbers))
    total, right = 0.0, 0
    with torch.inference_mode(), numbers_as(hardware):
        for start in range(0, len(ordered), BATCH):
            numbers, mask, labels = (part.to(hardware.device) for part in tensors(ordered[start : start + BATCH], pad))
            logits = model(input_ids=numbers, attention_mask=mask).logits.float()
            total += float(torch.nn.functional.cross_entropy(logits, labels, reduction="sum"))
            right += int((logits.argmax(dim=-1) == labels).sum())
    return Score(total / len(ordered), right, len(ordered))
