"""When in its training a model was evaluated, as a text says it: at an epoch, at a step, or at the end."""

import re
from typing import Final

from grader.frozen import Frozen

_EPOCH: Final = re.compile(
    r"(?:\b(?:epochs?|[ée]poques?)\b\W{0,3}(?:n°\s?)?|\bcheckpoint_?)(\d{1,3})\b(?![.,]\d|\s?%)", re.IGNORECASE
)
_STEP: Final = re.compile(
    r"(?:\b(?:steps?|updates?|it[ée]rations?)\b\W{0,3}|\bcheckpoint-)(\d{1,6})\b(?![.,]\d|\s?%)", re.IGNORECASE
)
_END: Final = re.compile(
    r"\b(?:last|final|derni[èe]re?)\s+(?:\w+\s+)?(?:epochs?|[ée]poques?|steps?|checkpoints?|updates?|it[ée]ration)\b"
    r"|\bcheckpoint_last\b|\b(?:at|by) the end of (?:the )?training\b",
    re.IGNORECASE,
)
_EPOCH_LABEL: Final = re.compile(r"\b(?:epochs?|[ée]poques?)\b", re.IGNORECASE)
_STEP_LABEL: Final = re.compile(r"\b(?:steps?|updates?|it[ée]rations?|checkpoints?)\b", re.IGNORECASE)


class Moment(Frozen):
    """An epoch (from 1 on), a number of updates, or the end of training; all unset where nothing is said. `is_chosen`:
    the text says that it is the one that was selected."""

    epoch: int | None = None
    step: int | None = None
    is_end: bool = False
    is_chosen: bool = False

    @property
    def is_told(self) -> bool:
        """Whether an epoch or a step is given."""
        return self.epoch is not None or self.step is not None

    def differs(self, other: "Moment") -> bool:
        """Whether two moments may be different ones: then different figures at them contradict nothing. A figure
        without a moment is of the selected one."""
        if self.is_end != other.is_end:
            return True
        if self.is_told and other.is_told:
            return not self.agrees(other)
        return any(one.is_told and not one.is_chosen for one in (self, other))

    def agrees(self, other: "Moment") -> bool:
        """Whether both tell the same epoch or the same step."""
        epochs, steps = (self.epoch, other.epoch), (self.step, other.step)
        if None not in epochs:
            return self.epoch == other.epoch and (None in steps or self.step == other.step)
        return None not in steps and self.step == other.step


UNTOLD: Final = Moment()
"""Nothing is said."""

_NEXT: Final = re.compile(r"[,;.](?=\s)|\b(?:seeds?|graines?|runs?)\b", re.IGNORECASE)
_CHOSEN: Final = re.compile(
    r"\b(?:best|highest|select\w*|chosen|chose|keep|kept|pick\w*|maxim\w+|meilleure?s?|choisi\w*|retenue?s?)\b",
    re.IGNORECASE,
)


def moment_in(text: str) -> Moment:
    """The last moment that a text names: `at epoch 5`, `step 1125`, `at the last epoch`."""
    epochs, steps = _EPOCH.findall(text), _STEP.findall(text)
    return Moment(
        epoch=int(epochs[-1]) if epochs else None,
        step=int(steps[-1]) if steps else None,
        is_end=bool(_END.search(text)),
        is_chosen=bool(_CHOSEN.search(text)),
    )


def moment_of_label(label: str, text: str) -> Moment:
    """The moment that a cell states beside a figure, under a label such as `Best epoch` or `Step`: its whole number.
    It is the selected one, since its row has no other."""
    bare = text.strip()
    if not bare.isdecimal() or len(bare) > 6:
        told = moment_in(bare[:40]) if _STEP_LABEL.search(label) or _EPOCH_LABEL.search(label) else Moment()
        return told.model_copy(update={"is_chosen": told.is_told})
    if _EPOCH_LABEL.search(label) and int(bare) < 1000:
        return Moment(epoch=int(bare), is_chosen=True)
    return Moment(step=int(bare), is_chosen=True) if _STEP_LABEL.search(label) else Moment()


def moment_around(text: str, start: int, end: int, before: int, after: int) -> Moment:
    """The moment of a figure, `text[start:end]`, that stands between two others, which end at `before` and begin at
    `after`: told right behind it, up to the next comma or seed, else before it."""
    behind = _NEXT.split(text[end:after], maxsplit=1)[0]
    near = moment_in(behind)
    if not near.is_told:
        near = moment_in(text[before:start])
    whole = moment_in(text)
    return near.model_copy(update={"is_end": whole.is_end, "is_chosen": whole.is_chosen})
