"""All slips that a person may make in counting a model, from the model's own parts and sizes."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from grader.checks.diagnosis.anatomy import Anatomy, Piece
from grader.checks.diagnosis.slip import Slip, same
from grader.checks.diagnosis.slips_of_matrices import matrix_slips, norm_slips
from grader.checks.diagnosis.slips_of_sizes import size_slips
from grader.message import Message, say, say_data


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
        name = say_data(part)
        yield Slip(
            id=f"without-{_slug(part)}",
            aspect=part,
            cost=1 if own[0].kind == "embedding" else 1.2,
            sentence=_of(part, say("the {part} is left out", part=name), say("the {part} are left out", part=name)),
            edit=lambda piece, part=part: None if piece.part == part else piece,  # type: ignore[misc]
        )
        untied = say(" (as a separate output projection would be)") if part == _UNTIED else ""
        yield Slip(
            id=f"twice-{_slug(part)}",
            aspect=part,
            cost=1.5,
            sentence=_of(
                part,
                say("the {part} is counted twice{untied}", part=name, untied=untied),
                say("the {part} are counted twice{untied}", part=name, untied=untied),
            ),
            edit=lambda piece, part=part: _copied(piece, 2) if piece.part == part else piece,  # type: ignore[misc]
        )
        if any(piece.times > 1 for piece in own):
            yield Slip(
                id=f"one-layer-of-{_slug(part)}",
                aspect=part,
                cost=1.5,
                sentence=_of(
                    part,
                    say("the {part} of one layer only is counted", part=name),
                    say("the {part} of one layer only are counted", part=name),
                ),
                edit=lambda piece, part=part: piece._replace(times=1) if piece.part == part else piece,  # type: ignore[misc]
            )


def _besides(others: Anatomy) -> Iterator[Slip]:
    """Parts counted that should not be: whole, without norms and biases, or their matrices alone, one by one."""
    for part, group in groupby(sorted(others, key=lambda piece: piece.part), key=lambda piece: piece.part):
        own = tuple(group)
        weights = tuple(piece for piece in own if piece.kind in ("weight", "embedding"))
        linear = tuple(piece for piece in own if piece.kind != "norm")
        choices: dict[Anatomy, str] = {own: "", linear: say(" (without its norm)"), weights: say(" (its weights)")}
        choices |= {(p,): say(" (the matrix {name})", name=p.name) for p in weights if len(weights) > 1}
        for counted, how in choices.items():
            if counted:
                yield Slip(
                    id=f"with-{_slug(part)}",
                    aspect=part,
                    cost=1.2 if counted in (own, weights) else 1.6,
                    sentence=say("the {part}{how} is counted besides", part=say_data(part), how=how),
                    edit=same,
                    besides=counted,
                )


def _copied(piece: Piece, copies: int) -> Piece:
    return piece._replace(copies=piece.copies * copies)


def _of(part: str, one: Message, several: Message) -> Message:
    return several if part.endswith("s") else one


def _slug(part: str) -> str:
    return part.replace(" ", "-")
