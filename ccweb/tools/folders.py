"""Folders that a call names: real ones, and for an agent only those that people have opened."""

from pathlib import Path

from ccweb.conversations import folders
from ccweb.errors import HumanRequired, InvalidParams
from ccweb.tools.context import Context


def named(x: Context, wanted: str) -> str:
    """Return the real path of a folder that a caller may work in.

    Raises:
        InvalidParams: the path is not absolute, or leads to no folder.
        HumanRequired: a conversation asks for a folder that no person has opened to agents.
    """
    path = Path(wanted)
    if not path.is_absolute():
        raise InvalidParams(why="`cwd` must be an absolute path.")
    path = path.resolve()
    if x.conversation_id is not None and not _is_open_to_agents(x, path):
        why = f"{path} lies in no folder that a person has registered or works in."
        raise HumanRequired(why=why)
    if not path.is_dir():
        raise InvalidParams(why=f"`cwd` must be a folder that exists; {path} is none.")
    return str(path)


def _is_open_to_agents(x: Context, path: Path) -> bool:
    known = folders.registered_or_in_use(x.c)
    return any(path.is_relative_to(Path(folder).resolve()) for folder in known)
