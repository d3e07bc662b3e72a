"""Which reviews meet in a batch and in which order: drawn from the seed as fairseq draws them."""

from typing import TYPE_CHECKING, NamedTuple

from reference.reruns.vocabulary import PAD

if TYPE_CHECKING:
    import torch


class Example(NamedTuple):
    """A review as numbers, and its class."""

    numbers: list[int]
    label: int


def fixed_batches(count: int, batch: int, seed: int) -> list[list[int]]:
    """Batches of example indices: one permutation, cut into pieces, the same in every epoch."""
    import numpy as np

    order = np.random.RandomState(seed).permutation(count).tolist()
    return [order[start : start + batch] for start in range(0, count, batch)]


def epoch_order(batches: int, seed: int, epoch: int) -> list[int]:
    """The order of the batches in an epoch, counted from 1."""
    import numpy as np

    order: list[int] = np.random.RandomState(seed + epoch).permutation(batches).tolist()
    return order


def micro_batches(examples: list[Example], size: int) -> list[list[Example]]:
    """A batch in parts of like length: the gradient of their sum is the batch's, with less padding."""
    ordered = sorted(examples, key=lambda example: len(example.numbers))
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]


def tensors(examples: list[Example], pad: int = PAD) -> "tuple[torch.Tensor, torch.Tensor, torch.Tensor]":
    """Numbers and mask of shape (examples, longest), and labels of shape (examples,)."""
    import torch

    lengths = [len(example.numbers) for example in examples]
    padded = [example.numbers + [pad] * (max(lengths) - len(example.numbers)) for example in examples]
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return torch.tensor(padded), mask.long(), torch.tensor([example.label for example in examples])
