"""Questions and answers, and the prompt that the lab makes of them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reference.reruns.errors import RerunError

if TYPE_CHECKING:
    import torch


class Pair(NamedTuple):
    """A question and its answer."""

    question: str
    answer: str


def read_pairs(folder: Path, name: str) -> tuple[Pair, ...]:
    """The pairs of `<name>.jsonl`, one object with `question` and `answer` a line; none where there is no such file.

    Raises RerunError with the line that is wrong.
    """
    file = folder / f"{name}.jsonl"
    if not file.is_file():
        return ()
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
            found.append(Pair(str(record["question"]), str(record["answer"])))
        except (ValueError, KeyError, TypeError) as error:
            raise RerunError(f'{file}, line {number} is not {{"question": "…", "answer": "…"}}: {error!r}') from error
    return tuple(found)


def prompt(question: str, answer: str = "") -> str:
    """The lab's prompt; without an answer it ends where the model is to go on."""
    return f"<human>: {question}\n<assistant>: {answer}".rstrip(" ")


def padded(batch: list[list[int]], pad: int) -> "dict[str, torch.Tensor]":
    """Token numbers, mask and labels of shape (examples, longest); padding is not learned."""
    import torch

    longest = max(len(numbers) for numbers in batch)
    rows = [numbers + [pad] * (longest - len(numbers)) for numbers in batch]
    mask = torch.arange(longest) < torch.tensor([len(numbers) for numbers in batch])[:, None]
    numbers = torch.tensor(rows)
    return {"input_ids": numbers, "attention_mask": mask.long(), "labels": numbers.masked_fill(~mask, -100)}
