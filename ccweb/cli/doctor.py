"""`ccweb doctor`: what ccweb needs on this machine, what it has found, and what to do about it."""

import argparse
import http.client
import json
import os
import socket
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from platform import python_version
from typing import Any, Final, Literal

import anyio

import ccweb
from ccweb.access import service as access
from ccweb.access.model import HeldContract
from ccweb.cli.failure import Failure
from ccweb.cli.opening import database, settings_of
from ccweb.client.connection import address_of
from ccweb.clock import moment
from ccweb.conversations import hosts
from ccweb.conversations.hosts import Host
from ccweb.db.migrate import HEAD
from ccweb.host.address import hub_url
from ccweb.host.logins import advice, login
from ccweb.host.looking import look_at
from ccweb.host.programs import PROGRAMS, Program, find, why_not_found
from ccweb.settings import Settings
from ccweb_contract.enums import Door, Lang
from ccweb_contract.version import CONTRACT_HASH, PUBLISHED

_NAME: Final = "ccweb"
_ANSWER_S: Final = 5.0
_NAMED: Final = 3
"""So many conversations are named in one line."""
_GONE_S: Final = 30.0
"""A host that was silent for longer does not run."""

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was checked."""

    check: str
    state: State
    detail: str


def run(arguments: argparse.Namespace) -> int:
    """Print what was found; 1 when there is a problem, 0 when there are notes at most."""
    s = settings_of(arguments)
    findings = list(_findings(s))
    if arguments.json:
        print(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False))
    else:
        for found in findings:
            print(f"{found.state:8}{found.check:16}{found.detail}")
    return 1 if any(found.state == "problem" for found in findings) else 0


def _findings(s: Settings) -> Iterator[Finding]:
    yield Finding(
        check="ccweb", state="ok", detail=f"{ccweb.__version__}, Python {python_version()}"
    )
    data, held, known = _data(s)
    yield data
    yield from _contracts(held)
    url = hub_url(s)
    yield _hub(url) if url else _port(s)
    for program in PROGRAMS:
        yield from _program(s, program)
    yield from map(_host, known)
    yield from _foreign_entries(url)


def _data(s: Settings) -> tuple[Finding, list[HeldContract], list[Host]]:
    """Open the database; return how that went, the contracts that agents hold, and the hosts."""
    try:
        with database(s) as db, db.connect() as c:
            held, known = access.held_contracts(c), hosts.everyone(c)
    except Failure as failure:
        return Finding(check="data", state="problem", detail=str(failure)), [], []
    detail = f"{s.data_dir} can be written, database at revision {HEAD}"
    return Finding(check="data", state="ok", detail=detail), held, known


def _contracts(held: list[HeldContract]) -> Iterator[Finding]:
    """Tell which conversations carry which contract: one line a contract and door (R-D7)."""
    yield Finding(check="contract", state="ok", detail=f"this is {_release(CONTRACT_HASH)}")
    carried: dict[tuple[str, Door], list[HeldContract]] = {}
    for one in held:
        carried.setdefault((one.contract_hash, one.door), []).append(one)
    for (contract_hash, door), own in carried.items():
        current = contract_hash == CONTRACT_HASH
        which = "the present one" if current else _release(contract_hash)
        answered = ", still answered" if not current and contract_hash in PUBLISHED else ""
        names = ", ".join(f"{one.title!r} ({one.conversation_id})" for one in own[:_NAMED])
        more = f" and {len(own) - _NAMED} more" if len(own) > _NAMED else ""
        detail = f"{len(own)} loaded {which}{answered} ({door}): {names}{more}"
        yield Finding(check="contract", state="ok" if current else "note", detail=detail)


def _release(contract_hash: str) -> str:
    """Return what people call a contract."""
    release = PUBLISHED.get(contract_hash)
    return f"release {release}" if release else f"an unpublished contract, {contract_hash[:12]}"


def _port(s: Settings) -> Finding:
    with socket.socket(socket.AF_INET6 if ":" in s.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((s.host, s.port))
        except OSError as error:
            detail = f"{s.host}, port {s.port}: {error.strerror}; choose another with --port"
            return Finding(check="port", state="problem", detail=detail)
    return Finding(check="port", state="ok", detail=f"{s.port} is free; no hub is running here")


def _hub(url: str) -> Finding:
    """Ask the MCP door without a credential: a hub refuses that in its own words."""
    try:
        at = address_of(url)
    except ValueError as error:
        return Finding(check="mcp", state="problem", detail=str(error))
    kind = http.client.HTTPSConnection if at.secure else http.client.HTTPConnection
    connection = kind(at.host, at.port, timeout=_ANSWER_S)
    try:
        connection.request("POST", f"{at.prefix}/mcp", "{}", {"Content-Type": "application/json"})
        answer = connection.getresponse()
        known = "error_code" in json.loads(answer.read())
    except (OSError, ValueError, http.client.HTTPException) as error:
        detail = f"nothing answers as a hub at {url} ({error}); start it with `ccweb serve`"
        return Finding(check="mcp", state="problem", detail=detail)
    finally:
        connection.close()
    if not known:
        return Finding(check="mcp", state="problem", detail=f"what answers at {url} is no hub")
    return Finding(check="mcp", state="ok", detail=f"{url}/mcp answers")


def _program(s: Settings, program: Program) -> Iterator[Finding]:
    """Tell whether a program works, in the words in which the page offers its agents."""
    s = replace(s, lang=Lang.EN)
    path = find(s, program)
    if path is None:
        yield Finding(check=program.name, state="note", detail=why_not_found(s, program).text)
        return
    with tempfile.TemporaryDirectory(prefix="ccweb-doctor-") as folder:
        look = anyio.run(look_at, replace(s, data_dir=Path(folder)), program, path)
    if look.problem:
        yield Finding(check=program.name, state="problem", detail=look.problem.text)
        return
    yield Finding(check=program.name, state="ok", detail=f"{look.version}, {path}")
    yield _login(program)


def _login(program: Program) -> Finding:
    check, found = f"{program.name} login", login(program)
    if found is None:
        return Finding(check=check, state="note", detail=f"none was found; {advice(program)}")
    return Finding(check=check, state="ok", detail=found)


def _host(host: Host) -> Finding:
    """Tell what a host offers, or that it does not run."""
    silent_s = (moment().now - host.seen_at).total_seconds()
    if silent_s > _GONE_S:
        detail = f"{host.name} ({host.id}) does not run; `ccweb serve` or `ccweb host` starts it"
        return Finding(check="host", state="note", detail=detail)
    able = [f"{one.agent} {one.version or ''}".strip() for one in host.offers if not one.problem]
    detail = f"{host.name} ({host.id}) offers {', '.join(able) or 'nothing'}"
    return Finding(check="host", state="ok", detail=detail)


def _foreign_entries(url: str | None) -> Iterator[Finding]:
    """Tell of MCP entries with our name in the person's own configuration, which stays as it is."""
    for path, entry in _entries():
        if not _is_ours(entry, url):
            yield Finding(
                check="mcp entry",
                state="note",
                detail=f"{path} has an MCP server named {_NAME} that is not this hub; it is left "
                "alone, and conversations of ccweb use their own entry",
            )


def _entries() -> Iterator[tuple[Path, Mapping[str, Any]]]:
    claude = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home()) / ".claude.json"
    parsed = _read(claude, json.loads)
    for scope in (parsed, *_dicts(parsed.get("projects")).values()):
        if entry := _dicts(_dicts(scope).get("mcpServers")).get(_NAME):
            yield claude, _dicts(entry)
    codex = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"
    if entry := _dicts(_read(codex, tomllib.loads).get("mcp_servers")).get(_NAME):
        yield codex, _dicts(entry)


def _read(path: Path, parse: Any) -> dict[str, Any]:
    try:
        return _dicts(parse(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _dicts(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_ours(entry: Mapping[str, Any], url: str | None) -> bool:
    command = Path(str(entry.get("command", ""))).name
    if command:
        return command == _NAME and list(entry.get("args", [])) == ["mcp"]
    return url is not None and str(entry.get("url", "")).rstrip("/") == f"{url}/mcp"
