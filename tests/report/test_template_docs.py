"""The page about templates tells what there is."""

import re

from grader.report.resources import templates_folder
from scripts.make_template_docs import PAGE, ROOTS, document


def test_the_page_is_up_to_date() -> None:
    """Write it anew by `python -m scripts.make_template_docs`."""
    assert PAGE.read_text(encoding="utf-8") == document()


def test_every_field_that_a_template_shows_is_told() -> None:
    told = set(re.findall(r"`(\w+)(?:\[\])?\??`", document()))
    for name, root in ROOTS.items():
        text = (templates_folder() / name).read_text(encoding="utf-8")
        assert set(re.findall(r"\bview\.(\w+)", text)) <= set(root.model_fields) <= told
