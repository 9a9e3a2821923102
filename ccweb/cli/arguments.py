"""What can be written after `ccweb`: every command, its options, and the function behind it."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

import ccweb
from ccweb_contract.enums import AgentKind, WorkItemSource

Run = Callable[[argparse.Namespace], int]

_BROKEN: Final = re.compile("[\ud800-\udfff]")
"""What Python makes of bytes that are no text."""
_DESCRIPTION: Final = "Agent conversations side by side that hand work to each other."


class Arguments(argparse.Namespace):
    """The parsed command line."""

    run: Run


def parse(argv: Sequence[str] | None) -> Arguments:
    """Return the parsed command line; wrong usage ends the process with code 2."""
    root, words = parser(), sys.argv[1:] if argv is None else argv
    if any(_BROKEN.search(word) for word in words):
        root.error("the arguments must be UTF-8")
    arguments, left = root.parse_known_args(words, namespace=Arguments())
    if _is_call_without_json(arguments) and len(left) == 1 and _is_value(left[0]):
        arguments.arguments = left.pop()  # argparse gives up on it at the first option
    if left:
        root.error(f"unrecognized arguments: {' '.join(left)}")
    return arguments


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    root = _Parser(prog="ccweb", description=_DESCRIPTION)
    root.add_argument("--version", action="version", version=f"ccweb {ccweb.__version__}")
    commands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_servers(commands)
    _add_tools(commands)
    _add_access(commands)
    _add_planning(commands)
    _add_looks(commands)
    return root


def _is_call_without_json(arguments: argparse.Namespace) -> bool:
    return getattr(arguments, "arguments", "") is None


def _is_value(word: str) -> bool:
    return word == "-" or not word.startswith("-")


def _folder(text: str) -> Path:
    """Return a folder that was given, from wherever the command was called."""
    if not text:
        raise argparse.ArgumentTypeError("a folder is needed")
    try:
        return Path(text).expanduser().absolute()
    except (RuntimeError, OSError) as error:  # the home of nobody, or no current folder any more
        raise argparse.ArgumentTypeError(f"{text[:200]!r} leads to no folder") from error


class _Parser(argparse.ArgumentParser):
    """Says what was wrong in one line, and where to read more."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def _late(module: str, function: str) -> Run:
    """Return a function that is imported when it runs, so that no command loads another's parts."""

    def run(arguments: argparse.Namespace) -> int:
        code: int = getattr(import_module(f"ccweb.cli.{module}"), function)(arguments)
        return code

    return run


def _command(
    commands: Any, name: str, does: str, run: Run | None = None
) -> argparse.ArgumentParser:
    added: argparse.ArgumentParser = commands.add_parser(name, help=does, description=does)
    if run is not None:
        added.set_defaults(run=run)
    return added


def _add_servers(commands: Any) -> None:
    serve = _command(
        commands, "serve", "Run hub and host and print the address.", _late("serving", "serve")
    )
    _add_address(serve)
    _add_data_dir(serve)
    serve.add_argument("--demo", action="store_true", help="make three demo conversations, once")
    serve.add_argument("--no-agents", action="store_true", help="run the hub without a host")
    hub = _command(commands, "hub", "Run the hub alone.", _late("hub_process", "run"))
    _add_address(hub)
    _add_data_dir(hub)
    hub.add_argument("--demo", action="store_true", help=argparse.SUPPRESS)
    host = _command(
        commands, "host", "Run the agents of this machine.", _late("host_process", "run")
    )
    _add_data_dir(host)
    for child in (hub, host):
        child.add_argument("--until-eof", action="store_true", help=argparse.SUPPRESS)


def _add_tools(commands: Any) -> None:
    _command(
        commands,
        "mcp",
        "Speak MCP over standard input and output (CCWEB_URL, CCWEB_TOKEN).",
        _late("calling", "mcp"),
    )
    call = _command(commands, "call", "Call one tool.", _late("calling", "call"))
    call.add_argument("tool", metavar="TOOL", help="name of the tool")
    call.add_argument("arguments", metavar="JSON", nargs="?", help="its arguments; - reads stdin")
    call.add_argument(
        "--as",
        dest="conversation",
        metavar="CONVERSATION_ID",
        help="call as this conversation; needs the data folder",
    )
    call.add_argument(
        "--run", dest="run_id", metavar="RUN_ID", help="go on with this run of a planning workflow"
    )
    call.add_argument(
        "--branch", action="store_true", help="send the branch of this folder as branch_name"
    )
    call.add_argument("--wait", action="store_true", help="call again while research goes on")
    _add_json(call)
    _add_data_dir(call)


def _add_access(commands: Any) -> None:
    token = _command(commands, "token", "Make, list and revoke access tokens.")
    actions = token.add_subparsers(title="actions", metavar="ACTION", required=True)
    create = _command(actions, "create", "Print a new token.", _late("people", "create_token"))
    create.add_argument("--name", required=True, help="what the token is for")
    create.add_argument(
        "--conversation", metavar="ID", help="the one conversation that it speaks for"
    )
    _add_data_dir(create)
    listed = _command(actions, "list", "List the tokens.", _late("people", "list_tokens"))
    _add_json(listed)
    _add_data_dir(listed)
    revoke = _command(actions, "revoke", "End a token.", _late("people", "revoke_token"))
    revoke.add_argument("id", metavar="ID", help="as `ccweb token list` shows it")
    _add_data_dir(revoke)
    link = _command(commands, "link", "Print a sign-in address.", _late("people", "link"))
    _add_data_dir(link)
    user = _command(commands, "user", "Add people and set passwords.")
    users = user.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, does in (("add", "Add a person."), ("password", "Set a person's password.")):
        action = _command(users, name, does, _late("people", f"user_{name}"))
        action.add_argument("name", metavar="NAME", help="the person's name")
        _add_data_dir(action)


def _add_planning(commands: Any) -> None:
    project = _command(commands, "project", "Register what is planned in.")
    actions = project.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_project_contents(actions)
    _add_project_bindings(actions)
    run = _command(commands, "run", "List the calls of one run.", _late("runs", "show"))
    run.add_argument("id", metavar="ID", help="as every planning tool answers it")
    _add_json(run)
    _add_data_dir(run)


def _add_project_contents(actions: Any) -> None:
    add = _project(actions, "add", "Register a project.", "add")
    add.add_argument(
        "--repository",
        metavar="PATH",
        type=_folder,
        action="append",
        default=[],
        help="folder of a repository; can be given several times",
    )
    _add_agent(add)
    listed = _command(actions, "list", "List the projects.", _late("projects", "list_them"))
    shown = _project(actions, "show", "Show a project with all that belongs to it.", "show")
    _add_json(listed)
    _add_data_dir(listed)
    _add_json(shown)
    more = _project(actions, "add-repository", "Add a repository.", "add_repository")
    more.add_argument("path", metavar="PATH", type=_folder, help="its folder")
    more.add_argument("--called", metavar="NAME", default="", help="instead of the folder's name")
    _add_agent(more)
    less = _project(actions, "remove-repository", "Take a repository out.", "remove_repository")
    less.add_argument("repository", metavar="REPOSITORY", help="its name or id")
    listing = _project(actions, "features", "Replace the feature list.", "features")
    listing.add_argument("file", metavar="FILE", help="a text file; - reads stdin")
    reader = _project(actions, "reader", "Let a person read a project.", "reader")
    reader.add_argument("person", metavar="PERSON", help="the person's name")
    reader.add_argument("--remove", action="store_true", help="no more instead")


def _add_project_bindings(actions: Any) -> None:
    bind = _command(actions, "bind", "Let a branch name a project.", _late("projects", "bind"))
    unbind = _command(
        actions, "unbind", "Let a branch name no project.", _late("projects", "unbind")
    )
    spaces = [
        _command(actions, name, does, _late("projects", name.replace("-", "_")))
        for name, does in (
            ("bind-space", "Plan the work items of a space in a project."),
            ("unbind-space", "Let a space belong to no project."),
        )
    ]
    for command in (bind, unbind):
        command.add_argument("branch", metavar="BRANCH", help="name of the branch")
    for command in spaces:
        command.add_argument("space", metavar="SPACE", help="id of the space in its source")
        command.add_argument(
            "--source",
            choices=[*WorkItemSource],
            default=WorkItemSource.FEISHU.value,
            help="where the space is (feishu)",
        )
    for command in (bind, spaces[0]):
        command.add_argument("name", metavar="NAME", help="name or id of the project")
    for command in (bind, unbind, *spaces):
        _add_data_dir(command)


def _project(actions: Any, name: str, does: str, function: str) -> argparse.ArgumentParser:
    command = _command(actions, name, does, _late("projects", function))
    command.add_argument("name", metavar="NAME", help="name of the project")
    _add_data_dir(command)
    return command


def _add_agent(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--agent", choices=[*AgentKind], help="who reads it and codes in it (the first that runs)"
    )


def _add_looks(commands: Any) -> None:
    _command(
        commands,
        "demo",
        "Show a whole delegation between demo agents, in about ten seconds.",
        _late("demo", "run"),
    )
    doctor = _command(
        commands, "doctor", "Check what ccweb needs on this machine.", _late("doctor", "run")
    )
    _add_json(doctor)
    _add_data_dir(doctor)


def _add_address(command: argparse.ArgumentParser) -> None:
    command.add_argument("--host", help="address to listen on (127.0.0.1)")
    command.add_argument("--port", type=int, help="port to listen on (8002)")


def _add_data_dir(command: argparse.ArgumentParser) -> None:
    command.add_argument("--data-dir", type=_folder, metavar="FOLDER", help="folder of all data")


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON for a machine")
