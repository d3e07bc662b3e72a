"""The cards of readers: where they lie and what they say."""

import re
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from grader.reader.card import Card

FOLDER: Final = "readers"
"""Beside lab.toml."""


class CardError(Exception):
    """A card cannot be used; the message says why."""


def card_path(lab: Path, reader: str) -> Path:
    """Where the card of a reader lies in a lab's folder."""
    return lab / FOLDER / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', reader).strip('-')[:150]}.json"


def read_card(path: Path) -> Card | None:
    """The card in a file; None where there is none. Raises CardError."""
    try:
        return Card.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CardError(f"{path} cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise CardError(f"{path} is no card: qualify the reader again.") from error
