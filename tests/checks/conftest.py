"""What is concluded in each test is compared with what is kept (`keeping`)."""

from collections.abc import Generator

import pytest

from tests.checks import keeping
from tests.checks.making import CONCLUDED


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep-anew", action="store_true", help="keep what checks conclude in their tests")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    CONCLUDED.clear()
    result = yield
    keeping.compare(pyfuncitem, anew=bool(pyfuncitem.config.getoption("--keep-anew", default=False)))
    return result
