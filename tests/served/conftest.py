"""The seam of these tests: one real product for all of them, as programs and browsers reach it."""

from collections.abc import Iterator

import httpx2
import pytest

from ccweb_contract.tools import ToolName
from tests.served.product import Product, a_token, running


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Run a hub of its own for these tests."""
    with running(tmp_path_factory.mktemp("served")) as product:
        yield product


@pytest.fixture(scope="session")
def program(product: Product) -> Iterator[httpx2.Client]:
    """Return an HTTP client with an access token."""
    with httpx2.Client(base_url=product.url, headers=product.bearer) as client:
        yield client


@pytest.fixture(scope="session")
def conversation(product: Product, program: httpx2.Client) -> Iterator[httpx2.Client]:
    """Return an HTTP client with the token of one of the conversations."""
    listed = program.post(f"/api/mcp/tools/{ToolName.CCWEB_LIST_CONVERSATIONS}/", json={}).json()
    conversation_id = listed["conversations"][0]["conversationId"]
    token = a_token(product.environ, "--conversation", conversation_id)
    headers = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=product.url, headers=headers) as client:
        yield client


@pytest.fixture(scope="session")
def browser(product: Product) -> Iterator[httpx2.Client]:
    """Return an HTTP client with the cookie of a signed-in person."""
    with httpx2.Client(base_url=product.url, headers={"Origin": product.url}) as client:
        entered = client.post("/sign-in", data={"ticket": product.ticket})
        assert entered.status_code in (200, 303), entered.text
        yield client
