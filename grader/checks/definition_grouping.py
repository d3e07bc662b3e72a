"""Which undecided definitions are so alike that one decision settles them all."""

import hashlib

from grader.lab.wording import words

_HASH_LENGTH = 16


def group_key(parameter: str, text: str, other_value: str | None = None) -> str:
    """The key of a definition, in the form that the lab's decisions use. Case, accents, punctuation and the hyphens
    inside words make no difference; a value beside the name that is not the lab's does."""
    said = (*words(text), *(("=", *words(other_value)) if other_value else ()))
    return f"{parameter}:{hashlib.sha256(' '.join(said).encode()).hexdigest()[:_HASH_LENGTH]}"
