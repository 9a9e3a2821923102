"""The notifications of an app-server become what a turn tells and how it ends."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ccweb.conversations.model import Step, TurnFacts
from ccweb.host.agent import AgentEvent, TextDelta
from ccweb.host.codex.app_turn import AppTurn
from ccweb.host.codex.failures import Trouble
from ccweb_contract.enums import StepKind, StepStatus, TurnFailure, TurnStatus
from tests.fakes.codex_recordings import read

NOW = datetime(2026, 11, 30, tzinfo=UTC)
DONE, FAILED, RUNNING = StepStatus.DONE, StepStatus.FAILED, StepStatus.RUNNING
THREAD = "id-0"


def played(name: str) -> tuple[AppTurn, list[AgentEvent]]:
    """Return a turn after a recording, and what it told."""
    turn = AppTurn(THREAD, model="m")
    lines = [line for line in read("app", name) if "id" not in line]
    return turn, [event for line in lines for event in turn.take(line["method"], line["params"])]


def tool(key: str, status: StepStatus, name: str, given: str, output: str = "") -> Step:
    return Step(key=key, kind=StepKind.TOOL, status=status, name=name, input=given, output=output)


def delta(text: str, *, item: str = "i", thread: str = THREAD, turn: str = "t") -> dict[str, str]:
    return {"threadId": thread, "turnId": turn, "itemId": item, "delta": text}


@pytest.mark.requirement("R-A2")
def test_a_turn_tells_all_that_it_does_in_its_order() -> None:
    turn, told = played("work")
    look, edit = "echo seen; exit 3", "add /here/new.txt\nupdate /here/old.txt"
    diff = (
        "--- /dev/null\n+++ /here/new.txt\n+hello\n"
        "--- /here/old.txt\n+++ /here/old.txt\n@@ -1 +1 @@\n-1\n+2"
    )
    assert told == [
        Step(key="id-3", kind=StepKind.THINKING, status=DONE, output="I look first."),
        *(TextDelta(text=piece) for piece in ("Let ", "me ", "look.")),
        Step(key="id-4", kind=StepKind.SAID, status=DONE, output="Let me look."),
        tool("id-5", RUNNING, "exec_command", look),
        tool("id-5", FAILED, "exec_command", look, "seen\n(exit code 3)"),
        tool("id-6", RUNNING, "apply_patch", edit),
        tool("id-6", DONE, "apply_patch", edit, diff),
        *(TextDelta(text=piece) for piece in ("All ", "done: ", "好。")),
    ]
    end = turn.end(now=NOW)
    assert turn.is_completed
    assert (end.status, end.text) == (TurnStatus.COMPLETED, "All done: 好。")
    assert end.facts == TurnFacts(
        model="m", input_tokens=3000, cached_tokens=1500, output_tokens=600
    )


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("no-login", TurnFailure.NOT_LOGGED_IN),
        ("limit", TurnFailure.RATE_LIMITED),
        ("dropped", TurnFailure.NETWORK_DOWN),
    ],
)
def test_failures_are_known_by_their_codes(name: str, failure: TurnFailure) -> None:
    turn, _ = played(name)
    end = turn.end(now=NOW)
    assert (end.status, end.failure) == (TurnStatus.FAILED, failure)
    assert end.error


@pytest.mark.requirement("R-A6")
def test_a_text_that_was_cut_and_begun_again_is_kept_and_counts_as_failed() -> None:
    turn, told = played("dropped")
    cut = "stream disconnected before completion: Transport error: network error: "
    details = f"{cut}error decoding response body"
    retry = tool("retry", RUNNING, "retry", "Reconnecting... 1/1", details)
    assert told == [
        TextDelta(text="a "),
        Step(key="id-3", kind=StepKind.SAID, status=FAILED, output="a "),
        retry,
        replace(retry, status=DONE),
        TextDelta(text="a "),
    ]
    assert turn.end(now=NOW).text == "a "


def test_what_other_threads_and_turns_say_is_not_heard() -> None:
    turn = AppTurn(THREAD, model=None)
    turn.id = "t"
    method = "item/agentMessage/delta"
    assert turn.take(method, delta("x", thread="other")) == []
    assert turn.take(method, delta("x", turn="before")) == []
    assert turn.take(method, delta("x")) == [TextDelta(text="x")]


def test_a_turn_that_codex_itself_breaks_off_is_interrupted() -> None:
    turn = AppTurn(THREAD, model=None)
    turn.take("item/agentMessage/delta", delta("half"))
    turn.take("turn/completed", {"threadId": THREAD, "turn": {"id": "t", "status": "interrupted"}})
    end = turn.end(now=NOW)
    assert (end.status, end.text) == (TurnStatus.INTERRUPTED, "half")


def test_a_turn_that_says_nothing_is_empty() -> None:
    turn = AppTurn(THREAD, model=None)
    turn.take("turn/completed", {"threadId": THREAD, "turn": {"id": "t", "status": "completed"}})
    assert turn.end(now=NOW).status is TurnStatus.EMPTY


def test_the_last_text_is_the_final_one_even_when_a_step_follows() -> None:
    turn = AppTurn(THREAD, model=None)
    place = {"threadId": THREAD, "turnId": "t"}
    turn.take("item/agentMessage/delta", delta("said"))
    message = {"type": "agentMessage", "id": "i", "text": "said"}
    turn.take("item/completed", {**place, "item": message})
    search = {"type": "webSearch", "id": "s", "query": "q"}
    turn.take("item/completed", {**place, "item": search})
    turn.take("turn/completed", {"threadId": THREAD, "turn": {"id": "t", "status": "completed"}})
    end = turn.end(now=NOW)
    assert (end.status, end.text) == (TurnStatus.COMPLETED, "said")


def test_another_model_than_the_asked_one_is_told() -> None:
    turn = AppTurn(THREAD, model="small")
    turn.take("model/rerouted", {"threadId": THREAD, "turnId": "t", "toModel": "large"})
    assert turn.facts.model == "large"


@pytest.mark.parametrize("used", [100, 40])
def test_only_a_limit_that_is_used_up_says_when_to_try_again(used: int) -> None:
    turn = AppTurn(THREAD, model=None)
    window = {"usedPercent": used, "resetsAt": 1900000000}
    turn.take("account/rateLimits/updated", {"rateLimits": {"primary": window}})
    end = turn.failed(Trouble(failure=TurnFailure.RATE_LIMITED, error="limit"))
    assert end.retry_at == (datetime.fromtimestamp(1900000000, UTC) if used == 100 else None)
