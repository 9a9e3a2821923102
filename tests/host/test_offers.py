"""What a host offers: what is installed and works, and of all else why not and what helps."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection

from ccweb.conversations import hosts
from ccweb.conversations.hosts import Host, Offer
from ccweb.conversations.model import TurnEnd
from ccweb.host import offers
from ccweb.host.agent import Job, Tell
from ccweb.host.demo import DemoAgent
from ccweb.host.looking import look_at
from ccweb.host.offers import Offering
from ccweb.host.programs import CLAUDE, CODEX, PROGRAMS, find, why_not_found
from ccweb.host.supervisor import Supervisor
from ccweb.settings import OFF, Settings
from ccweb_contract.enums import AgentKind, Lang, PermissionMode, TurnFailure, TurnStatus
from tests.fakes.program import install
from tests.host.workshop import WAIT_S, Workshop, done

SAYS = {CLAUDE.name: "2.1.332 (Claude Code)", CODEX.name: "codex-cli 0.171.0"}


class PathAgent:
    """Says which program it would run."""

    def __init__(self, kind: AgentKind, path: Path) -> None:
        self.kind = kind
        self._path = path

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        return done(str(self._path))

    async def aclose(self) -> None:
        """Keep nothing between turns."""


def _make(kind: AgentKind) -> offers.Make:
    return lambda _s, _processes, path: PathAgent(kind, path)


MAKES = {kind: _make(kind) for program in PROGRAMS for kind in program.kinds}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the one folder in PATH that can hold programs."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return tmp_path / "bin"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a host look again at once."""
    monkeypatch.setattr(offers, "_LOOK_S", 0.05)


@asynccontextmanager
async def hosting(workshop: Workshop) -> AsyncIterator[Supervisor]:
    """Run a host that looks for programs."""
    s = replace(workshop.s, claude_path="", codex_path="")
    offering = Offering(workshop.db, s, workshop.host, MAKES, [DemoAgent(s)])
    supervisor = Supervisor(workshop.db, s, workshop.host, offering.first)
    async with anyio.create_task_group() as tasks:
        up = anyio.Event()

        async def run() -> None:
            await supervisor.run(started=up.set)

        tasks.start_soon(run)
        with anyio.fail_after(WAIT_S):
            await up.wait()
        tasks.start_soon(offering.keep, supervisor)
        try:
            yield supervisor
        finally:
            tasks.cancel_scope.cancel()


async def offer(
    workshop: Workshop, kind: AgentKind, when: Callable[[Offer], bool] = lambda _: True
) -> Offer:
    """Return what the host offers of a kind, once it fits."""

    def query(c: Connection) -> Offer | None:
        host = hosts.get(c, workshop.host.id)
        known = host.offers if isinstance(host, Host) else ()
        return next((one for one in known if one.agent is kind and when(one)), None)

    return await workshop.until(query)


@pytest.mark.requirement("R-A5")
async def test_each_kind_is_offered_as_its_program_says(workshop: Workshop, programs: Path) -> None:
    for name, says in SAYS.items():
        install(programs, name, says)
    async with hosting(workshop):
        claude = await offer(workshop, AgentKind.CLAUDE)
        codex = await offer(workshop, AgentKind.CODEX)
        app = await offer(workshop, AgentKind.CODEX_APP)
        demo = await offer(workshop, AgentKind.DEMO)
    assert (claude.version, claude.problem) == ("2.1.332", None)
    assert [model.name for model in claude.models] == ["opus", "fable", "sonnet", "haiku"]
    assert claude.models[0].efforts == ("low", "medium", "high", "xhigh", "max")
    assert replace(app, agent=AgentKind.CODEX) == codex
    assert (codex.models[0].name, codex.models[0].title) == ("gpt-6.2-sol", "GPT-6.2-Sol")
    assert "hidden" not in {model.name for model in codex.models}
    assert set(codex.modes) == set(demo.modes) == set(PermissionMode)


@pytest.mark.requirement("R-A5", "R-S2")
async def test_a_mode_that_the_program_refuses_to_root_is_not_offered_to_root(
    workshop: Workshop, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = install(programs, "claude", SAYS["claude"])
    modes = {}
    for user in (0, 1000):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        modes[user] = (await look_at(workshop.s, CLAUDE, path)).modes
    assert modes[0] == modes[1000][:-1] == tuple(PermissionMode)[:-1]


@pytest.mark.requirement("R-A5")
async def test_what_is_not_installed_is_offered_with_the_command_that_helps(
    workshop: Workshop, programs: Path
) -> None:
    talk = workshop.conversation(agent=AgentKind.CODEX)
    async with hosting(workshop):
        missing = await offer(workshop, AgentKind.CODEX)
        turn = await workshop.until_ended(workshop.write(talk, "hello"))
    assert CODEX.install in (missing.problem or "")
    assert (turn.status, turn.failure) == (TurnStatus.FAILED, TurnFailure.PROGRAM_MISSING)
    assert turn.error == missing.problem


@pytest.mark.requirement("R-A5")
@pytest.mark.usefixtures("quick")
async def test_a_program_installed_later_is_offered_without_a_restart(
    workshop: Workshop, programs: Path
) -> None:
    talk = workshop.conversation(agent=AgentKind.CLAUDE)
    async with hosting(workshop):
        await offer(workshop, AgentKind.CLAUDE, lambda one: one.problem is not None)
        path = install(programs, "claude", SAYS["claude"])
        await offer(workshop, AgentKind.CLAUDE, lambda one: one.problem is None)
        await workshop.until_ended(workshop.write(talk, "hello"))
        path.unlink()
        gone = await offer(workshop, AgentKind.CLAUDE, lambda one: one.problem is not None)
    assert workshop.texts(talk)[-1] == str(path)
    assert CLAUDE.install in (gone.problem or "")


@pytest.mark.requirement("R-A5")
@pytest.mark.usefixtures("quick")
async def test_an_update_is_seen_in_its_place(workshop: Workshop, programs: Path) -> None:
    install(programs, "codex", "codex-cli 0.9.9")
    async with hosting(workshop):
        old = await offer(workshop, AgentKind.CODEX_APP)
        install(programs, "codex", SAYS["codex"])
        new = await offer(workshop, AgentKind.CODEX_APP, lambda one: one.problem is None)
    assert (old.version, new.version) == ("0.9.9", "0.171.0")
    assert CODEX.update in (old.problem or "")
    assert (old.models, old.modes) == ((), ())


@pytest.mark.requirement("R-A5")
@pytest.mark.parametrize("says", ["", "Python 3.11.2", "claude of unknown age"])
async def test_a_program_that_tells_no_version_is_not_used(
    workshop: Workshop, programs: Path, says: str
) -> None:
    path = install(programs, "claude", says, banner="it broke\nlibfoo is missing")
    look = await look_at(workshop.s, CLAUDE, path)
    assert look.problem is not None
    assert look.problem.failure is TurnFailure.PROGRAM_CRASHED
    assert "libfoo is missing" in look.problem.text
    assert CLAUDE.install in look.problem.text


@pytest.mark.requirement("R-A5")
async def test_a_program_that_works_again_is_run_by_the_agent_that_keeps_its_processes(
    workshop: Workshop, programs: Path, quick: None
) -> None:
    install(programs, "codex", SAYS["codex"])
    async with hosting(workshop) as supervisor:
        await offer(workshop, AgentKind.CODEX_APP, lambda one: one.version is not None)
        before = supervisor.agents.get(AgentKind.CODEX_APP)
        install(programs, "codex", "", banner="half of an update")
        await offer(workshop, AgentKind.CODEX_APP, lambda one: one.problem is not None)
        install(programs, "codex", SAYS["codex"])
        await offer(workshop, AgentKind.CODEX_APP, lambda one: one.problem is None)
        assert supervisor.agents.get(AgentKind.CODEX_APP) is before


@pytest.mark.requirement("R-A5")
async def test_a_program_that_cannot_be_started_is_not_used(
    workshop: Workshop, programs: Path
) -> None:
    path = install(programs, "claude", SAYS["claude"])
    path.write_bytes(b"\x7fELF")
    look = await look_at(workshop.s, CLAUDE, path)
    assert look.problem is not None


@pytest.mark.requirement("R-A5")
async def test_a_program_that_does_not_end_is_ended_once_it_has_said_its_version(
    workshop: Workshop, programs: Path
) -> None:
    path = install(programs, "claude", SAYS["claude"], hangs_s=3600)
    with anyio.fail_after(WAIT_S):
        look = await look_at(workshop.s, CLAUDE, path)
    assert look.version == "2.1.332"


@pytest.mark.requirement("R-A5")
async def test_a_program_that_says_nothing_keeps_no_other_waiting(
    workshop: Workshop, programs: Path
) -> None:
    install(programs, "claude", "nothing of use", hangs_s=3600)
    install(programs, "codex", SAYS["codex"])
    async with hosting(workshop):
        assert (await offer(workshop, AgentKind.CODEX)).version == "0.171.0"


@pytest.mark.requirement("R-A5")
async def test_without_a_list_of_models_the_choice_is_left_to_the_program(
    workshop: Workshop, programs: Path
) -> None:
    path = install(programs, "codex", SAYS["codex"], answers=False)
    look = await look_at(workshop.s, CODEX, path)
    assert (look.problem, look.models) == (None, ())


@pytest.mark.requirement("R-A5")
async def test_models_of_another_provider_are_not_guessed(
    workshop: Workshop, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "codex").mkdir()
    (tmp_path / "codex" / "config.toml").write_text('model_provider = "mine"\n')
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")
    for program in PROGRAMS:
        path = install(programs, program.name, SAYS[program.name])
        assert (await look_at(workshop.s, program, path)).models == ()
        assert not (programs / f"{program.name}.asked").exists()


@pytest.mark.requirement("R-A5")
def test_a_setting_names_a_program_or_turns_it_off(programs: Path, tmp_path: Path) -> None:
    install(programs, "codex", SAYS["codex"])
    other = install(tmp_path / "other", "codex", SAYS["codex"])
    found = {
        given: find(Settings(codex_path=given), CODEX)
        for given in ("", str(other), OFF, str(tmp_path / "none"), str(tmp_path))
    }
    assert list(found.values()) == [programs / "codex", other, None, None, None]


@pytest.mark.requirement("R-A5")
@pytest.mark.parametrize("lang", Lang)
@pytest.mark.parametrize("given", ["", OFF, "/nowhere/codex"])
async def test_why_a_program_is_not_used_is_said_in_the_language_of_the_page(
    workshop: Workshop, programs: Path, lang: Lang, given: str
) -> None:
    s = replace(workshop.s, lang=lang, codex_path=given)
    said = why_not_found(s, CODEX).text
    assert given in said
    assert "CCWEB_CODEX_PATH" in said
    assert ("用" in said or "关闭" in said) is (lang is Lang.ZH)
