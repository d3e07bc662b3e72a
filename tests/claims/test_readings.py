"""All that is read of short texts of many forms: results, definitions, counts, equations, tables, code and more.

What each text says stands behind it in a file for each kind, `*_read.txt`. `python -m tests.claims.readings` writes
these files anew.
"""

import pytest

from tests.claims.readings import READERS, file_of, read, texts_of

TEXTS = {(kind, name): text for kind in READERS for name, text in texts_of(file_of(kind)).items()}


@pytest.mark.parametrize(("kind", "name"), TEXTS)
def test_all_that_a_text_says_is_read(kind: str, name: str) -> None:
    text, wanted = TEXTS[kind, name]
    assert read(kind, text) == wanted
