"""The official suite passes, but for what is named and explained in `expected/`."""

import json
import re
from pathlib import Path

import httpx2
import pytest

from tests.conformance import fixture_contract, suite
from tests.conformance.credential import forwarder
from tests.conformance.suite import VERSIONS, Verdict
from tests.served.product import Product
from tests.served.wire import MODERN, over_http

pytestmark = pytest.mark.node

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "out" / "conformance"
ENTRY = re.compile(r"  - [\w-]+:[\w-]+  # \S.{8,}")


async def verdict(server: Product, version: str, expected: Path, results: Path) -> Verdict:
    """Return what the suite says of a server."""
    async with forwarder(server.port, server.token) as port:
        url = f"http://127.0.0.1:{port}/mcp"
        return await suite.run(url, version=version, expected=expected, results=results)


def expectations(name: str, version: str) -> Path:
    return HERE / "expected" / f"{name}-{version}.yml"


# --- the suite ------------------------------------------------------------------------------------


@pytest.mark.requirement("R-D7", "R-D7, conformance suite")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["product", "fixture"])
async def test_the_suite_passes(name: str, version: str, request: pytest.FixtureRequest) -> None:
    server: Product = request.getfixturevalue(name)
    expected = expectations(name, version)
    said = await verdict(server, version, expected, OUT / f"{name}-{version}")
    print(f"\n{said.scenarios}", flush=True)
    assert said.passed, said.summary


@pytest.mark.requirement("R-D7, conformance suite")
async def test_a_failure_that_nobody_expects_fails_the_run(
    product: Product, tmp_path: Path
) -> None:
    lines = expectations("product", MODERN).read_text().splitlines()
    fewer = tmp_path / "expected.yml"
    fewer.write_text("\n".join(line for line in lines if "completion-complete" not in line))
    said = await verdict(product, MODERN, fewer, tmp_path / "results")
    assert not said.passed
    assert "completion-complete" in said.summary.partition("Unexpected failures")[2]


@pytest.mark.requirement("R-D7, conformance suite")
async def test_an_expectation_that_is_no_longer_true_fails_the_run(
    product: Product, tmp_path: Path
) -> None:
    more = tmp_path / "expected.yml"
    text = expectations("product", MODERN).read_text()
    more.write_text(f"{text}  - tools-list:tools-list  # it passes\n")
    said = await verdict(product, MODERN, more, tmp_path / "results")
    assert not said.passed
    assert "tools-list" in said.summary.partition("Stale")[2]


@pytest.mark.parametrize("path", sorted((HERE / "expected").iterdir()), ids=lambda path: path.stem)
def test_each_expected_failure_has_its_reason(path: Path) -> None:
    _, _, entries = path.read_text().partition("server:\n")
    lines = entries.splitlines()
    assert lines
    assert [line for line in lines if not ENTRY.fullmatch(line)] == []
    assert len(set(lines)) == len(lines)


# --- the fixture ----------------------------------------------------------------------------------


def test_the_fixture_serves_what_is_generated_from_its_own_contract(
    fixture: Product, tmp_path: Path
) -> None:
    generated = fixture_contract.render(tmp_path) / "schemas" / "mcp.tools_list.json"
    with httpx2.Client(base_url=fixture.url, headers=fixture.bearer) as program:
        listed = json.loads(over_http(program, MODERN)[1])["result"]["tools"]
    assert listed == json.loads(generated.read_bytes())["tools"]
    assert "test_simple_text" in [tool["name"] for tool in listed]
