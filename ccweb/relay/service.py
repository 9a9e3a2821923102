"""The commands of the relay, in one place: each is one transaction and takes `(c, m, settings)`."""

from ccweb.relay.cancelling import cancel, delete
from ccweb.relay.ending import lose_turns, reap, sweep, turn_ended
from ccweb.relay.forms import request_form
from ccweb.relay.people import (
    answer,
    dismiss,
    go_on,
    resume,
    stop,
    stop_all,
    take_back,
    write,
)
from ccweb.relay.sending import calling_turn, send

__all__ = [
    "answer",
    "calling_turn",
    "cancel",
    "delete",
    "dismiss",
    "go_on",
    "lose_turns",
    "reap",
    "request_form",
    "resume",
    "send",
    "stop",
    "stop_all",
    "sweep",
    "take_back",
    "turn_ended",
    "write",
]
