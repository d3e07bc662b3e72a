"""One slip in a count: what a person does otherwise than the model."""

from collections.abc import Callable
from dataclasses import dataclass

from grader.checks.diagnosis.anatomy import Anatomy, Piece
from grader.message import Message

Edit = Callable[[Piece], Piece | None]


@dataclass(frozen=True)
class Slip:
    """A slip turns each array into what is counted for it (None: nothing), and may count further ones.

    `aspect` is what it is about: no one makes two slips about the same. `cost` grows with how unlikely it is; 1 is a
    common slip. `written` are numbers that a derivation with this slip shows, `unwritten` those that it would show
    otherwise.
    """

    id: str
    aspect: str
    cost: float
    sentence: Message
    edit: Edit
    besides: Anatomy = ()
    written: frozenset[int] = frozenset()
    unwritten: frozenset[int] = frozenset()


def same(piece: Piece) -> Piece:
    """The edit that changes nothing."""
    return piece
