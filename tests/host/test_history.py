"""The history of the person's programs: found, described and read, whatever lies there."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from ccweb.db.tables.history import Elsewhere
from ccweb.host.history.claude_archive import ClaudeArchive
from ccweb.host.history.codex_archive import CodexArchive
from ccweb.host.history.files import lines_from
from ccweb.host.history.listing import Sessions
from ccweb.host.history.session import Archive, Session, record
from ccweb_contract.enums import MessageRole
from tests.host.history_home import (
    CLAUDE_ID,
    CODEX_ID,
    Home,
    claude_said,
    codex_event,
    codex_said,
)

USER, ASSISTANT = MessageRole.USER, MessageRole.ASSISTANT


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Return an empty home that the programs' files are looked for in."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Home(path=tmp_path)


def listed(query: str = "", *, without: Collection[str] = (), limit: int = 100) -> list[Session]:
    return Sessions().find(query, without=without, limit=limit)


def texts(archive: Archive) -> list[tuple[MessageRole, str]]:
    """Return what was said in the one session of an archive."""
    [file] = archive.files()
    records = [record(line) for line, _ in lines_from(file.path, 0)]
    return [(said.role, said.text) for said in archive.said(records, whole=True)]


def test_sessions_of_the_real_programs_are_listed_what_changed_last_first(home: Home) -> None:
    home.recorded()
    before = home.everything()
    codex, claude = listed()
    assert (codex.program, codex.file.session_id, codex.title) == ("codex", CODEX_ID, "hello codex")
    assert (claude.program, claude.file.session_id) == ("claude", CLAUDE_ID)
    assert claude.title == "hello there"
    assert codex.cwd == claude.cwd == "/srv/ada/project"
    assert home.everything() == before


@pytest.mark.parametrize("archive", [ClaudeArchive, CodexArchive])
def test_what_was_said_in_them_is_read_as_people_saw_it(
    home: Home, archive: type[ClaudeArchive | CodexArchive]
) -> None:
    home.recorded()
    hello, looked = ("hello there", "I look first")
    if archive is CodexArchive:
        hello, looked = ("hello codex", "I look")
    assert texts(archive()) == [
        (USER, hello),
        (ASSISTANT, f"{looked}\n\n你好 done"),
        (USER, "and then?"),
        (ASSISTANT, "nothing more"),
    ]


def test_each_text_keeps_its_time(home: Home) -> None:
    home.claude(CLAUDE_ID, [claude_said("user", "hi", "a", None)])
    [file] = ClaudeArchive().files()
    records = [record(line) for line, _ in lines_from(file.path, 0)]
    [said] = ClaudeArchive().said(records, whole=True)
    assert said.at == datetime(2026, 11, 30, 14, 56, 16, 11000, tzinfo=UTC)


def test_a_search_finds_words_of_title_and_folder_in_any_case(home: Home) -> None:
    home.recorded()
    found = {
        query: [one.program for one in listed(query)]
        for query in ("HELLO", "there", "codex PROJECT", "nothing like it")
    }
    assert list(found.values()) == [["codex", "claude"], ["claude"], ["codex"], []]
    assert [one.program for one in listed(without={CODEX_ID})] == ["claude"]
    assert len(listed(limit=1)) == 1


def test_a_name_that_a_person_gave_comes_before_the_first_words(home: Home) -> None:
    home.claude(
        CLAUDE_ID,
        [
            claude_said("user", "first words", "a", None),
            {"type": "ai-title", "aiTitle": "Guessed"},
            {"type": "custom-title", "customTitle": "The  tower\nof Babel"},
        ],
    )
    home.codex(CODEX_ID, [codex_said("user", "first words")])
    (home.path / ".codex/session_index.jsonl").write_text(
        json.dumps({"id": CODEX_ID, "thread_name": "The bridge"}) + "\nnonsense\n"
    )
    assert {one.title for one in listed()} == {"The tower of Babel", "The bridge"}


def test_a_session_in_which_no_person_has_spoken_is_not_listed(home: Home) -> None:
    home.claude(CLAUDE_ID, [claude_said("user", "<command-name>/clear</command-name>", "a", None)])
    home.codex(CODEX_ID, [codex_said("user", "<environment_context>x</environment_context>")])
    assert listed() == []


def test_helpers_that_an_agent_started_are_no_sessions_of_a_person(home: Home) -> None:
    meta = {"type": "session_meta", "payload": {"source": {"subagent": "review"}, "cwd": "/srv"}}
    home.codex(CODEX_ID, [meta, codex_said("user", "review this")])
    home.claude(CLAUDE_ID, [claude_said("user", "look it up", "a", None, isSidechain=True)])
    home.claude(f"agent-{CLAUDE_ID}", [claude_said("user", "look it up", "a", None)])
    assert listed() == []


def test_what_was_taken_back_is_not_shown(home: Home) -> None:
    home.claude(
        CLAUDE_ID,
        [
            claude_said("user", "one", "a", None),
            claude_said("assistant", "first", "b", "a"),
            claude_said("user", "wrong", "c", "b"),
            claude_said("assistant", "wrong answer", "d", "c"),
            claude_said("user", "right", "e", "b"),
            claude_said("assistant", "right answer", "f", "e"),
        ],
    )
    assert [text for _, text in texts(ClaudeArchive())] == ["one", "first", "right", "right answer"]
    home.codex(
        CODEX_ID,
        [
            codex_said("user", "one"),
            codex_said("assistant", "first"),
            codex_said("user", "wrong"),
            codex_said("assistant", "wrong answer"),
            codex_event("thread_rolled_back", num_turns=1),
            codex_said("user", "right"),
        ],
    )
    assert [text for _, text in texts(CodexArchive())] == ["one", "first", "right"]


def test_what_was_said_before_a_summary_or_a_gap_is_shown(home: Home) -> None:
    records = [
        claude_said("user", "long ago", "a", None),
        {"type": "system", "uuid": "b", "parentUuid": None, "logicalParentUuid": "a"},
        claude_said("user", "This session is continued", "c", "b", isCompactSummary=True),
        claude_said("user", "today", "d", "c"),
    ]
    home.claude(CLAUDE_ID, records)
    assert [text for _, text in texts(ClaudeArchive())] == ["long ago", "today"]
    home.claude(CLAUDE_ID, [records[0], claude_said("user", "today", "d", "lost")])
    assert [text for _, text in texts(ClaudeArchive())] == ["long ago", "today"]


def test_a_circle_of_records_ends(home: Home) -> None:
    home.claude(
        CLAUDE_ID, [claude_said("user", "a", "a", "b"), claude_said("assistant", "b", "b", "a")]
    )
    assert len(texts(ClaudeArchive())) == 2


GARBAGE = (
    b"",
    b"\n\n\n",
    b"\xff\xfe\x00\x01",
    b"[" * 200_000,
    b'{"type":"user","message":{"content":',
    b'{"type":"user","message":"text"}\n{"type":"user"}\n"user"\n17\nnull\n',
    b'{"type":"response_item","payload":{"type":"message","role":"user","content":[1,{"text":2}]}}\n',
    b'{"type":"session_meta","payload":[]}\n',
)


@pytest.mark.parametrize("garbage", GARBAGE)
def test_files_that_are_no_sessions_are_passed_over(home: Home, garbage: bytes) -> None:
    home.recorded()
    home.claude(str(uuid4()), garbage)
    home.codex(str(uuid4()), garbage)
    assert {one.file.session_id for one in listed()} == {CLAUDE_ID, CODEX_ID}


@pytest.mark.parametrize("garbage", GARBAGE)
def test_lines_that_are_no_records_are_passed_over(home: Home, garbage: bytes) -> None:
    said = [claude_said("user", "one", "a", None), claude_said("user", "two", "b", "a")]
    lines = [json.dumps(one).encode() for one in said]
    home.claude(CLAUDE_ID, b"\n".join([lines[0], garbage, lines[1], b""]))
    assert [text for _, text in texts(ClaudeArchive())] == ["one", "two"]


def test_characters_that_no_text_can_hold_are_replaced(home: Home) -> None:
    line = json.dumps(claude_said("user", "a\x00b\ud800c", "a", None)).encode() + b"\n"
    home.claude(CLAUDE_ID, line)
    [(_, text)] = texts(ClaudeArchive())
    assert text == "a\ufffdb?c"
    assert text.encode()


def test_links_pipes_and_folders_are_never_opened(home: Home, tmp_path: Path) -> None:
    home.recorded()
    secret = tmp_path / "secret"
    secret.write_text(json.dumps(claude_said("user", "secret", "a", None)) + "\n")
    projects = home.path / ".claude/projects/-srv"
    (projects / f"{uuid4()}.jsonl").symlink_to(secret)
    (projects / f"{uuid4()}.jsonl").mkdir()
    os.mkfifo(projects / f"{uuid4()}.jsonl")
    (projects.parent / "link").symlink_to(projects)
    assert {one.title for one in listed()} == {"hello there", "hello codex"}


def test_a_file_that_becomes_a_pipe_or_a_link_is_refused(home: Home, tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "pipe")
    for path in (pipe, link, tmp_path, tmp_path / "none"):
        with pytest.raises(OSError):
            list(lines_from(path, 0))


def test_a_home_that_is_a_link_to_another_disk_is_followed(
    home: Home, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = Home(path=tmp_path_factory.mktemp("disk"))
    other.recorded()
    (home.path / ".claude").symlink_to(other.path / ".claude")
    assert [one.title for one in listed()] == ["hello there"]


def test_a_line_is_read_once_it_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "session"
    path.write_bytes(b'{"n":1}\n{"n":')
    [(first, position)] = lines_from(path, 0)
    with path.open("ab") as more:
        more.write(b"2}\n")
    [(second, end)] = lines_from(path, position)
    assert (record(first), record(second), end) == ({"n": 1}, {"n": 2}, path.stat().st_size)
    assert list(lines_from(path, end)) == []


def test_a_line_without_end_neither_stops_the_reading_nor_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "session"
    with path.open("wb") as file:
        for _ in range(40):
            file.write(b"x" * 1024 * 1024)
        file.write(b'\n{"n":1}\n')
    found = [record(line) for line, _ in lines_from(path, 0) if len(line) < 1000]
    assert found[-1] == {"n": 1}
    assert max(len(line) for line, _ in lines_from(path, 0)) <= 16 * 1024 * 1024


def test_thousands_of_sessions_are_listed_at_once(home: Home) -> None:
    for number in range(3000):
        home.claude(
            str(uuid4()), [claude_said("user", f"number {number}", "a", None)], age_s=number
        )
    sessions = Sessions()
    began = time.monotonic()
    newest = sessions.find("", without=(), limit=100)
    found = sessions.find("number 2999", without=(), limit=100)
    took_s = time.monotonic() - began
    assert newest[0].title == "number 0"
    assert [one.title for one in found] == ["number 2999"]
    assert took_s < 5


@pytest.mark.parametrize(
    ("status", "elsewhere"), [("busy", Elsewhere.AT_WORK), ("idle", Elsewhere.OPEN)]
)
def test_a_running_claude_code_says_what_it_does_with_a_session(
    home: Home, status: str, elsewhere: Elsewhere
) -> None:
    started_ms = int(psutil.Process().create_time() * 1000)
    home.note(CLAUDE_ID, pid=os.getpid(), status=status, started_ms=started_ms)
    other = str(uuid4())
    assert ClaudeArchive().elsewhere([CLAUDE_ID, other]) == {CLAUDE_ID: elsewhere}


@pytest.mark.parametrize(
    ("pid", "started_ms"), [("ours", 1000), (2**22 + 1, 10**15), ("x", 1), (-1, 1), (1, None)]
)
def test_the_note_of_a_process_that_is_gone_says_nothing(
    home: Home, pid: Any, started_ms: Any
) -> None:
    noted = os.getpid() if pid == "ours" else pid
    home.note(CLAUDE_ID, pid=noted, status="busy", started_ms=started_ms)
    assert ClaudeArchive().elsewhere([CLAUDE_ID]) == {}


@contextmanager
def holding(lock: Path) -> Iterator[None]:
    """Let another process hold a lock until the block ends."""
    script = (
        "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); "
        "print('held', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        yield
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()


@pytest.mark.parametrize(
    ("events", "elsewhere"),
    [
        (["task_started"], Elsewhere.AT_WORK),
        (["task_started", "task_complete"], Elsewhere.OPEN),
        (["task_started", "turn_aborted"], Elsewhere.OPEN),
        (["task_started", "task_complete", "task_started"], Elsewhere.AT_WORK),
        ([], Elsewhere.AT_WORK),
    ],
)
def test_a_running_codex_holds_the_lock_of_its_session(
    home: Home, events: list[str], elsewhere: Elsewhere
) -> None:
    home.codex(CODEX_ID, [codex_said("user", "hi"), *(codex_event(kind) for kind in events)])
    lock = home.lock(CODEX_ID)
    archive = CodexArchive()
    with holding(lock):
        assert archive.elsewhere([CODEX_ID, str(uuid4())]) == {CODEX_ID: elsewhere}
    assert archive.elsewhere([CODEX_ID]) == {}
    assert lock.exists()
