"""A world to plan in: the relay's world with a task, a project and repositories that exist."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import text

from ccweb.access import service as access
from ccweb.access.model import Human
from ccweb.access.store import person_named
from ccweb.conversations.model import Turn
from ccweb.planning.blueprints import service as blueprints
from ccweb.planning.blueprints import state, store
from ccweb.planning.model import (
    Artifact,
    Blueprint,
    Coding,
    Confirmation,
    Project,
    Repository,
    Route,
    Shown,
    SpaceId,
    Version,
    WorkItem,
)
from ccweb.planning.projects import contexts
from ccweb.planning.projects import service as projects
from ccweb.planning.research import coding, outcomes
from ccweb_contract.enums import (
    AgentKind,
    BlueprintStatus,
    CandidateRole,
    ReworkScope,
    TaskState,
    ThreadStatus,
    TurnStatus,
    WorkItemSource,
)
from tests.relay.world import HOST, World, a_world

BOARD = "board_1"
TASK = "task_1"
FILE = "src/till.py"
GOOD = {
    "responsibility": "The till of the shop.",
    "fitness": {"belongs": True, "reasons": ["It takes every payment."]},
    "current_state_summary": "Cards and cash are taken, gift cards are not.",
    "evidence_files": [FILE],
    "questions": [],
    "steps": ["Add a kind of payment."],
}
"""Evidence that leaves nothing to ask."""
TABLES = (
    "artifact",
    "artifact_version",
    "clarification",
    "rework",
    "confirmation",
    "research",
    "coding",
)


def an_answer(**changes: Any) -> str:
    """Return what an agent answers that has researched."""
    return f"I have read it.\n\n```json\n{json.dumps({**GOOD, **changes})}\n```"


def a_route(repository: Repository, role: CandidateRole = CandidateRole.DIRECT) -> Route:
    return Route(repository_id=repository.id, role=role, score=0.5, matched=["till"])


@dataclass
class Planning(World):
    """One task, one project, and a person who decides."""

    shop: Project = field(init=False)
    human: Human = field(init=False)
    context_id: str = field(init=False)

    # --- the shop -----------------------------------------------------------------------------

    def repository(self, folder: Path, name: str = "till") -> Repository:
        path = folder / name
        (path / FILE).parent.mkdir(parents=True)
        (path / FILE).write_text("def pay(): ...\n")
        with self.tx() as c:
            return projects.add_repository(
                c, self.m, self.shop.id, path=str(path), agent=AgentKind.DEMO
            )

    def set_task(self, task_state: TaskState) -> None:
        with self.tx() as c:
            c.execute(
                text("UPDATE task SET column_id = :column WHERE id = :id"),
                {"id": TASK, "column": f"column_{task_state}"},
            )

    # --- commands -----------------------------------------------------------------------------

    def create(self, *repositories: Repository, key: str = "k", **changes: Any) -> Artifact:
        given = {
            "context_id": self.context_id,
            "project_id": self.shop.id,
            "routes": [a_route(one) for one in repositories],
        } | changes
        with self.tx() as c:
            return blueprints.create(c, self.m, self.settings, idempotency_key=key, **given)

    def research(self, artifact_id: str, repository_ids: Sequence[str] = ()) -> None:
        with self.tx() as c:
            blueprints.research(c, self.m, self.settings, artifact_id, repository_ids)

    def answer_question(
        self, thread_id: str, body: str, *, by: Human | None = None, of: str | None = None
    ) -> None:
        with self.tx() as c:
            blueprints.answer(
                c, self.m, self.settings, thread_id, body, by=by or self.human, artifact_id=of
            )

    def send_back(
        self, artifact_id: str, scope: ReworkScope = ReworkScope.TEXT, comment: str = "Say more."
    ) -> None:
        with self.tx() as c:
            blueprints.send_back(
                c,
                self.m,
                self.settings,
                artifact_id,
                comment=comment,
                scope=scope,
                by=self.human,
            )

    def approve(
        self, artifact_id: str, shown: Shown | None = None, *, by: Human | None = None
    ) -> Confirmation:
        shown, by = shown or self.shown(artifact_id), by or self.human
        with self.tx() as c:
            return blueprints.approve(c, self.m, self.settings, artifact_id, shown, by=by)

    def dispatch(self, artifact_id: str, repository_id: str) -> Coding:
        with self.tx() as c:
            return coding.dispatch(
                c, self.m, self.settings, artifact_id, repository_id, by=self.human
            )

    # --- agents -------------------------------------------------------------------------------

    def working(self) -> list[Turn]:
        """Let the host claim what is queued and return what runs for planning."""
        self.claim()
        ids = self.db.reader.execute(
            text("""SELECT t.conversation_id AS id FROM turn t
                JOIN pending_reply p ON p.request_id = t.serves_request_id
                WHERE t.status = 'running' AND p.source_kind = 'planning' ORDER BY t.position""")
        ).all()
        return [turn for row in ids for turn in self.open_turns(row.id)]

    def finish_work(
        self, *answers: str, status: TurnStatus = TurnStatus.COMPLETED, error: str | None = None
    ) -> None:
        """End the turns that work for planning, each with its answer, and take what came of it."""
        turns = self.working()
        given = answers or (an_answer(),)
        for turn, said in zip(turns, given * len(turns), strict=False):
            self.end(turn, text=said, status=status, error=error)
        self.take_all()

    def take_all(self) -> int:
        """Take every outcome, as the hub does; return how many there were."""
        found = [outcomes.handed(self.db.reader, one) for one in outcomes.waiting(self.db.reader)]
        judged = [(one, outcomes.judge(one)) for one in found if one is not None]
        taken = 0
        for one, finding in judged:
            with self.tx() as c:
                taken += outcomes.take(c, self.m, self.settings, one, finding)
        return taken

    def stop_orphans(self) -> None:
        with self.tx() as c:
            outcomes.stop_orphans(c, self.m, self.settings)

    # --- looking ------------------------------------------------------------------------------

    def read(self, artifact_id: str) -> Blueprint:
        return state.read(self.db.reader, artifact_id)

    def status(self, artifact_id: str) -> BlueprintStatus:
        return self.read(artifact_id).artifact.status

    def rows(self, *tables: str) -> list[tuple[Any, ...]]:
        """Return what planning has written down about blueprints, whole."""
        return [
            (table, *row)
            for table in tables or TABLES
            for row in self.db.reader.execute(text(f"SELECT * FROM {table}"))
        ]

    def versions(self, artifact_id: str) -> list[Version]:
        return store.versions(self.db.reader, artifact_id)

    def shown(self, artifact_id: str) -> Shown:
        shown = state.current(self.read(artifact_id))
        assert shown is not None
        return shown

    def open_questions(self, artifact_id: str) -> list[str]:
        threads = self.read(artifact_id).threads
        return [one.id for one in threads if one.status is ThreadStatus.OPEN]

    # --- the steps of a story -----------------------------------------------------------------

    def reviewed(self, *repositories: Repository) -> Artifact:
        """Return a blueprint whose text is under review, with no question in between."""
        artifact = self.create(*repositories)
        self.finish_work()
        for thread_id in self.open_questions(artifact.id):
            self.answer_question(thread_id, repositories[0].id)
        return artifact

    def clarifying(self, *repositories: Repository, questions: Sequence[str] = ("Why?",)) -> str:
        """Return a blueprint that has questions."""
        artifact = self.create(*repositories)
        self.finish_work(an_answer(questions=list(questions)))
        return artifact.id


def a_planning_world(path: Path, **limits: Any) -> Planning:
    """Return a new world in a database file, with a task on a board and a project bound to it."""
    world = an_empty_world(path, **limits)
    settle_in(world)
    return world


def an_empty_world(path: Path, **limits: Any) -> Planning:
    """Return a new world with one live host and nothing to plan."""
    world = a_world(path, **limits)
    return Planning(db=world.db, settings=world.settings, ids=world.ids)


def settle_in(world: Planning) -> None:
    """Insert the person, the board with its task, the project and the fetched context."""
    with world.tx() as c:
        owner = person_named(c, "Ada") or access.add_person(c, world.m, "Ada")
        c.execute(text("UPDATE person SET owner = 1 WHERE id = :id"), {"id": owner.id})
        world.human = Human(person_id=owner.id)
        c.execute(
            text("INSERT INTO board (id, host_id, cwd, created_at) VALUES (:id, :host, '/x', 0)"),
            {"id": BOARD, "host": HOST},
        )
        for rank, task_state in enumerate(TaskState):
            c.execute(
                text("""INSERT INTO board_column (id, board_id, rank, title, description, state,
                    version, created_at) VALUES (:id, :board, :rank, 'x', '', :state, 1, 0)"""),
                {
                    "id": f"column_{task_state}",
                    "board": BOARD,
                    "rank": f"a{rank}",
                    "state": task_state.value,
                },
            )
        c.execute(
            text("""INSERT INTO task (id, board_id, column_id, rank, title, text, assignee_kind,
                metadata, version, created_at, updated_at)
                VALUES (:id, :board, 'column_todo', 'a', 'Accept gift cards',
                'The till must take them.', 'nobody', '{}', 1, 0, 0)"""),
            {"id": TASK, "board": BOARD},
        )
        world.shop = projects.add(c, world.m, name="Shop", host_id=HOST, owner_id=owner.id)
        projects.bind_space(c, world.shop.id, WorkItemSource.BOARD, SpaceId(BOARD))
        world.context_id = contexts.keep(c, world.m, _item()).id


def _item() -> WorkItem:
    return WorkItem(
        source=WorkItemSource.BOARD,
        space_id=SpaceId(BOARD),
        id=TASK,
        title="Accept gift cards",
        text="The till must take them.",
        state="todo",
        cancelled=False,
    )
