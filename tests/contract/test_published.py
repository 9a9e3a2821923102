"""The published contract is there, and its releases are those of the product."""

import pytest

import ccweb
from ccweb_contract.version import PUBLISHED
from codegen.compatibility.held import compare
from tests.codegen.projects import ROOT


@pytest.mark.requirement("R-C7")
def test_the_contract_goes_out_with_the_release_of_the_product() -> None:
    compared = compare(ROOT / "contract", None)

    assert compared is not None, "without published.json nothing can break"
    assert compared.now.release == ccweb.__version__
    assert compared.held.hashes == PUBLISHED
