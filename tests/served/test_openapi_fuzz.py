"""Every endpoint, called with all that its description allows and forbids, answers as it says."""

from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.db.engine import Database
from ccweb.planning.projects import service as projects
from ccweb.settings import load
from ccweb_contract.enums import AgentKind, BlueprintStatus, TokenScope
from ccweb_contract.tools import ToolName
from tests.chaos.processes import Processes
from tests.served import fuzzing

UP_S = 60
FILE = "till.py"
BRANCH = "feature/gift-cards"
FEATURES = "# Till\n- Accept gift cards\n- Print a receipt\n"


class Shop:
    """A hub with a bit of everything, made as its users make it."""

    def __init__(self, web: httpx2.AsyncClient, folder: Path, project_id: str) -> None:
        self.web = web
        self.folder = folder
        self.project_id = project_id
        self.ids: dict[str, set[str]] = {}

    async def call(self, tool: ToolName, **arguments: Any) -> dict[str, Any]:
        answer = await self.web.post(f"/api/mcp/tools/{tool}/", json=arguments)
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    def know(self, **ids: str) -> None:
        for name, value in ids.items():
            self.ids.setdefault(name, set()).add(value)

    async def fill(self) -> None:
        """Make it all, and note the ids."""
        cwd = str(self.folder)
        talk = await self.call(ToolName.CCWEB_CREATE_CONVERSATION, title="Builder", cwd=cwd)
        talk_id = talk["conversationId"]
        self.know(cwd=cwd, conversationId=talk_id)
        other = await self.call(ToolName.CCWEB_CREATE_CONVERSATION, title="Reviewer", cwd=cwd)
        self.know(targetConversationId=other["conversationId"])
        for title in ("Accept gift cards", "Print a receipt"):
            task = await self.call(ToolName.CCWEB_CREATE_TASK, cwd=cwd, title=title)
            task_id = task["taskId"]
            self.know(taskId=task_id, beforeTaskId=task_id, columnId=task["columnId"])
            await self._blueprint(task_id)
        await self._plan()

    async def _blueprint(self, task_id: str) -> None:
        context = await self.call(ToolName.GET_FEISHU_WORK_ITEM_CONTEXT, work_item_id=task_id)
        known = {
            "context_id": context["context_id"],
            "blueprint_project_id": context["blueprint_project_id"],
        }
        begun = await self.call(
            ToolName.CREATE_FEISHU_TECHNICAL_PLAN, idempotency_key=task_id, **known
        )
        artifact_id = begun["blueprint_artifact_id"]
        blueprint = await self._researched(artifact_id)
        self.know(
            **known,
            work_item_id=task_id,
            artifact_id=artifact_id,
            technical_plan_id=begun["technical_plan_id"],
        )
        for thread in blueprint["threads"]:
            self.know(thread_id=thread["thread_id"])
        if "content_hash" in blueprint:
            self.know(
                artifact_version_id=blueprint["artifact_version_id"],
                content_hash=blueprint["content_hash"],
            )

    async def _plan(self) -> None:
        plan = await self.call(ToolName.CREATE_FEATURE_TECH_PLAN, feature_list_text=FEATURES)
        self.know(session_id=plan["session_id"], branch_name=BRANCH, project_id=self.project_id)

    async def _researched(self, artifact_id: str) -> dict[str, Any]:
        with anyio.fail_after(UP_S):
            while True:
                found = await self.call(ToolName.GET_TECHNICAL_BLUEPRINT, artifact_id=artifact_id)
                if found["status"] != BlueprintStatus.RESEARCHING:
                    return found
                await anyio.sleep(0.05)


@pytest.mark.fuzz
@pytest.mark.timeout(fuzzing.LIMIT_S + UP_S)
@pytest.mark.requirement("R-P1", "R-D5", "R-S4")
@pytest.mark.parametrize("is_agent", [False, True], ids=["a person", "a conversation"])
async def test_no_input_makes_an_endpoint_answer_otherwise_than_the_document_says(
    tmp_path: Path, is_agent: bool
) -> None:
    async with Processes(tmp_path, {}) as processes:
        await processes.keep_up()
        folder = tmp_path / "till"
        folder.mkdir()
        (folder / FILE).write_text("def pay(): ...\n")
        project_id, token = a_project(tmp_path, folder)
        url = f"http://127.0.0.1:{processes.port}"
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(base_url=url, headers=headers) as web:
            shop = Shop(web, folder, project_id)
            await shop.fill()
        ids = {name: sorted(values) for name, values in shop.ids.items()}
        if is_agent:
            token = a_token(tmp_path, conversation_id=ids["conversationId"][0])
        verdict = await fuzzing.run(url, token, ids, tmp_path)
    assert verdict.passed, verdict.output


def a_project(data_dir: Path, folder: Path) -> tuple[str, str]:
    """Register a project and return its id, and a token that may decide as well."""
    db = Database(load({}, data_dir=data_dir).database)
    with db.begin() as c:
        m = moment()
        owner_id = access.owner(c, m).id
        host_id = c.exec_driver_sql("SELECT id FROM host").scalar_one()
        shop = projects.add(c, m, name="Shop", host_id=host_id, owner_id=owner_id)
        projects.add_repository(c, m, shop.id, path=str(folder), agent=AgentKind.DEMO)
        projects.bind_branch(c, shop.id, BRANCH)
        projects.set_feature_list(c, shop.id, FEATURES)
    db.close()
    return shop.id, a_token(data_dir, scopes=TokenScope)


def a_token(data_dir: Path, **options: Any) -> str:
    """Return the secret of a token of the workspace's owner."""
    db = Database(load({}, data_dir=data_dir).database)
    with db.begin() as c:
        owner_id = access.owner(c, moment()).id
        token = access.create_token(c, moment(), name="fuzz", person_id=owner_id, **options)
    db.close()
    return token.secret
