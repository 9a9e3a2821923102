"""A thousand blueprints of five versions: what reading one costs beside reading a conversation."""

import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.board import service as boards
from ccweb.board.model import Author, NewTask
from ccweb.clock import Moment, moment
from ccweb.conversations import messages
from ccweb.conversations import service as conversations
from ccweb.conversations.service import NewConversation
from ccweb.db.engine import Database
from ccweb.planning.blueprints import progress, question_store, state, store
from ccweb.planning.model import (
    Artifact,
    Evidence,
    ProjectId,
    Repository,
    Research,
    Rework,
    Route,
    SpaceId,
    WorkItem,
)
from ccweb.planning.projects import contexts
from ccweb.planning.projects import service as projects
from ccweb.planning.research import store as work_store
from ccweb.settings import Settings, load
from ccweb.tools.answer import RUN_HEADER
from ccweb_contract.enums import (
    AgentKind,
    BlueprintStatus,
    CandidateRole,
    Lang,
    MessageRole,
    PermissionMode,
    ResearchStatus,
    ReworkScope,
    SourceKind,
    WorkItemSource,
)
from ccweb_contract.tools import ToolName
from tests.bench.figures import Figure
from tests.bench.http import Poster
from tests.chaos.processes import Processes

BLUEPRINTS = 1_000
VERSIONS = 5
MESSAGES = 20
READS = 1_000
_SENTENCE = "The till takes every payment, and a gift card is one more kind of it. "


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What is in the database."""

    token: str
    artifact_ids: list[str]
    conversation_ids: list[str]


async def measure() -> list[Figure]:
    """Return what reading costs, blueprints and conversations in turn."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        async with Processes(folder, {}) as processes:
            await processes.keep_up()
            s = load({}, data_dir=folder)
            db = Database(s.database)
            with db.begin() as c:
                filled = _Filling(c, moment(), s, folder).filled()
            db.close()
            blueprint, conversation = await _reads(processes.port, filled)
    ratio = statistics.median(blueprint) / statistics.median(conversation)
    return [
        Figure(name=f"a blueprint of {BLUEPRINTS}, p50", value=_p50_ms(blueprint), unit="ms"),
        Figure(name="a conversation, p50", value=_p50_ms(conversation), unit="ms"),
        Figure(name="blueprint / conversation", value=ratio, unit="x", goal=1.5),
    ]


async def _reads(port: int, filled: Filled) -> tuple[list[float], list[float]]:
    """Return the seconds of each read of a random blueprint and of a random conversation."""
    chance = random.Random(7)
    times: tuple[list[float], list[float]] = ([], [])
    path = "/api/mcp/tools/{}/"
    first = Poster(port, path.format(ToolName.GET_TECHNICAL_BLUEPRINT), filled.token)
    begun = await first.post({"artifact_id": filled.artifact_ids[0]})
    await first.aclose()
    headers = {RUN_HEADER: begun["run_id"]}
    posters = (
        Poster(port, path.format(ToolName.GET_TECHNICAL_BLUEPRINT), filled.token, headers),
        Poster(port, path.format(ToolName.CCWEB_GET_CONVERSATION), filled.token),
    )
    for _ in range(READS):
        given = (
            {"artifact_id": chance.choice(filled.artifact_ids)},
            {"conversationId": chance.choice(filled.conversation_ids)},
        )
        for poster, arguments, taken in zip(posters, given, times, strict=True):
            at = time.perf_counter()
            await poster.post(arguments)
            taken.append(time.perf_counter() - at)
    for poster in posters:
        await poster.aclose()
    return times


def _p50_ms(seconds: list[float]) -> float:
    return statistics.median(seconds) * 1000


class _Filling:
    """Writes blueprints as their own functions write them, with the agents left out."""

    def __init__(self, c: Connection, m: Moment, s: Settings, folder: Path) -> None:
        self._c, self._m, self._s = c, m, s
        self._person_id = access.owner(c, m).id
        self._host_id: str = c.exec_driver_sql("SELECT id FROM host").scalar_one()
        self._folder = folder
        self._board_id = boards.board_at(c, m, self._host_id, str(folder), lang=Lang.EN).id
        shop = projects.add(c, m, name="Shop", host_id=self._host_id, owner_id=self._person_id)
        projects.bind_space(c, shop.id, WorkItemSource.BOARD, SpaceId(self._board_id))
        self._project_id: ProjectId = shop.id
        self._repositories = [self._repository(name) for name in ("till", "ledger")]

    def filled(self) -> Filled:
        """Fill the database and return what to read."""
        c, m = self._c, self._m
        return Filled(
            token=access.create_token(c, m, name="bench", person_id=self._person_id).secret,
            artifact_ids=[self._blueprint(number) for number in range(BLUEPRINTS)],
            conversation_ids=[self._conversation(number) for number in range(BLUEPRINTS)],
        )

    def _repository(self, name: str) -> Repository:
        path = self._folder / name
        path.mkdir()
        return projects.add_repository(
            self._c, self._m, self._project_id, path=str(path), agent=AgentKind.DEMO
        )

    def _conversation(self, number: int) -> str:
        new = NewConversation(
            title=f"Talk {number}",
            agent=AgentKind.DEMO,
            cwd=str(self._folder),
            permission_mode=PermissionMode.ASK,
            host_id=self._host_id,
        )
        talk = conversations.create(self._c, self._m, new)
        for i in range(MESSAGES):
            role = MessageRole.ASSISTANT if i % 2 else MessageRole.USER
            messages.add(self._c, self._m, talk.id, role, _SENTENCE * 4)
        return talk.id

    def _blueprint(self, number: int) -> str:
        artifact = Artifact(
            id=self._m.new_id("artifact"),
            plan_id=self._m.new_id("plan"),
            project_id=self._project_id,
            context_id=self._context(number),
            idempotency_key=f"task {number}",
            status=BlueprintStatus.RESEARCHING,
            created_at=self._m.now,
            updated_at=self._m.now,
        )
        store.add(self._c, artifact)
        for repository in self._repositories:
            work_store.add(self._c, self._m, self._research(artifact.id, repository))
        self._answer_all(artifact.id)
        for _ in range(VERSIONS):
            self._send_back(artifact.id)
            progress.write_version(self._c, self._m, self._s, state.read(self._c, artifact.id))
        store.set_status(self._c, self._m, artifact, BlueprintStatus.PENDING_REVIEW)
        return artifact.id

    def _context(self, number: int) -> str:
        author = Author(kind=SourceKind.PERSON, id=self._person_id)
        new = NewTask(title=f"Accept gift cards {number}", text=_SENTENCE * 10)
        task = boards.create_task(self._c, self._m, self._board_id, new, author=author)
        item = WorkItem(
            source=WorkItemSource.BOARD,
            space_id=SpaceId(self._board_id),
            id=task.id,
            title=task.title,
            text=task.text,
            state="todo",
            cancelled=False,
        )
        return contexts.keep(self._c, self._m, item).id

    def _research(self, artifact_id: str, repository: Repository) -> Research:
        found = Evidence(
            responsibility=_SENTENCE,
            belongs=True,
            reasons=[_SENTENCE] * 3,
            current_state_summary=_SENTENCE * 4,
            evidence_files=[f"src/till/payment_{i}.py" for i in range(8)],
            questions=["Which currencies?", "What happens when a card is lost?"],
            steps=[_SENTENCE] * 5,
        )
        route = Route(
            repository_id=repository.id, role=CandidateRole.DIRECT, score=0.5, matched=["till"]
        )
        return Research(
            id=self._m.new_id("research"),
            owner_id=artifact_id,
            route=route,
            status=ResearchStatus.SUCCEEDED,
            attempt=1,
            conversation_id=None,
            request_id=None,
            evidence=found,
            error=None,
        )

    def _answer_all(self, artifact_id: str) -> None:
        progress.ask_questions(
            self._c, self._m, self._s, state.read(self._c, artifact_id), again=False
        )
        for thread in state.read(self._c, artifact_id).threads:
            body = "\n".join(thread.recommended) or _SENTENCE
            question_store.set_answer(self._c, self._m, thread.id, body, self._person_id)

    def _send_back(self, artifact_id: str) -> None:
        """Write why the present version is not the last one, if there is a version."""
        version = store.latest(self._c, artifact_id)
        if version is not None:
            rework = Rework(
                artifact_id=artifact_id,
                version_id=version.id,
                comment=_SENTENCE,
                scope=ReworkScope.TEXT,
                person_id=self._person_id,
                created_at=self._m.now,
            )
            store.add_rework(self._c, rework)
