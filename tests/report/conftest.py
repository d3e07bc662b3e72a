"""`pytest tests/report --update-golden` stores the pictures of pages anew. Look at them before you keep them."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="store the pictures of report pages anew")
