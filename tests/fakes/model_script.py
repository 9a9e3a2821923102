"""The script that a model of the tests obeys: it travels in the prompt, so that no state is kept.

A user's text that holds `<<model:[…]>>` decides from then on: each answer of the model is the next
step. A text without a script is heard and told back; only a returned reply, which may quote the
scripts of others, lets the conversation's own script go on.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from typing import Any

BEGIN, END = "<<model:", ">>"
RETURNED = ("ccweb has returned", "ccweb 已")
NOT_SAID = re.compile(r"<[a-z][a-z_-]*>|# AGENTS\.md|\[Request interrupted")
"""How texts begin that a program of the command line writes in its user's name."""
PIECE = re.compile(r"\S+\s*|\s+")
DONE = "done"
"""What is said when a script has no step left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a tool, by its plain name; the wire finds how the program lists it."""

    tool: str
    args: Any = field(default_factory=dict)
    """A text for a tool that takes one, such as a patch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer of the model: thinking, a text, calls, in this order, or a failure."""

    text: str = ""
    """Said word by word; final unless calls follow."""
    count: int = 0
    """Say the numbers below this one instead, each in a delta of its own."""
    width: int = 0
    """How many characters a number fills at least, its blank included."""
    think: str = ""
    calls: Sequence[Call] = ()
    gate: str = ""
    """Hold after the first piece of text, or at once without one, until the test opens it."""
    stop: str = ""
    """Why it stops, in the words of the wire; else as the calls say."""
    usage: Mapping[str, int] = field(default_factory=dict)
    error: int = 0
    """Refuse with this HTTP status."""
    type: str = "api_error"
    code: str = ""
    message: str = "The model of the tests fails as it was told to."
    headers: Mapping[str, str] = field(default_factory=dict)
    stream_error: str = ""
    """Begin well, then fail with an event of this type."""
    drop: bool = False
    """Close the socket after the first piece of text."""

    @property
    def pieces(self) -> Iterator[str]:
        """Return the text in the pieces in which it is told."""
        if self.count:
            return (f"{number} ".rjust(self.width) for number in range(self.count))
        return (found[0] for found in PIECE.finditer(self.text))

    @property
    def says(self) -> bool:
        """Tell whether there is any text."""
        return bool(self.text or self.count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A part of what a request shows of its conversation."""

    by_model: bool
    texts: Sequence[str] = field(default_factory=list)
    """What a user said in it; none where it is the result of a tool."""


def script(*steps: Step) -> str:
    """Return a prompt's part that makes the model answer like this, step by step."""
    given = [_given(step) for step in steps]
    return f"{BEGIN}{json.dumps(given, ensure_ascii=False)}{END}"


def _given(value: Step | Call) -> dict[str, Any]:
    """Return what differs from nothing said, as JSON holds it."""
    plain = Step() if isinstance(value, Step) else Call(tool="")
    found = {part.name: getattr(value, part.name) for part in fields(value)}
    found = {name: part for name, part in found.items() if part != getattr(plain, name)}
    if "calls" in found:
        found["calls"] = [_given(call) for call in found["calls"]]
    return found


def scripts_in(text: str) -> list[list[Step]]:
    """Return the scripts of a text in their order; those inside of another one are its own."""
    found, at = [], text.find(BEGIN)
    while at >= 0:
        steps, length = json.JSONDecoder().raw_decode(text[at + len(BEGIN) :])
        found.append([_step(step) for step in steps])
        at = text.find(BEGIN, at + len(BEGIN) + length)
    return found


def _step(given: dict[str, Any]) -> Step:
    return Step(**{**given, "calls": [Call(**call) for call in given.get("calls", ())]})


def next_step(conversation: Sequence[Said]) -> Step:
    """Return how the model answers now."""
    steps, since, last = None, 0, ""
    for at, said in enumerate(conversation):
        for text in said.texts:
            if NOT_SAID.match(text) or (steps and text.startswith(RETURNED)):
                continue
            found = scripts_in(text)
            steps, since, last = (found[-1] if found else None), at + 1, text
    if steps is None:
        return Step(text=f"heard: {last[-80:]}")
    answered = [by_model for by_model, _ in groupby(said.by_model for said in conversation[since:])]
    done = sum(answered)
    return steps[done] if done < len(steps) else Step(text=DONE)
