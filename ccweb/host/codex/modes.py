"""What a permission mode of ours is to Codex."""

from dataclasses import dataclass
from typing import Final

from ccweb_contract.enums import PermissionMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What Codex may do by itself, and when it asks."""

    sandbox: str
    approval: str
    """Of `app-server`; `exec` never asks, whatever it is told."""


RIGHTS: Final = {
    PermissionMode.PLAN: Rights(sandbox="read-only", approval="never"),
    PermissionMode.ASK: Rights(sandbox="workspace-write", approval="untrusted"),
    PermissionMode.ACCEPT_EDITS: Rights(sandbox="workspace-write", approval="on-request"),
    PermissionMode.SKIP_PERMISSIONS: Rights(sandbox="danger-full-access", approval="never"),
}

EXEC_SANDBOX: Final = {
    PermissionMode.PLAN: "read-only",
    PermissionMode.ASK: "read-only",
    PermissionMode.ACCEPT_EDITS: "workspace-write",
    PermissionMode.SKIP_PERMISSIONS: "danger-full-access",
}
"""`exec` cannot ask: where a person would be asked before each edit, it may only read."""
