"""The MCP client of the real Codex loads the generated tools from the real product."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.surfaces import mcp_tools
from tests.real_codex.app_server import Refused, running
from tests.served import product as products
from tests.served.product import CCWEB, Product


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Run the product."""
    with products.running(tmp_path_factory.mktemp("product")) as product:
        yield product


def entries(product: Product) -> dict[str, dict[str, Any]]:
    """Return what a person may enter for our MCP server, by transport."""
    reached = {"CCWEB_URL": product.url, "CCWEB_TOKEN": product.token}
    return {
        "http": {"url": f"{product.url}/mcp", "http_headers": product.bearer},
        "stdio": {"command": CCWEB, "args": ["mcp"], "env": reached},
    }


@pytest.mark.requirement("R-D1", "R-D7", "AC2")
@pytest.mark.parametrize("transport", ["http", "stdio"])
async def test_codex_reads_each_tool_as_it_is_generated(
    product: Product, home: Path, transport: str
) -> None:
    async with running(home) as server:
        thread_id = await server.start_thread(server=entries(product)[transport])
        status = await server.ask("mcpServerStatus/list", threadId=thread_id)
    [ours] = [entry for entry in status["data"] if entry["name"] == "ccweb"]
    assert ours["tools"] == mcp_tools()


@pytest.mark.requirement("R-D6")
async def test_codex_starts_no_thread_with_a_wrong_token(product: Product, home: Path) -> None:
    entry = {**entries(product)["http"], "http_headers": {"Authorization": "Bearer wrong"}}
    async with running(home) as server:
        with pytest.raises(Refused):
            await server.start_thread(server=entry)
