"""All slips that a person may make in counting a model, from the model's own parts and sizes."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from grader.checks.diagnosis.anatomy import Anatomy, Piece
from grader.checks.diagnosis.slip import Slip, same
from grader.checks.diagnosis.slips_of_matrices import matrix_slips, norm_slips
from grader.checks.diagnosis.slips_of_sizes import size_slips


def slips(arrays: Anatomy, others: Anatomy, heads: int | None) -> tuple[Slip, ...]:
    """The slips in counting some arrays. `others` are arrays of the model that should not be counted; `heads` are those
    of one attention."""
    return (
        *_part_slips(arrays),
        *matrix_slips(arrays),
        *norm_slips(arrays),
        *size_slips(arrays, heads),
        *_besides(others),
    )


_UNTIED: Final = "token embedding"


def _part_slips(arrays: Anatomy) -> Iterator[Slip]:
    """A part left out, counted twice, or counted in one layer only."""
    for part in dict.fromkeys(piece.part for piece in arrays):
        own = [piece for piece in arrays if piece.part == part]
        yield Slip(
            id=f"without-{_slug(part)}",
            aspect=part,
            cost=1 if own[0].kind == "embedding" else 1.2,
            sentence=f"the {part} {_is(part)} left out",
            edit=lambda piece, part=part: None if piece.part == part else piece,  # type: ignore[misc]
        )
        untied = " (as a separate output projection would be)" if part == _UNTIED else ""
        yield Slip(
            id=f"twice-{_slug(part)}",
            aspect=part,
            cost=1.5,
            sentence=f"the {part} {_is(part)} counted twice{untied}",
            edit=lambda piece, part=part: _copied(piece, 2) if piece.part == part else piece,  # type: ignore[misc]
        )
        if any(piece.times > 1 for piece in own):
            yield Slip(
                id=f"one-layer-of-{_slug(part)}",
                aspect=part,
                cost=1.5,
                sentence=f"the {part} of one layer only {_is(part)} counted",
                edit=lambda piece, part=part: piece._replace(times=1) if piece.part == part else piece,  # type: ignore[misc]
            )


def _besides(others: Anatomy) -> Iterator[Slip]:
    """Parts counted that should not be: whole, without norms and biases, or their matrices alone, one by one."""
    for part, group in groupby(sorted(others, key=lambda piece: piece.part), key=lambda piece: piece.part):
        own = tuple(group)
        weights = tuple(piece for piece in own if piece.kind in ("weight", "embedding"))
        linear = tuple(piece for piece in own if piece.kind != "norm")
        choices = {own: "", linear: " (without its norm)", weights: " (its weights)"}
        choices |= {(piece,): f" (the matrix {piece.name})" for piece in weights if len(weights) > 1}
        for counted, how in choices.items():
            if counted:
                yield Slip(
                    id=f"with-{_slug(part)}",
                    aspect=part,
                    cost=1.2 if counted in (own, weights) else 1.6,
                    sentence=f"the {part}{how} is counted besides",
                    edit=same,
                    besides=counted,
                )


def _copied(piece: Piece, copies: int) -> Piece:
    return piece._replace(copies=piece.copies * copies)


def _is(part: str) -> str:
    return "are" if part.endswith("s") else "is"


def _slug(part: str) -> str:
    return part.replace(" ", "-")
