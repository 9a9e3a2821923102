"""The feature list chain from the command line to the written plan, with the real demo agent."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ccweb.client import Client
from ccweb_contract.tools import ToolName
from tests.browser.harness import running_server
from tests.planning.trees import SHOP, STOCK, a_tree
from tests.served.product import CCWEB, START_S, a_token

pytestmark = pytest.mark.long

LIST = """# 账号
- 手机号登录

# Warehouse
- Move a pallet
- Zorblax quuxification
"""


def ccweb(environ: Mapping[str, str], *arguments: str, given: str | None = None) -> None:
    """Run a command; it has to succeed."""
    subprocess.run(
        [CCWEB, *arguments],
        env=environ,
        input=given,
        text=True,
        capture_output=True,
        timeout=START_S,
        check=True,
    )


def result(client: Client, tool: ToolName, **given: Any) -> dict[str, Any]:
    """Call a tool; it has to succeed."""
    run_id = given.pop("run_id", None)
    answer = client.call(tool, given, run_id=run_id)
    assert answer.result is not None, answer.refusal
    return dict(answer.result)


class Patience:
    """Sees each answer that is not the last one, and not more of them than there should be."""

    def __init__(self, most: int = 40) -> None:
        self._left = most

    def __call__(self, told: Mapping[str, Any]) -> None:
        self._left -= 1
        assert self._left, told


@pytest.mark.requirement("R-P1", "R-P8", "R-P9")
def test_a_branch_leads_to_a_plan_that_real_agents_have_read_the_code_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCWEB_DATA_DIR", str(tmp_path / "data"))
    shop, stock = a_tree(tmp_path / "shop", SHOP), a_tree(tmp_path / "stock", STOCK)
    with running_server("--port", "0", "--demo", data_dir=tmp_path / "data") as server:
        environ = {**os.environ, "CCWEB_URL": server.origin}
        folders = ("--repository", str(shop), "--repository", str(stock))
        ccweb(environ, "project", "add", "Shop", *folders, "--agent", "demo")
        ccweb(environ, "project", "features", "Shop", "-", given=LIST)
        ccweb(environ, "project", "bind", "feature/pallets", "Shop")
        client = Client(server.origin, a_token(environ))

        begun = result(client, ToolName.CREATE_FEATURE_TECH_PLAN, branch_name="feature/pallets")
        going_on = {"session_id": begun["session_id"], "run_id": begun["run_id"]}
        both = [{"question_id": "q1", "selected": ["shop", "stock"]}]
        confirmed = result(client, ToolName.CONFIRM_FEATURE_TECH_PLAN, **going_on, answers=both)
        waited = client.wait(
            ToolName.GET_FEATURE_TECH_PLAN,
            {"session_id": begun["session_id"]},
            run_id=begun["run_id"],
            seen=Patience(),
        )

    done = dict(waited.result or {})
    assert begun["classification"]["summary"] == {"new": 0, "modify": 2, "unclear": 1}
    assert [confirmed["status"], done["status"]] == ["researching", "completed"]
    assert {one["run_id"] for one in (begun, confirmed, done)} == {begun["run_id"]}
    by_name = {one["name"]: one for one in done["plan"]["repositories"]}
    assert by_name.keys() == {"shop", "stock"}
    for name, root in (("shop", shop), ("stock", stock)):
        assert by_name[name]["evidence_files"], name
        assert all((root / path).is_file() for path in by_name[name]["evidence_files"])
    assert "corner shop" in by_name["shop"]["responsibility"]
    assert "手机号登录" in done["markdown"]
