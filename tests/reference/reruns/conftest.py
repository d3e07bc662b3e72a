"""What the tests of reruns share."""

from pathlib import Path

import pytest

from reference.reruns.coding import Examples, dictionary_coder, examples
from reference.reruns.corpus import Corpus, load_corpus
from tests.reference.reruns.making import SIZES, make_data


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tiny data; not to be changed."""
    return make_data(tmp_path_factory.mktemp("tiny") / "data")


@pytest.fixture(scope="session")
def corpus(data: Path) -> Corpus:
    return load_corpus(data)


@pytest.fixture(scope="session")
def split(corpus: Corpus, data: Path) -> Examples:
    return examples(corpus, dictionary_coder(corpus, (data,), SIZES.vocabulary, SIZES.positions))
