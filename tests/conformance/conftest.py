"""The two servers that the suite visits."""

import os
import sys
from collections.abc import Iterator

import pytest

from tests.conformance import fixture_contract
from tests.served.product import Product, running


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Run the product."""
    with running(tmp_path_factory.mktemp("product")) as product:
        yield product


@pytest.fixture(scope="session")
def fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Run the product's runtime with the fixture contract."""
    folder = tmp_path_factory.mktemp("fixture")
    path = os.pathsep.join((str(fixture_contract.render(folder)), str(fixture_contract.ROOT)))
    command = (sys.executable, "-m", "tests.conformance.fixture_hub")
    with running(folder, command=command, python_path=path) as fixture:
        yield fixture
