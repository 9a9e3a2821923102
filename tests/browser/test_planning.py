"""A blueprint from its project to the first line of code, decided by a person in the page."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from ccweb.access import service as access
from ccweb.board import service, store
from ccweb.board.model import Author, NewTask
from ccweb.client import Client
from ccweb.conversations import hosts
from ccweb_contract.enums import Lang, SourceKind
from ccweb_contract.errors import MEANINGS, ErrorCode
from ccweb_contract.tools import ToolName
from tests.browser.boards import behind
from tests.browser.conftest import Watch
from tests.browser.harness import DESKTOP_LIGHT, PHONE_DARK, Server
from tests.browser.workspace import Workspace

pytestmark = pytest.mark.requirement("R-U4, planning")

TITLE = "Accept gift cards at the till"


@dataclass
class Plan:
    """A signed-in page, the repositories of a shop, and an agent's way to the tools."""

    page: Page
    server: Server
    client: Client
    folder: Path

    def goto(self, path: str) -> None:
        self.page.goto(f"{self.server.origin}{path}")
        Workspace(self.page).is_live()

    def registered(self) -> None:
        """Register the shop with its two repositories, by hand."""
        self.goto("/projects")
        self.page.get_by_label("Name").fill("shop")
        self.page.get_by_role("button", name="Create").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("shop")
        Workspace(self.page).is_live()
        for name in ("till", "website"):
            self.page.get_by_label("Folder on this machine").fill(str(self.folder / name))
            self.page.get_by_label("Agent").select_option("demo")
            self.page.get_by_role("button", name="Add").click()
            expect(self.page.locator(".plan-item strong", has_text=name)).to_be_visible()

    def task(self) -> str:
        """Write the work down on the board of the till, and return the task."""
        with behind(self.server) as (c, m):
            host = hosts.everyone(c)[0]
            board = service.board_at(c, m, host.id, str(self.folder / "till"), lang=Lang.EN)
            column = store.columns(c, board.id)[0]
            new = NewTask(title=TITLE, column_id=column.id, text="Gift cards pay at the till.")
            author = Author(kind=SourceKind.PERSON, id=access.owner(c, m).id)
            return service.create_task(c, m, board.id, new, author=author).id

    def called(self, tool: ToolName, **arguments: Any) -> dict[str, Any]:
        answer = self.client.call(tool, arguments)
        assert answer.result is not None, answer
        return dict(answer.result)

    def begun(self, task_id: str) -> str:
        """Fetch the work item and create its blueprint, as an agent does; open its page."""
        item = self.called(ToolName.GET_FEISHU_WORK_ITEM_CONTEXT, work_item_id=task_id)
        made = self.called(
            ToolName.CREATE_FEISHU_TECHNICAL_PLAN,
            context_id=item["context_id"],
            blueprint_project_id=item["blueprint_project_id"],
            idempotency_key=task_id,
        )
        artifact_id = str(made["blueprint_artifact_id"])
        self.goto(f"/blueprints/{artifact_id}")
        return artifact_id

    def answered(self) -> None:
        """Answer each question, one after the other, until the text is there."""
        questions = self.page.locator(".plan-question")
        approve = self.page.get_by_role("button", name="Approve…")
        expect(questions.first.or_(approve)).to_be_visible()
        while (left := questions.count()) > 0:
            one = questions.first
            box = one.get_by_role("checkbox")
            if box.count():
                for each in box.all():
                    each.check()
            else:
                one.get_by_role("textbox").fill("As the till does it today.")
            one.get_by_role("button", name="Answer").click()
            expect(questions).to_have_count(left - 1)
        expect(approve).to_be_visible()

    def look_at(self, view: str) -> None:
        """Show the text in another way."""
        link = self.page.get_by_role("navigation").get_by_role("link", name=view, exact=True)
        link.click()
        expect(link).to_have_attribute("aria-current", "true")
        Workspace(self.page).is_live()

    def dialog(self, name: str) -> Locator:
        return self.page.get_by_role("dialog", name=name)

    def send_back(self, comment: str) -> None:
        self.page.get_by_role("button", name="Send back…").click()
        dialog = self.dialog("Send this text back")
        dialog.get_by_label("What has to change?").fill(comment)
        dialog.get_by_role("button", name="Send back").click()
        expect(dialog).to_be_hidden()


@pytest.fixture
def server(new_server: Server) -> Server:
    """Return a ccweb that knows no project."""
    return new_server


@pytest.fixture
def plan(page: Page, server: Server, tmp_path: Path) -> Plan:
    """Return a signed-in page over a hub and a host, and two repositories on disk."""
    for name, code in (("till", "def pay(): ...\n"), ("website", "def show(): ...\n")):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "src" / "gift_cards.py").write_text(f'"""Gift cards."""\n{code}')
        (tmp_path / name / "README.md").write_text(f"# {name}\n\nThe {name} of the shop.\n")
    with behind(server) as (c, m):
        token = access.create_token(c, m, person_id=access.owner(c, m).id, name="planner")
    client = Client(server.origin, token.secret)
    page.get_by_role("button", name="New conversation").click()
    demo = page.locator("#new-conversation [name=agent][value=demo]")
    expect(demo).to_be_enabled()  # the host has said what it offers
    return Plan(page=page, server=server, client=client, folder=tmp_path)


@pytest.mark.requirement("R-P3")
@pytest.mark.requirement("R-P4")
@pytest.mark.parametrize("look", [DESKTOP_LIGHT, PHONE_DARK], ids=str)
def test_a_person_leads_a_blueprint_from_the_project_to_coding(plan: Plan, page: Page) -> None:
    plan.goto("/blueprints")
    expect(page.locator(".plan-first li")).to_have_count(4)
    plan.registered()
    artifact_id = plan.begun(plan.task())
    plan.answered()
    assert Workspace(page).overflow_sideways() <= 0

    plan.send_back("Say what happens when a card is empty.")
    expect(page.locator(".plan-text")).to_contain_text("Say what happens when a card is empty.")
    plan.look_at("Changes")
    expect(page.locator(".diff")).to_contain_text("Say what happens when a card is empty.")
    assert Workspace(page).overflow_sideways() <= 0
    plan.look_at("Text")

    page.get_by_role("button", name="Approve…").click()
    dialog = plan.dialog("Approve this text?")
    current = plan.called(ToolName.GET_TECHNICAL_BLUEPRINT, artifact_id=artifact_id)
    expect(dialog).to_contain_text(current["artifact_version_id"])
    expect(dialog).to_contain_text(current["content_hash"])
    dialog.get_by_role("button", name="Approve this version").click()
    expect(page.locator(".plan-envelope")).to_contain_text(current["content_hash"])
    expect(page.get_by_role("button", name="Approve…")).to_have_count(0)

    page.get_by_role("button", name="Start coding…").first.click()
    dialog = plan.dialog("Let an agent change files?")
    expect(dialog).to_contain_text(str(plan.folder))
    dialog.get_by_role("button", name="Start coding").click()
    work = page.locator(".plan-work > li").first
    expect(work.locator(".badge")).to_have_text("Completed")
    work.get_by_role("link", name="Conversation").click()
    expect(page.locator(".head-title")).to_contain_text(TITLE)


@pytest.mark.requirement("R-P4")
def test_a_text_that_another_tab_has_sent_back_is_stale_in_words(
    plan: Plan, page: Page, watch: Watch
) -> None:
    plan.registered()
    artifact_id = plan.begun(plan.task())
    plan.answered()
    page.get_by_role("button", name="Send back…").click()
    comment = plan.dialog("Send this text back").get_by_label("What has to change?")
    comment.fill("Half a thought")
    comment.press("Escape")
    page.get_by_role("button", name="Send back…").click()
    expect(comment).to_have_value("Half a thought")
    comment.press("Escape")
    page.get_by_role("button", name="Approve…").click()
    other = page.context.new_page()
    other.goto(page.url)
    Workspace(other).is_live()
    Plan(page=other, server=plan.server, client=plan.client, folder=plan.folder).send_back("More.")
    expect(other.locator(".plan-text")).to_contain_text("More.")
    other.close()

    dialog = plan.dialog("Approve this text?")
    dialog.get_by_role("button", name="Approve this version").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The text has changed since it was shown")
    expect(page.locator(".plan-text")).not_to_contain_text("More.")
    watch.complaints.clear()  # the browser complains of each refusal
    dialog.get_by_role("link", name="Load the present text").click()
    expect(page.locator(".plan-text")).to_contain_text("More.")
    read = plan.called(ToolName.GET_TECHNICAL_BLUEPRINT, artifact_id=artifact_id)
    assert read["status"] == "pending_review"


@pytest.mark.requirement("R-P7")
def test_a_page_turns_read_only_as_soon_as_the_task_is_cancelled(plan: Plan, page: Page) -> None:
    plan.registered()
    task_id = plan.task()
    plan.begun(task_id)
    plan.answered()
    with behind(plan.server) as (c, m):
        author = Author(kind=SourceKind.PERSON, id=access.owner(c, m).id)
        version = store.task(c, task_id).version
        service.cancel_task(
            c, m, task_id, expected_version=version, reason="Not now.", author=author
        )
    expect(page.locator(".plan-banner")).to_contain_text("Read-only")
    expect(page.get_by_role("button", name=re.compile("Approve|Send back|Research"))).to_have_count(
        0
    )
    expect(page.locator(".plan-text")).to_be_visible()


@pytest.mark.requirement("R-P1")
def test_the_page_of_a_run_follows_its_calls(plan: Plan, page: Page) -> None:
    plan.registered()
    item = plan.called(ToolName.GET_FEISHU_WORK_ITEM_CONTEXT, work_item_id=plan.task())
    plan.goto(f"/runs/{item['run_id']}")
    calls = page.locator(".plan-calls > li")
    expect(calls).to_have_count(1)
    arguments = {"artifact_id": "artifact_none"}
    plan.client.call(ToolName.GET_TECHNICAL_BLUEPRINT, arguments, run_id=item["run_id"])
    expect(calls).to_have_count(2)
    expect(calls.last).to_contain_text("Refused")


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the servers that are started from now on speak Chinese."""
    monkeypatch.setenv("CCWEB_LANG", Lang.ZH)


@pytest.mark.requirement("R-U5")
def test_a_mistake_in_a_form_is_told_in_the_language_of_the_page(
    chinese: None, page: Page, server: Server, watch: Watch
) -> None:
    page.goto(f"{server.origin}/projects")
    Workspace(page).is_live()
    page.locator("[name=name]").fill(" ")
    page.locator('[data-add="/projects"] [type=submit]').click()
    meaning = MEANINGS[ErrorCode.INVALID_PARAMS][Lang.ZH]
    expect(page.get_by_role("alert")).to_contain_text(meaning)
    watch.complaints.clear()  # the browser complains of each refusal
